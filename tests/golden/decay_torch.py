# Written by symbolic-pe: Exponential decay at one rate.
# reproduce:   symbolic-pe build decay:dim=8 --target torch
# target:      torch
# spec:        {"catalogue": "decay", "settings": {"dim": "8", "rate": "1/32"}}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:6cfc8a739c1a1b7bbb5f7d50aeb5c8dee98798f4ca5b921534ad3ad0e7fd8d53
"""Exponential decay at one rate.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k, where

    A(τ) = exp(τX)
    X = a,  A(τ) = e^(a τ)  on channels 0 to 7, with a = −1/32

Gauge: F(t) = A(t − c)ᵀ for the query, G(s) = A(c − s) for the key, c the reference,
    which cancels in the score and must be the same for both.

Layout: as given; the channels are named above.

Precision: angles and exponents in float64 whatever the dtype of the input; cosines,
    sines and exponentials rounded once to the compute dtype (float64 for float64 input,
    else float32); the result in the dtype of x.

Range: |position − reference| up to 2816 (float32 and bfloat16) and 352 (float16), where
    e^(±a·(position − reference)) stays finite; beyond, move the reference along, or use
    rotate and decay.

Causal sums: recurrent_step and chunkwise give Σ_{s ≤ t} (qᵀA(t − s)k) v, without
    softmax, from lags t − s ≥ 0 alone: no exponent is positive where A decays, so they
    serve every position and every gap, at any length of chunk, with a state in float32
    or wider.

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k for all real t, s
    and every reference, in exact arithmetic; rounding is as in Range; the laws of A are
    proved in the certificate named above.

Source: the scalar case of RetNet and of gated linear attention.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ key.transpose(-1, -2)
"""

import torch
from torch import nn

DIMENSION = 8
HEADS = 1
RATE = -0.03125


def transform_query(x, position, reference=0.0):
    """F(t)x = A(t − c)ᵀx for queries x of shape (..., n, 8).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: |position − reference| up to 2816 (float32 and bfloat16) and 352 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along,
    or use rotate and decay.
    """
    return _transform(x, position, reference, 1)


def transform_key(x, position, reference=0.0):
    """G(s)x = A(c − s)x for keys x of shape (..., n, 8).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: |position − reference| up to 2816 (float32 and bfloat16) and 352 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along,
    or use rotate and decay.
    """
    return _transform(x, position, reference, -1)


def operator(lag):
    """The matrix A(lag) = F(lag)ᵀ of shape (8, 8), float64; lag is one number."""
    lag = torch.as_tensor(lag, dtype=torch.float64)
    identity = torch.eye(DIMENSION, dtype=torch.float64, device=lag.device)
    return transform_query(identity, lag)


def rotate(x, position):
    """The orthogonal part B of A(τ) = decay(τ)·B(τ) for τ ≥ 0, the same on both sides.

    logits(t, s) = decay(t, s) · (rotate(q, t) · rotate(k, s)), 0 for t < s; stable at
    any range.
    """
    return _transform(x, position, 0.0, 0)


def decay(query_position, key_position, *, dtype=torch.float32):
    """e^(a·lag) for lag ≥ 0, else 0, of shape (queries, keys)."""
    lag = _lag(query_position, key_position)
    factor = torch.exp(RATE * lag.clamp(min=0.0))
    return torch.where(lag >= 0, factor, 0.0).to(dtype)


def recurrent_step(state, query, key, value, lag):
    """One position further: (output, state), output Σ_{s ≤ t} (qᵀA(t − s)k) v.

    query and key have shape (..., 8), value (..., m), state (..., m, 8): zeros before
    the first position. lag ≥ 0 is the time since the position before, one number or of
    a shape that broadcasts to the leading axes.

    state·A(lag)ᵀ + v kᵀ is the new state, float32 or wider, and its product with q the
    output, in the dtype of value. No exponent is positive where A decays: it serves
    every range.
    """
    compute = _widest(state, query, key, value)
    step = torch.as_tensor(lag, dtype=torch.float64, device=state.device).unsqueeze(-1)
    state = state.to(compute)
    query, key = query.to(compute).unsqueeze(-2), key.to(compute).unsqueeze(-2)
    kept = _transform(state, -step, 0.0, -1)
    state = kept + value.to(compute).unsqueeze(-1) * key
    return (state * query).sum(dim=-1).to(value.dtype), state


def chunkwise(query, key, value, position, *, state=None, start=None, chunk=64):
    """All outputs Σ_{s ≤ t} (qᵀA(t − s)k) v, and the state after the last position.

    query and key have shape (..., n, 8), value (..., n, m); position of shape (n,), or
    with leading axes as in transform_query, must not decrease. Row i reads rows j ≤ i.

    state is what was summed before, at position start (by default the first one); the
    returned state is at the last position, as recurrent_step takes it. At most chunk
    positions are taken at once; the sum does not depend on chunk.
    """
    if chunk < 1:
        raise ValueError(f"expected a chunk of at least 1 position, got {chunk}")
    compute, dtype, device = _widest(query, key, value), value.dtype, value.device
    query, key, value = (x.to(compute) for x in (query, key, value))
    position = torch.as_tensor(position, dtype=torch.float64, device=device)
    place = position[..., :1]
    if start is not None:
        place = torch.as_tensor(start, dtype=torch.float64, device=device).unsqueeze(-1)
    if state is None:
        state = value.new_zeros((*key.shape[:-2], value.shape[-1], DIMENSION))
    state = state.to(torch.promote_types(compute, state.dtype))
    outputs, count = [], key.shape[-2]
    for first in range(0, count, chunk):
        rows = slice(first, first + chunk)
        queries, keys, values = (x[..., rows, :] for x in (query, key, value))
        times = position[..., rows]
        end = times[..., -1:]
        late = _transform(queries, times, place, 1)
        early = _transform(keys, times, end, -1)
        kept = _transform(state, place, end, -1)
        read = _product(late.to(state.dtype), state.transpose(-1, -2))
        outputs.append(read + _within(queries, keys, values, times))
        state = kept + _product(values.transpose(-1, -2), early)
        place = end
    return torch.cat(outputs, dim=-2).to(dtype), state


class Decay(nn.Module):
    """transform_query and transform_key for x of shape (..., n, 8)."""

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
    scale = torch.exp(side * RATE * u).to(compute)
    scaled = scale * wide
    result = scaled
    return result.to(x.dtype)


def _within(query, key, value, position):
    """Σ_{j ≤ i} e^(a·lag) (q_i · k_j) v_j, A(τ) = e^(aτ)."""
    lag = torch.tril(position.unsqueeze(-1) - position.unsqueeze(-2))
    factor = torch.exp(RATE * lag).to(query.dtype)
    scores = factor * _product(query, key.transpose(-1, -2))
    return _product(torch.tril(scores), value)


def _widest(*tensors):
    """float64 where a tensor has it, else float32."""
    compute = torch.float32
    for x in tensors:
        if not x.is_floating_point():
            raise TypeError(f"expected floating-point tensors, got {x.dtype}")
        compute = torch.promote_types(compute, x.dtype)
    return compute


def _product(left, right):
    """left @ right in their own dtype, also under autocast."""
    if not torch.amp.is_autocast_available(left.device.type):
        return left @ right
    with torch.autocast(left.device.type, enabled=False):
        return left @ right


def _lag(query_position, key_position):
    """t − s for every query (row) and key (column), float64."""
    query = torch.as_tensor(query_position, dtype=torch.float64)
    key = torch.as_tensor(key_position, dtype=torch.float64, device=query.device)
    return query.unsqueeze(-1) - key.unsqueeze(-2)
