# Written by symbolic-pe: Mamba: decay and rotation on a learned clock.
# reproduce:   symbolic-pe build mamba:dim=8,rotary_dim=4 --target numpy
# target:      numpy
# spec:        {"catalogue": "mamba", "settings": {"base": "10000", "dim": "8", "rate": "1", "rotary_dim": "4"}}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:baa51ba98cab85dc40039863f7f1135837005ae939357c2e8778fd35d4f7aa5d
"""Mamba: decay and rotation on a learned clock.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k, where

    A(τ) = exp(τX)
    X = a I − θ_j J,  A(τ) = e^(a τ) R(−θ_j τ)  on planes (0, 1), (2, 3), with a = −1,
        θ_j = 10000^(-2*j/4)
    X = a,  A(τ) = e^(a τ)  on channels 4 to 7, with a = −1

Here J = [[0, −1], [1, 0]], R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]].

Gauge: F(t) = A(t − c)ᵀ for the query, G(s) = A(c − s) for the key, c the reference,
    which cancels in the score and must be the same for both.

Layout: interleaved, the two channels of a plane are neighbours.

Clock: position is learned time, any increasing quantity that the model produces.

Precision: angles and exponents in float64 whatever the dtype of the input; cosines,
    sines and exponentials rounded once to the compute dtype (float64 for float64 input,
    else float32); the result in the dtype of x. θ is the exact number, not a
    checkpoint's float32 value.

Range: |position − reference| up to 88 (float32 and bfloat16) and 11 (float16), where
    e^(±a·(position − reference)) stays finite; beyond, move the reference along, or use
    rotate and decay.

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k for all real t, s
    and every reference, in exact arithmetic; rounding is as in Range; the laws of A are
    proved in the certificate named above.

Source: Dao and Gu 2024 (Mamba-2); arXiv:2603.15569 (Mamba-3), without its trapezoidal
    diagonal.

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

    Range: |position − reference| up to 88 (float32 and bfloat16) and 11 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along,
    or use rotate and decay.
    """
    return _transform(x, position, reference, 1)


def transform_key(x, position, reference=0.0):
    """G(s)x = A(c − s)x for keys x of shape (..., n, 8).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: |position − reference| up to 88 (float32 and bfloat16) and 11 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along,
    or use rotate and decay.
    """
    return _transform(x, position, reference, -1)


def operator(lag):
    """The matrix A(lag) = F(lag)ᵀ of shape (8, 8), float64; lag is one number."""
    identity = np.eye(DIMENSION)
    return transform_query(identity, lag)


def rotate(x, position):
    """The orthogonal part B of A(τ) = decay(τ)·B(τ) for τ ≥ 0, the same on both sides.

    logits(t, s) = decay(t, s) · (rotate(q, t) · rotate(k, s)), 0 for t < s; stable at
    any range.
    """
    return _transform(x, position, 0.0, 0)


def decay(query_position, key_position):
    """e^(a·lag) for lag ≥ 0, else 0, of shape (queries, keys)."""
    lag = _lag(query_position, key_position)
    factor = np.exp(-np.maximum(lag, 0.0))
    return np.where(lag >= 0, factor, 0.0)


def _transform(x, position, reference, side):
    """A(u)ᵀx for side 1, A(−u)x for −1, no decay for 0; u = position − reference."""
    x = np.asarray(x)
    if x.dtype.kind in "biu":
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    compute = np.result_type(x.dtype, np.float32)
    u = (np.asarray(position, np.float64) - reference)[..., None]
    wide = x.astype(compute)
    result = np.empty_like(x)
    # planes (0, 1), (2, 3)
    scale = np.exp(-side * u)
    angle = u * THETA
    cosine = (scale * np.cos(angle)).astype(compute)
    sine = (scale * np.sin(angle)).astype(compute)
    first, second = wide[..., 0:4:2], wide[..., 1:4:2]
    result[..., 0:4:2] = cosine * first - sine * second
    result[..., 1:4:2] = sine * first + cosine * second
    # channels 4 to 7
    scale = np.exp(-side * u).astype(compute)
    result[..., 4:] = scale * wide[..., 4:]
    return result


def _lag(query_position, key_position):
    """t − s for every query (row) and key (column), float64."""
    query = np.asarray(query_position, np.float64)[..., :, None]
    return query - np.asarray(key_position, np.float64)[..., None, :]
