"""The independent checker: what it accepts, and above all what it refuses.

Every attack is refused for its own reason: the same document without it is accepted.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from mpmath import mp  # type: ignore[import-untyped]

from symbolic_pe.proof import checker
from symbolic_pe.proof.checker import canonical_digest, check_certificate, check_text
from symbolic_pe.proof.checker.balls import BITS, Ball, exact, exp
from symbolic_pe.proof.checker.numbers import Field
from symbolic_pe.proof.checker.positions import rank
from tests.proof.documents import (
    LAWS,
    LOG2,
    ONE,
    PI,
    SQRT2,
    ZERO,
    alibi,
    axes,
    block,
    chain,
    define,
    digest,
    encoding,
    entries,
    head,
    judge,
    logarithm,
    norm,
    num,
    refutation,
    root,
    rotation,
    scalar,
    sealed,
    step,
)

Json = Any


def one_head(made: tuple[Json, Json], claims: list[str], **fields: Json) -> Json:
    item, rates = made
    parts = {key: fields.pop(key) for key in ("generator", "basis", "norm") if key in fields}
    return encoding([head(item, **parts)], claims, **{"rates": rates, **fields})


def plain(**fields: Json) -> Json:
    """A plane that turns by √2·t; every claim holds."""
    claims = [*LAWS, "orthogonality", "bounded-causal", "bounded-all"]
    given = {"definitions": [SQRT2], "pairing": "one-map", "norm": norm([ONE, ONE]), **fields}
    return one_head(rotation(1, "r"), given.pop("claims", claims), **given)


def refused(document: Json, *parts: str) -> None:
    result = judge(document)
    assert not result.accepted
    for part in parts:
        assert part in result.reason, result.reason


def accepted(document: Json) -> None:
    result = judge(document)
    assert result.accepted, result.reason


# --- what is accepted ---------------------------------------------------------------------------


def test_a_rotation_with_every_claim() -> None:
    document = plain()
    result = check_certificate(document)
    assert result.accepted, result.reason
    assert result.claims == tuple((claim, "proved") for claim in document["claims"])
    assert check_text(json.dumps(document)) == result
    assert canonical_digest(document) == document["digest"] == digest(document)


def test_a_basis_with_roots() -> None:
    """X = [[0, 2], [1, 0]] with the eigenvalues ±√2."""
    r, less, quarter = num((1, "r")), num((-1, "r")), Fraction(1, 4)
    basis = {
        "P": [[r, less], [ONE, ONE]],
        "Q": [[num((quarter, "r")), num("1/2")], [num((-quarter, "r")), num("1/2")]],
    }
    (one, x), (two, y) = scalar(r, "x", 0), scalar(less, "y", 1)
    made = head(one, two, generator=entries([[ZERO, num(2)], [ONE, ZERO]]), basis=basis)
    document = encoding([made], LAWS, definitions=[SQRT2], rates=x | y)
    accepted(document)
    for side, other in (("P", "XP = PJ"), ("Q", "PQ = I")):
        for i in range(2):
            for j in range(2):
                wrong = json.loads(json.dumps(document))
                wrong["heads"][0]["basis"][side][i][j] = num(3)
                refused(wrong, other)


def test_a_matrix_with_parameters_has_an_annihilating_polynomial() -> None:
    """[[0, 1], [−w², −2zw]] for every w and z, also where eigenvalues meet."""
    w2, zw = num((1, "w", 2)), num((2, "w", "z"))
    x = [[ZERO, ONE], [num((-1, "w", 2)), num((-2, "w", "z"))]]
    parameters = {"w": "real", "z": "real"}
    for polynomial, right in (([w2, zw], True), ([w2, num((1, "w", "z"))], False), ([w2], False)):
        made = block([0, 1], x, None, polynomial)
        document = one_head((made, {}), LAWS, parameters=parameters)
        assert judge(document).accepted == right
    both = block([0, 1], x, x, [w2, zw])
    refused(one_head((both, {}), LAWS, parameters=parameters), "either an exponential")
    refused(one_head((block([0, 1], x), {}), LAWS, parameters=parameters), "either an exponential")


def test_definitions_are_rewritten_by_their_values() -> None:
    """cos, sin of √(1 + w)·t: (i·f)² = −(1 + w)."""
    f, y = root("f", 2, num(1, (1, "w"))), num((-1, "f", "i"))
    half = Fraction(1, 2)
    cos = num((half, "x"), (half, "y"))
    upper = num((-half, "x", "i", "f", -1), (half, "y", "i", "f", -1))
    lower = num((half, "x", "i", "f"), (-half, "y", "i", "f"))
    x = [[ZERO, ONE], [num(-1, (-1, "w")), ZERO]]
    made = block([0, 1], x, [[cos, upper], [lower, cos]])
    rates = {"x": num((1, "f", "i")), "y": y}
    for word, right in (("positive", True), ("nonnegative", True), ("real", False)):
        fields: Json = {"parameters": {"w": word}, "definitions": [f], "rates": rates}
        assert judge(one_head((made, {}), LAWS, **fields)).accepted == right
    wrong = {**f, "of": num(2, (1, "w"))}
    fields = {"parameters": {"w": "positive"}, "definitions": [wrong], "rates": rates}
    refused(one_head((made, {}), LAWS, **fields), "E' = XE")


def test_exponentials_with_powers_of_t_and_products() -> None:
    """e^{at}·t belongs to a chain; y = x⁻¹ is the same as its own rate."""
    accepted(one_head(chain(num(-1)), LAWS))
    item, rates = rotation(1)
    inverse = json.loads(json.dumps(item).replace('"y": 1', '"x": -1'))
    accepted(one_head((inverse, {"x": rates["x"]}), LAWS))
    double = json.loads(json.dumps(item).replace('"y": 1', '"x": -2'))
    refused(one_head((double, {"x": rates["x"]}), LAWS), "E' = XE")


# --- orthogonality, one map, bounds -------------------------------------------------------------


def test_one_map_and_orthogonality_need_a_skew_generator() -> None:
    for claim in ("orthogonality", "relativity"):
        document = one_head(scalar(num(-1)), [claim], pairing="one-map")
        refused(document, f"{claim} is not shown")
        accepted(one_head(scalar(ZERO), [claim], pairing="one-map"))
    accepted(one_head(scalar(num(-1)), ["relativity"]))


@pytest.mark.parametrize(
    ("rate", "causal", "everywhere"),
    [
        (ZERO, True, True),
        (num(-1), True, False),
        (num(1), False, False),
        (num((1, "l"), -1), True, False),  # log 2 < 1
        (num((1, "l"), "-1/2"), False, False),
        (num((1, "pi"), -3), False, False),
        (num((1, "pi"), (-1, "r"), -2), True, False),
        (num((-1, "w")), True, False),
        (num((-1, "v", 2)), True, False),
        (num((-1, "v")), False, False),
        (num((-1, "w"), (1, "n", 3)), True, False),
        (num((-1, "w"), 1), False, False),
        (num((-1, "e")), True, False),
        (num((1, "k")), False, False),  # log(w) of a positive w has any sign
    ],
)
def test_signs_of_rates(rate: Json, causal: bool, everywhere: bool) -> None:
    """A rate is judged by the signs of its terms, or by enclosures that are verified."""
    fields: Json = {
        "parameters": {"w": "positive", "v": "real", "n": "negative"},
        "definitions": [
            SQRT2,
            LOG2,
            PI,
            define("e", "exp", num((1, "w"))),
            define("k", "log", num((1, "w"))),
        ],
    }
    falls = [(times(-2, rate), [[0, ONE]])] if rate else []
    for claim, holds, loss in (
        ("bounded-causal", causal, falls),
        ("bounded-all", everywhere, falls),
        ("bounded-all", everywhere, []),
        ("bounded-causal", everywhere, []),
    ):
        document = one_head(scalar(rate), [claim], norm=norm([ONE], *loss), **fields)
        assert judge(document).accepted == holds


def times(c: int, number: Json) -> Json:
    """c·number."""
    return [[str(c * Fraction(x)), atoms] for x, atoms in number]


def sheared(a: Json, p: Json, kappa: Json, rest: list[Json]) -> Json:
    """diag(1, p) for [[a, 1], [0, a]]: −2a·x² − 2xy − 2ap·y² = (1/κ)·(x − κy)² + rest."""
    (c, atoms) = kappa[0]
    inverse = [[str(1 / Fraction(c)), {name: -e for name, e in atoms.items()}]]
    squares = [(x, [[i, ONE]]) for i, x in enumerate(rest)]
    return norm([ONE, p], (inverse, [[0, ONE], [1, times(-1, kappa)]]), *squares)


def test_a_decay_has_to_dominate_the_shear() -> None:
    """[[a, 1], [0, a]], z² < 4a²·p; none helps a = 0. M = [[-2a, -1], [-1, -2ap]]."""
    w, inverse = num((1, "w")), num((1, "w", -2))
    minus = num((-1, "w"))
    for rate, p, kappa, rest, holds in (
        (num(-1), ONE, ONE, [ONE, ONE], True),
        (num(-1), ONE, num(2), [num("3/2"), ZERO], True),
        (num(-1), ONE, num(2), [num("3/2"), ONE], False),  # a loss that is not there
        (num(-1), ONE, num("1/2"), [ZERO, num("3/2")], True),
        (num("-1/4"), ONE, ONE, [num("-1/2"), num("-1/2")], False),
        (num("-1/4"), num(4), num(2), [ZERO, ZERO], True),
        (num("-1/4"), num(2), num(2), [ZERO, num(-1)], False),
        (ZERO, num(1000), ONE, [num(-1), num(-1)], False),
        (num(1), num(1000), ONE, [num(-3), num(-2001)], False),
        (minus, inverse, num((1, "w", -1)), [w, num((1, "w", -1))], True),
        (minus, ONE, ONE, [num((2, "w"), -1), num((2, "w"), -1)], False),
        (w, inverse, num((1, "w", -1)), [num((-3, "w")), num((-3, "w", -1))], False),
    ):
        fields: Json = {"parameters": {"w": "positive"}, "norm": sheared(rate, p, kappa, rest)}
        document = one_head(chain(rate), ["bounded-causal"], **fields)
        assert judge(document).accepted == holds, (rate, p, judge(document).reason)
    fields = {"norm": sheared(num(-1), ONE, ONE, [ONE, ONE])}
    refused(one_head(chain(num(-1)), ["bounded-all"], **fields), "the norm may fall")


def test_a_norm_that_is_not_diagonal() -> None:
    """x³ + x² + 2x + 1 has no basis of radicals; P is rational, with PX + XᵀP = −I."""
    x = [[ZERO, ONE, ZERO], [ZERO, ZERO, ONE], [num(-1), num(-2), num(-1)]]
    item = block([0, 1, 2], x, None, [ONE, num(2), ONE])
    squares = [(ONE, [[i, ONE]]) for i in range(3)]
    basis = [[[1, ONE], [2, num("1/5")]], [[2, num("2/5")]], []]
    weights = [num("5/2"), num("5/2"), num("3/2")]
    right = norm(weights, *squares, basis=basis)
    assert judge(one_head((item, {}), ["bounded-causal"], norm=right)).accepted
    wrong: list[Json] = [
        {**right, "basis": None},
        {**right, "basis": basis[:2]},
        {**right, "basis": [basis[0], [*basis[1], *basis[1]], []]},
        {**right, "basis": [basis[0], [[0, num("2/5")]], []]},
        {**right, "basis": [[[0, ONE], *basis[0]], *basis[1:]]},
        {**right, "basis": [basis[0], [*basis[1], [3, ONE]], []]},
        {**right, "loss": right["loss"][:2]},
        {**right, "weights": [*weights[:2], num(1)]},
        {**right, "weights": weights[:2]},
    ]
    for other in wrong:
        assert not judge(one_head((item, {}), ["bounded-causal"], norm=other)).accepted
    refused(one_head((item, {}), ["bounded-all"], norm=right), "the norm may fall")


@pytest.mark.parametrize(
    "weights",
    [
        None,
        [],
        [ONE],
        [ONE, ONE, ONE],
        [ONE, ZERO],
        [ZERO, ZERO],
        [num(-1), num(-1)],
        [num((1, "v")), num((1, "v"))],
        [num((1, "v", 2)), num((1, "v", 2))],
        [num((1, "n")), num((1, "n"))],
        [num((1, "q")), num((1, "q"))],
    ],
)
def test_weights_are_positive(weights: Json) -> None:
    """−1 in the place of a weight would turn decay into growth; v² may be 0."""
    words = {"w": "positive", "v": "real", "n": "negative", "q": "nonnegative"}
    given = None if weights is None else norm(weights)
    document = one_head(rotation(1), ["bounded-causal"], parameters=words, norm=given)
    refused(document, "norm")


def test_bounds_are_about_the_constant_coordinates_too() -> None:
    document = alibi(claims=["bounded-all"])
    refused(document, "norm: there is none")
    document["heads"][0]["norm"] = norm([ONE])
    refused(document, "norm: not one for every coordinate")
    document["heads"][0]["norm"] = norm([ONE, ONE, ONE])
    refused(document, "PJ + J^T P + loss = 0")
    document["claims"] = ["bounded-causal"]
    refused(document, "PJ + J^T P + loss = 0")
    refused({**alibi(), "claims": ["orthogonality"]}, "X + X^T = 0, row 1, column 2")
    accepted({**alibi(), "pairing": "one-map"})  # the two maps do not see them


# --- definitions --------------------------------------------------------------------------------


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
        (define("f", "log", num(2), degree=2), False),
        (define("f", "exp", ONE), True),
        (define("f", "exp", num((1, "v"))), True),
        (define("f", "exp", num(10**9)), True),  # it has no enclosure
        (define("f", "pi", ZERO), True),
        (define("f", "pi", ONE), False),
        (define("f", "cos", ONE), False),
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


# --- spelling of numbers ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "right"),
    [
        (num((1, "r")), True),
        (num((1, "r", 2)), False),
        (num((1, "r", -1)), False),
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
    assert reason.startswith("evidence is not shown: heads[0]: XP = PJ" if right else "heads[0]")


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


# --- evidence -----------------------------------------------------------------------------------


def test_an_exponential_that_is_not_one() -> None:
    """e^{2t} for the generator 1; 2·e^t; e^t + t; 1 for a generator that is not 0."""
    for f, part in (
        (num((1, "x", 2)), "E' = XE"),
        (num((2, "x")), "E(0) = I"),
        (num((1, "x"), (1, "t")), "E' = XE"),
        (ONE, "E' = XE"),
        (ZERO, "E(0) = I"),
        (num((1, "x"), 1), "E(0) = I"),
    ):
        refused(one_head((block([0], [[ONE]], [[f]]), {"x": ONE}), []), part)


@pytest.mark.parametrize("at", [[], [0], [0, 0], [0, 2], [1, 1], [0, 1, 2], [-1, 0], [0, "1"]])
def test_coordinates_are_a_permutation(at: Json) -> None:
    document = plain()
    document["heads"][0]["blocks"][0]["at"] = at
    refused(document, "heads[0].blocks")
    document["heads"][0]["blocks"][0]["at"] = [1, 0]
    refused(document, "XP = PJ")


def test_sizes_that_do_not_fit() -> None:
    for field, bad in (
        ("generator", [[ZERO]]),
        ("generator", [[ZERO, ZERO], [ZERO]]),
        ("exponential", [[ONE]]),
        ("exponential", []),
    ):
        document = plain()
        document["heads"][0]["blocks"][0][field] = bad
        refused(document, "heads[0].blocks")
    for rows in ([], [[ONE]]):
        document = plain()
        document["heads"][0]["basis"] = {"P": rows, "Q": rows}
        refused(document, "another size")
    for field in ("query", "key", "generator", "exponential"):
        document = alibi()
        document["augmentation"][0][field] = [[ONE]] if field[0] in "ge" else [ONE]
        refused(document, "augmentation[0]: sizes differ")


def altered_generators(generator: Json) -> Iterator[tuple[Json, str]]:
    """(other entries, how the refusal goes on)."""
    refuted, place = "evidence is not shown: heads[0]: XP = PJ", "heads[0].generator"
    (i, j, x), other = generator
    yield [[i, j, num((-1, "r"))] if x != num((-1, "r")) else [i, j, num((1, "r"))], other], refuted
    yield [[j, i, x]], refuted
    yield [other], refuted
    yield [*generator, [0, 0, num("1/3")]], refuted
    yield [*generator, [i, j, x]], place
    yield [*generator, [0, 0, ZERO]], place
    for bad in ([2, 0], [-1, 0], [0, 2], [0, "0"], [None, 0], [True, 0]):
        yield [[*bad, x], other], place
    for entry in ([i, x], [i, j], [i, j, x, x]):
        yield [entry, other], place


def test_an_altered_generator_entry_is_rejected() -> None:
    document = plain()
    generator = document["heads"][0]["generator"]
    for entries_, reason in altered_generators(generator):
        document["heads"][0]["generator"] = entries_
        refused(document, reason)
    document["heads"][0]["generator"] = generator[::-1]
    accepted(document)


def test_the_augmentation_is_decided() -> None:
    accepted(alibi())
    for bias in (num((-1, "m")), num((1, "m", "t")), num((-1, "t")), ZERO, num((-1, "m", "t", 2))):
        refused(alibi(bias), "augmentation is not shown")
    accepted(alibi(num((-1, "m")), claims=LAWS))  # a bias that nobody claims
    wrong = alibi(claims=[])
    wrong["augmentation"][0]["exponential"][0][1] = num((2, "t"))
    refused(wrong, "E' = XE")
    refused(plain(claims=["augmentation"]), "there is no augmentation")
    refused({**alibi(), "augmentation": []}, "one for every head")


# --- axes and steps -----------------------------------------------------------------------------

E01, E10, E22 = [[0, 1, ONE]], [[1, 0, ONE]], [[2, 2, num((1, "r"))]]


def test_axes_commute() -> None:
    every = ["initial-condition", "commutators", "homomorphism", "relativity"]
    accepted(axes([E01, E22, E01], 3, every, definitions=[SQRT2]))
    for claim in every[1:]:
        refused(axes([E01, E10], 3, [claim]), f"{claim} is not shown: axes 0 and 1")
    accepted(axes([E01, E10], 3, ["initial-condition"]))
    refused(axes([], 3, ["initial-condition"]), "axes")
    refused(axes([E22], 2, [], definitions=[SQRT2]), "outside")


def test_refuted_axes() -> None:
    witness = {"kind": "entry", "first": 0, "second": 1, "row": 0, "column": 0}
    given = [refutation("commutators", witness), refutation("homomorphism", witness)]
    result = judge(axes([E01, E10], 2, [], refutations=given))
    assert result.accepted
    assert result.claims == (("commutators", "refuted"), ("homomorphism", "refuted"))
    for wrong in ({"row": 1, "column": 0}, {"second": 0}, {"second": 2}, {"row": 2}, {"row": -1}):
        other = [refutation("commutators", {**witness, **wrong})]
        refused(axes([E01, E10], 2, [], refutations=other))
    refused(axes([E01, E10], 2, ["commutators"], refutations=given), "stated twice")
    refused(axes([E01, E10], 2, [], refutations=given, uncertified=["commutators"]), "twice")


EVERY_STEP = ["initial-condition", "homomorphism", "inverses", "generator"]
EYE = [[1, 0], [0, 1]]
ZEROS = [[0, 0], [0, 0]]


def test_steps_with_an_inverse() -> None:
    b, c = [[1, 1], [0, 2]], [[1, "-1/2"], [0, "1/2"]]
    accepted(step(b, EVERY_STEP[:3], inverse=c))
    refused(step(b, EVERY_STEP[:3], inverse=b), "BC = I")
    refused(step(b, EVERY_STEP[:3]), "inverses is not shown")
    accepted(step(b, EVERY_STEP[:2]))


@pytest.mark.parametrize(
    ("b", "inverse", "found", "right"),
    [
        # (x − 1)(x − 2) has no zero at x <= 0
        ([[1, 1], [0, 2]], [[1, "-1/2"], [0, "1/2"]], logarithm([2, -3], ZEROS), True),
        # a quarter turn: x² + 1, times 1 − x
        ([[0, -1], [1, 0]], [[0, 1], [-1, 0]], logarithm([1, 0], ZEROS, 1), True),
        ([[0, -1], [1, 0]], [[0, 1], [-1, 0]], logarithm([1, 0], ZEROS), False),
        ([[0, -1], [1, 0]], [[0, 1], [-1, 0]], logarithm([1, 1], ZEROS, 1), False),
        # −1 twice turns by π: K² = −1, and nothing is left for the polynomial 1
        ([[-1, 0], [0, -1]], [[-1, 0], [0, -1]], logarithm([], [[0, -1], [1, 0]]), True),
        ([[-1, 0], [0, -1]], [[-1, 0], [0, -1]], logarithm([], [[0, -1], [2, 0]]), False),
        ([[-1, 0], [0, -1]], [[-1, 0], [0, -1]], logarithm([], ZEROS), False),
        ([[-1, 0], [0, -1]], [[-1, 0], [0, -1]], logarithm([1], ZEROS), False),
        # one block at −1, or −1 and 1: K does not commute
        ([[-1, 1], [0, -1]], [[-1, -1], [0, -1]], logarithm([], [[0, -1], [1, 0]]), False),
        ([[-1, 0], [0, 1]], [[-1, 0], [0, 1]], logarithm([], [[0, -1], [1, 0]]), False),
        ([[-1, 0], [0, 1]], [[-1, 0], [0, 1]], logarithm([-1, 0], ZEROS, 5), False),
        # 0 is an eigenvalue; so 1 − x has no alternating signs with x
        ([[0, 0], [0, 1]], None, logarithm([0, -1], ZEROS), False),
        ([[0, 0], [0, 0]], None, logarithm([], [[0, -1], [1, 0]]), False),
    ],
)
def test_real_logarithms(b: Json, inverse: Json, found: Json, right: bool) -> None:
    document = step(b, EVERY_STEP, inverse=inverse, logarithm=found)
    assert judge(document).accepted == right
    refused(step(b, ["generator"], inverse=inverse), "generator is not shown")


def test_a_polynomial_with_multiple_roots_and_parts_that_turn() -> None:
    """−2 twice and a chain at 3: K on the first part, (x − 3)² on the rest."""
    b = [[-2, 0, 0, 0], [0, -2, 0, 0], [0, 0, 3, 1], [0, 0, 0, 3]]
    inverse = [["-1/2", 0, 0, 0], [0, "-1/2", 0, 0], [0, 0, "1/3", "-1/9"], [0, 0, 0, "1/3"]]
    k = [[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    accepted(step(b, EVERY_STEP, inverse=inverse, logarithm=logarithm([9, -6], k)))
    for polynomial in ([-3], [9, 6], [], [4, 4]):
        wrong = step(b, EVERY_STEP, inverse=inverse, logarithm=logarithm(polynomial, k))
        refused(wrong, "logarithm.annihilator")


@pytest.mark.parametrize(
    ("b", "witness", "right"),
    [
        ([[-1, 1], [0, -1]], {"eigenvalue": "-1", "size": 2}, True),
        ([[-1, 1], [0, -1]], {"eigenvalue": "-1", "size": 1}, False),
        ([[-1, 1], [0, -1]], {"eigenvalue": "-2", "size": 2}, False),
        ([[-1, 1], [0, -1]], {"eigenvalue": "-1", "size": 0}, False),
        ([[-1, 1], [0, -1]], {"eigenvalue": "-1", "size": 3}, False),
        ([[1, 1], [0, 1]], {"eigenvalue": "1", "size": 2}, False),
        ([[0, 0], [0, 1]], {"eigenvalue": "0", "size": 1}, False),
        ([[-1, 0], [0, -1]], {"eigenvalue": "-1", "size": 1}, False),
        ([[-1, 0], [0, "-1/2"]], {"eigenvalue": "-1/2", "size": 1}, True),
    ],
)
def test_an_odd_number_of_negative_blocks(b: Json, witness: Json, right: bool) -> None:
    given = [refutation("generator", {"kind": "odd-blocks", **witness})]
    assert judge(step(b, [], refutations=given)).accepted == right


def test_a_vector_that_a_step_forgets() -> None:
    for vector, right in (
        ([ONE, ZERO], True),
        ([num(-3), ZERO], True),
        ([num((1, "r")), ZERO], True),
        ([ZERO, ZERO], False),
        ([ONE, ONE], False),
        ([ONE], False),
    ):
        witness = {"kind": "null-vector", "vector": vector}
        for claim in ("inverses", "generator"):
            given = [refutation(claim, witness)]
            document = step([[0, 1], [0, 1]], [], refutations=given, definitions=[SQRT2])
            assert judge(document).accepted == right


# --- refutations of encodings ---------------------------------------------------------------------


def misquoted(lag: str = "3", values: Json = None, **fields: Json) -> Json:
    """[−m, 1] and [1, 0] give −m, not −m·τ."""
    given = refutation(
        "augmentation",
        {"kind": "lag", "head": 0, "lag": lag},
        {"m": "2"} if values is None else values,
    )
    document = alibi(claims=LAWS, refutations=[given])
    document["augmentation"][0] |= {"query": [num((-1, "m")), ONE], "key": [ONE, ZERO]}
    return {**document, **fields}


def test_a_bias_is_refuted_by_numbers() -> None:
    result = judge(misquoted())
    assert result.accepted
    assert ("augmentation", "refuted") in result.claims
    refused(misquoted("1"), "may be equal")
    accepted(misquoted("-7/2", {"m": "1/3"}))
    for values in ({}, {"m": "0"}, {"m": "-1"}, {"m": "1", "w": "1"}, {"w": "1"}, {"m": 1}):
        refused(misquoted(values=values))
    right = alibi(claims=LAWS, refutations=misquoted()["refutations"])
    refused(right, "augmentation is not shown", "may be equal")
    refused({**misquoted(), "claims": [*LAWS, "augmentation"]}, "stated twice")


def test_a_bias_with_waves_is_refuted_by_enclosures() -> None:
    """cos(√2·τ) claimed, cos(τ) realised: 1 at 0, different at 1."""
    item, rates = rotation(1)
    wave = num((Fraction(1, 2), "z"), (Fraction(1, 2), "z", -1))
    added = {
        "query": [ONE, ZERO],
        "key": [ONE, ZERO],
        "generator": item["generator"],
        "exponential": item["exponential"],
        "bias": wave,
    }
    for lag, right in (("1", True), ("0", False), ("1000000", False)):
        witness = {"kind": "lag", "head": 0, "lag": lag}
        document = encoding(
            [head(scalar(ZERO)[0])],
            LAWS,
            definitions=[SQRT2],
            rates={**rates, "z": num((1, "r", "i"))},
            augmentation=[added],
            refutations=[refutation("augmentation", witness)],
        )
        assert judge(document).accepted == right
    refused(document, "no enclosure")  # an exponential of what is too large


def test_a_point_puts_values_into_definitions() -> None:
    """f = √(1 + w) − 2 is 0 at w = 3, which is not seen to differ from 0; at w = 2 it differs."""
    f = root("f", 2, num(1, (1, "w")))
    for value, right in (("3", False), ("2", True), ("300000001/100000000", True), ("-2", False)):
        witness = {"kind": "entry", "first": 0, "second": 0, "row": 0, "column": 0}
        given = refutation("orthogonality", witness, {"w": value})
        fields: Json = {"parameters": {"w": "positive"}, "definitions": [f]}
        document = one_head(scalar(num((1, "f"), -2)), [], refutations=[given], **fields)
        assert judge(document).accepted == right


def test_an_entry_that_is_not_zero() -> None:
    def made(claim: str, pairing: str, made_of: tuple[Json, Json], **place: Json) -> Json:
        witness = {"kind": "entry", "first": 0, "second": 0, "row": 0, "column": 0, **place}
        return one_head(made_of, [], pairing=pairing, refutations=[refutation(claim, witness)])

    decay = scalar(num(-1))
    accepted(made("orthogonality", "contragredient", decay))
    accepted(made("relativity", "one-map", decay))
    refused(made("relativity", "contragredient", decay), "two maps")
    refused(made("orthogonality", "one-map", rotation(1)), "may be 0")
    refused(made("orthogonality", "one-map", rotation(1), column=1), "may be 0")
    refused(made("orthogonality", "one-map", decay, first=1))
    refused(made("orthogonality", "one-map", decay, second=1))
    refused(made("orthogonality", "one-map", decay, row=1))


I = num((1, "i"))  # noqa: E741


@pytest.mark.parametrize(
    ("made", "claim", "eigenvalue", "vector", "second", "right"),
    [
        (scalar(ONE), "bounded-causal", ONE, [ONE], None, True),
        (scalar(ONE), "bounded-all", ONE, [ONE], None, True),
        (scalar(ONE), "bounded-causal", ONE, [ZERO], None, False),
        (scalar(ONE), "bounded-causal", num(2), [ONE], None, False),
        (scalar(num(-1)), "bounded-causal", num(-1), [ONE], None, False),
        (scalar(num(-1)), "bounded-all", num(-1), [ONE], None, True),
        (rotation(1), "bounded-causal", I, [ONE, num((-1, "i"))], None, False),
        (rotation(1), "bounded-all", I, [ONE, num((-1, "i"))], None, False),
        (rotation(1), "bounded-all", I, [ONE, num((-1, "i"))], [ONE, ONE], False),
        (chain(ZERO), "bounded-causal", ZERO, [ONE, ZERO], [ZERO, ONE], True),
        (chain(ZERO), "bounded-all", ZERO, [ONE, ZERO], [ZERO, ONE], True),
        (chain(ZERO), "bounded-all", ZERO, [ONE, ZERO], [num(5), ONE], True),
        (chain(ZERO), "bounded-all", ZERO, [ZERO, ZERO], [ONE, ZERO], False),
        (chain(ZERO), "bounded-all", ZERO, [ONE, ZERO], None, False),
        (chain(ZERO), "bounded-all", ZERO, [ONE, ZERO], [ZERO, num(2)], False),
        (chain(num(-1)), "bounded-causal", num(-1), [ONE, ZERO], [ZERO, ONE], False),
        (chain(num(-1)), "bounded-all", num(-1), [ONE, ZERO], [ZERO, ONE], True),
    ],
)
def test_vectors_that_grow(  # noqa: PLR0917
    made: tuple[Json, Json], claim: str, eigenvalue: Json, vector: Json, second: Json, right: bool
) -> None:
    witness = {
        "kind": "growing-vector",
        "head": 0,
        "eigenvalue": eigenvalue,
        "vector": vector,
        "chain": second,
    }
    document = one_head(made, LAWS, refutations=[refutation(claim, witness)])
    assert judge(document).accepted == right


def test_forms_that_grow() -> None:
    """V = x² − y² for X = diag(1, −1): V' = 2x² + 2y² = V + x² + 3y², and V = 1 at (1, 0)."""
    item = block([0, 1], [[ONE, ZERO], [ZERO, num(-1)]], None, [num(-1), ZERO])

    def square(weight: Json, column: int) -> Json:
        return {"weight": num(weight), "row": [[column, ONE]]}

    right: Json = {
        "kind": "growing-form",
        "head": 0,
        "rate": "1",
        "form": [square(1, 0), square(-1, 1)],
        "gain": [square(1, 0), square(3, 1)],
        "vector": [ONE, ZERO],
    }
    backwards = {
        "rate": "-1",
        "form": [square(-1, 0), square(1, 1)],
        "gain": [square(-3, 0), square(-1, 1)],
        "vector": [ZERO, ONE],
    }

    def judged(claim: str = "bounded-causal", **fields: Json) -> bool:
        given = [refutation(claim, {**right, **fields})]
        return judge(one_head((item, {}), LAWS, refutations=given)).accepted

    assert judged()
    assert judged("bounded-all")
    assert judged("bounded-all", **backwards)
    assert not judged("bounded-causal", **backwards)
    assert judged(rate="2", gain=[square(4, 1)])
    for other in (
        {"rate": "0", "gain": [square(2, 0), square(2, 1)]},
        {"rate": "3", "gain": [square(-1, 0), square(5, 1)]},
        {"rate": "3"},
        {"gain": right["gain"][:1]},
        {"form": right["form"][:1]},
        {"vector": [ZERO, ONE]},
        {"vector": [ONE, ONE]},
        {"vector": [ONE]},
        {"head": 1},
        {"form": [square(1, 0), square(-1, 2)]},
    ):
        assert not judged(**other), other


