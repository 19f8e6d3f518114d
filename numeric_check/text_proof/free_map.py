"""The map of a text, replaced by one that writes down what it does to vectors (`free_flow`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from numeric_check.text_proof.exact_element import LeavesTheRing
from numeric_check.text_proof.exact_engine import Engine
from numeric_check.text_proof.exact_input import Refuted
from numeric_check.text_proof.free_flow import (
    COMPONENTS,
    Form,
    Free,
    Lag,
    Product,
    Vector,
    number,
    plus,
    told,
)
from numeric_check.text_proof.free_symbols import never_negative

Objects = Any
"""An object array."""
Image = Callable[[Vector, bool, Form], tuple[Vector, Form]]
"""Where a vector goes, given whether it is a query, and its lag; and the exponent of its factor."""


@dataclass(frozen=True)
class Flow:
    """What has to be known of A(u) = e^{rate·u}B(u) in one head.

    rate   where the text takes e^{rate·u} and B apart; None where it does not
    moves  whether B(u), or A(u) without a rate, is more than the identity
    """

    rate: Fraction | None = None
    moves: bool = True

    def moved(self, form: Form, lag: Form, sign: int) -> Form:
        """Where B takes a vector that is at `form` already."""
        return plus(form, lag, sign) if self.moves else form

    def growth(self, lag: Form, sign: int) -> Form:
        """The exponent of e^{±rate·lag}."""
        if not self.rate:
            return ()
        return tuple((name, sign * self.rate * c) for name, c in lag)


@dataclass(frozen=True)
class FreeMap:
    """What stands for `_transform`, and for `_move` in the coordinates of a basis.

    flows       what A is in every head
    parameters  what stands for the parameters, which the text has to hand on
    forward     whether vectors may be moved over lags ≥ 0 alone; B, without the rate, over any
    """

    engine: Engine
    flows: tuple[Flow, ...]
    parameters: tuple[Any, ...]
    in_basis: bool
    forward: bool = True

    def into_basis(self, x: Any, position: Any, reference: Any, side: Any) -> Any:
        """Pᵀq or P⁻¹k: the change of basis alone."""
        if self._lags(position, reference).any() or side not in (1, -1):
            raise LeavesTheRing("the text changes the basis of what it moves")

        def image(vector: Vector, is_query: bool) -> Vector:
            if not vector.plain or vector.form or is_query != (side == 1):
                raise LeavesTheRing("the text changes the basis of what is in it already")
            return vector._replace(plain=False)

        return self._each(x, np.zeros((), dtype=object), lambda v, q, _: (image(v, q), ()))

    def moved(
        self, x: Any, position: Any, reference: Any, side: Any = None, *parameters: Any
    ) -> Any:
        """A(u)ᵀq for side 1, A(−u)k for −1, u = position − reference; for side 0 B alone.

        In a basis there may be no side: then K is skew, and both are one. Raises `Refuted` for a
        lag that may be negative.
        """
        if not same_objects(parameters, self.parameters):
            raise LeavesTheRing("the text hands on other parameters")
        alone = side == 0 and all(flow.rate is not None for flow in self.flows)
        if not alone and side not in (1, -1, *(() if not self.in_basis else (None,))):
            raise LeavesTheRing(f"the text moves vectors by the side {side!r}")

        def image(vector: Vector, is_query: bool, lag: Form) -> tuple[Vector, Form]:
            if vector.plain and self.in_basis:
                raise LeavesTheRing("the text moves vectors before it changes their basis")
            if not alone and side is not None and is_query != (side == 1):
                raise LeavesTheRing("the text moves queries as keys, or keys as queries")
            sign, flow = 1 if is_query else -1, self.flows[vector.head]
            if self.forward and not alone and not never_negative(plus((), lag, sign)):
                what = "query" if is_query else "key or state"
                raise Refuted(
                    f"a {what} is moved over the lag {told(plus((), lag, sign))}, which may be "
                    "negative; causal sums move vectors to later positions alone"
                )
            moved = vector._replace(form=flow.moved(vector.form, lag, sign))
            return moved, () if alone else flow.growth(lag, sign)

        return self._each(x, self._lags(position, reference), image)

    def _lags(self, position: Any, reference: Any) -> Objects:
        """position − reference, as linear forms; False where it is 0."""
        difference = self.fetched(position) - self.fetched(reference)
        found = np.empty(np.shape(difference), dtype=object)
        for place, lag in np.ndenumerate(np.asarray(difference, dtype=object)):
            if not isinstance(lag, Lag) and number(lag) != 0:
                raise LeavesTheRing("the text moves by a number that is no position")
            found[place] = lag.form if isinstance(lag, Lag) else ()
        return found

    def _each(self, x: Any, lags: Objects, image: Image) -> Any:
        """Move every vector (…, n, components) by the lag of its row."""
        data = self.fetched(x)
        if data.ndim < 2 or data.shape[-1] != COMPONENTS:
            raise LeavesTheRing(f"the text moves arrays of the shape {data.shape}")
        shape = np.broadcast_shapes(data.shape[:-1], lags.shape)
        data, lags = np.broadcast_to(data, (*shape, COMPONENTS)), np.broadcast_to(lags, shape)
        result = np.empty(data.shape, dtype=object)
        for place in np.ndindex(*shape):
            head = place[-2] if len(self.flows) > 1 and len(place) > 1 else 0
            for c, element in enumerate(_moved_row(data[place], lags[place] or (), head, image)):
                result[(*place, c)] = element
        return self.engine.bring(result)

    def fetched(self, x: Any) -> Objects:
        """An array, a list of arrays, an element or a number as an object array."""
        if isinstance(x, (Lag, Free, int, float)):
            cell = np.empty((), dtype=object)
            cell[()] = x
            return cell
        return np.asarray(self.engine.fetch(x), dtype=object)


def _moved_row(row: Objects, lag: Form, head: int, image: Image) -> Iterator[Free]:
    """Every vector of a sum moved; the components have to belong together."""
    first: dict[Product, Any] | None = None
    for component, element in enumerate(row):
        found: dict[Product, Any] = {}
        bare: dict[Product, Any] = {}
        for product, c in Free.of(element).terms.items():
            vector = product.key if product.query is None else product.query
            if vector is None or (product.query is not None and product.key is not None):
                raise LeavesTheRing("the text moves what is no vector")
            if vector.component != component or vector.head != head:
                raise LeavesTheRing("the text moves channels or heads as others")
            moved, growth = image(vector, product.query is not None, lag)
            found[_with(product, moved)._replace(growth=plus(product.growth, growth))] = c
            bare[_with(product, vector._replace(component=0))] = c
        if first is not None and bare != first:
            raise LeavesTheRing("the text moves vectors of different channels")
        first = bare
        yield Free(found)


def _with(product: Product, vector: Vector) -> Product:
    """The same product with another vector in the place of its own."""
    if product.query is None:
        return product._replace(key=vector)
    return product._replace(query=vector)


def same_objects(found: Sequence[Any], expected: Sequence[Any]) -> bool:
    """The very same objects, and equal numbers."""
    return len(found) == len(expected) and all(
        a is b or (isinstance(b, int) and isinstance(a, int) and a == b)
        for a, b in zip(found, expected, strict=True)
    )


__all__ = ["Flow", "FreeMap", "Objects", "same_objects"]
