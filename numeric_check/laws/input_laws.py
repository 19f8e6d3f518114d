"""The law `input`: the same positions and the same x, however they come, give the same numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from numeric_check.kernels.kernel import AnyArray
from numeric_check.laws.bias_laws import bias_arguments
from numeric_check.laws.comparing import Twice
from numeric_check.laws.form_calls import check_form_inputs
from numeric_check.laws.guard_laws import is_identity
from numeric_check.laws.subject import MAPS, Subject
from numeric_check.reference_values.tolerance import FORMATS

Number = int | float
LAW = "input"
WHOLE: tuple[Number, ...] = (0, 3, 1, 16)
"""Whole positions that every dtype holds."""
REAL: tuple[Number, ...] = (0.1, 12.3, 7.7)
REFERENCE = 0.3
INTEGERS = ("int64", "int32", "int16", "uint8")
SHORT = ("float32", "float16", "bfloat16")
LARGE: Mapping[str, int] = {
    "int64": (1 << 20) - 1,
    "int32": (1 << 20) - 1,
    "int16": 20_001,
    "uint8": 200,
    "float32": (1 << 20) - 1,
    "float16": 40_000,
    "bfloat16": 1 << 17,
}
"""A large position that each dtype holds exactly."""
LONG = (70001.0, 5.0)
"""A lag that float16 does not hold."""
ROUNDED = 1.0 + 2.0**-10
"""One rounding to a short format, of what is rounded in a wider one."""
FAR = 65536.0
"""Positions far from 0 and near each other: taken in a short format, their lag is lost."""
OFFSETS, KEY = (0.3, 0.0, 1.1), 0.2
FAR_AGREEMENT = 2.0**-30
"""Positions of FAR lose 16 bits of float64 in their lag."""


def check_inputs(subject: Subject) -> None:
    """Positions as numbers, lists and arrays of any dtype; x in any memory, of any length."""
    law = Twice(subject, LAW, subject.dtypes[0])
    for name in MAPS.values():
        _check_positions(law, name)
        _check_memory(law, name)
        _check_lengths(law, name)
        x = subject.kernel.bring(_vectors(subject, len(REAL)))
        _check_parameters(law, name, x, _brought(subject, REAL))
    if subject.kernel.has("rotate"):
        _check_positions(law, "rotate")
    if subject.kernel.has("turn_into"):
        _check_turns(law)
    for name in ("bias", "decay"):
        if subject.kernel.has(name):
            _check_pair(law, name)
    if subject.kernel.has("decay"):
        _check_overflow(law)
    if subject.kernel.has("bias"):
        _check_parameters(law, "bias", _brought(subject, REAL), _brought(subject, REAL))
    if subject.kernel.has("make_score_mod"):
        _check_scores(law)
    if subject.kernel.module_classes:
        _check_module(law)
    check_form_inputs(law)


def _called(subject: Subject, name: str, reference: float = REFERENCE) -> Callable[[Any, Any], Any]:
    values = () if name == "rotate" else subject.values
    named = {} if name == "rotate" else {"reference": reference}
    return lambda x, place: subject.kernel.raw(name)(x, place, *values, **named)


def _vectors(subject: Subject, *leading: int) -> AnyArray:
    heads = () if subject.heads == 1 else (subject.heads,)
    shape = (*leading[:-1], *heads, leading[-1], subject.dimension)
    drawn: AnyArray = np.random.default_rng(subject.seed).standard_normal(shape)
    return drawn


def _check_positions(law: Twice, name: str) -> None:
    subject = law.subject
    bring, call = subject.kernel.bring, _called(subject, name)
    for positions in (WHOLE, REAL):
        x = bring(_vectors(subject, len(positions)))
        place = bring(np.array(positions, dtype=np.float64))
        expected = law.called(name, call, x, place)
        for note, form in _forms(subject, positions):
            law.same(f"{name}, positions as {note}", expected, call, x, form)
    x = bring(_vectors(subject, 1))
    for note, form, large in _large(subject):
        expected = law.called(name, call, x, bring(np.array([float(large)])))
        law.same(f"{name}, the position {large} as {note}", expected, call, x, form)
    if subject.heads == 1:
        x = _vectors(subject, 1)
        rows = law.called(name, call, bring(x), bring(np.array([7.3])))
        one = None if rows is None else rows[0]
        law.same(f"{name} of one vector", one, call, bring(x[0]), bring(np.array(7.3)))
    if name == "rotate":
        return
    x = bring(_vectors(subject, 3))
    for number in (7, 7.3):
        expected = law.called(name, call, x, bring(np.full(3, float(number))))
        law.same(f"{name}, position as a number", expected, call, x, number)
        law.same(f"{name}, position without axes", expected, call, x, bring(np.array(number)))


def _check_parameters(law: Twice, name: str, *given: Any) -> None:
    """Parameters as numbers and as arrays without axes, of every dtype that holds them."""
    subject = law.subject
    function = subject.kernel.raw(name)
    for dtype, kind in _kinds(subject, SHORT if subject.values else ()):
        short = [np.array(v).astype(kind) for v in subject.values]
        expected = law.called(name, function, *given, *map(float, short))
        arrays = [subject.kernel.bring(v) for v in short]
        law.same(f"{name}, parameters in {dtype}", expected, function, *given, *arrays)


def _forms(subject: Subject, positions: Sequence[Number]) -> Iterator[tuple[str, Any]]:
    """The same positions in other clothes."""
    yield "a list", list(positions)
    if any(isinstance(p, float) for p in positions):
        return
    for dtype, kind in _kinds(subject, (*INTEGERS, *SHORT)):
        yield dtype, subject.kernel.bring(np.array(positions).astype(kind))


def _large(subject: Subject) -> Iterator[tuple[str, Any, int]]:
    """A position near the end of what a dtype holds, as that dtype."""
    limit = subject.plan.encoding.domain.max_position
    for dtype, kind in _kinds(subject, LARGE):
        if LARGE[dtype] <= limit:
            large = np.array([LARGE[dtype]]).astype(kind)
            yield dtype, subject.kernel.bring(large), LARGE[dtype]


def _kinds(subject: Subject, names: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Dtypes for NumPy by their names; bfloat16 where the kernel takes it."""
    for name in names:
        if name != "bfloat16":
            yield name, name
        elif name in subject.kernel.dtypes:
            yield name, ml_dtypes.bfloat16


