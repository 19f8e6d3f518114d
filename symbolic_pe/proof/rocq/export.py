"""From proofs to files for Rocq."""

from __future__ import annotations

from collections.abc import Sequence

from symbolic_pe.errors import NotYetCovered
from symbolic_pe.proof.any_form import AnyProof
from symbolic_pe.proof.integer_positions import StepProof
from symbolic_pe.proof.rocq.document import RocqFile
from symbolic_pe.proof.rocq.encoding_file import rocq_file
from symbolic_pe.proof.rocq.project import THEORY, RocqExport, project, theory_texts
from symbolic_pe.proof.rocq.several import axes_file
from symbolic_pe.proof.rocq.steps import step_file
from symbolic_pe.proof.several_axes import AxesProof
from symbolic_pe.proof.verdicts import OutsideProof


def rocq_export(proofs: Sequence[tuple[AnyProof, str]]) -> RocqExport:
    """The export of proofs, each with the specification that it came from.

    Files are named after encodings; equal names are numbered in the order given. Raises
    `NotYetCovered` for an encoding of which nothing can be exported.
    """
    return project(
        [file_of(proof, f"symbolic-pe prove {spec} --rocq DIR") for proof, spec in proofs]
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


__all__ = ["THEORY", "AnyProof", "RocqExport", "file_of", "project", "rocq_export", "theory_texts"]
