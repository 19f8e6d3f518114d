"""The files of an export: the theory, one file for each encoding, and the list of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

from symbolic_pe.errors import NotYetCovered
from symbolic_pe.proof.integer_positions import StepProof
from symbolic_pe.proof.prover import Proof
from symbolic_pe.proof.rocq.document import RocqFile
from symbolic_pe.proof.rocq.encoding_file import rocq_file
from symbolic_pe.proof.rocq.several import axes_file
from symbolic_pe.proof.rocq.steps import step_file
from symbolic_pe.proof.several_axes import AxesProof
from symbolic_pe.proof.verdicts import OutsideProof

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
    "ExteriorAlgebra",
    "Determinant",
    "Fundamental",
    "Expressions",
    "NormalForms",
    "Checker",
    "Similarity",
    "Steps",
)
"""The files of the theory, each after those that it needs."""
AnyProof = Proof | AxesProof | StepProof | OutsideProof
OPTIONS = "-Q theory SymbolicPE\n-Q encodings SymbolicPE.Encodings\n-arg -w -arg none\n"


@dataclass(frozen=True)
class RocqExport:
    """Everything that is written: texts by folder and name, and what each file proves."""

    folders: Mapping[str, Mapping[str, str]]
    files: tuple[RocqFile, ...]


def rocq_export(proofs: Sequence[tuple[AnyProof, str]]) -> RocqExport:
    """The export of proofs, each with the specification that it came from.

    Files are named after encodings; equal names are numbered in the order given. Raises
    `NotYetCovered` for an encoding of which nothing can be exported.
    """
    files: list[RocqFile] = []
    encodings: dict[str, str] = {}
    for proof, spec in proofs:
        found = file_of(proof, f"symbolic-pe prove {spec} --rocq DIR")
        name, count = found.name, 1
        while f"{name}.v" in encodings:
            count += 1
            name = f"{found.name}_{count}"
        encodings[f"{name}.v"] = found.text
        files.append(RocqFile(name, found.text, found.exported, found.omitted))
    listed = [f"theory/{name}.v" for name in THEORY] + [f"encodings/{n}" for n in encodings]
    return RocqExport(
        {
            "theory": theory_texts(),
            "encodings": encodings,
            "": {"_CoqProject": OPTIONS + "\n".join(listed) + "\n"},
        },
        tuple(files),
    )


def file_of(proof: AnyProof, command: str) -> RocqFile:
    """The file of one proof. Raises `NotYetCovered`."""
    if isinstance(proof, OutsideProof):
        raise NotYetCovered(
            f"{proof.encoding.name}: {proof.encoding.verdict.value}: there is no law to export"
        )
    if isinstance(proof, AxesProof):
        return axes_file(proof, command)
    return step_file(proof, command) if isinstance(proof, StepProof) else rocq_file(proof, command)


def theory_texts() -> dict[str, str]:
    """The files of the theory."""
    folder = resources.files("symbolic_pe.proof.rocq") / "theory"
    return {f"{name}.v": (folder / f"{name}.v").read_text(encoding="utf-8") for name in THEORY}
