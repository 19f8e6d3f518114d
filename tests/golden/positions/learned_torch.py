# Written by symbolic-pe: Learned absolute positions.
# reproduce:   symbolic-pe build 'learned:length=20' --target torch
# target:      torch
# spec:        {"catalogue": "learned", "settings": {"dim": "64", "length": "20"}}
# certificate: sha256:7683e3d6e6317340fcc25eda8df2925eff9c7ca56a4f53c141ef64b090509bce
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
