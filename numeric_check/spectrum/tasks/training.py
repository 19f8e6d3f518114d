"""Training runs: one setting and one seed each, resumable, the same result for the same seed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from numeric_check.spectrum.tasks.generators import TASKS
from numeric_check.spectrum.tensors import HeadAdapter, head_deposit
from symbolic_pe.errors import SpecificationError
from symbolic_pe.whole_files import write_files

TESTED = 4096


@dataclass(frozen=True)
class Setting:
    """One run: task, encoding, seed, and what all runs share."""

    task: str
    encoding: str
    seed: int
    steps: int = 300
    batch: int = 64
    rate: float = 2e-3
    layers: int = 2
    width: int = 64
    heads: int = 4

    @property
    def stem(self) -> str:
        """Name of its file: what it is, and a digest of all of it with the task."""
        text = json.dumps([asdict(self), repr(TASKS[self.task])], sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()[:12]
        return f"{self.task}-{self.encoding}-{self.seed}-{digest}"


@dataclass(frozen=True)
class Run:
    """What one run gave: accuracy on fresh samples, and with each head of layer 0 taken out."""

    setting: Setting
    accuracy: float
    ablated: tuple[float, ...]
    deposit: float | None


def settings(
    tasks: Sequence[str], encodings: Sequence[str], seeds: int, **shared: Any
) -> list[Setting]:
    """Every combination, seeds 0 … seeds − 1. Raises `SpecificationError` for unknown names."""
    from numeric_check.spectrum.tasks.models import ENCODINGS

    for kind, names, known in (("task", tasks, TASKS), ("encoding", encodings, ENCODINGS)):
        for name in names:
            if name not in known:
                raise SpecificationError(
                    f"{kind}: expected one of {', '.join(known)}, got {name!r}"
                )
    return [
        Setting(task, encoding, seed, **shared)
        for task in tasks
        for encoding in encodings
        for seed in range(seeds)
    ]


def trained(setting: Setting) -> Any:
    """A model trained on fresh samples; one thread, CPU. The same setting gives the same model."""
    import torch

    from numeric_check.spectrum.tasks.models import Classifier, Size

    torch.set_num_threads(1)
    task = TASKS[setting.task]
    data = np.random.default_rng(np.random.SeedSequence([setting.seed, 0]))
    size = Size(setting.layers, setting.width, setting.heads)
    with torch.random.fork_rng():
        torch.manual_seed(setting.seed)
        model = Classifier(task.vocabulary, task.classes, task.length, setting.encoding, size)
    optimiser = torch.optim.AdamW(model.parameters(), lr=setting.rate, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, setting.rate, total_steps=setting.steps, pct_start=0.1
    )
    for _ in range(setting.steps):
        batch = task.sample(setting.batch, data)
        loss = torch.nn.functional.cross_entropy(
            model(torch.from_numpy(batch.tokens)), torch.from_numpy(batch.labels)
        )
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
    return model.eval()


def adapter_of(setting: Setting, layer: int = 0) -> HeadAdapter:
    """Where the heads of one layer are in the model."""
    place = f"blocks.{layer}.attention"
    return HeadAdapter(
        f"{place}.query", f"{place}.key", f"{place}.output", setting.heads, setting.heads
    )


def accuracy(model: Any, setting: Setting) -> float:
    """On fresh samples, the same ones for one seed."""
    import torch

    test = np.random.default_rng(np.random.SeedSequence([setting.seed, 1]))
    unseen = TASKS[setting.task].sample(TESTED, test)
    with torch.no_grad():
        found = model(torch.from_numpy(unseen.tokens)).argmax(-1)
    return float((found == torch.from_numpy(unseen.labels)).double().mean())


def train(setting: Setting) -> Run:
    """Train one model; test it whole, and with each head of layer 0 taken out."""
    model = trained(setting)
    full, ablated, deposit = head_deposit(
        model, adapter_of(setting), lambda: accuracy(model, setting)
    )
    return Run(setting, full, tuple(ablated), deposit)


def run_all(
    wanted: Sequence[Setting],
    directory: Path,
    *,
    jobs: int = 1,
    progress: Callable[[str], None] = lambda _: None,
) -> list[Run]:
    """Every run, from its file where there is one; files are written as runs end.

    One joblib call: `with joblib.parallel_config("dask")` around it sends the runs to a cluster.
    """
    from joblib import Parallel, delayed

    done = {s: found for s in wanted if (found := read_run(directory, s)) is not None}
    missing = [s for s in wanted if s not in done]
    progress(f"{len(done)} of {len(wanted)} runs are there")
    parallel = Parallel(n_jobs=jobs, return_as="generator_unordered")
    for count, run in enumerate(parallel(delayed(train)(s) for s in missing), start=1):
        _write(directory, run)
        done[run.setting] = run
        progress(f"{count} of {len(missing)}: {run.setting.stem}: {run.accuracy:.3f}")
    return [done[s] for s in wanted]


def read_run(directory: Path, setting: Setting) -> Run | None:
    """The run of a setting, if its file is there and whole."""
    try:
        record = json.loads((directory / f"{setting.stem}.json").read_text(encoding="utf-8"))
        return Run(
            Setting(**record["setting"]),
            record["accuracy"],
            tuple(record["ablated"]),
            record["deposit"],
        )
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def _write(directory: Path, run: Run) -> None:
    """The whole file or none: it is renamed when it is complete."""
    record = {
        "setting": asdict(run.setting),
        "accuracy": run.accuracy,
        "ablated": list(run.ablated),
        "deposit": run.deposit,
    }
    write_files(directory, {f"{run.setting.stem}.json": json.dumps(record, indent=1)})
