# Written by symbolic-pe: Retention: rotation with per-head decay.
# reproduce:   symbolic-pe build retnet:dim=8,heads=2 --target torch
# target:      torch
# spec:        {"catalogue": "retnet", "settings": {"base": "10000", "dim": "8", "heads": "2", "layout": "interleaved", "theta": "torchscale"}}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:bdf2babeaef0f875db173ffef9dcb3c37bf0c858465c7dc8d47790e8f01a85d3
"""Retention: rotation with per-head decay.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k in every
head, where

    A(τ) = exp(τX)
    X = a_h I − θ_j J,  A(τ) = e^(a_h τ) R(−θ_j τ)  on planes (2j, 2j + 1), j < 4, with
        a_h = log(1 - 2^(-5 - h)), θ_j = (10000)^(-j/3)

Here J = [[0, −1], [1, 0]], R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]].

Gauge: F(t) = A(t − c)ᵀ for the query, G(s) = A(c − s) for the key, c the reference,
    which cancels in the score and must be the same for both.

Layout: interleaved, the two channels of a plane are neighbours.

Precision: angles and exponents in float64 whatever the dtype of the input; cosines,
    sines and exponentials rounded once to the compute dtype (float64 for float64 input,
    else float32); the result in the dtype of x. θ is the exact number, not a
    checkpoint's float32 value.

Range: |position − reference| up to 2771 (float32 and bfloat16) and 346 (float16), where
    e^(±a·(position − reference)) stays finite; beyond, move the reference along, or use
    rotate and decay.

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k for all real t, s
    and every reference, in exact arithmetic; rounding is as in Range; the laws of A are
    proved in the certificate named above.

Source: Sun et al., arXiv:2307.08621, equations 1 to 8.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ key.transpose(-1, -2)
"""

import torch
from torch import nn

DIMENSION = 8
HEADS = 2
HEAD = torch.arange(2, dtype=torch.float64, device="cpu")[:, None, None]
RATE = torch.log(1 - 2.0 ** (-5 - HEAD))
INDEX = torch.arange(4, dtype=torch.float64, device="cpu")
THETA = 10000.0 ** (-INDEX / 3)


def transform_query(x, position, reference=0.0):
    """F(t)x = A(t − c)ᵀx for queries x of shape (..., 2, n, 8).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: |position − reference| up to 2771 (float32 and bfloat16) and 346 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along,
    or use rotate and decay.
    """
    return _transform(x, position, reference, 1)


def transform_key(x, position, reference=0.0):
    """G(s)x = A(c − s)x for keys x of shape (..., 2, n, 8).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: |position − reference| up to 2771 (float32 and bfloat16) and 346 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along,
    or use rotate and decay.
    """
    return _transform(x, position, reference, -1)


def operator(lag):
    """The matrix A(lag) = F(lag)ᵀ of shape (2, 8, 8), float64; lag is one number."""
    lag = torch.as_tensor(lag, dtype=torch.float64)
    identity = torch.eye(DIMENSION, dtype=torch.float64, device=lag.device)
    identity = identity.expand(HEADS, DIMENSION, DIMENSION)
    return transform_query(identity, lag)


def rotate(x, position):
    """The orthogonal part B of A(τ) = decay(τ)·B(τ) for τ ≥ 0, the same on both sides.

    logits(t, s) = decay(t, s) · (rotate(q, t) · rotate(k, s)), 0 for t < s; stable at
    any range.
    """
    return _transform(x, position, 0.0, 0)


def decay(query_position, key_position, *, dtype=torch.float32):
    """e^(a·lag) for lag ≥ 0, else 0, of shape (2, queries, keys)."""
    lag = _lag(query_position, key_position)
    factor = torch.exp(RATE.to(lag.device) * lag.clamp(min=0.0))
    return torch.where(lag >= 0, factor, 0.0).to(dtype)


class Retnet(nn.Module):
    """transform_query and transform_key for x of shape (..., 2, n, 8)."""

    def forward(self, query, key, position, reference=0.0):
        return (
            transform_query(query, position, reference),
            transform_key(key, position, reference),
        )


def _transform(x, position, reference, side):
    """A(u)ᵀx for side 1, A(−u)x for −1, no decay for 0; u = position − reference."""
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


def _lag(query_position, key_position):
    """t − s for every query (row) and key (column), float64."""
    query = torch.as_tensor(query_position, dtype=torch.float64)
    key = torch.as_tensor(key_position, dtype=torch.float64, device=query.device)
    return query.unsqueeze(-1) - key.unsqueeze(-2)
