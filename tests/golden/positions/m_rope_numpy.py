# Written by symbolic-pe: M-RoPE: time, height and width share one ladder.
# reproduce:   symbolic-pe build 'm-rope:dim=16,sections=2 3 3,arrangement=sections' --target numpy
# target:      numpy
# spec:        {"catalogue": "m-rope", "settings": {"arrangement": "sections", "base": "1000000", "dim": "16", "layout": "half", "sections": "2 3 3"}}
# certificate: sha256:a3a0c62155b90ecd6e5825cdad67ba6624a86e28c74bb0a5ec0b6ceb38cf1266
# body:        sha256:ed995a3c027c2effcad46affbc38b5e876b4d8c3351841fbf6ec70a8cc136865
"""M-RoPE: time, height and width share one ladder.

(F(p)q)^T (G(p')k) = q^T A(p - p') k, A(p) = exp(sum p_i X_i), for all p and p'.

Axes of positions, in order: t, h, w. Both sides have one map.
"""

import numpy as np

DIMENSION = 16
HEADS = 1
AXES = 3
# fmt: off
FREQUENCY = np.array([
    [1.0, 0.1778279410038923, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 0.03162277660168379, 0.005623413251903491, 0.001, 0.0, 0.0, 0.0],
    [
        0.0, 0.0, 0.0, 0.0, 0.0, 0.00017782794100389227, 3.1622776601683795e-05,
        5.623413251903491e-06,
    ],
])
# fmt: on
FIRST = np.arange(8)
SECOND = np.arange(8, 16)


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
