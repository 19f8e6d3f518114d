"""Which entry of a bibliography a source text means: by its arXiv number, or by a spelling."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from symbolic_pe.errors import SpecificationError

NUMBER = re.compile(r"(?<![0-9.])([0-9]{4}\.[0-9]{5})(?![0-9])")


@dataclass(frozen=True)
class Bibliography:
    """Keys by arXiv number and by the spellings of the field `names`."""

    numbers: dict[str, str]
    names: tuple[tuple[str, str], ...]

    def key(self, source: str) -> str | None:
        """The key of the first entry that the text names, or None.

        >>> known = Bibliography({"2104.09864": "su2021"}, (("Culver", "culver1966"),))
        >>> known.key("Su et al., RoFormer, arXiv:2104.09864"), known.key("Culver 1966, theorem 2")
        ('su2021', 'culver1966')
        >>> known.key("folklore") is None
        True
        """
        for number in NUMBER.findall(source):
            if number in self.numbers:
                return self.numbers[number]
        return next((key for name, key in self.names if name in source), None)


def read_bibliography(path: Path) -> Bibliography:
    """Read a BibTeX file. Raises `SpecificationError` when it cannot be read."""
    try:
        from pybtex.database import parse_file
        from pybtex.exceptions import PybtexError
    except ImportError:
        raise SpecificationError(
            "bibliographies are read by pybtex: pip install 'symbolic-pe[docs]'"
        ) from None
    try:
        entries = parse_file(str(path), bib_format="bibtex").entries
    except (OSError, PybtexError) as error:
        raise SpecificationError(f"{path}: cannot be read: {error}") from None
    numbers = {e.fields["eprint"]: key for key, e in entries.items() if "eprint" in e.fields}
    names = tuple(
        (name.strip(), key)
        for key, e in entries.items()
        for name in e.fields.get("names", "").split(";")
        if name.strip()
    )
    return Bibliography(numbers, names)
