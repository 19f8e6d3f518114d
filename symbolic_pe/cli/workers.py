"""Jobs side by side through joblib, and the bar that says how many are done."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")
Work = Callable[[str, Job], Result]
"""What is done for one job, given its name; a function of a module, so that workers find it."""


LEAK = 1 << 32
"""Bytes by which a worker may grow."""
Advance = Callable[[str], None]
"""Called with the name of a job when it is done."""


def processes(asked: int, jobs: int) -> int:
    """No more than there is work for; the cores are counted only when there are several jobs."""
    if jobs <= 1 or asked == 1:
        return 1
    from joblib import cpu_count

    return max(1, min(asked or cpu_count(), jobs))


def results(
    work: Work[Job, Result], jobs: Mapping[str, Job], count: int
) -> Iterator[tuple[str, Result]]:
    """Names and results in the order in which they are done, `count` at a time.

    Jobs begin in the order of the mapping. What is left when a worker is ended is done here.
    """
    left = dict(jobs)
    if count > 1:
        with contextlib.suppress(_stopped()):
            for name, result in _side_by_side(work, jobs, count):
                del left[name]
                yield name, result
    for name, job in left.items():
        yield name, work(name, job)


def _side_by_side(
    work: Work[Job, Result], jobs: Mapping[str, Job], count: int
) -> Iterator[tuple[str, Result]]:
    """Through joblib: processes of this machine, or the backend of the surrounding context."""
    from joblib import Parallel, delayed
    from joblib.parallel import LokyBackend, get_active_backend

    here = isinstance(get_active_backend()[0], LokyBackend)
    parallel = Parallel(
        n_jobs=count,
        return_as="generator_unordered",
        batch_size=1,
        pre_dispatch="2*n_jobs",
    )
    try:
        yield from parallel(delayed(_done)(work, n, job, here) for n, job in jobs.items())
    finally:
        if here:
            end_workers()


def _done(work: Work[Job, Result], name: str, job: Job, is_ours: bool) -> tuple[str, Result]:
    """Runs in a worker; one that was started here ends with this process."""
    from symbolic_pe.cli.proving.limit import end_with_parent

    if is_ours:
        end_with_parent()
        _keep_imports()
    return name, work(name, job)


def _keep_imports() -> None:
    """Loky takes what a later job imports for a leak, and would start the worker again for it."""
    from joblib.externals.loky import process_executor

    if hasattr(process_executor, "_MAX_MEMORY_LEAK_SIZE"):
        process_executor._MAX_MEMORY_LEAK_SIZE = LEAK


def _stopped() -> type[BaseException]:
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    error: type[BaseException] = TerminatedWorkerError
    return error


def end_workers() -> None:
    """Workers would wait minutes for more work, and the end of this process for them."""
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor(reuse=True).shutdown(wait=True, kill_workers=True)


# -- progress -----------------------------------------------------------------------------------


def progress_of(count: int, doing: str) -> AbstractContextManager[Advance]:
    """A bar on a terminal when there is something to wait for; silence in a pipe."""
    if count > 1 and sys.stderr.isatty():
        return _bar(count, doing)
    return contextlib.nullcontext(lambda label: None)


@contextlib.contextmanager
def _bar(count: int, doing: str) -> Iterator[Advance]:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns: Iterable[Any] = (
        TextColumn(doing),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=count)
        yield lambda label: progress.update(task, advance=1, description=escape(label))
