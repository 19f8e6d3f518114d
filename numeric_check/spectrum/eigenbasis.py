"""Approximate eigenvectors in float64, which `symbolic_pe.spectrum.eigenvalues` turns to proofs."""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import arb, arb_mat
from numpy.typing import NDArray

from symbolic_pe.spectrum.eigenvalues import eigenvalue_enclosures, product_enclosures

Array = NDArray[Any]


def midpoints(matrix: arb_mat) -> Array:
    """The midpoints of a ball matrix as float64."""
    return np.array([[float(x.mid()) for x in row] for row in matrix.tolist()])


def certified_eigenvalues(matrix: arb_mat) -> list[arb]:
    """Eigenvalues of a symmetric ball matrix from the largest down, each in its ball."""
    _, vectors = np.linalg.eigh(midpoints(matrix))
    return eigenvalue_enclosures(matrix, vectors.tolist())


def certified_product_eigenvalues(left: arb_mat, right: arb_mat) -> list[arb]:
    """Eigenvalues of A·B for positive semidefinite A and B, from the largest down."""
    values, vectors = np.linalg.eigh(midpoints(left))
    factor = vectors * np.sqrt(np.maximum(values, 0.0))
    _, turn = np.linalg.eigh(factor.T @ midpoints(right) @ factor)
    return product_enclosures(left, right, (factor @ turn).tolist())
