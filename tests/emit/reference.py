"""An independent reference, exp(τX) by ball arithmetic from the matrix X; running emitted text."""

from __future__ import annotations

import sys
import types
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import torch
from flint import arb, arb_mat, ctx, fmpq

from symbolic_pe.algebra.matrix import ScalarMatrix
from symbolic_pe.emit.plan import plan_kernel
from symbolic_pe.emit.source import EmittedKernel, digest_of_body, emit
from symbolic_pe.encodings.encoding import Encoding
from tests.emit.by_hand import ENCODINGS

BITS = 4000  # exp of a matrix with large entries loses many
TARGETS = ("numpy", "torch")
NO_CERTIFICATE = "sha256:" + "0" * 64
BOTH = [(name, target) for name in ENCODINGS for target in TARGETS]

# What float64 angles and products may lose, relative to ‖F(t)q‖·‖G(s)k‖ for |angle| < 2¹³.
ROUNDING = 2.0**-36


def emitted(encoding: Encoding, target: str, command: str | None = None) -> EmittedKernel:
    return emit(
        plan_kernel(encoding),
        target,
        command=command or f"symbolic-pe build {encoding.name}.toml --target {target}",
        certificate_digest=NO_CERTIFICATE,
    )


def run(text: str) -> types.ModuleType:
    """Execute a text as a module that torch.compile can find by its name."""
    name = f"emitted_{digest_of_body(text)[7:23]}"
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(text, f"{name}.py", "exec"), module.__dict__)
    return module


@cache
def built(name: str) -> Encoding:
    return ENCODINGS[name]()


@cache
def source(name: str, target: str) -> EmittedKernel:
    return emitted(built(name), target)


@cache
def kernel(name: str, target: str) -> types.ModuleType:
    return run(source(name, target).text)


def values_of(encoding: Encoding) -> dict[str, fmpq]:
    """A value for every parameter, in the order of the arguments."""
    return {p: fmpq(7 + 3 * i, 11 + i) for i, p in enumerate(sorted(encoding.parameters))}


def arguments_of(encoding: Encoding) -> list[float]:
    return [int(v.p) / int(v.q) for v in values_of(encoding).values()]


def exact(x: float | fmpq) -> fmpq:
    return x if isinstance(x, fmpq) else fmpq(*float(x).as_integer_ratio())


def exponential(
    encoding: Encoding, lag: float, values: Mapping[str, Any] | None = None
) -> np.ndarray:
    """A(lag), to the last bit of float64: (d, d), or (heads, d, d)."""
    chosen = values_of(encoding) if values is None else values
    known = {p: arb(exact(v)) for p, v in chosen.items()}
    found = [_exponential(head.generator.matrix, exact(lag), known) for head in encoding.heads]
    return np.array(found if len(found) > 1 else found[0])


def _exponential(matrix: ScalarMatrix, lag: fmpq, known: Mapping[str, arb]) -> list[list[float]]:
    before, ctx.prec = ctx.prec, BITS
    try:
        n = len(matrix)
        entries = [arb(lag) * x.ball(known) for row in matrix for x in row]
        result = arb_mat(n, n, entries).exp()
        return [[float(result[i, j].mid()) for j in range(n)] for i in range(n)]
    finally:
        ctx.prec = before


def bias_of(encoding: Encoding, lag: float) -> np.ndarray:
    """bias(lag): (), or (heads,)."""
    before, ctx.prec = ctx.prec, BITS
    try:
        found = []
        for head in encoding.heads:
            assert head.augmentation is not None
            known = {p: arb(v) for p, v in values_of(encoding).items()}
            value = head.augmentation.bias.ball({"t": arb(exact(lag))}, known)
            found.append(float(value.real.mid()))
        return np.array(found if len(found) > 1 else found[0])
    finally:
        ctx.prec = before


def expected_scores(
    encoding: Encoding, q: np.ndarray, k: np.ndarray, t: Sequence[float], s: Sequence[float]
) -> np.ndarray:
    """qᵀA(t − s)k + bias(t − s), for q (…, n, d) and k (…, m, d)."""
    result = np.zeros((*q.shape[:-1], len(s)))
    for i, ti in enumerate(t):
        for j, sj in enumerate(s):
            lag = float(exact(ti) - exact(sj))
            a = exponential(encoding, lag)
            result[..., i, j] = np.einsum("...a,...ab,...b->...", q[..., i, :], a, k[..., j, :])
            if encoding.augmentation is not None:
                result[..., i, j] += bias_of(encoding, lag)
    return result


def vectors(encoding: Encoding, n: int, seed: int, *leading: int) -> np.ndarray:
    heads = (len(encoding.heads),) if len(encoding.heads) > 1 else ()
    shape = (*leading, *heads, n, encoding.dimension)
    return np.random.default_rng(seed).standard_normal(shape)


def call(target: str, function: Any, *arguments: Any, **named: Any) -> np.ndarray:
    """Call with arrays as the target's, and return a NumPy array."""
    if target == "torch":
        arguments = tuple(torch.as_tensor(a) if isinstance(a, np.ndarray) else a for a in arguments)
    elif target == "array-api":  # numbers are arrays of no axes
        arguments = tuple(np.asarray(a) for a in arguments)
    result = function(*arguments, **named)
    return np.asarray(result.detach() if isinstance(result, torch.Tensor) else result)


def grows(encoding: Encoding) -> bool:
    """Whether exp(τX) has real exponents or powers of τ: then positions must stay small."""
    plan = plan_kernel(encoding)
    return bool(plan.parameters) or any(
        getattr(g, "kind", "") not in ("constant", "rotate") for g in plan.groups
    )
