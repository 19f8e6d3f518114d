# Written by symbolic-pe: xPos: rotation with per-plane decay.
# reproduce:   symbolic-pe build xpos:dim=8 --target array-api
# target:      array-api
# spec:        {"catalogue": "xpos", "settings": {"base": "10000", "dim": "8", "gamma": "2/5", "layout": "interleaved", "scale_base": "512"}}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:0843c5595bddcac0f80e90a7399c354803426038a9aa7934b854ff1c03e3d7d1
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


def _values(values, like):
    """A list of numbers as float64 in the library and on the device of an array."""
    xp = array_namespace(like)
    return xp.asarray(values, dtype=xp.float64, device=device(like))