def _check_memory(law: Twice, name: str) -> None:
    """x whose memory has gaps or is in another order, and nested lists for NumPy."""
    subject = law.subject
    bring, call = subject.kernel.bring, _called(subject, name)
    place = bring(np.array(WHOLE, dtype=np.float64))
    x = _vectors(subject, 2, len(WHOLE))
    expected = law.called(name, call, bring(x), place)
    for note, strides in _strides(x.shape):
        given = _laid_out(bring, x, strides)
        law.same(f"{name}, x with strides {note}", expected, call, given, place)
    if subject.kernel.target == "numpy" and not is_identity(subject):
        law.same(f"{name}, x as nested lists", expected, call, x.tolist(), place)
    one = x[:1]
    expected = law.called(name, call, bring(np.broadcast_to(one, x.shape)), place)
    given = _repeated(bring(one), x.shape)
    law.same(f"{name}, x repeated without memory of its own", expected, call, given, place)


def _check_turns(law: Twice) -> None:
    """turn and turn_into of a batch, into other memory and into x itself."""
    subject = law.subject
    kernel, place = subject.kernel, _brought(subject, REAL)
    x = _vectors(subject, 2, 3, len(REAL))
    map_ = MAPS["query"]
    expected = law.called(map_, _called(subject, map_), kernel.bring(x), place)

    def table(x: Any) -> Any:
        return kernel.raw("rotary_table")(place, REFERENCE, dtype=x.dtype)

    def turned(x: Any) -> Any:
        return kernel.raw("turn")(x, table(x))

    def written(x: Any) -> Any:
        return kernel.raw("turn_into")(0 * x, x, table(x))

    def in_place(x: Any) -> Any:
        return kernel.raw("turn_into")(x, x, table(x))

    law.same("turn of a batch", expected, turned, kernel.bring(x))
    law.same("turn_into of a batch", expected, written, kernel.bring(x))
    law.same("turn_into of a batch, in place", expected, in_place, kernel.bring(x))


