"""Work in a child process of its own, which ends itself when it takes too long.

The child arms a timer of the operating system whose signal ends it, also inside one long call of a
library. So a specification that hangs, or takes all memory, costs itself and none of the others,
and nothing is left running when the parent is ended.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

GRACE = 1.0
"""Seconds beyond the budget for printing."""
EXIT_FAULT = 70
OUT_OF_MEMORY = (
    "the computation was stopped by the system, most likely for want of memory; split the "
    "generator into smaller blocks"
)

POLL = 0.5
_running: set[int] = set()

Send = Callable[[bytes], None]
Allow = Callable[[float], None]


@dataclass(frozen=True)
class Ended:
    """How a child ended: the lines that it sent, and why it did not end by itself.

    late   it was ended by its timer
    fault  what else went wrong
    """

    lines: tuple[bytes, ...]
    late: bool = False
    fault: str = ""


def in_child(work: Callable[[Send, Allow], None]) -> Ended:
    """Run `work(send, allow)` in a child: `send` a line, `allow` so many seconds from now on.

    A line is bytes without a line break. Where there is no `fork`, the work runs here, unlimited.
    """
    if not hasattr(os, "fork"):
        lines: list[bytes] = []
        work(lines.append, lambda _: None)
        return Ended(tuple(lines))
    sys.stdout.flush()
    sys.stderr.flush()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _work(work, writer)
    os.close(writer)
    _running.add(child)
    with os.fdopen(reader, "rb") as stream:
        received = stream.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    _running.discard(child)
    *whole, rest = received.split(b"\n")
    if code == 0:
        return Ended(tuple(whole))
    if code == EXIT_FAULT:
        return Ended(tuple(whole[:-1]), fault=whole[-1].decode() if whole else "")
    if code == -signal.SIGALRM:
        return Ended(tuple(whole), late=True)
    return Ended(tuple(whole), fault=OUT_OF_MEMORY if code < 0 else f"exit status {code} {rest!r}")


def _work(work: Callable[[Send, Allow], None], writer: int) -> None:
    """The child: never returns."""
    code = EXIT_FAULT
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        with os.fdopen(writer, "wb") as stream:

            def send(line: bytes) -> None:
                stream.write(line + b"\n")
                stream.flush()

            def allow(seconds: float) -> None:
                signal.setitimer(signal.ITIMER_REAL, seconds + GRACE)

            try:
                work(send, allow)
                code = 0
            except BaseException as error:
                if os.environ.get("SYMBOLIC_PE_DEBUG"):
                    traceback.print_exc()
                text = f"{type(error).__name__}: {error}".replace("\n", " ")
                send(text.encode("utf-8", "backslashreplace"))
    finally:
        os._exit(code)


@cache
def end_with_parent() -> None:
    """From now on this process, and the child that it waits for, end soon after its parent.

    Workers wait for work on a pipe that they hold themselves, so they do not see their parent end.
    """
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(POLL)
        for child in tuple(_running):
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        os._exit(EXIT_FAULT)

    threading.Thread(target=watch, daemon=True).start()


__all__ = ["OUT_OF_MEMORY", "Ended", "end_with_parent", "in_child"]
