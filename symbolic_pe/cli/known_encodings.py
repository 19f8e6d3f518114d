"""What the commands say of catalogue entries, and of encodings that are no group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from symbolic_pe.cli.claims import MARKS, Answer, ClaimRecord, claim_record
from symbolic_pe.decision import Decision, Outcome
from symbolic_pe.emit.axes import plan_axes
from symbolic_pe.encodings.encoding import Encoding, Verdict
from symbolic_pe.encodings.entry import Entry, Form
from symbolic_pe.encodings.outside import Outside
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.proof.verdicts import OutsideProof, evidence, verdict_outcome


class SettingRecord(msgspec.Struct, frozen=True):
    """One setting with its published default."""

    default: str
    meaning: str
    kind: str
    choices: list[str]


class PublishedRecord(msgspec.Struct, frozen=True):
    """A printed number, and the settings under which it was printed."""

    what: str
    printed: str
    settings: dict[str, str]


class MistakeRecord(msgspec.Struct, frozen=True):
    """A mis-statement: what is stated, where, and what holds."""

    name: str
    claim: str
    where: str
    right: str


class EntryRecord(msgspec.Struct, frozen=True):
    """One catalogue entry as it is written down."""

    name: str
    family: str
    verdict: str
    defaults: dict[str, str]
    title: str
    reference: str
    definition: str
    generator: str
    stability: str
    settings: dict[str, SettingRecord]
    values: list[PublishedRecord]
    mistakes: list[MistakeRecord]
    code: str


class CatalogueRecord(msgspec.Struct, frozen=True):
    """Output of `catalogue --json`."""

    entries: list[EntryRecord]


class DecidedValueRecord(msgspec.Struct, frozen=True):
    """A printed number beside the computed one."""

    what: str
    printed: str
    computed: str
    verdict: Answer


class DecidedMistakeRecord(msgspec.Struct, frozen=True):
    """A mis-statement with the witness against it."""

    name: str
    verdict: Answer
    witness: str | None


class ShownEntryRecord(msgspec.Struct, frozen=True):
    """Output of `catalogue show --json`: an entry with everything decided now."""

    entry: EntryRecord
    outcome: Answer
    claims: list[ClaimRecord]
    values: list[DecidedValueRecord]
    mistakes: list[DecidedMistakeRecord]


class OutsideRecord(msgspec.Struct, frozen=True):
    """Output of `classify --json` for an encoding that is no group."""

    kind: Literal["outside"]
    name: str
    dimension: int
    verdict: str
    claims: list[ClaimRecord]
    code: str


def code_of(form: Form) -> str:
    """Which code there is for a form."""
    if isinstance(form, Encoding):
        if form.clock != "position":
            return "kernel of the group on a learned clock"
        return "kernel of the group" + (" and its bias" if form.augmentation is not None else "")
    if isinstance(form, Outside):
        if form.function is None:
            return f"none: {form.no_function}"
        return f"{form.function.kind} of positions"
    if form.verdict is Verdict.NOT_INVARIANT:
        return "none: what the axes do does not commute; give one axis as [generator]"
    try:
        plan_axes(form)
    except NotYetCovered as error:
        return f"none: {error}"
    return "kernel of all clocks" if form.verdict is Verdict.LEARNED_TIME else "kernel of all axes"


def entry_record(entry: Entry) -> EntryRecord:
    """From the value to the published record."""
    return EntryRecord(
        entry.name,
        entry.family,
        entry.verdict.value,
        entry.defaults,
        entry.title,
        entry.reference,
        entry.definition,
        entry.generator,
        entry.stability,
        {
            name: SettingRecord(s.default, s.meaning, s.kind, list(s.choices))
            for name, s in entry.settings.items()
        },
        [
            PublishedRecord(v.what, v.printed, {k: str(x) for k, x in v.settings.items()})
            for v in entry.values
        ],
        [MistakeRecord(m.name, m.claim, m.where, m.right) for m in entry.mistakes],
        code_of(entry.form({})),
    )


def shown_entry(
    entry: Entry, given: Mapping[str, object], mistakes: Mapping[str, Decision]
) -> ShownEntryRecord:
    """An entry with its verdict and its values decided now, and the decisions of its mistakes."""
    claims = evidence(entry, given)
    verdict = entry.form(given).verdict
    return ShownEntryRecord(
        entry_record(entry),
        verdict_outcome(verdict, claims).value,
        [claim_record(c) for c in claims],
        [_value(v.what, v.printed, v.check(entry)) for v in entry.values],
        [_mistake(*item) for item in mistakes.items()],
    )


def _value(what: str, printed: str, decision: Decision) -> DecidedValueRecord:
    computed = str(decision.evidence.get("computed", ""))
    return DecidedValueRecord(what, printed, computed, decision.outcome.value)


def _mistake(name: str, decision: Decision) -> DecidedMistakeRecord:
    return DecidedMistakeRecord(name, decision.outcome.value, decision.witness)


def outside_record(proof: OutsideProof) -> OutsideRecord:
    """From the value to the published record."""
    found = proof.encoding
    return OutsideRecord(
        "outside",
        found.name,
        found.dimension,
        found.verdict.value,
        [claim_record(c) for c in proof.claims],
        code_of(found),
    )


def outside_text(proof: OutsideProof) -> str:
    """Verdict, witness, and the code that there is."""
    found = proof.encoding
    lines = [f"{found.name}: {found.verdict.value}"]
    for claim in proof.claims:
        lines.append(f"  {MARKS[claim.verdict]:<9}  {claim.statement}")
        lines.extend(f"             {t}" for t in (claim.witness, claim.reason) if t)
    lines.append(f"  code: {code_of(found)}")
    return "\n".join(lines)


def catalogue_text(record: CatalogueRecord) -> str:
    """The catalogue as a table."""
    rows = [("name", "family", "verdict", "defaults")] + [
        (e.name, e.family, e.verdict, ",".join(f"{k}={v}" for k, v in e.defaults.items() if v))
        for e in record.entries
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    return "\n".join(
        "  ".join(
            [*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]]
        ).rstrip()
        for row in rows
    )


def shown_text(record: ShownEntryRecord) -> str:
    """One entry for a person."""
    e = record.entry
    lines = [
        f"{e.name}: {e.title}",
        f"  {e.reference}",
        f"  family {e.family}; {e.verdict}: {record.outcome}",
        f"  definition: {e.definition}",
        f"  generator: {e.generator}",
        f"  stability: {e.stability}",
        f"  code: {e.code}",
        "settings",
        *(f"  {name} = {s.default or '(none)'}: {s.meaning}" for name, s in e.settings.items()),
        "claims",
    ]
    for claim in record.claims:
        lines.append(f"  {MARKS[Outcome(claim.verdict)]:<9}  {claim.name}: {claim.statement}")
        if claim.verdict != "proved":
            lines.extend(f"             {t}" for t in (claim.witness, claim.reason) if t)
    lines.append("published values")
    for value in record.values:
        lines.append(f"  {value.verdict:<9}  {value.what}: {value.printed}")
    if record.mistakes:
        lines.append("mis-statements")
    for stated, found in zip(e.mistakes, record.mistakes, strict=True):
        lines.append(f"  {found.verdict:<9}  {stated.name}: {stated.claim} ({stated.where})")
        lines.append(f"             {found.witness}")
        lines.append(f"             instead: {stated.right}")
    return "\n".join(lines)
