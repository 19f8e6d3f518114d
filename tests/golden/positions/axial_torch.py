# Written by symbolic-pe: Axial rotary embedding of pictures.
# reproduce:   symbolic-pe build 'axial:dim=8' --target torch
# target:      torch
# spec:        {"catalogue": "axial", "settings": {"base": "100", "dim": "8", "layout": "interleaved"}}
# certificate: sha256:fc145068a4a40ba7dbfbf08239eb37f75eb8f7dae527bb2de13f92ad57c5410d
# body:        sha256:6cb7329c2a96cef92dacdd8f9c1fcfe9bbaebeae5a57fc0cad237e8bba266605
"""Axial rotary embedding of pictures.

(F(p)q)^T (G(p')k) = q^T A(p - p') k, A(p) = exp(sum p_i X_i), for all p and p'.

Axes of positions, in order: x, y. Both sides have one map.
"""

import torch

DIMENSION = 8
HEADS = 1
AXES = 2
FREQUENCY = torch.tensor(
    [[1.0, 0.1, 0.0, 0.0], [0.0, 0.0, 1.0, 0.1]], dtype=torch.float64, device="cpu"
)
FIRST = torch.arange(0, 8, 2, device="cpu")
SECOND = torch.arange(1, 9, 2, device="cpu")


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
