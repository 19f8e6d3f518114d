# Written by symbolic-pe: KERPLE: kernels of conditionally positive definite type.
# reproduce:   symbolic-pe build 'kerple:kernel=power,p=1/2' --target array-api
# target:      array-api
# spec:        {"catalogue": "kerple", "settings": {"a": "1", "dim": "64", "kernel": "power", "p": "1/2"}}
# certificate: none: it is no group; check decides the text against its closed form
# body:        sha256:7fde32d014da0dc6d44496d52db83b4059bd7f25c71179477c3cce63f16fe6ce
"""KERPLE: kernels of conditionally positive definite type: translation invariant,
without finite-dimensional realisation.

b(t, s) = -a (t - s)^p for t >= s
"""

from array_api_compat import array_namespace, device

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
