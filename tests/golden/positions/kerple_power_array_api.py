# Written by symbolic-pe: KERPLE: kernels of conditionally positive definite type.
# reproduce:   symbolic-pe build 'kerple:kernel=power,p=1/2' --target array-api
# target:      array-api
# spec:        {"catalogue": "kerple", "settings": {"a": "1", "dim": "64", "kernel": "power", "p": "1/2"}}
# certificate: sha256:8fe6362da7edc55f6f263927beefb4c85fba2a51e64e13742d034860bbd322c7
# body:        sha256:2f610b25135d5f856597e9df1b0a824fc430c2e24e7033ef797688b0320e4d4d
"""KERPLE: kernels of conditionally positive definite type: translation invariant,
without finite-dimensional realisation.

b(t, s) = -a (t - s)^p for t >= s
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
    power = p[:, None, None]
    return -a[:, None, None] * xp.clip(lag, 0, None) ** power
