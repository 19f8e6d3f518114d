"""Documentation that runs: code blocks of the README and commands of the tutorial."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from symbolic_pe.cli.main import cli

COMMAND = re.compile(r"^(?:    |\$ )symbolic-pe (.+)$", re.M)


PAGES_WITH_PYTHON = [
    "README.md",
    "docs/how-to/convert-checkpoints.md",
    "docs/how-to/integer-positions.md",
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
    "docs/how-to/recurrent-and-chunkwise.md",
    "docs/how-to/rounding.md",
    "docs/how-to/several-axes.md",
    "docs/how-to/add-a-target.md",
    "docs/how-to/add-an-encoding.md",
    "docs/how-to/audit.md",
    "docs/reference/spectrum.md",
]
REFUTED = (
    "misquoted",
    "a_fault.py:rotary",
    "prove examples/not-commuting",
    "prove examples/no-generator",
)


@pytest.mark.parametrize("page", PAGES)
def test_commands_of_the_pages(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(Path(__file__).parent.parent / "examples")
    commands = COMMAND.findall((Path(__file__).parent.parent / page).read_text())
    assert commands
    for command in commands:
        result = CliRunner().invoke(cli, shlex.split(command))
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
