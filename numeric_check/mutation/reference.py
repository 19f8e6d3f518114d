"""What is known of an original, before its mutants are decided."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from numeric_check.kernels.kernel import Kernel
from numeric_check.reference_values.tolerance import DTYPES
from numeric_check.rounding.bias import BiasBound, bias_bound
from numeric_check.rounding.blocks import MAPS, ROTATE
from numeric_check.rounding.bound import KernelBound, rounding_bound
from numeric_check.text_proof.prove import TextProof, prove_text
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.errors import KernelError, NotYetCovered, Undecided


@dataclass(frozen=True)
class Reference:
    """What is known of the original: its text, its proof, and its bounds in every dtype."""

    kernel: Kernel
    proof: TextProof
    bounds: tuple[KernelBound, ...]
    biases: tuple[BiasBound, ...]

    @classmethod
    def of(cls, kernel: Kernel, plan: KernelPlan) -> Reference:
        """Decide and bound the original."""
        proof = prove_text(kernel, plan, operator=True)
        return cls(kernel, proof, bounds_of(kernel, plan), biases_of(kernel, plan))

    @property
    def text(self) -> str:
        """The original text."""
        return self.kernel.text


def bounds_of(kernel: Kernel, plan: KernelPlan) -> tuple[KernelBound, ...]:
    """The bound of every form and dtype; none where bounds do not cover the text."""
    forms = (MAPS, ROTATE) if plan.uniform_decay is not None and kernel.has(ROTATE) else (MAPS,)
    try:
        with np.errstate(all="ignore"):
            return tuple(rounding_bound(kernel, plan, d, form=f) for f in forms for d in DTYPES)
    except (NotYetCovered, Undecided, KernelError):
        return ()


def biases_of(kernel: Kernel, plan: KernelPlan) -> tuple[BiasBound, ...]:
    """The bounds of the coordinates that realise a bias; none where there are none."""
    if not plan.augmentations:
        return ()
    try:
        return tuple(bias_bound(kernel, plan, dtype) for dtype in DTYPES)
    except (NotYetCovered, Undecided, KernelError):
        return ()


__all__ = ["Reference", "biases_of", "bounds_of"]
