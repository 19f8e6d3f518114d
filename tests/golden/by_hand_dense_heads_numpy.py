# Written by symbolic-pe: dense-heads.
# reproduce:   symbolic-pe build dense-heads.toml --target numpy
# target:      numpy
# spec:        {"name": "dense-heads"}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:b3b797cb44dc4ea514c30add012038f379f7cfe20395dcbcf671fcde85a55cbc
"""Dense-heads.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k in every
head, where

    A(τ) = exp(τX)
    X = P K P⁻¹,  A(τ) = P exp(τK) P⁻¹  with P = BASIS, P⁻¹ = INVERSE_BASIS
    K = ω_h J,  exp(τK) = R(ω_h τ)  on planes (0, 1), with ω_h listed below

Here J = [[0, −1], [1, 0]], R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]].

Gauge: the query is multiplied by Pᵀ and the key by P⁻¹, and both stay in the
    coordinates of K, a real Jordan form: F(t) = exp((t − c)K)ᵀPᵀ, G(s) =
    exp((c − s)K)P⁻¹, M = P⁻¹. Pᵀ and P⁻¹ can be folded into the weights of query and
    key.

Layout: as given; the channels are named above.

Precision: angles and exponents in float64 whatever the dtype of the input; the product
    with the basis in float64; cosines, sines and exponentials rounded once to the
    compute dtype (float64 for float64 input, else float32); the result in the dtype of
    x.

Range: every position. Up to 1048576, angles are off by less than 6e-09 rad.

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k for all real t, s
    and every reference, up to rounding; the laws of A are proved in the certificate
    named above.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ np.swapaxes(key, -1, -2)
"""

import numpy as np

DIMENSION = 2
HEADS = 2
OMEGA = np.array([1.0, 1.5])[:, None, None]
BASIS = np.array([[1.0, 1.0], [0.0, 1.0], [1.0, 3.0], [0.0, 2.0]]).reshape(2, 2, 2)
INVERSE_BASIS = np.array([[1.0, -1.0], [0.0, 1.0], [1.0, -1.5], [0.0, 0.5]])
INVERSE_BASIS = INVERSE_BASIS.reshape(2, 2, 2)


def transform_query(x, position, reference=0.0):
    """F(t)x = PᵀA(t − c)ᵀx for queries x of shape (..., 2, n, 2).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.
    """
    return _transform(x, position, reference, 1)


def transform_key(x, position, reference=0.0):
    """G(s)x = P⁻¹A(c − s)x for keys x of shape (..., 2, n, 2).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.
    """
    return _transform(x, position, reference, -1)


def operator(lag):
    """The matrix A(lag) of shape (2, 2, 2), float64; lag is one number."""
    identity = np.broadcast_to(np.eye(DIMENSION), (HEADS, DIMENSION, DIMENSION))
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
    angle = -u * OMEGA
    cosine, sine = np.cos(angle).astype(compute), np.sin(angle).astype(compute)
    first, second = wide[..., :1], wide[..., 1:]
    result[..., :1] = cosine * first - sine * second
    result[..., 1:] = sine * first + cosine * second
    return result
