"""Certified bounds of the resolvent R(z) = (X − zI)⁻¹, and where X − zI is nearly singular.

σ_min(X − zI) = 1/‖R(z)‖₂ is the spectral norm of the smallest E, real or complex, for which z is an
eigenvalue of X + E. All bounds are balls; what is only an approximation says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from flint import acb, acb_mat, arb, arb_mat, fmpq, fmpq_mat

from symbolic_pe.algebra.scalar import precision

SQUARINGS = 5
"""tr((AᴴA)^(2^k))^(1/2^(k+1)) exceeds ‖A‖₂ by at most the factor n^(1/2^(k+1))."""
MAX_TERMS = 96
NEGLIGIBLE = fmpq(1, 256)
"""The expansion about z₀ goes on until |h|ᵐ‖R(z₀)ᵐ‖ is below this: few terms when X is normal,
many where ‖R‖ is far larger than the inverse distance to the spectrum."""
MAX_ARCS = 800
FIRST_ARCS = 8
SHARES = tuple(fmpq(k, 32) for k in (31, 30, 28, 24, 16, 8))
"""Parts of the sampled minimum that are tried as certified levels."""
FIRST_SQUARINGS = 3
MAX_SQUARINGS = 24
CONVERGED = 48
"""Bits below the trace of H at which what is left of it counts as nothing."""


def balls_of(x: fmpq_mat) -> acb_mat:
    """A rational matrix as balls at the current precision."""
    return acb_mat(arb_mat([[arb(entry) for entry in row] for row in x.tolist()]))


def frobenius_norm(a: acb_mat) -> arb:
    """‖A‖_F."""
    total = arb(0)
    for z in a.entries():
        total += z.real * z.real + z.imag * z.imag
    return total.sqrt()


def spectral_norm_bound(a: acb_mat, squarings: int = SQUARINGS) -> arb:
    """An upper bound of ‖A‖₂, larger by at most the factor n^(1/2^(squarings+1)).

    With H = AᴴA and m a power of two, ‖A‖₂^(2m) ≤ tr Hᵐ ≤ n·‖A‖₂^(2m).
    """
    h = a.conjugate().transpose() * a
    for _ in range(squarings):
        h = h * h
    bound = abs(h.trace().real)
    for _ in range(squarings + 1):
        bound = bound.sqrt()
    return bound.upper()


def resolvent(x: acb_mat, z: acb) -> acb_mat | None:
    """(X − zI)⁻¹ as balls, or None where X − zI cannot be told from a singular matrix."""
    n = x.nrows()
    try:
        return (x - acb_mat([[z if i == j else 0 for j in range(n)] for i in range(n)])).inv()
    except ZeroDivisionError:
        return None


# -- approximations ---------------------------------------------------------------------------


@dataclass(frozen=True)
class SingularTriple:
    """(X − zI)v ≈ σu with the smallest σ; an approximation (midpoints of balls)."""

    z: acb
    sigma: arb
    left: acb_mat
    right: acb_mat

    @property
    def slope(self) -> acb:
        """uᴴv: σ changes by −Re(uᴴv·dz), so it is 0 where σ_min is stationary."""
        return (self.left.conjugate().transpose() * self.right)[0, 0].mid()


def singular_triple(x: acb_mat, z: acb) -> SingularTriple | None:
    """The smallest singular triple of X − zI; None at an eigenvalue.

    H = R·Rᴴ is squared until it is numerically of rank one or two; in the plane of rank two,
    where two singular values nearly cross, the Rayleigh–Ritz vectors of H tell them apart.
    """
    real = z.imag == 0
    matrix: Any = x.real if real else x
    point: Any = z.real if real else z
    n = x.nrows()
    shift = type(matrix)([[point if i == j else 0 for j in range(n)] for i in range(n)])
    try:
        inverse = (matrix - shift).inv().mid()
    except ZeroDivisionError:
        return None
    adjoint = _adjoint(inverse)
    gram = _normalised(inverse * adjoint)
    right, second, power = None, None, gram
    for step in range(MAX_SQUARINGS):
        power = _normalised(power * power)
        if step < FIRST_SQUARINGS:
            continue
        right, rest = _peeled(power)
        if abs(rest.trace()) < arb(2) ** -CONVERGED:
            break
        second, rest = _peeled(rest)
        if abs(rest.trace()) < arb(2) ** -CONVERGED:
            right = _ritz_vector(gram, right, second)
            break
    vector = unit(acb_mat(right))
    image = (acb_mat(adjoint) * vector).mid()
    # Rᴴv = u/σ
    size = frobenius_norm(image).mid()
    return SingularTriple(z, (1 / size).mid(), (image * (1 / size)).mid(), vector)


def _peeled(h: Any) -> tuple[Any, Any]:
    """One step of pivoted Cholesky: c and H − c·cᴴ."""
    n = h.nrows()
    sizes = [_real_part(h[j, j]) for j in range(n)]
    pivot = max(range(n), key=lambda j: float(sizes[j].mid()))
    scale = 1 / sizes[pivot].mid().sqrt().mid()
    column = type(h)([[h[i, pivot] * scale] for i in range(n)]).mid()
    return column, (h - column * _adjoint(column)).mid()


def _ritz_vector(h: Any, first: Any, second: Any) -> Any:
    """The vector of largest Rayleigh quotient of H in a plane."""
    e = (first * (1 / _length(first))).mid()
    f = (second - e * (_adjoint(e) * second)[0, 0]).mid()
    f = (f * (1 / _length(f))).mid()
    image_e, image_f = h * e, h * f
    a = _real_part((_adjoint(e) * image_e)[0, 0]).mid()
    d = _real_part((_adjoint(f) * image_f)[0, 0]).mid()
    b = (_adjoint(e) * image_f)[0, 0].mid()
    half = ((a - d) / 2).mid()
    root = (half * half + abs(b) ** 2).mid().sqrt().mid()
    # (T − μ)w = 0 for T = [[a, b], [b̄, d]], μ = (a + d)/2 + root: the better of two formulas
    if half > 0:
        conjugate = b.conjugate() if hasattr(b, "conjugate") else b
        return e * (half + root) + f * conjugate
    return e * b + f * (root - half) if root > 0 else e


def _length(v: Any) -> Any:
    return _real_part((_adjoint(v) * v)[0, 0]).mid().sqrt().mid()


def _real_part(z: Any) -> Any:
    return z.real if isinstance(z, acb) else z


def _adjoint(a: Any) -> Any:
    return a.conjugate().transpose() if isinstance(a, acb_mat) else a.transpose()


def _normalised(h: Any) -> Any:
    return (h * (1 / abs(h.trace()).mid())).mid()


def unit(v: acb_mat) -> acb_mat:
    """v/‖v‖, midpoints."""
    return (v / frobenius_norm(v).mid()).mid()


# -- contours ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Circle:
    """|z − centre| = radius, with dyadic centre and radius."""

    real: fmpq
    imaginary: fmpq
    radius: fmpq

    @property
    def centre(self) -> acb:
        """The centre as a ball."""
        return acb(arb(self.real), arb(self.imaginary))

    def side(self, z: acb) -> int | None:
        """−1 when the ball z is inside, 1 when it is outside, None when it may touch."""
        distance = abs(z - self.centre)
        if distance < arb(self.radius):
            return -1
        return 1 if distance > arb(self.radius) else None

    def at(self, turn: fmpq) -> acb:
        """The point at an angle, in turns."""
        angle = 2 * arb(turn)
        return self.centre + arb(self.radius) * acb(angle.cos_pi(), angle.sin_pi())

    def towards(self, z: acb) -> acb:
        """About the point of the circle that is nearest to z."""
        away = (z - self.centre).mid()
        return (self.centre + away * (arb(self.radius) / abs(away))).mid()

    def arcs(self, count: int) -> list[tuple[fmpq, fmpq]]:
        """Arcs that cover it; the upper half for a centre on the real axis (X is real)."""
        whole = fmpq(1, 2) if self.imaginary == 0 else fmpq(1)
        return [(whole * k / count, whole * (k + 1) / count) for k in range(count)]

    def reach(self, arc: tuple[fmpq, fmpq]) -> arb:
        """No point of the arc is farther from its middle than this: radius times half the angle."""
        return (arb(self.radius) * arb.pi() * arb(arc[1] - arc[0])).upper()


def sampled_minimum(
    x: acb_mat,
    circle: Circle,
    count: int,
    norm: Callable[[acb_mat], arb],
    beside: Sequence[acb] = (),
) -> arb | None:
    """The least 1/‖R(z)‖ at points of the circle: an approximation of its minimum.

    The points are the middles of `count` arcs, and those nearest to the values in `beside`.
    """
    least: arb | None = None
    points = [circle.at((start + end) / 2) for start, end in circle.arcs(count)]
    for point in [*points, *(circle.towards(value) for value in beside)]:
        inverse = resolvent(x, point)
        if inverse is None:
            return None
        value = 1 / norm(inverse).mid()
        if least is None or value < least:
            least = value
    return least


def stays_above(x: acb_mat, circle: Circle, level: fmpq) -> bool:
    """True when σ_min(X − zI) ≥ level is certified for every z on the circle.

    About the middle z₀ of an arc, with h = z − z₀ and any m,

        R(z) = Σ_q (hᵐR(z₀)ᵐ)^q · Σ_{j<m} h^j R(z₀)^{j+1},

    so ‖R(z)‖ ≤ Σ_{j<m} |h|^j‖R(z₀)^{j+1}‖ / (1 − |h|ᵐ‖R(z₀)ᵐ‖). Arcs are halved until that is at
    most 1/level. False means that a middle has more, or that the budget of arcs did not suffice.
    """
    allowed = 1 / arb(level)
    pending = circle.arcs(FIRST_ARCS)
    for _ in range(MAX_ARCS):
        if not pending:
            return True
        start, end = pending.pop()
        inverse = resolvent(x, circle.at((start + end) / 2))
        if inverse is None:
            return False
        norm = frobenius_norm(inverse).upper()
        if norm > allowed:
            norm = spectral_norm_bound(inverse)
            if norm > allowed:
                return False
        if not _bounded_near(inverse, norm, circle.reach((start, end)), allowed):
            middle = (start + end) / 2
            pending.extend([(start, middle), (middle, end)])
    return False


def _bounded_near(inverse: acb_mat, norm: arb, reach: arb, allowed: arb) -> bool:
    """Whether ‖R(z₀ + h)‖ ≤ allowed for |h| ≤ reach, by the expansion of `stays_above`."""
    total, power, weight = norm, inverse, arb(1)
    for _ in range(MAX_TERMS):
        power, weight = power * inverse, weight * reach
        size = frobenius_norm(power)
        # reachᵐ‖R(z₀)ᵐ‖ for the m that would end the expansion here
        rest = weight * reach * size
        total += weight * size
        if total > allowed:
            return False
        if rest < arb(NEGLIGIBLE):
            return bool(total / (1 - rest) <= allowed)
    return False


def certified_level(
    x: acb_mat, circle: Circle, bits: int, beside: Sequence[acb] = ()
) -> fmpq | None:
    """A number that σ_min(X − zI) certainly reaches everywhere on the circle, or None.

    The sampled minimum is only a guess of what can be certified; see `stays_above`.
    """
    with precision(bits):
        guess = sampled_minimum(x, circle, 4 * FIRST_ARCS, spectral_norm_bound, beside)
        if guess is None or not guess > 0:
            return None
        for share in SHARES:
            level = share * dyadic(guess, 24)
            if level > 0 and stays_above(x, circle, level):
                return level
    return None


def exact_midpoint(x: arb) -> fmpq:
    """The midpoint of a ball, which is a dyadic number."""
    mantissa, exponent = x.mid().man_exp()
    return fmpq(int(mantissa)) * fmpq(2) ** int(exponent)


def dyadic(x: arb, digits: int) -> fmpq:
    """The midpoint to some significant bits."""
    middle = exact_midpoint(x)
    if middle == 0:
        return middle
    size = int(abs(middle.p)).bit_length() - int(middle.q).bit_length()
    scale = fmpq(2) ** (digits - size)
    return fmpq((middle * scale + fmpq(1, 2)).floor()) / scale
