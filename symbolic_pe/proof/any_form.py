"""The proof that belongs to each form of specification."""

from __future__ import annotations

from symbolic_pe.budget import Budget
from symbolic_pe.encodings.forms import IntegerPositions, Outside, SeveralAxes, Specification
from symbolic_pe.proof.integer_positions import StepProof, prove_step
from symbolic_pe.proof.prover import Proof, prove
from symbolic_pe.proof.several_axes import AxesProof, prove_axes
from symbolic_pe.proof.verdicts import OutsideProof, prove_outside

AnyProof = Proof | StepProof | AxesProof | OutsideProof


def proof(found: Specification, budget: Budget) -> AnyProof:
    """Decide the claims of a generator, a step, several axes, or what is no group."""
    if isinstance(found, IntegerPositions):
        return prove_step(found)
    if isinstance(found, Outside):
        return prove_outside(found)
    return prove_axes(found) if isinstance(found, SeveralAxes) else prove(found, budget)


__all__ = ["AnyProof", "proof"]
