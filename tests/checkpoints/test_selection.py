"""Which tensors are permuted where, and what is refused because it is not certain."""

from __future__ import annotations

import pytest

from symbolic_pe.checkpoints.selection import (
    FusedOrder,
    Request,
    Selection,
    Tensor,
    read_pattern,
    select,
)
from symbolic_pe.errors import SpecificationError

D, HIDDEN = 8, 20
Shapes = dict[str, tuple[int, ...]]


def chosen(shapes: Shapes, **stated: object) -> Selection:
    tensors = [Tensor(name, shape, "F32") for name, shape in shapes.items()]
    return select(tensors, Request(D, **stated))  # type: ignore[arg-type]


def layer(q: int = 4, k: int = 2, prefix: str = "l.0.") -> Shapes:
    return {
        f"{prefix}q_proj.weight": (q * D, HIDDEN),
        f"{prefix}k_proj.weight": (k * D, HIDDEN),
        f"{prefix}v_proj.weight": (k * D, HIDDEN),
        f"{prefix}o_proj.weight": (HIDDEN, q * D),
    }


def test_grouped_heads_are_permuted_each() -> None:
    found = chosen(layer())
    assert [(c.kind, c.axis, c.offsets) for c in found.changes] == [
        ("q", 0, (0, 8, 16, 24)),
        ("k", 0, (0, 8)),
    ]
    assert found.left == ()


def test_biases_and_norms_follow_their_projection() -> None:
    shapes: Shapes = layer() | {
        "l.0.q_proj.bias": (4 * D,),
        "l.0.k_proj.bias": (2 * D,),
        "l.0.q_norm.weight": (D,),
        "l.0.k_norm.weight": (2, D),
        "l.0.v_proj.bias": (2 * D,),
        "l.0.input_layernorm.weight": (HIDDEN,),
        "l.0.q_layernorm.norms.3.weight": (D,),
    }
    found = {c.tensor.name: (c.axis, c.offsets) for c in chosen(shapes).changes}
    assert found["l.0.q_proj.bias"] == (0, (0, 8, 16, 24))
    assert found["l.0.q_norm.weight"] == (0, (0,))
    assert found["l.0.k_norm.weight"] == (1, (0,))
    assert found["l.0.q_layernorm.norms.3.weight"] == (0, (0,))
    assert len(found) == 7


def test_a_norm_over_all_heads_is_permuted_head_by_head() -> None:
    found = chosen(layer() | {"l.0.q_norm.weight": (4 * D,)})
    assert found.changes[-1].offsets == (0, 8, 16, 24)
    with pytest.raises(SpecificationError, match=r"l.0.q_norm.weight has 3"):
        chosen(layer() | {"l.0.q_norm.weight": (3 * D,)})


def test_rows_of_adapters_are_channels_and_their_inner_axis_is_not() -> None:
    shapes = {
        "base.l.0.q_proj.lora_A.weight": (16, HIDDEN),
        "base.l.0.q_proj.lora_B.weight": (4 * D, 16),
        "base.l.0.v_proj.lora_B.weight": (2 * D, 16),
    }
    (change,) = chosen(dict(shapes)).changes
    assert change.tensor.name == "base.l.0.q_proj.lora_B.weight"


@pytest.mark.parametrize(
    ("order", "heads", "kv_heads", "offsets"),
    [
        ("q,k,v", 4, 2, (0, 8, 16, 24, 32, 40)),
        ("v,k,q", 4, 2, (16, 24, 32, 40, 48, 56)),
        ("group:q,k,v", 4, 2, (0, 8, 16, 32, 40, 48)),
        ("group:q,k,v", 4, 4, (0, 8, 24, 32, 48, 56, 72, 80)),
    ],
)
def test_fused_rows(order: str, heads: int, kv_heads: int, offsets: tuple[int, ...]) -> None:
    rows = (heads + 2 * kv_heads) * D
    shapes: Shapes = {"h.0.qkv_proj.weight": (rows, HIDDEN), "h.0.qkv_proj.bias": (rows,)}
    found = chosen(shapes, heads=heads, fused=FusedOrder.read(order))
    assert [c.offsets for c in found.changes] == [offsets, offsets]


