# Written by symbolic-pe: FIRE: functional interpolation of relative positions.
# reproduce:   symbolic-pe build 'fire:' --target array-api
# target:      array-api
# spec:        {"catalogue": "fire", "settings": {"c": "1/10", "dim": "64", "length": "512"}}
# certificate: sha256:abc7ff041bf6fb13b43f3b4b6af1caa5265a23d1bec49ee0dbdc968ce95b9c76
# body:        sha256:f3ce5ff10ef04d3a125744c5c235f47ebad2372a28b3abde2ecf8aa9f6e7d862
"""FIRE: functional interpolation of relative positions: not translation invariant.

b(t, s) = f(log(1 + c (t - s))/log(1 + c max(t, L))) for t >= s, f(x) = w2 relu(w1 x +
b1) + b2
"""

from array_api_compat import array_namespace, device

DIMENSION = 64
HEADS = 1
C = [0.1]
LENGTH = [512.0]


def bias(query_position, key_position, w1, b1, w2, b2):
    """The bias of all pairs of positions, in float64: (..., queries, keys).

    w1: (hidden,)

    b1: (hidden,)

    w2: (heads, hidden)

    b2: (heads,)
    """
    xp = array_namespace(query_position)
    query = xp.astype(query_position, xp.float64)[:, None]
    key = xp.astype(key_position, xp.float64)[None, :]
    lag = query - key
    reach = xp.maximum(query, _values(LENGTH, lag))
    scale = xp.log(1 + _values(C, lag) * reach)
    ratio = xp.log(1 + _values(C, lag) * xp.clip(lag, 0, None)) / scale
    hidden = xp.clip(ratio[..., None] * w1 + b1, 0, None)
    return xp.sum(hidden * w2[:, None, None, :], axis=-1) + b2[:, None, None]


def _values(numbers, x):
    """Numbers in float64, where x is."""
    xp = array_namespace(x)
    return xp.asarray(numbers, dtype=xp.float64, device=device(x))
