"""The recurrent and the chunkwise form of a text for its own A, executed on exact elements.

This is the second route for small kernels, and the only one for texts that move vectors in another
way than `causal_proof` knows.

The maps of the text are known to be F̂(t) = exp(tK)ᵀP̂ᵀ and Ĝ(s) = exp(−sK)Q̂ (`text_proof`), so the
score is q·P̂ exp((t − s)K) Q̂k. With lag, state, query, key and value symbolic, all channels and
heads at once, `recurrent_step` is decided to be

    S ↦ S exp(lag K)ᵀ + v (Q̂k)ᵀ,    output S P̂ᵀq

which is the whole theorem: exp((t − t′)K) exp((t′ − s)K) = exp((t − s)K), so by induction over the
positions o_t = Σ_{s ≤ t} (q·P̂ exp((t − s)K) Q̂k) v, for every length and all real positions. As a
second route, small kernels compose `STEPS` steps and compare with that sum.
`chunkwise` is decided for the lengths and chunk lengths of `CASES`, with symbolic positions,
inputs, state and start:

    o_i = S exp((t_i − c)K)ᵀ P̂ᵀq_i + Σ_{j ≤ i} (P̂ᵀq_i · exp((t_i − t_j)K) Q̂k_j) v_j

and S exp((t_n − c)K)ᵀ + Σ_j v_j (exp((t_n − t_j)K) Q̂k_j)ᵀ is the state. Other lengths run the same
statements, but are not executed: there the form is measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from numeric_check.text_proof.exact_element import Exact
from numeric_check.text_proof.exact_engine import Engine
from numeric_check.text_proof.exact_input import Refuted
from numeric_check.text_proof.exact_matrices import Constants, Matrix
from numeric_check.text_proof.parametric_proof import Run
from numeric_check.text_proof.plain_maps import PlainMap
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.emit.plan import BlockGroup, KernelPlan

Function = ExponentialPolynomial
Rational = Mapping[tuple[int, int], Exact]
"""A constant matrix."""
Objects = Any
"""An object array of exact elements."""

WIDTH = 2
"""Channels of a value: two show a state that is transposed."""
CASES: Mapping[int, tuple[tuple[int, int], ...]] = {
    16: ((4, 4), (3, 2)),
    64: ((2, 2), (2, 1)),
}
"""(length, chunk length) by the largest size, links of chains times channels, that runs them: two
levels of halves in a chunk and two chunks of different length; one level, and two chunks."""
LARGEST_STEP, WIDEST_STEP = 512, 128
"""Largest size, and channels of a head, for which a step is executed: sums over many symbols."""
STEPS = 3
"""Steps that are composed as well, for the smallest sizes."""
START = "c"


@dataclass(frozen=True)
class Forms:
    """The forms of one text, and what they are compared with.

    exponential  exp(tK) of every head, functions of `t`
    query, key   P̂ᵀ and Q̂ of every head
    """

    engine: Engine
    names: Mapping[str, Any]
    plan: KernelPlan
    exponential: tuple[Matrix, ...]
    query: tuple[Rational, ...]
    key: tuple[Rational, ...]

    @classmethod
    def of(cls, run: Run, maps: Sequence[PlainMap]) -> Forms:
        """From the maps of every head."""
        return cls(
            run.engine,
            run.names,
            run.plan,
            tuple(m.exponential for m in maps),
            tuple(_elements({(j, i): c for (i, j), c in m.start.items()}) for m in maps),
            tuple(_elements(m.end) for m in maps),
        )

    @property
    def size(self) -> int:
        """Channels of all heads, those of a chain counted once for every link."""
        links = max(g.chain_length for g in self.plan.groups if isinstance(g, BlockGroup))
        return self.plan.heads * self.plan.dimension * links

    @property
    def runs_step(self) -> bool:
        """The recurrent form is offered and small enough to be executed."""
        small = self.size <= LARGEST_STEP and self.plan.dimension <= WIDEST_STEP
        return small and "recurrent_step" in self.names

    @property
    def is_small(self) -> bool:
        """Small enough to be executed where `causal_proof` has decided everything already."""
        return self.size <= min(CASES)

    @property
    def cases(self) -> tuple[tuple[int, int], ...]:
        """Lengths and chunk lengths for which the chunkwise form is executed."""
        fitting = (cases for most, cases in CASES.items() if self.size <= most)
        return next(fitting, ()) if "chunkwise" in self.names else ()

    def decide_step(self) -> None:
        """Raises `Refuted`, or what the text raises that does not run."""
        self._hold(self._wrong_step())
        if self.is_small:
            self._hold(self._wrong_steps())

    def decide_chunks(self) -> None:
        """Likewise for the chunkwise form."""
        for length, chunk in self.cases:
            self._hold(self._wrong_chunks(length, chunk, given=True))
        for length, chunk in self.cases[-1:]:
            self._hold(self._wrong_chunks(length, chunk, given=False))

    @staticmethod
    def _hold(reason: str | None) -> None:
        if reason:
            raise Refuted(reason)

    def summary(self) -> str:
        """What was executed of the chunkwise form; empty without."""
        shown = " and ".join(f"{n} positions in chunks of {chunk}" for n, chunk in self.cases)
        return f"chunkwise is decided for {shown}, and measured for others; " if shown else ""

    # -- what the forms should return ---------------------------------------------------------

    def _wrong_step(self) -> str | None:
        state, query, key, value = (
            self._symbols(name, *shape)
            for name, shape in (
                ("S", (WIDTH, self.plan.dimension)),
                ("q", (self.plan.dimension,)),
                ("k", (self.plan.dimension,)),
                ("v", (WIDTH,)),
            )
        )
        given = (self._brought(x) for x in (state, query, key, value))
        found = self.names["recurrent_step"](*given, Exact.position("lag"))
        output, new = (self._heads(x) for x in found)
        for h in range(self.plan.heads):
            expected = np.outer(value[h], self._in_basis(self.key, h, key[h]))
            for r in range(WIDTH):
                expected[r] = expected[r] + self._moved(h, {"lag": 1}, state[h][r])
            image = expected @ self._in_basis(self.query, h, query[h])
            where = f"recurrent_step, head {h}"
            reason = _difference(new[h], expected, f"{where}: the state S A(lag)^T + v k^T")
            reason = reason or _difference(output[h], image, f"{where}: the output S q")
            if reason:
                return reason
        return None

    def _wrong_steps(self) -> str | None:
        """`STEPS` steps from an empty state, composed, against the sums over all pairs."""
        names, inputs = self._sequence(STEPS)
        zeros = np.full((self.plan.heads, WIDTH, self.plan.dimension), Exact.of(0), dtype=object)
        state, outputs = self._brought(zeros), []
        for i, name in enumerate(names):
            lag = Exact.position(name) - Exact.position(names[max(i - 1, 0)])
            given = (self._brought(x[:, i]) for x in inputs)
            output, state = self.names["recurrent_step"](state, *given, lag)
            outputs.append(self._heads(output))
        for h in range(self.plan.heads):
            expected = self._sums(h, [x[h] for x in inputs], None, names)
            found = np.stack([x[h] for x in outputs])
            where = f"{STEPS} steps of recurrent_step, head {h}"
            reason = _difference(found, expected[0], f"{where}: the outputs")
            reason = reason or _difference(
                self._heads(state)[h], expected[1], f"{where}: the state"
            )
            if reason:
                return reason
        return None

    def _sequence(self, length: int) -> tuple[list[str], list[Objects]]:
        """Names of symbolic positions; queries, keys and values there."""
        d = self.plan.dimension
        shapes = (("q", (length, d)), ("k", (length, d)), ("v", (length, WIDTH)))
        inputs = [self._symbols(name, *shape) for name, shape in shapes]
        return [f"t{i}" for i in range(length)], inputs

    def _wrong_chunks(self, length: int, chunk: int, *, given: bool) -> str | None:
        names, inputs = self._sequence(length)
        positions = np.array([Exact.position(name) for name in names], dtype=object)
        state = self._symbols("S", WIDTH, self.plan.dimension)
        before = {"state": self._brought(state), "start": Exact.position(START)} if given else {}
        found = self.names["chunkwise"](
            *(self._brought(x) for x in inputs),
            self.engine.bring(positions),
            chunk=chunk,
            **before,
        )
        outputs, last = (self._heads(x) for x in found)
        where = f"chunkwise of {length} positions in chunks of {chunk}"
        for h in range(self.plan.heads):
            rows = [x[h] for x in inputs]
            expected = self._sums(h, rows, state[h] if given else None, names)
            reason = _difference(outputs[h], expected[0], f"{where}, head {h}: the outputs")
            reason = reason or _difference(last[h], expected[1], f"{where}, head {h}: the state")
            if reason:
                return reason
        return None

    def _sums(
        self, head: int, rows: Sequence[Objects], state: Objects, names: Sequence[str]
    ) -> tuple[Objects, Objects]:
        """The causal sums over all pairs, and the last state."""
        queries = [self._in_basis(self.query, head, x) for x in rows[0]]
        keys = [self._in_basis(self.key, head, x) for x in rows[1]]
        outputs = []
        for i, name in enumerate(names):
            form = {name: 1, START: -1}
            total = np.full(WIDTH, Exact.of(0), dtype=object)
            if state is not None:
                total = state @ self._moved(head, form, queries[i], transposed=True)
            for j, other in enumerate(names[: i + 1]):
                moved = self._moved(head, {name: 1, other: -1}, keys[j]) if i > j else keys[j]
                total = total + (queries[i] @ moved) * rows[2][j]
            outputs.append(total)
        last, final = names[-1], np.full((WIDTH, self.plan.dimension), Exact.of(0), dtype=object)
        for j, other in enumerate(names):
            form = {last: 1, other: -1}
            moved = self._moved(head, form, keys[j]) if other != last else keys[j]
            final = final + np.outer(rows[2][j], moved)
        for r in range(WIDTH if state is not None else 0):
            final[r] = final[r] + self._moved(head, {last: 1, START: -1}, state[r])
        return np.stack(outputs), final

    def _moved(
        self, head: int, form: Mapping[str, int], x: Objects, *, transposed: bool = False
    ) -> Objects:
        """exp((n₁x₁ + …)K)x, or the transposed map."""
        moved = np.full(len(x), Exact.of(0), dtype=object)
        for place, f in self.exponential[head].items():
            row, column = reversed(place) if transposed else place
            moved[row] = moved[row] + Exact(f.compose(form)) * x[column]
        return moved

    def _in_basis(self, matrices: Sequence[Rational], head: int, x: Objects) -> Objects:
        """P̂ᵀx or Q̂x."""
        image = np.full(len(x), Exact.of(0), dtype=object)
        for (i, j), c in matrices[head].items():
            image[i] = image[i] + c * x[j]
        return image

    # -- arrays -------------------------------------------------------------------------------

    def _symbols(self, name: str, *shape: int) -> Objects:
        """A symbol of its own for every head and entry, (HEADS, …)."""
        whole = (self.plan.heads, *shape)
        symbols = np.empty(whole, dtype=object)
        for place in np.ndindex(*whole):
            symbol = Scalar.symbol(f"{name}_{'_'.join(map(str, place))}")
            symbols[place] = Exact(Function.constant(symbol))
        return symbols

    def _brought(self, x: Objects) -> Any:
        """(HEADS, …) as the text takes it."""
        return self.engine.bring(x[0] if self.plan.heads == 1 else x)

    def _heads(self, x: Any) -> Objects:
        found = np.asarray(self.engine.fetch(x), dtype=object)
        return found[None] if self.plan.heads == 1 else found


def _elements(matrix: Constants) -> Rational:
    return {place: Exact(Function.constant(Scalar.rational(x))) for place, x in matrix.items()}


def _difference(found: Objects, expected: Objects, what: str) -> str | None:
    """Where two arrays differ, decided entry by entry, or None."""
    if found.shape != expected.shape:
        return f"{what} has shape {found.shape}, expected {expected.shape}"
    for place, x in np.ndenumerate(found):
        if not (Exact.of(x).function - expected[place].function).vanishes():
            return f"{what} fails at {', '.join(map(str, place))}"
    return None


__all__ = ["CASES", "Forms"]
