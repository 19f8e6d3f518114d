"""Verified positional encodings: exact classification, proofs and emitted code.

    A(s + t) = A(s)A(t),  A(0) = I   ⟹   A(t) = exp(tX)

Choosing a positional encoding is choosing a generator X. This package classifies X by its exact
real Jordan form, proves the laws of exp(tX), and emits readable code for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symbolic_pe.classification import classify
from symbolic_pe.emit.plan import plan_kernel
from symbolic_pe.encodings.catalogue import catalogue
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.encodings.specification import from_document, read_specification
from symbolic_pe.errors import SymbolicPEError
from symbolic_pe.exponential.closed_form import exponential
from symbolic_pe.generators.generator import Generator
from symbolic_pe.interchange import from_sympy, to_sympy
from symbolic_pe.proof.prover import prove

if TYPE_CHECKING:
    from symbolic_pe.emit.source import EmittedKernel

__version__ = "0.1.0"


def emit(encoding: Encoding, target: str = "numpy") -> EmittedKernel:
    """Prove an encoding and print its kernel for one target: see `symbolic_pe.production.emit`."""
    from symbolic_pe.production import emit as run

    return run(encoding, target)


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
