"""Texts with run-time parameters: proved for all parameters, refuted at a point when changed."""

from __future__ import annotations

import re

import pytest

from numeric_check import compile_kernel, prove_text
from numeric_check.kernels.kernel import Kernel
from numeric_check.text_proof.prove import TextProof
from symbolic_pe import from_document, plan_kernel, read_specification
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.emit.source import emit
from tests.emit.by_hand import ENCODINGS

DOUBLED = "    u = np.where(u > 40.0, 2.0 * u, u)\n    square = u"
ASKING = "    if np.max(u) > 9.0:\n        u = u * 2\n    square = u"
LEARNED = ["learned-rates", "learned-ladder", "learned-heads", "learned-slopes"]
BRANCHING = ["oscillator", "skew", "oscillators"]


def planned(name: str) -> KernelPlan:
    return plan_kernel(ENCODINGS[name]())


def text_of(plan: KernelPlan, target: str = "numpy") -> str:
    return emit(plan, target, command="x", certificate_digest="sha256:0").text


def decided(plan: KernelPlan, text: str, target: str = "numpy") -> TextProof:
    return prove_text(compile_kernel(text, target), plan, operator=True)


def expected_of(kernel: Kernel) -> set[str]:
    """The functions of a text that are decided for all parameters."""
    beside = {"bias", "make_score_mod"} & set(kernel.offered)
    return {"transform_query", "transform_key", "operator", *beside, *kernel.module_classes}


def from_matrix(rows: list[list[str]], **parameters: str) -> KernelPlan:
    document = {"parameters": parameters, "generator": {"matrix": rows}}
    return plan_kernel(from_document(document))


@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize("name", LEARNED)
def test_learned_constants_are_proved_for_all_parameters(name: str, target: str) -> None:
    plan = planned(name)
    kernel = compile_kernel(text_of(plan, target), target)
    found = prove_text(kernel, plan, operator=True)
    assert found.verdict == "proved", found.reason
    assert expected_of(kernel) <= found.executed
    assert found.series == ""


@pytest.mark.parametrize(
    ("name", "target"), [(n, "numpy") for n in BRANCHING] + [("skew", "torch")]
)
def test_branching_blocks_are_proved_and_their_series_bounded(name: str, target: str) -> None:
    plan = planned(name)
    kernel = compile_kernel(text_of(plan, target), target)
    found = prove_text(kernel, plan, operator=True)
    assert found.verdict == "proved", found.reason
    assert expected_of(kernel) <= found.executed
    assert "where |u^2 D| <= 1" in found.series
    even, odd = (float(x) for x in re.findall(r"within ([0-9.e-]+[0-9])", found.series))
    assert 1 / 2432902008176640000 <= even <= 1.1 / 2432902008176640000, "the tail begins at 1/20!"
    assert 1 / 51090942171709440000 <= odd <= 1.1 / 51090942171709440000, "the tail begins at 1/21!"


