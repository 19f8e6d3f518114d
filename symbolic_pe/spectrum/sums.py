"""Finite sums over positions in closed form, as balls; confluent cases are taken exactly.

D_n(φ)  = Σ_{x} e^{iφx} over the n centred positions x = t − (n − 1)/2  = sin(nφ/2)/sin(φ/2)
S_n(z)  = Σ_{|τ|<n} (n − |τ|) z^{|τ|} = n + 2z(z^n − nz + n − 1)/(1 − z)²
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from flint import acb, arb, arb_mat, fmpq

from symbolic_pe.algebra.real_number import RealNumber
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.algebra.symbols import PI
from symbolic_pe.errors import Undecided

MAX_BITS = 4096


def dirichlet(n: int, angle: arb, exact: Callable[[], Scalar | None]) -> arb:
    """D_n(φ) for an angle as a ball; `exact` is asked only when φ may be a multiple of 2π.

    Raises `Undecided` when a ball cannot tell and there is no exact value.
    """
    half = angle / 2
    below = half.sin()
    if not below.contains(0):
        return (n * half).sin() / below
    value = exact()
    turns = None if value is None else _turns(value)
    if turns is None:
        raise Undecided(f"whether the angle {angle.str(8)} is a multiple of 2*pi")
    # D_n(2πk) = Σ e^{2πik x} = n·(−1)^{k(n−1)}
    return arb(-n if turns % 2 and (n - 1) % 2 else n)


def _turns(value: Scalar) -> int | None:
    """φ/2π when it is an integer."""
    turns = value / (Scalar.rational(2) * Scalar.symbol(PI))
    if not turns.is_rational():
        return None
    q = turns.rational_value()
    return int(q.p) if q.q == 1 else None


def exact_sum(a: RealNumber, b: RealNumber, sign: int) -> Scalar | None:
    """a ± b in the ring, or None."""
    if a.exact is None or b.exact is None:
        return None
    return a.exact + b.exact if sign > 0 else a.exact - b.exact


def triangular(n: int, z: acb, power: acb, *, is_one: bool) -> arb:
    """Re S_n(z) from z and zⁿ; `is_one` says that z is 1 exactly.

    The closed form cancels where z is near 1; the caller raises the precision.
    """
    if is_one:
        return arb(n) * n
    return (n + 2 * z * (power - n * z + (n - 1)) / (1 - z) ** 2).real


STRIDE = 64


def exponential_sums(
    weights: Sequence[fmpq], exponents: Sequence[acb], count: int
) -> Iterator[arb]:
    """Σ w·Re e^{zm} for m = 0, 1, …, count − 1, as balls that do not widen with m.

    e^{z(64a + b)} is one product of two exponentials; powers by repeated products would wrap.
    """
    small = [
        [(z * b).exp() * w for b in range(STRIDE)] for w, z in zip(weights, exponents, strict=True)
    ]
    for start in range(0, count, STRIDE):
        large = [(z * start).exp() for z in exponents]
        for b in range(min(STRIDE, count - start)):
            yield sum(
                ((row[b] * z).real for row, z in zip(small, large, strict=True)), start=arb(0)
            )


def accurate(compute: Callable[[], arb], bits: int = 64, start: int = 128) -> arb:
    """A ball with `bits` correct bits: the precision is doubled until it is reached.

    Raises `Undecided` at 4096 bits.
    """
    working = start
    while working <= MAX_BITS:
        with precision(working):
            value = compute()
            if value.is_finite() and value.rel_accuracy_bits() >= bits:
                return value
        working *= 2
    raise Undecided(f"a sum to {bits} bits: not reached with {MAX_BITS}")


def toeplitz(values: Sequence[arb]) -> arb_mat:
    """The symmetric Toeplitz matrix of κ(0) … κ(n − 1)."""
    n = len(values)
    return arb_mat([[values[abs(i - j)] for j in range(n)] for i in range(n)])
