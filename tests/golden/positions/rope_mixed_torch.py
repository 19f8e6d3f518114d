# Written by symbolic-pe: RoPE-Mixed: learned directions in the plane.
# reproduce:   symbolic-pe build 'rope-mixed:dim=8,layout=half' --target torch
# target:      torch
# spec:        {"catalogue": "rope-mixed", "settings": {"base": "10", "dim": "8", "direction": "3/5 4/5", "layout": "half", "x": "", "y": ""}}
# certificate: sha256:829ef419f15338993b370f6da2128f6f78c068702836966eab5936eeb4c8b124
# body:        sha256:133a0a71b358378515e964d1cfab13b575a55f4fcc96bc4088cc607f4643468e
"""RoPE-Mixed: learned directions in the plane.

(F(p)q)^T (G(p')k) = q^T A(p - p') k, A(p) = exp(sum p_i X_i), for all p and p'.

Axes of positions, in order: x, y. Both sides have one map.
"""

import torch

DIMENSION = 8
HEADS = 1
AXES = 2
# fmt: off
FREQUENCY = torch.tensor([
    [0.6, 0.18973665961010275, -0.8, -0.25298221281347033],
    [0.8, 0.25298221281347033, 0.6, 0.18973665961010275],
], dtype=torch.float64, device="cpu")
# fmt: on
FIRST = torch.arange(4, device="cpu")
SECOND = torch.arange(4, 8, device="cpu")


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
