"""bias, decay, rotate, score_mod, module and operator of emitted texts, on exact elements."""

from __future__ import annotations

import pytest

from numeric_check import compile_kernel, prove_text
from numeric_check.text_proof.prove import TextProof
from symbolic_pe import plan_kernel, read_specification
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.emit.source import emit
from tests.emit.by_hand import ENCODINGS

PUBLIC = {
    "retnet:dim=4,heads=3": {"decay", "rotate"},
    "decay:dim=3": {"decay", "rotate"},
    "alibi:dim=2,heads=3": {"bias"},
    "rope:dim=8": {"cos_sin", "turn_into"},
    "rope:dim=8,layout=half,rotary_dim=4": {"cos_sin"},
    "rope:dim=8,angles=turns": {"cos_sin", "turn_into"},
    "grape-a:dim=2,heads=2": {"bias"},
}
BY_HAND = ["uniform-damped", "sandwich", "sandwich-heads", "quadratic", "two-slopes", "dense"]


def planned(spec: str) -> KernelPlan:
    return plan_kernel(ENCODINGS[spec]() if spec in ENCODINGS else read_specification(spec))


def decided(plan: KernelPlan, target: str, old: str = "", new: str = "") -> TextProof:
    text = emit(plan, target, command="x", certificate_digest="sha256:0").text
    assert old in text
    edited = text.replace(old, new) if old else text
    return prove_text(compile_kernel(edited, target), plan, operator=True)


@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize("spec", [*PUBLIC, *BY_HAND])
def test_every_function_of_a_text_is_executed(spec: str, target: str) -> None:
    plan = planned(spec)
    kernel = compile_kernel(emit(plan, target, command="x", certificate_digest="sha256:0"))
    found = prove_text(kernel, plan, operator=True)
    assert found.verdict == "proved", found.reason
    assert found.executed == frozenset(kernel.offered)
    assert PUBLIC.get(spec, set()) <= found.executed
    assert "measured" not in found.reason


def test_what_was_not_executed_is_named() -> None:
    """`build` leaves the operator out, which costs d vectors."""
    plan = planned("retnet:dim=4,heads=3")
    kernel = compile_kernel(emit(plan, "torch", command="x", certificate_digest="sha256:0"))
    found = prove_text(kernel, plan)
    assert "operator" not in found.executed
    assert "; measured: operator)" in found.reason


