"""Reading specifications of every kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symbolic_pe.encodings.encoding import Encoding
    from symbolic_pe.encodings.forms import Specification


def read_specification(spec: str) -> Encoding:
    """Read SPEC as given on the command line: a catalogue name, a text file, or an array.

    Raises `SpecificationError`.
    """
    from symbolic_pe.arrays import is_array_spec, read_array
    from symbolic_pe.encodings.specification import read_specification as read_text

    return read_array(spec) if is_array_spec(spec) else read_text(spec)


def read_any_specification(spec: str) -> Specification:
    """The same, with specifications of a step or of several axes as well."""
    from symbolic_pe.arrays import is_array_spec, read_array
    from symbolic_pe.encodings.forms import read_any_specification as read_any

    return read_array(spec) if is_array_spec(spec) else read_any(spec)
