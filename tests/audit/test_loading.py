"""Finding a subject: every mistake has a message that names the place and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from numeric_check.audit import audit, subject_named
from numeric_check.audit.loading import load
from symbolic_pe.errors import AuditError

GOOD = """
import numpy as np
CALLS = []
def rope(x, positions):
    CALLS.append(len(positions))
    d = x.shape[-1]
    angle = positions[:, None] * 10000.0 ** (-np.arange(0, d, 2) / d)
    c, s, (a, b) = np.cos(angle), np.sin(angle), np.split(x, 2, axis=-1)
    return np.concatenate([a * c - b * s, a * s + b * c], axis=-1)
class Rope:
    def __call__(self, x, positions):
        return rope(x, positions)
class Needs:
    def __init__(self, base): ...
number = 3
def other(q, k, v): return q
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "encodings_here.py").write_text(GOOD)
    (tmp_path / "broken_here.py").write_text("import nothing_of_this_name\n")
    (tmp_path / "raising_here.py").write_text("raise RuntimeError('no weights')\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("text", ["encodings_here:rope", "encodings_here.py:rope"])
def test_functions(folder: Path, text: str) -> None:
    assert audit(text, against="rope:dim=8,layout=half").exit_code == 0


def test_a_class_is_instantiated(folder: Path) -> None:
    assert audit("encodings_here.py:Rope", dimension=8).exit_code == 0


def test_the_module_is_executed_anew_for_a_fresh_subject(folder: Path) -> None:
    loaded = load("encodings_here:rope")
    assert loaded.fresh is not None
    again = loaded.fresh()
    assert again is not loaded.value
    assert again.__globals__["CALLS"] is not loaded.value.__globals__["CALLS"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("encodings_here", "expected module:attribute"),
        (":rope", "expected module:attribute"),
        ("not_there_at_all:rope", "not found"),
        ("missing_file.py:rope", "no such file"),
        ("encodings_here:ropes", "has no attribute 'ropes' (it has"),
        ("encodings_here:number", "expected a callable, got int"),
        ("encodings_here:Needs", "making one with no arguments raised TypeError"),
        ("broken_here:f", "it imports 'nothing_of_this_name', which is not found"),
        ("raising_here:f", "importing it raised RuntimeError: no weights"),
        ("encodings_here:other", "write an adapter"),
    ],
)
def test_mistakes(folder: Path, text: str, message: str) -> None:
    with pytest.raises(AuditError) as error:
        audit(text, dimension=8)
    assert message in str(error.value)


POISONED = """
import numpy as np
TABLES = {}
def rope(x, positions):
    d, length = x.shape[-1], int(positions.max()) + 1
    if len(TABLES.get(d, ())) < length:
        angle = np.arange(length)[:, None] * 10000.0 ** (-np.arange(0, d, 2) / d)
        TABLES[d] = np.concatenate([np.cos(angle), np.sin(angle)], -1).astype(x.dtype)
    c, s = np.split(TABLES[d][positions].astype(x.dtype), 2, axis=-1)
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * c - b * s, a * s + b * c], axis=-1)
"""


def test_a_table_of_the_module_that_remembers_a_dtype(folder: Path) -> None:
    (folder / "poisoned.py").write_text(POISONED)
    report = audit("poisoned:rope", dimension=8)
    assert report.of("history").verdict == "refuted"
    assert "the first call of all" in report.of("history").witness  # longer ones keep its dtype
    fixed = POISONED.replace("astype(x.dtype)\n    c,", "astype(float)\n    c,")
    (folder / "unpoisoned.py").write_text(fixed)
    assert audit("unpoisoned:rope", dimension=8).of("history").verdict == "consistent"


def test_what_reproductions_ask_for(folder: Path) -> None:
    assert subject_named("encodings_here:rope").name == "encodings_here:rope"
    with pytest.raises(AuditError, match="no known encoding"):
        subject_named("nobody: nothing")


def test_lines_can_be_pasted(folder: Path) -> None:
    import subprocess
    import sys

    (folder / "slots.py").write_text(
        GOOD.replace("positions[:, None]", "np.arange(len(positions))[:, None]")
    )
    report = audit("slots:rope", dimension=8)
    line = report.of("packed = padded").reproduce
    done = subprocess.run(
        line.replace("python", sys.executable, 1),
        shell=True, capture_output=True, text=True, cwd=folder, check=True,
    )  # fmt: skip
    assert float(done.stdout) > 0.1
