"""The equations that the first chapter argues with: maps F(t), G(s), A(τ) and what is given."""

from __future__ import annotations

from symbolic_pe.proof.rewriting import IDENTITY, ORIGIN, Equation, Family, constant, positions

S, T = positions("s t")
A, F, G = Family("A"), Family("F"), Family("G")
M, N, X = constant("M"), constant("N"), constant("X")

RELATIVE = Equation("relativity", F(T).T * G(S), A(T - S))
START = Equation("A(0) = I", A(ORIGIN), IDENTITY)
KEY_AT_ZERO = Equation("M = G(0)", M, G(ORIGIN))
QUERY_AT_ZERO = Equation("N = F(0)^T", N, F(ORIGIN).T)
LEFT_INVERSE = Equation("N M = I", N * M, IDENTITY)
RIGHT_INVERSE = Equation("M N = I", M * N, IDENTITY)
GROUP = Equation("group law", A(S + T), A(S) * A(T))
