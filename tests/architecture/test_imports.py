"""What is imported when: heavy libraries only where they are used; layers hold."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("sympy", "torch", "numpy", "matplotlib", "mpmath", "jinja2", "joblib", "rich")
EXACT = ("flint", "symbolic_pe.classification", "symbolic_pe.proof.prover")


def modules_after(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(' '.join(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.splitlines()[-1].split())


def test_help_imports_nothing_heavy() -> None:
    loaded = modules_after(
        "from click.testing import CliRunner\n"
        "from symbolic_pe.cli.main import cli\n"
        "assert CliRunner().invoke(cli, ['--help']).exit_code == 0"
    )
    assert not loaded & {*HEAVY, *EXACT}


def test_public_functions_are_not_hidden_by_packages_of_their_names() -> None:
    """`emit` and `exponential` are packages as well, imported here after the functions."""
    loaded = modules_after(
        "import symbolic_pe\n"
        "assert callable(symbolic_pe.exponential)\n"
        "import symbolic_pe.emit.plan, symbolic_pe.exponential.primary\n"
        "from symbolic_pe import *\n"
        "assert all(callable(f) for f in (emit, exponential, symbolic_pe.emit))\n"
        "assert not hasattr(symbolic_pe, 'nothing')"
    )
    assert "flint" in loaded


def test_proving_imports_no_array_library_and_no_sympy() -> None:
    loaded = modules_after(
        "from symbolic_pe import catalogue, classify, prove\n"
        "prove(catalogue('rope', {'dim': 8})); classify(catalogue('alibi'))"
    )
    assert not loaded & {"numpy", "torch", "sympy", "mpmath"}


@pytest.mark.parametrize("text", ["eval(", "exec(", "sympify(", "parse_expr("])
def test_no_text_is_evaluated_outside_the_kernel_loader(text: str) -> None:
    import re
    from pathlib import Path

    pattern = re.compile(rf"(^|[^.\w]){re.escape(text)}")
    found = [
        str(path)
        for package in ("symbolic_pe", "numeric_check", "derivations")
        for path in Path(package).rglob("*.py")
        if pattern.search(path.read_text())
    ]
    assert found == (["numeric_check/kernels/kernel.py"] if text == "exec(" else [])
