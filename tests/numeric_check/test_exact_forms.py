"""The recurrent and the chunkwise form on exact elements: proved, and refuted when changed."""

from __future__ import annotations

import pytest

from numeric_check import compile_kernel, prove_text
from numeric_check.kernels.edited_text import undecided_edits
from numeric_check.text_proof.exact_forms import CASES
from numeric_check.text_proof.prove import TextProof
from symbolic_pe import plan_kernel, read_specification
from symbolic_pe.emit.source import EmittedKernel, emit
from tests.emit.by_hand import ENCODINGS

SPECS = ["decay:dim=3", "lightning:dim=2,heads=3", "xpos:dim=4", "retnet:dim=2,heads=2",
         "mamba-3:dim=4,rotary_dim=2", "jordan-rope:dim=4"]  # fmt: skip
BY_HAND = ["different-heads", "polynomial", "long-chain", "menagerie", "dense", "dense-heads"]


def printed(spec: str, target: str) -> tuple[EmittedKernel, object]:
    encoding = ENCODINGS[spec]() if spec in ENCODINGS else read_specification(spec)
    plan = plan_kernel(encoding)
    return emit(plan, target, command="x", certificate_digest="sha256:0"), plan


def decide(spec: str, target: str, old: str = "", new: str = "") -> TextProof:
    kernel, plan = printed(spec, target)
    assert old in kernel.text, old
    return prove_text(compile_kernel(kernel.text.replace(old, new), target), plan)


@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize("spec", [*SPECS, *BY_HAND])
def test_both_forms_are_proved(spec: str, target: str) -> None:
    found = decide(spec, target)
    assert found.verdict == "proved", found.reason
    assert "recurrent_step" in found.executed
    assert "chunkwise is decided for" in found.reason


@pytest.mark.parametrize("spec", ["rope:dim=8", "alibi:dim=2,heads=2", "nope:dim=4"])
def test_rotations_and_biases_have_no_such_forms(spec: str) -> None:
    kernel, plan = printed(spec, "numpy")
    assert "def recurrent_step" not in kernel.text
    found = prove_text(compile_kernel(kernel), plan)
    assert "recurrent_step" not in found.executed
    assert "chunkwise is decided" not in found.reason


ADDED = "kept + np.asarray(value, compute)[..., None] * key"
KEPT = "_transform(state, -step, 0.0, -1)"
STEP = [
    (ADDED, ADDED.replace("+", "-")),
    # the decay after the addition, which decays the newest key too
    (f"kept = {KEPT}\n    state = {ADDED}",
     f"kept = state\n    state = {ADDED}\n    state = {KEPT}"),
    # the wrong sign of the lag, and the transpose of the state update
    (KEPT, "_transform(state, step, 0.0, -1)"),
    (KEPT, "_transform(state, step, 0.0, 1)"),
    ("(state * query).sum(axis=-1)", "(state * key).sum(axis=-1)"),
    ("return (state * query)", "return (kept * query)"),
]  # fmt: skip
CHUNKS = [
    # the state one chunk late, carried over the wrong lag, added without the chunk, or not at all
    ("        place = end\n", ""),
    ("_transform(state, place, end, -1)", "_transform(state, end, place, -1)"),
    ("_transform(keys, times, end, -1)", "_transform(keys, times, place, -1)"),
    ("_transform(queries, times, place, 1)", "_transform(queries, times, end, 1)"),
    ("        state = kept + np.swapaxes(values, -1, -2) @ early", "        state = kept"),
    ("outputs.append(read + _within(", "outputs.append(_within("),
]
WITHIN = [
    ("_transform(queries[1::2], times[1::2]", "_transform(queries[0::2], times[0::2]"),
    ("(np.zeros_like(rows), rows)]", "(rows, np.zeros_like(rows))]"),
    ("output = (query * key).sum(axis=-1)[..., None] * value", "output = 0 * value"),
    ("@ values[0::2]", "@ values[1::2]"),
]
MASK = [
    ("return np.tril(scores) @ value", "return scores @ value"),
    ("factor = np.exp(", "factor = np.exp(-"),
    ("_transform(key, position, position[..., :1], 0)", "_transform(key, position, 0.0, 0)"),
    ("scores = factor * (query", "scores = (query"),
]


