"""The Markdown of texts, read by markdown-it with $…$ and $$…$$ as mathematics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symbolic_pe.errors import SpecificationError


def reader(formula: Callable[[str, bool], str] | None = None) -> Any:
    """A markdown-it parser; `formula` writes LaTeX (displayed or not) when it renders HTML.

    Raises `SpecificationError` when markdown-it is not installed.
    """
    try:
        from markdown_it import MarkdownIt
        from mdit_py_plugins.dollarmath import dollarmath_plugin
    except ImportError:
        raise SpecificationError(
            "pages as LaTeX and HTML are made with markdown-it-py and mdit-py-plugins: pip install "
            "'symbolic-pe[docs]'"
        ) from None

    def write(text: str, options: dict[str, Any]) -> str:
        assert formula is not None
        return formula(text, bool(options["display_mode"]))

    return MarkdownIt("commonmark", {"html": False}).use(
        dollarmath_plugin, renderer=write if formula else None
    )
