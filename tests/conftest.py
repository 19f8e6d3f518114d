"""Options of the test suite."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# A shared machine is slow at times; CI repeats the same examples, a developer explores new ones.
settings.register_profile("shared", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "shared")

SLOW = Path(__file__).with_name("slow.txt")


def long_tests() -> list[str]:
    """Names of tests, or of all cases of one, that `make test` leaves to `make test-full`."""
    return [x for x in SLOW.read_text().splitlines() if x and not x.startswith("#")]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that `slow.txt` lists are marked as slow."""
    listed = set(long_tests())
    for item in items:
        if item.nodeid in listed or item.nodeid.partition("[")[0] in listed:
            item.add_marker(pytest.mark.slow)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite the files under version control that tests compare with",
    )


@pytest.fixture(autouse=True, scope="session")
def _verdicts_remembered_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """`prove` remembers verdicts in the home of a person; tests have a place of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written."""
    return bool(request.config.getoption("--update-golden"))
