"""Deciding mutants of kernels of several axes, and of biases and tables of positions.

As in `judge`, with what `symbolic-pe check` refutes these with: exact values, exact execution, the
bound of the original. The shapes that users bring are tried as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np

from numeric_check.kernels.edited_text import same_code, undecided_edits
from numeric_check.kernels.kernel import DTYPE_OF, Kernel, compile_kernel, describe, parse_header
from numeric_check.kernels.time_limit import time_limit
from numeric_check.laws.axes_kernel import REQUIRED, check_axes_kernel
from numeric_check.laws.position_function import check_position_function, sample_arrays
from numeric_check.mutation.equivalence.casts import without_casts
from numeric_check.mutation.equivalence.reasons import TREES, coefficients_of, same_constants
from numeric_check.mutation.equivalence.same_arrays import same_but_devices
from numeric_check.mutation.judge import (
    ALL_CALLS,
    BOUND,
    EQUIVALENT,
    LAW,
    NOT_A_KERNEL,
    SURVIVOR,
    TEXT,
    Decision,
    installed_libraries,
)
from numeric_check.reference_values.tolerance import DTYPES
from numeric_check.rounding import KernelBounds, judge_axes
from numeric_check.rounding.axes import rays_of
from numeric_check.rounding.axes_ray import RayKernel
from numeric_check.text_proof.prove import TextProof, prove_text
from symbolic_pe.emit.axes import AxesPlan
from symbolic_pe.encodings.outside import Outside, PositionFunction
from symbolic_pe.errors import KernelError

SLACK = 1.0 + 2.0**-20


@dataclass
class PositionsJudge:
    """Decides the mutants of one kernel."""

    text: str
    plan: AxesPlan | Outside

    def __post_init__(self) -> None:
        standard = parse_header(self.text).get("target") == "array-api"
        self.libraries = installed_libraries() if standard else (None,)
        self.originals = [self._compiled(self.text, x) for x in self.libraries]
        self.proof = self._proved(self.originals[0])
        self.bounds = self._bounded(self.originals[0])
        self.rays = []
        if isinstance(self.plan, AxesPlan) and self.bounds.verdict == "holds":
            for ray in rays_of(self.originals[0], self.plan):
                self.rays.append((ray, [ray.bound(d) for d in self.originals[0].dtypes]))
        self.answers = [list(self._answers(k)) for k in self.originals]

    def decide(self, text: str) -> Decision:
        """Cheapest first: compile, measure, execute exactly, bound, compare.

        What a part of the check raises by mistake makes a survivor that says so.
        """
        try:
            with time_limit(ALL_CALLS):
                return self._decided(text)
        except Exception as error:
            return Decision(SURVIVOR, f"the check raised {describe(error)}")

    def _decided(self, text: str) -> Decision:
        try:
            kernels = [self._compiled(text, x) for x in self.libraries]
        except KernelError as error:
            return Decision(NOT_A_KERNEL, str(error))
        try:
            with np.errstate(all="ignore"):
                for kernel, answers in zip(kernels, self.answers, strict=True):
                    for (name, known), (_, found) in zip(
                        answers, self._answers(kernel), strict=True
                    ):
                        if found.shape != known.shape or found.dtype != known.dtype:
                            return Decision(LAW, f"shape and dtype ({name})")
                        if not np.allclose(found, known, 0.1, 0.1, equal_nan=True):
                            return Decision(LAW, f"values ({name})")
                for line in self._measured(text):
                    return Decision(LAW, f"exact values ({line})")
        except KernelError as error:
            return Decision(LAW, f"runs ({error})")
        proof = self._proved(kernels[0])
        if proof.verdict == "refuted":
            return Decision(TEXT, proof.reason)
        beyond = self._beyond(kernels[0])
        if beyond:
            return Decision(BOUND, beyond)
        found_bounds = self._bounded(kernels[0])
        reason = self._equivalent(kernels[0], proof, found_bounds)
        return Decision(EQUIVALENT, reason) if reason else Decision(SURVIVOR)

    # -- parts ------------------------------------------------------------------------------------

    def _compiled(self, text: str, library: str | None) -> Kernel:
        required: tuple[str, ...] = REQUIRED
        if isinstance(self.plan, Outside):
            assert self.plan.function is not None
            required = ("DIMENSION", "HEADS", self.plan.function.kind)
        return compile_kernel(text, module="kernel", library=library, required=required)

    def _proved(self, kernel: Kernel) -> TextProof:
        if isinstance(self.plan, AxesPlan):
            return prove_text(kernel, self.plan)
        assert self.plan.function is not None
        return prove_text(kernel, self.plan.function)

    def _bounded(self, kernel: Kernel) -> KernelBounds:
        if isinstance(self.plan, AxesPlan):
            return judge_axes(kernel, self.plan)
        return KernelBounds("undecided", "not bounded")

    def _beyond(self, kernel: Kernel) -> str:
        """Where the measured error leaves the bound of the original; empty where nowhere."""
        if not isinstance(self.plan, AxesPlan):
            return ""
        for ray, bounds in self.rays:
            along = RayKernel.of(kernel, self.plan, ray.kernel.weights)
            for bound in bounds:
                found = ray.measured(along, bound)
                if found.ratio > 1.0:
                    return str(found)
        return ""

    def _measured(self, text: str) -> Iterator[str]:
        """Lines of the comparisons with exact values that refute."""
        checks = (
            check_axes_kernel(self.plan, text)
            if isinstance(self.plan, AxesPlan)
            else [check_position_function(self.plan, text)]
        )
        return (c.line() for c in checks if c.verdict == "refuted")

    def _answers(self, kernel: Kernel) -> Iterator[tuple[str, Any]]:
        """What users' shapes give: batches of positions, integers, every dtype, no positions."""
        if isinstance(self.plan, AxesPlan):
            yield from _answers_of_axes(kernel, self.plan)
            return
        function = self.plan.function
        assert function is not None
        learned = sample_arrays(function)
        last = 5 if function.length is None else min(5, function.length - 1)
        for places in (np.arange(last), np.arange(3, dtype=np.float32), np.arange(0)):
            given = [places, places[:2]] if function.kind == "bias" else [places]
            yield f"positions {places.dtype}", kernel.call(function.kind, *given, *learned)
            if function.length is None and len(places) > 3:
                what = "positions on another device"
                yield what, _on_no_device(kernel, function.kind, *given, *learned)

    def _equivalent(self, kernel: Kernel, proof: TextProof, bounds: KernelBounds) -> str:
        """Why this text is the same as the original; empty where that is not decided."""
        original = self.originals[0]
        if same_code(kernel.text, original.text):
            return "same code"
        for reason, decide in TREES.items():
            if decide(kernel.text, original.text):
                return reason
        if same_but_devices(kernel.text, original.text):
            return "same devices"
        if same_constants(kernel, original):
            return "same constants"
        if isinstance(self.plan, Outside):
            reason = self._same_bits(kernel, proof)
            if reason:
                return reason
        if proof.verdict != "proved" or proof.executed != self.proof.executed:
            return ""
        if without_casts(kernel.text) == without_casts(original.text) and self._no_larger(bounds):
            return "no larger errors"
        edits = undecided_edits(kernel.text, original.text, proof.executed)
        if edits and all("adds the index" in x for x in edits) and self._same_answers(kernel):
            return "same rows"
        if undecided_edits(kernel.text, original.text, proof.executed):
            return ""
        return "same text proof" if self._no_larger(bounds) else ""

    def _same_answers(self, kernel: Kernel) -> bool:
        """Whether both texts return the same bits for every shape and dtype that is tried."""
        pairs = zip(self.answers[0], self._answers(kernel), strict=True)
        return all(np.array_equal(known, found) for (_, known), (_, found) in pairs)

    def _same_bits(self, kernel: Kernel, proof: TextProof) -> str:
        """Why a bias or a table that returns the same bits at all that is tried is the same."""
        assert isinstance(self.plan, Outside)
        function = self.plan.function
        assert function is not None
        original = self.originals[0]
        if not all(
            _same(kernel, original, function, places) for places in _kinds_of_positions(function)
        ):
            return ""
        if function.length is not None:
            return "same at every position"
        if without_casts(kernel.text) == without_casts(original.text):
            return "same promotion"
        edits = undecided_edits(kernel.text, original.text, proof.executed)
        if proof.verdict == "proved" and all("adds the index" in x for x in edits):
            return "same rows"
        return ""

    def _no_larger(self, bounds: KernelBounds) -> bool:
        """Whether no rounding bound is larger than that of the original."""
        if self.bounds.verdict != "holds":
            return bounds.verdict == self.bounds.verdict
        if bounds.verdict != "holds":
            return False
        found, known = (tuple(d.bound for d in b.dtypes.values()) for b in (bounds, self.bounds))
        return all(a <= SLACK * b for a, b in coefficients_of(found, known))


