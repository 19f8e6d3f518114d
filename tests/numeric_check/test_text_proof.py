"""Emitted NumPy texts executed on exact elements: proved as they are, refuted when changed."""

from __future__ import annotations

import pytest

from numeric_check import compile_kernel, prove_text
from numeric_check.text_proof.exact_element import BranchOnValue, Exact, LeavesTheRing
from numeric_check.text_proof.prove import TextProof
from symbolic_pe import from_document, plan_kernel, read_specification
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.emit.source import emit

PARTIAL = "rope:dim=12,rotary_dim=8"
HALF = "rope:dim=8,layout=half"
SPECS = [
    "nope:dim=4",
    "rope:dim=8",
    "rope:dim=8,layout=half",
    "rope:dim=12,rotary_dim=8",
    "grape-m:dim=8",
    "grape-m:a=1 2 0 1,b=0 1 1 0",
    "decay:dim=3",
    "lightning:dim=2,heads=3",
    "xpos:dim=8",
    "retnet:dim=4,heads=3",
    "mamba-3:dim=6,rotary_dim=4",
    "alibi:dim=2,heads=3",
    "grape-a:dim=2,heads=2",
    "jordan-rope:dim=8",
    "jordan-rope:dim=12,order=3",
]
HIDDEN = {
    "matrix": [
        ["1", "1", "1", "0"],
        ["-2", "-1", "0", "-1"],
        ["0", "0", "-1", "-1"],
        ["0", "0", "2", "1"],
    ]
}


def prepared(spec: str) -> tuple[KernelPlan, str]:
    plan = plan_kernel(read_specification(spec))
    return plan, emit(plan, "numpy", command="x", certificate_digest="sha256:0").text


def decide(plan: KernelPlan, text: str) -> TextProof:
    return prove_text(compile_kernel(text, "numpy"), plan)


@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize("spec", SPECS)
def test_every_text_of_the_catalogue_is_proved(spec: str, target: str) -> None:
    plan = plan_kernel(read_specification(spec))
    text = emit(plan, target, command="x", certificate_digest="sha256:0")
    found = prove_text(compile_kernel(text), plan)
    assert found.verdict == "proved", found.reason


@pytest.mark.parametrize(
    ("spec", "old", "new"),
    [
        (PARTIAL, "cosine * first - sine", "cosine * first + sine"),
        ("rope:dim=8", "angle = u * THETA", "angle = -u * THETA"),
        ("rope:dim=8", "10000.0 **", "10000.0001 **"),
        ("rope:dim=8", "(position - reference)", "(position + reference)"),
        ("rope:dim=8", "torch.complex(cosine, sine)", "torch.complex(cosine, -sine)"),
        ("rope:dim=8", "_planes(x.to(compute)) * table", "_planes(x.to(compute))"),
        ("rope:dim=8", "cosine * first - sine * second", "cosine * first + sine * second"),
        ("rope:dim=8", "torch.mul(_planes(x), table", "torch.mul(table, table"),
        (HALF, "[[-1.0], [1.0]]", "[[1.0], [-1.0]]"),
        (HALF, "halves * cosine, halves.flip(-2)", "halves * cosine, halves"),
        (HALF, "swapped, signed = halves.flip(-2)", "swapped, signed = halves"),
        (HALF, "addcmul_(swapped, signed)", "addcmul_(swapped, cosine)"),
    ],
)
def test_changed_torch_texts_are_refuted(spec: str, old: str, new: str) -> None:
    plan = plan_kernel(read_specification(spec))
    text = emit(plan, "torch", command="x", certificate_digest="sha256:0").text
    assert old in text
    found = prove_text(compile_kernel(text.replace(old, new), "torch"), plan)
    assert found.verdict == "refuted", found.reason


@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize("spec", ["rope:dim=8", HALF, "grape-m:dim=8", "rope:dim=2"])
def test_what_writes_into_given_memory_is_executed(spec: str, target: str) -> None:
    plan = plan_kernel(read_specification(spec))
    text = emit(plan, target, command="x", certificate_digest="sha256:0")
    found = prove_text(compile_kernel(text), plan, operator=True)
    assert {"rotary_table", "turn", "turn_into", "operator"} <= found.executed


def test_in_place_is_decided_too() -> None:
    """What is written before it is read again shows only when `out` is x."""
    plan, text = prepared(HALF)
    lines = [
        "    swapped = halves[..., ::-1, :] * sine",
        "    np.multiply(halves, cosine, out=turned)",
    ]
    assert "\n".join(lines) in text
    found = decide(plan, text.replace("\n".join(lines), "\n".join(lines[::-1])))
    assert found.verdict == "refuted"
    assert "in place" in found.reason


