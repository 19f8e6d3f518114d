"""Numbers that refute: points at which two functions that should agree do not."""

from __future__ import annotations

from collections.abc import Mapping

from flint import arb, fmpq

from symbolic_pe.algebra.assumptions import Assumptions, ball_values
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.printing import assignments
from symbolic_pe.algebra.scalar import ZERO, Scalar, precision

POINTS = (fmpq(3), fmpq(1), fmpq(2), fmpq(5), fmpq(1, 2), fmpq(7), fmpq(11, 3))
FAR_POINTS = (1, 10, 100, 1000, 10_000, 1_000_000)


def point_of_difference(
    claimed: ExponentialPolynomial, found: ExponentialPolynomial, cell: Assumptions
) -> str | None:
    """A point where two functions differ, with both values, as text."""
    sample = cell.sample() or {}
    difference = claimed - found
    with precision(128):
        values = ball_values(sample, 128)
        for shift in range(len(POINTS)):
            point = {
                name: arb(POINTS[(index + shift) % len(POINTS)])
                for index, name in enumerate(difference.variables)
            }
            if difference.ball(point, values).real.contains(0):
                continue
            exact = dict(sample)
            for index, name in enumerate(difference.variables):
                exact[name] = Scalar.rational(POINTS[(index + shift) % len(POINTS)])
            return (
                f"at {assignments(exact)}: claimed {_number(claimed, exact, point, values)}, "
                f"found {_number(found, exact, point, values)}"
            )
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
) -> str:
    if (value := _exact(f, exact)) is not None:
        return str(value)
    return decimal(f.ball({name: point[name] for name in f.variables}, values).real)


def decimal(value: arb, digits: int = 12) -> str:
    """A ball as a decimal, all printed digits right."""
    return str(value.str(digits, radius=False))
