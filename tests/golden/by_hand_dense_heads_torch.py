# Written by symbolic-pe: dense-heads.
# reproduce:   symbolic-pe build dense-heads.toml --target torch
# target:      torch
# spec:        {"name": "dense-heads"}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:a9425822a919bff73680c9aa721c3016bcebf5c38342df842b6f023a9c7e3af1
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
    [[1.0, 1.0], [0.0, 1.0], [1.0, 3.0], [0.0, 2.0]], dtype=torch.float64, device="cpu"
)
BASIS = BASIS.reshape(2, 2, 2)
# fmt: off
INVERSE_BASIS = torch.tensor([
    [1.0, -1.0],
    [0.0, 1.0],
    [1.0, -1.5],
    [0.0, 0.5],
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
    position = torch.as_tensor(position, dtype=torch.float64, device=x.device)
    u = (position - reference).unsqueeze(-1)
    basis = BASIS if side > 0 else INVERSE_BASIS.transpose(-1, -2)
    wide = (x.to(torch.float64) @ basis.to(x.device)).to(compute)
    angle = -u * OMEGA.to(u.device)
    cosine, sine = torch.cos(angle).to(compute), torch.sin(angle).to(compute)
    first, second = wide[..., :1], wide[..., 1:]
    turned_first = cosine * first - sine * second
    turned_second = sine * first + cosine * second
    result = torch.cat((turned_first, turned_second), dim=-1)
    return result.to(x.dtype)
