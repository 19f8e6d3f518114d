"""What tests compare the exact core with: listed structures, points of parameters, Arb."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from flint import acb, acb_mat, arb, arb_mat, fmpq, fmpq_mat

from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.matrix import FunctionMatrix, multiply, to_fmpq
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.exponential.closed_form import (
    CaseExponential,
    ComponentExponential,
    exponential,
)
from symbolic_pe.exponential.primary import primary_exponential
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from symbolic_pe.jordan.form import JordanCase, StructureBlock
from symbolic_pe.jordan.rational import primary_structure, structure_of
from tests.jordan.points import PATIENT, matching

LAGS = (fmpq(37, 100), fmpq(-5, 7))
RELATIVE_RADIUS = 2.0**-60
Rows = list[list[str]]


def real_form(real: Rows, imaginary: Rows) -> Rows:
    """A + iB as the real matrix [[A, −B], [B, A]] of twice the size."""
    upper = [a + [f"-({x})" for x in b] for a, b in zip(real, imaginary, strict=True)]
    lower = [b + a for a, b in zip(real, imaginary, strict=True)]
    return upper + lower


# -- structure --------------------------------------------------------------------------------


def verify_bases(generator: Generator) -> None:
    """X·P = P·J, column block by column block, for every component of every case."""
    for case in real_jordan_form(generator).cases:
        for form in case.components or ():
            images = multiply(form.matrix, form.basis)
            start = 0
            for block in form.blocks:
                stop = start + block.dimension
                part = tuple(row[start:stop] for row in form.basis)
                assert tuple(row[start:stop] for row in images) == multiply(part, block.generator)
                start = stop


def same_blocks(found: Sequence[StructureBlock], expected: Sequence[StructureBlock]) -> bool:
    """Equal real Jordan structures of constant matrices, however their numbers are spelled."""
    pending = list(expected)
    total = sum(b.multiplicity for b in expected)
    for block in found:
        matches = [b for b in pending if _same_block(block, b)]
        if sum(b.multiplicity for b in matches) < block.multiplicity:
            return False
        total -= block.multiplicity
        if sum(b.multiplicity for b in matches) == block.multiplicity:
            pending = [b for b in pending if b not in matches]
    return total == 0


def _same_block(a: StructureBlock, b: StructureBlock) -> bool:
    if (a.chain_length, a.family) != (b.chain_length, b.family):
        return False
    if not (isinstance(a.eigenvalue, Scalar) and isinstance(b.eigenvalue, Scalar)):
        return str(a.eigenvalue) == str(b.eigenvalue)
    return (a.eigenvalue - b.eigenvalue).vanishes() and (
        a.imaginary_part - b.imaginary_part
    ).vanishes()


def case_at(generator: Generator, point: Mapping[str, fmpq]) -> JordanCase:
    """The one case of the tree that holds at a rational point."""
    (case,) = matching(_cases(generator), dict(point))
    return case


_TREES: dict[str, tuple[JordanCase, ...]] = {}


def _cases(generator: Generator) -> tuple[JordanCase, ...]:
    """The case tree, computed once for all points at which it is checked."""
    key = repr(generator)
    if key not in _TREES:
        _TREES[key] = real_jordan_form(generator, PATIENT).cases
    return _TREES[key]


def check_structure_at(generator: Generator, point: Mapping[str, fmpq]) -> None:
    """The case that holds at a point has the exact structure of the matrix there."""
    case = case_at(generator, point)
    values = {name: Scalar.rational(x) for name, x in point.items()}
    found = [_at(b, values) for b in case.structure]
    numeric = generator.substitute(values).matrix
    if all(x.is_rational() for row in numeric for x in row):
        expected = structure_of(primary_structure(to_fmpq(numeric)))
    else:
        (only,) = real_jordan_form(Generator(len(numeric), None, numeric)).cases
        expected = only.structure
    if all(isinstance(b.eigenvalue, Scalar) for b in (*found, *expected)):
        assert same_blocks(found, expected), (point, case.cell.conditions())
    else:  # roots of a factor with parameters are numbered by another polynomial
        assert _kinds(found) == _kinds(expected), (point, case.cell.conditions())


def _at(block: StructureBlock, values: Mapping[str, Scalar]) -> StructureBlock:
    if not isinstance(block.eigenvalue, Scalar):
        return block
    return StructureBlock(
        block.eigenvalue.substitute(values),
        block.imaginary_part.substitute(values),
        block.chain_length,
        block.multiplicity,
        block.real_part_sign,
    )


def _kinds(blocks: Sequence[StructureBlock]) -> Counter[tuple[str, int]]:
    kinds: Counter[tuple[str, int]] = Counter()
    for b in blocks:
        kinds[b.family, b.chain_length] += b.multiplicity
    return kinds


# -- values -----------------------------------------------------------------------------------


def balls(x: fmpq_mat, t: fmpq, bits: int = 512) -> arb_mat:
    """exp(tX) by Arb."""
    with precision(bits):
        return arb_mat([[arb(entry * t) for entry in row] for row in x.tolist()]).exp()


def complex_balls(real: Rows, imaginary: Rows, t: fmpq, bits: int = 512) -> acb_mat:
    """exp(t(A + iB)) by Arb, for rational A and B."""

    def number(text: str) -> fmpq:
        p, _, q = text.partition("/")
        return fmpq(int(p), int(q or 1)) * t

    with precision(bits):
        return acb_mat(
            [
                [acb(arb(number(a)), arb(number(b))) for a, b in zip(x, y, strict=True)]
                for x, y in zip(real, imaginary, strict=True)
            ]
        ).exp()


def encloses(value: arb_mat, expected: arb_mat) -> bool:
    """Overlapping everywhere, and narrow beside the largest entry."""
    n = value.nrows()
    scale = max(float(abs(expected[i, j]).upper()) for i in range(n) for j in range(n))
    return all(
        value[i, j].overlaps(expected[i, j]) and float(value[i, j].rad()) <= RELATIVE_RADIUS * scale
        for i in range(n)
        for j in range(n)
    )


def check_exponential(x: fmpq_mat) -> None:
    """The primary closed form is proved and encloses exp(tX) at both lags."""
    form = primary_exponential(x)
    assert form.is_proved()
    for t in LAGS:
        assert encloses(form.ball(t, 512), balls(x, t))


def check_real_form(generator: Generator) -> None:
    """P·(⊕ block exponentials)·P⁻¹ encloses exp(tX), where there is a real basis."""
    closed = exponential(generator).matrix()
    x = to_fmpq(generator.matrix)
    for t in LAGS:
        assert encloses(value_at(closed, {"t": t}), balls(x, t))


def value_at(closed: FunctionMatrix, point: Mapping[str, fmpq]) -> arb_mat:
    """Enclosure of a matrix of functions at a rational point."""
    with precision(1024):
        return arb_mat([[_entry(f, point) for f in row] for row in closed])


def _entry(f: ExponentialPolynomial, point: Mapping[str, fmpq]) -> arb:
    z = f.ball({name: arb(x) for name, x in point.items()})
    assert z.imag.contains(0)
    return z.real


def closed_form_at(generator: Generator, point: Mapping[str, fmpq]) -> FunctionMatrix:
    """exp(tX) of the case that holds at a point, its parameters replaced by the point."""
    chosen = case_at(generator, point)
    values = {name: Scalar.rational(x) for name, x in point.items()}
    assert chosen.components is not None
    closed = CaseExponential(chosen, tuple(ComponentExponential(f) for f in chosen.components))
    return tuple(tuple(f.substitute(values) for f in row) for row in closed.matrix())


def check_closed_form_at(generator: Generator, point: Mapping[str, fmpq]) -> None:
    """The closed form of the case that holds at a point encloses exp(tX) there."""
    closed = closed_form_at(generator, point)
    x = to_fmpq(generator.substitute({n: Scalar.rational(v) for n, v in point.items()}).matrix)
    for t in LAGS:
        assert encloses(value_at(closed, {"t": t}), balls(x, t))
