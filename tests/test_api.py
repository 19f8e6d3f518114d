"""The Python interface: what the README promises can be imported and does what it says."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import derivations
import numeric_check
import symbolic_pe
from symbolic_pe.errors import SpecificationError


def test_names() -> None:
    from numeric_check import compile_kernel, cross_check, prove_text, reference
    from symbolic_pe import (
        Encoding,
        Generator,
        catalogue,
        classify,
        emit,
        exponential,
        from_sympy,
        prove,
        to_sympy,
    )

    for thing in (
        compile_kernel,
        cross_check,
        prove_text,
        reference,
        classify,
        emit,
        exponential,
        prove,
        catalogue,
        from_sympy,
        to_sympy,
        Encoding,
        Generator,
    ):
        assert thing.__doc__


def test_from_a_generator_to_measured_code() -> None:
    from numeric_check import compile_kernel, cross_check, prove_text
    from symbolic_pe import catalogue, emit, plan_kernel

    encoding = catalogue("xpos", {"dim": 4})
    plan = plan_kernel(encoding)
    kernel = compile_kernel(emit(encoding))
    assert prove_text(kernel, plan).verdict == "proved"
    assert cross_check(kernel, plan).verdict == "consistent"


def test_emit_refuses_what_is_refuted() -> None:
    with pytest.raises(SpecificationError, match="augmentation is refuted"):
        symbolic_pe.emit(symbolic_pe.read_specification("examples/alibi-misquoted.toml"))


def modules() -> list[str]:
    return [
        info.name
        for package in (symbolic_pe, numeric_check, derivations)
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]


@pytest.mark.parametrize("name", modules())
def test_examples_in_docstrings_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
