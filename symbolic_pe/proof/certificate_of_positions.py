"""Certificates of integer steps A(n) = Bⁿ and of several axes A(p) = exp(Σ pᵢXᵢ)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import Any

from flint import arb, arb_poly, fmpq, fmpq_mat, fmpq_poly

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.matrix import (
    ScalarMatrix,
    from_fmpq,
    identity,
    is_rational,
    multiply,
    to_fmpq,
)
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar, precision
from symbolic_pe.exponential.real_logarithm import RealLogarithm
from symbolic_pe.jordan.rational import (
    Primary,
    chain_generators,
    evaluate_at,
    nullspace,
    primary_structure,
)
from symbolic_pe.proof.any_form import AnyProof
from symbolic_pe.proof.certificate import accepted, annihilator, certified_encoding, finished
from symbolic_pe.proof.certificate_of_scores import certificate_of_claims
from symbolic_pe.proof.checker import check_certificate
from symbolic_pe.proof.claim import Claim, Outcome
from symbolic_pe.proof.integer_positions import StepProof
from symbolic_pe.proof.prover import Proof
from symbolic_pe.proof.refutation import at_point, differs_from_zero, entry
from symbolic_pe.proof.several_axes import AxesProof
from symbolic_pe.proof.spelling import Spelling

Json = dict[str, Any]


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
            pairs = list(combinations(range(len(encoding.axes)), 2))
            witness = {**found[1], "witness": entry(pairs.index(c.axes), c.row, c.column)}
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
    """M and p: M is a quarter turn where B has negative eigenvalues, else 1, and p(M²B) = 0."""
    b = found.step
    m = identity(len(b))
    if found.closed is None:
        if _alternating(annihilator(b)) is None and is_multiple_of_identity(b):
            m = ((ZERO, -ONE), (ONE, ZERO))
    elif found.turns:
        k = sum((turn.rotation for turn in found.turns), to_fmpq(m) * 0)
        m = from_fmpq(to_fmpq(m) + k * k + k)
    coefficients = _alternating(annihilator(multiply(multiply(m, m), b)))
    if coefficients is None:
        return None
    return {"turn": spelling.entries(m), "annihilator": spelling.vector(coefficients)}


def is_multiple_of_identity(b: ScalarMatrix) -> bool:
    """Whether B = c·I, for a matrix of two rows."""
    if len(b) != 2:
        return False
    (p, q), (r, s) = b
    return q.is_zero() and r.is_zero() and (p - s).is_zero()


def _alternating(coefficients: Sequence[Scalar]) -> list[Scalar] | None:
    """A multiple (1 − x)^N·p(x), up to its sign, whose signs alternate, for monic p.

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
                return _times_power([*coefficients, ONE], n)[:-1]
    return None


def _times_power(p: Sequence[Scalar], n: int) -> list[Scalar]:
    """The coefficients of p·(x − 1)^n."""
    found = list(p)
    for _ in range(n):
        shifted, kept = [ZERO, *found], [*found, ZERO]
        found = [a - b for a, b in zip(shifted, kept, strict=True)]
    return found


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
    for primary in primary_structure(to_fmpq(b)):
        odd = any(primary.sizes.count(size) % 2 for size in primary.sizes)
        if odd and primary.factor.degree() == 1 and primary.factor[0] > 0:
            return {**point, "witness": _blocks(spelling, to_fmpq(b), primary)}
    return None


def _blocks(spelling: Spelling, b: fmpq_mat, primary: Primary) -> Json:
    """B = S·(C ⊕ R)·T with all Jordan blocks C at one eigenvalue λ, and (R − λI)⁻¹."""
    n, eigenvalue, largest = b.nrows(), -primary.factor[0], primary.sizes[0]
    one = to_fmpq(identity(n))
    nilpotent = b - one * eigenvalue
    space = nullspace(evaluate_at(primary.factor**largest, b))
    columns: list[fmpq_mat] = []
    sizes: list[int] = []
    for size, w in chain_generators(space, one * eigenvalue, nilpotent, primary):
        links = [w]
        for _ in range(size - 1):
            links.append(nilpotent * links[-1])
        columns += links[::-1]
        sizes.append(size)
    count = len(columns)
    others = fmpq_poly(b.charpoly()) / primary.factor**count
    columns += nullspace(evaluate_at(others, b)) if count < n else []
    s = fmpq_mat([[column[i, 0] for column in columns] for i in range(n)])
    inverse = s.inv()
    similar = inverse * b * s
    rest = fmpq_mat(n, n)
    shifted = one * 1
    for i in range(count, n):
        for j in range(count, n):
            rest[i, j] = similar[i, j]
            shifted[i, j] = similar[i, j] - (eigenvalue if i == j else 0)
    resolvent = shifted.inv()
    for i in range(count):
        resolvent[i, i] = 0
    matrices = {"rest": rest, "resolvent": resolvent, "S": s, "T": inverse}
    return {
        "kind": "odd-blocks",
        "eigenvalue": spelling.real(Scalar.rational(eigenvalue)),
        "sizes": sizes,
        **{name: spelling.entries(from_fmpq(m)) for name, m in matrices.items()},
    }


def _kernel(b: ScalarMatrix) -> list[Scalar]:
    """v ≠ 0 with Bv = 0."""
    if is_rational(b):
        return [Scalar.rational(fmpq(x)) for x in fmpq_mat(nullspace(to_fmpq(b))[0]).entries()]
    if len(b) == 1:
        return [ONE]
    (p, q), (r, s) = b
    return [s, -r] if p.vanishes() and q.vanishes() else [q, -p]
