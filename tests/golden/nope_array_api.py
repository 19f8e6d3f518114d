# Written by symbolic-pe: No positional encoding.
# reproduce:   symbolic-pe build nope:dim=8 --target array-api
# target:      array-api
# spec:        {"catalogue": "nope", "settings": {"dim": "8"}}
# certificate: sha256:0000000000000000000000000000000000000000000000000000000000000000
# body:        sha256:edd73ae031d7e2a8cb4a27bcad29cd56dd782406b05f06bb492a5b4f34cbbac0
"""No positional encoding.

The score of a query q at position t and a key k at position s is qᵀA(t − s)k, where

    A(τ) = exp(τX)
    X = 0,  A(τ) = 1  on channels 0 to 7

Gauge: F = G = I on the channels of x.

Layout: as given; the channels are named above.

Precision: the channels of x are returned as they are; positions are taken in float64.

Range: every position.

Guarantee: transform_query(q, t) · transform_key(k, s) = qᵀA(t − s)k for all real t, s
    and every reference, up to rounding; the laws of A are proved in the certificate
    named above.

Source: Haviv et al. 2022; Kazemnejad et al. 2023.

    query, key = transform_query(q, position), transform_key(k, position)
    logits = query @ array_namespace(key).matrix_transpose(key)
"""

from array_api_compat import array_namespace, device

DIMENSION = 8
HEADS = 1


def transform_query(x, position, reference=0.0):
    """x itself, A being the identity, for queries x of shape (..., n, 8)."""
    return x


def transform_key(x, position, reference=0.0):
    """x itself, A being the identity, for keys x of shape (..., n, 8)."""
    return x


def operator(lag):
    """The matrix A(lag) = F(lag)ᵀ of shape (8, 8), float64; lag is a 0-d array."""
    xp = array_namespace(lag)
    identity = xp.eye(DIMENSION, dtype=xp.float64, device=device(lag))
    return transform_query(identity, lag)
