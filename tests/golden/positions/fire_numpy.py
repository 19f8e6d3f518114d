# Written by symbolic-pe: FIRE: functional interpolation of relative positions.
# reproduce:   symbolic-pe build 'fire:' --target numpy
# target:      numpy
# spec:        {"catalogue": "fire", "settings": {"c": "1/10", "dim": "64", "length": "512"}}
# certificate: sha256:abc7ff041bf6fb13b43f3b4b6af1caa5265a23d1bec49ee0dbdc968ce95b9c76
# body:        sha256:9a4dc930e4987d364faf377663d0e924edd71a95e069f0f52baab096c32cfdb9
"""FIRE: functional interpolation of relative positions: not translation invariant.

b(t, s) = f(log(1 + c (t - s))/log(1 + c max(t, L))) for t >= s, f(x) = w2 relu(w1 x +
b1) + b2
"""

import numpy as np

DIMENSION = 64
HEADS = 1
C = np.array([0.1])
LENGTH = np.array([512.0])


def bias(query_position, key_position, w1, b1, w2, b2):
    """The bias of all pairs of positions, in float64: (..., queries, keys).

    w1: (hidden,)

    b1: (hidden,)

    w2: (heads, hidden)

    b2: (heads,)
    """
    query = query_position.astype(np.float64)[:, None]
    key = key_position.astype(np.float64)[None, :]
    lag = query - key
    reach = np.maximum(query, LENGTH)
    scale = np.log(1 + C * reach)
    ratio = np.log(1 + C * np.clip(lag, 0, None)) / scale
    hidden = np.clip(ratio[..., None] * w1 + b1, 0, None)
    return np.sum(hidden * w2[:, None, None, :], -1) + b2[:, None, None]