CHANGES = [
    ("oscillator", "lower = -(w**2)", "lower = -(w**3)", "generator, row 1, column 0"),
    ("oscillator", "half_difference = w * z", "half_difference = -w * z", "generator, row 0"),
    ("oscillator", "centre = -w * z", "centre = -w * w", "generator, row 0, column 0"),
    ("oscillator", "w**2 * (z + 1) * (z - 1)", "w**2 * (z + 1) * (z - 2)", "row 0, column 0"),
    ("oscillator", "w**2 * (z + 1)", "w**2 * 1.00000001 * (z + 1)", "row 0, column 0"),
    ("oscillator", "if side > 0:", "if side < 0:", "generator, row 0, column 1"),
    ("oscillator", "(first + second) / 2", "(first - second) / 2", "^2 > 1"),
    ("oscillator", "(first - second) / (2 * rate)", "(first - second) / rate", "^2 > 1"),
    ("oscillator", "np.exp((centre + rate)", "np.exp((centre - rate)", "^2 > 1"),
    ("oscillator", "np.cos(frequency * u), even", "np.cos(2.0 * frequency * u), even", "^2 < -1"),
    ("oscillator", "u) / frequency, u", "u) * frequency, u", "^2 < -1"),
    ("oscillator", "range(9, 0, -1)", "range(5, 0, -1)", "-1 <= "),
    ("oscillator", "((2 * k) * (2 * k + 1))", "((2 * k) * (2 * k + 2))", "-1 <= "),
    ("oscillator", "np.where(growing, 0.0, u)", "np.where(growing, 0.0, 2.0 * u)", "generator"),
    ("oscillator", "    square = u", DOUBLED, "t > 40"),
    ("oscillator", "position, np.float64) - reference", "position, np.float64)", "reference"),
    ("oscillator", "left * first + upper", "left * first + first * upper", "not linear"),
    ("oscillators", "(w - z / 3)", "(w - z / 4)", "row 4, column 4"),
    ("oscillators", "0:6:2], wide[..., 1:6:2]", "1:6:2], wide[..., 0:6:2]", "row"),
    ("learned-heads", "np.stack([-a, -b, -b, -a])", "np.stack([-a, -b, -a, -b])", "head 1"),
    ("learned-heads", "[b, a, a * b, b]", "[b, a, a + b, b]", "head 1: generator, row 0, column 1"),
    ("learned-rates", "1.4142135623730951", "1.41421356237", "generator, row 6, column 6"),
    ("learned-rates", "(side * lambda_ * u)", "(side * w * u)", "generator, row 4, column 5"),
    ("learned-slopes", "-m * w * SLOPE * u)", "-m * m * SLOPE * u)", "added coordinates"),
    ("learned-slopes", "-m * w * SLOPE * lag", "-m * m * SLOPE * lag", "bias, head 0"),
    ("learned-ladder", "theta = w *", "theta = w * w *", "generator, row 0, column 1"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "old", "new", "where"), CHANGES, ids=[f"{c[0]}: {c[2][:40]}" for c in CHANGES]
)
def test_negative_twin_a_change_of_meaning_is_refuted_at_a_point(
    name: str, old: str, new: str, where: str
) -> None:
    plan = planned(name)
    text = text_of(plan)
    assert old in text
    found = decided(plan, text.replace(old, new))
    assert found.verdict == "refuted", found.reason
    assert where in found.reason, found.reason
    assert where == "not linear" or "expected" in found.reason


HARMLESS = [
    ("oscillator", "lower = -(w**2)", "lower = -w * w  # the stiffness"),
    ("oscillator", "w**2 * (z + 1) * (z - 1)", "w * w * (z * z - 1)"),
    ("oscillator", "left * first + upper * second", "upper * second + left * first"),
    ("oscillator", "square > 1.0, square < -1.0", "square > 0.5, square < -0.25"),
    ("oscillator", "range(9, 0, -1)", "range(12, 0, -1)"),
    ("learned-heads", "np.stack([-a, -b, -b, -a])", "-np.stack([a, b, b, a])"),
    ("learned-slopes", "return -m * w * SLOPE * lag", "return -(SLOPE * lag * w) * m"),
]


@pytest.mark.parametrize(("name", "old", "new"), HARMLESS, ids=[c[2][:40] for c in HARMLESS])
def test_harmless_rewrites_stay_proved(name: str, old: str, new: str) -> None:
    plan = planned(name)
    text = text_of(plan)
    assert old in text
    found = decided(plan, text.replace(old, new))
    assert found.verdict == "proved", found.reason


