# Written by symbolic-pe: rope-alibi.
# reproduce:   symbolic-pe build rope-alibi.toml --target torch
# target:      torch
# spec:        {"name": "rope-alibi"}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:3e0b3eef12da04f37c5d72137d48c7cad208d670fc376b599007fe637d0b42a5
"""Rope-alibi.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k +
bias(t − s), where

    A(τ) = exp(τX)
    X = −θ_j J,  A(τ) = R(−θ_j τ)  on planes (0, 1), (2, 3), with θ_j listed below

Here J = [[0, −1], [1, 0]], R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]].

Gauge: query and key both turn by +θ·(position − reference). A is orthogonal, so one map
    serves both sides, and the reference cancels.

Layout: as given; the channels are named above.

Bias: bias(τ) = -1/2*sqrt(2)*τ is added to the logits for t ≥ s; transform_query and
    transform_key append 2 coordinates that realise it. For t < s the same formula
    continues, in t − s and not in |t − s|: mask these pairs. When the attention kernel
    divides by √d, add bias() after the scaling, or multiply the appended query
    coordinates by √d.

Precision: angles and exponents in float64 whatever the dtype of the input; cosines,
    sines and exponentials rounded once to the compute dtype (float64 for float64 input,
    else float32); the result in the dtype of x.

Range: on the channels of x, every position. Up to 1048576, angles are off by less than
    4e-09 rad. bias() is right at every position; the appended coordinates hold position
    − reference in the dtype of x, integers being exact only up to 2^24 (float32), 2^11
    (float16, infinite from 65520) or 2^8 (bfloat16), and cancel in the score: keep the
    reference near the positions in use, or use bias().

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k + bias(t − s) for
    all real t, s and every reference, in exact arithmetic; rounding is as in Range; the
    laws of A are proved in the certificate named above.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ key.transpose(-1, -2)
"""

import torch
from torch import nn

DIMENSION = 4
HEADS = 1
SLOPE = 0.7071067811865476
THETA = torch.tensor([1.0, 0.1], dtype=torch.float64, device="cpu")


def transform_query(x, position, reference=0.0):
    """F(t)x = A(t − c)ᵀx for queries x of shape (..., n, 4).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Appends the 2 coordinates that realise the bias; see Range above.
    """
    u = _elapsed(x, position, reference)
    content = _transform(x, position, reference)
    return _append(content, -SLOPE * torch.ones_like(u), -SLOPE * u)


def transform_key(x, position, reference=0.0):
    """G(s)x = A(c − s)x for keys x of shape (..., n, 4).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Appends the 2 coordinates that realise the bias; see Range above.
    """
    u = _elapsed(x, position, reference)
    content = _transform(x, position, reference)
    return _append(content, -u, torch.ones_like(u))


def operator(lag):
    """The matrix A(lag) = F(lag)ᵀ of shape (4, 4), float64; lag is one number."""
    lag = torch.as_tensor(lag, dtype=torch.float64)
    identity = torch.eye(DIMENSION, dtype=torch.float64, device=lag.device)
    query = transform_query(identity, lag)
    return query[..., :DIMENSION]


def bias(query_position, key_position, *, dtype=torch.float32):
    """bias(t − s), to be added to the logits, of shape (queries, keys).

    For t < s the same formula continues, in t − s and not in |t − s|: mask these pairs.
    """
    lag = _lag(query_position, key_position)
    return (-SLOPE * lag).to(dtype)


def make_score_mod(query_position, key_position):
    """A score_mod for flex_attention that adds the bias, after its scaling."""
    query = torch.as_tensor(query_position, dtype=torch.float64)
    key = torch.as_tensor(key_position, dtype=torch.float64, device=query.device)

    def score_mod(score, batch, head, query_index, key_index):
        lag = query[query_index] - key[key_index]
        value = -SLOPE * lag
        return score + value.to(score.dtype)

    return score_mod


def make_mask_mod(query_position, key_position):
    """A mask_mod for create_block_mask: keys up to the query, s ≤ t."""
    query = torch.as_tensor(query_position, dtype=torch.float64)
    key = torch.as_tensor(key_position, dtype=torch.float64, device=query.device)

    def mask_mod(batch, head, query_index, key_index):
        return key[key_index] <= query[query_index]

    return mask_mod


class RopeAlibi(nn.Module):
    """transform_query and transform_key for x of shape (..., n, 4)."""

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
    u = _elapsed(x, position, reference)
    wide = x.to(compute)
    angle = u * THETA.to(u.device)
    cosine, sine = torch.cos(angle).to(compute), torch.sin(angle).to(compute)
    first, second = wide[..., 0::2], wide[..., 1::2]
    turned_first = cosine * first - sine * second
    turned_second = sine * first + cosine * second
    result = torch.stack((turned_first, turned_second), dim=-1).flatten(-2)
    return result.to(x.dtype)


def _elapsed(x, position, reference):
    """position − reference in float64, shape (..., n, 1)."""
    position = torch.as_tensor(position, dtype=torch.float64, device=x.device)
    return (position - reference).unsqueeze(-1)


def _append(x, *columns):
    """Append coordinates to x, each of shape (..., n, 1) or (..., n, k)."""
    added = [c.expand(*x.shape[:-1], c.shape[-1]).to(x.dtype) for c in columns]
    return torch.cat([x, *added], dim=-1)


def _lag(query_position, key_position):
    """t − s for every query (row) and key (column), float64."""
    query = torch.as_tensor(query_position, dtype=torch.float64)
    key = torch.as_tensor(key_position, dtype=torch.float64, device=query.device)
    return query.unsqueeze(-1) - key.unsqueeze(-2)
