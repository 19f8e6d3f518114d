# Written by symbolic-pe: T5: learned biases of logarithmic buckets.
# reproduce:   symbolic-pe build 't5:direction=both,buckets=16,max_distance=20' --target numpy
# target:      numpy
# spec:        {"catalogue": "t5", "settings": {"buckets": "16", "dim": "64", "direction": "both", "max_distance": "20"}}
# certificate: sha256:7e2074bac055a87de85670ce0da1230a331e883c73da0adbeb0eee5608deac93
# body:        sha256:a789cbd29f183a1db65f5943c8369b33a21b2b86fa0814c41fb63f6172e11f3e
"""T5: learned biases of logarithmic buckets: translation invariant, without
finite-dimensional realisation.

b(t, s) = table[bucket(t - s)]; FIRST is the first lag of buckets 1, 2, ...
"""

import numpy as np

DIMENSION = 64
HEADS = 1
FIRST = np.array([1.0, 2.0, 3.0, 4.0, 6.0, 9.0, 14.0])


def bias(query_position, key_position, table):
    """The bias of all pairs of positions, in float64: (..., queries, keys).

    table: (heads, 16): the learned biases
    """
    query = query_position.astype(np.float64)[:, None]
    key = key_position.astype(np.float64)[None, :]
    lag = query - key
    distance = np.abs(lag)[..., None]
    bucket = np.sum(distance >= FIRST, -1)
    bucket = bucket + 8 * (lag < 0).astype(np.int64)
    return table[:, bucket]
