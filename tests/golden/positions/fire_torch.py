# Written by symbolic-pe: FIRE: functional interpolation of relative positions.
# reproduce:   symbolic-pe build 'fire:' --target torch
# target:      torch
# spec:        {"catalogue": "fire", "settings": {"c": "1/10", "dim": "64", "length": "512"}}
# certificate: sha256:abc7ff041bf6fb13b43f3b4b6af1caa5265a23d1bec49ee0dbdc968ce95b9c76
# body:        sha256:c80361f7a2df42f40a71e61cc45d8f2f2bbe65f0795da2b1d5ceceb36dcd6514
"""FIRE: functional interpolation of relative positions: not translation invariant.

b(t, s) = f(log(1 + c (t - s))/log(1 + c max(t, L))) for t >= s, f(x) = w2 relu(w1 x +
b1) + b2
"""

import torch

DIMENSION = 64
HEADS = 1
C = torch.tensor([0.1], dtype=torch.float64, device="cpu")
LENGTH = torch.tensor([512.0], dtype=torch.float64, device="cpu")


def bias(query_position, key_position, w1, b1, w2, b2):
    """The bias of all pairs of positions, in float64: (..., queries, keys).

    w1: (hidden,)

    b1: (hidden,)

    w2: (heads, hidden)

    b2: (heads,)
    """
    query = query_position.to(torch.float64)[:, None]
    key = key_position.to(torch.float64)[None, :]
    lag = query - key
    reach = torch.maximum(query, LENGTH.to(lag.device))
    scale = torch.log(1 + C.to(lag.device) * reach)
    ratio = torch.log(1 + C.to(lag.device) * torch.clip(lag, 0, None)) / scale
    hidden = torch.clip(ratio[..., None] * w1 + b1, 0, None)
    return torch.sum(hidden * w2[:, None, None, :], -1) + b2[:, None, None]
