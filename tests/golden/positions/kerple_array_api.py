# Written by symbolic-pe: KERPLE: kernels of conditionally positive definite type.
# reproduce:   symbolic-pe build 'kerple:' --target array-api
# target:      array-api
# spec:        {"catalogue": "kerple", "settings": {"a": "1", "dim": "64", "kernel": "log", "p": "1"}}
# certificate: sha256:b85742167303c660ee3233702b67f7e26cbffacdfa008c144abf59365e6331e3
# body:        sha256:73f450e6a86649556b276d235b6c8f0cd51f486ce324028e7c4f98ffc69ceb2c
"""KERPLE: kernels of conditionally positive definite type: translation invariant,
without finite-dimensional realisation.

b(t, s) = -p log(1 + a (t - s)) for t >= s
"""

from array_api_compat import array_namespace

DIMENSION = 64
HEADS = 1


def bias(query_position, key_position, a, p):
    """The bias of all pairs of positions, in float64: (..., queries, keys).

    a: (heads,), positive

    p: (heads,), positive
    """
    xp = array_namespace(query_position)
    query = xp.astype(query_position, xp.float64)[:, None]
    key = xp.astype(key_position, xp.float64)[None, :]
    lag = query - key
    scale = a[:, None, None]
    return -p[:, None, None] * xp.log(1 + scale * xp.clip(lag, 0, None))
