"""A bias is carried by finitely many constant coordinates iff it is an exponential polynomial."""

from __future__ import annotations

from flint import fmpq

from derivations.blocks.chains import COEFFICIENT, LENGTHS
from symbolic_pe.algebra.complex_scalar import ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.functions import logarithm
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Decision
from symbolic_pe.encodings.realisation import minimal_augmentation
from symbolic_pe.generators.block import Block
from symbolic_pe.proof.decisions import all_of, cited, same_function, same_value
from symbolic_pe.proof.derivation import Derivation, Rule, Step, Twin, holds

A, B, M = (Scalar.symbol(x) for x in ("a", "b", "m"))
LAG = ExponentialPolynomial.variable("t")


def _entries() -> Decision:
    """Entries of blocks are in the ring: t^k e^{at}cos bt, t^k e^{at}sin bt, k below the length."""
    found = {}
    for name, frequency in (("real", ZERO), ("pair", B)):
        for n in LENGTHS[:3]:
            flow = Block(A, frequency, n).exponential("t")
            powers = {key.powers[0] for row in flow for f in row for key in f.terms}
            found[f"{name}, length {n}"] = holds(powers == set(range(n)), f"powers {powers}")
    return all_of(found)


def _each_term() -> Decision:
    """The entry (0, k) of a chain is c_k = e^{at}t^k/k!: its ratio c_{k+1}/c_k is t/(k + 1)."""
    t, k = Scalar.symbol("t"), Scalar.symbol("k")
    ratio = COEFFICIENT.shifts["k"].substitute({"eta": ONE})
    return same_value(t / (k + ONE), ratio, "c_(k+1)/c_k")


def _translates() -> Decision:
    """(t + h)^k e^{a(t + h)} is a combination of t^j e^{at}, j ≤ k: exponents stay, powers fall."""
    found = {}
    for k in range(4):
        f = ExponentialPolynomial.exponential("t", ComplexScalar(A))
        for _ in range(k):
            f = f * LAG
        shifted = f.compose({"t": 1, "h": 1})
        inside = all(
            key.powers[0] <= k and key.exponents[0] == ComplexScalar(A) for key in shifted.terms
        )
        found[f"k = {k}"] = holds(inside, "a translate leaves the span")
    return all_of(found)


def bias_examples() -> dict[str, tuple[ExponentialPolynomial, int]]:
    """Biases in use that are inside, and the fewest coordinates."""
    cosine = ExponentialPolynomial.cosine
    one = ExponentialPolynomial.constant(ONE)
    sandwich = cosine("t", A) + cosine("t", B)
    two = Scalar.rational(fmpq(2))
    return {
        "ALiBi, -m tau": (LAG.scale(-M), 2),
        "KERPLE with p = 2, -a tau^2": ((LAG * LAG).scale(-A), 3),
        "Sandwich with two frequencies": (sandwich, 4),
        "Sandwich less its value at 0": (sandwich - one.scale(two), 5),
        "a decay, -e^(-t)": (-ExponentialPolynomial.exponential("t", ComplexScalar(-ONE)), 1),
    }


def _examples() -> Decision:
    found = {}
    for name, (bias, size) in bias_examples().items():
        realisation = minimal_augmentation(bias)
        right = realisation.is_minimal and realisation.hankel_rank == size
        found[name] = holds(right, f"rank {realisation.hankel_rank}", rank=size)
    return all_of(found)


def _kerple_square() -> Decision:
    """−aτ² from (−2a, 0, 0) and (0, 0, 1) over N₃, at negative lags as well."""
    flow = Block(ZERO, ZERO, 3).exponential("t")
    found = flow[0][2].scale(-(A + A))
    return same_function((LAG * LAG).scale(-A), found)


def _logarithm() -> Decision:
    """−ln(1 + τ): the Hankel determinants of size 1, 2, 3 at τ = 1, 2, 3 … are not 0.

    Size 2 exactly: b(1)·b(3) − b(2)² with ln 2·ln 4 = 2(ln 2)² against (ln 3)².
    """
    log2, log3 = (logarithm(Scalar.rational(n)) for n in (2, 3))
    return same_value(
        log3 * log3,
        log2 * (log2 + log2),
        "one coordinate on tau >= 0: b(2)^2 and b(1) b(3) for b = -ln(1 + tau)",
    )


