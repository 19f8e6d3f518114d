"""The command `catalogue`: lists, shows and compares; encodings that are no group are answers."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result
from flint import arb

from symbolic_pe.cli.main import cli
from symbolic_pe.cli.output import schema_text
from symbolic_pe.decision import Claim
from symbolic_pe.encodings import catalogue as module
from symbolic_pe.encodings.catalogue import entries, entry_named
from symbolic_pe.encodings.encoding import Verdict
from symbolic_pe.encodings.entry import Form, Published
from symbolic_pe.encodings.outside import Outside
from symbolic_pe.encodings.settings import Settings
from symbolic_pe.encodings.witnesses import not_relative


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments))


def output(schema: str, *arguments: str) -> Any:
    document = json.loads(run(*arguments, "--json").stdout)
    jsonschema.validate(document, json.loads(schema_text(schema)))
    return document


def test_show_decides_everything_now() -> None:
    found = output("catalogue-show", "catalogue", "show", "alibi:heads=2,dim=4")
    assert found["outcome"] == "proved"
    assert {v["verdict"] for v in found["values"]} == {"proved"}
    assert {m["verdict"] for m in found["mistakes"]} == {"refuted"}
    assert all(m["witness"] for m in found["mistakes"])
    text = run("catalogue", "show", "alibi").stdout
    for part in ("definition:", "generator:", "stability:", "claims", "mis-statements"):
        assert part in text


def test_filters_refuse_what_matches_nothing() -> None:
    assert run("catalogue", "--family", "rotary").exit_code == 0
    wrong = run("catalogue", "--family", "rotation")
    assert wrong.exit_code == 2
    assert "one of none, rotary" in wrong.stderr
    wrong = run("catalogue", "--verdict", "semigroup")
    assert wrong.exit_code == 2
    assert "one-parameter group" in wrong.stderr


def test_compare_finds_the_planes_that_differ() -> None:
    found = output("catalogue-compare", "catalogue", "compare", "rope:dim=8", "rope:dim=8,base=100")
    assert found["same_generator"] is False
    assert found["same_blocks"] == 1
    assert [d["block"] for d in found["differences"]] == [1, 2, 3]
    assert found["differences"][0]["ratio"] == "3.16228"
    same = output("catalogue-compare", "catalogue", "compare", "rope:dim=8", "rope:dim=8")
    assert same["same_generator"] is True
    layouts = output(
        "catalogue-compare", "catalogue", "compare", "rope:dim=8", "rope:dim=8,layout=half"
    )
    assert layouts["same_generator"] is False


def test_compare_of_a_step_is_misuse(tmp_path: Any) -> None:
    path = tmp_path / "step.toml"
    path.write_text('[step]\nmatrix = [["0", "-1"], ["1", "0"]]\n')
    found = run("catalogue", "compare", "rope", str(path))
    assert found.exit_code == 2
    assert "got a step" in found.stderr


@pytest.fixture
def absolute(monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry `absolute` whose score is t·s."""

    def claims() -> tuple[Claim, ...]:
        return (not_relative(lambda t, s: arb(t * s), (1, 0), (2, 1), "q = k = 1"),)

    def build(_: Settings) -> Form:
        return Outside("absolute", Verdict.NOT_INVARIANT, 1, claims, no_function="it is t*s")

    entry = replace(
        entry_named("nope"), name="absolute", verdict=Verdict.NOT_INVARIANT, settings={},
        build=build, values=(Published("channels", "1", lambda form: form.dimension),),
    )  # fmt: skip
    known = {**entries(), "absolute": entry}
    monkeypatch.setattr(module, "entries", lambda: known)


@pytest.mark.usefixtures("absolute")
def test_what_is_no_group_is_a_clear_answer(tmp_path: Any) -> None:
    proved = run("prove", "absolute")
    assert proved.exit_code == 1
    assert "(t, s) = (2, 1)" in proved.stdout
    classified = run("classify", "absolute")
    assert classified.exit_code == 0
    assert "absolute: not translation invariant" in classified.stdout
    assert output("classify-outside", "classify", "absolute")["verdict"] == (
        "not translation invariant"
    )
    for command in (
        ["build", "absolute", "-o", str(tmp_path / "out")],
        ["emit", "absolute"],
    ):
        refused = run(*command)
        assert refused.exit_code == 1, command
        assert "not translation invariant" in refused.output
        assert "Traceback" not in refused.output
    assert not (tmp_path / "out").exists()
    shown = run("catalogue", "show", "absolute")
    assert "code: none: it is t*s" in shown.stdout
    exported = run("prove", "absolute", "--rocq", str(tmp_path / "rocq"))
    assert exported.exit_code == 1
    assert "no law to export" in exported.stderr
    assert not (tmp_path / "rocq").exists()
    compared = run("catalogue", "compare", "absolute", "rope")
    assert compared.exit_code == 0
    assert "one of them has no generator" in compared.stdout


def test_what_is_no_group_is_built_as_a_table_and_checked(tmp_path: Any) -> None:
    built = run("build", "fope", "-o", str(tmp_path), "--target", "numpy", "--json")
    assert built.exit_code == 1, "that it is a group is refuted"
    record = json.loads(built.stdout)
    jsonschema.validate(record, json.loads(schema_text("build-measured")))
    assert record["failures"] == []
    assert record["checks"]["numpy float64"]["verdict"] == "consistent"
    path = tmp_path / "fope_numpy.py"
    assert output("check", "check", str(path))["verdict"] == "holds"
    path.write_text(path.read_text().replace("np.cos(angle)", "np.sin(angle)"))
    found = output("check", "check", str(path))
    assert found["verdict"] == "refuted"
    assert any("position" in failure for failure in found["failures"])
    emitted = run("emit", "longrope:dim=8,start=4", "--target", "torch")
    assert emitted.exit_code == 0
    assert "torch.where(position < 4" in emitted.stdout


def test_a_group_for_each_length_says_so(tmp_path: Any) -> None:
    shown = output("catalogue-show", "catalogue", "show", "dynamic-ntk:dim=8")
    assert shown["outcome"] == "proved"
    lengths = next(c for c in shown["claims"] if c["name"] == "one-length")
    assert lengths["verdict"] == "refuted"
    assert "8192" in lengths["witness"]
    assert run("prove", "dynamic-ntk:dim=8").exit_code == 0
