# Written by symbolic-pe: STRING: commuting skew generators in a learned basis.
# reproduce:   symbolic-pe build 'string:' --target torch
# target:      torch
# spec:        {"catalogue": "string", "settings": {"dim": "4", "form": "cayley", "skew": "1/2 0 0 1/3 0 1/4", "x": "1 1/10", "y": "1/10 1"}}
# certificate: sha256:98932301be012cd02bd432ce37fcec6ee35032996b311f0899d31c943fa40410
# body:        sha256:26e976e2c75a433043ae630458e316fbbcd3db6bbfa75cf091542c81659ca3da
"""STRING: commuting skew generators in a learned basis.

(F(p)q)^T (G(p')k) = q^T A(p - p') k, A(p) = exp(sum p_i X_i), for all p and p'.

Axes of positions, in order: x, y. Both sides have one map.
"""

import torch

DIMENSION = 4
HEADS = 1
AXES = 2
FREQUENCY = torch.tensor([[1.0, 0.1], [0.1, 1.0]], dtype=torch.float64, device="cpu")
FIRST = torch.arange(0, 4, 2, device="cpu")
SECOND = torch.arange(1, 5, 2, device="cpu")
# fmt: off
BASIS = torch.tensor([
    [0.6308805790108565, -0.738238841978287, 0.2316043425814234, -0.05790108564535585],
    [0.738238841978287, 0.4764776839565742, -0.4632086851628468, 0.1158021712907117],
    [0.2316043425814234, 0.4632086851628468, 0.7370325693606755, -0.43425814234016885],
    [0.05790108564535585, 0.1158021712907117, 0.43425814234016885, 0.8914354644149578],
], dtype=torch.float64, device="cpu")
# fmt: on


def transform_query(x, position):
    """F(p)x for x of shape (..., n, DIMENSION) at positions of shape (..., n, AXES).

    Angles are float64; the result has the dtype of x.
    """
    wide = torch.promote_types(x.dtype, torch.float32)
    turned = x.to(wide)
    turned = turned @ BASIS.to(x.device).to(wide)
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