def test_a_hidden_defective_pair_with_its_basis_is_proved() -> None:
    plan = plan_kernel(from_document(HIDDEN))
    text = emit(plan, "numpy", command="x", certificate_digest="sha256:0").text
    assert decide(plan, text).verdict == "proved"


CHANGES = [
    (PARTIAL, "cosine * first - sine", "cosine * first + sine"),
    ("rope:dim=8", "angle = u * THETA", "angle = -u * THETA"),
    ("rope:dim=8", "10000.0 **", "10000.0001 **"),
    (PARTIAL, "0:8:2], wide[..., 1:8:2]", ":4], wide[..., 4:8]"),
    ("rope:dim=8", "(cosine, sine), axis=-1)", "(cosine, -sine), axis=-1)"),
    ("rope:dim=8", "out=out.view", "out=x.view"),
    (HALF, "turned += swapped", "turned -= swapped"),
    (HALF, "turned += halves[..., ::-1, :] * sine", "turned += halves * sine"),
    ("rope:dim=8", "np.float64) - reference", "np.float64) - 2 * reference"),
    ("rope:dim=8", "np.float64) - reference", "np.float64)"),
    ("xpos:dim=4", "side * RATE * u", "RATE * u"),
    ("xpos:dim=4", "side * RATE * u", "-side * RATE * u"),
    ("jordan-rope:dim=8", "weight / k", "weight / (k + 1)"),
    ("jordan-rope:dim=12,order=3", "weight / k", "weight"),
    ("alibi:dim=2,heads=3", "-SLOPE * u)", "SLOPE * u)"),
    (
        "decay:dim=3",
        "return _transform(x, position, reference, -1)",
        "return _transform(x, position, reference, 1)",
    ),
    (PARTIAL, "1:8:2] = sine * first", "1:8:2] = sine * first * first"),
    (PARTIAL, "cosine * first - sine", "cosine * first + 1 - sine"),
]


@pytest.mark.parametrize(("spec", "old", "new"), CHANGES, ids=[c[2][:40] for c in CHANGES])
def test_negative_twin_a_change_of_meaning_is_refuted(spec: str, old: str, new: str) -> None:
    plan, text = prepared(spec)
    assert old in text
    found = decide(plan, text.replace(old, new))
    assert found.verdict == "refuted", found.reason
    assert any(word in found.reason for word in ("row", "channel", "head")), found.reason


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("angle = u * THETA", "angle = THETA * u"),
        ("cosine * first - sine * second", "-(sine * second) + first * cosine"),
        ("    wide = x.astype(compute)\n", "    wide = x.astype(compute) * 1.0  # a comment\n"),
    ],
)
def test_harmless_rewrites_stay_proved(old: str, new: str) -> None:
    plan, text = prepared(PARTIAL)
    assert old in text
    assert decide(plan, text.replace(old, new)).verdict == "proved"


def test_a_branch_on_positions_is_not_proved_whatever_it_does() -> None:
    plan, text = prepared("rope:dim=8")
    old = "    angle = u * THETA\n"
    hidden = old + "    if np.max(u) > 5000.0:\n        angle = angle * 1.5\n"
    found = decide(plan, text.replace(old, hidden))
    assert found.verdict == "undecided"
    assert "compares values" in found.reason


def test_a_text_that_reads_another_head_is_refuted() -> None:
    plan, text = prepared("retnet:dim=4,heads=3")
    old = "    wide = x.astype(compute)\n"
    assert old in text
    found = decide(plan, text.replace(old, "    wide = x[..., ::-1, :, :].astype(compute)\n"))
    assert found.verdict == "refuted"
    assert "another head" in found.reason


def test_exact_elements() -> None:
    t = Exact.position("t")
    assert str(((t * 0.5).cos() * 2 - 1).function) == "2*cos(1/2*t) - 1"
    assert (0.1 * t - t * 0.1).function.is_zero_form()
    assert not (0.1 * t - t / 10).function.vanishes(), "0.1 is the dyadic number it is"
    for bad in (lambda: t.cos().exp(), lambda: 1 / t, lambda: t**0.5, lambda: float(t)):
        with pytest.raises(LeavesTheRing):
            bad()
    for asking in (lambda: t > 0, lambda: t == 0, lambda: bool(t)):
        with pytest.raises(BranchOnValue):
            asking()
    with pytest.raises(LeavesTheRing):
        Exact.of(float("nan"))
