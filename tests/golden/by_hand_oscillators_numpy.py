# Written by symbolic-pe: oscillators.
# reproduce:   symbolic-pe build oscillators.toml --target numpy
# target:      numpy
# spec:        {}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:574d3f469977c9ef3553a8d7bc9f1d99b3022e13aca4754932bd3f6c030fc8ef
"""Oscillators.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k, where

    A(τ) = exp(τX)
    X = [[0, 1], [-w^2, -2*w*z]],  A(τ) = e^(aτ)(C·I + S·(X − aI))  on channels (0, 1),
        with C = cosh(τ√D), S = sinh(τ√D)/√D, a = -w*z, D = w^2*z^2 - w^2
    X = [[0, 1], [-4*w^2, -4*w*z]],  A(τ) = e^(aτ)(C·I + S·(X − aI))  on channels
        (2, 3), with C = cosh(τ√D), S = sinh(τ√D)/√D, a = -2*w*z, D = 4*w^2*z^2 - 4*w^2
    X = [[z, w], [-w, w]],  A(τ) = e^(aτ)(C·I + S·(X − aI))  on channels (4, 5), with C
        = cosh(τ√D), S = sinh(τ√D)/√D, a = 1/2*w + 1/2*z, D = -3/4*w^2 - 1/2*w*z +
        1/4*z^2
    X = a,  A(τ) = e^(a τ)  on channel 6, with a = −w
    X = 0,  A(τ) = 1  on channel 7

Gauge: F(t) = A(t − c)ᵀ for the query, G(s) = A(c − s) for the key, c the reference,
    which cancels in the score and must be the same for both.

Layout: as given; the channels are named above.

Precision: angles and exponents in float64 whatever the dtype of the input; cosines,
    sines and exponentials rounded once to the compute dtype (float64 for float64 input,
    else float32); the result in the dtype of x.

Range: the maps are finite for r·|position − reference| < 88 (float32 and bfloat16) or
    11 (float16), r the largest |real part| of an eigenvalue; beyond, move the reference
    along. Where D > 0, opposite exponentials e^(±√D·(position − reference)) cancel in
    the score, which loses about 2√D·|position − reference|·log10(e) digits (near D = 0,
    its error grows like the square of the distance): keep the reference within a few
    1/√D of the positions in use.

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

DIMENSION = 8
HEADS = 1


def transform_query(x, position, w, z, reference=0.0):
    """F(t)x = A(t − c)ᵀx for queries x of shape (..., n, 8).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: the maps are finite for r·|position − reference| < 88 (float32 and bfloat16)
    or 11 (float16), r the largest |real part| of an eigenvalue; beyond, move the
    reference along. Where D > 0, opposite exponentials e^(±√D·(position − reference))
    cancel in the score, which loses about 2√D·|position − reference|·log10(e) digits
    (near D = 0, its error grows like the square of the distance): keep the reference
    within a few 1/√D of the positions in use.
    """
    return _transform(x, position, reference, 1, w, z)


def transform_key(x, position, w, z, reference=0.0):
    """G(s)x = A(c − s)x for keys x of shape (..., n, 8).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: the maps are finite for r·|position − reference| < 88 (float32 and bfloat16)
    or 11 (float16), r the largest |real part| of an eigenvalue; beyond, move the
    reference along. Where D > 0, opposite exponentials e^(±√D·(position − reference))
    cancel in the score, which loses about 2√D·|position − reference|·log10(e) digits
    (near D = 0, its error grows like the square of the distance): keep the reference
    within a few 1/√D of the positions in use.
    """
    return _transform(x, position, reference, -1, w, z)


def operator(lag, w, z):
    """The matrix A(lag) = F(lag)ᵀ of shape (8, 8), float64; lag is one number."""
    identity = np.eye(DIMENSION)
    return transform_query(identity, lag, w, z)


def recurrent_step(state, query, key, value, lag, w, z):
    """One position further: (output, state), output Σ_{s ≤ t} (qᵀA(t − s)k) v.

    query and key have shape (..., 8), value (..., m), state (..., m, 8): zeros before
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
    kept = _transform(state, -step, 0.0, -1, w, z)
    state = kept + np.asarray(value, compute)[..., None] * key
    return (state * query).sum(axis=-1).astype(value.dtype), state


