"""Subjects in JAX: right ones are acquitted, faulty ones are not, and lines run there too."""

from __future__ import annotations

from typing import Any

import pytest

from numeric_check.audit import audit

jax = pytest.importorskip("jax")
jnp = jax.numpy

DIMENSION = 4
HALF = f"rope:dim={DIMENSION},layout=half"


def turned(x: Any, angle: Any) -> Any:
    c, s = jnp.cos(angle).astype(x.dtype), jnp.sin(angle).astype(x.dtype)
    a, b = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([a * c - b * s, b * c + a * s], axis=-1)


def ladder(d: int) -> Any:
    return 10000.0 ** (-jnp.arange(0, d, 2) / d)


def rope(x: Any, positions: Any) -> Any:
    return turned(x, positions.astype(jnp.float32)[:, None] * ladder(x.shape[-1]))


def interleaved(x: Any, positions: Any) -> Any:
    y = rope(jnp.concatenate([x[..., 0::2], x[..., 1::2]], axis=-1), positions)
    return jnp.stack(jnp.split(y, 2, axis=-1), axis=-1).reshape(x.shape)


def in_the_dtype_of_x(x: Any, positions: Any) -> Any:
    return turned(x, positions[:, None].astype(x.dtype) * ladder(x.shape[-1]).astype(x.dtype))


def clipped(x: Any, positions: Any) -> Any:
    """JAX clips an index that is too large, without a word."""
    table = jnp.arange(512.0)[:, None] * ladder(x.shape[-1])
    return turned(x, table[positions])


def backwards(x: Any, positions: Any) -> Any:
    return rope(x, -positions)


def without_gradient(x: Any, positions: Any) -> Any:
    return jax.lax.stop_gradient(rope(x, positions))


def alibi(t: Any, s: Any) -> Any:
    slopes = 2.0 ** (-jnp.arange(1.0, 9.0))
    return slopes[:, None, None] * (s[None] - t[:, None])[None].astype(jnp.float32)


def sines(positions: Any) -> Any:
    angle = positions[:, None].astype(jnp.float32) * ladder(DIMENSION)
    return jnp.concatenate([jnp.sin(angle), jnp.cos(angle)], axis=-1)


def test_a_compiled_map() -> None:
    report = audit(jax.jit(rope), against=HALF, library="jax")
    assert report.exit_code == 0
    assert report.conditions["library"] == "jax"
    assert report.of("gradient").verdict == "consistent"


def test_positions_in_the_dtype_of_x() -> None:
    report = audit(in_the_dtype_of_x, dimension=DIMENSION)
    assert "positions" in report.of("precision bfloat16").detail
    assert report.of("precision float32").verdict == "consistent"


def test_biases_tables_and_scores() -> None:
    assert audit(alibi, kind="bias", against="alibi:heads=8").exit_code == 0
    assert audit(lambda t, s: -alibi(t, s), kind="bias").of("sign").verdict == "refuted"
    assert audit(sines, kind="table").exit_code == 0
    score = lambda q, k, t, s: rope(q, t) @ backwards(k, s).T  # noqa: E731
    assert audit(score, kind="score", dimension=DIMENSION).of("relative").verdict == "refuted"


@pytest.mark.slow
def test_other_faults() -> None:
    assert audit(interleaved, against=f"rope:dim={DIMENSION}", library="jax").exit_code == 0
    assert audit(clipped, dimension=DIMENSION).of("relative").verdict == "refuted"
    assert audit(rope, key=backwards, dimension=DIMENSION).of("relative").verdict == "refuted"
    assert audit(without_gradient, dimension=DIMENSION).of("gradient").verdict == "refuted"
