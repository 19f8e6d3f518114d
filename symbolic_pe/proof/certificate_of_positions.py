"""Certificates of integer steps A(n) = Bⁿ and of several axes A(p) = exp(Σ pᵢXᵢ)."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

from flint import arb, arb_poly, fmpq, fmpq_mat, fmpq_poly

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.matrix import ScalarMatrix, from_fmpq, is_rational, to_fmpq
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar, precision
from symbolic_pe.exponential.real_logarithm import RealLogarithm
from symbolic_pe.jordan.rational import nullspace
from symbolic_pe.proof.certificate import accepted, annihilator, certified_encoding, finished
from symbolic_pe.proof.certificate_of_scores import certificate_of_claims
from symbolic_pe.proof.checker import check_certificate
from symbolic_pe.proof.claim import Claim, Outcome
from symbolic_pe.proof.integer_positions import StepProof
from symbolic_pe.proof.prover import Proof
from symbolic_pe.proof.refutation import at_point, differs_from_zero, entry
from symbolic_pe.proof.several_axes import AxesProof
from symbolic_pe.proof.spelling import Spelling
from symbolic_pe.proof.verdicts import OutsideProof

Json = dict[str, Any]
AnyProof = Proof | StepProof | AxesProof | OutsideProof


def certificate_of(proof: AnyProof) -> Json:
    """The certificate of what was decided, as the independent checker accepts it.

    >>> from symbolic_pe.encodings.forms import from_any_document
    >>> from symbolic_pe.proof.integer_positions import prove_step
    >>> flip = from_any_document({"step": {"matrix": [[-1, 0], [0, 1]]}})
    >>> [item["claim"] for item in certificate_of(prove_step(flip))["refutations"]]
    ['generator']

    Raises `NotYetCovered` when a number has no form in the published format.
    """
    if isinstance(proof, Proof):
        return certified_encoding(proof)
    if isinstance(proof, StepProof):
        document = _step(proof)
    elif isinstance(proof, AxesProof):
        document = _axes(proof)
    else:
        found = proof.encoding
        return certificate_of_claims(found.name, found.dimension, proof.claims)
    return accepted(document, check_certificate(document))


# -- several axes --------------------------------------------------------------------------------


def _axes(proof: AxesProof) -> Json:
    """Generators, and an entry of a commutator where two do not commute."""
    encoding = proof.encoding
    spelling = Spelling(encoding.assumptions, encoding.assumptions.declared)
    document = {
        "kind": "axes",
        "name": encoding.name,
        "dimension": encoding.dimension,
        "axes": [spelling.entries(axis.matrix) for axis in encoding.axes],
    }
    found = at_point(spelling, encoding.assumptions)
    witness: Json | None = None
    if proof.commutator is not None and found is not None:
        c = proof.commutator
        if differs_from_zero(c.value, found[0]):
            witness = {**found[1], "witness": entry(c.axes, c.row, c.column)}
    witnesses = [(claim, witness) for claim in proof.claims if claim.verdict is Outcome.REFUTED]
    return finished(spelling, document, proof.claims, proof.claims, witnesses)


# -- integer steps -------------------------------------------------------------------------------


def _step(proof: StepProof) -> Json:
    """B with its inverse, why a real logarithm exists, or why there is none."""
    b = proof.encoding.step
    spelling = Spelling(Assumptions(), {})
    invertible = proof.step is not None and proof.step.invertible
    logarithm = None if proof.logarithm is None else _logarithm(spelling, proof.logarithm)
    document = {
        "kind": "step",
        "name": proof.encoding.name,
        "dimension": proof.encoding.dimension,
        "step": spelling.entries(b),
        "inverse": spelling.entries(_inverse(b)) if invertible else None,
        "logarithm": logarithm,
    }
    kept = [
        claim
        for claim in proof.claims
        if claim.name != "generator" or claim.verdict is not Outcome.PROVED or logarithm
    ]
    witnesses = [
        (claim, _against(spelling, b, claim, invertible=invertible))
        for claim in proof.claims
        if claim.verdict is Outcome.REFUTED
    ]
    return finished(spelling, document, proof.claims, kept, witnesses)


def _inverse(b: ScalarMatrix) -> ScalarMatrix:
    """B⁻¹; matrices with roots have one or two rows."""
    if is_rational(b):
        return from_fmpq(to_fmpq(b).inv())
    if len(b) == 1:
        return ((ONE / b[0][0],),)
    (p, q), (r, s) = b
    scale = ONE / (p * s - q * r)
    return ((s * scale, -q * scale), (-r * scale, p * scale))


def _logarithm(spelling: Spelling, found: RealLogarithm) -> Json | None:
    """K, p and N: p annihilates B where K is 0, and the signs of (1 − x)^N·p(x) alternate."""
    n = len(found.step)
    k: ScalarMatrix = ((ZERO,) * n,) * n
    if found.closed is None:
        coefficients = annihilator(found.step)
        if _multiplier(coefficients) is None and is_multiple_of_identity(found.step):
            coefficients, k = [], ((ZERO, -ONE), (ONE, ZERO))
    else:
        turned = {str(turn.factor) for turn in found.turns}
        polynomial = fmpq_poly([1])
        for part in found.closed.parts:
            if str(part.factor) not in turned:
                polynomial *= part.factor**part.exponent
        coefficients = [Scalar.rational(c) for c in polynomial.coeffs()[:-1]]
        k = from_fmpq(sum((turn.rotation for turn in found.turns), fmpq_mat(n, n)))
    multiplier = _multiplier(coefficients)
    if multiplier is None:
        return None
    return {
        "annihilator": spelling.vector(coefficients),
        "multiplier": multiplier,
        "turn": spelling.entries(k),
    }


def is_multiple_of_identity(b: ScalarMatrix) -> bool:
    """Whether B = c·I, for a matrix of two rows."""
    if len(b) != 2:
        return False
    (p, q), (r, s) = b
    return q.is_zero() and r.is_zero() and (p - s).is_zero()


def _multiplier(coefficients: Sequence[Scalar]) -> int | None:
    """The least N found for which the signs of (1 − x)^N·p(x) alternate, for monic p.

    p(−x) has no zero at x >= 0; then the coefficients of (1 + x)^N·p(−x) are positive for some N
    (Poincaré).
    """
    degree = len(coefficients)
    with precision(256):
        values = [*(c.ball({}) for c in coefficients), arb(1)]
        mirrored = arb_poly([(-1) ** (degree - i) * c for i, c in enumerate(values)])
        tried: tuple[int, ...] = (*range(8), 8, 16, 32, 64, 128, 256, 512)
        for n in tried:
            powers = arb_poly([comb(n, i) for i in range(n + 1)])
            if all(c > 0 for c in (mirrored * powers).coeffs()):
                return n
    return None


def _against(spelling: Spelling, b: ScalarMatrix, claim: Claim, *, invertible: bool) -> Json | None:
    """A vector with Bv = 0, or an odd number of blocks at a rational negative eigenvalue."""
    point: Json = {"values": {}}
    if not invertible:
        return {
            **point,
            "witness": {"kind": "null-vector", "vector": spelling.vector(_kernel(b))},
        }
    if claim.name != "generator" or not is_rational(b):
        return None
    matrix = to_fmpq(b)
    one = fmpq_mat(len(b), len(b), [int(i == j) for i in range(len(b)) for j in range(len(b))])
    for factor, _ in matrix.charpoly().factor()[1]:
        eigenvalue = -factor[0] / factor[1] if factor.degree() == 1 else fmpq(0)
        size = _odd_size(matrix - one * eigenvalue, one) if eigenvalue < 0 else None
        if size is not None:
            witness = {"kind": "odd-blocks", "eigenvalue": str(eigenvalue), "size": size}
            return {**point, "witness": witness}
    return None


def _odd_size(shifted: fmpq_mat, one: fmpq_mat) -> int | None:
    """A size of which there are an odd number of Jordan blocks at the eigenvalue 0."""
    ranks, power = [one.nrows()], one
    for _ in range(one.nrows() + 1):
        power = power * shifted
        ranks.append(int(power.rank()))
    for size in range(1, one.nrows() + 1):
        if (ranks[size - 1] - 2 * ranks[size] + ranks[size + 1]) % 2:
            return size
    return None


def _kernel(b: ScalarMatrix) -> list[Scalar]:
    """v ≠ 0 with Bv = 0."""
    if is_rational(b):
        return [Scalar.rational(fmpq(x)) for x in fmpq_mat(nullspace(to_fmpq(b))[0]).entries()]
    if len(b) == 1:
        return [ONE]
    (p, q), (r, s) = b
    return [s, -r] if p.vanishes() and q.vanishes() else [q, -p]
