"""The law `surroundings`: PyTorch's default dtype and device, and the device of x."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from numeric_check.kernels.kernel import Kernel
from numeric_check.laws.bias_laws import bias_arguments
from numeric_check.laws.comparing import Twice
from numeric_check.laws.form_calls import offered
from numeric_check.laws.subject import MAPS, Subject

LAW = "surroundings"
POSITIONS = (0.0, 1.0, 2.5)
ELSEWHERE = "meta"
"""PyTorch's device without memory: it refuses to meet another one, as an accelerator would."""


def check_surroundings(subject: Subject) -> None:
    """Nothing is taken from PyTorch's defaults, and constants follow the input to its device."""
    if subject.kernel.library != "torch":
        return
    import torch

    law = Twice(subject, LAW, subject.dtypes[0])
    calls = list(_calls(subject))
    expected = []
    for _, call in calls:
        try:
            expected.append(subject.kernel.fetch(call(subject.kernel, "cpu")))
        except Exception as error:
            law.refute(f"raised {error}")
            return
    with _default_dtype(torch):
        try:
            with torch.device(ELSEWHERE):
                fresh = subject.kernel.fresh()
        except Exception as error:
            law.refute(f"imported under another default dtype and device: raised {error}")
            return
        for (name, call), value in zip(calls, expected, strict=True):
            note = f"{name} under another default dtype and device"
            law.same(note, value.astype(np.float64), call, fresh, "cpu")
    for name, call in calls:
        _check_device(law, name, call)
    _check_autocast(law)
    _check_constants(law)


@contextmanager
def _default_dtype(torch: Any) -> Iterator[None]:
    before = torch.get_default_dtype()
    try:
        torch.set_default_dtype(torch.bfloat16)
        yield
    finally:
        torch.set_default_dtype(before)


@contextmanager
def _no_autocast(torch: Any) -> Iterator[None]:
    """Devices seem to have no autocast, as some that are not here."""
    before = torch.amp.is_autocast_available
    try:
        torch.amp.is_autocast_available = lambda _: False
        yield
    finally:
        torch.amp.is_autocast_available = before


Call = Callable[[Kernel, str], Any]


def _calls(subject: Subject) -> Iterator[tuple[str, Call]]:
    """Every function of the file, with x and positions on a device."""
    import torch

    yield from _calls_with(subject, _Given.of(subject, torch.float64))


def _calls_with(subject: Subject, given: _Given) -> Iterator[tuple[str, Call]]:
    kernel = subject.kernel
    for name in MAPS.values():
        yield name, partial(given.map, name, False)
        yield f"{name}, positions on the CPU", partial(given.map, name, True)
    yield "operator", given.operator
    if kernel.has("rotate"):
        yield "rotate", given.rotate
    for name in ("bias", "decay"):
        if kernel.has(name):
            yield f"{name}, keys there", partial(given.pair, name, False)
            if kernel.target == "torch":
                yield name, partial(given.pair, name, True)
    if kernel.has("rotary_table"):
        yield "rotary_table", given.table
        yield "rotary_table, positions there", given.table_there
    if kernel.has("make_score_mod"):
        yield "make_score_mod", given.score
    if offered(subject):
        yield "chunkwise", partial(given.sums, False)
        yield "chunkwise, positions on the CPU", partial(given.sums, True)
        yield "recurrent_step", given.step
    if given.values and kernel.target == "torch":
        yield "transform_query, parameters on the CPU", given.with_parameters
    if kernel.module_classes:
        yield kernel.module_classes[0], given.module


