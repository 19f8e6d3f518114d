"""The commands as scripts see them: JSON by schema, exit codes, nothing half-written."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result

from symbolic_pe.cli.main import cli
from symbolic_pe.cli.output import SCHEMAS, schema_text
from symbolic_pe.encodings.catalogue import entries, has_generator

OSCILLATOR = "examples/damped-oscillator.toml"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments))


def output(command: str, *arguments: str) -> Any:
    """Parsed JSON output, checked against the published schema."""
    result = run(command, *arguments, "--json")
    document = json.loads(result.stdout)
    jsonschema.validate(document, json.loads(schema_text(command)))
    return document


# -- interface --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [n for n in entries() if has_generator(n)])
def test_classification_accounts_for_every_channel(name: str) -> None:
    found = output("classify", name)
    for case in found["cases"]:
        assert found["dimension"] == sum(
            b["chain_length"] * b["multiplicity"] * (2 if b["kind"] == "complex" else 1)
            for b in case["blocks"]
        )
        for block in case["blocks"]:
            assert block["kind"] == ("real" if block["imaginary_part"] == "0" else "complex")


def test_classify_oscillator_by_the_published_interface() -> None:
    found = output("classify", OSCILLATOR)
    assert found["parameters"] == {"w": "positive", "z": "real"}
    assert [c["conditions"] for c in found["cases"]] == [
        ["z < -1"],
        ["z = -1"],
        ["-1 < z < 0"],
        ["z = 0"],
        ["0 < z < 1"],
        ["z = 1"],
        ["z > 1"],
    ]
    critical = found["cases"][5]
    (block,) = critical["blocks"]
    assert (block["eigenvalue"], block["chain_length"], block["family"]) == (
        "-w",
        2,
        "decay-polynomial",
    )
    assert critical["growth"] == {"causal": "decaying", "all": "exponential"}


def test_matrix_without_parameters_has_one_case_without_conditions(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text('{"matrix": [[0, -1], [1, 0]]}')
    found = output("classify", str(path))
    assert [c["conditions"] for c in found["cases"]] == [[]]
    assert found["cases"][0]["blocks"][0]["imaginary_part"] == "1"


def test_high_degree_eigenvalues_are_roots(tmp_path: Path) -> None:
    path = tmp_path / "quintic.json"
    rows = [[int(j == i - 1) for j in range(5)] for i in range(5)]
    rows[0][4] = rows[1][4] = 1
    path.write_text(json.dumps({"matrix": rows}))
    found = output("classify", str(path))
    assert found["cases"][0]["blocks"][0]["eigenvalue"] == "root(x^5 - x - 1, 0)"


def test_prove_and_its_exit_codes() -> None:
    names = [c["name"] for c in output("prove", "rope:dim=4")["claims"]]
    assert names[:2] == ["initial-condition", "derivative"]
    assert run("prove", "rope:dim=4").exit_code == 0
    refuted = run("prove", "examples/alibi-misquoted.toml")
    assert refuted.exit_code == 1
    assert "claimed -6, found -2" in refuted.stdout


def test_undecided_exits_with_three(tmp_path: Path) -> None:
    """Without time for a case tree growth is not decided; kernels end at two channels."""
    path = tmp_path / "cubic.json"
    rows = [[0, 1, 0], [0, 0, 1], ["-c", "-b", "-a"]]
    parameters = dict.fromkeys("abc", "positive")
    document = {"matrix": rows, "parameters": parameters, "claims": ["bounded-causal"]}
    path.write_text(json.dumps(document))
    assert run("prove", str(path), "--budget", "0").exit_code == 3
    built = run("build", str(path), "-o", str(tmp_path / "out"), "--budget", "0")
    assert built.exit_code == 3
    assert "budget of 0 s" in built.stderr
    assert not (tmp_path / "out").exists()


def test_catalogue_lists_every_entry_with_defaults() -> None:
    found = output("catalogue")
    assert [e["name"] for e in found["entries"]] == list(entries())
    assert {"family", "verdict", "defaults"} <= set(found["entries"][0])
    rotary = [e["name"] for e in output("catalogue", "--family", "rotary")["entries"]]
    assert {"rope", "yarn", "grape-m"} <= set(rotary)
    assert not {"alibi", "nope"} & set(rotary)


def test_emit_prints_the_kernel_and_check_accepts_it(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    assert run("emit", "rope:dim=8", "--target", "numpy", "-o", str(path)).exit_code == 0
    assert path.read_text() == run("emit", "rope:dim=8", "--target", "numpy").stdout
    assert output("check", str(path))["verdict"] == "holds"


@pytest.mark.parametrize("name", list(SCHEMAS))
def test_published_schemas_are_current(name: str, request: pytest.FixtureRequest) -> None:
    path = Path(f"docs/reference/schemas/{name}.json")
    if request.config.getoption("--update-golden"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(schema_text(name))
    assert path.read_text() == schema_text(name)


# -- build ------------------------------------------------------------------------------------


def test_build_writes_what_it_says(tmp_path: Path) -> None:
    out = tmp_path / "new" / "dir"
    record = output("build", "grape-m:dim=4", "-o", str(out), "--target", "numpy")
    assert sorted(p.name for p in out.iterdir()) == [
        "certificate.json",
        "grape_m_numpy.py",
        "report.json",
        "report.md",
    ]
    assert record["kernels"] == {"numpy": "grape_m_numpy.py"}
    assert record["outcome"] == "proved"
    assert set(record["errors"]["numpy"]) == {"float64", "float32", "bfloat16", "float16"}
    assert json.loads((out / "report.json").read_text()) == record
    assert run("recheck", str(out / "certificate.json")).exit_code == 0
    assert run("check", str(out / "grape_m_numpy.py")).exit_code == 0
    report = (out / "report.md").read_text()
    for heading in ("Classification", "Closed form", "Gauge", "Claims", "Measured errors"):
        assert f"## {heading}" in report


def test_build_replaces_files_of_the_same_names_and_leaves_others(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    for _ in range(2):
        assert run("build", "decay:dim=2", "-o", str(tmp_path), "--target", "numpy").exit_code == 0
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert not [p for p in tmp_path.iterdir() if p.name.startswith(".")]


def test_two_runs_give_the_same_bytes(tmp_path: Path) -> None:
    for seed in ("0", "1"):
        subprocess.run(
            [
                sys.executable,
                "-m",
                "symbolic_pe.cli.main",
                "build",
                OSCILLATOR,
                "-o",
                str(tmp_path / seed),
                "--target",
                "numpy",
            ],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        )
    first, second = ({p.name: p.read_bytes() for p in (tmp_path / s).iterdir()} for s in "01")
    assert first == second


def test_reproductions_can_be_pasted(tmp_path: Path) -> None:
    record = output("build", "rope:dim=4", "-o", str(tmp_path), "--target", "numpy")
    for error in record["errors"]["numpy"].values():
        line = error["reproduce"].replace("python -c", f"{sys.executable} -c", 1)
        done = subprocess.run(
            line, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert "expected" in done.stdout, done.stderr


# -- bad input --------------------------------------------------------------------------------

BAD = [
    ["build", "rop", "-o", "x"],
    ["build", "rope"],
    ["build", "rope", "-o", "x", "--target", "fortran"],
    ["build", "rope:dim=3", "-o", "x"],
    ["classify", "missing.toml"],
    ["classify", "rope:base=__import__('os')"],
    ["classify", "rope:base=" + "(" * 200],
    ["classify", ""],
    ["prove"],
    ["check", "missing.py"],
    ["check", "README.md"],
    ["recheck", "missing.json"],
    ["schema", "nothing"],
    ["nonsense"],
    ["convert", "missing.npy", "--from", "half", "--to", "interleaved", "--list"],
    ["emit", "rope", "--target", "cobol"],
]


@pytest.mark.parametrize("arguments", BAD, ids=lambda a: " ".join(a)[:40])
def test_misuse_exits_with_two_and_one_message(arguments: list[str], tmp_path: Path) -> None:
    os.makedirs(tmp_path / "inside", exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-m", "symbolic_pe.cli.main", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.strip()
    assert done.stdout == ""
    assert not Path("x").exists()


def spec_file(tmp_path: Path, document: object) -> str:
    path = tmp_path / "spec.json"
    path.write_text(json.dumps(document))
    return str(path)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"matrix": [["1/w"]], "parameters": {"w": "real"}}, "division by w"),
        ({"matrix": [["1/(w-1)"]], "parameters": {"w": "positive"}}, "division by w - 1"),
        ({"matrix": [["(w^2-1)/(w-1)"]], "parameters": {"w": "real"}}, "division by w - 1"),
        ({"matrix": [["w^-1"]], "parameters": {"w": "real"}}, "division by w"),
        ({"matrix": [["0^0"]]}, "0^0"),
        ({"matrix": [["1/(2^(1/8191)+1)"]]}, "degree 8191"),
    ],
)
def test_undefined_and_hopeless_entries_are_refused(
    document: object, message: str, tmp_path: Path
) -> None:
    result = run("classify", spec_file(tmp_path, document))
    assert result.exit_code == 2
    assert message in result.stderr


def test_constants_that_no_kernel_can_hold(tmp_path: Path) -> None:
    result = run("build", spec_file(tmp_path, {"matrix": [["1e-400"]]}), "-o", str(tmp_path / "x"))
    assert result.exit_code == 2
    assert "binary64" in result.stderr


@pytest.mark.parametrize(("frequency", "says"), [("10^30", True), ("1", False)])
def test_a_tolerance_beyond_all_values_is_no_agreement(
    frequency: str, says: bool, tmp_path: Path
) -> None:
    matrix = [["0", f"-{frequency}"], [frequency, "0"]]
    spec, out = spec_file(tmp_path, {"matrix": matrix}), tmp_path / "out"
    result = run("build", spec, "--target", "numpy", "-o", str(out))
    assert result.exit_code == 0, result.output
    assert ("but nothing is said of positions" in result.stdout) is says
    page = (out / "report.md").read_text(encoding="utf-8")
    assert ("but nothing is said of positions" in page) is says


def test_a_matrix_beyond_the_budget_is_undecided_at_once(tmp_path: Path) -> None:
    rows = [[f"1/{10**60 + 7 * i + 11 * j * j}" for j in range(20)] for i in range(20)]
    result = run("prove", spec_file(tmp_path, {"matrix": rows}))
    assert result.exit_code == 3
    assert "budget" in result.stdout


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe_does_not_block(tmp_path: Path) -> None:
    for name, command in (("a.json", "classify"), ("a.json", "recheck"), ("a.py", "check")):
        path = tmp_path / f"{command}-{name}"
        os.mkfifo(path)
        assert run(command, str(path)).exit_code == 2


@pytest.mark.parametrize(
    "document",
    [
        {"matrix": [["0", "-w"], ["w", "0"]], "parameters": {"w": "positive"}},
        {"matrix": [["-w"]], "parameters": {"w": "between 1 and 2"}},
        {"matrix": [["0", "1"], ["-w^2", "-1"]], "parameters": {"w": "nonzero"}},
        {"matrix": [["0"]]},
        {"matrix": [["-1", "0"], ["0", "-2"]], "name": "none"},
        {"matrix": [["0", "1e-30"], ["-1e-30", "0"]]},
    ],
    ids=["parametric rotation", "bounds", "nonzero", "zero", "keyword", "tiny"],
)
def test_plain_generators_build(document: object, tmp_path: Path) -> None:
    result = run("build", spec_file(tmp_path, document), "-o", str(tmp_path / "out"))
    assert result.exit_code == 0, result.output
    assert run("recheck", str(tmp_path / "out" / "certificate.json")).exit_code == 0


def test_a_refuted_build_says_so_and_writes_its_witness(tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = run("build", "examples/alibi-misquoted.toml", "-o", str(out))
    assert result.exit_code == 1
    assert "claimed -6, found -2" in result.stdout
    record = output("build", "examples/alibi-misquoted.toml", "-o", str(out))
    assert (record["outcome"], record["kernels"], record["certificate"]) == ("refuted", {}, None)
    (only,) = out.iterdir()
    document = json.loads(only.read_text())
    assert (only.name, document["digest"]) == ("refutation.json", record["refutation"])
    (found,) = output("recheck", str(only))["certificates"]
    assert found["accepted"]
    assert found["claims"]["augmentation"] == "refuted"
    assert "5 proved, 1 refuted" in run("recheck", str(only)).stdout


def test_unknown_name_offers_the_nearest() -> None:
    assert "did you mean 'rope'" in run("classify", "roep").stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_unwritable_directory(tmp_path: Path) -> None:
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    assert run("build", "decay:dim=2", "-o", str(tmp_path / "x")).exit_code == 2


@pytest.mark.parametrize("step", ["tempfile.mkstemp", "os.replace"])
def test_a_refused_write_leaves_nothing(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(f"symbolic_pe.whole_files.{step}", refuse)
    out = tmp_path / "out"
    result = run("build", "decay:dim=2", "-o", str(out), "--target", "numpy")
    assert result.exit_code == 2
    assert "cannot write: Permission denied" in result.stderr
    assert not out.exists()


def test_output_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = run("build", "decay:dim=2", "-o", str(tmp_path / "file"), "--target", "numpy")
    assert result.exit_code == 2
    assert (tmp_path / "file").read_text() == ""
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "report.md").mkdir()
    result = run("build", "decay:dim=2", "-o", str(tmp_path / "d"), "--target", "numpy")
    assert result.exit_code == 2
    assert [p.name for p in (tmp_path / "d").iterdir()] == ["report.md"]


def test_a_pipe_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    for name in ("pipe", "link"):
        result = run("emit", "rope:dim=4", "-o", str(tmp_path / name))
        assert result.exit_code == 2
        assert "is a device or a pipe" in result.stderr
        assert (tmp_path / name).is_fifo()
