# Written by symbolic-pe: menagerie.
# reproduce:   symbolic-pe build menagerie-turns.toml --target numpy
# target:      numpy
# spec:        {"name": "menagerie"}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:fbf0452450879813718a3439a11feb5235772f9fe15b264b506f838fe2b33863
"""Menagerie.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k, where

    A(τ) = exp(τX)
    X = I ⊗ (a I + ω J) + η N ⊗ I,  A(τ) = e^(a τ) Σ_k (η τ)^k/k! N^k ⊗ R(ω τ)  on
        chains (3, 10, 1, 8), with a = −1/9, ω = 2, η = 1/4
    X = 0,  A(τ) = 1  on channel 15
    X = −θ J,  A(τ) = R(−θ τ)  on planes (6, 13), with θ = 1/3
    X = a_j,  A(τ) = e^(a_j τ)  on channels 4, 11, with a_j listed below
    X = N,  A(τ) = Σ_k τ^k/k! N^k  on chains (2, 9, 0)
    X = a I + η N,  A(τ) = e^(a τ) Σ_k (η τ)^k/k! N^k  on chains (7, 14), with a = −1/6,
        η = −2
    X = a I − θ J,  A(τ) = e^(a τ) R(−θ τ)  on planes (5, 12), with a = −1/8, θ = 5/2

Here J = [[0, −1], [1, 0]], R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]], N has
ones above the diagonal.

Gauge: F(t) = A(t − c)ᵀ for the query, G(s) = A(c − s) for the key, c the reference,
    which cancels in the score and must be the same for both.

Layout: as given; the channels are named above.

Precision: angles as fixed-point turns: for whole positions the phase
    (position − reference)·TURNS is exact modulo one turn, 2^64, so phases add without
    rounding; the rest of a position is turned in float64. Exponents in float64;
    cosines, sines and exponentials rounded once to the compute dtype (float64 for
    float64 input, else float32); the result in the dtype of x.

Range: |position − reference| up to 440 (float32 and bfloat16) and 55 (float16), where
    e^(±a·(position − reference)) stays finite; beyond, move the reference along. Keep
    the reference near the positions in use: the factor (1 +
    |η·(position − reference)|)^(n − 1) of a chain of length n multiplies values and
    rounding errors.

Causal sums: recurrent_step and chunkwise give Σ_{s ≤ t} (qᵀA(t − s)k) v, without
    softmax, from lags t − s ≥ 0 alone: no exponent is positive where A decays, so they
    serve every position and every gap, at any length of chunk, with a state in float32
    or wider. Where A grows with the lag, they are finite as long as A(t − s) is.

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k for all real t, s
    and every reference, in exact arithmetic; rounding is as in Range; the laws of A are
    proved in the certificate named above.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ np.swapaxes(key, -1, -2)
"""

import numpy as np

DIMENSION = 16
HEADS = 1
RATE = -0.1111111111111111
TURN = 2 * np.pi / 2**64
TURNS = np.array([-5871781006564002453])
SHEAR = 0.25
TURNS_2 = np.array([978630167760667075])
RATE_2 = np.array([-0.2, 0.09090909090909091])
RATE_3 = -0.16666666666666666
SHEAR_2 = -2.0
RATE_4 = -0.125
TURNS_3 = np.array([7339726258205003066])


def transform_query(x, position, reference=0.0):
    """F(t)x = A(t − c)ᵀx for queries x of shape (..., n, 16).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: |position − reference| up to 440 (float32 and bfloat16) and 55 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along.
    Keep the reference near the positions in use: the factor (1 +
    |η·(position − reference)|)^(n − 1) of a chain of length n multiplies values and
    rounding errors.
    """
    return _transform(x, position, reference, 1)


def transform_key(x, position, reference=0.0):
    """G(s)x = A(c − s)x for keys x of shape (..., n, 16).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: |position − reference| up to 440 (float32 and bfloat16) and 55 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along.
    Keep the reference near the positions in use: the factor (1 +
    |η·(position − reference)|)^(n − 1) of a chain of length n multiplies values and
    rounding errors.
    """
    return _transform(x, position, reference, -1)


def operator(lag):
    """The matrix A(lag) = F(lag)ᵀ of shape (16, 16), float64; lag is one number."""
    identity = np.eye(DIMENSION)
    return transform_query(identity, lag)


def recurrent_step(state, query, key, value, lag):
    """One position further: (output, state), output Σ_{s ≤ t} (qᵀA(t − s)k) v.

    query and key have shape (..., 16), value (..., m), state (..., m, 16): zeros before
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

    query and key have shape (..., n, 16), value (..., n, m); position of shape (n,), or
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
    result = x.copy()
    # chains on channels (3, 10, 1, 8)
    scale = np.exp(side * RATE * u)
    whole = np.floor(u)
    phase = whole.astype(np.int64) * TURNS  # 2^64 is one turn: wraps
    angle = (phase + (u - whole) * TURNS) * TURN
    weight = (side * SHEAR * u).astype(compute)[..., None, :]
    cosine = (scale * np.cos(angle)).astype(compute)[..., None, :]
    sine = (scale * np.sin(angle)).astype(compute)[..., None, :]
    first = np.stack([wide[..., 3:4], wide[..., 1:2]], axis=-2)
    second = np.stack([wide[..., 10:11], wide[..., 8:9]], axis=-2)
    turned_first = cosine * first - sine * second
    turned_second = sine * first + cosine * second
    first = _shear(turned_first, weight, side)
    second = _shear(turned_second, weight, side)
    result[..., 1:2] = first[..., 1, :]
    result[..., 3:4] = first[..., 0, :]
    result[..., 8:9] = second[..., 1, :]
    result[..., 10:11] = second[..., 0, :]
    # planes (6, 13)
    whole = np.floor(u)
    phase = whole.astype(np.int64) * TURNS_2  # 2^64 is one turn: wraps
    angle = (phase + (u - whole) * TURNS_2) * TURN
    cosine, sine = np.cos(angle).astype(compute), np.sin(angle).astype(compute)
    first, second = wide[..., 6:7], wide[..., 13:14]
    result[..., 6:7] = cosine * first - sine * second
    result[..., 13:14] = sine * first + cosine * second
    # channels 4, 11
    scale = np.exp(side * RATE_2 * u).astype(compute)
    result[..., 4:14:7] = scale * wide[..., 4:14:7]
    # chains on channels (2, 9, 0)
    weight = (side * u).astype(compute)[..., None, :]
    links = np.stack([wide[..., 2:3], wide[..., 9:10], wide[..., :1]], axis=-2)
    links = _shear(links, weight, side)
    result[..., :1] = links[..., 2, :]
    result[..., 2:3] = links[..., 0, :]
    result[..., 9:10] = links[..., 1, :]
    # chains on channels (7, 14)
    scale = np.exp(side * RATE_3 * u).astype(compute)[..., None, :]
    weight = (side * SHEAR_2 * u).astype(compute)[..., None, :]
    links = wide[..., 7::7, None]
    links = _shear(scale * links, weight, side)
    result[..., 7::7] = links[..., 0]
    # planes (5, 12)
    scale = np.exp(side * RATE_4 * u)
    whole = np.floor(u)
    phase = whole.astype(np.int64) * TURNS_3  # 2^64 is one turn: wraps
    angle = (phase + (u - whole) * TURNS_3) * TURN
    cosine = (scale * np.cos(angle)).astype(compute)
    sine = (scale * np.sin(angle)).astype(compute)
    first, second = wide[..., 5:6], wide[..., 12:13]
    result[..., 5:6] = cosine * first - sine * second
    result[..., 12:13] = sine * first + cosine * second
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
