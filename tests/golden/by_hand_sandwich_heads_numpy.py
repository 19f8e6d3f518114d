# Written by symbolic-pe: sandwich-2.
# reproduce:   symbolic-pe build sandwich-heads.toml --target numpy
# target:      numpy
# spec:        {"name": "sandwich-2"}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:4a57f8d1bd873339ea9884507e1fc63b228238d6984c3b370d065de4483f4c48
"""Sandwich-2.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k +
bias(t − s) in every head, where

    A(τ) = exp(τX)
    X = 0,  A(τ) = 1  on channels 0 to 3

Gauge: F = G = I on the channels of x.

Layout: as given; the channels are named above.

Bias: bias(t − s) is added to the logits for t ≥ s; transform_query and transform_key
    append 8 coordinates that realise it. For t < s the same formula continues, in t − s
    and not in |t − s|: mask these pairs. When the attention kernel divides by √d, add
    bias() after the scaling, or multiply the appended query coordinates by √d.

Precision: the channels of x are returned as they are; positions are taken in float64.

Range: |position − reference| up to 87912 (float32 and bfloat16) and 10989 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along.
    bias() is right at every position; the appended coordinates are rounded to the dtype
    of x: below float32, prefer bias().

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k + bias(t − s) for
    all real t, s and every reference, in exact arithmetic; rounding is as in Range; the
    laws of A are proved in the certificate named above.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ np.swapaxes(key, -1, -2)
"""

import numpy as np

DIMENSION = 4
HEADS = 2
BIAS_FREQUENCY = np.array([1.0, 0.21544346900318836, 0.04641588833612779])
COEFFICIENT = np.array([0.5, 0.3333333333333333])[:, None, None]


def transform_query(x, position, reference=0.0):
    """x itself, A being the identity, for queries x of shape (..., 2, n, 4).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Appends the 8 coordinates that realise the bias; see Range above.

    Range: |position − reference| up to 87912 (float32 and bfloat16) and 10989
    (float16), where e^(±a·(position − reference)) stays finite; beyond, move the
    reference along.
    """
    u = _elapsed(position, reference)
    return _append(
        x,
        COEFFICIENT * np.cos(BIAS_FREQUENCY * u),
        -COEFFICIENT * np.sin(BIAS_FREQUENCY * u),
        COEFFICIENT * np.exp(-1 / 999 * u) * np.cos(u),
        -COEFFICIENT * np.exp(-1 / 999 * u) * np.sin(u),
    )


def transform_key(x, position, reference=0.0):
    """x itself, A being the identity, for keys x of shape (..., 2, n, 4).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Appends the 8 coordinates that realise the bias; see Range above.

    Range: |position − reference| up to 87912 (float32 and bfloat16) and 10989
    (float16), where e^(±a·(position − reference)) stays finite; beyond, move the
    reference along.
    """
    u = _elapsed(position, reference)
    return _append(
        x,
        np.cos(BIAS_FREQUENCY * u),
        -np.sin(BIAS_FREQUENCY * u),
        np.exp(1 / 999 * u) * np.cos(u),
        -np.exp(1 / 999 * u) * np.sin(u),
    )


def operator(lag):
    """The matrix A(lag) = F(lag)ᵀ of shape (2, 4, 4), float64; lag is one number."""
    identity = np.broadcast_to(np.eye(DIMENSION), (HEADS, DIMENSION, DIMENSION))
    query = transform_query(identity, lag)
    return query[..., :DIMENSION]


def bias(query_position, key_position):
    """bias(t − s), to be added to the logits, of shape (2, queries, keys).

    For t < s the same formula continues, in t − s and not in |t − s|: mask these pairs.
    """
    lag = _lag(query_position, key_position)
    value = COEFFICIENT * np.exp(-1 / 999 * lag) * np.cos(lag)
    terms = COEFFICIENT[:, None] * np.cos(BIAS_FREQUENCY * lag[..., None])
    value = value + terms.sum(-1)
    return value


def _elapsed(position, reference):
    """position − reference in float64, shape (..., n, 1)."""
    return (np.asarray(position, np.float64) - reference)[..., None]


def _append(x, *columns):
    """Append coordinates to x, each of shape (..., n, 1) or (..., n, k)."""
    x = np.asarray(x)
    if x.dtype.kind in "biu":
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    shapes = [(*x.shape[:-1], column.shape[-1]) for column in columns]
    added = [np.broadcast_to(c, shape) for c, shape in zip(columns, shapes)]
    return np.concatenate([x, *added], axis=-1).astype(x.dtype)


def _lag(query_position, key_position):
    """t − s for every query (row) and key (column), float64."""
    query = np.asarray(query_position, np.float64)[..., None]
    return query - np.asarray(key_position, np.float64)[..., None, :]
