# Written by symbolic-pe: Learned absolute positions.
# reproduce:   symbolic-pe build 'learned:length=20' --target numpy
# target:      numpy
# spec:        {"catalogue": "learned", "settings": {"dim": "64", "length": "20"}}
# certificate: sha256:7683e3d6e6317340fcc25eda8df2925eff9c7ca56a4f53c141ef64b090509bce
# body:        sha256:66e29fbf83209f8f09f1e812e12bc0a43fb401a9bf612b40396427b4eec8aeda
"""Learned absolute positions: not translation invariant.

p_n = table[n] for n < 20, added to the embedding at position n
"""

import numpy as np

DIMENSION = 64
HEADS = 1


def table(position, table):
    """One row for each position, in float64: (positions, width).

    table: (20, width)
    """
    position = position.astype(np.float64)[:, None]
    row = position.astype(np.int64)[:, 0]
    return table[row]
