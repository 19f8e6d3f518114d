"""`prove` over directories as a team has it in CI: verdicts, files, exit codes, second runs."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import jsonschema
import pytest
from click.testing import CliRunner, Result

from symbolic_pe.cli import workers
from symbolic_pe.cli.main import cli
from symbolic_pe.cli.output import schema_text
from symbolic_pe.cli.proving import campaign
from symbolic_pe.cli.proving.campaign import Manner
from symbolic_pe.cli.proving.keys import Options
from symbolic_pe.cli.proving.sources import sources
from symbolic_pe.cli.proving.store import Store
from symbolic_pe.proof.checker import check_text

ROTATION = '[generator]\nmatrix = [["0", "-1"], ["1", "0"]]\n'
GROWS = 'claims = ["bounded-causal"]\n[generator]\nmatrix = [["1/3"]]\n'
OPEN = json.dumps(
    {
        "matrix": [[f"x{i}{j}" for j in range(13)] for i in range(13)],
        "parameters": {f"x{i}{j}": "real" for i in range(13) for j in range(13)},
    }
)
"""More parameters than a case tree can split."""


@pytest.fixture
def specs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two that are proved, one refuted, and something else; relative to the current directory."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "specs"
    (folder / "deep").mkdir(parents=True)
    (folder / "rotation.toml").write_text(ROTATION)
    (folder / "deep" / "rope.toml").write_text("[generator.rope]\ndim = 4\n")
    (folder / "grows.toml").write_text(GROWS)
    (folder / "notes.txt").write_text("not a specification")
    return folder


def run(*arguments: str, code: int) -> Result:
    result = CliRunner().invoke(cli, ["prove", "--cache", "cache", "--jobs", "1", *arguments])
    assert result.exit_code == code, result.output
    return result


def record(*arguments: str, code: int) -> Any:
    document = json.loads(run(*arguments, "--json", code=code).stdout)
    jsonschema.validate(document, json.loads(schema_text("prove-many")))
    return document


def process(*arguments: str, seed: str = "0") -> subprocess.CompletedProcess[bytes]:
    root = str(Path(__file__).parents[3])
    return subprocess.run(
        [sys.executable, "-m", "symbolic_pe", "prove", *arguments],
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": root},
        capture_output=True,
        check=False,
        timeout=100,
    )


# -- verdicts and exit codes --------------------------------------------------------------------


@pytest.mark.usefixtures("specs")
def test_a_directory_is_judged_in_order_with_what_is_wrong_shown() -> None:
    lines = run("specs", code=1).stdout.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == [
        "proved     specs/deep/rope.toml (rope)",
        "REFUTED    specs/grows.toml (grows)",
        "proved     specs/rotation.toml (rotation)",
        "3 specifications: 2 proved, 1 refuted; 1 left alone (-v lists what and why)",
    ]
    assert "at tau = 22 the norm of its block is at least" in "\n".join(lines)
    told = run("specs", "-v", code=1)
    assert "left alone specs/notes.txt: not *.toml" in told.stdout
    assert "3 of 3 remembered" in told.stderr


@pytest.mark.usefixtures("specs")
def test_json_says_the_same_by_its_schema() -> None:
    found = record("specs", "alibi:heads=2", code=1)
    assert found["verdict"] == "refuted"
    assert found["totals"] == {"proved": 3, "refuted": 1, "undecided": 0, "error": 0}
    items = found["specifications"]
    assert [s["spec"] for s in items][-1] == "alibi:heads=2"
    assert items[1]["no_certificate"] == ""  # the refutation has one
    assert items[1]["certificate"].startswith("sha256:")
    assert items[0]["certificate"].startswith("sha256:")
    assert found["left_alone"] == [
        {"path": "specs/notes.txt", "reason": "not *.toml, *.json or an array"}
    ]


def test_one_bad_file_leaves_the_others_judged_and_exits_with_two(specs: Path) -> None:
    (specs / "latin.toml").write_bytes(b'[encoding]\ntitle = "r\xe9sum\xe9"\n')
    (specs / "typo.toml").write_text('[generater]\nmatrix = [["0"]]\n')
    (specs / "gone.toml").symlink_to(specs / "nowhere.toml")
    found = record("specs", "missing.toml", "rop", code=2)
    verdicts = {s["spec"]: s["verdict"] for s in found["specifications"]}
    assert [v for v in verdicts.values() if v != "error"] == ["proved", "refuted", "proved"]
    messages = {s["spec"]: s["message"] for s in found["specifications"]}
    assert messages["specs/latin.toml"] == "specs/latin.toml: expected UTF-8 text"
    assert messages["specs/gone.toml"] == "specs/gone.toml: no such file"
    assert messages["missing.toml"] == "missing.toml: no such file"
    assert "did you mean 'rope'" in messages["rop"]
    told = run("specs", code=2)
    assert "error: specs/typo.toml: the document: unknown key" in told.stderr
    assert "2 proved, 1 refuted, 3 not judged" in told.stdout


@pytest.mark.usefixtures("specs")
def test_an_empty_directory_is_misuse(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    alone = run("empty", code=2)
    assert "error: empty: expected specifications (*.toml" in alone.stderr
    assert "3 proved" in run("empty", "rope", "specs/deep", "specs/rotation.toml", code=2).stdout


def test_undecided_exits_with_three_and_refuted_goes_first(specs: Path) -> None:
    (specs / "grows.toml").unlink()
    (specs / "open.json").write_text(OPEN)
    found = record("specs", code=3)
    assert found["verdict"] == "undecided"
    (specs / "grows.toml").write_text(GROWS)
    assert record("specs", code=1)["totals"]["undecided"] == 1


@pytest.mark.usefixtures("specs")
def test_one_specification_prints_as_before(tmp_path: Path) -> None:
    text = run("specs/rotation.toml", code=0)
    assert text.stdout.startswith("rotation: proved\n  proved     initial-condition")
    assert text.stderr == ""
    document = json.loads(run("specs/rotation.toml", "--json", code=0).stdout)
    jsonschema.validate(document, json.loads(schema_text("prove")))
    bad = run("missing.toml", "--json", code=2)
    assert (bad.stdout, bad.stderr) == ("", "error: missing.toml: no such file\n")


# -- second runs --------------------------------------------------------------------------------


def test_the_same_bytes_cold_and_warm_for_all_seeds_and_jobs(specs: Path) -> None:
    arguments = ["specs", "--json", "--junit", "out.xml", "-o", "certificates"]
    runs = {
        "cold": process(*arguments, "--cache", "a", "--jobs", "2"),
        "warm": process(*arguments, "--cache", "a", seed="1"),
        "alone": process(*arguments, "--cache", "b", "--jobs", "1", seed="2"),
        "forgetful": process(*arguments, "--no-cache", "--jobs", "1", seed="3"),
    }
    assert {done.returncode for done in runs.values()} == {1}
    assert len({done.stdout for done in runs.values()}) == 1
    assert {done.stderr for done in runs.values()} == {b"wrote 3 certificates to certificates\n"}
    entries = {
        folder: {p.name: p.read_bytes() for p in Path(folder).rglob("*.json")} for folder in "ab"
    }
    assert entries["a"] == entries["b"]
    assert len(entries["a"]) == 3


@pytest.mark.usefixtures("specs")
def test_what_is_remembered_imports_no_exact_core() -> None:
    run("specs", "-o", "out", "--junit", "out.xml", code=1)
    code = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "from symbolic_pe.cli.main import cli\n"
        "arguments = 'prove --cache cache specs -v -o out --junit out.xml'.split()\n"
        "assert CliRunner().invoke(cli, arguments).exit_code == 1\n"
        "print(' '.join(sys.modules))\n"
    )
    root = str(Path(__file__).parents[3])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": root},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.split())
    assert "symbolic_pe.cli.proving.store" in loaded
    heavy = {"flint", "sympy", "numpy", "joblib", "rich", "jinja2", "symbolic_pe.algebra.scalar"}
    assert not loaded & heavy


def test_what_is_damaged_is_decided_again(specs: Path) -> None:
    first = run("specs", code=1).stdout
    for path in Path("cache").rglob("*.json"):
        path.write_bytes(path.read_bytes()[:-20])
    again = run("specs", "-v", code=1)
    assert "0 of 3 remembered, 3 damaged entries decided again" in again.stderr
    assert run("specs", code=1).stdout == first
    assert "3 of 3 remembered\n" in run("specs", "-v", code=1).stderr


def forge(edit: Callable[[dict[str, Any]], None]) -> None:
    """Change what is remembered of the refuted specification, with right digests."""
    for path in Path("cache").rglob("*.json"):
        document = json.loads(path.read_text())
        if document["body"]["name"] == "grows":
            edit(document["body"])
            body = json.dumps(document["body"], separators=(",", ":"))
            document["sha256"] = hashlib.sha256(body.encode()).hexdigest()
            text = json.dumps({**document, "body": 0}, separators=(",", ":"))
            path.write_text(text.replace('"body":0', f'"body":{body}'))


@pytest.mark.usefixtures("specs")
def test_a_forged_entry_is_believed_unless_it_is_decided_again() -> None:
    """What the documentation says of trust: who writes into the cache writes verdicts."""
    run("specs", code=1)

    def acquit(body: dict[str, Any]) -> None:
        for claim in body["claims"]:
            claim["verdict"] = "proved"

    forge(acquit)
    run("specs", code=0)
    again = run("specs", "--again", code=1)
    assert "refuted: specs/grows.toml: the remembered verdict is not the one decided" in (
        again.stderr
    )
    assert run("specs", "--again", code=1).stderr == ""


@pytest.mark.usefixtures("specs")
def test_a_remembered_verdict_that_was_too_strict_also_fails_again(specs: Path) -> None:
    (specs / "grows.toml").write_text('[generator]\nmatrix = [["1/3"]]\n')
    run("specs", code=0)
    forge(lambda body: body["claims"].pop())
    run("specs", "--again", code=1)
    run("specs", "--again", code=0)


def test_a_surrounding_backend_of_joblib_does_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a cluster would: the call is the same, and no process of ours is started."""
    found = sources([f"rope:dim={d}" for d in (2, 4, 6)] + ["nothing"]).found
    alone = campaign.run(found, Options(60.0), Store(None), Manner(1, limited=False))
    monkeypatch.setattr(workers, "end_workers", lambda: pytest.fail("these are not ours"))
    with joblib.parallel_config(backend="threading"):
        elsewhere = campaign.run(found, Options(60.0), Store(None), Manner(2, limited=False))
    assert elsewhere == alone
    assert [j.verdict for j in alone.judged] == ["proved", "proved", "proved", "error"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_cluster_of_dask_does_the_work() -> None:
    distributed = pytest.importorskip("distributed")
    found = sources([f"rope:dim={d}" for d in (2, 4, 6)] + ["fire", "nothing"]).found
    alone = campaign.run(found, Options(60.0), Store(None), Manner(1, limited=False))
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config("dask"),
    ):
        elsewhere = campaign.run(found, Options(60.0), Store(None), Manner(2, limited=False))
    assert elsewhere == alone
    assert [j.verdict for j in alone.judged] == ["proved"] * 3 + ["refuted", "error"]


