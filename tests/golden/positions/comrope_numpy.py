# Written by symbolic-pe: ComRoPE: trainable commuting blocks.
# reproduce:   symbolic-pe build 'comrope:' --target numpy
# target:      numpy
# spec:        {"catalogue": "comrope", "settings": {"block": "4", "dim": "8", "entries": "1 0 1/2 0 1/3 1/4", "form": "axial", "weights": "1 1/2 1/3 1"}}
# certificate: sha256:d03f6bca5be8aa1702573325bae173790cde0cc770676a6da08fe9964e66fcfe
# body:        sha256:66568913d52d7f6738e220b062d192215fa159706ff80e079b54ec39bc229136
"""ComRoPE: trainable commuting blocks.

(F(p)q)^T (G(p')k) = q^T A(p - p') k, A(p) = exp(sum p_i X_i), for all p and p'.

Axes of positions, in order: x, y. Both sides have one map. The constants are of
generators within 5.6e-39 of X_i, entry by entry.
"""

import numpy as np

DIMENSION = 8
HEADS = 1
AXES = 2
# fmt: off
FREQUENCY = np.array([
    [0.21294809926760175, 1.1739949821568347, 0.0, 0.0],
    [0.0, 0.0, 0.21294809926760175, 1.1739949821568347],
])
# fmt: on
FIRST = np.arange(0, 8, 2)
SECOND = np.arange(1, 9, 2)
# fmt: off
BASIS = np.array([
    [0.0, 0.31020668494134157, 0.0, -0.950669139405347],
    [
        0.19481153289831776, -0.4030829089428554, -0.8844620883627128,
        -0.13152737136064918,
    ],
    [
        -0.9464346249841852, -0.3023121817071416, -0.05601700746582848,
        -0.09864552852048687,
    ],
    [-0.2575072179199106, 0.8061658178857108, -0.4632374219810421, 0.26305474272129836],
])
# fmt: on


def transform_query(x, position):
    """F(p)x for x of shape (..., n, DIMENSION) at positions of shape (..., n, AXES).

    Angles are float64; the result has the dtype of x.
    """
    wide = np.result_type(x.dtype, np.float32)
    turned = x.astype(wide)
    blocks = turned.reshape(*x.shape[:-1], 2, 4)
    turned = (blocks @ BASIS.astype(wide)).reshape(x.shape)
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
