# Written by symbolic-pe: Learned absolute positions.
# reproduce:   symbolic-pe build 'learned:length=20' --target torch
# target:      torch
# spec:        {"catalogue": "learned", "settings": {"dim": "64", "length": "20"}}
# certificate: sha256:b5b6c20529c80c54099bb7b3ee0fe7619b5cd6bb420293d28622c95eda6e45a1
# body:        sha256:8e7e0e59a5880f5e33af4216677a810f3b8b89a7462cddda3dc350213443c7be
"""Learned absolute positions: not translation invariant.

p_n = table[n] for n < 20, added to the embedding at position n
"""

import torch

DIMENSION = 64
HEADS = 1


def table(position, table):
    """One row for each position, in float64: (positions, width).

    table: (20, width)
    """
    position = position.to(torch.float64)[:, None]
    row = position.to(torch.int64)[:, 0]
    return table[row]
