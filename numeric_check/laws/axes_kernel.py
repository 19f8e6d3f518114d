"""Compare an emitted kernel of several axes with the exact exponential of its generators.

    |(F̂(p) − F(p))x| ≤ (ROUNDINGS·u + PHASE·2⁻⁵³·Σ|pᵢ|·maxⱼ|θᵢⱼ|)·|x|

for unit vectors x, with u the unit roundoff of the dtype, and that of float32 added where sums are
made in it. The same bound, twice and times |F(p)||G(p′)|, holds for F(p)ᵀG(p′) against A(p − p′);
with a basis P, |P||P⁻¹| times. Where something decays, positions are tried up to GROWTH/rate, and
where something shears, up to SHEARED/|N|. A verdict is about the positions that are tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from flint import arb, arb_mat, fmpq

from numeric_check.kernels.kernel import DTYPE_OF, EmittedText, Kernel, compile_kernel
from numeric_check.laws.agreement import Agreement, Worst
from symbolic_pe.algebra.matrix import ScalarMatrix
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.emit.axes import AxesPlan
from symbolic_pe.encodings.axes import SeveralAxes
from symbolic_pe.jordan.components import connected_components

Array = npt.NDArray[np.float64]

REQUIRED = ("DIMENSION", "HEADS", "transform_query", "transform_key", "operator")
ROUNDINGS = 8.0
PHASE = 8.0
GROWTH, SHEARED = 5.0, 8.0
BITS = 160
UNIT = {"float64": 2.0**-53, "float32": 2.0**-24, "bfloat16": 2.0**-8, "float16": 2.0**-11}
STEPS = (0.0, 1.0, 0.5, -3.0, 419.0, 65536.0, 131071.0)


def positions_of(axes: int) -> list[tuple[float, ...]]:
    """Each step along each axis alone, all axes at once, and different steps on each."""
    found: list[tuple[float, ...]] = []
    for index, step in enumerate(STEPS):
        for axis in range(axes):
            found.append(tuple(step if i == axis else 0.0 for i in range(axes)))
        found.append((step,) * axes)
        found.append(tuple(STEPS[(index + i) % len(STEPS)] for i in range(axes)))
    return list(dict.fromkeys(found))


def check_axes_kernel(plan: AxesPlan, text: str | EmittedText) -> list[Agreement]:
    """Run an emitted text in every dtype and compare its maps, its scores and its operator.

    Raises `KernelError` for a text that is not array arithmetic, or lacks a function.
    """
    kernel = compile_kernel(text, required=REQUIRED)
    places = _within_range(plan, positions_of(len(plan.rates)))
    operators = {p: exact_operator(plan.encoding, p) for p in _differences(places)}
    return [_in_dtype(plan, kernel, dtype, places, operators) for dtype in kernel.dtypes]


def _within_range(plan: AxesPlan, places: Sequence[tuple[float, ...]]) -> list[tuple[float, ...]]:
    """Positions at which no factor of one side is too large; scaled down, not left out."""
    rates = [_largest([row]) for row in plan.rates]
    shears = [_largest(m) for m in plan.shears]
    kept = []
    for place in places:
        scale = 1.0
        for sizes, most in ((rates, GROWTH), (shears, SHEARED)):
            grown = sum(abs(p) * a for p, a in zip(place, sizes, strict=False))
            scale = min(scale, most / grown) if grown else scale
        kept.append(tuple(p * scale for p in place))
    return list(dict.fromkeys(kept))


def _differences(places: Sequence[tuple[float, ...]]) -> Iterator[tuple[float, ...]]:
    """The positions, their neighbours' differences, and 0."""
    yield (0.0,) * len(places[0])
    yield from places
    for p, q in _pairs(places):
        yield _minus(p, q)


def _pairs(
    places: Sequence[tuple[float, ...]],
) -> Iterator[tuple[tuple[float, ...], tuple[float, ...]]]:
    half = len(places) // 2
    return zip(places, [*places[half:], *places[:half]], strict=True)


