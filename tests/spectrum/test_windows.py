"""Windows and intervals of bases: published lags, both signs, no threshold."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from flint import fmpq

from numeric_check.spectrum.search import BaseInterval, ladder_of, search_bases
from numeric_check.spectrum.window import Evaluator, cosines, first_negative_lag, kernel_sign
from symbolic_pe.algebra.scalar import precision
from symbolic_pe.decision import Outcome
from symbolic_pe.encodings.catalogue import catalogue
from symbolic_pe.encodings.specification import from_document
from symbolic_pe.errors import SpecificationError, Undecided
from symbolic_pe.spectrum.kernel import PositionalKernel, positional_kernel


def rope(**settings: object) -> PositionalKernel:
    return positional_kernel(catalogue("rope", settings))


@pytest.mark.parametrize(
    ("settings", "lag"),
    [
        ({"dim": 128}, 1707),
        ({"dim": 128, "base": 500000}, 18438),
        ({"dim": 128, "base": 1000000}, 27115),
        ({"dim": 64, "base": 500000}, 9937),
        ({"dim": 64, "base": 1000000}, 6235),
        ({"dim": 16}, 91),
    ],
)
def test_published_windows(settings: dict[str, object], lag: int) -> None:
    found = first_negative_lag(rope(**settings))
    assert found.lag == lag
    assert found.value is not None
    assert found.value < 0
    assert found.before is not None
    assert found.before > 0


def test_every_lag_before_is_positive_by_balls() -> None:
    kernel = rope(dim=16)
    assert all(kernel_sign(kernel, m) > 0 for m in range(1, 91))


def test_a_larger_base_can_shrink_the_window() -> None:
    lags = [first_negative_lag(rope(dim=64, base=b)).lag for b in (500000, 1000000)]
    assert lags[0] is not None
    assert lags[1] is not None
    assert lags[1] < lags[0]


def test_half_rotary_is_never_negative() -> None:
    found = first_negative_lag(rope(dim=64, rotary_dim=32))
    assert found.lag is None
    assert "1/2" in found.reason
    less = first_negative_lag(rope(dim=64, rotary_dim=34))
    assert not less.reason


@pytest.mark.parametrize("name", ["rope", "xpos", "jordan-rope", "mamba-3"])
def test_values_lie_inside_their_bounds(name: str) -> None:
    kernel = positional_kernel(catalogue(name))
    lags = np.array([1, 2, 63, 64, 127, 128, 129, 16383, 16384, 999_983], dtype=np.uint64)
    values, errors = Evaluator.of(kernel).values(lags)
    with precision(200):
        rates = [c.rate.enclosure() for c in kernel.components]
        top = max(rates, key=lambda a: float(a.mid()))
        for lag, value, error in zip(lags, values, errors, strict=True):
            exact = kernel.value(int(lag)) * (-top * int(lag)).exp()
            assert abs(exact - float(value)) < float(error)
            assert error < 1e-11


def test_cosines_of_phases() -> None:
    phases = (np.arange(200_003, dtype=np.uint64) * np.uint64(92_233_720_368_547_759)).copy()
    angles = phases.astype(np.float64) * (2 * np.pi / 2.0**64)
    assert np.max(np.abs(cosines(phases) - np.cos(angles))) < 5e-15


def test_a_lag_where_the_kernel_is_exactly_zero_is_not_decided() -> None:
    kernel = positional_kernel(from_document({"generator": {"blocks": [{"frequency": "pi/2"}]}}))
    with pytest.raises(Undecided, match="lag 1"):
        first_negative_lag(kernel, 10)


def test_weights_move_the_window() -> None:
    encoding = catalogue("rope", {"dim": 128})
    weights = [fmpq(1 + k, 64) for k in range(64)]
    found = first_negative_lag(positional_kernel(encoding, weights=weights))
    assert found.lag is not None
    assert found.lag > 1707


# -- bases ------------------------------------------------------------------------------------


def verdict_at(pieces: list[BaseInterval], base: int) -> Outcome:
    return next(p.verdict for p in pieces if p.low <= base <= p.high)


def test_the_set_of_bases_is_no_half_line() -> None:
    low, high = fmpq(4280), fmpq(4420)
    ladder = ladder_of(catalogue("rope", {"dim": 128}), low, high)
    pieces = search_bases(ladder, low, high, 1024)
    assert (pieces[0].low, pieces[-1].high) == (low, high)
    assert all(a.high == b.low for a, b in itertools.pairwise(pieces))
    assert verdict_at(pieces, 4300) is Outcome.PROVED
    assert verdict_at(pieces, 4400) is Outcome.REFUTED
    for piece in pieces:
        middle = (piece.low + piece.high) / 2
        found = first_negative_lag(rope(dim=128, base=str(middle)), 1023).lag
        if piece.verdict is Outcome.PROVED:
            assert found is None
        if piece.verdict is Outcome.REFUTED:
            assert found is not None


def test_search_refuses_what_has_no_ladder_of_rotations() -> None:
    for name in ("xpos", "alibi"):
        with pytest.raises(SpecificationError, match="--search"):
            ladder_of(catalogue(name), fmpq(2), fmpq(3))
    ladder = ladder_of(catalogue("rope", {"dim": 8}), fmpq(2), fmpq(3))
    for low, high, window in ((fmpq(3), fmpq(2), 9), (fmpq(1), fmpq(2), 9), (fmpq(2), fmpq(3), 1)):
        with pytest.raises(SpecificationError, match="expected"):
            search_bases(ladder, low, high, window)
