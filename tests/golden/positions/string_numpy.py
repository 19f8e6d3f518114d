# Written by symbolic-pe: STRING: commuting skew generators in a learned basis.
# reproduce:   symbolic-pe build 'string:' --target numpy
# target:      numpy
# spec:        {"catalogue": "string", "settings": {"dim": "4", "form": "cayley", "skew": "1/2 0 0 1/3 0 1/4", "x": "1 1/10", "y": "1/10 1"}}
# certificate: sha256:98932301be012cd02bd432ce37fcec6ee35032996b311f0899d31c943fa40410
# body:        sha256:3da30175b8726293916cddaede6a9f56b0911c1e95f59f81c4b170e8979ea887
"""STRING: commuting skew generators in a learned basis.

(F(p)q)^T (G(p')k) = q^T A(p - p') k, A(p) = exp(sum p_i X_i), for all p and p'.

Axes of positions, in order: x, y. Both sides have one map.
"""

import numpy as np

DIMENSION = 4
HEADS = 1
AXES = 2
FREQUENCY = np.array([[1.0, 0.1], [0.1, 1.0]])
FIRST = np.arange(0, 4, 2)
SECOND = np.arange(1, 5, 2)
# fmt: off
BASIS = np.array([
    [0.6308805790108565, -0.738238841978287, 0.2316043425814234, -0.05790108564535585],
    [0.738238841978287, 0.4764776839565742, -0.4632086851628468, 0.1158021712907117],
    [0.2316043425814234, 0.4632086851628468, 0.7370325693606755, -0.43425814234016885],
    [0.05790108564535585, 0.1158021712907117, 0.43425814234016885, 0.8914354644149578],
])
# fmt: on


def transform_query(x, position):
    """F(p)x for x of shape (..., n, DIMENSION) at positions of shape (..., n, AXES).

    Angles are float64; the result has the dtype of x.
    """
    wide = np.result_type(x.dtype, np.float32)
    turned = x.astype(wide)
    turned = turned @ BASIS.astype(wide)
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
    query = transform_query(identity, lag[None, :])
    key = transform_key(identity, 0 * lag[None, :])
    return query @ key.T
