"""Bits of two kernels compared over every combination of dtypes: what decides an edit of casts.

What a cast does to a number depends on the dtypes alone. So two texts that differ in casts only
are the same when they agree, bit for bit, for every dtype of x, of the positions and of the
parameters, on numbers that no shorter format holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np

from numeric_check.kernels.kernel import DTYPE_OF, Kernel
from symbolic_pe.emit.plan import KernelPlan

POSITION_DTYPES = ("float64", "float32", "float16", "bfloat16", "int64", "int32", "uint8")
VALUES = (0.7391, 1.2718, 0.5772, 1.6181, 1.4142)
SEED = 2026
Bits = tuple[str, tuple[int, ...], bytes]


def agree(kernel: Kernel, original: Kernel, plan: KernelPlan) -> bool:
    """Whether both return the same bits, or raise the same kind of error, in every call."""
    ours, theirs = _answers(kernel, plan), _answers(original, plan)
    return all(a == b for a, b in zip(ours, theirs, strict=True))


def _answers(kernel: Kernel, plan: KernelPlan) -> Iterator[Bits | str]:
    """One answer for every function and every combination of dtypes."""
    positions = list(_positions(kernel))
    parameters = list(_parameters(kernel, plan))
    for values in parameters:
        for place in positions:
            for x in _vectors(kernel, plan):
                for name in ("transform_query", "transform_key"):
                    yield _answer(kernel, name, x, place, *values)
                if kernel.has("rotate"):
                    yield _answer(kernel, "rotate", x, place)
                if kernel.has("rotary_table"):
                    yield from _turned(kernel, x, place)
            for other in positions:
                yield from _pairs(kernel, place, other, values)
        if kernel.has("chunkwise"):
            yield from _sums(kernel, plan, values)
        for lag in (2, 0.7391, kernel.bring(np.array(0.7391))):
            yield _answer(kernel, "operator", lag, *values)


def _turned(kernel: Kernel, x: Any, place: Any) -> Iterator[Bits | str]:
    """x turned by a table of every dtype that has a common one with that of x."""
    own = str(x.dtype).removeprefix("torch.")
    for dtype in kernel.dtypes:
        if {own, dtype} == {"bfloat16", "float16"}:
            continue
        given = kernel.bring(np.ones(1, dtype=DTYPE_OF[dtype])).dtype
        table = partial(kernel.raw("rotary_table"), place, dtype=given)
        yield _bits(kernel, lambda make=table: kernel.raw("turn")(x, make()))  # type: ignore[misc]


def _sums(kernel: Kernel, plan: KernelPlan, values: tuple[Any, ...]) -> Iterator[Bits | str]:
    """Causal sums of queries, keys, values and states of every dtype, and both that they return."""
    heads = () if plan.heads == 1 else (plan.heads,)
    random = np.random.default_rng(SEED)
    vectors = [random.standard_normal((*heads, 3, plan.dimension)) for _ in range(3)]
    state = random.standard_normal((*heads, plan.dimension, plan.dimension))
    place = kernel.bring(np.array([0.7391, 3.2718, 5.1234567]))
    for dtypes in product(kernel.dtypes, repeat=4):
        given = [
            kernel.bring(x.astype(DTYPE_OF[d]))
            for x, d in zip((*vectors, state), dtypes, strict=True)
        ]
        rows = [x[..., 0, :] for x in given[:3]]
        for call in (
            partial(kernel.raw("chunkwise"), *given[:3], place, *values, state=given[3], chunk=2),
            partial(kernel.raw("recurrent_step"), given[3], *rows, 0.7391, *values),
        ):
            for part in range(2):
                yield _bits(kernel, lambda call=call, part=part: call()[part])  # type: ignore[misc]


def _pairs(kernel: Kernel, t: Any, s: Any, values: tuple[Any, ...]) -> Iterator[Bits | str]:
    if kernel.has("decay"):
        yield _answer(kernel, "decay", t, s)
    if kernel.has("bias"):
        yield _answer(kernel, "bias", t, s)
        yield _answer(kernel, "bias", t, s, *values)
    if kernel.has("make_score_mod"):
        for own in ((), values):
            yield _score(kernel, t, s, own)


def _vectors(kernel: Kernel, plan: KernelPlan) -> Iterator[Any]:
    heads = () if plan.heads == 1 else (plan.heads,)
    drawn = np.random.default_rng(SEED).standard_normal((*heads, 3, plan.dimension))
    for dtype in kernel.dtypes:
        yield kernel.bring(drawn.astype(DTYPE_OF[dtype]))


def _positions(kernel: Kernel) -> Iterator[Any]:
    numbers = np.array([0.7391, 3.2718, 5.1234567])
    for dtype in POSITION_DTYPES:
        if dtype != "bfloat16":
            yield kernel.bring(numbers.astype(dtype))
        elif dtype in kernel.dtypes:
            yield kernel.bring(numbers.astype(ml_dtypes.bfloat16))
    yield numbers.tolist()
    yield [1, 2, 3]


def _parameters(kernel: Kernel, plan: KernelPlan) -> Iterator[tuple[Any, ...]]:
    """Numbers, and 0-d arrays of the library."""
    numbers = VALUES[: len(plan.parameters)]
    yield numbers
    if numbers:
        yield tuple(kernel.bring(np.array(v)) for v in numbers)
        yield tuple(kernel.bring(np.array(v, dtype=np.float32)) for v in numbers)
        yield tuple(range(1, len(numbers) + 1))


def _answer(kernel: Kernel, name: str, *arguments: Any, **named: Any) -> Bits | str:
    return _bits(kernel, lambda: kernel.raw(name)(*arguments, **named))


def _bits(kernel: Kernel, call: Callable[[], Any]) -> Bits | str:
    try:
        result = kernel.fetch(call())
    except Exception as error:
        return type(error).__name__
    return str(result.dtype), result.shape, result.tobytes()


def _score(kernel: Kernel, t: Any, s: Any, values: tuple[Any, ...]) -> Bits | str:
    torch = kernel.raw("torch")
    index = torch.tensor(1)

    def call() -> Any:
        modify = kernel.raw("make_score_mod")(t, s, *values)
        zero = torch.zeros((), dtype=torch.float64)
        return modify(zero, index, index * 0, index, index)

    return _bits(kernel, call)


__all__ = ["agree"]
