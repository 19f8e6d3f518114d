"""A real X with exp(X) = B, where Culver's criterion says that there is one.

Over Q, B = S + N on the primary component of each irreducible factor p, with p(S) = 0 and N
nilpotent (see `primary`). There

    X = ℓ(S) + πh(S)K + Σ_{j≥1} (−1)^{j+1}/j·(S⁻¹N)^j

with ℓ the interpolation of the logarithm at the roots of p, of ln|λ| at negative ones, h the
interpolation of 1 at negative roots and 0 at the others, and K a rational matrix with K² = −1 that
commutes with S and N: it swaps the chains of each equal pair. ℓ and h have real coefficients,

    ℓ(x) = Σ_c x^c·Σ_{p(λ)=0} log(λ)·b_c(λ)/p′(λ),   b_c(λ) = Σ_{i>c} p_i λ^{i−c−1},

written out for roots a ± √D: with a² − D = p(0) and φ = arg(a + i√−D)

    D < 0    ½ ln p(0) + φ·(S − a)/√−D
    D > 0    ½ ln|p(0)| + ½ ln|(a + √D)/(a − √D)|·(S − a)/√D

Why exp(X) = B: on the eigenspaces of S, e^{log λ} = λ and e^{ln|λ| + πK} = −|λ|, so the first two
summands give S; the last one is log(1 + S⁻¹N), and the three commute.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flint import acb, arb, arb_mat, fmpq, fmpq_mat, fmpq_poly, fmpz_poly

from symbolic_pe.algebra.functions import square_root
from symbolic_pe.algebra.matrix import (
    ScalarMatrix,
    from_fmpq,
    identity,
    is_rational,
    multiply,
    scalar_matrix,
    to_fmpq,
)
from symbolic_pe.algebra.real_number import RealNumber, angle, log_of_positive, root_of_positive
from symbolic_pe.algebra.scalar import DECISION_PRECISIONS, HALF, ONE, ZERO, Scalar, precision
from symbolic_pe.algebra.symbols import PI
from symbolic_pe.errors import NotYetCovered, SymbolicPEError, Undecided
from symbolic_pe.exponential.primary import PrimaryExponential, PrimaryPart, primary_exponential
from symbolic_pe.jordan.form import (
    ImplicitEigenvalue,
    ParametricEigenvalue,
    StructureBlock,
    polynomial_text,
)
from symbolic_pe.jordan.integer_step import IntegerStep, has_negative_root, two_by_two_invariants
from symbolic_pe.jordan.rational import (
    Primary,
    centre_and_discriminant,
    chain_generators,
    enclosure_of,
    evaluate_at,
    isolated_roots,
    nullspace,
    root_in_ring,
    semisimple_polynomial,
)

HALF_TURN = Scalar.symbol(PI)
TWO = Scalar.rational(2)
MAX_ENTRIES = 1_000_000
"""Budget for the matrices S^c of factors of degree 3 or more, in entries."""
ENCLOSURE_BITS = 64
"""The radius of exp(X) is below 2^−64·min(1, |b|) for entries b ≠ 0 of B when it confirms."""


@dataclass(frozen=True)
class Summand:
    """c·M with a real number c and a matrix M over the exact ring."""

    coefficient: RealNumber
    matrix: ScalarMatrix


@dataclass(frozen=True)
class HalfTurn:
    """K with K² = −e and KB = BK on the primary component of one factor, e its idempotent."""

    factor: fmpq_poly
    idempotent: fmpq_mat
    rotation: fmpq_mat


@dataclass(frozen=True)
class RealLogarithm:
    """X = Σ c·M with exp(X) = B.

    summands  coefficients and matrices; matrices are rational when B is
    turns     the K of every factor with negative roots
    unique    True when no other real X has exp(X) = B: positive eigenvalues, no equal blocks
    closed    the primary decomposition of a rational B, None for a 2×2 or 1×1 B with roots
    """

    step: ScalarMatrix
    summands: tuple[Summand, ...]
    turns: tuple[HalfTurn, ...]
    unique: bool
    closed: PrimaryExponential | None

    @cached_property
    def matrix(self) -> ScalarMatrix | None:
        """X with entries of the ring, or None when a coefficient is not in it."""
        n = len(self.step)
        rows = [[ZERO] * n for _ in range(n)]
        for summand in self.summands:
            if summand.coefficient.exact is None:
                return None
            for i, row in enumerate(summand.matrix):
                for j, x in enumerate(row):
                    if not x.is_zero():
                        rows[i][j] = rows[i][j] + summand.coefficient.exact * x
        return scalar_matrix(rows)

    def ball(self) -> arb_mat:
        """Rigorous enclosure of X at the current precision."""
        n = len(self.step)
        total = arb_mat(n, n)
        for summand in self.summands:
            total += _balls(summand.matrix) * summand.coefficient.enclosure()
        return total

    def is_proved(self) -> bool:
        """Decide the identities that exp(X) = B rests on.

        For rational B: μ(B) = 0 and B = S + N on every primary component (the laws of the primary
        closed form, modulo μ), 0 is no root, exp(log(1 + y)) = 1 + y up to the nilpotency of N, and
        K² = −e, KB = BK, Ke = K. For a 2×2 B with roots: (B − a)² = D.
        """
        if self.closed is None:
            return _quadratic_identity(self.step)
        b = self.closed.matrix
        return (
            self.closed.is_proved()
            and all(part.factor[0] != 0 for part in self.closed.parts)
            and all(_series_are_inverse(part.exponent) for part in self.closed.parts)
            and all(_is_half_turn(turn, b) for turn in self.turns)
        )

    def confirmed_radius(self) -> arb:
        """The largest radius of the ball of exp(X), once every entry contains that of B.

        An independent check: the exponential is summed, not taken from the structure of B. Raises
        `SymbolicPEError` when B is outside the ball, `Undecided` when the ball stays wide.
        """
        for bits in (2 * ENCLOSURE_BITS, *DECISION_PRECISIONS[1:], 16384):
            with precision(bits):
                found, expected = self.ball().exp(), _balls(self.step)
                if not found.overlaps(expected):
                    raise SymbolicPEError(
                        "internal error: exp(X) does not contain B; please report the input"
                    )
                # relative to the smallest entry: a tiny B must not be inside for its size alone
                size = arb(1)
                for x in expected.entries():
                    size = size.min(abs(x)) if x != 0 else size
                radius = arb(0)
                for x in found.entries():
                    radius = radius.max(x.rad())
                if radius < size * arb(2) ** -ENCLOSURE_BITS:
                    return radius
        raise Undecided("the ball of exp(X) does not become small within 16384 bits")


def real_logarithm(step: IntegerStep) -> RealLogarithm:
    """The principal real generator X with exp(X) = B.

    Imaginary parts of the logarithms of eigenvalues lie in (−π, π]; pairs of negative blocks are
    turned by π. `is_proved` is decided before it is returned.

    >>> from symbolic_pe.generators.generator import Generator
    >>> from symbolic_pe.jordan.integer_step import integer_step
    >>> quarter = Generator.from_matrix([["0", "-1"], ["1", "0"]]).matrix
    >>> found = real_logarithm(integer_step(quarter))
    >>> str(found.matrix[1][0]), found.unique
    ('1/2*pi', False)

    Raises `ValueError` when there is no real generator, see `integer_step`.
    """
    if not step.has_real_generator:
        raise ValueError(f"no real X has exp(X) = B: {step.reason}")
    found = _rational(step) if is_rational(step.matrix) else _small(step.matrix)
    if not found.is_proved():
        raise SymbolicPEError(
            "internal error: the identities behind exp(X) = B do not hold; please report the input"
        )
    return found


# -- rational steps ---------------------------------------------------------------------------


def _rational(step: IntegerStep) -> RealLogarithm:
    b = to_fmpq(step.matrix)
    entries = b.nrows() ** 2 * sum(
        int(p.factor.degree()) for p in step.primaries if p.factor.degree() > 2
    )
    if entries > MAX_ENTRIES:
        raise NotYetCovered(
            f"the generator of a step with eigenvalues of degree 3 or more: {entries} entries of "
            f"powers of S, above the budget of {MAX_ENTRIES}; that it exists is decided"
        )
    closed = primary_exponential(b)
    sizes = {str(p.factor): p for p in step.primaries}
    summands = [Summand(RealNumber.of(ONE), from_fmpq(_nilpotent_part(closed)))]
    turns = []
    for part in closed.parts:
        turn = None
        if has_negative_root(part.factor):
            turn = _half_turn(b, sizes[str(part.factor)], evaluate_at(part.coefficients[0][0], b))
            turns.append(turn)
        summands.extend(_semisimple_summands(b, part, turn))
    kept = tuple(s for s in summands if not _is_zero(s))
    unique = all(_is_unique(p) for p in step.primaries)
    return RealLogarithm(step.matrix, kept, tuple(turns), unique, closed)


def _is_zero(summand: Summand) -> bool:
    exact = summand.coefficient.exact
    return (exact is not None and exact.is_zero()) or all(
        x.is_zero() for row in summand.matrix for x in row
    )


def _is_unique(primary: Primary) -> bool:
    """Every root positive, no two of its blocks equal (Culver 1966, theorem 2)."""
    degree = primary.factor.degree()
    with precision(128):
        roots = isolated_roots(fmpz_poly(primary.factor.numer()))
    positive = sum(1 for r in roots if r.imag == 0 and r.real > 0)
    return positive == degree and len(set(primary.sizes)) == len(primary.sizes)


def _nilpotent_part(closed: PrimaryExponential) -> fmpq_mat:
    """⊕ log(1 + S⁻¹N) = ⊕ Σ_j (−1)^{j+1}/j·S^{−j}N^j, from the matrices σ^c N^j."""
    n = closed.matrix.nrows()
    total = fmpq_mat(n, n)
    for part in closed.parts:
        inverse = _inverse_of_x(part.factor)
        power = fmpq_poly([1])
        for j in range(1, part.exponent):
            power = (power * inverse) % part.factor
            for c in range(part.degree):
                weight = power[c] * fmpq(1 if j % 2 else -1, j)
                if weight != 0:
                    total += evaluate_at(part.coefficients[j][c], closed.matrix) * weight
    return total


def _inverse_of_x(p: fmpq_poly) -> fmpq_poly:
    """1/x modulo p, p(0) ≠ 0: −(p(x) − p(0))/(x·p(0))."""
    return fmpq_poly([-c / p[0] for c in p.coeffs()[1:]])


def _series_are_inverse(order: int) -> bool:
    """exp(log(1 + y)) = 1 + y modulo y^order."""
    modulus = fmpq_poly([0] * order + [1])
    log = fmpq_poly([fmpq(0), *(fmpq(1 if j % 2 else -1, j) for j in range(1, order))])
    total, term = fmpq_poly([1]), fmpq_poly([1])
    for k in range(1, order):
        term = (term * log) % modulus / k
        total += term
    return bool(total % modulus == fmpq_poly([1, 1]) % modulus)


def _half_turn(b: fmpq_mat, primary: Primary, idempotent: fmpq_mat) -> HalfTurn:
    """K: N^jS^i w ↦ N^jS^i w′, N^jS^i w′ ↦ −N^jS^i w for each pair of equal chains w, w′."""
    p, largest = primary.factor, primary.sizes[0]
    space = nullspace(evaluate_at(p**largest, b))
    semisimple = evaluate_at(semisimple_polynomial(p, largest), b)
    nilpotent = b - semisimple
    chains = list(chain_generators(space, semisimple, nilpotent, primary))
    sources: list[fmpq_mat] = []
    images: list[fmpq_mat] = []
    for (size, w), (_, other) in zip(chains[::2], chains[1::2], strict=True):
        for v, partner in zip(
            _orbit(w, size, semisimple, nilpotent, p.degree()),
            _orbit(other, size, semisimple, nilpotent, p.degree()),
            strict=True,
        ):
            sources.extend((v, partner))
            images.extend((partner, v * fmpq(-1)))
    basis, image = _columns(sources), _columns(images)
    gram = basis.transpose() * basis
    # (VᵀV)⁻¹Vᵀ are coordinates on the component, e projects on it
    return HalfTurn(p, idempotent, image * gram.inv() * basis.transpose() * idempotent)


def _orbit(
    w: fmpq_mat, size: int, semisimple: fmpq_mat, nilpotent: fmpq_mat, degree: int
) -> Iterator[fmpq_mat]:
    for _ in range(size):
        v = w
        for _ in range(degree):
            yield v
            v = semisimple * v
        w = nilpotent * w


def _columns(vectors: list[fmpq_mat]) -> fmpq_mat:
    return fmpq_mat([[v[i, 0] for v in vectors] for i in range(vectors[0].nrows())])


def _is_half_turn(turn: HalfTurn, b: fmpq_mat) -> bool:
    k, e = turn.rotation, turn.idempotent
    return bool(k * k == e * fmpq(-1) and k * b == b * k and k * e == k and e * b == b * e)


def _semisimple_summands(
    b: fmpq_mat, part: PrimaryPart, turn: HalfTurn | None
) -> Iterator[Summand]:
    """ℓ(S) + πh(S)K on one component."""
    p = part.factor
    unit = evaluate_at(part.coefficients[0][0], b)
    if p.degree() == 1:
        yield Summand(log_of_positive(Scalar.rational(abs(p[0]))), from_fmpq(unit))
        if turn is not None:
            yield Summand(RealNumber.of(HALF_TURN), from_fmpq(turn.rotation))
        return
    if p.degree() == 2 and _is_in_ring(p):
        yield from _quadratic_summands(b, part, turn)
        return
    every = turn is not None and _all_negative(p)
    if turn is not None and every:
        yield Summand(RealNumber.of(HALF_TURN), from_fmpq(turn.rotation))
    for c in range(p.degree()):
        power = evaluate_at(part.coefficients[0][c], b)
        yield Summand(_sum_over_roots(p, c, "log"), from_fmpq(power))
        if turn is not None and not every:
            weight = _sum_over_roots(p, c, "negative")
            yield Summand(weight.times(HALF_TURN), from_fmpq(power * turn.rotation))


def _all_negative(p: fmpq_poly) -> bool:
    """Whether h = 1: every root is real and negative."""
    with precision(128):
        return all(r.imag == 0 and r.real < 0 for r in isolated_roots(fmpz_poly(p.numer())))


def _is_in_ring(p: fmpq_poly) -> bool:
    """Whether the roots a ± √D are written out: always for D < 0, else where √D is in the ring."""
    _, d = centre_and_discriminant(p)
    return bool(d < 0) or root_in_ring(d) is not None


def _quadratic_summands(b: fmpq_mat, part: PrimaryPart, turn: HalfTurn | None) -> Iterator[Summand]:
    p = part.factor
    a, d = centre_and_discriminant(p)
    centre, discriminant = Scalar.rational(a), Scalar.rational(d)
    unit = evaluate_at(part.coefficients[0][0], b)
    shifted = evaluate_at(part.coefficients[0][1], b) - unit * a
    mean, slope = quadratic_logarithm(centre, discriminant)
    yield Summand(mean, from_fmpq(unit))
    yield Summand(slope, from_fmpq(shifted))
    if turn is None:
        return
    if p[0] > 0:
        # both roots are negative
        yield Summand(RealNumber.of(HALF_TURN), from_fmpq(turn.rotation))
        return
    # a − √D alone is negative: h = (1 − (x − a)/√D)/2
    yield Summand(RealNumber.of(HALF * HALF_TURN), from_fmpq(turn.rotation))
    weight = -(HALF * HALF_TURN) / square_root(discriminant)
    yield Summand(RealNumber.of(weight), from_fmpq(shifted * turn.rotation))


def quadratic_logarithm(a: Scalar, d: Scalar) -> tuple[RealNumber, RealNumber]:
    """(m, s) with m + s·(S − a) the logarithm on roots a ± √D, of |λ| where λ is negative."""
    product = a * a - d
    if d.sign() < 0:
        mean = log_of_positive(product).times(HALF)
        return mean, angle(a, -d).over(root_of_positive(-d))
    mean = log_of_positive(product if product.sign() > 0 else -product).times(HALF)
    if a.is_zero():
        return mean, RealNumber.of(ZERO)
    root = root_of_positive(d)
    if root.exact is None:
        raise NotYetCovered(
            f"the real eigenvalues {a} ± sqrt({d}) of a step, whose square root is not in the ring"
        )
    upper, lower = a + root.exact, a - root.exact
    upper, lower = (x if x.sign() > 0 else -x for x in (upper, lower))

    def enclosure() -> arb:
        return arb((upper.ball({}) / lower.ball({})).log())

    logarithm = RealNumber(f"log(({upper})/({lower}))", None, enclosure)
    return mean, logarithm.over(root.times(TWO))


def _sum_over_roots(p: fmpq_poly, c: int, what: str) -> RealNumber:
    """Σ_{p(λ)=0} f(λ)·b_c(λ)/p′(λ), with f the logarithm or the indicator of negative roots."""
    integer = fmpz_poly(p.numer())
    derivative = p.derivative()
    factor = fmpq_poly([p[i] for i in range(c + 1, p.degree() + 1)])

    def enclosure() -> arb:
        total = acb(0)
        for root in isolated_roots(integer):
            negative = root.imag == 0 and root.real < 0
            if what == "log":
                value = acb((-root.real).log()) if negative else acb(root).log()
            else:
                value = acb(1 if negative else 0)
            total += value * _at(factor, root) / _at(derivative, root)
        return total.real

    function = "log(x)" if what == "log" else "[x < 0]"
    text = (
        f"sum({function}*({_polynomial(factor)})/({_polynomial(derivative)}), "
        f"{polynomial_text(integer)} = 0)"
    )
    return RealNumber(text, None, enclosure)


def _polynomial(p: fmpq_poly) -> str:
    """A rational polynomial in x, over one denominator."""
    denominator = int(p.denom())
    text = polynomial_text(fmpz_poly(p.numer()))
    return text if denominator == 1 else f"({text})/{denominator}"


def _at(p: fmpq_poly, point: Any) -> acb:
    total = acb(0)
    for c in reversed(p.coeffs()):
        total = total * point + acb(c)
    return total


def _balls(x: ScalarMatrix) -> arb_mat:
    return arb_mat([[entry.ball({}) for entry in row] for row in x])


# -- steps with roots -------------------------------------------------------------------------


def _small(b: ScalarMatrix) -> RealLogarithm:
    """1×1 and 2×2 steps over the ring: ℓ(B) = m + s(B − a), or ln|a| + πJ for B = aI, a < 0."""
    a, d = two_by_two_invariants(b)
    n, sign = len(b), d.sign()
    unit = identity(n)
    shifted = scalar_matrix([[b[i][j] - a * unit[i][j] for j in range(n)] for i in range(n)])
    if sign:
        mean, slope = quadratic_logarithm(a, d)
        found = [Summand(mean, unit), Summand(slope, shifted)]
    elif a.sign() > 0:
        found = [Summand(log_of_positive(a), unit), Summand(RealNumber.of(a.inverse()), shifted)]
    else:
        j = ((ZERO, -ONE), (ONE, ZERO))
        found = [Summand(log_of_positive(-a), unit), Summand(RealNumber.of(HALF_TURN), j)]
    kept = tuple(s for s in found if not _is_zero(s))
    scalar = all(x.is_zero() for row in shifted for x in row)
    unique = sign >= 0 and a.sign() > 0 and not (scalar and n == 2)
    return RealLogarithm(b, kept, (), unique, None)


def _quadratic_identity(b: ScalarMatrix) -> bool:
    a, d = two_by_two_invariants(b)
    n = len(b)
    shifted = scalar_matrix(
        [[b[i][j] - a if i == j else b[i][j] for j in range(n)] for i in range(n)]
    )
    square = multiply(shifted, shifted)
    return all(
        (x - (d if i == j else ZERO)).vanishes()
        for i, row in enumerate(square)
        for j, x in enumerate(row)
    )


# -- eigenvalues ------------------------------------------------------------------------------


def eigenvalue_logarithm(block: StructureBlock) -> tuple[RealNumber, RealNumber]:
    """Principal logarithm of the eigenvalue of a block of B: ln|λ| and arg λ in [0, π].

    For a root of unity of any degree the angle is exact.
    """
    value = block.eigenvalue
    if isinstance(value, ImplicitEigenvalue):
        return _implicit_logarithm(value)
    if isinstance(value, ParametricEigenvalue):
        raise NotYetCovered(f"the logarithm of {value}, a root of a polynomial with roots in it")
    b = block.imaginary_part
    if b.is_zero():
        negative = block.real_part_sign < 0
        size = log_of_positive(-value if negative else value)
        return size, RealNumber.of(HALF_TURN if negative else ZERO)
    square = b * b
    return log_of_positive(value * value + square).times(HALF), angle(value, square)


def _implicit_logarithm(value: ImplicitEigenvalue) -> tuple[RealNumber, RealNumber]:
    size = RealNumber(f"log(abs({value}))", None, lambda: abs(enclosure_of(value)).log())
    if not value.is_pair:
        negative = value.real_part_sign < 0
        return size, RealNumber.of(HALF_TURN if negative else ZERO)
    turn = RealNumber(f"arg({value})", None, lambda: enclosure_of(value).arg())
    order = int(value.polynomial.is_cyclotomic())
    if order:
        with precision(128):
            k = int((turn.enclosure() * order / (2 * arb.pi())).unique_fmpz())
        return RealNumber.of(ZERO), RealNumber.of(Scalar.rational(fmpq(2 * k, order)) * HALF_TURN)
    return size, turn
