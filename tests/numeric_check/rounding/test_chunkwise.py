"""Bounds of `chunkwise`, and of causal sums with a basis: they hold, follow the text, can fail."""

from __future__ import annotations

import pytest

from numeric_check.rounding import (
    causal_bound,
    chunkwise_bound,
    judge,
    measure_causal,
    measure_chunkwise,
)
from numeric_check.rounding.causal import CHUNK, LONGEST, SMALL
from symbolic_pe.errors import NotYetCovered
from tests.numeric_check.rounding.comparisons import smaller_sums
from tests.numeric_check.rounding.test_bound import TARGETS, kernel_of, planned

SUMS = ["dense"]
LONG = [
    "decay",
    "retention",
    "different-heads",
    "jordan-rope",
    "dense-heads",
    "catalogue:retnet",
    "catalogue:xpos",
    "catalogue:hope-hyperbolic",
    "polynomial",
]


@pytest.mark.parametrize("name", [*SUMS, *(pytest.param(x, marks=pytest.mark.slow) for x in LONG)])
def test_measured_errors_lie_inside_and_an_eighth_is_left(name: str) -> None:
    kernel, plan = kernel_of(name, "numpy"), planned(name)
    for bound_of, measure in (
        (chunkwise_bound, measure_chunkwise),
        (causal_bound, measure_causal),
    ):
        bound = bound_of(kernel, plan, "bfloat16")
        assert bound.limit > 1000
        assert 1 / 8 < measure(kernel, plan, bound) <= 1.0
        assert measure(kernel, plan, smaller_sums(bound, 8)) > 1.0


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("name", [*SUMS, *LONG])
def test_measured_errors_lie_inside_in_other_dtypes(name: str, dtype: str) -> None:
    kernel, plan = kernel_of(name, "torch"), planned(name)
    assert 0.0 < measure_chunkwise(kernel, plan, chunkwise_bound(kernel, plan, dtype)) <= 1.0


@pytest.mark.parametrize("target", TARGETS)
def test_a_run_costs_its_map_and_a_sum_and_reading_it_the_sums_over_rows(target: str) -> None:
    """A state is handed over with the errors of one step, however long the run was."""
    kernel, plan = kernel_of("decay", target), planned("decay")
    step, run = causal_bound(kernel, plan, "float32"), chunkwise_bound(kernel, plan, "float32")
    assert 1.0 <= run.error[1] / step.error[1] < 1.001
    rows = CHUNK * 2.0**-24  # the products and sums of a run
    assert rows < run.error[0] < 1.3 * rows
    assert run.gap == step.gap
    assert run.limit * run.error[1] <= SMALL


def longer_runs(name: str, chunk: int) -> None:
    kernel, plan = kernel_of(name, "numpy"), planned(name)
    short = chunkwise_bound(kernel, plan, "float32")
    long = chunkwise_bound(kernel, plan, "float32", chunk=chunk)
    assert (short.chunk, long.chunk) == (CHUNK, chunk)
    rows = (chunk - CHUNK) * 2.0**-24
    assert rows < long.error[0] - short.error[0] < 1.3 * rows, "sums over more rows"
    assert 1.0 <= long.error[1] / short.error[1] < 1.001, "a state is handed over as before"
    assert 0.0 < measure_chunkwise(kernel, plan, long) <= 1.0
    assert measure_chunkwise(kernel, plan, smaller_sums(long, 1000)) > 1.0


def test_longer_runs_sum_over_more_rows() -> None:
    longer_runs("decay", 128)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dense", "catalogue:retnet"])
def test_longer_runs_of_other_maps_sum_over_more_rows(name: str) -> None:
    longer_runs(name, 256)


def test_shorter_runs_have_the_same_bound_and_much_longer_ones_none() -> None:
    kernel, plan = kernel_of("decay", "numpy"), planned("decay")
    assert chunkwise_bound(kernel, plan, "float32", chunk=5) == chunkwise_bound(
        kernel, plan, "float32"
    )
    for chunk in (0, LONGEST + 1):
        with pytest.raises(NotYetCovered, match="bounded from 1 to"):
            chunkwise_bound(kernel, plan, "float32", chunk=chunk)


BEYOND = (
    (r"state = kept \+", "state = kept.astype(np.float16).astype(compute) +"),
    (r"factor \* \(query", "factor * (query.astype(np.float16).astype(query.dtype)"),
)