def _minus(p: tuple[float, ...], q: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(x - y for x, y in zip(p, q, strict=True))


def exact_operator(found: SeveralAxes, lag: Sequence[float]) -> Array:
    """A(p) = exp(Σ pᵢXᵢ), correct to binary64, through balls on the parts that do not couple."""
    n = found.dimension
    matrices = [g.matrix for g in found.axes]
    result = np.zeros((n, n))
    coupled = [
        [next((m[i][j] for m in matrices if not m[i][j].is_zero()), matrices[0][i][j])
         for j in range(n)] for i in range(n)
    ]  # fmt: skip
    with precision(BITS):
        weights = [arb(fmpq(*float(p).as_integer_ratio())) for p in lag]
        weighted = list(zip(weights, matrices, strict=True))
        for channels in connected_components(tuple(map(tuple, coupled))):
            part = arb_mat(
                [
                    [sum((w * m[i][j].ball({}) for w, m in weighted), arb(0)) for j in channels]
                    for i in channels
                ]
            ).exp()
            for a, i in enumerate(channels):
                for b, j in enumerate(channels):
                    result[i, j] = float(part[a, b])
    return result


def _in_dtype(
    plan: AxesPlan,
    kernel: Kernel,
    dtype: str,
    places: Sequence[tuple[float, ...]],
    operators: dict[tuple[float, ...], Array],
) -> Agreement:
    found = plan.encoding
    identity = np.eye(found.dimension).astype(DTYPE_OF[dtype])
    unit = UNIT[dtype] + (0.0 if dtype == "float64" else UNIT["float32"])
    speeds = _speeds(plan)
    spread = 1.0 if plan.bases is None else _norm(plan.bases[0]) * _norm(plan.bases[1])

    def tolerance(*lags: Sequence[float]) -> float:
        turned = sum(abs(x) * s for p in lags for x, s in zip(p, speeds, strict=True))
        return len(lags) * ROUNDINGS * unit + PHASE * UNIT["float64"] * turned

    def image(name: str, p: tuple[float, ...], *reference: float) -> Array:
        rows = kernel.call(name, identity, np.array([p]), *map(np.asarray, reference))
        return np.asarray(rows, np.float64).T

    ones = (1.0,) * len(found.axes)
    worst = Worst()

    def record(computed: Array, exact: Array, allowed: float, where: str) -> None:
        worst.record(float(np.linalg.norm(computed - exact, axis=0).max()), allowed, where)

    for p, q in _pairs(places):
        query, key = image("transform_query", p), image("transform_key", q)
        exact = operators[_minus(p, q)]
        sizes = np.linalg.norm(query, axis=0), np.linalg.norm(key, axis=0)
        room = max(spread, float(sizes[0].max() * sizes[1].max()))
        record(query.T @ key, exact, room * tolerance(p, q), f"score at p = {p}, p' = {q}")
        if not plan.turns_only:
            moved = image("transform_query", p, 1.0), image("transform_key", q, 1.0)
            room *= float(np.linalg.norm(moved[0]) * np.linalg.norm(moved[1]))
            where = f"score at p = {p}, p' = {q}, reference 1"
            record(moved[0].T @ moved[1], exact, room * tolerance(p, q, ones), where)
        elif plan.one_map:
            off = np.abs(sizes[0] - 1)[None, :]
            record(off, np.zeros_like(off), tolerance(p), f"norms at p = {p}")
    for p in places:
        if all(x.is_integer() for x in p):
            rows = kernel.call("transform_query", identity, np.array([p], np.int64))
            same = np.asarray(rows, np.float64).T
            size = max(spread, float(np.linalg.norm(same, axis=0).max()))
            record(image("transform_query", p), same, size * tolerance(p), f"integers p = {p}")
        if dtype == "float64":
            computed = np.asarray(kernel.call("operator", np.array(p)), np.float64)
            room = spread * max(1.0, float(np.linalg.norm(operators[p], axis=0).max()))
            record(computed, operators[p], room * tolerance(p), f"operator at p = {p}")
    return worst.agreement(kernel.target, dtype)


def _speeds(plan: AxesPlan) -> list[float]:
    """The largest entry of every generator, also in the coordinates of the basis."""
    return [
        max(
            _largest(generator.matrix),
            _largest([plan.frequencies[axis], plan.rates[axis]]),
            _largest(plan.shears[axis]) if plan.shears else 0.0,
        )
        for axis, generator in enumerate(plan.encoding.axes)
    ]


def _largest(matrix: Sequence[Sequence[Scalar]]) -> float:
    return max((abs(x.to_float()) for row in matrix for x in row), default=0.0)


def _norm(matrix: ScalarMatrix) -> float:
    return float(np.linalg.norm([[x.to_float() for x in row] for row in matrix], ord=2))
