# Written by symbolic-pe: KERPLE: kernels of conditionally positive definite type.
# reproduce:   symbolic-pe build 'kerple:kernel=power,p=1/2' --target torch
# target:      torch
# spec:        {"catalogue": "kerple", "settings": {"a": "1", "dim": "64", "kernel": "power", "p": "1/2"}}
# certificate: sha256:8fe6362da7edc55f6f263927beefb4c85fba2a51e64e13742d034860bbd322c7
# body:        sha256:647606b1e1817cfecd518a9b5806e597b5292c2e8f4990a6a09e5b2073ca64e5
"""KERPLE: kernels of conditionally positive definite type: translation invariant,
without finite-dimensional realisation.

b(t, s) = -a (t - s)^p for t >= s
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
    power = p[:, None, None]
    return -a[:, None, None] * torch.clip(lag, 0, None) ** power
