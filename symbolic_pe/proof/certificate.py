"""Write what was proved as a certificate (docs/reference/certificate.md).

The certificate carries every datum that a checker needs: block theorems with symbolic entries,
the instances of every head, the basis, the constant coordinates. It is written, not trusted: the
independent checker decides all of it again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from typing import Any

from symbolic_pe.algebra.assumptions import ASSUMPTIONS, Assumptions
from symbolic_pe.algebra.complex_scalar import ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.interval import Interval
from symbolic_pe.algebra.matrix import FunctionMatrix, ScalarMatrix
from symbolic_pe.algebra.rational_function import RationalFunction
from symbolic_pe.algebra.scalar import HALF, ONE, ZERO, Scalar
from symbolic_pe.emit.plan import BlockGroup, KernelPlan, MatrixGroup
from symbolic_pe.encodings.encoding import Augmentation
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.generators.block import Block
from symbolic_pe.proof.claim import Outcome
from symbolic_pe.proof.patterns import Pattern
from symbolic_pe.proof.prover import Proof

FORMAT = "symbolic-pe-certificate/1"
CONTRAGREDIENT = {"query": "A(t)^T", "key": "A(-s)"}
ONE_MAP = {"query": "A(-t)", "key": "A(-s)"}
Json = dict[str, Any]


def certificate(proof: Proof, plan: KernelPlan, without: Collection[str] = ()) -> Json:
    """The certificate of the claims that were proved, less those named in `without`.

    Raises `NotYetCovered` when a number has no form in the published format.
    """
    assumptions = proof.encoding.heads[0].generator.assumptions
    writer = _Writer(assumptions)
    heads = [writer.head(plan, index) for index in range(plan.heads)]
    added = [h.augmentation for h in proof.encoding.heads]
    document: Json = {
        "format": FORMAT,
        "name": proof.encoding.name,
        "dimension": proof.encoding.dimension,
        "parameters": {
            name: _assumption(assumptions.intervals[name], text)
            for name, text in proof.encoding.parameters.items()
        },
        "patterns": writer.patterns,
        "heads": heads,
        "pairing": ONE_MAP if plan.norm_preserving else CONTRAGREDIENT,
        "augmentation": (
            None if added[0] is None else [writer.augmentation(a) for a in added if a is not None]
        ),
        "claims": [
            c.name for c in proof.claims if c.verdict is Outcome.PROVED and c.name not in without
        ],
        "definitions": writer.definitions,
    }
    document["digest"] = digest(document)
    return document


def _assumption(interval: Interval, declared: str) -> str:
    """The word of the format that follows from what was declared (bounds become signs)."""
    if declared in ASSUMPTIONS:
        return declared
    sign = interval.sign_of_difference(ZERO)
    return {1: "positive", -1: "negative"}.get(sign or 0, "real")


def digest(document: Json) -> str:
    """SHA-256 of the canonical form without the digest itself."""
    body = {key: value for key, value in document.items() if key != "digest"}
    return "sha256:" + hashlib.sha256(canonical(body).encode()).hexdigest()


def canonical(document: Any) -> str:
    """Canonical JSON: sorted keys, no white space."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


