"""Decide many specifications: what is remembered at once, the others side by side."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from symbolic_pe.cli.proving.keys import Options, key_of
from symbolic_pe.cli.proving.records import Judged
from symbolic_pe.cli.proving.sources import Source
from symbolic_pe.cli.proving.store import Store

if TYPE_CHECKING:
    from symbolic_pe.cli.proving.job import Job


class Advance(Protocol):
    """Called when one more specification is decided."""

    def __call__(self, label: str) -> None: ...


@dataclass(frozen=True)
class Campaign:
    """What was decided, in the order of the sources.

    remembered  labels of the sources whose verdict was in the store
    differing   labels whose remembered verdict was not what was decided now
    """

    judged: tuple[Judged, ...]
    remembered: tuple[str, ...] = ()
    differing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Manner:
    """How the work is done; nothing here changes a verdict.

    jobs     processes at a time; 0 for all cores
    limited  each specification in a child that ends in time
    again    decide also what is remembered, and compare
    """

    jobs: int = 1
    limited: bool = True
    again: bool = False


def run(sources: Sequence[Source], options: Options, store: Store, manner: Manner) -> Campaign:
    """Decide every source, each content once."""
    keys = [key_of(source, options) for source in sources]
    known: dict[str, Judged] = {}
    for key in dict.fromkeys(filter(None, keys)):
        found = store.get(key)
        if found is not None:
            known[key] = found
    # A source without a key has no content to share: it stands for itself.
    names = [key or f"source {index}" for index, key in enumerate(keys)]
    missing: dict[str, Source] = {}
    for name, source in zip(names, sources, strict=True):
        if name not in known or manner.again:
            missing.setdefault(name, source)
    decided: dict[str, Judged] = {}
    for name, judged in _decide(missing, options, manner):
        decided[name] = judged
        if not name.startswith("source "):
            store.put(name, judged)
    store.prune()
    return Campaign(
        tuple(decided[name] if name in decided else known[name] for name in names),
        tuple(s.label for s, n in zip(sources, names, strict=True) if n not in decided),
        tuple(
            s.label
            for s, n in zip(sources, names, strict=True)
            if n in decided and n in known and _differ(known[n], decided[n])
        ),
    )


def _differ(known: Judged, decided: Judged) -> bool:
    """A budget that ended too early says nothing about what is remembered."""
    return known != decided and not decided.budget_ended


def _decide(
    missing: Mapping[str, Source], options: Options, manner: Manner
) -> Iterator[tuple[str, Judged]]:
    """In the order in which they are done."""
    if not missing:
        return
    from symbolic_pe.cli.proving.job import Job

    jobs = {n: Job(source, options, manner.limited) for n, source in missing.items()}
    with _progress(len(jobs)) as advance:
        for name, judged in _results(jobs, _processes(manner.jobs, len(jobs))):
            advance(jobs[name].source.label)
            yield name, judged


def _processes(asked: int, jobs: int) -> int:
    """No more than there is work for; the cores are counted only when there are several jobs."""
    if jobs <= 1 or asked == 1:
        return 1
    from joblib import cpu_count

    return max(1, min(asked or cpu_count(), jobs))


def _results(jobs: Mapping[str, Job], processes: int) -> Iterator[tuple[str, Judged]]:
    from symbolic_pe.cli.proving.job import run_job

    left = dict(jobs)
    if processes > 1:
        with contextlib.suppress(_stopped()):  # a worker was ended: the rest is decided here
            for name, judged in _side_by_side(jobs, processes):
                del left[name]
                yield name, judged
    for name, job in left.items():
        yield name, run_job(job)


def _side_by_side(jobs: Mapping[str, Job], processes: int) -> Iterator[tuple[str, Judged]]:
    """Through joblib: processes of this machine, or the backend of the surrounding context."""
    from joblib import Parallel, delayed
    from joblib.parallel import LokyBackend, get_active_backend

    here = isinstance(get_active_backend()[0], LokyBackend)
    parallel = Parallel(
        n_jobs=processes,
        return_as="generator_unordered",
        batch_size=1,
        pre_dispatch="2*n_jobs",
    )
    try:
        for name, encoded in parallel(delayed(_encoded)(n, job, here) for n, job in jobs.items()):
            yield name, msgspec.json.decode(encoded, type=Judged)
    finally:
        if here:
            _end_workers()


def _encoded(name: str, job: Job, is_ours: bool) -> tuple[str, bytes]:
    """Runs in a worker; one that was started here ends with this process."""
    from symbolic_pe.cli.proving.job import run_job
    from symbolic_pe.cli.proving.limit import end_with_parent

    if is_ours:
        end_with_parent()
    return name, msgspec.json.encode(run_job(job))


def _stopped() -> type[BaseException]:
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    error: type[BaseException] = TerminatedWorkerError
    return error


def _end_workers() -> None:
    """Workers would wait minutes for more work, and the end of this process for them."""
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor(reuse=True).shutdown(wait=True, kill_workers=True)


# -- progress -----------------------------------------------------------------------------------


def _progress(count: int) -> AbstractContextManager[Advance]:
    """A bar on a terminal when there is something to wait for; silence in a pipe."""
    if count > 1 and sys.stderr.isatty():
        return _bar(count)
    return contextlib.nullcontext(lambda label: None)


@contextlib.contextmanager
def _bar(count: int) -> Iterator[Advance]:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns: Iterable[Any] = (
        TextColumn("proving"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=count)
        yield lambda label: progress.update(task, advance=1, description=escape(label))


__all__ = ["Campaign", "Manner", "run"]
