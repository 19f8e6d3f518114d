# Written by symbolic-pe: GRAPE, multiplicative form.
# reproduce:   symbolic-pe build grape-m:dim=8 --target numpy
# target:      numpy
# spec:        {"catalogue": "grape-m", "settings": {"a": "", "b": "", "base": "10000", "dim": "8", "layout": "half"}}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:c71031ece9a27891cb91647153f8b0477e2e8a180c87177b60309b48628b5402
"""GRAPE, multiplicative form.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k, where

    A(τ) = exp(τX)
    X = ω_j J,  A(τ) = R(ω_j τ)  on planes (j, j + 4), j < 4, with ω_j = 10000^(-2*j/8)

Here J = [[0, −1], [1, 0]], R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]].

Gauge: query and key both turn by −ω·(position − reference). A is orthogonal, so one map
    serves both sides, and the reference cancels.

Layout: half, a plane pairs one channel of the first half with one of the second.

Precision: angles and exponents in float64 whatever the dtype of the input; cosines,
    sines and exponentials rounded once to the compute dtype (float64 for float64 input,
    else float32); the result in the dtype of x. θ is the exact number, not a
    checkpoint's float32 value.

Range: every position. Up to 1048576, angles are off by less than 4e-09 rad.

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k for all real t, s
    and every reference, up to rounding; the laws of A are proved in the certificate
    named above.

Source: Zhang et al., Group Representational Position Encoding, ICLR 2026.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ np.swapaxes(key, -1, -2)
"""

import numpy as np

DIMENSION = 8
HEADS = 1
OMEGA = 10000.0 ** (-2 * np.arange(4) / 8)


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
    = (−b, a) on halves a, b.
    """
    cosine, sine = _waves(position, reference, dtype)
    return np.concatenate((cosine, cosine), -1), np.concatenate((sine, sine), -1)


def rotary_table(position, reference=0.0, *, dtype=np.float32):
    """cos and sin of every angle, as turn takes them, in dtype.

    Make it once for all layers, and for query and key alike: transform_query(x, p, c)
    and transform_key(x, p, c) are both turn(x, rotary_table(p, c)).
    """
    cosine, sine = _waves(position, reference, dtype)
    return cosine[..., None, :], np.stack((-sine, sine), axis=-2)


def turn(x, table):
    """x of shape (..., n, 8), turned by the angles of a rotary_table; computed in the
    dtype of the table or of x, the wider.
    """
    x = np.asarray(x)
    if x.dtype.kind in "biu":
        raise TypeError(f"expected floating-point x, got {x.dtype}")
    cosine, sine = table
    compute = np.result_type(x.dtype, cosine.dtype)
    halves = x.astype(compute, copy=False).reshape(*x.shape[:-1], 2, DIMENSION // 2)
    turned = halves * cosine
    turned += halves[..., ::-1, :] * sine
    return turned.reshape(*turned.shape[:-2], DIMENSION).astype(x.dtype, copy=False)


def turn_into(out, x, table):
    """turn(x, table) written into out, which may be x, and returned.

    x, out and the table must have one dtype; gradients do not pass through.
    """
    cosine, sine = table
    if not x.dtype == out.dtype == cosine.dtype:
        raise TypeError(f"expected {cosine.dtype}, got {x.dtype} and {out.dtype}")
    halves = x.reshape(*x.shape[:-1], 2, DIMENSION // 2)
    turned = out.reshape(*out.shape[:-1], 2, DIMENSION // 2)
    swapped = halves[..., ::-1, :] * sine
    np.multiply(halves, cosine, out=turned)
    turned += swapped
    return out


def _transform(x, position, reference):
    """A(u)ᵀx = A(−u)x for query and key, u = position − reference."""
    compute = np.result_type(np.asarray(x).dtype, np.float32)
    return turn(x, rotary_table(position, reference, dtype=compute))


def _waves(position, reference, dtype):
    """cos and sin of the angles, of shape (..., n, 4), in dtype."""
    u = (np.asarray(position, np.float64) - reference)[..., None]
    angle = -u * OMEGA
    return np.cos(angle).astype(dtype), np.sin(angle).astype(dtype)
