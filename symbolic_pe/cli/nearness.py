"""Nearness and snapping for the commands: when they run, their records and their lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from flint import arb, fmpq, fmpq_mat

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.decimals import decimal_bound
from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.matrix import ScalarMatrix
from symbolic_pe.algebra.scalar import precision
from symbolic_pe.cli.output import (
    CircleRecord,
    HeadNearnessRecord,
    NearnessRecord,
    SnapRecord,
    WitnessRecord,
)
from symbolic_pe.cli.pipeline import Report
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.errors import ExpressionError, NotYetCovered, SpecificationError, Undecided
from symbolic_pe.jordan.nearness import MAX_DIMENSION, Nearness, Witness, nearness
from symbolic_pe.jordan.snapping import Snapped

UNASKED_ENTRIES = 1024
"""Heads times d² up to which `classify` of an array computes nearness without being asked."""
SHOWN_HEADS = 4


@dataclass(frozen=True)
class HeadNearness:
    """One head: its eigenvalues, or why they are undecided."""

    head: int
    eigenvalues: tuple[Nearness, ...]
    undecided: str | None = None


def nearness_of(encoding: Encoding, progress: Report, *, asked: bool) -> list[HeadNearness]:
    """Nearness of every head; heads with equal generators are computed once.

    What is undecided is raised as such when nearness was asked for, and kept as a reason when not.
    """
    matrices = [head.generator.matrix for head in encoding.heads]
    entries = len(set(matrices)) * encoding.dimension**2
    if not asked and entries > UNASKED_ENTRIES and encoding.dimension <= MAX_DIMENSION:
        reason = f"{entries} entries take long; ask for it with --nearness"
        return [HeadNearness(0, (), reason)]
    known: dict[ScalarMatrix, HeadNearness] = {}
    found = []
    for index, matrix in enumerate(matrices):
        if matrix not in known:
            progress(f"nearness of head {index}" if len(matrices) > 1 else "nearness")
            known[matrix] = _one_head(matrix, asked=asked)
        first = known[matrix]
        found.append(HeadNearness(index, first.eigenvalues, first.undecided))
    return found


def _one_head(matrix: ScalarMatrix, *, asked: bool) -> HeadNearness:
    try:
        return HeadNearness(0, nearness(matrix))
    except (NotYetCovered, Undecided) as error:
        if asked:
            raise
        return HeadNearness(0, (), str(error))


def snap_distance(text: str | None) -> fmpq | None:
    """The value of --snap-within, read exactly. Raises `SpecificationError`."""
    if text is None:
        return None
    try:
        value = parse(text, {}, Assumptions())
    except ExpressionError:
        raise SpecificationError(
            f"--snap-within: expected a positive rational number, got {text}"
        ) from None
    if not value.is_rational() or value.rational_value() <= 0:
        raise SpecificationError(f"--snap-within: expected a positive rational number, got {text}")
    return value.rational_value()


# -- records ----------------------------------------------------------------------------------


def nearness_record(found: HeadNearness) -> HeadNearnessRecord:
    """From the value to the published record."""
    records = [_eigenvalue_record(item, found.eigenvalues) for item in found.eigenvalues]
    return HeadNearnessRecord(found.head, records, found.undecided)


def _eigenvalue_record(item: Nearness, every: Sequence[Nearness]) -> NearnessRecord:
    verdicts: dict[str, Literal["simple", "multiple: semisimple", "multiple: defective"]] = {
        "simple": "simple",
        "multiple: semisimple": "multiple: semisimple",
        "multiple: defective": "multiple: defective",
    }
    circle, witness, ratio = item.circle, item.witness, item.ratio
    return NearnessRecord(
        item.point.label,
        item.point.about,
        verdicts[item.verdict],
        None if item.lower is None else decimal_bound(item.lower, upwards=False),
        None
        if circle is None
        else CircleRecord(str(circle.real), str(circle.imaginary), str(circle.radius)),
        None if witness is None else _witness_record(witness, every),
        None if ratio is None else decimal_bound(ratio, upwards=True, digits=4),
    )


def _witness_record(witness: Witness, every: Sequence[Nearness]) -> WitnessRecord:
    z = witness.chain
    return WitnessRecord(
        str(z.real) if z.imaginary == 0 else f"{z.real} + {z.imaginary}*I",
        [every[i].point.label for i in witness.members],
        decimal_bound(witness.spectral, upwards=True),
        decimal_bound(witness.frobenius, upwards=True),
        _texts(witness.matrix),
        _texts(z.basis),
        _texts(z.block),
    )


def _texts(matrix: fmpq_mat) -> list[list[str]]:
    return [[str(x) for x in row] for row in matrix.tolist()]


def snap_records(changes: Sequence[Snapped]) -> list[SnapRecord] | None:
    """The published records, a head each; None when nothing was asked for."""
    return [_snap_record(head, change) for head, change in enumerate(changes)] or None


def _snap_record(head: int, change: Snapped) -> SnapRecord:
    structures: dict[str, Literal["skew", "symmetric", "neutral", "defective"]] = {
        "skew": "skew",
        "symmetric": "symmetric",
        "neutral": "neutral",
        "defective": "defective",
    }
    return SnapRecord(
        head,
        structures[change.structure],
        _root_above(change.frobenius_squared),
        str(change.frobenius_squared),
        str(change.largest),
        [list(names) for names in change.met],
    )


def _root_above(square: fmpq) -> str:
    """An upper decimal bound of a square root."""
    if square == 0:
        return "0"
    with precision(192):
        root = (arb(square).sqrt() * (1 + arb(2) ** -64)).upper()
        mantissa, exponent = root.man_exp()
        return decimal_bound(fmpq(int(mantissa)) * fmpq(2) ** int(exponent), upwards=True)


def _met(names: Sequence[str]) -> list[str]:
    """The eigenvalues of one meeting; a pair alone has met its conjugate."""
    return [*names, "its conjugate"] if len(names) == 1 and names[0].endswith("I") else [*names]


# -- lines ------------------------------------------------------------------------------------


def snap_lines(changes: Sequence[Snapped]) -> list[str]:
    """What was changed, a line a head."""
    lines = []
    for head, change in enumerate(changes):
        where = f" in head {head}" if len(changes) > 1 else ""
        lines.append(
            f"snapped to {change.structure}{where}: |X' - X| <= "
            f"{_root_above(change.frobenius_squared)} (Frobenius), largest entry "
            f"{decimal_bound(change.largest, upwards=True)}; both exact in --json"
        )
        lines.extend(f"  met: {' and '.join(_met(names))}" for names in change.met)
    return lines


def nearness_lines(found: Sequence[HeadNearness]) -> list[str]:
    """Statements for people, the nearest eigenvalue first."""
    lines = [
        "nearness to a multiple eigenvalue (certified: a perturbation whose spectral or Frobenius "
        "norm is below the first number leaves it simple)"
    ]
    for item in found[:SHOWN_HEADS]:
        if len(found) > 1:
            lines.append(f"  head {item.head}")
        if item.undecided is not None:
            lines.append(f"  undecided: {item.undecided}")
        ordered = sorted(item.eigenvalues, key=lambda n: (n.lower is not None, n.lower or 0))
        lines.extend(f"  {_line(n, item.eigenvalues)}" for n in ordered)
    if len(found) > SHOWN_HEADS:
        lines.append(f"  ... and {len(found) - SHOWN_HEADS} more heads (see --json)")
    return lines


def _line(item: Nearness, every: Sequence[Nearness]) -> str:
    name = item.point.about
    if item.verdict != "simple":
        return f"{name}: {item.verdict} (exactly; distance 0)"
    if item.alone:
        return f"{name}: simple; it is the only eigenvalue"
    if item.lower is None:
        lower = "simple; no radius is certified within the budget"
    else:
        lower = f"simple within {decimal_bound(item.lower, upwards=False)}"
    witness = item.witness
    if witness is None:
        return f"{name}: {lower}; no defective matrix was found"
    z = witness.chain
    with precision(64):
        place = arb(z.real).str(6, radius=False)
        if z.imaginary != 0:
            place += f" + {arb(z.imaginary).str(6, radius=False)}*I"
    others = [every[i].point.about for i in witness.members if every[i] is not item]
    meets = f"meets {', '.join(others)}" if others else "meets another eigenvalue"
    if item.point.is_pair and not others and z.imaginary == 0:
        meets = "meets its conjugate"
    ratio = (
        "" if item.ratio is None else f"; ratio {decimal_bound(item.ratio, upwards=True, digits=4)}"
    )
    return (
        f"{name}: {lower}; defective at {decimal_bound(witness.spectral, upwards=True)} spectral, "
        f"{decimal_bound(witness.frobenius, upwards=True)} Frobenius ({meets} at {place}){ratio}"
    )
