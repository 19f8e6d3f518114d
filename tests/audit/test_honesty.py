"""What a subject does to escape its questions is no acquittal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from numeric_check.audit import audit
from numeric_check.audit.discovery import describe_maps
from symbolic_pe.cli.main import cli
from symbolic_pe.errors import AuditError

THETA = 10000.0 ** (-np.arange(4) / 4)


def rotary(x: Any, positions: Any) -> Any:
    angle = np.asarray(positions, np.float64)[:, None] * THETA
    a, b = x[..., :4], x[..., 4:]
    c, s = np.cos(angle), np.sin(angle)
    return np.concatenate((c * a - s * b, s * a + c * b), -1).astype(x.dtype)


def test_leaving_the_interpreter_is_no_acquittal() -> None:
    def quits(x: Any, positions: Any) -> Any:
        raise SystemExit(0)

    with pytest.raises(AuditError, match="SystemExit"):
        audit(quits, dimension=8)


def test_a_call_that_fails_after_another_is_not_passed_over() -> None:
    longest = [0]

    def once(x: Any, positions: Any) -> Any:
        longest[0] = max(longest[0], len(positions))
        if len(positions) < 3 < longest[0]:
            raise RuntimeError("stale cache")
        return rotary(x, positions)

    try:
        verdict = audit(once, dimension=8).verdict
    except AuditError as error:  # a plain refusal says so as well
        verdict = str(error)
    assert verdict != "consistent"
    assert audit(rotary, dimension=8).verdict == "consistent"


@pytest.mark.parametrize("gain", [0.0, -1.0, float("nan"), float("inf")])
def test_a_gain_that_is_none_is_misuse(gain: float) -> None:
    with pytest.raises(AuditError, match="gain: expected a positive number"):
        audit(rotary, dimension=8, gain=gain)


def test_the_command_names_it(tmp_path: Any) -> None:
    subject = "examples/rope_with_a_fault.py:repaired"
    result = CliRunner().invoke(cli, ["audit", subject, "--gain", "0"])
    assert result.exit_code == 2
    assert "gain" in result.output


def test_positions_on_the_first_axis_are_no_batch() -> None:
    torch = pytest.importorskip("torch")

    def flat(x: Any, positions: Any) -> Any:
        if x.ndim != 2:
            raise ValueError("expected (positions, channels)")
        angle = torch.as_tensor(positions).double()[:, None] * torch.from_numpy(THETA)
        a, b = x[..., :4], x[..., 4:]
        c, s = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        return torch.cat((c * a - s * b, s * a + c * b), -1)

    report = audit(flat, dimension=8, library="torch")
    assert "vmap" not in [f.question for f in report.refuted]


class FirstCall:
    """Right from the second call on; the first is one position late, or half in size."""

    def __init__(self, late: int, size: float) -> None:
        self.late, self.size, self.calls = late, size, 0

    def __call__(self, x: Any, positions: Any) -> Any:
        self.calls += 1
        places = np.asarray(positions)
        if places.ndim > 1:  # two coordinates, the first of which counts twice
            places = 2 * places[:, 0] + places[:, 1]
        first = self.calls == 1
        return rotary(x, places + self.late * first) * (self.size if first else 1.0)


@pytest.mark.parametrize("axes", [1, 2])
@pytest.mark.parametrize(("late", "size"), [(1, 1.0), (0, 0.5), (0, 1.0)])
def test_the_first_call_of_all_is_that_of_history(axes: int, late: int, size: float) -> None:
    right = describe_maps("right", rotary, rotary, dimension=8)
    faulty = FirstCall(late, size)
    report = audit(replace(right, query=faulty, key=faulty, axes=axes, fresh=None))
    wrong = [f.question for f in report.refuted]
    assert wrong == ([] if (late, size) == (0, 1.0) else ["history"])


def test_a_single_position_is_not_told_as_another_that_looks_alike() -> None:
    def slow(x: Any, positions: Any) -> Any:
        places = np.asarray(positions)
        angle = (places if len(places) > 1 else places + 1)[:, None] * np.array([1e-4, 5e-5])
        y, z = np.split(x, 2, -1)
        return np.concatenate(
            [y * np.cos(angle) - z * np.sin(angle), y * np.sin(angle) + z * np.cos(angle)], -1
        )

    found = audit(slow, dimension=4).of("prefill = decode")
    assert found.verdict == "refuted"
    assert "count" not in found.detail
