"""An encoding whose generator is replaced by one with a declared structure, head by head."""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq

from symbolic_pe.algebra.matrix import ScalarMatrix
from symbolic_pe.encodings.encoding import Domain, Encoding
from symbolic_pe.encodings.specification import from_document
from symbolic_pe.errors import SpecificationError
from symbolic_pe.jordan.snapping import Snapped, snap


def snapped(
    encoding: Encoding, structure: str, within: fmpq | None = None
) -> tuple[Encoding, tuple[Snapped, ...]]:
    """The encoding with X′ for X in every head, and what changed (see `jordan.snapping`).

    >>> from symbolic_pe.encodings.specification import from_document
    >>> found, (change,) = snapped(from_document({"matrix": [["1/8", "-1"], ["1", "0"]]}), "skew")
    >>> found.specification["generator"], change.largest
    ({'matrix': [['0', '-1'], ['1', '0']]}, 1/8)

    Raises `SpecificationError` for an encoding with parameters or with constant coordinates, and
    what `snap` raises.
    """
    if encoding.augmentation is not None:
        raise SpecificationError(
            "snap: expected a generator without constant coordinates; give the content alone"
        )
    if encoding.parameters:
        raise SpecificationError("snap: expected a generator without parameters")
    changes = tuple(snap(head.generator.matrix, structure, within) for head in encoding.heads)
    return _rebuilt(encoding, [change.matrix for change in changes]), changes


def _rebuilt(encoding: Encoding, matrices: Sequence[ScalarMatrix]) -> Encoding:
    """From its canonical document, so that emitted headers carry X′."""
    rows = [[[str(x) for x in row] for row in matrix] for matrix in matrices]
    head = {"name": encoding.name, "pairing": encoding.pairing}
    document: dict[str, object] = {
        "encoding": {**head, "title": encoding.title} if encoding.title else head,
        "generator": {"matrix": rows[0]} if len(rows) == 1 else {"matrices": rows},
    }
    if encoding.domain != Domain():
        document["domain"] = {
            "time": encoding.domain.time,
            "causal": encoding.domain.causal,
            "max_position": encoding.domain.max_position,
        }
    if encoding.asserted:
        document["claims"] = list(encoding.asserted)
    return from_document(document)