# -- files --------------------------------------------------------------------------------------


def test_certificates_are_accepted_and_stale_ones_are_removed(specs: Path) -> None:
    run("specs", "rope:dim=4", "-o", "out", code=1)
    index = json.loads(Path("out/certificates.json").read_text())["certificates"]
    assert [(item["spec"], item["file"]) for item in index] == [
        ("specs/deep/rope.toml", "specs/deep/rope.toml.certificate.json"),
        ("specs/grows.toml", "specs/grows.toml.certificate.json"),
        ("specs/rotation.toml", "specs/rotation.toml.certificate.json"),
        ("rope:dim=4", "rope-dim-4.certificate.json"),
    ]
    for item in index:
        result = check_text(Path("out", item["file"]).read_text())
        assert result.accepted
        assert json.loads(Path("out", item["file"]).read_text())["digest"] == item["digest"]
    everything = [str(path) for path in sorted(Path("out").rglob("*.json"))]
    rechecked = CliRunner().invoke(cli, ["recheck", *everything])
    assert (rechecked.exit_code, rechecked.stdout.count("accepted")) == (0, 4)
    alone = CliRunner().invoke(cli, ["recheck", "out/certificates.json"])
    assert alone.exit_code == 2
    assert "got the index of a directory" in alone.stderr
    Path("out/specs/mine.certificate.json").write_text("of a person")
    (specs / "deep" / "rope.toml").unlink()
    (specs / "rotation.toml").unlink()
    run("specs", "-o", "out", code=1)
    assert json.loads(Path("out/certificates.json").read_text())["without"] == []
    left = sorted(str(p) for p in Path("out").rglob("*") if p.is_file())
    kept = [f"out/specs/{name}.certificate.json" for name in ("grows.toml", "mine")]
    assert left == ["out/certificates.json", *kept]
    assert not Path("out/specs/deep").exists()


