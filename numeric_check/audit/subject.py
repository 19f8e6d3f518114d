"""What is audited: a pair of maps, a score, an additive bias, or an absolute table, as callables.

    maps    query(x, positions), key(x, positions)     x (…, n, d), positions (n,)
    score   score(q, k, query_positions, key_positions)  → (…, n, m)
    bias    bias(query_positions, key_positions)         → (…, n, m), a leading axis is the heads
    table   table(positions)                             → (n, d)

Each is called with the arrays of its own library; every answer comes back as float64.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from numeric_check.audit.libraries import Array, Library
from numeric_check.audit.raised import described
from symbolic_pe.errors import AuditError

MAX_ELEMENTS = 1 << 23
"""Elements of one input; larger ones are passed in slices of rows."""

POSITION_DTYPES = ("int64", "float32", "float64", "int32")

Positions = Sequence[Any] | npt.NDArray[Any]
Call = Callable[..., Any]

FORMS: Mapping[str, str] = {
    "heads": "(1, rows, positions, channels)",
    "rows": "(rows, positions, channels)",
    "batch": "(rows, 1, positions, channels)",
    "positions-heads": "(1, positions, rows, channels)",
    "sequence-first": "(positions, 1, rows, channels)",
    "sequence-rows": "(positions, rows, channels)",
    "batch-positions": "(rows, positions, 1, channels)",
    "sequence-batch": "(positions, rows, 1, channels)",
    "flat": "(positions, channels)",
}
"""How x is shaped for a call, the first that works being used."""

PATTERNS = {
    "heads": "1rnd", "rows": "rnd", "batch": "r1nd", "positions-heads": "1nrd",
    "sequence-first": "n1rd", "sequence-rows": "nrd", "batch-positions": "rn1d",
    "sequence-batch": "nr1d", "flat": "nd",
}  # fmt: skip
"""The same as axes: r rows, n positions, d channels, 1 an axis of length 1."""


def positions_axis(form: str) -> int:
    """The axis of positions, counted from the end.

    >>> positions_axis("positions-heads")
    -3
    """
    pattern = PATTERNS[form]
    return pattern.index("n") - len(pattern)


def position_array(positions: Positions) -> npt.NDArray[Any]:
    """Integers as int64, anything else as float64; one row for each position.

    >>> position_array([1, 2.5]).dtype.name
    'float64'
    """
    array = np.asarray(positions)
    return array.astype(np.int64 if array.dtype.kind in "iub" else np.float64)


def shaped(x: Array, form: str) -> Array:
    """x of shape (rows, n, d) in the shape of a form (all but `flat`)."""
    pattern = PATTERNS[form]
    y = x if pattern.index("r") < pattern.index("n") else x.swapaxes(0, 1)
    result: Array = np.expand_dims(y, [i for i, axis in enumerate(pattern) if axis == "1"])
    return result


def unshaped(y: Array, form: str) -> Array:
    """The opposite way."""
    pattern = PATTERNS[form]
    x = np.squeeze(y, tuple(i for i, axis in enumerate(pattern) if axis == "1"))
    result: Array = x if pattern.index("r") < pattern.index("n") else x.swapaxes(0, 1)
    return result


@dataclass(frozen=True)
class Outcome:
    """The answer of one call: values in float64, the dtype they came in."""

    values: Array
    dtype: str


@dataclass(frozen=True)
class MapSubject:
    """A query map and a key map.

    form            how x is shaped (a key of `FORMS`)
    position_dtype  of integer positions
    axes            coordinates of one position: positions have shape (n,) or (n, axes)
    batched         positions have a batch axis of length 1 in front
    fresh           makes the subject anew, without what earlier calls have left behind
    paths           other callables (x, positions) that must agree with the query map
    rival           a callable with other settings, which must neither agree with it nor change it
    origin          code that defines f, and g where keys have a map of their own
    named           code that makes the subject, where there is no such line
    direction       of a line in several axes: which coordinates move with the position
    whole           of a line: the subject with all coordinates
    outputs         where results come in another order than x: the place in them of each channel
    """

    name: str
    query: Call
    key: Call
    library: Library
    dimension: int
    form: str = "rows"
    position_dtype: str = "int64"
    axes: int = 1
    batched: bool = False
    fresh: Callable[[], MapSubject] | None = None
    paths: Mapping[str, Call] = field(default_factory=dict)
    rival: Call | None = None
    origin: tuple[str, str] = ("", "")
    named: str = ""
    direction: tuple[int, ...] = ()
    whole: MapSubject | None = None
    outputs: tuple[int, ...] = ()

    @property
    def one_map(self) -> bool:
        """Whether one callable serves both sides."""
        return self.query is self.key

    def side(self, side: str) -> Call:
        """The callable of `query`, `key`, or of a path by its name."""
        if side == "rival" and self.rival is not None:
            return self.rival
        return {"query": self.query, "key": self.key}.get(side) or self.paths[side]

    def apply(
        self,
        side: str,
        x: Array,
        positions: Positions,
        dtype: str = "float64",
        *,
        form: str | None = None,
        position_dtype: str | None = None,
    ) -> Outcome:
        """The map on x of shape (rows, n, d); the same shape comes back.

        Raises `AuditError` with what the subject raised, or what shape it returned.
        """
        form = form or self.form
        wanted = position_dtype or self.position_dtype
        where = position_array(positions)
        if where.dtype.kind == "f" and wanted.startswith(("int", "uint")):
            wanted = "float64"
        if form == "flat":
            return self._flat(side, x, where, dtype, wanted)
        rows = max(1, MAX_ELEMENTS // max(1, x.shape[1] * x.shape[2]))
        parts, name = [], dtype
        for start in range(0, len(x), rows):
            part = self._called(side, shaped(x[start : start + rows], form), where, dtype, wanted)
            parts.append(unshaped(part.values, form))
            name = part.dtype
        return Outcome(np.concatenate(parts), name)

    def _flat(
        self, side: str, x: Array, where: npt.NDArray[Any], dtype: str, wanted: str
    ) -> Outcome:
        results = [self._called(side, row, where, dtype, wanted) for row in x]
        return Outcome(np.stack([r.values for r in results]), results[0].dtype)

    def _called(
        self, side: str, x: Array, where: npt.NDArray[Any], dtype: str, wanted: str
    ) -> Outcome:
        given = self.library.floats(x, dtype)
        at = self.library.positions(where[None] if self.batched else where, wanted)
        outcome = fetched(self.library, lambda: self.side(side)(given, at))
        if outcome.values.shape != x.shape:
            raise AuditError(f"expected the shape of x back, {x.shape}, got {outcome.values.shape}")
        return replace(outcome, values=self.in_order(outcome.values))

    def in_order(self, values: Array) -> Array:
        """Results with their channels in the order of those of x."""
        result: Array = values[..., list(self.outputs)] if self.outputs else values
        return result

    def output(self, channel: int) -> int:
        """The place of a channel in what the callable returns."""
        return self.outputs[channel] if self.outputs else channel

    def places(self, positions: Positions, kind: str | None = None) -> Any:
        """Positions as the subject takes them, or of another dtype."""
        where = position_array(positions)
        wanted = kind or self.position_dtype
        return self.library.positions(where[None] if self.batched else where, wanted)

    def matrices(self, side: str, positions: Positions, dtype: str = "float64") -> Array:
        """F(t) for every position, shape (n, d, d): column i is the image of unit vector i."""
        d = self.dimension
        x = np.broadcast_to(np.eye(d)[:, None, :], (d, len(positions), d))
        return self.apply(side, x, positions, dtype).values.transpose(1, 2, 0)

    def anew(self) -> MapSubject:
        """A subject without history, where one can be made; else this one."""
        if self.fresh is None:
            return self
        return replace(self.fresh(), fresh=self.fresh, outputs=self.outputs)


@dataclass(frozen=True)
class ScoreSubject:
    """A score (q, k, query_positions, key_positions) → (n, m) of q (n, d) and k (m, d)."""

    name: str
    score: Call
    library: Library
    dimension: int
    position_dtype: str = "int64"
    form: str = "flat"
    origin: str = ""
    causal: bool = False
    named: str = ""

    def apply(
        self, q: Array, k: Array, t: Positions, s: Positions, *, dtype: str = "float64"
    ) -> Array:
        """Scores, shape (n, m). Raises `AuditError`."""
        lead = (None,) * {"flat": 0, "rows": 1, "heads": 2}[self.form]
        arrays = [self.library.floats(x[lead] if lead else x, dtype) for x in (q, k)]
        places = [self.library.positions(position_array(p), self._places(p)) for p in (t, s)]
        values = fetched(self.library, lambda: self.score(*arrays, *places)).values
        values = values.reshape(values.shape[len(lead) :]) if lead else values
        if values.shape != (len(q), len(k)):
            raise AuditError(f"expected scores of shape {(len(q), len(k))}, got {values.shape}")
        return values

    def _places(self, positions: Positions) -> str:
        return "float64" if position_array(positions).dtype.kind == "f" else self.position_dtype

    def matrix(self, t: Any, s: Any, dtype: str = "float64") -> Array:
        """M(t, s) with score = qᵀM(t, s)k + score(0, 0), shape (d, d)."""
        eye, zero = np.eye(self.dimension), np.zeros((1, self.dimension))
        q, k = np.concatenate([eye, zero]), np.concatenate([eye, zero])
        scores = self.apply(q, k, [t] * len(q), [s] * len(k), dtype=dtype)
        result: Array = scores[:-1, :-1] - scores[-1:, :-1] - scores[:-1, -1:] + scores[-1, -1]
        return result


@dataclass(frozen=True)
class StandIn(MapSubject):
    """A score in the place of a pair of maps: F(t) = M(t, 0)ᵀ, G = I."""

    score_subject: ScoreSubject = field(kw_only=True)

    def matrices(self, side: str, positions: Positions, dtype: str = "float64") -> Array:
        """F(t) for every position, from the score itself."""
        eye = np.eye(self.dimension)
        if side == "key":
            return np.stack([eye for _ in positions])
        return np.stack([self.score_subject.matrix(t, 0, dtype).T for t in positions])


@dataclass(frozen=True)
class BiasSubject:
    """An additive bias (query_positions, key_positions) → (heads, n, m)."""

    name: str
    bias: Call
    library: Library
    causal: bool = True
    position_dtype: str = "int64"
    origin: str = ""
    named: str = ""

    def apply(self, t: Positions, s: Positions, position_dtype: str | None = None) -> Array:
        """The bias, shape (heads, n, m). Raises `AuditError`."""
        places = []
        for positions in (t, s):
            where = position_array(positions)
            kind = "float64" if where.dtype.kind == "f" else position_dtype or self.position_dtype
            places.append(self.library.positions(where, kind))
        values = fetched(self.library, lambda: self.bias(*places)).values
        if values.shape[-2:] != (len(t), len(s)):
            raise AuditError(
                f"expected a bias of shape (…, {len(t)}, {len(s)}), got {values.shape}"
            )
        return values.reshape(-1, len(t), len(s))


@dataclass(frozen=True)
class TableSubject:
    """An absolute table positions (n,) → (n, d)."""

    name: str
    table: Call
    library: Library
    position_dtype: str = "int64"
    origin: str = ""
    named: str = ""

    def apply(self, positions: Positions, position_dtype: str | None = None) -> Array:
        """Rows of the table, shape (n, d). Raises `AuditError`."""
        where = self.library.positions(
            position_array(positions), position_dtype or self.position_dtype
        )
        values = fetched(self.library, lambda: self.table(where)).values
        if values.ndim > 2 and values.shape[:-2] == (1,) * (values.ndim - 2):
            values = values.reshape(values.shape[-2:])
        if values.ndim != 2 or len(values) != len(positions):
            raise AuditError(f"expected a table of shape ({len(positions)}, d), got {values.shape}")
        return values


Subject = MapSubject | ScoreSubject | BiasSubject | TableSubject


def fetched(library: Library, call: Callable[[], Any]) -> Outcome:
    """Make a call of the subject; whatever it raises becomes an `AuditError`."""
    try:
        with np.errstate(all="ignore"):
            value = call()
    except (Exception, SystemExit) as error:  # the subject is not ours: anything may come
        raise AuditError(f"the call raised {described(error)}") from None
    values, dtype = library.fetch(value)
    return Outcome(values, dtype)
