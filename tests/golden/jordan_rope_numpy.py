# Written by symbolic-pe: Jordan-RoPE, exact form.
# reproduce:   symbolic-pe build jordan-rope:dim=8 --target numpy
# target:      numpy
# spec:        {"catalogue": "jordan-rope", "settings": {"base": "10000", "decay": "1", "dim": "8", "length": "1024", "order": "2", "shear": "1"}}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:431cdae65f8570d3b24b424be25522864433cfff704db1ea38816f0b0e89d4a2
"""Jordan-RoPE, exact form.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k, where

    A(τ) = exp(τX)
    X = I ⊗ (a I + ω_j J) + η N ⊗ I,  A(τ) = e^(a τ) Σ_k (η τ)^k/k! N^k ⊗ R(ω_j τ)  on
        chains (0, 1, 2, 3), (4, 5, 6, 7), with a = −1/1024, ω_j = 10000^(-2*j/8),
        η = 1/1024

Here J = [[0, −1], [1, 0]], R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]], N has
ones above the diagonal.

Gauge: F(t) = A(t − c)ᵀ for the query, G(s) = A(c − s) for the key, c the reference,
    which cancels in the score and must be the same for both.

Layout: as given; the channels are named above.

Precision: angles and exponents in float64 whatever the dtype of the input; cosines,
    sines and exponentials rounded once to the compute dtype (float64 for float64 input,
    else float32); the result in the dtype of x. θ is the exact number, not a
    checkpoint's float32 value.

Range: |position − reference| up to 90112 (float32 and bfloat16) and 11264 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along.
    Keep the reference near the positions in use: the factor (1 +
    |η·(position − reference)|)^(n − 1) of a chain of length n multiplies values and
    rounding errors.

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k for all real t, s
    and every reference, in exact arithmetic; rounding is as in Range; the laws of A are
    proved in the certificate named above.

Source: arXiv:2605.04217.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ np.swapaxes(key, -1, -2)
"""

import numpy as np

DIMENSION = 8
HEADS = 1
RATE = -0.0009765625
OMEGA = 10000.0 ** (-2 * np.arange(2) / 8)
SHEAR = 0.0009765625


def transform_query(x, position, reference=0.0):
    """F(t)x = A(t − c)ᵀx for queries x of shape (..., n, 8).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: |position − reference| up to 90112 (float32 and bfloat16) and 11264
    (float16), where e^(±a·(position − reference)) stays finite; beyond, move the
    reference along. Keep the reference near the positions in use: the factor (1 +
    |η·(position − reference)|)^(n − 1) of a chain of length n multiplies values and
    rounding errors.
    """
    return _transform(x, position, reference, 1)


def transform_key(x, position, reference=0.0):
    """G(s)x = A(c − s)x for keys x of shape (..., n, 8).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: |position − reference| up to 90112 (float32 and bfloat16) and 11264
    (float16), where e^(±a·(position − reference)) stays finite; beyond, move the
    reference along. Keep the reference near the positions in use: the factor (1 +
    |η·(position − reference)|)^(n − 1) of a chain of length n multiplies values and
    rounding errors.
    """
    return _transform(x, position, reference, -1)


def operator(lag):
    """The matrix A(lag) = F(lag)ᵀ of shape (8, 8), float64; lag is one number."""
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
    angle = -u * OMEGA
    weight = (side * SHEAR * u).astype(compute)[..., None, :]
    cosine = (scale * np.cos(angle)).astype(compute)[..., None, :]
    sine = (scale * np.sin(angle)).astype(compute)[..., None, :]
    first = np.stack([wide[..., 0::4], wide[..., 2::4]], axis=-2)
    second = np.stack([wide[..., 1::4], wide[..., 3::4]], axis=-2)
    turned_first = cosine * first - sine * second
    turned_second = sine * first + cosine * second
    first = _shear(turned_first, weight, side)
    second = _shear(turned_second, weight, side)
    result[..., 0::4] = first[..., 0, :]
    result[..., 1::4] = second[..., 0, :]
    result[..., 2::4] = first[..., 1, :]
    result[..., 3::4] = second[..., 1, :]
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
