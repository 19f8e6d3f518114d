"""Whether κ(m) = Σ w·e^{am}·cos(bm) is exactly 0 at an integer m, decided by algebra.

Each term is ½w·e^{±i(qπ)m}·p₁^{c₁m}…·e^{αm} with rational q, powers of primes from rates q·log p,
and an algebraic α, the rest of a ± ib. By Lindemann and Weierstrass e^{αm} for distinct algebraic
αm are independent over the algebraic numbers, so the sum is 0 exactly when, for each α, the sum of
the other factors is. Those are rational multiples of roots of unity, and a sum of these is 0
exactly when its polynomial is a multiple of the cyclotomic one.
"""

from __future__ import annotations

from math import lcm

from flint import fmpq, fmpq_poly, fmpz_poly

from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.algebra.symbols import PI, is_logarithm
from symbolic_pe.errors import Undecided
from symbolic_pe.spectrum.kernel import Component, PositionalKernel
from symbolic_pe.spectrum.relations import Coordinates, coordinates

LARGEST_ORDER = 1 << 16
"""Roots of unity of larger order are not compared."""
LARGEST_POWER = 1 << 12
"""Bits of a power of a prime that is written out."""
Key = tuple[tuple[tuple[str, str], fmpq], ...]


def is_exact_zero(kernel: PositionalKernel, lag: int) -> bool:
    """Decide κ(m) = 0.

    >>> from symbolic_pe.encodings.specification import from_document
    >>> from symbolic_pe.spectrum.kernel import positional_kernel
    >>> blocks = [{"frequency": "1/5*pi"}, {"frequency": "3/5*pi"}, {"frequency": "1/6*pi"}]
    >>> kernel = positional_kernel(from_document({"generator": {"blocks": blocks}}))
    >>> [is_exact_zero(kernel, m) for m in (1, 2, 3)]
    [False, True, False]

    Raises `Undecided` for exponents that no theorem used here compares.
    """
    sums: dict[Key, list[tuple[fmpq, fmpq]]] = {}
    for c in kernel.components:
        weight, exponent, turns = _split(c, lag)
        plus, minus = _key(exponent, 1), _key(exponent, -1)
        if plus == minus:
            sums.setdefault(plus, []).extend([(weight / 2, turns), (weight / 2, -turns)])
            continue
        # the terms of −b are conjugates: one of each pair is enough
        first, turns = (plus, turns) if plus > minus else (minus, -turns)
        sums.setdefault(first, []).append((weight / 2, turns))
    return all(_vanishes(terms) for terms in sums.values())


def sign_period(kernel: PositionalKernel) -> int | None:
    """N such that κ(m + N) has the sign of κ(m) for every integer m, where frequencies show one.

    They do when all terms have one rate, which changes no sign, and rational turns.
    """
    orders = [1]
    for c in kernel.components:
        if c.rate.text != kernel.components[0].rate.text:
            return None
        if c.turns:
            if c.frequency.exact is None:
                return None
            turns = c.frequency.exact / (Scalar.rational(2) * Scalar.symbol(PI))
            if not turns.is_rational():
                return None
            orders.append(int(turns.rational_value().q))
    return lcm(*orders)


def _split(c: Component, lag: int) -> tuple[fmpq, tuple[Coordinates, Coordinates], fmpq]:
    """Rational weight, algebraic parts of am and bm, and the rational turns of bm."""
    weight, turns = c.mass, fmpq(0)
    rate = _coordinates(c, "rate", lag) if c.rate_sign else {}
    frequency = _coordinates(c, "frequency", lag) if c.turns else {}
    for (radical, name), value in list(frequency.items()):
        if name == PI and not radical:
            turns = value / 2
        elif not name:
            continue
        else:
            raise Undecided(f"the frequency {c.frequency.text} holds {name}")
        del frequency[radical, name]
    for (radical, name), value in list(rate.items()):
        if not name:
            continue
        if not is_logarithm(name) or radical or not name[4:-1].isdigit():
            raise Undecided(f"the rate {c.rate.text} holds {name}")
        if value.q != 1 or abs(value.p) * int(name[4:-1]).bit_length() > LARGEST_POWER:
            raise Undecided(f"{name[4:-1]}^({value}) is not written out as a rational number")
        weight *= fmpq(int(name[4:-1])) ** int(value.p)
        del rate[radical, name]
    return weight, (rate, frequency), turns


def _coordinates(c: Component, part: str, lag: int) -> Coordinates:
    number = c.rate if part == "rate" else c.frequency
    if number.exact is None:
        raise Undecided(f"the {part} {number.text} is a root of a polynomial")
    return {key: value * lag for key, value in coordinates(number.exact).items()}


def _key(exponent: tuple[Coordinates, Coordinates], sign: int) -> Key:
    """a ± ib as a value that is equal for equal numbers and has an order."""
    rate, frequency = exponent
    found = [(("rate " + radical, name), value) for (radical, name), value in rate.items()]
    found += [((radical, name), sign * value) for (radical, name), value in frequency.items()]
    return tuple(sorted(found, key=lambda item: item[0]))


def _vanishes(terms: list[tuple[fmpq, fmpq]]) -> bool:
    """Whether Σ w·e^{2πi·turns} = 0."""
    order = lcm(*(int(turns.q) for _, turns in terms))
    if order > LARGEST_ORDER:
        raise Undecided(f"roots of unity of order {order}, more than {LARGEST_ORDER}")
    total = [fmpq(0)] * order
    for weight, turns in terms:
        total[int(turns.p) * (order // int(turns.q)) % order] += weight
    cyclotomic = fmpq_poly(fmpz_poly.cyclotomic(order))
    return bool(fmpq_poly(total) % cyclotomic == 0)
