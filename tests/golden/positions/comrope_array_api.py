# Written by symbolic-pe: ComRoPE: trainable commuting blocks.
# reproduce:   symbolic-pe build 'comrope:' --target array-api
# target:      array-api
# spec:        {"catalogue": "comrope", "settings": {"block": "4", "dim": "8", "entries": "1 0 1/2 0 1/3 1/4", "form": "axial", "weights": "1 1/2 1/3 1"}}
# certificate: sha256:d03f6bca5be8aa1702573325bae173790cde0cc770676a6da08fe9964e66fcfe
# body:        sha256:ff1e1a5c2224db86af06cf2057c058591b9b85b267b2d267b8eb0af7ae1765a3
"""ComRoPE: trainable commuting blocks.

(F(p)q)^T (G(p')k) = q^T A(p - p') k, A(p) = exp(sum p_i X_i), for all p and p'.

Axes of positions, in order: x, y. Both sides have one map. The constants are of
generators within 5.6e-39 of X_i, entry by entry.
"""

from array_api_compat import array_namespace, device

DIMENSION = 8
HEADS = 1
AXES = 2
# fmt: off
FREQUENCY = [
    [
        -0.21294809926760175, 0.21294809926760175, -1.1739949821568347,
        1.1739949821568347, 0.0, 0.0, 0.0, 0.0,
    ],
    [
        0.0, 0.0, 0.0, 0.0, -0.21294809926760175, 0.21294809926760175,
        -1.1739949821568347, 1.1739949821568347,
    ],
]
# fmt: on
PARTNER = [1, 0, 3, 2, 5, 4, 7, 6]
# fmt: off
BASIS = [
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
]
# fmt: on


def transform_query(x, position):
    """F(p)x for x of shape (..., n, DIMENSION) at positions of shape (..., n, AXES).

    Angles are float64; the result has the dtype of x.
    """
    xp = array_namespace(x)
    wide = xp.result_type(x.dtype, xp.float32)
    result = xp.astype(x, wide)
    blocks = xp.reshape(result, (*x.shape[:-1], 2, 4))
    result = xp.reshape(blocks @ xp.astype(_values(BASIS, x), wide), x.shape)
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
    position = xp.expand_dims(lag, axis=0)
    query = transform_query(identity, position)
    key = transform_key(identity, 0 * position)
    return query @ xp.matrix_transpose(key)
