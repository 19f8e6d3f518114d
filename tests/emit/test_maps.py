"""The emitted maps against exp(τX), for every kind of plan and every target."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.emit.reference import (
    BOTH,
    ROUNDING,
    arguments_of,
    bias_of,
    built,
    call,
    expected_scores,
    exponential,
    grows,
    kernel,
    vectors,
)

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
INTEGER_TABLES = {"CHANNELS", "ORDER", "LINK", "BLOCK", "TURNS"}
WITH_BIAS = [(n, t) for n, t in BOTH if built(n).augmentation is not None]
ROTATIONS = [(n, t) for n, t in BOTH if not grows(built(n)) and (n, t) not in WITH_BIAS]


@pytest.mark.parametrize(("name", "target"), BOTH)
def test_operator_is_the_exponential(name: str, target: str) -> None:
    encoding = built(name)
    lags = (0.0, 1.0, -2.5, 17.0) if grows(encoding) else (0.0, 1.0, -85.0, 4095.5)
    for lag in lags:
        found = call(target, kernel(name, target).operator, lag, *arguments_of(encoding))
        expected = exponential(encoding, lag)
        assert found.dtype == np.float64
        assert found.shape == expected.shape
        assert np.abs(found - expected).max() <= ROUNDING * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize(("name", "target"), BOTH)
def test_score_depends_on_the_difference_only(name: str, target: str) -> None:
    encoding, module, values = built(name), kernel(name, target), arguments_of(built(name))
    small = grows(encoding)
    t = np.array([0.0, 1.0, 7.0, 12.5] if small else [0.0, 1.0, 85.0, 4095.0])
    s = np.array([0.0, 3.0, 7.25] if small else [0.0, 84.0, 4095.0])
    q, k = vectors(encoding, 4, 1, 2), vectors(encoding, 3, 2, 2)
    expected = expected_scores(encoding, q, k, t, s)
    for reference in (0.0, 5.0) if small else (0.0, 85.0, 2000.5):
        fq = call(target, module.transform_query, q, t, *values, reference=reference)
        gk = call(target, module.transform_key, k, s, *values, reference=reference)
        size = np.linalg.norm(fq, axis=-1).max() * np.linalg.norm(gk, axis=-1).max()
        error = np.abs(fq @ np.swapaxes(gk, -1, -2) - expected).max()
        assert error <= ROUNDING * size


@pytest.mark.parametrize(("name", "target"), BOTH)
@pytest.mark.parametrize("dtype", [np.float32, np.float16, BFLOAT16])
def test_dtype_is_kept_and_only_the_result_is_rounded(name, target, dtype) -> None:
    encoding, module, values = built(name), kernel(name, target), arguments_of(built(name))
    near = grows(encoding) or encoding.augmentation is not None
    positions = np.array([0.0, 3.0, 6.5] if near else [0.0, 4095.0, 1048575.0])
    x = vectors(encoding, 3, 3).astype(dtype)
    if target == "torch":
        import torch

        names = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
        given = torch.as_tensor(x.astype(np.float64)).to(names[np.dtype(dtype).name])
        narrow = module.transform_query(given, torch.as_tensor(positions), *values)
        assert narrow.dtype == given.dtype
        found = narrow.to(torch.float64).numpy()
    else:
        narrow = module.transform_query(x, positions, *values)
        assert narrow.dtype == x.dtype
        found = narrow.astype(np.float64)
    wide = call(target, module.transform_query, x.astype(np.float64), positions, *values)
    unit = float(ml_dtypes.finfo(dtype).eps)
    # 16 roundings in the compute dtype (float32) and one of the result, normwise
    size = np.linalg.norm(wide, axis=-1, keepdims=True)
    assert (np.abs(found - wide) <= (unit + 16 * 2.0**-23) * size).all()


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Equal up to the order of sums in a product with a basis."""
    return bool(np.allclose(a, b, rtol=0, atol=2.0**-44 * max(1.0, np.abs(a).max(initial=0.0))))


@pytest.mark.parametrize(("name", "target"), BOTH)
def test_shapes(name: str, target: str) -> None:
    encoding, module, values = built(name), kernel(name, target), arguments_of(built(name))
    added = encoding.augmentation.coordinates if encoding.augmentation else 0
    t = np.array([0, 2, 5])
    x = vectors(encoding, 3, 4, 2)
    for function in (module.transform_query, module.transform_key):
        full = call(target, function, x, t, *values)
        assert full.shape == (*x.shape[:-1], x.shape[-1] + added)
        # integer and real positions, lists of numbers, one position for all
        assert same(full, call(target, function, x, t.astype(np.float64), *values))
        one = call(target, function, x, 2, *values)
        assert same(one[..., 1, :], full[..., 1, :])
        # positions of their own for every batch entry
        heads = (1,) if len(encoding.heads) > 1 else ()
        rows = np.stack([t, t + 1]).reshape(2, *heads, 3)
        own = call(target, function, x, rows, *values)
        assert same(own[0], full[0])
        assert same(own[1], call(target, function, x[1], t + 1, *values))
        # nothing at all, and memory in another order
        empty = call(target, function, x[:0], t, *values)
        assert empty.shape == (0, *full.shape[1:])
        assert call(target, function, x[..., :0, :], t[:0], *values).shape[-2] == 0
        strange = np.swapaxes(np.ascontiguousarray(np.swapaxes(x, 0, -1)), 0, -1)
        assert same(full, call(target, function, strange, t, *values))


