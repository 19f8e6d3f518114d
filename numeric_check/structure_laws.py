"""Laws about what a map may depend on: its own channels, x linearly, nothing remembered.

They are measured with whole vectors at a few positions, so that a channel read by the wrong
block shows, which the block-wise probes of `map_laws` could not tell from a wrong block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from numeric_check.comparison import Comparison, Mask
from numeric_check.double_double import Array
from numeric_check.exact_map import BlockArray, Whole
from numeric_check.exact_number import exact_number
from numeric_check.kernel import DTYPE_OF, Kernel
from numeric_check.map_laws import FLOAT64, locate_map
from numeric_check.subject import MAPS, MapCall, Subject, format_of, position_array
from numeric_check.tolerance import in_served_window, relative_tolerance, underflow

Number = int | float
POSITIONS: tuple[Number, ...] = (1, 85, 4095, 131071)
SHIFT = 17
BUDGET = 2**21
"""Largest number of entries in the result of one call of this module."""
MAX_COLUMNS = 16
"""Columns fed when even one position of the identity is over the budget."""


@dataclass(frozen=True)
class Sample:
    """What one side and dtype returned: for unit vectors, and for one random vector.

    columns  (p, HEADS, n, d) for the unit vectors of `channels`
    image    (HEADS, n, d) for `vector`, which is supported on the same channels
    bound    (H, n, d), what rounding may change in an entry of the image
    inside   (H, n, d), the served window
    """

    call: MapCall
    channels: Sequence[int]
    vector: Array
    columns: Array
    image: Array
    bound: Array
    inside: Mask


def structure_positions(subject: Subject) -> tuple[Number, ...]:
    """As many of the standard ones as the domain and the budget allow."""
    limit = subject.plan.encoding.domain.max_position
    chosen = [p for p in POSITIONS if p <= limit] or [1]
    entries = subject.dimension**2 * subject.heads
    return tuple(chosen[: max(1, min(len(chosen), BUDGET // entries))])


def take_sample(subject: Subject, side: str, dtype: str) -> Sample | None:
    """Measure at shifted positions first: a table remembered by length alone is then stale."""
    positions = structure_positions(subject)
    reference = float(positions[-1]) - 1.0 if _is_limited(subject) else 0.0
    call = MapCall(side, positions, reference, dtype)
    d = subject.dimension
    channels = _channels(subject, len(positions))
    vector = np.zeros(d)
    vector[channels] = subject.random_vector(0, dtype)[channels]
    shifted = MapCall(side, tuple(p + SHIFT for p in positions), reference, dtype)
    if subject.map(shifted, vector[None]) is None:
        return None
    columns = subject.map(call, np.eye(d)[channels])
    image = subject.map(call, vector[None])
    if columns is None or image is None:
        return None
    whole = _whole(subject, call)
    format_ = format_of(dtype)
    roundings = subject.most_roundings(subject.exact.exponential([]))
    size = np.einsum("phni,p->hni", np.abs(columns[..., :d]), np.abs(vector[channels]))
    size = np.fmax(size, np.einsum("hnij,j->hni", whole.majorant, np.abs(vector)))
    weight = 2 * relative_tolerance(format_, roundings)
    bound = weight * size + underflow(format_, roundings) * (1 + np.abs(vector).sum())
    sample = Sample(
        call,
        channels,
        vector,
        columns[..., :d],
        image[0, ..., :d],
        bound,
        in_served_window(whole.growth, format_),
    )
    if subject.plan.basis is None:
        _check_off_block(subject, sample)
    _check_linearity(subject, sample)
    return sample


def _is_limited(subject: Subject) -> bool:
    """Whether decay, growth or a chain limits the distance from the reference."""
    (b, *rest) = subject.exact.exponential([exact_number(131071)])
    return any(x.growth.max() > 0.5 for x in (b, *rest))


def _channels(subject: Subject, positions: int) -> list[int]:
    d = subject.dimension
    if d * d * subject.heads * positions <= 2 * BUDGET:
        return list(range(d))
    return sorted({round(i * (d - 1) / (MAX_COLUMNS - 1)) for i in range(MAX_COLUMNS)})


def _whole(subject: Subject, call: MapCall) -> Whole:
    c = exact_number(call.reference)
    exact = subject.exact.query if call.side == "query" else subject.exact.key
    blocks: tuple[BlockArray, ...] = exact([exact_number(p) - c for p in call.positions])
    return subject.exact.whole(blocks, len(call.positions))


def _check_off_block(subject: Subject, sample: Sample) -> None:
    """Entries outside the blocks are exactly 0."""
    coupled = np.zeros((subject.dimension,) * 2, dtype=bool)
    for b in subject.exact.exponential([]):
        coupled[b.rows[:, :, None], b.columns[:, None, :]] = True
    outside = ~coupled[:, list(sample.channels)].T[:, None, None, :]
    error = np.where(outside, np.abs(sample.columns), 0.0)
    zero = np.zeros(())
    found = Comparison.of(error, zero, zero, np.broadcast_to(sample.inside, error.shape))
    found.record(
        subject.ledger,
        sample.call.law,
        sample.call.dtype,
        lambda index: locate_map(subject, sample.call, sample.call.positions[index[2]], index[1]),
    )


def _check_linearity(subject: Subject, sample: Sample) -> None:
    """f(x) = Σ x_j f(e_j)."""
    weights = sample.vector[list(sample.channels)]
    expected = np.einsum("phni,p->hni", sample.columns, weights)
    error = np.abs(sample.image - expected)
    own = (
        (len(weights) + 1)
        * FLOAT64.unit_roundoff
        * np.einsum("phni,p->hni", np.abs(sample.columns), np.abs(weights))
    )
    found = Comparison.of(error, np.ones(()), sample.bound + own, sample.inside)
    found.record(
        subject.ledger,
        "linearity",
        sample.call.dtype,
        lambda index: subject.random_evidence(
            sample.call, 0, index, float(expected[index]), "against the sum over unit vectors"
        ),
    )


def check_batch(subject: Subject, sample: Sample) -> None:
    """Positions of shape (2, [1,] n): each row of the batch is moved by its own positions."""
    call, n = sample.call, len(sample.call.positions)
    backward = tuple(reversed(call.positions))
    shape: tuple[int, ...] = (2, n, subject.dimension)
    place = np.stack([position_array(call.positions), position_array(backward)])
    if subject.heads > 1:
        shape, place = (2, subject.heads, n, subject.dimension), place[:, None]
    x = np.broadcast_to(sample.vector, shape).astype(DTYPE_OF[call.dtype])
    result = subject.apply(call, x, place)
    if result is None:
        return
    rows = result[..., : subject.dimension]
    rows = rows[:, None] if subject.heads == 1 else rows
    error = np.maximum(
        np.abs(rows[0] - sample.image), np.abs(rows[1] - sample.image[:, ::-1])[:, ::-1]
    )
    _compare(subject, sample, "batch", error, "in a batch with positions of its own")


def check_history(subject: Subject, sample: Sample, fresh: Kernel | None) -> None:
    """The same call again, and in a copy that made other calls before."""
    for kernel, note in (
        (None, "the same call made again"),
        (fresh, "the same call in a freshly imported copy"),
    ):
        if kernel is None and fresh is None:
            continue
        result = subject.map(sample.call, sample.vector[None], kernel)
        if result is None:
            continue
        error = np.abs(result[0, ..., : subject.dimension] - sample.image)
        _compare(subject, sample, "history", error, note)


def _compare(subject: Subject, sample: Sample, law: str, error: Array, note: str) -> None:
    found = Comparison.of(error, np.ones(()), sample.bound, sample.inside)
    found.record(
        subject.ledger,
        law,
        sample.call.dtype,
        lambda index: subject.random_evidence(
            sample.call, 0, index, float(sample.image[index]), note
        ),
    )


SIDES = tuple(MAPS)
