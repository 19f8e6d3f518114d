"""Bounds of `cos_sin` and `rotary_table`: inside, near, following the text, and able to fail."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from numeric_check.reference_values.tolerance import DTYPES
from numeric_check.rounding import KernelBound, judge, measure, rounding_bound, safe_position
from numeric_check.rounding.blocks import TABLES
from symbolic_pe.errors import NotYetCovered
from tests.numeric_check.rounding.comparisons import bounds_of_an_edit, smaller
from tests.numeric_check.rounding.test_bound import HALVES, TARGETS, kernel_of, planned

TABLED = ["catalogue:rope", HALVES, "rope-turns", "warm-rope", "catalogue:grape-m"]

QUICK = [*((name, "numpy", "bfloat16") for name in TABLED), ("catalogue:rope", "torch", "float64")]
QUICK += [("rope-turns", "torch", "float64"), (HALVES, "torch", "float16")]
CASES = [
    pytest.param(*case, marks=() if case in QUICK else pytest.mark.slow)
    for case in itertools.product(TABLED, TARGETS, DTYPES)
]


def bound_of(name: str, target: str, dtype: str, *edits: tuple[str, str]) -> KernelBound:
    return rounding_bound(kernel_of(name, target, *edits), planned(name), dtype, form=TABLES)


@pytest.mark.parametrize(("name", "target", "dtype"), CASES)
def test_measured_errors_lie_inside_and_a_quarter_is_left(
    name: str, target: str, dtype: str
) -> None:
    bound = bound_of(name, target, dtype)
    assert 1 / 4 < measure(kernel_of(name, target), planned(name), bound).ratio <= 1.0


def test_a_quarter_of_a_bound_is_left() -> None:
    bound = bound_of(HALVES, "numpy", "bfloat16")
    assert measure(kernel_of(HALVES, "numpy"), planned(HALVES), smaller(bound, 4)).ratio > 1.0


def test_a_table_in_a_short_format_is_rounded_once_and_nothing_grows() -> None:
    bound = bound_of("catalogue:rope", "torch", "bfloat16")
    assert bound.formula.startswith("1.001*2^-8 + ")
    assert bound.epsilon(2.0**20) < 1.01 * 2.0**-8
    plan = planned("catalogue:rope")
    safe = safe_position(kernel_of("catalogue:rope", "torch"), plan, bound)
    assert safe.position is not None
    assert safe.position > 2**40


def test_errors_lie_inside_far_beyond_the_domain() -> None:
    kernel, plan = kernel_of("catalogue:rope", "numpy"), planned("catalogue:rope")
    bound = rounding_bound(kernel, plan, "float64", form=TABLES, reach=2.0**45)
    assert 1 / 4 < measure(kernel, plan, bound).ratio <= 1.0


FLOATS = (r"angle = u \* THETA", "angle = (u * THETA).astype(np.float32)")


def test_angles_in_float32_make_the_bound_larger_and_leave_the_other_one() -> None:
    known, found = bounds_of_an_edit("catalogue:rope", FLOATS, "bfloat16", TABLES)
    assert found.relative[1] > 1e6 * known.relative[1]


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        ((r"angle = u \* THETA", "angle = -u * THETA"), "another wave"),
        ((r"angle = u \* THETA", "angle = u * THETA * 1.0000001"), "another frequency"),
        ((r"np\.sin\(angle\)", "np.cos(angle)"), "another wave"),
        ((r"np\.sin\(angle\)", "np.sin(angle * (1.0 - 2.0**-42))"), "than its cosine"),
        ((r"np\.cos\(angle\)\.astype", "(2.0 * np.cos(angle)).astype"), "another wave"),
        ((r"np\.repeat\(sine, 2, axis=-1\)", "sine"), "shape"),
        ((r"np\.repeat\(sine, 2, axis=-1\)", "np.concatenate((sine, sine), axis=-1)"), "frequency"),
        ((r"np\.sin\(angle\)\.astype\(dtype\)", "np.sin(angle)"), "returns float64"),
    ],
)
def test_texts_with_other_tables_have_no_bound(edit: tuple[str, str], reason: str) -> None:
    with pytest.raises(NotYetCovered, match=reason):
        bound_of("catalogue:rope", "numpy", "bfloat16", edit)


def test_a_fault_of_rotary_table_alone_is_seen() -> None:
    edit = (r"waves = np\.stack\(\(cosine, sine\)", "waves = np.stack((sine, cosine)")
    with pytest.raises(NotYetCovered, match="another wave"):
        bound_of("catalogue:rope", "numpy", "float32", edit)
    edit = (r"waves = np\.stack\(\(cosine, sine\)",
            "waves = np.stack((cosine.astype(np.float16).astype(dtype), sine)")  # fmt: skip
    known = bound_of("catalogue:rope", "numpy", "float32")
    assert (
        bound_of("catalogue:rope", "numpy", "float32", edit).relative[0]
        > 1000 * (known.relative[0])
    )


def test_tables_with_what_is_no_number_leave_any_bound() -> None:
    """Angles in float16 are infinite from 65520 on."""
    edit = (r"angle = u \* THETA", "angle = (u * THETA).astype(np.float16).astype(np.float64)")
    kernel, plan = kernel_of("catalogue:rope", "numpy", edit), planned("catalogue:rope")
    with np.errstate(all="ignore"):
        found = measure(kernel, plan, bound_of("catalogue:rope", "numpy", "float32"))
    assert (found.ratio, found.error) == (math.inf, math.inf)
    with pytest.raises(NotYetCovered, match="leave the range of a format that it computes in"):
        rounding_bound(kernel, plan, "float32", form=TABLES)
    judged = judge(kernel, plan, dtypes=["float32"])
    assert judged.verdict == "undecided"
    assert "no finite bound" in judged.reason
    assert not judged.header_lines()


def test_kernels_without_tables_have_none() -> None:
    with pytest.raises(NotYetCovered, match="cos_sin is offered"):
        bound_of("decay", "numpy", "float32")


def test_bounds_are_stated() -> None:
    found = judge(kernel_of(HALVES, "numpy"), planned(HALVES), dtypes=["bfloat16"])
    (line,) = [x for x in found.header_lines() if x.startswith("# cos_sin bfloat16:")]
    stated = line.removeprefix("# cos_sin bfloat16:").strip()
    assert not found.false_statements({"cos_sin bfloat16": stated})
    assert found.false_statements({"cos_sin bfloat16": stated.replace("eps = 1.1", "eps = 0.9")})
    assert "every plane of cos_sin" in found.header_lines()[0]
