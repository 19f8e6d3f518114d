"""Verified positional encodings: exact classification, proofs and emitted code.

    A(s + t) = A(s)A(t),  A(0) = I   ⟹   A(t) = exp(tX)

Choosing a positional encoding is choosing a generator X. This package classifies X by its exact
real Jordan form, proves the laws of exp(tX), and emits readable code for it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symbolic_pe.classification import classify
    from symbolic_pe.emit.plan import plan_kernel
    from symbolic_pe.encodings.catalogue import catalogue
    from symbolic_pe.encodings.encoding import Encoding
    from symbolic_pe.encodings.specification import from_document, read_specification
    from symbolic_pe.errors import SymbolicPEError
    from symbolic_pe.exponential.closed_form import exponential
    from symbolic_pe.generators.generator import Generator
    from symbolic_pe.interchange import from_sympy, to_sympy
    from symbolic_pe.production import emit
    from symbolic_pe.proof.prover import prove

__version__ = "0.1.0"

# Two functions have the names of packages. These are loaded first and their names forgotten, so
# that no later import puts a package where the function belongs.
for _package in ("emit", "exponential"):
    import_module(f"{__name__}.{_package}")
    del globals()[_package]

_HOMES = {
    "Encoding": "encodings.encoding",
    "Generator": "generators.generator",
    "SymbolicPEError": "errors",
    "catalogue": "encodings.catalogue",
    "classify": "classification",
    "emit": "production",
    "exponential": "exponential.closed_form",
    "from_document": "encodings.specification",
    "from_sympy": "interchange",
    "plan_kernel": "emit.plan",
    "prove": "proof.prover",
    "read_specification": "encodings.specification",
    "to_sympy": "interchange",
}
"""Where each public name lives: it is imported when it is first asked for."""


def __getattr__(name: str) -> object:
    """The exact core takes a while to import; `--help` and verdicts that are known need none."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


__all__ = [
    "Encoding",
    "Generator",
    "SymbolicPEError",
    "catalogue",
    "classify",
    "emit",
    "exponential",
    "from_document",
    "from_sympy",
    "plan_kernel",
    "prove",
    "read_specification",
    "to_sympy",
]
