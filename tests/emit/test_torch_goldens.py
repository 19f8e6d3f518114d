"""Every golden PyTorch file under PyTorch's transforms: vmap, export, compile; packed sequences.

Gradients, second derivatives, empty batches, length 1, memory with gaps, positions as numbers and
lists, rows of positions and one position at a time are laws of `numeric_check` (`gradient`,
`input`, `batch`), which `test_golden` measures for every golden file.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from symbolic_pe.encodings.encoding import Encoding
from tests.emit.reference import arguments_of, run, vectors
from tests.emit.test_golden import FILES, SOURCES, path_of

STEMS = [stem for stem, target in FILES if target == "torch"]
CLOSE = {"rtol": 0.0, "atol": 1e-10}


@cache
def loaded(stem: str) -> tuple[ModuleType, Encoding, tuple[float, ...]]:
    encoding = SOURCES[stem][0]()
    module = run(path_of(stem, "torch").read_text(encoding="utf-8"))
    return module, encoding, tuple(arguments_of(encoding))


def inputs(stem: str, n: int, *leading: int) -> torch.Tensor:
    return torch.as_tensor(vectors(loaded(stem)[1], n, 11, *leading))


def functions(stem: str) -> list[Any]:
    module, _, values = loaded(stem)

    def bind(function: Any) -> Any:
        return lambda x, position: function(x, position, *values, reference=0.5)

    return [bind(module.transform_query), bind(module.transform_key)]


def own_module(stem: str) -> torch.nn.Module:
    namespace, _, values = loaded(stem)
    (cls,) = (
        v for v in vars(namespace).values()
        if isinstance(v, type) and issubclass(v, torch.nn.Module) and v.__name__[-6:] != "Tables"
    )  # fmt: skip
    made: torch.nn.Module = cls(*values)
    return made


@pytest.mark.parametrize("stem", STEMS)
def test_vmap_over_x_over_positions_and_over_both(stem: str) -> None:
    x, position = inputs(stem, 3, 4), torch.linspace(0.0, 5.0, 12, dtype=torch.float64)
    rows = position.reshape(4, 3)
    for function in functions(stem):
        for places, given in (((0, 0), rows), ((0, None), rows[1]), ((None, 0), rows)):
            one = x if places[0] == 0 else x[2]
            expected = torch.stack(
                [function(one[i] if places[0] == 0 else one,
                          given[i] if places[1] == 0 else given) for i in range(4)]
            )  # fmt: skip
            found = torch.vmap(function, in_dims=places)(one, given)
            assert torch.allclose(found, expected, **CLOSE)


@pytest.mark.parametrize("stem", STEMS)
def test_per_sample_gradients(stem: str) -> None:
    """vmap of grad, as per-sample gradients and influence functions use it."""
    x, position = inputs(stem, 2, 3), torch.tensor([0.25, 2.5], dtype=torch.float64)
    for function in functions(stem):

        def loss(one: torch.Tensor, f: Any = function) -> torch.Tensor:
            result: torch.Tensor = f(one, position).square().sum()
            return result

        found = torch.vmap(torch.func.grad(loss))(x)
        expected = torch.stack([torch.func.grad(loss)(one) for one in x])
        assert torch.allclose(found, expected, **CLOSE)
        assert torch.isfinite(found).all()


@pytest.mark.parametrize("stem", STEMS)
def test_packed_and_padded_sequences(stem: str) -> None:
    """Two sequences in one row, and a padded batch: every token goes by its own position."""
    x = inputs(stem, 5)
    for function in functions(stem):
        packed = function(x, torch.tensor([0, 1, 2, 0, 1]))
        apart = [function(x[..., :3, :], torch.arange(3)), function(x[..., 3:, :], torch.arange(2))]
        assert torch.allclose(packed, torch.cat(apart, dim=-2), **CLOSE)
        rows = torch.tensor([[0, 0, 0, 1, 2], [0, 1, 2, 3, 4]])  # padded on the left, and full
        places = rows[:, None] if x.ndim > 2 else rows
        padded = function(torch.stack([x, x]), places)
        for row, found in zip(rows, padded, strict=True):
            assert torch.allclose(found, function(x, row), **CLOSE)


@pytest.mark.parametrize("stem", STEMS)
def test_decoding_with_a_cache_gives_the_scores_of_a_prefill(stem: str) -> None:
    """Keys are turned once, when they come; queries one at a time."""
    q, k = inputs(stem, 4), inputs(stem, 4).flip(-2)
    place = torch.arange(4)
    query, key = functions(stem)
    whole = query(q, place) @ key(k, place).transpose(-1, -2)
    cache_: list[torch.Tensor] = []
    for i in range(4):
        now = slice(i, i + 1)
        cache_.append(key(k[..., now, :], place[now]))
        row = query(q[..., now, :], place[now]) @ torch.cat(cache_, dim=-2).transpose(-1, -2)
        assert torch.allclose(row, whole[..., now, : i + 1], rtol=1e-9, atol=1e-9)


# -- slow: graphs -------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("stem", STEMS)
def test_export_keeps_lengths_free(stem: str) -> None:
    """torch.export of the module, with the batch and the positions as dynamic sizes."""
    module = own_module(stem)
    x, position = inputs(stem, 6, 2).float(), torch.arange(6)
    batch, length = torch.export.Dim("batch", min=1), torch.export.Dim("length", min=2)
    axes = {0: batch, x.ndim - 2: length}
    exported = torch.export.export(
        module, (x, x, position), dynamic_shapes=(axes, axes, {0: length})
    ).module()
    for n, b in ((6, 2), (9, 5)):
        given = inputs(stem, n, b).float()
        wanted = module(given, given, torch.arange(n))
        for one, other in zip(exported(given, given, torch.arange(n)), wanted, strict=True):
            assert torch.allclose(one, other, rtol=1e-5, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("stem", STEMS)
def test_compile_without_graph_breaks(stem: str) -> None:
    namespace, _, values = loaded(stem)
    x, position = inputs(stem, 3, 2).float().requires_grad_(), torch.arange(3)
    held = [torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in values]

    def both(x: torch.Tensor, position: torch.Tensor, *values: torch.Tensor) -> torch.Tensor:
        query = namespace.transform_query(x, position, *values)
        result: torch.Tensor = query * namespace.transform_key(x, position, *values, reference=1.0)
        return result

    torch.compiler.reset()
    # both passes as graphs; test_torch lets inductor generate code for every kind of plan
    compiled = torch.compile(both, fullgraph=True, backend="aot_eager")
    found, expected = compiled(x, position, *held), both(x, position, *held)
    assert torch.allclose(found, expected, rtol=1e-5, atol=1e-5)
    wanted = [x, *held]
    gradients = (torch.autograd.grad(y.sum(), wanted) for y in (found, expected))
    for one, other in zip(*gradients, strict=True):
        assert np.allclose(one.numpy(), other.numpy(), rtol=1e-4, atol=1e-4)
