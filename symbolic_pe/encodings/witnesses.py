"""Claims that show what an encoding is not: exact positions, enclosures that do not meet.

not relative     lag (t − s) is equal, score is not
per length       maps of two lengths give scores that depend on more than the lag
no realisation   Hankel determinants of b(0), b(1), … that are not 0, of growing size
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from flint import arb, arb_mat

from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.matrix import ScalarMatrix
from symbolic_pe.algebra.scalar import ONE, Scalar, precision
from symbolic_pe.decision import Claim, Decision, Outcome, holds
from symbolic_pe.encodings.score import Score

RELATIVE = "score(t + c, s + c) = score(t, s) for all t, s, c"
ONE_LENGTH = "F_l(t)^T G_m(s) depends on t - s alone for all lengths l, m"
REALISATION = "bias(tau) = q^T exp(tau Y) k for some finite matrix Y and constant q, k"
BITS = (128, 512, 2048)
DIGITS = 12
ZERO_FUNCTION = ExponentialPolynomial(("t",), {})
SINE, COSINE = ExponentialPolynomial.sine("t", ONE), ExponentialPolynomial.cosine("t", ONE)


@dataclass(frozen=True)
class Evidenced(Claim):
    """A claim with the exact data that a certificate of it states.

    subject  the score, the maps, or the generators of the axes, that it is about
    data     the witness, in the form of the certificate, where it is refuted
    """

    subject: Score | tuple[ScalarMatrix, ...] = field(default=(), compare=False, repr=False)
    data: Mapping[str, object] = field(default_factory=dict, compare=False, repr=False)


def evidenced(
    claim: Claim, subject: Score | tuple[ScalarMatrix, ...], data: Mapping[str, object]
) -> Evidenced:
    """The same claim with its data."""
    return Evidenced(
        claim.name, claim.verdict, claim.statement, claim.reason, claim.witness, subject, data
    )


def not_relative(
    score: Score | Callable[[int, int], arb],
    first: tuple[int, int],
    second: tuple[int, int],
    of: str,
    *,
    name: str = "relativity",
    statement: str = RELATIVE,
) -> Claim:
    """Refute translation invariance by two pairs (t, s) of equal lag, at which scores differ.

    score  an expression, which a certificate states; or an enclosure at the current precision
    of     what is scored, with exact numbers: "q = (1, 0), k = (1, 0)"

    The claim is undecided where enclosures meet at every precision that is tried.
    """
    if first[0] - first[1] != second[0] - second[1]:
        raise ValueError(f"expected two pairs of equal lag, got {first} and {second}")
    claim = apart(
        name,
        statement,
        lambda: (score(*first), score(*second)),
        (f"(t, s) = {first}", f"(t, s) = {second}"),
        f"{of}; both lags are {first[0] - first[1]}",
    )
    if not isinstance(score, Score):
        return claim
    return evidenced(claim, score, _pairs(first, second))


def law_of_position(
    score: Score, positions: tuple[int, int], statement: str, of: str
) -> ClaimDecision:
    """Refute that a score of (r, r) is one number for every position r, by two of them.

    >>> from symbolic_pe.encodings.score import KEY, QUERY
    >>> law_of_position(QUERY * KEY, (1, 2), "r^2 is 1", "b = t s").witness
    'with b = t s: 1.00000000000 at r = 1 and 4.00000000000 at r = 2'
    """
    first, second = ((r, r) for r in positions)
    places = tuple(f"r = {r}" for r in positions)
    claim = apart(
        "relativity", statement, lambda: (score(*first), score(*second)), (places[0], places[1]), of
    )
    return as_decision(evidenced(claim, score, _pairs(first, second)))


def _pairs(first: tuple[int, int], second: tuple[int, int]) -> dict[str, object]:
    """The witness of two pairs of positions."""
    pairs = [[str(x) for x in pair] for pair in (first, second)]
    return {"kind": "pairs", "first": pairs[0], "second": pairs[1]}


def apart(
    name: str,
    statement: str,
    values: Callable[[], tuple[arb, arb]],
    places: tuple[str, str],
    of: str,
) -> Claim:
    """Refute a statement by two values that it says are equal and whose enclosures do not meet."""
    for bits in BITS:
        with precision(bits):
            left, right = values()
            if not left.overlaps(right):
                shown = " and ".join(
                    f"{decimal(value)} at {place}"
                    for value, place in zip((left, right), places, strict=True)
                )
                return Claim(name, Outcome.REFUTED, statement, "", f"with {of}: {shown}")
    return Claim(
        name,
        Outcome.UNDECIDED,
        statement,
        f"with {of}: the two values agree to {BITS[-1]} bits",
    )


def no_realisation(
    bias: Callable[[int], arb], sizes: Sequence[int], reason: str, of: str = "bias"
) -> Claim:
    """Refute a finite realisation by Hankel determinants det[b(i + j)], 0 ≤ i, j < n, not 0.

    A realisation of dimension r makes every determinant of size n > r vanish, so each size in
    `sizes` excludes dimensions below it. `reason` is the argument for all sizes.
    """
    shown = []
    for size in sizes:
        value = _determinant(bias, size)
        if value is None:
            return Claim(
                "realisation",
                Outcome.UNDECIDED,
                REALISATION,
                f"det[{of}(i + j)] of size {size} is not told from 0",
            )
        shown.append(f"det of size {size} = {value}")
    return Claim(
        "realisation",
        Outcome.REFUTED,
        REALISATION,
        reason,
        f"Hankel matrices [{of}(i + j)]: {', '.join(shown)}; "
        f"so no realisation has fewer than {max(sizes)} dimensions",
    )


def _determinant(bias: Callable[[int], arb], size: int) -> str | None:
    for bits in BITS:
        with precision(bits):
            values = [bias(n) for n in range(2 * size - 1)]
            found = arb_mat([[values[i + j] for j in range(size)] for i in range(size)]).det()
            if not found.contains(0):
                return decimal(found, 6)
    return None


def invariant(reason: str, score: Score) -> Claim:
    """Translation invariance, proved by the definition: it is written in the lag alone."""
    return Evidenced("invariance", Outcome.PROVED, RELATIVE, reason, None, score)


def decimal(value: arb, digits: int = DIGITS) -> str:
    """A ball as a decimal, all printed digits right."""
    return str(value.str(digits, radius=False))


# -- mis-statements ---------------------------------------------------------------------------


def equals(stated: Scalar, right: Scalar, where: str) -> Decision:
    """Decide that a stated exact number is the right one; else both are the witness.

    >>> equals(Scalar.rational(1), Scalar.rational(2), "first slope").witness
    'first slope: stated 1, right 2'
    """
    same = (stated - right).vanishes()
    return holds(same, f"{where}: stated {stated}, right {right}", stated=stated, right=right)


def matrices_equal(stated: ScalarMatrix, right: ScalarMatrix, where: str) -> Decision:
    """Decide that two matrices agree; else the first entry that differs is the witness."""
    for i, (above, below) in enumerate(zip(stated, right, strict=True)):
        for j, (x, y) in enumerate(zip(above, below, strict=True)):
            if not (x - y).vanishes():
                return equals(x, y, f"{where}, row {i}, column {j}")
    return Decision(Outcome.PROVED, {"entries": "all agree"})


def same_value(stated: Callable[[], arb], right: Callable[[], arb], where: str) -> Decision:
    """Decide by balls that two numbers differ; never proves that they agree."""
    for bits in BITS:
        with precision(bits):
            x, y = stated(), right()
            if not x.overlaps(y):
                text = f"{where}: stated {decimal(x)}, right {decimal(y)}"
                return holds(False, text, stated=decimal(x), right=decimal(y))
    return Decision(Outcome.UNDECIDED, {"reason": f"the values agree to {BITS[-1]} bits"})


@dataclass(frozen=True)
class ClaimDecision(Decision):
    """The decision of a claim, which a certificate states where it comes with exact data."""

    claim: Claim | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class FunctionDecision(Decision):
    """A function of the lag that is stated, the right one, and a lag at which they differ."""

    stated: ExponentialPolynomial = field(default=ZERO_FUNCTION, compare=False, repr=False)
    right: ExponentialPolynomial = field(default=ZERO_FUNCTION, compare=False, repr=False)
    lag: int = 0


def same_function_at(
    stated: ExponentialPolynomial, right: ExponentialPolynomial, lag: int, where: str
) -> FunctionDecision:
    """Refute that a stated function is the right one, by their values at a lag.

    >>> e = ExponentialPolynomial
    >>> same_function_at(e.sine("t", ONE), -e.sine("t", ONE), 1, "the score").witness
    'the score: stated 0.841470984808, right -0.841470984808'
    """
    found = same_value(
        lambda: stated.ball({"t": arb(lag)}).real, lambda: right.ball({"t": arb(lag)}).real, where
    )
    return FunctionDecision(found.outcome, found.evidence, found.witness, stated, right, lag)


def as_decision(claim: Claim) -> ClaimDecision:
    """The decision of a claim, so that a witness serves as the refutation of a mis-statement."""
    return ClaimDecision(claim.verdict, {"statement": claim.statement}, claim.witness, claim)
