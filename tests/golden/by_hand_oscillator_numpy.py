# Written by symbolic-pe: critically-damped.
# reproduce:   symbolic-pe build oscillator.toml --target numpy
# target:      numpy
# spec:        {"name": "damped"}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:69507b299ade37a1466435bef12d0863b8598b22b063ec23b6da6a7e070977e9
"""Critically-damped.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k, where

    A(τ) = exp(τX)
    X = [[0, 1], [-w^2, -2*w*z]],  A(τ) = e^(aτ)(C·I + S·(X − aI))  on channels (0, 1),
        with C = cosh(τ√D), S = sinh(τ√D)/√D, a = -w*z, D = w^2*z^2 - w^2

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

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k for all real t, s
    and every reference, in exact arithmetic; rounding is as in Range; the laws of A are
    proved in the certificate named above.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ np.swapaxes(key, -1, -2)
"""

import numpy as np

DIMENSION = 2
HEADS = 1


def transform_query(x, position, w, z, reference=0.0):
    """F(t)x = A(t − c)ᵀx for queries x of shape (..., n, 2).

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
    """G(s)x = A(c − s)x for keys x of shape (..., n, 2).

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
    """The matrix A(lag) = F(lag)ᵀ of shape (2, 2), float64; lag is one number."""
    identity = np.eye(DIMENSION)
    return transform_query(identity, lag, w, z)


def _transform(x, position, reference, side, w, z):
    """A(u)ᵀx for side 1, A(−u)x for side −1; u = position − reference."""
    x = np.asarray(x)
    if x.dtype.kind in "biu":
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    compute = np.result_type(x.dtype, np.float32)
    u = (np.asarray(position, np.float64) - reference)[..., None]
    wide = x.astype(compute)
    result = np.empty_like(x)
    centre = -w * z
    discriminant = w**2 * (z + 1) * (z - 1)
    half_difference = w * z
    lower = -(w**2)
    even, odd = _even_and_odd(side * u, centre, discriminant)
    upper = odd.astype(compute)
    lower = (lower * odd).astype(compute)
    if side > 0:  # the transpose
        upper, lower = lower, upper
    left = (even + half_difference * odd).astype(compute)
    right = (even - half_difference * odd).astype(compute)
    first, second = wide[..., :1], wide[..., 1:]
    result[..., :1] = left * first + upper * second
    result[..., 1:] = lower * first + right * second
    return result


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