RETNET, ALIBI, WAVES, SLOPES = (
    "retnet:dim=4,heads=3",
    "alibi:dim=2,heads=3",
    "sandwich-heads",
    "learned-slopes",
)
CHANGES = [
    (RETNET, "numpy", "lag >= 0, factor, 0.0", "lag > 0, factor, 0.0", "decay, head 0"),
    (RETNET, "numpy", "lag >= 0, factor, 0.0", "lag >= 0, factor, 1.0", "decay, head 0"),
    (RETNET, "numpy", "lag >= 0, factor, 0.0", "lag >= -3, factor, 0.0", "decay, head 0"),
    (RETNET, "numpy", "np.where(lag >= 0, factor, 0.0)", "factor", "decay, head 0"),
    (RETNET, "numpy", "np.maximum(lag, 0.0)", "np.maximum(lag, 1.0)", "the rate"),
    (RETNET, "numpy", "RATE * np.max", "1.0001 * RATE * np.max", "the rate"),
    (RETNET, "numpy", "return query - np", "return query + np", "decay, head 0, query 0, key 0"),
    (RETNET, "numpy", "position, 0.0, 0)", "position, 0.0, 1)", "rotate, head 0, output channel 0"),
    (RETNET, "numpy", "position, 0.0, 0)", "-position, 0.0, 0)", "rotate, head 0"),
    (RETNET, "torch", "lag >= 0, factor, 0.0", "lag < 0, factor, 0.0", "decay, head 0"),
    (RETNET, "torch", "position, 0.0, 0)", "position, 0.0, -1)", "rotate, head 0"),
    (RETNET, "torch", "transform_query(query, p", "transform_query(key, p", "forward, query"),
    (RETNET, "torch", "transform_key(key, p", "transform_query(key, p", "forward, key"),
    (RETNET, "torch", "(query, position, reference)", "(query, position)", "forward, query"),
    ("decay:dim=3", "array-api", "lag >= 0", "lag > 1", "the rate"),
    ("decay:dim=3", "array-api", "zeros_like(factor)", "ones_like(factor)", "decay, head 0"),
    (ALIBI, "torch", "query[query_index] - key", "query[query_index] + key", "score_mod, head 0"),
    (ALIBI, "torch", "query[query_index] - key[key_index]", "query[key_index] - key[query_index]",
     "score_mod, head 0, query 0, key 1"),
    (ALIBI, "torch", "slope[head]", "slope[0]", "score_mod, head 1"),
    (ALIBI, "torch", "return score + value", "return 2 * score + value", "depends on the input"),
    (ALIBI, "torch", "return score + value", "return score - value", "score_mod, head 0"),
    (ALIBI, "torch", "slope[head] * lag", "slope[head] * lag * (1 + batch)", "depends on"),
    (ALIBI, "torch", "slope[head] * lag", "slope[head] * lag + head * 0.01", "depends on"),
    (ALIBI, "torch", "slope[head] * lag", "slope[head] * lag + key_index", "depends on"),
    (ALIBI, "torch", "-SLOPE.to(lag.device) * lag", "-SLOPE.to(lag.device) * lag * 1.0001", "bias"),
    (ALIBI, "numpy", "return -SLOPE * lag", "return SLOPE * lag", "bias, head 0, query 0, key 0"),
    (ALIBI, "numpy", "return query - np", "return query - 2 * np", "bias, head 0"),
    (ALIBI, "numpy", "-SLOPE * u)", "-SLOPE * u * u)", "added coordinates"),
    (ALIBI, "torch", "(position - reference)", "(position + reference)", "added query coordinate"),
    (WAVES, "numpy", "return value", "return value * 1.001", "bias, head 0"),
    (WAVES, "torch", "torch.cos(bias_frequency", "torch.sin(bias_frequency", "score_mod, head 0"),
    (WAVES, "torch", "range(3)", "range(2)", "score_mod, head 0"),
    (SLOPES, "torch", "value = -m * w", "value = -w * w", "score_mod, head 0"),
    (SLOPES, "torch", "self.m, self.w, reference", "self.w, self.m, reference", "forward, query"),
    (SLOPES, "torch", "nn.Parameter(torch.tensor(m", "nn.Parameter(torch.tensor(w",
     "forward, query"),
    ("dense", "numpy", "return query @", "return -query @", "operator, head 0"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "target", "old", "new", "where"),
    CHANGES,
    ids=[f"{c[1]}: {c[3][:40]}" for c in CHANGES],
)
def test_negative_twin_a_change_of_meaning_is_refuted(
    spec: str, target: str, old: str, new: str, where: str
) -> None:
    found = decided(planned(spec), target, old, new)
    assert found.verdict == "refuted", found.reason
    assert where in found.reason
    assert any(word in found.reason for word in ("expected", "against", "depends on")), found.reason


@pytest.mark.parametrize(
    ("spec", "target", "old", "new", "name"),
    [
        (RETNET, "numpy", "lag >= 0, factor, 0.0)", "0 <= lag, factor, 0.0)  # causal", "decay"),
        (RETNET, "numpy", "np.where(lag >= 0, factor, 0.0)", "factor * np.where(lag >= 0, 1, 0)",
         "decay"),
        (RETNET, "torch", "clamp(min=0.0)", "clamp(min=-1.0)", "decay"),
        (RETNET, "torch", "position, 0.0, 0)", "1.0 * position, 0.0, 0)", "rotate"),
        (ALIBI, "torch", "return score + value.to(score.dtype)",
         "return value.to(score.dtype) + score", "make_score_mod"),
        (SLOPES, "torch", "value = -m * w", "value = -w * m", "make_score_mod"),
        (SLOPES, "torch", "    def forward(self", "    # both maps\n    def forward(self",
         "LearnedSlopes"),
    ],
)  # fmt: skip
def test_harmless_rewrites_stay_proved(
    spec: str, target: str, old: str, new: str, name: str
) -> None:
    found = decided(planned(spec), target, old, new)
    assert found.verdict == "proved", found.reason
    assert name in found.executed


@pytest.mark.parametrize(
    ("spec", "target", "old", "new", "name"),
    [
        (RETNET, "numpy", "return _transform(x, position, 0.0, 0)", "return nothing", "rotate"),
        (RETNET, "torch", "torch.where(lag >= 0, factor, 0.0)", "torch.triu(factor)", "decay"),
        (
            ALIBI,
            "torch",
            "return score + value.to",
            "return score + value.sum().to",
            "make_score_mod",
        ),
    ],
)
def test_what_does_not_run_on_exact_elements_is_measured(
    spec: str, target: str, old: str, new: str, name: str
) -> None:
    """The proof of the maps stands; the function is not among what was executed."""
    found = decided(planned(spec), target, old, new)
    assert found.verdict == "proved", found.reason
    assert name not in found.executed
    assert ("decay" in found.executed) is (name == "rotate"), "rotate is decided with decay's rate"
    assert name in found.reason.partition("; measured: ")[2]
