"""What `prove` prints for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symbolic_pe.cli.claims import MARKS, claim_of, claims_text
from symbolic_pe.cli.proving.records import Judged, TotalsRecord
from symbolic_pe.cli.proving.sources import LeftAlone
from symbolic_pe.decision import Outcome

NAMES = {"proved": "proved", "refuted": "REFUTED", "undecided": "undecided", "error": "error"}


def claims_of_each(judged: Sequence[tuple[str, Judged]]) -> str:
    """Every claim of every specification that has claims."""
    lines = []
    for _, found in judged:
        if found.claims:
            lines.append(f"{found.name}: {found.verdict}")
            lines.append(claims_text([claim_of(c) for c in found.claims]))
    return "".join(f"{line}\n" for line in lines)


def listing(
    judged: Sequence[tuple[str, Judged]],
    counts: TotalsRecord,
    left_alone: Sequence[LeftAlone],
    *,
    verbose: bool,
) -> str:
    """One line a specification; more of those that are not proved; all of it where asked."""
    lines: list[str] = []
    for label, found in judged:
        name = f" ({found.name})" if found.name else ""
        lines.append(f"{NAMES[found.verdict]:<9}  {label}{name}")
        lines += _details(found, verbose)
    if verbose:
        lines += [f"left alone {item.label}: {item.reason}" for item in left_alone]
    lines.append(_summary(counts, 0 if verbose else len(left_alone)))
    return "".join(f"{line}\n" for line in lines)


def _details(found: Judged, verbose: bool) -> Iterator[str]:
    """The claims to show, and what has no certificate."""
    message = found.error or found.undecided
    if message:
        yield from (f"             {line}" for line in message.splitlines())
    shown = [
        claim
        for claim in map(claim_of, found.claims)
        if verbose or claim.verdict is not Outcome.PROVED
    ]
    if shown:
        yield from claims_text(shown).splitlines()
    if verbose and found.no_certificate:
        yield f"             no certificate: {found.no_certificate}"


def _summary(counts: TotalsRecord, left_alone: int) -> str:
    numbers = [
        (counts.proved, "proved"),
        (counts.refuted, "refuted"),
        (counts.undecided, "undecided"),
        (counts.error, "not judged"),
    ]
    total = sum(n for n, _ in numbers)
    plural = "" if total == 1 else "s"
    parts = ", ".join(f"{n} {word}" for n, word in numbers if n)
    others = f"; {left_alone} left alone (-v lists what and why)" if left_alone else ""
    return f"{total} specification{plural}: {parts}{others}"


__all__ = ["MARKS", "claims_of_each", "listing"]