def _kinds_of_positions(function: PositionFunction) -> Iterator[Any]:
    """Positions of every dtype and of many lengths; all positions of a table of rows."""
    if function.length is not None:
        rows: tuple[Any, ...] = (np.int64, np.int32, np.float64, np.float32)
        for dtype in rows:
            yield np.arange(function.length).astype(dtype)
        return
    kinds: tuple[Any, ...] = (np.int64, np.int32, np.float16, np.float32, np.float64)
    for dtype in kinds:
        whole = np.issubdtype(dtype, np.integer)
        for count in (0, 1, 2, 7, 33):
            yield (np.arange(count) * (1 if whole else 1.25)).astype(dtype)


def _same(kernel: Kernel, original: Kernel, function: PositionFunction, places: Any) -> bool:
    given = [places, places] if function.kind == "bias" else [places]
    arrays = [*given, *sample_arrays(function)]
    one, other = (k.call(function.kind, *arrays) for k in (kernel, original))
    return bool(
        one.shape == other.shape and one.dtype == other.dtype and np.array_equal(one, other, True)
    )


def _on_no_device(kernel: Kernel, function: str, *arrays: Any) -> Any:
    """The device and shape of a result where every array is on PyTorch's `meta`.

    A constant that stays on another device raises, unless it is an index.
    """
    if kernel.library != "torch":
        return np.zeros(0)
    given = [kernel.bring(np.asarray(x)).to("meta") for x in arrays]
    try:
        with one_device():
            found = kernel.raw(function)(*given)
        return np.array([str(found.device) == "meta", *found.shape])
    except Exception as error:
        raise KernelError(f"{function} on another device raised {describe(error)}") from None


