# Written by symbolic-pe: T5: learned biases of logarithmic buckets.
# reproduce:   symbolic-pe build 't5:direction=both,buckets=16,max_distance=20' --target torch
# target:      torch
# spec:        {"catalogue": "t5", "settings": {"buckets": "16", "dim": "64", "direction": "both", "max_distance": "20"}}
# certificate: sha256:7e2074bac055a87de85670ce0da1230a331e883c73da0adbeb0eee5608deac93
# body:        sha256:7f1b57de8b62a82f8a2281e683657c8c124c7cde97227b7b70b20fcfb0982a81
"""T5: learned biases of logarithmic buckets: translation invariant, without
finite-dimensional realisation.

b(t, s) = table[bucket(t - s)]; FIRST is the first lag of buckets 1, 2, ...
"""

import torch

DIMENSION = 64
HEADS = 1
FIRST = torch.tensor(
    [1.0, 2.0, 3.0, 4.0, 6.0, 9.0, 14.0], dtype=torch.float64, device="cpu"
)


def bias(query_position, key_position, table):
    """The bias of all pairs of positions, in float64: (..., queries, keys).

    table: (heads, 16): the learned biases
    """
    query = query_position.to(torch.float64)[:, None]
    key = key_position.to(torch.float64)[None, :]
    lag = query - key
    distance = torch.abs(lag)[..., None]
    bucket = torch.sum(distance >= FIRST.to(lag.device), -1)
    bucket = bucket + 8 * (lag < 0).to(torch.int64)
    return table[:, bucket]