def _strides(shape: tuple[int, ...]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Steps between neighbours along every axis, in entries."""
    yield "of 2 on channels", tuple(2 * s for s in _dense(shape, shape[-1]))
    for gap in (1, 2, 3):
        row = shape[-1] + gap
        steps = _dense(shape, row)
        yield f"of rows {row}", steps
        odd = (steps[0] | 1, *steps[1:])
        yield f"of rows {row}, of the batch {odd[0]}", odd
    turned = _dense(shape[::-1], shape[0])[::-1]  # the first axis is dense, as after a transpose
    yield "in reverse order", turned


def _dense(shape: tuple[int, ...], row: int) -> tuple[int, ...]:
    """Steps of memory in order, with rows that are `row` apart."""
    steps = [1, row]
    for size in reversed(shape[1:-1]):
        steps.append(steps[-1] * size)
    return tuple(reversed(steps[: len(shape)]))


def _laid_out(bring: Callable[[AnyArray], Any], x: AnyArray, strides: tuple[int, ...]) -> Any:
    """x in memory with these steps between neighbours."""
    size = 1 + sum((n - 1) * s for n, s in zip(x.shape, strides, strict=True))
    memory = bring(np.zeros(size))
    if hasattr(memory, "as_strided"):
        view = memory.as_strided(x.shape, strides)
        view.copy_(bring(x))
        return view
    view = np.lib.stride_tricks.as_strided(memory, x.shape, [8 * s for s in strides])
    view[...] = x
    return view


def _repeated(x: Any, shape: tuple[int, ...]) -> Any:
    return x.expand(*shape) if hasattr(x, "expand") else np.broadcast_to(x, shape)


def _check_lengths(law: Twice, name: str) -> None:
    """No positions, one position, no batch, and one position at a time as with a cache."""
    subject = law.subject
    bring, call = subject.kernel.bring, _called(subject, name)
    x, place = _vectors(subject, 2, len(REAL)), np.array(REAL)
    expected = law.called(name, call, bring(x), bring(place))
    if expected is None:
        return
    empty = slice(0)
    law.same(f"{name}, no batch", expected[empty], call, bring(x[empty]), bring(place))
    parts = [slice(0), slice(1), *(slice(i, i + 1) for i in range(len(REAL)))]
    for part in parts:
        note = f"{name}, positions {part.start or 0} to {part.stop} alone"
        given = bring(x[..., part, :]), bring(place[part])
        law.same(note, expected[..., part, :], call, *given)


def _check_pair(law: Twice, name: str) -> None:
    """Lists, short formats, far positions near each other, rows of positions for a batch."""
    subject = law.subject
    kernel = subject.kernel
    values = bias_arguments(subject) if name == "bias" else ()
    named = {"dtype": kernel.raw("torch").float64} if kernel.target == "torch" else {}
    later, earlier = REAL, (0.2, 7.1)

    def call(t: Any, s: Any) -> Any:
        return kernel.raw(name)(t, s, *values, **named)

    t, s = _brought(subject, later), _brought(subject, earlier)
    expected = law.called(name, call, t, s)
    lists = kernel.target != "array-api"  # there, positions are arrays
    if lists:
        law.same(f"{name} of lists", expected, call, list(later), list(earlier))
        law.same(f"{name} of a list and an array", expected, call, list(later), s)
        law.same(f"{name} of an array and a list", expected, call, t, list(earlier))
    whole = law.called(name, call, _brought(subject, WHOLE), _brought(subject, WHOLE))
    for note, form in _forms(subject, WHOLE):
        if lists or not isinstance(form, list):
            law.same(f"{name} of {note}", whole, call, form, form)
    zero = _brought(subject, (0.0,))
    for note, form, large in _large(subject):
        known = law.called(name, call, _brought(subject, (float(large),)), zero)
        law.same(f"{name} of {large} as {note}", known, call, form, zero)
    _check_short_results(law, name, values)
    near = law.called(name, call, _brought(subject, OFFSETS), _brought(subject, (KEY,)))
    far = _brought(subject, [FAR + o for o in OFFSETS]), _brought(subject, [FAR + KEY])
    law.same(f"{name} at {FAR:g}", near, call, *far, agreement=FAR_AGREEMENT)
    if expected is not None:
        rows = [_rows(subject, positions) for positions in (later, earlier)]
        both = np.stack([expected, expected])
        law.same(f"{name} with positions for each row of a batch", both, call, *rows)


def _check_overflow(law: Twice) -> None:
    """On a causal domain no exponent is positive where A decays: nothing overflows on the way."""
    plan, kernel = law.subject.plan, law.subject.kernel
    falls = all(rate.to_float() <= 0.0 for rate in plan.uniform_decay or ())
    if not (falls and plan.encoding.domain.causal):
        return
    limit = plan.encoding.domain.max_position
    query, key = (_brought(law.subject, (float(p),)) for p in (0, limit))

    def loud() -> Any:
        with np.errstate(over="raise", invalid="raise"):
            return kernel.raw("decay")(query, key)

    law.called(f"decay(0, {limit}), overflow raises", loud)


def _check_short_results(law: Twice, name: str, values: Sequence[Any]) -> None:
    """A result in a short format is that of float64, rounded, at lags that the format lacks."""
    subject = law.subject
    kernel = subject.kernel
    if kernel.target != "torch":
        return
    torch = kernel.raw("torch")
    t, s = _brought(subject, LONG), _brought(subject, (0.0, 3.0))
    exact = law.called(name, lambda: kernel.raw(name)(t, s, *values, dtype=torch.float64))
    for dtype in SHORT:
        kind = getattr(torch, dtype)
        found = law.called(name, lambda kind=kind: kernel.raw(name)(t, s, *values, dtype=kind))
        _record_rounded(law, f"{name} in {dtype}", found, exact, dtype)


def _record_rounded(
    law: Twice, note: str, found: AnyArray | None, exact: AnyArray | None, dtype: str
) -> None:
    """Whether numbers are those of float64, rounded to a short format."""
    if found is None or exact is None:
        return
    format_ = FORMATS[dtype]
    inside = np.abs(exact) <= format_.largest
    allowed = ROUNDED * format_.unit_roundoff * np.abs(exact) + format_.smallest_normal
    with np.errstate(invalid="ignore"):
        kept = np.abs(found - exact) <= allowed
    law.holds(f"{note} is not that of float64, rounded", bool(np.all(kept | ~inside)))


def _brought(subject: Subject, positions: Sequence[Number]) -> Any:
    return subject.kernel.bring(np.array(positions, dtype=np.float64))


def _rows(subject: Subject, positions: Sequence[Number]) -> Any:
    """(2, [1,] n): the positions, and all of them one later."""
    both = np.stack([np.array(positions), np.array(positions) + 1.0])
    return subject.kernel.bring(both if subject.heads == 1 else both[:, None])


def _check_module(law: Twice) -> None:
    """The module takes positions as lists."""
    subject = law.subject
    kernel = subject.kernel
    made = kernel.raw(kernel.module_classes[0])(*subject.values)
    x = kernel.bring(_vectors(subject, len(REAL)))
    for side in range(2):

        def call(place: Any, side: int = side) -> Any:
            return made(x, x, place)[side]

        expected = law.called("forward", call, _brought(subject, REAL))
        law.same("forward, positions as a list", expected, call, list(REAL))


def _check_scores(law: Twice) -> None:
    """make_score_mod takes positions in every form, and loses no lag far away."""
    subject = law.subject
    kernel = subject.kernel
    values = bias_arguments(subject)
    torch = kernel.raw("torch")

    def scores(t: Any, s: Any) -> Any:
        modify = kernel.raw("make_score_mod")(t, s, *values)
        zero = torch.zeros((), dtype=torch.float64)
        index = [torch.tensor(i) for i in range(3)]
        return torch.stack([modify(zero, index[0], index[0], i, index[0]) for i in index])

    t, s = _brought(subject, REAL), _brought(subject, (0.2,))
    expected = law.called("score_mod", scores, t, s)
    law.same("score_mod of lists", expected, scores, list(REAL), [0.2])
    law.same("score_mod of a list and an array", expected, scores, list(REAL), s)
    law.same("score_mod of an array and a list", expected, scores, t, [0.2])
    whole = law.called("score_mod", scores, _brought(subject, WHOLE), _brought(subject, (0.0,)))
    for note, form in _forms(subject, WHOLE):
        law.same(f"score_mod of {note}", whole, scores, form, form)

    def added(dtype: str) -> Any:
        modify = kernel.raw("make_score_mod")(*long, *values)
        zero = torch.zeros((), dtype=getattr(torch, dtype))
        return modify(zero, *[torch.tensor(0)] * 4).to(torch.float64)

    long = _brought(subject, LONG[:1]), _brought(subject, (0.0,))
    exact = law.called("score_mod", added, "float64")
    for dtype in SHORT:
        found = law.called("score_mod", added, dtype)
        _record_rounded(law, f"score_mod of a score in {dtype}", found, exact, dtype)
    near = law.called("score_mod", scores, _brought(subject, OFFSETS), _brought(subject, (KEY,)))
    far = _brought(subject, [FAR + o for o in OFFSETS]), _brought(subject, [FAR + KEY])
    law.same(f"score_mod at {FAR:g}", near, scores, *far, agreement=FAR_AGREEMENT)


__all__ = ["check_inputs"]
