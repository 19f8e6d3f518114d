# Written by symbolic-pe: Axial rotary embedding of pictures.
# reproduce:   symbolic-pe build 'axial:dim=8' --target array-api
# target:      array-api
# spec:        {"catalogue": "axial", "settings": {"base": "100", "dim": "8", "layout": "interleaved"}}
# certificate: sha256:fc145068a4a40ba7dbfbf08239eb37f75eb8f7dae527bb2de13f92ad57c5410d
# body:        sha256:0ea95a8e09f7865badcf4209e0b97327cfab56d9b7bbe4e075b96a63f1ddacb0
"""Axial rotary embedding of pictures.

(F(p)q)^T (G(p')k) = q^T A(p - p') k, A(p) = exp(sum p_i X_i), for all p and p'.

Axes of positions, in order: x, y. Both sides have one map.
"""

from array_api_compat import array_namespace, device

DIMENSION = 8
HEADS = 1
AXES = 2
# fmt: off
FREQUENCY = [
    [-1.0, 1.0, -0.1, 0.1, 0.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, -1.0, 1.0, -0.1, 0.1],
]
# fmt: on
PARTNER = [1, 0, 3, 2, 5, 4, 7, 6]


def transform_query(x, position):
    """F(p)x for x of shape (..., n, DIMENSION) at positions of shape (..., n, AXES).

    Angles are float64; the result has the dtype of x.
    """
    xp = array_namespace(x)
    wide = xp.result_type(x.dtype, xp.float32)
    result = xp.astype(x, wide)
    elapsed = xp.asarray(position, dtype=xp.float64, device=device(x))
    angle = elapsed @ _values(FREQUENCY, x)
    cosine = xp.astype(xp.cos(angle), wide)
    sine = xp.astype(xp.sin(angle), wide)
    partner = xp.asarray(PARTNER, device=device(x))
    result = cosine * result + sine * xp.take(result, partner, axis=-1)
    return xp.astype(result, x.dtype)


def _values(numbers, x):
    """Numbers in float64, where x is."""
    xp = array_namespace(x)
    return xp.asarray(numbers, dtype=xp.float64, device=device(x))


def transform_key(x, position):
    """G(p)x: the map of queries, because every generator is skew."""
    return transform_query(x, position)


def operator(lag):
    """A(p) for one difference p of positions, of shape (AXES,)."""
    xp = array_namespace(lag)
    identity = xp.eye(DIMENSION, dtype=xp.float64, device=device(lag))
    rows = transform_key(identity, -xp.expand_dims(lag, axis=0))
    return xp.matrix_transpose(rows)
