# Written by symbolic-pe: RoPE-Mixed: learned directions in the plane.
# reproduce:   symbolic-pe build 'rope-mixed:dim=8,layout=half' --target array-api
# target:      array-api
# spec:        {"catalogue": "rope-mixed", "settings": {"base": "10", "dim": "8", "direction": "3/5 4/5", "layout": "half", "x": "", "y": ""}}
# certificate: sha256:829ef419f15338993b370f6da2128f6f78c068702836966eab5936eeb4c8b124
# body:        sha256:74ddd24312f41d49c0b01ef31fadcecd75d8c85515c9e33911e59d602ed43d38
"""RoPE-Mixed: learned directions in the plane.

(F(p)q)^T (G(p')k) = q^T A(p - p') k, A(p) = exp(sum p_i X_i), for all p and p'.

Axes of positions, in order: x, y. Both sides have one map.
"""

from array_api_compat import array_namespace, device

DIMENSION = 8
HEADS = 1
AXES = 2
# fmt: off
FREQUENCY = [
    [
        -0.6, -0.18973665961010275, 0.8, 0.25298221281347033, 0.6, 0.18973665961010275,
        -0.8, -0.25298221281347033,
    ],
    [
        -0.8, -0.25298221281347033, -0.6, -0.18973665961010275, 0.8,
        0.25298221281347033, 0.6, 0.18973665961010275,
    ],
]
# fmt: on
PARTNER = [4, 5, 6, 7, 0, 1, 2, 3]


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
