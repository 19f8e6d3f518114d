"""Elements of which nothing is known but the group law: A(u)A(w) = A(u + w), A(0) = I.

A text that only applies maps A(u)ᵀ and A(u), multiplies and adds is decided for every A at once
when it runs on these elements, whatever the dimension, the parameters and the dtype of A:

    Lag    a linear form Σ cᵢxᵢ in symbolic positions; exp of one is a factor e^{Σ cᵢxᵢ}
    Free   a sum of products  c · e^{g} · v · (A(p)ᵀq)_a · (A(r)k)_b

v is a channel of a value; q is a query, k a key or a row of the state, each with a name, a, b one
of two components, and p, r linear forms. `pairs` reads the scalar products out of such a sum: only
where both components occur alike do they make qᵀA(p + r)k.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from numeric_check.text_proof.exact_element import Exact, LeavesTheRing
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial

Number = int | Fraction
Form = tuple[tuple[str, Number], ...]
"""Σ cᵢxᵢ as pairs in the order of the names, without zeros."""
COMPONENTS = 2
"""Components of a vector: two show that they are added, and not mixed."""


class Vector(NamedTuple):
    """One component of A(form)ᵀq or A(form)k.

    head    which head's A moves it
    name    which query, key or row of a state
    plain   before a change of basis
    """

    head: int
    name: Hashable
    component: int
    form: Form
    plain: bool = False


class Product(NamedTuple):
    """e^{growth} · value · query · key; what is missing is None."""

    growth: Form = ()
    value: Hashable = None
    query: Vector | None = None
    key: Vector | None = None


ONE = Product()


def plus(a: Form, b: Form, sign: Number = 1) -> Form:
    """a + sign·b."""
    if not a and sign == 1:
        return b
    if not b:
        return a
    found = dict(a)
    for name, c in b:
        total = found.get(name, 0) + sign * c
        if total:
            found[name] = total
        else:
            del found[name]
    return tuple(sorted(found.items()))


def told(form: Form) -> str:
    """A linear form in words."""
    return " ".join(f"{'+' if c > 0 else '-'} {abs(c)}*{name}" for name, c in form) or "0"


class _Element(Exact):
    """Arithmetic that both kinds share: with arrays it is NumPy's."""

    __slots__ = ()
    __hash__ = None

    @property
    def function(self) -> ExponentialPolynomial:  # type: ignore[override]
        """None: what asks for one takes these elements for known functions."""
        raise LeavesTheRing("the text asks for the value of what is only known to be a sum of maps")

    def __radd__(self, other: Any) -> Any:
        return self + other

    def __rsub__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else -self + other

    def __sub__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else self + -other

    def __rmul__(self, other: Any) -> Any:
        return self * other

    def __truediv__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else self * (1 / number(other))

    def __rtruediv__(self, other: Any) -> Any:
        raise LeavesTheRing("the text divides by a vector or a position")

    def __pow__(self, exponent: Any) -> Any:
        raise LeavesTheRing("the text raises a vector or a position to a power")

    __rpow__ = __pow__

    def __repr__(self) -> str:
        return type(self).__name__


class Lag(_Element):
    """A linear form in the positions."""

    __slots__ = ("form",)
    __hash__ = None

    def __init__(self, form: Form) -> None:
        self.form = form

    @classmethod
    def position(cls, name: str) -> Lag:
        """A symbolic position."""
        return cls(((name, 1),))

    def __add__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        if isinstance(other, Lag):
            return Lag(plus(self.form, other.form))
        if number(other) != 0:
            raise LeavesTheRing("the text adds a number to a position")
        return self

    def __neg__(self) -> Lag:
        return Lag(tuple((name, -c) for name, c in self.form))

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        factor = number(other)
        return Lag(tuple((name, factor * c) for name, c in self.form) if factor else ())

    def exp(self) -> Free:
        """A factor."""
        return Free({Product(self.form): 1})