@pytest.mark.usefixtures("specs")
def test_the_index_says_what_has_no_certificate_and_why() -> None:
    run("rope:dim=4", "fire", "kerple:kernel=power,p=sqrt(2)", "nothing", "-o", "out", code=2)
    index = json.loads(Path("out/certificates.json").read_text())
    assert [item["spec"] for item in index["certificates"]] == ["rope:dim=4", "fire"]
    assert [item["spec"] for item in index["without"]] == [
        "kerple:kernel=power,p=sqrt(2)",
        "nothing",
    ]
    for item, reason in zip(index["without"], ("rational", "unknown encoding"), strict=True):
        assert reason in item["reason"]


@pytest.mark.usefixtures("specs")
def test_an_index_that_leads_elsewhere_removes_nothing(tmp_path: Path) -> None:
    victim = tmp_path / "victim.certificate.json"
    victim.write_text("")
    run("rope", "-o", "out", code=0)
    index = json.loads(Path("out/certificates.json").read_text())
    for name in ("../victim.certificate.json", str(victim)):
        index["certificates"].append({"file": name, "spec": "x", "digest": ""})
    Path("out/certificates.json").write_text(json.dumps(index))
    run("rope", "-o", "out", code=0)
    assert victim.exists()
    Path("out/certificates.json").write_text("[]")
    assert "give another directory" in run("rope", "-o", "out", code=2).stderr


