# Written by symbolic-pe: xPos: rotation with per-plane decay.
# reproduce:   symbolic-pe build xpos:dim=8 --target torch
# target:      torch
# spec:        {"catalogue": "xpos", "settings": {"base": "10000", "dim": "8", "gamma": "2/5", "layout": "interleaved", "scale_base": "512"}}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:db13bacf48528d56f8e651236a996568be3291a597e0e4148aad965ef40e8a26
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
    logits = query @ key.transpose(-1, -2)
"""

import torch
from torch import nn

DIMENSION = 8
HEADS = 1
INDEX = torch.arange(4, dtype=torch.float64, device="cpu")
RATE = torch.log((2 * INDEX / 8 + 2 / 5) / (1 + 2 / 5)) / 512
THETA = 10000.0 ** (-2 * INDEX / 8)


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
    """The matrix A(lag) = F(lag)ᵀ of shape (8, 8), float64; lag is one number."""
    lag = torch.as_tensor(lag, dtype=torch.float64)
    identity = torch.eye(DIMENSION, dtype=torch.float64, device=lag.device)
    return transform_query(identity, lag)


class Xpos(nn.Module):
    """transform_query and transform_key for x of shape (..., n, 8)."""

    def forward(self, query, key, position, reference=0.0):
        return (
            transform_query(query, position, reference),
            transform_key(key, position, reference),
        )


def _transform(x, position, reference, side):
    """A(u)ᵀx for side 1, A(−u)x for side −1; u = position − reference."""
    if not x.is_floating_point():
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    compute = torch.promote_types(x.dtype, torch.float32)
    position = torch.as_tensor(position, dtype=torch.float64, device=x.device)
    u = (position - reference).unsqueeze(-1)
    wide = x.to(compute)
    scale = torch.exp(side * RATE.to(u.device) * u)
    angle = u * THETA.to(u.device)
    cosine = (scale * torch.cos(angle)).to(compute)
    sine = (scale * torch.sin(angle)).to(compute)
    first, second = wide[..., 0::2], wide[..., 1::2]
    turned_first = cosine * first - sine * second
    turned_second = sine * first + cosine * second
    result = torch.stack((turned_first, turned_second), dim=-1).flatten(-2)
    return result.to(x.dtype)
