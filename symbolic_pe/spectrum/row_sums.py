"""‖K1‖² = Σ_i (Σ_j κ(i − j))² in closed form: what row-centring takes away.

With z = e^{a+ib}, Σ_{t≤i} z^t + Σ_{0<t<n−i} z^t = (1 + z − z^{i+1} − z^{n−i})/(1 − z), and n for
z = 1. Products of two rows are geometric sums,

    Σ_i (zw)^{i+1} = zw(1 − (zw)^n)/(1 − zw),    Σ_i z^{i+1}w^{n−i} = zw(z^n − w^n)/(z − w).
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import acb, arb

from symbolic_pe.spectrum.kernel import Component, PositionalKernel


@dataclass(frozen=True)
class _Row:
    """Re(c·(z^{i+1} + z^{n−i})) of one component.

    real   z is real
    lasts  |z| = 1
    """

    weight: acb
    z: acb
    power: acb
    real: bool
    lasts: bool


def squared_row_sums(kernel: PositionalKernel, length: int) -> arb:
    """‖K1‖² at the current precision; the caller raises it, as the closed form cancels.

    Some component must decay: atoms alone have Gram matrices.
    """
    constant = arb(0)
    rows: list[_Row] = []
    for c in kernel.components:
        if c.rate_sign == 0 and not c.turns:
            constant += c.mass * length
            continue
        z = c.exponent.exp()
        constant += (c.mass * (1 + z) / (1 - z)).real
        rows.append(
            _Row(-c.mass / (1 - z), z, (length * c.exponent).exp(), _is_real(c), c.rate_sign == 0)
        )
    total = length * constant * constant
    for row in rows:
        total += 4 * constant * (row.weight * row.z * (1 - row.power) / (1 - row.z)).real
    for i, first in enumerate(rows):
        for second in rows[: i + 1]:
            factor = 1 if second is first else 2
            total += factor * _product(first, second, length)
    return total


def _is_real(c: Component) -> bool:
    return not c.turns or c.frequency.text == "pi"


def _product(first: _Row, second: _Row, n: int) -> arb:
    """Σ_i Re(c·u_i)·Re(d·v_i) = ½·Re Σ_i (c·d·u_i·v_i + c·d̄·u_i·v̄_i)."""
    same = first is second
    stays = same and first.lasts
    one = _terms(first, second.z, second.power, n, equal=same, unit=stays and first.real)
    conjugate, power = second.z.conjugate(), second.power.conjugate()
    other = _terms(first, conjugate, power, n, equal=same and first.real, unit=stays)
    weight = second.weight
    return (first.weight * (weight * one + weight.conjugate() * other)).real / 2


def _terms(first: _Row, w: acb, w_n: acb, n: int, *, equal: bool, unit: bool) -> acb:
    """Σ_i (z^{i+1} + z^{n−i})(w^{i+1} + w^{n−i}); `equal`: z = w, `unit`: zw = 1, exactly."""
    z, z_n = first.z, first.power
    product = z * w
    straight = acb(n) if unit else product * (1 - z_n * w_n) / (1 - product)
    crossed = n * z * z_n if equal else product * (z_n - w_n) / (z - w)
    return 2 * (straight + crossed)
