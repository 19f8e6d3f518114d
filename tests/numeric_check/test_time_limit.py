"""Limits end what does not end, nest, and leave no trace."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from numeric_check.kernels.time_limit import time_limit
from symbolic_pe.errors import KernelError

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no interval timers")


def forever() -> None:
    """What a text can do: an endless loop that also swallows exceptions."""
    while True:
        try:
            int("0")
        except Exception:
            continue


def state() -> tuple[object, float]:
    return signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)[0]


def test_what_does_not_end_is_ended() -> None:
    before = state()
    start = time.monotonic()
    with (
        pytest.raises(KernelError, match=r"the text did not finish within 0\.1 s"),
        time_limit(0.1),
    ):
        forever()
    assert 0.1 <= time.monotonic() - start < 2.0
    assert state() == before


def test_a_body_that_got_no_processor_is_given_more() -> None:
    """Other programs had the processor: asleep is as good as waiting for it."""
    with time_limit(0.2):
        time.sleep(0.5)
    start = time.monotonic()
    with pytest.raises(KernelError, match=r"within 0\.1 s"), time_limit(0.1):
        time.sleep(5.0)
    assert 1.0 <= time.monotonic() - start < 4.0


def test_what_ends_is_left_alone() -> None:
    before = state()
    with time_limit(0.05):
        pass
    assert state() == before
    time.sleep(0.1)
    with pytest.raises(ZeroDivisionError), time_limit(5.0):
        raise ZeroDivisionError
    assert state() == before


@pytest.mark.parametrize(("outer", "inner"), [(0.1, 5.0), (5.0, 0.1)])
def test_limits_nest(outer: float, inner: float) -> None:
    before = state()
    with pytest.raises(KernelError, match=r"within 0\.1 s"), time_limit(outer), time_limit(inner):
        forever()
    assert state() == before


def test_an_outer_limit_goes_on() -> None:
    def body() -> None:
        with pytest.raises(KernelError, match=r"within 0\.05 s"), time_limit(0.05):
            forever()
        with time_limit(5.0):
            pass
        forever()

    with pytest.raises(KernelError, match=r"within 0\.2 s"), time_limit(0.2):
        body()


def test_another_alarm_is_restored() -> None:
    rung: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: rung.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with time_limit(5.0):
            time.sleep(0.01)
        time.sleep(0.3)
        assert rung == [signal.SIGALRM]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def test_other_threads_are_not_limited() -> None:
    done: list[bool] = []

    def body() -> None:
        with time_limit(0.01):
            time.sleep(0.05)
        done.append(True)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    assert done == [True]
