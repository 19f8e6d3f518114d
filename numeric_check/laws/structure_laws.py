"""Laws about what a map may read: the channels of its own block, x linearly.

They are measured with whole vectors at a few positions, so that a channel read by the wrong
block shows, which the block-wise probes of `map_laws` could not tell from a wrong block.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from numeric_check.laws.comparison import Comparison, Index, Mask
from numeric_check.laws.map_laws import FLOAT64, locate_map
from numeric_check.laws.result import Evidence
from numeric_check.laws.subject import MapCall, Subject, format_of
from numeric_check.reference_values.double_double import Array
from numeric_check.reference_values.exact_map import BlockArray, Whole
from numeric_check.reference_values.exact_number import exact_number
from numeric_check.reference_values.tolerance import in_served_window, relative_tolerance, underflow

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

    step     only every step-th channel is fed (1: all)
    vector   (d,), 0 on the other channels
    columns  (p, HEADS, n, d) for the unit vectors of these channels
    image    (HEADS, n, d) for the random vector
    exact    (H, n, d), its exact image
    bound    (H, n, d), what rounding may change in an entry of the image
    inside   (H, n, d), the served window
    """

    call: MapCall
    step: int
    vector: Array
    columns: Array
    image: Array
    exact: Array
    bound: Array
    inside: Mask

    def evidence(self, subject: Subject, index: Index, expected: float, note: str) -> Evidence:
        """One entry (head, position, channel) of the image."""
        head, place, channel = index
        position, script = self.call.positions[place], subject.script
        entry = (0, channel) if subject.heads == 1 else (head, 0, channel)
        text = script.item(script.call(self.call, "x", [position], subject.values), entry)
        x = subject.random_statements(0, self.call.dtype, self.step)
        about = f"{self.call.name} of a random vector, {note}"
        where = subject.where([position], self.call.reference, head, about)
        return Evidence(where, script.line(x, text, expected))


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
    d, step = subject.dimension, _step(subject, len(positions))
    vector = np.zeros(d)
    vector[::step] = subject.random_vector(0, dtype)[::step]
    shifted = MapCall(side, tuple(p + SHIFT for p in positions), reference, dtype)
    if subject.map(shifted, vector[None]) is None:
        return None
    columns = subject.map(call, np.eye(d)[::step])
    image = subject.map(call, vector[None])
    if columns is None or image is None:
        return None
    whole = _whole(subject, call)
    format_ = format_of(dtype)
    roundings = subject.most_roundings(subject.exact.exponential([]))
    size = np.einsum("phni,p->hni", np.abs(columns[..., :d]), np.abs(vector[::step]))
    size = np.fmax(size, np.einsum("hnij,j->hni", whole.majorant, np.abs(vector)))
    weight = 2 * relative_tolerance(format_, roundings)
    bound = weight * size + underflow(format_, roundings) * (1 + np.abs(vector).sum())
    sample = Sample(
        call,
        step,
        vector,
        columns[..., :d],
        image[0, ..., :d],
        np.einsum("hnij,j->hni", whole.value.high, vector),
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


def _step(subject: Subject, positions: int) -> int:
    """1, or an odd step that leaves `MAX_COLUMNS` channels (odd: it meets every slot)."""
    d = subject.dimension
    if d * d * subject.heads * positions <= 2 * BUDGET:
        return 1
    return -(-d // MAX_COLUMNS) | 1


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
    outside = ~coupled[:, :: sample.step].T[:, None, None, :]
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
    weights = sample.vector[:: sample.step]
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
        lambda index: sample.evidence(
            subject, index, float(expected[index]), "against the sum over unit vectors"
        ),
    )
