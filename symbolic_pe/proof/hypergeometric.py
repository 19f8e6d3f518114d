"""Sums and derivatives with a symbolic index: terms known by their ratios.

F(n, k, t, …) is hypergeometric when F(n + 1, k)/F, F(n, k + 1)/F and (∂F/∂t)/F are rational in all
variables. For such terms an identity that is linear in shifts and derivatives becomes, after
division by F, an identity of rational functions with n and k as symbols: decided for every n and k
at once. (Zeilberger 1990; Petkovšek, Wilf and Zeilberger, A = B, 1996.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from symbolic_pe.algebra.scalar import ONE, Scalar


@dataclass(frozen=True)
class HypergeometricTerm:
    """F by its ratios.

    shifts  index -> F(index + 1)/F(index)
    rates   variable -> (∂F/∂variable)/F

    >>> k, t = Scalar.symbol("k"), Scalar.symbol("t")
    >>> power = HypergeometricTerm({"k": t / (k + ONE)}, {"t": k / t})     # t^k/k!
    >>> str(power.shifted(k=-1)), power.is_consistent()
    ('k/t', True)
    """

    shifts: Mapping[str, Scalar]
    rates: Mapping[str, Scalar] = field(default_factory=dict)

    def shifted(self, **steps: int) -> Scalar:
        """F(index + step, …)/F as a rational function."""
        total, offset = ONE, dict.fromkeys(steps, 0)
        for index, step in steps.items():
            while offset[index] != step:
                if step < offset[index]:
                    offset[index] -= 1
                    total = total / self._at(self.shifts[index], offset)
                else:
                    total = total * self._at(self.shifts[index], offset)
                    offset[index] += 1
        return total

    def rate(self, variable: str) -> Scalar:
        """(∂F/∂variable)/F."""
        return self.rates[variable]

    def is_consistent(self) -> bool:
        """Shifts commute with each other and with derivatives, so that such an F exists.

        F(n + 1, k + 1) is reached on two ways, and ∂/∂t of log F(k + 1)/F is the difference of the
        two rates.
        """
        names = list(self.shifts)
        for i, a in enumerate(names):
            for b in names[i + 1 :]:
                one = self.shifts[a] * self._at(self.shifts[b], {a: 1})
                other = self.shifts[b] * self._at(self.shifts[a], {b: 1})
                if not (one - other).vanishes():
                    return False
        for variable, rate in self.rates.items():
            for index, ratio in self.shifts.items():
                change = self._at(rate, {index: 1}) - rate
                if not (logarithmic_derivative(ratio, variable) - change).vanishes():
                    return False
        return True

    @staticmethod
    def _at(x: Scalar, offset: Mapping[str, int]) -> Scalar:
        moved = {n: Scalar.symbol(n) + Scalar.rational(step) for n, step in offset.items() if step}
        return x.substitute(moved) if moved else x


def logarithmic_derivative(x: Scalar, variable: str) -> Scalar:
    """(dx/dvariable)/x of a rational function x."""
    top, bottom = x.base_value().split()
    parts = [Scalar({(): part.derivative(variable)}) / Scalar({(): part}) for part in (top, bottom)]
    return parts[0] - parts[1]
