"""Golden files of several axes, biases and tables of positions: compared byte for byte.

`pytest tests/emit/test_golden_positions.py --update-golden` writes them anew.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from symbolic_pe.cli.measured import emitted
from symbolic_pe.emit.source import body_is_intact
from symbolic_pe.encodings.axes import SeveralAxes
from symbolic_pe.encodings.catalogue import catalogue_form
from symbolic_pe.encodings.outside import Outside

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "positions"
TARGETS = ("numpy", "torch", "array-api")
SPECS: dict[str, tuple[str, dict[str, str]]] = {
    "axial": ("axial", {"dim": "8"}),
    "rope_mixed": ("rope-mixed", {"dim": "8", "layout": "half"}),
    "m_rope": ("m-rope", {"dim": "16", "sections": "2 3 3", "arrangement": "sections"}),
    "string": ("string", {}),
    "comrope": ("comrope", {}),
    "gla": ("gla", {"dim": "4"}),
    "t5": ("t5", {"direction": "both", "buckets": "16", "max_distance": "20"}),
    "kerple": ("kerple", {}),
    "kerple_power": ("kerple", {"kernel": "power", "p": "1/2"}),
    "fire": ("fire", {}),
    "sinusoidal": ("sinusoidal", {"dim": "8"}),
    "learned": ("learned", {"length": "20"}),
    "longrope": ("longrope", {"dim": "8", "start": "4"}),
    "fope": ("fope", {}),
}
FILES = [(stem, target) for stem in SPECS for target in TARGETS]


def form_of(stem: str) -> SeveralAxes | Outside:
    name, settings = SPECS[stem]
    found = catalogue_form(name, settings)
    assert isinstance(found, SeveralAxes | Outside)
    return found


def path_of(stem: str, target: str) -> Path:
    return GOLDEN / f"{stem}_{target.replace('-', '_')}.py"


@pytest.mark.parametrize(("stem", "target"), FILES)
def test_file_is_what_is_emitted(stem: str, target: str, update_golden: bool) -> None:
    name, settings = SPECS[stem]
    given = ",".join(f"{k}={v}" for k, v in settings.items())
    command = f"symbolic-pe build '{name}:{given}' --target {target}"
    text = emitted(form_of(stem), target, command).text
    path = path_of(stem, target)
    if update_golden:
        path.write_bytes(text.encode("utf-8"))
    assert path.read_bytes().decode("utf-8") == text, "review with --update-golden"
    assert body_is_intact(text)


def test_no_file_is_left_over() -> None:
    assert {p.name for p in GOLDEN.glob("*.py")} == {path_of(*file).name for file in FILES}
