"""Small encodings, right ones and faulty ones, written for these tests.

Each fault is a restatement of one that a public library had; `layout`, `base` and the like vary, so
that kinds are tested and not cases.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Map = Callable[[Any, Any], Any]


def ladder(d: int, base: float = 10000.0, denominator: int | None = None) -> Any:
    return base ** (-2.0 * np.arange(d // 2) / (denominator or d))


def rotate(x: Any, angle: Any, layout: str) -> Any:
    """Turn planes by angles (n, d/2); the dtype of x is kept."""
    c, s = np.cos(angle).astype(x.dtype), np.sin(angle).astype(x.dtype)
    if layout == "half":
        a, b = np.split(x, 2, axis=-1)
        return np.concatenate([a * c - b * s, b * c + a * s], axis=-1)
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack([a * c - b * s, b * c + a * s], axis=-1).reshape(x.shape)


def rope(layout: str = "half", base: float = 10000.0, *, sign: int = 1, scale: float = 1.0) -> Map:
    """The right one, angles in float64."""

    def f(x: Any, positions: Any) -> Any:
        return rotate(x, sign * scale * positions[:, None] * ladder(x.shape[-1], base), layout)

    return f


def rope32(layout: str = "half", base: float = 10000.0) -> Map:
    """Angles in float32, as nearly everybody has them."""

    def f(x: Any, positions: Any) -> Any:
        inverse = ladder(x.shape[-1], base).astype(np.float32)
        return rotate(x, positions.astype(np.float32)[:, None] * inverse, layout)

    return f


def mixed_tables(tables: str, rotation: str, base: float = 10000.0) -> Map:
    """Cosines and sines laid out for one layout, applied by the rotation of the other."""

    def f(x: Any, positions: Any) -> Any:
        angle = positions[:, None] * ladder(x.shape[-1], base)
        wide = np.concatenate([angle] * 2, -1) if tables == "half" else np.repeat(angle, 2, -1)
        if rotation == "half":
            a, b = np.split(x, 2, axis=-1)
            turned = np.concatenate([-b, a], axis=-1)
        else:
            turned = np.stack([-x[..., 1::2], x[..., 0::2]], axis=-1).reshape(x.shape)
        return x * np.cos(wide) + turned * np.sin(wide)

    return f


def partial(rotary: int, denominator: int, layout: str = "half", base: float = 10000.0) -> Map:
    """The first `rotary` channels turn; the exponent divides by `denominator`."""

    def f(x: Any, positions: Any) -> Any:
        angle = positions[:, None] * ladder(rotary, base, denominator)
        turned = rotate(x[..., :rotary], angle, layout)
        return np.concatenate([turned, x[..., rotary:]], axis=-1)

    return f


def bands(base: float, factor: float, original: int) -> Map:
    """High frequencies kept, low ones divided, a blend between (Llama 3)."""

    def f(x: Any, positions: Any) -> Any:
        theta = ladder(x.shape[-1], base)
        wave = 2 * np.pi / theta
        smooth = np.clip((original / wave - 1.0) / (4.0 - 1.0), 0.0, 1.0)
        return rotate(
            x, positions[:, None] * ((1 - smooth) * theta / factor + smooth * theta), "half"
        )

    return f


def gained(c: float, base: float = 10000.0) -> Map:
    """Cosines and sines multiplied by c, as YaRN does."""

    def f(x: Any, positions: Any) -> Any:
        return c * rope("half", base)(x, positions)

    return f


def integer_division(x: Any, positions: Any) -> Any:
    """The exponent 2i // d is 0: every plane turns alike."""
    d = x.shape[-1]
    theta = 10000.0 ** -(2 * np.arange(d // 2) // d).astype(np.float64)
    return rotate(x, positions[:, None] * theta, "half")


def dynamic(original: int = 16) -> Map:
    """The base depends on the largest position of the call (dynamic NTK)."""

    def f(x: Any, positions: Any) -> Any:
        d, length = x.shape[-1], int(np.max(positions)) + 1
        ratio = max(1.0, 2.0 * length / original - 1.0)
        return rope("half", 10000.0 * ratio ** (d / (d - 2)))(x, positions)

    return f


def by_length(threshold: int = 4096) -> Map:
    """Frequencies chosen by the number of positions in the call (an allocated length)."""

    def f(x: Any, positions: Any) -> Any:
        scale = 1.0 if len(positions) <= threshold else 0.25
        return rope("half", scale=scale)(x, positions)

    return f


def by_slot(x: Any, positions: Any) -> Any:
    """The slot counts, not the position."""
    return rope("half")(x, np.arange(len(positions)))


def contiguous(x: Any, positions: Any) -> Any:
    """Only the first position counts; the others are taken to follow it."""
    return rope("half")(x, positions[0] + np.arange(len(positions)))


def by_head(x: Any, positions: Any) -> Any:
    """Turned by the index of the axis before: heads, or rows of a batch."""
    index = np.arange(x.shape[-3])[:, None, None] if x.ndim > 2 else positions[:, None]
    return rotate(x, index * ladder(x.shape[-1]), "half")


def by_count_of_rows(x: Any, positions: Any) -> Any:
    """The length is read from the axis of rows: positions count modulo that many."""
    return rope("half")(x, np.asarray(positions) % x.shape[-3] if x.ndim > 2 else positions)


def first_row_only(x: Any, positions: Any) -> Any:
    """Right for the first row of a batch only, when one position is asked for."""
    y = rope("half")(x, positions)
    if len(positions) == 1 and x.ndim > 2:
        flat, result = x.reshape(-1, *x.shape[-2:]), y.reshape(-1, *y.shape[-2:]).copy()
        result[1:] = flat[1:]
        return result.reshape(y.shape)
    return y


class CachedByLength:
    """A table kept for a length, whatever the positions were."""

    def __init__(self) -> None:
        self.tables: dict[int, Any] = {}

    def __call__(self, x: Any, positions: Any) -> Any:
        angle = self.tables.setdefault(len(positions), positions[:, None] * ladder(x.shape[-1]))
        return rotate(x, angle, "half")


class CachedGood:
    """A table that grows and is indexed by position."""

    def __init__(self) -> None:
        self.table = np.zeros((0, 0))

    def __call__(self, x: Any, positions: Any) -> Any:
        size = int(np.max(positions)) + 1
        if len(self.table) < size:
            self.table = np.arange(size)[:, None] * ladder(x.shape[-1])
        return rotate(x, self.table[positions.astype(np.int64)], "half")


class Counting:
    """Every call comes one position later than the one before."""

    def __init__(self) -> None:
        self.seen = 0

    def __call__(self, x: Any, positions: Any) -> Any:
        y = rope("half")(x, positions + self.seen)
        self.seen += 1
        return y


def rounded_positions(x: Any, positions: Any) -> Any:
    """Positions in float16."""
    return rope("half")(x, positions.astype(np.float16).astype(np.float64))


def no_reduction(base: float = 10000.0) -> Map:
    """cos and sin of float32 angles reduced with a float32 period."""

    def f(x: Any, positions: Any) -> Any:
        theta = ladder(x.shape[-1], base).astype(np.float32)
        angle = positions.astype(np.float32)[:, None] * theta
        period = np.float32(2 * np.pi)
        return rotate(x, angle - period * np.round(angle / period), "half")

    return f


def xpos(scale_base: float = 512.0, *, inverse: bool = True) -> tuple[Map, Map]:
    """Query scaled by zeta^t, key by zeta^-s; without `inverse` like the query."""

    def side(sign: float) -> Map:
        def f(x: Any, positions: Any) -> Any:
            d = x.shape[-1]
            zeta = (2 * np.arange(d // 2) / d + 0.4) / 1.4
            power = zeta ** (sign * positions[:, None] / scale_base)
            return rope("interleaved")(x, positions) * np.repeat(power, 2, -1).astype(x.dtype)

        return f

    return side(1.0), side(-1.0 if inverse else 1.0)


def scale_in_angle(x: Any, positions: Any) -> Any:
    """The scale of xPos multiplied into the angle."""
    d = x.shape[-1]
    zeta = (2 * np.arange(d // 2) / d + 0.4) / 1.4
    return rotate(x, zeta * positions[:, None] * ladder(d), "interleaved")


def dense(d: int = 8, seed: int = 0) -> tuple[Map, np.ndarray]:
    """RoPE in a random orthonormal basis, and its generator."""
    q, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((d, d)))

    def f(x: Any, positions: Any) -> Any:
        return rope("half")(x @ q, positions) @ q.T

    return f, q


def chain(x: Any, positions: Any) -> Any:
    """Query side of the nilpotent block: (a, b) -> (a, b + t a)."""
    a, b = x[..., :1], x[..., 1:]
    return np.concatenate([a, b + positions[:, None] * a], axis=-1)


def chain_key(x: Any, positions: Any) -> Any:
    """Key side: (a, b) -> (a - s b, b)."""
    a, b = x[..., :1], x[..., 1:]
    return np.concatenate([a - positions[:, None] * b, b], axis=-1)
