"""What rotary encodings share: settings, the ladder of RoPE, the encoding of a list of frequencies.

    X = ⊕ −θⱼJ,   score = c²·qᵀA(τ)k

The temperature c multiplies q and k each.
"""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq

from symbolic_pe.algebra.functions import logarithm
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Claim
from symbolic_pe.encodings.axes import turning
from symbolic_pe.encodings.encoding import Domain, Encoding, Head, Schedule, Verdict
from symbolic_pe.encodings.entry import Entry
from symbolic_pe.encodings.families.rotary import ROTARY_DIM, ladder
from symbolic_pe.encodings.readings import theta
from symbolic_pe.encodings.score import KEY, QUERY, cos
from symbolic_pe.encodings.settings import Setting, Settings, angles, dimension, layout, number
from symbolic_pe.encodings.witnesses import (
    ONE_LENGTH,
    not_relative,
)
from symbolic_pe.errors import SpecificationError

TWO_PI = Scalar.rational(2) * Scalar.symbol("pi")
TENTH = Scalar.rational(fmpq(1, 10))
BOUNDED = (
    r"$A(\tau)$ is orthogonal, bounded for all lags. The temperature $c$ is outside $A$: with it "
    r"$A(0)$ would be $c^2 I$."
)


def rotary(
    settings: Settings,
    thetas: Sequence[Scalar],
    formula: str = "",
    *,
    temperature: Scalar = ONE,
    verdict: Verdict = Verdict.GROUP,
) -> Encoding:
    """X = ⊕ −θⱼJ ⊕ 0 in the layout that the settings name; planes with θⱼ = 0 stand still."""
    rest = settings.integer("dim") - 2 * len(thetas)
    return Encoding(
        "rotary",
        (Head(turning([-x for x in thetas], settings.choice("layout"), rest)),),
        verdict=verdict,
        layout=settings.choice("layout"),
        domain=Domain(causal=False),
        temperature=temperature,
        angles=settings.choice("angles"),
        schedules=(Schedule("frequency", f"-{formula}"),) if formula else (),
    )


def common(dim: int = 128, base: str = "10000", place: str = "half") -> dict[str, Setting]:
    """Settings that every rotary encoding has."""
    return {
        "dim": dimension(dim, 2),
        "base": number(base, "base of the frequency ladder"),
        "layout": layout(place),
        "angles": angles(),
    }


def rescaled_settings(base: str = "10000", place: str = "half") -> dict[str, Setting]:
    """Settings of the encodings that rescale RoPE."""
    return {**common(base=base, place=place), "rotary_dim": ROTARY_DIM}


def rotated_channels(settings: Settings) -> int:
    """How many channels turn, the first of all: `rotary_dim`, or `dim` where it is 0 or no setting.

    Raises `SpecificationError` for an odd number, and for more than there are.
    """
    dim = settings.integer("dim")
    if "rotary_dim" not in settings.texts:
        return dim
    rotated = settings.integer("rotary_dim") or dim
    if rotated > dim or rotated % 2:
        raise SpecificationError(
            f"rotary_dim: expected an even number of at most dim = {dim}, got {rotated}"
        )
    return rotated


def factor(default: str) -> Setting:
    """The setting `factor`."""
    return number(default, "s, how many times longer the context is than the original one")


def original_length(default: int) -> Setting:
    """The setting `original_length`."""
    return Setting(str(default), "L, the context length of the original training")


def trained_ladder(settings: Settings) -> tuple[list[Scalar], str]:
    """θⱼ = base^(−2j/d) for the d channels that turn."""
    channels = rotated_channels(settings)
    return ladder(settings.number("base"), settings.texts["base"], channels // 2, channels)


def at_least_one(settings: Settings, name: str) -> Scalar:
    """A number that has to be 1 or more."""
    value = settings.number(name)
    if (value - ONE).sign() < 0:
        raise SpecificationError(f"{name}: expected a number >= 1, got {settings.texts[name]!r}")
    return value


def clipped(x: Scalar) -> Scalar:
    """min(max(x, 0), 1), decided."""
    if x.sign() <= 0:
        return ZERO
    return ONE if (x - ONE).sign() >= 0 else x


def blend(theta_j: Scalar, kept: Scalar, s: Scalar) -> Scalar:
    """(1 − g)·θ/s + g·θ for the share g that is kept."""
    return theta_j * (kept + (ONE - kept) / s)


def two_lengths(early: Scalar, late: Scalar, of: str) -> Claim:
    """A key turned with one frequency, a query with the other: cos(θ′t − θs) at equal lags."""
    score = cos(QUERY * late - KEY * early)
    pairs = (4000, 3000), (5000, 4000)
    return not_relative(score, *pairs, of, name="one-length", statement=ONE_LENGTH)


def frequency_of(settings: dict[str, object], entry: Entry, plane: int) -> Scalar:
    """θ of one turning plane of an entry under given settings."""
    value = theta(plane)(entry.form(settings))
    assert isinstance(value, Scalar)
    return value


def mscale(s: Scalar, weight: Scalar = ONE) -> Scalar:
    """0.1·w·ln s + 1, and 1 for s ≤ 1."""
    if (s - ONE).sign() <= 0:
        return ONE
    return TENTH * weight * logarithm(s) + ONE
