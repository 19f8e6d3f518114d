# Written by symbolic-pe: GRAPE, additive form with ALiBi slopes.
# reproduce:   symbolic-pe build grape-a:dim=8,heads=2 --target numpy
# target:      numpy
# spec:        {"catalogue": "grape-a", "settings": {"dim": "8", "form": "constant", "heads": "2", "u": ""}}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:26fbf30da5fb3b24b887ae84bd508d6b7b5bf767c91a733cfd76d9f85e496443
"""GRAPE, additive form with ALiBi slopes.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k +
bias(t − s) in every head, where

    A(τ) = exp(τX)
    X = 0,  A(τ) = 1  on channels 0 to 7

Gauge: F = G = I on the channels of x.

Layout: as given; the channels are named above.

Bias: bias(t − s) is added to the logits for t ≥ s; transform_query and transform_key
    append 2 coordinates that realise it. For t < s the same formula continues, in t − s
    and not in |t − s|: mask these pairs. When the attention kernel divides by √d, add
    bias() after the scaling, or multiply the appended query coordinates by √d.

Precision: the channels of x are returned as they are; positions are taken in float64.

Range: on the channels of x, every position. bias() is right at every position; the
    appended coordinates hold position − reference in the dtype of x, integers being
    exact only up to 2^24 (float32), 2^11 (float16, infinite from 65520) or 2^8
    (bfloat16), and cancel in the score: keep the reference near the positions in use,
    or use bias().

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k + bias(t − s) for
    all real t, s and every reference, in exact arithmetic; rounding is as in Range; the
    laws of A are proved in the certificate named above.

Source: Zhang et al., Group Representational Position Encoding, ICLR 2026, equations 4.1
    to 4.7.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ np.swapaxes(key, -1, -2)
"""

import numpy as np

DIMENSION = 8
HEADS = 2
SLOPE = 2.0 ** (-8 * (np.arange(2)[:, None, None] + 1) / 2)


def transform_query(x, position, reference=0.0):
    """x itself, A being the identity, for queries x of shape (..., 2, n, 8).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Appends the 2 coordinates that realise the bias; see Range above.
    """
    u = _elapsed(position, reference)
    return _append(x, np.ones_like(u), -SLOPE * u)


def transform_key(x, position, reference=0.0):
    """x itself, A being the identity, for keys x of shape (..., 2, n, 8).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Appends the 2 coordinates that realise the bias; see Range above.
    """
    u = _elapsed(position, reference)
    return _append(x, SLOPE * u, np.ones_like(u))


def operator(lag):
    """The matrix A(lag) = F(lag)ᵀ of shape (2, 8, 8), float64; lag is one number."""
    identity = np.broadcast_to(np.eye(DIMENSION), (HEADS, DIMENSION, DIMENSION))
    query = transform_query(identity, lag)
    return query[..., :DIMENSION]


def bias(query_position, key_position):
    """bias(t − s), to be added to the logits, of shape (2, queries, keys).

    For t < s the same formula continues, in t − s and not in |t − s|: mask these pairs.
    """
    lag = _lag(query_position, key_position)
    return -SLOPE * lag


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
