# Written by symbolic-pe: Jordan-RoPE, exact form.
# reproduce:   symbolic-pe build jordan-rope:dim=8 --target torch
# target:      torch
# spec:        {"catalogue": "jordan-rope", "settings": {"base": "10000", "decay": "1", "dim": "8", "length": "1024", "order": "2", "shear": "1"}}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:ca95f6dcfb11aacbd24f1efbb2d03147f7507ddc1a264077fe5ee99c0a64910f
"""Jordan-RoPE, exact form.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k, where

    A(τ) = exp(τX)
    X = I ⊗ (a I + ω_j J) + η N ⊗ I,  A(τ) = e^(a τ) Σ_k (η τ)^k/k! N^k ⊗ R(ω_j τ)  on
        chains (0, 1, 2, 3), (4, 5, 6, 7), with a = −1/1024, ω_j = 10000^(-2*j/8),
        η = 1/1024

Here J = [[0, −1], [1, 0]], R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]], N has
ones above the diagonal.

Gauge: F(t) = A(t − c)ᵀ for the query, G(s) = A(c − s) for the key, c the reference,
    which cancels in the score and must be the same for both.

Layout: as given; the channels are named above.

Precision: angles and exponents in float64 whatever the dtype of the input; cosines,
    sines and exponentials rounded once to the compute dtype (float64 for float64 input,
    else float32); the result in the dtype of x. θ is the exact number, not a
    checkpoint's float32 value.

Range: |position − reference| up to 90112 (float32 and bfloat16) and 11264 (float16),
    where e^(±a·(position − reference)) stays finite; beyond, move the reference along.
    Keep the reference near the positions in use: the factor (1 +
    |η·(position − reference)|)^(n − 1) of a chain of length n multiplies values and
    rounding errors.

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k for all real t, s
    and every reference, in exact arithmetic; rounding is as in Range; the laws of A are
    proved in the certificate named above.

Source: arXiv:2605.04217.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ key.transpose(-1, -2)
"""

import torch
from torch import nn

DIMENSION = 8
HEADS = 1
RATE = -0.0009765625
INDEX = torch.arange(2, dtype=torch.float64, device="cpu")
OMEGA = 10000.0 ** (-2 * INDEX / 8)
SHEAR = 0.0009765625


def transform_query(x, position, reference=0.0):
    """F(t)x = A(t − c)ᵀx for queries x of shape (..., n, 8).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: |position − reference| up to 90112 (float32 and bfloat16) and 11264
    (float16), where e^(±a·(position − reference)) stays finite; beyond, move the
    reference along. Keep the reference near the positions in use: the factor (1 +
    |η·(position − reference)|)^(n − 1) of a chain of length n multiplies values and
    rounding errors.
    """
    return _transform(x, position, reference, 1)


def transform_key(x, position, reference=0.0):
    """G(s)x = A(c − s)x for keys x of shape (..., n, 8).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: |position − reference| up to 90112 (float32 and bfloat16) and 11264
    (float16), where e^(±a·(position − reference)) stays finite; beyond, move the
    reference along. Keep the reference near the positions in use: the factor (1 +
    |η·(position − reference)|)^(n − 1) of a chain of length n multiplies values and
    rounding errors.
    """
    return _transform(x, position, reference, -1)


def operator(lag):
    """The matrix A(lag) = F(lag)ᵀ of shape (8, 8), float64; lag is one number."""
    lag = torch.as_tensor(lag, dtype=torch.float64)
    identity = torch.eye(DIMENSION, dtype=torch.float64, device=lag.device)
    return transform_query(identity, lag)


class JordanRope(nn.Module):
    """transform_query and transform_key for x of shape (..., n, 8)."""

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
    scale = torch.exp(side * RATE * u)
    angle = -u * OMEGA.to(u.device)
    weight = (side * SHEAR * u).to(compute)[..., None, :]
    cosine = (scale * torch.cos(angle)).to(compute)[..., None, :]
    sine = (scale * torch.sin(angle)).to(compute)[..., None, :]
    first = torch.stack([wide[..., 0::4], wide[..., 2::4]], dim=-2)
    second = torch.stack([wide[..., 1::4], wide[..., 3::4]], dim=-2)
    turned_first = cosine * first - sine * second
    turned_second = sine * first + cosine * second
    first = _shear(turned_first, weight, side)
    second = _shear(turned_second, weight, side)
    first_0 = first[..., 0, :]
    second_0 = second[..., 0, :]
    first_1 = first[..., 1, :]
    second_1 = second[..., 1, :]
    result = torch.stack((first_0, second_0, first_1, second_1), dim=-1).flatten(-2)
    return result.to(x.dtype)


def _shear(links, weight, side):
    """Σ_k weight^k/k! · link i − k (query) or i + k (key), by Horner's rule."""
    if side < 0:
        return _shear(links.flip(-2), weight, 1).flip(-2)
    total = links
    for k in range(links.shape[-2] - 1, 0, -1):
        carried = links[..., 1:, :] + weight / k * total[..., :-1, :]
        total = torch.cat([links[..., :1, :], carried], dim=-2)
    return total
