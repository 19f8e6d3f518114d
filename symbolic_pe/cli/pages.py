"""Sections of a page that a command writes anew, between two comments.

<!-- begin kernels -->
…
<!-- end kernels -->
"""

from __future__ import annotations

from pathlib import Path

from symbolic_pe.errors import SpecificationError
from symbolic_pe.whole_files import write_files


def check_section(page: Path, name: str) -> tuple[str, str]:
    """What stands before and after the section of this name, markers included.

    Raises `SpecificationError` when the page cannot be read or has not exactly one.
    """
    start, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
    try:
        text = page.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SpecificationError(f"{page}: cannot be read: {error}") from None
    if text.count(start) != 1 or text.count(end) != 1 or text.index(start) > text.index(end):
        raise SpecificationError(
            f"{page}: expected one section between {start.strip()!r} and {end!r}; write these two "
            "lines where the table is to stand"
        )
    before, _, rest = text.partition(start)
    return before + start, end + rest.partition(end)[2]


def write_section(page: Path, name: str, text: str) -> None:
    """Replace what stands in the section; the rest of the page stays as it is."""
    before, after = check_section(page, name)
    write_files(page.parent, {page.name: f"{before}{text}{after}"})
