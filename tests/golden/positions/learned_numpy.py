# Written by symbolic-pe: Learned absolute positions.
# reproduce:   symbolic-pe build 'learned:length=20' --target numpy
# target:      numpy
# spec:        {"catalogue": "learned", "settings": {"dim": "64", "length": "20"}}
# certificate: sha256:b5b6c20529c80c54099bb7b3ee0fe7619b5cd6bb420293d28622c95eda6e45a1
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
