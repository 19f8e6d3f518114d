# Written by symbolic-pe: learned-rates.
# reproduce:   symbolic-pe build learned-rates.toml --target numpy
# target:      numpy
# spec:        {}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:a2003c2d629bf06e5f63e69d78ae0b0ab48059801c43fca16438103d90776b6d
"""Learned-rates.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k, where

    A(τ) = exp(τX)
    X = a I − θ_j J,  A(τ) = e^(a τ) R(−θ_j τ)  on planes (0, 1), (2, 3), with a = −x,
        θ_j listed below
    X = a I + η N,  A(τ) = e^(a τ) Σ_k (η τ)^k/k! N^k  on chains (4, 5), with a = −w*x,
        η = lambda
    X = a,  A(τ) = e^(a τ)  on channel 6, with a = w + x*sqrt(2)

Here J = [[0, −1], [1, 0]], R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]], N has
ones above the diagonal.

Gauge: F(t) = A(t − c)ᵀ for the query, G(s) = A(c − s) for the key, c the reference,
    which cancels in the score and must be the same for both.

Layout: as given; the channels are named above.

Precision: angles and exponents in float64 whatever the dtype of the input; cosines,
    sines and exponentials rounded once to the compute dtype (float64 for float64 input,
    else float32); the result in the dtype of x.

Range: the maps are finite for r·|position − reference| < 88 (float32 and bfloat16) or
    11 (float16), r the largest |real part| of an eigenvalue; beyond, move the reference
    along. Keep the reference near the positions in use: the factor (1 +
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

DIMENSION = 7
HEADS = 1
THETA = np.array([1.0, 0.3333333333333333])


def transform_query(x, position, lambda_, w, x_, reference=0.0):
    """F(t)x = A(t − c)ᵀx for queries x of shape (..., n, 7).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: the maps are finite for r·|position − reference| < 88 (float32 and bfloat16)
    or 11 (float16), r the largest |real part| of an eigenvalue; beyond, move the
    reference along. Keep the reference near the positions in use: the factor (1 +
    |η·(position − reference)|)^(n − 1) of a chain of length n multiplies values and
    rounding errors.
    """
    return _transform(x, position, reference, 1, lambda_, w, x_)


def transform_key(x, position, lambda_, w, x_, reference=0.0):
    """G(s)x = A(c − s)x for keys x of shape (..., n, 7).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: the maps are finite for r·|position − reference| < 88 (float32 and bfloat16)
    or 11 (float16), r the largest |real part| of an eigenvalue; beyond, move the
    reference along. Keep the reference near the positions in use: the factor (1 +
    |η·(position − reference)|)^(n − 1) of a chain of length n multiplies values and
    rounding errors.
    """
    return _transform(x, position, reference, -1, lambda_, w, x_)


def operator(lag, lambda_, w, x_):
    """The matrix A(lag) = F(lag)ᵀ of shape (7, 7), float64; lag is one number."""
    identity = np.eye(DIMENSION)
    return transform_query(identity, lag, lambda_, w, x_)


def recurrent_step(state, query, key, value, lag, lambda_, w, x_):
    """One position further: (output, state), output Σ_{s ≤ t} (qᵀA(t − s)k) v.

    query and key have shape (..., 7), value (..., m), state (..., m, 7): zeros before
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
    kept = _transform(state, -step, 0.0, -1, lambda_, w, x_)
    state = kept + np.asarray(value, compute)[..., None] * key
    return (state * query).sum(axis=-1).astype(value.dtype), state


def chunkwise(
    query, key, value, position, lambda_, w, x_, *, state=None, start=None, chunk=64
):
    """All outputs Σ_{s ≤ t} (qᵀA(t − s)k) v, and the state after the last position.

    query and key have shape (..., n, 7), value (..., n, m); position of shape (n,), or
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
        late = _transform(queries, times, place, 1, lambda_, w, x_)
        early = _transform(keys, times, end, -1, lambda_, w, x_)
        kept = _transform(state, place, end, -1, lambda_, w, x_)
        read = late @ np.swapaxes(state, -1, -2)
        outputs.append(read + _within(queries, keys, values, times, lambda_, w, x_))
        state = kept + np.swapaxes(values, -1, -2) @ early
        place = end
    return np.concatenate(outputs, axis=-2).astype(dtype), state


def _transform(x, position, reference, side, lambda_, w, x_):
    """A(u)ᵀx for side 1, A(−u)x for side −1; u = position − reference."""
    x = np.asarray(x)
    if x.dtype.kind in "biu":
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    compute = np.result_type(x.dtype, np.float32)
    u = (np.asarray(position, np.float64) - reference)[..., None]
    lambda_ = np.asarray(lambda_, np.float64)
    w = np.asarray(w, np.float64)
    x_ = np.asarray(x_, np.float64)
    wide = x.astype(compute)
    result = np.empty_like(x)
    # planes (0, 1), (2, 3)
    scale = np.exp(-side * x_ * u)
    theta = w * THETA
    angle = u * theta
    cosine = (scale * np.cos(angle)).astype(compute)
    sine = (scale * np.sin(angle)).astype(compute)
    first, second = wide[..., 0:4:2], wide[..., 1:4:2]
    result[..., 0:4:2] = cosine * first - sine * second
    result[..., 1:4:2] = sine * first + cosine * second
    # chains on channels (4, 5)
    rate = -w * x_
    scale = np.exp(side * rate * u).astype(compute)[..., None, :]
    weight = (side * lambda_ * u).astype(compute)[..., None, :]
    links = wide[..., 4:6, None]
    links = _shear(scale * links, weight, side)
    result[..., 4:6] = links[..., 0]
    # channel 6
    rate = w + 1.4142135623730951 * x_
    scale = np.exp(side * rate * u).astype(compute)
    result[..., 6:] = scale * wide[..., 6:]
    return result


def _within(query, key, value, position, lambda_, w, x_):
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
        late = _transform(queries[1::2], times[1::2], place, 1, lambda_, w, x_)
        early = _transform(keys[0::2], times[0::2], place, -1, lambda_, w, x_)
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
