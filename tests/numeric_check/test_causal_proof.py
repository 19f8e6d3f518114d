"""Causal sums over the free map: proved for every dimension and parameter, refuted when changed."""

from __future__ import annotations

import pytest

from numeric_check import compile_kernel
from numeric_check.text_proof.causal_cases import CASES, Case, runs_of
from numeric_check.text_proof.causal_proof import CausalProof, decide_causal
from numeric_check.text_proof.exact_engine import ENGINES
from numeric_check.text_proof.exact_input import Refuted
from numeric_check.text_proof.free_flow import Form, Free, Lag, pairs, plus
from numeric_check.text_proof.free_symbols import never_negative
from numeric_check.text_proof.parametric_proof import Run
from numeric_check.text_proof.plain_maps import decide_plain_maps
from tests.numeric_check.test_exact_forms import decide, printed

BOTH = {"recurrent_step", "chunkwise"}
SPECS = ["learned-heads", "learned-rates", "oscillator", "oscillators", "long-jordan-rope",
         "menagerie-turns", "dense", "dense-heads", "decay:dim=200",
         "retnet:dim=2,heads=2"]  # fmt: skip


def causal(spec: str, target: str, old: str, new: str, cases: tuple[Case, ...]) -> CausalProof:
    """This decision alone."""
    kernel, plan = printed(spec, target)
    assert old in kernel.text, old
    compiled = compile_kernel(kernel.text.replace(old, new), target)
    engine = ENGINES[target]
    names = compiled.on_library(engine.library, engine.lift, engine.functions)
    run = Run.of(engine, names, plan)
    maps = () if plan.parameters else decide_plain_maps(run, compiled.text)
    return decide_causal(compiled, run, maps, cases)


@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize("spec", SPECS)
def test_both_forms_are_proved_whatever_the_map(spec: str, target: str) -> None:
    """Run-time parameters, bases, heads, long chains, many channels."""
    found = decide(spec, target)
    assert found.verdict == "proved", found.reason
    assert found.executed >= BOTH
    assert "runs of up to 64 positions" in found.reason


def test_texts_for_the_array_api_are_proved() -> None:
    assert decide("xpos:dim=4", "array-api").executed >= BOTH
    assert decide("decay:dim=4", "array-api").executed >= BOTH


SHAPES = [
    # by axes counted from the front, by the first axis in the place of `...`, by other ranks
    ("np.concatenate(outputs, axis=-2)", "np.concatenate(outputs, axis=0)"),
    ("key.ndim - 1 - position.ndim", "key.ndim - 2 - position.ndim"),
    ("if state is None", "if start is None"),
    ("if start is not None", "if state is not None"),
    ("[..., None, :]", "[:, None]"),
]
RUNS = [
    # longer and shorter runs than a chunk, runs in another order: all right sums
    ("chunk.bit_length() - 1", "chunk.bit_length() + 1"),
    ("chunk.bit_length() - 1", "1"),
    ("reversed(range(bits))", "range(bits)"),
    ("chunk=64", "chunk=63"),
]
SUMS = [
    ("times[1::2], place, 1, ", "times[1::2], place, -1, "),
    ("_transform(queries, times, place, 1, ", "_transform(queries, times, end, 1, "),
    ("_transform(state, -step, 0.0, -1, ", "_transform(state, step, 0.0, -1, "),
    ("place = times[1::2, ..., :1]", "place = times[0::2, ..., :1]"),
    ("count.bit_length() - 1", "count.bit_length() - 2"),
]


@pytest.mark.parametrize(("old", "new"), [*SHAPES, *RUNS])
def test_shapes_and_runs_are_part_of_the_proof(old: str, new: str) -> None:
    """`undecided` would do for a text that fails on a shape; what differs is refuted."""
    with pytest.raises((Refuted, AssertionError)):
        assert causal("xpos:dim=4", "numpy", old, new, CASES).executed >= BOTH


@pytest.mark.parametrize(("old", "new"), [SUMS[1], SUMS[2], SUMS[4]])
def test_changed_sums_with_parameters_are_refuted(old: str, new: str) -> None:
    found = decide("learned-rates", "numpy", old, new)
    assert found.verdict == "refuted", found.reason
    assert "over the lag" in found.reason


def test_a_map_that_is_used_the_wrong_way_is_not_decided() -> None:
    """Where A is symmetric it would be right: nothing is refuted here."""
    old, new = SUMS[0]
    assert causal("learned-rates", "numpy", old, new, CASES) == CausalProof()


def test_no_vector_is_moved_to_an_earlier_position() -> None:
    """Another reference inside a run gives the same sums, by lags at which A may overflow."""
    old, new = SUMS[3]
    found = decide("learned-rates", "numpy", old, new)
    assert found.verdict == "refuted"
    assert "over the lag" in found.reason
    assert "negative" in found.reason