@pytest.mark.parametrize(("old", "new"), [*STEP, *CHUNKS, *WITHIN])
def test_changed_texts_are_refuted(old: str, new: str) -> None:
    """Chains that turn and decay: a transposed map shows, and so does a wrong lag."""
    found = decide("jordan-rope:dim=4", "numpy", old, new)
    assert found.verdict == "refuted"
    assert ("recurrent_step" if (old, new) in STEP else "chunkwise") in found.reason


@pytest.mark.parametrize(("old", "new"), [*MASK, *CHUNKS])
def test_changed_texts_with_a_mask_are_refuted(old: str, new: str) -> None:
    found = decide("retnet:dim=2,heads=2", "numpy", old, new)
    assert found.verdict == "refuted", found.reason
    assert "chunkwise" in found.reason


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("_move(state, -step, 0.0, -1)", "_move(state, -step, 0.0, 1)"),
        ("_move(state, -step, 0.0, -1)", "_transform(state, -step, 0.0, -1)"),
        ("query, key = _transform(query, 0.0, 0.0, 1), _transform(key, 0.0, 0.0, -1)",
         "query, key = _transform(query, 0.0, 0.0, -1), _transform(key, 0.0, 0.0, 1)"),
    ],
)  # fmt: skip
def test_changed_texts_with_a_basis_are_refuted(old: str, new: str) -> None:
    assert decide("dense", "numpy", old, new).verdict == "refuted"


def test_the_reference_inside_a_chunk_is_between_both() -> None:
    """In exact arithmetic any other one cancels, and A may overflow on the way."""
    old, new = "place = times[1::2, ..., :1]", "place = 0.0 * times[1::2, ..., :1]"
    found = decide("jordan-rope:dim=4", "numpy", old, new)
    assert found.verdict == "refuted"
    assert "may be negative" in found.reason


def test_torch_texts_are_refuted_as_well() -> None:
    old, new = "state = kept + _product(values.transpose(-1, -2), early)", "state = kept"
    assert decide("xpos:dim=4", "torch", old, new).verdict == "refuted"


OTHER = ("_transform(", "_carried(")
"""Another name for the map: such a text moves vectors in a way that only `exact_forms` executes."""


def test_texts_that_move_vectors_in_another_way_are_executed_for_some_sizes() -> None:
    found = decide("decay:dim=4", "numpy", *OTHER)
    assert "recurrent_step" in found.executed
    assert "chunkwise" not in found.executed
    assert "chunkwise is decided for 4 positions in chunks of 4" in found.reason


def test_sizes_that_are_not_executed_are_not_claimed() -> None:
    """Beyond the sizes of `CASES` nothing is said about chunks, and a step is the last to go."""
    found = decide(f"decay:dim={2 * max(CASES)}", "numpy", *OTHER)
    assert found.verdict == "proved"
    assert "recurrent_step" in found.executed
    assert "chunkwise is decided" not in found.reason
    found = decide("decay:dim=129", "numpy", *OTHER)
    assert found.verdict == "proved"
    assert "recurrent_step" not in found.executed


@pytest.mark.parametrize(("old", "new"), [STEP[2], CHUNKS[1], MASK[0]])
def test_the_second_route_refutes_too(old: str, new: str) -> None:
    kernel, plan = printed("retnet:dim=2,heads=2", "numpy")
    assert old in kernel.text
    text = kernel.text.replace(old, new).replace(*OTHER)
    assert prove_text(compile_kernel(text, "numpy"), plan).verdict == "refuted"


def test_an_edited_chunkwise_stays_undecided_and_an_edited_step_does_not() -> None:
    """What is executed for some sizes says nothing about an edit that depends on them."""
    kernel, _ = printed("xpos:dim=4", "numpy")
    executed = decide("xpos:dim=4", "numpy").executed
    swapped = kernel.text.replace("return (state * query)", "return (query * state)")
    assert swapped != kernel.text
    assert undecided_edits(swapped, kernel.text, executed) == []
    for old, new in (
        ("2**power for", "1 + power for"),
        ("state = kept + np.swapaxes(values, -1, -2) @ early",
         "state = np.swapaxes(values, -1, -2) @ early + kept"),
    ):  # fmt: skip
        edited = kernel.text.replace(old, new)
        assert edited != kernel.text
        assert decide("xpos:dim=4", "numpy", old, new).verdict == "proved"
        assert undecided_edits(edited, kernel.text, executed)
