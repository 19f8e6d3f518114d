# Written by symbolic-pe: menagerie.
# reproduce:   symbolic-pe build menagerie-turns.toml --target torch
# target:      torch
# spec:        {"name": "menagerie"}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:8e2fc8ee743533dc879b7933830c82f36039e461d9e10962b27a1a90b83a357d
"""Menagerie.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k, where

    A(τ) = exp(τX)
    X = I ⊗ (a I + ω J) + η N ⊗ I,  A(τ) = e^(a τ) Σ_k (η τ)^k/k! N^k ⊗ R(ω τ)  on
        chains (3, 10, 1, 8), with a = −1/9, ω = 2, η = 1/4
    X = 0,  A(τ) = 1  on channel 15
    X = −θ J,  A(τ) = R(−θ τ)  on planes (6, 13), with θ = 1/3
    X = a_j,  A(τ) = e^(a_j τ)  on channels 4, 11, with a_j listed below
    X = N,  A(τ) = Σ_k τ^k/k! N^k  on chains (2, 9, 0)
    X = a I + η N,  A(τ) = e^(a τ) Σ_k (η τ)^k/k! N^k  on chains (7, 14), with a = −1/6,
        η = −2
    X = a I − θ J,  A(τ) = e^(a τ) R(−θ τ)  on planes (5, 12), with a = −1/8, θ = 5/2

Here J = [[0, −1], [1, 0]], R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]], N has
ones above the diagonal.

Gauge: F(t) = A(t − c)ᵀ for the query, G(s) = A(c − s) for the key, c the reference,
    which cancels in the score and must be the same for both.

Layout: as given; the channels are named above.

Precision: angles as fixed-point turns: for whole positions the phase
    (position − reference)·TURNS is exact modulo one turn, 2^64, so phases add without
    rounding; the rest of a position is turned in float64. Exponents in float64;
    cosines, sines and exponentials rounded once to the compute dtype (float64 for
    float64 input, else float32); the result in the dtype of x.

Range: |position − reference| up to 440 (float32 and bfloat16) and 55 (float16), where
    e^(±a·(position − reference)) stays finite; beyond, move the reference along. Keep
    the reference near the positions in use: the factor (1 +
    |η·(position − reference)|)^(n − 1) of a chain of length n multiplies values and
    rounding errors.

Causal sums: recurrent_step and chunkwise give Σ_{s ≤ t} (qᵀA(t − s)k) v, without
    softmax, from lags t − s ≥ 0 alone: no exponent is positive where A decays, so they
    serve every position and every gap, at any length of chunk, with a state in float32
    or wider. Where A grows with the lag, they are finite as long as A(t − s) is.

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k for all real t, s
    and every reference, in exact arithmetic; rounding is as in Range; the laws of A are
    proved in the certificate named above.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ key.transpose(-1, -2)
"""

import math

import torch
from torch import nn

DIMENSION = 16
HEADS = 1
RATE = -0.1111111111111111
TURN = 2 * math.pi / 2**64
TURNS = torch.tensor([-5871781006564002453], device="cpu")
SHEAR = 0.25
TURNS_2 = torch.tensor([978630167760667075], device="cpu")
RATE_2 = torch.tensor([-0.2, 0.09090909090909091], dtype=torch.float64, device="cpu")
RATE_3 = -0.16666666666666666
SHEAR_2 = -2.0
RATE_4 = -0.125
TURNS_3 = torch.tensor([7339726258205003066], device="cpu")
ORDER = torch.tensor(
    [8, 0, 9, 1, 6, 13, 4, 11, 2, 10, 3, 7, 14, 5, 12, 15], device="cpu"
)


def transform_query(x, position, reference=0.0):
    """F(t)x = A(t − c)ᵀx for queries x of shape (..., n, 16).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: |position − reference| up to 440 (float32 and bfloat16) and 55 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along.
    Keep the reference near the positions in use: the factor (1 +
    |η·(position − reference)|)^(n − 1) of a chain of length n multiplies values and
    rounding errors.
    """
    return _transform(x, position, reference, 1)


