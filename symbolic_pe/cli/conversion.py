"""`convert`: rows of W_q and W_k permuted from one rotary layout to another, with its proof."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from symbolic_pe.checkpoints.config import CONFIG, Sizes, read_sizes
from symbolic_pe.checkpoints.files import Checkpoint, Part, open_checkpoint, write_part
from symbolic_pe.checkpoints.selection import (
    Change,
    FusedOrder,
    Request,
    Selection,
    read_pattern,
    select,
)
from symbolic_pe.cli.claims import claim_record, claims_text
from symbolic_pe.cli.output import ConversionRecord, LayoutRecord, PermutedRecord
from symbolic_pe.encodings.layout import LAYOUTS
from symbolic_pe.encodings.permutation import HeadLayout, head_layout
from symbolic_pe.errors import SpecificationError
from symbolic_pe.proof.claim import Outcome, outcome_of
from symbolic_pe.proof.conjugation import Conjugation, prove_conjugation
from symbolic_pe.whole_files import write_streams

SHOWN_SOURCES = 16
SHOWN_LEFT = 6


@dataclass(frozen=True)
class Conversion:
    """What is to be written, decided before anything is."""

    path: Path
    checkpoint: Checkpoint
    conjugation: Conjugation
    selection: Selection

    @property
    def outcome(self) -> Outcome:
        """Whether the layouts are conjugate by this permutation."""
        return outcome_of(self.conjugation.claims)


def prepare(
    path: Path,
    layouts: tuple[str, str],
    stated: Sizes,
    *,
    rotary_start: int = 0,
    tensors: Sequence[str] = (),
    keep: Sequence[str] = (),
    fused: str | None = None,
) -> Conversion:
    """Read names and shapes, choose tensors, prove the conjugation; nothing is written.

    Raises `SpecificationError` for whatever is ambiguous or contradictory.
    """
    checkpoint = open_checkpoint(path)
    sizes = stated
    if checkpoint.is_folder:
        sizes = read_sizes(path).agreed(stated, str(path / CONFIG))
    if sizes.head_dim is None:
        where = f" ({path / CONFIG} does not state it)" if checkpoint.is_folder else ""
        raise SpecificationError(f"--head-dim: state how many channels a head has{where}")
    source, target = (
        head_layout(text, sizes.head_dim, _rotary(text, sizes, stated), rotary_start)
        for text in layouts
    )
    if source.planes == target.planes:
        raise SpecificationError("--from and --to are the same layout; there is nothing to convert")
    request = Request(
        sizes.head_dim,
        sizes.heads,
        sizes.kv_heads,
        tuple(read_pattern(text) for text in tensors),
        tuple(keep),
        None if fused is None else FusedOrder.read(fused),
    )
    # A file of one array has no room for the other side.
    together = path.suffix.lower() != ".npy"
    selection = select(checkpoint.tensors, request, together=together)
    return Conversion(path, checkpoint, prove_conjugation(source, target), selection)


def _rotary(text: str, sizes: Sizes, stated: Sizes) -> int | None:
    """A list of planes says itself what turns, so only the user can contradict it."""
    return sizes.rotary_dim if text in LAYOUTS else stated.rotary_dim


def write(conversion: Conversion, output: Path, *, in_place: bool = False) -> None:
    """Write the converted checkpoint, whole files or nothing.

    Raises `SpecificationError` for an output that is the input or of another kind, `OutputError`.
    """
    checkpoint = conversion.checkpoint
    if not in_place:
        _check_output(conversion, output)
    changes = {c.tensor.name: c for c in conversion.selection.changes}
    writers = {
        part.name: partial(_write, part, changes, conversion.conjugation)
        for part in checkpoint.parts
    }
    if not checkpoint.is_folder:
        (writer,) = writers.values()
        write_streams(output.parent, {output.name: writer}, durable=True)
        return
    copies = {name: partial(_copy, source) for name, source in checkpoint.copied.items()}
    write_streams(output, {**writers, **copies}, durable=True)


def _write(
    part: Part, changes: dict[str, Change], conjugation: Conjugation, stream: IO[bytes]
) -> None:
    write_part(part, changes, conjugation.permutation, stream)


def _copy(source: Path, stream: IO[bytes]) -> None:
    stream.write(source.read_bytes())


def _check_output(conversion: Conversion, output: Path) -> None:
    path = conversion.path
    if output.exists() and output.samefile(path):
        hint = "" if conversion.checkpoint.is_folder else ", or replace it with --in-place"
        raise SpecificationError(
            f"{output}: is the input; it would be lost: write to another place{hint}"
        )
    if conversion.checkpoint.is_folder:
        if output.exists() and not output.is_dir():
            raise SpecificationError(f"{output}: expected a folder, because the input is one")
        return
    if output.suffix.lower() != path.suffix.lower():
        raise SpecificationError(
            f"{output}: expected a file ending in {path.suffix}, as the input: the format stays"
        )


def conversion_record(conversion: Conversion, output: Path | None) -> ConversionRecord:
    """From the value to the published record."""
    found = conversion.conjugation
    return ConversionRecord(
        str(conversion.path),
        None if output is None else str(output),
        _layout_record(found.source),
        _layout_record(found.target),
        found.source.channels,
        list(found.permutation.sources),
        found.digest,
        [claim_record(c) for c in found.claims],
        [
            PermutedRecord(
                c.tensor.name,
                c.tensor.file,
                c.kind,
                c.tensor.dtype,
                list(c.tensor.shape),
                c.axis,
                list(c.offsets),
            )
            for c in conversion.selection.changes
        ],
        [t.name for t in conversion.selection.left],
    )


def _layout_record(layout: HeadLayout) -> LayoutRecord:
    return LayoutRecord(layout.name, [list(plane) for plane in layout.planes])


def conversion_text(conversion: Conversion, output: Path | None) -> str:
    """What is permuted and how, what was proved, and where it went."""
    found, selection = conversion.conjugation, conversion.selection
    source, target = found.source, found.target
    turning = 2 * len(source.planes)
    lines = [
        f"{source.name} -> {target.name}: {turning} of {source.channels} channels of a head turn",
        claims_text(found.claims),
        f"permutation {found.digest}",
        f"  channel i of the output is channel s(i) of the input, s = {_sources(found)}",
    ]
    total = len(conversion.checkpoint.tensors)
    lines.append(f"permuted: {len(selection.changes)} of {total} tensors")
    lines += _grouped(selection.changes)
    if selection.left:
        names = [t.name for t in selection.left[:SHOWN_LEFT]]
        more = ", ..." if len(selection.left) > SHOWN_LEFT else ""
        lines.append(
            f"left as they are, though they look like queries or keys ({len(selection.left)}): "
            f"{', '.join(names)}{more}"
        )
    lines.append("nothing was written" if output is None else f"wrote to {output}")
    return "\n".join(lines) + "\n"


def _sources(found: Conjugation) -> str:
    sources = found.permutation.sources
    more = " ..." if len(sources) > SHOWN_SOURCES else ""
    return " ".join(map(str, sources[:SHOWN_SOURCES])) + more


def _grouped(changes: Sequence[Change]) -> list[str]:
    """One line for tensors that differ by numbers in their names only."""
    groups: dict[tuple[str, str], int] = {}
    for change in changes:
        tensor = change.tensor
        count = len(change.offsets)
        what = f"{count} heads" if count > 1 else "1 head"
        if change.axis:
            what = "every row"
        name = re.sub(r"(?<![^./])\d+(?![^./])", "*", tensor.name)
        shape = ", ".join(map(str, tensor.shape))
        key = (change.kind, f"{name}  {tensor.dtype} [{shape}]  {what}")
        groups[key] = groups.get(key, 0) + 1
    return [f"  {kind:<6}  {count} x {text}" for (kind, text), count in groups.items()]
