# Written by symbolic-pe: GRAPE, multiplicative form.
# reproduce:   symbolic-pe build grape-m:dim=8 --target array-api
# target:      array-api
# spec:        {"catalogue": "grape-m", "settings": {"a": "", "b": "", "base": "10000", "dim": "8", "layout": "half"}}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:236b9064bf2fa7210b8bbb17449e9de7c67feb6e780c6f1bfaceeec196a3aaaa
"""GRAPE, multiplicative form.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k, where

    A(τ) = exp(τX)
    X = ω_j J,  A(τ) = R(ω_j τ)  on planes (j, j + 4), j < 4, with ω_j = 10000^(-2*j/8)

Here J = [[0, −1], [1, 0]], R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]].

Gauge: query and key both turn by −ω·(position − reference). A is orthogonal, so one map
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

Source: Zhang et al., Group Representational Position Encoding, ICLR 2026.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ array_namespace(key).matrix_transpose(key)
"""

from array_api_compat import array_namespace, device

DIMENSION = 8
HEADS = 1
OMEGA = [10000.0 ** (-2 * j / 8) for j in range(4)]


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
    angle = -u * _values(OMEGA, u)
    cosine, sine = xp.astype(xp.cos(angle), compute), xp.astype(xp.sin(angle), compute)
    first, second = wide[..., :4], wide[..., 4:]
    turned_first = cosine * first - sine * second
    turned_second = sine * first + cosine * second
    result = xp.concat((turned_first, turned_second), axis=-1)
    return xp.astype(result, x.dtype)


def _values(values, like):
    """A list of numbers as float64 in the library and on the device of an array."""
    xp = array_namespace(like)
    return xp.asarray(values, dtype=xp.float64, device=device(like))
