"""The laws, once, over every catalogue entry; each with its negative twin."""

from __future__ import annotations

import pytest

from symbolic_pe import catalogue, from_document, prove, read_specification
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.scalar import ZERO
from symbolic_pe.budget import Budget
from symbolic_pe.encodings.catalogue import entries, has_generator
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.generators.block import Block
from symbolic_pe.proof.claim import CLAIM_NAMES, Claim, Outcome
from symbolic_pe.proof.patterns import decide

EVERY = ("initial-condition", "derivative", "homomorphism", "relativity", "closed-form")


def is_skew(encoding: Encoding) -> bool:
    """X + Xᵀ = 0 for every head, read off the matrices."""
    matrices = [head.generator.matrix for head in encoding.heads]
    return all(
        (x[i][j] + x[j][i]).is_zero() for x in matrices for i in range(len(x)) for j in range(i + 1)
    )


def claims_of(document: object) -> dict[str, Claim]:
    proof = prove(from_document(document))
    return {claim.name: claim for claim in proof.claims}


@pytest.mark.parametrize("name", [n for n in entries() if has_generator(n)])
def test_every_entry_is_proved(name: str) -> None:
    encoding = catalogue(name, {"terms": "8"} if name == "sandwich" else {})
    skew, biased = is_skew(encoding), encoding.augmentation is not None
    grows = biased and name != "sandwich"  # its constant coordinates turn
    proof = prove(encoding)
    verdicts = {claim.name: claim.verdict for claim in proof.claims}
    assert proof.outcome is Outcome.PROVED
    assert set(EVERY) <= set(verdicts) <= set(CLAIM_NAMES)
    assert ("orthogonality" in verdicts) == (skew and not biased)
    assert ("bounded-all" in verdicts) == (skew and not grows)
    assert ("bounded-causal" in verdicts) == (not grows)
    assert ("augmentation" in verdicts) == biased


# How the laws of the content are decided: from a real basis, in Q[x]/(mu), with parameters, or
# not at all. The claimed bias is decided in every one of them.
CONTENT = {
    "real basis": {"matrix": [["-1"]]},
    "primary": {"matrix": [["0", "0", "2"], ["1", "0", "0"], ["0", "1", "0"]]},
    "parametric chains": {
        "blocks": [{"rate": "-1", "frequency": "w", "chain_length": 2, "shear": "1", "repeat": 4}],
        "parameters": {"w": "positive"},
    },
    "beyond the budget": {
        "matrix": [[f"1/{10**60 + 7 * i + 11 * j * j}" for j in range(20)] for i in range(20)]
    },
}


@pytest.mark.parametrize("name", list(CONTENT))
@pytest.mark.parametrize(
    ("bias", "verdict"), [("-2*tau", Outcome.PROVED), ("-3*tau", Outcome.REFUTED)]
)
def test_a_claimed_bias_is_always_decided(name: str, bias: str, verdict: Outcome) -> None:
    added = {
        "query": ["-2", "0"],
        "key": ["0", "1"],
        "generator": [["0", "1"], ["0", "0"]],
        "bias": bias,
    }
    assert claims_of({**CONTENT[name], "augmentation": added})["augmentation"].verdict is verdict


@pytest.mark.parametrize("name", list(CONTENT))
def test_a_claim_that_the_specification_makes_is_always_answered(name: str) -> None:
    made = ("orthogonality", "bounded-all")
    claims = claims_of({**CONTENT[name], "claims": list(made)})
    verdicts = {claims[claim].verdict for claim in made}
    undecided = name == "beyond the budget"
    assert verdicts == {Outcome.UNDECIDED if undecided else Outcome.REFUTED}


# -- negative twins ---------------------------------------------------------------------------

DAMPED = Block(parse("-1/2"), parse("3"))
CHAIN = Block(ZERO, ZERO, 3)


def broken(block: Block, i: int, j: int, by: ExponentialPolynomial) -> tuple[object, ...]:
    rows = [list(row) for row in block.exponential()]
    rows[i][j] = rows[i][j] + by
    return block.generator, tuple(tuple(row) for row in rows)


def test_a_wrong_constant_breaks_the_initial_condition_and_more() -> None:
    constant = ExponentialPolynomial.constant(parse("1/1000"))
    found = decide(*broken(DAMPED, 0, 1, constant))  # type: ignore[arg-type]
    assert not found.initial_condition
    assert not found.derivative
    assert not found.homomorphism


def test_a_lost_corner_of_a_chain_is_refuted() -> None:
    """The defect of systems that exponentiate Jordan blocks entry by entry."""
    t = ExponentialPolynomial.variable("t")
    found = decide(*broken(CHAIN, 0, 2, -(t * t).scale(parse("1/2"))))  # type: ignore[arg-type]
    assert found.initial_condition
    assert not found.derivative
    assert not found.homomorphism
    assert not found.relativity


