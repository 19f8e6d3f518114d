"""Options and keys that say nothing, or nothing that can be, are refused with exit code 2."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from numeric_check.audit import assert_relative, audit
from symbolic_pe.cli.main import cli
from symbolic_pe.errors import AuditError
from tests.audit import faulty_module as faulty
from tests.audit import maps as m


def score(q: Any, k: Any, t: Any, s: Any) -> Any:
    return m.rope()(q, t) @ m.rope()(k, s).T


@pytest.mark.parametrize(
    ("subject", "options", "message"),
    [
        (faulty.one_entry, {"kind": "bias", "gain": 2.0}, "gain: it says nothing about a bias"),
        (faulty.one_entry, {"kind": "bias", "strict": True}, "strict: it says nothing about"),
        (faulty.one_entry, {"kind": "bias", "axes": 2}, "axes: it says nothing about a bias"),
        (faulty.sines, {"kind": "table", "causal": True}, "causal: it says nothing about a table"),
        (faulty.sines, {"kind": "table", "dimension": 8}, "dimension: it says nothing about"),
        (faulty.good, {"dimension": 8, "causal": True}, "causal: it says nothing about a pair"),
        (score, {"kind": "score", "deep": True}, "deep: it says nothing about a score"),
        (score, {"kind": "score", "key": "a:b"}, "key: it says nothing about a score"),
        (faulty.axial, {"axes": 2, "dimension": 8, "gain": 2.0}, "gain: it says nothing about"),
        (faulty.good, {"dimension": 8, "strict": True}, "strict: expected a specification"),
        (faulty.good, {"dimension": 8, "strict": "yes"}, "strict: expected True or False"),
        (faulty.good, {"dimension": 8.0}, "dimension: expected a positive integer, got 8.0"),
        (faulty.good, {"dimension": True}, "dimension: expected a positive integer, got True"),
        (faulty.good, {"axes": 0}, "axes: expected a positive integer, got 0"),
        (faulty.good, {"gain": "2"}, "gain: expected a positive number, got '2'"),
        (faulty.good, {"kind": "mask"}, "kind: expected one of maps, score, bias, table"),
        (faulty.good, {"library": "mxnet"}, "library: expected one of numpy, torch, jax"),
        (faulty.good, {"tolerance": 1.0}, "tolerance: unknown option; expected kind, key"),
    ],
)
def test_options(subject: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(AuditError) as error:
        audit(subject, **options)
    assert str(error.value).startswith(message)


PLAIN = 'query = "tests.audit.faulty_module:good"'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f'[subject]\n{PLAIN}\ncausal = "yes"\n', "[subject] causal: it says nothing about kind"),
        ('[subject]\nkind = "bias"\nbias = "tests.audit.faulty_module:one_entry"\ncausal = "yes"\n',
         "[subject] causal: expected true or false, got 'yes'"),
        (f"[subject]\n{PLAIN}\nagainst = 3\n", "[subject] against: expected a text, got 3"),
        (f'[subject]\n{PLAIN}\n[call]\nkey_returns = "k"\n', "key_returns: expected an index"),
        (f"[subject]\n{PLAIN}\n[call]\nlengths = true\n", "[call] lengths: it says nothing about"),
        (f'[subject]\n{PLAIN}\nscore = "a:b"\n', "[subject] score: it says nothing about kind"),
        (f"[subject]\n{PLAIN}\nkey = 3\n", "[subject] key: expected module:attribute, got 3"),
        (f"[subject]\n{PLAIN}\nrival = 3\n", "[subject] rival: expected module:attribute, got 3"),
        ('[subject]\nkind = "bias"\nbias = "tests.audit.faulty_module:one_entry"\n'
         '[call]\nreturns = "b"\n', "[call] returns: expected an index, got 'b'"),
        ('[subject]\nkind = "bias"\nbias = "tests.audit.faulty_module:one_entry"\n'
         "[call]\nlengths = 1\n", "[call] lengths: expected true or false, got 1"),
        ('[subject]\nkind = "score"\nscore = "tests.audit.faulty_module:clipped"\n'
         "[call]\nx = 0\n", "[call] x: it says nothing about kind 'score'"),
    ],
)  # fmt: skip
def test_mappings(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "adapter.toml"
    path.write_text(text)
    with pytest.raises(AuditError) as error:
        audit(path)
    assert message in str(error.value)
    result = CliRunner().invoke(cli, ["audit", "--adapter", str(path)])
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dimension = '8'", "dimension: expected a positive integer, got '8'"),
        ("causal = True", "causal: it says nothing about kind 'maps'"),
        ("key = 3", "key: expected a callable, got int"),
        ("paths = {'decode': 3}", "paths: expected a dict of callables"),
        ("form = 'rowwise'", "form: expected one of heads, rows"),
        ("library = 'mxnet'", "library: expected one of numpy"),
        ("rival = 3", "rival: expected a callable, got int"),
    ],
)
def test_python_adapters(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "adapter.py"
    path.write_text(f"from tests.audit.faulty_module import good as query\n{text}\n")
    with pytest.raises(AuditError) as error:
        audit(path)
    assert message in str(error.value)


def test_a_python_adapter_says_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "adapter.py"
    path.write_text(
        "from tests.audit.faulty_module import good as query\n"
        "against = 'rope:dim=8,layout=half'\ndimension = 8\n"
    )
    assert audit(path).of("against").verdict == "consistent"
    with pytest.raises(AuditError, match="states 8, got 16"):
        audit(path, dimension=16)
    with pytest.raises(AuditError, match="names the map of keys itself"):
        audit(path, key="tests.audit.faulty_module:good")
    with pytest.raises(AuditError, match="describes a maps, got 'bias'"):
        audit(path, kind="bias")


def test_an_adapter_is_executed_once(tmp_path: Path) -> None:
    counted = tmp_path / "count"
    path = tmp_path / "adapter.py"
    path.write_text(
        f"with open({str(counted)!r}, 'a') as f:\n    f.write('x')\n"
        "from tests.audit.faulty_module import clipped as score\ndimension = 8\n"
    )
    audit(path)
    assert counted.read_text() == "x"


@pytest.mark.parametrize(
    "arguments",
    [["--known", "--strict"], ["--known", "--against", "rope:dim=8"], ["--known", "--dim", "8"],
     ["--known", "-o", "out"], ["--known", "--page", "none.md"], ["--page", "none.md", "a.py:f"],
     ["tests.audit.faulty_module:good", "--dim", "8", "--causal"]],
)  # fmt: skip
def test_the_command(arguments: list[str]) -> None:
    result = CliRunner().invoke(cli, ["audit", *arguments])
    assert result.exit_code == 2
    assert not Path("out").exists()


def test_no_table_is_relative() -> None:
    with pytest.raises(AuditError, match="an absolute table"):
        assert_relative(faulty.sines, kind="table")
    with pytest.raises(AssertionError, match="prefill = decode"):
        assert_relative(faulty.width_bias, kind="bias")
    with pytest.raises(AssertionError, match="b\\(301, 123\\)"):
        assert_relative(faulty.one_entry, kind="bias")
    with pytest.raises(AssertionError, match="same lag"):
        assert_relative(faulty.one_pair, kind="score", dimension=8)
    with pytest.raises(AssertionError, match="shifted alike"):
        assert_relative(faulty.coupled, axes=2, dimension=8)
    assert assert_relative(faulty.axial, axes=2, dimension=8).exit_code == 0