class Free(_Element):
    """A sum of products, with coefficients that are not 0."""

    __slots__ = ("terms",)
    __hash__ = None

    def __init__(self, terms: Mapping[Product, Number]) -> None:
        self.terms = terms

    @classmethod
    def value(cls, name: Hashable) -> Free:
        """A channel of a value."""
        return cls({Product(value=name): 1})

    @classmethod
    def query(cls, head: int, name: Hashable, component: int, *, plain: bool) -> Free:
        """A component of a query."""
        return cls({Product(query=Vector(head, name, component, (), plain)): 1})

    @classmethod
    def key(cls, head: int, name: Hashable, component: int, *, plain: bool) -> Free:
        """A component of a key, or of a row of a state."""
        return cls({Product(key=Vector(head, name, component, (), plain)): 1})

    @classmethod
    def of(cls, value: Any) -> Free:
        """A number as a sum."""
        if isinstance(value, Free):
            return value
        c = number(value)
        return cls({ONE: c} if c else {})

    def __add__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        right = Free.of(other).terms
        if not right:
            return self
        return Free(added(self.terms, right))

    def __neg__(self) -> Free:
        return Free({product: -c for product, c in self.terms.items()})

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        right = Free.of(other).terms
        if right == {ONE: 1}:
            return self
        found: dict[Product, Number] = {}
        for one, a in self.terms.items():
            for two, b in right.items():
                product = _product(one, two)
                found[product] = found.get(product, 0) + a * b
        return Free({product: c for product, c in found.items() if c})


def added(a: Mapping[Product, Number], b: Mapping[Product, Number]) -> dict[Product, Number]:
    """The sum of two sums."""
    found = dict(a)
    for product, c in b.items():
        total = found.get(product, 0) + c
        if total:
            found[product] = total
        else:
            del found[product]
    return found


def _product(one: Product, two: Product) -> Product:
    growth = plus(one.growth, two.growth) if one.growth or two.growth else ()
    return Product(
        growth,
        _either(one.value, two.value),
        _either(one.query, two.query),
        _either(one.key, two.key),
    )


def _either(a: Any, b: Any) -> Any:
    if a is not None and b is not None:
        raise LeavesTheRing("the text multiplies two values, two queries or two keys")
    return b if a is None else a


def number(value: Any) -> Number:
    """A number of the text, as it is. Raises `LeavesTheRing` for anything else."""
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)) and np.isfinite(value):
        return Fraction(float(value))
    if isinstance(value, Exact) and not isinstance(value, _Element):
        constant = value.constant()
        if constant.is_rational():
            rational = constant.rational_value()
            return Fraction(int(rational.p), int(rational.q))
    raise LeavesTheRing(f"the text multiplies or adds {value!r} to a vector or a position")


class Pair(NamedTuple):
    """e^{growth} · value · qᵀA(form)k; or e^{growth} · value · A(form)k without a query."""

    growth: Form
    value: Hashable
    query: Hashable
    key: Hashable
    form: Form


def pairs(elements: Iterable[Any]) -> dict[Pair, Number] | None:
    """What the elements, one for each component or one sum over the components, add up to.

    Without a query the elements are the components of a vector. None where components differ,
    a vector is alone or before the change of basis.
    """
    apart: list[dict[tuple[Product, Form], Number]] = [{} for _ in range(COMPONENTS)]
    for place, element in enumerate(elements):
        for product, c in Free.of(element).terms.items():
            query, key = product.query, product.key
            if key is None or key.plain or (query is not None and query.plain):
                return None
            component = key.component
            if query is None:
                if component != place:
                    return None
                whole = key.form
            else:
                if query.component != component or query.head != key.head:
                    return None
                whole = plus(query.form, key.form)
                query = query._replace(component=0)
            bare = Product(product.growth, product.value, query, key._replace(component=0))
            apart[component][bare, whole] = c
    if any(part != apart[0] for part in apart):
        return None
    found: dict[Pair, Number] = {}
    for (product, whole), c in apart[0].items():
        assert product.key is not None
        query = product.query
        pair = Pair(product.growth, product.value, query and query.name, product.key.name, whole)
        found[pair] = found.get(pair, 0) + c
    return {pair: c for pair, c in found.items() if c}


__all__ = [
    "COMPONENTS",
    "Form",
    "Free",
    "Lag",
    "Pair",
    "Product",
    "Vector",
    "added",
    "pairs",
    "plus",
    "told",
]
