# Written by symbolic-pe: learned-ladder.
# reproduce:   symbolic-pe build learned-ladder.toml --target numpy
# target:      numpy
# spec:        {}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:004394139b21a223d15773a4225347beb1b4900dcef9f602c8cb04ab556d0476
"""Learned-ladder.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k, where

    A(τ) = exp(τX)
    X = −θ_j J,  A(τ) = R(−θ_j τ)  on planes (2j, 2j + 1), j < 4, with
        θ_j = w*10000^(-2*j/8)

Here J = [[0, −1], [1, 0]], R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]].

Gauge: query and key both turn by +θ·(position − reference). A is orthogonal, so one map
    serves both sides, and the reference cancels.

Layout: as given; the channels are named above.

Precision: angles and exponents in float64 whatever the dtype of the input; cosines,
    sines and exponentials rounded once to the compute dtype (float64 for float64 input,
    else float32); the result in the dtype of x. θ is the exact number, not a
    checkpoint's float32 value.

Range: every position.

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k for all real t, s
    and every reference, up to rounding; the laws of A are proved in the certificate
    named above.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ np.swapaxes(key, -1, -2)
"""

import numpy as np

DIMENSION = 8
HEADS = 1


def transform_query(x, position, w, reference=0.0):
    """F(t)x = A(t − c)ᵀx for queries x of shape (..., n, 8).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.
    """
    return _transform(x, position, reference, w)


def transform_key(x, position, w, reference=0.0):
    """G(s)x = A(c − s)x for keys x of shape (..., n, 8).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.
    """
    return _transform(x, position, reference, w)


def operator(lag, w):
    """The matrix A(lag) = F(lag)ᵀ of shape (8, 8), float64; lag is one number."""
    identity = np.eye(DIMENSION)
    return transform_query(identity, lag, w)


def _transform(x, position, reference, w):
    """A(u)ᵀx = A(−u)x for query and key, u = position − reference."""
    x = np.asarray(x)
    if x.dtype.kind in "biu":
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    compute = np.result_type(x.dtype, np.float32)
    u = (np.asarray(position, np.float64) - reference)[..., None]
    w = np.asarray(w, np.float64)
    wide = x.astype(compute)
    result = np.empty_like(x)
    theta = w * 10000.0 ** (-2 * np.arange(4) / 8)
    angle = u * theta
    cosine, sine = np.cos(angle).astype(compute), np.sin(angle).astype(compute)
    first, second = wide[..., 0::2], wide[..., 1::2]
    result[..., 0::2] = cosine * first - sine * second
    result[..., 1::2] = sine * first + cosine * second
    return result
