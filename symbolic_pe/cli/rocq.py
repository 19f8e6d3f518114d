"""`prove --rocq DIR`: the proofs of a command as Rocq files."""

from __future__ import annotations

from pathlib import Path

from symbolic_pe.proof.rocq.project import RocqExport
from symbolic_pe.whole_files import write_files


def write_export(export: RocqExport, directory: Path) -> None:
    """Write the folders; the project file comes last. Raises `OutputError`."""
    for folder, files in export.folders.items():
        write_files(directory / folder, files)


def export_text(export: RocqExport, directory: Path) -> str:
    """What was written, claim by claim, and how to check it."""
    lines = []
    for file in export.files:
        lines.append(f"rocq: {directory / 'encodings' / f'{file.name}.v'}")
        lines.append(f"  states {', '.join(file.exported)}")
        lines.extend(f"  leaves out {name}: {reason}" for name, reason in file.omitted)
    lines.append(f"check with: cd {directory} && coq_makefile -f _CoqProject -o Makefile && make")
    return "\n".join(lines)
