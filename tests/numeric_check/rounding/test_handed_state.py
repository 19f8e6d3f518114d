"""Bounds of causal sums from a state that the caller hands over, as in decoding with a cache."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from numeric_check.rounding import (
    CausalBound,
    causal_bound,
    chunkwise_bound,
    judge,
    measure_causal,
    measure_chunkwise,
)
from numeric_check.rounding import measured_causal as measuring
from numeric_check.rounding.causal import CHUNK
from symbolic_pe.errors import NotYetCovered
from tests.numeric_check.rounding.comparisons import smaller_sums
from tests.numeric_check.rounding.test_bound import TARGETS, kernel_of, planned

FORMS = [(chunkwise_bound, measure_chunkwise), (causal_bound, measure_causal)]
LONG = ["retention", "jordan-rope", "long-chain", "menagerie", "dense-heads", "catalogue:retnet"]


@pytest.mark.parametrize(
    ("name", "target"),
    [("decay", "numpy"), ("dense", "torch")]
    + [pytest.param(n, t, marks=pytest.mark.slow) for n in LONG for t in TARGETS],
)
def test_measured_errors_lie_inside_and_an_eighth_is_left(name: str, target: str) -> None:
    kernel, plan = kernel_of(name, target), planned(name)
    for bound_of, measured in FORMS:
        for dtype in ("bfloat16", "float32", "float16"):
            bound = bound_of(kernel, plan, dtype)
            found = measured(kernel, plan, bound, handed=True)
            assert 0.0 < found <= 1.0
            if dtype == "bfloat16":
                assert found > 1 / 8
                assert measured(kernel, plan, smaller_sums(bound, 8), handed=True) > 1.0


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["bfloat16", "float32", "float16"])
def test_oscillators_go_on_from_a_state(target: str, dtype: str) -> None:
    kernel, plan = kernel_of("oscillator", target), planned("oscillator")
    for bound_of, measured in FORMS:
        bound = bound_of(kernel, plan, dtype, parameters={"w": (0.5, 2.0), "z": (0.0, 1.5)})
        for values in ([1.0, 0.25], [0.5, 1.0], [2.0, 1.25], [1.0, 1.0 + 2.0**-30]):
            assert 0.0 < measured(kernel, plan, bound, values, handed=True) <= 1.0


@pytest.mark.parametrize("name", ["decay", "dense"])
def test_the_size_of_the_state_has_to_count(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative to what came later alone, a state that is much larger leaves every bound."""
    kernel, plan = kernel_of(name, "numpy"), planned(name)
    monkeypatch.setattr(measuring, "EARLIER", 2.0**24)
    for bound_of, measured in FORMS:
        bound = bound_of(kernel, plan, "float32")
        assert 0.0 < measured(kernel, plan, bound, handed=True) <= 1.0
    norms = measuring._norms

    def of_later(group: Any, x: Any) -> Any:
        """No sizes of the state, the one array with an entry for every channel of v."""
        return norms(group, 0.0 * x if len(x) == measuring.CHANNELS else x)

    monkeypatch.setattr(measuring, "_norms", of_later)
    for bound_of, measured in FORMS:
        assert measured(kernel, plan, bound_of(kernel, plan, "float32"), handed=True) > 1.0


def test_pieces_of_whole_runs_are_one_call() -> None:
    """So r counts on: the state of the first call is handed over as a run hands over its own."""
    kernel = kernel_of("jordan-rope", "numpy")
    d = planned("jordan-rope").dimension
    drawn = np.random.default_rng(2).standard_normal((3, 4 * CHUNK, d)).astype(np.float32)
    position = np.cumsum(np.resize([1.0, 0.5, 2.25], 4 * CHUNK))
    chunkwise = kernel.raw("chunkwise")
    whole, last = chunkwise(*drawn, position)
    first, state = chunkwise(*drawn[:, : 2 * CHUNK], position[: 2 * CHUNK])
    second, end = chunkwise(
        *drawn[:, 2 * CHUNK :], position[2 * CHUNK :], state=state, start=position[2 * CHUNK - 1]
    )
    assert np.isfinite(whole).all()
    assert np.array_equal(whole, np.concatenate([first, second]))
    assert np.array_equal(last, end)


TAKEN = r"state = np\.asarray\(state, np\.result_type\(compute, state\.dtype\)\)"


def test_a_state_that_is_rounded_when_it_comes_makes_the_bound_larger() -> None:
    plan = planned("decay")
    edit = (TAKEN, "state = np.asarray(state, np.float16).astype(compute)")
    known = chunkwise_bound(kernel_of("decay", "numpy"), plan, "float32")
    faulty = kernel_of("decay", "numpy", edit)
    own = chunkwise_bound(faulty, plan, "float32")
    assert own.error[0] > 50 * known.error[0]
    assert measure_chunkwise(faulty, plan, own, handed=True) <= 1.0
    assert measure_chunkwise(faulty, plan, known, handed=True) > 1.0
    assert measure_chunkwise(faulty, plan, known) <= 1.0, "zeros are not rounded"


@pytest.mark.parametrize(
    "edit",
    [
        (r"np\.asarray\(start, np\.float64\)", "np.asarray(start, np.float32)"),
        (TAKEN, "state = np.asarray(state, compute) * np.asarray(state, compute)"),
        (TAKEN, "state = np.asarray(state, np.float16)"),
    ],
)
def test_texts_without_a_bound_from_a_state(edit: tuple[str, str]) -> None:
    with pytest.raises(NotYetCovered):
        chunkwise_bound(kernel_of("decay", "numpy", edit), planned("decay"), "float32")


def test_a_state_costs_a_rounding_at_most() -> None:
    """The first run adds to a state that is exact, where it else adds to zeros."""

    def of(name: str) -> CausalBound:
        return chunkwise_bound(kernel_of(name, "numpy"), planned(name), "float32")

    for name, rows in (("decay", 74.1), ("dense", 85.1)):
        assert of(name).error[0] < rows * 2.0**-24


def test_what_is_measured_when_a_kernel_is_judged() -> None:
    """An error that only a state shows is found by `check`."""
    plan = planned("decay")
    found = judge(kernel_of("decay", "numpy"), plan, dtypes=["bfloat16"])
    kernel = kernel_of("decay", "numpy")
    ratios = [
        measure_chunkwise(kernel, plan, found.runs["bfloat16"].bound, handed=handed)
        for handed in (False, True)
    ]
    assert found.runs["bfloat16"].measured == max(ratios)
    assert "|q| M |S|" in found.header_lines()[0]
