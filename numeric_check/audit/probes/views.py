"""Does it matter how x lies in memory? Attention exchanges axes, and slices q, k and v."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from numeric_check.audit import questions
from numeric_check.audit.context import Context
from numeric_check.audit.finding import Finding
from numeric_check.audit.libraries import Array
from numeric_check.audit.positions import FIRST
from numeric_check.audit.probes.agreement import Disagreement, agreement, differences
from numeric_check.audit.reproduce.calls import view_and_copy
from numeric_check.audit.subject import PATTERNS, MapSubject, fetched, unshaped
from symbolic_pe.errors import AuditError

ROWS, PARTS = 3, 3
"""Rows, other than there are positions; and queries, keys and values beside each other."""


@dataclass(frozen=True)
class View:
    """Part of an array in memory, or all of it in another order; `code` is what `take` does."""

    words: str
    memory: tuple[int, ...]
    take: Callable[[Any], Any]
    code: str


def views(context: Context) -> Finding:
    """Views of x, and copies of them that lie in one piece."""
    subject, dtype = context.subject, context.measured.dtype
    if subject.library.name == "jax":
        return questions.VIEWS.skipped("arrays of JAX have no strides that a callable could see")
    positions = [p for p in FIRST if p <= context.measured.reach]
    found: list[Disagreement] = []
    refused = ""
    for side in ("query",) if subject.one_map else ("query", "key"):
        for view in _views(subject, len(positions)):
            x = np.cos(np.arange(float(np.prod(view.memory)))).reshape(view.memory)
            try:
                copied = subject.library.floats(view.take(x), dtype)
                right = _images(subject, side, copied, positions)
                values = _images(
                    subject, side, view.take(subject.library.floats(x, dtype)), positions
                )
            except AuditError as error:
                refused = refused or f"{view.words}: {error}"
                continue

            def line(_: int, view: View = view, side: str = side) -> str:
                return view_and_copy(subject, (view.memory, view.code), positions, dtype, side)

            for row, both in enumerate(zip(values, right, strict=True)):
                words = f"{side} map, x as {view.words}, and a copy of it: row {row}"
                found += differences(context, words, positions, both, line, dtype=dtype)
    if not found:
        return questions.VIEWS.skipped(f"not accepted: {refused}")
    return agreement(questions.VIEWS, found)


def _images(subject: MapSubject, side: str, x: Any, positions: list[int]) -> Array:
    """Images of rows, (rows, n, d)."""
    places = subject.places(positions)
    values = fetched(subject.library, lambda: subject.side(side)(x, places)).values
    if values.shape != tuple(x.shape):
        raise AuditError(f"expected the shape of x back, {tuple(x.shape)}, got {values.shape}")
    values = subject.in_order(values)
    return values[None] if subject.form == "flat" else unshaped(values, subject.form)


def _views(subject: MapSubject, count: int) -> list[View]:
    """A slice of channels; and rows and positions exchanged, where x has both."""
    pattern, d = PATTERNS[subject.form], subject.dimension
    sizes = {"1": 1, "r": ROWS, "n": count, "d": d}
    shape = tuple(sizes[axis] for axis in pattern)
    wide = (*shape[:-1], PARTS * d)
    found = [View("a slice of channels", wide, lambda x: x[..., :d], f"x[..., :{d}]")]
    if "r" in pattern:
        i, j = pattern.index("r"), pattern.index("n")
        memory = list(shape)
        memory[i], memory[j] = memory[j], memory[i]
        words = "a view with two axes exchanged"
        code = f"x.swapaxes({i}, {j})"
        found.append(View(words, tuple(memory), lambda x: x.swapaxes(i, j), code))
    return found
