"""How far a bias or a table of positions may be off, where no group stands behind it.

The text is executed on elements that model every rounding (`sized`):

    |b̂(t, s) − b(t, s)| ≤ ε(N)·S(t, s),    N the larger of |t| and |s|,    for all N ≤ reach
    |p̂(n) − p(n)| ≤ ε(|n|)·S(n)

apart from what underflow loses, for t ≥ s unless both directions are meant, and for all learned
numbers of float64. S is b with the terms of sums in absolute value, 1 + |log y| for log y, and 1
for cos and sin. b is the function of the exact constants: what those of the text are off is a part
of ε. That the text is the closed form is decided elsewhere (`text_proof.position_proof`). Where a
text compares lags or raises them to a power, the bound is about whole positions, whose differences
are exact; otherwise about all real ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from flint import arb, fmpq

from numeric_check.kernels.kernel import Kernel
from numeric_check.kernels.time_limit import time_limit
from numeric_check.reference_values.exact_number import exact_number
from numeric_check.rounding import upward
from numeric_check.rounding.blocks import BlockBound
from numeric_check.rounding.bound import COVERS_NO_MORE, KernelBound
from numeric_check.rounding.judged import HOLDS, REFUTED, UNDECIDED, DtypeBound, KernelBounds
from numeric_check.rounding.measurement import SLACK, Measurement
from numeric_check.rounding.safe import safe_within
from numeric_check.rounding.sized import Sized, SizedModel, constant, learned, place
from numeric_check.rounding.sized_array import SizedArray, SizedLibrary
from numeric_check.text_proof.exact_element import LeavesTheRing
from symbolic_pe.algebra.scalar import precision
from symbolic_pe.encodings.encoding import Domain
from symbolic_pe.encodings.outside import PositionFunction
from symbolic_pe.errors import KernelError, NotYetCovered, Undecided

BITS = 256
SECONDS = 60.0
DTYPE = "float64"
ASSUMED = (
    "executed on elements that model every rounding; assumed: rounding to nearest, cos, sin, log "
    "and powers of float64 within one unit in the last place; fused or not, any order of summation"
)
SIZES = (
    "S is the value with sums of absolute values, 1 + |log| for log and 1 for cos and sin; apart "
    "from underflow"
)
WHOLE, REAL = "whole", "real"
NEAR = (0, 1, 2, 3, 7, 8, 15, 16, 33, 100, 511, 513, 4095)
BETWEEN = (0.75, 40.625, 1 / 3, 1000.7)
DRAWN, SEED = 2, 2026
FURTHEST = 2.0**51
"""Whole positions up to here have differences that float64 holds."""
Numbers = Mapping[str, Any]


@dataclass(frozen=True)
class PositionBound:
    """ε of one text, and the positions, whole or real, that it is about."""

    error: upward.Polynomial
    reach: float
    positions: str


@dataclass(frozen=True)
class _Points:
    """Positions and learned numbers at which a text is executed."""

    positions: Sequence[float]
    learned: Numbers


def position_bound(
    kernel: Kernel, function: PositionFunction, reach: float | None = None
) -> PositionBound:
    """Bound a bias or a table of positions in float64.

    `reach` is the largest magnitude of a position: by default that of any domain, or the last
    position of a table of a declared length.

    Raises `NotYetCovered` for texts with operations that the elements do not have.
    """
    limit = _reach(function) if reach is None else reach
    points = _Points((0.0, 1.0, 2.0), function.samples)
    if function.length is not None:
        limit = min(limit, float(function.length - 1))
        points = _Points((0.0, limit), function.samples)
    reason = ""
    for positions in (REAL, WHOLE) if function.length is None else (WHOLE,):
        try:
            with time_limit(SECONDS), np.errstate(all="ignore"), precision(BITS):
                found = _executed(kernel, function, points, (limit, positions))
        except COVERS_NO_MORE as refusal:
            reason = str(refusal)
            continue
        error: upward.Polynomial = upward.NOTHING
        for x in _served(function, points, found):
            error = upward.largest(error, x.error)
        return PositionBound(upward.folded(error, limit), limit, positions)
    raise NotYetCovered(f"no rounding bound: {reason}")


def _reach(function: PositionFunction) -> float:
    if function.length is not None:
        return float(function.length - 1)
    return float(Domain().max_position)


# -- running --------------------------------------------------------------------------------------


def _executed(
    kernel: Kernel, function: PositionFunction, points: _Points, limits: tuple[float, str]
) -> Any:
    """The elements that the text returns."""
    reach, positions = limits
    model = SizedModel(reach, later=function.kind == "bias" and not function.both_directions)
    library = SizedLibrary(model)
    names = kernel.on_library(library, library.lift, library.functions)
    for name, exact in function.constants.items():
        names[name] = _constants(kernel, names, name, [x.ball({}) for x in exact], library)
    roles = ("query", "key") if function.kind == "bias" else ("",)
    given = []
    for role in roles:
        one = partial(place, whole=positions == WHOLE, role=role)
        given.append(_array(points.positions, one, model))
    for name, text in function.learned.items():
        number = partial(learned, positive="positive" in text)
        given.append(_array(points.learned[name], number, model))
    result = names[function.kind](*given)
    if not isinstance(result, SizedArray) or result.dtype.name != DTYPE:
        raise LeavesTheRing(f"the text returns no array of {DTYPE}")
    return result.data


def _constants(
    kernel: Kernel, names: Mapping[str, Any], name: str, exact: Sequence[arb], library: SizedLibrary
) -> SizedArray:
    """Those of the text, compared with the exact ones."""
    held = names.get(name)
    plain = kernel.raw(name) if held is not None else None
    if plain is None:
        raise LeavesTheRing(f"the text has no constants {name}")
    numbers = plain if isinstance(plain, list) else kernel.fetch(plain)
    flat = np.asarray(numbers, dtype=np.float64)
    if flat.shape != (len(exact),):
        raise LeavesTheRing(f"the text has {name} of shape {flat.shape}")
    data = np.empty(len(exact), dtype=object)
    data[:] = [constant(float(x), ball) for x, ball in zip(flat, exact, strict=True)]
    return SizedArray(data, DTYPE, library.model)


def _array(numbers: Any, element: Any, model: SizedModel) -> SizedArray:
    plain = _plain(list(numbers)).astype(object)
    return SizedArray(np.asarray(np.frompyfunc(element, 1, 1)(plain)), DTYPE, model)


def _served(function: PositionFunction, points: _Points, found: Any) -> Iterator[Sized]:
    for place_ in _places(function, points, found):
        yield found[place_]


def _places(function: PositionFunction, points: _Points, found: Any) -> Iterator[tuple[int, ...]]:
    """The entries that the encoding says anything of."""
    for index in np.ndindex(*found.shape):
        if function.kind == "bias" and not function.both_directions:
            t, s = (points.positions[i] for i in index[-2:])
            if t < s:
                continue
        yield index


# -- measured -------------------------------------------------------------------------------------


def measure_positions(
    kernel: Kernel, function: PositionFunction, bound: PositionBound, *, drawn: int = DRAWN
) -> Measurement:
    """The worst error against ε·S, for learned numbers of several sizes."""
    generator = np.random.default_rng(SEED)
    worst: Measurement | None = None
    for round_number in range(drawn if function.learned else 1):
        numbers = _drawn(function, generator, round_number)
        points = _Points(_positions(function, bound), numbers)
        found = _worst_at(kernel, function, bound, points)
        if worst is None or found.ratio > worst.ratio:
            worst = found
    assert worst is not None
    return worst


def _positions(function: PositionFunction, bound: PositionBound) -> list[float]:
    if function.length is not None:
        return [float(n) for n in range(function.length)]
    found = [float(n) for n in (*NEAR, 2**17 + 1, bound.reach)]
    found += BETWEEN if bound.positions == REAL else ()
    return sorted({x for x in found if x <= bound.reach})


def _drawn(function: PositionFunction, generator: Any, round_number: int) -> Numbers:
    """The samples, then numbers of the same shapes, of either sign unless they are positive."""
    if round_number == 0:
        return function.samples
    found = {}
    for name, text in function.learned.items():
        shape = np.shape(np.array(function.samples[name], dtype=object))
        sizes = np.exp(generator.uniform(-3.0, 3.0, shape))
        signs = 1.0 if "positive" in text else generator.choice([-1.0, 1.0], shape)
        found[name] = (sizes * signs).tolist()
    return found


def _worst_at(
    kernel: Kernel, function: PositionFunction, bound: PositionBound, points: _Points
) -> Measurement:
    places = np.array(points.positions, np.float64)
    given = [places, places] if function.kind == "bias" else [places]
    given += [_plain(points.learned[name]) for name in function.learned]
    values = kernel.call(function.kind, *given)
    exact_numbers = {name: _exact(points.learned[name]) for name in function.learned}
    worst: Measurement | None = None
    with precision(BITS):
        sized = _executed(kernel, function, points, (bound.reach, bound.positions))
        if values.shape != sized.shape:
            raise KernelError(f"{function.kind} returns the shape {values.shape}")
        for index in _places(function, points, sized):
            head, at = _named(function, index, points)
            exact = function.value(*at, index=head, learned=exact_numbers)
            computed = float(values[index])
            error = float(abs(arb(exact_number(computed)) - exact).upper())
            error = error if np.isfinite(computed) else np.inf
            far = max(abs(float(x.p) / float(x.q)) for x in at)
            limit = SLACK * upward.times(upward.value(bound.error, far), sized[index].size)
            below = 2.0**-200 * (1.0 + sized[index].size)
            ratio = (error / limit if limit else np.inf) if error > below else 0.0
            if worst is None or ratio > worst.ratio:
                t, s = (float(at[0].p) / float(at[0].q), float(at[-1].p) / float(at[-1].q))
                worst = Measurement(ratio, error, limit, function.kind, DTYPE, t, s, head, 0, 0, ())
    assert worst is not None
    return worst


def _named(
    function: PositionFunction, index: tuple[int, ...], points: _Points
) -> tuple[int, list[fmpq]]:
    """The head or column of an entry, and its positions."""
    if function.kind == "table":
        return index[1], [exact_number(points.positions[index[0]])]
    head = index[0] if len(index) == 3 else 0
    return head, [exact_number(points.positions[i]) for i in index[-2:]]


def _plain(numbers: Any) -> Any:
    return np.array(_floats(numbers), dtype=np.float64)


def _floats(numbers: Any) -> Any:
    if isinstance(numbers, (list, tuple)):
        return [_floats(x) for x in numbers]
    return int(numbers.p) / int(numbers.q) if isinstance(numbers, fmpq) else float(numbers)


def _exact(numbers: Any) -> Any:
    """The numbers of float64, exactly."""
    if isinstance(numbers, (list, tuple)):
        return [_exact(x) for x in numbers]
    return exact_number(_floats(numbers))


# -- judged ---------------------------------------------------------------------------------------


def judge_positions(kernel: Kernel, function: PositionFunction) -> KernelBounds:
    """Bound a text of positions and measure that its errors lie inside.

    `undecided` with the reason where the elements do not cover the text.
    """
    try:
        bound = position_bound(kernel, function)
        measured = measure_positions(kernel, function, bound)
        whole = _as_kernel_bound(function, bound)

        def again(reach: float) -> KernelBound:
            far = min(reach, FURTHEST)
            return _as_kernel_bound(function, position_bound(kernel, function, far))

        safe = safe_within(whole, None, again)
    except (NotYetCovered, Undecided, KernelError, *COVERS_NO_MORE) as error:
        return KernelBounds(UNDECIDED, str(error))
    found = {DTYPE: DtypeBound(whole, safe, measured)}
    bounds = KernelBounds(HOLDS, ASSUMED, found, law=_law(function, bound))
    return replace(bounds, verdict=REFUTED) if bounds.failures else bounds


def _as_kernel_bound(function: PositionFunction, bound: PositionBound) -> KernelBound:
    block = BlockBound(0, 0, 0, function.kind, bound.error, 0.0)
    return KernelBound(DTYPE, bound.reach, "domain", bound.error, 0.0, (block,), form=function.kind)


def _law(function: PositionFunction, bound: PositionBound) -> str:
    about = f"all {bound.positions} positions"
    if function.kind == "table":
        return f"|p - p(u)| <= eps S for {about} u; {SIZES}"
    order = "" if function.both_directions else " t >= s"
    return f"|b - b(t, s)| <= eps S for {about}{order}, |u| the larger of |t| and |s|; {SIZES}"


__all__ = ["PositionBound", "judge_positions", "measure_positions", "position_bound"]
