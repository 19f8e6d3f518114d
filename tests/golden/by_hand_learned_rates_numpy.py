# Written by symbolic-pe: learned-rates.
# reproduce:   symbolic-pe build learned-rates.toml --target numpy
# target:      numpy
# spec:        {}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:173854b2ec494cb7bac10b72f2c9c89d59a3dd75fd70fe8652272826a22a19aa
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


def _transform(x, position, reference, side, lambda_, w, x_):
    """A(u)ᵀx for side 1, A(−u)x for side −1; u = position − reference."""
    x = np.asarray(x)
    if x.dtype.kind in "biu":
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    compute = np.result_type(x.dtype, np.float32)
    u = (np.asarray(position, np.float64) - reference)[..., None]
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
    links = np.stack([wide[..., 4:5], wide[..., 5:6]], axis=-2)
    links = _shear(scale * links, weight, side)
    result[..., 4:5] = links[..., 0, :]
    result[..., 5:6] = links[..., 1, :]
    # channel 6
    rate = w + 1.4142135623730951 * x_
    scale = np.exp(side * rate * u).astype(compute)
    result[..., 6:] = scale * wide[..., 6:]
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