def transform_key(x, position, reference=0.0):
    """G(s)x = A(c − s)x for keys x of shape (..., n, 16).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: |position − reference| up to 440 (float32 and bfloat16) and 55 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along.
    Keep the reference near the positions in use: the factor (1 +
    |η·(position − reference)|)^(n − 1) of a chain of length n multiplies values and
    rounding errors.
    """
    return _transform(x, position, reference, -1)


def operator(lag):
    """The matrix A(lag) = F(lag)ᵀ of shape (16, 16), float64; lag is one number."""
    lag = torch.as_tensor(lag, dtype=torch.float64)
    identity = torch.eye(DIMENSION, dtype=torch.float64, device=lag.device)
    return transform_query(identity, lag)


def recurrent_step(state, query, key, value, lag):
    """One position further: (output, state), output Σ_{s ≤ t} (qᵀA(t − s)k) v.

    query and key have shape (..., 16), value (..., m), state (..., m, 16): zeros before
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

    query and key have shape (..., n, 16), value (..., n, m); position of shape (n,), or
    with leading axes as in transform_query, must not decrease. Row i reads rows j ≤ i.

    state is what was summed before, at position start (by default the first one); the
    returned state is at the last position, as recurrent_step takes it. Runs of 2^p ≤
    chunk positions, the longest first, are taken at once; the sum does not depend on
    chunk.
    """
    if chunk < 1:
        raise ValueError(f"expected a chunk of at least 1 position, got {chunk}")
    compute, dtype, device = _widest(query, key, value), value.dtype, value.device
    query, key, value = (x.to(compute) for x in (query, key, value))
    position = torch.as_tensor(position, dtype=torch.float64, device=device)
    position = position[(None,) * (key.ndim - 1 - position.ndim)]
    place = position[..., :1]
    if start is not None:
        place = torch.as_tensor(start, dtype=torch.float64, device=device).unsqueeze(-1)
    if state is None:
        state = value.new_zeros((*key.shape[:-2], value.shape[-1], DIMENSION))
    state = state.to(torch.promote_types(compute, state.dtype))
    outputs, count = [], key.shape[-2]
    first, bits = 0, chunk.bit_length() - 1
    rest = [2**bit for bit in reversed(range(bits)) if count >> bit & 1]
    for size in [2**bits] * (count >> bits) + rest:
        rows = slice(first, first + size)
        first = first + size
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