@pytest.mark.parametrize("edit", BEYOND)
def test_one_rounding_more_makes_the_bound_larger(edit: tuple[str, str]) -> None:
    plan = planned("decay")
    known = chunkwise_bound(kernel_of("decay", "numpy"), plan, "float32")
    faulty = kernel_of("decay", "numpy", edit)
    own = chunkwise_bound(faulty, plan, "float32")
    assert max(a / b for a, b in zip(own.error, known.error, strict=True)) > 20
    assert measure_chunkwise(faulty, plan, own) <= 1.0


def test_a_query_in_float16_leaves_the_bound() -> None:
    plan = planned("decay")
    known = chunkwise_bound(kernel_of("decay", "numpy"), plan, "float32")
    assert measure_chunkwise(kernel_of("decay", "numpy", BEYOND[1]), plan, known) > 1.0


@pytest.mark.parametrize(
    ("pattern", "replacement", "reason"),
    [
        (r"np\.exp\(RATE \* lag\)", "np.exp(0.5 * RATE * lag)", "another rate"),
        (r"np\.exp\(RATE \* lag\)", "np.cos(RATE * lag)", "a wave beside its map"),
        (r"np\.exp\(RATE \* lag\)", "np.exp(RATE * lag).astype(np.float16)", "no power of e"),
        (r"np\.tril\(scores\) @ value", "np.exp(scores) @ value", "an exponential beside its map"),
        (r"kept = _transform\(state", "kept = state * _transform(state", "enter linearly"),
        (r"times = position\[", "times = position.astype(np.float32)[", "no position that was"),
        (
            r"u = \(np\.asarray\(position, np\.float64\) - reference\)",
            "u = (np.asarray(position, np.float32) - reference)",
            "rounds positions before",
        ),
    ],
)
def test_texts_without_a_bound(pattern: str, replacement: str, reason: str) -> None:
    kernel = kernel_of("decay", "numpy", (pattern, replacement))
    with pytest.raises(NotYetCovered, match=reason):
        chunkwise_bound(kernel, planned("decay"), "float32")


@pytest.mark.parametrize(
    ("pattern", "replacement", "reason"),
    [
        (r"\[1\.0, 0\.0, 0\.0, 0\.0, 1\.0\]", "[1.0, 1e-9, 0.0, 0.0, 1.0]", "entry of the basis"),
        (r"_transform\(query, 0\.0, 0\.0, 1\)", "_transform(query, 1.0, 0.0, 1)", "position 0"),
    ],
)
def test_texts_with_a_basis_without_a_bound(pattern: str, replacement: str, reason: str) -> None:
    kernel = kernel_of("dense", "numpy", (pattern, replacement))
    with pytest.raises(NotYetCovered, match=reason):
        causal_bound(kernel, planned("dense"), "float32")


def test_a_basis_in_float16_makes_the_bound_larger() -> None:
    plan = planned("dense")
    edit = (r"basis = BASIS if", "basis = BASIS.astype(np.float16) if")
    known = causal_bound(kernel_of("dense", "numpy"), plan, "float32")
    assert causal_bound(kernel_of("dense", "numpy", edit), plan, "float32").error == known.error
    edit = (r"\(x\.astype\(np\.float64\) @", "(x.astype(np.float16).astype(np.float64) @")
    found = causal_bound(kernel_of("dense", "numpy", edit), plan, "float32")
    assert found.error[0] > 100 * known.error[0]


def test_learned_rates_are_bounded_over_their_box() -> None:
    kernel, plan = kernel_of("learned-heads", "torch"), planned("learned-heads")
    assert set(chunkwise_bound(kernel, plan, "float32").box) == {"a", "b"}


def test_bounds_are_stated() -> None:
    found = judge(kernel_of("decay", "numpy"), planned("decay"), dtypes=["bfloat16"])
    honest = found.runs["bfloat16"].bound.stated
    assert not found.false_statements({"chunkwise bfloat16": honest})
    for old, new in (("1.1*2^-8", "1.0*2^-9"), ("r <= ", "r <= 9"), ("r <= ", "n <= ")):
        assert found.false_statements({"chunkwise bfloat16": honest.replace(old, new)})
    lines = found.header_lines()
    assert any(line.startswith("# chunkwise bfloat16: eps = 1.1*2^-8") for line in lines)