def chunkwise(query, key, value, position, w, z, *, state=None, start=None, chunk=64):
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
        late = _transform(queries, times, place, 1, w, z)
        early = _transform(keys, times, end, -1, w, z)
        kept = _transform(state, place, end, -1, w, z)
        read = late @ np.swapaxes(state, -1, -2)
        outputs.append(read + _within(queries, keys, values, times, w, z))
        state = kept + np.swapaxes(values, -1, -2) @ early
        place = end
    return np.concatenate(outputs, axis=-2).astype(dtype), state


def _transform(x, position, reference, side, w, z):
    """A(u)ᵀx for side 1, A(−u)x for side −1; u = position − reference."""
    x = np.asarray(x)
    if x.dtype.kind in "biu":
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    compute = np.result_type(x.dtype, np.float32)
    u = (np.asarray(position, np.float64) - reference)[..., None]
    w = np.asarray(w, np.float64)
    z = np.asarray(z, np.float64)
    wide = x.astype(compute)
    result = x.copy()
    # channel 6
    scale = np.exp(-side * w * u).astype(compute)
    result[..., 6:7] = scale * wide[..., 6:7]
    # the 2 x 2 blocks on channels (2j, 2j + 1), j < 3
    centre = np.stack([-w * z, -2 * w * z, 0.5 * (w + z)])
    discriminant = np.stack(
        [
            w**2 * (z + 1) * (z - 1),
            4 * w**2 * (z + 1) * (z - 1),
            -0.75 * (w + z) * (w - z / 3),
        ]
    )
    half_difference = np.stack([w * z, 2 * w * z, -0.5 * (w - z)])
    upper = np.stack([1, 1, w])
    lower = np.stack([-(w**2), -4 * w**2, -w])
    even, odd = _even_and_odd(side * u, centre, discriminant)
    upper = (upper * odd).astype(compute)
    lower = (lower * odd).astype(compute)
    if side > 0:  # the transpose
        upper, lower = lower, upper
    left = (even + half_difference * odd).astype(compute)
    right = (even - half_difference * odd).astype(compute)
    first, second = wide[..., 0:6:2], wide[..., 1:6:2]
    result[..., 0:6:2] = left * first + upper * second
    result[..., 1:6:2] = lower * first + right * second
    return result


def _within(query, key, value, position, w, z):
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
        late = _transform(queries[1::2], times[1::2], place, 1, w, z)
        early = _transform(keys[0::2], times[0::2], place, -1, w, z)
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


def _even_and_odd(u, centre, discriminant):
    """e^{au}·cosh(u√D) and e^{au}·sinh(u√D)/√D for any sign of D, smooth at D = 0.

    a is the centre, D the discriminant: two rates a ± √D, one rate, or a rotation.
    """
    square = u * u * discriminant
    growing, turning = square > 1.0, square < -1.0
    small = np.where(growing | turning, 0.0, square)
    even = odd = np.ones_like(small)
    for k in range(9, 0, -1):
        even = 1.0 + small * even / ((2 * k - 1) * (2 * k))
        odd = 1.0 + small * odd / ((2 * k) * (2 * k + 1))
    rate = np.sqrt(np.where(growing, discriminant, 1.0))
    frequency = np.sqrt(np.where(turning, -discriminant, 1.0))
    reach = np.where(growing, u, 0.0)
    first = np.exp((centre + rate) * reach)
    second = np.exp((centre - rate) * reach)
    scale = np.exp(centre * np.where(growing, 0.0, u))
    even = scale * np.where(turning, np.cos(frequency * u), even)
    odd = scale * np.where(turning, np.sin(frequency * u) / frequency, u * odd)
    even = np.where(growing, (first + second) / 2, even)
    odd = np.where(growing, (first - second) / (2 * rate), odd)
    return even, odd
