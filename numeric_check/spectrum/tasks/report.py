"""What was seen, beside the ceilings: one table for each task, every seed shown."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean, stdev

from numeric_check.spectrum.tasks.generators import TASKS
from numeric_check.spectrum.tasks.training import TESTED, Run, Setting


def markdown(runs: Sequence[Run]) -> str:
    """Tables of accuracies in percent, with the sample deviation over seeds."""
    parts = [_shared(runs[0].setting)]
    for task in dict.fromkeys(run.setting.task for run in runs):
        parts.append(_table(task, [run for run in runs if run.setting.task == task]))
    return "\n\n".join(parts) + "\n"


def _shared(setting: Setting) -> str:
    channels = setting.width // setting.heads
    return (
        f"Each run: {setting.steps} steps of {setting.batch} fresh sequences, {setting.layers} "
        f"layers, {setting.heads} heads of {channels} channels, AdamW with one cycle to "
        f"{setting.rate:g}; tested on {TESTED} fresh sequences, so that one accuracy has a "
        f"standard error of at most {50 / TESTED**0.5:.1f} points."
    )


def _table(task: str, runs: Sequence[Run]) -> str:
    known = TASKS[task]
    alone, whole = known.length_only_ceiling(), known.full_information_ceiling()
    lines = [
        f"**{task}**, {known.classes} classes. Ceiling from the length alone {alone} = "
        f"{_percent(float(alone))}, with full information {_percent(float(whole))}.",
        "",
        "| encoding | mean | deviation | seeds | deposit index of layer 0 |",
        "|---|---|---|---|---|",
    ]
    for encoding in dict.fromkeys(run.setting.encoding for run in runs):
        found = [run for run in runs if run.setting.encoding == encoding]
        scores = [run.accuracy for run in found]
        spread = f"{100 * stdev(scores):.1f}" if len(scores) > 1 else "one seed"
        lines.append(
            f"| {encoding} | {_percent(mean(scores))} | {spread} | "
            f"{', '.join(f'{100 * s:.1f}' for s in scores)} | "
            f"{', '.join('-' if r.deposit is None else f'{r.deposit:.2f}' for r in found)} |"
        )
    return "\n".join(lines)


def _percent(x: float) -> str:
    return f"{100 * x:.1f} %"
