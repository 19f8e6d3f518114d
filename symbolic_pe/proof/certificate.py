"""Write what was decided as a certificate (docs/reference/certificate.md).

The certificate carries every datum that a checker needs: generators, blocks with their
exponentials, bases, constant coordinates, norms that do not grow, and witnesses of what is refuted.
It is written, not trusted: the independent checker decides all of it again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from flint import fmpq

from symbolic_pe.algebra.matrix import ScalarMatrix, identity, is_rational, multiply, to_fmpq
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.emit.plan import (
    BlockGroup,
    KernelPlan,
    MatrixGroup,
    is_norm_preserving,
    plan_kernel,
)
from symbolic_pe.encodings.augmentation import realised_bias
from symbolic_pe.encodings.encoding import Augmentation
from symbolic_pe.errors import NotYetCovered, SpecificationError, Undecided
from symbolic_pe.generators.block import Block, PlacedBlock
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.components import connected_components
from symbolic_pe.proof.checker import FORMAT, CheckResult, check_certificate
from symbolic_pe.proof.claim import Claim, Outcome
from symbolic_pe.proof.norms import Norm
from symbolic_pe.proof.prover import Proof
from symbolic_pe.proof.refutation import form, refutation
from symbolic_pe.proof.spelling import Spelling

Json = dict[str, Any]
BOUNDED = ("bounded-causal", "bounded-all")


def certificate(proof: Proof, plan: KernelPlan | None, without: Collection[str] = ()) -> Json:
    """The certificate of one encoding: what is proved, and what is refuted by a witness.

    With a plan it is about the generator of the kernel, else about that of the encoding. Claims
    named in `without`, and refuted ones without a witness, are listed as not certified.

    Raises `NotYetCovered` when a number has no form in the published format.
    """
    encoding = proof.encoding if plan is None else plan.encoding
    spelling = Spelling(encoding.heads[0].generator.assumptions, encoding.parameters)
    added = [head.augmentation for head in encoding.heads]
    claims = [claim for claim in proof.claims if claim.name not in without]
    bounded = any(c.name in BOUNDED and c.verdict is Outcome.PROVED for c in claims)
    norms = [Norm(head.generator.assumptions) for head in encoding.heads]
    heads = [
        _head_of_plan(spelling, plan, index, norm if bounded else None)
        if plan is not None
        else _head(spelling, head.generator, norm if bounded else None)
        for index, (head, norm) in enumerate(zip(encoding.heads, norms, strict=True))
    ]
    for head, norm, extra in zip(heads, norms, added, strict=True):
        if bounded and extra is not None:
            start = encoding.dimension
            norm.add(extra.generator, range(start, start + extra.coordinates))
        head["norm"] = _norm(spelling, norm) if bounded else None
        head["augmentation"] = None if extra is None else spelled_augmentation(spelling, extra)
    norm_preserving = all(is_norm_preserving(head.generator) for head in encoding.heads)
    one_map = norm_preserving or proof.encoding.pairing == "one-map"
    document = {
        "kind": "encoding",
        "name": encoding.name,
        "dimension": encoding.dimension,
        "heads": heads,
        "rates": {},
        "pairing": "one-map" if one_map else "contragredient",
    }
    witnesses = [
        (claim, refutation(spelling, proof, claim.name))
        for claim in claims
        if claim.verdict is Outcome.REFUTED
    ]
    return finished(spelling, document, proof.claims, claims, witnesses)


def finished(
    spelling: Spelling,
    document: Json,
    decided: Iterable[Claim],
    kept: Iterable[Claim],
    witnesses: Iterable[tuple[Claim, Json | None]],
) -> Json:
    """The document with its claims and its digest."""
    proved = [claim.name for claim in kept if claim.verdict is Outcome.PROVED]
    refutations = [
        {"claim": claim.name, **witness} for claim, witness in witnesses if witness is not None
    ]
    stated = {*proved, *(item["claim"] for item in refutations)}
    content = spelling.finish(
        {
            "format": FORMAT,
            **document,
            "claims": proved,
            "refutations": refutations,
            "uncertified": [
                claim.name
                for claim in decided
                if claim.name not in stated and claim.verdict is not Outcome.UNDECIDED
            ],
        }
    )
    return {**content, "digest": digest(content)}


def certified(proof: Proof, plan: KernelPlan | None, without: Collection[str] = ()) -> Json:
    """The certificate as the independent checker accepts it.

    Bounds that need a case tree of the parameters are listed as not certified.

    Raises `NotYetCovered` when the checker does not accept the rest.
    """
    document = certificate(proof, plan, without)
    verdict = check_certificate(document)
    missing = {name for name, outcome in verdict.claims if outcome == "not shown"}
    if not verdict.accepted and missing and missing <= set(BOUNDED):
        document = certificate(proof, plan, {*missing, *without})
        verdict = check_certificate(document)
    return accepted(document, verdict)


def certified_encoding(proof: Proof) -> Json:
    """The certificate about the generator as it is stated, without looking at a kernel of it.

    Raises `NotYetCovered` where no claim was decided: evidence for it would be as hard to find.
    """
    if all(claim.verdict is Outcome.UNDECIDED for claim in proof.claims):
        raise NotYetCovered("a certificate of claims of which none is decided")
    try:
        plan: KernelPlan | None = plan_kernel(proof.encoding)
    except (NotYetCovered, Undecided, SpecificationError):
        plan = None
    if plan is not None and plan.distance == 0:
        try:
            return certified(proof, plan)
        except NotYetCovered:
            pass
    return certified(proof, None)


def accepted(document: Json, verdict: CheckResult) -> Json:
    """The document, which the checker accepted; else `NotYetCovered`."""
    if not verdict.accepted:
        raise NotYetCovered(
            f"the independent checker does not accept the certificate: {verdict.reason}"
        )
    return document


def digest(document: Json) -> str:
    """SHA-256 of the canonical form without the digest itself."""
    body = {key: value for key, value in document.items() if key != "digest"}
    return "sha256:" + hashlib.sha256(canonical(body).encode()).hexdigest()


def canonical(document: Any) -> str:
    """Canonical JSON: sorted keys, no white space."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


