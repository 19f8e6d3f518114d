"""Additive biases −m·τ: two constant coordinates over a nilpotent block."""

from __future__ import annotations

from flint import fmpq

from symbolic_pe.algebra.functions import power
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.encodings.augmentation import linear_bias
from symbolic_pe.encodings.encoding import Augmentation, Encoding, Head, Schedule, Verdict
from symbolic_pe.encodings.entry import Entry
from symbolic_pe.encodings.layout import place_consecutively
from symbolic_pe.encodings.settings import Settings, dimension, heads
from symbolic_pe.generators.block import Block
from symbolic_pe.generators.generator import Generator


def alibi_slopes(count: int) -> list[Scalar]:
    """The published slopes for any number of heads, in the published order.

    For a power of two, m_k = 2^(−8k/n), k = 1 … n. Otherwise the slopes of the largest power of
    two c below n, then every other slope of 2c.

    >>> [str(m) for m in alibi_slopes(3)]
    ['1/16', '1/256', '1/4']
    """
    closest = 1 << (count.bit_length() - 1)
    slopes = [_slope(k, closest) for k in range(1, closest + 1)]
    extra = [_slope(k, 2 * closest) for k in range(1, 2 * closest + 1, 2)]
    return slopes + extra[: count - closest]


def _slope(k: int, count: int) -> Scalar:
    return power(Scalar.rational(2), fmpq(-8 * k, count))


def alibi_schedule(count: int) -> tuple[Schedule, ...]:
    """The slopes as a formula in h, where one formula covers all heads."""
    if count & (count - 1):
        return ()
    return (Schedule("slope", f"2^(-8*(h + 1)/{count})"),)


def _with_content(settings: Settings, augmentations: list[Augmentation], name: str) -> Encoding:
    content = Generator.from_blocks(place_consecutively([Block(ZERO)] * settings.integer("dim")))
    return Encoding(
        name,
        tuple(Head(content, a) for a in augmentations),
        schedules=alibi_schedule(settings.integer("heads")),
    )


def _alibi(settings: Settings) -> Encoding:
    """q̂ = [q; −m; 0], k̂ = [k; 0; 1] over Y = [[0, 1], [0, 0]]."""
    slopes = alibi_slopes(settings.integer("heads"))
    return _with_content(
        settings, [linear_bias(m, (-m, ZERO), (ZERO, ONE)) for m in slopes], "alibi"
    )


def _grape_a(settings: Settings) -> Encoding:
    """q̂ = [q; 1; 0], k̂ = [k; 0; 1] over Y = [[0, −β], [0, 0]]."""
    slopes = alibi_slopes(settings.integer("heads"))
    return _with_content(
        settings, [linear_bias(m, (ONE, ZERO), (ZERO, ONE), -m) for m in slopes], "grape-a"
    )


_SETTINGS = {"dim": dimension(64), "heads": heads(8)}

ENTRIES = (
    Entry(
        "alibi",
        "additive",
        Verdict.AUGMENTED,
        "ALiBi: attention with linear biases",
        "Press et al., arXiv:2108.12409",
        _SETTINGS,
        _alibi,
    ),
    Entry(
        "grape-a",
        "additive",
        Verdict.AUGMENTED,
        "GRAPE, additive form with ALiBi slopes",
        "Zhang et al., Group Representational Position Encoding, ICLR 2026, equation 4.7",
        _SETTINGS,
        _grape_a,
    ),
)
