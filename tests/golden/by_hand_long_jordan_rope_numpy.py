# Written by symbolic-pe: long-jordan-rope.
# reproduce:   symbolic-pe build long-jordan-rope.toml --target numpy
# target:      numpy
# spec:        {"name": "long-jordan-rope"}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:aa60f9e3cc5aa9ffe6efeea399e13648655fb31b060fb8c2218ee74e0beaa7e1
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
FIRST_CHANNELS = 2 * np.arange(5)[:, None] + 10 * np.arange(2)
SECOND_CHANNELS = 1 + 2 * np.arange(5)[:, None] + 10 * np.arange(2)


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
    first = wide[..., FIRST_CHANNELS]
    second = wide[..., SECOND_CHANNELS]
    turned_first = cosine * first - sine * second
    turned_second = sine * first + cosine * second
    first = _shear(turned_first, weight, side)
    second = _shear(turned_second, weight, side)
    result[..., FIRST_CHANNELS] = first
    result[..., SECOND_CHANNELS] = second
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
