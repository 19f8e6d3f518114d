# Written by symbolic-pe: GRAPE, additive form with ALiBi slopes.
# reproduce:   symbolic-pe build grape-a:dim=8,heads=2 --target torch
# target:      torch
# spec:        {"catalogue": "grape-a", "settings": {"dim": "8", "form": "constant", "heads": "2", "u": ""}}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:66777b1d3c6ffca48932bb442fee0d7eb370c8fb293bb116b16f499bfc48c461
"""GRAPE, additive form with ALiBi slopes.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k +
bias(t − s) in every head, where

    A(τ) = exp(τX)
    X = 0,  A(τ) = 1  on channels 0 to 7

Gauge: F = G = I on the channels of x.

Layout: as given; the channels are named above.

Bias: bias(t − s) is added to the logits for t ≥ s; transform_query and transform_key
    append 2 coordinates that realise it. For t < s the same formula continues, in t − s
    and not in |t − s|: mask these pairs. When the attention kernel divides by √d, add
    bias() after the scaling, or multiply the appended query coordinates by √d.

Precision: the channels of x are returned as they are; positions are taken in float64.

Range: on the channels of x, every position. bias() is right at every position; the
    appended coordinates hold position − reference in the dtype of x, integers being
    exact only up to 2^24 (float32), 2^11 (float16, infinite from 65520) or 2^8
    (bfloat16), and cancel in the score: keep the reference near the positions in use,
    or use bias().

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k + bias(t − s) for
    all real t, s and every reference, in exact arithmetic; rounding is as in Range; the
    laws of A are proved in the certificate named above.

Source: Zhang et al., Group Representational Position Encoding, ICLR 2026, equations 4.1
    to 4.7.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ key.transpose(-1, -2)
"""

import torch
from torch import nn

DIMENSION = 8
HEADS = 2
HEAD = torch.arange(2, dtype=torch.float64, device="cpu")[:, None, None]
SLOPE = 2.0 ** (-8 * (HEAD + 1) / 2)


def transform_query(x, position, reference=0.0):
    """x itself, A being the identity, for queries x of shape (..., 2, n, 8).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Appends the 2 coordinates that realise the bias; see Range above.
    """
    u = _elapsed(x, position, reference)
    return _append(x, torch.ones_like(u), -SLOPE.to(u.device) * u)


def transform_key(x, position, reference=0.0):
    """x itself, A being the identity, for keys x of shape (..., 2, n, 8).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Appends the 2 coordinates that realise the bias; see Range above.
    """
    u = _elapsed(x, position, reference)
    return _append(x, SLOPE.to(u.device) * u, torch.ones_like(u))


def operator(lag):
    """The matrix A(lag) = F(lag)ᵀ of shape (2, 8, 8), float64; lag is one number."""
    lag = torch.as_tensor(lag, dtype=torch.float64)
    identity = torch.eye(DIMENSION, dtype=torch.float64, device=lag.device)
    identity = identity.expand(HEADS, DIMENSION, DIMENSION)
    query = transform_query(identity, lag)
    return query[..., :DIMENSION]


def bias(query_position, key_position, *, dtype=torch.float32):
    """bias(t − s), to be added to the logits, of shape (2, queries, keys).

    For t < s the same formula continues, in t − s and not in |t − s|: mask these pairs.
    """
    lag = _lag(query_position, key_position)
    return (-SLOPE.to(lag.device) * lag).to(dtype)


def make_score_mod(query_position, key_position):
    """A score_mod for flex_attention that adds the bias, after its scaling."""
    query = torch.as_tensor(query_position, dtype=torch.float64)
    key = torch.as_tensor(key_position, dtype=torch.float64, device=query.device)
    slope = SLOPE[:, 0, 0].to(query.device)

    def score_mod(score, batch, head, query_index, key_index):
        lag = query[query_index] - key[key_index]
        value = -slope[head] * lag
        return score + value.to(score.dtype)

    return score_mod


def make_mask_mod(query_position, key_position):
    """A mask_mod for create_block_mask: keys up to the query, s ≤ t."""
    query = torch.as_tensor(query_position, dtype=torch.float64)
    key = torch.as_tensor(key_position, dtype=torch.float64, device=query.device)

    def mask_mod(batch, head, query_index, key_index):
        return key[key_index] <= query[query_index]

    return mask_mod


class GrapeA(nn.Module):
    """transform_query and transform_key for x of shape (..., 2, n, 8)."""

    def forward(self, query, key, position, reference=0.0):
        return (
            transform_query(query, position, reference),
            transform_key(key, position, reference),
        )


def _elapsed(x, position, reference):
    """position − reference in float64, shape (..., n, 1)."""
    position = torch.as_tensor(position, dtype=torch.float64, device=x.device)
    return (position - reference).unsqueeze(-1)


def _append(x, *columns):
    """Append coordinates to x, each of shape (..., n, 1) or (..., n, k)."""
    if not x.is_floating_point():
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    added = [c.expand(*x.shape[:-1], c.shape[-1]).to(x.dtype) for c in columns]
    return torch.cat([x, *added], dim=-1)


def _lag(query_position, key_position):
    """t − s for every query (row) and key (column), float64."""
    query = torch.as_tensor(query_position, dtype=torch.float64)
    key = torch.as_tensor(key_position, dtype=torch.float64, device=query.device)
    return query.unsqueeze(-1) - key.unsqueeze(-2)
