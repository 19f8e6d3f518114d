"""`assert_relative`, `assert_implements`, and the plugin that brings them as fixtures."""

from __future__ import annotations

from importlib.metadata import entry_points

import pytest

from numeric_check.audit import assert_implements, assert_relative
from tests.audit import maps as m

pytest_plugins = ["pytester"]


def test_right_ones_pass() -> None:
    assert assert_relative(m.rope(), dimension=8).exit_code == 0
    assert assert_implements(m.rope("half"), "rope:dim=8,layout=half").exit_code == 0
    assert_implements(m.rope("half"), "rope:dim=8")  # equivalent


def test_wrong_ones_fail_with_the_witness() -> None:
    with pytest.raises(AssertionError, match="relative: the score depends"):
        assert_relative(m.mixed_tables("half", "interleaved"), dimension=8)
    with pytest.raises(AssertionError, match=r"entry \(.*declared is"):
        assert_implements(m.rope(base=5e5), "rope:dim=8,layout=half")
    with pytest.raises(AssertionError, match="scores are wrong"):
        assert_implements(m.rope("half"), "rope:dim=8", strict=True)


def test_relative_is_not_what_precision_is_about() -> None:
    """A wrong base, or angles that lose bits alike on both sides, are relative all the same."""
    assert_relative(m.rope(base=5e5), dimension=8)
    with pytest.raises(AssertionError):
        assert_relative(m.dynamic(), dimension=8)


FILE = """
import numpy as np
import pytest
from tests.audit import maps as m

def test_good(assert_implements):
    assert_implements(m.rope("half"), "rope:dim=8")

@pytest.mark.symbolic_pe(strict=True)
def test_strict(assert_implements):
    assert_implements(m.rope("half"), "rope:dim=8")

@pytest.mark.symbolic_pe(dimension=8)
def test_relative(assert_relative):
    assert_relative(m.rope("half"))

@pytest.mark.symbolic_pe(dimension=8)
def test_not_relative(assert_relative):
    assert_relative(m.rope("half"), key=m.rope("half", sign=-1))
"""


def test_the_plugin(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_file=FILE)
    installed = entry_points(group="pytest11", name="symbolic_pe")
    named = [] if installed else ["-p", "symbolic_pe.cli.pytest_plugin"]
    result = pytester.runpytest_inprocess(*named, "--strict-markers")
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["*AssertionError*", "*REFUTED*relative:*"])
