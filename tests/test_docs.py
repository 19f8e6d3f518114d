"""Documentation that runs: every code block, command and transcript of the pages."""

from __future__ import annotations

import glob
import json
import re
import shlex
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from symbolic_pe.cli.main import cli
from symbolic_pe.encodings.forms import from_any_document

ROOT = Path(__file__).parent.parent
COMMAND = re.compile(r"^(?:    |\$ )symbolic-pe (.+)$", re.M)


PAGES_WITH_PYTHON = [
    "README.md",
    "docs/explanation/precision.md",
    "docs/how-to/convert-checkpoints.md",
    "docs/how-to/integer-positions.md",
    "docs/how-to/recheck-certificates.md",
    "docs/how-to/recurrent-and-chunkwise.md",
    "docs/how-to/rounding.md",
    "docs/how-to/several-axes.md",
]


@pytest.mark.parametrize("page", PAGES_WITH_PYTHON)
def test_python_examples_of_the_pages(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", Path(page).read_text(), re.S)
    exec(compile(block, page, "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    promised = re.findall(r"# (.+)$", block, re.M)
    assert printed == promised


def test_the_model_page_runs_on_the_file_it_emits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = Path("docs/how-to/use-in-a-model.md").read_text()
    (block,) = re.findall(r"```python\n(.*?)```", page, re.S)
    (command,) = COMMAND.findall(page)
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(cli, command.split()).exit_code == 0
    monkeypatch.syspath_prepend(str(tmp_path))
    capsys.readouterr()
    exec(compile(block, "use-in-a-model.md", "exec"), {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"# ([\d. ]+)$", block, re.M)


PAGES = [
    "README.md",
    "docs/tutorials/getting-started.md",
    "docs/how-to/check-with-rocq.md",
    "docs/how-to/integer-positions.md",
    "docs/how-to/parameters.md",
    "docs/how-to/prove-in-ci.md",
    "docs/how-to/recheck-certificates.md",
    "docs/how-to/recurrent-and-chunkwise.md",
    "docs/how-to/rounding.md",
    "docs/how-to/several-axes.md",
    "docs/how-to/add-a-target.md",
    "docs/how-to/add-an-encoding.md",
    "docs/how-to/audit.md",
    "docs/how-to/build-the-site.md",
    "docs/reference/spectrum.md",
]
REFUTED = (
    "prove examples/alibi-misquoted",
    "a_fault.py:rotary",
    "prove examples/not-commuting",
    "prove examples/no-generator",
    "build kerple",
)


SLOW_PAGES = ["docs/how-to/precision.md"]


@pytest.mark.parametrize(
    "page", [*PAGES, *(pytest.param(page, marks=pytest.mark.slow) for page in SLOW_PAGES)]
)
def test_commands_of_the_pages(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(Path(__file__).parent.parent / "examples")
    commands = COMMAND.findall((Path(__file__).parent.parent / page).read_text())
    assert commands
    for command in commands:
        words = [y for x in shlex.split(command) for y in (sorted(glob.glob(x)) or [x])]
        result = CliRunner().invoke(cli, words)
        expected = 1 if any(text in command for text in REFUTED) else 0
        assert result.exit_code == expected, (command, result.output)


def test_the_result_shown_first_is_what_is_printed(tmp_path: Path) -> None:
    shown = re.search(r"```\n\$ symbolic-pe build (.*?)```", Path("README.md").read_text(), re.S)
    assert shown
    command, *lines = shown.group(1).splitlines()
    arguments = ["build", *command.replace("-o rope-kernel", f"-o {tmp_path}").split()]
    printed = CliRunner().invoke(cli, arguments).output
    for line in lines:
        if "e-" not in line and "..." not in line and "wrote to" not in line:
            assert line in printed, line


# -- the tutorial, and code around a model of one's own ---------------------------------------


FENCE = re.compile(r"^```(\S*)\n(.*?)^```$", re.S | re.M)


def blocks(page: str, language: str) -> list[str]:
    """Fenced blocks of a page; `language` is empty for those without one."""
    found = FENCE.findall((ROOT / page).read_text(encoding="utf-8"))
    return [body for name, body in found if name == language]


def test_the_tutorial_runs_on_the_file_it_emits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = "docs/tutorials/getting-started.md"
    (block,) = blocks(page, "python")
    build = next(c for c in COMMAND.findall((ROOT / page).read_text()) if c.startswith("build"))
    spec = build.split()[1]
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert CliRunner().invoke(cli, ["emit", spec, "-o", "rope_numpy.py"]).exit_code == 0
    capsys.readouterr()
    exec(compile(block, page, "exec"), {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"^print.*# (.+)$", block, re.M)


MY_MODEL = """
import numpy as np


class Rotary:
    def __init__(self, dim):
        self.theta = 10000.0 ** (-2 * np.arange(dim // 2) / dim)

    def tables(self, positions):
        angle = np.asarray(positions, np.float64)[:, None] * self.theta
        return np.cos(angle), np.sin(angle)

    def apply(self, x, cos, sin):
        first, second = np.split(np.asarray(x), 2, axis=-1)
        cos, sin = cos.astype(x.dtype), sin.astype(x.dtype)
        return np.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)

    def __call__(self, x, positions):
        return self.apply(x, *self.tables(positions))

    def rotate(self, x, seq_dim, offset):
        x = np.asarray(x)
        turn = Rotary(x.shape[-1])
        cos, sin = turn.tables(offset + np.arange(x.shape[seq_dim]))
        joined = np.concatenate([x[..., 0::2], x[..., 1::2]], axis=-1)
        half = turn.apply(joined, cos, sin)
        return np.stack(np.split(half, 2, axis=-1), axis=-1).reshape(x.shape)


rotary = Rotary(128)
my_rope = Rotary(64)
"""


@pytest.fixture
def my_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the module that the pages about the audit speak of."""
    (tmp_path / "my_model.py").write_text(MY_MODEL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(__import__("sys").modules, "my_model", raising=False)
    return tmp_path


@pytest.mark.parametrize("language", ["python", "toml"])
def test_adapters_of_the_audit_page(language: str, my_model: Path) -> None:
    adapter = next(b for b in blocks("docs/how-to/audit.md", language) if "# adapter" in b)
    name = adapter.splitlines()[0].removeprefix("# ")
    (my_model / name).write_text(adapter)
    result = CliRunner().invoke(cli, ["audit", "--adapter", name])
    assert result.exit_code == 0, result.output


@pytest.mark.slow
def test_fixtures_of_the_audit_page(my_model: Path) -> None:
    import subprocess
    import sys

    block = next(b for b in blocks("docs/how-to/audit.md", "python") if "def test_" in b)
    (my_model / "test_mine.py").write_text(block)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mine.py"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_audit_from_python(my_model: Path) -> None:
    (block,) = blocks("docs/reference/audit.md", "python")
    found: dict[str, object] = {}
    exec(compile("from my_model import my_rope\n" + block, "audit.md", "exec"), found)
    assert vars(found["report"])["findings"]


# -- specifications, transcripts ----------------------------------------------------------------

EVERY_PAGE = sorted(
    str(p.relative_to(ROOT)) for p in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
)


@pytest.mark.parametrize("page", [p for p in EVERY_PAGE if blocks(p, "toml")])
def test_specifications_of_the_pages(page: str) -> None:
    for block in blocks(page, "toml"):
        document = tomllib.loads(block)
        if named := re.match(r"# (examples/\S+\.toml)\n", block):
            shown = tomllib.loads(block)
            whole = tomllib.loads((ROOT / named[1]).read_text())
            assert shown == {key: whole[key] for key in shown}
        if "subject" not in document and page != "docs/how-to/look-at-a-head.md":
            from_any_document(document)


def test_the_page_about_heads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    from numeric_check.spectrum.tensors import HeadAdapter

    page = "docs/how-to/look-at-a-head.md"
    monkeypatch.chdir(tmp_path)
    arrays = np.random.default_rng(0).standard_normal((2, 1, 12, 64))
    for name, array in zip(("q", "k"), arrays, strict=True):
        np.save(f"{name}.npy", array)
    (command,) = blocks(page, "")
    result = CliRunner().invoke(cli, command.split()[1:])
    assert result.exit_code == 0, result.output
    (adapter,) = blocks(page, "toml")
    Path("adapter.toml").write_text(adapter)
    assert HeadAdapter.read(Path("adapter.toml")).heads == 4


@pytest.mark.parametrize("page", ["docs/reference/specification.md"])
def test_json_of_the_pages(page: str) -> None:
    for block in blocks(page, "json"):
        from_any_document(json.loads(block))


TRANSCRIPTS = {
    "docs/how-to/audit.md": "audit",
    "docs/how-to/check-with-rocq.md": "prove",
    "docs/how-to/prove-in-ci.md": "prove",
    "docs/how-to/rounding.md": "emit",
}
"""Pages with blocks that show what their first such command prints or writes."""
WRITTEN = ("proofs/encodings/*.v", "rounding/*.g")


@pytest.mark.parametrize("page", TRANSCRIPTS)
def test_transcripts_are_what_is_printed_or_written(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    commands = COMMAND.findall((ROOT / page).read_text())
    command = next(c for c in commands if c.startswith(TRANSCRIPTS[page]))
    said = CliRunner().invoke(cli, shlex.split(command)).output
    said += "".join(p.read_text() for files in WRITTEN for p in tmp_path.glob(files))
    said = " ".join(said.split())
    lines = [line for block in blocks(page, "") for line in block.splitlines()]
    assert lines
    for line in lines:
        for piece in line.split("..."):
            assert " ".join(piece.split()) in said, line


# -- nothing is left out ------------------------------------------------------------------------

ELSEWHERE = {
    "docs/how-to/convert-checkpoints.md": "tests/cli/test_convert.py",
    "docs/how-to/learned-generators.md": "tests/cli/test_arrays.py",
    "docs/how-to/use-in-a-model.md": "tests/test_docs.py",
    "docs/reference/catalogue.md": "tests/encodings/test_entries.py",
    "docs/reference/tasks.md": "tests/spectrum/test_tasks.py",
    "docs/reference/theorems.md": "tests/derivations/test_claims.py",
}
"""Pages whose commands or blocks another test runs; it names the page."""
PYTHON = {
    *PAGES_WITH_PYTHON,
    "docs/how-to/use-in-a-model.md",
    "docs/tutorials/getting-started.md",
    "docs/how-to/audit.md",
    "docs/reference/audit.md",
}
YAML = {"docs/how-to/audit.md", "docs/how-to/prove-in-ci.md"}
"""A hook, which exists, and a workflow, whose commands stand in the page as well."""
TEXTS = {
    "README.md": 2,
    "docs/how-to/audit.md": 1,
    "docs/how-to/check-with-rocq.md": 4,
    "docs/how-to/convert-checkpoints.md": 1,
    "docs/how-to/look-at-a-head.md": 1,
    "docs/how-to/prove-in-ci.md": 1,
    "docs/how-to/rounding.md": 2,
    "docs/explanation/architecture.md": 1,
    "docs/reference/certificate.md": 1,
}
"""Blocks without a language: transcripts, which are compared, a diagram, and a format."""


@pytest.mark.parametrize("page", EVERY_PAGE)
def test_every_block_of_every_page_is_run_or_generated(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    if "<!-- written by `" in text:  # and compared by the test that writes it
        return
    text = re.sub(r"<!-- begin (\S+) -->.*?<!-- end \1 -->", "", text, flags=re.S)
    languages = Counter(name for name, _ in FENCE.findall(text))
    directives = {name for name in languages if name.startswith("{")}
    assert directives <= {"{toctree}", "{bibliography}"}
    assert not languages["python"] or page in PYTHON
    assert not languages["json"] or page == "docs/reference/specification.md"
    assert not languages["yaml"] or page in YAML
    if page in ELSEWHERE:
        assert Path(page).name in (ROOT / ELSEWHERE[page]).read_text()
    else:
        assert not COMMAND.search(text) or page in [*PAGES, *SLOW_PAGES]
        assert languages[""] + languages["text"] == TEXTS.get(page, 0)
    known = {"", "text", "python", "toml", "json", "yaml", *directives}
    assert set(languages) <= known


def test_the_hook_that_a_page_names_exists() -> None:
    (block,) = blocks("docs/how-to/audit.md", "yaml")
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text()
    for name in re.findall(r"id: (\S+)", block):
        assert f"id: {name}\n" in hooks


def test_style_and_fonts_of_formulas_are_those_of_the_katex_that_sets_them() -> None:
    import sphinxcontrib.katex

    folder = ROOT / "docs/_static/katex"
    style = (folder / "katex.min.css").read_text()
    assert f'"{sphinxcontrib.katex.katex_version}"' in style
    named = set(re.findall(r"url\(fonts/([^)]+)\)", style))
    assert named == {p.name for p in (folder / "fonts").iterdir()}
    assert "http" not in style
