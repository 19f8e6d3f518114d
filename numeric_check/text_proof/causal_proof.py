"""The causal sums of a text, decided for every generator, dimension and parameter at once.

`plain_maps` and `parametric_proof` decide that the text moves vectors by F̂(t) = A(t − c)ᵀ and
Ĝ(s) = A(c − s), A(u) = exp(uX̂). The causal sums use nothing else of A but A(u)A(w) = A(u + w). So
the text of `recurrent_step` and `chunkwise` is run with its map `_transform` (or `_move`, in the
coordinates of a basis) replaced by the free map: what it does to a vector is written down as a
linear form in the symbolic positions (`free_flow`). It is decided that the results are

    S ↦ S A(lag)ᵀ + v kᵀ,   output S q
    o_i = S A(t_i − c)ᵀ q_i + Σ_{j ≤ i} (q_iᵀA(t_i − t_j)k_j) v_j,   last state likewise

for all real positions, states, inputs and every A, and that no vector is moved over a negative lag,
where A could grow although the sum does not: for the lengths, chunks and shapes of `CASES`,
with and without a batch, rows of positions, grouped queries, states handed over, and runs of up to
`LONGEST` positions. By induction over positions the step is the whole recurrence. A sequence is
taken in runs (`runs_of`), each of which hands its state to the next.

With one rate a of all channels, the text may take e^{a·lag} and the rotation apart: then
A(u) = e^{au}B(u), and the exponents are compared as well: in all, not factor by factor, so that
one of them may overflow on the way, which is measured. A difference is refuted; a text that does
something else with vectors is not decided here.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import fmpq

from numeric_check.kernels.kernel import Kernel
from numeric_check.text_proof.causal_cases import (
    CASES,
    LONGEST,
    SHAPES,
    STEPS,
    Case,
    runs_of,
    summary,
)
from numeric_check.text_proof.exact_element import LeavesTheRing
from numeric_check.text_proof.exact_engine import Engine
from numeric_check.text_proof.exact_input import Refuted, is_decided
from numeric_check.text_proof.exact_torch import ExactTorch
from numeric_check.text_proof.free_flow import COMPONENTS, Form, Pair, pairs, plus, told
from numeric_check.text_proof.free_map import Flow, FreeMap, Objects, same_objects
from numeric_check.text_proof.free_symbols import (
    KEY,
    LAG,
    QUERY,
    START,
    STATE,
    TIME,
    WIDTH,
    Axes,
    Named,
    Symbols,
)
from numeric_check.text_proof.parametric_proof import Run
from numeric_check.text_proof.plain_maps import PlainMap, decide_same
from symbolic_pe.algebra.complex_scalar import ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.emit.plan import KernelPlan


@dataclass(frozen=True)
class CausalProof:
    """What was decided of the causal sums of a text.

    executed  the functions that are decided
    summary   the lengths and chunks of `chunkwise`; empty without
    """

    executed: frozenset[str] = frozenset()
    summary: str = ""


def decide_causal(
    kernel: Kernel, run: Run, maps: Sequence[PlainMap], cases: Sequence[Case] = CASES
) -> CausalProof:
    """What is decided of the causal sums of a text; raises `Refuted` for a difference.

    maps  those of every head, where they have no parameters: then what the text does apart, with
          one rate or with a basis, is decided to be a part of them
    """
    engine, plan = run.engine, run.plan
    found = [CausalProof()]

    def decide() -> None:
        flows = tuple(_flow(plan, m) for m in maps) or (Flow(),) * plan.heads
        _decide_parts(run, maps, flows)
        names = kernel.on_library(engine.library, engine.lift, engine.functions)
        parameters = tuple(object() for _ in plan.parameters)
        found.append(_Causal(engine, names, plan, parameters, flows).decide(cases))

    offered = "recurrent_step" in run.names or "chunkwise" in run.names
    return found[-1] if offered and is_decided(decide) else CausalProof()


def _flow(plan: KernelPlan, found: PlainMap) -> Flow:
    """A(u) = exp(uK), with its rate apart where the text has that."""
    if plan.uniform_decay is None:
        return Flow(moves=bool(found.rate))
    rate = found.rate.get((0, 0), fmpq(0))
    scaled = {(i, i): rate for i in range(plan.dimension) if rate != 0}
    return Flow(Fraction(int(rate.p), int(rate.q)), found.rate != scaled)


def _decide_parts(run: Run, maps: Sequence[PlainMap], flows: Sequence[Flow]) -> None:
    """Side 0 of `_transform` is the map without e^{rate·u}; `_move` is the map without a basis."""
    if maps and flows[0].rate is not None:
        _decide_side_without_rate(run, maps, flows)
    if maps and "_move" in run.names:
        if run.names["_move"].__code__.co_argcount > len(("x", "position", "reference")):
            _decide_move(run, maps, (1,), 1)
            _decide_move(run, maps, (-1,), -1)
        else:  # K is skew: exp(uK)ᵀ = exp(−uK)
            _decide_move(run, maps, (), 1)
            _decide_move(run, maps, (), -1)


def _decide_side_without_rate(run: Run, maps: Sequence[PlainMap], flows: Sequence[Flow]) -> None:
    def turned(x: Any, position: Any, reference: Any = 0.0) -> Any:
        return run.names["_transform"](x, position, reference, 0)

    for variable, sign in (("t", 1), ("s", -1)):
        expected = []
        for m, flow in zip(maps, flows, strict=True):
            rate = -sign * (flow.rate or Fraction(0))
            scalar = Scalar.rational(fmpq(rate.numerator, rate.denominator))
            wave = ExponentialPolynomial.exponential(variable, ComplexScalar(scalar))
            matrix = m.query if sign > 0 else m.key
            expected.append({place: f * wave for place, f in matrix.items()})
        decide_same(run, turned, variable, expected, "_transform for side 0")


def _decide_move(run: Run, maps: Sequence[PlainMap], given: tuple[int, ...], side: int) -> None:
    """`_move` is exp(uK)ᵀ for side 1, exp(−uK) for side −1."""

    def moved(x: Any, position: Any, reference: Any = 0.0) -> Any:
        return run.names["_move"](x, position, reference, *given)

    expected = [
        {
            (j, i) if side > 0 else (i, j): f.compose({"t": side})
            for (i, j), f in m.exponential.items()
        }
        for m in maps
    ]
    decide_same(run, moved, "t", expected, f"_move for side {side}")


@dataclass(frozen=True)
class _Causal:
    """One text with the free map in the place of its own.

    names       those of a fresh execution, which are changed
    parameters  what stands for the parameters
    flows       what A is in every head
    taken       the lengths of the runs of the last call, as they were taken
    """

    engine: Engine
    names: dict[str, Any]
    plan: KernelPlan
    parameters: tuple[Any, ...]
    flows: tuple[Flow, ...]
    taken: list[int] = field(default_factory=list)

    @property
    def in_basis(self) -> bool:
        """Whether vectors change their coordinates before they are moved."""
        return "_move" in self.names

    @property
    def map(self) -> FreeMap:
        """What stands for the map of the text."""
        forward = not self.plan.turns_in_a_basis  # there, no lag of either sign lets A grow
        return FreeMap(self.engine, self.flows, self.parameters, self.in_basis, forward)

    @property
    def symbols(self) -> Symbols:
        """What it is given."""
        return Symbols(self.plan.heads, self.in_basis)

    def decide(self, cases: Sequence[Case]) -> CausalProof:
        """Raises `Refuted` for a difference, and whatever a text raises that does not run."""
        if "_transform" not in self.names:
            return CausalProof()
        self._decide_maps()
        self._replace()
        executed = set()
        if "recurrent_step" in self.names:
            for lead, rows in STEPS:
                self._decide_step(lead, rows)
            executed.add("recurrent_step")
        if "chunkwise" not in self.names:
            return CausalProof(frozenset(executed))
        for case in cases:
            self._decide_case(case)
            self._decide_runs(case)
        if isinstance(self.engine.library, ExactTorch):  # the branch of devices without autocast
            self.names["torch"] = ExactTorch(autocast=False)
            for case in SHAPES:
                self._decide_case(case)
        executed.add("chunkwise")
        return CausalProof(frozenset(executed), summary(cases))

    # -- the map of the text --------------------------------------------------------------------

    def _decide_maps(self) -> None:
        """transform_query is `_transform` for side 1, and transform_key for side −1."""
        x, position, reference = (object() for _ in range(3))
        found: list[tuple[Any, ...]] = []
        own = self.names["_transform"]

        def noted(*given: Any) -> Any:
            found.append(given)
            return given

        self.names["_transform"] = noted
        for name, side in (("transform_query", 1), ("transform_key", -1)):
            del found[:]
            result = self.names[name](x, position, *self.parameters, reference=reference)
            given = (x, position, reference, side, *self.parameters)
            if len(found) != 1 or result is not found[0] or not same_objects(result, given):
                raise LeavesTheRing(f"{name} is not the map that causal sums use")
        self.names["_transform"] = own

    def _replace(self) -> None:
        """Put the free map in the place of the map, and note the lengths of runs."""
        self.names["DIMENSION"] = COMPONENTS
        if self.in_basis:
            self.names["_transform"] = self.map.into_basis
            self.names["_move"] = self.map.moved
        else:
            self.names["_transform"] = self.map.moved
        within = self.names.get("_within")
        if within is not None:

            def noted(query: Any, *given: Any) -> Any:
                self.taken.append(int(query.shape[-2]))
                return within(query, *given)

            self.names["_within"] = noted

    # -- one step -------------------------------------------------------------------------------

    def _decide_step(self, lead: Axes, rows: Axes) -> None:
        """Output and state of `recurrent_step` with leading axes, and lags with some of them."""
        query, key = (self.symbols.vectors(kind, lead, ()) for kind in (QUERY, KEY))
        state, value = self.symbols.vectors(STATE, lead, (WIDTH,)), self.symbols.values(lead, ())
        lag = self.symbols.positions(LAG, rows, ())
        given = (self.engine.bring(x.elements) for x in (state, query, key, value))
        whole, where = (*lead, *self.symbols.axes), f"recurrent_step, leading axes {lead}, {rows}"
        with _said(where):
            found = self.names["recurrent_step"](*given, self._given(lag), *self.parameters)
        output = self._shaped(found[0], (*whole, WIDTH), where)
        new = self._shaped(found[1], (*whole, WIDTH, COMPONENTS), where)
        lags = np.broadcast_to(lag.names, whole)
        for place in np.ndindex(*whole):
            over: Form = ((str(lags[place]), 1),)
            for r in range(WIDTH):
                kept = self._pair(place, over, None, state.names[(*place, r)])
                added = self._pair(place, (), value.names[(*place, r)], key.names[place])
                row = (*place, r)
                self._same(f"{where}: the state S A(lag)^T + v k^T", new[row], [kept, added])
                read = [p._replace(query=query.names[place]) for p in (kept, added)]
                self._same(f"{where}: the output S q", [output[row]], read)

    # -- a sequence -----------------------------------------------------------------------------

    def _decide_case(self, case: Case) -> None:
        """Outputs and last state of `chunkwise`."""
        given = _Given.of(self.symbols, case)
        named: dict[str, Any] = {} if case.chunk is None else {"chunk": case.chunk}
        if given.state is not None:
            named["state"] = self.engine.bring(given.state.elements)
        if given.start is not None:
            named["start"] = self._given(given.start)
        arrays = (self.engine.bring(x.elements) for x in (given.query, given.key, given.value))
        del self.taken[:]
        with _said(str(case)):
            result = self.names["chunkwise"](
                *arrays, self._given(given.place), *self.parameters, **named
            )
        axes, n = self.symbols.axes, case.length
        outputs = self._shaped(result[0], (*case.lead, *axes, n, WIDTH), str(case))
        last = self._shaped(result[1], (*case.key, *axes, WIDTH, COMPONENTS), str(case))
        last = np.broadcast_to(last, (*case.lead, *axes, WIDTH, COMPONENTS))
        for place in np.ndindex(*case.lead, *axes):
            for r in range(WIDTH):
                for i in range(n):
                    asked = given.queries[(*place, i)]
                    sums = [p._replace(query=asked) for p in self._sums(given, place, i, r)]
                    what = f"{case}: output {i} of row {place}"
                    self._same(what, [outputs[(*place, i, r)]], sums)
                what = f"{case}: the state of row {place}"
                self._same(what, last[(*place, r)], self._sums(given, place, n - 1, r))

    def _sums(self, given: _Given, place: Axes, i: int, r: int) -> list[Pair]:
        """Channel r of what position i sums up: keys over lags, and what was summed before."""
        now = given.times[(*place, i)]
        found = []
        for j in range(i + 1):
            over = plus(((now, 1),), ((given.times[(*place, j)], 1),), -1)
            value, key = given.values[(*place, j, r)], given.keys[(*place, j)]
            found.append(self._pair(place, over, value, key))
        if given.state is not None:
            over = plus(((now, 1),), ((given.starts[place], 1),), -1)
            found.append(self._pair(place, over, None, given.states[(*place, r)]))
        return found

    def _decide_runs(self, case: Case) -> None:
        """The runs of a sequence are those of `runs_of`."""
        if "_within" not in self.names:
            return
        chunk = LONGEST if case.chunk is None else case.chunk
        expected = runs_of(case.length, chunk, whole=self.plan.takes_chunks_whole)
        if self.taken != expected:
            raise Refuted(f"{case}: taken in runs of {self.taken}, expected {expected}")

    # -- comparing ------------------------------------------------------------------------------

    def _pair(self, place: Axes, over: Form, value: Hashable, key: Hashable) -> Pair:
        """A(over)k, times a value."""
        flow = self.flows[place[-1] if self.plan.heads > 1 else 0]
        return Pair(flow.growth(over, 1), value, None, key, flow.moved((), over, 1))

    def _same(self, what: str, found: Sequence[Any], expected: Sequence[Pair]) -> None:
        read = pairs(found)
        if read is None:
            raise Refuted(f"{what} is no sum of vectors that are moved by the maps of the text")
        counted: dict[Pair, Any] = dict.fromkeys(expected, 1)
        if read == counted:
            return
        one, other = _by_vectors(read), _by_vectors(counted)
        for vectors in sorted(one.keys() | other.keys(), key=repr):
            a, b = one.get(vectors, {}), other.get(vectors, {})
            if a != b and len(a) <= 1:
                raise Refuted(f"{what}: {_shown(vectors)} comes {_told(a)}, expected {_told(b)}")
        raise LeavesTheRing(f"{what}: maps over several lags are added up")

    def _shaped(self, x: Any, shape: Axes, where: str) -> Objects:
        found = self.map.fetched(x)
        if found.shape != shape:
            raise Refuted(f"{where} has the shape {found.shape}, expected {shape}")
        return found

    def _given(self, named: Named) -> Any:
        """An array of positions, or the one position without axes."""
        elements = named.elements
        return elements[()] if elements.shape == () else self.engine.bring(elements)


@dataclass(frozen=True)
class _Given:
    """What one call is given, and the names of it for every row of the results."""

    symbols: Symbols
    case: Case
    query: Named
    key: Named
    value: Named
    place: Named
    state: Named | None
    start: Named | None

    @classmethod
    def of(cls, symbols: Symbols, case: Case) -> _Given:
        """Symbols of the shapes of a case."""
        n = (case.length,)
        starts = {"one": (), "each": case.rows}
        return cls(
            symbols,
            case,
            symbols.vectors(QUERY, case.query, n),
            symbols.vectors(KEY, case.key, n),
            symbols.values(case.key, n),
            symbols.positions(TIME, case.rows, n),
            symbols.vectors(STATE, case.key, (WIDTH,)) if case.state else None,
            symbols.positions(START, starts[case.start], ()) if case.start else None,
        )

    def _wide(self, names: Objects, *rows: int) -> Objects:
        return np.broadcast_to(names, (*self.case.lead, *self.symbols.axes, *rows))

    @cached_property
    def queries(self) -> Objects:
        """(lead, [HEADS,] n)."""
        return self._wide(self.query.names, self.case.length)

    @cached_property
    def keys(self) -> Objects:
        """(lead, [HEADS,] n)."""
        return self._wide(self.key.names, self.case.length)

    @cached_property
    def values(self) -> Objects:
        """(lead, [HEADS,] n, channels)."""
        return self._wide(self.value.names, self.case.length, WIDTH)

    @cached_property
    def times(self) -> Objects:
        """(lead, [HEADS,] n)."""
        return self._wide(self.place.names, self.case.length)

    @cached_property
    def starts(self) -> Objects:
        """(lead, [HEADS]): the first position unless another one is given."""
        return self.times[..., 0] if self.start is None else self._wide(self.start.names)

    @cached_property
    def states(self) -> Objects:
        """(lead, [HEADS,] channels of the value)."""
        assert self.state is not None
        return self._wide(self.state.names, WIDTH)


@contextmanager
def _said(where: str) -> Iterator[None]:
    """What is refuted on the way names the call."""
    try:
        yield
    except Refuted as found:
        raise Refuted(f"{where}: {found}") from None


Vectors = tuple[Hashable, Hashable, Hashable]
"""Value, query and key of a term."""


def _by_vectors(found: Mapping[Pair, Any]) -> dict[Vectors, dict[tuple[Form, Form], Any]]:
    """The exponents and lags with which every product comes, and how often."""
    apart: dict[Vectors, dict[tuple[Form, Form], Any]] = {}
    for p, c in found.items():
        apart.setdefault((p.value, p.query, p.key), {})[p.growth, p.form] = c
    return apart


def _shown(vectors: Vectors) -> str:
    return " ".join("_".join(map(str, name)) for name in vectors if isinstance(name, tuple))


def _told(found: Mapping[tuple[Form, Form], Any]) -> str:
    """How a product comes: `not at all`, or `once over the lag t_1 - t_0`."""
    if not found:
        return "not at all"
    ((growth, form), count), *_ = found.items()
    return f"{count} times over the lag {told(form or growth)}"


__all__ = ["CausalProof", "decide_causal"]
