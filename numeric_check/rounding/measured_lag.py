"""Errors of functions of the lag measured against their bounds: `decay`, `bias` and `score_mod`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from flint import arb, fmpq

from numeric_check.kernels.kernel import Kernel
from numeric_check.reference_values.exact_number import exact_number
from numeric_check.rounding import upward
from numeric_check.rounding.blocks import BIAS, DECAY
from numeric_check.rounding.bound import KernelBound
from numeric_check.rounding.decay import exact_decay
from numeric_check.rounding.lag_forms import BiasBalls, bias_terms
from numeric_check.rounding.measurement import SLACK, Measurement, Number, standard_positions
from numeric_check.rounding.parameters import exact_values
from symbolic_pe.algebra.scalar import precision
from symbolic_pe.emit.plan import KernelPlan

BITS = 192
KEYS = (0.0, 5.0)
SCORES = (0.0, 1.0 / 3.0, -7.9, 300.5)
"""What a `score_mod` adds to, rounded to the dtype; 0 shows the bias alone."""
Exact = Callable[[int, fmpq], tuple[arb, arb]]
"""The exact value of a head at a lag, and what ε is relative to."""


def measured_lag(kernel: Kernel, plan: KernelPlan, bound: KernelBound) -> Measurement:
    """The worst of every head over lags from two positions of the key."""
    lags = standard_positions(bound.reach)
    if plan.encoding.domain.causal:
        lags = [t for t in lags if t >= 0]
    exact = functools.cache(_of_decay(plan) if bound.form == DECAY else _of_bias(plan, bound))
    worst: Measurement | None = None
    for s in KEYS:
        later = [t + s for t in lags]
        for score, found in _called(kernel, plan, bound, later, s):
            for candidate in _against(bound, (later, s), score, found, exact):
                if worst is None or candidate.ratio > worst.ratio:
                    worst = candidate
    assert worst is not None
    return worst


def _of_decay(plan: KernelPlan) -> Exact:
    rates = plan.uniform_decay or ()

    def exact(head: int, lag: fmpq) -> tuple[arb, arb]:
        value = exact_decay(rates[head], lag)
        return value, value

    return exact


def _of_bias(plan: KernelPlan, bound: KernelBound) -> Exact:
    with precision(BITS):
        heads = [BiasBalls(t) for t in bias_terms(plan, exact_values(bound.parameters))]
    return lambda head, lag: heads[head].at(lag)


def _called(
    kernel: Kernel, plan: KernelPlan, bound: KernelBound, later: Sequence[Number], s: float
) -> list[tuple[Any, Any]]:
    """What the text returns, (HEADS, lags) in float64, with the scores that it was given."""
    values = [bound.parameters[name] for name in plan.parameters]
    shape = (plan.heads, len(later))
    if bound.form in (DECAY, BIAS):
        named: dict[str, Any] = {}
        if kernel.target == "torch":
            named["dtype"] = getattr(kernel.raw("torch"), bound.dtype)
        given = (kernel.bring(np.array(x)) for x in (later, [s]))
        result = kernel.raw(bound.form)(*given, *values, **named)
        found = kernel.fetch(result).astype(np.float64).reshape(-1, len(later))
        return [(np.zeros(shape), np.broadcast_to(found, shape))]
    torch = kernel.raw("torch")
    given = (torch.tensor(x, dtype=torch.float64) for x in (list(map(float, later)), [s]))
    modify = kernel.raw("make_score_mod")(*given, *values)
    calls = []
    places = torch.arange(len(later))
    for number in SCORES:
        score = torch.full((len(later),), number, dtype=getattr(torch, bound.dtype))
        rows = [modify(score, 0, head, places, 0).double().numpy() for head in range(plan.heads)]
        calls.append((np.broadcast_to(score.double().numpy(), shape), np.stack(rows)))
    return calls


def _against(
    bound: KernelBound, places: tuple[Sequence[Number], float], score: Any, found: Any, exact: Exact
) -> list[Measurement]:
    """The worst of every head; `places` are positions of queries, and that of the key."""
    later, s = places
    worst: list[Measurement] = []
    for head in range(len(found)):
        block = bound.blocks[head]
        rows = []
        for i, t in enumerate(later):
            lag = exact_number(t) - exact_number(s)
            with precision(BITS):
                value, size = exact(head, lag)
                added = arb(exact_number(float(score[head, i])))
                computed = float(found[head, i])
                away = abs(arb(computed) - value - added)
                error = float(away) if np.isfinite(computed) else np.inf
                whole = SLACK * upward.above(size + abs(added))
            epsilon = upward.value(block.relative, upward.above(lag))
            limit = upward.plus(upward.times(epsilon, whole), block.absolute)
            rounding = 2.0**-150 * whole  # of the balls themselves
            ratio = error / limit if error > rounding and limit else float(error > rounding)
            rows.append((ratio * (1.0 if limit else np.inf) if ratio else 0.0, error, limit, t))
        ratio, error, limit, t = max(rows, key=lambda row: row[0])
        worst.append(
            Measurement(ratio, error, limit, bound.form, bound.dtype, float(t), s, head, 0, 0, ())
        )
    return worst


__all__ = ["measured_lag"]
