"""Options of the test suite."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# A shared machine is slow at times; CI repeats the same examples, a developer explores new ones.
settings.register_profile("shared", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "shared")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite the files under version control that tests compare with",
    )


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written."""
    return bool(request.config.getoption("--update-golden"))
