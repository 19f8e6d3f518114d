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
from symbolic_pe.spectrum.zeros import is_exact_zero, sign_period


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


def blocks(*texts: str, rate: str = "0") -> PositionalKernel:
    document = {"generator": {"blocks": [{"frequency": t, "rate": rate} for t in texts]}}
    return positional_kernel(from_document(document))


@pytest.mark.parametrize(
    ("kernel", "zero", "lag"),
    [
        (blocks("pi/2"), 1, 2),
        (blocks("pi/2", rate="-log(2)"), 1, 2),
        (blocks("1/5*pi", "3/5*pi", "1/6*pi"), 2, 4),
        (blocks("sqrt(2)", "sqrt(2) + pi"), 1, 2),
        (blocks("1", "2"), None, 2),
    ],
    ids=["quarter", "decaying", "golden ratio", "half turn apart", "none"],
)
def test_exact_zeros_on_the_way(kernel: PositionalKernel, zero: int | None, lag: int) -> None:
    found = first_negative_lag(kernel, 50)
    assert (found.zero, found.lag) == (zero, lag)
    assert found.value is not None
    assert found.value < 0


def test_zeros_are_decided_and_not_guessed() -> None:
    """A number that is not 0 but small: cos of nearly a quarter turn."""
    near = blocks("1/2*pi - 1/10^60")
    assert not is_exact_zero(near, 1)
    assert first_negative_lag(near, 5).zero is None
    with pytest.raises(Undecided, match="holds log"):
        is_exact_zero(blocks("log(2)"), 1)


def test_signs_that_repeat_end_the_search() -> None:
    """3/7 + 2/7·cos πm + 2/7·cos 2πm/3 is 0 at lag 1 and nowhere negative."""
    assert sign_period(blocks("pi/2", "2/3*pi")) == 12
    assert sign_period(blocks("pi/2", "1")) is None
    found = first_negative_lag(blocks("0", "0", "0", "pi", "2/3*pi"))
    assert (found.lag, found.zero) == (None, 1)
    assert "repeat every 6 lags" in found.reason
    assert first_negative_lag(blocks("0", "0", "pi", "2/3*pi")).lag == 1


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
