"""Which classification and which proof belong to each form of specification."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from symbolic_pe.budget import Budget
from symbolic_pe.classification import classify
from symbolic_pe.cli.axes import axes_record, axes_text
from symbolic_pe.cli.output import classification_record
from symbolic_pe.cli.step import step_record, step_text
from symbolic_pe.cli.text import classification_text
from symbolic_pe.encodings.forms import IntegerPositions, SeveralAxes, Specification
from symbolic_pe.proof.integer_positions import StepProof, prove_step
from symbolic_pe.proof.prover import Proof, prove
from symbolic_pe.proof.several_axes import AxesProof, prove_axes


@dataclass(frozen=True)
class Shown:
    """One result, as a record for machines and as text for people."""

    record: Callable[[], msgspec.Struct]
    text: Callable[[], str]
    undecided: str = ""


def classification(found: Specification, budget: Budget) -> Shown:
    """Classify a generator, a step, or several axes."""
    if isinstance(found, IntegerPositions):
        step = prove_step(found)
        return Shown(lambda: step_record(step), lambda: step_text(step))
    if isinstance(found, SeveralAxes):
        axes = prove_axes(found)
        return Shown(lambda: axes_record(axes), lambda: axes_text(axes))
    case_tree = classify(found, budget)
    return Shown(
        lambda: classification_record(case_tree),
        lambda: classification_text(case_tree),
        case_tree.undecided,
    )


def proof(found: Specification, budget: Budget) -> Proof | StepProof | AxesProof:
    """Decide the claims of a generator, a step, or several axes."""
    if isinstance(found, IntegerPositions):
        return prove_step(found)
    return prove_axes(found) if isinstance(found, SeveralAxes) else prove(found, budget)