def test_patterns_name_tensors_of_other_models() -> None:
    shapes: Shapes = {"b.0.to_q.weight": (4 * D, HIDDEN), "b.0.to_k.weight": (2 * D, HIDDEN)}
    patterns = tuple(read_pattern(t) for t in ("*.to_q.weight=q", "b.0.to_k.weight=k"))
    assert [c.kind for c in chosen(shapes, patterns=patterns).changes] == ["q", "k"]
    with pytest.raises(SpecificationError, match="no tensor is known to hold queries"):
        chosen(shapes)
    with pytest.raises(SpecificationError, match="state the kind"):
        chosen(shapes, patterns=(read_pattern("*.to_q.weight"),))


def test_what_is_named_leaves_the_rest_and_says_so() -> None:
    found = chosen(layer(), patterns=(read_pattern("*.q_proj.weight"),))
    assert [t.name for t in found.left] == ["l.0.k_proj.weight"]


def test_modules_of_another_kind_can_be_kept() -> None:
    shapes = layer() | layer(3, 3, "vision.0.")
    with pytest.raises(SpecificationError, match=r"vision.0.q_proj.weight has 3.*--keep"):
        chosen(shapes)
    found = chosen(shapes, keep=("vision.*",))
    assert len(found.changes) == 2
    assert len(found.left) == 2


@pytest.mark.parametrize(
    ("change", "stated", "message"),
    [
        ({"l.0.q_proj.weight": (30, HIDDEN)}, {"heads": 4}, "multiple of the head dimension 8"),
        (layer(3, 2), {}, "no multiple of 2 key heads"),
        ({}, {"heads": 8}, r"expected 8 heads of dimension 8 \(--heads\).*which has 4"),
        ({}, {"kv_heads": 4}, r"expected 4 heads .*--kv-heads.*which has 2"),
        ({}, {"heads": 4, "kv_heads": 3}, "divides --heads"),
        ({"l.0.k_proj.weight": (2 * D, 24)}, {}, "transposed"),
        ({"l.0.q_proj.weight": (4, D, HIDDEN)}, {}, "expected a matrix"),
        ({"l.0.q_norm.weight": (4, D, 2)}, {}, "in the last axis"),
        ({"l.0.q_proj.qweight": (4, 4)}, {}, "'qweight' of q_proj.*--keep"),
        ({"l.0.q_proj.weight_scale": (4 * D, 1)}, {}, "'weight_scale' of q_proj"),
        ({"l.1.q_proj.weight": (4 * D, HIDDEN)}, {}, "no key projection beside it"),
        ({"l.1.wk.weight": (2 * D, HIDDEN)}, {}, "no query projection beside it"),
        ({"l.0.o_proj.weight": (HIDDEN, 2 * D)}, {}, "hold more than queries, such as a gate"),
        ({"l.0.q_b_proj.weight": (4 * D, HIDDEN)}, {}, "before those that turn"),
        ({"l.0.qkv_proj.weight": (64, HIDDEN)}, {}, "state --fused and --heads"),
        ({}, {"keep": ("nothing*",)}, "no tensor has such a name"),
        ({}, {"patterns": (("nothing*", "q"),)}, "no tensor has such a name"),
        ({}, {"patterns": (("*.q_proj.weight", "q"), ("l*", "k"))}, "named as q and as k"),
        ({}, {"keep": ("*",)}, "no tensor is known"),
    ],
)
def test_refusals(change: Shapes, stated: dict[str, object], message: str) -> None:
    with pytest.raises(SpecificationError, match=message):
        chosen(layer() | change, **stated)


def test_fused_sizes_that_do_not_agree_are_refused() -> None:
    order = FusedOrder.read("q,k,v")
    for rows, stated in (
        (63, {"heads": 4}),
        (7 * D, {"heads": 4}),
        (10 * D, {"heads": 4}),
        (8 * D, {"heads": 4, "kv_heads": 4}),
    ):
        with pytest.raises(SpecificationError, match="rows are not those of 4 query heads"):
            chosen({"h.qkv.weight": (rows, HIDDEN)}, fused=order, **stated)
    with pytest.raises(SpecificationError, match="expected q, k and v in the order"):
        FusedOrder.read("q,k")
    with pytest.raises(SpecificationError, match="expected one of q, k"):
        read_pattern("a=b")


def test_stated_heads_are_believed_over_the_output_projection() -> None:
    shapes = layer() | {"l.0.o_proj.weight": (HIDDEN, 2 * D)}
    assert len(chosen(shapes, heads=4).changes) == 2
