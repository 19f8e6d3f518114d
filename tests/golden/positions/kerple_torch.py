# Written by symbolic-pe: KERPLE: kernels of conditionally positive definite type.
# reproduce:   symbolic-pe build 'kerple:' --target torch
# target:      torch
# spec:        {"catalogue": "kerple", "settings": {"a": "1", "dim": "64", "kernel": "log", "p": "1"}}
# certificate: sha256:b85742167303c660ee3233702b67f7e26cbffacdfa008c144abf59365e6331e3
# body:        sha256:4db9501c650733ec447dcd71264d8ee3dd8b5f02ceba9c6976e3364e78f1c9aa
"""KERPLE: kernels of conditionally positive definite type: translation invariant,
without finite-dimensional realisation.

b(t, s) = -p log(1 + a (t - s)) for t >= s
"""

import torch

DIMENSION = 64
HEADS = 1


def bias(query_position, key_position, a, p):
    """The bias of all pairs of positions, in float64: (..., queries, keys).

    a: (heads,), positive

    p: (heads,), positive
    """
    query = query_position.to(torch.float64)[:, None]
    key = key_position.to(torch.float64)[None, :]
    lag = query - key
    scale = a[:, None, None]
    return -p[:, None, None] * torch.log(1 + scale * torch.clip(lag, 0, None))
