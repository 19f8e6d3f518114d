"""recurrent_step and chunkwise of emitted files: the causal sum, at any range, through autograd."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
import torch

from symbolic_pe.emit.plan import plan_kernel
from symbolic_pe.encodings.catalogue import catalogue
from tests.emit.by_hand import ENCODINGS
from tests.emit.reference import (
    TARGETS,
    arguments_of,
    built,
    emitted,
    exponential,
    kernel,
    run,
    source,
    vectors,
)

OFFERED = [name for name in ENCODINGS if plan_kernel(built(name)).offers_recurrence]
TIMES = np.array([3.0, 4, 4, 6.5, 7, 8, 9, 13, 17.25])
COUNT = len(TIMES)
WIDTH = 3


def inputs(name: str, count: int = COUNT) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    query, key = (vectors(built(name), count, seed, 2) for seed in (1, 2))
    shape = (*query.shape[:-1], WIDTH)
    return query, key, np.random.default_rng(3).standard_normal(shape)


def direct(name: str) -> np.ndarray:
    """Σ_{j ≤ i} (q_iᵀA(t_i − t_j)k_j) v_j, with A by balls."""
    query, key, value = inputs(name)
    result = np.zeros_like(value)
    for i in range(COUNT):
        for j in range(i + 1):
            a = exponential(built(name), TIMES[i] - TIMES[j])
            score = np.einsum("...a,...ab,...b->...", query[..., i, :], a, key[..., j, :])
            result[..., i, :] += score[..., None] * value[..., j, :]
    return result


def brought(target: str, *arrays: np.ndarray) -> list:
    return [torch.as_tensor(x) if target == "torch" else x for x in arrays]


def close(found: object, expected: np.ndarray) -> bool:
    return np.abs(np.asarray(found) - expected).max() <= 1e-12 * np.abs(expected).max()


def test_who_offers_them() -> None:
    """Where A(τ) is orthogonal, or a bias is added, files stay as they were."""
    for name in ("rope", "rope-half", "nope", "skew", "alibi", "rope-alibi", "learned-slopes"):
        assert name not in OFFERED
        for target in TARGETS:
            assert "recurrent_step" not in source(name, target).text
    for name in ("decay", "retention", "jordan-rope", "polynomial", "dense", "oscillator"):
        assert name in OFFERED


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", OFFERED)
def test_both_forms_are_the_causal_sum(name: str, target: str) -> None:
    """Irregular times, repeated times, chunks of every length, prefill and decode."""
    module, values, expected = kernel(name, target), arguments_of(built(name)), direct(name)
    query, key, value, times = brought(target, *inputs(name), TIMES)
    for chunk in (1, 2, 3, 4, 64):
        found, last = module.chunkwise(query, key, value, times, *values, chunk=chunk)
        assert close(found, expected)
    shape = (*query.shape[:-2], WIDTH, query.shape[-1])
    (state,) = brought(target, np.zeros(shape))
    for i in range(COUNT):
        rows = (x[..., i, :] for x in (query, key, value))
        lag = TIMES[i] - TIMES[max(i - 1, 0)]
        output, state = module.recurrent_step(state, *rows, lag, *values)
        assert close(output, expected[..., i, :])
    assert close(state, np.asarray(last))
    first = [x[..., :4, :] for x in (query, key, value)]
    _, state = module.chunkwise(*first, times[:4], *values)
    rest = [x[..., 4:, :] for x in (query, key, value)]
    found, _ = module.chunkwise(*rest, times[4:], *values, state=state, start=times[3], chunk=2)
    assert close(found, expected[..., 4:, :])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["retention", "damped", "jordan-rope", "different-heads"])
def test_whole_chunks_of_the_default_length(name: str, target: str) -> None:
    """150 positions: two chunks of 64, and the rest, 22 = 16 + 4 + 2, against A of every lag."""
    count, module = 150, kernel(name, target)
    query, key, value = inputs(name, count)
    maps = np.stack([exponential(built(name), lag) for lag in range(count)], axis=-3)
    lag = np.maximum(np.arange(count)[:, None] - np.arange(count), 0)
    pairs = maps[..., lag, :, :]  # (…, n, n, d, d)
    scores = np.tril(np.einsum("...ia,...ijab,...jb->...ij", query, pairs, key, optimize=True))
    found, _ = module.chunkwise(*brought(target, query, key, value, 1000 + np.arange(count)))
    assert close(found, scores @ value)


@pytest.mark.parametrize("target", TARGETS)
def test_queries_in_groups_read_the_state_of_their_key(target: str) -> None:
    module = kernel("jordan-rope", target)
    query, key, value = inputs("jordan-rope")
    grouped = np.stack([query, -query, 2 * query], axis=1)
    q, k, v, times = brought(target, grouped, key[:, None], value[:, None], TIMES)
    found, state = module.chunkwise(q, k, v, times, chunk=4)
    for g, factor in enumerate((1, -1, 2)):
        assert close(found[:, g], factor * direct("jordan-rope"))
    assert state.shape[1] == 1


SMALL = {"mamba-3": {"dim": "8", "rotary_dim": "4"}, "xpos": {"dim": "8"}}
SHORT = {"numpy": (np.float16, np.float32), "torch": (torch.float16, torch.bfloat16)}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["decay", "retention", "mamba-3", "xpos"])
def test_short_dtypes_are_finite_across_any_gap(name: str, target: str) -> None:
    """Where the maps of the same file overflow, with one reference for the whole chunk."""
    encoding = ENCODINGS[name]() if name in ENCODINGS else catalogue(name, SMALL[name])
    heads = (len(encoding.heads),) if len(encoding.heads) > 1 else ()
    module = run(emitted(encoding, target).text)
    times = np.array([0.0, 1, 2, 50_000, 50_001, 999_999, 1_000_000])
    x = np.random.default_rng(1).standard_normal((*heads, len(times), encoding.dimension))
    for dtype in SHORT[target]:
        short = x.astype(dtype) if target == "numpy" else torch.as_tensor(x).to(dtype)
        (given,) = brought(target, times)
        output, state = module.chunkwise(short, short, short, given, chunk=8)
        assert output.dtype == dtype
        assert state.dtype == (np.float32 if target == "numpy" else torch.float32)
        assert np.isfinite(np.asarray(output.float() if target == "torch" else output)).all()
        with np.errstate(all="ignore"):
            moved = module.transform_key(short, given)
        assert not np.isfinite(np.asarray(moved.float() if target == "torch" else moved)).all()


@pytest.mark.parametrize("target", TARGETS)
def test_misuse_has_a_clear_error(target: str) -> None:
    module = kernel("decay", target)
    query, key, value, times = brought(target, *inputs("decay"), TIMES)
    with pytest.raises(ValueError, match="expected a chunk of at least 1 position, got 0"):
        module.chunkwise(query, key, value, times, chunk=0)
    whole = query.to(torch.int64) if target == "torch" else query.astype(np.int64)
    with pytest.raises(TypeError, match="expected floating-point"):
        module.chunkwise(whole, key, value, times)


# -- what PyTorch adds --------------------------------------------------------------------------


@pytest.mark.parametrize("name", OFFERED)
def test_gradients_are_right(name: str) -> None:
    """In queries, keys, values, positions and parameters, against finite differences."""
    module = kernel(name, "torch")
    parts = [torch.as_tensor(x[:1, ..., :4, :]).requires_grad_() for x in inputs(name)]
    times = torch.tensor([0.0, 0.5, 0.75, 2.0], dtype=torch.float64, requires_grad=True)
    values = [
        torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in arguments_of(built(name))
    ]

    def outputs(*arguments: torch.Tensor) -> torch.Tensor:
        return module.chunkwise(*arguments, chunk=2)[0]

    assert torch.autograd.gradcheck(outputs, (*parts, times, *values), rtol=1e-4, fast_mode=True)


@pytest.mark.parametrize("name", ["retention", "jordan-rope", "different-heads"])
def test_gradients_are_finite_across_gaps(name: str) -> None:
    module = kernel(name, "torch")
    parts = [torch.as_tensor(x).to(torch.float32).requires_grad_() for x in inputs(name)]
    times = torch.linspace(0, 8e6, COUNT, dtype=torch.float64).requires_grad_()
    module.chunkwise(*parts, times)[0].sum().backward()
    assert all(torch.isfinite(x.grad).all() for x in (*parts, times))


@pytest.mark.parametrize("name", OFFERED)
def test_autocast_and_vmap_change_nothing(name: str) -> None:
    module, values = kernel(name, "torch"), arguments_of(built(name))
    parts = [torch.as_tensor(x).to(torch.float32) for x in inputs(name)]
    times = torch.as_tensor(TIMES)
    plain = module.chunkwise(*parts, times, *values, chunk=4)
    with torch.autocast("cpu", torch.bfloat16):
        for a, b in zip(plain, module.chunkwise(*parts, times, *values, chunk=4), strict=True):
            assert torch.equal(a, b)
    mapped = torch.vmap(lambda *x: module.chunkwise(*x, times, *values, chunk=4))(*parts)
    for a, b in zip(plain, mapped, strict=True):
        assert torch.allclose(a, b, rtol=1e-5, atol=1e-5)
    rows = [x[..., 0, :] for x in parts]
    step = module.recurrent_step(plain[1], *rows, 0.5, *values)
    mapped = torch.vmap(lambda *x: module.recurrent_step(*x, 0.5, *values))(plain[1], *rows)
    for a, b in zip(step, mapped, strict=True):
        assert torch.allclose(a, b, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", OFFERED)
def test_everything_stays_on_the_device_of_the_input(name: str) -> None:
    module, values = kernel(name, "torch"), arguments_of(built(name))
    parts = [torch.as_tensor(x).to("meta") for x in inputs(name)]
    output, state = module.chunkwise(*parts, torch.as_tensor(TIMES), *values)
    assert output.device.type == state.device.type == "meta"
    rows = [x[..., 0, :] for x in parts]
    output, state = module.recurrent_step(state, *rows, 1.0, *values)
    assert output.device.type == state.device.type == "meta"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["retention", "jordan-rope", "dense", "oscillator"])
def test_compile_without_graph_breaks(name: str) -> None:
    module, values = kernel(name, "torch"), arguments_of(built(name))
    parts = [torch.as_tensor(x).to(torch.float32) for x in inputs(name)]
    times = torch.as_tensor(TIMES)

    def both(query, key, value, times):
        output, state = module.chunkwise(query, key, value, times, *values, chunk=4)
        rows = (x[..., 0, :] for x in (query, key, value))
        return output, module.recurrent_step(state, *rows, 0.5, *values)[0]

    torch.compiler.reset()
    backend = "inductor" if shutil.which("g++") else "aot_eager"
    compiled = torch.compile(both, fullgraph=True, backend=backend)
    for a, b in zip(compiled(*parts, times), both(*parts, times), strict=True):
        assert torch.allclose(a, b, rtol=1e-4, atol=1e-4)
