# Written by symbolic-pe: different-heads.
# reproduce:   symbolic-pe build different-heads.toml --target numpy
# target:      numpy
# spec:        {}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:bed2e45051f9ea1ca79081b0256300f382c9b3c1b3ba6143118d99794e2eec7e
"""Different-heads.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k in every
head, where

    A(τ) = exp(τX)
    X = a_h I + ω_hj J,  A(τ) = e^(a_h τ) R(ω_hj τ)  on planes (0, 1), (2, 3), with a_h
        listed below, ω_hj listed below
    X = a_h,  A(τ) = e^(a_h τ)  on channel 4, with a_h listed below

Here J = [[0, −1], [1, 0]], R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]].

Gauge: F(t) = A(t − c)ᵀ for the query, G(s) = A(c − s) for the key, c the reference,
    which cancels in the score and must be the same for both.

Layout: as given; the channels are named above.

Precision: angles and exponents in float64 whatever the dtype of the input; cosines,
    sines and exponentials rounded once to the compute dtype (float64 for float64 input,
    else float32); the result in the dtype of x.

Range: |position − reference| up to 66 (float32 and bfloat16) and 8.25 (float16), where
    e^(±a·(position − reference)) stays finite; beyond, move the reference along.

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k for all real t, s
    and every reference, in exact arithmetic; rounding is as in Range; the laws of A are
    proved in the certificate named above.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ np.swapaxes(key, -1, -2)
"""

import numpy as np

DIMENSION = 5
HEADS = 3
RATE = np.array([0.0, -0.3333333333333333, -0.14285714285714285])[:, None, None]
OMEGA = np.array([[1.0, 2.0], [0.5, 1.5], [-2.0, -1.0]])[:, None, :]
RATE_2 = np.array([-1.0, -1.3333333333333333, -1.1428571428571428])[:, None, None]


def transform_query(x, position, reference=0.0):
    """F(t)x = A(t − c)ᵀx for queries x of shape (..., 3, n, 5).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: |position − reference| up to 66 (float32 and bfloat16) and 8.25 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along.
    """
    return _transform(x, position, reference, 1)


def transform_key(x, position, reference=0.0):
    """G(s)x = A(c − s)x for keys x of shape (..., 3, n, 5).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: |position − reference| up to 66 (float32 and bfloat16) and 8.25 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along.
    """
    return _transform(x, position, reference, -1)


def operator(lag):
    """The matrix A(lag) = F(lag)ᵀ of shape (3, 5, 5), float64; lag is one number."""
    identity = np.broadcast_to(np.eye(DIMENSION), (HEADS, DIMENSION, DIMENSION))
    return transform_query(identity, lag)


def _transform(x, position, reference, side):
    """A(u)ᵀx for side 1, A(−u)x for side −1; u = position − reference."""
    x = np.asarray(x)
    if x.dtype.kind in "biu":
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    compute = np.result_type(x.dtype, np.float32)
    u = (np.asarray(position, np.float64) - reference)[..., None]
    wide = x.astype(compute)
    result = np.empty_like(x)
    # planes (0, 1), (2, 3)
    scale = np.exp(side * RATE * u)
    angle = -u * OMEGA
    cosine = (scale * np.cos(angle)).astype(compute)
    sine = (scale * np.sin(angle)).astype(compute)
    first, second = wide[..., 0:4:2], wide[..., 1:4:2]
    result[..., 0:4:2] = cosine * first - sine * second
    result[..., 1:4:2] = sine * first + cosine * second
    # channel 4
    scale = np.exp(side * RATE_2 * u).astype(compute)
    result[..., 4:] = scale * wide[..., 4:]
    return result
