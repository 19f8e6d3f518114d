"""The causal sums however they are called: the same numbers, and the same refusals.

These parts of the laws `input`, `guard`, `defaults`, `surroundings`, `precision` and `gradient` are
about `recurrent_step` and `chunkwise`. What is summed is held to the laws `recurrent-form` and
`chunkwise-form`; here two calls are compared, in float64.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from numeric_check.kernels.kernel import Kernel
from numeric_check.laws.comparing import Twice, failure
from numeric_check.laws.subject import Subject
from numeric_check.reference_values.double_double import Array

CHUNKWISE, STEP = "chunkwise", "recurrent_step"
ROWS = ((0.0, 1.0, 2.5, 2.5, 4.0, 7.25, 8.0, 11.0, 11.5, 12.0, 13.0),
        (3.0, 3.5, 4.0, 6.0, 6.25, 9.0, 10.0, 10.5, 12.0, 14.0, 15.0))  # fmt: skip
"""Positions of two rows; eleven, so that chunks of 8 leave rows of 2 and 1 over."""
NEAR = (0.0, 0.25, 0.5)
"""Positions so near that what grows stays in the range of float32."""
CHUNKS = (1, 2, 3, 4, 5, 8, 16)
DISTANT = (0.0, 1.0, 2.0**30)
"""Positions so far apart that e^(a·lag) would overflow for a negative lag."""
SHORT_OF = 1.1
"""A time that float32 does not hold: it must not be rounded to it on the way."""
GROUPS, WIDTH = 3, 2
"""Second leading axis, and channels of a value."""
INTEGERS = ("int64", "uint8", "bool")
MIXED_AGREEMENT = 2.0**-18
"""Between a product in float32 and one in float64."""


@dataclass(frozen=True)
class Sequence:
    """Queries, keys (2, GROUPS, [HEADS,] n, d), values and a state of one kernel, in float64."""

    query: Array
    key: Array
    value: Array
    state: Array
    place: Array
    heads: int

    @classmethod
    def of(cls, subject: Subject) -> Sequence:
        """Random, and the same each time."""
        random = np.random.default_rng(subject.seed)
        axes = () if subject.heads == 1 else (subject.heads,)
        n, d = len(ROWS[0]), subject.dimension
        lead = (len(ROWS), GROUPS, *axes)
        query, key = random.standard_normal((2, *lead, n, d))
        value = random.standard_normal((*lead, n, WIDTH))
        state = random.standard_normal((*lead, WIDTH, d))
        place = np.array(ROWS).reshape(len(ROWS), 1, *(1 for _ in axes), n)
        return cls(query, key, value, state, place, subject.heads)

    def row(self, b: int, g: int, length: int) -> tuple[Array, ...]:
        """One row without leading axes: query, key, value, positions."""
        place = np.array(ROWS[b][:length])
        return (*(x[b, g, ..., :length, :] for x in (self.query, self.key, self.value)), place)


def offered(subject: Subject) -> bool:
    """Whether the file has the causal sums."""
    return subject.kernel.has(CHUNKWISE) and subject.kernel.has(STEP)


def decays(subject: Subject) -> bool:
    """Whether A(t − s), t ≥ s, falls at one rate, so that it can be formed at any range."""
    rates = subject.plan.uniform_decay
    causal = subject.plan.encoding.domain.causal
    return causal and rates is not None and all(a.sign() <= 0 for a in rates)


# -- input --------------------------------------------------------------------------------------


def check_form_inputs(law: Twice) -> None:
    """Leading axes, chunks, states and starts, positions and dtypes in every form."""
    if not offered(law.subject):
        return
    sequence = Sequence.of(law.subject)
    _check_axes(law, sequence)
    _check_chunks(law, sequence)
    _check_states(law, sequence)
    _check_positions(law, sequence)
    _check_dtypes(law, sequence)
    _check_steps(law, sequence)
    _check_far(law, sequence)


def _called(law: Twice, *, output: int = 0) -> Callable[..., Any]:
    """`chunkwise` of NumPy arrays, with what it returns first or second."""
    kernel, values = law.subject.kernel, law.subject.values

    def call(query: Any, key: Any, value: Any, place: Any, **named: Any) -> Any:
        arrays = (_brought(kernel, x) for x in (query, key, value, place))
        given = {name: _brought(kernel, x) for name, x in named.items()}
        return kernel.raw(CHUNKWISE)(*arrays, *values, **given)[output]

    return call


def _brought(kernel: Kernel, x: Any) -> Any:
    return kernel.bring(x) if isinstance(x, np.ndarray) else x


def _check_far(law: Twice, s: Sequence) -> None:
    """No warning in NumPy: where A decays at one rate, no exponent is positive at any range."""
    if not decays(law.subject):
        return
    call, n, place = _called(law), len(DISTANT), np.array(DISTANT)
    q, k, v = (x[..., :n, :] for x in (s.query, s.key, s.value))

    def loud(*arrays: Any) -> Any:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            return call(*arrays)

    found = law.called(f"{CHUNKWISE} at {DISTANT}, overflow raises", loud, q, k, v, place)
    law.holds(
        f"{CHUNKWISE} at {DISTANT} is finite", found is None or bool(np.isfinite(found).all())
    )


def _check_axes(law: Twice, s: Sequence) -> None:
    """No leading axes, one and two of them, queries in groups: each row as it is alone."""
    call, n = _called(law), 7
    q, k, v = (x[..., :n, :] for x in (s.query, s.key, s.value))
    place, alone = s.place[..., :n], np.array([row[:n] for row in ROWS])
    whole = _rows(law, lambda b, g: call(q[b, g], k[b, g], v[b, g], alone[b], chunk=8))
    law.same(f"{CHUNKWISE}, two leading axes", whole, _with(call, chunk=8), q, k, v, place)
    if whole is not None:
        first = q[:, 0], k[:, 0], v[:, 0], place[:, 0]
        law.same(f"{CHUNKWISE}, a batch", whole[:, 0], _with(call, chunk=2), *first)
        shared = q[0], k[0], v[0], alone[0]
        law.same(f"{CHUNKWISE}, one list of positions", whole[0], call, *shared)
    grouped = _rows(law, lambda b, g: call(q[b, g], k[b, 0], v[b, 0], alone[b]))
    given = q, k[:, :1], v[:, :1], place
    law.same(f"{CHUNKWISE}, queries that share a key", grouped, call, *given)


def _rows(law: Twice, call: Callable[[int, int], Any]) -> Array | None:
    """The results for each row of the batch and each group alone; None where one failed."""
    found = [
        [law.called("one row alone", call, b, g) for g in range(GROUPS)] for b in range(len(ROWS))
    ]
    complete = [[x for x in row if x is not None] for row in found]
    if any(len(row) < GROUPS for row in complete):
        return None
    return np.stack([np.stack(row) for row in complete])


def _with(call: Callable[..., Any], **named: Any) -> Callable[..., Any]:
    return lambda *arguments: call(*arguments, **named)


def _check_chunks(law: Twice, s: Sequence) -> None:
    """Every length in every chunk, in one call and in two."""
    full = s.row(0, 0, len(ROWS[0]))
    whole = law.called(CHUNKWISE, _called(law), *full)
    state = law.called(CHUNKWISE, _called(law, output=1), *full)
    if whole is None or state is None:
        return
    for chunk in CHUNKS:
        for length in (1, 2, 5, 8, 11):
            part, note = s.row(0, 0, length), f"{CHUNKWISE} of {length} in chunks of {chunk}"
            expected = whole[..., :length, :]
            law.same(note, expected, _with(_called(law), chunk=chunk), *part)
        law.same(
            f"{CHUNKWISE} in chunks of {chunk}, the state",
            state,
            _with(_called(law, output=1), chunk=chunk),
            *full,
        )


def _check_states(law: Twice, s: Sequence) -> None:
    """A state without a start belongs to the first position; a start without a state is nothing."""
    first = s.place[..., 0]
    arguments = s.query, s.key, s.value, s.place
    for output in (0, 1):
        call = _called(law, output=output)
        given = law.called(CHUNKWISE, _with(call, state=s.state, start=first), *arguments)
        law.same(
            f"{CHUNKWISE}, a state without a start", given, _with(call, state=s.state), *arguments
        )
        empty = law.called(CHUNKWISE, call, *arguments)
        law.same(
            f"{CHUNKWISE}, a start without a state", empty, _with(call, start=first), *arguments
        )
        before = np.full_like(first, -SHORT_OF)
        moved = law.called(CHUNKWISE, _with(call, state=s.state, start=before), *arguments)
        number = _with(call, state=s.state, start=-SHORT_OF)
        law.same(f"{CHUNKWISE}, one start for all", moved, number, *arguments)


def _check_positions(law: Twice, s: Sequence) -> None:
    """Positions as lists and integers, arrays with gaps in their memory."""
    q, k, v, _ = s.row(0, 0, 6)
    whole = np.array([0, 1, 2, 4, 8, 9])
    call = _called(law)
    expected = law.called(CHUNKWISE, call, q, k, v, whole.astype(np.float64))
    for dtype in ("int64", "int32", "uint8", "float32"):
        law.same(f"{CHUNKWISE}, positions of {dtype}", expected, call, q, k, v, whole.astype(dtype))
    if law.subject.kernel.target != "array-api":  # there, positions are arrays
        law.same(f"{CHUNKWISE}, positions as a list", expected, call, q, k, v, whole.tolist())
    kernel = law.subject.kernel
    spaced = (kernel.bring(np.repeat(x, 2, axis=-1))[..., ::2] for x in (q, k, v))
    law.same(f"{CHUNKWISE}, memory with gaps", expected, call, *spaced, whole.astype(np.float64))


def _mixtures() -> Iterator[tuple[int, ...]]:
    """Which of query, key, value, state are float64; the others are float32."""
    yield from ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (1, 1, 1, 0), (0, 0, 1, 1))


def _check_dtypes(law: Twice, s: Sequence) -> None:
    """One input of float64 is enough to compute in it; outputs are like the value.

    The numbers are those of float32, which float64 holds, so that only arithmetic differs.
    """
    arrays = (s.query, s.key, s.value, s.state)
    short = [x[0, 0, ..., : len(NEAR), :].astype(np.float32) for x in arrays]
    place, wide = np.array(NEAR), [x.astype(np.float64) for x in short]
    for name, run in ((CHUNKWISE, _chunks), (STEP, _one_step)):
        exact = _pair(law, name, run, wide, place)
        if exact is None:
            return
        for mixture in _mixtures():
            given = [w if m else x for m, w, x in zip(mixture, wide, short, strict=True)]
            note = f"{name}, float64 among (query, key, value, state) where 1: {mixture}"
            found = _pair(law, note, run, given, place)
            if found is None:
                return
            in_wide = name == STEP or any(mixture[:3])
            compute = 2.0**-40 if in_wide else MIXED_AGREEMENT
            output = compute if mixture[2] else MIXED_AGREEMENT
            law.holds(f"{note}: outputs of {found[0].dtype}", found[0].dtype == given[2].dtype)
            law.holds(f"{note}: a state of {found[1].dtype}", found[1].dtype == np.float64)
            for x, y, limit in zip(found, exact, (output, compute), strict=True):
                apart = float(np.max(np.abs(x.astype(np.float64) - y)))
                law.record(note, apart, limit * float(np.max(np.abs(y))))


Run = Callable[[Kernel, tuple[float, ...], list[Any], Any], Any]


def _chunks(kernel: Kernel, values: tuple[float, ...], x: list[Any], place: Any) -> Any:
    return kernel.raw(CHUNKWISE)(*x[:3], place, *values, state=x[3], start=place[..., 0] - NEAR[1])


def _one_step(kernel: Kernel, values: tuple[float, ...], x: list[Any], place: Any) -> Any:
    first = (y[..., 0, :] for y in x[:3])
    return kernel.raw(STEP)(x[3], *first, place[..., 1] - place[..., 0], *values)


def _pair(law: Twice, note: str, run: Run, x: list[Any], place: Array) -> tuple[Any, Any] | None:
    kernel = law.subject.kernel
    try:
        given = [kernel.bring(y) for y in x]
        found = run(kernel, law.subject.values, given, kernel.bring(place))
        return kernel.fetch(found[0]), kernel.fetch(found[1])
    except Exception as error:
        law.refute(f"{note}: raised {error}")
        return None


def _check_steps(law: Twice, s: Sequence) -> None:
    """One step with leading axes, with a lag for each row and with one for all."""
    kernel, values = law.subject.kernel, law.subject.values

    def step(output: int) -> Callable[..., Any]:
        def call(*arrays: Any) -> Any:
            return kernel.raw(STEP)(*(_brought(kernel, x) for x in arrays), *values)[output]

        return call

    x = [s.state, *(y[..., 0, :] for y in (s.query, s.key, s.value))]
    lags = s.place[..., 1] - s.place[..., 0]
    alone = lags.reshape(-1)
    for output in (0, 1):
        call = step(output)

        def one(b: int, g: int, call: Callable[..., Any] = call) -> Any:
            return call(*(y[b, g] for y in x), alone[b].reshape(()))

        whole = _rows(law, one)
        law.same(f"{STEP}, a lag for each row", whole, call, *x, lags)
        first = [y[0] for y in x]
        expected = law.called(STEP, call, *first, np.full_like(lags[0], SHORT_OF))
        one_lag = np.array(SHORT_OF) if kernel.target == "array-api" else SHORT_OF
        law.same(f"{STEP}, one lag", expected, call, *first, one_lag)


# -- what is refused, and what is taken for granted ---------------------------------------------


def check_form_guards(law: Twice) -> None:
    """Integers and truth values anywhere raise a TypeError that names their dtype."""
    subject = law.subject
    if not offered(subject):
        return
    kernel, s = subject.kernel, Sequence.of(subject)
    place = kernel.bring(np.array(ROWS[0]))
    arrays = [x[0, 0] for x in (s.query, s.key, s.value, s.state)]
    for dtype in INTEGERS:
        for wrong, name in enumerate(("query", "key", "value", "state")):
            given = [
                kernel.bring(np.ones(x.shape, dtype) if i == wrong else x)
                for i, x in enumerate(arrays)
            ]
            for called, run in ((CHUNKWISE, _chunks), (STEP, _one_step)):
                if called == STEP or name != "state":
                    error = failure(run, kernel, subject.values, given, place)
                    said = isinstance(error, TypeError) and dtype in str(error)
                    note = f"{called}, {name} of {dtype}: expected a TypeError that names {dtype}"
                    law.holds(note, said)


def check_form_defaults(law: Twice) -> None:
    """No state, no start, chunks of 64 unless something else is given."""
    if not law.subject.kernel.has(CHUNKWISE):
        return
    stated = inspect.signature(law.subject.kernel.raw(CHUNKWISE)).parameters
    for name, default in (("state", None), ("start", None), ("chunk", 64)):
        found = stated[name].default if name in stated else "nothing"
        law.holds(f"{CHUNKWISE} takes {name}={found!r}, expected {default!r}", found == default)


__all__ = ["check_form_defaults", "check_form_guards", "check_form_inputs", "offered"]
