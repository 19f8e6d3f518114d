"""What a cross-check found: one result per law and dtype, its worst case kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

LAWS: Mapping[str, str] = {
    "runs": "every call returns an array of the stated shape",
    "dtype": "a result has the dtype of x; operators are float64",
    "query-map": "transform_query(x, t) = A(t - c)^T x",
    "key-map": "transform_key(x, s) = A(c - s) x",
    "linearity": "a map of a sum is the sum of the maps",
    "batch": "each batch row, head and position is moved on its own, by its own position",
    "given-memory": "turn_into(out, x, rotary_table(t, c)) is transform_query(x, t), in x as well",
    "cos-sin": "x cos + rotate(x) sin, of cos_sin(t, c), is transform_query(x, t)",
    "history": "a result does not depend on earlier calls",
    "relativity": "transform_query(q, t) . transform_key(k, s) = q^T A(t - s) k",
    "initial-condition": "operator(0) = I",
    "operator": "operator(tau) = A(tau)",
    "group-law": "operator(s) operator(t) = operator(s + t)",
    "bias": "bias(t, s) and the added coordinates give the declared bias at t - s",
    "score-mod": "make_score_mod(t, s) adds the declared bias at t - s to a score",
    "mask-mod": "make_mask_mod(t, s) keeps the keys s <= t",
    "decay-form": "decay(t, s) = e^(a (t - s)), 0 before t = s when causal; rotate = A without it",
    "recurrent-form": "recurrent_step gives sum over s <= t of (q^T A(t - s) k) v, step by step",
    "chunkwise-form": "chunkwise gives the same sum, whatever the chunks and the state before",
    "module": "the nn.Module returns what transform_query and transform_key return",
    "guard": "integers, and memory of another dtype, raise TypeError naming the dtype",
    "input": "positions in every form, x in any memory and of any length give the same numbers",
    "defaults": "an argument that is left out has the value that the reference states",
    "precision": "constants are float64; arithmetic with x is in the compute dtype and no other",
    "surroundings": "default dtype and device change nothing; results are on the device of x",
    "words": "turn_words gives what turn gives in bfloat16, on any memory, and refuses the rest",
    "gradient": "gradients in positions and parameters are finite, and those of the map",
}

LAWS_OF_CALLS = frozenset(
    ("guard", "input", "defaults", "precision", "surroundings", "words", "gradient")
)
"""Laws about how an emitted file may be called, which a kernel written by hand need not keep."""

CONSISTENT, REFUTED = "consistent", "refuted"


@dataclass(frozen=True)
class Where:
    """Where something was measured; fields that do not apply are empty."""

    positions: tuple[float, ...] = ()
    reference: float | None = None
    head: int | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)
    note: str = ""

    def __str__(self) -> str:
        parts = []
        if self.positions:
            noun = "position" if len(self.positions) == 1 else "positions"
            parts.append(f"{noun} {', '.join(_short(p) for p in self.positions)}")
        if self.reference:
            parts.append(f"reference {_short(self.reference)}")
        if self.head is not None:
            parts.append(f"head {self.head}")
        parts.extend(f"{name} = {value!r}" for name, value in self.parameters.items())
        return ", ".join(parts + ([self.note] if self.note else [])) or "everywhere"


def _short(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(float(value))


@dataclass(frozen=True)
class LawResult:
    """One law for one dtype: its worst case, measured against its tolerance.

    `error` and `tolerance` are in the units of the law (norms of differences); `error` may be
    infinite. `reproduce` is one line to paste in the directory of the emitted file.
    """

    law: str
    dtype: str
    verdict: str
    error: float
    tolerance: float
    where: Where
    reproduce: str

    def __str__(self) -> str:
        relation = "<=" if self.verdict == CONSISTENT else ">"
        return (
            f"{self.law} ({self.dtype}) {self.verdict} at {self.where}: error {self.error:.3g} "
            f"{relation} tolerance {self.tolerance:.3g}"
        )


@dataclass(frozen=True)
class DtypeSummary:
    """Worst relative errors of one dtype.

    map_error       max ‖ŷ − y‖/‖M|x|‖ over blocks of both maps (M as in `tolerance`; for single
                    blocks ‖y‖), with the tolerance there and its position
    relative_error  max |F̂q·Ĝk − qᵀA(τ)k|/(‖Fq‖‖Gk‖), likewise
    worst           the law that is nearest to its tolerance, or beyond it
    """

    dtype: str
    verdict: str
    map_error: float
    map_tolerance: float
    map_where: Where
    relative_error: float
    relative_tolerance: float
    relative_where: Where
    worst: LawResult


@dataclass(frozen=True)
class CrossCheck:
    """Every law that was measured, and a summary per dtype."""

    target: str
    name: str
    results: tuple[LawResult, ...]
    summaries: tuple[DtypeSummary, ...]
    parameter_points: tuple[Mapping[str, float], ...] = ()

    @property
    def verdict(self) -> str:
        """`refuted` when one law is, else `consistent`."""
        return REFUTED if self.refuted else CONSISTENT

    @property
    def refuted(self) -> tuple[LawResult, ...]:
        """The results that refute."""
        return tuple(r for r in self.results if r.verdict == REFUTED)

    @property
    def refuted_laws(self) -> frozenset[str]:
        """Names of the laws that are refuted for some dtype."""
        return frozenset(r.law for r in self.refuted)

    def failure_lines(self) -> list[str]:
        """One line for each refutation, with how to see it."""
        return [f"{r}; {r.reproduce}" for r in self.refuted]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; infinite errors become the text "inf"."""
        return {
            "target": self.target,
            "name": self.name,
            "verdict": self.verdict,
            "results": [_plain(asdict(r)) for r in self.results],
            "summaries": [_plain(asdict(s)) for s in self.summaries],
            "parameter_points": [dict(p) for p in self.parameter_points],
        }


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "inf"
    return value


