"""Hypergeometric terms by their ratios."""

from __future__ import annotations

from math import factorial

from symbolic_pe.algebra.scalar import ONE, Scalar
from symbolic_pe.proof.hypergeometric import HypergeometricTerm

N, K, S, T = (Scalar.symbol(x) for x in "nkst")
TERM = HypergeometricTerm(
    {"n": T / (N + ONE - K), "k": S * (N - K) / (T * (K + ONE))},
    {"s": K / S, "t": (N - K) / T},
)
"""s^k t^(n−k)/(k! (n−k)!)."""


def value(n: int, k: int, s: int, t: int) -> Scalar:
    return Scalar.rational(s**k * t ** (n - k)) / Scalar.rational(factorial(k) * factorial(n - k))


def test_shifts_agree_with_values() -> None:
    point = {"n": 7, "k": 3, "s": 2, "t": 5}
    exact = {x: Scalar.rational(v) for x, v in point.items()}
    for n in (-2, 0, 1):
        for k in (-1, 0, 2):
            ratio = TERM.shifted(n=n, k=k).substitute(exact)
            assert ratio == value(7 + n, 3 + k, 2, 5) / value(7, 3, 2, 5)


def test_consistency_is_decided() -> None:
    assert TERM.is_consistent()
    assert not HypergeometricTerm({"n": N - K, "k": N}).is_consistent()
    assert not HypergeometricTerm({"k": T / (K + ONE)}, {"t": K * K / T}).is_consistent()
