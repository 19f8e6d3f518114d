"""What `classify` says of a step B on integer positions: record, JSON and text."""

from __future__ import annotations

from typing import Literal

import msgspec
from flint import arb_mat

from symbolic_pe.algebra.matrix import ScalarMatrix
from symbolic_pe.algebra.real_number import RealNumber, decimal_of
from symbolic_pe.algebra.scalar import precision
from symbolic_pe.encodings.forms import matrix_text
from symbolic_pe.errors import NotYetCovered, OutsideTheRing, Undecided
from symbolic_pe.exponential.real_logarithm import RealLogarithm, eigenvalue_logarithm
from symbolic_pe.jordan.form import StructureBlock
from symbolic_pe.proof.claim import Outcome
from symbolic_pe.proof.integer_positions import StepProof

DIGITS = 20
BITS = 256
SHOWN_BLOCKS = 6
SHOWN_DIMENSION = 6
PRINCIPAL = (
    "principal: imaginary parts of logarithms of eigenvalues in (-pi, pi], pairs of negative "
    "blocks turned by pi"
)
OTHERS = "X + 2*pi*k*K is another for integer k and real K that commute with X, K^2 = -1 on a plane"


class NumberRecord(msgspec.Struct, frozen=True):
    """A real number: `text` is in the input grammar when `exact`; `about` has only right digits."""

    text: str
    exact: bool
    about: str


class StepBlockRecord(msgspec.Struct, frozen=True):
    """One kind of real Jordan block of B; the logarithm of its eigenvalue where B is invertible."""

    kind: Literal["real", "complex"]
    eigenvalue: str
    real_part: str
    imaginary_part: str
    chain_length: int
    multiplicity: int
    log_modulus: NumberRecord | None
    angle: NumberRecord | None


class SummandRecord(msgspec.Struct, frozen=True):
    """c·M, a summand of X."""

    coefficient: NumberRecord
    matrix: list[list[str]]


class StepGeneratorRecord(msgspec.Struct, frozen=True):
    """X with exp(X) = B: `matrix` when its entries are in the ring, and always `summands`."""

    matrix: list[list[str]] | None
    summands: list[SummandRecord]
    about: list[list[str]]
    unique: bool
    branch: str
    proof: str


class StepRecord(msgspec.Struct, frozen=True):
    """Output of `classify --json` for a [step].

    `generator` is null where none exists, and where it is not covered, with the reason.
    """

    kind: Literal["integer-step"]
    name: str
    dimension: int
    invertible: bool
    positions: Literal["all integers", "n >= 0"]
    has_real_generator: bool
    reason: str
    blocks: list[StepBlockRecord]
    generator: StepGeneratorRecord | None


def step_record(proof: StepProof) -> StepRecord:
    """From the value to the published record. Raises what kept the step from being decided."""
    step = proof.step
    claim = next(c for c in proof.claims if c.name == "generator")
    if step is None:
        raise Undecided(claim.reason)
    generator = None
    if proof.logarithm is not None:
        generator = _generator(proof.logarithm, claim.reason)
    reason = step.reason
    if claim.verdict is Outcome.UNDECIDED:
        reason = f"{step.reason}; the generator itself is not covered: {claim.reason}"
    return StepRecord(
        "integer-step",
        proof.encoding.name,
        proof.encoding.dimension,
        step.invertible,
        "all integers" if step.invertible else "n >= 0",
        step.has_real_generator,
        reason,
        [_block(b, invertible=step.invertible) for b in step.structure],
        generator,
    )


def _block(block: StructureBlock, *, invertible: bool) -> StepBlockRecord:
    size: RealNumber | None = None
    turn: RealNumber | None = None
    if invertible:
        try:
            size, turn = eigenvalue_logarithm(block)
        except (NotYetCovered, OutsideTheRing, Undecided):
            size = turn = None
    return StepBlockRecord(
        "complex" if block.is_pair else "real",
        **block.texts(),
        chain_length=block.chain_length,
        multiplicity=block.multiplicity,
        log_modulus=None if size is None else number_record(size),
        angle=None if turn is None else number_record(turn),
    )


def number_record(x: RealNumber) -> NumberRecord:
    """From the value to the published record."""
    return NumberRecord(x.text, x.exact is not None, x.decimal(DIGITS))


def _generator(found: RealLogarithm, proof: str) -> StepGeneratorRecord:
    with precision(BITS):
        balls = found.ball()
    matrix = found.matrix
    return StepGeneratorRecord(
        None if matrix is None else _texts(matrix),
        [SummandRecord(number_record(s.coefficient), _texts(s.matrix)) for s in found.summands],
        _decimals(balls),
        found.unique,
        PRINCIPAL if found.unique else f"{PRINCIPAL}; {OTHERS}",
        proof,
    )


def _texts(matrix: ScalarMatrix) -> list[list[str]]:
    return [[str(x) for x in row] for row in matrix]


def _decimals(balls: arb_mat) -> list[list[str]]:
    return [[decimal_of(x, DIGITS) for x in row] for row in balls.tolist()]


def step_text(proof: StepProof) -> str:
    """A few lines: where Bⁿ is defined, its blocks, and the generator or why there is none."""
    record = step_record(proof)
    kind = "a group on all integers" if record.invertible else "a semigroup on n >= 0 only"
    lines = [f"{record.name}: dimension {record.dimension}, A(n) = B^n is {kind}"]
    for block in record.blocks[:SHOWN_BLOCKS]:
        times = f"{block.multiplicity} x " if block.multiplicity > 1 else ""
        chain = f", chain length {block.chain_length}" if block.chain_length > 1 else ""
        log = ""
        if block.log_modulus is not None and block.angle is not None:
            log = f"  (log modulus {block.log_modulus.text}, angle {block.angle.text})"
        lines.append(f"    {times}eigenvalue {block.eigenvalue}{chain}{log}")
    if len(record.blocks) > SHOWN_BLOCKS:
        lines.append(f"    ... and {len(record.blocks) - SHOWN_BLOCKS} more kinds of block")
    if not record.has_real_generator:
        return "\n".join([*lines, f"  no real generator: {record.reason}"])
    if record.generator is None or proof.logarithm is None:
        return "\n".join([*lines, f"  a real generator exists: {record.reason}"])
    return "\n".join([*lines, *_generator_lines(proof.logarithm, record.generator)])


def _generator_lines(found: RealLogarithm, record: StepGeneratorRecord) -> list[str]:
    small = len(found.step) <= SHOWN_DIMENSION
    lines = ["  exp(X) = B for the real generator"]
    if found.matrix is not None:
        if small:
            lines.append(f"    X = {matrix_text(found.matrix)}")
        else:
            lines.append("    X in the exact ring, see --json")
    else:
        for s in found.summands if small else ():
            lines.append(f"    {s.coefficient.text} = {s.coefficient.decimal(DIGITS)} times")
            lines.append(f"      {matrix_text(s.matrix)}")
        if not small:
            lines.append(f"    X as a sum of {len(found.summands)} matrices, see --json")
    lines.append("    the only real one" if found.unique else f"    {record.branch}")
    lines.append(f"    proved: {record.proof.removeprefix(_stated(found))}")
    return lines


def _stated(found: RealLogarithm) -> str:
    return "" if found.matrix is None else f"X = {matrix_text(found.matrix)}; "
