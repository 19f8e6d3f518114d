"""Adapters: a Python file or a TOML mapping."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from numeric_check.audit import audit
from numeric_check.audit.adapters import read_adapter
from numeric_check.audit.call import Signature, runs
from numeric_check.audit.front import Options, adapted_subject
from symbolic_pe.errors import AuditError

MODEL = """
import numpy as np
def tables(positions, d):
    angle = positions[:, None] * 10000.0 ** (-np.arange(0, d, 2) / d)
    return np.cos(angle), np.sin(angle)
def turned(x, cos, sin):
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)
def by_offset(x, offset=0, wrong=0):
    return turned(x, *tables(offset + wrong + np.arange(x.shape[-2]), x.shape[-1]))
def both(*, hidden, where, scale=1.0):
    y = scale * turned(hidden, *tables(where, hidden.shape[-1]))
    return y, y
def score(q, k, t, s):
    return turned(q, *tables(t, q.shape[-1])) @ turned(k, *tables(s, k.shape[-1])).T
def decode(x, positions):
    return turned(x, *tables(positions + 1, x.shape[-1]))
def plain(x, positions):
    return turned(x, *tables(positions, x.shape[-1]))
"""


PLAIN = 'query = "model_here.py:plain"'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "model_here.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def toml(folder: Path, text: str) -> Path:
    path = folder / "adapter.toml"
    path.write_text(text)
    return path


def run(folder: Path, text: str, **options: Any) -> Any:
    return audit(toml(folder, text), **{"dimension": 8, **options})


def test_an_offset(folder: Path) -> None:
    text = '[subject]\nquery = "model_here.py:by_offset"\n[call]\noffset = "offset"\n'
    report = run(folder, text, against="rope:dim=8,layout=half")
    assert report.exit_code == 0
    assert report.of("against").verdict == "consistent"


def test_an_offset_that_is_ignored_is_found(folder: Path) -> None:
    text = '[subject]\nquery = "model_here.py:by_offset"\n[call]\noffset = "wrong"\n'
    assert run(folder, text).exit_code == 0  # it counts from `wrong` just as well
    (folder / "ignoring.py").write_text(MODEL.replace("offset + wrong + ", "0 * offset + "))
    text = '[subject]\nquery = "ignoring.py:by_offset"\n[call]\noffset = "offset"\n'
    assert run(folder, text).exit_code == 1


def test_keywords_fixed_arguments_and_a_tuple(folder: Path) -> None:
    text = """
    [subject]
    query = "model_here.py:both"
    against = "rope:dim=8,layout=half"
    [call]
    x = "hidden"
    positions = "where"
    returns = 0
    [call.fixed]
    scale = 2.0
    """
    report = run(folder, text, gain=4.0)
    assert report.exit_code == 0
    assert run(folder, text).of("gain").verdict == "refuted"


def test_a_score(folder: Path) -> None:
    text = '[subject]\nkind = "score"\nscore = "model_here.py:score"\n'
    assert run(folder, text, against="rope:dim=8,layout=half").exit_code == 0


def test_query_and_key_of_one_call(folder: Path) -> None:
    (folder / "pair_here.py").write_text(
        MODEL + "def pair(q, k, positions):\n"
        "    c, s = tables(positions, q.shape[-1])\n"
        "    return turned(q, c, s), turned(k, c, SIGN * s)\n"
    )
    text = """
    [subject]
    query = "pair_here.py:pair"
    [call]
    x = 0
    also = [1]
    positions = 2
    returns = 0
    key_returns = 1
    """
    for sign, code in ((1, 0), (-1, 1)):
        source = (folder / "pair_here.py").read_text().replace("SIGN", str(sign))
        (folder / f"pair{code}.py").write_text(source)
        assert run(folder, text.replace("pair_here", f"pair{code}")).exit_code == code


@pytest.mark.parametrize(
    ("layout", "axes"), [("b n h d", (0, 2, 1, 3)), ("n b h d", (1, 2, 0, 3)), ("n h d", (1, 0, 2))]
)
@pytest.mark.parametrize("way", ['positions = "positions"', 'offset = "offset"'])
def test_other_orders_of_axes(folder: Path, layout: str, axes: tuple[int, ...], way: str) -> None:
    back = tuple(axes.index(i) for i in range(len(axes)))
    (folder / "ordered.py").write_text(
        MODEL + "def ordered(x, positions=None, offset=None):\n"
        f"    y = x.transpose({axes})\n"
        f"    assert x.ndim == {len(axes)}\n"
        "    if positions is None:\n"
        "        positions = offset + np.arange(y.shape[-2])\n"
        f"    return plain(y, positions).transpose({back})\n"
    )
    text = f'[subject]\nquery = "ordered.py:ordered"\n[call]\nlayout = "{layout}"\n{way}\n'
    report = run(folder, text, against="rope:dim=8,layout=half")
    assert report.exit_code == 0
    assert report.of("against").verdict == "consistent"


BIASES = """
import numpy as np
def whole(heads, length):
    slopes = 2.0 ** (-8.0 * np.arange(1, heads + 1) / heads)
    return slopes[:, None, None] * np.arange(length)[None, None, :]
