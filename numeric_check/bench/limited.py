"""One measurement in a child process with a cap on its CPU time, so that no case can hang a run."""

from __future__ import annotations

import math
import multiprocessing
import resource
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

STARTUP = 30.0
"""Wall-clock seconds that a child may take to start and import."""
PATIENCE = 4.0
"""Wall-clock seconds for each second of CPU, on a machine that others use too."""

Prepared = Callable[[], Any]
Preparation = Callable[[dict[str, Any], str], Prepared]


class Stopped(Exception):
    """The child used up its CPU time."""


def limited(prepare: Preparation, entry: dict[str, Any], name: str, budget: float) -> Any:
    """What `prepare(entry, name)()` returns, its CPU time capped; preparation is not counted.

    Raises `Stopped` at the cap; an error of the child comes back as the name of its class.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["sympy", prepare.__module__])
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_run, args=(there, prepare, entry, name, budget))
    child.start()
    there.close()
    try:
        if not here.poll(STARTUP + PATIENCE * budget):
            raise Stopped
        return here.recv()
    except EOFError:
        raise Stopped from None
    finally:
        child.kill()
        child.join()
        here.close()


def _run(
    connection: Connection, prepare: Preparation, entry: dict[str, Any], name: str, budget: float
) -> None:
    try:
        prepared = prepare(entry, name)
        used = math.ceil(time.process_time() + budget)
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (used, hard))
        connection.send(prepared())
    except Exception as error:
        connection.send(type(error).__name__)
