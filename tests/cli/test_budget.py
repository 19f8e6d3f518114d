"""Budgets of exact decisions: asked between steps, and enforced from outside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from symbolic_pe.cli.main import cli

ROOT = Path(__file__).parents[2]


def symbolic(n: int) -> str:
    """An n × n matrix of n² parameters."""
    names = [[f"x{i}{j}" for j in range(n)] for i in range(n)]
    return json.dumps({"matrix": names, "parameters": {x: "real" for row in names for x in row}})


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "symbolic_pe", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        timeout=100,
    )


def test_a_case_tree_beyond_its_budget_gives_what_is_decided(tmp_path: Path) -> None:
    path = tmp_path / "three.json"
    path.write_text(symbolic(3))
    result = CliRunner().invoke(cli, ["classify", str(path), "--budget", "2", "--json"])
    assert result.exit_code == 3
    cases = json.loads(result.stdout)["cases"]
    reasons = {case["undecided"] for case in cases}
    assert "not decided within the budget of 2 s" in reasons
    assert None in reasons


def test_a_tree_that_would_explode_says_so_at_once_with_the_generic_case(tmp_path: Path) -> None:
    path = tmp_path / "six.json"
    path.write_text(symbolic(6))
    result = run("classify", str(path))
    assert result.returncode == 3
    assert "generically its 6 roots are distinct, simple" in result.stderr
    proved = run("prove", str(path))
    assert proved.returncode == 0
    assert "proved" in proved.stdout


def test_work_that_no_budget_interrupts_is_stopped_from_outside() -> None:
    """The child says how long it may take; the parent ends it, with the message and exit code."""
    code = (
        "import sys, time\n"
        "from symbolic_pe.cli.guard import guarded\n"
        "def work(guard):\n"
        "    guard.allow(0.2)\n"
        "    time.sleep(60)\n"
        "sys.exit(guarded(work))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=30
    )
    assert result.returncode == 3
    assert "not decided within the budget of 0.2 s" in result.stderr


def test_ending_the_command_ends_its_work() -> None:
    """A polite end (SIGTERM, as from `timeout`) leaves nothing running."""
    code = (
        "import os, sys, time\n"
        "from symbolic_pe.cli.guard import guarded\n"
        "def work(guard):\n"
        "    print(os.getpid(), flush=True)\n"
        "    time.sleep(60)\n"
        "sys.exit(guarded(work))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.terminate()
        assert parent.wait(timeout=20) == -signal.SIGTERM
    deadline = time.monotonic() + 20
    while _is_running(child):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _is_running(process: int) -> bool:
    """Whether a process is there and not merely waiting to be collected."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def test_exit_codes_and_output_pass_through_the_guard(tmp_path: Path) -> None:
    refuted = run("prove", "examples/alibi-misquoted.toml")
    assert refuted.returncode == 1
    assert "refuted" in refuted.stdout
    misuse = run("classify", str(tmp_path / "missing.toml"))
    assert misuse.returncode == 2
    assert misuse.stderr.startswith("error: ")
    usage = run("classify")
    assert usage.returncode == 2
    assert "Usage" in usage.stderr
    assert run("--version").returncode == 0


@pytest.mark.parametrize("debug", ["", "1"])
def test_a_defect_says_how_to_see_where_and_then_shows_it(debug: str) -> None:
    """Also in the guarded child, which ends before Python prints what was raised."""
    code = (
        "from symbolic_pe.cli import main\n"
        "def broken(**_): raise ZeroDivisionError('on purpose')\n"
        "main.cli.commands['schema'].callback = broken\n"
        "main.main(['schema', 'x'])\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "SYMBOLIC_PE_DEBUG": debug},
    )
    assert found.returncode == 70
    assert "on purpose" in found.stderr
    assert ("in broken" in found.stderr) is bool(debug)
    assert ("Set SYMBOLIC_PE_DEBUG=1" in found.stderr) is not bool(debug)


@pytest.mark.parametrize("value", ["-1", "never", "1e9", "nan", "inf"])
def test_a_bad_budget_is_refused(value: str) -> None:
    result = CliRunner().invoke(cli, ["classify", "rope", "--budget", value])
    assert result.exit_code == 2
    assert "--budget" in result.stderr


def test_closed_forms_are_printed_case_by_case_and_in_one_formula() -> None:
    arguments = ["classify", str(ROOT / "examples/damped-oscillator.toml"), "--closed-form"]
    text = CliRunner().invoke(cli, arguments).stdout
    assert "A[0,1] = t*exp(-w*t)" in text
    assert "in one formula for all parameters" in text
    record = json.loads(CliRunner().invoke(cli, [*arguments, "--json"]).stdout)
    assert all(case["closed_form"] for case in record["cases"])
    assert record["closed_form"].startswith("exp(tX) = phi0_0(t)*I + phi0_1(t)*X")
    plain = json.loads(CliRunner().invoke(cli, [*arguments[:2], "--json"]).stdout)
    assert plain["closed_form"] is None
