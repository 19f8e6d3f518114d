# Written by symbolic-pe: Exponential decay at one rate.
# reproduce:   symbolic-pe build decay:dim=8 --target array-api
# target:      array-api
# spec:        {"catalogue": "decay", "settings": {"dim": "8", "rate": "1/32"}}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:28ce2f3f39002d9b503f4df65dc8d1d53dfbf5b8cd217d986831a702af55f8f0
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

Causal sums: recurrent_step and chunkwise give Σ_{s ≤ t} (qᵀA(t − s)k) v, without
    softmax, from lags t − s ≥ 0 alone: no exponent is positive where A decays, so they
    serve every position and every gap, at any length of chunk, with a state in float32
    or wider.

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


def recurrent_step(state, query, key, value, lag):
    """One position further: (output, state), output Σ_{s ≤ t} (qᵀA(t − s)k) v.

    query and key have shape (..., 8), value (..., m), state (..., m, 8): zeros before
    the first position. lag ≥ 0 is the time since the position before, one number or of
    a shape that broadcasts to the leading axes.

    state·A(lag)ᵀ + v kᵀ is the new state, float32 or wider, and its product with q the
    output, in the dtype of value. No exponent is positive where A decays: it serves
    every range.
    """
    xp = array_namespace(state)
    compute = _widest(state, query, key, value)
    lag = xp.asarray(lag, dtype=xp.float64, device=device(state))
    step = xp.expand_dims(lag, axis=-1)
    state = xp.astype(state, compute)
    query = xp.expand_dims(xp.astype(query, compute), axis=-2)
    key = xp.expand_dims(xp.astype(key, compute), axis=-2)
    kept = _transform(state, -step, 0.0, -1)
    state = kept + xp.expand_dims(xp.astype(value, compute), axis=-1) * key
    return xp.astype(xp.sum(state * query, axis=-1), value.dtype), state


def chunkwise(query, key, value, position, *, state=None, start=None, chunk=64):
    """All outputs Σ_{s ≤ t} (qᵀA(t − s)k) v, and the state after the last position.

    query and key have shape (..., n, 8), value (..., n, m); position of shape (n,), or
    with leading axes as in transform_query, must not decrease. Row i reads rows j ≤ i.

    state is what was summed before, at position start (by default the first one); the
    returned state is at the last position, as recurrent_step takes it. At most chunk
    positions are taken at once; the sum does not depend on chunk.
    """
    if chunk < 1:
        raise ValueError(f"expected a chunk of at least 1 position, got {chunk}")
    xp = array_namespace(key)
    compute, dtype = _widest(query, key, value), value.dtype
    query, key, value = (xp.astype(x, compute) for x in (query, key, value))
    position = xp.asarray(position, dtype=xp.float64, device=device(key))
    place = position[..., :1]
    if start is not None:
        start = xp.asarray(start, dtype=xp.float64, device=device(key))
        place = xp.expand_dims(start, axis=-1)
    if state is None:
        shape = (*key.shape[:-2], value.shape[-1], DIMENSION)
        state = xp.zeros(shape, dtype=compute, device=device(key))
    state = xp.astype(state, xp.result_type(compute, state.dtype))
    outputs, count = [], key.shape[-2]
    for first in range(0, count, chunk):
        rows = slice(first, min(first + chunk, count))
        queries, keys, values = (x[..., rows, :] for x in (query, key, value))
        times = position[..., rows]
        end = times[..., -1:]
        late = _transform(queries, times, place, 1)
        early = _transform(keys, times, end, -1)
        kept = _transform(state, place, end, -1)
        read = _product(late, xp.matrix_transpose(state))
        outputs.append(read + _within(queries, keys, values, times))
        state = kept + _product(xp.matrix_transpose(values), early)
        place = end
    return xp.astype(xp.concat(outputs, axis=-2), dtype), state


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


def _within(query, key, value, position):
    """Σ_{j ≤ i} e^(a·lag) (q_i · k_j) v_j, A(τ) = e^(aτ)."""
    xp = array_namespace(key)
    lag = xp.expand_dims(position, axis=-1) - xp.expand_dims(position, axis=-2)
    lag = xp.tril(lag)
    factor = xp.astype(xp.exp(RATE * lag), query.dtype)
    scores = factor * _product(query, xp.matrix_transpose(key))
    return _product(xp.tril(scores), value)


def _widest(*arrays):
    """float64 where an array has it, else float32."""
    xp = array_namespace(*arrays)
    for x in arrays:
        if xp.isdtype(x.dtype, ("bool", "integral")):
            raise TypeError(f"expected floating-point arrays, got {x.dtype}")
    return xp.result_type(xp.float32, *(x.dtype for x in arrays))


def _product(left, right):
    """left @ right in float64, in the dtype of left: no setting makes it coarser."""
    xp = array_namespace(left)
    product = xp.astype(left, xp.float64) @ xp.astype(right, xp.float64)
    return xp.astype(product, left.dtype)
