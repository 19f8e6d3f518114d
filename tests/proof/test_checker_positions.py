"""Several axes and integer steps: what the checker accepts, and what it refuses."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.proof.documents import (
    ONE,
    SQRT2,
    ZERO,
    Json,
    accepted,
    axes,
    judge,
    logarithm,
    num,
    refused,
    refutation,
    step,
)

E01, E10, E22 = [[0, 1, ONE]], [[1, 0, ONE]], [[2, 2, num((1, "r"))]]


def test_axes_commute() -> None:
    every = ["initial-condition", "commutators", "homomorphism", "relativity"]
    accepted(axes([E01, E22, E01], 3, every, definitions=[SQRT2]))
    for claim in every[1:]:
        refused(axes([E01, E10], 3, [claim]), f"{claim} is not shown: axes[0] and axes[1]")
    accepted(axes([E01, E10], 3, ["initial-condition"]))
    refused(axes([], 3, ["initial-condition"]), "axes")
    refused(axes([E22], 2, [], definitions=[SQRT2]), "outside")


def test_refuted_axes() -> None:
    witness = {"kind": "entry", "index": 0, "row": 0, "column": 0, "time": "0"}
    given = [refutation("commutators", witness), refutation("homomorphism", witness)]
    result = judge(axes([E01, E10], 2, [], refutations=given))
    assert result.accepted
    assert result.claims == (("commutators", "refuted"), ("homomorphism", "refuted"))
    for wrong in ({"row": 1, "column": 0}, {"index": 1}, {"row": 2}, {"row": -1}):
        other = [refutation("commutators", {**witness, **wrong})]
        refused(axes([E01, E10], 2, [], refutations=other))
    refused(axes([E01, E10], 2, ["commutators"], refutations=given), "stated twice")
    refused(axes([E01, E10], 2, [], refutations=given, uncertified=["commutators"]), "twice")


EVERY_STEP = ["initial-condition", "homomorphism", "inverses", "generator"]
EYE = [[1, 0], [0, 1]]
ZEROS = [[0, 0], [0, 0]]
TURN = [[0, -1], [1, 0]]


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
        ([[1, 1], [0, 2]], [[1, "-1/2"], [0, "1/2"]], logarithm([2, -3], EYE), True),
        # a quarter turn: (x² + 1)(x − 1)
        (TURN, [[0, 1], [-1, 0]], logarithm([-1, 1, -1], EYE), True),
        (TURN, [[0, 1], [-1, 0]], logarithm([1, 0], EYE), False),
        (TURN, [[0, 1], [-1, 0]], logarithm([1, 1], EYE), False),
        (TURN, [[0, 1], [-1, 0]], logarithm([1, -1], EYE), False),
        # −1 twice turns by π: M² = −1, and D = 1
        ([[-1, 0], [0, -1]], [[-1, 0], [0, -1]], logarithm([-1], TURN), True),
        ([[-1, 0], [0, -1]], [[-1, 0], [0, -1]], logarithm([-1], [[0, -1], [2, 0]]), False),
        ([[-1, 0], [0, -1]], [[-1, 0], [0, -1]], logarithm([-1], EYE), False),
        ([[-1, 0], [0, -1]], [[-1, 0], [0, -1]], logarithm([1], EYE), False),
        ([[-1, 0], [0, -1]], [[-1, 0], [0, -1]], logarithm([], ZEROS), False),
        # one block at −1, or −1 and 1: M does not commute
        ([[-1, 1], [0, -1]], [[-1, -1], [0, -1]], logarithm([1, -2], TURN), False),
        ([[-1, 0], [0, 1]], [[-1, 0], [0, 1]], logarithm([-1], TURN), False),
        ([[-1, 0], [0, 1]], [[-1, 0], [0, 1]], logarithm([-1, 0], EYE), False),
        # 0 is an eigenvalue
        ([[0, 0], [0, 1]], None, logarithm([0, -1], EYE), False),
        ([[0, 0], [0, 0]], None, logarithm([0], TURN), False),
    ],
)
def test_real_logarithms(b: Json, inverse: Json, found: Json, right: bool) -> None:
    document = step(b, EVERY_STEP, inverse=inverse, logarithm=found)
    assert judge(document).accepted == right
    refused(step(b, ["generator"], inverse=inverse), "generator is not shown")


def test_a_polynomial_with_multiple_roots_and_parts_that_turn() -> None:
    """−2 twice and a chain at 3: M turns the first part, and (x − 2)(x − 3)² serves D = M²B."""
    b = [[-2, 0, 0, 0], [0, -2, 0, 0], [0, 0, 3, 1], [0, 0, 0, 3]]
    inverse = [["-1/2", 0, 0, 0], [0, "-1/2", 0, 0], [0, 0, "1/3", "-1/9"], [0, 0, 0, "1/3"]]
    m = [[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    right = [-18, 21, -8]
    accepted(step(b, EVERY_STEP, inverse=inverse, logarithm=logarithm(right, m)))
    for polynomial in ([9, -6], [-6, 5], [18, 21, 8], [], [4, 4]):
        wrong = step(b, EVERY_STEP, inverse=inverse, logarithm=logarithm(polynomial, m))
        refused(wrong, "logarithm: p(M^2 B) = 0")
    signs = logarithm([0, *right], m)  # x·p(x) has a zero at 0
    refused(step(b, EVERY_STEP, inverse=inverse, logarithm=signs), "do not alternate")


@pytest.mark.parametrize(
    ("b", "witness", "right"),
    [
        ([[-1, 1], [0, -1]], {"eigenvalue": -1, "sizes": [2]}, True),
        ([[-1, 1], [0, -1]], {"eigenvalue": -1, "sizes": [1]}, False),
        ([[-1, 1], [0, -1]], {"eigenvalue": -1, "sizes": [1, 1]}, False),
        ([[-1, 1], [0, -1]], {"eigenvalue": -2, "sizes": [2]}, False),
        ([[-1, 1], [0, -1]], {"eigenvalue": -1, "sizes": [0]}, False),
        ([[-1, 1], [0, -1]], {"eigenvalue": -1, "sizes": [0, 2, 0]}, True),
        ([[-1, 1], [0, -1]], {"eigenvalue": -1, "sizes": [3]}, False),
        ([[1, 1], [0, 1]], {"eigenvalue": 1, "sizes": [2]}, False),
        ([[0, 0], [0, 1]], {"eigenvalue": 0, "sizes": [1], "rest": [0, 1]}, False),
        ([[-1, 0], [0, -1]], {"eigenvalue": -1, "sizes": [1], "rest": [0, -1]}, False),
        ([[-1, 0], [0, -1]], {"eigenvalue": -1, "sizes": [1, 1]}, False),
        ([[-1, 0], [0, 3]], {"eigenvalue": -1, "sizes": [1], "rest": [0, 3]}, True),
        ([[-1, 0], [0, 3]], {"eigenvalue": -1, "sizes": [1], "rest": [-1, 3]}, False),
        ([[-1, 0], [0, 3]], {"eigenvalue": -1, "sizes": [1], "rest": [0, 2]}, False),
        ([[-1, 0], [0, 3]], {"eigenvalue": -1, "sizes": [], "rest": [-1, 3]}, False),
    ],
)
def test_an_odd_number_of_negative_blocks(b: Json, witness: Json, right: bool) -> None:
    """By S = T = 1; (R − λ)⁻¹ is written where R − λ has one."""
    value, rest = witness["eigenvalue"], witness.pop("rest", [0, 0])
    first = sum(witness["sizes"])
    inverse = [0] * 2
    for i in range(first, 2):
        inverse[i] = Fraction(1, rest[i] - value) if rest[i] != value else 1
    given = odd_blocks({**witness, "eigenvalue": num(value)}, rest, inverse)
    assert judge(step(b, [], refutations=[refutation("generator", given)])).accepted == right


def odd_blocks(fields: Json, rest: Json, inverse: Json) -> Json:
    """The witness with S = T = 1 and two diagonal matrices."""
    one = [[0, 0, ONE], [1, 1, ONE]]
    stated = {
        name: [[i, i, num(x)] for i, x in enumerate(v) if x]
        for name, v in (("rest", rest), ("resolvent", inverse))
    }
    return {"kind": "odd-blocks", **fields, **stated, "S": one, "T": one}


def test_blocks_in_another_basis() -> None:
    """B = [[1, 2], [1, 0]] has −1 at (1, −1) and 2 at (2, 1)."""
    s = [[0, 0, ONE], [0, 1, num(2)], [1, 0, num(-1)], [1, 1, ONE]]
    third, minus = Fraction(1, 3), Fraction(-2, 3)
    t = [[0, 0, num(third)], [0, 1, num(minus)], [1, 0, num(third)], [1, 1, num(third)]]
    fields: Json = {"eigenvalue": num(-1), "sizes": [1]}

    def judged(**others: Json) -> bool:
        given = {**odd_blocks(fields, [0, 2], [0, third]), "S": s, "T": t, **others}
        document = step([[1, 2], [1, 0]], [], refutations=[refutation("generator", given)])
        return judge(document).accepted

    assert judged()
    for other in (
        {"rest": []},
        {"rest": [[1, 1, num(2)], [0, 1, ONE]]},
        {"resolvent": []},
        {"resolvent": [[1, 1, num(third)], [1, 0, ONE]]},
        {"eigenvalue": num(-2)},
        {"sizes": [2]},
    ):
        assert not judged(**other), other


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
