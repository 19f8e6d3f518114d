"""Gappa's opinion beside the bound of a kernel."""

from __future__ import annotations

from dataclasses import dataclass

from numeric_check.kernels.kernel import Kernel
from numeric_check.rounding.gappa.program import best_bound, prove
from numeric_check.rounding.gappa.script import Script, scripts
from symbolic_pe.emit.plan import KernelPlan


@dataclass(frozen=True)
class Opinion:
    """What was claimed of one block, and what Gappa proves of it.

    accepted  whether Gappa proves the claim
    found     the best absolute bound that it finds by itself
    """

    script: Script
    accepted: bool
    found: float | None

    @property
    def slack(self) -> float | None:
        """How many times larger the claim is than what Gappa finds."""
        return None if not self.found else self.script.claimed / self.found


def second_opinion(
    kernel: Kernel,
    plan: KernelPlan,
    dtype: str,
    *,
    reach: float,
    box: float = 1.0,
    contraction: str = "none",
) -> tuple[Opinion, ...]:
    """Have Gappa decide what the rounding bound of a kernel says of each of its blocks.

    Raises `NotYetCovered` as `scripts` does, `SpecificationError` where Gappa is missing.
    """
    return tuple(
        Opinion(
            script,
            prove(script.claim(script.claimed)).proved,
            best_bound(script.question()),
        )
        for script in scripts(kernel, plan, dtype, reach=reach, box=box, contraction=contraction)
    )


__all__ = ["Opinion", "second_opinion"]
