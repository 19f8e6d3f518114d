"""Faulty subjects with names to import them by: every finding about them has a line to paste."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.audit import maps as m

by_slot = m.by_slot
contiguous = m.contiguous
integer_division = m.integer_division
rounded_positions = m.rounded_positions
first_row_only = m.first_row_only
mixed = m.mixed_tables("half", "interleaved")
good = m.rope()
backwards = m.rope(sign=-1)
early, early_key = m.xpos(64.0)
by_length = m.by_length(100)


class Hashed:
    """A cache of 4096 places that does not look which position it kept."""

    def __init__(self) -> None:
        self.kept: dict[int, Any] = {}

    def __call__(self, x: Any, positions: Any) -> Any:
        angles = [self.kept.setdefault(int(p) % 4096, p * m.ladder(8)) for p in positions]
        return m.rotate(x, np.array(angles), "half")


def left_out(x: Any, positions: Any) -> Any:
    """Heads from the fifth on are not turned."""
    y = m.rope()(x, positions)
    if x.ndim > 2:
        y[..., 5:, :, :] = x[..., 5:, :, :]
    return y


def odd_position(x: Any, positions: Any) -> Any:
    """One position is taken for another."""
    return m.rope()(x, np.where(positions == 777, 778, positions))


def not_linear(x: Any, positions: Any) -> Any:
    return m.rope()(np.where(x > 1.5, 1.5, x), positions)


def inplace(x: Any, positions: Any) -> Any:
    x[...] = m.rope()(x, positions)
    return x


def shifts_positions(x: Any, positions: Any) -> Any:
    y = m.rope()(x, positions)
    positions += 1
    return y


class Counting(m.Counting):
    """A count that goes on between calls."""


class CountsAlone:
    """A call of one position counts on from the last call, as a decoder's own counter does."""

    def __init__(self) -> None:
        self.next = 0

    def __call__(self, x: Any, positions: Any) -> Any:
        at = np.array([self.next]) if len(positions) == 1 else positions
        self.next = int(at[-1]) + 1
        return m.rope()(x, at)


class LateGrowth:
    """A table of 2048 angles that grows when a position is beyond its length, not at it."""

    def __init__(self) -> None:
        self.angles = np.arange(2048.0)

    def __call__(self, x: Any, positions: Any) -> Any:
        last = int(positions.max())
        if last > len(self.angles):
            self.angles = np.arange(2.0 * last)
        return m.rope()(x, self.angles[np.minimum(positions, len(self.angles) - 1)])


def odd_tail(x: Any, positions: Any) -> Any:
    """Positions are taken in pairs in long calls: the last of an odd number is left as 0."""
    at = np.array(positions)
    if len(at) > 64 and len(at) % 2:
        at[-1] = 0
    return m.rope()(x, at)


def inplace_single(x: Any, positions: Any) -> Any:
    """A conversion that converts nothing gives x itself."""
    y = x.astype(np.float32, copy=False)
    y[...] = m.rope()(y, positions)
    return y.astype(x.dtype)


def scales_positions(x: Any, positions: Any) -> Any:
    """The same of positions."""
    at = positions.astype(np.float32, copy=False)
    at *= 0.25
    return m.rope()(x, at.astype(np.float64))


def inplace_key(x: Any, positions: Any) -> Any:
    """Right, but for x."""
    x[...] = m.rope()(x, positions)
    return x


def in_one_piece(x: Any, positions: Any) -> Any:
    """Reads memory as if x lay in it without gaps and in order, as many a kernel does."""
    whole = np.lib.stride_tricks.as_strided(x, x.shape, np.empty(x.shape, x.dtype).strides)
    return m.rope()(whole, positions)


def second_group(x: Any, positions: Any) -> Any:
    """Heads from 8 on take the position of the slot before."""
    y = m.rope()(x, positions)
    if x.ndim == 4:
        y[:, 8:] = m.rope()(x[:, 8:], np.roll(positions, 1))
    return y


def axial_inplace(x: Any, positions: Any) -> Any:
    """Coordinates are counted from the first, in the caller's own array."""
    y = axial(x, positions)
    positions -= positions[:1]
    return y


def tiled_wrongly(x: Any, positions: Any) -> Any:
    """x (b, n, h, d), tokens of all sequences in one axis; positions are repeated one by one."""
    b, n, h, d = x.shape
    at = np.repeat(positions, b)
    y = m.rope()(x.reshape(b * n, h, d).swapaxes(0, 1), at)
    return y.swapaxes(0, 1).reshape(x.shape)


class CachedByLength(m.CachedByLength):
    """A table kept for a length."""


def wrong_batch(x: Any, position_ids: Any) -> Any:
    """Takes (batch, n), but gives every row the positions of the first."""
    return m.rope()(x, position_ids if position_ids.ndim == 1 else position_ids[0])


