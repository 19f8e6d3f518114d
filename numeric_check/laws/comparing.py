"""Two calls that have to give the same numbers: what the laws about calling a kernel share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from numeric_check.kernels.kernel import AnyArray, describe
from numeric_check.laws.result import Evidence
from numeric_check.laws.subject import Subject

AGREEMENT = 2.0**-40
"""Two ways to one result in float64 may differ by a few hundred roundings, no more."""


@dataclass(frozen=True)
class Twice:
    """One law, measured by calling twice.

    law    its name
    dtype  under which it is recorded
    """

    subject: Subject
    law: str
    dtype: str = "float64"

    def same(
        self,
        note: str,
        expected: AnyArray | None,
        call: Callable[..., Any],
        *arguments: Any,
        agreement: float = AGREEMENT,
    ) -> None:
        """Record whether a call gives the expected numbers, of the same shape.

        Nothing is expected where the first call failed, which is recorded already.
        """
        if expected is None:
            return
        found = self.called(note, call, *arguments)
        if found is None:
            return
        if found.shape != expected.shape:
            self.refute(f"{note}: shape {found.shape}, expected {expected.shape}")
            return
        finite = np.isfinite(expected)
        size = float(np.max(np.abs(expected), initial=0.0, where=finite))
        apart = float(np.max(np.abs(found - expected), initial=0.0, where=finite))
        alike = np.array_equal(finite, np.isfinite(found))
        self.record(note, apart if alike else np.inf, agreement * size)

    def called(self, note: str, call: Callable[..., Any], *arguments: Any) -> AnyArray | None:
        """The result in float64; None where the call failed, which is recorded."""
        try:
            return np.asarray(self.subject.kernel.fetch(call(*arguments)), np.float64)
        except Exception as error:
            self.refute(f"{note}: raised {describe(error)}")
            return None

    def holds(self, note: str, condition: bool) -> None:
        """Record a yes or no."""
        self.record(note, 0.0 if condition else np.inf, 0.0)

    def refute(self, note: str) -> None:
        """Record that it failed."""
        self.record(note, np.inf, 0.0)

    def record(self, note: str, error: float, tolerance: float) -> None:
        """Record one measurement."""
        line = f"symbolic-pe check {self.subject.kernel.module}.py"
        where = self.subject.where(note=note)
        self.subject.ledger.record(
            self.law, self.dtype, error, tolerance, lambda: Evidence(where, line)
        )


def failure(call: Callable[..., Any], *arguments: Any, **named: Any) -> Exception | None:
    """What a call raises."""
    try:
        call(*arguments, **named)
    except Exception as error:
        return error
    return None


__all__ = ["AGREEMENT", "Twice", "failure"]
