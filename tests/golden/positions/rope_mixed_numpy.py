# Written by symbolic-pe: RoPE-Mixed: learned directions in the plane.
# reproduce:   symbolic-pe build 'rope-mixed:dim=8,layout=half' --target numpy
# target:      numpy
# spec:        {"catalogue": "rope-mixed", "settings": {"base": "10", "dim": "8", "direction": "3/5 4/5", "layout": "half", "x": "", "y": ""}}
# certificate: sha256:829ef419f15338993b370f6da2128f6f78c068702836966eab5936eeb4c8b124
# body:        sha256:c4e5af463c52dbb3a687335449cb9daba451ab9ac6cdc410fe0f7dfe7a9c3954
"""RoPE-Mixed: learned directions in the plane.

(F(p)q)^T (G(p')k) = q^T A(p - p') k, A(p) = exp(sum p_i X_i), for all p and p'.

Axes of positions, in order: x, y. Both sides have one map.
"""

import numpy as np

DIMENSION = 8
HEADS = 1
AXES = 2
# fmt: off
FREQUENCY = np.array([
    [0.6, 0.18973665961010275, -0.8, -0.25298221281347033],
    [0.8, 0.25298221281347033, 0.6, 0.18973665961010275],
])
# fmt: on
FIRST = np.arange(4)
SECOND = np.arange(4, 8)


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