class _Writer:
    def __init__(self, assumptions: Assumptions):
        self.assumptions = assumptions
        self.definitions: Json = {}
        self.patterns: Json = {}
        self._roots: dict[str, str] = {}
        self._positive: dict[str, str] = {}

    # -- numbers ------------------------------------------------------------------------------

    def number(self, x: Scalar) -> list[list[Any]]:
        """Σ c·Π atom^e as terms."""
        merged: dict[tuple[tuple[str, str], ...], Any] = {}
        for radical, coefficient in x.terms.items():
            roots = {self._atom(a.value): e for a, e in radical}
            for monomial, c in self._monomials(coefficient):
                factors = dict(roots)
                for name, exponent in monomial.items():
                    factors[name] = factors.get(name, 0) + exponent
                key = tuple(sorted((n, str(e)) for n, e in factors.items() if e != 0))
                merged[key] = merged[key] + c if key in merged else c
        return [
            [str(c), dict(key)] for key, c in sorted(merged.items(), key=lambda i: i[0]) if c != 0
        ]

    def _monomials(self, element: RationalFunction) -> list[tuple[dict[str, Any], Any]]:
        top, bottom = element.split()
        below: dict[str, Any] = {}
        constant, factors = bottom.factors()
        for factor, exponent in factors:
            names = factor.used_names()
            name = names[0] if str(factor) == names[0] else self._atom(factor)
            below[name] = -exponent
        return [
            ({**below, **{n: e + below.get(n, 0) for n, e in monomial.items()}}, c / constant)
            for monomial, c in top.numerator_terms()
        ]

    def _atom(self, value: RationalFunction) -> str:
        """A prime, a symbol, or a defined positive polynomial."""
        text = str(value)
        if value.is_constant() or value.used_names() == (text,):
            return text
        if text not in self._positive:
            if self.assumptions.sign_of(value) != 1:
                raise NotYetCovered(
                    f"a certificate with {value} in a denominator or under a root, whose sign is "
                    "not known from the assumptions"
                )
            name = self._fresh("f", len(self._positive))
            self._positive[text] = name
            self.definitions[name] = {"equals": self.number(Scalar({(): value}))}
        return self._positive[text]

    def _fresh(self, prefix: str, index: int) -> str:
        name = f"{prefix}{index + 1}"
        while name in self.assumptions.declared or name in self.definitions:
            index += 1
            name = f"{prefix}{index + 1}"
        return name

    def complex_number(self, z: ComplexScalar) -> list[Any]:
        """[re, im]."""
        return [self.number(z.re), self.number(z.im)]

    def matrix(self, x: ScalarMatrix) -> list[list[Any]]:
        """Rows of numbers."""
        return [[self.number(entry) for entry in row] for row in x]

    def function(self, f: ExponentialPolynomial) -> list[list[Any]]:
        """Terms [c, k, l] of a function of one variable."""
        return sorted(
            (
                [self.complex_number(c), key.powers[0], self.complex_number(key.exponents[0])]
                for key, c in f.terms.items()
            ),
            key=canonical,
        )

    def functions(self, f: FunctionMatrix) -> list[list[Any]]:
        """Rows of functions."""
        return [[self.function(entry) for entry in row] for row in f]

    # -- structure ----------------------------------------------------------------------------

    def head(self, plan: KernelPlan, index: int) -> Json:
        """Blocks of one head, in channels (or Jordan coordinates when there is a basis)."""
        blocks: list[Json] = []
        for group in plan.groups:
            if isinstance(group, MatrixGroup):
                blocks.append(self._matrix_block(group))
            else:
                blocks.extend(self._blocks(group, index))
        blocks.sort(key=lambda item: item["coordinates"])
        x = plan.encoding.heads[index].generator.matrix
        generator = [
            [i, j, self.number(entry)]
            for i, row in enumerate(x)
            for j, entry in enumerate(row)
            if not entry.is_zero()
        ]
        basis = None
        if plan.basis is not None:
            p, q = plan.basis[index if len(plan.basis) > 1 else 0]
            basis = {"P": self.matrix(p), "Q": self.matrix(q)}
        return {"generator": generator, "blocks": blocks, "basis": basis}

    def _blocks(self, group: BlockGroup, index: int) -> list[Json]:
        def row(rows: tuple[tuple[Scalar, ...], ...]) -> tuple[Scalar, ...]:
            return rows[index if len(rows) > 1 else 0]

        found = []
        for j, (rate, frequency, shear) in enumerate(
            zip(row(group.rate.rows), row(group.frequency.rows), row(group.shear.rows), strict=True)
        ):
            block = Block(rate, frequency, group.chain_length, shear)
            pattern = Pattern.of(block)
            self._state(pattern)
            found.append(
                {
                    "pattern": pattern.name,
                    "coordinates": [slot[j] for slot in group.slots],
                    "values": {
                        self.variable(n): self.number(v) for n, v in pattern.values(block).items()
                    },
                }
            )
        return found

    def _state(self, pattern: Pattern) -> None:
        """State the block theorem once; its symbols shadow no parameter."""
        if pattern.name in self.patterns:
            return
        names = {n: Scalar.symbol(self.variable(n)) for n in pattern.variables}
        block = pattern.block.substitute(names)
        self.patterns[pattern.name] = {
            "variables": [self.variable(n) for n in pattern.variables],
            "generator": self.matrix(block.generator),
            "exponential": self.functions(block.exponential()),
        }

    def variable(self, name: str) -> str:
        """A pattern variable that is not a parameter."""
        while name in self.assumptions.declared:
            name += "_"
        return name

    def _matrix_block(self, group: MatrixGroup) -> Json:
        """exp(tX) = e^{at}(cosh(rt)·I + sinh(rt)/r·(X − aI)) with r² = D."""
        name = f"component-{group.channels[0]}-{group.channels[1]}"
        self.patterns[name] = {
            "variables": [],
            "generator": self.matrix(group.matrix),
            "exponential": self.functions(self._uniform(group)),
        }
        return {"pattern": name, "coordinates": list(group.channels), "values": {}}

    def _uniform(self, group: MatrixGroup) -> FunctionMatrix:
        centre = ExponentialPolynomial.exponential("t", ComplexScalar(group.centre))
        if group.centre.is_zero():
            centre = ExponentialPolynomial.constant(ONE)
        if group.discriminant.is_zero():
            c, s = centre, centre * ExponentialPolynomial.variable("t")
        else:
            r = Scalar.symbol(self._root(group.discriminant))
            up = ExponentialPolynomial.exponential("t", ComplexScalar(r))
            down = ExponentialPolynomial.exponential("t", ComplexScalar(-r))
            c = centre * (up + down).scale(HALF)
            s = centre * (up - down).scale(HALF / r)
        rows = []
        for i, row in enumerate(group.matrix):
            rows.append(
                tuple(
                    s.scale(x - group.centre) + c if i == j else s.scale(x)
                    for j, x in enumerate(row)
                )
            )
        return tuple(rows)

    def _root(self, discriminant: Scalar) -> str:
        text = str(discriminant)
        if text not in self._roots:
            name = self._fresh("r", len(self._roots))
            self._roots[text] = name
            self.definitions[name] = {"square": self.number(discriminant)}
        return self._roots[text]

    def augmentation(self, added: Augmentation) -> Json:
        """Constant coordinates of one head."""
        return {
            "query": [self.number(x) for x in added.query],
            "key": [self.number(x) for x in added.key],
            "generator": self.matrix(added.generator),
            "exponential": self.functions(added.exponential),
            "bias": self.function(added.bias),
        }