def suites(path: str) -> dict[str, ET.Element]:
    root = ET.parse(path).getroot()
    assert root.tag == "testsuites"
    for name in ("tests", "failures", "errors", "skipped"):
        assert int(root.attrib[name]) == sum(int(s.attrib[name]) for s in root)
    return {suite.attrib["name"]: suite for suite in root}


def test_junit_has_a_case_for_each_claim(specs: Path) -> None:
    (specs / "typo.toml").write_text('[generator]\nmatrix = [["\\u0001"]]\n')
    (specs / "open.json").write_text(OPEN)
    run("specs", "--junit", "reports/prove.xml", code=2)
    found = suites("reports/prove.xml")
    rotation = found["specs/rotation.toml"]
    assert {case.attrib["name"] for case in rotation} >= {"homomorphism", "orthogonality"}
    assert (rotation.attrib["failures"], len(rotation.findall("testcase/*"))) == ("0", 0)
    grows = found["specs/grows.toml"]
    (failure,) = grows.findall("testcase/failure")
    assert grows.attrib["failures"] == "1"
    assert "at tau = 22 the norm of its block is at least" in failure.attrib["message"]
    assert (failure.text or "").startswith("claim: sup over tau >= 0")
    (error,) = found["specs/typo.toml"].findall("testcase/error")
    assert error.attrib["type"] == "bad input"
    (skipped, *_) = found["specs/open.json"].findall("testcase/skipped")
    assert skipped.attrib["message"]
    assert found["specs/open.json"].attrib["failures"] == "0"
    run("specs", "--junit", "strict.xml", "--junit-undecided", "failure", code=2)
    strict = suites("strict.xml")["specs/open.json"]
    assert strict.attrib["skipped"] == "0"
    assert int(strict.attrib["failures"]) > 1


def test_control_characters_do_not_break_the_document() -> None:
    from symbolic_pe.cli.proving.junit import junit_text
    from symbolic_pe.cli.proving.records import Judged

    text = junit_text([("a\x00b", Judged(error="tab\t, bell\x07, <&>\ufffe"))], "skipped")
    (suite,) = ET.fromstring(text)
    assert suite.attrib["name"] == "a\\x00b"
    assert suite[0][0].text == "tab\t, bell\\x07, <&>\\xfffe"


def test_rocq_of_a_directory_numbers_equal_names_and_remembers_files(specs: Path) -> None:
    (specs / "deep" / "rotation.toml").write_text(ROTATION)
    (specs / "root.toml").write_text('[step]\nmatrix = [["sqrt(2)"]]\n')
    first = run("specs", "--rocq", "proofs", code=1)
    names = sorted(p.name for p in Path("proofs/encodings").iterdir())
    assert names == ["grows.v", "rope.v", "rotation.v", "rotation_2.v"]
    assert "not exported: root: rational steps" in first.stderr
    texts = {p: p.read_text() for p in Path("proofs").rglob("*.v")}
    assert "prove specs/deep/rotation.toml --rocq DIR" in texts[Path("proofs/encodings/rotation.v")]
    second = run("specs", "--rocq", "proofs", code=1)
    assert second.stdout == first.stdout
    assert {p: p.read_text() for p in Path("proofs").rglob("*.v")} == texts


# -- a terminal ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("specs")
def test_progress_on_a_terminal_and_silence_in_a_pipe() -> None:
    pty = pytest.importorskip("pty")
    assert process("specs", "--no-cache", "--jobs", "1").stderr == b""
    controller, terminal = pty.openpty()
    root = str(Path(__file__).parents[3])
    with subprocess.Popen(
        [sys.executable, "-m", "symbolic_pe", "prove", "specs", "--no-cache", "--jobs", "1"],
        env={**os.environ, "PYTHONPATH": root, "TERM": "xterm", "COLUMNS": "80"},
        stdout=subprocess.PIPE,
        stderr=terminal,
    ) as done:
        os.close(terminal)
        shown = b""
        try:
            while part := os.read(controller, 1000):
                shown += part
        except OSError:  # the other side is closed
            pass
        output = done.stdout.read() if done.stdout else b""
    os.close(controller)
    assert done.returncode == 1
    assert b"proving" in shown
    assert b"/3" in shown
    assert output.endswith(b"(-v lists what and why)\n")
