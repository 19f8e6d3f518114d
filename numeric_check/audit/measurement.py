"""F(t) and G(s) of a subject at every position, measured once and used by every question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from numeric_check.audit.arithmetic import Arithmetic, arithmetic_of
from numeric_check.audit.libraries import Array
from numeric_check.audit.matrices import connected_channels, norm, outputs_of
from numeric_check.audit.positions import ALONE_PAIRS, FIRST, last_taken, maps_positions
from numeric_check.audit.subject import MapSubject
from symbolic_pe.errors import AuditError

LEAST = (0, 1, 2)
"""Positions that have to be accepted."""
DENSE = 48
"""Blocks of more channels are measured at fewer positions."""


@dataclass(frozen=True)
class Measurement:
    """Matrices of one subject.

    query, key   F(t) and G(s), shape (n, d, d), at `positions`, ascending
    dtype        of the inputs; returned: of the results
    refused      what the subject said beyond the largest position
    alone        F(t) and G(t) from calls of one position each
    first        results of the first calls of all, per dtype, at `FIRST`
    """

    positions: tuple[int, ...]
    query: Array
    key: Array
    dtype: str
    returned: str
    arithmetic: Arithmetic
    refused: str = ""
    alone: Mapping[int, tuple[Array, Array]] = field(default_factory=dict)
    first: Mapping[str, Array] = field(default_factory=dict)

    @property
    def dimension(self) -> int:
        """Channels."""
        return int(self.query.shape[1])

    @property
    def reach(self) -> int:
        """The largest position."""
        return self.positions[-1]

    @cached_property
    def finite(self) -> npt.NDArray[np.bool_]:
        """Which positions gave finite matrices on both sides."""
        both = np.isfinite(self.query).all(axis=(1, 2)) & np.isfinite(self.key).all(axis=(1, 2))
        return np.asarray(both)

    @cached_property
    def groups(self) -> list[tuple[int, ...]]:
        """Channels that act on each other, on either side."""
        finite = self.finite
        return connected_channels(np.concatenate([self.query[finite], self.key[finite]]))

    @cached_property
    def by_size(self) -> list[npt.NDArray[np.int64]]:
        """Groups of one size together, shape (groups, size)."""
        sizes = sorted({len(g) for g in self.groups})
        return [np.array([g for g in self.groups if len(g) == k]) for k in sizes]

    def blocks(self, side: str, position: int, groups: npt.NDArray[np.int64]) -> Array:
        """F(t) or G(s) on groups of one size, shape (groups, size, size)."""
        matrices = self.query if side == "query" else self.key
        result: Array = matrices[self.index[position]][groups[:, :, None], groups[:, None, :]]
        return result

    @cached_property
    def index(self) -> dict[int, int]:
        """Place of each position."""
        return {p: i for i, p in enumerate(self.positions)}

    def pair(self, t: int, s: int, group: Sequence[int] | None = None) -> Array:
        """M(t, s) = F(t)ᵀG(s), on the channels of a group."""
        f, g = self.query[self.index[t]], self.key[self.index[s]]
        if group is not None:
            place = np.ix_(group, group)
            f, g = f[place], g[place]
        with np.errstate(all="ignore"):
            result: Array = f.T @ g
        return result

    def norms(self, t: int, s: int, group: Sequence[int]) -> float:
        """‖F(t)‖·‖G(s)‖ on a group: what errors of M(t, s) are relative to."""
        place = np.ix_(group, group)
        f, g = self.query[self.index[t]][place], self.key[self.index[s]][place]
        if not (np.isfinite(f).all() and np.isfinite(g).all()):
            return float("inf")
        return norm(f) * norm(g)


def measure(subject: MapSubject, extra: Sequence[int] = ()) -> Measurement:
    """Measure both maps in the finest dtype that the subject takes, as far as it goes.

    Raises `AuditError` when not even positions 0, 1, 2 are accepted.
    """
    first = _first_calls(subject)
    dtype, reason = "float64", ""
    for candidate in ("float64", "float32", "bfloat16"):
        try:
            subject.matrices("query", LEAST, candidate)
        except AuditError as error:
            reason = reason or str(error)
        else:
            dtype = candidate
            break
    else:
        raise AuditError(f"{subject.name}: {reason}")
    wanted = sorted({*maps_positions(), *extra})
    positions, refused = _accepted(subject, wanted, dtype)
    query = subject.matrices("query", positions, dtype)
    key = query if subject.one_map else subject.matrices("key", positions, dtype)
    d = subject.dimension
    returned = subject.apply("query", np.eye(d)[:1, None, :], [1], dtype).dtype
    images = np.concatenate([query.ravel(), key.ravel()])
    return Measurement(
        tuple(positions), query, key, dtype, returned, arithmetic_of(images, dtype, returned),
        refused, _alone(subject, positions, dtype), first,
    )  # fmt: skip


def in_order(subject: MapSubject, measured: Measurement) -> tuple[MapSubject, Measurement]:
    """Both with results in the order of the channels of x, where they come in another.

    Scores do not see it when queries and keys are alike: q and k may be permuted to another layout,
    turned there, and left so. What was measured is permuted: no call is made.
    """
    count = len(LEAST)
    every = np.concatenate([measured.query[:count], measured.key[:count]])
    outputs = outputs_of(every) if np.isfinite(every).all() else ()
    if not outputs or subject.outputs:
        return subject, measured
    moved = list(outputs)
    ordered = replace(
        measured,
        query=measured.query[:, moved],
        key=measured.key[:, moved],
        alone={p: (f[moved], g[moved]) for p, (f, g) in measured.alone.items()},
        first={dtype: images[:, moved] for dtype, images in measured.first.items()},
    )
    return replace(subject, outputs=outputs), ordered


def same_vector(subject: MapSubject, count: int, rows: int = 1) -> Array:
    """One vector at every position: results differ by the position alone."""
    random = np.random.default_rng(1)
    x = np.round(8 * random.standard_normal(subject.dimension)) / 8
    return np.broadcast_to(x, (rows, count, subject.dimension))


def _first_calls(subject: MapSubject) -> dict[str, Array]:
    """What the subject says before it has seen a long call, float32 first."""
    found = {}
    for dtype in ("float32", "float64"):
        try:
            x = same_vector(subject, len(FIRST))
            found[dtype] = subject.apply("query", x, FIRST, dtype).values[0]
        except AuditError:
            continue
    return found


def _alone(
    subject: MapSubject, positions: Sequence[int], dtype: str
) -> dict[int, tuple[Array, Array]]:
    found = {}
    for p in sorted({p for pair in ALONE_PAIRS for p in pair}):
        if p <= positions[-1]:
            f = subject.matrices("query", [p], dtype)[0]
            found[p] = (f, f if subject.one_map else subject.matrices("key", [p], dtype)[0])
    return found


def _accepted(subject: MapSubject, wanted: list[int], dtype: str) -> tuple[list[int], str]:
    """The positions up to the largest that both maps take in one call (tables end somewhere)."""
    refused = {}

    def taken(end: int) -> bool:
        probe = np.ones((1, end, subject.dimension))
        try:
            for side in ("query", "key"):
                subject.apply(side, probe, wanted[:end], dtype)
        except AuditError as error:
            refused[end] = f"position {wanted[end - 1]}: {error}"
            return False
        return True

    good, bad = len(LEAST), len(wanted)
    if taken(bad):
        return wanted, ""
    if not taken(good):
        raise AuditError(f"{subject.name}: {refused[good]}")
    good = last_taken(taken, good, bad)
    return wanted[:good], refused[good + 1]
