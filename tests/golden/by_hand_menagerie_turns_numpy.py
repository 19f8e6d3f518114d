# Written by symbolic-pe: menagerie.
# reproduce:   symbolic-pe build menagerie-turns.toml --target numpy
# target:      numpy
# spec:        {"name": "menagerie"}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:a9384a94ebbfa2f5200dbb63024f73b7288ee00cae005f4445aa79dc626e116f
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
    links = np.stack([wide[..., 7:8], wide[..., 14:15]], axis=-2)
    links = _shear(scale * links, weight, side)
    result[..., 7:8] = links[..., 0, :]
    result[..., 14:15] = links[..., 1, :]
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


def _shear(links, weight, side):
    """Σ_k weight^k/k! · link i − k (query) or i + k (key), by Horner's rule."""
    if side < 0:
        return np.flip(_shear(np.flip(links, -2), weight, 1), -2)
    total = links
    for k in range(links.shape[-2] - 1, 0, -1):
        carried = links[..., 1:, :] + weight / k * total[..., :-1, :]
        total = np.concatenate([links[..., :1, :], carried], axis=-2)
    return total
