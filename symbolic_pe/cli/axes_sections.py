"""The classification of several axes on a page: whether they commute, and their joint blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symbolic_pe.algebra.real_number import RealNumber
from symbolic_pe.cli.axes import axes_text
from symbolic_pe.encodings.axes import SeveralAxes
from symbolic_pe.errors import Undecided
from symbolic_pe.generators.commuting import CommutingFamily
from symbolic_pe.jordan.joint import AxisPart, JointBlock, JointComponent, joint_structure
from symbolic_pe.proof.several_axes import AxesProof
from symbolic_pe.render.mathematics import formula
from symbolic_pe.render.page import Block, Code, Heading, Prose, Table

MOST_ROWS = 16
DIGITS = 8
LONGEST = 40


def axes_sections(proof: AxesProof) -> Iterator[Block]:
    """A row for each joint block; where axes do not commute or are undecided, the text says so."""
    yield Heading("Classification")
    encoding = proof.encoding
    if proof.commutator is not None:
        yield Code(axes_text(proof))
        return
    try:
        components = joint_structure(CommutingFamily(encoding.axes))
    except Undecided as error:
        yield Prose(f"Undecided: {error}.")
        return
    yield Prose(
        f"The axes commute: $A(p) = \\exp(\\sum_i p_i X_i)$ is a group of "
        f"$\\mathbb R^{{{len(encoding.axes)}}}$ on {encoding.dimension} channels. Eigenvalues of "
        "every axis on the joint blocks; signs are comparable within a row."
    )
    rows = list(_rows(encoding, components))
    shown = rows[:MOST_ROWS]
    if len(rows) > MOST_ROWS:
        shown.append((f"… and {len(rows) - MOST_ROWS} more", *[""] * (len(rows[0]) - 1)))
    heads = ("channels", "block", *(f"along {name}" for name in encoding.axis_names))
    yield Table(heads, tuple(shown))


def _rows(encoding: SeveralAxes, components: Sequence[JointComponent]) -> Iterator[tuple[str, ...]]:
    for component in components:
        channels = ", ".join(map(str, component.coordinates))
        if component.basis is not None:
            channels = f"{component.basis.ncols()} dimensions within {channels}"
        for block in component.blocks:
            yield (channels, _kind(block), *(_eigenvalue(a, block) for a in block.axes))


def _kind(block: JointBlock) -> str:
    width = 2 if block.is_pair else 1
    count = block.dimension // width
    kind = "plane" if block.is_pair else "line"
    kinds = kind if count == 1 else f"{count} {kind}s"
    return f"{kinds}, polynomial of degree {block.degree}" if block.degree else kinds


def _eigenvalue(part: AxisPart, block: JointBlock) -> str:
    rate, turn = _value(part.rate), _value(part.frequency)
    parts = [] if rate == "0" else [rate]
    if block.is_pair and turn != "0":
        parts.append(rf"\pm {'' if turn == '1' else turn + ' '}i".replace(r"\pm -", r"\mp "))
    chain = f", chain of {part.chain_lengths[0]}" if part.chain_lengths[0] > 1 else ""
    return f"${' '.join(parts) or '0'}${chain}"


def _value(x: RealNumber) -> str:
    """The exact value where it is short, else its first digits."""
    written = formula(x.text) if x.exact is not None and len(x.text) <= LONGEST else None
    if written is not None:
        return written
    return x.text if x.exact is not None and x.exact.parameters() else x.decimal(DIGITS) + r"\ldots"
