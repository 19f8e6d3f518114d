"""A hard limit on exact computations: the work runs in a child that is stopped in time.

Case trees ask their budget between steps (`symbolic_pe.budget`), but one long call inside a library
cannot be asked. The console script therefore works in a forked child. The child says how long it
may take; the parent waits, and ends it with a message when it takes longer or dies of too little
memory. Where there is no fork, the budget alone applies.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import struct
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from symbolic_pe.cli.exits import EXIT_UNDECIDED

GRACE = 1.0
"""Seconds beyond the budget for starting and printing."""
UNLIMITED = -1.0
_MESSAGE = struct.Struct("d")
POLITE = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that ask a process to end."""


@dataclass(frozen=True)
class Guard:
    """The child's line to its parent."""

    pipe: int

    def allow(self, seconds: float) -> None:
        """From now on, at most this many seconds (and a little) until the next call."""
        os.write(self.pipe, _MESSAGE.pack(seconds))

    def release(self) -> None:
        """No limit from here on: what follows is not exact search."""
        os.write(self.pipe, _MESSAGE.pack(UNLIMITED))


def guarded(work: Callable[[Guard | None], None]) -> int | None:
    """Run the work in a child; its exit status, or None when it has to run here instead."""
    if not hasattr(os, "fork"):
        return None
    reader, writer = os.pipe()
    # Until the parent knows how to end its child, neither is ended.
    signal.pthread_sigmask(signal.SIG_BLOCK, POLITE)
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, POLITE)
        os.close(reader)
        work(Guard(writer))
        os._exit(0)  # not reached: the work ends the process
    os.close(writer)
    _end_together(child)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, POLITE)
    try:
        return _wait(child, reader)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second one is for the child alone
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGINT)
        os.waitpid(child, 0)
        return 130
    finally:
        os.close(reader)


def _end_together(child: int) -> None:
    """Whoever ends the parent politely ends the child too."""

    def end(number: int, _: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    for number in POLITE:
        signal.signal(number, end)


def _wait(child: int, reader: int) -> int:
    allowed, deadline = UNLIMITED, float("inf")
    while True:
        left = max(0.0, deadline - time.monotonic())
        timeout = None if deadline == float("inf") else left
        ready, _, _ = select.select([reader], [], [], timeout)
        if not ready:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            sys.stderr.write(
                f"undecided: not decided within the budget of {allowed:g} s; "
                "give more with --budget SECONDS, or split the generator into smaller blocks\n"
            )
            return EXIT_UNDECIDED
        message = os.read(reader, _MESSAGE.size)
        if not message:  # the child has ended
            return _status(os.waitpid(child, 0)[1])
        (allowed,) = _MESSAGE.unpack(message)
        deadline = float("inf") if allowed < 0 else time.monotonic() + allowed + GRACE


def _status(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return code
    if code in {-signal.SIGKILL, -signal.SIGABRT}:
        sys.stderr.write(
            "undecided: the computation was stopped by the system, most likely for want of memory; "
            "split the generator into smaller blocks\n"
        )
        return EXIT_UNDECIDED
    return 128 - code
