"""The files of an export: the theory, one file for each encoding, and the list of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources

from symbolic_pe.proof.rocq.document import RocqFile

THEORY = (
    "Sums",
    "Matrices",
    "Flow",
    "Laws",
    "Axes",
    "Chains",
    "DirectSums",
    "Bounds",
    "Augmentation",
    "Gauge",
    "Continuity",
    "Minimality",
    "HalfLine",
    "Growth",
    "ExteriorAlgebra",
    "Determinant",
    "Fundamental",
    "Expressions",
    "NormalForms",
    "Checker",
    "Similarity",
    "Steps",
    "Spectra",
    "Majorisation",
)
"""The files of the theory, each after those that it needs."""
OPTIONS = "-Q theory SymbolicPE\n-Q encodings SymbolicPE.Encodings\n-arg -w -arg none\n"


@dataclass(frozen=True)
class RocqExport:
    """Everything that is written: texts by folder and name, and what each file proves."""

    folders: Mapping[str, Mapping[str, str]]
    files: tuple[RocqFile, ...]


def project(found: Sequence[RocqFile]) -> RocqExport:
    """The theory and some files; equal names are numbered in the order given."""
    files: list[RocqFile] = []
    encodings: dict[str, str] = {}
    for file in found:
        name, count = file.name, 1
        while f"{name}.v" in encodings:
            count += 1
            name = f"{file.name}_{count}"
        encodings[f"{name}.v"] = file.text
        files.append(replace(file, name=name))
    listed = [f"theory/{name}.v" for name in THEORY] + [f"encodings/{n}" for n in encodings]
    return RocqExport(
        {
            "theory": theory_texts(),
            "encodings": encodings,
            "": {"_CoqProject": OPTIONS + "\n".join(listed) + "\n"},
        },
        tuple(files),
    )


def theory_texts() -> dict[str, str]:
    """The files of the theory."""
    folder = resources.files("symbolic_pe.proof.rocq") / "theory"
    return {f"{name}.v": (folder / f"{name}.v").read_text(encoding="utf-8") for name in THEORY}
