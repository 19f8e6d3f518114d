# Written by symbolic-pe: ComRoPE: trainable commuting blocks.
# reproduce:   symbolic-pe build 'comrope:' --target torch
# target:      torch
# spec:        {"catalogue": "comrope", "settings": {"block": "4", "dim": "8", "entries": "1 0 1/2 0 1/3 1/4", "form": "axial", "weights": "1 1/2 1/3 1"}}
# certificate: sha256:d03f6bca5be8aa1702573325bae173790cde0cc770676a6da08fe9964e66fcfe
# body:        sha256:56ab22054bca7c778a849b9a4140a25549eb481a5118c077c069e591bab826f8
"""ComRoPE: trainable commuting blocks.

(F(p)q)^T (G(p')k) = q^T A(p - p') k, A(p) = exp(sum p_i X_i), for all p and p'.

Axes of positions, in order: x, y. Both sides have one map. The constants are of
generators within 5.6e-39 of X_i, entry by entry.
"""

import torch

DIMENSION = 8
HEADS = 1
AXES = 2
# fmt: off
FREQUENCY = torch.tensor([
    [0.21294809926760175, 1.1739949821568347, 0.0, 0.0],
    [0.0, 0.0, 0.21294809926760175, 1.1739949821568347],
], dtype=torch.float64, device="cpu")
# fmt: on
FIRST = torch.arange(0, 8, 2, device="cpu")
SECOND = torch.arange(1, 9, 2, device="cpu")
# fmt: off
BASIS = torch.tensor([
    [0.0, 0.31020668494134157, 0.0, -0.950669139405347],
    [
        0.19481153289831776, -0.4030829089428554, -0.8844620883627128,
        -0.13152737136064918,
    ],
    [
        -0.9464346249841852, -0.3023121817071416, -0.05601700746582848,
        -0.09864552852048687,
    ],
    [-0.2575072179199106, 0.8061658178857108, -0.4632374219810421, 0.26305474272129836],
], dtype=torch.float64, device="cpu")
# fmt: on


def transform_query(x, position):
    """F(p)x for x of shape (..., n, DIMENSION) at positions of shape (..., n, AXES).

    Angles are float64; the result has the dtype of x.
    """
    wide = torch.promote_types(x.dtype, torch.float32)
    turned = x.to(wide)
    blocks = turned.reshape(*x.shape[:-1], 2, 4)
    turned = (blocks @ BASIS.to(x.device).to(wide)).reshape(x.shape)
    elapsed = position.to(torch.float64)
    angle = elapsed @ FREQUENCY.to(x.device)
    cosine = torch.cos(angle).to(wide)
    sine = torch.sin(angle).to(wide)
    first, second = turned[..., FIRST.to(x.device)], turned[..., SECOND.to(x.device)]
    result = turned.clone()
    result[..., FIRST.to(x.device)] = cosine * first - sine * second
    result[..., SECOND.to(x.device)] = sine * first + cosine * second
    return result.to(x.dtype)


def transform_key(x, position):
    """G(p)x: the map of queries, because every generator is skew."""
    return transform_query(x, position)


def operator(lag):
    """A(p) for one difference p of positions, of shape (AXES,)."""
    identity = torch.eye(DIMENSION, dtype=torch.float64, device=lag.device)
    query = transform_query(identity, lag[None, :])
    key = transform_key(identity, 0 * lag[None, :])
    return query @ key.T
