"""One kernel judged against its rounding bounds in every dtype."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from numeric_check.kernel import Kernel
from numeric_check.rounding.bound import KernelBound, rounding_bound
from numeric_check.rounding.formula import stated_formula, stated_number, states_at_least
from numeric_check.rounding.measured import Measurement, measure
from numeric_check.rounding.safe import SafePosition, safe_position
from numeric_check.time_limit import time_limit
from numeric_check.tolerance import DTYPES
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.errors import KernelError, NotYetCovered, Undecided

SECONDS = 240.0
LAW = "||y - A x|| <= eps ||A|| ||x|| + eta for every block A(u), u = position - reference"
HOLDS, REFUTED, UNDECIDED = "holds", "refuted", "undecided"


@dataclass(frozen=True)
class DtypeBound:
    """The bound of one dtype, how far it is safe, and the worst error that was measured."""

    bound: KernelBound
    safe: SafePosition
    measured: Measurement

    @property
    def holds(self) -> bool:
        """Whether the measured error is inside the bound."""
        return self.measured.ratio <= 1.0

    @property
    def stated(self) -> str:
        """The bound as a file states it: coefficients with a margin, rounded up to two digits.

        The margin absorbs that array libraries of other machines round the constants of the text
        otherwise; `understated` tells whether a statement is true here.
        """
        return (
            f"eps = {stated_formula(self.bound.relative, self.bound.dtype)}, "
            f"eta = {stated_number(self.bound.absolute)}, |u| <= {int(self.bound.reach)}"
        )

    def understated(self, statement: str) -> bool:
        """Whether a line of a header states less than this bound, or is none."""
        return not states_at_least(statement, self.bound)


@dataclass(frozen=True)
class KernelBounds:
    """Bounds in every dtype: `holds`, `refuted` by a measurement, or `undecided` (the reason)."""

    verdict: str
    reason: str
    dtypes: Mapping[str, DtypeBound] = field(default_factory=dict)

    @property
    def failures(self) -> list[str]:
        """One line for every measured error beyond its bound."""
        beyond = [d.measured for d in self.dtypes.values() if not d.holds]
        return [f"rounding bound: {m}" for m in beyond]

    def header_lines(self) -> list[str]:
        """The bounds as lines for the header of a file; none where they are undecided."""
        if not self.dtypes:
            return []
        return [f"# error:       {LAW}"] + [
            f"# {dtype + ':':<12} {d.stated}" for dtype, d in self.dtypes.items()
        ]

    def false_statements(self, header: Mapping[str, str]) -> list[str]:
        """One line for every bound in a header that is smaller than what was found here."""
        return [
            f"the header states {header[dtype]!r} for {dtype}, but the bound of this text is "
            f"{d.stated!r}"
            for dtype, d in self.dtypes.items()
            if dtype in header and d.understated(header[dtype])
        ]


def judge(kernel: Kernel, plan: KernelPlan, *, dtypes: Sequence[str] = DTYPES) -> KernelBounds:
    """Bound a text in every dtype and measure that its errors lie inside.

    `undecided` with the reason where rounded elements do not cover the text; a kernel never makes
    it raise.
    """
    found: dict[str, DtypeBound] = {}
    try:
        with time_limit(SECONDS), np.errstate(all="ignore"):
            for dtype in dtypes:
                bound = rounding_bound(kernel, plan, dtype)
                safe = safe_position(kernel, plan, bound)
                found[dtype] = DtypeBound(bound, safe, measure(kernel, plan, bound))
    except (NotYetCovered, Undecided, KernelError) as error:
        return KernelBounds(UNDECIDED, str(error))
    verdict = HOLDS if all(d.holds for d in found.values()) else REFUTED
    added = "; the coordinates that realise the bias are not bounded" if plan.augmentations else ""
    return KernelBounds(
        verdict,
        "executed on elements that model every rounding; assumed: rounding to nearest, exp, sin "
        "and cos of float64 within one unit in the last place; fused or not, any order of "
        f"summation{added}",
        found,
    )


__all__ = ["DtypeBound", "KernelBounds", "judge"]
