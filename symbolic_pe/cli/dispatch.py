"""Which classification belongs to each form of specification."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec

from symbolic_pe.budget import Budget
from symbolic_pe.classification import classify
from symbolic_pe.cli.axes import axes_record, axes_text
from symbolic_pe.cli.closed_forms import closed_form_text, uniform_closed_form
from symbolic_pe.cli.known_encodings import outside_record, outside_text
from symbolic_pe.cli.nearness import (
    HeadNearness,
    nearness_lines,
    nearness_record,
    snap_lines,
    snap_records,
)
from symbolic_pe.cli.output import classification_record
from symbolic_pe.cli.step import step_record, step_text
from symbolic_pe.cli.text import classification_text
from symbolic_pe.encodings.forms import IntegerPositions, Outside, SeveralAxes, Specification
from symbolic_pe.jordan.snapping import Snapped
from symbolic_pe.proof.integer_positions import prove_step
from symbolic_pe.proof.several_axes import prove_axes
from symbolic_pe.proof.verdicts import prove_outside


@dataclass(frozen=True)
class Shown:
    """One result, as a record for machines and as text for people."""

    record: Callable[[], msgspec.Struct]
    text: Callable[[], str]
    undecided: str = ""


def classification(
    found: Specification,
    budget: Budget,
    changes: tuple[Snapped, ...] = (),
    near: Sequence[HeadNearness] | None = None,
    *,
    closed_form: bool = False,
) -> Shown:
    """Classify a generator, a step, or several axes; with what was snapped, and how near it is."""
    if isinstance(found, IntegerPositions):
        step = prove_step(found)
        return Shown(lambda: step_record(step), lambda: step_text(step))
    if isinstance(found, SeveralAxes):
        axes = prove_axes(found)
        return Shown(lambda: axes_record(axes), lambda: axes_text(axes))
    if isinstance(found, Outside):
        outside = prove_outside(found)
        return Shown(lambda: outside_record(outside), lambda: outside_text(outside))
    case_tree = classify(found, budget)
    closed = [closed_form_text(case_tree, c) for c in case_tree.cases] if closed_form else []
    uniform = uniform_closed_form(case_tree) if closed_form else None

    def record() -> msgspec.Struct:
        records = None if near is None else [nearness_record(item) for item in near]
        return classification_record(case_tree, snap_records(changes), records, closed, uniform)

    def text() -> str:
        lines = [*snap_lines(changes), classification_text(case_tree, closed)]
        if uniform is not None:
            lines.append(
                f"  in one formula for all parameters, smooth where cases meet:\n{uniform}"
            )
        return "\n".join(lines if near is None else [*lines, *nearness_lines(near)])

    return Shown(record, text, case_tree.undecided)
