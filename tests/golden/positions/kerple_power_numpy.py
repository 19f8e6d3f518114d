# Written by symbolic-pe: KERPLE: kernels of conditionally positive definite type.
# reproduce:   symbolic-pe build 'kerple:kernel=power,p=1/2' --target numpy
# target:      numpy
# spec:        {"catalogue": "kerple", "settings": {"a": "1", "dim": "64", "kernel": "power", "p": "1/2"}}
# certificate: sha256:8fe6362da7edc55f6f263927beefb4c85fba2a51e64e13742d034860bbd322c7
# body:        sha256:20abed5d086c6e6dd6e7288ac3bf34bd288055663528c9dcbe47dd5bc165b8e4
"""KERPLE: kernels of conditionally positive definite type: translation invariant,
without finite-dimensional realisation.

b(t, s) = -a (t - s)^p for t >= s
"""

import numpy as np

DIMENSION = 64
HEADS = 1


def bias(query_position, key_position, a, p):
    """The bias of all pairs of positions, in float64: (..., queries, keys).

    a: (heads,), positive

    p: (heads,), positive
    """
    query = query_position.astype(np.float64)[:, None]
    key = key_position.astype(np.float64)[None, :]
    lag = query - key
    power = p[:, None, None]
    return -a[:, None, None] * np.clip(lag, 0, None) ** power
