"""Decide the verdict of a catalogue entry: which claims it rests on, and how each came out.

one-parameter group            A(s + t) = A(s) A(t), proved
commuting n-parameter group    commutators vanish, proved
group after augmentation       q_a^T exp(tau Y) k_a = bias(tau), proved
group in learned time          the group law on the clock, proved; none in index time, refuted
group per length only          the group law at each length, proved; across lengths, refuted
ordered product                composition proved, commuting refuted
not translation invariant      relativity refuted
no finite realisation          invariance proved, realisation refuted
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symbolic_pe.budget import Budget
from symbolic_pe.decision import Claim, Outcome
from symbolic_pe.encodings.encoding import Encoding, Verdict
from symbolic_pe.encodings.entry import Entry, Form
from symbolic_pe.encodings.outside import Outside
from symbolic_pe.proof.prover import prove
from symbolic_pe.proof.several_axes import prove_axes

_PROVED, _REFUTED = Outcome.PROVED, Outcome.REFUTED
RESTS_ON: Mapping[Verdict, Mapping[str, Outcome]] = {
    Verdict.GROUP: {"homomorphism": _PROVED, "relativity": _PROVED},
    Verdict.COMMUTING: {"commutators": _PROVED, "homomorphism": _PROVED, "relativity": _PROVED},
    Verdict.AUGMENTED: {"homomorphism": _PROVED, "augmentation": _PROVED},
    Verdict.LEARNED_TIME: {"homomorphism": _PROVED, "index-time": _REFUTED},
    Verdict.PER_LENGTH: {"homomorphism": _PROVED, "one-length": _REFUTED},
    Verdict.PRODUCT: {"composition": _PROVED, "commuting-steps": _REFUTED},
    Verdict.NOT_INVARIANT: {"relativity": _REFUTED},
    Verdict.NOT_REALISABLE: {"invariance": _PROVED, "realisation": _REFUTED},
}
"""The claims that a verdict rests on, and how they have to come out."""


@dataclass(frozen=True)
class OutsideProof:
    """The claims of an encoding that is no group, decided."""

    encoding: Outside
    claims: tuple[Claim, ...]


def prove_outside(encoding: Outside) -> OutsideProof:
    """Decide what shows that an encoding is no group."""
    return OutsideProof(encoding, encoding.claims())


def claims_of(form: Form, budget: Budget | None = None) -> tuple[Claim, ...]:
    """The claims of one form, decided by the prover that belongs to it."""
    if isinstance(form, Outside):
        return form.claims()
    if isinstance(form, Encoding):
        return prove(form, budget or Budget.of()).claims
    return prove_axes(form).claims


def evidence(
    entry: Entry, settings: Mapping[str, object] | None = None, budget: Budget | None = None
) -> tuple[Claim, ...]:
    """Every claim that bears on the verdict of an entry, under given settings."""
    given = settings or {}
    return (*claims_of(entry.form(given), budget), *entry.further_claims(given))


def verdict_outcome(verdict: Verdict, claims: Sequence[Claim]) -> Outcome:
    """Proved if the claims came out as the verdict needs; else refuted or undecided.

    >>> verdict_outcome(Verdict.GROUP, []).value
    'undecided'
    """
    found = {claim.name: claim.verdict for claim in claims}
    wanted = RESTS_ON[verdict]
    if all(found.get(name) is outcome for name, outcome in wanted.items()):
        return Outcome.PROVED
    if any(found.get(name, o) not in (o, Outcome.UNDECIDED) for name, o in wanted.items()):
        return Outcome.REFUTED
    return Outcome.UNDECIDED
