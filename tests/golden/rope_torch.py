# Written by symbolic-pe: Rotary position embedding.
# reproduce:   symbolic-pe build rope:dim=8,rotary_dim=0 --target torch
# target:      torch
# spec:        {"catalogue": "rope", "settings": {"angles": "float64", "base": "10000", "dim": "8", "frequencies": "exact", "layout": "interleaved", "rotary_dim": "0"}}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:a8f990cd05461fdac8c4f7993c4678bc8cedaaf3bc643717d2b5253eecee67ec
"""Rotary position embedding.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k, where

    A(τ) = exp(τX)
    X = −θ_j J,  A(τ) = R(−θ_j τ)  on planes (2j, 2j + 1), j < 4, with
        θ_j = 10000^(-2*j/8)

Here J = [[0, −1], [1, 0]], R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]].

Gauge: query and key both turn by +θ·(position − reference). A is orthogonal, so one map
    serves both sides, and the reference cancels.

Layout: interleaved, the two channels of a plane are neighbours.

Precision: angles and exponents in float64 whatever the dtype of the input; cosines,
    sines and exponentials rounded once to the compute dtype (float64 for float64 input,
    else float32); the result in the dtype of x. θ is the exact number, not a
    checkpoint's float32 value.

Range: every position. Up to 1048576, angles are off by less than 4e-09 rad.

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k for all real t, s
    and every reference, up to rounding; the laws of A are proved in the certificate
    named above.

Source: Su et al., RoFormer, arXiv:2104.09864.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ key.transpose(-1, -2)
"""

import torch
from torch import nn

DIMENSION = 8
HEADS = 1
INDEX = torch.arange(4, dtype=torch.float64, device="cpu")
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


class Rope(nn.Module):
    """transform_query and transform_key for x of shape (..., n, 8)."""

    def forward(self, query, key, position, reference=0.0):
        return (
            transform_query(query, position, reference),
            transform_key(key, position, reference),
        )


class RopeTables(nn.Module):
    """cos_sin as the `rotary_emb` of a model, in the dtype of x."""

    def forward(self, x, position_ids):
        return cos_sin(position_ids, dtype=x.dtype, device=x.device)


def cos_sin(position, reference=0.0, *, dtype=torch.float32, device=None):
    """cos and sin of shape (..., n, 8), as rotary code of other packages takes them.

    x·cos + rotate(x)·sin is transform_query(x, position, reference), with rotate(a, b)
    = (−b, a) on neighbours a, b.
    """
    cosine, sine = _waves(position, reference, dtype, device)
    return cosine.repeat_interleave(2, dim=-1), sine.repeat_interleave(2, dim=-1)


def rotary_table(position, reference=0.0, *, dtype=torch.float32, device=None):
    """cos and sin of every angle, as turn takes them, in dtype.

    Make it once for all layers, and for query and key alike: transform_query(x, p, c)
    and transform_key(x, p, c) are both turn(x, rotary_table(p, c)).
    """
    cosine, sine = _waves(position, reference, dtype, device)
    return torch.complex(cosine, sine)


def turn(x, table):
    """x of shape (..., n, 8), turned by the angles of a rotary_table; computed in the
    dtype of the table or of x, the wider.
    """
    if not x.is_floating_point():
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    compute = torch.promote_types(x.dtype, torch.float32)
    turned = torch.view_as_real(_planes(x.to(compute)) * table)
    return turned.flatten(-2).to(x.dtype)


def turn_into(out, x, table):
    """turn(x, table) written into out, which may be x, and returned.

    x, out and the table must have one dtype; gradients do not pass through.
    """
    if not x.dtype == out.dtype == table.real.dtype:
        raise TypeError(f"expected {table.real.dtype}, got {x.dtype} and {out.dtype}")
    turned = torch.view_as_complex(out.unflatten(-1, (DIMENSION // 2, 2)))
    torch.mul(_planes(x), table, out=turned)
    return out


def _transform(x, position, reference):
    """A(u)ᵀx = A(−u)x for query and key, u = position − reference."""
    compute = torch.promote_types(x.dtype, torch.float32)
    return turn(x, rotary_table(position, reference, dtype=compute, device=x.device))


def _planes(x):
    """Planes of x as complex numbers."""
    return torch.view_as_complex(_dense(x).unflatten(-1, (DIMENSION // 2, 2)))


def _dense(x):
    """x with planes in one piece each: its own memory, or a copy if that has gaps."""
    *outer, inner = x.stride()
    if inner != 1 or any(stride % 2 for stride in outer):
        x = x.clone(memory_format=torch.contiguous_format)
    return x


def _waves(position, reference, dtype, device):
    """cos and sin of the angles, of shape (..., n, 4), in dtype."""
    position = torch.as_tensor(position, dtype=torch.float64, device=device)
    u = (position - reference).unsqueeze(-1)
    angle = u * THETA.to(u.device)
    return torch.cos(angle).to(dtype), torch.sin(angle).to(dtype)


def turn_words(x, table):
    """turn(x, table) for bfloat16 x and torch.compile: a plane is a word of 32 bits.

    A compiler makes one pass of this, and has no complex numbers; without a compiler,
    turn is faster. Gradients do not pass through.
    """
    if x.dtype != torch.bfloat16 or table.dtype != torch.complex64:
        raise TypeError(f"expected bfloat16, complex64, got {x.dtype}, {table.dtype}")
    if x.requires_grad or table.requires_grad:
        raise ValueError("turn_words passes no gradients, turn does")
    first, second = _split(x)
    cosine, sine = table.real, table.imag
    turned_first = cosine * first - sine * second
    turned_second = sine * first + cosine * second
    return _joined(turned_first, turned_second)


def _split(x):
    """Both channels of every plane in float32, the halves of its word."""
    words = _dense(x).view(torch.float32).view(torch.int32)
    return (words << 16).view(torch.float32), (words & -0x10000).view(torch.float32)


def _joined(first, second):
    """The opposite, rounded to bfloat16."""
    words = _nearest(first) >> 16 & 0xFFFF | _nearest(second) & -0x10000
    return words.view(torch.bfloat16)


def _nearest(value):
    """float32 as words; the upper halves are bfloat16, ties to even, NaN stays NaN."""
    bits = value.view(torch.int32)
    nan = 0x7F800000 - (bits & 0x7FFFFFFF) >> 31  # −1 for NaN, else 0
    return bits + 0x7FFF + (bits >> 16 & 1) | nan