def test_witnesses_belong_to_their_claims() -> None:
    witness = {"kind": "lag", "head": 0, "lag": "3"}
    for claim in ("orthogonality", "relativity", "bounded-all", "homomorphism", "inverses"):
        document = misquoted(claims=[], refutations=[refutation(claim, witness, {"m": "2"})])
        refused(document, "no witness" if claim != "inverses" else "refutations[0].claim")
    other = {"kind": "null-vector", "vector": [ONE]}
    document = misquoted(refutations=[refutation("augmentation", other, {"m": "2"})])
    refused(document, "refutations[0].witness.kind")


# --- form and limits ----------------------------------------------------------------------------


def test_claims_are_stated_once() -> None:
    base = plain(claims=LAWS)
    accepted({**base, "uncertified": ["orthogonality"]})
    refused({**base, "uncertified": ["relativity"]}, "stated twice")
    refused({**base, "claims": [*LAWS, "relativity"]}, "stated twice")
    for field in ("claims", "uncertified"):
        for claim in ("uniqueness", "generator", "commutators", None, 1, ["relativity"]):
            refused({**base, field: [claim]}, f"{field}[0]")


def test_digest_identifies_the_document() -> None:
    document = plain()
    stale = {**document, "name": "other"}
    assert check_certificate(stale).reason.startswith("digest: ")
    assert check_certificate(stale, ignore_digest=True).accepted
    del stale["digest"]
    assert check_certificate(stale).reason == "digest: the field is missing"
    assert check_certificate({**document, "digest": None}).reason.startswith("digest: ")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "null",
        "[]",
        '{"format": "x", "format": "x"}',
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": 1.0}',
        '{"a": 1e3}',
        '{"a": 123456789}',
        '{"a": true}',
        '{"a": "\\ud800"}',
        "[" * 10**6,
        "[" * 40 + "]" * 40,
        '{"a":' * 900 + "1" + "}" * 900,
        '{"a": "' + "x" * 10**6,
    ],
)
def test_hostile_texts_are_refused(text: str) -> None:
    result = check_text(text)
    assert not result.accepted
    assert 0 < len(result.reason) < 300


