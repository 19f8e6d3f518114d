"""Rounding of words, decided for every number: what only differs in bits that are dropped.

`_nearest` maps words of 32 bits to words of which the upper halves are read. Where an edit is
inside it, and the upper halves agree for all 2³² words, both texts do the same.
"""

from __future__ import annotations

from typing import Any

from numeric_check.kernels.kernel import Kernel
from numeric_check.kernels.words import NEAREST
from numeric_check.mutation.equivalence.difference import differing_function

PIECE = 2**18
"""Words at once: so many stay in a cache."""


def same_words(kernel: Kernel, original: Kernel) -> bool:
    """Whether only `_nearest` differs, and rounds every float32 number to the same bfloat16."""
    if differing_function(kernel.text, original.text) != NEAREST or not kernel.has(NEAREST):
        return False
    return differing_number(kernel.raw(NEAREST), original.raw(NEAREST)) is None


def differing_number(one: Any, other: Any) -> float | None:
    """A float32 number that the functions round to different bfloat16; None where there is none."""
    import torch

    low = torch.arange(PIECE, dtype=torch.int32)
    for first in range(-(2**31), 2**31, PIECE):
        values = (low + first).view(torch.float32)
        differs = (one(values) ^ other(values)) >> 16
        if bool(differs.any()):
            return float(values[differs != 0][0])
    return None


__all__ = ["differing_number", "same_words"]
