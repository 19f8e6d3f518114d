# Written by symbolic-pe: learned-slopes.
# reproduce:   symbolic-pe build learned-slopes.toml --target torch
# target:      torch
# spec:        {}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:c4e61cc67513dd9f1e4cfbc68171622c69d7e2a406385c834b7c4d4573811d40
"""Learned-slopes.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k +
bias(t − s) in every head, where

    A(τ) = exp(τX)
    X = −θ J,  A(τ) = R(−θ τ)  on planes (0, 1), with θ = w
    X = 0,  A(τ) = 1  on channel 2

Here J = [[0, −1], [1, 0]], R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]].

Gauge: query and key both turn by +θ·(position − reference). A is orthogonal, so one map
    serves both sides, and the reference cancels.

Layout: as given; the channels are named above.

Bias: bias(t − s) is added to the logits for t ≥ s; transform_query and transform_key
    append 2 coordinates that realise it. For t < s the same formula continues, in t − s
    and not in |t − s|: mask these pairs. When the attention kernel divides by √d, add
    bias() after the scaling, or multiply the appended query coordinates by √d.

Precision: angles and exponents in float64 whatever the dtype of the input; cosines,
    sines and exponentials rounded once to the compute dtype (float64 for float64 input,
    else float32); the result in the dtype of x.

Range: on the channels of x, every position. bias() is right at every position; the
    appended coordinates hold position − reference in the dtype of x, integers being
    exact only up to 2^24 (float32), 2^11 (float16, infinite from 65520) or 2^8
    (bfloat16), and cancel in the score: keep the reference near the positions in use,
    or use bias().

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k + bias(t − s) for
    all real t, s and every reference, in exact arithmetic; rounding is as in Range; the
    laws of A are proved in the certificate named above.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ key.transpose(-1, -2)
"""

import torch
from torch import nn

DIMENSION = 3
HEADS = 2
SLOPE = torch.tensor([0.3333333333333333, 0.2], dtype=torch.float64, device="cpu")
SLOPE = SLOPE[:, None, None]


def transform_query(x, position, m, w, reference=0.0):
    """F(t)x = A(t − c)ᵀx for queries x of shape (..., 2, n, 3).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Appends the 2 coordinates that realise the bias; see Range above.
    """
    u = _elapsed(x, position, reference)
    m = torch.as_tensor(m, dtype=torch.float64, device=u.device)
    w = torch.as_tensor(w, dtype=torch.float64, device=u.device)
    content = _transform(x, position, reference, m, w)
    return _append(
        content,
        -m * w * SLOPE.to(u.device) * torch.ones_like(u),
        -m * w * SLOPE.to(u.device) * u,
    )


def transform_key(x, position, m, w, reference=0.0):
    """G(s)x = A(c − s)x for keys x of shape (..., 2, n, 3).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Appends the 2 coordinates that realise the bias; see Range above.
    """
    u = _elapsed(x, position, reference)
    content = _transform(x, position, reference, m, w)
    return _append(content, -u, torch.ones_like(u))


def operator(lag, m, w):
    """The matrix A(lag) = F(lag)ᵀ of shape (2, 3, 3), float64; lag is one number."""
    lag = torch.as_tensor(lag, dtype=torch.float64)
    identity = torch.eye(DIMENSION, dtype=torch.float64, device=lag.device)
    identity = identity.expand(HEADS, DIMENSION, DIMENSION)
    query = transform_query(identity, lag, m, w)
    return query[..., :DIMENSION]


def bias(query_position, key_position, m, w, *, dtype=torch.float32):
    """bias(t − s), to be added to the logits, of shape (2, queries, keys).

    For t < s the same formula continues, in t − s and not in |t − s|: mask these pairs.
    """
    lag = _lag(query_position, key_position)
    m = torch.as_tensor(m, dtype=torch.float64, device=lag.device)
    w = torch.as_tensor(w, dtype=torch.float64, device=lag.device)
    return (-m * w * SLOPE.to(lag.device) * lag).to(dtype)


def make_score_mod(query_position, key_position, m, w):
    """A score_mod for flex_attention that adds the bias, after its scaling."""
    query = torch.as_tensor(query_position, dtype=torch.float64)
    key = torch.as_tensor(key_position, dtype=torch.float64, device=query.device)
    m = torch.as_tensor(m, dtype=torch.float64, device=query.device)
    w = torch.as_tensor(w, dtype=torch.float64, device=query.device)
    slope = SLOPE[:, 0, 0].to(query.device)

    def score_mod(score, batch, head, query_index, key_index):
        lag = query[query_index] - key[key_index]
        value = -m * w * slope[head] * lag
        return score + value.to(score.dtype)

    return score_mod


def make_mask_mod(query_position, key_position):
    """A mask_mod for create_block_mask: keys up to the query, s ≤ t."""
    query = torch.as_tensor(query_position, dtype=torch.float64)
    key = torch.as_tensor(key_position, dtype=torch.float64, device=query.device)

    def mask_mod(batch, head, query_index, key_index):
        return key[key_index] <= query[query_index]

    return mask_mod


class LearnedSlopes(nn.Module):
    """transform_query and transform_key for x of shape (..., 2, n, 3).

    Its parameters are float64; casting the model to a shorter dtype rounds them.
    """

    def __init__(self, m, w):
        super().__init__()
        self.m = nn.Parameter(torch.tensor(m, dtype=torch.float64))
        self.w = nn.Parameter(torch.tensor(w, dtype=torch.float64))

    def forward(self, query, key, position, reference=0.0):
        return (
            transform_query(query, position, self.m, self.w, reference),
            transform_key(key, position, self.m, self.w, reference),
        )


def _transform(x, position, reference, m, w):
    """A(u)ᵀx = A(−u)x for query and key, u = position − reference."""
    if not x.is_floating_point():
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    compute = torch.promote_types(x.dtype, torch.float32)
    u = _elapsed(x, position, reference)
    w = torch.as_tensor(w, dtype=torch.float64, device=x.device)
    wide = x.to(compute)
    # planes (0, 1)
    angle = u * w
    cosine, sine = torch.cos(angle).to(compute), torch.sin(angle).to(compute)
    first, second = wide[..., :1], wide[..., 1:2]
    turned_first = cosine * first - sine * second
    turned_second = sine * first + cosine * second
    result = torch.cat((turned_first, turned_second, wide[..., 2:]), dim=-1)
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
