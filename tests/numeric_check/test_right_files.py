"""Right files of any size and any rate are held to the laws about calls, and none is refuted."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from numeric_check import compile_kernel, cross_check
from numeric_check.laws.gradient_laws import check_gradients
from numeric_check.laws.operator_laws import check_operator
from numeric_check.laws.precision_laws import check_precision
from numeric_check.laws.result import Ledger
from numeric_check.laws.subject import Subject
from numeric_check.reference_values.exact_map import ExactMap
from symbolic_pe import plan_kernel, read_specification
from symbolic_pe.emit.source import emit
from symbolic_pe.encodings.specification import from_document

Law = Callable[[Subject], None]


def refuted(law: Law, document: object, target: str, old: str = "", new: str = "") -> list[str]:
    read = read_specification if isinstance(document, str) else from_document
    plan = plan_kernel(read(document))  # type: ignore[operator]
    text = emit(plan, target, command="x", certificate_digest="sha256:0").text
    assert old in text, old
    kernel, ledger = compile_kernel(text.replace(old, new), target), Ledger()
    with np.errstate(all="ignore"):
        law(Subject(kernel, plan, ExactMap(plan, {}), {}, kernel.dtypes, ledger, 0))
    return [str(result) for result in ledger.results() if result.verdict != "consistent"]


def matrix(*rows: str) -> dict[str, object]:
    return {"matrix": [row.split() for row in rows]}


FIVE_RATES = {"blocks": [{"rate": f"-{n}"} for n in range(1, 6)]}
SEVEN_PLANES = {"blocks": [{"frequency": str(n), "rate": f"-1/{n}"} for n in range(1, 8)]}


@pytest.mark.parametrize(
    ("document", "target"),
    [("rope:dim=10", "torch"), ("rope:dim=14", "torch"), ("retnet:dim=2,heads=5", "torch"),
     ("retnet:dim=2,heads=7", "numpy"), (FIVE_RATES, "numpy"), (SEVEN_PLANES, "torch")],
)  # fmt: skip
def test_tables_are_told_from_what_carries_x_whatever_their_size(
    document: object, target: str
) -> None:
    """Five heads, or five blocks of one kind, are as many as rows of the batch that is tried."""
    assert refuted(check_precision, document, target) == []


@pytest.mark.parametrize("spec", ["rope:dim=4", "rope:dim=10", "rope:dim=14"])
def test_a_product_that_is_too_wide_is_found_at_every_size(spec: str) -> None:
    assert any(
        "transform_query of float32 computes mul in float64" in line
        for line in refuted(check_precision, spec, "torch", "x.to(compute)", "x.to(torch.float64)")
    )


@pytest.mark.parametrize(
    "document",
    [matrix("1/10 -1", "1 1/10"), matrix("30"),
     {**matrix("-1/2"), "domain": {"causal": False}}],
    ids=["growing rotation", "growth", "decay of both signs"],
)  # fmt: skip
def test_growth_leaves_the_range_and_is_right_all_the_same(document: object) -> None:
    """e^{a·lag} is infinite at lags of 400000, and so is its gradient."""
    assert refuted(check_gradients, document, "torch") == []


def test_a_gradient_that_is_no_number_is_still_found() -> None:
    """Without the clamp, infinity times zero far before the query."""
    lines = refuted(check_gradients, matrix("-1/2"), "torch", "lag.clamp(min=0.0)", "lag")
    assert any("gradients of decay far apart are not finite" in line for line in lines)


@pytest.mark.parametrize(
    "document",
    [matrix("0 -10^30", "10^30 0"), matrix("-10^10 1", "0 -1/10^10"), matrix("-300")],
    ids=["fast", "stiff", "steep"],
)
def test_gradients_are_measured_in_the_unit_of_the_generator(document: object) -> None:
    assert refuted(check_gradients, document, "torch") == []


def test_products_of_operators_are_compared_where_they_stay_in_range() -> None:
    """Both factors of A(85)·A(-84) are finite, and the terms of their product are not."""
    assert refuted(check_operator, matrix("-4 3", "3 5"), "numpy") == []


def test_a_wrong_gradient_of_a_fast_rotation_is_found() -> None:
    lines = refuted(
        check_gradients,
        matrix("0 -10^6", "10^6 0"),
        "torch",
        "reference).unsq",
        "reference).detach().unsq",
    )
    assert any("gradient" in line for line in lines)


CANCELLING = {"a": 2.054054054054054, "b": 2.108108108108108, "c": 4.324324324324325}
PARAMETERS = dict.fromkeys(CANCELLING, "positive")


@pytest.mark.parametrize(
    "document",
    [{"blocks": [{"rate": "a + b - c"}]}, {"blocks": [{"frequency": "a/c + b/c - 1"}]},
     matrix("a+b-c 1", "-1 a+b-c"), matrix("0 c-a-b", "a+b-c 0")],
    ids=["rate", "frequency", "diagonal", "off the diagonal"],
)  # fmt: skip
def test_parameters_that_cancel_lose_digits_of_their_terms(document: dict[str, object]) -> None:
    """What rounding loses is relative to a, b and c, not to what is left of them."""
    encoding = from_document({**document, "parameters": PARAMETERS})
    text = emit(plan_kernel(encoding), "numpy", command="x", certificate_digest="sha256:0").text
    for right, source in (
        (True, text),
        (False, re.sub(r"(\bb\b)(?= [-+*/])", r"(\1 + 1e-9)", text)),
    ):
        found = cross_check(
            compile_kernel(source), encoding, parameters=CANCELLING, dtypes=("float64",)
        )
        assert (found.failure_lines() == []) is right


@pytest.mark.parametrize("target", ["numpy", "torch"])
def test_heads_with_rotations_of_their_own_have_no_tables_for_other_packages(target: str) -> None:
    """Those know one table for all heads; their position_ids are (batch, n), not (batch, 1, n)."""
    document = {"blocks": [{"frequency": "w", "repeat": 2}], "heads": {"w": ["1", "2"]}}
    plan = plan_kernel(from_document(document))
    text = emit(plan, target, command="x", certificate_digest="sha256:0").text
    assert "def rotary_table" in text
    assert "cos_sin" not in text
    assert "Tables" not in text
    found = cross_check(compile_kernel(text, target), plan, dtypes=("float64", "float32"))
    assert found.failure_lines() == []