def rectangle(rows=None, columns=None):
    return -0.5 * (np.arange(rows)[:, None] - np.arange(columns)[None])
"""


def test_a_bias_by_lengths(folder: Path) -> None:
    (folder / "biases.py").write_text(BIASES)
    text = """
    [subject]
    kind = "bias"
    bias = "biases.py:whole"
    [call]
    query = 1
    lengths = true
    heads = {place = 0, count = 8}
    """
    report = audit(toml(folder, text), against="alibi:heads=8")
    assert report.exit_code == 0
    assert report.of("relative").verdict == "equivalent"
    assert audit(toml(folder, text), against="alibi:heads=6").exit_code == 1
    text = """
    [subject]
    kind = "bias"
    bias = "biases.py:rectangle"
    [call]
    query = "rows"
    key = "columns"
    lengths = true
    """
    assert audit(toml(folder, text)).exit_code == 0


def test_another_path_that_disagrees(folder: Path) -> None:
    text = """
    [subject]
    query = "model_here.py:plain"
    [subject.paths]
    decode = "model_here.py:decode"
    same = "model_here.py:plain"
    """
    report = run(folder, text)
    assert report.of("path decode").verdict == "refuted"
    assert report.of("path same").verdict == "consistent"


def test_the_subject_of_the_command_line(folder: Path) -> None:
    path = toml(folder, '[call]\noffset = "offset"\n')
    assert audit(path, beside="model_here.py:by_offset", dimension=8).exit_code == 0


def test_a_python_file(folder: Path) -> None:
    path = folder / "adapter.py"
    path.write_text(
        "from model_here import plain\ndimension = 8\nlibrary = 'numpy'\n"
        "def query(x, positions):\n    return plain(x, positions)\n"
        "def rival(x, positions):\n    return plain(x, positions)\n"
    )
    report = audit(path, against="rope:dim=8,layout=half")
    assert report.of("against").verdict == "consistent"
    assert report.of("two instances").verdict == "refuted"
    subject = adapted_subject(read_adapter(path), Options())
    assert subject.name == str(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[subject", "not a TOML file"),
        ("[subjekt]\n", "unknown key 'subjekt'; expected call, subject"),
        ("[subject]\nkind = 3\n", "[subject] kind: expected one of maps, score"),
        ("[subject]\nquery = 3\n", "[subject] query: expected module:attribute"),
        (
            '[subject]\nquery = "model_here.py:plain"\ndimension = "8"\n',
            "positive integer, got '8'",
        ),
        (
            '[subject]\nquery = "model_here.py:plain"\n[call]\nx = 1.5\n',
            "[call] x: expected a place",
        ),
        (
            '[subject]\nquery = "model_here.py:plain"\n[call]\npositions = 1\noffset = 2\n',
            "expected positions or offset, got both",
        ),
        ('[subject]\nquery = "model_here.py:plain"\nlibrary = "mxnet"\n', "expected one of numpy"),
        ('[subject]\nquery = "model_here.py:plain"\n[call]\nreturns = "q"\n', "expected an index"),
    ],
)
def test_mistakes_in_a_mapping(folder: Path, text: str, message: str) -> None:
    with pytest.raises(AuditError) as error:
        run(folder, text)
    assert message in str(error.value)


def test_a_file_imports_what_lies_beside_it(folder: Path) -> None:
    (folder / "beside_it.py").write_text("def query(x, positions):\n    return x\n")
    (folder / "adapter.py").write_text("from beside_it import query\n\ndimension = 4\n")
    assert audit(folder / "adapter.py", against="nope:dim=4").verdict == "consistent"


def test_mistakes_in_a_file(folder: Path) -> None:
    with pytest.raises(AuditError, match="no such file"):
        audit(folder / "none.toml")
    (folder / "empty.py").write_text("")
    with pytest.raises(AuditError, match="expected exactly one of query, score"):
        audit(folder / "empty.py")
    (folder / "bad.py").write_text("1 / 0")
    with pytest.raises(AuditError, match="ZeroDivisionError"):
        audit(folder / "bad.py")
    (folder / "adapter.yaml").write_text("")
    with pytest.raises(AuditError, match=r"ending in \.py or \.toml"):
        audit(folder / "adapter.yaml")


def test_runs() -> None:
    assert runs([3]) == [(0, 1)]
    assert runs([0, 0, 1]) == [(0, 1), (1, 3)]
    calls: list[tuple[int, int]] = []

    def f(x: Any, offset: int) -> Any:
        calls.append((x.shape[-2], offset))
        return x

    import numpy as np

    Signature(offset="offset").bound(f)(np.zeros((1, 4, 2)), np.array([0, 1, 7, 8]))
    assert calls == [(2, 0), (2, 7)]
