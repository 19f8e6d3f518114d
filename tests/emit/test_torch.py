"""What the PyTorch target promises beyond the maps: gradients, transforms, modules, devices."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
import torch
from flint import fmpq

from tests.emit.by_hand import ENCODINGS
from tests.emit.reference import (
    arguments_of,
    built,
    kernel,
    run,
    source,
    vectors,
)

PARAMETRIC = [n for n in ENCODINGS if built(n).parameters]
BIASED = [n for n in ENCODINGS if built(n).augmentation is not None]


def tensors(name: str, n: int, seed: int, *leading: int) -> torch.Tensor:
    return torch.as_tensor(vectors(built(name), n, seed, *leading))


def parameters(values: list[float]) -> list[torch.Tensor]:
    return [torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in values]


# -- gradients ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(ENCODINGS))
def test_gradients_are_right(name: str) -> None:
    """Backward passes against finite differences, in x, in position and in every parameter."""
    module = kernel(name, "torch")
    x = tensors(name, 2, 1).requires_grad_()
    position = torch.tensor([0.0, 2.5], dtype=torch.float64, requires_grad=True)
    values = parameters(arguments_of(built(name)))
    for function in (module.transform_query, module.transform_key):
        assert torch.autograd.gradcheck(function, (x, position, *values), rtol=1e-4)


@pytest.mark.parametrize("z", [-1, 1, fmpq(1, 2), fmpq(3, 2), 0, 10])
@pytest.mark.parametrize("lag", [0.0, 1.0, -3.0, 40.0])
def test_gradients_of_the_oscillator_are_finite_in_every_case(z: fmpq | int, lag: float) -> None:
    """Damped rotation, critical damping, two rates, at u = 0 and beyond; against balls."""
    module, encoding = kernel("oscillator", "torch"), built("oscillator")
    w, step = fmpq(3, 4), fmpq(1, 2**60)
    found = parameters([0.75, float(fmpq(z).p) / float(fmpq(z).q)])
    jacobian = torch.autograd.functional.jacobian(lambda *p: module.operator(lag, *p), tuple(found))
    for index, parameter in enumerate(("w", "z")):
        point = {"w": w, "z": fmpq(z)}
        up, down = ({**point, parameter: point[parameter] + s} for s in (step, -step))
        wide = difference_quotient(encoding, lag, up, down, step)
        got = jacobian[index].numpy()
        assert np.isfinite(got).all()
        assert np.abs(got - wide).max() <= 1e-9 * max(1.0, np.abs(wide).max())


def difference_quotient(encoding, lag, up, down, step) -> np.ndarray:
    from flint import arb, arb_mat, ctx

    before, ctx.prec = ctx.prec, 2000
    try:
        (head,) = encoding.heads
        rows, time = head.generator.matrix, arb(fmpq(*float(lag).as_integer_ratio()))
        matrices = []
        for point in (up, down):
            known = {name: arb(value) for name, value in point.items()}
            entries = [time * x.ball(known) for row in rows for x in row]
            matrices.append(arb_mat(2, 2, entries).exp())
        difference = (matrices[0] - matrices[1]) / (2 * arb(step))
        return np.array([[float(difference[i, j].mid()) for j in range(2)] for i in range(2)])
    finally:
        ctx.prec = before


def test_second_derivatives_at_critical_damping_are_finite() -> None:
    module = kernel("oscillator", "torch")
    w, z = parameters([0.75, 1.0])
    (first,) = torch.autograd.grad(module.operator(2.0, w, z).sum(), z, create_graph=True)
    (second,) = torch.autograd.grad(first, z)
    assert torch.isfinite(second)


def test_decaying_cases_never_meet_infinity_times_zero() -> None:
    module = kernel("oscillator", "torch")
    for z in (0.3, 1.0, 5.0):
        w_, z_ = parameters([1.0, z])
        a = module.operator(20000.0, w_, z_)
        a.sum().backward()
        assert torch.isfinite(a).all()
        assert torch.isfinite(torch.stack([w_.grad, z_.grad])).all()


# -- transforms ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(ENCODINGS))
def test_vmap(name: str) -> None:
    module, values = kernel(name, "torch"), arguments_of(built(name))
    x, position = tensors(name, 3, 2, 4), torch.arange(12.0, dtype=torch.float64).reshape(4, 3)
    for function in (module.transform_query, module.transform_key):
        expected = torch.stack([function(a, p, *values) for a, p in zip(x, position, strict=True)])
        mapped = torch.vmap(lambda a, p, f=function: f(a, p, *values))(x, position)
        assert torch.allclose(mapped, expected, rtol=0, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["rope", "rope-turns", "rope-half", "partial-rope", "scattered-rope", "retention",
     "jordan-rope", "long-chain", "long-jordan-rope", "dense", "oscillator", "oscillators",
     "learned-rates", "rope-alibi", "sandwich-heads"],
)  # fmt: skip
def test_compile_without_graph_breaks(name: str) -> None:
    module, values = kernel(name, "torch"), parameters(arguments_of(built(name)))
    x, position = tensors(name, 3, 3, 2).to(torch.float32).requires_grad_(), torch.arange(3)

    def both(x: torch.Tensor, position: torch.Tensor, *values: torch.Tensor) -> torch.Tensor:
        query = module.transform_query(x, position, *values)
        return query * module.transform_key(x, position, *values, reference=1.0)

    torch.compiler.reset()  # `both` is one code object, and recompilations are limited
    backend = "inductor" if shutil.which("g++") else "aot_eager"  # inductor needs a C++ compiler
    compiled = torch.compile(both, fullgraph=True, backend=backend)
    found, expected = compiled(x, position, *values), both(x, position, *values)
    assert torch.allclose(found, expected, rtol=1e-5, atol=1e-5)
    wanted = [x, *values]
    for a, b in zip(
        torch.autograd.grad(found.sum(), wanted),
        torch.autograd.grad(expected.sum(), wanted),
        strict=True,
    ):
        assert torch.allclose(a, b, rtol=1e-4, atol=1e-4)


# -- surroundings -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(ENCODINGS))
def test_autocast_changes_nothing(name: str) -> None:
    module, values = kernel(name, "torch"), arguments_of(built(name))
    x, position = tensors(name, 3, 4).to(torch.float32), torch.tensor([0, 5, 11])
    plain = module.transform_query(x, position, *values)
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.equal(module.transform_query(x, position, *values), plain)


@pytest.mark.parametrize("name", list(ENCODINGS))
def test_defaults_at_import_change_nothing(name: str) -> None:
    """Default dtype and device while the file is imported and used."""
    encoding, values = built(name), arguments_of(built(name))
    expected = kernel(name, "torch").operator(3.0, *values)
    before = torch.get_default_dtype()
    try:
        torch.set_default_dtype(torch.bfloat16)
        with torch.device("meta"):
            module = run(source(name, "torch").text)
        found = module.operator(3.0, *values)
    finally:
        torch.set_default_dtype(before)
    assert found.dtype == torch.float64
    assert torch.equal(found, expected), encoding.name


@pytest.mark.parametrize("name", list(ENCODINGS))
def test_constants_follow_the_input_to_its_device(name: str) -> None:
    """The meta device refuses to meet another one, as an accelerator would."""
    module, values, there = kernel(name, "torch"), arguments_of(built(name)), "meta"
    x, position = tensors(name, 3, 9, 2).to(there), torch.arange(3)
    for function in (module.transform_query, module.transform_key):
        assert function(x, position, *values).device.type == there
        assert function(x, position.to(there), *values).device.type == there
    lag = torch.tensor(2.0, dtype=torch.float64, device=there)
    assert module.operator(lag, *values).device.type == there
    far = position.to(there)
    for pair in ("bias", "decay"):
        if hasattr(module, pair):
            own = values if pair == "bias" and "m" in built(name).parameters else []
            assert getattr(module, pair)(far, position, *own).device.type == there
    if hasattr(module, "make_score_mod"):
        own = values if "m" in built(name).parameters else []
        indices = [torch.zeros((), dtype=torch.int64)] * 4
        score = torch.zeros((), device=there)
        assert module.make_score_mod(far, far, *own)(score, *indices).device.type == there


def test_positions_of_any_type_become_float64() -> None:
    module, x = kernel("rope", "torch"), tensors("rope", 3, 5)
    expected = module.transform_query(x, torch.tensor([0.0, 2.0, 85.0], dtype=torch.float64))
    for dtype in (torch.int64, torch.int32, torch.uint8, torch.float32, torch.bfloat16):
        position = torch.tensor([0, 2, 85]).to(dtype)
        assert torch.equal(module.transform_query(x, position), expected)
    assert torch.equal(module.transform_query(x, [0, 2, 85]), expected)


# -- modules ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(ENCODINGS))
def test_module_is_the_two_functions(name: str) -> None:
    namespace, values = kernel(name, "torch"), arguments_of(built(name))
    (cls,) = (
        v for v in vars(namespace).values()
        if isinstance(v, type) and issubclass(v, torch.nn.Module) and v.__name__[-6:] != "Tables"
    )  # fmt: skip
    module = cls(*values)
    q, k, position = tensors(name, 3, 6, 2), tensors(name, 3, 7, 2), torch.tensor([0, 1, 4])
    query, key = module(q, k, position, reference=2.0)
    assert torch.equal(query, namespace.transform_query(q, position, *values, reference=2.0))
    assert torch.equal(key, namespace.transform_key(k, position, *values, reference=2.0))
    held = list(module.parameters())
    assert [p.dtype for p in held] == [torch.float64] * len(values)
    assert all(p.ndim == 0 and p.requires_grad for p in held)


@pytest.mark.parametrize("name", PARAMETRIC)
def test_parameters_learn(name: str) -> None:
    namespace = kernel(name, "torch")
    (cls,) = (
        v for v in vars(namespace).values()
        if isinstance(v, type) and issubclass(v, torch.nn.Module)
    )  # fmt: skip
    module = cls(*arguments_of(built(name)))
    x, position = tensors(name, 3, 8).to(torch.bfloat16), torch.arange(3)
    query, key = module(x, x, position)
    assert query.dtype == torch.bfloat16
    (query[:, None].float() * key[None].float() ** 2).sum().backward()
    gradients = torch.stack([p.grad for p in module.parameters()])
    assert torch.isfinite(gradients).all()
    assert (gradients != 0).any()


# -- biases -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BIASED)
@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
def test_score_mod_adds_the_bias(name: str) -> None:
    from torch.nn.attention.flex_attention import flex_attention

    module, heads = kernel(name, "torch"), len(built(name).heads)
    t, s = torch.tensor([3.0, 4.0, 9.0]), torch.tensor([0.0, 1.0, 2.0, 3.0])
    values = arguments_of(built(name))
    bias = module.bias(t, s, *values)
    score_mod = module.make_score_mod(t, s, *values)
    for h in range(heads):
        for i in range(3):
            for j in range(4):
                zero = torch.zeros((), dtype=torch.float32)
                got = score_mod(zero, *(torch.tensor(n) for n in (0, h, i, j)))
                assert got.dtype == torch.float32
                assert torch.allclose(got, bias[h, i, j] if heads > 1 else bias[i, j])
    q, k, v = (torch.randn(2, heads, n, 16) for n in (3, 4, 4))
    weights = torch.softmax(q @ k.transpose(-1, -2) / 4.0 + bias, dim=-1)
    found = flex_attention(q, k, v, score_mod=score_mod)
    assert torch.allclose(found, weights @ v, atol=1e-5)
