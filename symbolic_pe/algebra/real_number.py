"""Real numbers that logarithms of matrices need: in the ring where they are, else to any precision.

ln q of a positive rational and the angles φ = arg(a + ib) that are rational multiples of π are in
the ring. Other angles, and logarithms of sums of roots, are transcendental and independent of what
the ring contains (Baker), so they stay what they are: a text, and a ball to any precision.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from flint import acb, arb, fmpq

from symbolic_pe.algebra.functions import logarithm, square_root
from symbolic_pe.algebra.printing import times
from symbolic_pe.algebra.rational_function import grouped
from symbolic_pe.algebra.scalar import ONE, Scalar, precision, radical_degree
from symbolic_pe.algebra.symbols import PI
from symbolic_pe.errors import OutsideTheRing, Undecided

MAX_ANGLE_DEGREE = 4
"""Angles whose cosine has a larger degree over Q are kept implicit without being tried."""
TEST_BITS = 256


@dataclass(frozen=True)
class RealNumber:
    """A real number: exact in the ring of `Scalar`, or None there and enclosed by balls.

    enclosure  a ball at the current precision (see `precision`)
    """

    text: str
    exact: Scalar | None
    enclosure: Callable[[], arb] = field(compare=False, repr=False)

    @classmethod
    def of(cls, x: Scalar) -> RealNumber:
        """A number of the ring."""
        return cls(str(x), x, lambda: x.ball({}))

    def times(self, factor: Scalar) -> RealNumber:
        """c·x for a number c of the ring."""
        if self.exact is not None:
            return RealNumber.of(factor * self.exact)
        if factor == ONE:
            return self
        return RealNumber(
            times(factor, [self.text]),
            None,
            lambda: factor.ball({}) * self.enclosure(),
        )

    def over(self, divisor: RealNumber) -> RealNumber:
        """x/y for y ≠ 0."""
        if self.exact is not None and divisor.exact is not None:
            return RealNumber.of(self.exact / divisor.exact)
        if divisor.exact is not None:
            return self.times(divisor.exact.inverse())
        return RealNumber(
            f"{grouped(self.text, '+-')}/({divisor.text})",
            None,
            lambda: self.enclosure() / divisor.enclosure(),
        )

    def decimal(self, digits: int) -> str:
        """A decimal, all printed digits right; `0 +- r` where only |x| ≤ r is known."""
        for bits in (4 * digits + 64, 1024):
            with precision(bits):
                ball = self.enclosure()
            if not ball.contains(0):
                break
        return decimal_of(ball, digits)


def decimal_of(ball: arb, digits: int) -> str:
    """A ball as a decimal, all printed digits right; `0 +- r` for a ball that contains 0."""
    if ball == 0 or not ball.contains(0):
        return str(ball.str(digits, radius=False))
    # one digit of 2r is at least r, however it is rounded
    return f"0 +- {(2 * abs(ball).upper()).str(1, radius=False)}"


def log_of_positive(x: Scalar) -> RealNumber:
    """ln x for a number x > 0.

    >>> log_of_positive(Scalar.rational(8)).text
    '3*log(2)'
    """
    try:
        return RealNumber.of(logarithm(x))
    except OutsideTheRing:
        return RealNumber(f"log({x})", None, lambda: x.ball({}).log())


def root_of_positive(x: Scalar) -> RealNumber:
    """√x for a number x > 0."""
    try:
        return RealNumber.of(square_root(x))
    except OutsideTheRing:
        return RealNumber(f"sqrt({x})", None, lambda: x.ball({}).sqrt())


def angle(a: Scalar, square: Scalar) -> RealNumber:
    """φ = arg(a + ib) in (0, π) for b = √square > 0, exact when it is a rational multiple of π.

    u = (a + ib)²/(a² + b²) = e^{2iφ}, and φ = πk/n exactly when uⁿ = 1, that is when the Chebyshev
    polynomial tₙ(u + ū) = uⁿ + ūⁿ is 2. With c = u + ū of degree d over Q, φ(n) ≤ 2d, hence
    n ≤ 8d²: finitely many n, each decided exactly.

    >>> angle(Scalar.rational(1), Scalar.rational(3)).text
    '1/3*pi'
    >>> angle(Scalar.rational(3), Scalar.rational(16)).text
    'arg(3 + 4*I)'
    """
    b = root_of_positive(square)

    def enclosure() -> arb:
        # a ball that contains a real number is enough: b > 0 keeps off the cut
        return acb(a.ball({}), b.enclosure()).arg()

    fraction = _turn(a, square, enclosure)
    if fraction is not None:
        return RealNumber.of(Scalar.rational(fraction) * Scalar.symbol(PI))
    imaginary = "I" if b.exact == ONE else f"{grouped(b.text, '+-')}*I"
    text = imaginary if a.is_zero() else f"{a} + {imaginary}"
    return RealNumber(f"arg({text})", None, enclosure)


def _turn(a: Scalar, square: Scalar, enclosure: Callable[[], arb]) -> fmpq | None:
    """φ/π when it is rational."""
    try:
        trace = Scalar.rational(2) * (a * a - square) / (a * a + square)
    except OutsideTheRing:
        return None
    degree = radical_degree(trace)
    if trace.parameters() or degree > MAX_ANGLE_DEGREE:
        return None
    with precision(TEST_BITS):
        turns = enclosure() / arb.pi()
        candidates = [
            n for n in range(1, 8 * degree * degree + 1) if (turns * n).contains_integer()
        ]
        for n in candidates:
            try:
                if not (_chebyshev(trace, n) - Scalar.rational(2)).vanishes():
                    continue
            except Undecided:
                return None
            multiple = (turns * n).unique_fmpz()
            if multiple is not None:
                return fmpq(int(multiple), n)
    return None


def _chebyshev(trace: Scalar, n: int) -> Scalar:
    """uⁿ + u⁻ⁿ from u + u⁻¹."""
    before, here = Scalar.rational(2), trace
    for _ in range(n - 1):
        before, here = here, trace * here - before
    return here
