# Written by symbolic-pe: p-RoPE: the lowest frequencies are dropped.
# reproduce:   symbolic-pe build p-rope:dim=8 --target torch
# target:      torch
# spec:        {"catalogue": "p-rope", "settings": {"angles": "float64", "base": "10000", "dim": "8", "factor": "1", "fraction": "3/4", "layout": "half"}}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:c6ad840e0deb5fd069ce902fc1e16d26af08498184ab552c377577e83a1f4a80
"""p-RoPE: the lowest frequencies are dropped.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k, where

    A(τ) = exp(τX)
    X = −θ_j J,  A(τ) = R(−θ_j τ)  on planes (j, j + 4), j < 3, with
        θ_j = 10000^(-2*j/8)
    X = 0,  A(τ) = 1  on channels 3, 7

Here J = [[0, −1], [1, 0]], R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]].

Gauge: query and key both turn by +θ·(position − reference). A is orthogonal, so one map
    serves both sides, and the reference cancels.

Layout: half, a plane pairs one channel of the first half with one of the second.

Precision: angles and exponents in float64 whatever the dtype of the input; cosines,
    sines and exponentials rounded once to the compute dtype (float64 for float64 input,
    else float32); the result in the dtype of x. θ is the exact number, not a
    checkpoint's float32 value.

Range: every position. Up to 1048576, angles are off by less than 4e-09 rad.

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k for all real t, s
    and every reference, up to rounding; the laws of A are proved in the certificate
    named above.

Source: Barbero et al., arXiv:2410.06205, appendix D; transformers rope_type
    proportional.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ key.transpose(-1, -2)
"""

import torch
from torch import nn

DIMENSION = 8
HEADS = 1
INDEX = torch.arange(3, dtype=torch.float64, device="cpu")
THETA = 10000.0 ** (-2 * INDEX / 8)


def transform_query(x, position, reference=0.0):
    """F(t)x = A(t − c)ᵀx for queries x of shape (..., n, 8).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.
    """
    return _transform(x, position, reference)


def transform_key(x, position, reference=0.0):
    """G(s)x = A(c − s)x for keys x of shape (..., n, 8).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.
    """
    return _transform(x, position, reference)


def operator(lag):
    """The matrix A(lag) = F(lag)ᵀ of shape (8, 8), float64; lag is one number."""
    lag = torch.as_tensor(lag, dtype=torch.float64)
    identity = torch.eye(DIMENSION, dtype=torch.float64, device=lag.device)
    return transform_query(identity, lag)


class PRope(nn.Module):
    """transform_query and transform_key for x of shape (..., n, 8)."""

    def forward(self, query, key, position, reference=0.0):
        return (
            transform_query(query, position, reference),
            transform_key(key, position, reference),
        )


def _transform(x, position, reference):
    """A(u)ᵀx = A(−u)x for query and key, u = position − reference."""
    if not x.is_floating_point():
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    compute = torch.promote_types(x.dtype, torch.float32)
    position = torch.as_tensor(position, dtype=torch.float64, device=x.device)
    u = (position - reference).unsqueeze(-1)
    wide = x.to(compute)
    # planes (j, j + 4), j < 3
    angle = u * THETA.to(u.device)
    cosine, sine = torch.cos(angle).to(compute), torch.sin(angle).to(compute)
    first, second = wide[..., :3], wide[..., 4:7]
    turned_first = cosine * first - sine * second
    turned_second = sine * first + cosine * second
    parts = (turned_first, wide[..., 3:4], turned_second, wide[..., 7:])
    result = torch.cat(parts, dim=-1)
    return result.to(x.dtype)
