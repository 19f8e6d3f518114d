"""Kernels on disk, as a campaign wants them: the specification is read from their header."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from numeric_check.mutation.campaign import Specimen
from symbolic_pe.emit.axes import AxesPlan, plan_axes
from symbolic_pe.emit.plan import KernelPlan, plan_kernel
from symbolic_pe.emit.source import read_header
from symbolic_pe.encodings.axes import SeveralAxes
from symbolic_pe.encodings.forms import from_any_document
from symbolic_pe.encodings.outside import Outside
from symbolic_pe.encodings.specification import from_document
from symbolic_pe.errors import KernelError, SpecificationError


@dataclass(frozen=True)
class HeaderPlan:
    """The plan of what the header of a text specifies."""

    text: str

    def __call__(self) -> KernelPlan | AxesPlan | Outside:
        """Read and plan it. Raises `SpecificationError`, `KernelError` or `NotYetCovered`."""
        document = read_header(self.text).specification
        found = from_any_document(document)
        if isinstance(found, SeveralAxes):
            return plan_axes(found)
        if isinstance(found, Outside):
            return found
        return plan_kernel(from_document(document))


def specimens(paths: Sequence[Path]) -> list[Specimen]:
    """Files as specimens, in the order given.

    Raises `SpecificationError` for a file that cannot be read or whose header specifies nothing.
    """
    found = []
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise SpecificationError(f"{path}: cannot be read: {error}") from None
        source = HeaderPlan(text)
        try:
            source()
        except (KernelError, SpecificationError) as error:
            raise SpecificationError(f"{path}: {error}") from None
        found.append(Specimen(path.name, text, source))
    return found


__all__ = ["HeaderPlan", "specimens"]
