"""What a text does to its input, written down while it runs.

Elements that depend on the position alone stay elements of the bound's own model, until they are
rounded to another format than float64 or meet the input: there each becomes a table T, a number of
its format that is within `away` of an exact C, |C| ≤ size.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from flint import fmpq

from numeric_check.rounding import majorant, upward
from numeric_check.rounding.element import Model, Rounded
from numeric_check.rounding.formats import contains
from numeric_check.rounding.majorant import NO_INPUT, Term
from numeric_check.text_proof.exact_element import LeavesTheRing

TABLES = "float64"
"""The format in which texts form tables."""


@dataclass(frozen=True)
class Input:
    """Entry `index` of x, a number of its dtype."""

    index: int
    dtype: str


@dataclass(frozen=True)
class Table:
    """A number T of a format with |T − C| ≤ away and |C| ≤ size."""

    index: int
    dtype: str
    size: float
    away: float


@dataclass(frozen=True)
class Constant:
    """An exact rational number."""

    value: fmpq


@dataclass(frozen=True)
class Rounding:
    """A number rounded to nearest in a format."""

    dtype: str
    of: Expression


@dataclass(frozen=True)
class Sum:
    """a + b, or a − b."""

    a: Expression
    b: Expression
    minus: bool = False


@dataclass(frozen=True)
class Product:
    """a·b."""

    a: Expression
    b: Expression


@dataclass(frozen=True)
class Quotient:
    """a / b, b a constant."""

    a: Expression
    b: Constant


@dataclass(frozen=True)
class Opposite:
    """−a."""

    of: Expression


Expression = Input | Table | Constant | Rounding | Sum | Product | Quotient | Opposite


@dataclass(frozen=True)
class Traced(Rounded):
    """An element that depends on the input, or on a table: `expression` says how."""

    expression: Expression = Constant(fmpq(0))

    def __neg__(self) -> Traced:
        return replace(self, expression=Opposite(self.expression))


@dataclass(frozen=True)
class Tracer(Model):
    """The bound's model for what depends on the position alone; a record of everything else."""

    tables: list[Table] = field(default_factory=list)

    def rounded(self, a: Rounded, dtype: str, *, flushes: bool = False) -> Rounded:
        """One rounding, unless the format is known to hold the number."""
        if not isinstance(a, Traced):
            narrows = a.fits is not None and not contains(dtype, a.fits)
            if not a.carries_input and (a.constant is not None or not narrows):
                return super().rounded(a, dtype, flushes=flushes)
            a = self._traced(a)
        if a.fits is not None and contains(dtype, a.fits):
            return a
        return self._new(Rounding(dtype, a.expression), dtype)

    def multiply(self, a: Rounded, b: Rounded, dtype: str) -> Rounded:
        """fl(â·b̂); a product with 1 or −1 is not rounded."""
        if not isinstance(a, Traced) and not isinstance(b, Traced):
            return super().multiply(a, b, dtype)
        for factor, other in ((a, b), (b, a)):
            constant = None if isinstance(factor, Traced) else factor.constant
            if constant == 1:
                return self.rounded(other, dtype)
            if constant == -1:
                return self.rounded(-other, dtype)
            if constant == 0:
                return factor
        product = Product(self._traced(a).expression, self._traced(b).expression)
        return self._new(Rounding(dtype, product), dtype)

    def add(self, a: Rounded, b: Rounded, dtype: str) -> Rounded:
        """fl(â + b̂)."""
        if not isinstance(a, Traced) and not isinstance(b, Traced):
            return super().add(a, b, dtype)
        for zero, other in ((a, b), (b, a)):
            if not isinstance(zero, Traced) and zero.constant == 0:
                return self.rounded(other, dtype)
        first, second = self._traced(a).expression, self._traced(b).expression
        total = (
            Sum(first, second.of, minus=True)
            if isinstance(second, Opposite)
            else Sum(first, second)
        )
        return self._new(Rounding(dtype, total), dtype)

    def divide(self, a: Rounded, b: Rounded, dtype: str) -> Rounded:
        """fl(â/b̂) by an exact constant."""
        if not isinstance(a, Traced):
            return super().divide(a, b, dtype)
        divisor = None if isinstance(b, Traced) else b.constant
        if divisor is None or divisor == 0:
            raise LeavesTheRing("the text divides by what is no constant")
        if divisor == 1:
            return self.rounded(a, dtype)
        return self._new(Rounding(dtype, Quotient(a.expression, Constant(divisor))), dtype)

    def dot(self, a: list[Rounded], b: list[Rounded], dtype: str) -> Rounded:
        """Products with a basis are in any order, which no script says."""
        raise LeavesTheRing("the text multiplies by a matrix")

    def _argument(self, a: Rounded, name: str) -> tuple[fmpq, upward.Polynomial]:
        if isinstance(a, Traced):
            raise LeavesTheRing(f"the text takes {name} of what was rounded to a table")
        return super()._argument(a, name)

    def _traced(self, a: Rounded) -> Traced:
        """An input, a constant, or a table that is new."""
        if isinstance(a, Traced):
            return a
        constant = a.constant
        if constant is not None:
            return self._new(Constant(constant), a.fits)
        if a.fits is None:
            a = super().rounded(a, TABLES)
        assert a.fits is not None
        if a.carries_input:
            (term,) = a.value
            return self._new(Input(term.input, a.fits), a.fits)
        size = majorant.size(majorant.of_value(a.value), self.reach).constant
        away = upward.plus(majorant.size(a.absolute(), self.reach).constant, a.tiny)
        table = Table(len(self.tables), a.fits, size, away)
        self.tables.append(table)
        return self._new(table, a.fits)

    @staticmethod
    def _new(expression: Expression, dtype: str | None) -> Traced:
        # The value stands for "depends on something"; only the expression is read.
        unread = {Term(NO_INPUT, 1, (0, 1), None): fmpq(1)}
        return Traced(unread, fits=dtype, expression=expression)


__all__ = [
    "Constant",
    "Expression",
    "Input",
    "Opposite",
    "Product",
    "Quotient",
    "Rounding",
    "Sum",
    "Table",
    "Traced",
    "Tracer",
]
