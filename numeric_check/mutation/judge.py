"""Deciding one mutant: refuted, equivalent, or a survivor; the cheapest decision first.

A mutant is refuted by what `symbolic-pe check` refutes with: the text is no kernel, exact execution
refutes it, a law of the cross-check does not hold, or its measured error leaves the bound of the
original text. `undecided` refutes nothing.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass

import numpy as np

from numeric_check.kernels.kernel import Kernel, compile_kernel, describe, parse_header
from numeric_check.kernels.time_limit import time_limit
from numeric_check.laws.cross_check import Screen
from numeric_check.mutation.equivalence.reasons import same_proof, same_run, same_text
from numeric_check.mutation.reference import Reference
from numeric_check.rounding.bias import measure_bias
from numeric_check.rounding.measured import measure
from numeric_check.text_proof.prove import prove_text
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.errors import KernelError

NOT_A_KERNEL, TEXT, LAW, BOUND = "not a kernel", "text", "law", "bound"
EQUIVALENT, SURVIVOR = "equivalent", "survivor"
KINDS = (NOT_A_KERNEL, TEXT, LAW, BOUND, EQUIVALENT, SURVIVOR)
FEW_CALLS, ALL_CALLS = 60.0, 900.0
"""Longest time for the first laws and for all: a text that never returns is refuted by `runs`.
Both are a hundred times what right kernels take, so that a busy machine refutes nothing."""


@dataclass(frozen=True)
class Decision:
    """What became of one mutant.

    kind    `not a kernel`, `text`, `law`, `bound` (refuted by that), `equivalent`, `survivor`
    detail  which law, or why it is equivalent
    """

    kind: str
    detail: str = ""

    @property
    def refuted(self) -> bool:
        """Whether the mutant is not the same kernel."""
        return self.kind not in (EQUIVALENT, SURVIVOR)


def installed_libraries() -> tuple[str | None, ...]:
    """Those on whose arrays a text for the array API is run."""
    return ("numpy", "torch") if importlib.util.find_spec("torch") is not None else (None,)


class Judge:
    """Decides the mutants of one kernel.

    A text for the array API is run on NumPy and, where it is installed, on PyTorch.
    """

    def __init__(self, text: str, plan: KernelPlan) -> None:
        self.plan = plan
        self.reference = Reference.of(compile_kernel(text, module="kernel"), plan)
        self.screen = Screen(plan)
        standard = parse_header(text).get("target") == "array-api"
        self.libraries = installed_libraries() if standard else (None,)

    def decide(self, text: str) -> Decision:
        """Cheapest first: compile, measure in float64, compare, measure all, execute, bound.

        What a part of the check raises by mistake makes a survivor that says so.
        """
        try:
            return self._decided(text)
        except Exception as error:
            return Decision(SURVIVOR, f"the check raised {describe(error)}")

    def _decided(self, text: str) -> Decision:
        try:
            kernels = [compile_kernel(text, module="kernel", library=x) for x in self.libraries]
        except KernelError as error:
            return Decision(NOT_A_KERNEL, str(error))
        kernel = kernels[0]
        law = self.screen.first_refutation(kernel, quick=True, seconds=FEW_CALLS)
        if law is not None:
            return Decision(LAW, law)
        reason = same_text(text, self.reference)
        if reason:
            return Decision(EQUIVALENT, reason)
        for other in kernels:
            law = self.screen.first_refutation(other, quick=False, seconds=ALL_CALLS)
            if law is not None:
                return Decision(LAW, law)
        reason = same_run(kernel, self.plan, self.reference)
        if reason:
            return Decision(EQUIVALENT, reason)
        proof = prove_text(kernel, self.plan, operator=True)
        if proof.verdict == "refuted":
            return Decision(TEXT, proof.reason)
        beyond = self._beyond(kernel)
        if beyond:
            return Decision(BOUND, beyond)
        reason = same_proof(kernel, self.plan, proof, self.reference)
        return Decision(EQUIVALENT, reason) if reason else Decision(SURVIVOR)

    def _beyond(self, kernel: Kernel) -> str:
        """Where the measured error leaves the bound of the original; empty where nowhere."""
        try:
            with np.errstate(all="ignore"), time_limit(ALL_CALLS):
                for bound in self.reference.bounds:
                    found = measure(kernel, self.plan, bound)
                    if found.ratio > 1.0:
                        return str(found)
                for bias in self.reference.biases:
                    if measure_bias(kernel, self.plan, bias) > 1.0:
                        return f"the coordinates that realise the bias ({bias.dtype})"
        except KernelError as error:
            return str(error)
        return ""


__all__ = ["KINDS", "Decision", "Judge", "installed_libraries"]
