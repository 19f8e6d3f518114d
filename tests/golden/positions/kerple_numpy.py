# Written by symbolic-pe: KERPLE: kernels of conditionally positive definite type.
# reproduce:   symbolic-pe build 'kerple:' --target numpy
# target:      numpy
# spec:        {"catalogue": "kerple", "settings": {"a": "1", "dim": "64", "kernel": "log", "p": "1"}}
# certificate: sha256:b85742167303c660ee3233702b67f7e26cbffacdfa008c144abf59365e6331e3
# body:        sha256:ad37e8400024da9de6f0f3da2491e1779b5440a99c0563b2106f8869d275f8ea
"""KERPLE: kernels of conditionally positive definite type: translation invariant,
without finite-dimensional realisation.

b(t, s) = -p log(1 + a (t - s)) for t >= s
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
    scale = a[:, None, None]
    return -p[:, None, None] * np.log(1 + scale * np.clip(lag, 0, None))
