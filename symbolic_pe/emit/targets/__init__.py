"""The targets: one module each, from a plan to the text of a file below its header."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass

from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.emit.targets import array_api, numpy, torch
from symbolic_pe.errors import SpecificationError


@dataclass(frozen=True)
class Target:
    """An array library to print for.

    library    the package that the text imports, as pip and Python name it
    emit_body  plan → text below the header; `NotYetCovered` for plans beyond its capabilities
    usual      True when it is built unless other targets are asked for
    """

    name: str
    summary: str
    library: str
    emit_body: Callable[[KernelPlan], str]
    usual: bool = True


TARGETS: dict[str, Target] = {
    t.name: t
    for t in (
        Target("numpy", "functions of NumPy arrays", "numpy", numpy.emit_body),
        Target(
            "torch",
            "functions of PyTorch tensors, an nn.Module, a score_mod for FlexAttention",
            "torch",
            torch.emit_body,
        ),
        Target(
            "array-api",
            "functions of arrays of any library that follows the Python array API standard",
            "array_api_compat",
            array_api.emit_body,
            usual=False,
        ),
    )
}


def target_named(name: str) -> Target:
    """The target of this name.

    >>> target_named("numpy").summary
    'functions of NumPy arrays'

    Raises `SpecificationError` with the nearest known one.
    """
    if name not in TARGETS:
        near = difflib.get_close_matches(name, TARGETS, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise SpecificationError(f"unknown target {name!r}{hint} (known: {', '.join(TARGETS)})")
    return TARGETS[name]


__all__ = ["TARGETS", "Target", "target_named"]
