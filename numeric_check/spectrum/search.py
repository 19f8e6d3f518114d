"""For which bases is κ(m) = Σ w_k cos(m·b^{−e_k}) + w₀ positive at every lag 1 ≤ m < L?

The answer is a partition of an interval of bases into pieces where it holds, pieces where one lag
refutes it, and slivers that are left undecided. It is not one threshold: the set is no half-line.

On a piece [b₀, b₁] with the rational c between them,

    |κ_b(m) − κ_c(m)| ≤ min(2, ln(c/b₀)·m·Σ w_k e_k b₀^{−e_k}),

as dθ_k/d ln b = −e_k θ_k, and c is chosen with c² ≥ b₀b₁. One evaluation at c decides the piece
when it is clear of that bound; else the piece is halved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from flint import arb, fmpq

from numeric_check.spectrum.window import CHUNK, UNIT, Evaluator, fixed_point
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.decision import Outcome
from symbolic_pe.encodings.catalogue import catalogue
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.errors import SpecificationError

BITS = 160
MAX_PIECES = 200_000


@dataclass(frozen=True)
class BaseInterval:
    """Bases from `low` to `high` with one verdict: positive up to the window, or not.

    lag  a lag that is negative on the whole of one piece, for a refuted interval
    """

    low: fmpq
    high: fmpq
    verdict: Outcome
    lag: int | None = None


@dataclass(frozen=True)
class Ladder:
    """Frequencies b^{−e_k} with equal masses, and the mass of what does not turn."""

    exponents: tuple[fmpq, ...]
    mass: fmpq
    constant: fmpq


def ladder_of(encoding: Encoding, low: fmpq, high: fmpq) -> Ladder:
    """The exponents of the ladder of a catalogue encoding with the setting `base`.

    They are 2k/c for c rotated channels, which is compared exactly with the frequencies that the
    catalogue builds at both ends. Raises `SpecificationError` for other encodings.
    """
    described = encoding.specification
    name, settings = described.get("catalogue"), described.get("settings")
    if not isinstance(name, str) or not isinstance(settings, dict) or "base" not in settings:
        raise SpecificationError(
            "--search: expected a catalogue encoding with the setting base, such as rope"
        )
    ladders = []
    for base in (low, high):
        built = catalogue(name, {**settings, "base": str(base)})
        blocks = [p.block for p in built.heads[0].generator.placed or ()]
        if any(not b.rate.is_zero() or b.chain_length > 1 for b in blocks):
            raise SpecificationError(
                "--search: expected rotations alone; this encoding decays or has longer chains"
            )
        found = [b.frequency for b in blocks if b.is_pair]
        exponents = tuple(fmpq(2 * k, 2 * len(found)) for k in range(len(found)))
        _check_ladder(found, exponents, base)
        total = sum(b.dimension for b in blocks)
        ladders.append(Ladder(exponents, fmpq(2, total), fmpq(total - 2 * len(found), total)))
    return ladders[0]


def _check_ladder(found: Sequence[Scalar], exponents: Sequence[fmpq], base: fmpq) -> None:
    from symbolic_pe.algebra.functions import power

    expected = [power(Scalar.rational(base), -e) for e in exponents]
    if any(f not in (e, -e) for f, e in zip(found, expected, strict=True)):
        raise SpecificationError(
            "--search: expected the frequencies base^(-2k/c) of c rotated channels"
        )


def search_bases(
    ladder: Ladder,
    low: fmpq,
    high: fmpq,
    window: int,
    *,
    tolerance: float = 1e-4,
    progress: Callable[[str], None] = lambda _: None,
) -> list[BaseInterval]:
    """A partition of [low, high]; undecided pieces are narrower than tolerance·b.

    Raises `SpecificationError` for an empty interval, a base ≤ 1 or a window below 2.
    """
    if not (1 < low < high):
        raise SpecificationError("--search: expected LOW:HIGH with 1 < LOW < HIGH")
    if window < 2:
        raise SpecificationError(f"--window: expected at least 2 lags, got {window}")
    lags = np.arange(1, window, dtype=np.uint64)
    pieces: list[BaseInterval] = []
    pending, done = [(low, high)], 0
    while pending:
        a, b = pending.pop()
        verdict, lag = _piece(ladder, a, b, lags)
        narrow = float((b - a) / a) <= tolerance
        if verdict is Outcome.UNDECIDED and not narrow and done < MAX_PIECES:
            middle = _between(a, b)
            pending += [(middle, b), (a, middle)]
            continue
        done += 1
        if done % 100 == 0:
            progress(f"bases up to {float(b):.0f}")
        _append(pieces, BaseInterval(a, b, verdict, lag))
    return pieces


def _append(pieces: list[BaseInterval], new: BaseInterval) -> None:
    """Join neighbours of one verdict."""
    if pieces and pieces[-1].verdict is new.verdict:
        last = pieces.pop()
        new = BaseInterval(last.low, new.high, new.verdict, last.lag)
    pieces.append(new)


def _between(a: fmpq, b: fmpq) -> fmpq:
    """A short rational c inside with c² ≥ ab."""
    return (a + b) / 2


def _piece(
    ladder: Ladder, a: fmpq, b: fmpq, lags: np.ndarray[tuple[int], np.dtype[np.uint64]]
) -> tuple[Outcome, int | None]:
    centre = _between(a, b)
    with precision(BITS):
        logarithm = arb(centre).log()
        thetas = [(-e * logarithm).exp() for e in ladder.exponents]
        turns = tuple(fixed_point(theta) for theta in thetas)
        slope = sum(
            (ladder.mass * e * (-e * arb(a).log()).exp() for e in ladder.exponents), start=arb(0)
        )
        steep = float((slope * (arb(centre) / a).log()).upper()) * (1 + 4 * UNIT)
    mass = int(ladder.mass.p) / int(ladder.mass.q)
    constant = int(ladder.constant.p) / int(ladder.constant.q)
    evaluator = Evaluator(
        (*turns, 0), (*(mass for _ in turns), constant), (None,) * (len(turns) + 1)
    )
    holds = True
    for start in range(0, len(lags), CHUNK):
        part = lags[start : start + CHUNK]
        values, errors = evaluator.values(part)
        slack = errors + steep * part.astype(np.float64) * (1 + 4 * UNIT)
        negative = np.flatnonzero(values + slack < 0)
        if len(negative):
            return Outcome.REFUTED, int(part[negative[0]])
        holds = holds and bool(np.all(values - slack > 0))
    return (Outcome.PROVED, None) if holds else (Outcome.UNDECIDED, None)
