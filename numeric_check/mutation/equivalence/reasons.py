"""When a mutant is the same kernel: decided, with the reason.

same code            the trees differ in docstrings at most
same constants       the expression that differs has the same value, bit for bit
same functions       the function called instead has the same body or hands on its arguments,
                     or what differs is an argument that it does not read, the size of one of
                     which it reads the sign alone, or the sign of an array that it asks for its
                     library, device and dtype alone
same at every call   what differs depends on an argument, and agrees for all that it is given
same remainders      what differs is whether a whole number has a remainder, in both the same
same identities      an identity of the library that holds bit for bit, such as cos being even
same arrays          another one of several arrays is asked for what all share: the number of axes
                     and positions, the library, or a dtype that is promoted with those of all
same devices         another array is asked for its device, and the law `surroundings` was
                     measured for every way in which the inputs can be on two devices
same operations      what differs is a loop over the links of a chain, whether a list of arrays is
                     stacked, or the shape of zeros, and both texts do the same in the same order
                     (`operations`)
same promotion       only casts differ, and both return the same bits for every dtype of x, of
                     the positions and of the parameters (`agreement`)
same words           rounding of words differs, and gives the same for all 2³² numbers
same text proof      exact execution proves the same functions, the edit rearranges arithmetic
                     within them (see `edited_text`), and no rounding bound is larger
no larger errors     exact execution proves the same functions, the edit is within the formulas of
                     a 2×2 block, number by number, and no rounding bound is larger
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from numeric_check.kernels.edited_text import same_code, undecided_edits
from numeric_check.kernels.kernel import Kernel
from numeric_check.mutation.equivalence.agreement import agree
from numeric_check.mutation.equivalence.branches import same_but_branches
from numeric_check.mutation.equivalence.casts import without_casts
from numeric_check.mutation.equivalence.difference import (
    constant_differences,
    same_at_every_call,
    same_remainders,
)
from numeric_check.mutation.equivalence.identities import same_identities
from numeric_check.mutation.equivalence.operations import same_operations
from numeric_check.mutation.equivalence.same_arrays import same_arrays, same_but_devices
from numeric_check.mutation.equivalence.same_functions import same_functions
from numeric_check.mutation.equivalence.word_bits import same_words
from numeric_check.mutation.reference import Reference, biases_of, bounds_of
from numeric_check.rounding.bound import KernelBound
from numeric_check.text_proof.prove import TextProof
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.errors import KernelError

TREES: Mapping[str, Callable[[str, str], bool]] = {
    "same functions": same_functions,
    "same at every call": same_at_every_call,
    "same remainders": same_remainders,
    "same identities": same_identities,
    "same arrays": same_arrays,
}
SLACK = 1.0 + 2.0**-20
"""Coefficients of bounds are formed in floating point."""


def same_text(text: str, original: Reference) -> str:
    """Why this text is the same kernel, seen from the texts; empty where that is not decided."""
    if same_code(text, original.text):
        return "same code"
    return next((reason for reason, same in TREES.items() if same(text, original.text)), "")


def same_run(kernel: Kernel, plan: KernelPlan, original: Reference) -> str:
    """The same of a text that no law refutes, seen from what it computes.

    The laws look at more: gradients, autocast, the default dtype and device, two devices.
    """
    if same_but_devices(kernel.text, original.text):
        return "same devices"
    if same_constants(kernel, original.kernel):
        return "same constants"
    if _only_casts(kernel, original) and agree(kernel, original.kernel, plan):
        return "same promotion"
    if same_words(kernel, original.kernel):
        return "same words"
    if same_operations(kernel, original.kernel, plan):
        return "same operations"
    return ""


def same_proof(kernel: Kernel, plan: KernelPlan, proof: TextProof, original: Reference) -> str:
    """Why this text, proved, is the same kernel; empty where that is not decided."""
    if proof.verdict != "proved" or proof.executed != original.proof.executed:
        return ""
    if not undecided_edits(kernel.text, original.text, proof.executed):
        return "same text proof" if _no_larger(kernel, plan, original) else ""
    bounded = original.bounds and same_but_branches(kernel.text, original.text)
    return "no larger errors" if bounded and _no_larger(kernel, plan, original) else ""


def same_constants(kernel: Kernel, original: Kernel) -> bool:
    """Whether the expression that differs is made of constants, and has one value in both texts."""
    for ours, theirs in constant_differences(kernel.text, original.text):
        try:
            if _identical(kernel.evaluate(ours), original.evaluate(theirs)):
                return True
        except KernelError:
            continue
    return False


def _identical(a: Any, b: Any) -> bool:
    """One type, dtype, shape and value."""
    if type(a) is not type(b):
        return False
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(_identical(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(getattr(a, "shape", None), tuple):
        same = a.shape == b.shape and a.dtype == b.dtype
        same = same and getattr(a, "device", None) == getattr(b, "device", None)
        return same and repr(a.tolist()) == repr(b.tolist())  # 0.0 is not -0.0
    return type(a) in (int, float, str, bool) and repr(a) == repr(b)


def _only_casts(kernel: Kernel, original: Reference) -> bool:
    """Whether the texts are equal when casts are left out."""
    return without_casts(kernel.text) == without_casts(original.text)


def _no_larger(kernel: Kernel, plan: KernelPlan, original: Reference) -> bool:
    """Whether no bound of this text is larger than the original's."""
    found, biases = bounds_of(kernel, plan), biases_of(kernel, plan)
    if len(found) != len(original.bounds) or len(biases) != len(original.biases):
        return False
    pairs = list(coefficients_of(found, original.bounds))
    pairs += [
        pair
        for ours, theirs in zip(biases, original.biases, strict=True)
        for pair in _padded(ours.error, theirs.error)
    ]
    return all(a <= SLACK * b for a, b in pairs)


def coefficients_of(
    found: Sequence[KernelBound], known: Sequence[KernelBound]
) -> Iterator[tuple[float, float]]:
    """Numbers of one set of bounds beside those of another; the first should be no larger."""
    for ours, theirs in zip(found, known, strict=True):
        yield -ours.reach, -theirs.reach / SLACK**2
        for one, other in zip(ours.blocks, theirs.blocks, strict=True):
            yield from _padded(one.relative, other.relative, ours.reach)
            yield one.absolute, other.absolute


def _padded(
    a: Sequence[float], b: Sequence[float], reach: float = math.inf
) -> Iterator[tuple[float, float]]:
    """Coefficient by coefficient; where the first is larger, c·|u|^k ≤ c·reach^{k−1}·|u|."""
    size = max(len(a), len(b))
    one, other = ([*p, *[0.0] * (size - len(p))] for p in (a, b))
    for k in range(size - 1, 1, -1):
        excess = one[k] - other[k]
        if excess > 0.0 and math.isfinite(reach):
            one[1] += excess * reach ** (k - 1)
            one[k] = other[k]
    yield from zip(one, other, strict=True)


__all__ = [
    "TREES",
    "coefficients_of",
    "same_constants",
    "same_proof",
    "same_run",
    "same_text",
]
