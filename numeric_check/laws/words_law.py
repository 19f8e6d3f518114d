"""The law `words`: turn_words gives what turn gives, and refuses what it does not serve.

Without a compiler it computes the same. The halves of words are split and joined bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from numeric_check.kernels.words import JOINED, SPLIT, TURN_WORDS
from numeric_check.laws.comparing import Twice, failure
from numeric_check.laws.subject import Subject

LAW, DTYPE = "words", "bfloat16"
POSITIONS = (0.0, 1.0, 2.5, 4095.0)
ROUNDINGS = 2.0**-7
"""Both results are rounded to bfloat16, 2⁻⁹ each, after float32 arithmetic."""
LOW_HALVES = (0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF)
"""Below, at and above the middle of two neighbours in bfloat16."""


def check_words(subject: Subject) -> None:
    """Measured for texts that have it."""
    if subject.kernel.target != "torch" or not subject.kernel.has(TURN_WORDS):
        return
    law = Twice(subject, LAW, DTYPE)
    _check_layouts(law)
    _check_refusals(law)
    _check_halves(law)


def _vectors(subject: Subject, *lead: int) -> Any:
    import torch

    heads = () if subject.heads == 1 else (subject.heads,)
    shape = (*lead, *heads, len(POSITIONS), subject.dimension)
    return torch.from_numpy(np.random.default_rng(subject.seed).standard_normal(shape)).bfloat16()


def _table(subject: Subject, **named: Any) -> Any:
    import torch

    place = torch.tensor(POSITIONS, dtype=torch.float64)
    return subject.kernel.raw("rotary_table")(place, **named)


def _check_layouts(law: Twice) -> None:
    """x whose memory has gaps, is in another order, or is repeated; no x; one x at a time."""
    import torch

    kernel = law.subject.kernel
    x, table, turn = _vectors(law.subject, 3), _table(law.subject), kernel.raw(TURN_WORDS)
    plain = law.called("turn", kernel.raw("turn"), x, table)
    law.same(f"{TURN_WORDS}, as turn", plain, turn, x, table, agreement=ROUNDINGS)
    law.holds("the result is bfloat16", turn(x, table).dtype == torch.bfloat16)
    expected = law.called(TURN_WORDS, turn, x, table)
    if expected is None:
        return
    for note, given in _layouts(x):
        law.same(f"{TURN_WORDS}, {note}", expected, turn, given, table)
    first = np.broadcast_to(expected[:1], expected.shape)
    law.same(f"{TURN_WORDS}, x repeated", first, turn, x[:1].expand(x.shape), table)
    law.same(f"{TURN_WORDS}, one x at a time", expected, torch.vmap(turn, (0, None)), x, table)
    law.same(f"{TURN_WORDS}, no x", expected[:0], turn, x[:0], table)


def _layouts(x: Any) -> Iterator[tuple[str, Any]]:
    import torch

    for gap in (1, 2):
        yield f"rows {gap} apart", torch.cat([x, x[..., :gap]], dim=-1)[..., : x.shape[-1]]
    yield "channels 2 apart", x.repeat_interleave(2, dim=-1)[..., ::2]
    yield "positions first", x.transpose(0, -2).contiguous().transpose(0, -2)
    yield "channels first", x.transpose(-1, -2).contiguous().transpose(-1, -2)


def _check_refusals(law: Twice) -> None:
    """Other dtypes, and what wants gradients."""
    import torch

    x, table, turn = _vectors(law.subject), _table(law.subject), law.subject.kernel.raw(TURN_WORDS)
    wide = _table(law.subject, dtype=torch.float64)
    for given, made in ((x.float(), table), (x.half(), table), (x, wide)):
        error = failure(turn, given, made)
        said = isinstance(error, TypeError) and str(given.dtype) in str(error)
        law.holds("another dtype: expected a TypeError", said and str(made.dtype) in str(error))
    for given, made in ((x.clone().requires_grad_(), table), (x, table.clone().requires_grad_())):
        error = failure(turn, given, made)
        said = isinstance(error, ValueError) and "passes no gradients, turn does" in str(error)
        law.holds("gradients wanted: expected a ValueError", said and TURN_WORDS in str(error))


def _check_halves(law: Twice) -> None:
    """Splitting keeps every bit, and joining rounds as a cast does."""
    import torch

    split, joined = (law.subject.kernel.raw(name) for name in (SPLIT, JOINED))
    upper = torch.arange(2**16, dtype=torch.int32) << 16
    mixed = upper.flip(0)
    for low in LOW_HALVES:
        first, second = ((u | low).view(torch.float32) for u in (upper, mixed))
        expected = torch.stack((first, second), dim=-1).to(torch.bfloat16).flatten(-2)
        found = joined(first, second)
        law.holds(f"numbers joined, lower halves {low:#x}", _alike(found, expected))
    pairs = torch.stack((upper, mixed), dim=-1).view(torch.float32).to(torch.bfloat16)
    found = split(pairs.flatten(-2))
    law.holds("words split", all(map(_alike, found, pairs.float().unbind(-1))))


def _alike(found: Any, expected: Any) -> bool:
    """The same numbers with their signs, and NaN where NaN is expected."""
    import torch

    kind = torch.int16 if expected.dtype == torch.bfloat16 else torch.int32
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return False
    same = (found.view(kind) == expected.view(kind)) | (found.isnan() & expected.isnan())
    return bool(same.all())


__all__ = ["check_words"]
