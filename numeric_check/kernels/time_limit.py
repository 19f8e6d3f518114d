"""A guard of time around running a text that was not written here."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from symbolic_pe.errors import KernelError

AGAIN = 0.5
"""Seconds between further interrupts, should the first one get lost in a library's callback."""
SOON = 1e-3
SHARE, PATIENCE = 0.5, 10.0
"""A body has had its time when the clock says so, and when it had this share of it on processors:
other programs may have had the rest. Without that, it is ended after so many times its time."""


class OutOfTime(KernelError):
    """The text did not finish in time."""


class _Elapsed(BaseException):
    """Raised by the alarm: no handler for `Exception` on the way out swallows it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `OutOfTime`, a `KernelError`, when the body takes longer than this.

    On a machine that other programs keep busy it is given more, see `SHARE`.

    It works on the main thread of platforms with interval timers, and does nothing elsewhere. The
    body is interrupted between two instructions of Python, so a single long call of an array
    library is first waited for. Limits nest: the earliest one ends its own body. An alarm that was
    set before is set again afterwards, with the time that it has left.
    """
    if not _available():
        yield
        return
    own, started, worked, active = _Elapsed(), time.monotonic(), time.process_time(), True
    previous = signal.getsignal(signal.SIGALRM)
    before, interval = signal.getitimer(signal.ITIMER_REAL)

    def interrupt(number: int, frame: FrameType | None) -> None:
        if not active:
            return
        elapsed = time.monotonic() - started
        if elapsed < seconds - SOON:
            if callable(previous):
                previous(number, frame)
        elif time.process_time() - worked >= SHARE * seconds or elapsed >= PATIENCE * seconds:
            raise own

    first = min(seconds, before) if before else seconds
    signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, max(first, SOON), AGAIN)
        yield
    except _Elapsed as error:
        if error is not own:
            raise
        raise OutOfTime(f"the text did not finish within {seconds:g} s") from None
    finally:
        active = False
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, previous)
        if before:
            left = before - (time.monotonic() - started)
            signal.setitimer(signal.ITIMER_REAL, max(left, SOON), interval)


def _available() -> bool:
    return (
        hasattr(signal, "setitimer")
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGALRM) is not None
    )
