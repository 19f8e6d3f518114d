# Written by symbolic-pe: two-slopes.
# reproduce:   symbolic-pe build two-slopes.toml --target numpy
# target:      numpy
# spec:        {"name": "two-slopes"}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:5e446ea73730bcb9ebc882b167521e84eefb88da047dfd5a44229879ae677d7f
"""Two-slopes.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k +
bias(t − s), where

    A(τ) = exp(τX)
    X = 0,  A(τ) = 1  on channels 0 to 3

Gauge: F = G = I on the channels of x.

Layout: as given; the channels are named above.

Bias: bias(τ) = -10/21*τ is added to the logits for t ≥ s; transform_query and
    transform_key append 4 coordinates that realise it. For t < s the same formula
    continues, in t − s and not in |t − s|: mask these pairs. When the attention kernel
    divides by √d, add bias() after the scaling, or multiply the appended query
    coordinates by √d.

Precision: the channels of x are returned as they are; positions are taken in float64.

Range: on the channels of x, every position. bias() is right at every position; the
    appended coordinates hold position − reference in the dtype of x, integers being
    exact only up to 2^24 (float32), 2^11 (float16, infinite from 65520) or 2^8
    (bfloat16), and cancel in the score: keep the reference near the positions in use,
    or use bias().

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k + bias(t − s) for
    all real t, s and every reference, in exact arithmetic; rounding is as in Range; the
    laws of A are proved in the certificate named above.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ np.swapaxes(key, -1, -2)
"""

import numpy as np

DIMENSION = 4
HEADS = 1
COEFFICIENT = np.array([0.3333333333333333, 0.14285714285714285])


def transform_query(x, position, reference=0.0):
    """x itself, A being the identity, for queries x of shape (..., n, 4).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Appends the 4 coordinates that realise the bias; see Range above.
    """
    u = _elapsed(position, reference)
    return _append(x, -COEFFICIENT * np.ones_like(u), -COEFFICIENT * u)


def transform_key(x, position, reference=0.0):
    """x itself, A being the identity, for keys x of shape (..., n, 4).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Appends the 4 coordinates that realise the bias; see Range above.
    """
    u = _elapsed(position, reference)
    return _append(x, -u, -u, np.ones_like(u), np.ones_like(u))


def operator(lag):
    """The matrix A(lag) = F(lag)ᵀ of shape (4, 4), float64; lag is one number."""
    identity = np.eye(DIMENSION)
    query = transform_query(identity, lag)
    return query[..., :DIMENSION]


def bias(query_position, key_position):
    """bias(t − s), to be added to the logits, of shape (queries, keys).

    For t < s the same formula continues, in t − s and not in |t − s|: mask these pairs.
    """
    lag = _lag(query_position, key_position)
    return -10 / 21 * lag


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
