# Written by symbolic-pe: Learned absolute positions.
# reproduce:   symbolic-pe build 'learned:length=20' --target array-api
# target:      array-api
# spec:        {"catalogue": "learned", "settings": {"dim": "64", "length": "20"}}
# certificate: sha256:7683e3d6e6317340fcc25eda8df2925eff9c7ca56a4f53c141ef64b090509bce
# body:        sha256:8aa559fea048e0481717023bf9328f911b6aecb7716fef7a43a90d84301c2802
"""Learned absolute positions: not translation invariant.

p_n = table[n] for n < 20, added to the embedding at position n
"""

from array_api_compat import array_namespace

DIMENSION = 64
HEADS = 1


def table(position, table):
    """One row for each position, in float64: (positions, width).

    table: (20, width)
    """
    xp = array_namespace(position)
    position = xp.astype(position, xp.float64)[:, None]
    row = xp.astype(position, xp.int64)[:, 0]
    return _picked(table, row, 0)


def _picked(values, index, axis):
    """The entries of one axis at whole numbers, in the place of that axis."""
    xp = array_namespace(values)
    flat = xp.take(values, xp.reshape(index, (-1,)), axis=axis)
    shape = (*values.shape[:axis], *index.shape, *values.shape[axis + 1 :])
    return xp.reshape(flat, shape)
