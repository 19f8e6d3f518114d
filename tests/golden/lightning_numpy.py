# Written by symbolic-pe: Per-head decay of Lightning attention (TransNormer).
# reproduce:   symbolic-pe build lightning:dim=8,heads=2 --target numpy
# target:      numpy
# spec:        {"catalogue": "lightning", "settings": {"dim": "8", "heads": "2", "layer": "0", "layers": "24"}}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:70370152ed570ea6a86127ab3c69d638d343bb2642466492d2a7b311f9cdf0fe
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

Causal sums: recurrent_step and chunkwise give Σ_{s ≤ t} (qᵀA(t − s)k) v, without
    softmax, from lags t − s ≥ 0 alone: no exponent is positive where A decays, so they
    serve every position and every gap, at any length of chunk, with a state in float32
    or wider.

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


def recurrent_step(state, query, key, value, lag):
    """One position further: (output, state), output Σ_{s ≤ t} (qᵀA(t − s)k) v.

    query and key have shape (..., 2, 8), value (..., 2, m), state (..., 2, m, 8): zeros
    before the first position. lag ≥ 0 is the time since the position before, one number
    or of a shape that broadcasts to the leading axes.

    state·A(lag)ᵀ + v kᵀ is the new state, float32 or wider, and its product with q the
    output, in the dtype of value. No exponent is positive where A decays: it serves
    every range.
    """
    compute = _widest(state, query, key, value)
    step = np.asarray(lag, np.float64)[..., None]
    state = np.asarray(state, compute)
    query = np.asarray(query, compute)[..., None, :]
    key = np.asarray(key, compute)[..., None, :]
    kept = _transform(state, -step, 0.0, -1)
    state = kept + np.asarray(value, compute)[..., None] * key
    return (state * query).sum(axis=-1).astype(value.dtype), state


def chunkwise(query, key, value, position, *, state=None, start=None, chunk=64):
    """All outputs Σ_{s ≤ t} (qᵀA(t − s)k) v, and the state after the last position.

    query and key have shape (..., 2, n, 8), value (..., 2, n, m); position of shape
    (n,), or with leading axes as in transform_query, must not decrease. Row i reads
    rows j ≤ i.

    state is what was summed before, at position start (by default the first one); the
    returned state is at the last position, as recurrent_step takes it. At most chunk
    positions are taken at once; the sum does not depend on chunk.
    """
    if chunk < 1:
        raise ValueError(f"expected a chunk of at least 1 position, got {chunk}")
    compute, dtype = _widest(query, key, value), value.dtype
    query, key, value = (np.asarray(x, compute) for x in (query, key, value))
    position = np.asarray(position, np.float64)
    place = position[..., :1]
    if start is not None:
        place = np.asarray(start, np.float64)[..., None]
    if state is None:
        state = np.zeros((*key.shape[:-2], value.shape[-1], DIMENSION), compute)
    state = np.asarray(state, np.result_type(compute, state.dtype))
    outputs, count = [], key.shape[-2]
    for first in range(0, count, chunk):
        rows = slice(first, first + chunk)
        queries, keys, values = (x[..., rows, :] for x in (query, key, value))
        times = position[..., rows]
        end = times[..., -1:]
        late = _transform(queries, times, place, 1)
        early = _transform(keys, times, end, -1)
        kept = _transform(state, place, end, -1)
        read = late @ np.swapaxes(state, -1, -2)
        outputs.append(read + _within(queries, keys, values, times))
        state = kept + np.swapaxes(values, -1, -2) @ early
        place = end
    return np.concatenate(outputs, axis=-2).astype(dtype), state


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


def _within(query, key, value, position):
    """Σ_{j ≤ i} e^(a·lag) (q_i · k_j) v_j, A(τ) = e^(aτ)."""
    lag = np.tril(position[..., None] - position[..., None, :])
    factor = np.exp(RATE * lag).astype(query.dtype)
    scores = factor * (query @ np.swapaxes(key, -1, -2))
    return np.tril(scores) @ value


def _widest(*arrays):
    """float64 where an array has it, else float32."""
    kinds = [np.asarray(x).dtype for x in arrays]
    if any(dtype.kind in "biu" for dtype in kinds):
        raise TypeError(f"expected floating-point arrays, got {kinds}")
    return np.result_type(np.float32, *kinds)


def _lag(query_position, key_position):
    """t − s for every query (row) and key (column), float64."""
    query = np.asarray(query_position, np.float64)[..., None]
    return query - np.asarray(key_position, np.float64)[..., None, :]
