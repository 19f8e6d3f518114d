"""How far `bias(t, s)` and a `score_mod` may be off, for every lag and in each dtype.

A bias is a sum of terms c·u^k·e^{au}·wave in the lag u = t − s. With |b|₊(u) = Σ |c|·|u|^k·e^{au},

    |bias − b(u)| ≤ ε(|u|)·|b|₊(u) + η
    |score_mod − (score + b(u))| ≤ ε(|u|)·(|score| + |b|₊(u)) + η

for all real u up to the reach, u ≥ 0 on a causal domain. The text is executed on rounded elements,
its terms are compared with those of the encoding one by one, and what their constants are off is a
part of ε. Of one term, such as ALiBi's, |b|₊ is |b|. The result is in the dtype that is asked for;
NumPy texts return float64 only.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from flint import arb, fmpq

from numeric_check.kernels.kernel import Kernel
from numeric_check.reference_values.tolerance import FORMATS, window_exponent
from numeric_check.rounding import majorant, upward
from numeric_check.rounding.blocks import BIAS, SCORE, BlockBound
from numeric_check.rounding.coefficient import Box, exact_scalar
from numeric_check.rounding.element import Model, Rounded, position, reference, unknown
from numeric_check.rounding.formats import DType
from numeric_check.rounding.library import LIBRARIES, RoundingLibrary
from numeric_check.rounding.majorant import NO_INPUT, ZERO, Number, Term, Value, number_of
from numeric_check.rounding.running import brought
from numeric_check.rounding.upward import Polynomial
from numeric_check.text_proof.exact_element import LeavesTheRing
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.emit.terms import RealTerm, real_terms

BITS = 192
THE_SCORE = 0
"""The input that a score is."""
Shape = tuple[int, majorant.Ratio]
"""Power and rate: what terms have in common that are compared with their sum."""


def lag_bounds(
    called: tuple[Kernel, Sequence[Any]],
    plan: KernelPlan,
    asked: tuple[str, str],
    reach: float,
    declared: tuple[Sequence[Sequence[RealTerm]], Box],
) -> list[BlockBound]:
    """ε and η of every head.

    called    the kernel, and the values of its parameters
    asked     the dtype, and the form `bias` or `score_mod`
    declared  the bias of every head, and where its parameters lie

    Raises `LeavesTheRing` for what has no bound here.
    """
    (kernel, arguments), (dtype, form), (terms, box) = called, asked, declared
    model = Model(reach, later=plan.encoding.domain.causal)
    run = _bias if form == BIAS else _scores
    found = run(kernel, plan, model, dtype, arguments)
    return [
        _of_head((form, head), element, terms[head], reach, box)
        for head, element in enumerate(found)
    ]


_LAST: list[tuple[KernelPlan, list[list[RealTerm]]]] = []
"""The plan that was asked about last: its terms are asked for once a dtype and form."""


def bias_terms(
    plan: KernelPlan, values: Mapping[str, Scalar] | None = None
) -> list[list[RealTerm]]:
    """The declared bias of every head as real terms, at values of the parameters."""
    if not _LAST or _LAST[0][0].augmentations is not plan.augmentations:
        _LAST[:] = [(plan, [real_terms(a.bias) for a in plan.augmentations])]
    heads = _LAST[0][1]
    return heads if not values else [[_at(t, values) for t in terms] for terms in heads]


def _at(term: RealTerm, values: Mapping[str, Scalar]) -> RealTerm:
    rate, frequency, coefficient = (
        x.substitute(values) for x in (term.rate, term.frequency, term.coefficient)
    )
    return RealTerm(term.power, rate, frequency, term.wave, coefficient)


def served_lag(
    terms: Sequence[Sequence[RealTerm]], dtype: str, limit: float, where: tuple[bool, Box]
) -> float:
    """The largest lag ≤ limit for which no term overflows in a dtype.

    where  whether lags are not negative, and where parameters lie
    """
    causal, box = where
    window = window_exponent(FORMATS[dtype])
    balls = [box.ball(t.rate) for head in terms for t in head]
    growth = max((float((a if causal else abs(a)).upper()) for a in balls), default=0.0)
    reach = min(limit, window / growth) if growth > 0 else limit
    for head in terms:
        for t in head:
            size = upward.above(box.ball(t.coefficient)) or 1.0
            if t.power:
                largest = (0.5 * FORMATS[dtype].largest / size) ** (1.0 / t.power)
                reach = min(reach, largest)
    return reach


class BiasBalls:
    """b and |b|₊ of one head at a lag, in balls of the precision at hand."""

    def __init__(self, terms: Sequence[RealTerm]) -> None:
        self.terms = [
            (t.power, t.wave, *(x.ball({}) for x in (t.rate, t.frequency, t.coefficient)))
            for t in terms
        ]

    def at(self, u: fmpq) -> tuple[arb, arb]:
        """b(u) and |b|₊(u)."""
        lag = arb(u)
        value, size = arb(0), arb(0)
        for power, wave, rate, frequency, coefficient in self.terms:
            whole = coefficient * lag**power * (rate * lag).exp()
            size += abs(whole)
            value += whole * getattr(frequency * lag, wave)() if wave else whole
        return value, size


# -- running the text ---------------------------------------------------------------------------


def _names(kernel: Kernel, model: Model) -> tuple[RoundingLibrary, Mapping[str, Any]]:
    library: RoundingLibrary = LIBRARIES[kernel.target](model)
    return library, kernel.on_library(library, library.lift, library.functions)


def _positions(library: RoundingLibrary) -> tuple[Any, Any]:
    t, s = np.empty(1, dtype=object), np.empty(1, dtype=object)
    t[0], s[0] = position(), reference()
    return library.array_of(t, "float64"), library.array_of(s, "float64")


def _bias(
    kernel: Kernel, plan: KernelPlan, model: Model, dtype: str, arguments: Sequence[Any]
) -> list[Rounded]:
    library, names = _names(kernel, model)
    t, s = _positions(library)
    named = {"dtype": DType(dtype)} if kernel.target == "torch" else {}
    result = names[BIAS](t, s, *brought(library, arguments), **named)
    if result.dtype.name != dtype:
        raise LeavesTheRing(f"bias returns {result.dtype.name}")
    found = list(np.asarray(result.data, dtype=object).reshape(-1))
    if len(found) == 1:
        found *= plan.heads
    if len(found) != plan.heads:
        raise LeavesTheRing(f"bias returns the shape {result.shape}")
    return found


def _scores(
    kernel: Kernel, plan: KernelPlan, model: Model, dtype: str, arguments: Sequence[Any]
) -> list[Rounded]:
    library, names = _names(kernel, model)
    modify = names["make_score_mod"](*_positions(library), *brought(library, arguments))
    score = np.empty((), dtype=object)
    score[()] = unknown(THE_SCORE, dtype)
    found = []
    for head in range(plan.heads):
        result = modify(library.array_of(score, dtype), 0, head, 0, 0)
        if result.dtype.name != dtype or result.shape:
            raise LeavesTheRing(f"score_mod returns {result.dtype.name} of shape {result.shape}")
        found.append(result.data[()])
    return found


# -- comparing ----------------------------------------------------------------------------------


def _of_head(
    place: tuple[str, int], found: Rounded, declared: Sequence[RealTerm], reach: float, box: Box
) -> BlockBound:
    form, head = place
    value = dict(found.value)
    if form == SCORE and value.pop(Term(THE_SCORE, 0, ZERO, None), None) != 1:
        raise LeavesTheRing("score_mod does not add to the score")
    sizes, relative = _shares(found, value)
    moved = _constants_away(_matched(value, declared, box), reach)
    grown = upward.plus(1.0, upward.value(moved, reach))
    whole = upward.add(upward.scale(upward.add(found.relative, relative), grown), moved)
    absolute = found.tiny
    for given, weight in found.error.items():
        term, c = majorant.plain(given, weight)
        if term.input > NO_INPUT:
            raise LeavesTheRing("score_mod rounds the score before the bias is added")
        if _home(term, sizes) is None and _own_share(given, weight, value) is None:
            if term.rate != ZERO or term.wave is not None:
                raise LeavesTheRing(f"{form} is off by what no bound is about")
            lost = majorant.size({term: c}, reach).constant
            absolute = upward.plus(absolute, lost)
    return BlockBound(0, head, 0, form, upward.folded(whole, reach), absolute)


def _shares(found: Rounded, value: Mapping[Term, fmpq]) -> tuple[dict[Shape, float], Polynomial]:
    """Σ|c| of the terms of every power and rate, and their errors relative to it, the largest."""
    sizes: dict[Shape, float] = {}
    for term, c in value.items():
        if term.input != NO_INPUT:
            raise LeavesTheRing("the bias depends on the score, or on a position alone")
        shape = (term.power, term.rate)
        sizes[shape] = sizes.get(shape, 0.0) + upward.below(c)
    parts: dict[Shape, Polynomial] = {}
    for given, weight in found.error.items():
        term, c = majorant.plain(given, weight)
        share, home = _own_share(given, weight, value), _home(term, sizes)
        if share is not None:
            home, own = (term.power, term.rate), upward.shift((share,), 0)
        elif home is not None:
            own = upward.shift((upward.up(c / upward.down(sizes[home])),), term.power - home[0])
        else:
            continue
        parts[home] = upward.add(parts.get(home, upward.NOTHING), own)
    relative = functools.reduce(upward.largest, parts.values(), upward.NOTHING)
    return sizes, relative


def _own_share(term: Term, c: float, value: Value) -> float | None:
    """An error relative to the one term of its power and rate, where that may vanish."""
    own = [x for t, x in value.items() if (t.power, t.rate) == (term.power, term.rate)]
    return majorant.share_of(term, c, own[0]) if len(own) == 1 else None


def _home(term: Term, sizes: Mapping[Shape, float]) -> Shape | None:
    """The largest power of a term of the bias that an error of this rate is compared with."""
    if term.input != NO_INPUT:
        return None
    powers = [k for (k, rate), c in sizes.items() if rate == term.rate and k <= term.power and c]
    return (max(powers), term.rate) if powers else None


def _constants_away(matched: Sequence[tuple[RealTerm, float, float]], reach: float) -> Polynomial:
    """|b̂ − b| relative to |b|₊, the largest over the terms."""
    away: Polynomial = upward.NOTHING
    for _, changed, moved in matched:
        own = upward.exponential_minus_one((0.0, moved), reach) if moved else upward.NOTHING
        grown = upward.scale(own, upward.plus(1.0, changed))
        away = upward.largest(away, upward.add(grown, (changed,) if changed else ()))
    return away


def absolutely_away(
    value: Value, declared: tuple[Sequence[RealTerm], Box], times: float, reach: float
) -> Polynomial:
    """|b̂ − b| at lags up to times·|u|, |u| ≤ reach."""
    terms, box = declared
    away: Polynomial = upward.NOTHING
    furthest = upward.times(times, reach)
    for t, changed, moved in _matched(value, terms, box):
        own = upward.exponential_minus_one((0.0, moved), furthest) if moved else upward.NOTHING
        share = upward.add(
            upward.scale(own, upward.plus(1.0, changed)), (changed,) if changed else ()
        )
        size, rate = (upward.above(box.ball(x)) for x in (t.coefficient, t.rate))
        size = upward.times(size, upward.exponential(upward.times(rate, furthest)))
        share = upward.shift(upward.scale(share, size), t.power)
        scaled = tuple(upward.times(c, upward.power(times, k)) for k, c in enumerate(share))
        away = upward.add(away, scaled)
    return away


def _matched(
    value: Value, declared: Sequence[RealTerm], box: Box
) -> list[tuple[RealTerm, float, float]]:
    """For every declared term, how far coefficient (relatively) and exponent of the text's are.

    Every term of the text belongs to one of the encoding, with constants that may differ.
    """
    names = {"c": "cos", "s": "sin"}
    left: dict[tuple[int, str], list[tuple[Term, Number]]] = {}
    for term, c in value.items():
        wave = "" if term.wave is None else names[term.wave.part]
        left.setdefault((term.power, wave), []).append((term, c))
    found = []
    with precision(BITS):
        for t in declared:
            others = left.get((t.power, t.wave), [])
            if not others:
                raise LeavesTheRing(f"a term of the bias is missing: power {t.power} {t.wave}")
            term, c = min(others, key=lambda o: _gap(o, t, box)) if others[1:] else others[0]
            others.remove((term, c))
            moved = _distance(number_of(term.rate), t.rate, box)
            if term.wave is not None:
                turned = _distance(number_of(term.wave.frequency), t.frequency, box)
                moved = upward.plus(moved, turned)
            changed = exact_scalar(c) - t.coefficient
            share = 0.0 if changed.is_zero() else upward.above(box.ball(changed / t.coefficient))
            found.append((t, share, moved))
    if any(left.values()):
        raise LeavesTheRing("the text adds what the bias does not have")
    return found


def _distance(given: Number, exact: Scalar, box: Box) -> float:
    difference = exact_scalar(given) - exact
    return 0.0 if difference.is_zero() else upward.above(box.ball(difference))


def _gap(found: tuple[Term, Number], declared: RealTerm, box: Box) -> float:
    term, c = found
    pairs = [(number_of(term.rate), declared.rate), (c, declared.coefficient)]
    if term.wave is not None:
        pairs.append((number_of(term.wave.frequency), declared.frequency))
    return max(_apart(x, y, box) for x, y in pairs)


def _apart(x: Number, y: Scalar, box: Box) -> float:
    return abs(float((box.ball(exact_scalar(x)) - box.ball(y)).mid()))


__all__ = ["BiasBalls", "absolutely_away", "bias_terms", "lag_bounds", "served_lag"]
