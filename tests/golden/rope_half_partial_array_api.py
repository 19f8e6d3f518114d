# Written by symbolic-pe: Rotary position embedding.
# reproduce:   symbolic-pe build rope:dim=8,layout=half,rotary_dim=4 --target array-api
# target:      array-api
# spec:        {"catalogue": "rope", "settings": {"angles": "float64", "base": "10000", "dim": "8", "frequencies": "exact", "layout": "half", "rotary_dim": "4"}}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:bcbee95cc98683ce023bb1494a224583ca627af6da0a7214a6aef1d5a8ba5152
"""Rotary position embedding.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k, where

    A(τ) = exp(τX)
    X = −θ_j J,  A(τ) = R(−θ_j τ)  on planes (0, 2), (1, 3), with θ_j = 10000^(-2*j/4)
    X = 0,  A(τ) = 1  on channels 4 to 7

Here J = [[0, −1], [1, 0]], R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]].

Gauge: query and key both turn by +θ·(position − reference). A is orthogonal, so one map
    serves both sides, and the reference cancels.

Layout: half, a plane pairs one channel of the first half with one of the second.

Precision: angles and exponents in float64 whatever the dtype of the input; cosines,
    sines and exponentials rounded once to the compute dtype (float64 for float64 input,
    else float32); the result in the dtype of x. θ is the exact number, not a
    checkpoint's float32 value.

Range: every position. Up to 1048576, angles are off by less than 4e-09 rad.

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k for all real t, s
    and every reference, up to rounding; the laws of A are proved in the certificate
    named above.

Source: Su et al., RoFormer, arXiv:2104.09864.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ array_namespace(key).matrix_transpose(key)
"""

from array_api_compat import array_namespace, device

DIMENSION = 8
HEADS = 1
THETA = [10000.0 ** (-2 * j / 4) for j in range(2)]


def transform_query(x, position, reference=0.0):
    """F(t)x = A(t − c)ᵀx for queries x of shape (..., n, 8).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.
    """
    return _transform(x, position, reference)


def transform_key(x, position, reference=0.0):
    """G(s)x = A(c − s)x for keys x of shape (..., n, 8).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.
    """
    return _transform(x, position, reference)


def operator(lag):
    """The matrix A(lag) = F(lag)ᵀ of shape (8, 8), float64; lag is a 0-d array."""
    xp = array_namespace(lag)
    identity = xp.eye(DIMENSION, dtype=xp.float64, device=device(lag))
    return transform_query(identity, lag)


def _transform(x, position, reference):
    """A(u)ᵀx = A(−u)x for query and key, u = position − reference."""
    xp = array_namespace(x)
    if xp.isdtype(x.dtype, ("bool", "integral")):
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    compute = xp.result_type(x.dtype, xp.float32)
    position = xp.asarray(position, dtype=xp.float64, device=device(x))
    u = xp.expand_dims(position - reference, axis=-1)
    wide = xp.astype(x, compute)
    # planes (0, 2), (1, 3)
    angle = u * _values(THETA, u)
    cosine, sine = xp.astype(xp.cos(angle), compute), xp.astype(xp.sin(angle), compute)
    first, second = wide[..., :2], wide[..., 2:4]
    turned_first = cosine * first - sine * second
    turned_second = sine * first + cosine * second
    result = xp.concat((turned_first, turned_second, wide[..., 4:]), axis=-1)
    return xp.astype(result, x.dtype)


def _values(values, like):
    """A list of numbers as float64 in the library and on the device of an array."""
    xp = array_namespace(like)
    return xp.asarray(values, dtype=xp.float64, device=device(like))
