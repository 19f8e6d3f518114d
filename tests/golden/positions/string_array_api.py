# Written by symbolic-pe: STRING: commuting skew generators in a learned basis.
# reproduce:   symbolic-pe build 'string:' --target array-api
# target:      array-api
# spec:        {"catalogue": "string", "settings": {"dim": "4", "form": "cayley", "skew": "1/2 0 0 1/3 0 1/4", "x": "1 1/10", "y": "1/10 1"}}
# certificate: sha256:98932301be012cd02bd432ce37fcec6ee35032996b311f0899d31c943fa40410
# body:        sha256:dbff37b37b77ec658463f981fd6caddb34665a9ca8bae7cd8d07bed859e103b9
"""STRING: commuting skew generators in a learned basis.

(F(p)q)^T (G(p')k) = q^T A(p - p') k, A(p) = exp(sum p_i X_i), for all p and p'.

Axes of positions, in order: x, y. Both sides have one map.
"""

from array_api_compat import array_namespace, device

DIMENSION = 4
HEADS = 1
AXES = 2
FREQUENCY = [[-1.0, 1.0, -0.1, 0.1], [-0.1, 0.1, -1.0, 1.0]]
PARTNER = [1, 0, 3, 2]
# fmt: off
BASIS = [
    [0.6308805790108565, -0.738238841978287, 0.2316043425814234, -0.05790108564535585],
    [0.738238841978287, 0.4764776839565742, -0.4632086851628468, 0.1158021712907117],
    [0.2316043425814234, 0.4632086851628468, 0.7370325693606755, -0.43425814234016885],
    [0.05790108564535585, 0.1158021712907117, 0.43425814234016885, 0.8914354644149578],
]
# fmt: on


def transform_query(x, position):
    """F(p)x for x of shape (..., n, DIMENSION) at positions of shape (..., n, AXES).

    Angles are float64; the result has the dtype of x.
    """
    xp = array_namespace(x)
    wide = xp.result_type(x.dtype, xp.float32)
    result = xp.astype(x, wide)
    result = result @ xp.astype(_values(BASIS, x), wide)
    elapsed = xp.asarray(position, dtype=xp.float64, device=device(x))
    angle = elapsed @ _values(FREQUENCY, x)
    cosine = xp.astype(xp.cos(angle), wide)
    sine = xp.astype(xp.sin(angle), wide)
    partner = xp.asarray(PARTNER, device=device(x))
    result = cosine * result + sine * xp.take(result, partner, axis=-1)
    return xp.astype(result, x.dtype)


def _values(numbers, x):
    """Numbers in float64, where x is."""
    xp = array_namespace(x)
    return xp.asarray(numbers, dtype=xp.float64, device=device(x))


def transform_key(x, position):
    """G(p)x: the map of queries, because every generator is skew."""
    return transform_query(x, position)


def operator(lag):
    """A(p) for one difference p of positions, of shape (AXES,)."""
    xp = array_namespace(lag)
    identity = xp.eye(DIMENSION, dtype=xp.float64, device=device(lag))
    position = xp.expand_dims(lag, axis=0)
    query = transform_query(identity, position)
    key = transform_key(identity, 0 * position)
    return query @ xp.matrix_transpose(key)