def _fewer() -> Decision:
    """The size of Sandwich with two frequencies is 4, not 3."""
    bias, _ = bias_examples()["Sandwich with two frequencies"]
    rank = minimal_augmentation(bias).hankel_rank
    return same_value(
        Scalar.rational(3), Scalar.rational(rank), "rank of the Hankel matrix of cos at + cos bt"
    )


DERIVATION = Derivation(
    name="realisable-biases",
    title="A group carries exponential polynomials and no other bias",
    chapter="biases",
    statement=r"""
For a function $b$ on the reals the following are equivalent.

1. $b(\tau) = p^\top e^{\tau X} r$ with constant $p, r$ and a real matrix $X$ of finite size.
2. $b$ is an exponential polynomial, a sum of $\tau^k e^{a\tau}\cos b\tau$ and
   $\tau^k e^{a\tau}\sin b\tau$.
3. The translates of $b$ span a space of finite dimension, and $b$ is continuous.

The fewest coordinates are the dimension of that space, which is the rank of the Hankel matrix
$[b^{(i+j)}(0)]$.
""".strip(),
    hypotheses=("finite size", "as many coordinates as the rank, at least"),
    prose=r"""
So the question whether a relative bias is a positional group has a complete answer, also for
biases that are learned: a sum of exponentials with polynomial factors is inside, a logarithm, a
fractional power, a table or a rectifier is not. Inside, contrary to first impression, are
Sandwich and KERPLE with $p = 2$.
""".strip(),
    steps=(
        Step(
            "only-exponential-polynomials",
            r"$1 \Rightarrow 2$: the entries of the blocks; lengths 1 to 3 are decided here, all "
            r"of "
            "them in `chains` and `pair-chains`.",
            Rule.NORMAL_FORM,
            _entries,
        ),
        Step(
            "blocks-for-every-size",
            "The entries of chains of every length.",
            Rule.ROCQ,
            lambda: cited("Chains.pair_chain_is_flow", "pair_chain_flow a b e"),
        ),
        Step(
            "every-term",
            r"$2 \Rightarrow 1$: the entry $(0, k)$ of a chain is $e^{a\tau}\tau^k/k!$, for "
            r"every $k$; "
            "sums are direct sums.",
            Rule.NORMAL_FORM,
            _each_term,
        ),
        Step(
            "translates",
            r"$2 \Rightarrow 3$: a translate of $\tau^k e^{a\tau}$ has the same exponent and "
            r"powers up "
            "to $k$.",
            Rule.NORMAL_FORM,
            _translates,
        ),
        Step(
            "back-from-translates",
            r"$3 \Rightarrow 1$: on that space translation is a continuous group of matrices, so "
            r"it is $e^{\tau X}$, and $b(\tau)$ is evaluation at $0$ after translation by $\tau$.",
            Rule.ROCQ,
            lambda: cited("Continuity.continuous_homomorphism_is_flow", "exists X : matrix"),
        ),
        Step(
            "examples",
            "Rank and realisation of biases in use, computed by the package.",
            Rule.LINEAR_ALGEBRA,
            _examples,
        ),
        Step(
            "kerple-square",
            r"$-a\tau^2$ from $(-2a, 0, 0)$ and $(0, 0, 1)$ over a chain of length 3, on all lags.",
            Rule.NORMAL_FORM,
            _kerple_square,
        ),
    ),
    twins=(
        Twin(
            "logarithm",
            "exponential polynomials: $b(\\tau) = -\\ln(1 + \\tau)$, with one coordinate.",
            "Every continuous bias is realised.",
            _logarithm,
        ),
        Twin(
            "fewer-coordinates",
            "the rank: three coordinates in place of four.",
            r"$\cos a\tau + \cos b\tau$ needs three coordinates.",
            _fewer,
        ),
    ),
    uses=("chains", "pair-chains", "exponential", "augmentation-minimality"),
    assumes=(
        "every real matrix has a real Jordan form (Jordan 1870)",
        "continuous functions with finitely many independent translates form a continuous group "
        "under translation",
    ),
    rocq=(
        "Chains.chain_is_flow",
        "Chains.pair_chain_is_flow",
        "Continuity.continuous_homomorphism_is_flow",
    ),
    justifies=("symbolic_pe.encodings.realisation.minimal_augmentation", "sandwich", "kerple"),
    sources=(
        "Kronecker 1881; Ho and Kalman, Regelungstechnik 14 (1966)",
        "Chi et al., KERPLE, arXiv:2205.09921; Sandwich, arXiv:2212.10356",
    ),
)
