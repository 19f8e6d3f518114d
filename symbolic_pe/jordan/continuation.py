"""Which eigenvalues of X become which of X′, along the straight path between them.

p(z, s) = det(zI − X − s(X′ − X)) is a polynomial in s of degree k = rank(X′ − X), made exactly from
the k + 1 characteristic polynomials at s = 0, …, k. Where it has no zero on a circle for any s in
an interval, as many eigenvalues are inside at its end as at its start: those inside stay inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

from flint import acb, acb_poly, arb, fmpq, fmpq_mat, fmpq_poly, fmpz_poly

from symbolic_pe.jordan.resolvent import Circle, dyadic

FIRST_CELLS = 8
MAX_CELLS = 200
MAX_STEPS = 80
CLOSEST = 16
"""The last stage of a path starts at s = 1 − 2^−k with k below this."""
CIRCLE_BITS = 64


def path_polynomials(x: fmpq_mat, near: fmpq_mat, rank: int) -> list[fmpq_poly]:
    """p₀, …, p_k with p(z, s) = Σ s^j·p_j(z), by Newton's differences in s.

    >>> [str(p) for p in path_polynomials(fmpq_mat([[0]]), fmpq_mat([[3]]), 1)]
    ['x', '(-3)']
    """
    step = near - x
    values = [fmpq_poly((x + step * j).charpoly()) for j in range(rank + 1)]
    differences = [
        sum(((-1) ** (m - j) * comb(m, j) * values[j] for j in range(m + 1)), start=fmpq_poly([0]))
        for m in range(rank + 1)
    ]
    # binomial(s, m) as a polynomial in s
    falling, result = fmpq_poly([1]), [fmpq_poly([0])] * (rank + 1)
    for m, difference in enumerate(differences):
        for j, c in enumerate(falling.coeffs()):
            result[j] = result[j] + c * difference
        falling = falling * fmpq_poly([-m, 1]) / (m + 1)
    return result


@dataclass(frozen=True)
class Path:
    """The eigenvalues of X + s(X′ − X) for s in [0, 1], at a working precision of `bits`."""

    polynomials: tuple[fmpq_poly, ...]
    bits: int

    @cached_property
    def _balls(self) -> list[acb_poly]:
        return [acb_poly([acb(arb(c)) for c in p.coeffs()]) for p in self.polynomials]

    @cached_property
    def _known(self) -> dict[fmpq, list[acb]]:
        return {}

    def roots(self, s: fmpq) -> list[acb]:
        """All eigenvalues at s, as balls that overlap only where they are equal."""
        if s not in self._known:
            total = fmpq_poly([0])
            for j, p in enumerate(self.polynomials):
                total += p * s**j
            self._known[s] = [
                root
                for root, multiplicity in fmpz_poly(total.numer()).complex_roots()
                for _ in range(multiplicity)
            ]
        return self._known[s]

    def none_crosses(self, circle: Circle, low: fmpq, high: fmpq) -> bool:
        """True when p(z, s) ≠ 0 is certified for every z on the circle and s in [low, high].

        On a cell (an arc about z₀, an interval of s) p(z₀ + h, s) = Σ c_k(s)h^k, which cannot
        vanish while |c₀(s)| > Σ_{k ≥ 1} |c_k(s)||h|^k. Cells are halved, within a budget.
        """
        pending = [(arc, (low, high)) for arc in circle.arcs(FIRST_CELLS)]
        for _ in range(MAX_CELLS):
            if not pending:
                return True
            arc, interval = pending.pop()
            if not _cannot_vanish(self._balls, circle, arc, interval):
                pending.extend((a, i) for a in _halves(arc) for i in _halves(interval))
        return False

    def arrivals(self, z: acb, count: int) -> list[acb]:
        """The eigenvalues of X that certainly become a z of multiplicity `count` at s = 1.

        Near s = 1 a circle about z has `count` eigenvalues inside, none of which leaves it; each
        of them is followed back to s = 0. Those that meet others on the way, or cannot be
        certified within the budget, are left out.
        """
        for k in range(1, CLOSEST):
            start = 1 - fmpq(1, 1 << k)
            roots = sorted(self.roots(start), key=lambda r: float(abs(r - z).mid()))
            inside, outside = roots[:count], roots[count:]
            reach = max(abs(r - z).upper() for r in inside)
            limit = min((abs(r - z).lower() for r in outside), default=2 * reach)
            if not reach < limit:
                continue
            circle = around(z, ((reach + limit) / 2).mid())
            if _sides(circle, roots).count(-1) != count or None in _sides(circle, roots):
                continue
            if self.none_crosses(circle, start, fmpq(1)):
                origins = [self._followed_back(root, start) for root in inside]
                return [origin for origin in origins if origin is not None]
        return []

    def _followed_back(self, root: acb, start: fmpq) -> acb | None:
        s, step = start, start / 2
        for _ in range(MAX_STEPS):
            if s == 0:
                return root
            following = max(fmpq(0), s - step)
            others = [r for r in self.roots(s) if not r.overlaps(root)]
            if len(others) != len(self.roots(s)) - 1:
                return None
            gap = min((abs(r - root).lower() for r in others), default=arb(1))
            circle = around(root, (gap / 2).mid())
            moved = [
                r
                for r, side in zip(
                    self.roots(following), _sides(circle, self.roots(following)), strict=True
                )
                if side != 1
            ]
            if (
                len(moved) == 1
                and circle.side(moved[0]) == -1
                and circle.side(root) == -1
                and self.none_crosses(circle, following, s)
            ):
                root, s, step = moved[0], following, 2 * step
            else:
                step = step / 2
        return None


def around(z: acb, radius: arb) -> Circle:
    """A circle with dyadic centre and radius, on the axis for a real centre."""
    return Circle(
        dyadic(z.real, CIRCLE_BITS),
        fmpq(0) if z.imag == 0 else dyadic(z.imag, CIRCLE_BITS),
        dyadic(radius, CIRCLE_BITS),
    )


def _sides(circle: Circle, values: Sequence[acb]) -> list[int | None]:
    return [circle.side(v) for v in values]


def _halves(part: tuple[fmpq, fmpq]) -> list[tuple[fmpq, fmpq]]:
    middle = (part[0] + part[1]) / 2
    return [(part[0], middle), (middle, part[1])]


def _cannot_vanish(
    balls: Sequence[acb_poly],
    circle: Circle,
    arc: tuple[fmpq, fmpq],
    interval: tuple[fmpq, fmpq],
) -> bool:
    shift = acb_poly([circle.at((arc[0] + arc[1]) / 2), 1])
    s = arb(interval[0]).union(arb(interval[1]))
    power, total = arb(1), acb_poly([0])
    for p in balls:
        total += p(shift) * acb(power)
        power = power * s
    reach, size = circle.reach(arc), arb(1)
    rest = arb(0)
    coefficients = total.coeffs()
    for c in coefficients[1:]:
        size = size * reach
        rest += abs(c).upper() * size
    return bool(abs(coefficients[0]).lower() > rest) if coefficients else False
