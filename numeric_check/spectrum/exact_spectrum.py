"""The spectrum of the n × n positional kernel, with certified enclosures.

rotations only   the 2P × 2P Gram matrices give every eigenvalue, for any n
with decay       see `decaying`
linear bias      closed form
"""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb, arb_mat

from numeric_check.spectrum.decaying import decaying_spectrum
from numeric_check.spectrum.dense import MAX_DENSE
from numeric_check.spectrum.eigenbasis import (
    certified_eigenvalues,
    certified_product_eigenvalues,
)
from numeric_check.spectrum.spectrum import Centred, Spectrum, is_pair, largest_atom
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.errors import Undecided
from symbolic_pe.spectrum.eigenvalues import square_root
from symbolic_pe.spectrum.gram import Gram, gram
from symbolic_pe.spectrum.kernel import DoesNotApply, PositionalKernel
from symbolic_pe.spectrum.linear_bias import bias_spectrum
from symbolic_pe.spectrum.sums import toeplitz

BITS = 160
MAX_INVERTED = 128
MAX_INVERSE_BITS = 4096


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
    return decaying_spectrum(kernel, length, dense)


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
            largest_atom(kernel),
            "every eigenvalue through the Gram matrices of the head",
            tuple(every),
            _centred(found),
            condition,
            why,
        )


def points_on_the_circle(kernel: PositionalKernel) -> int:
    """How many e^{iφ} the kernel has mass on: the rank of K once n is as large (Vandermonde)."""
    return sum(2 if is_pair(c) else 1 for c in kernel.components)


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
            centred=Centred(found.largest_centred, None, arb(found.centred_share)),
            no_condition="the matrix is indefinite: its inertia is (n - 1, 1)",
        )
