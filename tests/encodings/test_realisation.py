"""Minimal constant coordinates for additive biases, by exact Hankel rank."""

from __future__ import annotations

import pytest

from symbolic_pe.algebra.complex_scalar import ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.encodings.realisation import (
    hankel_rank,
    markov_parameters,
    minimal_augmentation,
    translates,
)
from symbolic_pe.errors import SpecificationError
from symbolic_pe.proof.patterns import decide

T = ExponentialPolynomial.variable("t")
M = Scalar.symbol("m")


def cos(b: str) -> ExponentialPolynomial:
    return ExponentialPolynomial.cosine("t", parse(b, {"b"}))


def exp(a: str) -> ExponentialPolynomial:
    return ExponentialPolynomial.exponential("t", ComplexScalar(parse(a, {"a"})))


def constant(c: str) -> ExponentialPolynomial:
    return ExponentialPolynomial.constant(parse(c))


BIASES = {
    "alibi needs two": (T.scale(-M), 2),
    "kerple with p = 2 needs three": ((T * T).scale(parse("-1/3")), 3),
    "a constant needs one": (constant("5"), 1),
    "a decay needs one": (exp("-1/2"), 1),
    "one cosine needs two": (cos("sqrt(2)"), 2),
    "sandwich: two frequencies and a constant": (cos("1") + cos("1/10") - constant("2"), 5),
    "a sloped cosine needs four": (T * cos("3"), 4),
    "ALiBi with an offset still needs two": (T.scale(-M) + constant("7"), 2),
    "decay times slope": (T * exp("-1"), 2),
    "two spellings of one frequency": (cos("sqrt(2)*(1+sqrt(2))") + cos("2+sqrt(2)"), 2),
}


@pytest.mark.parametrize(("bias", "size"), BIASES.values(), ids=list(BIASES))
def test_minimal_size(bias: ExponentialPolynomial, size: int) -> None:
    found = minimal_augmentation(bias)
    assert found.hankel_rank == size
    assert found.is_minimal
    laws = decide(found.augmentation.generator, found.augmentation.exponential)
    assert laws.initial_condition
    assert laws.derivative
    assert found.augmentation.coordinates == size


@pytest.mark.parametrize(("bias", "size"), BIASES.values(), ids=list(BIASES))
def test_the_rank_by_exponents_is_the_rank_by_elimination(
    bias: ExponentialPolynomial, size: int
) -> None:
    assert translates(bias) == size
    for larger in (size, size + 1):
        assert hankel_rank(markov_parameters(bias, 2 * larger - 1)) == size


def test_the_lower_bound_does_not_depend_on_how_many_parameters_are_taken() -> None:
    bias = T.scale(-M)
    for size in (2, 3, 6):
        assert hankel_rank(markov_parameters(bias, 2 * size - 1)) == 2


def test_negative_twin_one_coordinate_cannot_carry_a_slope() -> None:
    """With one coordinate b(τ) = c·e^{aτ}: its Hankel matrix has rank 1, that of a slope has 2."""
    assert hankel_rank(markov_parameters(exp("a").scale(M), 5)) == 1
    assert hankel_rank(markov_parameters(T, 5)) == 2


def test_zero_and_complex_biases_are_refused() -> None:
    with pytest.raises(SpecificationError, match="non-zero"):
        minimal_augmentation(T - T)
    imaginary = ExponentialPolynomial.exponential("t", ComplexScalar(parse("0"), parse("1")))
    with pytest.raises(SpecificationError, match="real"):
        minimal_augmentation(imaginary)