class Menagerie(nn.Module):
    """transform_query and transform_key for x of shape (..., n, 16)."""

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
    # chains on channels (3, 10, 1, 8)
    scale = torch.exp(side * RATE * u)
    whole = torch.floor(u)
    phase = whole.to(torch.int64) * TURNS.to(u.device)  # 2^64 is one turn: wraps
    angle = (phase + (u - whole) * TURNS.to(u.device)) * TURN
    weight = (side * SHEAR * u).to(compute)[..., None, :]
    cosine = (scale * torch.cos(angle)).to(compute)[..., None, :]
    sine = (scale * torch.sin(angle)).to(compute)[..., None, :]
    first = torch.stack([wide[..., 3:4], wide[..., 1:2]], dim=-2)
    second = torch.stack([wide[..., 10:11], wide[..., 8:9]], dim=-2)
    turned_first = cosine * first - sine * second
    turned_second = sine * first + cosine * second
    first = _shear(turned_first, weight, side)
    second = _shear(turned_second, weight, side)
    first_1_1 = first[..., 1, :]
    first_0_1 = first[..., 0, :]
    second_1_1 = second[..., 1, :]
    second_0_1 = second[..., 0, :]
    # planes (6, 13)
    whole = torch.floor(u)
    phase = whole.to(torch.int64) * TURNS_2.to(u.device)  # 2^64 is one turn: wraps
    angle = (phase + (u - whole) * TURNS_2.to(u.device)) * TURN
    cosine, sine = torch.cos(angle).to(compute), torch.sin(angle).to(compute)
    first, second = wide[..., 6:7], wide[..., 13:14]
    turned_first_2 = cosine * first - sine * second
    turned_second_2 = sine * first + cosine * second
    # channels 4, 11
    scale = torch.exp(side * RATE_2.to(u.device) * u).to(compute)
    scaled_3 = scale * wide[..., 4:14:7]
    # chains on channels (2, 9, 0)
    weight = (side * u).to(compute)[..., None, :]
    links = torch.stack([wide[..., 2:3], wide[..., 9:10], wide[..., :1]], dim=-2)
    links = _shear(links, weight, side)
    links_2_4 = links[..., 2, :]
    links_0_4 = links[..., 0, :]
    links_1_4 = links[..., 1, :]
    # chains on channels (7, 14)
    scale = torch.exp(side * RATE_3 * u).to(compute)[..., None, :]
    weight = (side * SHEAR_2 * u).to(compute)[..., None, :]
    links = wide[..., 7::7, None]
    links = _shear(scale * links, weight, side)
    links_flat_5 = links[..., 0]
    # planes (5, 12)
    scale = torch.exp(side * RATE_4 * u)
    whole = torch.floor(u)
    phase = whole.to(torch.int64) * TURNS_3.to(u.device)  # 2^64 is one turn: wraps
    angle = (phase + (u - whole) * TURNS_3.to(u.device)) * TURN
    cosine = (scale * torch.cos(angle)).to(compute)
    sine = (scale * torch.sin(angle)).to(compute)
    first, second = wide[..., 5:6], wide[..., 12:13]
    turned_first_6 = cosine * first - sine * second
    turned_second_6 = sine * first + cosine * second
    parts = (
        first_1_1,
        first_0_1,
        second_1_1,
        second_0_1,
        turned_first_2,
        turned_second_2,
        scaled_3,
        links_2_4,
        links_0_4,
        links_1_4,
        links_flat_5,
        turned_first_6,
        turned_second_6,
        wide[..., 15:],
    )
    result = torch.cat(parts, dim=-1)
    result = result[..., ORDER.to(wide.device)]
    return result.to(x.dtype)


def _within(query, key, value, position):
    """Σ_{j ≤ i} (q_iᵀA(t_i − t_j)k_j) v_j for 2^p rows.

    Blocks of 1, 2, 4, … rows: every second one reads the one before it across its own
    first position c, A(t − c)A(c − s) with t ≥ c ≥ s, so that no lag is negative.
    """
    count = position.shape[-1]
    output = (query * key).sum(dim=-1).unsqueeze(-1) * value
    for size in (2**power for power in range(count.bit_length() - 1)):
        parts = (torch.stack(x.split(size, dim=-2)) for x in (query, key, value))
        queries, keys, values = parts
        times = torch.stack(position.split(size, dim=-1))
        place = times[1::2, ..., :1]
        late = _transform(queries[1::2], times[1::2], place, 1)
        early = _transform(keys[0::2], times[0::2], place, -1)
        scores = _product(late, early.transpose(-1, -2))
        read = _product(scores, values[0::2])
        blocks = [block for rows in read for block in (torch.zeros_like(rows), rows)]
        output = output + torch.cat(blocks, dim=-2)
    return output


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


def _shear(links, weight, side):
    """Σ_k weight^k/k! · link i − k (query) or i + k (key), by Horner's rule."""
    if side < 0:
        return _shear(links.flip(-2), weight, 1).flip(-2)
    total = links
    for k in range(links.shape[-2] - 1, 0, -1):
        carried = links[..., 1:, :] + weight / k * total[..., :-1, :]
        total = torch.cat([links[..., :1, :], carried], dim=-2)
    return total
