# Written by symbolic-pe: Rotary position embedding.
# reproduce:   symbolic-pe build rope:dim=8,rotary_dim=0 --target numpy
# target:      numpy
# spec:        {"catalogue": "rope", "settings": {"angles": "float64", "base": "10000", "dim": "8", "frequencies": "exact", "layout": "interleaved", "rotary_dim": "0"}}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:f3f3f26ddf8ceb1e1cb13caca9eb13c95020312f63f0540d172135219b682ef1
"""Rotary position embedding.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k, where

    A(τ) = exp(τX)
    X = −θ_j J,  A(τ) = R(−θ_j τ)  on planes (2j, 2j + 1), j < 4, with
        θ_j = 10000^(-2*j/8)

Here J = [[0, −1], [1, 0]], R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]].

Gauge: query and key both turn by +θ·(position − reference). A is orthogonal, so one map
    serves both sides, and the reference cancels.

Layout: interleaved, the two channels of a plane are neighbours.

Precision: angles and exponents in float64 whatever the dtype of the input; cosines,
    sines and exponentials rounded once to the compute dtype (float64 for float64 input,
    else float32); the result in the dtype of x. θ is the exact number, not a
    checkpoint's float32 value.

Range: every position. Up to 1048576, angles are off by less than 4e-09 rad.

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k for all real t, s
    and every reference, up to rounding; the laws of A are proved in the certificate
    named above.

Source: Su et al., RoFormer, arXiv:2104.09864.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ np.swapaxes(key, -1, -2)
"""

import numpy as np

DIMENSION = 8
HEADS = 1
THETA = 10000.0 ** (-2 * np.arange(4) / 8)


def transform_query(x, position, reference=0.0):
    """F(t)x = A(t − c)ᵀx for queries x of shape (..., n, 8).

    position is t, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.
    """
    return _transform(x, position, reference)


def transform_key(x, position, reference=0.0):
    """G(s)x = A(c − s)x for keys x of shape (..., n, 8).

    position is s, of shape (n,) or with leading axes that broadcast to those of x;
    reference is c, the same for query and key.
    """
    return _transform(x, position, reference)


def operator(lag):
    """The matrix A(lag) = F(lag)ᵀ of shape (8, 8), float64; lag is one number."""
    identity = np.eye(DIMENSION)
    return transform_query(identity, lag)


def cos_sin(position, reference=0.0, *, dtype=np.float32):
    """cos and sin of shape (..., n, 8), as rotary code of other packages takes them.

    x·cos + rotate(x)·sin is transform_query(x, position, reference), with rotate(a, b)
    = (−b, a) on neighbours a, b.
    """
    cosine, sine = _waves(position, reference, dtype)
    return np.repeat(cosine, 2, axis=-1), np.repeat(sine, 2, axis=-1)


def rotary_table(position, reference=0.0, *, dtype=np.float32):
    """cos and sin of every angle, as turn takes them, in dtype.

    Make it once for all layers, and for query and key alike: transform_query(x, p, c)
    and transform_key(x, p, c) are both turn(x, rotary_table(p, c)).
    """
    cosine, sine = _waves(position, reference, dtype)
    waves = np.stack((cosine, sine), axis=-1)
    return waves.view(np.result_type(dtype, np.complex64))[..., 0]


def turn(x, table):
    """x of shape (..., n, 8), turned by the angles of a rotary_table; computed in the
    dtype of the table or of x, the wider.
    """
    x = np.asarray(x)
    if x.dtype.kind in "biu":
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    compute = np.result_type(x.dtype, table.real.dtype)
    plane = np.result_type(compute, np.complex64)  # a plane is one complex number
    planes = np.ascontiguousarray(x, compute).view(plane)
    turned = (planes * table.astype(plane, copy=False)).view(compute)
    return turned.astype(x.dtype, copy=False)


def turn_into(out, x, table):
    """turn(x, table) written into out, which may be x, and returned.

    x, out and the table must have one dtype; gradients do not pass through.
    """
    if not x.dtype == out.dtype == table.real.dtype:
        raise TypeError(f"expected {table.real.dtype}, got {x.dtype} and {out.dtype}")
    np.multiply(x.view(table.dtype), table, out=out.view(table.dtype))
    return out


def _transform(x, position, reference):
    """A(u)ᵀx = A(−u)x for query and key, u = position − reference."""
    compute = np.result_type(np.asarray(x).dtype, np.float32)
    return turn(x, rotary_table(position, reference, dtype=compute))


def _waves(position, reference, dtype):
    """cos and sin of the angles, of shape (..., n, 4), in dtype."""
    u = (np.asarray(position, np.float64) - reference)[..., None]
    angle = u * THETA
    return np.cos(angle).astype(dtype), np.sin(angle).astype(dtype)
