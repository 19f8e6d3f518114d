# Written by symbolic-pe: xPos: rotation with per-plane decay.
# reproduce:   symbolic-pe build xpos:dim=8 --target array-api
# target:      array-api
# spec:        {"catalogue": "xpos", "settings": {"base": "10000", "dim": "8", "gamma": "2/5", "layout": "interleaved", "scale_base": "512"}}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:e4fefb016c636be30b4443de942fbeda11a809dfdbfc6233fb538d649bb0bbf3
"""xPos: rotation with per-plane decay.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k, where

    A(τ) = exp(τX)
    X = a_j I − θ_j J,  A(τ) = e^(a_j τ) R(−θ_j τ)  on planes (2j, 2j + 1), j < 4, with
        a_j = log((2*j/8 + 2/5)/(1 + 2/5))/(512), θ_j = 10000^(-2*j/8)

Here J = [[0, −1], [1, 0]], R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]].

Gauge: F(t) = A(t − c)ᵀ for the query, G(s) = A(c − s) for the key, c the reference,
    which cancels in the score and must be the same for both.

Layout: interleaved, the two channels of a plane are neighbours.

Precision: angles and exponents in float64 whatever the dtype of the input; cosines,
    sines and exponentials rounded once to the compute dtype (float64 for float64 input,
    else float32); the result in the dtype of x. θ is the exact number, not a
    checkpoint's float32 value.

Range: |position − reference| up to 35965 (float32 and bfloat16) and 4495 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along.

Causal sums: recurrent_step and chunkwise give Σ_{s ≤ t} (qᵀA(t − s)k) v, without
    softmax, from lags t − s ≥ 0 alone: no exponent is positive where A decays, so they
    serve every position and every gap, at any length of chunk, with a state in float32
    or wider.

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k for all real t, s
    and every reference, in exact arithmetic; rounding is as in Range; the laws of A are
    proved in the certificate named above.

Source: Sun et al., arXiv:2212.10554; torchscale xpos_relative_position.py.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ array_namespace(key).matrix_transpose(key)
"""

import math

from array_api_compat import array_namespace, device

DIMENSION = 8
HEADS = 1
RATE = [math.log((2 * j / 8 + 2 / 5) / (1 + 2 / 5)) / 512 for j in range(4)]
THETA = [10000.0 ** (-2 * j / 8) for j in range(4)]


def transform_query(x, position, reference=0.0):
    """F(t)x = A(t − c)ᵀx for queries x of shape (..., n, 8).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: |position − reference| up to 35965 (float32 and bfloat16) and 4495 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along.
    """
    return _transform(x, position, reference, 1)


def transform_key(x, position, reference=0.0):
    """G(s)x = A(c − s)x for keys x of shape (..., n, 8).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: |position − reference| up to 35965 (float32 and bfloat16) and 4495 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along.
    """
    return _transform(x, position, reference, -1)


def operator(lag):
    """The matrix A(lag) = F(lag)ᵀ of shape (8, 8), float64; lag is a 0-d array."""
    xp = array_namespace(lag)
    identity = xp.eye(DIMENSION, dtype=xp.float64, device=device(lag))
    return transform_query(identity, lag)


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
    returned state is at the last position, as recurrent_step takes it. Runs of 2^p ≤
    chunk positions, the longest first, are taken at once; the sum does not depend on
    chunk.
    """
    if chunk < 1:
        raise ValueError(f"expected a chunk of at least 1 position, got {chunk}")
    xp = array_namespace(key)
    compute, dtype = _widest(query, key, value), value.dtype
    query, key, value = (xp.astype(x, compute) for x in (query, key, value))
    position = xp.asarray(position, dtype=xp.float64, device=device(key))
    position = position[(None,) * (key.ndim - 1 - position.ndim) + (...,)]
    place = position[..., :1]
    if start is not None:
        start = xp.asarray(start, dtype=xp.float64, device=device(key))
        place = xp.expand_dims(start, axis=-1)
    if state is None:
        shape = (*key.shape[:-2], value.shape[-1], DIMENSION)
        state = xp.zeros(shape, dtype=compute, device=device(key))
    state = xp.astype(state, xp.result_type(compute, state.dtype))
    outputs, count = [], key.shape[-2]
    first, bits = 0, chunk.bit_length() - 1
    rest = [2**bit for bit in reversed(range(bits)) if count >> bit & 1]
    for size in [2**bits] * (count >> bits) + rest:
        rows = slice(first, first + size)
        first = first + size
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
    """A(u)ᵀx for side 1, A(−u)x for side −1; u = position − reference."""
    xp = array_namespace(x)
    if xp.isdtype(x.dtype, ("bool", "integral")):
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    compute = xp.result_type(x.dtype, xp.float32)
    position = xp.asarray(position, dtype=xp.float64, device=device(x))
    u = xp.expand_dims(position - reference, axis=-1)
    wide = xp.astype(x, compute)
    scale = xp.exp(side * _values(RATE, u) * u)
    angle = u * _values(THETA, u)
    cosine = xp.astype(scale * xp.cos(angle), compute)
    sine = xp.astype(scale * xp.sin(angle), compute)
    first, second = wide[..., 0::2], wide[..., 1::2]
    turned_first = cosine * first - sine * second
    turned_second = sine * first + cosine * second
    result = xp.stack((turned_first, turned_second), axis=-1)
    result = xp.reshape(result, (*turned_first.shape[:-1], 8))
    return xp.astype(result, x.dtype)


def _within(query, key, value, position):
    """Σ_{j ≤ i} (q_iᵀA(t_i − t_j)k_j) v_j for 2^p rows.

    Blocks of 1, 2, 4, … rows: every second one reads the one before it across its own
    first position c, A(t − c)A(c − s) with t ≥ c ≥ s, so that no lag is negative.
    """
    xp = array_namespace(key)
    count = position.shape[-1]
    output = xp.expand_dims(xp.sum(query * key, axis=-1), axis=-1) * value
    for size in (2**power for power in range(count.bit_length() - 1)):
        rows = [slice(i, i + size) for i in range(0, count, size)]
        parts = (xp.stack([x[..., i, :] for i in rows]) for x in (query, key, value))
        queries, keys, values = parts
        times = xp.stack([position[..., i] for i in rows])
        place = times[1::2, ..., :1]
        late = _transform(queries[1::2, ...], times[1::2, ...], place, 1)
        early = _transform(keys[0::2, ...], times[0::2, ...], place, -1)
        scores = _product(late, xp.matrix_transpose(early))
        read = _product(scores, values[0::2, ...])
        pieces = [read[i, ...] for i in range(read.shape[0])]
        blocks = [block for x in pieces for block in (xp.zeros_like(x), x)]
        output = output + xp.concat(blocks, axis=-2)
    return output


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


def _values(values, like):
    """A list of numbers as float64 in the library and on the device of an array."""
    xp = array_namespace(like)
    return xp.asarray(values, dtype=xp.float64, device=device(like))
