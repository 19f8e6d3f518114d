"""Every refuted answer has a line, and the line shows what the answer says when it is pasted."""

from __future__ import annotations

import contextlib
import math
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from numeric_check.audit import audit
from tests.audit import faulty_module

HERE = "tests.audit.faulty_module"
MAPS = (
    "by_slot", "contiguous", "rounded_positions", "first_row_only", "mixed", "by_length",
    "odd_position", "not_linear", "inplace", "shifts_positions", "Counting", "CachedByLength",
    "wrong_batch", "float_positions", "still", "Hashed", "LateGrowth", "odd_tail", "inplace_single",
    "scales_positions", "tiled_wrongly", "in_one_piece",
)  # fmt: skip
OTHERS = {
    "score": ("clipped", "one_pair", "one_lag", "squared", "by_width", "probabilities"),
    "bias": ("far_bias", "one_entry", "nan_bias", "wrong_sign", "width_bias",
             "shifted_rows"),
    "table": ("learned", "sines_with_an_odd_row", "far_sines", "relative_table", "repeated",
              "nan_table"),
}  # fmt: skip


def run_line(line: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """As a shell would, without one."""
    words = shlex.split(line)
    assert words[:2] == ["python", "-c"]
    return subprocess.run(
        [sys.executable, *words[1:]], capture_output=True, text=True, cwd=folder, check=False
    )


def numbers_in(text: str) -> list[float]:
    """Every number that is printed."""
    found = []
    for word in re.split(r"[\s,()\[\]]+|tensor|array", text):
        with contextlib.suppress(ValueError):
            found.append(float(word))
    return found


def as_told(finding: Any, printed: list[float]) -> bool:
    """Whether the numbers are what the finding says: different, equal, or not the exact one."""
    if not printed:
        return False
    if "equal in every entry" in finding.witness:
        return printed[0] == printed[len(printed) // 2] if len(printed) > 1 else printed[0] == 0.0
    if len(printed) > 1:
        return len(set(printed)) > 1
    if not math.isfinite(printed[0]):
        return True
    exact = finding.witness.split(" ")[-1]
    with contextlib.suppress(ValueError):
        return not abs(printed[0] - float(exact)) <= 1e-9
    return printed[0] != 0.0


def check(report: Any) -> None:
    """Run the lines; of findings that differ by the dtype only, the first."""
    assert report.refuted
    asked = {f.question.split(" ")[0]: f for f in reversed(report.refuted)}
    if "history" in asked:  # a line begins with a fresh subject: it shows what lasts
        asked.pop("precision", None)
        asked.pop("relative", None)
    assert all(f.reproduce for f in asked.values())
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda f: run_line(f.reproduce), asked.values()))
    for finding, result in zip(asked.values(), done, strict=True):
        assert result.returncode == 0, (finding.reproduce, result.stderr[-500:])
        assert as_told(finding, numbers_in(result.stdout)), (finding, result.stdout)


@pytest.mark.parametrize("name", MAPS)
def test_maps(name: str) -> None:
    check(audit(f"{HERE}:{name}", dimension=8))


@pytest.mark.parametrize(("kind", "name"), [(k, n) for k, names in OTHERS.items() for n in names])
def test_scores_biases_and_tables(kind: str, name: str) -> None:
    check(audit(f"{HERE}:{name}", kind=kind, **({"dimension": 8} if kind == "score" else {})))


def test_unit_vectors_that_are_wrong_among_others_only() -> None:
    finding = audit(f"{HERE}:second_group", dimension=16).of("gain")
    assert finding.verdict == "refuted"
    printed = numbers_in(run_line(finding.reproduce).stdout)
    assert printed
    told = float(finding.witness.split(" is ")[1].split(",")[0])
    assert printed[0] == pytest.approx(told, rel=1e-5)


def test_a_counter_of_single_calls() -> None:
    """Scores of calls one after the other: no line of fresh calls has two numbers that differ."""
    report = audit(f"{HERE}:CountsAlone", dimension=8)
    assert "alone, after" in report.of("history").witness
    for question in ("relative", "history"):
        finding = report.of(question)
        assert finding.verdict == "refuted"
        assert as_told(finding, numbers_in(run_line(finding.reproduce).stdout))


@pytest.mark.parametrize("name", ["coupled", "axial_by_slot", "axial_inplace"])
def test_several_axes(name: str) -> None:
    check(audit(f"{HERE}:{name}", axes=2, dimension=8))


def test_keys_of_their_own() -> None:
    check(audit(f"{HERE}:good", key=f"{HERE}:backwards", dimension=8))
    check(audit(f"{HERE}:early", key=f"{HERE}:early_key", dimension=8))
    check(audit(f"{HERE}:good", key=f"{HERE}:inplace_key", dimension=8))


def test_what_is_declared() -> None:
    check(audit(f"{HERE}:integer_division", against="rope:dim=8,layout=half"))
    check(audit(f"{HERE}:good", against="rope:dim=8", strict=True))
    check(audit(f"{HERE}:good", dimension=8, gain=2.0))


ADAPTER = """
from tests.audit.faulty_module import good, backwards

dimension = 8
paths = {"decode": backwards}
query = rival = good
"""
MAPPING = """
[subject]
query = "tests.audit.faulty_module:by_offset"
dimension = 8
[call]
offset = "offset"
"""


def test_adapters(tmp_path: Path) -> None:
    for name, text in (("adapter.py", ADAPTER), ("adapter.toml", MAPPING)):
        (tmp_path / name).write_text(text)
        check(audit(tmp_path / name))


def test_callables_without_a_name_get_python_to_paste() -> None:
    f = faulty_module.by_slot
    report = audit(lambda x, at: f(x, at), dimension=8)  # noqa: PLW0108
    line = report.of("packed = padded").reproduce
    assert line.startswith("in Python: ")
    found: list[Any] = []
    exec(line.removeprefix("in Python: "), {"f": f, "print": found.append})
    assert found[0] > 0.1
