"""`symbolic-pe spectrum` on every kind of specification."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner, Result

from symbolic_pe.cli.main import cli
from symbolic_pe.cli.output import schema_text
from symbolic_pe.encodings.catalogue import entries

EXAMPLES = Path("examples")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["spectrum", *arguments])


def record(*arguments: str) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    jsonschema.validate(found, json.loads(schema_text("spectrum")))
    return found


@pytest.mark.parametrize("name", list(entries()))
def test_every_catalogue_entry_has_a_card_or_a_reason(name: str) -> None:
    found = record(name, "--length", "48", "--lags", "2000")
    assert found["applies"] is (found["reason"] is None)
    if found["applies"]:
        for head in found["heads"]:
            assert head["claims"]
            assert head["symbol"]
            assert head["lambda_max_over_n"] is not None or head["missing"]
    else:
        assert len(found["reason"]) > 20


def test_numbers_of_rope() -> None:
    found = record("rope:dim=128")
    assert found["length"] == 4096
    assert found["lambda_max_over_n"] == pytest.approx(0.19284819697649, abs=1e-12)
    assert found["effective_rank"] == pytest.approx(18.568524298151, abs=1e-10)
    window = found["window"]
    assert window["lag"] == 1707
    assert window["enclosure"]["low"] < window["enclosure"]["high"] < 0 < window["before"]["low"]
    (head,) = found["heads"]
    assert head["condition_number"] is None
    assert head["no_condition_number"]
    assert head["relations"] == {
        "frequencies": 64, "dimension": 16, "period": 16, "ratio": "1/10"
    }  # fmt: skip
    verdicts = {c["name"]: c["verdict"] for c in head["claims"]}
    assert verdicts["contracts-every-content"] == "refuted"
    assert verdicts["positive-kernel"] == "proved"


def test_a_million_positions() -> None:
    found = record("rope:dim=128", "--length", "1000000", "--lags", "2000")
    assert found["lambda_max_over_n"] == pytest.approx(0.0086790655, abs=1e-9)


@pytest.mark.parametrize(
    ("spec", "verdict"), [("nope", "proved"), ("decay", "proved"), ("xpos", "refuted"),
                          ("jordan-rope:order=2", "refuted"), ("alibi", "refuted")]
)  # fmt: skip
def test_contraction_is_decided_for_each_encoding(spec: str, verdict: str) -> None:
    (head, *_) = record(spec, "--length", "16", "--lags", "64")["heads"]
    claim = next(c for c in head["claims"] if c["name"] == "contracts-every-content")
    assert claim["verdict"] == verdict
    assert (claim["witness"] is None) is (verdict == "proved")


def test_what_has_no_kernel_says_why() -> None:
    for name in ("damped-oscillator", "negative-step"):
        found = record(str(EXAMPLES / f"{name}.toml"))
        assert not found["applies"]
        assert found["lambda_max_over_n"] is None
    axes = record(str(EXAMPLES / "axial.toml"), "--length", "16")
    assert [h["axes"] for h in axes["heads"]] == [["row"], ["column"]]


def test_what_repeats_is_shown_once() -> None:
    axes = record("gla:dim=4", "--length", "16")["heads"]
    assert [h["axes"] for h in axes] == [["T0", "T1", "T2", "T3"]]
    text = run("sandwich:dim=16,heads=2", "--length", "16").stdout
    assert text.count("gradient-at-constant-content") == 1
    assert "(58 more terms)" in text
    assert max(map(len, text.splitlines())) < 260


def test_weights_from_a_list_and_from_a_file(tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", np.array([0.25, 0.75]))
    listed = record("rope:dim=4", "--weights", "1,3", "--length", "8")
    saved = record("rope:dim=4", "--weights", str(tmp_path / "w.npy"), "--length", "8")
    assert listed["heads"] == saved["heads"]
    for wrong in ("1", "1,x", "1,2,3", "-1,2", "sqrt(2),1", str(tmp_path / "none.npy")):
        result = run("rope:dim=4", "--weights", wrong)
        assert result.exit_code == 2
        assert result.stderr.startswith("error:")


def test_search_prints_intervals() -> None:
    arguments = ("rope:dim=128", "--search", "4280:4310", "--window", "1024", "--length", "8")
    found = record(*arguments)
    assert {i["verdict"] for i in found["search"]} >= {"proved", "refuted"}
    assert "positive" in run(*arguments).stdout
    for wrong in (("--search", "5"), ("--search", "2:3"), ("--window", "9")):
        assert run("rope:dim=4", *wrong).exit_code == 2


def test_figures_are_the_same_bytes_each_time(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    texts = []
    for name in ("a.svg", "b.svg"):
        assert run("xpos:dim=8", "--length", "16", "--figure", str(tmp_path / name)).exit_code == 0
        texts.append((tmp_path / name).read_bytes())
    assert texts[0] == texts[1]
    assert b"<svg" in texts[0]
    refused = run(str(EXAMPLES / "negative-step.toml"), "--figure", str(tmp_path / "c.svg"))
    assert refused.exit_code == 2
    assert not (tmp_path / "c.svg").exists()


@pytest.mark.parametrize(
    "arguments",
    [("--weights", "1,nan"), ("--search", "2:x", "--window", "8"), ("--weights", "pi,1")],
)
def test_a_bad_number_is_named_with_its_option(arguments: tuple[str, ...]) -> None:
    result = run("rope:dim=4", *arguments)
    assert result.exit_code == 2
    assert f"{arguments[0]}: expected rational numbers" in result.stderr
