"""Published mis-statements have refutations that the independent checker accepts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from symbolic_pe.algebra.scalar import ONE
from symbolic_pe.cli.main import cli
from symbolic_pe.decision import Decision, Outcome
from symbolic_pe.encodings.catalogue import entries
from symbolic_pe.encodings.entry import Mistake
from symbolic_pe.encodings.witnesses import equals
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.proof.certificate_of_mistakes import (
    certificate_of_mistake,
    certificates_of_entry,
    certificates_of_mistakes,
)
from symbolic_pe.proof.checker import check_certificate, check_text
from tests.proof.documents import judge
from tests.proof.opinion import is_true


@pytest.mark.parametrize("name", [name for name, e in entries().items() if e.mistakes])
def test_mistakes_are_refuted_by_certificates(name: str) -> None:
    found, without = certificates_of_mistakes(entries()[name])
    assert without == {}
    assert found.keys() == {mistake.name for mistake in entries()[name].mistakes}
    for document in found.values():
        result = check_certificate(document)
        assert result.accepted, result.reason
        assert [verdict for _, verdict in result.claims] == ["refuted"]
        assert is_true(document)


def test_a_value_that_is_right_is_not_refuted() -> None:
    """The right number in the place of the stated one."""
    found, _ = certificates_of_mistakes(entries()["alibi"])
    document = found["geometric-slopes"]
    added = document["heads"][0]["augmentation"]
    assert judge(document).accepted
    same = {**document["heads"][0], "augmentation": {**added, "bias": added["query"][0]}}
    assert not judge({**document, "heads": [same]}).accepted


def test_a_score_that_is_relative_is_not_refuted() -> None:
    found, _ = certificates_of_mistakes(entries()["xpos"])
    document = found["conjugate-on-the-key"]
    assert not judge({**document, "score": [["1", {"lag": 1}]]}).accepted


def test_a_law_that_holds_at_both_positions_is_not_refuted() -> None:
    """b(31416) is less than b(0), and a path through r = 0 is the path itself."""
    for name, mistake in (("sandwich", "falls-for-ever"), ("grape-ap", "two-sided-law")):
        document = certificates_of_mistakes(entries()[name])[0][mistake]
        assert judge(document).accepted
        (stated,) = document["refutations"]
        same = {**stated["witness"], "second": stated["witness"]["first"]}
        assert not judge({**document, "refutations": [{**stated, "witness": same}]}).accepted


def test_a_power_of_a_group_is_not_refuted() -> None:
    """τ^(2/1) in the place of τ^(1/2)."""
    document = certificates_of_mistakes(entries()["kerple"])[0]["every-power-is-alibi"]
    assert judge(document).accepted
    assert not judge({**document, "score": [["-1", {"y1": 4}]]}).accepted


def test_axes_that_commute_are_not_refuted() -> None:
    found, _ = certificates_of_mistakes(entries()["liere"])
    document = found["relative-for-every-skew-matrix"]
    assert judge(document).accepted
    assert not judge({**document, "axes": [document["axes"][0]] * 2}).accepted


def test_decimals_are_no_witness() -> None:
    decision = Decision(Outcome.REFUTED, {"stated": "0.1", "right": "0.2"}, "0.1 is not 0.2")
    with pytest.raises(NotYetCovered, match="not exactly"):
        certificate_of_mistake("decimals", decision)


def test_show_writes_every_certificate_and_an_index(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["catalogue", "show", "fox:dim=4", "-o", str(tmp_path)])
    assert done.exit_code == 0
    index = json.loads((tmp_path / "certificates.json").read_text())
    names = ("fox", "fox:index-time", "fox:product-of-lifts", "fox:exclusive-sums")
    assert tuple(item["spec"] for item in index["certificates"]) == names
    assert index["without"] == []
    written = [item["file"] for item in index["certificates"]]
    assert written == [f"{name.replace(':', '-')}.certificate.json" for name in names]
    assert {path.name for path in tmp_path.iterdir()} == {*written, "certificates.json"}
    for item in index["certificates"]:
        text = (tmp_path / item["file"]).read_text()
        assert check_text(text).accepted
        assert json.loads(text)["digest"] == item["digest"]
    again = CliRunner().invoke(cli, ["recheck", *map(str, tmp_path.iterdir())])
    assert again.exit_code == 0
    assert "wrote 4 certificates" in done.stderr
    assert json.loads((tmp_path / "fox-index-time.certificate.json").read_text())["refutations"]


def test_show_removes_what_an_earlier_run_wrote(tmp_path: Path) -> None:
    """And says what has no certificate, without stopping: a power that is not rational."""
    (tmp_path / "of-a-person.certificate.json").write_text("")
    for spec in ("nope:dim=2", "kerple:kernel=power,p=sqrt(2)"):
        done = CliRunner().invoke(cli, ["catalogue", "show", spec, "-o", str(tmp_path)])
        assert done.exit_code == 0, done.output
    left = {path.name for path in tmp_path.iterdir()}
    kept = {"of-a-person.certificate.json", "kerple-every-power-is-alibi.certificate.json"}
    assert left == {*kept, "certificates.json"}
    (without,) = json.loads((tmp_path / "certificates.json").read_text())["without"]
    assert without["spec"] == "kerple"
    assert f"no certificate of kerple: {without['reason']}" in done.stderr
    assert "wrote 1 certificate to" in done.stderr


def test_a_claim_that_has_no_certificate_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other certificates of the entry are made all the same."""

    def none(*_: object) -> None:
        raise NotYetCovered("no number")

    monkeypatch.setattr("symbolic_pe.proof.certificate_of_mistakes.certificate_of_claims", none)
    found, without = certificates_of_entry(entries()["fox"], {"dim": 4}, {})
    assert (set(found), without) == ({"fox"}, {"fox:index-time": "no number"})


def test_show_refutes_every_mistake_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    entry = entries()["nope"]

    def refute() -> Decision:
        calls.append("once")
        return equals(ONE, ONE + ONE, "one")

    known = Mistake("two", "1 is 2", "a test", "it is not", refute)
    changed = {**entries(), "nope": replace(entry, mistakes=(known,))}
    monkeypatch.setattr("symbolic_pe.encodings.catalogue.entries", lambda: changed)
    done = CliRunner().invoke(cli, ["catalogue", "show", "nope", "-o", str(tmp_path)])
    assert (done.exit_code, calls) == (0, ["once"])
    assert (tmp_path / "nope-two.certificate.json").exists()
