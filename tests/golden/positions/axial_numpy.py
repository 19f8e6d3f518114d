# Written by symbolic-pe: Axial rotary embedding of pictures.
# reproduce:   symbolic-pe build 'axial:dim=8' --target numpy
# target:      numpy
# spec:        {"catalogue": "axial", "settings": {"base": "100", "dim": "8", "layout": "interleaved"}}
# certificate: sha256:fc145068a4a40ba7dbfbf08239eb37f75eb8f7dae527bb2de13f92ad57c5410d
# body:        sha256:3ea4fdf4dd5addff842da7faf256b2e2fcd02ad75a6d56ee1f43ef630c0b7a61
"""Axial rotary embedding of pictures.

(F(p)q)^T (G(p')k) = q^T A(p - p') k, A(p) = exp(sum p_i X_i), for all p and p'.

Axes of positions, in order: x, y. Both sides have one map.
"""

import numpy as np

DIMENSION = 8
HEADS = 1
AXES = 2
FREQUENCY = np.array([[1.0, 0.1, 0.0, 0.0], [0.0, 0.0, 1.0, 0.1]])
FIRST = np.arange(0, 8, 2)
SECOND = np.arange(1, 9, 2)


def transform_query(x, position):
    """F(p)x for x of shape (..., n, DIMENSION) at positions of shape (..., n, AXES).

    Angles are float64; the result has the dtype of x.
    """
    wide = np.result_type(x.dtype, np.float32)
    turned = x.astype(wide)
    elapsed = np.asarray(position, dtype=np.float64)
    angle = elapsed @ FREQUENCY
    cosine = np.cos(angle).astype(wide)
    sine = np.sin(angle).astype(wide)
    first, second = turned[..., FIRST], turned[..., SECOND]
    result = turned.copy()
    result[..., FIRST] = cosine * first - sine * second
    result[..., SECOND] = sine * first + cosine * second
    return result.astype(x.dtype)


def transform_key(x, position):
    """G(p)x: the map of queries, because every generator is skew."""
    return transform_query(x, position)


def operator(lag):
    """A(p) for one difference p of positions, of shape (AXES,)."""
    identity = np.eye(DIMENSION)
    rows = transform_key(identity, -lag[None, :])
    return rows.T