@dataclass(frozen=True)
class _Given:
    """What the functions are called with; every method takes a kernel and a device."""

    x: Any
    place: Any
    values: tuple[float, ...]
    of_bias: tuple[float, ...]

    @classmethod
    def of(cls, subject: Subject, dtype: Any) -> _Given:
        """Random x and three positions."""
        import torch

        heads = () if subject.heads == 1 else (subject.heads,)
        shape = (*heads, len(POSITIONS), subject.dimension)
        drawn = np.random.default_rng(subject.seed).standard_normal(shape)
        own = bias_arguments(subject)
        return cls(
            torch.from_numpy(drawn).to(dtype),
            torch.from_numpy(np.array(POSITIONS)),
            subject.values,
            own,
        )

    def map(self, name: str, beside: bool, kernel: Kernel, device: str) -> Any:
        """One of the maps, positions on the CPU or there."""
        place = self.place if beside else self.place.to(device)
        return kernel.raw(name)(self.x.to(device), place, *self.values, reference=0.5)

    def operator(self, kernel: Kernel, device: str) -> Any:
        """A(τ) at a lag that is there."""
        return kernel.raw("operator")(self.place[2].to(device), *self.values)

    def with_parameters(self, kernel: Kernel, device: str) -> Any:
        """A map with parameters as tensors, which stay on the CPU."""
        import torch

        values = (torch.tensor(v, dtype=torch.float64, device="cpu") for v in self.values)
        return kernel.raw("transform_query")(self.x.to(device), self.place.to(device), *values)

    def sums(self, beside: bool, kernel: Kernel, device: str) -> Any:
        """The outputs of `chunkwise`, whose last position reads the others."""
        x = self.x.to(device)
        place = self.place if beside else self.place.to(device)
        return kernel.raw("chunkwise")(x, x, x[..., :1], place, *self.values)[0]

    def step(self, kernel: Kernel, device: str) -> Any:
        """The output of one step, with a state of one row."""
        x = self.x.to(device)
        first, state = x[..., 0, :], x[..., 1:2, :]
        return kernel.raw("recurrent_step")(state, first, first, first[..., :1], 1.0, *self.values)[
            0
        ]

    def rotate(self, kernel: Kernel, device: str) -> Any:
        """The map free of decay."""
        return kernel.raw("rotate")(self.x.to(device), self.place.to(device))

    def pair(self, name: str, beside: bool, kernel: Kernel, device: str) -> Any:
        """bias or decay, keys on the CPU or there."""
        own = self.of_bias if name == "bias" else ()
        keys = self.place if beside else self.place.to(device)
        return kernel.raw(name)(self.place.to(device), keys, *own)

    def table(self, kernel: Kernel, device: str) -> Any:
        """A table that is asked for there."""
        return _real(kernel.raw("rotary_table")(self.place, device=device))

    def table_there(self, kernel: Kernel, device: str) -> Any:
        """A table of positions that are there."""
        return _real(kernel.raw("rotary_table")(self.place.to(device)))

    def score(self, kernel: Kernel, device: str) -> Any:
        """A score that is there."""
        import torch

        score = torch.zeros((), dtype=torch.float32, device=device)
        index = torch.tensor(1, device="cpu")
        modify = kernel.raw("make_score_mod")(self.place.to(device), self.place, *self.of_bias)
        return modify(score, index, index * 0, index, index)

    def module(self, kernel: Kernel, device: str) -> Any:
        """The first result of the module."""
        made = kernel.raw(kernel.module_classes[0])(*self.values).to(device)
        x = self.x.to(device)
        return made(x, x, self.place.to(device))[0]


def _real(table: Any) -> Any:
    return table[0] if isinstance(table, tuple) else table.real


def _check_device(law: Twice, name: str, call: Call) -> None:
    try:
        found = call(law.subject.kernel, ELSEWHERE)
    except Exception as error:
        law.refute(f"{name} on another device: raised {error}")
        return
    law.holds(f"{name} of another device is on {found.device}", found.device.type == ELSEWHERE)


def _check_autocast(law: Twice) -> None:
    """The same bits under autocast, which only acts on what is shorter than float64."""
    import torch

    subject = law.subject
    for name, call in _calls_with(subject, _Given.of(subject, torch.float32)):
        expected = law.called(name, call, subject.kernel, "cpu")

        def lowered(call: Call = call) -> Any:
            with torch.autocast("cpu", dtype=torch.bfloat16):
                return call(subject.kernel, "cpu")

        def without(call: Call = call) -> Any:
            with _no_autocast(torch):
                return call(subject.kernel, "cpu")

        law.same(f"{name} under autocast", expected, lowered)
        law.same(f"{name} on a device without autocast", expected, without)


def _check_constants(law: Twice) -> None:
    """Every tensor with axes that `make_score_mod` uses is brought to a device there.

    It is indexed by numbers, which PyTorch allows between devices, but not when compiled.
    """
    kernel = law.subject.kernel
    kept = {n for n, v in kernel.constants().items() if v.ndim and kernel.target == "torch"}
    functions = [n for n in ast.parse(kernel.text).body if isinstance(n, ast.FunctionDef)]
    for function in (n for n in functions if n.name == "make_score_mod"):
        brought = {id(n) for node in ast.walk(function) for n in _excused(node)}
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and node.id in kept:
                note = f"line {node.lineno}: {node.id} is used where it is kept, on the CPU"
                law.holds(note, id(node) in brought)


def _excused(node: ast.AST) -> Iterator[ast.AST]:
    """What is an index, or the receiver of `.to(...)` or an argument of something like it."""
    if isinstance(node, ast.Subscript):
        yield from ast.walk(node.slice)
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "to"
        and (node.args or node.keywords)
    ):
        yield from ast.walk(node.func.value)


__all__ = ["check_surroundings"]
