"""Which additive biases a group can carry, and with how few constant coordinates.

A bias b(τ) = qᵀ exp(τY) k with constant q, k exists exactly when b is an exponential polynomial,
and the smallest size of Y is the dimension of the span of the translates of b. That is the rank of
the Hankel matrix H of its Markov parameters mᵢ = b⁽ⁱ⁾(0):

    H = [m_{i+j}],  0 ≤ i, j < N,   N = Σ over exponents λ of (degree of the factor + 1)

A realisation of size r gives H = (observability: N × r)·(reachability: r × N), so r ≥ rank H. The
realisation below has size rank H = N, so fewer cannot do. (Kronecker 1881; Ho and Kalman 1966.)

That rank H = N needs no elimination. With b = Σ c_{λ,k} τ^k e^{λτ}, λ distinct and coefficients of
the top powers not 0, H = V·C·Vᵀ: V is the confluent Vandermonde matrix of the λ, which is
invertible, and C has for each λ a block with k!·c_{λ,k} on its k-th antidiagonal and 0 beyond the
top one. `hankel_rank` eliminates and is the second opinion of the tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import factorial

from symbolic_pe.algebra.complex_scalar import ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.matrix import block_diagonal
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.encodings.augmentation import realised_bias
from symbolic_pe.encodings.encoding import Augmentation
from symbolic_pe.errors import SpecificationError
from symbolic_pe.exponential.closed_form import assemble
from symbolic_pe.generators.block import Block

TWO = Scalar.rational(2)


@dataclass(frozen=True)
class Realisation:
    """Constant coordinates that realise a bias, and the proof that fewer cannot.

    hankel_rank    exact rank of the N × N Hankel matrix of Markov parameters: the lower bound
    augmentation   vectors and generator of that size: the upper bound
    """

    augmentation: Augmentation
    hankel_rank: int

    @property
    def is_minimal(self) -> bool:
        """True when the realisation has the size of the lower bound."""
        return self.augmentation.coordinates == self.hankel_rank


def minimal_augmentation(bias: ExponentialPolynomial) -> Realisation:
    """The fewest constant coordinates for a real bias b(τ).

    >>> from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
    >>> m = Scalar.symbol("m")
    >>> alibi = ExponentialPolynomial.variable("t").scale(-m)
    >>> minimal_augmentation(alibi).hankel_rank
    2

    Raises `SpecificationError` for the zero bias, a bias of several variables or one that is not
    real, and `Undecided` when a relation between exponents is unknown.
    """
    if len(bias.variables) != 1 or not bias.terms:
        raise SpecificationError("bias: expected a non-zero function of one variable, the lag")
    pieces = [_realise(block, coefficients) for block, coefficients in _chains(bias)]
    generator = block_diagonal([piece.block.generator for piece in pieces])
    exponential = assemble([piece.block.exponential(bias.variables[0]) for piece in pieces])
    query = [x for piece in pieces for x in piece.query]
    key = [x for piece in pieces for x in piece.key]
    if not (realised_bias(query, exponential, key) - bias).vanishes():
        raise SpecificationError("bias: expected a real function")
    added = Augmentation(tuple(query), tuple(key), generator, exponential, bias)
    return Realisation(added, translates(bias))


def translates(bias: ExponentialPolynomial) -> int:
    """The dimension N of the span of all translates of b: (top power + 1) summed over exponents.

    Raises `Undecided` when a relation between exponents or coefficients is unknown.
    """
    tops: dict[tuple[ComplexScalar, ...], int] = {}
    for key in bias.merged().terms:
        tops[key.exponents] = max(tops.get(key.exponents, 0), key.powers[0])
    return sum(top + 1 for top in tops.values())


def markov_parameters(bias: ExponentialPolynomial, count: int) -> tuple[Scalar, ...]:
    """mᵢ = b⁽ⁱ⁾(0) for i < count."""
    found = []
    derivative = bias
    for _ in range(count):
        found.append(derivative.at_zero().re)
        derivative = derivative.derivative(bias.variables[0])
    return tuple(found)


def hankel_rank(parameters: Sequence[Scalar]) -> int:
    """Rank of [m_{i+j}] by exact elimination; every pivot is decided."""
    size = (len(parameters) + 1) // 2
    rows = [[parameters[i + j] for j in range(size)] for i in range(size)]
    rank = 0
    for column in range(size):
        pivot = next((r for r in range(rank, size) if not rows[r][column].vanishes()), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        inverse = rows[rank][column].inverse()
        for r in range(rank + 1, size):
            if rows[r][column].is_zero():
                continue
            factor = rows[r][column] * inverse
            rows[r] = [x - factor * y for x, y in zip(rows[r], rows[rank], strict=True)]
        rank += 1
    return rank


@dataclass(frozen=True)
class _Piece:
    block: Block
    query: tuple[Scalar, ...]
    key: tuple[Scalar, ...]


def _chains(bias: ExponentialPolynomial) -> list[tuple[Block, list[ComplexScalar]]]:
    """One chain for each exponent λ (one of each conjugate pair), with coefficients of t^k."""
    grouped: dict[ComplexScalar, dict[int, ComplexScalar]] = {}
    for key, coefficient in bias.terms.items():
        grouped.setdefault(key.exponents[0], {})[key.powers[0]] = coefficient
    chains = []
    seen: set[ComplexScalar] = set()
    for exponent, powers in grouped.items():
        conjugate = ComplexScalar(exponent.re, -exponent.im)
        if conjugate in seen:
            continue
        seen.add(exponent)
        length = max(powers) + 1
        block = Block(exponent.re, exponent.im, length)
        zero = ComplexScalar(ZERO)
        chains.append((block, [powers.get(k, zero) for k in range(length)]))
    return chains


def _realise(block: Block, coefficients: list[ComplexScalar]) -> _Piece:
    """q = first row, k chosen so that qᵀ exp(τY) k has the given coefficients.

    A real chain gives e^{aτ} Σ τ^k/k!·k_k. In a pair, e₀ᵀR(ωτ)(u, v) = u·cos ωτ − v·sin ωτ, and
    c·e^{iωτ} + conjugate = 2·Re c·cos ωτ − 2·Im c·sin ωτ, so (u, v) = 2·(Re c, Im c).
    """
    key: list[Scalar] = []
    for k, c in enumerate(coefficients):
        weight = Scalar.rational(factorial(k))
        if block.is_pair:
            key.extend([TWO * weight * c.re, TWO * weight * c.im])
        else:
            key.append(weight * c.re)
    query = [ONE] + [ZERO] * (len(key) - 1)
    return _Piece(block, tuple(query), tuple(key))
