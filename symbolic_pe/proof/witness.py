"""Numbers that refute: points at which two functions that should agree do not."""

from __future__ import annotations

from collections.abc import Mapping

from flint import arb, fmpq

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.printing import assignments
from symbolic_pe.algebra.sampling import ball_values, sample_point
from symbolic_pe.algebra.scalar import ZERO, Scalar, precision

POINTS = (fmpq(3), fmpq(1), fmpq(2), fmpq(5), fmpq(1, 2), fmpq(7), fmpq(11, 3))
PRECISIONS = (128, 512, 2048)


def point_of_difference(
    claimed: ExponentialPolynomial, found: ExponentialPolynomial, cell: Assumptions
) -> str | None:
    """A point where two functions differ, with both values, as text."""
    sample = sample_point(cell) or {}
    difference = claimed - found
    for bits in PRECISIONS:
        with precision(bits):
            values = ball_values(sample, bits)
            for shift in range(len(POINTS)):
                exact = dict(sample)
                for index, name in enumerate(difference.variables):
                    exact[name] = Scalar.rational(POINTS[(index + shift) % len(POINTS)])
                point = {name: exact[name].ball({}) for name in difference.variables}
                gap = difference.ball(point, values).real
                if gap.contains(0):
                    continue
                digits = 12 if bits == PRECISIONS[0] else bits // 4
                left, right = (_number(f, exact, point, values, digits) for f in (claimed, found))
                return f"at {assignments(exact)}: claimed {left}, found {right}"
    return None


def _exact(f: ExponentialPolynomial, values: Mapping[str, Scalar]) -> Scalar | None:
    """The exact value of a polynomial at an exact point; None when exponentials occur."""
    total = ZERO
    for key, c in f.terms.items():
        if any(not e.is_zero() for e in key.exponents):
            return None
        part = c.re.substitute(values)
        for name, power in zip(f.variables, key.powers, strict=True):
            part = part * values[name] ** power
        total = total + part
    return total


def _number(
    f: ExponentialPolynomial,
    exact: Mapping[str, Scalar],
    point: Mapping[str, arb],
    values: Mapping[str, arb],
    digits: int,
) -> str:
    if (value := _exact(f, exact)) is not None:
        return str(value)
    return decimal(f.ball({name: point[name] for name in f.variables}, values).real, digits)


def decimal(value: arb, digits: int = 12) -> str:
    """A ball as a decimal, all printed digits right."""
    return str(value.str(digits, radius=False))
