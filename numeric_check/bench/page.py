"""A generated table inside a page of the documentation, between two marks."""

from __future__ import annotations

from symbolic_pe.errors import SpecificationError


def with_table(page: str, name: str, table: str) -> str:
    """The page with the text between the marks of `name` replaced.

    >>> print(with_table("a\\n<!-- begin x -->\\nold\\n<!-- end x -->\\nb", "x", "new\\n"))
    a
    <!-- begin x -->
    new
    <!-- end x -->
    b

    Raises `SpecificationError` when the page does not have both marks, each once and in order.
    """
    begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
    if page.count(begin) != 1 or page.count(end) != 1 or page.index(begin) > page.index(end):
        raise SpecificationError(
            f"the page: expected the lines {begin.strip()} and {end}, each once and in this order, "
            f"got {page.count(begin)} and {page.count(end)} of them; add them where the table goes"
        )
    before, after = page.index(begin) + len(begin), page.index(end)
    return page[:before] + table + page[after:]
