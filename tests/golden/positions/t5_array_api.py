# Written by symbolic-pe: T5: learned biases of logarithmic buckets.
# reproduce:   symbolic-pe build 't5:direction=both,buckets=16,max_distance=20' --target array-api
# target:      array-api
# spec:        {"catalogue": "t5", "settings": {"buckets": "16", "dim": "64", "direction": "both", "max_distance": "20"}}
# certificate: sha256:7e2074bac055a87de85670ce0da1230a331e883c73da0adbeb0eee5608deac93
# body:        sha256:c1315e4343ca010b74f282086953995a94c7079f2a392b23b91cd10d1680db76
"""T5: learned biases of logarithmic buckets: translation invariant, without
finite-dimensional realisation.

b(t, s) = table[bucket(t - s)]; FIRST is the first lag of buckets 1, 2, ...
"""

from array_api_compat import array_namespace, device

DIMENSION = 64
HEADS = 1
FIRST = [1.0, 2.0, 3.0, 4.0, 6.0, 9.0, 14.0]


def bias(query_position, key_position, table):
    """The bias of all pairs of positions, in float64: (..., queries, keys).

    table: (heads, 16): the learned biases
    """
    xp = array_namespace(query_position)
    query = xp.astype(query_position, xp.float64)[:, None]
    key = xp.astype(key_position, xp.float64)[None, :]
    lag = query - key
    distance = xp.abs(lag)[..., None]
    bucket = xp.sum(xp.astype(distance >= _values(FIRST, lag), xp.int64), axis=-1)
    bucket = bucket + 8 * xp.astype(lag < 0, xp.int64)
    return _picked(table, bucket, 1)


def _values(numbers, x):
    """Numbers in float64, where x is."""
    xp = array_namespace(x)
    return xp.asarray(numbers, dtype=xp.float64, device=device(x))


def _picked(values, index, axis):
    """The entries of one axis at whole numbers, in the place of that axis."""
    xp = array_namespace(values)
    flat = xp.take(values, xp.reshape(index, (-1,)), axis=axis)
    shape = (*values.shape[:axis], *index.shape, *values.shape[axis + 1 :])
    return xp.reshape(flat, shape)
