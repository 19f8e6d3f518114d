"""The function of the lag that products of coordinates make.

Σ qᵢ(u)·kᵢ(v) is a function of u − v only if its terms come together as

    u^i·v^j:  (−1)^j·binomial(i + j, j) times the coefficient of (u − v)^{i+j}
    e^{a(u − v)}·cos ω(u − v) = e^{au}e^{−av}(cos ωu·cos ωv + sin ωu·sin ωv), and its sine likewise

which is decided exactly, for the constants of the text.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

from flint import fmpq

from numeric_check.rounding.element import Rounded
from numeric_check.rounding.majorant import (
    NO_INPUT,
    ZERO,
    Number,
    Ratio,
    Term,
    Wave,
    number_of,
    ratio,
)
from numeric_check.text_proof.exact_element import LeavesTheRing

NONE = fmpq(0)
Joint = dict[tuple[Term, Term], Number]


def of_lag(query: Sequence[Rounded], key: Sequence[Rounded]) -> dict[Term, Number]:
    """b with Σ qᵢ(u)·kᵢ(v) = b(u − v). Raises `LeavesTheRing` where there is none."""
    polynomials: Joint = {}
    others: Joint = {}
    for q, k in zip(query, key, strict=True):
        for (term, c), (other, d) in itertools.product(q.value.items(), k.value.items()):
            plain = all(t.rate == ZERO and t.wave is None for t in (term, other))
            joint = polynomials if plain else others
            joint[term, other] = joint.get((term, other), NONE) + c * d
    found = {t: c for t, c in {**_powers(polynomials), **_waves(others)}.items() if c != 0}
    return found


def _powers(joint: Joint) -> dict[Term, Number]:
    places = {(term.power, other.power): c for (term, other), c in joint.items()}
    found = {i: c for (i, j), c in places.items() if j == 0}
    degree = max((i + j for i, j in places), default=0)
    for i in range(degree + 1):
        for j in range(degree + 1 - i):
            expected = found.get(i + j, NONE) * math.comb(i + j, j) * (-1) ** j
            if places.get((i, j), NONE) != expected:
                raise _no_function()
    return {Term(NO_INPUT, i, ZERO, None): c for i, c in found.items()}


def _waves(joint: Joint) -> dict[Term, Number]:
    """Each pair of rate and frequency apart: coefficients of cc, ss, sc, cs."""
    parts: dict[tuple[Ratio, Ratio | None], dict[str, Number]] = {}
    for (term, other), c in joint.items():
        frequency = None if term.wave is None else term.wave.frequency
        same = None if other.wave is None else other.wave.frequency
        opposite = ratio(-number_of(other.rate))
        if term.power or other.power or frequency != same or term.rate != opposite:
            if c == 0:
                continue
            raise _no_function()
        kind = "" if term.wave is None or other.wave is None else term.wave.part + other.wave.part
        own = parts.setdefault((term.rate, frequency), {})
        own[kind] = own.get(kind, NONE) + c
    found: dict[Term, Number] = {}
    for (rate, frequency), own in parts.items():
        found.update(_joined(rate, frequency, own))
    return found


def _joined(rate: Ratio, frequency: Ratio | None, own: Mapping[str, Number]) -> dict[Term, Number]:
    if frequency is None:
        return {Term(NO_INPUT, 0, rate, None): own.get("", NONE)}
    cosine, sine = own.get("cc", NONE), own.get("sc", NONE)
    if own.get("ss", NONE) != cosine or own.get("cs", NONE) != -sine:
        raise _no_function()
    return {
        Term(NO_INPUT, 0, rate, Wave(frequency, part)): c
        for part, c in (("c", cosine), ("s", sine))
    }


def _no_function() -> LeavesTheRing:
    return LeavesTheRing("the coordinates are no function of the lag")


__all__ = ["of_lag"]
