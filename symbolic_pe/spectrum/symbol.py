"""The symbol of a kernel: what its Fourier series Σ κ(τ)e^{−iωτ} is, by Jordan type.

eigenvalue 0         an atom of mass m at ω = 0
±bi                  atoms of mass m/2 at ω = ±b
a < 0                m times the Poisson kernel P_r(ω) = (1 − r²)/(1 − 2r·cos ω + r²), r = e^a
a ± bi, a < 0        m/2 times P_r(ω − b) + P_r(ω + b)
chains of length L   scores also hold τ^k e^{(a+bi)τ}, k < L: the k-th derivatives in ω, which
                     take both signs, so that no theorem on positive kernels applies to them
a > 0                none: the series diverges
bias −m|τ|           m/(2 sin²(ω/2)) away from 0, a distribution at 0
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from flint import fmpq

from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.real_number import RealNumber
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.spectrum.kernel import NOUGHT, Component, PositionalKernel, folded


@dataclass(frozen=True)
class SymbolPart:
    """One part of the symbol.

    kind         `atom`, `poisson`, `growing` or `bias`
    mass         its share of κ(0), or None for a bias
    centre       the frequencies it is centred at, as text: `0` or `±b`
    rate         a in r = e^a, for a Poisson kernel
    derivatives  orders of derivatives that scores may add, from Jordan chains
    formula      as a function of ω
    """

    kind: str
    mass: fmpq | None
    centre: str
    rate: str
    derivatives: int
    formula: str


def symbol(kernel: PositionalKernel) -> tuple[SymbolPart, ...]:
    """The parts of the symbol of a kernel, component by component."""
    return tuple(_part(c) for c in kernel.components)


def _part(c: Component) -> SymbolPart:
    b = c.frequency.text
    centre = f"+-({b})" if c.turns else "0"
    order = c.longest_chain - 1
    if c.rate_sign > 0:
        return SymbolPart(
            "growing", c.mass, centre, c.rate.text, order, "none: the series diverges"
        )
    if c.rate_sign == 0:
        formula = (
            f"{c.mass / 2}*(delta(w - {b}) + delta(w + {b}))" if c.turns else f"{c.mass}*delta(w)"
        )
        return SymbolPart("atom", c.mass, centre, "0", order, formula)
    formula = (
        f"{c.mass / 2}*(P_r(w - {b}) + P_r(w + {b}))" if c.turns else f"{c.mass}*P_r(w)"
    ) + f", r = exp({c.rate.text})"
    return SymbolPart("poisson", c.mass, centre, c.rate.text, order, formula)


def bias_symbol(bias: ExponentialPolynomial) -> SymbolPart:
    """The symbol of an additive bias, a polynomial in |τ|."""
    slope = bias_slope(bias)
    if slope is None:
        what = "atoms" if bias_kernel(bias) is not None else "a distribution"
        return SymbolPart("bias", None, "0", "0", 0, f"{what}: the bias is {bias}")
    return SymbolPart(
        "bias", None, "0", "0", 1, f"{slope}/(2*sin(w/2)^2) for w != 0, a distribution at 0"
    )


def bias_slope(bias: ExponentialPolynomial) -> Scalar | None:
    """The m of a bias −m·τ with m > 0; None for any other."""
    if len(bias.terms) != 1:
        return None
    ((term, coefficient),) = bias.terms.items()
    if term.powers != (1,) or not term.exponents[0].is_zero() or not coefficient.im.is_zero():
        return None
    slope = -coefficient.re
    return slope if not slope.parameters() and slope.sign() > 0 else None


def bias_kernel(bias: ExponentialPolynomial) -> tuple[fmpq, PositionalKernel] | None:
    """c and κ with bias(τ) = c·κ(τ) + constant, which softmax does not see.

    For Σ c_k cos(b_kτ) with rational c_k > 0, a kernel of atoms; None for any other bias.
    """
    found: dict[str, Component] = {}
    for term, coefficient in bias.terms.items():
        (rate,) = term.exponents
        known = coefficient.im.is_zero() and coefficient.re.is_rational()
        if any(term.powers) or not rate.re.is_zero() or not known or rate.im.parameters():
            return None
        value = coefficient.re.rational_value()
        if rate.im.is_zero():
            continue
        if value <= 0:
            return None
        frequency = rate.im if rate.im.sign() >= 0 else -rate.im
        number = RealNumber.of(folded(frequency))
        before = found.get(number.text)
        found[number.text] = Component(
            value if before is None else before.mass + value,
            NOUGHT,
            0,
            number,
            turns=number.text != "0",
        )
    total = sum((c.mass for c in found.values()), start=fmpq(0))
    if total == 0 or not _is_even(bias):
        return None
    parts = tuple(replace(c, mass=c.mass / total) for c in found.values())
    return total, PositionalKernel(2 * len(parts), parts)


def _is_even(bias: ExponentialPolynomial) -> bool:
    """bias(−τ) = bias(τ)."""
    (name,) = bias.variables
    return (bias.compose({name: 1}) - bias.compose({name: -1})).vanishes()
