"""Emitted files under version control: compared byte for byte, formatted, executed, cross-checked.

`pytest tests/emit/test_golden.py --update-golden` writes them anew.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from numeric_check.kernels.kernel import compile_kernel
from numeric_check.laws.cross_check import cross_check
from symbolic_pe.emit.source import body_is_intact, split_source
from symbolic_pe.encodings.catalogue import catalogue, own_kernels
from symbolic_pe.encodings.encoding import Encoding
from tests.emit.by_hand import ENCODINGS
from tests.emit.reference import (
    ROUNDING,
    TARGETS,
    arguments_of,
    call,
    emitted,
    exponential,
    run,
)

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
SMALL = {
    "dim": "8",
    "heads": "2",
    "rotary_dim": "4",
    "terms": "4",
}  # settings of an entry that make it small
VARIANTS = {"rope": {"rotary_dim": "0"}}
BY_HAND = (
    "p-rope",
    "scattered-rope",
    "rope-turns",
    "menagerie-turns",
    "warm-rope",
    "different-heads",
    "polynomial",
    "long-chain",
    "long-jordan-rope",
    "menagerie",
    "dense",
    "dense-heads",
    "oscillator",
    "oscillators",
    "learned-rates",
    "learned-ladder",
    "learned-heads",
    "rope-alibi",
    "alibi-3",
    "quadratic",
    "sandwich-heads",
    "two-slopes",
    "learned-slopes",
)


def _sources() -> dict[str, tuple[Callable[[], Encoding], str]]:
    """File stem → encoding, and the SPEC of the command that writes it."""
    found: dict[str, tuple[Callable[[], Encoding], str]] = {}
    for name, entry in own_kernels().items():
        settings = {k: v for k, v in SMALL.items() if k in entry.settings} | VARIANTS.get(name, {})
        spec = name + ":" + ",".join(f"{k}={v}" for k, v in sorted(settings.items()))
        found[name.replace("-", "_")] = (lambda n=name, s=settings: catalogue(n, s), spec)
    rope = {"dim": "8", "layout": "half", "rotary_dim": "4"}
    found["rope_half_partial"] = (
        lambda: catalogue("rope", rope),
        "rope:dim=8,layout=half,rotary_dim=4",
    )
    for name in BY_HAND:
        found[f"by_hand_{name.replace('-', '_')}"] = (ENCODINGS[name], f"{name}.toml")
    return found


SOURCES = _sources()
STANDARD = ("nope", "rope", "rope_half_partial", "grape_m", "xpos", "decay")
FILES = [(stem, target) for stem in SOURCES for target in TARGETS]
FILES += [(stem, "array-api") for stem in STANDARD]


@cache
def text_of(stem: str, target: str) -> str:
    build, spec = SOURCES[stem]
    return emitted(build(), target, f"symbolic-pe build {spec} --target {target}").text


def path_of(stem: str, target: str) -> Path:
    return GOLDEN / f"{stem}_{target.replace('-', '_')}.py"


@pytest.mark.parametrize(("stem", "target"), FILES)
def test_file_is_what_is_emitted_and_runs(stem: str, target: str, update_golden: bool) -> None:
    path = path_of(stem, target)
    if update_golden:
        path.write_bytes(text_of(stem, target).encode("utf-8"))
    text = path.read_bytes().decode("utf-8")
    assert text == text_of(stem, target), "emission changed; review with --update-golden"
    assert body_is_intact(text)
    if target == "array-api":
        pytest.importorskip("array_api_compat")
    encoding, module = SOURCES[stem][0](), run(text)
    for lag in (0.0, 1.0, 7.5):
        found = call(target, module.operator, lag, *arguments_of(encoding))
        expected = exponential(encoding, lag)
        assert np.abs(found - expected).max() <= ROUNDING * max(1.0, np.abs(expected).max())


# Every block of an encoding is held to its own tolerance at positions far beyond these files'
# windows; the parametric ones go through every case of their generator and take seconds.
SLOW = {"by_hand_oscillators", "by_hand_oscillator", "retnet", "by_hand_learned_rates"}


@pytest.mark.parametrize(
    ("stem", "target"),
    [pytest.param(*file, marks=[pytest.mark.slow] if file[0] in SLOW else []) for file in FILES],
)
def test_file_is_cross_checked(stem: str, target: str) -> None:
    text = path_of(stem, target).read_text(encoding="utf-8")
    if target == "array-api":
        pytest.importorskip("array_api_compat")
    checked = cross_check(compile_kernel(text), SOURCES[stem][0](), calls=True)
    assert not [str(r) for r in checked.results if r.verdict != "consistent"]


def test_no_file_is_left_over() -> None:
    assert {p.name for p in GOLDEN.glob("*.py")} == {path_of(*file).name for file in FILES}


def test_files_are_formatted_and_clean(tmp_path: Path) -> None:
    """Whole files are formatted; below the header, no line is longer than 88 characters."""
    for file in FILES:
        body = split_source(path_of(*file).read_text(encoding="utf-8"))[1]
        (tmp_path / path_of(*file).name).write_text(body, encoding="utf-8")
    for command, where in (
        (["format", "--check"], GOLDEN),
        (["check", "--select", "F,E,W", "--ignore", "E501"], GOLDEN),
        (["check", "--select", "F,E,W"], tmp_path),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--isolated", "--no-cache", str(where)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
