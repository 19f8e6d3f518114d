"""What `classify` says of several axes: record, JSON and text."""

from __future__ import annotations

from typing import Literal

import msgspec
from flint import fmpq_mat

from symbolic_pe.algebra.real_number import RealNumber
from symbolic_pe.encodings.forms import SeveralAxes
from symbolic_pe.errors import Undecided
from symbolic_pe.generators.commuting import CommutingFamily
from symbolic_pe.jordan.joint import AxisPart, JointBlock, JointComponent, joint_structure
from symbolic_pe.proof.claim import Outcome
from symbolic_pe.proof.several_axes import AxesProof, commutator_text

SHOWN_COMPONENTS = 8
DIGITS = 20


class JointNumberRecord(msgspec.Struct, frozen=True):
    """A rate or frequency; `about` has only right digits, and is null where parameters occur."""

    text: str
    exact: bool
    about: str | None


class AxisRecord(msgspec.Struct, frozen=True):
    """One axis on one joint block: eigenvalue rate ± i·frequency; block sizes of its own."""

    rate: JointNumberRecord
    frequency: JointNumberRecord
    chain_lengths: list[int]
    shear: str | None


class JointBlockRecord(msgspec.Struct, frozen=True):
    """One joint eigenvalue: `degree` of the polynomial in the position that comes with it."""

    kind: Literal["real", "complex"]
    dimension: int
    degree: int
    axes: list[AxisRecord]


class JointComponentRecord(msgspec.Struct, frozen=True):
    """A common invariant subspace: `basis` columns in its channels, null when it is all of them."""

    channels: list[int]
    basis: list[list[str]] | None
    polynomial: str | None
    blocks: list[JointBlockRecord]


class AxesRecord(msgspec.Struct, frozen=True):
    """Output of `classify --json` for [[axes]]; no components where the axes do not commute."""

    kind: Literal["axes"]
    name: str
    dimension: int
    axes: list[str]
    parameters: dict[str, str]
    commuting: bool
    witness: str | None
    components: list[JointComponentRecord]


def axes_record(proof: AxesProof) -> AxesRecord:
    """From the value to the published record. Raises `Undecided` and `NotYetCovered`."""
    encoding = proof.encoding
    witness = None
    if proof.commutator is not None:
        witness = commutator_text(encoding, proof.commutator)
    return AxesRecord(
        "axes",
        encoding.name,
        encoding.dimension,
        list(encoding.axis_names),
        dict(encoding.assumptions.declared),
        witness is None,
        witness,
        [_component(c) for c in _components(proof)],
    )


def _components(proof: AxesProof) -> tuple[JointComponent, ...]:
    if proof.commutator is not None:
        return ()
    undecided = next((c for c in proof.claims if c.verdict is Outcome.UNDECIDED), None)
    if undecided is not None:
        raise Undecided(undecided.reason)
    return joint_structure(CommutingFamily(proof.encoding.axes))


def _component(found: JointComponent) -> JointComponentRecord:
    return JointComponentRecord(
        list(found.coordinates),
        None if found.basis is None else _column_texts(found.basis),
        found.polynomial,
        [_block(b) for b in found.blocks],
    )


def _column_texts(basis: fmpq_mat) -> list[list[str]]:
    return [[str(x) for x in row] for row in basis.transpose().tolist()]


def _block(block: JointBlock) -> JointBlockRecord:
    return JointBlockRecord(
        "complex" if block.is_pair else "real",
        block.dimension,
        block.degree,
        [_axis(a) for a in block.axes],
    )


def _axis(part: AxisPart) -> AxisRecord:
    shear = None if part.shear is None else str(part.shear)
    return AxisRecord(_number(part.rate), _number(part.frequency), list(part.chain_lengths), shear)


def _number(x: RealNumber) -> JointNumberRecord:
    symbolic = x.exact is not None and bool(x.exact.parameters())
    return JointNumberRecord(x.text, x.exact is not None, None if symbolic else x.decimal(DIGITS))


def axes_text(proof: AxesProof) -> str:
    """Commuting or not, and the joint blocks."""
    encoding = proof.encoding
    names = ", ".join(encoding.axis_names)
    head = f"{encoding.name}: dimension {encoding.dimension}, axes {names}"
    if proof.commutator is not None:
        return (
            f"{head}: they do not commute, no group of R^{len(encoding.axes)}\n"
            f"  {commutator_text(encoding, proof.commutator)}"
        )
    components = _components(proof)
    lines = [f"{head}: they commute, a group of R^{len(encoding.axes)}"]
    if encoding.assumptions.declared:
        declared = ", ".join(f"{n} {t}" for n, t in encoding.assumptions.declared.items())
        lines.append(f"parameters: {declared}")
    for component in components[:SHOWN_COMPONENTS]:
        lines.extend(_component_lines(component, encoding))
    if len(components) > SHOWN_COMPONENTS:
        lines.append(f"  ... and {len(components) - SHOWN_COMPONENTS} more subspaces")
    return "\n".join(lines)


def _component_lines(component: JointComponent, encoding: SeveralAxes) -> list[str]:
    channels = ", ".join(map(str, component.coordinates))
    size = "" if component.basis is None else f"{component.basis.ncols()} dimensions within "
    lines = [f"  {size}channels {channels}"]
    for block in component.blocks:
        kind = "plane" if block.is_pair else "line"
        width = 2 if block.is_pair else 1
        count = f"{block.dimension // width} x " if block.dimension > width else ""
        degree = f", polynomial of degree {block.degree}" if block.degree else ""
        parts = "; ".join(
            f"{name}: {_axis_text(axis, pair=block.is_pair)}"
            for name, axis in zip(encoding.axis_names, block.axes, strict=True)
        )
        lines.append(f"    {count}{kind}{degree}: {parts}")
    return lines


def _axis_text(part: AxisPart, *, pair: bool) -> str:
    turns = f", frequency {part.frequency.text}" if pair else ""
    chain = part.chain_lengths[0]
    chains = f", chain length {chain}" if chain > 1 else ""
    shear = f", shear {part.shear}" if part.shear is not None and chain > 1 else ""
    return f"rate {part.rate.text}{turns}{chains}{shear}"
