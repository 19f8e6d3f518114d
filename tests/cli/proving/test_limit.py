"""A child of its own for each specification: late, ended, faulty, orphaned."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from symbolic_pe.cli.proving import job
from symbolic_pe.cli.proving.job import Job, run_job
from symbolic_pe.cli.proving.keys import Options
from symbolic_pe.cli.proving.limit import OUT_OF_MEMORY, Allow, Send, in_child
from symbolic_pe.cli.proving.sources import Source

ROPE = Source("rope:dim=4", "rope:dim=4")
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def test_what_was_sent_before_the_time_was_over_is_kept() -> None:
    def work(send: Send, allow: Allow) -> None:
        send(b"first")
        allow(-0.9)  # and a second of grace
        time.sleep(60)
        send(b"second")

    ended = in_child(work)
    assert ended.lines == (b"first",)
    assert ended.late
    assert not ended.fault


def test_a_child_that_the_system_ends_is_told_from_a_late_one() -> None:
    ended = in_child(lambda send, allow: os.kill(os.getpid(), signal.SIGKILL))
    assert (ended.late, ended.fault) == (False, OUT_OF_MEMORY)


def test_a_fault_is_named() -> None:
    def work(send: Send, allow: Allow) -> None:
        send(b"part")
        raise KeyError("missing\nline")

    ended = in_child(work)
    assert ended.lines == (b"part",)
    assert ended.fault == "KeyError: 'missing\\nline'"


def test_claims_survive_a_certificate_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "certificate_of", lambda *_: time.sleep(60))
    found = run_job(Job(ROPE, Options(0.2, rocq=True)))
    assert found.verdict == "proved"
    assert found.no_certificate == "not decided within the budget of 0.2 s"
    assert found.no_rocq == "not decided within the budget of 0.2 s"
    assert not found.may_be_remembered


def test_a_decision_that_takes_too_long_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "decide", lambda *_: time.sleep(60))
    found = run_job(Job(ROPE, Options(0.0)))
    assert found.verdict == "undecided"
    assert "give more with --budget SECONDS" in found.undecided
    assert not found.may_be_remembered


def test_a_defect_of_ours_is_one_and_costs_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("of ours")

    monkeypatch.setattr(job, "decide", fail)
    found = run_job(Job(ROPE, Options(60.0)))
    assert found.internal
    assert "ZeroDivisionError: of ours" in found.error


def test_a_child_and_the_process_itself_say_the_same() -> None:
    for spec in ("rope:dim=4", "examples/alibi-misquoted.toml", "examples/axial.toml", "nothing"):
        source = Source(spec, spec, Path(spec))
        inside = run_job(Job(source, Options(60.0), limited=False))
        assert run_job(Job(source, Options(60.0))) == inside


def test_a_worker_ends_with_its_parent_and_takes_its_child_along() -> None:
    """The parent ends; the worker, which decides in a child, is gone soon after, and so is that."""
    code = (
        "import os, sys, time\n"
        "from symbolic_pe.cli.proving.limit import end_with_parent, in_child\n"
        "reader, writer = os.pipe()\n"
        "if os.fork() == 0:\n"
        "    end_with_parent()\n"
        "    def work(send, allow):\n"
        "        os.write(writer, b'%d %d' % (os.getppid(), os.getpid()))\n"
        "        time.sleep(60)\n"
        "    in_child(work)\n"
        "print(os.read(reader, 100).decode(), flush=True)\n"
        "os._exit(0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True, timeout=30
    )
    left = [int(pid) for pid in done.stdout.split()]
    assert len(left) == 2
    for _ in range(200):
        left = [pid for pid in left if _runs(pid)]
        if not left:
            return
        time.sleep(0.05)
    pytest.fail(f"still running: {left}")


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not (state.exists() and ") Z " in state.read_text())