def test_hostile_objects_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    circular: list[Json] = []
    circular.append(circular)
    doubling: list[Json] = []
    for _ in range(30):
        doubling = [doubling, doubling]
    base = plain()
    for thing in (circular, doubling, {1: 2}, {"a": {1}}, {"a": 1.5}, {"a": b""}, {"a": True}, 3):
        assert not check_certificate(thing).accepted
        for field in base:
            result = check_certificate({**base, field: thing}, ignore_digest=True)
            assert not result.accepted
            assert result.reason.startswith((field, "document", "heads"))
    assert not check_certificate({**base, 1: 2}).accepted
    monkeypatch.setattr(checker, "MAX_TEXT", 100)
    assert "more than 100 characters" in check_text(json.dumps(base)).reason


def test_the_same_part_many_times_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A document in memory may share what its text would repeat."""
    monkeypatch.setattr(checker.form, "MAX_NODES", 5000)
    base = plain()
    accepted(base)
    refused({**base, "heads": base["heads"] * 4000}, "too large")


def expensive() -> Iterator[Json]:
    """Documents that would take long."""
    powers = num((1, "w", 1000), *[(1, f"x{i}", 900) for i in range(30)])
    names = {"w": "positive"} | {f"x{i}": "positive" for i in range(30)}
    many = [[ZERO if i == j else powers for j in range(12)] for i in range(12)]
    item = block(list(range(12)), many, None, [ONE] * 40)
    yield one_head((item, {}), LAWS, parameters=names)
    f = root("f", 1, num(1, *[(1, f"x{i}") for i in range(30)]))
    item = block([0], [[num((1, "f", 1000))]], [[num((1, "x"))]])
    yield one_head((item, {"x": ONE}), LAWS, parameters=names, definitions=[f])
    huge = [[f"1{'0' * 3999}/{'9' * 3999}", {"p": 999}]]
    item = block([0], [[huge]], None, [huge] * 500)
    yield one_head((item, {}), LAWS, definitions=[root("p", 1000, num("1/7"))])
    long = num(*[(1, "w", k) for k in range(1, 400)])
    item = block([0], [[long]], None, [long] * 60)
    yield one_head((item, {}), LAWS, parameters={"w": "positive"})


def large() -> Iterator[Json]:
    """Documents whose text is short for the work that they ask for."""
    yield axes([[]] * 2000, 4000, ["commutators"])
    item = block([0], [[ZERO]], None, [ZERO] * 500_000)
    yield one_head((item, {}), LAWS)
    names = [root(f"f{i}", 2, num(2)) for i in range(20_000)]
    yield one_head(scalar(ONE), LAWS, definitions=names, generator=[])
    digits = num(f"{10**3999 + 7}/{10**3998 + 9}")
    item = block([0], [[digits]], None, [digits] * 3000)
    yield one_head((item, {}), LAWS, generator=[[0, 0, digits]])
    blocks = [scalar(ZERO, "x", i)[0] for i in range(4000)]
    claims = [*LAWS, "orthogonality", "bounded-all"]
    yield encoding([head(*blocks, norm=norm([ONE] * 4000))] * 8, claims, pairing="one-map")


def test_large_documents_end_soon() -> None:
    """With the limits as they are."""
    for document in large():
        result = judge(document)
        assert result.accepted or "too large" in result.reason or "XP = PJ" in result.reason


def test_claims_are_judged_one_by_one() -> None:
    """A claim that is not shown leaves the others; evidence that is not shown leaves none."""
    document = plain(claims=["bounded-causal", "orthogonality"], norm=None)
    assert judge(document).claims == (("bounded-causal", "not shown"), ("orthogonality", "proved"))
    document["heads"][0]["blocks"][0]["exponential"][0][0] = ONE
    assert {verdict for _, verdict in judge(document).claims} == {"not shown"}
    wrong = misquoted()
    wrong["augmentation"][0]["exponential"][0][1] = num((2, "t"))
    assert ("augmentation", "not shown") in judge(wrong).claims


def test_work_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker.numbers, "MAX_WORK", 100_000)
    for document in expensive():
        refused(document, "work limit")


def test_limits_of_declarations() -> None:
    base = plain()
    for field, bad in (
        ("dimension", 5000),
        ("dimension", 0),
        ("dimension", "2"),
        ("name", "Upper"),
        ("name", "name\n"),
        ("name", ""),
        ("parameters", {"2": "real"}),
        ("parameters", {"w": "imaginary"}),
        ("parameters", []),
        ("definitions", {}),
        ("heads", []),
        ("heads", {}),
        ("pairing", "both"),
        ("pairing", None),
        ("augmentation", []),
        ("refutations", None),
        ("format", "symbolic-pe-certificate/2"),
        ("kind", "step"),
    ):
        result = judge({**base, field: bad})
        assert not result.accepted
        assert result.claims == ()
        assert field in result.reason or "unknown field" in result.reason or field == "kind"
    refused({**base, "comment": "unknown"}, "unknown field 'comment'")
    for field in base:
        without = {key: value for key, value in base.items() if key != field}
        assert not check_certificate(without, ignore_digest=True).accepted


# --- enclosures against mpmath ------------------------------------------------------------------


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
        field = Field(parameters, {}, {})
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


def test_rank_against_minors() -> None:
    rng = random.Random(4)
    for _ in range(100):
        n, k = rng.randint(1, 5), rng.randint(0, 3)
        left = [[Fraction(rng.randint(-2, 2)) for _ in range(k)] for _ in range(n)]
        right = [[Fraction(rng.randint(-2, 2)) for _ in range(n)] for _ in range(k)]
        product = [
            [sum(a * b for a, b in zip(r, c, strict=True)) for c in zip(*right, strict=True)]
            for r in left
        ]
        rows = [{j: Fraction(x) for j, x in enumerate(row) if x} for row in product]
        matrix = mp.matrix([[float(x) for x in row] for row in product]) if k else mp.matrix(n, n)
        singular = mp.svd_r(matrix, compute_uv=False)
        assert rank(rows) == sum(1 for s in singular if s > 1e-9)


# --- size ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("planes", "heads"), [(32, 1), (64, 16)])
def test_certificates_of_ordinary_size_are_accepted(planes: int, heads: int) -> None:
    """RoPE by one root of 10 and its powers."""
    rates: Json = {}
    blocks: list[Json] = []
    for j in range(planes):
        whole, rest = divmod(-4 * j, planes)
        item, found = rotation(1, "g", (j, j + planes))
        factor = {"g": rest} if rest else {}
        text = json.dumps([item, found])
        text = text.replace('"x"', f'"x{j}"').replace('"y"', f'"y{j}"')
        item, found = json.loads(text)
        scale = Fraction(10) ** whole
        for rows in (item["generator"], list(found.values())):
            _rescale(rows, scale, factor)
        rates |= found
        blocks.append(item)
    made = head(*blocks, norm=norm([ONE] * (2 * planes)))
    claims = [*LAWS, "orthogonality", "bounded-causal", "bounded-all"]
    fields: Json = {"definitions": [root("g", planes, num(10))], "pairing": "one-map"}
    accepted(encoding([made] * heads, claims, rates=rates, **fields))


def _rescale(node: Json, scale: Fraction, factor: dict[str, int]) -> None:
    """Every ±g as ±scale·g^rest."""
    for item in node:
        if isinstance(item, list) and len(item) == 2 and isinstance(item[1], dict):
            item[0] = str(Fraction(item[0]) * scale)
            item[1].pop("g")
            item[1].update(factor)
        elif isinstance(item, list):
            _rescale(item, scale, factor)


def test_sealed_documents_have_the_published_digest() -> None:
    assert sealed({"b": 1, "a": "é"})["digest"] == canonical_digest({"a": "é", "b": 1})
