# Written by symbolic-pe: oscillators.
# reproduce:   symbolic-pe build oscillators.toml --target torch
# target:      torch
# spec:        {}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:e916e942f05b79cae75dc1a8038a7d88d5455603417eb98c693c79845c76d8fb
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

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k for all real t, s
    and every reference, in exact arithmetic; rounding is as in Range; the laws of A are
    proved in the certificate named above.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ key.transpose(-1, -2)
"""

import torch
from torch import nn

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
    lag = torch.as_tensor(lag, dtype=torch.float64)
    identity = torch.eye(DIMENSION, dtype=torch.float64, device=lag.device)
    return transform_query(identity, lag, w, z)


class Oscillators(nn.Module):
    """transform_query and transform_key for x of shape (..., n, 8).

    Its parameters are float64; casting the model to a shorter dtype rounds them.
    """

    def __init__(self, w, z):
        super().__init__()
        self.w = nn.Parameter(torch.tensor(w, dtype=torch.float64))
        self.z = nn.Parameter(torch.tensor(z, dtype=torch.float64))

    def forward(self, query, key, position, reference=0.0):
        return (
            transform_query(query, position, self.w, self.z, reference),
            transform_key(key, position, self.w, self.z, reference),
        )


def _transform(x, position, reference, side, w, z):
    """A(u)ᵀx for side 1, A(−u)x for side −1; u = position − reference."""
    if not x.is_floating_point():
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    compute = torch.promote_types(x.dtype, torch.float32)
    position = torch.as_tensor(position, dtype=torch.float64, device=x.device)
    u = (position - reference).unsqueeze(-1)
    w = torch.as_tensor(w, dtype=torch.float64, device=x.device)
    z = torch.as_tensor(z, dtype=torch.float64, device=x.device)
    wide = x.to(compute)
    # channel 6
    scale = torch.exp(-side * w * u).to(compute)
    scaled_1 = scale * wide[..., 6:7]
    # the 2 x 2 blocks on channels (2j, 2j + 1), j < 3
    centre = torch.stack([-w * z, -2 * w * z, 0.5 * (w + z)])
    discriminant = torch.stack(
        [
            w**2 * (z + 1) * (z - 1),
            4 * w**2 * (z + 1) * (z - 1),
            -0.75 * (w + z) * (w - z / 3),
        ]
    )
    half_difference = torch.stack([w * z, 2 * w * z, -0.5 * (w - z)])
    upper = torch.stack([u.new_tensor(1), u.new_tensor(1), w])
    lower = torch.stack([-(w**2), -4 * w**2, -w])
    even, odd = _even_and_odd(side * u, centre, discriminant)
    upper = (upper * odd).to(compute)
    lower = (lower * odd).to(compute)
    if side > 0:  # the transpose
        upper, lower = lower, upper
    left = (even + half_difference * odd).to(compute)
    right = (even - half_difference * odd).to(compute)
    first, second = wide[..., 0:6:2], wide[..., 1:6:2]
    turned_first_2 = left * first + upper * second
    turned_second_2 = lower * first + right * second
    planes_0 = torch.stack((turned_first_2, turned_second_2), dim=-1).flatten(-2)
    result = torch.cat((planes_0, scaled_1, wide[..., 7:]), dim=-1)
    return result.to(x.dtype)


def _even_and_odd(u, centre, discriminant):
    """e^{au}·cosh(u√D) and e^{au}·sinh(u√D)/√D for any sign of D, smooth at D = 0.

    a is the centre, D the discriminant: two rates a ± √D, one rate, or a rotation.
    Each branch sees harmless arguments where another is taken: gradients stay finite.
    """
    square = u * u * discriminant
    growing, turning = square > 1.0, square < -1.0
    small = torch.where(growing | turning, 0.0, square)
    even = odd = torch.ones_like(small)
    for k in range(9, 0, -1):
        even = 1.0 + small * even / ((2 * k - 1) * (2 * k))
        odd = 1.0 + small * odd / ((2 * k) * (2 * k + 1))
    rate = torch.sqrt(torch.where(growing, discriminant, 1.0))
    frequency = torch.sqrt(torch.where(turning, -discriminant, 1.0))
    reach = torch.where(growing, u, 0.0)
    first = torch.exp((centre + rate) * reach)
    second = torch.exp((centre - rate) * reach)
    scale = torch.exp(centre * torch.where(growing, 0.0, u))
    even = scale * torch.where(turning, torch.cos(frequency * u), even)
    odd = scale * torch.where(turning, torch.sin(frequency * u) / frequency, u * odd)
    even = torch.where(growing, (first + second) / 2, even)
    odd = torch.where(growing, (first - second) / (2 * rate), odd)
    return even, odd
