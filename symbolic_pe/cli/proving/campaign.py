"""Decide many specifications: what is remembered at once, the others side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from symbolic_pe.cli.proving.keys import Options, key_of
from symbolic_pe.cli.proving.records import Judged
from symbolic_pe.cli.proving.sources import Source
from symbolic_pe.cli.proving.store import Store
from symbolic_pe.cli.workers import processes, progress_of, results

if TYPE_CHECKING:
    from symbolic_pe.cli.proving.job import Job


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
    with progress_of(len(jobs), "proving") as advance:
        for name, encoded in results(_encoded, jobs, processes(manner.jobs, len(jobs))):
            advance(jobs[name].source.label)
            yield name, msgspec.json.decode(encoded, type=Judged)


def _encoded(_: str, job: Job) -> bytes:
    """Runs in a worker, perhaps on another machine."""
    from symbolic_pe.cli.proving.job import run_job

    return msgspec.json.encode(run_job(job))


__all__ = ["Campaign", "Manner", "run"]
