# Written by symbolic-pe: Gated linear attention: a learned clock for each channel.
# reproduce:   symbolic-pe build 'gla:dim=4' --target numpy
# target:      numpy
# spec:        {"catalogue": "gla", "settings": {"dim": "4", "normaliser": "16"}}
# certificate: sha256:21aa847b1b69689889589b182a3a1fe189fbc2ad9f39d3d1f88b7acaed9ed821
# body:        sha256:cbe12be7b34b077f9d669fd2f1e8a07629a24c6f33930e112f0f0bd8b8ccabe9
"""Gated linear attention: a learned clock for each channel.

(F(p)q)^T (G(p')k) = q^T A(p - p') k, A(p) = exp(sum p_i X_i), for all p and p'.

Axes of positions, in order: T0, T1, T2, T3. Queries are scaled by e^(a (p - reference))
and keys by its inverse, so one side grows: keep the reference near the positions of a
call.
"""

import numpy as np

DIMENSION = 4
HEADS = 1
AXES = 4
RATE = -0.0625 * np.eye(DIMENSION)


def _transform(x, position, reference, sign):
    """The map of one side, in the dtype of x; angles are float64."""
    wide = np.result_type(x.dtype, np.float32)
    elapsed = np.asarray(position, dtype=np.float64) - reference
    result = np.exp(sign * (elapsed @ RATE)).astype(wide) * x
    return result.astype(x.dtype)


def transform_query(x, position, reference=0.0):
    """F(p)x for x of shape (..., n, DIMENSION) at positions (..., n, AXES)."""
    return _transform(x, position, reference, 1.0)


def transform_key(x, position, reference=0.0):
    """G(p)x, the inverse transpose."""
    return _transform(x, position, reference, -1.0)


def operator(lag):
    """A(p) for one difference p of positions, of shape (AXES,)."""
    identity = np.eye(DIMENSION)
    rows = transform_key(identity, -lag[None, :])
    return rows.T