def test_one_factorial_off_is_refuted() -> None:
    t = ExponentialPolynomial.variable("t")
    found = decide(*broken(CHAIN, 0, 2, (t * t).scale(parse("1/2"))))  # type: ignore[arg-type]
    assert not found.derivative


def test_one_map_on_both_sides_needs_a_skew_generator() -> None:
    good = claims_of({"encoding": {"pairing": "one-map"}, "generator": {"rope": {"dim": 4}}})
    assert good["relativity"].verdict is Outcome.PROVED
    for generator in ({"decay": {"dim": 2}}, {"xpos": {"dim": 4}}, {"jordan-rope": {"dim": 4}}):
        bad = claims_of({"encoding": {"pairing": "one-map"}, "generator": generator})
        assert bad["relativity"].verdict is Outcome.REFUTED
        assert "claimed" in (bad["relativity"].witness or "")


def test_the_witness_of_a_wrong_pair_is_right() -> None:
    """exp(a(t − s)) against exp(−a(t + s)) at the printed point."""
    from math import exp

    bad = claims_of(
        {"encoding": {"pairing": "one-map"}, "generator": {"decay": {"dim": 1, "rate": "1/2"}}}
    )
    witness = bad["relativity"].witness or ""
    assert "at t = 3, s = 1" in witness
    assert f"{exp(-1):.9f}" in witness
    assert f"{exp(2):.7f}"[:-1] in witness


def test_claims_that_a_specification_makes_are_refuted_when_false() -> None:
    claims = claims_of(
        {
            "generator": {"decay": {"dim": 2}},
            "claims": ["orthogonality", "bounded-causal", "bounded-all"],
        }
    )
    assert claims["orthogonality"].verdict is Outcome.REFUTED
    assert claims["bounded-causal"].verdict is Outcome.PROVED
    assert claims["bounded-all"].verdict is Outcome.REFUTED
    assert "-infinity" in (claims["bounded-all"].witness or "")


def test_growth_witnesses_carry_numbers() -> None:
    tiny = claims_of(
        {"generator": {"decay": {"dim": 1, "rate": "1/1000000"}}, "claims": ["bounded-all"]}
    )["bounded-all"]
    assert "tau = -7000001" in (tiny.witness or "")
    heads = claims_of(
        {
            "generator": {"blocks": [{"rate": "m"}]},
            "heads": {"m": ["0", "1/10"]},
            "claims": ["orthogonality"],
        }
    )["orthogonality"]
    assert "head 1" in (heads.witness or "")


def test_numbers_that_differ_late_are_told_apart_in_the_witness() -> None:
    document = {
        "matrix": [["0"]],
        "augmentation": {
            "query": ["1", "0"],
            "key": ["0", "1"],
            "generator": [["0", "sqrt(2)"], ["0", "0"]],
            "bias": "141421356237309504880168872420969807856967187537694/10^50*tau",
        },
    }
    claim = claims_of(document)["augmentation"]
    assert claim.verdict is Outcome.REFUTED
    assert "claimed" in (claim.witness or "")


def test_a_rotation_with_a_chain_is_not_bounded() -> None:
    document = {
        "generator": {"blocks": [{"frequency": 1, "chain_length": 2}]},
        "claims": ["bounded-causal"],
    }
    assert claims_of(document)["bounded-causal"].verdict is Outcome.REFUTED


def test_a_claim_over_parameters_must_hold_in_every_case() -> None:
    document = {
        "matrix": [["0", "1"], ["-w^2", "-2*z*w"]],
        "parameters": {"w": "positive", "z": "nonnegative"},
    }
    assert claims_of(document)["bounded-causal"].verdict is Outcome.PROVED
    document["parameters"] = {"w": "positive", "z": "real"}
    assert "bounded-causal" not in claims_of(document)
    document["claims"] = ["bounded-causal"]  # type: ignore[assignment]
    refuted = claims_of(document)["bounded-causal"]
    assert refuted.verdict is Outcome.REFUTED
    assert "z < -1" in (refuted.witness or "")


def test_high_degree_generators_are_proved_without_roots() -> None:
    rows = [["0", "0", "2"], ["1", "0", "0"], ["0", "1", "0"]]
    proof = prove(from_document({"matrix": rows, "claims": ["bounded-causal"]}))
    verdicts = {c.name: c.verdict for c in proof.claims}
    assert all(verdicts[name] is Outcome.PROVED for name in EVERY)
    assert "annihilates X" in proof.claims[0].reason
    assert verdicts["bounded-causal"] is Outcome.REFUTED, "x^3 - 2 has the real root 2^(1/3) > 0"


