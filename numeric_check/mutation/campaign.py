"""Every mutant of some kernels, decided in parallel, with the same result each time."""

from __future__ import annotations

import multiprocessing
import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from numeric_check.mutation.judge import EQUIVALENT, KINDS, SURVIVOR, Decision, Judge
from numeric_check.mutation.mutant import Mutant, mutants
from numeric_check.mutation.positions_judge import PositionsJudge
from numeric_check.mutation.runs import Runs
from symbolic_pe.emit.axes import AxesPlan
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.encodings.outside import Outside

CHUNK = 60
"""So many mutants are worth another preparation of the original."""
PARTS = 6
"""A file is decided in so many parts, each of which prepares the original anew."""
Decided = dict[int, Decision]
"""Decisions by the number of the mutant."""
Progress = Callable[[str], None]


class PlanSource(Protocol):
    """Makes the plan of a kernel; hashable, and can be sent to another process.

    Of what is no group it is the encoding itself.
    """

    def __call__(self) -> KernelPlan | AxesPlan | Outside:
        """The plan."""
        ...


@dataclass(frozen=True)
class Specimen:
    """One kernel whose mutants are decided."""

    name: str
    text: str
    plan: PlanSource


@dataclass(frozen=True)
class FileResult:
    """What became of the mutants of one kernel."""

    name: str
    mutants: tuple[Mutant, ...]
    decisions: tuple[Decision, ...]

    @property
    def counts(self) -> Counter[str]:
        """How many by kind."""
        return Counter(d.kind for d in self.decisions)

    @property
    def laws(self) -> Counter[str]:
        """How many each law refutes first."""
        return Counter(d.detail.partition(" (")[0] for d in self.decisions if d.kind == "law")

    @property
    def reasons(self) -> Counter[str]:
        """How many are equivalent for each reason."""
        return Counter(d.detail for d in self.decisions if d.kind == EQUIVALENT)

    @property
    def survivors(self) -> list[Mutant]:
        """What nothing refutes and nothing decides."""
        pairs = zip(self.mutants, self.decisions, strict=True)
        return [m for m, d in pairs if d.kind == SURVIVOR]


def campaign(
    specimens: Sequence[Specimen],
    *,
    sample: int | None = None,
    processes: int | None = None,
    runs: Path | None = None,
    progress: Progress = lambda _: None,
) -> Iterator[FileResult]:
    """Decide the mutants of every kernel, or a `sample` of them each.

    `processes` is 1 for this process alone, by default one for each core that may be used.
    `runs` is a directory of results, one file for each kernel: what is there is not decided again.
    """
    kept = None if runs is None else Runs(runs, sample)
    found = [{} if kept is None else kept.read(s.name, s.text) for s in specimens]
    tasks = [
        (s, [n for n in range(len(_chosen(s.text, sample))) if n not in known])
        for s, known in zip(specimens, found, strict=True)
    ]
    decided = _campaign([task for task in tasks if task[1]], sample, processes, progress)
    if kept is not None:
        whole = sum(not numbers for _, numbers in tasks)
        progress(f"{whole} of {len(specimens)} files are decided already")
    for (specimen, numbers), known in zip(tasks, found, strict=True):
        both = known | (next(decided) if numbers else {})
        decisions = tuple(both[n] for n in sorted(both))
        if kept is not None and numbers:
            kept.write(specimen.name, specimen.text, decisions)
        yield FileResult(specimen.name, _chosen(specimen.text, sample), decisions)


def _campaign(
    tasks: Sequence[tuple[Specimen, list[int]]],
    sample: int | None,
    processes: int | None,
    progress: Progress,
) -> Iterator[Decided]:
    """The mutants of those numbers of every kernel decided, in the order given."""
    count = processes or len(os.sched_getaffinity(0))
    if count == 1:
        for specimen, numbers in tasks:
            progress(specimen.name)
            yield _decided(specimen, sample, numbers)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(count, mp_context=context, initializer=_prepare) as pool:
        waiting = []
        for specimen, numbers in tasks:
            parts = min(PARTS, 1 + len(numbers) // CHUNK)
            shares = [numbers[i::parts] for i in range(parts)]
            waiting.append(
                (
                    specimen.name,
                    [pool.submit(_decided, specimen, sample, share) for share in shares],
                )
            )
        for name, futures in waiting:
            progress(name)
            decided: Decided = {}
            for future in futures:
                decided |= future.result()
            yield decided


def _prepare() -> None:
    """One thread in each process, and no warnings about what faulty texts do."""
    warnings.simplefilter("ignore")
    os.environ["OMP_NUM_THREADS"] = "1"


@lru_cache(maxsize=2)
def _judge(specimen: Specimen) -> Judge | PositionsJudge:
    plan = specimen.plan()
    if isinstance(plan, KernelPlan):
        return Judge(specimen.text, plan)
    return PositionsJudge(specimen.text, plan)


@lru_cache(maxsize=2)
def _chosen(text: str, sample: int | None) -> tuple[Mutant, ...]:
    return mutants(text, sample=sample)


def _decided(specimen: Specimen, sample: int | None, numbers: Sequence[int]) -> Decided:
    """The mutants of those numbers."""
    judge, chosen = _judge(specimen), _chosen(specimen.text, sample)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {n: judge.decide(chosen[n].text) for n in numbers}


__all__ = ["KINDS", "FileResult", "PlanSource", "Specimen", "campaign"]
