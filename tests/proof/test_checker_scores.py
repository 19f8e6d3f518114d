"""Scores that no group gives, evaluated by the checker: what it accepts, and what it refuses."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

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
    root,
    score,
)

MINUS = num(-1)
Q, LAG = num((1, "query")), num((1, "lag"))
PLUS = define("y", "log", num(1, (1, "query")))
Y = num((1, "y"))


def pairs(
    b: Json, first: Json, second: Json, *positions: Json, claim: str = "relativity", **fields: Json
) -> Json:
    """Refuted by two pairs of positions."""
    witness = {"kind": "pairs", "first": first, "second": second}
    return score(b, [], *positions, refutations=[refutation(claim, witness)], **fields)


def differ(b: Json, *positions: Json, **fields: Json) -> bool:
    """At (1, 0) and (2, 1)."""
    return judge(pairs(b, ["1", "0"], ["2", "1"], *positions, **fields)).accepted


def growing(b: Json, *positions: Json, **fields: Json) -> bool:
    given = refutation("realisation", {"kind": "growth"})
    return judge(score(b, ["invariance"], *positions, refutations=[given], **fields)).accepted


def tail(b: Json, lag: int, start: int, *positions: Json) -> bool:
    given = refutation("realisation", {"kind": "tail", "lag": lag, "start": start})
    return judge(score(b, [], *positions, refutations=[given])).accepted


def wave(name: str, of: Json) -> Json:
    return define(name, "cos", of)


@pytest.mark.parametrize(
    ("b", "positions", "different"),
    [
        (Q, [], True),
        (LAG, [], False),
        (num((1, "query"), (-1, "key")), [], False),
        (num((1, "query", "key")), [], True),
        (num((1, "query", 2), (-1, "key", 2)), [], True),
        (Y, [wave("y", num((1, "query"), (-1, "key")))], False),
        (Y, [wave("y", num((1, "query"), (1, "key")))], True),
        (Y, [wave("y", num((1, "pi", "query"), ("-1/2", "pi")))], False),  # 0 at every position
        (Y, [wave("y", num((1, "pi", "query"), (1, "r", "query")))], True),
        (num((1, "y", -1)), [root("y", 1, num(1, (1, "query")))], True),
        (num((1, "query", -1)), [], True),
        (num((1, "key", -1)), [], False),  # a division by 0
        (num((1, "y", -1)), [root("y", 1, num((-1, "query")))], False),  # roots of positive numbers
        (Y, [root("y", 2, num(2, (1, "query")))], True),
        (Y, [root("y", 2, num((1, "key")))], False),
        (Y, [PLUS], True),
        (Y, [define("y", "log", num((1, "key")))], False),
        (Y, [define("y", "exp", num((-1, "query")))], True),
        (Y, [define("y", "exp", num((10**6, "query")))], False),  # it has no enclosure
        (Y, [define("y", "at-least", num(-2, (1, "query")))], True),
        (Y, [define("y", "at-least", num(-3, (1, "query")))], False),
        (Y, [define("y", "at-least", num((1, "r", "query"), (-1, "s", "query")))], False),
        (num((1, "z")), [PLUS, define("z", "exp", Y)], True),
        (num((1, "z")), [PLUS, define("z", "exp", num((1, "y"), (-1, "y")))], False),
        (num((1, "z")), [define("z", "exp", Y), PLUS], False),  # not in order
        (num((1, "z")), [], False),
        (Y, [PLUS, PLUS], False),
        (num((1, "l", "query")), [], True),
        (num((1, "big", "query")), [], False),
        (num((1, "t")), [], False),
        (num((1, "i")), [], False),
        (num((1, "query", "i")), [], False),
    ],
)
def test_scores_at_two_pairs_of_one_lag(b: Json, positions: list[Json], different: bool) -> None:
    big = define("big", "exp", num(10**6))
    definitions = [SQRT2, {**SQRT2, "name": "s"}, LOG2, PI, big]
    assert differ(b, *positions, definitions=definitions) == different


def test_a_step_in_the_place_of_a_case() -> None:
    """[query >= 2]·log(query) + [query < 2]: each summand is defined, but log 0 is not."""
    case = define("a", "at-least", num(-2, (1, "query")))
    b = num((1, "a", "y"), 1, (-1, "a"))
    assert differ(b, case, define("y", "log", Q))
    assert not differ(b, case, define("y", "log", num((1, "key"))))


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
        assert judge(pairs(Q, first, second)).accepted == right


def test_claims_of_a_score() -> None:
    for claim in ("relativity", "index-time", "one-length"):
        assert differ(Q, claim=claim)
        assert judge(score(LAG, [claim])).accepted
        assert not judge(score(Q, [claim])).accepted
        assert not judge(score(Y, [claim], PLUS)).accepted
    for claim in ("realisation", "invariance", "orbit", "homomorphism"):
        assert not differ(Q, claim=claim)
    for claim in ("realisation", "orbit"):
        assert not judge(score(LAG, [claim])).accepted
    assert judge(score(Y, ["invariance"], define("y", "log", num(1, (1, "lag"))))).accepted


A, D = num(1, (1, "lag")), num(1, (2, "lag"))


@pytest.mark.parametrize(
    ("b", "y", "refuted"),
    [
        (Y, define("y", "log", A), True),
        (num((-1, "l", "y")), define("y", "log", D), True),
        (num((-1, "l", "y")), define("y", "log", num(1, (1, "r", "lag"))), True),
        (num((1, "y", 2)), define("y", "log", A), True),
        (num((1, "y", -1)), define("y", "log", A), True),
        (ZERO, define("y", "log", A), False),
        (Y, define("y", "log", num(1, (-1, "lag"))), False),  # of negative numbers
        (Y, define("y", "log", num(2)), False),
        (Y, define("y", "log", num((1, "lag", 2))), False),  # beyond the rules
        (LAG, define("y", "log", A), False),
        (num((1, "lag", 2)), define("y", "log", A), False),
        (Y, root("y", 2, LAG), True),
        (num((1, "y", 3)), root("y", 2, LAG), True),
        (num((1, "y", -1)), root("y", 1, A), True),
        (num((1, "y", 2)), root("y", 2, LAG), False),
        (Y, root("y", 2, num((-1, "lag"))), False),
        (Y, root("y", 2, num((1, "r", "lag"), (-1, "s", "lag"))), False),  # √2 − √2
        (num((1, "y"), (1, "lag")), define("y", "log", A), False),  # two terms
        (num((1, "y", "lag")), define("y", "log", A), False),
        (num((1, "y", "n")), define("y", "log", A), False),  # log 1 = 0
        (Y, define("y", "exp", LAG), False),
        (Y, wave("y", LAG), False),
        (Y, define("y", "log", num(1, (1, "query"))), False),
        (num((1, "z")), define("y", "log", A), False),
    ],
)
def test_growth_of_no_group(b: Json, y: Json, refuted: bool) -> None:
    """b(n)/(n^e·(log n)^l) tends to a number that is not 0; l ≠ 0, or e none of 0, 1, 2, …"""
    definitions = [SQRT2, {**SQRT2, "name": "s"}, LOG2, define("n", "log", ONE)]
    assert growing(b, y, definitions=definitions) == refuted


def test_growth_of_a_score_beside_what_has_no_value() -> None:
    """b = log(1 + lag), and beside it the root of 1, or of 0, which is no number."""
    grows = refutation("realisation", {"kind": "growth"})
    y = define("y", "log", num(1, (1, "lag")))
    assert judge(score(Y, [], y, refutations=[grows])).accepted
    assert not judge(score(Y, [], root("n", 2, ZERO), y, refutations=[grows])).accepted


@pytest.mark.parametrize("place", ["slope", "rest", "factor"])
def test_a_score_that_divides_by_0_has_no_growth(place: str) -> None:
    """b = z^e·log(1·z^e + lag·z^e) with z = log 1, or a parameter that is 0: no value anywhere."""
    for e in (1, -1):
        z = {name: ("z", e) if name == place else () for name in ("slope", "rest", "factor")}
        y = define("y", "log", num((1, *z["rest"]), (1, "lag", *z["slope"])))
        b = num((1, "y", *z["factor"]))
        grows = refutation("realisation", {"kind": "growth"})
        two = [define("z", "log", num(3 if e > 0 else 1))]
        document = score(b, [], y, definitions=two, refutations=[grows])
        assert judge(document).accepted == (e > 0)
        at = {"z": "3" if e > 0 else "0"}
        document = score(b, [], y, parameters={"z": "real"}, refutations=[{**grows, "values": at}])
        assert judge(document).accepted == (e > 0)


def test_a_tail_that_is_constant() -> None:
    """T5: a table of buckets, the last of which begins at lag 3."""
    first = define("a", "at-least", num(-1, (1, "lag")))
    last = define("b", "at-least", num(-3, (1, "lag")))
    table = num(1, (1, "a"), (-2, "b"))  # 1, 2, 0
    assert tail(table, 0, 3, first, last)
    assert tail(table, 2, 7, first, last)
    assert not tail(table, 0, 2, first, last)
    assert not tail(table, 3, 4, first, last)
    assert not tail(num((2, "a"), (-2, "b")), 0, 3, first, last)
    assert not tail(num(1, (1, "a"), (1, "lag")), 0, 3, first)
    for other in (
        define("a", "at-least", num(3, (-1, "lag"))),
        define("a", "at-least", num(-1, (2, "lag"))),
        define("a", "at-least", num(-1, (1, "lag", 2))),
        define("a", "at-least", num(-1, (1, "lag"), (1, "lag", 2))),
        define("a", "at-least", num((-1, "r"), (1, "lag"))),
        define("a", "at-least", num(-1, (1, "query"))),
        define("a", "log", num(1, (1, "lag"))),
    ):
        assert not tail(num((1, "a")), 0, 4, other)
    moved = define("c", "exp", num((1, "a")))  # a function of what is constant
    assert tail(num((1, "c")), 0, 1, first, moved)


def test_an_orbit_is_moved_by_its_generator() -> None:
    half = Fraction(1, 2)
    rates = {"x": num((1, "i")), "y": num((-1, "i"))}
    sine = num((-half, "x", "i"), (half, "y", "i"))
    cosine = num((half, "x"), (half, "y"))
    turn = [[0, 1, ONE], [1, 0, MINUS]]
    for generator, table, right in (
        (turn, [sine, cosine], True),
        (turn, [cosine, sine], False),
        (turn, [ZERO, ZERO], True),
        ([[0, 1, MINUS], [1, 0, ONE]], [sine, cosine], False),
        (turn, [sine], False),
        ([], [sine, cosine], False),
    ):
        orbit = {"generator": generator, "table": table}
        assert judge(score(Q, ["orbit"], rates=rates, orbit=orbit)).accepted == right


def test_maps_of_two_steps() -> None:
    first, second = [[0, 0, ONE]], [[0, 1, ONE]]
    place = {"kind": "entry", "index": 0, "row": 0, "column": 1, "time": "0"}

    def made(*matrices: Json, **changed: int) -> Json:
        given = [refutation("commuting-steps", {**place, **changed})]
        return maps(list(matrices), 2, ["composition"], refutations=given)

    assert judge(made(first, second)).accepted
    for other in ({"row": 1}, {"column": 0}, {"index": 1}, {"column": 2}):
        assert not judge(made(first, second, **other)).accepted
    assert judge(made(first, second, first, index=2)).accepted
    assert not judge(made(first, second, first, index=1)).accepted
    assert not judge(made(first, first)).accepted
    assert judge(maps([first, first], 2, ["composition", "commuting-steps"])).accepted
    assert not judge(maps([first, second], 2, ["commuting-steps"])).accepted
    assert not judge(maps([], 2, [])).accepted


@pytest.mark.parametrize("b", [None, 1, {}, "query", ["sum"], [["1", {"unknown": 1}]], [None]])
def test_scores_of_another_form(b: Any) -> None:
    result = judge(score(b, []))
    assert not result.accepted
    assert "score" in result.reason


def test_large_powers_end_soon() -> None:
    steps = [root("y0", 1, num(2, (1, "query")))]
    steps += [root(f"y{i}", 1, num(2, (1, f"y{i - 1}", 1000))) for i in range(1, 12)]
    reason = judge(pairs(num((1, "y11")), ["1", "0"], ["2", "1"], *steps)).reason
    assert "too large" in reason
    terms = num(*[(1, "query", k) for k in range(1, 900)])
    reason = judge(pairs(terms, ["1" * 150, "0"], ["2" + "1" * 149, "1" + "0" * 149])).reason
    assert "work limit" in reason


@pytest.mark.parametrize("name", ["query", "key", "lag"])
def test_no_other_number_has_the_name_of_a_position(name: str) -> None:
    """Its value would be hidden in definitions of it: exp(key) would be of the lag alone."""
    g = define("g", "exp", num((1, name)))
    for parameter, right in ((name, False), ("other", True)):
        g["of"] = num((1, parameter))
        fields: Json = {"parameters": {parameter: "real"}, "definitions": [g]}
        result = judge(score(num((1, "g")), ["relativity"], **fields))
        assert result.accepted == right, result.reason
    step = define(name, "exp", num((1, "lag")))
    assert judge(score(LAG, ["invariance"], step)).reason == "positions: a name is taken"


@pytest.mark.parametrize("name", ["i", "t", "r", "x", "y"])
def test_steps_have_names_of_their_own(name: str) -> None:
    steps = [define("y", "exp", LAG), define(name, "log", num(1, (1, "lag")))]
    fields: Json = {"definitions": [SQRT2], "rates": {"x": ONE}}
    assert judge(score(Y, ["invariance"], *steps, **fields)).reason == "positions: a name is taken"


@pytest.mark.parametrize("degree", [0, 1025, 4095])
def test_the_degree_of_a_step(degree: int) -> None:
    for b in (Y, num((1, "y", -1))):
        assert not growing(b, root("y", degree, num(1, (1, "lag"))))
    assert growing(Y, root("y", 1024, num(1, (1, "lag"))))
