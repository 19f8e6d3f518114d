"""Compare an emitted bias or table of positions with its exact values.

    |b̂ − b| ≤ (ROUNDINGS + PHASE·P)·2⁻⁵³·max(1, |b|),   P the largest position

in float64: P because angles and powers lose as much as their argument is large. A verdict is about
the positions that are tried: everything below `ALL_TO`, powers of two and their neighbours beyond,
some fractions, and what float16 and float32 do not hold.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from flint import arb, fmpq

from numeric_check.kernels.kernel import EmittedText, Kernel, compile_kernel
from numeric_check.laws.agreement import Agreement, Worst
from symbolic_pe.algebra.scalar import precision
from symbolic_pe.encodings.outside import Outside, PositionFunction
from symbolic_pe.errors import KernelError

ROUNDINGS = 64.0
PHASE = 8.0
UNIT = 2.0**-53
BITS = 160
ALL_TO = 17
BEYOND = (31, 32, 33, 63, 64, 65, 127, 128, 129, 512, 1000)
FURTHER = (0.75, 40.625, 2049, 2**24 + 1)
"""Tried where the positions are no rows of a table."""
POSITIONS = (*range(ALL_TO), *BEYOND)


def check_position_function(found: Outside, text: str | EmittedText) -> Agreement:
    """Run an emitted text at positions that show faults, and compare.

    Raises `KernelError` for a text that is not array arithmetic, and for a result of another shape.
    """
    function = found.function
    if function is None:
        raise KernelError(f"{found.name} has no function of positions")
    kernel = compile_kernel(text, required=("DIMENSION", "HEADS", function.kind))
    values = _values(kernel, function)
    worst = Worst()
    if not np.isfinite(values).all():
        entry = [int(i) for i in np.argwhere(~np.isfinite(values))[0]]
        worst.record(math.inf, UNIT, f"entry {entry}, which is not finite")
    with precision(BITS):
        for place, where, exact in _exact(function, values.shape):
            size = max(1.0, float(abs(exact).mid()))
            scale = ROUNDINGS + PHASE * max(abs(i) for i in _lags(function, place))
            error = abs(arb(float(values[place])) - exact)
            worst.record(float(error.mid()), scale * UNIT * size, f"at {where}")
    return worst.agreement(kernel.target, "float64")


def _values(kernel: Kernel, function: PositionFunction) -> np.ndarray[Any, Any]:
    positions = np.array(_positions(function), np.float64)
    given = [positions, positions] if function.kind == "bias" else [positions]
    values = kernel.call(function.kind, *given, *sample_arrays(function))
    n = len(positions)
    heads = (function.count,) if function.count else ()
    expected = (*heads, n, n) if function.kind == "bias" else (n, function.count)
    if values.shape != expected:
        raise KernelError(f"{function.kind} returns the shape {values.shape}, expected {expected}")
    return values


def sample_arrays(function: PositionFunction) -> list[np.ndarray[Any, Any]]:
    """The learned arrays with the numbers of the samples."""
    return [_array(function.samples[name]) for name in function.learned]


def _array(numbers: object) -> np.ndarray[Any, Any]:
    def floats(item: Any) -> Any:
        if isinstance(item, (list, tuple)):
            return [floats(x) for x in item]
        return float(fmpq(item).p) / float(fmpq(item).q)

    return np.array(floats(numbers), np.float64)


Place = tuple[int, ...]


def _exact(function: PositionFunction, shape: Place) -> Iterable[tuple[Place, str, arb]]:
    """Every entry with its place in words and exact value; of a causal bias those with t >= s."""
    positions = _positions(function)

    def reference(*place: Any) -> arb:
        *at, index = place
        given = [fmpq(*float(x).as_integer_ratio()) for x in at]
        return function.value(*given, index=index, learned=function.samples)

    for place in np.ndindex(*shape):
        if function.kind == "table":
            position, column = positions[place[0]], place[1]
            yield place, f"position {position}, column {column}", reference(position, column)
            continue
        t, s = positions[place[-2]], positions[place[-1]]
        if s <= t or function.both_directions:
            head = place[0] if len(place) == 3 else 0
            yield place, f"t = {t}, s = {s}, head {head}", reference(t, s, head)


def _lags(function: PositionFunction, place: Place) -> Iterable[float]:
    positions = _positions(function)
    return (positions[i] for i in (place[-2:] if function.kind == "bias" else place[:1]))


def _positions(function: PositionFunction) -> tuple[float, ...]:
    """Those that it serves, the last of them included."""
    if function.length is None:
        return (*POSITIONS, *FURTHER)
    last = function.length - 1
    return (*(p for p in POSITIONS if p < last), last)
