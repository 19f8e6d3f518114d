# Written by symbolic-pe: Gated linear attention: a learned clock for each channel.
# reproduce:   symbolic-pe build 'gla:dim=4' --target array-api
# target:      array-api
# spec:        {"catalogue": "gla", "settings": {"dim": "4", "normaliser": "16"}}
# certificate: sha256:21aa847b1b69689889589b182a3a1fe189fbc2ad9f39d3d1f88b7acaed9ed821
# body:        sha256:38610752b313923f64a59b151688be1574e4944a766eb385e1b982d31791ed70
"""Gated linear attention: a learned clock for each channel.

(F(p)q)^T (G(p')k) = q^T A(p - p') k, A(p) = exp(sum p_i X_i), for all p and p'.

Axes of positions, in order: T0, T1, T2, T3. Queries are scaled by e^(a (p - reference))
and keys by its inverse, so one side grows: keep the reference near the positions of a
call.
"""

from array_api_compat import array_namespace, device

DIMENSION = 4
HEADS = 1
AXES = 4
RATE = [[-0.0625 * (i == j) for j in range(AXES)] for i in range(AXES)]


def _transform(x, position, reference, sign):
    """The map of one side, in the dtype of x; angles are float64."""
    xp = array_namespace(x)
    wide = xp.result_type(x.dtype, xp.float32)
    result = xp.astype(x, wide)
    elapsed = xp.asarray(position, dtype=xp.float64, device=device(x)) - reference
    growth = xp.exp(sign * (elapsed @ _values(RATE, x)))
    result = xp.astype(growth, wide) * result
    return xp.astype(result, x.dtype)


def _values(numbers, x):
    """Numbers in float64, where x is."""
    xp = array_namespace(x)
    return xp.asarray(numbers, dtype=xp.float64, device=device(x))


def transform_query(x, position, reference=0.0):
    """F(p)x for x of shape (..., n, DIMENSION) at positions (..., n, AXES)."""
    return _transform(x, position, reference, 1.0)


def transform_key(x, position, reference=0.0):
    """G(p)x, the inverse transpose."""
    return _transform(x, position, reference, -1.0)


def operator(lag):
    """A(p) for one difference p of positions, of shape (AXES,)."""
    xp = array_namespace(lag)
    identity = xp.eye(DIMENSION, dtype=xp.float64, device=device(lag))
    rows = transform_key(identity, -xp.expand_dims(lag, axis=0))
    return xp.matrix_transpose(rows)
