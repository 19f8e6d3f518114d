# Written by symbolic-pe: Decoupled rotary part of multi-head latent attention.
# reproduce:   symbolic-pe build mla:rotary_dim=4 --target numpy
# target:      numpy
# spec:        {"catalogue": "mla", "settings": {"angles": "float64", "base": "10000", "beta_fast": "32", "beta_slow": "1", "content_dim": "128", "factor": "40", "layout": "interleaved", "mscale": "1", "original_length": "4096", "rotary_dim": "4", "truncate": "yes"}}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:2c941b8ab0bff2eec33deea5143958f1004cc940051d96e4dbe751a77d6eff23
"""Decoupled rotary part of multi-head latent attention.

The score of a query q at position t and a key k at position s is c²·qᵀA(t − s)k, where

    A(τ) = exp(τX)
    X = 0,  A(τ) = 1  on channels 0 to 127
    X = −θ_j J,  A(τ) = R(−θ_j τ)  on planes (128, 129), (130, 131), with θ_j listed
        below

Here J = [[0, −1], [1, 0]], R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]].

Gauge: query and key both turn by +θ·(position − reference). A is orthogonal, so one map
    serves both sides, and the reference cancels.

Layout: interleaved, the two channels of a plane are neighbours.

Temperature: c = 3/10*log(2) + 1/10*log(5) + 1 (TEMPERATURE). Multiply the logits by its
    square; it is no part of A, and nothing here applies it.

Precision: angles and exponents in float64 whatever the dtype of the input; cosines,
    sines and exponentials rounded once to the compute dtype (float64 for float64 input,
    else float32); the result in the dtype of x.

Range: every position. Up to 1048576, angles are off by less than 4e-09 rad.

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k for all real t, s
    and every reference, up to rounding; the laws of A are proved in the certificate
    named above.

Source: DeepSeek-AI, arXiv:2405.04434, section 2.1.3; DeepSeek-V3 inference/model.py.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ np.swapaxes(key, -1, -2)
"""

import numpy as np

DIMENSION = 132
HEADS = 1
TEMPERATURE = 1.3688879454113936
THETA = np.array([1.0, 0.005125])


def transform_query(x, position, reference=0.0):
    """F(t)x = A(t − c)ᵀx for queries x of shape (..., n, 132).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.
    """
    return _transform(x, position, reference)


def transform_key(x, position, reference=0.0):
    """G(s)x = A(c − s)x for keys x of shape (..., n, 132).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.
    """
    return _transform(x, position, reference)


def operator(lag):
    """The matrix A(lag) = F(lag)ᵀ of shape (132, 132), float64; lag is one number."""
    identity = np.eye(DIMENSION)
    return transform_query(identity, lag)


def _transform(x, position, reference):
    """A(u)ᵀx = A(−u)x for query and key, u = position − reference."""
    x = np.asarray(x)
    if x.dtype.kind in "biu":
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    compute = np.result_type(x.dtype, np.float32)
    u = (np.asarray(position, np.float64) - reference)[..., None]
    wide = x.astype(compute)
    result = x.copy()
    # planes (128, 129), (130, 131)
    angle = u * THETA
    cosine, sine = np.cos(angle).astype(compute), np.sin(angle).astype(compute)
    first, second = wide[..., 128::2], wide[..., 129::2]
    result[..., 128::2] = cosine * first - sine * second
    result[..., 129::2] = sine * first + cosine * second
    return result
