"""Scores that no group gives, evaluated by the checker: what it accepts, and what it refuses."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest
from mpmath import mp  # type: ignore[import-untyped]

from symbolic_pe.proof import checker
from symbolic_pe.proof.checker.balls import cos, exact, log, pi, sin
from tests.proof.documents import (
    LOG2,
    ONE,
    PI,
    SQRT2,
    ZERO,
    Json,
    define,
    judge,
    maps,
    num,
    refutation,
    score,
)

TWO = num(2)
MINUS = num(-1)
Q, K, LAG = "query", "key", "lag"
HALF_POWER: Json = ["power", LAG, num("3/2")]


def pairs(b: Json, first: Json, second: Json, claim: str = "relativity", **fields: Json) -> Json:
    """Refuted by two pairs of positions."""
    witness = {"kind": "pairs", "first": first, "second": second}
    return score(b, [], refutations=[refutation(claim, witness)], **fields)


def differ(b: Json, first: Json = ("1", "0"), second: Json = ("2", "1"), **fields: Json) -> bool:
    return judge(pairs(b, list(first), list(second), **fields)).accepted


def growing(b: Json, **fields: Json) -> bool:
    given = refutation("realisation", {"kind": "growth"})
    return judge(score(b, ["invariance"], refutations=[given], **fields)).accepted


def tail(b: Json, lag: int, start: int) -> bool:
    given = refutation("realisation", {"kind": "tail", "lag": lag, "start": start})
    return judge(score(b, [], refutations=[given])).accepted


@pytest.mark.parametrize(
    ("expression", "different"),
    [
        (Q, True),
        (LAG, False),
        (["sum", Q, ["product", MINUS, K]], False),
        (["product", Q, K], True),
        (["cos", ["sum", Q, ["product", MINUS, K]]], False),
        (["cos", ["sum", Q, K]], True),
        (["sin", ["product", num((1, "pi")), Q]], False),  # 0 at every whole position
        (["sin", ["product", num((1, "pi", 1), (1, "r")), Q]], True),
        (["power", ["sum", Q, ONE], MINUS], True),
        (["power", ["product", MINUS, Q], MINUS], False),  # 1/−1: a divisor has to be positive
        (["power", ["sum", Q, TWO], num("1/2")], True),
        (["power", ["product", MINUS, Q], num("1/2")], False),
        (["power", K, MINUS], False),
        (["power", Q, num((1, "r"))], False),
        (["log", ["sum", Q, ONE]], True),
        (["log", K], False),
        (["exp", ["product", MINUS, Q]], True),
        (["exp", ["product", num(10**6), Q]], False),
        (["choice", Q, ZERO, ONE, num(3)], True),
        (["choice", Q, ZERO, ONE], False),  # no third one
        (["choice", ["product", num("1/2"), Q], ZERO, ONE], False),
        (["choice", ["sum", Q, num(-3)], ZERO, ONE], False),
        (["at-least", Q, TWO], True),
        (["at-least", Q, num(3)], False),
        (["at-least", Q, ["product", TWO, ONE]], False),  # 2 against a ball around 2
        (["choice", ["at-least", Q, TWO], ["log", K], ONE], False),
        (["choice", ["at-least", TWO, Q], ["log", num(-1)], Q], True),
        (["range", K, Q, "step"], True),
        (["range", ["sum", K, ONE], Q, ONE], False),
        (["range", Q, K, "step"], False),  # empty
        ("step", False),
        (["sum", ["range", K, Q, ONE], "step"], False),
        (["product", num((1, "l")), Q], True),
        (["product", num((1, "big")), Q], False),  # it has no enclosure
    ],
)
def test_scores_at_two_pairs_of_one_lag(expression: Json, different: bool) -> None:
    big = define("big", "exp", num(10**6))
    assert differ(expression, definitions=[SQRT2, LOG2, PI, big]) == different


def test_positions_of_a_witness() -> None:
    """t ≥ s ≥ 0, of one lag; a score is not stated elsewhere."""
    for first, second, right in (
        (["1", "0"], ["2", "1"], True),
        (["3/2", "1/2"], ["2", "1"], True),
        (["1", "0"], ["2", "0"], False),
        (["0", "1"], ["1", "2"], False),
        (["0", "-1"], ["1", "0"], False),
        (["1", "0"], ["1", "0"], False),
        (["1", "0", "0"], ["2", "1"], False),
        (["1"], ["2", "1"], False),
        ([1, 0], ["2", "1"], False),
    ):
        assert differ(Q, first, second) == right


def test_claims_of_a_score() -> None:
    for claim in ("relativity", "index-time", "one-length"):
        assert judge(pairs(Q, ["1", "0"], ["2", "1"], claim)).accepted
        assert judge(score(LAG, [claim])).accepted
        assert not judge(score(Q, [claim])).accepted
    for claim in ("realisation", "invariance", "orbit", "homomorphism"):
        assert not judge(pairs(Q, ["1", "0"], ["2", "1"], claim)).accepted
    assert not judge(score(LAG, ["realisation"])).accepted
    assert not judge(score(LAG, ["orbit"])).accepted
    assert judge(score(["log", ["sum", ONE, LAG]], ["invariance"])).accepted


@pytest.mark.parametrize(
    ("expression", "refuted"),
    [
        (["log", ["sum", ONE, LAG]], True),
        (["product", num((-1, "l")), ["log", ["sum", ONE, ["product", TWO, LAG]]]], True),
        (["product", ZERO, ["log", ["sum", ONE, LAG]]], False),
        (["log", ["sum", ONE, ["product", MINUS, LAG]]], False),  # of negative numbers
        (["log", TWO], False),
        (["log", ["log", ["sum", TWO, LAG]]], False),  # beyond the rules
        (LAG, False),
        (["power", LAG, TWO], False),
        (["power", LAG, num("3/2")], True),
        (["power", LAG, MINUS], True),
        (["power", ["power", LAG, num("1/2")], TWO], False),
        (["product", ["power", LAG, num("1/2")], ["power", LAG, num("1/2")]], False),
        (["power", ["product", MINUS, LAG], num("1/2")], False),
        (["power", LAG, num((1, "r"))], False),
        (["sum", LAG, ["log", LAG]], False),  # the first term alone is looked at
        (["sum", ["power", LAG, num("3/2")], LAG], True),
        (
            ["sum", ["power", LAG, num("3/2")], ["product", MINUS, ["power", LAG, num("3/2")]]],
            False,
        ),
        (["product", ["log", LAG], ["power", ["log", LAG], MINUS]], False),
        (["product", num((1, "r"), (-1, "s")), ["log", LAG]], False),  # √2 − √2
        (["exp", LAG], False),
        (["log", ["sum", ONE, Q]], False),
    ],
)
def test_growth_of_no_group(expression: Json, refuted: bool) -> None:
    """b(n)/(n^e·(log n)^l) tends to a number that is not 0; l ≠ 0, or e none of 0, 1, 2, …"""
    again = {**SQRT2, "name": "s"}
    assert growing(expression, definitions=[SQRT2, again, LOG2]) == refuted


def test_a_tail_that_is_constant() -> None:
    """T5: a table of buckets, the last of which begins at lag 3."""
    bucket = ["sum", *(["at-least", LAG, num(n)] for n in (1, 3))]
    table = ["choice", bucket, ONE, TWO, ZERO]
    assert tail(table, 0, 3)
    assert tail(table, 2, 7)
    assert not tail(table, 0, 2)
    assert not tail(table, 3, 4)
    assert not tail(["choice", bucket, ZERO, TWO, ZERO], 0, 3)
    assert not tail(["sum", table, LAG], 0, 3)
    assert not tail(["choice", ["at-least", num(3), LAG], ZERO, ONE], 0, 4)
    assert not tail(["choice", ["at-least", LAG, LAG], ZERO, ONE], 0, 4)
    assert not tail(["at-least", LAG, num((1, "r"))], 0, 4)
    assert not tail(["at-least", Q, ONE], 0, 3)


def test_an_orbit_is_moved_by_its_generator() -> None:
    half = Fraction(1, 2)
    rates = {"x": num((1, "i")), "y": num((-1, "i"))}
    sine = num((-half, "x", "i"), (half, "y", "i"))
    cosine = num((half, "x"), (half, "y"))
    turn = [[ZERO, ONE], [MINUS, ZERO]]
    for generator, table, right in (
        (turn, [sine, cosine], True),
        (turn, [cosine, sine], False),
        (turn, [ZERO, ZERO], True),
        ([[ZERO, MINUS], [ONE, ZERO]], [sine, cosine], False),
        (turn, [sine], False),
        ([[ZERO]], [sine, cosine], False),
    ):
        orbit = {"generator": generator, "table": table}
        assert judge(score(Q, ["orbit"], rates=rates, orbit=orbit)).accepted == right


def test_maps_of_two_steps() -> None:
    first, second = [[0, 0, ONE]], [[0, 1, ONE]]
    place = {"kind": "entry", "first": 0, "second": 1, "row": 0, "column": 1}

    def made(*matrices: Json, **changed: int) -> Json:
        given = [refutation("commuting-steps", {**place, **changed})]
        return maps(list(matrices), 2, ["composition"], refutations=given)

    assert judge(made(first, second)).accepted
    for other in ({"row": 1}, {"column": 0}, {"second": 0}, {"first": 2}, {"column": 2}):
        assert not judge(made(first, second, **other)).accepted
    assert not judge(made(first, first)).accepted
    assert judge(maps([first, first], 2, ["composition", "commuting-steps"])).accepted
    assert not judge(maps([first, second], 2, ["commuting-steps"])).accepted
    assert not judge(maps([], 2, [])).accepted


@pytest.mark.parametrize(
    "expression",
    [
        None,
        1,
        {},
        "time",
        ["sum"],
        ["log"],
        ["log", Q, K],
        ["power", Q],
        ["at-least", Q],
        ["range", K, Q],
        ["maximum", Q, K],
        ["sum", "unknown"],
        ["product", [["1", {"unknown": 1}]], Q],
        ["sum", [["1", {"t": 1}]]],
        ["sum", [["1", {"i": 1}]]],
        ["sum", ["1", {}]],
        [1, Q],
        [None],
    ],
)
def test_expressions_of_another_form(expression: Any) -> None:
    result = judge(score(expression, []))
    assert not result.accepted
    assert "score" in result.reason


def test_deep_and_long_expressions_end_soon() -> None:
    deep: Json = Q
    for _ in range(40):
        deep = ["sum", deep, ONE]
    assert "nested too deeply" in judge(score(deep, [])).reason
    loops: Json = "step"
    for _ in range(8):
        loops = ["range", ZERO, num(4000), loops]
    assert "work limit" in judge(pairs(loops, ["1", "0"], ["2", "1"])).reason
    far = ["range", ZERO, num(10**150), ONE]
    assert "work limit" in judge(pairs(far, ["1", "0"], ["2", "1"])).reason
    power: Json = Q
    for _ in range(12):
        power = ["power", ["sum", power, TWO], num(1000)]
    assert "too large" in judge(pairs(power, ["1", "0"], ["2", "1"])).reason


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
                (sin(exact(x % 8000)), mp.sin(value - 8000 * mp.floor(value / 8000))),
                (cos(exact(x % 8000)), mp.cos(value - 8000 * mp.floor(value / 8000))),
            ):
                assert abs(ball.re * unit - right) <= ball.radius * unit < mp.mpf(10) ** -60
        wide = log(checker.balls.between(Fraction(1, 2), Fraction(3)))
        assert wide.ends[0] <= -Fraction(693, 1000) < Fraction(1098, 1000) <= wide.ends[1]
