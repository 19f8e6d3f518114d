# Written by symbolic-pe: dense.
# reproduce:   symbolic-pe build dense.toml --target numpy
# target:      numpy
# spec:        {"name": "dense"}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:50897b26e963afbbaf32d05a21ddd1d8cd96eeb1db44649f9e84a9cac8f9a56e
"""Dense.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k, where

    A(τ) = exp(τX)
    X = P K P⁻¹,  A(τ) = P exp(τK) P⁻¹  with P = BASIS, P⁻¹ = INVERSE_BASIS
    K = a I + N,  exp(τK) = e^(a τ) Σ_k τ^k/k! N^k  on chains (0, 1), with a = −1/2
    K = a,  exp(τK) = e^(a τ)  on channel 2, with a = 1/3
    K = a I + ω J,  exp(τK) = e^(a τ) R(ω τ)  on planes (3, 4), with a = −1/4, ω = 2

Here J = [[0, −1], [1, 0]], R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]], N has
ones above the diagonal.

Gauge: the query is multiplied by Pᵀ and the key by P⁻¹, and both stay in the
    coordinates of K, a real Jordan form: F(t) = exp((t − c)K)ᵀPᵀ, G(s) =
    exp((c − s)K)P⁻¹, M = P⁻¹. Pᵀ and P⁻¹ can be folded into the weights of query and
    key.

Layout: as given; the channels are named above.

Precision: angles and exponents in float64 whatever the dtype of the input; the product
    with the basis in float64; cosines, sines and exponentials rounded once to the
    compute dtype (float64 for float64 input, else float32); the result in the dtype of
    x.

Range: |position − reference| up to 176 (float32 and bfloat16) and 22 (float16), where
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

DIMENSION = 5
HEADS = 1
RATE = -0.5
RATE_2 = 0.3333333333333333
RATE_3 = -0.25
OMEGA = 2.0
# fmt: off
BASIS = np.array([
    [1.0, 0.0, 0.0, 0.0, 1.0],
    [0.0, 1.0, 0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0, 1.0, 0.0],
    [1.0, 0.0, 0.0, 0.0, 2.0],
    [0.0, 0.0, 1.0, 0.0, 1.0],
])
INVERSE_BASIS = np.array([
    [2.0, 0.0, 0.0, -1.0, 0.0],
    [1.0, 1.0, -1.0, -1.0, 1.0],
    [1.0, 0.0, 0.0, -1.0, 1.0],
    [-1.0, 0.0, 1.0, 1.0, -1.0],
    [-1.0, 0.0, 0.0, 1.0, 0.0],
])
# fmt: on


def transform_query(x, position, reference=0.0):
    """F(t)x = PᵀA(t − c)ᵀx for queries x of shape (..., n, 5).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: |position − reference| up to 176 (float32 and bfloat16) and 22 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along.
    Keep the reference near the positions in use: the factor (1 +
    |η·(position − reference)|)^(n − 1) of a chain of length n multiplies values and
    rounding errors.
    """
    return _transform(x, position, reference, 1)


def transform_key(x, position, reference=0.0):
    """G(s)x = P⁻¹A(c − s)x for keys x of shape (..., n, 5).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: |position − reference| up to 176 (float32 and bfloat16) and 22 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along.
    Keep the reference near the positions in use: the factor (1 +
    |η·(position − reference)|)^(n − 1) of a chain of length n multiplies values and
    rounding errors.
    """
    return _transform(x, position, reference, -1)


def operator(lag):
    """The matrix A(lag) of shape (5, 5), float64; lag is one number."""
    identity = np.eye(DIMENSION)
    query = transform_query(identity, lag)
    key = transform_key(identity, 0.0)
    return query @ np.swapaxes(key, -1, -2)


def _transform(x, position, reference, side):
    """A(u)ᵀx for side 1, A(−u)x for side −1; u = position − reference."""
    x = np.asarray(x)
    if x.dtype.kind in "biu":
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    compute = np.result_type(x.dtype, np.float32)
    u = (np.asarray(position, np.float64) - reference)[..., None]
    basis = BASIS if side > 0 else np.swapaxes(INVERSE_BASIS, -1, -2)
    wide = (x.astype(np.float64) @ basis).astype(compute)
    result = np.empty_like(x)
    # chains on channels (0, 1)
    scale = np.exp(side * RATE * u).astype(compute)[..., None, :]
    weight = (side * u).astype(compute)[..., None, :]
    links = np.stack([wide[..., :1], wide[..., 1:2]], axis=-2)
    links = _shear(scale * links, weight, side)
    result[..., :1] = links[..., 0, :]
    result[..., 1:2] = links[..., 1, :]
    # channel 2
    scale = np.exp(side * RATE_2 * u).astype(compute)
    result[..., 2:3] = scale * wide[..., 2:3]
    # planes (3, 4)
    scale = np.exp(side * RATE_3 * u)
    angle = -u * OMEGA
    cosine = (scale * np.cos(angle)).astype(compute)
    sine = (scale * np.sin(angle)).astype(compute)
    first, second = wide[..., 3:4], wide[..., 4:]
    result[..., 3:4] = cosine * first - sine * second
    result[..., 4:] = sine * first + cosine * second
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
