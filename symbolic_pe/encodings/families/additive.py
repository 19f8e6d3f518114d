"""Additive biases −m·τ: two constant coordinates over a nilpotent block."""

from __future__ import annotations

from flint import fmpq

from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.functions import power
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Decision
from symbolic_pe.encodings.augmentation import linear_bias
from symbolic_pe.encodings.encoding import Augmentation, Encoding, Head, Schedule, Verdict
from symbolic_pe.encodings.entry import Entry, Mistake, Published
from symbolic_pe.encodings.layout import place_consecutively
from symbolic_pe.encodings.readings import slope
from symbolic_pe.encodings.settings import Settings, dimension, heads
from symbolic_pe.encodings.witnesses import equals
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


def with_content(settings: Settings, augmentations: list[Augmentation], name: str) -> Encoding:
    """X = 0 on the channels of content, one bias a head beside it."""
    content = Generator.from_blocks(place_consecutively([Block(ZERO)] * settings.integer("dim")))
    return Encoding(
        name,
        tuple(Head(content, a) for a in augmentations),
        verdict=Verdict.AUGMENTED,
        schedules=alibi_schedule(settings.integer("heads")),
    )


def _alibi(settings: Settings) -> Encoding:
    """q̂ = [q; −m; 0], k̂ = [k; 0; 1] over Y = [[0, 1], [0, 0]]."""
    slopes = alibi_slopes(settings.integer("heads"))
    biases = [linear_bias(m, (-m, ZERO), (ZERO, ONE)) for m in slopes]
    return with_content(settings, biases, "alibi")


_SETTINGS = {"dim": dimension(64), "heads": heads(8)}


# -- what was printed of them -----------------------------------------------------------------

LINEAR = (
    r"The bias falls linearly for $\tau \ge 0$ and rises for $\tau < 0$; $|A(\tau)|$ of the added "
    r"plane is of degree 1. Used with causal lags; $-m|\tau|$ on both sides of 0 is no group."
)


def _misquoted_vectors() -> Decision:
    """q̂ = (−m, 1), k̂ = (1, 0) with exp(τN): the bias is −m at every lag; m = 1/2, τ = 3."""
    m, tau = parse("1/2"), Scalar.rational(3)
    query, key = (-m, ONE), (ONE, ZERO)
    realised = query[0] * key[0] + query[1] * key[1] + tau * query[0] * key[1]
    return equals(realised, -m * tau, "bias at m = 1/2, lag 3")


def _geometric_slopes() -> Decision:
    return equals(parse("2^(-8/12)"), alibi_slopes(12)[0], "first slope of 12 heads")


def _counted_from_zero() -> Decision:
    return equals(parse("2^0"), alibi_slopes(8)[0], "first slope of 8 heads")


def _sorted_slopes() -> Decision:
    largest = max(alibi_slopes(12), key=Scalar.to_float)
    return equals(largest, alibi_slopes(12)[0], "first slope of 12 heads")


def _divided_by_root_d() -> Decision:
    m = alibi_slopes(8)[0]
    return equals(m * parse("1/sqrt(64)"), m, "slope of head 0, d = 64")


def _absolute_lag() -> Decision:
    """b(τ) = −|τ|: exp needs e^{b}-coordinates with b″ = 0 and b(1) + b(−1) = 2 b(0)."""
    left = Scalar.rational(-1) + Scalar.rational(-1)
    return equals(left, ZERO, "b(1) + b(-1) - 2 b(0) for b = -|tau|, which is -tau for tau >= 0")


ALIBI = Entry(
    "alibi",
    "additive",
    Verdict.AUGMENTED,
    "ALiBi: attention with linear biases",
    "Press et al., arXiv:2108.12409",
    _SETTINGS,
    _alibi,
    definition=(
        r"logit $= q^\top k/\sqrt d - m_h(t - s)$ for $t \ge s$. For a power of two $n$ of heads "
        r"$m_k = 2^{-8k/n}$, $k = 1, \dots, n$; otherwise the slopes of the largest power of two "
        r"$c < n$, then every other slope of $2c$. The bias is not divided by $\sqrt d$."
    ),
    generator=(
        r"$X = 0_d \oplus \begin{pmatrix} 0 & 1 \\ 0 & 0 \end{pmatrix}$ with the constant "
        "coordinates $(-m, 0)$ in queries and $(0, 1)$ in keys; two are the fewest for any "
        "generator."
    ),
    stability=LINEAR,
    values=(
        Published("slope of head 0 of 8", "1/2", slope(0)),
        Published("slope of head 7 of 8", "0.00390625", slope(7)),
        Published("slope of head 8 of 12", "0.707106781187", slope(8), {"heads": 12}),
        Published("slope of head 11 of 12", "0.088388347648", slope(11), {"heads": 12}),
        Published("slope of head 0 of 16", "2^(-1/2)", slope(0), {"heads": 16}),
        Published("slope of head 4 of 6", "1/2", slope(4), {"heads": 6}),
        Published("slope of head 2 of 3", "1/4", slope(2), {"heads": 3}),
        Published("slope of the only head", "1/256", slope(0), {"heads": 1}),
        Published("slope of head 16 of 20", "2^(-1/4)", slope(16), {"heads": 20}),
    ),
    mistakes=(
        Mistake(
            "misquoted-vectors",
            (
                r"$\hat q = [q, -m, 1]$ and $\hat k = [k, 1, 0]$ over $\begin{pmatrix} "
                r"0&1\\0&0\end{pmatrix}$"
            ),
            "an article on positional encodings through group theory",
            r"$(-m, 0)$ and $(0, 1)$: the misquoted vectors give $-m$ at every lag",
            _misquoted_vectors,
        ),
        Mistake(
            "geometric-slopes",
            r"$m_k = 2^{-8k/n}$ for every number of heads",
            "copies that do not know the rule for other than powers of two",
            "12 heads have the eight slopes of 8 heads, then every other one of 16",
            _geometric_slopes,
        ),
        Mistake(
            "counted-from-zero",
            r"$m_h = 2^{-8h/n}$ with $h$ from 0",
            "copies of ALiBi",
            r"$h$ from 1: the first slope of 8 heads is $1/2$",
            _counted_from_zero,
        ),
        Mistake(
            "sorted-slopes",
            "slopes are sorted",
            "copies of ALiBi",
            "the slopes of the next power of two come after the others",
            _sorted_slopes,
        ),
        Mistake(
            "scaled-bias",
            r"the bias is multiplied by $1/\sqrt d$ as the content is",
            "copies that add the bias before scaling",
            "it is added after scaling",
            _divided_by_root_d,
        ),
        Mistake(
            "absolute-lag",
            r"$-m|\tau|$ on both sides of 0 is in the group of $-m\tau$",
            "descriptions of the bidirectional form",
            r"$\exp(\tau X)$ is analytic and $|\tau|$ is not: causal lags only",
            _absolute_lag,
        ),
    ),
)

ENTRIES = (ALIBI,)
