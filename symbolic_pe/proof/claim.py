"""The claims that certificates and proofs know by name."""

from __future__ import annotations

from symbolic_pe.decision import Claim, Outcome, outcome_of

CLAIM_NAMES = (
    "initial-condition",
    "derivative",
    "homomorphism",
    "relativity",
    "closed-form",
    "augmentation",
    "orthogonality",
    "bounded-causal",
    "bounded-all",
    "inverses",
    "generator",
    "commutators",
    "permutation",
    "conjugation",
    "scores",
    "invariance",
    "realisation",
    "one-length",
    "index-time",
    "composition",
    "commuting-steps",
)

__all__ = ["CLAIM_NAMES", "Claim", "Outcome", "outcome_of"]
