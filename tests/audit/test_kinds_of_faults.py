"""Every kind of fault that public reports describe is refuted, by the question that is about it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from numeric_check.audit import audit
from tests.audit import faulty_module as faulty
from tests.audit import maps as m

LAYOUTS = ("half", "interleaved")


def refuted(*arguments: Any, **options: Any) -> set[str]:
    report = audit(*arguments, **{"dimension": 8, **options})
    assert (report.exit_code == 1) == bool(report.refuted)
    for finding in report.refuted:
        assert finding.witness
    return {f.question for f in report.refuted}


@pytest.mark.parametrize(("tables", "rotation"), [LAYOUTS, LAYOUTS[::-1]])
@pytest.mark.parametrize("base", [10000.0, 100.0])
def test_tables_of_one_layout_in_the_rotation_of_another(
    tables: str, rotation: str, base: float
) -> None:
    f = m.mixed_tables(tables, rotation, base)
    assert {"relative", "group law", "generator"} <= refuted(f)
    detail = audit(f, dimension=8).of("relative").detail
    assert f"laid out for {tables}, but the rotation pairs the channels of {rotation}" in detail


@pytest.mark.parametrize("layout", LAYOUTS)
def test_keys_turned_the_other_way(layout: str) -> None:
    report = audit(m.rope(layout), key=m.rope(layout, sign=-1), dimension=8)
    assert report.of("relative").verdict == "refuted"
    assert "by -theta" in report.of("layout").detail


def test_query_and_key_of_different_layouts() -> None:
    assert "relative" in refuted(m.rope("half"), key=m.rope("interleaved"))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_exponent_divides_by_the_width_of_the_head(layout: str) -> None:
    f = m.partial(8, 16, layout)
    spec = f"rope:dim=16,rotary_dim=8,layout={layout}"
    report = audit(f, dimension=16, against=spec)
    assert {x.question for x in report.refuted} >= {"against"}
    assert "which are 10000^(-2j/16), divided by the width" in report.summary
    assert report.of("relative").verdict == "consistent"


@pytest.mark.parametrize("turning", [4, 8, 16])
def test_how_many_channels_turn(turning: int) -> None:
    report = audit(
        m.partial(turning, turning), dimension=16, against="rope:dim=16,rotary_dim=8,layout=half"
    )
    assert (report.of("against").verdict == "consistent") == (turning == 8)


@pytest.mark.parametrize(("base", "declared"), [(10000.0, 500000), (1e6, 10000), (5e5, 1000000)])
def test_another_base(base: float, declared: int) -> None:
    report = audit(m.rope(base=base), against=f"rope:dim=32,base={declared},layout=half")
    assert report.of("against").verdict == "refuted"
    assert f"base={int(base)}" in report.of("against").detail


@pytest.mark.parametrize("scale", [2.0, 0.25])
def test_positions_multiplied(scale: float) -> None:
    report = audit(m.rope(scale=scale), against="rope:dim=16,layout=half")
    assert report.of("against").verdict == "refuted"
    assert f"{scale:g} times the declared" in report.of("against").detail


def test_bands_that_are_missing_or_present() -> None:
    scaled = m.bands(500000.0, 32.0, 8192)
    report = audit(scaled, against="rope:dim=64,base=500000,layout=half")
    assert report.of("against").verdict == "refuted"
    assert "the lowest divided by 32" in report.summary


@pytest.mark.parametrize("c", [1.4852, 1.4159])
def test_an_amplitude_applied_twice(c: float) -> None:
    assert "gain" in refuted(m.gained(c * c), gain=c * c)
    assert "gain" in refuted(m.gained(c), against="rope:dim=8,layout=half")
    assert "gain" not in refuted(m.gained(c), gain=c * c)


def test_integer_division_in_the_exponent() -> None:
    assert "against" in refuted(m.integer_division, against="rope:dim=8,layout=half")


@pytest.mark.parametrize("original", [16, 4])
def test_a_base_that_depends_on_the_length(original: int) -> None:
    found = refuted(m.dynamic(original))
    assert {"prefill = decode", "relative"} <= found


@pytest.mark.parametrize("threshold", [100, 4096])
def test_frequencies_chosen_by_the_length_of_the_call(threshold: int) -> None:
    assert "prefill = decode" in refuted(m.by_length(threshold))


def test_the_slot_in_place_of_the_position() -> None:
    assert {"relative", "packed = padded"} & refuted(m.by_slot)


def test_only_the_first_position_counts() -> None:
    assert "packed = padded" in refuted(m.contiguous)


def test_the_head_axis_in_place_of_the_sequence() -> None:
    assert {"rows", "position"} <= refuted(m.by_head)


def test_only_the_first_row_of_a_batch() -> None:
    assert "rows" in refuted(m.first_row_only)


def test_a_table_kept_by_its_length_alone() -> None:
    assert {"history", "packed = padded", "prefill = decode"} & refuted(m.CachedByLength())


def test_a_count_that_goes_on_between_calls() -> None:
    assert "history" in refuted(m.Counting())


def test_a_base_that_never_shrinks_back() -> None:
    seen = [16]

    def f(x: Any, positions: Any) -> Any:
        seen[0] = max(seen[0], int(positions.max()) + 1)
        return m.rope(base=10000.0 * seen[0] / 16)(x, positions)

    assert "history" in refuted(f)


def test_positions_in_half_precision() -> None:
    assert {"distinct float64", "precision float32"} <= refuted(m.rounded_positions)


@pytest.mark.parametrize("base", [10000.0, 100.0])
def test_angles_that_are_not_reduced(base: float) -> None:
    found = refuted(m.no_reduction(base))
    assert "precision float32" in found
    assert "relative" not in found


def test_keys_scaled_like_queries() -> None:
    query, key = m.xpos(inverse=False)
    assert "relative" in refuted(query, key=key)


@pytest.mark.parametrize("scale_base", [64.0, 1.0])
def test_a_decay_that_overflows_early(scale_base: float) -> None:
    query, key = m.xpos(scale_base)
    report = audit(query, key=key, dimension=8)
    assert {f.question for f in report.refuted} == {"range"}
    first = report.of("range").numbers["first"]
    assert first["float16"] < first["float32"] < 8193  # type: ignore[index]


def test_the_scale_in_the_angle() -> None:
    found = refuted(m.scale_in_angle, against="xpos:dim=8")
    assert "against" in found
    assert "relative" not in found


def test_no_position_at_all() -> None:
    assert "position" in refuted(lambda x, positions: x)


def test_a_map_that_is_not_linear() -> None:
    def normalised(x: Any, positions: Any) -> Any:
        return m.rope()(x / (1e-9 + abs(x).max(axis=-1, keepdims=True)), positions)

    assert "linear" in refuted(normalised)


@pytest.mark.parametrize(
    "nonsense",
    [lambda x, p: x * np.nan, lambda x, p: 0 * x, lambda x, p: 0 * x + 1,
     lambda x, p: x * np.exp(1.0 * p[:, None]), lambda x, p: np.round(x).astype(int)],
)  # fmt: skip
def test_nonsense_is_refuted_without_a_crash(nonsense: Any) -> None:
    assert refuted(nonsense)


@pytest.mark.parametrize("law", [np.sqrt, lambda p: p % 1024, lambda p: np.minimum(p, 4096)])
def test_clocks_that_do_not_run_evenly(law: Any) -> None:
    found = refuted(lambda x, positions: m.rope()(x, law(positions)))
    assert {"relative", "generator"} <= found


def test_keys_one_position_late() -> None:
    assert refuted(m.rope(), key=lambda x, positions: m.rope()(x, positions + 1)) == {"gain"}


def test_a_permutation_has_no_real_generator() -> None:
    """Rolling four channels turns one eigenvalue to -1, alone: no real X has that exponential."""

    def roll(x: Any, positions: Any) -> Any:
        rolled = [np.roll(x[..., i, :], int(p) % 4, -1) for i, p in enumerate(positions)]
        return np.stack(rolled, axis=-2)

    report = audit(roll, dimension=4)
    assert report.exit_code == 3
    assert "no real logarithm" in report.of("generator").detail
    assert report.of("relative").verdict == "consistent"


def test_an_argument_that_is_overwritten() -> None:
    def inplace(x: Any, positions: Any) -> Any:
        x[...] = m.rope()(x, positions)
        return x

    assert refuted(inplace) == {"inputs"}


def test_an_argument_that_is_overwritten_in_one_dtype() -> None:
    for f, words in ((faulty.inplace_single, "x in float32"),
                     (faulty.scales_positions, "positions in float32")):  # fmt: skip
        report = audit(f, dimension=8)
        assert [x.question for x in report.refuted] == ["inputs"]
        assert report.of("inputs").witness.startswith(words)
    assert refuted(m.rope(), key=faulty.inplace_key) == {"inputs"}


def test_the_first_position_that_a_table_has_not() -> None:
    report = audit(faulty.LateGrowth(), dimension=8)
    assert [x.question for x in report.refuted] == ["history"]
    assert "position 2048" in report.of("history").witness


def test_positions_tiled_in_the_wrong_order() -> None:
    """Only a batch of x (b, n, h, d) shows it; repeated as a whole they are right."""

    def tiled(x: Any, positions: Any) -> Any:
        b, n, h, d = x.shape
        y = m.rope()(x.reshape(b * n, h, d).swapaxes(0, 1), np.tile(positions, b))
        return y.swapaxes(0, 1).reshape(x.shape)

    assert refuted(faulty.tiled_wrongly) == {"rows"}
    assert refuted(tiled) == set()


def test_x_that_does_not_lie_in_one_piece() -> None:
    assert refuted(faulty.in_one_piece) == {"views"}

    def only_whole(x: Any, positions: Any) -> Any:
        if not x.flags["C_CONTIGUOUS"]:
            raise ValueError("expected x in one piece")
        return m.rope()(x, positions)

    report = audit(only_whole, dimension=8)
    assert report.exit_code == 0
    assert "expected x in one piece" in report.of("views").detail


def test_coordinates_that_are_overwritten() -> None:
    report = audit(faulty.axial_inplace, axes=2, dimension=8)
    assert [x.question for x in report.refuted] == ["inputs"]
    assert report.of("inputs").detail.startswith("positions are overwritten")
