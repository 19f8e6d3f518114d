"""Decide the laws of A(n) = Bⁿ on integer positions, and whether a real generator stands behind it.

A(0) = I,   A(m + n) = A(m)A(n)   for all integers m, n when B is invertible, else for m, n ≥ 0
B = exp(X) for a real X           Culver's criterion
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq_mat

from symbolic_pe.algebra.matrix import is_rational, to_fmpq
from symbolic_pe.algebra.scalar import precision
from symbolic_pe.encodings.forms import IntegerPositions, matrix_text
from symbolic_pe.errors import NotYetCovered, OutsideTheRing, Undecided
from symbolic_pe.exponential.real_logarithm import RealLogarithm, real_logarithm
from symbolic_pe.jordan.integer_step import IntegerStep, integer_step
from symbolic_pe.jordan.rational import nullspace
from symbolic_pe.proof.claim import Claim, Outcome

SHOWN_ENTRIES = 16
INITIAL = "A(0) = I"
GROUP = "A(m + n) = A(m) A(n) for all integers m, n"
SEMIGROUP = "A(m + n) = A(m) A(n) for all integers m, n >= 0"
INVERSES = "A(n) A(-n) = I for all integers n"
GENERATOR = "A(n) = exp(n X) for a real X"


@dataclass(frozen=True)
class StepProof:
    """Every claim about a step, decided, with what was found of B and of its generator."""

    encoding: IntegerPositions
    claims: tuple[Claim, ...]
    step: IntegerStep | None
    logarithm: RealLogarithm | None


def prove_step(encoding: IntegerPositions) -> StepProof:
    """Decide the laws of A(n) = Bⁿ and the existence of a real generator.

    >>> from symbolic_pe.encodings.forms import from_any_document
    >>> rows = [["-1", "1"], ["0", "-1"]]
    >>> found = prove_step(from_any_document({"step": {"matrix": rows}}))
    >>> [(c.name, c.verdict.value) for c in found.claims][-1]
    ('generator', 'refuted')

    What is beyond this version is an undecided claim with the reason, never an error.
    """
    start = Claim("initial-condition", Outcome.PROVED, INITIAL, "B^0 = I")
    try:
        step = integer_step(encoding.step)
    except (NotYetCovered, OutsideTheRing, Undecided) as error:
        power = Claim("homomorphism", Outcome.PROVED, SEMIGROUP, "powers of one matrix")
        undecided = (
            Claim(name, Outcome.UNDECIDED, statement, str(error))
            for name, statement in (("inverses", INVERSES), ("generator", GENERATOR))
        )
        return StepProof(encoding, (start, power, *undecided), None, None)
    if not step.invertible:
        power = Claim("homomorphism", Outcome.PROVED, SEMIGROUP, "powers of one matrix")
        inverses = Claim(
            "inverses", Outcome.REFUTED, INVERSES, step.reason, _kernel_witness(encoding)
        )
        generator = Claim(
            "generator",
            Outcome.REFUTED,
            GENERATOR,
            "exp(X) is invertible for every X",
            step.reason,
        )
        return StepProof(encoding, (start, power, inverses, generator), step, None)
    laws = (
        start,
        Claim("homomorphism", Outcome.PROVED, GROUP, "powers of one invertible matrix"),
        Claim("inverses", Outcome.PROVED, INVERSES, "0 is no eigenvalue of B, decided exactly"),
    )
    if not step.has_real_generator:
        generator = Claim(
            "generator",
            Outcome.REFUTED,
            GENERATOR,
            "a real logarithm exists exactly when the Jordan blocks of each negative eigenvalue "
            "come in equal pairs (Culver)",
            step.reason,
        )
        return StepProof(encoding, (*laws, generator), step, None)
    try:
        logarithm = real_logarithm(step)
        reason = proof_text(logarithm)
    except (NotYetCovered, OutsideTheRing, Undecided) as error:
        generator = Claim("generator", Outcome.UNDECIDED, GENERATOR, str(error))
        return StepProof(encoding, (*laws, generator), step, None)
    generator = Claim("generator", Outcome.PROVED, GENERATOR, reason)
    return StepProof(encoding, (*laws, generator), step, logarithm)


def proof_text(logarithm: RealLogarithm) -> str:
    """Why exp(X) = B, with X where it is short; the ball check is made here."""
    if logarithm.closed is None:
        exact = "(B - a)^2 = D with eigenvalues a +- sqrt(D) is decided"
    else:
        exact = (
            "mu(B) = 0, B = S + N on each primary component and exp(log(1 + y)) = 1 + y up to the "
            "nilpotency of N are decided modulo mu"
        )
        if logarithm.turns:
            exact += "; K^2 = -1 and K B = B K on pairs of negative blocks"
    with precision(64):
        radius = logarithm.confirmed_radius().str(2, radius=False)
    matrix = logarithm.matrix
    short = matrix is not None and len(matrix) ** 2 <= SHOWN_ENTRIES
    stated = f"X = {matrix_text(matrix)}; " if matrix is not None and short else ""
    return f"{stated}{exact}; an independent ball of exp(X) contains B, radius {radius}"


def _kernel_witness(encoding: IntegerPositions) -> str:
    """A vector v ≠ 0 with Bv = 0."""
    b = encoding.step
    if is_rational(b):
        v = nullspace(to_fmpq(b))[0]
        texts = [str(x) for x in fmpq_mat(v).entries()]
    elif len(b) == 1:
        texts = ["1"]
    else:
        (p, q), (r, s) = b
        zero_row = all(x.vanishes() for x in (p, q))
        texts = [str(x) for x in ((s, -r) if zero_row else (q, -p))]
    return f"B v = 0 for v = ({', '.join(texts)})"
