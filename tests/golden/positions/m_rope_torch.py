# Written by symbolic-pe: M-RoPE: time, height and width share one ladder.
# reproduce:   symbolic-pe build 'm-rope:dim=16,sections=2 3 3,arrangement=sections' --target torch
# target:      torch
# spec:        {"catalogue": "m-rope", "settings": {"arrangement": "sections", "base": "1000000", "dim": "16", "layout": "half", "sections": "2 3 3"}}
# certificate: sha256:a3a0c62155b90ecd6e5825cdad67ba6624a86e28c74bb0a5ec0b6ceb38cf1266
# body:        sha256:32324d5aeec60cf423abd37e1acaf60a312887c0d7f3c68288053acea5d859b3
"""M-RoPE: time, height and width share one ladder.

(F(p)q)^T (G(p')k) = q^T A(p - p') k, A(p) = exp(sum p_i X_i), for all p and p'.

Axes of positions, in order: t, h, w. Both sides have one map.
"""

import torch

DIMENSION = 16
HEADS = 1
AXES = 3
# fmt: off
FREQUENCY = torch.tensor([
    [1.0, 0.1778279410038923, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 0.03162277660168379, 0.005623413251903491, 0.001, 0.0, 0.0, 0.0],
    [
        0.0, 0.0, 0.0, 0.0, 0.0, 0.00017782794100389227, 3.1622776601683795e-05,
        5.623413251903491e-06,
    ],
], dtype=torch.float64, device="cpu")
# fmt: on
FIRST = torch.arange(8, device="cpu")
SECOND = torch.arange(8, 16, device="cpu")


def transform_query(x, position):
    """F(p)x for x of shape (..., n, DIMENSION) at positions of shape (..., n, AXES).

    Angles are float64; the result has the dtype of x.
    """
    wide = torch.promote_types(x.dtype, torch.float32)
    turned = x.to(wide)
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
    rows = transform_key(identity, -lag[None, :])
    return rows.T
