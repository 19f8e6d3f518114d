# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
OUT    := demo-output

.PHONY: demo test test-full proofs lint bench mutants certificate-mutants clean
.DELETE_ON_ERROR:

# A stamp per environment: repeated calls cost nothing, a changed requirement reinstalls.
$(VENV)/.base: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(VENV)/.test: $(VENV)/.base
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt torch
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test,torch]'
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

# The slow tests of Rocq files are left to `make proofs`.
ROCQ_TESTS := tests/proof/test_rocq.py tests/proof/test_rocq_theory.py

test-full: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 -m slow $(addprefix --ignore=,$(ROCQ_TESTS))

# Needs coqc and Coquelicot (Debian: coq libcoq-coquelicot); fails without them.
proofs: $(VENV)/.test
	ROCQ_REQUIRED=1 $(BIN)/python -m pytest -n 2 $(ROCQ_TESTS)

bench: $(VENV)/.test
	$(BIN)/symbolic-pe bench startup

mutants: $(VENV)/.test
	$(BIN)/python -m tests.golden_mutants

certificate-mutants: $(VENV)/.test
	$(BIN)/python -m tests.certificate_mutants --page docs/reference/certificate-mutants.md

clean:
	rm -rf $(VENV) $(OUT) build/rocq
