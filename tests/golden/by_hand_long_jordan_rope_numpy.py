# Written by symbolic-pe: long-jordan-rope.
# reproduce:   symbolic-pe build long-jordan-rope.toml --target numpy
# target:      numpy
# spec:        {"name": "long-jordan-rope"}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:d4be55a1c3173941d3b3ca5ef065d77c5714de382bf2d54c7c4dadd6fd84f5cd
"""Long-jordan-rope.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k, where

    A(τ) = exp(τX)
    X = I ⊗ (a I − θ_j J) + η N ⊗ I,  A(τ) = e^(a τ) Σ_k (η τ)^k/k! N^k ⊗ R(−θ_j τ)  on
        chains (0, 1, …, 9), (10, 11, …, 19), with a = −1/100, θ_j listed below,
        η = 1/50

Here J = [[0, −1], [1, 0]], R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]], N has
ones above the diagonal.

Gauge: F(t) = A(t − c)ᵀ for the query, G(s) = A(c − s) for the key, c the reference,
    which cancels in the score and must be the same for both.

Layout: as given; the channels are named above.

Precision: angles and exponents in float64 whatever the dtype of the input; cosines,
    sines and exponentials rounded once to the compute dtype (float64 for float64 input,
    else float32); the result in the dtype of x.

Range: |position − reference| up to 8800 (float32 and bfloat16) and 1100 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along.
    Keep the reference near the positions in use: the factor (1 +
    |η·(position − reference)|)^(n − 1) of a chain of length n multiplies values and
    rounding errors.

Causal sums: recurrent_step and chunkwise give Σ_{s ≤ t} (qᵀA(t − s)k) v, without
    softmax, from lags t − s ≥ 0 alone: no exponent is positive where A decays, so they
    serve every position and every gap, at any length of chunk, with a state in float32
    or wider.

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k for all real t, s
    and every reference, in exact arithmetic; rounding is as in Range; the laws of A are
    proved in the certificate named above.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ np.swapaxes(key, -1, -2)
"""

import numpy as np

DIMENSION = 20
HEADS = 1
RATE = -0.01
THETA = np.array([1.0, 0.1])
SHEAR = 0.02


def transform_query(x, position, reference=0.0):
    """F(t)x = A(t − c)ᵀx for queries x of shape (..., n, 20).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: |position − reference| up to 8800 (float32 and bfloat16) and 1100 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along.
    Keep the reference near the positions in use: the factor (1 +
    |η·(position − reference)|)^(n − 1) of a chain of length n multiplies values and
    rounding errors.
    """
    return _transform(x, position, reference, 1)


def transform_key(x, position, reference=0.0):
    """G(s)x = A(c − s)x for keys x of shape (..., n, 20).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: |position − reference| up to 8800 (float32 and bfloat16) and 1100 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along.
    Keep the reference near the positions in use: the factor (1 +
    |η·(position − reference)|)^(n − 1) of a chain of length n multiplies values and
    rounding errors.
    """
    return _transform(x, position, reference, -1)


def operator(lag):
    """The matrix A(lag) = F(lag)ᵀ of shape (20, 20), float64; lag is one number."""
    identity = np.eye(DIMENSION)
    return transform_query(identity, lag)


def recurrent_step(state, query, key, value, lag):
    """One position further: (output, state), output Σ_{s ≤ t} (qᵀA(t − s)k) v.

    query and key have shape (..., 20), value (..., m), state (..., m, 20): zeros before
    the first position. lag ≥ 0 is the time since the position before, one number or of
    a shape that broadcasts to the leading axes.

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

    query and key have shape (..., n, 20), value (..., n, m); position of shape (n,), or
    with leading axes as in transform_query, must not decrease. Row i reads rows j ≤ i.

    state is what was summed before, at position start (by default the first one); the
    returned state is at the last position, as recurrent_step takes it. Runs of 2^p ≤
    chunk positions, the longest first, are taken at once; the sum does not depend on
    chunk.
    """
    if chunk < 1:
        raise ValueError(f"expected a chunk of at least 1 position, got {chunk}")
    compute, dtype = _widest(query, key, value), value.dtype
    query, key, value = (np.asarray(x, compute) for x in (query, key, value))
    position = np.asarray(position, np.float64)
    position = position[(None,) * (key.ndim - 1 - position.ndim)]
    place = position[..., :1]
    if start is not None:
        place = np.asarray(start, np.float64)[..., None]
    if state is None:
        state = np.zeros((*key.shape[:-2], value.shape[-1], DIMENSION), compute)
    state = np.asarray(state, np.result_type(compute, state.dtype))
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
        read = late @ np.swapaxes(state, -1, -2)
        outputs.append(read + _within(queries, keys, values, times))
        state = kept + np.swapaxes(values, -1, -2) @ early
        place = end
    return np.concatenate(outputs, axis=-2).astype(dtype), state


