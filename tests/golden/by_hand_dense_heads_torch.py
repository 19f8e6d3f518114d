# Written by symbolic-pe: dense-heads.
# reproduce:   symbolic-pe build dense-heads.toml --target torch
# target:      torch
# spec:        {"name": "dense-heads"}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:364fb0741964bd2c7c46f0d58d141bdad58d3061da557bba6c340aeeecebcd3f
"""Dense-heads.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k in every
head, where

    A(τ) = exp(τX)
    X = P K P⁻¹,  A(τ) = P exp(τK) P⁻¹  with P = BASIS, P⁻¹ = INVERSE_BASIS
    K = ω_h J,  exp(τK) = R(ω_h τ)  on planes (0, 1), with ω_h listed below

Here J = [[0, −1], [1, 0]], R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]].

Gauge: the query is multiplied by Pᵀ and the key by P⁻¹, and both stay in the
    coordinates of K, a real Jordan form: F(t) = exp((t − c)K)ᵀPᵀ, G(s) =
    exp((c − s)K)P⁻¹, M = P⁻¹. Pᵀ and P⁻¹ can be folded into the weights of query and
    key.

Layout: as given; the channels are named above.

Precision: angles and exponents in float64 whatever the dtype of the input; the product
    with the basis in float64; cosines, sines and exponentials rounded once to the
    compute dtype (float64 for float64 input, else float32); the result in the dtype of
    x.

Range: every position. Up to 1048576, angles are off by less than 6e-09 rad.

Causal sums: recurrent_step and chunkwise give Σ_{s ≤ t} (qᵀA(t − s)k) v, without
    softmax. Nothing grows or decays: they serve every position and every gap, at any
    length of chunk, with a state in float32 or wider.

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k for all real t, s
    and every reference, up to rounding; the laws of A are proved in the certificate
    named above.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ key.transpose(-1, -2)
"""

import torch
from torch import nn

DIMENSION = 2
HEADS = 2
BASIS = torch.tensor(
    [[1.0, 1.0], [0.0, 1.0], [0.5, 1.5], [0.0, 1.0]], dtype=torch.float64, device="cpu"
)
BASIS = BASIS.reshape(2, 2, 2)
# fmt: off
INVERSE_BASIS = torch.tensor([
    [1.0, -1.0],
    [0.0, 1.0],
    [2.0, -3.0],
    [0.0, 1.0],
], dtype=torch.float64, device="cpu").reshape(2, 2, 2)
# fmt: on
OMEGA = torch.tensor([1.0, 1.5], dtype=torch.float64, device="cpu")[:, None, None]


def transform_query(x, position, reference=0.0):
    """F(t)x = PᵀA(t − c)ᵀx for queries x of shape (..., 2, n, 2).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.
    """
    return _transform(x, position, reference, 1)


def transform_key(x, position, reference=0.0):
    """G(s)x = P⁻¹A(c − s)x for keys x of shape (..., 2, n, 2).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.
    """
    return _transform(x, position, reference, -1)


def operator(lag):
    """The matrix A(lag) of shape (2, 2, 2), float64; lag is one number."""
    lag = torch.as_tensor(lag, dtype=torch.float64)
    identity = torch.eye(DIMENSION, dtype=torch.float64, device=lag.device)
    identity = identity.expand(HEADS, DIMENSION, DIMENSION)
    query = transform_query(identity, lag)
    key = transform_key(identity, 0.0)
    return query @ key.transpose(-1, -2)


def recurrent_step(state, query, key, value, lag):
    """One position further: (output, state), output Σ_{s ≤ t} (qᵀA(t − s)k) v.

    query and key have shape (..., 2, 2), value (..., 2, m), state (..., 2, m, 2): zeros
    before the first position. lag ≥ 0 is the time since the position before, one number
    or of a shape that broadcasts to the leading axes.

    state·A(lag)ᵀ + v kᵀ is the new state, float32 or wider, and its product with q the
    output, in the dtype of value (in the coordinates of K: P⁻¹k and Pᵀq in place of k
    and q). No exponent is positive where A decays: it serves every range.
    """
    compute = _widest(state, query, key, value)
    step = torch.as_tensor(lag, dtype=torch.float64, device=state.device).unsqueeze(-1)
    state = state.to(compute)
    query, key = query.to(compute).unsqueeze(-2), key.to(compute).unsqueeze(-2)
    query, key = _transform(query, 0.0, 0.0, 1), _transform(key, 0.0, 0.0, -1)
    kept = _move(state, -step, 0.0)
    state = kept + value.to(compute).unsqueeze(-1) * key
    return (state * query).sum(dim=-1).to(value.dtype), state


def chunkwise(query, key, value, position, *, state=None, start=None, chunk=64):
    """All outputs Σ_{s ≤ t} (qᵀA(t − s)k) v, and the state after the last position.

    query and key have shape (..., 2, n, 2), value (..., 2, n, m); position of shape
    (n,), or with leading axes as in transform_query, must not decrease. Row i reads
    rows j ≤ i.

    state is what was summed before, at position start (by default the first one); the
    returned state is at the last position, as recurrent_step takes it. At most chunk
    positions are taken at once; the sum does not depend on chunk.
    """
    if chunk < 1:
        raise ValueError(f"expected a chunk of at least 1 position, got {chunk}")
    compute, dtype, device = _widest(query, key, value), value.dtype, value.device
    query, key, value = (x.to(compute) for x in (query, key, value))
    query, key = _transform(query, 0.0, 0.0, 1), _transform(key, 0.0, 0.0, -1)
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
        late = _move(queries, times, place)
        early = _move(keys, times, end)
        kept = _move(state, place, end)
        read = _product(late.to(state.dtype), state.transpose(-1, -2))
        outputs.append(read + _within(queries, keys, values, times))
        state = kept + _product(values.transpose(-1, -2), early)
        place = end
    return torch.cat(outputs, dim=-2).to(dtype), state


class DenseHeads(nn.Module):
    """transform_query and transform_key for x of shape (..., 2, n, 2)."""

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
    basis = BASIS if side > 0 else INVERSE_BASIS.transpose(-1, -2)
    wide = (x.to(torch.float64) @ basis.to(x.device)).to(compute)
    return _move(wide, position, reference).to(x.dtype)


def _move(x, position, reference):
    """exp(uK)ᵀx = exp(−uK)x, x in the coordinates of K; u = position − reference."""
    compute = x.dtype
    position = torch.as_tensor(position, dtype=torch.float64, device=x.device)
    u = (position - reference).unsqueeze(-1)
    wide = x
    angle = -u * OMEGA.to(u.device)
    cosine, sine = torch.cos(angle).to(compute), torch.sin(angle).to(compute)
    first, second = wide[..., :1], wide[..., 1:]
    turned_first = cosine * first - sine * second
    turned_second = sine * first + cosine * second
    result = torch.cat((turned_first, turned_second), dim=-1)
    return result.to(x.dtype)


def _within(query, key, value, position):
    """Σ_{j ≤ i} (B(t_i)q_i · B(t_j)k_j) v_j, B(τ) = exp(τK)ᵀ."""
    query = _move(query, position, position[..., :1])
    key = _move(key, position, position[..., :1])
    scores = _product(query, key.transpose(-1, -2))
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
