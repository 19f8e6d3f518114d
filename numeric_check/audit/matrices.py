"""Small real matrices: connected channels, principal logarithms, exponentials at many positions."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from flint import arb, arb_mat, fmpq

from numeric_check.audit.libraries import Array
from symbolic_pe.algebra.scalar import precision

NEAR_IDENTITY = 0.25
MAX_ROOTS = 64
NEGLIGIBLE = 2.0**-60
"""Terms of a series that add nothing, relative to its sum."""
WELL_CONDITIONED = 1e4
GLANCE = 1e-3
"""Results are taken for equal, to find words for what they are, when they differ by less."""
BITS = 160


def connected_channels(matrices: Array) -> list[tuple[int, ...]]:
    """Channels grouped so that no matrix of the stack (n, d, d) has an entry between two groups.

    >>> connected_channels(np.array([[[1, 0, 2], [0, 1, 0], [0, 0, 1.0]]]))
    [(0, 2), (1,)]
    """
    touched = (matrices != 0).any(axis=0)
    linked = touched | touched.T | np.eye(touched.shape[0], dtype=bool)
    left, groups = set(range(len(linked))), []
    while left:
        group, front = set(), {min(left)}
        while front:
            group |= front
            front = {int(j) for i in front for j in np.flatnonzero(linked[i])} - group
        groups.append(tuple(sorted(group)))
        left -= group
    return groups


def outputs_of(matrices: Array) -> tuple[int, ...]:
    """The place among results of each channel of x, where groups are smaller for it; else ().

    matrices  a stack (n, d, d), rows being results; the first of them tells which is which

    >>> outputs_of(np.eye(4)[[[0, 2, 1, 3]]])
    (0, 2, 1, 3)
    """
    touched = (matrices != 0).any(axis=0)
    d = len(touched)
    both = np.block([[np.zeros((d, d), bool), touched], [touched.T, np.zeros((d, d), bool)]])
    found = list(range(d))
    groups = connected_channels(both[None].astype(np.float64))
    for group in groups:
        rows, columns = [c for c in group if c < d], [c - d for c in group if c >= d]
        if len(rows) != len(columns):
            return ()
        largest = [rows[int(np.abs(matrices[0][rows, c]).argmax())] for c in columns]
        if len(set(largest)) == len(columns):
            rows = largest
        for row, column in zip(rows, columns, strict=True):
            found[column] = row
    finer = len(groups) > len(connected_channels(matrices))
    return tuple(found) if finer else ()


def alike(one: Array, other: Array, room: float = GLANCE) -> bool:
    """Whether two results are equal at a glance, NaN in the same places included.

    >>> alike(np.array([1.0, np.nan]), np.array([1.0001, np.nan]))
    True
    """
    return bool(np.allclose(one, other, rtol=room, atol=room, equal_nan=True))


def inverse(matrix: Array) -> Array:
    """The inverse; of a singular matrix, infinity everywhere."""
    try:
        return np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.full(matrix.shape, np.inf)


def norm(matrix: Array) -> float:
    """The Frobenius norm: within √k of the spectral one, and cheap."""
    return math.sqrt(np.vdot(matrix, matrix))


def norms(matrices: Array) -> Array:
    """The Frobenius norm of each matrix of a stack."""
    result: Array = np.sqrt((matrices * matrices).sum(axis=(-2, -1)))
    return result


def principal_logarithm(matrix: Array) -> Array | None:
    """The logarithm with eigenvalues in |Im| < π, or None where there is none.

    Square roots by the product form of the Denman–Beavers iteration until ‖B − I‖ is small, then
    log B = 2·artanh((B − I)(B + I)⁻¹) as a series.
    """
    if not np.isfinite(matrix).all():
        return None
    root, doublings, eye = matrix, 0, np.eye(len(matrix))
    if norm(root - eye) > NEAR_IDENTITY and not _has_logarithm(matrix):
        return None
    while norm(root - eye) > NEAR_IDENTITY:
        if doublings == MAX_ROOTS:
            return None
        root, doublings = _square_root(root), doublings + 1
    z = (root - eye) @ inverse(root + eye)
    total, power, square = np.zeros_like(z), z, z @ z
    for k in range(1, 60, 2):
        total = total + power / k
        power = power @ square
        if np.abs(power).max() <= NEGLIGIBLE * np.abs(total).max():
            break
    result: Array = total * 2.0 ** (doublings + 1)
    return result


def _has_logarithm(matrix: Array) -> bool:
    """Whether no eigenvalue is 0 or negative."""
    values = np.linalg.eigvals(matrix)
    negative = (values.real <= 0.0) & (np.abs(values.imag) <= 1e-12 * np.abs(values))
    return bool(np.isfinite(values).all() and not negative.any())


def _square_root(matrix: Array) -> Array:
    eye = np.eye(len(matrix))
    y, z = matrix, eye
    for _ in range(60):
        following = 0.5 * (y + inverse(z))
        z = 0.5 * (z + inverse(y))
        if norm(following - y) <= 4 * 2.0**-53 * norm(y):
            return following
        y = following
    return y


def exponentials(generator: Array, times: Sequence[float]) -> Array:
    """exp(tX) for each t, shape (n, k, k), from ball arithmetic where eigenvectors are no help."""
    x = np.asarray(generator, dtype=np.float64)
    if len(x) == 1:
        return _elementwise(x, times)
    if is_plane(x):
        return _turns(float(x[0, 0]), float(x[1, 0]), times)
    values, vectors = np.linalg.eig(x)
    if np.linalg.cond(vectors) < WELL_CONDITIONED:
        grown = np.exp(np.asarray(times, dtype=np.float64)[:, None] * values[None])
        result: Array = ((vectors * grown[:, None, :]) @ np.linalg.inv(vectors)).real
        return result
    return np.array([_by_balls(x, t) for t in times]).reshape(-1, len(x), len(x))


def plane_exponentials(a: float, w: float, times: Array) -> Array:
    """e^{at}·R(ωt) by NumPy: off by |ωt|·2⁻⁵³, for thousands of times."""
    with np.errstate(all="ignore"):
        c, s = np.exp(a * times) * np.cos(w * times), np.exp(a * times) * np.sin(w * times)
    result: Array = np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2)
    return result


def is_plane(generator: Array) -> bool:
    """Whether a matrix is exactly [[a, −ω], [ω, a]]."""
    x = generator
    return bool(len(x) == 2 and x[0, 0] == x[1, 1] and x[0, 1] == -x[1, 0])


def _elementwise(x: Array, times: Sequence[float]) -> Array:
    with np.errstate(over="ignore"):
        result: Array = np.exp(np.asarray(times, dtype=np.float64)[:, None, None] * x[None])
    return result


def _turns(rate: float, frequency: float, times: Sequence[float]) -> Array:
    """e^{at}·R(ωt), the angle reduced exactly: ω and t are the dyadic numbers that they are."""
    rows = []
    with precision(BITS):
        for t in times:
            time = arb(fmpq(*float(t).as_integer_ratio()))
            angle = time * arb(fmpq(*frequency.as_integer_ratio()))
            growth = (time * arb(fmpq(*rate.as_integer_ratio()))).exp()
            c, s = float(growth * angle.cos()), float(growth * angle.sin())
            rows.append([[c, -s], [s, c]])
    return np.array(rows, dtype=np.float64).reshape(len(times), 2, 2)


def _by_balls(x: Array, t: float) -> Array:
    with precision(BITS):
        time = arb(fmpq(*float(t).as_integer_ratio()))
        exact = arb_mat([[arb(fmpq(*float(v).as_integer_ratio())) * time for v in r] for r in x])
        found = exact.exp()
        k = len(x)
        return np.array([[float(found[i, j]) for j in range(k)] for i in range(k)])
