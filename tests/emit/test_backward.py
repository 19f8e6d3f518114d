"""The backward pass is the transposed map, and keeps nothing of x: only tables are saved."""

from __future__ import annotations

import pytest
import torch

from symbolic_pe import catalogue
from tests.emit.by_hand import ENCODINGS
from tests.emit.reference import built, emitted, kernel, run, source

FIXED = [name for name in ENCODINGS if not built(name).parameters]
ROTARY = {
    "interleaved": {"dim": "8"},
    "half": {"dim": "8", "layout": "half"},
    "partial": {"dim": "8", "rotary_dim": "4"},
}
ROWS, BATCH = 3, 29


def saved_by(function, *arguments) -> list[torch.Tensor]:
    """What autograd keeps for the backward pass, each memory once."""
    kept: dict[int, torch.Tensor] = {}

    def keep(x: torch.Tensor) -> torch.Tensor:
        kept[x.untyped_storage().data_ptr()] = x
        return x

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda x: x):
        function(*arguments)
    return list(kept.values())


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("name", FIXED)
def test_nothing_of_x_is_saved(name: str, dtype: torch.dtype) -> None:
    module, encoding = kernel(name, "torch"), built(name)
    heads = (len(encoding.heads),) if len(encoding.heads) > 1 else ()
    x = torch.randn(BATCH, *heads, ROWS, encoding.dimension).to(dtype).requires_grad_()
    for function in (module.transform_query, module.transform_key):
        for kept in saved_by(function, x, torch.arange(ROWS)):
            # a table has no batch; a basis is a matrix
            assert kept.shape[:1] != (BATCH,), (kept.shape, name)


def test_what_is_saved_is_seen() -> None:
    """The negative twin: with a gradient of its own, the table makes autograd keep x."""
    module = run(emitted(catalogue("rope", ROTARY["interleaved"]), "torch").text)
    x = torch.randn(BATCH, ROWS, 8, requires_grad=True)
    position = torch.arange(ROWS, dtype=torch.float64, requires_grad=True)
    kept = saved_by(module.transform_query, x, position)
    assert any(k.shape[:1] == (BATCH,) for k in kept)


@pytest.mark.parametrize("layout", list(ROTARY))
def test_the_backward_pass_of_a_rotation_turns_back(layout: str) -> None:
    module = run(emitted(catalogue("rope", ROTARY[layout]), "torch").text)
    x = torch.randn(BATCH, ROWS, 8, dtype=torch.float64, requires_grad=True)
    position = torch.tensor([3.0, 100.0, 131071.0], dtype=torch.float64)
    y = module.transform_query(x, position)
    (back,) = torch.autograd.grad(y, x, y.detach())
    assert torch.allclose(back, x, rtol=0, atol=1e-14)  # AᵀA = I
    (again,) = torch.autograd.grad(module.transform_query(x, position), x, x.detach())
    assert torch.allclose(again, module.transform_query(x, -position), rtol=0, atol=1e-9)


def test_no_text_defines_a_backward_of_its_own() -> None:
    assert all("autograd" not in source(name, "torch").text for name in ENCODINGS)
