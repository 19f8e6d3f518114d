"""Numerical evidence: a rigorous reference, kernels compiled safely, and their cross-check."""

from numeric_check.cross_check import cross_check
from numeric_check.edited_text import same_code, undecided_edits
from numeric_check.kernel import compile_kernel
from numeric_check.reference import reference
from numeric_check.text_proof import prove_text

__all__ = [
    "compile_kernel",
    "cross_check",
    "prove_text",
    "reference",
    "same_code",
    "undecided_edits",
]
