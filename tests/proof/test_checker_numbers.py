"""Numbers of certificates: definitions, spelling, signs, enclosures against mpmath."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest
from mpmath import mp  # type: ignore[import-untyped]

from symbolic_pe.proof import checker
from symbolic_pe.proof.checker.balls import BITS, Ball, CertificateError, cos, exact, exp, log, pi
from symbolic_pe.proof.checker.numbers import Field
from tests.proof.documents import (
    LAWS,
    LOG2,
    ONE,
    PI,
    SQRT2,
    ZERO,
    Json,
    accepted,
    block,
    define,
    encoding,
    entries,
    head,
    judge,
    norm,
    num,
    one_head,
    refused,
    root,
    scalar,
)

# -- definitions -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("definition", "right"),
    [
        (root("f", 2, num(2)), True),
        (root("f", 0, num(2)), False),
        (root("f", 2000, num(2)), False),
        (root("f", 2, num(-2)), False),
        (root("f", 2, ZERO), False),
        (root("f", 2, num((1, "w"))), True),
        (root("f", 2, num((1, "v"))), False),
        (root("f", 2, num((1, "v", 2))), False),
        (root("f", 2, num(1, (1, "v", 2))), True),
        (root("f", 1, num((1, "w"), -1)), False),
        (root("f", 2, num((1, "f"))), False),
        (root("f", 2, num((1, "g"))), False),
        (root("f", 2, num((1, "t"))), False),
        (root("f", 2, num((1, "x"))), False),
        (root("f", 2, num((1, "i"))), False),
        (root("w", 2, num(2)), False),
        (root("i", 2, num(2)), False),
        (root("t", 2, num(2)), False),
        (root("x", 2, num(2)), False),
        (root("two words", 2, num(2)), False),
        (define("f", "log", num(2)), True),
        (define("f", "log", num("1/2")), True),
        (define("f", "log", num(-2)), False),
        (define("f", "log", ZERO), False),
        (define("f", "log", num((1, "v"))), False),
        (define("f", "log", num(2), degree=0), False),
        (define("f", "exp", ONE), True),
        (define("f", "exp", num((1, "v"))), True),
        (define("f", "exp", num(10**9)), True),  # it has no enclosure
        (define("f", "pi", ZERO), True),
        (define("f", "cos", num((1, "v"))), True),
        (define("f", "at-least", ONE), True),
        (define("f", "at-least", ZERO), True),
        (define("f", "at-least", num(-2)), True),
        (define("f", "at-least", num((1, "v", 2))), True),
        (define("f", "at-least", num((1, "v"))), False),
        (define("f", "sin", ONE), False),
        ({"name": "f"}, False),
        ({**root("f", 2, num(2)), "in": None}, False),
    ],
)
def test_definitions(definition: Json, right: bool) -> None:
    """A defined number exists and is real."""
    fields: Json = {"parameters": {"w": "positive", "v": "real"}, "definitions": [definition]}
    result = judge(one_head(scalar(ONE), LAWS, **fields))
    assert result.accepted == right, result.reason
    assert right or "definitions" in result.reason
    if right:
        refused(one_head(scalar(ONE), LAWS, **{**fields, "definitions": [definition] * 2}))


def test_definitions_come_before_their_use() -> None:
    f, g = root("f", 2, num(2)), root("g", 2, num(1, (1, "f")))
    accepted(one_head(scalar(ONE), LAWS, definitions=[f, g]))
    refused(one_head(scalar(ONE), LAWS, definitions=[g, f]), "not defined before")


def test_positivity_has_to_follow_from_the_assumptions() -> None:
    """f = w − 1 with −f as a rate decays only where w > 1, which nobody assumed."""
    f = root("f", 1, num(-1, (1, "w")))
    fields: Json = {"definitions": [f], "norm": norm([ONE], (num((2, "f")), [[0, ONE]]))}
    for word in ("real", "positive", "nonnegative"):
        document = one_head(scalar(num((-1, "f"))), LAWS, parameters={"w": word}, **fields)
        refused(document, "not shown to be positive")


def test_a_root_that_may_vanish_supports_no_basis() -> None:
    """X = [[0, 1], [0, w]] is defective at w = 0, where 1/w means nothing."""
    w, less = num((1, "w")), num((-1, "w", -1))
    basis: Json = {"P": [[ONE, ONE], [ZERO, w]], "Q": [[ONE, less], [ZERO, num((1, "w", -1))]]}
    (one, x), (two, y) = scalar(ZERO, "x", 0), scalar(w, "y", 1)
    made = head(one, two, generator=entries([[ZERO, ONE], [ZERO, w]]), basis=basis)
    for word in checker.numbers.ASSUMPTIONS:
        document = encoding([made], LAWS, parameters={"w": word}, rates=x | y)
        assert judge(document).accepted == (word in ("positive", "negative", "nonzero"))


# -- spelling of numbers ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "right"),
    [
        (num((1, "r")), True),
        (num((1, "r", 2)), True),
        (num((1, "r", -1)), True),
        (num((1, "f", 5)), True),
        (num((1, "f", -5)), True),
        (num((1, "f", 1025)), False),
        (num((1, "l", -3)), True),
        (num((1, "pi", -1)), True),
        (num((1, "w", -5)), True),
        (num((1, "v", -1)), False),
        (num((1, "n", -1)), True),
        (num((1, "q")), False),
        (num((1, "i")), False),
        (num((1, "t")), False),
        (num((1, "x")), False),
        ([["1", {"w": 1}], ["2", {"w": 1}]], False),
        ([["0", {}]], False),
        ([["-0", {}]], False),
        ([["1.5", {}]], False),
        ([["2/4", {}]], False),
        ([["2/1", {}]], False),
        ([["0/5", {}]], False),
        ([["1/0", {}]], False),
        ([["+1", {}]], False),
        ([["٣", {}]], False),
        ([["1\n", {}]], False),
        ([[1, {}]], False),
        ([["1", {"w": "1"}]], False),
        ([["1", {"w": 0}]], False),
        ([["1", {"w": True}]], False),
        ([["1", {"w": 1.0}]], False),
        ([["1", {"": 1}]], False),
        ([["1", []]], False),
        ([["1"]], False),
        ([["1", {}, {}]], False),
        ({}, False),
        ("1", False),
        (1, False),
        ([["9" * 4000, {}]], True),
        ([["9" * 4001, {}]], False),
        ([["9" * 10**6, {}]], False),
    ],
)
def test_spelling_of_numbers(number: Json, right: bool) -> None:
    fields: Json = {
        "parameters": {"w": "positive", "v": "real", "n": "negative"},
        "definitions": [SQRT2, root("f", 2, num(1, (1, "w"))), LOG2, PI],
    }
    item, rates = block([0], [[number]], [[num((1, "x"))]]), {"x": number}
    result = judge(one_head((item, rates), LAWS, generator=[[0, 0, number]], **fields))
    assert result.accepted == right, result.reason
    plain_rate = block([0], [[ONE]], [[num((1, "x"))]])
    other = one_head((plain_rate, {"x": ONE}), LAWS, generator=[[0, 0, number]], **fields)
    reason = judge(other).reason
    assert reason.startswith("evidence is not shown: heads[0]: E' = JE" if right else "heads[0]")


@pytest.mark.parametrize("name", ["i", "t", "w", "r"])
def test_names_of_rates_are_free(name: str) -> None:
    item = block([0], [[ONE]], [[num((1, name))]])
    fields: Json = {"parameters": {"w": "positive"}, "definitions": [SQRT2]}
    refused(one_head((item, {name: ONE}), LAWS, **fields), "taken")


def test_parameters_are_not_the_variable_or_i() -> None:
    for name in ("i", "t"):
        refused(one_head(scalar(ONE), LAWS, parameters={name: "real"}), "taken")


def test_rates_are_constant_in_t() -> None:
    for rate in (num((1, "t")), num((1, "x"))):
        refused(one_head(scalar(ONE), LAWS, rates={"x": rate}), "no meaning")


# -- enclosures against mpmath ---------------------------------------------------------------------


def test_enclosures_contain_the_exponential() -> None:
    rng = random.Random(1)
    with mp.workprec(2 * BITS):
        for _ in range(60):
            size = rng.choice([1, 10, 700])
            re, im = (Fraction(rng.randint(-(10**6), 10**6), 10**6) * size for _ in "ri")
            start = exact(re) + exact(im) * Ball(0, 1 << BITS)
            ball, unit = exp(start), mp.mpf(2) ** -BITS
            value = mp.exp(mp.mpc(_mpf(re), _mpf(im)))
            assert abs(ball.re * unit - value.real) <= ball.radius * unit
            assert abs(ball.im * unit - value.imag) <= ball.radius * unit
            if re > -100:
                assert ball.radius * unit < abs(value) * mp.mpf(10) ** -20


def _mpf(x: Fraction) -> Any:
    return mp.mpf(x.numerator) / x.denominator


def test_arithmetic_of_balls_contains_the_exact_result() -> None:
    rng = random.Random(2)

    def some() -> tuple[Fraction, Fraction]:
        low = Fraction(rng.randint(-50, 50), rng.randint(1, 30))
        return low, low + Fraction(rng.randint(0, 20), rng.randint(1, 30))

    for _ in range(200):
        (a, b), (c, d) = some(), some()
        x, y = checker.balls.between(a, b), checker.balls.between(c, d)
        for p, q in ((a, c), (a, d), (b, c), (b, d)):
            assert (x * y).ends[0] <= p * q <= (x * y).ends[1]
            assert (x + y).ends[0] <= p + q <= (x + y).ends[1]
        if a > 0:
            for e in (-3, -1, 2, 5):
                ends = checker.balls.power(x, e).ends
                assert ends[0] <= min(a**e, b**e)
                assert max(a**e, b**e) <= ends[1]


def test_signs_contain_the_sign() -> None:
    """`sign` never leaves out the sign that a number has at a point."""
    rng = random.Random(3)
    words = checker.numbers.ASSUMPTIONS
    for _ in range(400):
        parameters = {name: rng.choice(sorted(words)) for name in "abc"}
        field = Field({"parameters": parameters, "definitions": []}, {})
        point = {}
        for name, word in parameters.items():
            sign = rng.choice(sorted(words[word]))
            point[name] = sign * Fraction(rng.randint(1, 9), rng.randint(1, 9))
        terms = {
            tuple(
                (n, e) for n, e in zip("abc", rng.choices(range(4), k=3), strict=True) if e
            ): Fraction(rng.randint(-3, 3))
            for _ in range(rng.randint(1, 3))
        }
        number = tuple(sorted((m, c) for m, c in terms.items() if c))
        value = Fraction(0)
        for monomial, c in number:
            for atom, e in monomial:
                c *= point[atom] ** e  # noqa: PLW2901
            value += c
        assert checker.numbers.sign_of(value) in field.sign(number)


def test_definitions_at_a_point_are_their_values() -> None:
    """1 where a number is at least 0, and 0 elsewhere; roots and logarithms by enclosures."""
    declared: Json = {
        "parameters": {"w": "real"},
        "definitions": [
            {"name": "a", "kind": "at-least", "degree": 1, "of": number((-3, ()), (1, ("w",)))},
            {"name": "f", "kind": "root", "degree": 3, "of": number((1, ()), (1, ("w",)))},
            {"name": "c", "kind": "cos", "degree": 1, "of": number((1, ("f",)))},
        ],
    }
    for w, a in ((2, 0), (3, 1), (Fraction(7, 2), 1)):
        field = Field(declared, {"w": Fraction(w)})
        assert field.normal(number((1, ("a",)))) == number((a, ()))
        with mp.workprec(2 * BITS):
            root = mp.cbrt(1 + _mpf(Fraction(w)))
            for name, right in (("f", root), ("c", mp.cos(root))):
                ball = field.ball(number((1, (name,))))
                gap = abs(ball.re * mp.mpf(2) ** -BITS - right)
                assert gap <= ball.radius * mp.mpf(2) ** -BITS < mp.mpf(10) ** -60
    with pytest.raises(CertificateError, match="not shown to be positive"):
        Field(declared, {"w": Fraction(-2)})
    field = Field(declared, {"w": Fraction(0)})
    with pytest.raises(CertificateError, match="a division by w = 0"):
        field.normal((((("w", -1),), Fraction(1)),))


def number(*terms: tuple[Any, tuple[str, ...]]) -> Any:
    """Σ c·Π atom as the checker has it, without terms of coefficient 0."""
    found = [(tuple((atom, 1) for atom in atoms), Fraction(c)) for c, atoms in terms if c]
    return tuple(sorted(found))


def test_balls_contain_logarithms_and_waves() -> None:
    rng = random.Random(5)
    with mp.workprec(2 * checker.balls.BITS):
        unit = mp.mpf(2) ** -checker.balls.BITS
        assert abs(pi().re * unit - mp.pi) <= pi().radius * unit < mp.mpf(10) ** -70
        for _ in range(60):
            x = Fraction(rng.randint(1, 10 ** rng.randint(1, 12)), rng.randint(1, 10**6))
            value = mp.mpf(x.numerator) / x.denominator
            for ball, right in (
                (log(exact(x)), mp.log(value)),
                (cos(exact(x % 8000)), mp.cos(value - 8000 * mp.floor(value / 8000))),
            ):
                assert abs(ball.re * unit - right) <= ball.radius * unit < mp.mpf(10) ** -60
        wide = log(checker.balls.between(Fraction(1, 2), Fraction(3)))
        assert wide.ends[0] <= -Fraction(693, 1000) < Fraction(1098, 1000) <= wide.ends[1]