def _transform(x, position, reference, side):
    """A(u)ᵀx for side 1, A(−u)x for side −1; u = position − reference."""
    x = np.asarray(x)
    if x.dtype.kind in "biu":
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    compute = np.result_type(x.dtype, np.float32)
    u = (np.asarray(position, np.float64) - reference)[..., None]
    wide = x.astype(compute)
    result = np.empty_like(x)
    scale = np.exp(side * RATE * u)
    angle = u * THETA
    weight = (side * SHEAR * u).astype(compute)[..., None, :]
    cosine = (scale * np.cos(angle)).astype(compute)[..., None, :]
    sine = (scale * np.sin(angle)).astype(compute)[..., None, :]
    first = [
        wide[..., 0::10],
        wide[..., 2::10],
        wide[..., 4::10],
        wide[..., 6::10],
        wide[..., 8::10],
    ]
    first = np.stack(first, axis=-2)
    second = [
        wide[..., 1::10],
        wide[..., 3::10],
        wide[..., 5::10],
        wide[..., 7::10],
        wide[..., 9::10],
    ]
    second = np.stack(second, axis=-2)
    turned_first = cosine * first - sine * second
    turned_second = sine * first + cosine * second
    first = _shear(turned_first, weight, side)
    second = _shear(turned_second, weight, side)
    result[..., 0::10] = first[..., 0, :]
    result[..., 1::10] = second[..., 0, :]
    result[..., 2::10] = first[..., 1, :]
    result[..., 3::10] = second[..., 1, :]
    result[..., 4::10] = first[..., 2, :]
    result[..., 5::10] = second[..., 2, :]
    result[..., 6::10] = first[..., 3, :]
    result[..., 7::10] = second[..., 3, :]
    result[..., 8::10] = first[..., 4, :]
    result[..., 9::10] = second[..., 4, :]
    return result


def _within(query, key, value, position):
    """Σ_{j ≤ i} (q_iᵀA(t_i − t_j)k_j) v_j for 2^p rows.

    Blocks of 1, 2, 4, … rows: every second one reads the one before it across its own
    first position c, A(t − c)A(c − s) with t ≥ c ≥ s, so that no lag is negative.
    """
    count = position.shape[-1]
    output = (query * key).sum(axis=-1)[..., None] * value
    for size in (2**power for power in range(count.bit_length() - 1)):
        cuts = range(size, count, size)
        parts = (np.stack(np.split(x, cuts, axis=-2)) for x in (query, key, value))
        queries, keys, values = parts
        times = np.stack(np.split(position, cuts, axis=-1))
        place = times[1::2, ..., :1]
        late = _transform(queries[1::2], times[1::2], place, 1)
        early = _transform(keys[0::2], times[0::2], place, -1)
        read = late @ np.swapaxes(early, -1, -2) @ values[0::2]
        blocks = [block for rows in read for block in (np.zeros_like(rows), rows)]
        output = output + np.concatenate(blocks, axis=-2)
    return output


def _widest(*arrays):
    """float64 where an array has it, else float32."""
    kinds = [np.asarray(x).dtype for x in arrays]
    if any(dtype.kind in "biu" for dtype in kinds):
        raise TypeError(f"expected floating-point arrays, got {kinds}")
    return np.result_type(np.float32, *kinds)


def _shear(links, weight, side):
    """Σ_k weight^k/k! · link i − k (query) or i + k (key), by Horner's rule."""
    if side < 0:
        return np.flip(_shear(np.flip(links, -2), weight, 1), -2)
    total = links
    for k in range(links.shape[-2] - 1, 0, -1):
        carried = links[..., 1:, :] + weight / k * total[..., :-1, :]
        total = np.concatenate([links[..., :1, :], carried], axis=-2)
    return total
