"""Additive biases as constant coordinates: qₐᵀ exp(τY) kₐ = bias(τ) with Y nilpotent."""

from __future__ import annotations

from collections.abc import Sequence

from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial, real_constant
from symbolic_pe.algebra.matrix import (
    FunctionMatrix,
    ScalarMatrix,
    identity,
    multiply,
)
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.encodings.encoding import Augmentation
from symbolic_pe.errors import SpecificationError


def nilpotent_exponential(generator: ScalarMatrix, variable: str = "t") -> FunctionMatrix:
    """exp(tY) = Σ t^k Y^k/k! for a nilpotent Y.

    Raises `SpecificationError` when Yⁿ is not 0.
    """
    n = len(generator)
    power, weight = identity(n), real_constant(ONE, variable)
    rows = [[ExponentialPolynomial((variable,), {}) for _ in range(n)] for _ in range(n)]
    for k in range(n + 1):
        if all(x.is_zero() for row in power for x in row):
            return tuple(tuple(row) for row in rows)
        if k == n:
            break
        for i in range(n):
            for j in range(n):
                rows[i][j] = rows[i][j] + weight.scale(power[i][j])
        power = multiply(power, generator)
        step = Scalar.rational(1) / Scalar.rational(k + 1)
        weight = weight * ExponentialPolynomial.variable(variable).scale(step)
    raise SpecificationError(
        "augmentation: the generator of the constant coordinates must be nilpotent "
        "(strictly triangular, for example)"
    )


def realised_bias(
    query: Sequence[Scalar], exponential: FunctionMatrix, key: Sequence[Scalar]
) -> ExponentialPolynomial:
    """qᵀ exp(τY) k as a function of τ."""
    total = ExponentialPolynomial(exponential[0][0].variables, {})
    for i, x in enumerate(query):
        for j, y in enumerate(key):
            if exponential[i][j].terms and not (x.is_zero() or y.is_zero()):
                total = total + exponential[i][j].scale(x * y)
    return total


def augmentation(
    query: Sequence[Scalar],
    key: Sequence[Scalar],
    generator: ScalarMatrix,
    bias: ExponentialPolynomial | None = None,
) -> Augmentation:
    """Constant coordinates with the bias they realise, or are claimed to realise."""
    if not len(query) == len(key) == len(generator):
        raise SpecificationError(
            f"augmentation: query, key and generator must agree in size, got {len(query)}, "
            f"{len(key)} and {len(generator)}"
        )
    exponential = nilpotent_exponential(generator)
    realised = realised_bias(query, exponential, key)
    return Augmentation(
        tuple(query), tuple(key), generator, exponential, realised if bias is None else bias
    )


def linear_bias(
    slope: Scalar, query: tuple[Scalar, Scalar], key: tuple[Scalar, Scalar], shear: Scalar = ONE
) -> Augmentation:
    """Two coordinates over Y = shear·[[0, 1], [0, 0]] for the bias −slope·τ."""
    tau = ExponentialPolynomial.variable("t")
    return augmentation(query, key, ((ZERO, shear), (ZERO, ZERO)), tau.scale(-slope))
