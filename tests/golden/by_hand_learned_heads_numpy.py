# Written by symbolic-pe: learned-heads.
# reproduce:   symbolic-pe build learned-heads.toml --target numpy
# target:      numpy
# spec:        {}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:5653e0ebcd2b6ea86cd3d286b808e1aef91676fcecc182eade964a92e02519a8
"""Learned-heads.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k in every
head, where

    A(τ) = exp(τX)
    X = a_hj I − θ_hj J,  A(τ) = e^(a_hj τ) R(−θ_hj τ)  on planes (0, 1), (2, 3), with
        a_hj listed below, θ_hj listed below
    X = a_h,  A(τ) = e^(a_h τ)  on channel 4, with a_h listed below

Here J = [[0, −1], [1, 0]], R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]].

Gauge: F(t) = A(t − c)ᵀ for the query, G(s) = A(c − s) for the key, c the reference,
    which cancels in the score and must be the same for both.

Layout: as given; the channels are named above.

Precision: angles and exponents in float64 whatever the dtype of the input; cosines,
    sines and exponentials rounded once to the compute dtype (float64 for float64 input,
    else float32); the result in the dtype of x.

Range: |position − reference| up to 88 (float32 and bfloat16) and 11 (float16), where
    e^(±a·(position − reference)) stays finite; beyond, move the reference along. The
    maps are finite for r·|position − reference| < 88 (float32 and bfloat16) or 11
    (float16), r the largest |real part| of an eigenvalue; beyond, move the reference
    along.

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k for all real t, s
    and every reference, in exact arithmetic; rounding is as in Range; the laws of A are
    proved in the certificate named above.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ np.swapaxes(key, -1, -2)
"""

import numpy as np

DIMENSION = 5
HEADS = 2


def transform_query(x, position, a, b, reference=0.0):
    """F(t)x = A(t − c)ᵀx for queries x of shape (..., 2, n, 5).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: |position − reference| up to 88 (float32 and bfloat16) and 11 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along.
    The maps are finite for r·|position − reference| < 88 (float32 and bfloat16) or 11
    (float16), r the largest |real part| of an eigenvalue; beyond, move the reference
    along.
    """
    return _transform(x, position, reference, 1, a, b)


def transform_key(x, position, a, b, reference=0.0):
    """G(s)x = A(c − s)x for keys x of shape (..., 2, n, 5).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: |position − reference| up to 88 (float32 and bfloat16) and 11 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along.
    The maps are finite for r·|position − reference| < 88 (float32 and bfloat16) or 11
    (float16), r the largest |real part| of an eigenvalue; beyond, move the reference
    along.
    """
    return _transform(x, position, reference, -1, a, b)


def operator(lag, a, b):
    """The matrix A(lag) = F(lag)ᵀ of shape (2, 5, 5), float64; lag is one number."""
    identity = np.broadcast_to(np.eye(DIMENSION), (HEADS, DIMENSION, DIMENSION))
    return transform_query(identity, lag, a, b)


def _transform(x, position, reference, side, a, b):
    """A(u)ᵀx for side 1, A(−u)x for side −1; u = position − reference."""
    x = np.asarray(x)
    if x.dtype.kind in "biu":
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    compute = np.result_type(x.dtype, np.float32)
    u = (np.asarray(position, np.float64) - reference)[..., None]
    wide = x.astype(compute)
    result = np.empty_like(x)
    # planes (0, 1), (2, 3)
    rate = np.stack([-a, -b, -b, -a])
    rate = rate.reshape(2, 1, 2)
    scale = np.exp(side * rate * u)
    theta = np.stack([b, a, a * b, b])
    theta = theta.reshape(2, 1, 2)
    angle = u * theta
    cosine = (scale * np.cos(angle)).astype(compute)
    sine = (scale * np.sin(angle)).astype(compute)
    first, second = wide[..., 0:4:2], wide[..., 1:4:2]
    result[..., 0:4:2] = cosine * first - sine * second
    result[..., 1:4:2] = sine * first + cosine * second
    # channel 4
    rate = np.stack([-a, -1])
    rate = rate.reshape(2, 1, 1)
    scale = np.exp(side * rate * u).astype(compute)
    result[..., 4:] = scale * wide[..., 4:]
    return result
