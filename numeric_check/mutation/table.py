"""What a campaign found, as Markdown and as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from numeric_check.mutation.campaign import FileResult
from numeric_check.mutation.judge import BOUND, EQUIVALENT, LAW, NOT_A_KERNEL, SURVIVOR, TEXT

COLUMNS = (NOT_A_KERNEL, LAW, TEXT, BOUND, EQUIVALENT, SURVIVOR)
HEADS = ("not a kernel", "law", "text proof", "bound", "equivalent", "survivors")


def markdown(results: Sequence[FileResult], *, sample: int | None = None) -> str:
    """One line for each file, totals, what refuted, why equivalent, and every survivor."""
    total: Counter[str] = sum((r.counts for r in results), Counter())
    drawn = "every mutant" if sample is None else f"at most {sample} mutants drawn from each file"
    lines = [
        f"{len(results)} files, {drawn}: {_count(results)} mutants, {total[SURVIVOR]} survivors.",
        "",
        "| file | mutants | " + " | ".join(HEADS) + " |",
        "|---" + "|---:" * (1 + len(HEADS)) + "|",
        *(_row(r.name, len(r.mutants), r.counts) for r in results),
        _row("all", _count(results), total),
        "",
        *_listed("Laws", sum((r.laws for r in results), Counter())),
        *_listed("Equivalent because", sum((r.reasons for r in results), Counter())),
        *_survivors(results),
    ]
    return "\n".join(lines) + "\n"


def _count(results: Sequence[FileResult]) -> int:
    return sum(len(r.mutants) for r in results)


def _row(name: str, count: int, found: Counter[str]) -> str:
    cells = [name, str(count), *(str(found[kind]) for kind in COLUMNS)]
    return "| " + " | ".join(cells) + " |"


def _listed(title: str, found: Counter[str]) -> list[str]:
    """Counts in falling order, names in rising order among equals."""
    ordered = sorted(found.items(), key=lambda x: (-x[1], x[0]))
    return [f"{title}: {', '.join(f'{name} {n}' for name, n in ordered)}.", ""] if ordered else []


def _survivors(results: Sequence[FileResult]) -> list[str]:
    lines = [f"- {r.name}, {m.operator}, {m.difference}" for r in results for m in r.survivors]
    return ["Survivors:", "", *lines] if lines else ["No survivors."]


def record(results: Sequence[FileResult]) -> dict[str, Any]:
    """The same as plain data for JSON."""
    return {
        "files": [
            {
                "name": r.name,
                "mutants": len(r.mutants),
                **{kind.replace(" ", "_"): r.counts[kind] for kind in COLUMNS},
                "laws": dict(sorted(r.laws.items())),
                "reasons": dict(sorted(r.reasons.items())),
                "survivors": [
                    {"operator": m.operator, "line": m.line, "before": m.before, "after": m.after}
                    for m in r.survivors
                ],
            }
            for r in results
        ]
    }


__all__ = ["markdown", "record"]