@pytest.mark.parametrize(
    ("old", "new", "by"),
    [("square > 1.0", "square > 3.0", 2e-14), ("range(9, 0, -1)", "range(7, 0, -1)", 4e-14)],
)
def test_series_that_miss_their_functions_are_refuted_with_a_point(
    old: str, new: str, by: float
) -> None:
    """By more than the unit roundoff; nearer ones are taken for their functions."""
    plan = planned("oscillator")
    found = decided(plan, text_of(plan).replace(old, new))
    assert found.verdict == "refuted"
    assert "at t = " in found.reason
    apart = re.search(r"by (\S+); expected 1.1e-16", found.reason)
    assert apart is not None
    assert by < float(apart[1]) < 4 * by


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("np.where(turning, -discriminant", "np.where(turning, discriminant", "may be negative"),
        (
            "    square = u",
            "    if np.max(u) > 9.0:\n        u = u * 2\n    square = u",
            "compares",
        ),
        ("lower = -(w**2)", "lower = -(w**2) * z / z", "divides by z, which may be 0"),
    ],
)
def test_what_is_not_decided_is_undecided(old: str, new: str, why: str) -> None:
    plan = planned("oscillator")
    text = text_of(plan)
    assert old in text
    found = decided(plan, text.replace(old, new))
    assert found.verdict == "undecided"
    assert why in found.reason


@pytest.mark.parametrize(
    ("rows", "parameters"),
    [
        ([["-1/10", "w"], ["-w", "-3/10"]], {"w": "real"}),
        ([["a", "b"], ["c", "d"]], {"a": "real", "b": "real", "c": "real", "d": "real"}),
        ([["w", "1"], ["0", "w"]], {"w": "real"}),
        ([["0", "w"], ["w", "0"]], {"w": "positive"}),
        ([["-sqrt(w)", "0"], ["0", "-exp(w)"]], {"w": "positive"}),
        ([["0", "sqrt(2)*w"], ["-w/3", "1/(1+w^2)"]], {"w": "real"}),
        ([["0", "-log(w)"], ["log(w)", "0"]], {"w": "positive"}),
        ([["-w^(1/3)", "0"], ["0", "-exp(-w/10)"]], {"w": "positive"}),
    ],
)
def test_functions_of_parameters(rows: list[list[str]], parameters: dict[str, str]) -> None:
    plan = from_matrix(rows, **parameters)
    found = decided(plan, text_of(plan))
    assert found.verdict == "proved", found.reason


def test_a_discriminant_with_constants_of_its_own_is_said() -> None:
    """0.0025 is not the square of 0.05 in binary64, only near it."""
    apart = from_matrix([["0", "1"], ["-w/3", "-1/10"]], w="real")
    assert "rounded apart from those of X" in decided(apart, text_of(apart)).reason
    exact = from_matrix([["0", "1"], ["-w/3", "-1/8"]], w="real")
    assert "rounded apart" not in decided(exact, text_of(exact)).reason


def test_parameters_may_have_the_names_of_positions() -> None:
    plan = from_matrix([["-s0", "t0"], ["-t0", "-c"]], s0="real", t0="real", c="real")
    found = decided(plan, text_of(plan))
    assert found.verdict == "proved", found.reason
    text = text_of(plan).replace("0.5 * (c_ - s0)", "0.5 * (c_ + s0)")
    assert decided(plan, text).verdict == "refuted"


def test_a_branch_of_a_text_without_parameters_is_kept_too() -> None:
    """Both branches are decided where a text asks element by element."""
    plan = plan_kernel(read_specification("rope:dim=12,rotary_dim=8"))
    text = text_of(plan)
    old = "    angle = u * THETA\n"
    assert old in text
    far = old + "    angle = np.where(u > 5000.0, 1.5 * angle, angle)\n"
    found = decided(plan, text.replace(old, far))
    assert found.verdict == "refuted"
    assert "t = 9000" in found.reason
    same = old + "    angle = np.where(u > 5000.0, u * THETA, angle)\n"
    assert decided(plan, text.replace(old, same)).verdict == "proved"


def test_a_text_that_asks_for_one_answer_is_undecided() -> None:
    """`if` of a symbolic value has no branch of its own for each cell."""
    plan = planned("oscillator")
    text = text_of(plan)
    assert "    square = u" in text
    found = decided(plan, text.replace("    square = u", ASKING))
    assert found.verdict == "undecided", found.reason
