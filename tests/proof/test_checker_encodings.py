"""Encodings: the evidence for exp(tX), orthogonality, one map, bounds, constant coordinates.

Every attack is refused for its own reason: the same document without it is accepted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction

import pytest

from symbolic_pe.proof.checker import canonical_digest, check_certificate, check_text
from tests.proof.documents import (
    LAWS,
    LOG2,
    ONE,
    PI,
    SQRT2,
    ZERO,
    Json,
    accepted,
    alibi,
    block,
    chain,
    define,
    digest,
    encoding,
    entries,
    head,
    judge,
    norm,
    num,
    one_head,
    plain,
    refused,
    root,
    rotation,
    scalar,
)

# -- what is accepted ------------------------------------------------------------------------------


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
                kept = [e for e in wrong["heads"][0]["basis"][side] if e[:2] != [i, j]]
                wrong["heads"][0]["basis"][side] = [*kept, [i, j, num(3)]]
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
    part = head(block([0, 1], x, None, [w2, zw]))
    for at in ([], [0], [1], [0, 1, 1, 2], [2, 0]):
        wrong = {**part, "parts": [{**part["parts"][0], "at": at}]}
        refused(encoding([wrong], LAWS, size=2, parameters=parameters), "parts")
    twice = {**part, "parts": part["parts"] * 2}
    refused(encoding([twice], LAWS, parameters=parameters), "the parts = I")
    one = num((1, "x"))
    half = {**part, "exponential": [[0, 0, one]], "parts": [{**part["parts"][0], "at": [1]}]}
    refused(encoding([half], LAWS, parameters=parameters, rates={"x": ONE}), "E' = JE")


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
    refused(one_head((made, {}), LAWS, **fields), "E' = JE")


def test_exponentials_with_powers_of_t_and_products() -> None:
    """e^{at}·t belongs to a chain; y = x⁻¹ is the same as its own rate."""
    accepted(one_head(chain(num(-1)), LAWS))
    item, rates = rotation(1)
    inverse = json.loads(json.dumps(item).replace('"y": 1', '"x": -1'))
    accepted(one_head((inverse, {"x": rates["x"]}), LAWS))
    double = json.loads(json.dumps(item).replace('"y": 1', '"x": -2'))
    refused(one_head((double, {"x": rates["x"]}), LAWS), "E' = JE")


# -- orthogonality, one map, bounds ----------------------------------------------------------------


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
    rows, loss = right["form"]["rows"], right["gain"]
    wrong: list[Json] = [
        _form(right, [x for x in rows if x[0] == x[1]]),
        _form(right, rows[:-1]),
        _form(right, [*rows, [1, 1, num(2)]]),
        _form(right, [*rows, [1, 0, num("2/5")]]),
        _form(right, [*rows, [1, 3, ONE]]),
        _form(right, [*rows[1:], [0, 0, num(2)]]),
        _form(right, rows, [*weights[:2], num(1)]),
        _form(right, rows, weights[:2]),
        {**right, "gain": {**loss, "weights": loss["weights"][:2]}},
        {**right, "gain": {**loss, "rows": loss["rows"][:2]}},
        {**right, "rate": ONE},
        {**right, "rate": num(-1)},
    ]
    for other in wrong:
        assert not judge(one_head((item, {}), ["bounded-causal"], norm=other)).accepted
    refused(one_head((item, {}), ["bounded-all"], norm=right), "the norm may fall")


def _form(given: Json, rows: Json, weights: Json = None) -> Json:
    """The norm with another form."""
    stated = given["form"]["weights"] if weights is None else weights
    return {**given, "form": {"weights": stated, "rows": rows}}


@pytest.mark.parametrize(
    "weights",
    [
        None,
        [],
        [ONE],
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


def test_a_weight_by_cases_has_its_value() -> None:
    """[2 >= 0] is a weight, [−2 >= 0] is none."""
    for value, right in ((2, True), (-2, False)):
        case = define("a", "at-least", num(value))
        fields: Json = {"definitions": [case], "norm": norm([num((1, "a"))] * 2)}
        assert judge(one_head(rotation(1), ["bounded-causal"], **fields)).accepted == right


def test_bounds_are_about_the_constant_coordinates_too() -> None:
    document = alibi(claims=["bounded-all"])
    refused(document, "norm: there is none")
    document["heads"][0]["norm"] = norm([ONE])
    refused(document, "norm: too few weights")
    document["heads"][0]["norm"] = norm([ONE, ONE, ONE])
    refused(document, "PX + X^T P")
    document["claims"] = ["bounded-causal"]
    refused(document, "PX + X^T P")
    refused({**alibi(), "claims": ["orthogonality"]}, "X + X^T = 0, row 1, column 2")
    accepted({**alibi(), "pairing": "one-map"})  # the two maps do not see them


# -- evidence --------------------------------------------------------------------------------------


def test_an_exponential_that_is_not_one() -> None:
    """e^{2t} for the generator 1; 2·e^t; e^t + t; 1 for a generator that is not 0."""
    for f, part in (
        (num((1, "x", 2)), "E' = JE"),
        (num((2, "x")), "the parts = I"),
        (num((1, "x"), (1, "t")), "E' = JE"),
        (ONE, "E' = JE"),
        (ZERO, "the parts = I"),
        (num((1, "x"), 1), "E' = JE"),
    ):
        refused(one_head((block([0], [[ONE]], [[f]]), {"x": ONE}), []), part)


def test_places_of_blocks_matter() -> None:
    """The exponential belongs to the places that the generator has."""
    document = plain()
    made = document["heads"][0]
    turned = [[1 - i, 1 - j, x] for i, j, x in made["exponential"]]
    made["exponential"] = made["exponential"][::-1]
    accepted(document)
    for exponential in (turned, made["exponential"][:3]):
        made["exponential"] = exponential
        refused(document, "E' = JE")
    made["exponential"] = []
    refused(document, "the parts = I")


def test_places_outside_of_the_dimension() -> None:
    for field in ("generator", "exponential"):
        document = plain()
        document["heads"][0][field].append([2, 2, ONE])
        refused(document, "heads[0]")
    document = one_head(scalar(ONE), LAWS, basis={"P": [[ONE]], "Q": [[ONE]]})
    accepted(document)
    for name in "PJQ":
        wrong = json.loads(json.dumps(document))
        wrong["heads"][0]["basis"][name].append([0, 1, ONE])
        refused(wrong, "outside the matrix")
        wrong["heads"][0]["basis"][name] = []
        refused(wrong, "XP = PJ" if name == "J" else "PQ = I")


def altered_generators(generator: Json) -> Iterator[tuple[Json, str]]:
    """(other entries, how the refusal goes on)."""
    refuted, place = "evidence is not shown: heads[0]: E' = JE", "heads[0]"
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
    orbit = wrong["heads"][0]["augmentation"]["orbit"]
    for table, reason in (
        ([num((2, "t")), ONE], "z' = Xz"),
        ([num((1, "t"), 1), ONE], "z(0) = key"),
        ([num((1, "t"))], "z' = Xz"),
        ([num((1, "t")), ONE, ONE], "z(0) = key"),
        ([], "z(0) = key"),
    ):
        orbit["table"] = table
        refused(wrong, reason)
    refused(plain(claims=["augmentation"]), "there is no augmentation")
    both = alibi()
    both["heads"].append({**both["heads"][0], "augmentation": None})
    refused(both, "augmentation is not shown: heads[1]: there is no augmentation")
