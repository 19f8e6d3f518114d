"""Read a number off an encoding: how published test values find theirs.

Every function returns a reader, from the form that an entry builds to the number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flint import arb, arb_mat

from symbolic_pe.algebra.complex_scalar import C_ZERO
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial, Term
from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.scalar import ONE, Scalar
from symbolic_pe.encodings.augmentation import realised_bias
from symbolic_pe.encodings.axes import SeveralAxes
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.encodings.entry import Form
from symbolic_pe.encodings.outside import Outside
from symbolic_pe.generators.generator import Generator

Reader = Callable[[Form], Scalar | arb | int]


def generator_of(form: Form, index: int = 0) -> Generator:
    """X of one head, or of one axis."""
    if isinstance(form, Encoding):
        return form.heads[index].generator
    if isinstance(form, SeveralAxes):
        return form.axes[index]
    raise ValueError(f"{form.name} has no generator to read")


def theta(plane: int, index: int = 0) -> Reader:
    """θ of the plane that comes `plane`-th among those that turn: X = −θJ there."""

    def read(form: Form) -> Scalar:
        turning = [p.block for p in generator_of(form, index).placed or () if p.block.is_pair]
        return -turning[plane].frequency

    return read


def live_planes(index: int = 0) -> Reader:
    """How many planes turn."""

    def read(form: Form) -> int:
        return sum(p.block.is_pair for p in generator_of(form, index).placed or ())

    return read


def rate(block: int, index: int = 0) -> Reader:
    """The real part a of the eigenvalue of a block."""

    def read(form: Form) -> Scalar:
        return (generator_of(form, index).placed or ())[block].block.rate

    return read


def slope(head: int) -> Reader:
    """m of the bias −m·τ of one head."""

    def read(form: Form) -> Scalar:
        assert isinstance(form, Encoding)
        added = form.heads[head].augmentation
        assert added is not None
        return -added.bias.terms[Term((1,), (C_ZERO,))].re

    return read


def bias_at(lag: int, head: int = 0) -> Reader:
    """b(lag) of one head, enclosed; for learned numbers those of the samples."""

    def read(form: Form) -> arb:
        if isinstance(form, Outside):
            assert form.function is not None
            return form.function.reference(lag, 0, head)
        assert isinstance(form, Encoding)
        added = form.heads[head].augmentation
        assert added is not None
        return added.bias.ball({"t": arb(lag)}).real

    return read


def constant(name: str, index: int) -> Reader:
    """A number that is written into emitted code."""

    def read(form: Form) -> Scalar:
        assert isinstance(form, Outside)
        assert form.function is not None
        return form.function.constants[name][index]

    return read


def row_entry(position: int, column: int) -> Reader:
    """One entry of a table of positions, enclosed."""

    def read(form: Form) -> arb:
        assert isinstance(form, Outside)
        assert form.function is not None
        return form.function.reference(position, column)

    return read


def temperature(form: Form) -> Scalar:
    """c, the factor of q and of k apart."""
    return ONE if not isinstance(form, Encoding | SeveralAxes) else form.temperature


def score(query: Sequence[str], key: Sequence[str], lag: int, index: int = 0) -> Reader:
    """qᵀ exp(τX) k, enclosed at the current precision."""

    def read(form: Form) -> arb:
        x = generator_of(form, index).matrix
        operator = arb_mat([[entry.ball({}) * lag for entry in row] for row in x]).exp()
        q, k = ([parse(text).ball({}) for text in vector] for vector in (query, key))
        return sum(
            (q[i] * operator[i, j] * k[j] for i in range(len(q)) for j in range(len(k))), arb(0)
        )

    return read


def score_function(
    form: Form, query: Sequence[str], key: Sequence[str], index: int = 0
) -> ExponentialPolynomial:
    """τ ↦ qᵀ exp(τX) k, exact, of an encoding that is stated by its blocks."""
    placed = generator_of(form, index).placed
    if placed is None:
        raise ValueError(f"{form.name} is not stated by blocks")
    q, k = ([parse(text) for text in vector] for vector in (query, key))
    total = ExponentialPolynomial(("t",), {})
    for item in placed:
        of_query, of_key = ([x[i] for i in item.coordinates] for x in (q, k))
        total = total + realised_bias(of_query, item.block.exponential(), of_key)
    return total


def entry(row: int, column: int, index: int = 0) -> Reader:
    """One entry of X."""

    def read(form: Form) -> Scalar:
        return generator_of(form, index).matrix[row][column]

    return read
