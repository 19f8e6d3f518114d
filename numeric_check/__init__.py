"""Numerical evidence: a rigorous reference, kernels compiled safely, and their cross-check."""

from numeric_check.kernels.edited_text import same_code, undecided_edits
from numeric_check.kernels.kernel import compile_kernel
from numeric_check.laws.cross_check import cross_check
from numeric_check.reference_values.reference import reference
from numeric_check.text_proof.prove import prove_text

__all__ = [
    "compile_kernel",
    "cross_check",
    "prove_text",
    "reference",
    "same_code",
    "undecided_edits",
]
