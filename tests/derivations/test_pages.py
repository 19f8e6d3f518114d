"""Generated pages are current."""

from __future__ import annotations

from pathlib import Path

import pytest

from derivations import alibi_augmentation

PAGES = {"alibi-augmentation": alibi_augmentation.page}


@pytest.mark.parametrize("name", list(PAGES))
def test_page_is_current(name: str, request: pytest.FixtureRequest) -> None:
    path = Path(f"docs/derivations/{name}.md")
    if request.config.getoption("--update-golden"):
        path.write_text(PAGES[name](), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == PAGES[name]()
