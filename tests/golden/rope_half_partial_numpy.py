# Written by symbolic-pe: Rotary position embedding.
# reproduce:   symbolic-pe build rope:dim=8,layout=half,rotary_dim=4 --target numpy
# target:      numpy
# spec:        {"catalogue": "rope", "settings": {"angles": "float64", "base": "10000", "dim": "8", "frequencies": "exact", "layout": "half", "rotary_dim": "4"}}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:9f6bbca2c972f3e803cd13d87c8c1c114d747fea97af53d153d3b3effec4bba7
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
    logits = query @ np.swapaxes(key, -1, -2)
"""

import numpy as np

DIMENSION = 8
HEADS = 1
THETA = 10000.0 ** (-2 * np.arange(2) / 4)


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


def cos_sin(position, reference=0.0, *, dtype=np.float32):
    """cos and sin of shape (..., n, 4), as rotary code of other packages takes them.

    x·cos + rotate(x)·sin is transform_query(x, position, reference), with rotate(a, b)
    = (−b, a) on halves a, b of the first 4 channels.
    """
    cosine, sine = _waves(position, reference, dtype)
    return np.concatenate((cosine, cosine), -1), np.concatenate((sine, sine), -1)


def _transform(x, position, reference):
    """A(u)ᵀx = A(−u)x for query and key, u = position − reference."""
    x = np.asarray(x)
    if x.dtype.kind in "biu":
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    compute = np.result_type(x.dtype, np.float32)
    wide = x.astype(compute)
    result = x.copy()
    # planes (0, 2), (1, 3)
    cosine, sine = _waves(position, reference, compute)
    first, second = wide[..., :2], wide[..., 2:4]
    result[..., :2] = cosine * first - sine * second
    result[..., 2:4] = sine * first + cosine * second
    return result


def _waves(position, reference, dtype):
    """cos and sin of the angles, of shape (..., n, 2), in dtype."""
    u = (np.asarray(position, np.float64) - reference)[..., None]
    angle = u * THETA
    return np.cos(angle).astype(dtype), np.sin(angle).astype(dtype)
