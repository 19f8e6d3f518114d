# Written by symbolic-pe: p-RoPE: the lowest frequencies are dropped.
# reproduce:   symbolic-pe build p-rope:dim=8 --target numpy
# target:      numpy
# spec:        {"catalogue": "p-rope", "settings": {"angles": "float64", "base": "10000", "dim": "8", "factor": "1", "fraction": "3/4", "layout": "half"}}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:866ecefb9bacc4898ad37bdb92c49d1aa7e99bd9d18db113530b862f937498ae
"""p-RoPE: the lowest frequencies are dropped.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k, where

    A(τ) = exp(τX)
    X = −θ_j J,  A(τ) = R(−θ_j τ)  on planes (j, j + 4), j < 3, with
        θ_j = 10000^(-2*j/8)
    X = 0,  A(τ) = 1  on channels 3, 7

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

Source: Barbero et al., arXiv:2410.06205, appendix D; transformers rope_type
    proportional.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ np.swapaxes(key, -1, -2)
"""

import numpy as np

DIMENSION = 8
HEADS = 1
THETA = 10000.0 ** (-2 * np.arange(3) / 8)


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
    """The matrix A(lag) = F(lag)ᵀ of shape (8, 8), float64; lag is one number."""
    identity = np.eye(DIMENSION)
    return transform_query(identity, lag)


def _transform(x, position, reference):
    """A(u)ᵀx = A(−u)x for query and key, u = position − reference."""
    x = np.asarray(x)
    if x.dtype.kind in "biu":
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    compute = np.result_type(x.dtype, np.float32)
    u = (np.asarray(position, np.float64) - reference)[..., None]
    wide = x.astype(compute)
    result = x.copy()
    # planes (j, j + 4), j < 3
    angle = u * THETA
    cosine, sine = np.cos(angle).astype(compute), np.sin(angle).astype(compute)
    first, second = wide[..., :3], wide[..., 4:7]
    result[..., :3] = cosine * first - sine * second
    result[..., 4:7] = sine * first + cosine * second
    return result