@dataclass(frozen=True)
class Evidence:
    """Where a measurement was made and the line that repeats it; made only for the worst."""

    where: Where
    reproduce: str


@dataclass
class _Worst:
    ratio: float
    error: float
    tolerance: float
    evidence: Callable[[], Evidence]


class Ledger:
    """Collects measurements; keeps the worst per law and dtype."""

    def __init__(self) -> None:
        self._worst: dict[tuple[str, str], _Worst] = {}
        self._relative: dict[tuple[str, str], tuple[float, float, Callable[[], Where]]] = {}

    def record(
        self, law: str, dtype: str, error: float, tolerance: float, evidence: Callable[[], Evidence]
    ) -> None:
        """Note one measurement; NaN counts as infinite."""
        error = math.inf if math.isnan(error) else error
        ratio = math.inf if math.isinf(error) else _ratio(error, tolerance)
        known = self._worst.get((law, dtype))
        if known is None or ratio > known.ratio:
            self._worst[law, dtype] = _Worst(ratio, error, tolerance, evidence)

    def relative(
        self, kind: str, dtype: str, error: float, tolerance: float, where: Callable[[], Where]
    ) -> None:
        """Note a relative error for the summary; kind is `map` or `relative`."""
        known = self._relative.get((kind, dtype))
        if known is None or error > known[0]:
            self._relative[kind, dtype] = (error, tolerance, where)

    def results(self) -> tuple[LawResult, ...]:
        """The worst of each law and dtype, laws in the order of `LAWS`."""
        order = {law: i for i, law in enumerate(LAWS)}
        found = []
        for (law, dtype), worst in sorted(self._worst.items(), key=lambda x: order[x[0][0]]):
            evidence = worst.evidence()
            verdict = CONSISTENT if worst.ratio <= 1.0 else REFUTED
            found.append(
                LawResult(
                    law,
                    dtype,
                    verdict,
                    worst.error,
                    worst.tolerance,
                    evidence.where,
                    evidence.reproduce,
                )
            )
        return tuple(found)

    def summary(self, dtype: str, results: tuple[LawResult, ...]) -> DtypeSummary:
        """What one dtype came to."""
        own = [r for r in results if r.dtype == dtype]
        worst = max(own, key=lambda r: (_ratio(r.error, r.tolerance), r.verdict))
        nothing = (0.0, 0.0, lambda: Where(note="nothing inside the served window"))
        map_error, map_tolerance, map_where = self._relative.get(("map", dtype), nothing)
        error, tolerance, where = self._relative.get(("relative", dtype), nothing)
        verdict = REFUTED if any(r.verdict == REFUTED for r in own) else CONSISTENT
        return DtypeSummary(
            dtype,
            verdict,
            map_error,
            map_tolerance,
            map_where(),
            error,
            tolerance,
            where(),
            worst,
        )


class FirstRefutation(Exception):
    """What a `StoppingLedger` raises: the law and dtype of the first refutation."""

    def __init__(self, law: str, dtype: str) -> None:
        super().__init__(f"{law} ({dtype})")
        self.law, self.dtype = law, dtype


class StoppingLedger(Ledger):
    """Ends the measuring with `FirstRefutation`, where only the verdict is wanted."""

    def record(
        self, law: str, dtype: str, error: float, tolerance: float, evidence: Callable[[], Evidence]
    ) -> None:
        """Note one measurement, or raise."""
        if math.isnan(error) or math.isinf(error) or _ratio(error, tolerance) > 1.0:
            raise FirstRefutation(law, dtype)


def _ratio(error: float, tolerance: float) -> float:
    if error == 0.0:
        return 0.0
    return error / tolerance if tolerance > 0.0 else math.inf