def float_positions(x: Any, positions: Any) -> Any:
    """Integers are right, floats are counted from 1."""
    return m.rope()(x, positions + (positions.dtype.kind == "f"))


def by_offset(x: Any, offset: int) -> Any:
    """The offset counts from 2 on."""
    return m.rope()(x, max(0, offset - 1) + np.arange(x.shape[-2]))


def still(x: Any, positions: Any) -> Any:
    return x


# -- scores, biases, tables -------------------------------------------------------------------


def clipped(q: Any, k: Any, t: Any, s: Any) -> Any:
    """Lags beyond 600 count as 600, at query positions above 5000 only."""
    late = m.rope()(q, np.where(t > 5000, np.minimum(t, 5600), t)) @ m.rope()(k, s).T
    return late


def one_pair(q: Any, k: Any, t: Any, s: Any) -> Any:
    scores = m.rope()(q, t) @ m.rope()(k, s).T
    return scores + 0.01 * scores * ((t[:, None] == 300) & (s[None] == 200))


def one_lag(q: Any, k: Any, t: Any, s: Any) -> Any:
    lag = t[:, None] - s[None]
    return (m.rope()(q, t) @ m.rope()(k, s).T) * np.where(lag == 613, 1.01, 1.0)


def squared(q: Any, k: Any, t: Any, s: Any) -> Any:
    return (m.rope()(q, t) @ m.rope()(k, s).T) ** 2


def probabilities(q: Any, k: Any, t: Any, s: Any) -> Any:
    """Softmax is part of it."""
    z = np.exp(m.rope()(q, t) @ m.rope()(k, s).T / 8)
    return z / z.sum(axis=-1, keepdims=True)


def by_width(q: Any, k: Any, t: Any, s: Any) -> Any:
    return (m.rope()(q, t) @ m.rope()(k, s).T) / len(s)


def far_bias(t: Any, s: Any) -> Any:
    """Wrong for lags beyond 4096, of late queries only."""
    lag = t[:, None] - s[None]
    return -0.5 * np.where((lag > 4096) & (t[:, None] > 60000), lag + 7.0, lag)[None]


def one_entry(t: Any, s: Any) -> Any:
    lag = t[:, None] - s[None]
    return -0.5 * (lag + 0.5 * ((t[:, None] == 301) & (s[None] == 123)))[None]


def nan_bias(t: Any, s: Any) -> Any:
    return np.where(t[:, None] - s[None] == 7, np.nan, -0.5 * (t[:, None] - s[None]))[None]


def wrong_sign(t: Any, s: Any) -> Any:
    return 0.5 ** np.arange(1, 9)[:, None, None] * (t[:, None] - s[None])


def width_bias(t: Any, s: Any) -> Any:
    return -(t[:, None] - s[None])[None] / len(s)


def sines(positions: Any) -> Any:
    angle = positions[:, None] * 10000.0 ** (-2.0 * np.arange(4) / 8)
    return np.stack([np.sin(angle), np.cos(angle)], -1).reshape(len(angle), 8)


def learned(positions: Any) -> Any:
    return np.random.default_rng(0).standard_normal((1024, 8))[positions]


def sines_with_an_odd_row(positions: Any) -> Any:
    return sines(np.where(positions == 20000, 20001, positions))


def far_sines(positions: Any) -> Any:
    """Angles of far positions in single precision with a period in single precision."""
    wrapped = np.where(positions > 40000, positions % 40000, positions)
    return sines(wrapped)


def relative_table(positions: Any) -> Any:
    return sines(positions - positions[0])


def repeated(positions: Any) -> Any:
    return sines(positions // 2)


def nan_table(positions: Any) -> Any:
    return np.where(positions[:, None] == 5, np.nan, sines(positions))


# -- several axes -----------------------------------------------------------------------------


def axial(x: Any, positions: Any) -> Any:
    angle = np.concatenate([positions[:, [a]] * np.array([1.0, 0.1]) for a in (0, 1)], axis=-1)
    return m.rotate(x, angle, "interleaved")


def coupled(x: Any, positions: Any) -> Any:
    """The second axis counts only where the first is below 100."""
    y = np.where(positions[:, [0]] < 100, positions[:, [1]], 0)
    angle = np.concatenate([positions[:, [0]] * [1.0, 0.1], y * [1.0, 0.1]], axis=-1)
    return m.rotate(x, angle, "interleaved")


def axial_by_slot(x: Any, positions: Any) -> Any:
    return axial(x, np.stack([np.arange(len(positions)), positions[:, 1]], -1))


def shifted_rows(t: Any, s: Any) -> Any:
    """The relative shift of Transformer-XL without its mask: the matrix is padded and cut."""
    n, k = len(t), len(s)
    row = np.tile(0.1 * np.arange(k)[::-1], (n, 1))
    padded = np.concatenate([np.zeros((n, 1)), row], axis=1)
    return padded.reshape(k + 1, n)[1:].reshape(n, k)[None]
