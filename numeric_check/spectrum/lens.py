"""What position does in a head, from its queries and keys before the encoding is applied.

    L_ij = q_iᵀA(i − j)k_j + bias(i − j)

Everything that softmax cannot see is taken out first: each row is centred over the keys that the
mask allows. For heads of rotations the planes give complex numbers q^(k), k^(k) with
C_k = q^(k)k^(k)*, and with w_k = Re⟨C_k, L⁰⟩/‖L⁰‖², L⁰ the logits without position,

    ‖L‖₂ ≤ Σ|w_k|·‖L⁰‖₂ + Σ‖C_k − w_kL⁰‖_F,

as L⁰∘cos is a mean of unitary conjugates of L⁰ and all factors of the rest have modulus 1. With
homogeneous content (C_k = w_kL⁰, w_k ≥ 0) the bound is ‖L⁰‖₂: the head contracts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import factorial
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.errors import SpecificationError
from symbolic_pe.generators.block import Block
from symbolic_pe.generators.generator import Generator

Array = NDArray[Any]

MAX_POSITIONS = 1024
CHUNK = 64
HOMOGENEOUS = 1e-9
"""Relative size of the rest up to which content counts as homogeneous: rounding of float64."""


SILENT = "has nothing to bound: the logits without position are 0"


@dataclass(frozen=True)
class HeadLens:
    """What was measured of one head; ratios are of row-centred logits.

    kernel              μ_qᵀA(τ)μ_k at lags 0, 1, …: the effective positional kernel
    predicted_share     ‖centred kernel‖² over ‖centred logits‖²
    lag_share           share of centred logits that the best function of the lag explains
    energy              share of each plane in mean |q^(k)|·|k^(k)| (None without planes)
    contraction         ‖L‖₂/‖L⁰‖₂ of centred logits
    effective_ranks     with and without position
    homogeneity         1 − Σ‖C_k − w_kL⁰‖_F/Σ‖C_k‖_F: 1 where the theorem applies
    bound               upper bound of ‖L‖₂/‖L⁰‖₂ for logits that are not centred
    without_theorem     why there is neither homogeneity nor bound
    """

    head: int
    kernel: tuple[float, ...]
    predicted_share: float
    lag_share: float
    energy: tuple[float, ...] | None
    contraction: float | None
    effective_ranks: tuple[float, float]
    homogeneity: float | None
    bound: float | None
    without_theorem: str = "not about this encoding: it does more than turn planes"

    @property
    def theorem(self) -> str:
        """Whether contraction is a theorem for this content."""
        if self.homogeneity is None:
            return self.without_theorem
        assert self.bound is not None
        if 1 - self.homogeneity <= HOMOGENEOUS and self.bound <= 1 + HOMOGENEOUS:
            return "applies: all planes share one content"
        return f"does not apply; what holds is a ratio of at most {self.bound:.4g}"


def head_lens(
    encoding: Encoding, queries: Array, keys: Array, *, causal: bool = True
) -> list[HeadLens]:
    """One lens for each head; arrays of shape (heads, n, d) or (batch, heads, n, d).

    Means are over positions and batch; logits are those of the first sequence. Fewer heads of keys
    than of queries are grouped keys: each serves as many query heads, in order. Raises
    `SpecificationError` for shapes that do not fit the encoding or each other.
    """
    queries, keys = _checked(encoding, queries, "queries"), _checked(encoding, keys, "keys")
    groups, rest = divmod(queries.shape[1], keys.shape[1])
    if not rest:
        keys = np.repeat(keys, groups, axis=1)
    if queries.shape != keys.shape:
        raise SpecificationError(
            f"queries and keys: expected one shape, or a number of key heads that divides that of "
            f"query heads, got {queries.shape} and {keys.shape} as (batch, heads, n, d)"
        )
    many = len(encoding.heads)
    if many not in (1, queries.shape[1]):
        raise SpecificationError(
            f"queries: expected {many} heads as in the encoding, got {queries.shape[1]}"
        )
    lenses = []
    for h in range(queries.shape[1]):
        which = h if many > 1 else 0
        operator = Operator.of(encoding, which, queries.shape[2])
        lenses.append(_lens(h, operator, queries[:, h], keys[:, h], causal=causal))
    return lenses


def _checked(encoding: Encoding, array: Array, name: str) -> Array:
    found = np.asarray(array, dtype=np.float64)
    if found.ndim == 3:
        found = found[None]
    if (
        found.ndim != 4
        or found.shape[-1] != encoding.dimension
        or found.shape[2] < 2
        or not found.size
    ):
        raise SpecificationError(
            f"{name}: expected (heads, n, {encoding.dimension}) or (batch, heads, n, "
            f"{encoding.dimension}) with n >= 2 and at least one head, got {np.shape(array)}"
        )
    if found.shape[2] > MAX_POSITIONS:
        raise SpecificationError(
            f"{name}: expected at most {MAX_POSITIONS} positions, got {found.shape[2]}; give a part"
        )
    wrong = np.argwhere(~np.isfinite(found))
    if len(wrong):
        where = tuple(int(i) for i in wrong[0])
        raise SpecificationError(
            f"{name}: expected finite numbers, got {found[where]} at (batch, head, position, "
            f"channel) = {where} and {len(wrong) - 1} more"
        )
    return found


def _scaled(array: Array) -> tuple[Array, int]:
    """The array over a power of 2 near its largest entry, and the exponent."""
    largest = float(np.abs(array).max())
    exponent = int(np.frexp(largest)[1]) if largest else 0
    return np.ldexp(array, -exponent), exponent


@dataclass(frozen=True)
class Operator:
    """A(τ) for the lags of one sequence, and the bias, in float64.

    planes  (first, second, signed frequency) of each plane, when all blocks are single planes or
            channels that do nothing
    """

    generator: Generator
    length: int
    bias: Array
    planes: tuple[tuple[int, int, float], ...] | None
    still: tuple[int, ...]

    @classmethod
    def of(cls, encoding: Encoding, head: int, length: int) -> Operator:
        """Lags −(n − 1) … n − 1. Raises `SpecificationError` for a generator with parameters."""
        if encoding.parameters:
            raise SpecificationError(
                f"the encoding has the parameters {sorted(encoding.parameters)}; give numbers"
            )
        lags = range(-(length - 1), length)
        generator = encoding.heads[head].generator
        added = encoding.heads[head].augmentation
        bias = np.zeros(len(lags))
        if added is not None:
            bias = np.array([float(added.bias.ball({"t": arb(t)}, {}).real) for t in lags])
        planes, still = _planes(generator)
        return cls(generator, length, bias, planes, still)

    @property
    def turns_alone(self) -> bool:
        """Whether the encoding turns planes and does nothing else."""
        return self.planes is not None and not self.bias.any()

    def matrices(self) -> Iterator[tuple[int, Array]]:
        """Each lag with its A(τ), a chunk at a time."""
        lags = np.arange(-(self.length - 1), self.length, dtype=np.float64)
        for start in range(0, len(lags), CHUNK):
            part = lags[start : start + CHUNK]
            yield from zip((int(t) for t in part), _operators(self.generator, part), strict=True)

    def logits(self, q: Array, k: Array) -> Array:
        """L for one sequence."""
        n = len(q)
        found = np.empty((n, n))
        for lag, matrix in self.matrices():
            rows = np.arange(max(0, lag), min(n, n + lag))
            products = np.einsum("id,id->i", q[rows] @ matrix, k[rows - lag])
            found[rows, rows - lag] = products + self.bias[lag + n - 1]
        return found

    def kernel(self, q: Array, k: Array) -> Array:
        """qᵀA(τ)k + bias(τ) for every lag."""
        return np.array([q @ a @ k for _, a in self.matrices()]) + self.bias


def _planes(
    generator: Generator,
) -> tuple[tuple[tuple[int, int, float], ...] | None, tuple[int, ...]]:
    planes: list[tuple[int, int, float]] = []
    still: list[int] = []
    for placed in generator.placed or ():
        block = placed.block
        if not block.rate.is_zero() or block.chain_length > 1:
            return None, ()
        if block.is_pair:
            a, b = placed.coordinates
            planes.append((a, b, block.frequency.to_float()))
        else:
            still.extend(placed.coordinates)
    return (tuple(planes), tuple(still)) if generator.placed is not None else (None, ())


def _operators(generator: Generator, lags: Array) -> Array:
    found = np.zeros((len(lags), generator.dimension, generator.dimension))
    if generator.placed is None:
        from symbolic_pe.jordan.classify import real_jordan_form

        (case,) = real_jordan_form(generator).cases
        if case.components is None:
            raise SpecificationError("the lens needs a generator with a real basis in the ring")
        for form in case.components:
            basis, inverse = (_floats(m) for m in (form.basis, form.inverse_basis))
            inner = np.zeros((len(lags), len(basis), len(basis)))
            start = 0
            for block in form.blocks:
                end = start + block.dimension
                inner[:, start:end, start:end] = _block(block, lags)
                start = end
            where = np.ix_(range(len(lags)), form.coordinates, form.coordinates)
            found[where] = basis @ inner @ inverse
        return found
    for placed in generator.placed:
        where = np.ix_(range(len(lags)), placed.coordinates, placed.coordinates)
        found[where] = _block(placed.block, lags)
    return found


def _floats(matrix: Sequence[Sequence[Any]]) -> Array:
    return np.array([[x.to_float() for x in row] for row in matrix])


def _block(block: Block, lags: Array) -> Array:
    """e^{at} Σ (ηt)^k/k!·N^k ⊗ R(ωt) for every lag."""
    rate, omega = block.rate.to_float(), block.frequency.to_float()
    shear, length = block.shear.to_float(), block.chain_length
    growth = np.exp(rate * lags)
    if block.is_pair:
        c, s = np.cos(omega * lags), np.sin(omega * lags)
        cell = np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2)
    else:
        cell = np.ones((len(lags), 1, 1))
    width = cell.shape[-1]
    found = np.zeros((len(lags), block.dimension, block.dimension))
    for link in range(length):
        for k in range(length - link):
            weight = growth * (shear * lags) ** k / factorial(k)
            rows = slice(link * width, (link + 1) * width)
            columns = slice((link + k) * width, (link + k + 1) * width)
            found[:, rows, columns] = weight[:, None, None] * cell
    return found


# -- measuring --------------------------------------------------------------------------------


def centred(logits: Array, allowed: Array) -> Array:
    """Each row less its mean over the allowed keys; 0 elsewhere."""
    masked = np.where(allowed, logits, 0.0)
    mean = masked.sum(axis=1, keepdims=True) / allowed.sum(axis=1, keepdims=True)
    found: Array = np.where(allowed, logits - mean, 0.0)
    return found


def _lens(head: int, operator: Operator, q: Array, k: Array, *, causal: bool) -> HeadLens:
    n = q.shape[1]
    exponent = 0
    if not operator.bias.any():  # ratios do not see the scale; squares of it could leave float64
        (q, of_queries), (k, of_keys) = _scaled(q), _scaled(k)
        exponent = of_queries + of_keys
    place = np.arange(n)
    lags = np.subtract.outer(place, place)
    allowed = lags >= 0 if causal else np.ones((n, n), dtype=bool)
    mean_q, mean_k = q.mean(axis=(0, 1)), k.mean(axis=(0, 1))
    kernel = operator.kernel(mean_q, mean_k)
    logits = operator.logits(q[0], k[0])
    without = q[0] @ k[0].T
    seen, plain = centred(logits, allowed), centred(without, allowed)
    total = float((seen**2).sum())
    position = centred(kernel[lags + n - 1], allowed)
    share = float((position**2).sum()) / total if total else 0.0
    energy, homogeneity, bound = _content(operator, q[0], k[0], without)
    small = float(np.linalg.norm(plain, 2))
    with np.errstate(over="ignore"):
        scores = np.ldexp(kernel[n - 1 :], exponent)
    if not np.isfinite(scores).all() or not np.isfinite(total):
        raise SpecificationError(
            f"queries and keys: the scores of head {head} do not fit float64; divide both by a "
            "constant"
        )
    return HeadLens(
        head,
        tuple(float(x) for x in scores),
        share,
        _lag_share(seen, lags, allowed),
        energy,
        float(np.linalg.norm(seen, 2)) / small if small else None,
        (_effective_rank(seen), _effective_rank(plain)),
        homogeneity,
        bound,
        *([SILENT] if operator.turns_alone and homogeneity is None else []),
    )


def _lag_share(seen: Array, lags: Array, allowed: Array) -> float:
    """‖projection of centred logits on centred functions of the lag‖²/‖·‖².

    The indicator of lag v, centred in a row with c keys, is δ_{j,i−v} − 1/c. So the normal
    equations have the matrix diag(Σ_i M_iv) − Mᵀdiag(1/c)M with M_iv = 1 where row i has the lag v.
    """
    total = float((seen**2).sum())
    if not total:
        return 0.0
    n = len(seen)
    present = np.zeros((n, 2 * n - 1))
    values = np.zeros((n, 2 * n - 1))
    rows, columns = np.nonzero(allowed)
    present[rows, lags[rows, columns] + n - 1] = 1.0
    values[rows, lags[rows, columns] + n - 1] = seen[rows, columns]
    counts = allowed.sum(axis=1)
    normal = np.diag(present.sum(axis=0)) - present.T @ (present / counts[:, None])
    right = values.sum(axis=0)
    return float(right @ np.linalg.lstsq(normal, right, rcond=None)[0]) / total


def _effective_rank(matrix: Array) -> float:
    """(Σσ)²/Σσ²."""
    values = np.linalg.svd(matrix, compute_uv=False)
    total = float((values**2).sum())
    return float(values.sum()) ** 2 / total if total else 0.0


def _content(
    operator: Operator, q: Array, k: Array, without: Array
) -> tuple[tuple[float, ...] | None, float | None, float | None]:
    """Energies of planes, homogeneity, and the bound of the head of the module."""
    if not operator.turns_alone:
        return None, None, None
    planes = operator.planes or ()
    parts = [(q[:, a] + 1j * q[:, b], k[:, a] + 1j * k[:, b]) for a, b, _ in planes]
    parts += [(q[:, c] + 0j, k[:, c] + 0j) for c in operator.still]
    energies = np.array([np.abs(x).mean() * np.abs(y).mean() for x, y in parts])
    total = float(energies.sum())
    square = float((without**2).sum())
    if not total or not square:
        return None, None, None
    weights, rests, sizes = [], [], []
    for x, y in parts:
        size = float(np.linalg.norm(x) * np.linalg.norm(y))
        weight = float((x.conj() @ without @ y).real) / square
        weights.append(weight)
        rests.append(float(np.linalg.norm(np.outer(x, y.conj()) - weight * without)))
        sizes.append(size)
    bound = sum(map(abs, weights)) + sum(rests) / float(np.linalg.norm(without, 2))
    homogeneity = 1 - sum(rests) / sum(sizes)
    return tuple(float(e) for e in energies / total), homogeneity, bound


def deposit_index(full: float, ablated: Sequence[float]) -> float | None:
    """(largest drop of one head)/(sum of drops); None when no ablation lowers the score.

    full     score of the whole model
    ablated  score with each head's output set to 0

    Raises `SpecificationError` for scores that are not finite.
    """
    if not np.isfinite([full, *ablated]).all():
        raise SpecificationError(
            f"deposit index: expected finite scores, got {full} and {list(ablated)}"
        )
    drops = [max(full - score, 0.0) for score in ablated]
    total = sum(drops)
    return max(drops) / total if total > 0 else None
