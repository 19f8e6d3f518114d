"""The pytest plugin: fixtures `assert_relative` and `assert_implements`, and a marker.

    @pytest.mark.symbolic_pe(strict=True)
    def test_rope(assert_implements):
        assert_implements(my_rope, "rope:dim=128,layout=half")

The arguments of the marker are options for every assertion of the test. Array libraries are
imported when a test asks for a fixture, not before.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

MARKER = "symbolic_pe"


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    config.addinivalue_line(
        "markers", f"{MARKER}(**options): options of audit for the assertions of this test"
    )


def _options(request: pytest.FixtureRequest) -> dict[str, Any]:
    marker = request.node.get_closest_marker(MARKER)
    if marker is None:
        return {}
    if marker.args:
        raise pytest.UsageError(f"@pytest.mark.{MARKER} takes keywords only, got {marker.args!r}")
    return dict(marker.kwargs)


@pytest.fixture(name="assert_relative")
def _assert_relative(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Fails unless the score of a callable depends on t − s only."""
    from numeric_check.audit.assertions import assert_relative

    return partial(assert_relative, **_options(request))


@pytest.fixture(name="assert_implements")
def _assert_implements(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Fails unless a callable is the encoding of a specification."""
    from numeric_check.audit.assertions import assert_implements

    return partial(assert_implements, **_options(request))
