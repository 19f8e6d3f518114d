"""The form in few passes: one table for all layers, results in given memory, scattered memory."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from symbolic_pe import catalogue
from symbolic_pe.emit.plan import plan_kernel
from symbolic_pe.emit.targets.turning import layout_of
from tests.emit.reference import call, emitted, exponential, run

SPECS = {
    "interleaved": ("rope", {"dim": "8"}),
    "half": ("rope", {"dim": "8", "layout": "half"}),
}
POSITION = np.array([0.0, 1.0, 4095.0, 1048575.0])


def module_of(name: str, target: str):
    entry, settings = SPECS[name]
    return run(emitted(catalogue(entry, dict(settings)), target).text)


def x_of(dtype: str = "float32", *lead: int) -> np.ndarray:
    return np.random.default_rng(5).standard_normal((*(lead or (3,)), 4, 8)).astype(dtype)


@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize("name", ["interleaved", "half"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_turn_into_writes_what_transform_returns(name: str, target: str, dtype: str) -> None:
    module, x = module_of(name, target), x_of(dtype)
    expected = call(target, module.transform_query, x, POSITION, reference=2.0)
    if target == "torch":
        given, position, dtypes = torch.as_tensor(x), torch.as_tensor(POSITION), vars(torch)
        out = torch.full_like(given, float("nan"))
    else:
        given, position, dtypes, out = x, POSITION, vars(np), np.full_like(x, np.nan)
    table = module.rotary_table(position, 2.0, dtype=dtypes[dtype])
    assert module.turn_into(out, given, table) is out
    assert np.allclose(out, expected, rtol=0, atol=4 * np.finfo(dtype).eps)
    assert np.array_equal(np.asarray(module.turn(given, table)), expected)
    own = given.copy() if target == "numpy" else given.clone()
    module.turn_into(own, own, table)
    assert np.array_equal(np.asarray(own), np.asarray(out))


@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize("name", ["interleaved", "half"])
def test_turn_into_refuses_another_dtype(name: str, target: str) -> None:
    module, x = module_of(name, target), x_of("float64")
    given = torch.as_tensor(x) if target == "torch" else x
    position = torch.as_tensor(POSITION) if target == "torch" else POSITION
    with pytest.raises(TypeError, match=r"expected (torch\.)?float32, got (torch\.)?float64"):
        module.turn_into(given, given, module.rotary_table(position))


@pytest.mark.parametrize("name", ["interleaved", "half"])
def test_the_table_serves_real_positions_of_any_shape(name: str) -> None:
    module = module_of(name, "numpy")
    position = np.array([[0.25, 7.0, 1.5, 2.0], [1.0, 2.0, 3.0, 4.0]])
    both = module.turn(x_of("float64", 2), module.rotary_table(position, dtype=np.float64))
    for row in range(2):
        one = module.transform_query(x_of("float64", 2)[row], position[row])
        assert np.array_equal(both[row], one)
    a = exponential(catalogue("rope", dict(SPECS[name][1])), 1.5)
    assert np.allclose(both[0, 2], a.T @ x_of("float64", 2)[0, 2], rtol=0, atol=1e-14)


SCATTERED = {
    "transposed": lambda x: x.transpose(0, 1).contiguous().transpose(0, 1),
    "even offset": lambda x: torch.cat([x.new_zeros(2), x.flatten()])[2:].unflatten(0, x.shape),
    "odd stride": lambda x: torch.cat([x, x[..., :1]], dim=-1)[..., :8],
    "strided channels": lambda x: x.repeat_interleave(2, dim=-1)[..., ::2],
    "one row for all": lambda x: x[:1].expand(3, 4, 8),
}


@pytest.mark.parametrize("how", list(SCATTERED))
@pytest.mark.parametrize("name", ["interleaved", "half"])
def test_memory_with_gaps_gives_the_same_values_and_gradients(name: str, how: str) -> None:
    module, position = module_of(name, "torch"), torch.as_tensor(POSITION)
    x = torch.as_tensor(x_of("float64"))
    scattered = SCATTERED[how](x)
    plain = scattered.contiguous().clone()
    found = module.transform_query(scattered, position)
    assert torch.equal(found, module.transform_query(plain, position))
    table = module.rotary_table(position, dtype=torch.float64)
    out = torch.empty_like(plain)
    assert torch.allclose(module.turn_into(out, scattered, table), found, rtol=0, atol=1e-15)
    leaf = scattered.detach().requires_grad_()
    weight = torch.arange(96.0, dtype=torch.float64).reshape(3, 4, 8)
    (module.transform_query(leaf, position) * weight).sum().backward()
    # the gradient of an orthogonal map is its inverse: turning back
    assert torch.allclose(leaf.grad, module.transform_query(weight, -position), rtol=0, atol=1e-9)


def test_planes_that_begin_at_an_odd_place_are_refused_by_pytorch_and_not_misread() -> None:
    module, flat = module_of("interleaved", "torch"), torch.zeros(97)
    with pytest.raises(RuntimeError, match="storage_offset divisible by 2"):
        module.transform_query(flat[1:].view(3, 4, 8), torch.as_tensor(POSITION))
    half = module_of("half", "torch")
    assert half.transform_query(flat[1:].view(3, 4, 8), torch.as_tensor(POSITION)).shape == (
        3,
        4,
        8,
    )


@pytest.mark.parametrize("name", ["interleaved", "half"])
def test_arrays_with_gaps_in_numpy(name: str) -> None:
    module = module_of(name, "numpy")
    wide = np.random.default_rng(1).standard_normal((3, 4, 17)).astype(np.float32)
    for x in (
        wide[..., 1:9],
        wide[..., :16:2],
        np.asfortranarray(wide)[..., :8],
        wide[::-1, :, :8],
    ):
        found = module.transform_key(x, POSITION)
        assert np.array_equal(found, module.transform_key(np.ascontiguousarray(x), POSITION))
        assert not np.shares_memory(found, wide)


def test_which_plans_have_this_form() -> None:
    def of(name: str, **settings: str) -> bool | None:
        return layout_of(plan_kernel(catalogue(name, settings)))

    assert of("rope", dim="128") is True
    assert of("rope", dim="128", layout="half") is False
    assert of("rope", dim="128", rotary_dim="64") is None
    assert of("xpos", dim="8") is None
    assert of("alibi", dim="8") is None
