"""The law `gradient`: PyTorch's gradients in x, positions and parameters."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from numeric_check.laws.bias_laws import bias_arguments
from numeric_check.laws.comparing import Twice
from numeric_check.laws.form_calls import DISTANT, decays, offered
from numeric_check.laws.subject import MAPS, Subject
from numeric_check.reference_values.tolerance import FORMATS, window_exponent
from symbolic_pe.emit.plan import BlockGroup

LAW = "gradient"
POSITIONS = (0.0, 2.5, 4.0)
REFERENCE = 1.0
FAR = (-200000.0, 0.0, 200000.0)
SPEED = 64.0
"""Generators with larger rates or frequencies are measured in a shorter unit of time."""
STEP = 2.0**-17
AGREEMENT = 1e-4
"""Central differences are off by STEP² and by rounding/STEP, both far below."""


def check_gradients(subject: Subject) -> None:
    """Backward passes against central differences; second derivatives are finite."""
    if subject.kernel.target != "torch":
        return
    law = Twice(subject, LAW, subject.dtypes[0])
    for name, function, arguments in _functions(subject):
        _check(law, name, function, arguments)
    if subject.kernel.has("decay"):
        _check_finite(law)
    if offered(subject) and decays(subject):
        _check_finite_sums(law)


def unit_of_time(subject: Subject) -> float:
    """1, or the power of 2 in which the largest rate or frequency is at most `SPEED`.

    Longer units would leave the range of float64, or the reach of a difference of `STEP`.
    """
    speed = subject.largest_rate
    for group in subject.plan.groups:
        if isinstance(group, BlockGroup):
            rows = (*group.frequency.rows, *group.shear.rows)
            speed = max([speed, *(abs(subject.exact.scalar(x)) for row in rows for x in row)])
        else:
            speed = max(speed, math.sqrt(abs(subject.exact.scalar(group.discriminant))))
    return 2.0 ** -max(0, math.ceil(math.log2(speed / SPEED))) if speed > SPEED else 1.0


def _functions(subject: Subject) -> Iterator[tuple[str, Callable[..., Any], tuple[Any, ...]]]:
    """Each function of float64 numbers, with the arguments that have gradients."""
    import torch

    heads = () if subject.heads == 1 else (subject.heads,)
    drawn = np.random.default_rng(subject.seed).standard_normal(
        (*heads, len(POSITIONS), subject.dimension)
    )
    x, place = torch.from_numpy(drawn), torch.from_numpy(np.array(POSITIONS))
    values = tuple(torch.tensor(v, dtype=torch.float64) for v in subject.values)
    kernel, unit = subject.kernel, unit_of_time(subject)
    for name in MAPS.values():
        yield (
            name,
            lambda a, p, *v, n=name: kernel.raw(n)(a, p * unit, *v, reference=REFERENCE * unit),
            (x, place, *values),
        )
    lag = torch.tensor(1.5, dtype=torch.float64)
    yield "operator", lambda u, *v: kernel.raw("operator")(u * unit, *v), (lag, *values)
    if kernel.has("rotate"):
        yield "rotate", lambda a, p: kernel.raw("rotate")(a, p * unit), (x, place)
    if offered(subject):
        yield from _sums(subject, drawn, place, values)
    for name in ("bias", "decay"):
        if kernel.has(name):
            own = values if name == "bias" and bias_arguments(subject) else ()
            function = kernel.raw(name)
            yield (
                name,
                lambda t, s, *v, f=function: f(t * unit, s * unit, *v, dtype=torch.float64),
                (place + 0.25, place[:2], *own),
            )
    if kernel.has("make_score_mod"):
        own = values if bias_arguments(subject) else ()
        yield (
            "score_mod",
            lambda t, s, *v: _score(kernel.raw("make_score_mod")(t * unit, s * unit, *v)),
            (place, place[:2], *own),
        )


def _sums(
    subject: Subject, drawn: Any, place: Any, values: tuple[Any, ...]
) -> Iterator[tuple[str, Callable[..., Any], tuple[Any, ...]]]:
    """The outputs of the causal sums, with a state that is handed over."""
    import torch

    x, kernel, unit = torch.from_numpy(drawn), subject.kernel, unit_of_time(subject)
    state, value = x[..., :1, :] + 1.0, x[..., :1] - 1.0

    def chunks(q: Any, k: Any, v: Any, s: Any, p: Any, *parameters: Any) -> Any:
        return kernel.raw("chunkwise")(q, k, v, p * unit, *parameters, state=s, chunk=2)[0]

    def step(q: Any, k: Any, v: Any, s: Any, lag: Any, *parameters: Any) -> Any:
        first = (y[..., 0, :] for y in (q, k, v))
        return kernel.raw("recurrent_step")(s, *first, lag * unit, *parameters)[0]

    yield "chunkwise", chunks, (x, x.flip(-2), value, state, place, *values)
    lag = torch.tensor(0.75, dtype=torch.float64)
    yield "recurrent_step", step, (x, x.flip(-2), value, state, lag, *values)


def _score(modify: Callable[..., Any]) -> Any:
    import torch

    zero, one = torch.tensor(0), torch.tensor(1)
    return modify(torch.zeros((), dtype=torch.float64), zero, zero, one + 1, one)


def _check(law: Twice, name: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """One random direction for every argument, and the same in the backward pass."""
    import torch

    generator = torch.Generator().manual_seed(law.subject.seed)
    given = [a.clone().requires_grad_() for a in arguments]
    try:
        result = function(*given)
        weights = torch.randn(result.shape, generator=generator, dtype=torch.float64)
        total = (result * weights).sum()
        if not total.requires_grad:
            found: list[Any] = [None] * len(given)
        else:
            found = list(torch.autograd.grad(total, given, create_graph=True, allow_unused=True))
    except Exception as error:
        law.refute(f"{name}: raised {error}")
        return
    for i, (argument, gradient) in enumerate(zip(arguments, found, strict=True)):
        direction = torch.randn(argument.shape, generator=generator, dtype=torch.float64)
        ends = []
        for sign in (1.0, -1.0):
            moved = [a + sign * STEP * direction if j == i else a for j, a in enumerate(arguments)]
            with torch.no_grad():
                ends.append(float((function(*moved) * weights).sum()))
        expected = (ends[0] - ends[1]) / (2 * STEP)
        slope = 0.0 if gradient is None else float((gradient.detach() * direction).sum())
        size = abs(expected) + float(total.detach().abs()) + 1.0
        note = f"gradient of {name} in argument {i} is {slope!r}, differences give {expected!r}"
        law.record(note, abs(slope - expected), AGREEMENT * size)
    _check_twice(law, name, given, found)


def _check_twice(law: Twice, name: str, given: list[Any], found: list[Any]) -> None:
    """Second derivatives are finite."""
    import torch

    smooth = [g.square().sum() for g in found if g is not None and g.requires_grad]
    if not smooth:
        return
    second = torch.autograd.grad(sum(smooth), given, allow_unused=True)
    finite = all(bool(torch.isfinite(g).all()) for g in second if g is not None)
    law.holds(f"second derivatives of {name} are not finite", finite)


def _check_finite(law: Twice) -> None:
    """decay far before and far after: no infinity times zero in the backward pass.

    Where e^{a·lag} itself leaves the range, on causal lags for growth and before t = s on a domain
    that is not causal, positions are so near that it does not.
    """
    import torch

    rates = [rate.to_float() for rate in law.subject.plan.uniform_decay or ()]
    causal = law.subject.plan.encoding.domain.causal
    growing = max([0.0, *(rate if causal else abs(rate) for rate in rates)])
    reach = window_exponent(FORMATS["float64"]) / (FAR[-1] - FAR[0])
    near = min(1.0, reach / growing) if growing else 1.0
    place = torch.tensor(FAR, dtype=torch.float64).mul(near).requires_grad_()
    kernel = law.subject.kernel
    try:
        kernel.raw("decay")(place, place.detach()).sum().backward()
        finite = bool(torch.isfinite(place.grad).all())
    except Exception as error:
        law.refute(f"decay: raised {error}")
        return
    law.holds("gradients of decay far apart are not finite", finite)


def _check_finite_sums(law: Twice) -> None:
    """Chunkwise sums of positions far apart: what is masked out is not infinite before."""
    import torch

    heads = () if law.subject.heads == 1 else (law.subject.heads,)
    ones = torch.ones(*heads, len(DISTANT), law.subject.dimension, dtype=torch.float64)
    given = [ones.clone().requires_grad_() for _ in range(3)]
    place = torch.tensor(DISTANT, dtype=torch.float64).requires_grad_()
    try:
        outputs, state = law.subject.kernel.raw("chunkwise")(*given, place)
        (outputs.sum() + state.sum()).backward()
        finite = all(bool(torch.isfinite(x.grad).all()) for x in [*given, place])
    except Exception as error:
        law.refute(f"chunkwise: raised {error}")
        return
    law.holds("gradients of chunkwise far apart are not finite", finite)


__all__ = ["check_gradients"]
