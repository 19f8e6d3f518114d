"""What the classification exhausts, and what stands outside or unused."""

from __future__ import annotations

from itertools import product

from symbolic_pe.algebra.functions import logarithm
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Decision, Outcome
from symbolic_pe.generators.block import Block
from symbolic_pe.generators.families import family_name, known_encodings
from symbolic_pe.proof.decisions import all_of, cited, flow_laws, same_value
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin, holds

A, B, ETA = (Scalar.symbol(x) for x in ("a", "b", "eta"))


def _names() -> Decision:
    """Twelve families: real or pair, three signs, chain of length 1 or longer."""
    names = [
        family_name(pair=pair, real_part_sign=sign, chain_length=n)
        for pair, sign, n in product((False, True), (-1, 0, 1), (1, 2))
    ]
    return holds(
        len(set(names)) == len(names),
        "two kinds of blocks have one name",
        used=", ".join(n for n in names if known_encodings(n)),
        unused=", ".join(n for n in names if not known_encodings(n)),
    )


def _entries() -> Decision:
    """Entries of a chain are t^k e^{λt} with k below its length, for real and complex λ."""
    found = {}
    for name, frequency in (("real", ZERO), ("pair", B)):
        for n in (1, 2, 3):
            block = Block(A, frequency, n, ETA)
            powers = {
                key.powers[0]
                for row in block.exponential("t")
                for entry in row
                for key in entry.terms
            }
            found[f"{name}, length {n}"] = holds(powers == set(range(n)), f"powers {powers}")
    return all_of(found)


def _unused() -> Decision:
    """−1 with a chain of length 2: a group that no known encoding has."""
    block = Block(-ONE, ZERO, 2)
    laws = flow_laws(block.generator, block.exponential("t"))
    family = family_name(pair=False, real_part_sign=-1, chain_length=2)
    if laws.outcome is not Outcome.PROVED or known_encodings(family):
        return Decision(Outcome.UNDECIDED, {"reason": "the block has a user, or is no group"})
    return Decision(
        Outcome.REFUTED,
        {"flow": block.exponential("t"), "known encodings of this family": "none"},
        "X = [[-1, 1], [0, -1]] has the flow exp(-t) [[1, t], [0, 1]], which satisfies all the "
        "axioms; no entry of the catalogue has such a block",
    )


def _nonlinear() -> Decision:
    """b(τ) = −ln(1 + τ) (KERPLE) sees only the lag and is no exponential polynomial.

    Against 2 coordinates: b(0)·b(2) − b(1)² would vanish for one; the 3 × 3 Hankel determinant for
    two. Both are exact.
    """
    b = [-logarithm(Scalar.rational(n)) if n > 1 else ZERO for n in range(1, 4)]
    return same_value(
        b[1] * b[1],
        b[0] * b[2],
        "b(tau) = -ln(1 + tau) with one coordinate: b(1)^2 and b(0) b(2)",
    )


def _absolute() -> Decision:
    """A table of positions: p_tᵀp_s at (1, 0) and (2, 1)."""
    table = {0: (ONE, ZERO), 1: (ONE, ONE), 2: (ZERO, ONE + ONE)}

    def score(t: int, s: int) -> Scalar:
        (a, b), (c, d) = table[t], table[s]
        return a * c + b * d

    return same_value(
        score(1, 0), score(2, 1), "a table (1, 0), (1, 1), (0, 2): p_1.p_0 and p_2.p_1"
    )


DERIVATION = Derivation(
    name="every-encoding",
    title="What the classification exhausts",
    chapter="classification",
    statement=r"""
Every linear encoding with relative scores, square maps and continuity is, up to one constant
gauge and one change of basis, a direct sum of chains with eigenvalue $a$ or pair $a \pm bi$ and
length $n$. Its scores are combinations of $\tau^k e^{a\tau}\cos b\tau$ and
$\tau^k e^{a\tau}\sin b\tau$ with $k$ below the length of the chain.
""".strip(),
    hypotheses=(
        "linear maps of a fixed finite dimension",
        "scores depend on the lag alone",
        "continuity",
    ),
    prose=r"""
That known methods exhaust what is possible is true neither inside these hypotheses, where a chain
with a decaying real eigenvalue has no user, nor outside them, where biases such as
$-\ln(1 + \tau)$ are relative without any finite-dimensional realisation.
""".strip(),
    steps=(
        Step(
            "one-generator",
            "Relative scores with $A(0) = I$ are a homomorphism, and continuity gives one "
            "generator.",
            Rule.ROCQ,
            lambda: cited("Continuity.continuous_homomorphism_is_flow", "exists X : matrix"),
        ),
        Step(
            "all-factorisations",
            "Query and key maps are then known up to one constant matrix.",
            Rule.ROCQ,
            lambda: cited("Gauge.gauge", "is_inverse n (G zero) (transpose (F zero))"),
        ),
        Step(
            "twelve-families",
            "A block is real or a pair, its real part has one of three signs, its chain has length "
            "1 or more.",
            Rule.DEFINITION,
            _names,
        ),
        Step(
            "entries",
            "The functions in a block; lengths 1 to 3 are decided here, all of them in `chains`.",
            Rule.NORMAL_FORM,
            _entries,
        ),
    ),
    twins=(
        Twin(
            "known-methods-exhaust",
            "the restriction to what is possible: a published conclusion speaks of known methods.",
            "Every block that satisfies the axioms is used by a known encoding.",
            _unused,
        ),
        Twin(
            "without-finite-dimension",
            "finite dimension (here: one coordinate; `logarithmic-bias` excludes every number).",
            "Every bias of the lag is realised.",
            _nonlinear,
        ),
        Twin(
            "learned-table",
            "dependence on the lag alone: a learned table of absolute positions.",
            "Its scores at lag 1 agree.",
            _absolute,
        ),
    ),
    answers=(
        Answer(
            "S1.11",
            Outcome.REFUTED,
            "known-methods-exhaust",
            "inside the linear, translation-invariant, finite-dimensional case the blocks are "
            "exhaustive, known methods are not",
        ),
        Answer(
            "S1.11",
            Outcome.PROVED,
            "twelve-families",
            "read as: every linear, translation-invariant, continuous encoding of finite dimension "
            "is a sum of such blocks",
        ),
    ),
    uses=("homomorphism", "gauge", "exponential", "chains", "pair-chains", "diagonalisable"),
    assumes=("every real matrix has a real Jordan form (Jordan 1870)",),
    rocq=(
        "Continuity.continuous_homomorphism_is_flow",
        "Gauge.gauge",
        "Chains.chain_is_flow",
        "Chains.pair_chain_is_flow",
    ),
    justifies=("symbolic-pe classify", "symbolic_pe.generators.families.known_encodings"),
    sources=("A. Puranik, positional encodings through group theory, Jane Street, 2026",),
)
