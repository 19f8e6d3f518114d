"""Output of `spectrum --json`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from flint import arb

    from numeric_check.spectrum.card import Card, HeadCard
    from numeric_check.spectrum.lens import HeadLens
    from numeric_check.spectrum.search import BaseInterval
    from numeric_check.spectrum.spectrum import Spectrum
    from numeric_check.spectrum.window import Window
    from symbolic_pe.spectrum.claims import SpectralClaim
    from symbolic_pe.spectrum.relations import Relations
    from symbolic_pe.spectrum.symbol import SymbolPart

EFFECTIVE_RANK = "(sum of singular values)^2 / (sum of their squares)"
SHOWN_EIGENVALUES = 32


class Enclosure(msgspec.Struct, frozen=True):
    """A number between two binary64 numbers; `value` is the one nearest to the middle."""

    value: float
    low: float
    high: float


class SymbolRecord(msgspec.Struct, frozen=True):
    """One part of the symbol; `mass` is a fraction."""

    kind: Literal["atom", "poisson", "growing", "bias"]
    mass: str | None
    centre: str
    rate: str
    derivatives: int
    formula: str


class CentredRecord(msgspec.Struct, frozen=True):
    """K(I - 11^T/n), what softmax over keys sees of K."""

    largest_singular_value_over_n: Enclosure | None
    effective_rank: Enclosure | None
    share_of_squared_norm: Enclosure


class WindowRecord(msgspec.Struct, frozen=True):
    """The first lag with a negative kernel; `never` says why there is none, where that is proved.

    `enclosure` is the kernel at `lag`, `before` at lag - 1; no lag before is negative, and `zero`
    is the first of them where the kernel is exactly 0.
    """

    lag: int | None
    enclosure: Enclosure | None
    before: Enclosure | None
    searched: int
    never: str | None
    zero: int | None


class RelationsRecord(msgspec.Struct, frozen=True):
    """Rational relations: `period` p and `ratio` q with theta_(k+p) = q*theta_k for every k."""

    frequencies: int
    dimension: int
    period: int | None
    ratio: str | None


class SpectralClaimRecord(msgspec.Struct, frozen=True):
    """A published claim, decided for this encoding."""

    name: str
    published: list[str]
    verdict: Literal["proved", "refuted", "undecided"]
    statement: str
    reason: str
    witness: str | None
    derivation: str


class HeadSpectrumRecord(msgspec.Struct, frozen=True):
    """The card of one head, or of several heads or axes with the same one."""

    heads: list[int]
    axes: list[str]
    matrix: str
    symbol: list[SymbolRecord]
    lambda_max_over_n: Enclosure | None
    lambda_max_over_n_limit: str | None
    effective_rank: Enclosure | None
    rank: int | None
    eigenvalues: list[Enclosure]
    condition_number: Enclosure | None
    no_condition_number: str | None
    centred: CentredRecord | None
    window: WindowRecord | None
    relations: RelationsRecord | None
    method: str | None
    claims: list[SpectralClaimRecord]
    missing: list[str]


class BaseIntervalRecord(msgspec.Struct, frozen=True):
    """Bases from `low` to `high`: positive at every lag below the window, or refuted by a lag."""

    low: str
    high: str
    verdict: Literal["proved", "refuted", "undecided"]
    lag: int | None


class LensRecord(msgspec.Struct, frozen=True):
    """What position does in one measured head; logits are row-centred over the keys allowed.

    `kernel` is the effective positional kernel at lags 0, 1, ...; `theorem` says whether
    contraction is a theorem for this content.
    """

    head: int
    predicted_positional_share: float
    lag_share: float
    contraction_ratio: float | None
    effective_rank: float
    effective_rank_without_position: float
    homogeneity: float | None
    ratio_bound: float | None
    theorem: str
    energy: list[float] | None
    kernel: list[float]


class SpectrumRecord(msgspec.Struct, frozen=True):
    """Output of `spectrum --json`; the first three numbers are those of the first head."""

    name: str
    length: int
    lambda_max_over_n: float | None
    effective_rank: float | None
    window: WindowRecord | None
    effective_rank_definition: str
    dimension: int
    head_count: int
    applies: bool
    reason: str | None
    heads: list[HeadSpectrumRecord]
    notes: list[str]
    search: list[BaseIntervalRecord] | None
    lens: list[LensRecord] | None


def enclosure(x: arb | None, scale: int = 1) -> Enclosure | None:
    """A ball, divided by an integer, as floats rounded outward; None for one that says nothing."""
    if x is None or not x.is_finite():
        return None
    ball = x / scale
    low, high = float(ball.lower()), float(ball.upper())
    middle = float(ball.mid())
    if not math.isfinite(middle):
        return None
    if not ball.is_exact() or ball != middle:
        low, high = math.nextafter(low, -math.inf), math.nextafter(high, math.inf)
    return Enclosure(middle, low, high)


def card_record(
    card: Card,
    search: Sequence[BaseInterval] | None = None,
    lens: Sequence[HeadLens] | None = None,
) -> SpectrumRecord:
    """From the value to the published record."""
    heads = _joined([_head(h, card.length) for h in card.heads])
    first = heads[0] if heads else None

    def number(x: Enclosure | None) -> float | None:
        return None if x is None else x.value

    return SpectrumRecord(
        card.name,
        card.length,
        number(first.lambda_max_over_n) if first else None,
        number(first.effective_rank) if first else None,
        first.window if first else None,
        EFFECTIVE_RANK,
        card.dimension,
        card.head_count,
        bool(heads),
        card.reason or None,
        heads,
        list(card.notes),
        None
        if search is None
        else [BaseIntervalRecord(str(i.low), str(i.high), i.verdict.value, i.lag) for i in search],
        None if lens is None else [lens_record(found) for found in lens],
    )


def lens_record(found: HeadLens) -> LensRecord:
    """From the value to the published record."""
    return LensRecord(
        found.head,
        found.predicted_share,
        found.lag_share,
        found.contraction,
        *found.effective_ranks,
        found.homogeneity,
        found.bound,
        found.theorem,
        None if found.energy is None else list(found.energy),
        list(found.kernel),
    )


def _head(head: HeadCard, length: int) -> HeadSpectrumRecord:
    s = head.spectrum
    return HeadSpectrumRecord(
        list(head.heads),
        [head.axis] if head.axis else [],
        head.of,
        [_symbol(p) for p in head.parts],
        enclosure(s.largest, length) if s else None,
        str(s.limit) if s and s.limit is not None else None,
        enclosure(s.effective_rank) if s else None,
        s.rank if s else None,
        [e for x in s.eigenvalues[:SHOWN_EIGENVALUES] if (e := enclosure(x))] if s else [],
        enclosure(s.condition) if s else None,
        (s.no_condition or None) if s else None,
        _centred(s, length) if s else None,
        _window(head.window) if head.window else None,
        _relations(head.relations) if head.relations else None,
        s.method if s else None,
        [_claim(c) for c in head.claims],
        list(head.missing),
    )


def _joined(heads: Sequence[HeadSpectrumRecord]) -> list[HeadSpectrumRecord]:
    """Axes with the same card as one; the order of the parts of a symbol means nothing there."""
    found: dict[str, HeadSpectrumRecord] = {}
    for index, head in enumerate(heads):
        parts = sorted(head.symbol, key=repr)
        key = (
            repr(msgspec.structs.replace(head, axes=[], symbol=parts)) if head.axes else str(index)
        )
        axes = found[key].axes if key in found else []
        found[key] = msgspec.structs.replace(found.get(key, head), axes=[*axes, *head.axes])
    return list(found.values())


def _centred(s: Spectrum, length: int) -> CentredRecord | None:
    if s.centred is None:
        return None
    share = enclosure(s.centred.share)
    assert share is not None
    return CentredRecord(
        enclosure(s.centred.largest, length), enclosure(s.centred.effective_rank), share
    )


def _symbol(p: SymbolPart) -> SymbolRecord:
    return SymbolRecord(
        p.kind,  # type: ignore[arg-type]
        None if p.mass is None else str(p.mass),
        p.centre,
        p.rate,
        p.derivatives,
        p.formula,
    )


def _window(w: Window) -> WindowRecord:
    return WindowRecord(
        w.lag, enclosure(w.value), enclosure(w.before), w.lag or w.limit, w.reason or None, w.zero
    )


def _relations(r: Relations) -> RelationsRecord:
    period, ratio = (None, None) if r.period is None else (r.period[0], str(r.period[1]))
    return RelationsRecord(r.count, r.dimension, period, ratio)


def _claim(c: SpectralClaim) -> SpectralClaimRecord:
    return SpectralClaimRecord(
        c.name,
        list(c.published),
        c.verdict.value,
        c.statement,
        c.reason,
        c.witness,
        c.derivation,
    )
