"""Planted faults: `build` exits 1 and names the law; `check` finds the same on disk."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from symbolic_pe import production
from symbolic_pe.cli.main import cli
from symbolic_pe.emit.source import EmittedKernel, emit

DAMPED = "mamba-3:dim=12,rotary_dim=8"
PARTIAL = "rope:dim=12,rotary_dim=8"
"""Some channels do not turn: printed channel by channel, not plane by plane."""

# (specification, target, pattern in the emitted text, replacement, laws of which one must fail)
FAULTS = {
    "sign of a fused product": (
        "rope:dim=8,layout=half",
        "numpy",
        r"\(-sine, sine\)",
        "(sine, sine)",
        "map",
    ),
    "conjugated planes": (
        "rope:dim=8",
        "numpy",
        r"np.stack\(\(cosine, sine\)",
        "np.stack((cosine, -sine)",
        "map",
    ),
    "halves not swapped": (
        "rope:dim=8,layout=half",
        "torch",
        r"halves\.flip\(-2\), signed",
        "halves, signed",
        "map",
    ),
    "sign": (PARTIAL, "numpy", r"cosine \* first - sine", "cosine * first + sine", "map"),
    "swapped pair": (
        PARTIAL,
        "numpy",
        r"0:8:2\], wide\[\.\.\., 1:8:2\]",
        "1:8:2], wide[..., 0:8:2]",
        "map",
    ),
    "wrong layout": (
        PARTIAL,
        "numpy",
        r"0:8:2\], wide\[\.\.\., 1:8:2\]",
        ":4], wide[..., 4:8]",
        "map",
    ),
    "transposed map": ("rope:dim=8", "numpy", r"angle = u \* THETA", "angle = -u * THETA", "map"),
    "wrong frequency": ("rope:dim=8", "numpy", r"10000\.0 \*\*", "10001.0 **", "map"),
    "exponent over the wrong width": ("rope:dim=8", "numpy", r"/ 8\b", "/ 16", "map"),
    "missing contragredient": (
        "xpos:dim=4",
        "numpy",
        r"(def transform_key.*?return _transform\(x, position, reference, )-1",
        r"\g<1>1",
        "key-map",
    ),
    "decay on the wrong side": (
        "xpos:dim=4",
        "numpy",
        r"(def transform_query.*?return _transform\(x, position, reference, )1",
        r"\g<1>-1",
        "query-map",
    ),
    "angles in single precision": (
        "rope:dim=8",
        "numpy",
        r"np\.float64\) - reference",
        "np.float32) - reference",
        "map",
    ),
    "bias sign": (
        "alibi:dim=4,heads=2",
        "numpy",
        r"return -SLOPE \* lag",
        "return SLOPE * lag",
        "bias",
    ),
}


def faulty(name: str, kernel: EmittedKernel) -> str:
    _, _, pattern, replacement, _ = FAULTS[name]
    text, count = re.subn(pattern, replacement, kernel.text, count=1, flags=re.S)
    assert count == 1, f"the fault {name!r} no longer applies to the emitted text"
    return text


def build(spec: str, target: str, out: Path) -> Result:
    return CliRunner().invoke(cli, ["build", spec, "-o", str(out), "--target", target])


@pytest.mark.parametrize("name", list(FAULTS))
def test_build_refuses_a_planted_fault(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, target, _, _, law = FAULTS[name]

    def planted(*arguments: object, **named: object) -> EmittedKernel:
        kernel = emit(*arguments, **named)  # type: ignore[arg-type]
        return EmittedKernel(
            kernel.target, kernel.filename, faulty(name, kernel), kernel.body_digest
        )

    monkeypatch.setattr(production, "emit_plan", planted)
    result = build(spec, target, tmp_path / "out")
    assert result.exit_code == 1
    assert "REFUTED" in result.stdout
    assert re.search(law, result.stdout)
    assert re.search(r"position|lag|positions", result.stdout)
    assert "python -c" in result.stdout
    assert not (tmp_path / "out").exists(), "nothing is written when a law fails"


@pytest.mark.parametrize("name", list(FAULTS))
def test_check_finds_the_fault_on_disk(name: str, tmp_path: Path) -> None:
    spec, target, *_ = FAULTS[name]
    assert build(spec, target, tmp_path).exit_code == 0
    (path,) = tmp_path.glob("*.py")
    runner = CliRunner()
    assert runner.invoke(cli, ["check", str(path)]).exit_code == 0
    kernel = EmittedKernel(target, path.name, path.read_text(), "")
    path.write_text(faulty(name, kernel))
    result = runner.invoke(cli, ["check", str(path)])
    assert result.exit_code == 1
    assert "refuted" in result.stdout


HARMLESS = {
    "order of a product": ("rope:dim=8", "angle = u * THETA", "angle = THETA * u  # the same"),
    "order of a sum": (
        PARTIAL,
        "cosine * first - sine * second",
        "-sine * second + cosine * first",
    ),
    "docstring": ("rope:dim=8", '"""F(t)x', '"""The query map F(t)x'),
    "spelling of a new axis": ("rope:dim=8", "[..., None]", "[..., np.newaxis]"),
    "spelling of a slice": (PARTIAL, "0:8:2], wide", ":8:2], wide"),
    "function for an operator": ("rope:dim=8", "u * THETA", "np.multiply(u, THETA)"),
    "operator": (
        "rope:dim=8",
        "return transform_query(identity",
        "return 1.0 * transform_query(identity",
    ),
    "bias": ("alibi:dim=4,heads=2", "return -SLOPE * lag", "return -(lag * SLOPE)"),
    "learned": ("examples/damped-oscillator.toml", "centre = -w * z", "centre = -(z * w)"),
}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "torch.stack((turned_first, turned_second), dim=-1).flatten(-2)",
            "torch.stack([turned_first, turned_second], -1).flatten(-2)",
        ),
        ("torch.cos(angle)", "angle.cos()"),
        ("def _transform", "def _unused(a):\n    return a * 2.0\n\n\ndef _transform"),
    ],
)
def test_harmless_changes_of_a_torch_text_stay_accepted(old: str, new: str, tmp_path: Path) -> None:
    assert build(PARTIAL, "torch", tmp_path).exit_code == 0
    path = tmp_path / "rope_torch.py"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    result = CliRunner().invoke(cli, ["check", str(path)])
    assert result.exit_code == 0, result.stdout


@pytest.mark.parametrize("name", list(HARMLESS))
def test_harmless_changes_stay_accepted(name: str, tmp_path: Path) -> None:
    spec, old, new = HARMLESS[name]
    assert build(spec, "numpy", tmp_path).exit_code == 0
    (path,) = tmp_path.glob("*.py")
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    result = CliRunner().invoke(cli, ["check", str(path)])
    assert result.exit_code == 0, result.stdout
    assert "differs" in CliRunner().invoke(cli, ["check", str(path), "--json"]).stdout


def test_a_branch_that_no_sample_reaches_is_undecided(tmp_path: Path) -> None:
    assert build("rope:dim=8", "numpy", tmp_path).exit_code == 0
    path = tmp_path / "rope_numpy.py"
    old = "    angle = u * THETA\n"
    text = path.read_text()
    assert old in text
    hidden = "    if np.any(u == 777777.0):\n        angle = angle + 1.0\n"
    path.write_text(text.replace(old, old + hidden))
    result = CliRunner().invoke(cli, ["check", str(path)])
    assert result.exit_code == 3
    assert "undecided" in result.stdout


UNSEEN = {
    "condition on a size": "    if x.size > 9999999:\n        angle = angle * 1.5\n",
    "condition on the rank": "    angle = angle * (1.5 if x.ndim > 7 else 1.0)\n",
    "where": "    angle = np.where(u.shape[0] == 7, angle, angle)\n",
    "arithmetic of sizes": "    angle = angle * (1.0 + x.size // 9999999)\n",
    "maximum of sizes": "    angle = angle * max(1.0, x.size / 9999999)\n",
    "loop over a size": "    for _ in range(x.size - 9999999):\n        angle = angle * 1.5\n",
    "rounding": "    angle = angle + np.trunc(u / 1e15)\n",
    "remainder": "    angle = np.fmod(u, 1e15) * THETA\n",
    "counted ones": "    angle = angle * (1.0 + np.ones_like(x).size // 99999)\n",
    "slice of positions": "    angle = angle * 1.0\n    angle[5000:] = 0.0\n",
    "assignment in place": "    u *= 1.0\n",
    "slice of the batch": "    x = x[:999]\n    wide = x.astype(compute)\n",
    "power of a size": "    angle = angle * x.size ** 0\n",
}
QUICK = {"condition on a size", "slice of positions", "assignment in place"}
"""Each is a build and a check; the others are of the same kinds."""


@pytest.mark.parametrize(
    "hidden",
    [
        pytest.param(edit, id=name, marks=[] if name in QUICK else [pytest.mark.slow])
        for name, edit in UNSEEN.items()
    ],
)
def test_an_edit_that_exact_execution_does_not_see_is_undecided(
    hidden: str, tmp_path: Path
) -> None:
    assert build(DAMPED, "numpy", tmp_path).exit_code == 0
    path = tmp_path / "mamba_3_numpy.py"
    old = "    angle = u * THETA\n"
    path.write_text(path.read_text().replace(old, old + hidden))
    result = CliRunner().invoke(cli, ["check", str(path)])
    assert result.exit_code == 3, result.stdout
    assert "undecided: the edit adds" in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "hidden",
    [
        "    angle = u * 1e301 * THETA / 1e301\n",
        "    angle = np.exp(u / 1000 / 8) * np.exp(-u / 1000 / 8) * angle\n",
    ],
)
def test_an_edit_that_overflows_is_refuted(hidden: str, tmp_path: Path) -> None:
    """It computes the same where it does not overflow; far away it raises, and the text did not."""
    assert build(DAMPED, "numpy", tmp_path).exit_code == 0
    path = tmp_path / "mamba_3_numpy.py"
    old = "    angle = u * THETA\n"
    path.write_text(path.read_text().replace(old, old + hidden))
    result = CliRunner().invoke(cli, ["check", str(path)])
    assert result.exit_code == 1, result.stdout
    assert "overflow raises" in result.stdout


def test_an_edit_that_lets_go_of_a_harmless_argument_is_undecided(tmp_path: Path) -> None:
    """Without `where` the growing branch overflows where it is not taken; its value is the same."""
    assert build("examples/damped-oscillator.toml", "torch", tmp_path).exit_code == 0
    (path,) = tmp_path.glob("*.py")
    text = path.read_text()
    old = "reach = torch.where(growing, u, 0.0)"
    assert old in text
    path.write_text(text.replace(old, "reach = u"))
    result = CliRunner().invoke(cli, ["check", str(path)])
    assert result.exit_code in {1, 3}
    assert "the edit removes a use of `.where`" in result.stdout


@pytest.mark.parametrize(
    ("target", "old", "new"),
    [
        ("numpy", "np.asarray(position, np.float64)", "np.asarray(position)"),
        ("numpy", "np.result_type(x.dtype, table.real.dtype)", "np.float64"),
        ("numpy", 'if x.dtype.kind in "biu":', "if False:"),
        ("torch", "position, dtype=torch.float64, device", "position, device"),
        ("torch", "THETA.to(u.device)", "THETA"),
    ],
)
def test_an_edit_that_removes_a_guard_or_a_cast_does_not_hold(
    target: str, old: str, new: str, tmp_path: Path
) -> None:
    assert build("rope:dim=8", target, tmp_path).exit_code == 0
    (path,) = tmp_path.glob("*.py")
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    result = CliRunner().invoke(cli, ["check", str(path)])
    assert result.exit_code in {1, 3}
    assert "the edit removes" in result.stdout


EDITS = [
    ("alibi:dim=4,heads=2", "transform_query(query, position, reference),", "1.0 * {}", "2.0 * {}"),
    ("alibi:dim=4,heads=2", "-slope[head]", "1.0 * {}", "1.01 * {}"),
    ("retnet:dim=4,heads=2", "factor, 0.0)", "1.0 * {}", "2.0 * {}"),
    ("retnet:dim=4,heads=2", "position, 0.0, 0)", "position, 1.0 * 0.0, 0)", "-1.0 * {}"),
    ("examples/damped-oscillator.toml", "-(w**2)", "1.0 * {}", "1.01 * {}"),
    ("examples/damped-oscillator.toml", "scale * torch.where", "1.0 * {}", "1.01 * {}"),
]


@pytest.mark.parametrize(
    ("spec", "old", "same", "other"),
    [pytest.param(*x, id=x[1], marks=[pytest.mark.slow] if "/" in x[0] else []) for x in EDITS],
)
def test_an_edit_of_any_function_is_decided(
    spec: str, old: str, same: str, other: str, tmp_path: Path
) -> None:
    """One that changes nothing holds, one that changes the meaning is refuted with the place."""
    assert build(spec, "torch", tmp_path).exit_code == 0
    (path,) = tmp_path.glob("*.py")
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, same.format(old), 1))
    result = CliRunner().invoke(cli, ["check", str(path)])
    assert result.exit_code == 0, result.stdout
    path.write_text(text.replace(old, other.format(old), 1))
    result = CliRunner().invoke(cli, ["check", str(path)])
    assert result.exit_code == 1, result.stdout
    assert "text refuted: " in result.stdout
    assert "the text has" in result.stdout


def test_an_edit_that_leaves_the_ring_is_undecided(tmp_path: Path) -> None:
    """Also where there are parameters."""
    assert build("examples/damped-oscillator.toml", "numpy", tmp_path).exit_code == 0
    (path,) = tmp_path.glob("*.py")
    text = path.read_text()
    old = "centre = -w * z"
    assert old in text
    path.write_text(text.replace(old, "centre = -w * z * (w / w) ** (z - z)"))
    result = CliRunner().invoke(cli, ["check", str(path)])
    assert result.exit_code == 3, result.stdout
    assert "undecided: the edited text is measured only: the text raises" in (result.stdout)


@pytest.mark.parametrize("target", ["numpy", "torch"])
def test_a_rewritten_bias_is_executed(target: str, tmp_path: Path) -> None:
    assert build("alibi:dim=4,heads=2", target, tmp_path).exit_code == 0
    (path,) = tmp_path.glob("*.py")
    text = path.read_text()
    old = re.search(r"return .*SLOPE.* \* lag\)?.*", text)
    assert old is not None
    for factor, code in (("* (2.0 - 1.0)", 0), ("* 1.0000001", 1)):
        path.write_text(text.replace(old[0], old[0].replace("* lag", f"* lag {factor}")))
        assert CliRunner().invoke(cli, ["check", str(path)]).exit_code == code


def test_a_false_body_digest_is_found(tmp_path: Path) -> None:
    assert build("rope:dim=8", "numpy", tmp_path).exit_code == 0
    path = tmp_path / "rope_numpy.py"
    path.write_text(re.sub(r"(# body: +sha256:)\w", r"\g<1>x", path.read_text(), count=1))
    assert CliRunner().invoke(cli, ["check", str(path)]).exit_code == 1


def test_a_changed_header_is_found(tmp_path: Path) -> None:
    assert build("rope:dim=8", "numpy", tmp_path).exit_code == 0
    path = tmp_path / "rope_numpy.py"
    text = path.read_text()
    for old, new in (
        ('"base": "10000"', '"base": "20000"'),
        ("certificate: sha256:", "certificate: sha256:0"),
        ("symbolic-pe: Rotary", "symbolic-pe: No rotary"),
    ):
        assert old in text
        path.write_text(text.replace(old, new, 1))
        assert CliRunner().invoke(cli, ["check", str(path)]).exit_code == 1


def test_text_that_does_other_things_is_not_run(tmp_path: Path) -> None:
    assert build("rope:dim=8", "numpy", tmp_path).exit_code == 0
    path = tmp_path / "rope_numpy.py"
    marker = tmp_path / "ran"
    path.write_text(path.read_text() + f"\nopen({str(marker)!r}, 'w')\n")
    result = CliRunner().invoke(cli, ["check", str(path)])
    assert result.exit_code == 1
    assert "not run" in result.stdout
    assert not marker.exists()


CALLERS = {
    "name of an argument": ("def transform_key(x, position,", "def transform_key(x, place,", 3),
    "another argument": ("def turn_into(out, x, table):", "def turn_into(out, x, table, y=0):", 3),
    "default dtype": (
        "def cos_sin(position, reference=0.0, *, dtype=torch.float32",
        "def cos_sin(position, reference=0.0, *, dtype=torch.float64", 1,
    ),
    "turn of its own": (
        "def turn(x, table):",
        "def turn(x, table):\n    return -_turn(x, table)\n\n\ndef _turn(x, table):", 1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", list(CALLERS))
def test_what_callers_rely_on_is_no_harmless_change(name: str, tmp_path: Path) -> None:
    """The maps stay as they are: only who calls these functions by themselves would notice.

    A default is refuted by the law of defaults; a signature is undecided.
    """
    old, new, exit_code = CALLERS[name]
    assert build("rope:dim=8", "torch", tmp_path).exit_code == 0
    path = tmp_path / "rope_torch.py"
    text = path.read_text()
    assert old in text
    text = text.replace(old, new)
    if name == "name of an argument":
        head, tail = text.split(new, 1)
        text = head + new + tail.replace("x, position, reference", "x, place, reference", 1)
    if name == "turn of its own":
        text = text.replace("return turn(x, rotary", "return _turn(x, rotary")
    path.write_text(text)
    result = CliRunner().invoke(cli, ["check", str(path)])
    assert result.exit_code == exit_code, result.stdout


def test_a_stated_bound_that_nothing_bears_out_is_undecided(tmp_path: Path) -> None:
    """The rest of a position as a difference of large numbers: no more exact phases."""
    assert build("rope:dim=8,angles=turns", "torch", tmp_path).exit_code == 0
    path = tmp_path / "rope_torch.py"
    turns = "TURNS.to(u.device)"
    old, new = f"(u - whole) * {turns}", f"(u * {turns} - whole * {turns})"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    result = CliRunner().invoke(cli, ["check", str(path)])
    assert result.exit_code == 3, result.stdout
    assert "nothing bears it out" in result.stdout
