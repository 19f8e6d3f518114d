# Written by symbolic-pe: Per-head decay of Lightning attention (TransNormer).
# reproduce:   symbolic-pe build linear-attention:dim=8,heads=2 --target numpy
# target:      numpy
# spec:        {"catalogue": "linear-attention", "settings": {"dim": "8", "heads": "2", "layer": "0", "layers": "24"}}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:2daae8148bbb75faba3a6e894149b1d3182ea4309e98fd0f8131a13dbf2e1918
"""Per-head decay of Lightning attention (TransNormer).

The score of a query q at position t and a key k at position s is qᵀA(t − s)k in every
head, where

    A(τ) = exp(τX)
    X = a_h,  A(τ) = e^(a_h τ)  on channels 0 to 7, with a_h = −8*h/2*(1 - 0/24)

Gauge: F(t) = A(t − c)ᵀ for the query, G(s) = A(c − s) for the key, c the reference,
    which cancels in the score and must be the same for both.

Layout: as given; the channels are named above.

Precision: angles and exponents in float64 whatever the dtype of the input; cosines,
    sines and exponentials rounded once to the compute dtype (float64 for float64 input,
    else float32); the result in the dtype of x.

Range: |position − reference| up to 22 (float32 and bfloat16) and 2.75 (float16), where
    e^(±a·(position − reference)) stays finite; beyond, move the reference along, or use
    rotate and decay.

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k for all real t, s
    and every reference, in exact arithmetic; rounding is as in Range; the laws of A are
    proved in the certificate named above.

Source: Qin et al. 2023; flash-linear-attention ops/lightning_attn.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ np.swapaxes(key, -1, -2)
"""

import numpy as np

DIMENSION = 8
HEADS = 2
RATE = -8 * np.arange(2)[:, None, None] / 2 * (1 - 0 / 24)


def transform_query(x, position, reference=0.0):
    """F(t)x = A(t − c)ᵀx for queries x of shape (..., 2, n, 8).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: |position − reference| up to 22 (float32 and bfloat16) and 2.75 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along,
    or use rotate and decay.
    """
    return _transform(x, position, reference, 1)


def transform_key(x, position, reference=0.0):
    """G(s)x = A(c − s)x for keys x of shape (..., 2, n, 8).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: |position − reference| up to 22 (float32 and bfloat16) and 2.75 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along,
    or use rotate and decay.
    """
    return _transform(x, position, reference, -1)


def operator(lag):
    """The matrix A(lag) = F(lag)ᵀ of shape (2, 8, 8), float64; lag is one number."""
    identity = np.broadcast_to(np.eye(DIMENSION), (HEADS, DIMENSION, DIMENSION))
    return transform_query(identity, lag)


def rotate(x, position):
    """The orthogonal part B of A(τ) = decay(τ)·B(τ) for τ ≥ 0, the same on both sides.

    logits(t, s) = decay(t, s) · (rotate(q, t) · rotate(k, s)), 0 for t < s; stable at
    any range.
    """
    return _transform(x, position, 0.0, 0)


def decay(query_position, key_position):
    """e^(a·lag) for lag ≥ 0, else 0, of shape (2, queries, keys)."""
    lag = _lag(query_position, key_position)
    factor = np.exp(RATE * np.maximum(lag, 0.0))
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
    scale = np.exp(side * RATE * u).astype(compute)
    result[..., :] = scale * wide
    return result


def _lag(query_position, key_position):
    """t − s for every query (row) and key (column), float64."""
    query = np.asarray(query_position, np.float64)[..., :, None]
    return query - np.asarray(key_position, np.float64)[..., None, :]
