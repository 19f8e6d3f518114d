"""The texts of causal sums on elements that know their error relative to sums of magnitudes.

The map of the text is replaced by one that is off by what `sum_maps` found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from numeric_check.kernels.kernel import Kernel
from numeric_check.rounding.distinct import distinct_of, each
from numeric_check.rounding.element import Rounded, displacement
from numeric_check.rounding.library import LIBRARIES, RoundingLibrary
from numeric_check.rounding.majorant import LINEAR
from numeric_check.rounding.sum_maps import MapErrors, takes_side
from numeric_check.rounding.sums import CHANNELS, PLACE, SumModel, both, carries_data
from numeric_check.text_proof.exact_element import LeavesTheRing
from symbolic_pe.emit.plan import KernelPlan

STEP, CHUNKED = "recurrent_step", "chunkwise"


@dataclass(frozen=True)
class SumText:
    """One text for query, key and value of a dtype, computed in another one."""

    kernel: Kernel
    plan: KernelPlan
    dtype: str
    inner: str
    errors: MapErrors

    @cached_property
    def model(self) -> SumModel:
        """Arithmetic for lags up to the reach of the maps."""
        rates = self.plan.uniform_decay or ()
        return SumModel(
            self.errors.reach, later=True, rates=tuple(rates), channels=self.plan.dimension
        )

    @cached_property
    def library(self) -> RoundingLibrary:
        """The array library of the text."""
        return LIBRARIES[self.kernel.target](self.model)

    @cached_property
    def names(self) -> dict[str, Any]:
        """Those of a fresh execution, with the map replaced."""
        names = self.kernel.on_library(self.library, self.library.lift, self.library.functions)
        if "_transform" not in names:
            raise LeavesTheRing("the text has no map of its own")
        names["DIMENSION"] = CHANNELS
        if self.errors.into:
            sided = takes_side(names["_move"])
            names["_transform"] = self._into
            names["_move"] = self._moved if sided else self._moved_either_way
        else:
            names["_transform"] = self._moved
        return names

    @property
    def lead(self) -> tuple[int, ...]:
        """The axis of heads, where there is one."""
        return (self.plan.heads,) if self.plan.heads > 1 else ()

    def given(self, shape: Sequence[int], dtype: str, error: float = 0.0) -> Any:
        """An array of numbers of which nothing is known but their error."""
        return self._array(self.model.data(error, dtype), (*self.lead, *shape), dtype)

    def _array(self, element: Rounded, shape: Sequence[int], dtype: str = "float64") -> Any:
        data = np.empty(tuple(shape), dtype=object)
        data[...] = element
        return self.library.array_of(data, dtype)

    @property
    def _parameters(self) -> list[Any]:
        return [self._array(displacement(), ()) for _ in self.plan.parameters]

    # -- both forms -------------------------------------------------------------------------------

    def step(self, before: float) -> tuple[float, float]:
        """Errors of the new state and of the output, for a state that is off by `before`."""
        output, state = self.names[STEP](
            self.given((1, CHANNELS), self.inner, before),
            self.given((CHANNELS,), self.dtype),
            self.given((CHANNELS,), self.dtype),
            self.given((1,), self.dtype),
            self._array(displacement(), ()),
            *self._parameters,
        )
        return self._read(STEP, output, (1,), state)

    def run(self, length: int, chunk: int, before: float | None) -> tuple[float, float]:
        """The same of `chunkwise` for one run, after a state that is off, or without a state."""
        named: dict[str, Any] = {}
        if before is not None:
            named["state"] = self.given((1, CHANNELS), self.inner, before)
            named["start"] = self._array(PLACE, ())
        output, state = self.names[CHUNKED](
            self.given((length, CHANNELS), self.dtype),
            self.given((length, CHANNELS), self.dtype),
            self.given((length, 1), self.dtype),
            self._array(PLACE, (length,)),
            *self._parameters,
            chunk=chunk,
            **named,
        )
        return self._read(CHUNKED, output, (length, 1), state)

    def _read(
        self, name: str, output: Any, shape: tuple[int, ...], state: Any
    ) -> tuple[float, float]:
        if (output.dtype.name, state.dtype.name) != (self.dtype, self.inner):
            raise LeavesTheRing(f"{name} returns {output.dtype.name} and {state.dtype.name}")
        expected = (*self.lead, *shape), (*self.lead, 1, CHANNELS)
        if (output.shape, state.shape) != expected:
            raise LeavesTheRing(f"{name} returns the shapes {output.shape} and {state.shape}")
        kept, read = (
            max(self._error(x) for x in distinct_of(array.data)) for array in (state, output)
        )
        return kept, read

    def _error(self, x: Any) -> float:
        if not isinstance(x, Rounded) or not carries_data(x):
            raise LeavesTheRing("the text returns what is no sum of queries, keys and values")
        return self.model.error(x)

    # -- the map ----------------------------------------------------------------------------------

    def _moved(self, x: Any, position: Any, reference: Any, side: Any, *_: Any) -> Any:
        self._decide_exact(position)
        self._decide_exact(reference)
        if side not in self.errors.moved:
            raise LeavesTheRing("the text takes a part of the map")
        return self._off(x, self.errors.moved[side])

    def _moved_either_way(self, x: Any, position: Any, reference: Any, *_: Any) -> Any:
        self._decide_exact(position)
        self._decide_exact(reference)
        return self._off(x, max(self.errors.moved.values()))

    def _into(self, x: Any, position: Any, reference: Any, side: Any, *_: Any) -> Any:
        if side not in self.errors.into or (position, reference) != (0.0, 0.0):
            raise LeavesTheRing("the text changes coordinates other than at position 0")
        return self._off(x, self.errors.into[side])

    def _decide_exact(self, place: Any) -> None:
        """A position that is given, a lag that is given, or 0: nothing that was rounded."""
        elements = [place] if isinstance(place, (int, float)) else distinct_of(place.data)
        for x in elements:
            if not isinstance(x, Rounded):
                if x != 0:
                    raise LeavesTheRing("the map is taken at a position of the text")
                continue
            exact = not (x.error or x.relative or x.tiny)
            if not exact or not (x.value == PLACE.value or x.value.keys() <= {LINEAR}):
                raise LeavesTheRing("the map is taken at what is no position that was given")

    def _off(self, x: Any, error: float) -> Any:
        """Every vector off by that much more; zeros stay zeros."""
        if x.dtype.name != self.inner:
            raise LeavesTheRing(f"the map is applied in {x.dtype.name}")

        def one(element: Any) -> Any:
            if not isinstance(element, Rounded):
                element = Rounded({}) if element == 0 else element
            if element.constant == 0:
                return element
            if not carries_data(element):
                raise LeavesTheRing("the map is applied to what is no vector")
            return self.model.data(both(self.model.error(element), error), self.inner)

        return x.like(each(x.data, one))


__all__ = ["CHUNKED", "STEP", "SumText"]
