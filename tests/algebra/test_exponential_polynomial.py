"""Exponential polynomials: ring laws, calculus, and the decided zero test."""

from __future__ import annotations

import pytest
from flint import arb
from hypothesis import given, settings

from symbolic_pe.algebra.complex_scalar import ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.matrix import act, apply, multiply_functions
from symbolic_pe.algebra.scalar import ONE, Scalar, precision
from symbolic_pe.generators.block import Block
from symbolic_pe.proof.patterns import at, equal
from tests.strategies import blocks

T = ExponentialPolynomial.variable("t")


def cos(b: str) -> ExponentialPolynomial:
    return ExponentialPolynomial.cosine("t", parse(b, {"b"}))


def sin(b: str) -> ExponentialPolynomial:
    return ExponentialPolynomial.sine("t", parse(b, {"b"}))


def exp(a: str) -> ExponentialPolynomial:
    return ExponentialPolynomial.exponential("t", ComplexScalar(parse(a, {"a", "q"})))


def constant(c: str) -> ExponentialPolynomial:
    return ExponentialPolynomial.constant(parse(c))


@pytest.mark.parametrize(
    "identity",
    [
        cos("b") * cos("b") + sin("b") * sin("b") - constant("1"),
        sin("2*b") - (sin("b") * cos("b")).scale(Scalar.rational(2)),
        cos("sqrt(2)*(1 + sqrt(2))") - cos("2 + sqrt(2)"),
        exp("log(2)") * exp("log(3)") - exp("log(6)"),
        exp("a") * exp("-a") - constant("1"),
        (T * exp("a")).derivative("t") - exp("a") - T * exp("a").scale(parse("a", {"a"})),
    ],
)
def test_identities(identity: ExponentialPolynomial) -> None:
    assert identity.vanishes()


@pytest.mark.parametrize(
    "difference",
    [
        cos("b") * cos("b") - sin("b") * sin("b") - constant("1"),
        cos("2 + sqrt(2)") - cos("3.414213562373095"),
        exp("log(2)") - exp("0.6931471805599453"),
        T * T - T,
        exp("pi") - exp("22/7"),
    ],
)
def test_near_identities_are_refuted(difference: ExponentialPolynomial) -> None:
    assert not difference.vanishes()


@given(blocks())
@settings(max_examples=40)
def test_block_laws(block: Block) -> None:
    e = block.exponential()
    assert all(
        (entry.at_zero().re == (ONE if i == j else parse("0"))) and entry.at_zero().im.is_zero()
        for i, row in enumerate(e)
        for j, entry in enumerate(row)
    )
    assert equal(apply(lambda f: f.derivative("t"), e), act(block.generator, e))
    assert equal(multiply_functions(e, at(e, {"s": 1})), at(e, {"t": 1, "s": 1}))


@given(blocks())
@settings(max_examples=40)
def test_negative_twin_a_changed_entry_breaks_the_derivative_law(block: Block) -> None:
    e = [list(row) for row in block.exponential()]
    e[0][-1] = e[0][-1] + T.scale(parse("1/1000000000"))
    broken = tuple(tuple(row) for row in e)
    assert not equal(apply(lambda f: f.derivative("t"), broken), act(block.generator, broken))


def test_evaluation_encloses() -> None:
    f = T * exp("-1/2") * cos("3")
    with precision(128):
        point = f.ball({"t": arb(2)})
        expected = arb(2) * arb(-1).exp() * arb(6).cos()
        assert point.real.overlaps(expected)
        assert point.imag.contains(0)


def test_real_form_text() -> None:
    assert str(T * exp("-1/2") * cos("3")) == "t*exp(-1/2*t)*cos(3*t)"
    assert str(constant("0")) == "0"
    assert str(sin("-2")) == "-sin(2*t)"


def test_composition_with_a_lag() -> None:
    f = (T * T).compose({"t": 1, "s": -1})
    assert str(f) == "t^2 - 2*t*s + s^2"
