# Written by symbolic-pe: learned-slopes.
# reproduce:   symbolic-pe build learned-slopes.toml --target numpy
# target:      numpy
# spec:        {}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:ed451aee5bed9664afe1720f10f515b0d2674cb3a1aa30a5e8ae741c99ce74c4
"""Learned-slopes.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k +
bias(t − s) in every head, where

    A(τ) = exp(τX)
    X = −θ J,  A(τ) = R(−θ τ)  on planes (0, 1), with θ = w
    X = 0,  A(τ) = 1  on channel 2

Here J = [[0, −1], [1, 0]], R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]].

Gauge: query and key both turn by +θ·(position − reference). A is orthogonal, so one map
    serves both sides, and the reference cancels.

Layout: as given; the channels are named above.

Bias: bias(t − s) is added to the logits for t ≥ s; transform_query and transform_key
    append 2 coordinates that realise it. For t < s the same formula continues, in t − s
    and not in |t − s|: mask these pairs. When the attention kernel divides by √d, add
    bias() after the scaling, or multiply the appended query coordinates by √d.

Precision: angles and exponents in float64 whatever the dtype of the input; cosines,
    sines and exponentials rounded once to the compute dtype (float64 for float64 input,
    else float32); the result in the dtype of x.

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

DIMENSION = 3
HEADS = 2
SLOPE = np.array([0.3333333333333333, 0.2])[:, None, None]


def transform_query(x, position, m, w, reference=0.0):
    """F(t)x = A(t − c)ᵀx for queries x of shape (..., 2, n, 3).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Appends the 2 coordinates that realise the bias; see Range above.
    """
    u = _elapsed(position, reference)
    m = np.asarray(m, np.float64)
    w = np.asarray(w, np.float64)
    content = _transform(x, position, reference, m, w)
    return _append(content, -m * w * SLOPE * np.ones_like(u), -m * w * SLOPE * u)


def transform_key(x, position, m, w, reference=0.0):
    """G(s)x = A(c − s)x for keys x of shape (..., 2, n, 3).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Appends the 2 coordinates that realise the bias; see Range above.
    """
    u = _elapsed(position, reference)
    content = _transform(x, position, reference, m, w)
    return _append(content, -u, np.ones_like(u))


def operator(lag, m, w):
    """The matrix A(lag) = F(lag)ᵀ of shape (2, 3, 3), float64; lag is one number."""
    identity = np.broadcast_to(np.eye(DIMENSION), (HEADS, DIMENSION, DIMENSION))
    query = transform_query(identity, lag, m, w)
    return query[..., :DIMENSION]


def bias(query_position, key_position, m, w):
    """bias(t − s), to be added to the logits, of shape (2, queries, keys).

    For t < s the same formula continues, in t − s and not in |t − s|: mask these pairs.
    """
    lag = _lag(query_position, key_position)
    m = np.asarray(m, np.float64)
    w = np.asarray(w, np.float64)
    return -m * w * SLOPE * lag


def _transform(x, position, reference, m, w):
    """A(u)ᵀx = A(−u)x for query and key, u = position − reference."""
    x = np.asarray(x)
    if x.dtype.kind in "biu":
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    compute = np.result_type(x.dtype, np.float32)
    u = _elapsed(position, reference)
    w = np.asarray(w, np.float64)
    wide = x.astype(compute)
    result = x.copy()
    # planes (0, 1)
    angle = u * w
    cosine, sine = np.cos(angle).astype(compute), np.sin(angle).astype(compute)
    first, second = wide[..., :1], wide[..., 1:2]
    result[..., :1] = cosine * first - sine * second
    result[..., 1:2] = sine * first + cosine * second
    return result


def _elapsed(position, reference):
    """position − reference in float64, shape (..., n, 1)."""
    return (np.asarray(position, np.float64) - reference)[..., None]


def _append(x, *columns):
    """Append coordinates to x, each of shape (..., n, 1) or (..., n, k)."""
    shapes = [(*x.shape[:-1], column.shape[-1]) for column in columns]
    added = [np.broadcast_to(c, shape) for c, shape in zip(columns, shapes)]
    return np.concatenate([x, *added], axis=-1).astype(x.dtype)


def _lag(query_position, key_position):
    """t − s for every query (row) and key (column), float64."""
    query = np.asarray(query_position, np.float64)[..., None]
    return query - np.asarray(key_position, np.float64)[..., None, :]
