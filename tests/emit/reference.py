"""An independent reference: exp(τX) by ball arithmetic from the matrix X, and running emitted text."""

from __future__ import annotations

import types
from collections.abc import Mapping
from functools import cache

import numpy as np
from flint import arb, arb_mat, ctx, fmpq

from symbolic_pe.emit.plan import plan_kernel
from symbolic_pe.emit.source import EmittedKernel, emit
from symbolic_pe.encodings.encoding import Encoding

BITS = 400


def emitted(encoding: Encoding, target: str) -> EmittedKernel:
    return emit(
        plan_kernel(encoding),
        target,
        command=f"symbolic-pe build {encoding.name}.toml --target {target}",
        certificate_digest="sha256:" + "0" * 64,
    )


def run(text: str) -> types.ModuleType:
    module = types.ModuleType("emitted")
    exec(compile(text, "emitted.py", "exec"), module.__dict__)
    return module


def values_of(encoding: Encoding) -> dict[str, fmpq]:
    """A value for every parameter, in the order of the arguments."""
    return {p: fmpq(7 + 3 * i, 11 + i) for i, p in enumerate(sorted(encoding.parameters))}


def arguments_of(encoding: Encoding) -> list[float]:
    return [int(v.p) / int(v.q) for v in values_of(encoding).values()]


def exponential(
    encoding: Encoding, lag: float, values: Mapping[str, fmpq] | None = None
) -> np.ndarray:
    """A(lag) of every head, to the last bit of float64: (heads, d, d)."""
    known = {p: arb(v) for p, v in (values_of(encoding) if values is None else values).items()}
    return np.array([_exponential(head.generator.matrix, lag, known) for head in encoding.heads])


def _exponential(matrix, lag: float, known: Mapping[str, arb]) -> list[list[float]]:
    before, ctx.prec = ctx.prec, BITS
    try:
        n = len(matrix)
        x = arb_mat(n, n, [arb(fmpq(*lag.as_integer_ratio())) * e.ball(known) for r in matrix for e in r])
        result = x.exp()
        return [[float(result[i, j].mid()) for j in range(n)] for i in range(n)]
    finally:
        ctx.prec = before


def bias_of(encoding: Encoding, lag: float) -> np.ndarray:
    """bias(lag) of every head, from the closed form, by balls."""
    before, ctx.prec = ctx.prec, BITS
    try:
        point = {"t": arb(fmpq(*lag.as_integer_ratio()))}
        return np.array([float(h.augmentation.bias.ball(point).real.mid()) for h in encoding.heads])
    finally:
        ctx.prec = before


@cache
def kernel(name: str, target: str) -> tuple[Encoding, EmittedKernel, types.ModuleType]:
    from tests.emit.by_hand import ENCODINGS

    encoding = ENCODINGS[name]()
    source = emitted(encoding, target)
    return encoding, source, run(source.text)
