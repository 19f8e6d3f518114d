# Written by symbolic-pe: learned-rates.
# reproduce:   symbolic-pe build learned-rates.toml --target torch
# target:      torch
# spec:        {}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:36f16c403351594b03e053b69ff3d43cf6433162f2aabd3719de09376bf2198b
"""Learned-rates.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k, where

    A(τ) = exp(τX)
    X = a I − θ_j J,  A(τ) = e^(a τ) R(−θ_j τ)  on planes (0, 1), (2, 3), with a = −x,
        θ_j listed below
    X = a I + η N,  A(τ) = e^(a τ) Σ_k (η τ)^k/k! N^k  on chains (4, 5), with a = −w*x,
        η = lambda
    X = a,  A(τ) = e^(a τ)  on channel 6, with a = w + x*sqrt(2)

Here J = [[0, −1], [1, 0]], R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]], N has
ones above the diagonal.

Gauge: F(t) = A(t − c)ᵀ for the query, G(s) = A(c − s) for the key, c the reference,
    which cancels in the score and must be the same for both.

Layout: as given; the channels are named above.

Precision: angles and exponents in float64 whatever the dtype of the input; cosines,
    sines and exponentials rounded once to the compute dtype (float64 for float64 input,
    else float32); the result in the dtype of x.

Range: the maps are finite for r·|position − reference| < 88 (float32 and bfloat16) or
    11 (float16), r the largest |real part| of an eigenvalue; beyond, move the reference
    along. Keep the reference near the positions in use: the factor (1 +
    |η·(position − reference)|)^(n − 1) of a chain of length n multiplies values and
    rounding errors.

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k for all real t, s
    and every reference, in exact arithmetic; rounding is as in Range; the laws of A are
    proved in the certificate named above.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ key.transpose(-1, -2)
"""

import torch
from torch import nn

DIMENSION = 7
HEADS = 1
THETA = torch.tensor([1.0, 0.3333333333333333], dtype=torch.float64, device="cpu")


def transform_query(x, position, lambda_, w, x_, reference=0.0):
    """F(t)x = A(t − c)ᵀx for queries x of shape (..., n, 7).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: the maps are finite for r·|position − reference| < 88 (float32 and bfloat16)
    or 11 (float16), r the largest |real part| of an eigenvalue; beyond, move the
    reference along. Keep the reference near the positions in use: the factor (1 +
    |η·(position − reference)|)^(n − 1) of a chain of length n multiplies values and
    rounding errors.
    """
    return _transform(x, position, reference, 1, lambda_, w, x_)


def transform_key(x, position, lambda_, w, x_, reference=0.0):
    """G(s)x = A(c − s)x for keys x of shape (..., n, 7).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.

    Range: the maps are finite for r·|position − reference| < 88 (float32 and bfloat16)
    or 11 (float16), r the largest |real part| of an eigenvalue; beyond, move the
    reference along. Keep the reference near the positions in use: the factor (1 +
    |η·(position − reference)|)^(n − 1) of a chain of length n multiplies values and
    rounding errors.
    """
    return _transform(x, position, reference, -1, lambda_, w, x_)


def operator(lag, lambda_, w, x_):
    """The matrix A(lag) = F(lag)ᵀ of shape (7, 7), float64; lag is one number."""
    lag = torch.as_tensor(lag, dtype=torch.float64)
    identity = torch.eye(DIMENSION, dtype=torch.float64, device=lag.device)
    return transform_query(identity, lag, lambda_, w, x_)


class LearnedRates(nn.Module):
    """transform_query and transform_key for x of shape (..., n, 7).

    Its parameters are float64; casting the model to a shorter dtype rounds them.
    """

    def __init__(self, lambda_, w, x_):
        super().__init__()
        self.lambda_ = nn.Parameter(torch.tensor(lambda_, dtype=torch.float64))
        self.w = nn.Parameter(torch.tensor(w, dtype=torch.float64))
        self.x_ = nn.Parameter(torch.tensor(x_, dtype=torch.float64))

    def forward(self, query, key, position, reference=0.0):
        return (
            transform_query(query, position, self.lambda_, self.w, self.x_, reference),
            transform_key(key, position, self.lambda_, self.w, self.x_, reference),
        )


def _transform(x, position, reference, side, lambda_, w, x_):
    """A(u)ᵀx for side 1, A(−u)x for side −1; u = position − reference."""
    if not x.is_floating_point():
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    compute = torch.promote_types(x.dtype, torch.float32)
    position = torch.as_tensor(position, dtype=torch.float64, device=x.device)
    u = (position - reference).unsqueeze(-1)
    lambda_ = torch.as_tensor(lambda_, dtype=torch.float64, device=x.device)
    w = torch.as_tensor(w, dtype=torch.float64, device=x.device)
    x_ = torch.as_tensor(x_, dtype=torch.float64, device=x.device)
    wide = x.to(compute)
    # planes (0, 1), (2, 3)
    scale = torch.exp(-side * x_ * u)
    theta = w * THETA.to(u.device)
    angle = u * theta
    cosine = (scale * torch.cos(angle)).to(compute)
    sine = (scale * torch.sin(angle)).to(compute)
    first, second = wide[..., 0:4:2], wide[..., 1:4:2]
    turned_first_1 = cosine * first - sine * second
    turned_second_1 = sine * first + cosine * second
    # chains on channels (4, 5)
    rate = -w * x_
    scale = torch.exp(side * rate * u).to(compute)[..., None, :]
    weight = (side * lambda_ * u).to(compute)[..., None, :]
    links = torch.stack([wide[..., 4:5], wide[..., 5:6]], dim=-2)
    links = _shear(scale * links, weight, side)
    links_0_2 = links[..., 0, :]
    links_1_2 = links[..., 1, :]
    # channel 6
    rate = w + 1.4142135623730951 * x_
    scale = torch.exp(side * rate * u).to(compute)
    scaled_3 = scale * wide[..., 6:]
    planes_0 = torch.stack((turned_first_1, turned_second_1), dim=-1).flatten(-2)
    result = torch.cat((planes_0, links_0_2, links_1_2, scaled_3), dim=-1)
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