# -- heads ---------------------------------------------------------------------------------------


def _head_of_plan(spelling: Spelling, plan: KernelPlan, index: int, norm: Norm | None) -> Json:
    """Blocks of one head, in channels (or Jordan coordinates when there is a basis)."""
    placed: list[PlacedBlock] = []
    others: list[tuple[Sequence[int], ScalarMatrix]] = []
    for group in plan.groups:
        if isinstance(group, MatrixGroup):
            others.append((group.channels, group.matrix))
        else:
            placed.extend(_placed(group, index))
    record = _head_record(spelling, plan.encoding.heads[index].generator, placed, others, norm)
    if plan.basis is not None:
        p, q = plan.basis[index if len(plan.basis) > 1 else 0]
        blocks = [(item.coordinates, item.block.generator) for item in placed]
        record["basis"] = {
            "P": spelling.entries(p),
            "J": _at_places(spelling.entries, [*others, *blocks]),
            "Q": spelling.entries(q),
        }
    return record


def _head(spelling: Spelling, generator: Generator, norm: Norm | None) -> Json:
    """Without a plan: stated blocks, or an annihilating polynomial for every component."""
    if generator.placed is not None:
        return _head_record(spelling, generator, generator.placed, [], norm)
    x = generator.matrix
    parts = [(at, tuple(tuple(x[i][j] for j in at) for i in at)) for at in connected_components(x)]
    return _head_record(spelling, generator, (), parts, norm)


def _head_record(
    spelling: Spelling,
    generator: Generator,
    placed: Sequence[PlacedBlock],
    others: Sequence[tuple[Sequence[int], ScalarMatrix]],
    norm: Norm | None,
) -> Json:
    """Blocks with their exponentials, and parts with a polynomial that annihilates each."""
    if norm is not None:
        for at, x in others:
            norm.add(x, at)
        for item in placed:
            norm.add_block(item.block, item.coordinates)
    flows = [(item.coordinates, item.block.exponential()) for item in placed]
    return {
        "generator": spelling.entries(generator.matrix),
        "basis": None,
        "exponential": _at_places(spelling.function_entries, flows),
        "parts": [
            {"at": list(at), "annihilator": spelling.vector(annihilator(x))}
            for at, x in sorted(others, key=lambda item: list(item[0]))
        ],
    }


def _at_places(
    spelled: Callable[[Any], Any], blocks: Iterable[tuple[Sequence[int], Any]]
) -> list[Any]:
    """The entries of a matrix of blocks, each at its coordinates."""
    return sorted(
        ([at[i], at[j], x] for at, block in blocks for i, j, x in spelled(block)),
        key=lambda entry: entry[:2],
    )


def _norm(spelling: Spelling, norm: Norm) -> Json:
    """P from weights and unit triangular rows; what V loses is a gain that is not positive."""
    size = range(len(norm.weights))
    rows = [{i: ONE, **norm.basis.get(i, {})} for i in size]
    gain = [(-weight, row) for weight, row in norm.loss]
    return form(spelling, ZERO, [(norm.weights[i], rows[i]) for i in size], gain)


def _placed(group: BlockGroup, index: int) -> Iterable[PlacedBlock]:
    def row(rows: tuple[tuple[Scalar, ...], ...]) -> tuple[Scalar, ...]:
        return rows[index if len(rows) > 1 else 0]

    vectors = (row(v.rows) for v in (group.rate, group.frequency, group.shear))
    for j, (rate, frequency, shear) in enumerate(zip(*vectors, strict=True)):
        block = Block(rate, frequency, group.chain_length, shear)
        yield PlacedBlock(block, tuple(slot[j] for slot in group.slots))


def annihilator(x: ScalarMatrix) -> list[Scalar]:
    """c_0 … c_{n−1} with c_0 + c_1 X + … + X^n = 0: the minimal polynomial of a rational X.

    Else the characteristic one, by Faddeev and LeVerrier: M_1 = I, c_{n−k} = −tr(X·M_k)/k,
    M_{k+1} = X·M_k + c_{n−k}·I.
    """
    if is_rational(x):
        return [Scalar.rational(c) for c in to_fmpq(x).minpoly().coeffs()[:-1]]
    n = len(x)
    found: list[Scalar] = []
    m = identity(n)
    for k in range(1, n + 1):
        product = multiply(x, m)
        trace = ZERO
        for i in range(n):
            trace = trace + product[i][i]
        c = trace * Scalar.rational(fmpq(-1, k))
        found.append(c)
        m = tuple(
            tuple(entry + c if i == j else entry for j, entry in enumerate(row))
            for i, row in enumerate(product)
        )
    return found[::-1]


def spelled_augmentation(spelling: Spelling, added: Augmentation) -> Json:
    """Constant coordinates of one head, and the way exp(τY)·key of the key."""
    size = range(added.coordinates)
    units = ([ONE if i == j else ZERO for j in size] for i in size)
    way = [realised_bias(e, added.exponential, added.key) for e in units]
    return {
        "query": spelling.vector(added.query),
        "key": spelling.vector(added.key),
        "bias": spelling.function(added.bias),
        "orbit": {
            "generator": spelling.entries(added.generator),
            "table": [spelling.function(f) for f in way],
        },
    }
