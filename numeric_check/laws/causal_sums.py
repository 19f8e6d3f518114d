"""The causal sums o_i = Σ_{j ≤ i} (q_iᵀA(t_i − t_j)k_j) v_j, and how far a right kernel may be off.

Per block B, with q̃ = Pᵀq and k̃ = P⁻¹k, a pair (i, j) adds q̃_Bᵀ exp((t_i − t_j)K_B) k̃_B to the
score. A kernel reaches it over steps t_j → t_{j+1} → … → t_i, or over fewer; its size on the way is

    w_ij = Σ_B ‖q̃_B‖·N_ij·‖k̃_B‖,    N_ij = Π_l ‖exp((t_l − t_{l−1})K_B)‖

with majorants in place of q̃ and k̃ and, for chains and parametric blocks, of the exponential.
Every step rounds m times (`tolerance`), every sum over d channels or n positions as often as it has
terms:

    ‖ô_i − o_i‖ ≤ Σ_j w_ij·‖v_j‖·((m·(i − j + 3) + d + n)·u_c + κ_ij·2⁻⁵³) + u_o·‖o_i‖ + η

κ_ij is the loss of float64 tables over the distance to the first position: a chunk may take its
angles from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flint import fmpq

from numeric_check.laws.map_laws import FLOAT64
from numeric_check.laws.subject import Subject
from numeric_check.reference_values.double_double import Array
from numeric_check.reference_values.exact_map import BlockArray
from numeric_check.reference_values.exact_number import exact_number
from numeric_check.reference_values.tolerance import (
    ENTRY_ROUNDINGS,
    FIRST_ORDER,
    FORMATS,
    TABLE_ROUNDINGS,
    Format,
    split_tolerance,
)
from symbolic_pe.emit.plan import BlockGroup

Number = int | float

PLANE = np.sqrt(2.0)
"""‖ |R(φ)| ‖ ≤ √2: what adding up the two channels of a plane may round more than the result."""
EXTRA_STEPS = 3
"""Maps beyond one for each position between: into the basis, out of the state, across a chunk."""
MARGIN = 32.0
"""How far from overflow a sum is compared: sums of inputs of magnitude up to 4."""


@dataclass(frozen=True)
class Sums:
    """Exact sums and tolerances of one sequence, (H, n, …).

    value      (H, n, m)
    tolerance  (H, n), of the norm of the difference
    inside     (H, n): nothing overflowed up to this position
    """

    value: Array
    tolerance: Array
    inside: np.typing.NDArray[np.bool_]


def causal_sums(
    subject: Subject, inputs: tuple[Array, Array, Array], positions: Sequence[Number], dtype: str
) -> Sums:
    """The sums of queries and keys (H, n, d) and values (H, n, m) at positions that grow."""
    query, key, value = inputs
    heads, n, d = query.shape
    times = [exact_number(t) for t in positions]
    format_ = FORMATS[dtype]
    scores, sizes, weights = (np.zeros((heads, n, n)) for _ in range(3))
    for group in _groups(subject, (query, key), times):
        scores += group.scores
        sizes = np.maximum(sizes, group.reach)
        weights += group.weights(subject.roundings(group.block), d + n, format_)
    lower = np.tril(np.ones((n, n)))
    length = np.hypot.reduce(value, axis=-1)[:, None, :]
    exact = (scores * lower) @ value
    _, output = split_tolerance(format_, 1)
    norms = np.hypot.reduce(exact, axis=-1)
    lost = _underflow(format_, inputs)
    tolerance = (weights * lower * length).sum(axis=-1) + output * norms + lost
    size = (sizes * lower * length).sum(axis=-1)
    reached = np.maximum.accumulate(size, axis=-1)
    small = MARGIN * (1.0 + np.abs(query).sum(axis=-1).max())
    inside = reached * small < FORMATS[format_.compute].largest
    return Sums(exact, tolerance, inside & (reached * small < format_.largest))


def _underflow(format_: Format, inputs: tuple[Array, Array, Array]) -> float:
    """What vanishing entries of the state may add up to, and the rounding of a small result."""
    query, key, value = inputs
    n, d = query.shape[-2:]
    entries = n * d * (1.0 + np.abs(query).max()) * (1.0 + np.abs(key).max())
    lost = FORMATS[format_.compute].smallest_normal * (1.0 + np.abs(value).max())
    return float(n * entries * lost + format_.smallest)


@dataclass(frozen=True)
class _Pairs:
    """One group over all pairs (i, j).

    block   the exponentials, for the number of roundings
    scores  (H, n, n), the part of the group
    size    (H, n, n, B), ‖q̃_B‖·N_ij·‖k̃_B‖
    reach   (H, n, n), the largest N_ij·‖k̃_B‖·‖q̃_B‖ and N_ij·‖k̃_B‖ there: what must not overflow
    loss    (H, n, n, B), κ
    """

    block: BlockArray
    scores: Array
    size: Array
    reach: Array
    loss: Array

    def weights(self, roundings: int, terms: int, format_: Format) -> Array:
        """Σ_B of what a pair may be off, per unit of the value."""
        n = self.scores.shape[-1]
        steps = np.abs(np.arange(n)[:, None] - np.arange(n)) + EXTRA_STEPS
        compute, _ = split_tolerance(format_, 1)
        counted = PLANE * compute * (roundings * steps + terms)
        tables = self.loss + (TABLE_ROUNDINGS + ENTRY_ROUNDINGS) * steps[None, :, :, None]
        inexact = FIRST_ORDER * FLOAT64.unit_roundoff * (tables + terms)
        result: Array = (self.size * (counted[None, :, :, None] + inexact)).sum(axis=-1)
        return result


def _groups(subject: Subject, vectors: tuple[Array, Array], times: Sequence[fmpq]) -> list[_Pairs]:
    n = len(times)
    lower = [(i, j) for i in range(n) for j in range(i + 1)]
    rows, columns = np.array(lower).T
    exact = subject.exact
    pairs = exact.exponential([times[i] - times[j] for i, j in lower])
    zero = fmpq(0)
    steps = exact.exponential([times[i] - times[max(i - 1, 0)] for i in range(n)])
    spans = exact.exponential([t - times[0] for t in times])
    found = []
    for pair, step, span, left, right in zip(
        pairs, steps, spans, exact.query([zero]), exact.key([zero]), strict=True
    ):
        query, query_size = _in_basis(left, vectors[0])
        key, key_size = _in_basis(right, vectors[1])
        heads, blocks = query.shape[0], query.shape[2]
        values = np.broadcast_to(pair.value.high, (heads, *pair.value.high.shape[1:]))
        scores = np.zeros((heads, n, n))
        scores[:, rows, columns] = np.einsum(
            "hpbs,hpbsc,hpbc->hp", query[:, rows], values, key[:, columns]
        )
        path = _path(_norms(step), n)
        norms = [np.hypot.reduce(x, axis=-1) for x in (query_size, key_size)]
        kept = path * norms[1][:, None]
        size = norms[0][:, :, None] * kept
        loss = np.broadcast_to(2 * span.loss[:, :, None], (span.loss.shape[0], n, n, blocks))
        found.append(_Pairs(pair, scores, size, np.maximum(size, kept).max(axis=-1), loss))
    return found


def _in_basis(block: BlockArray, x: Array) -> tuple[Array, Array]:
    """The blocks of Pᵀx or P⁻¹x, (H, n, B, S), and a majorant."""
    read = x[..., block.columns]
    value, majorant = block.value.high[:, 0], block.majorant[:, 0]
    heads = len(x)
    image, size = (
        np.einsum("hbsc,hnbc->hnbs", np.broadcast_to(m, (heads, *m.shape[1:])), y)
        for m, y in ((value, read), (majorant, np.abs(read)))
    )
    return image, size


def _norms(step: BlockArray) -> Array:
    """‖exp((t_i − t_{i−1})K_B)‖, (H, n, B); infinite where it overflows.

    A damped rotation has columns of its own norm; else the Frobenius norm of the majorant.
    """
    group = step.group
    if isinstance(group, BlockGroup) and group.chain_length == 1:
        norms = np.hypot.reduce(step.value.high[..., 0], axis=-1)
    else:
        norms = np.hypot.reduce(step.majorant, axis=(-2, -1))
    return np.where(np.isnan(norms), np.inf, norms)


def _path(norms: Array, n: int) -> Array:
    """N_ij, the product of the norms of the steps from j to i, (H, n, n, B); 1 for j ≥ i."""
    path = np.ones((norms.shape[0], n, n, norms.shape[-1]))
    for i in range(1, n):
        path[:, i, :i] = path[:, i - 1, :i] * norms[:, i, None]
    return path
