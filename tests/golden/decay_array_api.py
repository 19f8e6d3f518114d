# Written by symbolic-pe: Exponential decay at one rate.
# reproduce:   symbolic-pe build decay:dim=8 --target array-api
# target:      array-api
# spec:        {"catalogue": "decay", "settings": {"dim": "8", "rate": "1/32"}}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:70d574abb2280e046f07863e3a91c1fa84d2de64ae343ceb4ec0dbd356a63abe
"""Exponential decay at one rate.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k, where

    A(τ) = exp(τX)
    X = a,  A(τ) = e^(a τ)  on channels 0 to 7, with a = −1/32

Gauge: F(t) = A(t − c)ᵀ for the query, G(s) = A(c − s) for the key, c the reference,
    which cancels in the score and must be the same for both.

Layout: as given; the channels are named above.

Precision: angles and exponents in float64 whatever the dtype of the input; cosines,
    sines and exponentials rounded once to the compute dtype (float64 for float64 input,
    else float32); the result in the dtype of x.

Range: |position − reference| up to 2816 (float32 and bfloat16) and 352 (float16), where
    e^(±a·(position − reference)) stays finite; beyond, move the reference along, or use
    rotate and decay.

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k for all real t, s
    and every reference, in exact arithmetic; rounding is as in Range; the laws of A are
    proved in the certificate named above.

Source: the scalar case of RetNet and of gated linear attention.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ array_namespace(key).matrix_transpose(key)
"""

from array_api_compat import array_namespace, device

DIMENSION = 8
HEADS = 1
RATE = -0.03125


def transform_query(x, position, reference=0.0):
    """F(t)x = A(t − c)ᵀx for queries x of shape (..., n, 8).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: |position − reference| up to 2816 (float32 and bfloat16) and 352 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along,
    or use rotate and decay.
    """
    return _transform(x, position, reference, 1)


def transform_key(x, position, reference=0.0):
    """G(s)x = A(c − s)x for keys x of shape (..., n, 8).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: |position − reference| up to 2816 (float32 and bfloat16) and 352 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along,
    or use rotate and decay.
    """
    return _transform(x, position, reference, -1)


def operator(lag):
    """The matrix A(lag) = F(lag)ᵀ of shape (8, 8), float64; lag is a 0-d array."""
    xp = array_namespace(lag)
    identity = xp.eye(DIMENSION, dtype=xp.float64, device=device(lag))
    return transform_query(identity, lag)


def rotate(x, position):
    """The orthogonal part B of A(τ) = decay(τ)·B(τ) for τ ≥ 0, the same on both sides.

    logits(t, s) = decay(t, s) · (rotate(q, t) · rotate(k, s)), 0 for t < s; stable at
    any range.
    """
    return _transform(x, position, 0.0, 0)


def decay(query_position, key_position):
    """e^(a·lag) for lag ≥ 0, else 0, of shape (queries, keys)."""
    xp = array_namespace(query_position, key_position)
    query = xp.expand_dims(xp.astype(query_position, xp.float64), axis=-1)
    key = xp.expand_dims(xp.astype(key_position, xp.float64), axis=-2)
    lag = query - key
    causal = lag >= 0
    lag = xp.where(causal, lag, xp.zeros_like(lag))
    factor = xp.exp(RATE * lag)
    return xp.where(causal, factor, xp.zeros_like(factor))


def _transform(x, position, reference, side):
    """A(u)ᵀx for side 1, A(−u)x for −1, no decay for 0; u = position − reference."""
    xp = array_namespace(x)
    if xp.isdtype(x.dtype, ("bool", "integral")):
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    compute = xp.result_type(x.dtype, xp.float32)
    position = xp.asarray(position, dtype=xp.float64, device=device(x))
    u = xp.expand_dims(position - reference, axis=-1)
    wide = xp.astype(x, compute)
    scale = xp.astype(xp.exp(side * RATE * u), compute)
    scaled = scale * wide
    result = scaled
    return xp.astype(result, x.dtype)
