"""The list of long tests names tests that exist."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import long_tests

ROOT = Path(__file__).resolve().parents[2]


def test_the_list_of_long_tests_is_current() -> None:
    listed = long_tests()
    assert listed == sorted(set(listed))
    for name in listed:
        path, _, function = name.partition("[")[0].rpartition("::")
        assert f"def {function}(" in (ROOT / path).read_text(), name
