"""A derivation: a statement, its hypotheses, and steps of which each is decided.

A derivation is data. Its steps name the rule by which they are decided and carry the function that
decides them; its negative twins drop one hypothesis each and must be refuted with a witness; its
answers say what it decides of published claims. `decide` runs all of it:

    proved     every step is proved and every twin is refuted
    refuted    a step is refuted
    undecided  anything else, a twin that could not be refuted among it

What is taken from the literature without being decided here stands in `assumes`, one sentence each;
"proved" then means: from the hypotheses and from these.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from symbolic_pe.decision import Decision, Outcome, holds
from symbolic_pe.errors import Undecided
from symbolic_pe.proof.evidence import plain

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


class Rule(StrEnum):
    """How a step is decided."""

    DEFINITION = "definition"
    NORMAL_FORM = "normal form"
    REWRITING = "rewriting by the hypotheses"
    LINEAR_ALGEBRA = "exact linear algebra"
    BALLS = "ball arithmetic"
    EVALUATION = "exact evaluation"
    ROCQ = "theorem of the Rocq theory"
    EARLIER = "earlier derivation"


RULES: Mapping[Rule, str] = {
    Rule.DEFINITION: "the statement names what it defines, and its parts are checked to agree",
    Rule.NORMAL_FORM: "both sides are brought to normal form, which is unique, and compared",
    Rule.REWRITING: "each line is the one before with an instance of a hypothesis put in place",
    Rule.LINEAR_ALGEBRA: "ranks, kernels and products of exact matrices",
    Rule.BALLS: "enclosures with certified radius that do not meet, or lie inside the bound",
    Rule.EVALUATION: "exact values at a stated point",
    Rule.ROCQ: "the kernel of Rocq checks the theorem in `make proofs`; here it is cited",
    Rule.EARLIER: "another derivation, which is decided for itself",
}


@dataclass(frozen=True)
class Step:
    """One line of a proof: what it states (Markdown with $…$), by which rule, and the decision."""

    name: str
    statement: str
    rule: Rule
    decide: Callable[[], Decision]
    why: str = ""


@dataclass(frozen=True)
class Twin:
    """The claim without one of its hypotheses (or as it is misquoted), which must be refuted."""

    name: str
    without: str
    statement: str
    decide: Callable[[], Decision]


@dataclass(frozen=True)
class Answer:
    """What the derivation decides of a published claim.

    claim    identifier in a table of claims: `S1.9`, `V4`, `F2`, `8.1-3`
    verdict  of the claim as published
    by       name of the step or twin that decides it
    remark   hypotheses that it needs, or what is true instead
    """

    claim: str
    verdict: Outcome
    by: str
    remark: str = ""


@dataclass(frozen=True)
class Figure:
    """A picture of a derivation: file stem, caption, and the function that writes SVG text."""

    name: str
    caption: str
    draw: Callable[[], str]


@dataclass(frozen=True)
class Derivation:
    """One statement and why it is true.

    name        lower case with dashes, what it states
    chapter     where it stands in the book: a key of `derivations.CHAPTERS`
    statement   Markdown with $…$ and $$…$$
    hypotheses  one sentence each; every twin drops one of them
    uses        names of derivations that come before
    assumes     theorems of the literature that it takes as known, one sentence each
    rocq        theorems of the Rocq theory that state the same (`Gauge.homomorphism`)
    justifies   public names or emitted forms that rest on it
    prose       Markdown between the statement and the steps: what it means
    """

    name: str
    title: str
    chapter: str
    statement: str
    hypotheses: tuple[str, ...]
    steps: tuple[Step, ...]
    twins: tuple[Twin, ...]
    sources: tuple[str, ...]
    answers: tuple[Answer, ...] = ()
    uses: tuple[str, ...] = ()
    assumes: tuple[str, ...] = ()
    rocq: tuple[str, ...] = ()
    justifies: tuple[str, ...] = ()
    prose: str = ""
    figures: tuple[Figure, ...] = ()

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise ValueError(f"a derivation's name is lower case with dashes, got {self.name!r}")
        parts = [s.name for s in self.steps] + [t.name for t in self.twins]
        if len(set(parts)) != len(parts):
            raise ValueError(f"{self.name}: steps and twins need different names, got {parts}")
        for answer in self.answers:
            if answer.by not in parts:
                raise ValueError(
                    f"{self.name}: the answer to {answer.claim} names {answer.by!r}; expected one "
                    f"of {parts}"
                )


@dataclass(frozen=True)
class Decided:
    """A derivation with the decision of every step and twin, in order."""

    derivation: Derivation
    steps: tuple[Decision, ...]
    twins: tuple[Decision, ...]

    @property
    def outcome(self) -> Outcome:
        """See the head of the module."""
        found = {d.outcome for d in self.steps}
        if Outcome.REFUTED in found:
            return Outcome.REFUTED
        if found <= {Outcome.PROVED} and all(d.outcome is Outcome.REFUTED for d in self.twins):
            return Outcome.PROVED
        return Outcome.UNDECIDED

    def outcome_of(self, name: str) -> Outcome:
        """The outcome of one step or twin."""
        d = self.derivation
        names = [s.name for s in d.steps] + [t.name for t in d.twins]
        return (*self.steps, *self.twins)[names.index(name)].outcome

    def document(self) -> dict[str, object]:
        """All that was stated and decided, as JSON; its digest names it."""
        d = self.derivation
        return {
            "format": "symbolic-pe-derivation/1",
            "name": d.name,
            "statement": d.statement,
            "hypotheses": list(d.hypotheses),
            "assumes": list(d.assumes),
            "steps": [
                {"name": s.name, "statement": s.statement, "rule": s.rule.value, **_shown(decided)}
                for s, decided in zip(d.steps, self.steps, strict=True)
            ],
            "twins": [
                {"name": t.name, "without": t.without, "statement": t.statement, **_shown(decided)}
                for t, decided in zip(d.twins, self.twins, strict=True)
            ],
            "answers": [
                {"claim": a.claim, "verdict": a.verdict.value, "by": a.by} for a in d.answers
            ],
            "uses": list(d.uses),
            "rocq": list(d.rocq),
            "outcome": self.outcome.value,
        }

    def digest(self) -> str:
        """SHA-256 of the canonical JSON of `document`."""
        text = json.dumps(
            self.document(), sort_keys=True, separators=(",", ":"), ensure_ascii=False
        )
        return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def _shown(decision: Decision) -> dict[str, object]:
    return {
        "outcome": decision.outcome.value,
        "evidence": {name: plain(value) for name, value in decision.evidence.items()},
        "witness": decision.witness,
    }


def decide(derivation: Derivation) -> Decided:
    """Decide every step and every twin; what a step cannot decide is undecided with the reason."""
    return Decided(
        derivation,
        tuple(_decided(step) for step in derivation.steps),
        tuple(_decided(twin) for twin in derivation.twins),
    )


def _decided(part: Step | Twin) -> Decision:
    try:
        return part.decide()
    except Undecided as error:
        return Decision(Outcome.UNDECIDED, {"reason": str(error)})


__all__ = [
    "RULES",
    "Answer",
    "Decided",
    "Decision",
    "Derivation",
    "Figure",
    "Rule",
    "Step",
    "Twin",
    "decide",
    "holds",
]
