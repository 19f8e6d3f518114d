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
from random import Random
from typing import Protocol

from numeric_check.mutation.judge import EQUIVALENT, KINDS, SURVIVOR, Decision, Judge
from numeric_check.mutation.mutant import Mutant, mutants
from symbolic_pe.emit.plan import KernelPlan

CHUNK = 60
SEED = 2026
Progress = Callable[[str], None]


class PlanSource(Protocol):
    """Makes the plan of a kernel; hashable, and can be sent to another process."""

    def __call__(self) -> KernelPlan:
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
    progress: Progress = lambda _: None,
) -> Iterator[FileResult]:
    """Decide the mutants of every kernel, or a random `sample` of them each.

    `processes` is 1 for this process alone, by default one for each core that may be used.
    """
    count = processes or len(os.sched_getaffinity(0))
    if count == 1:
        for specimen in specimens:
            chosen = _chosen(specimen, sample)
            progress(f"{specimen.name}: {len(chosen)} mutants")
            yield _result(specimen, chosen, _decided(specimen, tuple(m.text for m in chosen)))
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(count, mp_context=context, initializer=_prepare) as pool:
        waiting = []
        for specimen in specimens:
            chosen = _chosen(specimen, sample)
            parts = [
                pool.submit(_decided, specimen, tuple(m.text for m in chosen[i : i + CHUNK]))
                for i in range(0, len(chosen), CHUNK)
            ]
            waiting.append((specimen, chosen, parts))
        for specimen, chosen, parts in waiting:
            progress(f"{specimen.name}: {len(chosen)} mutants")
            yield _result(specimen, chosen, [d for part in parts for d in part.result()])


def _result(
    specimen: Specimen, chosen: Sequence[Mutant], decisions: Sequence[Decision]
) -> FileResult:
    return FileResult(specimen.name, tuple(chosen), tuple(decisions))


def _chosen(specimen: Specimen, sample: int | None) -> tuple[Mutant, ...]:
    found = mutants(specimen.text)
    if sample is None or sample >= len(found):
        return found
    places = sorted(Random(SEED).sample(range(len(found)), sample))
    return tuple(found[i] for i in places)


def _prepare() -> None:
    """One thread in each process, and no warnings about what faulty texts do."""
    warnings.simplefilter("ignore")
    os.environ["OMP_NUM_THREADS"] = "1"


@lru_cache(maxsize=2)
def _judge(specimen: Specimen) -> Judge:
    return Judge(specimen.text, specimen.plan())


def _decided(specimen: Specimen, texts: tuple[str, ...]) -> list[Decision]:
    judge = _judge(specimen)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [judge.decide(text) for text in texts]


__all__ = ["KINDS", "FileResult", "PlanSource", "Specimen", "campaign"]