def test_high_degree_beside_irrational_entries_is_proved() -> None:
    rows = [
        ["0", "0", "2", "0"],
        ["1", "0", "0", "0"],
        ["0", "1", "0", "0"],
        ["0", "0", "0", "sqrt(2)"],
    ]
    proof = prove(from_document({"matrix": rows}))
    assert proof.outcome is Outcome.PROVED
    assert "annihilates X" in proof.claims[0].reason


def test_laws_hold_for_all_parameters_where_the_case_tree_is_not_decided() -> None:
    """Without time for a case tree the laws are proved, growth is undecided with the reason."""
    rows = [["0", "1", "0"], ["0", "0", "1"], ["-c", "-b", "-a"]]
    parameters = dict.fromkeys("abc", "positive")
    document = {"matrix": rows, "parameters": parameters, "claims": ["bounded-causal"]}
    proof = prove(from_document(document), Budget.of(0))
    verdicts = {c.name: c.verdict for c in proof.claims}
    assert verdicts["homomorphism"] is Outcome.PROVED
    assert verdicts["bounded-causal"] is Outcome.UNDECIDED
    reasons = {c.name: c.reason for c in proof.claims}
    assert "for all parameters at once" in reasons["derivative"]
    assert "budget of 0 s" in reasons["bounded-causal"]


def test_growth_of_a_cubic_is_refuted_with_a_case_that_grows() -> None:
    """a, b, c > 0 is not enough: a·b < c lets a pair grow."""
    rows = [["0", "1", "0"], ["0", "0", "1"], ["-c", "-b", "-a"]]
    parameters = dict.fromkeys("abc", "positive")
    document = {"matrix": rows, "parameters": parameters, "claims": ["bounded-causal"]}
    claim = next(c for c in prove(from_document(document)).claims if c.name == "bounded-causal")
    assert claim.verdict is Outcome.REFUTED
    assert "a*b - c < 0" in (claim.witness or "")


@pytest.mark.parametrize(
    ("rows", "verdict"),
    [
        # X + X^T = diag(-2, -4, -2a^2 - 2): the norm never grows, whatever the skew part
        ([["-1", "a-b", "b"], ["b-a", "-2", "0"], ["-b", "0", "-a^2-1"]], Outcome.PROVED),
        ([["1", "a-b", "b"], ["b-a", "-2", "0"], ["-b", "0", "-a^2-1"]], Outcome.REFUTED),
    ],
)
def test_growth_is_refuted_only_at_a_point(rows: list[list[str]], verdict: Outcome) -> None:
    """A case without a known point is no witness."""
    parameters = {"a": "real", "b": "real"}
    document = {"matrix": rows, "parameters": parameters, "claims": ["bounded-causal"]}
    claim = next(c for c in prove(from_document(document)).claims if c.name == "bounded-causal")
    assert claim.verdict is verdict


def test_growth_without_a_point_is_undecided() -> None:
    """X + X^T is negative definite, but not diagonal: no case that grows has a point."""
    rows = [["-2", "a-b+1", "b"], ["b-a+1", "-3", "0"], ["-b", "0", "-a^2-1"]]
    parameters = {"a": "real", "b": "real"}
    document = {"matrix": rows, "parameters": parameters, "claims": ["bounded-causal"]}
    claim = next(c for c in prove(from_document(document)).claims if c.name == "bounded-causal")
    assert claim.verdict is not Outcome.REFUTED


def test_misquoted_and_corrected_examples() -> None:
    refuted = prove(read_specification("examples/alibi-misquoted.toml"))
    claim = next(c for c in refuted.claims if c.name == "augmentation")
    assert claim.verdict is Outcome.REFUTED
    assert "at m = 2, tau = 3: claimed -6, found -2" in (claim.witness or "")
    assert "not equal after softmax" in claim.reason
    proved = prove(read_specification("examples/alibi-corrected.toml"))
    assert proved.outcome is Outcome.PROVED


def test_the_fewest_coordinates_of_a_bias_are_stated_and_more_are_noticed() -> None:
    """ALiBi needs two; a third coordinate that carries nothing is one too many."""
    two = prove(read_specification("alibi:heads=1"))
    reason = next(c.reason for c in two.claims if c.name == "augmentation")
    assert "fewer cannot do: the Hankel matrix of its Markov parameters has rank 2" in reason
    three = {
        "matrix": [["0"]],
        "augmentation": {
            "query": ["-1", "0", "0"],
            "key": ["0", "1", "0"],
            "generator": [["0", "1", "0"], ["0", "0", "0"], ["0", "0", "0"]],
        },
    }
    wasteful = prove(from_document(three))
    claim = next(c for c in wasteful.claims if c.name == "augmentation")
    assert claim.verdict is Outcome.PROVED
    assert "2 would do" in claim.reason
