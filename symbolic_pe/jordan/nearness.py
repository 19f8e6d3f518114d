"""How near a rational matrix is to one with a multiple eigenvalue, with certified bounds.

For a simple eigenvalue λ of X let d(λ) be the least norm of a real E such that λ, followed
continuously along X + sE for s from 0 to 1, has met another eigenvalue at s = 1 at the latest.

Lower bound. If a circle has λ inside and no other eigenvalue inside or on it, and σ_min(X − zI) ≥ ε
for every z on it, then exactly one eigenvalue of X + E is inside for every E, real or complex, with
‖E‖₂ < ε: it is simple. So d(λ) ≥ ε in the spectral norm, and in the Frobenius norm because
‖E‖₂ ≤ ‖E‖_F.

Upper bound. A matrix X′ with X′Y = YB exactly and B defective, to which λ and its partners move:
d(λ) ≤ ‖X′ − X‖, which is stated in both norms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from flint import acb, arb, fmpq, fmpq_mat

from symbolic_pe.algebra.matrix import ScalarMatrix, is_rational, to_fmpq
from symbolic_pe.algebra.scalar import precision
from symbolic_pe.errors import SymbolicPEError, Undecided
from symbolic_pe.jordan.coalescence import (
    Chain,
    chain_at,
    moved,
    stationary_between,
    stationary_on_axis,
)
from symbolic_pe.jordan.continuation import Path, around, path_polynomials
from symbolic_pe.jordan.merging import merged
from symbolic_pe.jordan.nearby import power_of_two
from symbolic_pe.jordan.rational import height
from symbolic_pe.jordan.resolvent import (
    Circle,
    balls_of,
    certified_level,
    dyadic,
    frobenius_norm,
    sampled_minimum,
    spectral_norm_bound,
)
from symbolic_pe.jordan.spectrum import SpectralPoint, Spectrum, spectrum

MAX_DIMENSION = 16
MAX_HEIGHT = 40_000
"""Budget for dimension times bits of the entries over their common denominator."""
MAX_WORK = 512 * 16**2
"""Budget for bits of precision times d²."""
NEIGHBOURS = 3
"""Partners that are tried for each conjugate pair."""
SAMPLES = 16
NORM_SQUARINGS = 10
STRETCHES = tuple(fmpq(k, 8) for k in (4, 6, 8, 11, 16, 24))
"""Radii that are tried, relative to the distance from the eigenvalue to where it meets another."""


@dataclass(frozen=True)
class Witness:
    """A matrix at which eigenvalues have met: X′·basis = basis·block, and block is defective.

    members     indices of the eigenvalues that meet (a pair that meets itself occurs once)
    spectral    an upper bound of ‖X′ − X‖₂
    frobenius   an upper bound of ‖X′ − X‖_F
    """

    chain: Chain
    matrix: fmpq_mat
    spectral: fmpq
    frobenius: fmpq
    members: tuple[int, ...] = ()


@dataclass(frozen=True)
class Nearness:
    """What is certain of one eigenvalue.

    lower     no real or complex E with ‖E‖₂ < lower makes it multiple; None without a certificate
    circle    the circle of the proof
    witness   a defective matrix, or None when none was found
    alone     X has no other eigenvalue at all
    """

    point: SpectralPoint
    lower: fmpq | None = None
    circle: Circle | None = None
    witness: Witness | None = None
    alone: bool = False

    @property
    def verdict(self) -> str:
        """`simple`, `multiple: semisimple` or `multiple: defective`, exactly."""
        if self.point.multiplicity == 1:
            return "simple"
        return "multiple: defective" if max(self.point.sizes) > 1 else "multiple: semisimple"

    @property
    def ratio(self) -> fmpq | None:
        """Upper over lower bound, in the spectral norm."""
        if self.witness is None or not self.lower:
            return None
        return self.witness.spectral / self.lower


def nearness(matrix: ScalarMatrix) -> tuple[Nearness, ...]:
    """Certified nearness of every eigenvalue to a multiple one, one entry per conjugate pair.

    >>> from symbolic_pe.generators.generator import Generator
    >>> zero, two = nearness(Generator.from_matrix([["0", "0"], ["0", "2"]]).matrix)
    >>> zero.verdict, fmpq(9, 10) < zero.lower <= 1 <= zero.witness.spectral < fmpq(11, 10)
    ('simple', True)

    Raises `Undecided` for matrices with parameters or irrational entries, above dimension 16, and
    for eigenvalues too close to be separated within the budget of bits.
    """
    if not is_rational(matrix):
        raise Undecided(
            "nearness to another Jordan type: expected a matrix of rational (or floating-point) "
            "numbers without parameters; substitute values for them"
        )
    n = len(matrix)
    if n > MAX_DIMENSION:
        raise Undecided(
            f"nearness to another Jordan type in dimension {n}: at most {MAX_DIMENSION} is "
            "covered, since every contour takes many inversions of the whole matrix"
        )
    x = to_fmpq(matrix)
    if height(x) > MAX_HEIGHT:
        raise Undecided(
            f"nearness to another Jordan type: dimension times bits of the entries is {height(x)}, "
            f"above the budget of {MAX_HEIGHT}"
        )
    if all(entry == 0 for entry in x.entries()):
        return tuple(Nearness(p, alone=n == 1) for p in spectrum(x).points)
    scale = power_of_two(x)
    work = _Work(x, scale)
    return tuple(_unscaled(work.of(i), scale) for i in range(len(work.found.points)))


def _unscaled(found: Nearness, scale: fmpq) -> Nearness:
    """From X/2^k back to X: every length is multiplied by 2^k, exactly."""
    circle, witness = found.circle, found.witness
    with precision(128):
        value = found.point.value * acb(arb(scale))
    return replace(
        found,
        point=replace(found.point, value=value),
        lower=None if found.lower is None else found.lower * scale,
        circle=circle
        and Circle(circle.real * scale, circle.imaginary * scale, circle.radius * scale),
        witness=witness
        and replace(
            witness,
            chain=replace(
                witness.chain,
                block=witness.chain.block * scale,
                real=witness.chain.real * scale,
                imaginary=witness.chain.imaginary * scale,
            ),
            matrix=witness.matrix * scale,
            spectral=witness.spectral * scale,
            frobenius=witness.frobenius * scale,
        ),
    )


class _Work:
    """The matrix X/2^k of size about 1: its spectrum, and the witnesses that eigenvalues share.

    Eigenvalues keep the exact names they have in X; only their balls are scaled.
    """

    def __init__(self, x: fmpq_mat, scale: fmpq):
        self.x = x / scale
        found = spectrum(x)
        self.bits = found.bits
        with precision(self.bits):
            points = tuple(replace(p, value=p.value * acb(arb(1 / scale))) for p in found.points)
        self.found = Spectrum(points, self.bits)
        most = MAX_WORK // x.nrows() ** 2
        if self.bits > most:
            raise Undecided(
                "nearness to another Jordan type: two eigenvalues are so close that separating "
                f"them takes {self.bits} bits; in dimension {x.nrows()} at most {most} are spent"
            )
        with precision(self.bits):
            self.balls = balls_of(self.x)
            self.witnesses = sorted(self._candidates(), key=lambda w: w.spectral)
        self.tried: set[tuple[int, ...]] = set()

    def of(self, index: int) -> Nearness:
        """Both bounds of one eigenvalue."""
        point = self.found.points[index]
        if point.multiplicity > 1:
            return Nearness(point)
        if len(self.found.everywhere()) == 1:
            return Nearness(point, alone=True)
        with precision(self.bits):
            witness = self._nearest(index) or self._merged(index)
            circle, lower = self._lower(index, witness)
        if lower is not None and witness is not None and lower > witness.spectral:
            raise SymbolicPEError(
                f"internal error: the eigenvalue {point.about} is certified simple within {lower}, "
                f"but defective at {witness.spectral}; please report the input"
            )
        return Nearness(point, lower, circle, witness)

    # -- upper bounds -------------------------------------------------------------------------

    def _nearest(self, index: int) -> Witness | None:
        """The nearest witness at which this eigenvalue certainly takes part."""
        for k, known in enumerate(self.witnesses):
            if known.members == ():
                self.witnesses[k] = replace(known, members=self._members(known))
            if index in self.witnesses[k].members:
                return self.witnesses[k]
        return None

    def _merged(self, index: int) -> Witness | None:
        """Without a stationary point: eigenvalues moved together in their own subspace."""
        points = self.found.points
        others = sorted(
            (j for j, p in enumerate(points) if j != index and p.multiplicity == 1),
            key=lambda j: _middle(abs(points[j].value - points[index].value)),
        )
        groups: list[tuple[int, ...]] = [(index, j) for j in others[: 2 * NEIGHBOURS]]
        if points[index].is_pair:
            groups.append((index,))
        for group in groups:
            members = tuple(sorted(group, key=lambda i: points[i].is_pair))
            if members not in self.tried:
                self.tried.add(members)
                chain = merged(self.balls, [points[i].value for i in members])
                self.witnesses.extend(self._witness(chain))
        self.witnesses.sort(key=lambda w: w.spectral)
        return self._nearest(index)

    def _candidates(self) -> Iterator[Witness]:
        points = self.found.points
        simple = [i for i, p in enumerate(points) if p.multiplicity == 1]
        reals = sorted(
            (i for i, p in enumerate(points) if not p.is_pair),
            key=lambda i: _middle(points[i].value.real),
        )
        pairs = [i for i in simple if points[i].is_pair]
        for low, high in self._intervals(reals, pairs):
            for triple in stationary_on_axis(self.balls, low, high):
                yield from self._witness(chain_at(self.balls, triple))
        for i, j in self._neighbours(pairs):
            crest = stationary_between(self.balls, points[i].value, points[j].value)
            if crest is not None and crest.z.imag > 0:
                yield from self._witness(chain_at(self.balls, crest))

    def _intervals(self, reals: list[int], pairs: list[int]) -> Iterator[tuple[arb, arb]]:
        """Gaps between real eigenvalues, and the part of the axis beside each pair."""
        points = self.found.points
        ends = [points[i].value.real.mid() for i in reals]
        yield from pairwise(ends)
        for i in pairs:
            a, b = points[i].value.real.mid(), points[i].value.imag.mid()
            low = max([e for e in ends if e < a] + [a - 2 * b], key=_middle)
            high = min([e for e in ends if e > a] + [a + 2 * b], key=_middle)
            inside = any(e < a for e in ends) and any(e > a for e in ends)
            if not (inside and low in ends and high in ends):
                yield low.mid(), high.mid()

    def _neighbours(self, pairs: list[int]) -> list[tuple[int, int]]:
        points = self.found.points
        chosen: set[tuple[int, int]] = set()
        for i in pairs:
            others = sorted(
                (j for j in pairs if j != i),
                key=lambda j: _middle(abs(points[i].value - points[j].value)),
            )
            chosen.update((min(i, j), max(i, j)) for j in others[:NEIGHBOURS])
        return sorted(chosen)

    def _witness(self, chain: Chain | None) -> Iterator[Witness]:
        if chain is None:
            return
        try:
            near = moved(self.x, chain.basis, chain.block)
        except ZeroDivisionError:
            return
        if near * chain.basis != chain.basis * chain.block:
            raise SymbolicPEError("internal error: X'Y = YB does not hold; please report the input")
        yield Witness(chain, near, *distances(self.x, near))

    def _members(self, witness: Witness) -> tuple[int, ...]:
        """Which eigenvalues have become z on the straight path to X′, certified; else (−1,)."""
        chain = witness.chain
        size = chain.block.nrows()
        path = Path(tuple(path_polynomials(self.x, witness.matrix, size)), self.bits)
        z = acb(arb(chain.real), arb(chain.imaginary))
        origins = path.arrivals(z, size if chain.imaginary == 0 else size // 2)
        reached = set()
        for origin in origins:
            named = {i for value, i in self.found.everywhere() if value.overlaps(origin)}
            reached |= named if len(named) == 1 else set()
        return tuple(sorted(reached)) or (-1,)

    # -- lower bounds -------------------------------------------------------------------------

    def _lower(self, index: int, witness: Witness | None) -> tuple[Circle | None, fmpq | None]:
        """The best circle of a family, with the level that is certified on it."""
        ranked: list[tuple[float, Circle]] = []
        value = self.found.points[index].value
        others = sorted(
            (v for v, k in self.found.everywhere() if k != index or v.imag < 0),
            key=lambda v: _middle(abs(v - value)),
        )[:NEIGHBOURS]
        for circle in self._circles(index, witness):
            if self._separates(circle, index):
                least = sampled_minimum(self.balls, circle, SAMPLES, frobenius_norm, others)
                if least is not None and least > 0:
                    ranked.append((_log(least), circle))
        ranked.sort(key=lambda item: -item[0])
        finalists = []
        for _, circle in ranked[:4]:
            least = sampled_minimum(self.balls, circle, SAMPLES, spectral_norm_bound, others)
            if least is not None:
                finalists.append((_log(least), circle))
        finalists.sort(key=lambda item: -item[0])
        for _, circle in [*finalists, *ranked[4:]]:
            level = certified_level(self.balls, circle, self.bits, others)
            if level is not None:
                return circle, level
        return None, None

    def _separates(self, circle: Circle, index: int) -> bool:
        """Certified: the eigenvalue is inside, and every other one outside."""
        return all(
            circle.side(value) == (-1 if k == index and not value.imag < 0 else 1)
            for value, k in self.found.everywhere()
        )

    def _circles(self, index: int, witness: Witness | None) -> Iterable[Circle]:
        value = self.found.points[index].value
        real = not self.found.points[index].is_pair
        others = [v for v, k in self.found.everywhere() if k != index or v.imag < 0]
        gap = _smallest([abs(v - value) for v in others])
        centre = acb(value.real) if real else value
        for k in (1, 2, 3, 4, 5, 6):
            yield around(centre, gap * k / 8)
        if witness is not None:
            z = acb(arb(witness.chain.real), arb(witness.chain.imaginary))
            away = centre - (acb(z.real) if real else z)
            for stretch in STRETCHES:
                beyond = centre + away * (arb(stretch) - 1)
                yield around(beyond, abs(beyond - z))


def distances(x: fmpq_mat, near: fmpq_mat) -> tuple[fmpq, fmpq]:
    """Upper bounds of ‖X′ − X‖₂ and ‖X′ − X‖_F, to some 30 digits."""
    with precision(192):
        difference = balls_of(near - x)
        frobenius = _above(frobenius_norm(difference))
        return min(_above(spectral_norm_bound(difference, NORM_SQUARINGS)), frobenius), frobenius


def _above(x: arb) -> fmpq:
    """A dyadic number that is certainly not below x."""
    grown = x.upper() * (1 + arb(2) ** -100)
    return dyadic(grown.upper(), 110)


def _smallest(values: list[arb]) -> arb:
    return min(values, key=_middle).lower()


def _middle(x: arb) -> fmpq:
    """The midpoint exactly: an order that no rounding disturbs."""
    return dyadic(x, 64)


def _log(x: arb) -> float:
    return float(x.mid().log().mid())
