# Written by symbolic-pe: learned-ladder.
# reproduce:   symbolic-pe build learned-ladder.toml --target torch
# target:      torch
# spec:        {}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:31f586deafb48cc8ef984611f860c4375bc64457a2f2ae50dc3c3e85057b2051
"""Learned-ladder.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k, where

    A(τ) = exp(τX)
    X = −θ_j J,  A(τ) = R(−θ_j τ)  on planes (2j, 2j + 1), j < 4, with
        θ_j = w*10000^(-2*j/8)

Here J = [[0, −1], [1, 0]], R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]].

Gauge: query and key both turn by +θ·(position − reference). A is orthogonal, so one map
    serves both sides, and the reference cancels.

Layout: as given; the channels are named above.

Precision: angles and exponents in float64 whatever the dtype of the input; cosines,
    sines and exponentials rounded once to the compute dtype (float64 for float64 input,
    else float32); the result in the dtype of x. θ is the exact number, not a
    checkpoint's float32 value.

Range: every position.

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k for all real t, s
    and every reference, up to rounding; the laws of A are proved in the certificate
    named above.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ key.transpose(-1, -2)
"""

import torch
from torch import nn

DIMENSION = 8
HEADS = 1
INDEX = torch.arange(4, dtype=torch.float64, device="cpu")


def transform_query(x, position, w, reference=0.0):
    """F(t)x = A(t − c)ᵀx for queries x of shape (..., n, 8).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.
    """
    return _transform(x, position, reference, w)


def transform_key(x, position, w, reference=0.0):
    """G(s)x = A(c − s)x for keys x of shape (..., n, 8).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.
    """
    return _transform(x, position, reference, w)


def operator(lag, w):
    """The matrix A(lag) = F(lag)ᵀ of shape (8, 8), float64; lag is one number."""
    lag = torch.as_tensor(lag, dtype=torch.float64)
    identity = torch.eye(DIMENSION, dtype=torch.float64, device=lag.device)
    return transform_query(identity, lag, w)


class LearnedLadder(nn.Module):
    """transform_query and transform_key for x of shape (..., n, 8).

    Its parameters are float64; casting the model to a shorter dtype rounds them.
    """

    def __init__(self, w):
        super().__init__()
        self.w = nn.Parameter(torch.tensor(w, dtype=torch.float64))

    def forward(self, query, key, position, reference=0.0):
        return (
            transform_query(query, position, self.w, reference),
            transform_key(key, position, self.w, reference),
        )


def _transform(x, position, reference, w):
    """A(u)ᵀx = A(−u)x for query and key, u = position − reference."""
    if not x.is_floating_point():
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    compute = torch.promote_types(x.dtype, torch.float32)
    position = torch.as_tensor(position, dtype=torch.float64, device=x.device)
    u = (position - reference).unsqueeze(-1)
    w = torch.as_tensor(w, dtype=torch.float64, device=x.device)
    wide = x.to(compute)
    theta = w * 10000.0 ** (-2 * INDEX.to(u.device) / 8)
    angle = u * theta
    cosine, sine = torch.cos(angle).to(compute), torch.sin(angle).to(compute)
    first, second = wide[..., 0::2], wide[..., 1::2]
    turned_first = cosine * first - sine * second
    turned_second = sine * first + cosine * second
    result = torch.stack((turned_first, turned_second), dim=-1).flatten(-2)
    return result.to(x.dtype)
