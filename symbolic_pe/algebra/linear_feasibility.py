"""Whether strict and weak linear inequalities have a real solution: Fourier–Motzkin, exact.

Each inequality is Σ aᵢxᵢ + b > 0 (strict) or ≥ 0. A variable is eliminated by adding, for each pair
of a lower and an upper bound on it, their positive combination; the system is feasible exactly when
no constant inequality that remains is false.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flint import fmpq

MAX_INEQUALITIES = 2000


@dataclass(frozen=True)
class Inequality:
    """Σ coefficients·x + constant > 0, or ≥ 0 when not strict."""

    coefficients: Mapping[str, fmpq]
    constant: fmpq
    strict: bool


def is_feasible(system: Sequence[Inequality]) -> bool | None:
    """Decide whether a real point satisfies all inequalities; None above the size limit."""
    current = list(system)
    names = sorted({n for inequality in current for n in inequality.coefficients})
    for name in names:
        current = _without(current, name)
        if len(current) > MAX_INEQUALITIES:
            return None
    return all(i.constant > 0 or (i.constant == 0 and not i.strict) for i in current)


def _without(system: Sequence[Inequality], name: str) -> list[Inequality]:
    """Eliminate one variable."""
    lower = [i for i in system if i.coefficients.get(name, fmpq(0)) > 0]
    upper = [i for i in system if i.coefficients.get(name, fmpq(0)) < 0]
    rest = [i for i in system if i.coefficients.get(name, fmpq(0)) == 0]
    combined = [
        _combination(low, high, -high.coefficients[name], low.coefficients[name])
        for low in lower
        for high in upper
    ]
    return rest + combined


def _combination(a: Inequality, b: Inequality, x: fmpq, y: fmpq) -> Inequality:
    """x·a + y·b for positive x, y."""
    names = {*a.coefficients, *b.coefficients}
    zero = fmpq(0)
    total = {n: x * a.coefficients.get(n, zero) + y * b.coefficients.get(n, zero) for n in names}
    return Inequality(
        {n: c for n, c in total.items() if c != 0},
        x * a.constant + y * b.constant,
        a.strict or b.strict,
    )