def one_device() -> AbstractContextManager[Any]:
    """Operations between arrays of two devices raise, as they do where both are real."""
    from torch import Tensor
    from torch.utils._python_dispatch import TorchDispatchMode

    class OneDevice(TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            tensors = [x for x in args if isinstance(x, Tensor) and x.ndim]
            moves = any(word in str(func) for word in ("copy", "index", "select_backward"))
            if len({str(x.device) for x in tensors}) > 1 and not moves:
                raise RuntimeError(f"{func} of arrays on two devices")
            return func(*args, **(kwargs or {}))

    return OneDevice()


def _answers_of_axes(kernel: Kernel, plan: AxesPlan) -> Iterator[tuple[str, Any]]:
    axes, d = len(plan.encoding.axes), plan.encoding.dimension
    drawn = np.random.default_rng(3)
    wide = drawn.standard_normal((2, 3, 4, d))
    place = drawn.integers(-3, 4, (4, axes))
    batch = drawn.integers(-3, 4, (2, 1, 4, axes)).astype(np.float64)
    for name in ("transform_query", "transform_key"):
        for dtype in DTYPES:
            x = wide.astype(DTYPE_OF[dtype])
            yield f"{name} {dtype}", kernel.call(name, x, place)
            yield f"{name} {dtype}, batches", kernel.call(name, x, batch)
        yield f"{name}, no positions", kernel.call(name, wide[:, :, :0], place[:0])
        yield f"{name}, one position", kernel.call(name, wide[:, :, :1], place[:1])
        if not plan.turns_only:
            near = np.full(axes, 1.5)
            yield f"{name}, reference", kernel.call(name, wide, place, near)
    for name in ("transform_query", "transform_key"):
        yield f"{name} on another device", _on_no_device(kernel, name, wide, batch)
    yield "operator on another device", _on_no_device(kernel, "operator", batch[0, 0, 0])
    yield "operator", kernel.call("operator", place[0].astype(np.float64))


__all__ = ["PositionsJudge"]
