"""The spectrum of the n × n positional kernel, with certified enclosures.

rotations only   the 2P × 2P Gram matrices give every eigenvalue, for any n
with decay       the largest eigenvalue from both sides; norms in closed form
linear bias      closed form
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from flint import acb, arb, arb_mat, fmpq

from numeric_check.spectrum.dense import (
    MAX_DENSE,
    kernel_values,
    largest_eigenvalue,
    lower_bound,
)
from numeric_check.spectrum.eigenbasis import (
    certified_eigenvalues,
    certified_product_eigenvalues,
)
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.errors import Undecided
from symbolic_pe.spectrum.eigenvalues import square_root
from symbolic_pe.spectrum.gram import Gram, gram
from symbolic_pe.spectrum.kernel import Component, DoesNotApply, PositionalKernel
from symbolic_pe.spectrum.linear_bias import bias_spectrum
from symbolic_pe.spectrum.sums import accurate, exact_sum, toeplitz, triangular
from symbolic_pe.spectrum.symbol import largest_value

BITS = 160
MAX_INVERTED = 128
MAX_INVERSE_BITS = 4096


@dataclass(frozen=True)
class Centred:
    """K(I − 11ᵀ/n), which is all of K that softmax over keys sees.

    largest         its largest singular value
    effective_rank  (Σσ)²/Σσ²
    share           ‖K(I − 11ᵀ/n)‖²_F/‖K‖²_F
    """

    largest: arb | None
    effective_rank: arb | None
    share: arb


@dataclass(frozen=True)
class Spectrum:
    """What is known of the eigenvalues of K; every number is an enclosure.

    eigenvalues     the non-zero ones from the largest down, where all are known
    largest         λ_max(K)
    effective_rank  (Σσ)²/Σσ², the participation ratio of the singular values
    rank            exact rank
    condition       λ_max/λ_min where K is invertible and it is known; `no_condition` says why not
    limit           lim λ_max/n for n → ∞
    method          how the eigenvalues were enclosed
    """

    length: int
    largest: arb
    effective_rank: arb
    rank: int
    limit: fmpq | None
    method: str
    eigenvalues: tuple[arb, ...] = ()
    centred: Centred | None = None
    condition: arb | None = None
    no_condition: str = ""


def kernel_spectrum(kernel: PositionalKernel, length: int, *, dense: int = MAX_DENSE) -> Spectrum:
    """The spectrum of κ(i − j), 0 ≤ i, j < n; kernels that decay are factored up to n = `dense`.

    Raises `DoesNotApply` for kernels that grow, `Undecided` when an enclosure is not reached.
    """
    if kernel.grows:
        raise DoesNotApply(
            "the kernel grows with the lag, so |lag| has no bounded symbol and eigenvalues say "
            "how long the sequence is, not what the encoding does"
        )
    if kernel.is_almost_periodic:
        return _of_rotations(kernel, length)
    return _with_decay(kernel, length, dense)


# -- rotations --------------------------------------------------------------------------------


def _of_rotations(kernel: PositionalKernel, length: int) -> Spectrum:
    with precision(BITS):
        found = gram(kernel, length)
        every = certified_eigenvalues(found.even) + certified_eigenvalues(found.odd)
        every.sort(key=lambda x: -float(x.mid()))
        points = points_on_the_circle(kernel)
        rank = min(length, points)
        every = [x.nonnegative_part() for x in every[:rank]]
        # Σλ = tr K = n, Σλ² = ‖K‖²_F
        spread = arb(length) ** 2 / found.squared_norm
        condition, why = _condition(kernel, length, points, every[0])
        return Spectrum(
            length,
            every[0],
            spread,
            rank,
            max(c.mass / 2 if _is_pair(c) else c.mass for c in kernel.components),
            "every eigenvalue through the Gram matrices of the head",
            tuple(every),
            _centred(found),
            condition,
            why,
        )


def points_on_the_circle(kernel: PositionalKernel) -> int:
    """How many e^{iφ} the kernel has mass on: the rank of K once n is as large (Vandermonde)."""
    return sum(2 if _is_pair(c) else 1 for c in kernel.components)


def _is_pair(c: Component) -> bool:
    """False for the frequencies 0 and π, where both signs are one point."""
    return c.turns and c.frequency.text != "pi"


def _centred(found: Gram) -> Centred:
    even, odd = found.even, found.odd
    squares = certified_product_eigenvalues(even, found.centred_even)
    values = [square_root(x) for x in squares]
    values += [x.nonnegative_part() for x in certified_eigenvalues(odd)]
    norm = found.centred_squared_norm
    largest = _largest(values)
    share = norm / found.squared_norm
    if not norm > 0:
        return Centred(largest, None, share)
    return Centred(largest, sum(values, start=arb(0)) ** 2 / norm, share)


def _largest(values: list[arb]) -> arb:
    """A ball for the maximum of balls."""
    low = max((x.lower() for x in values), key=float)
    high = max((x.upper() for x in values), key=float)
    return arb(low).union(arb(high))


def _condition(
    kernel: PositionalKernel, length: int, points: int, largest: arb
) -> tuple[arb | None, str]:
    if length > points:
        return None, (
            f"K is singular: its rank is {points} for every n >= {points}, so there is no "
            "condition number"
        )
    if length > MAX_INVERTED:
        return None, f"not computed for n > {MAX_INVERTED}"
    bits = 512
    while bits <= MAX_INVERSE_BITS:
        with precision(bits):
            top = _largest_of_inverse([kernel.value(t) for t in range(length)])
            if top is not None:
                return largest * top, ""
        bits *= 2
    return None, f"K is invertible, but nearer to singular than {MAX_INVERSE_BITS} bits tell"


def _largest_of_inverse(values: Sequence[arb]) -> arb | None:
    """λ_max(K⁻¹) to 20 bits, or None when the precision does not give it."""
    n = len(values)
    try:
        inverse = toeplitz(values).inv()
    except ZeroDivisionError:
        return None
    scale = inverse[n // 2, n // 2]
    if not scale.is_finite() or scale.rel_accuracy_bits() < 64:
        return None
    scaled = arb_mat([[x / scale for x in row] for row in inverse.tolist()])
    try:
        top = certified_eigenvalues(scaled)[0] * scale
    except Undecided:
        return None
    return top if top.is_finite() and top.rel_accuracy_bits() > 20 else None


# -- decay ------------------------------------------------------------------------------------


def _with_decay(kernel: PositionalKernel, length: int, dense: int) -> Spectrum:
    norm = accurate(lambda: squared_norm(kernel, length))
    part = min(length, dense)
    low, high = largest_eigenvalue(kernel_values(kernel, part))
    if part < length <= MAX_DENSE:
        low = max(low, lower_bound(kernel_values(kernel, length)))
    with precision(BITS):
        upper = arb(high) * (-(-length // part))  # λ_max(K_{a+b}) ≤ λ_max(K_a) + λ_max(K_b)
        bound = largest_value(kernel)
        if bound is not None and bound < upper:
            upper = bound
        lower = arb(low)
        if length > MAX_DENSE:
            waves = (_fejer(kernel, c, length) for c in kernel.components)
            lower = max((lower, *waves), key=float)
        smallest = sum(
            (c.mass * (-c.rate.enclosure() / 2).tanh() for c in kernel.components if c.rate_sign),
            start=arb(0),
        )
        largest = arb(lower.lower()).union(arb(upper.upper()))
        condition = (largest / smallest).upper()
    decays_alone = all(c.rate_sign < 0 for c in kernel.components)
    return Spectrum(
        length,
        largest,
        arb(length) ** 2 / norm,
        length,
        fmpq(0)
        if decays_alone
        else max(
            c.mass / 2 if _is_pair(c) else c.mass for c in kernel.components if c.rate_sign == 0
        ),
        "the largest eigenvalue from a Rayleigh quotient and a Cholesky factorisation"
        + ("" if length == part else f" of {part} positions, and by the symbol"),
        no_condition="not computed; the symbol shows that it is at most "
        + condition.str(3, radius=False),
    )


def squared_norm(kernel: PositionalKernel, length: int) -> arb:
    """‖K‖²_F = Σ_{|τ|<n} (n − |τ|)·κ(τ)², by geometric sums."""
    total = arb(0)
    parts = kernel.components
    bases = [c.exponent.exp() for c in parts]
    powers = [(length * c.exponent).exp() for c in parts]
    for i, first in enumerate(parts):
        for j, second in enumerate(parts[: i + 1]):
            weight = first.mass * second.mass * (1 if i == j else 2) / 2
            for sign, z, power in (
                (1, bases[i] * bases[j], powers[i] * powers[j]),
                (-1, bases[i] * bases[j].conjugate(), powers[i] * powers[j].conjugate()),
            ):
                one = _is_zero(first, second, sign)
                total += weight * triangular(length, z, power, is_one=one)
    return total


def _is_zero(first: Component, second: Component, sign: int) -> bool:
    """Whether a + a′ + i(b ± b′) is 0 modulo 2πi."""
    if first.rate_sign or second.rate_sign:
        return False
    total = exact_sum(first.frequency, second.frequency, sign)
    if total is None:
        return False
    turns = total / (Scalar.rational(2) * Scalar.symbol("pi"))
    return turns.is_rational() and turns.rational_value().q == 1


def _fejer(kernel: PositionalKernel, at: Component, length: int) -> arb:
    """The Rayleigh quotient of e^{ibx}: (1/n)·Σ_{|τ|<n} (n − |τ|)·κ(τ)·cos(bτ)."""

    still = replace(at, rate_sign=0)

    def quotient() -> arb:
        total = arb(0)
        for c in kernel.components:
            for sign in (1, -1):
                w = c.exponent + sign * at.exponent.imag * acb(0, 1)
                one = c.rate_sign == 0 and _is_zero(c, still, sign)
                total += c.mass / 2 * triangular(length, w.exp(), (length * w).exp(), is_one=one)
        return total / length

    return accurate(quotient, bits=32)


# -- linear bias ------------------------------------------------------------------------------


def linear_bias_spectrum(slope: Scalar, length: int) -> Spectrum:
    """The spectrum of −m|i − j|: one negative eigenvalue, n − 1 positive ones, trace 0."""
    with precision(BITS):
        found = bias_spectrum(slope, length)
        return Spectrum(
            length,
            found.largest,
            found.nuclear**2 / found.squared_norm,
            length,
            None,
            "closed form; eigenvalues are m/(2 sin(w/2)^2) and one of -m/(2 sinh(h/2)^2)",
            no_condition="the matrix is indefinite: its inertia is (n - 1, 1)",
        )
