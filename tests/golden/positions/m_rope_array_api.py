# Written by symbolic-pe: M-RoPE: time, height and width share one ladder.
# reproduce:   symbolic-pe build 'm-rope:dim=16,sections=2 3 3,arrangement=sections' --target array-api
# target:      array-api
# spec:        {"catalogue": "m-rope", "settings": {"arrangement": "sections", "base": "1000000", "dim": "16", "layout": "half", "sections": "2 3 3"}}
# certificate: sha256:a3a0c62155b90ecd6e5825cdad67ba6624a86e28c74bb0a5ec0b6ceb38cf1266
# body:        sha256:de49e514278903508da4fbc2840506f3ce6ebe91bc2015778903943d8f47310c
"""M-RoPE: time, height and width share one ladder.

(F(p)q)^T (G(p')k) = q^T A(p - p') k, A(p) = exp(sum p_i X_i), for all p and p'.

Axes of positions, in order: t, h, w. Both sides have one map.
"""

from array_api_compat import array_namespace, device

DIMENSION = 16
HEADS = 1
AXES = 3
# fmt: off
FREQUENCY = [
    [
        -1.0, -0.1778279410038923, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
        0.1778279410038923, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    ],
    [
        0.0, 0.0, -0.03162277660168379, -0.005623413251903491, -0.001, 0.0, 0.0, 0.0,
        0.0, 0.0, 0.03162277660168379, 0.005623413251903491, 0.001, 0.0, 0.0, 0.0,
    ],
    [
        0.0, 0.0, 0.0, 0.0, 0.0, -0.00017782794100389227, -3.1622776601683795e-05,
        -5.623413251903491e-06, 0.0, 0.0, 0.0, 0.0, 0.0, 0.00017782794100389227,
        3.1622776601683795e-05, 5.623413251903491e-06,
    ],
]
# fmt: on
PARTNER = [8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7]


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