def test_where_nothing_grows_the_reference_is_free() -> None:
    """K only turns: in `_within` positions are taken from any one of them."""
    old = printed("dense-heads", "numpy")[0].text.split("def _within")[1]
    new = old.replace("position[..., :1]", "position[..., -1:]")
    assert new.count("position[..., -1:]") == 2
    assert decide("dense-heads", "numpy", old, new).executed >= BOTH
    one = old.replace("position[..., :1]", "position[..., -1:]", 1)
    assert decide("dense-heads", "numpy", old, one).verdict == "refuted"


@pytest.mark.parametrize(
    ("form", "known"),
    [
        ((("t_0_3", 1), ("t_0_1", -1)), True),
        ((("t_0_1", 1), ("t_0_3", -1)), False),
        ((("t_0_1", 1), ("t_0_2", -2), ("t_0_3", 1)), False),
        ((("t_0_0", -1), ("t_0_1", 1), ("t_0_2", -1), ("t_0_11", 1)), True),
        ((("t_0_3", 1), ("t_1_1", -1)), False),
        ((("c_0", -1), ("t_0_0", 1)), True),
        ((("c_0", -1), ("t_1_0", 1)), False),
        ((("c", -1), ("t_1_0", 1)), True),
        ((("c_0", -1), ("c_1", 1)), False),
        ((("c", -1), ("c_1", 1)), False),
        ((("c", 1), ("t_0", -1)), False),
        ((("lag", 1),), True),
        ((("lag_0", -1),), False),
        ((("t_3", 1),), False),
        ((), True),
    ],
)
def test_a_linear_form_of_positions_in_order_is_never_negative(form: Form, known: bool) -> None:
    assert never_negative(form) is known


def test_other_parameters_are_not_handed_on() -> None:
    old = "_transform(queries, times, place, 1, lambda_, w, x_)"
    new = "_transform(queries, times, place, 1, w, lambda_, x_)"
    assert causal("learned-rates", "numpy", old, new, CASES) == CausalProof()


def test_the_decay_alone_has_no_rotation_to_be_wrong() -> None:
    """With B = I nothing is turned in a chunk, but the lag of e^{a lag} counts."""
    turned = "_transform(key, position, position[..., :1], 0)"
    other = "_transform(key, position, position, 0)"
    assert (
        "_transform"
        not in printed("decay:dim=2", "numpy")[0].text.split("def _within")[1].split("\n\n\n")[0]
    )
    assert decide("retnet:dim=2,heads=2", "numpy", turned, other).verdict == "refuted"
    assert decide("decay:dim=2", "numpy", "np.exp(RATE * lag)", "np.exp(-lag)").verdict == "refuted"


def test_both_branches_of_autocast_are_executed() -> None:
    old = (
        "    if not torch.amp.is_autocast_available(left.device.type):\n        return left @ right"
    )
    new = old.replace("left @ right", "left @ -right")
    assert decide("xpos:dim=4", "torch", old, new).verdict == "refuted"


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["jordan-rope:dim=4", "retnet:dim=2,heads=2", "learned-rates"])
def test_long_runs_are_decided_on_demand(spec: str) -> None:
    found = causal(spec, "numpy", "", "", (Case(256, 256),))
    assert found.executed >= BOTH
    assert "runs of up to 256 positions" in found.summary


def test_the_runs_make_up_the_sequence() -> None:
    for length in range(1, 70):
        for chunk in range(1, 20):
            for whole in (True, False):
                runs = runs_of(length, chunk, whole=whole)
                assert sum(runs) == length
                assert max(runs) <= chunk
    assert runs_of(11, 7, whole=False) == [4, 4, 2, 1]
    assert runs_of(11, 7, whole=True) == [7, 4]


# -- elements -----------------------------------------------------------------------------------


def test_components_that_do_not_belong_together_are_no_product() -> None:
    q = [Free.query(0, "q", c, plain=False) for c in range(2)]
    k = [Free.key(0, "k", c, plain=False) for c in range(2)]
    whole = pairs([q[0] * k[0] + q[1] * k[1]])
    assert whole is not None
    assert len(whole) == 1
    assert pairs([q[0] * k[0]]) is None
    assert pairs([q[0] * k[1] + q[1] * k[0]]) is None
    assert pairs([q[0] * k[0] + 2 * q[1] * k[1]]) is None
    assert pairs([q[0] * k[0] - q[0] * k[0]]) == {}
    assert pairs([k[0], k[1]]) == pairs([1 * k[0] + 0, k[1] - 0])
    assert pairs([k[1], k[0]]) is None


def test_linear_forms_cancel() -> None:
    t, s = Lag.position("t"), Lag.position("s")
    assert (t - s + s - t).form == ()
    assert (2 * t - s).form == (("s", -1), ("t", 2))
    assert plus((t - s).form, (s - t).form) == ()