@pytest.mark.parametrize(("name", "target"), BOTH)
def test_input_is_left_alone(name: str, target: str) -> None:
    encoding, module, values = built(name), kernel(name, target), arguments_of(built(name))
    x = vectors(encoding, 3, 5)
    before = x.copy()
    call(target, module.transform_query, x, np.arange(3), *values)
    call(target, module.transform_key, x, np.arange(3), *values)
    assert np.array_equal(x, before)


@pytest.mark.parametrize(("name", "target"), [b for b in BOTH if b[0] != "nope"])
def test_integer_input_is_refused(name: str, target: str) -> None:
    encoding, module, values = built(name), kernel(name, target), arguments_of(built(name))
    x = vectors(encoding, 3, 5).astype(np.int64)
    with pytest.raises(TypeError, match="expected floating-point x"):
        call(target, module.transform_query, x, np.arange(3), *values)


@pytest.mark.parametrize(("name", "target"), ROTATIONS)
def test_far_positions_are_not_lost(name: str, target: str) -> None:
    """The same lag near 0 and near 2²⁰ gives the same score."""
    encoding, module = built(name), kernel(name, target)
    q, k = vectors(encoding, 1, 6), vectors(encoding, 1, 7)

    def score(t: int, s: int) -> np.ndarray:
        fq = call(target, module.transform_query, q, np.array([t]))
        return np.sum(fq * call(target, module.transform_key, k, np.array([s])), axis=-1)

    far = 2**20
    assert np.abs(score(far + 85, far) - score(85, 0)).max() < 1e-8


@pytest.mark.parametrize(("name", "target"), WITH_BIAS)
def test_bias_is_the_closed_form(name: str, target: str) -> None:
    encoding, module, values = built(name), kernel(name, target), arguments_of(built(name))
    t, s = np.array([0.0, 5.0, 4095.0]), np.array([1.0, 85.0])
    expected = np.array([[bias_of(encoding, a - b) for b in s] for a in t])
    if len(encoding.heads) > 1:
        expected = np.moveaxis(expected, -1, 0)
    options = {}
    if target == "torch":
        import torch

        assert module.bias(torch.as_tensor(t), torch.as_tensor(s), *values).dtype == torch.float32
        options = {"dtype": torch.float64}
    found = call(target, module.bias, t, s, *values, **options)
    assert found.dtype == np.float64
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= ROUNDING * np.abs(expected).max()


@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize("name", ["decay", "uniform-damped", "retention"])
def test_mask_form_is_stable_at_any_range(name: str, target: str) -> None:
    encoding, module = built(name), kernel(name, target)
    q, k = vectors(encoding, 3, 8, 2), vectors(encoding, 2, 9, 2)
    far = 10.0**6
    t, s = far + np.array([0.0, 4.0, 90.0]), far + np.array([0.0, 2.0])
    rotated = call(target, module.rotate, q, t) @ np.swapaxes(
        call(target, module.rotate, k, s), -1, -2
    )
    decays = call(target, module.decay, t, s)
    if target == "torch":
        assert decays.dtype == np.float32
    expected = expected_scores(encoding, q, k, t, s)
    assert decays.shape == expected.shape[1:]
    future = t[:, None] < s[None, :]
    assert (decays[..., future] == 0).all()
    seen = np.abs(decays * rotated - expected)[..., ~future]
    assert seen.max() < 1e-6  # the decay of the torch target is float32 by default
    assert np.isfinite(decays).all()


@pytest.mark.parametrize("name", ["rope", "menagerie", "alibi"])
def test_there_is_no_mask_form_without_a_common_decay(name: str) -> None:
    assert not hasattr(kernel(name, "numpy"), "rotate")
    assert not hasattr(kernel(name, "numpy"), "decay")


@pytest.mark.parametrize("name", ["rope", "alibi"])
def test_one_map_is_used_for_both_sides_only_when_it_may(name: str) -> None:
    module, encoding = kernel(name, "numpy"), built(name)
    x = vectors(encoding, 3, 10)
    q, k = (f(x, np.arange(3)) for f in (module.transform_query, module.transform_key))
    assert np.array_equal(q, k) == (name == "rope")


def test_temperature_is_stated_and_not_applied() -> None:
    module = kernel("warm-rope", "numpy")
    assert pytest.approx(np.log(8) / 10 + 1, rel=1e-15) == module.TEMPERATURE
    assert np.allclose(module.operator(0.0), np.eye(4), atol=0, rtol=0)


def test_constants_are_float64() -> None:
    for name, target in BOTH:
        for constant, value in vars(kernel(name, target)).items():
            if constant.isupper() and hasattr(value, "dtype") and value.ndim:
                base = constant.rstrip("0123456789_")
                whole = base.split("_")[-1] in INTEGER_TABLES
                assert str(value.dtype).endswith("int64" if whole else "float64"), (name, constant)
