"""A decided derivation as Markdown with $…$ mathematics."""

from __future__ import annotations

from collections.abc import Mapping

from symbolic_pe.proof.derivation import RULES, Decided, Decision, Step, Twin

NOTICE = "<!-- written by `symbolic-pe explain {name}`; do not edit -->"


def derivation_page(decided: Decided) -> str:
    """Title, statement, hypotheses, steps with their rules, twins, answers, sources, digest."""
    d = decided.derivation
    parts = [f"# {d.title}", NOTICE.format(name=d.name), d.statement]
    parts += [_section("Hypotheses", _bullets(d.hypotheses)), d.prose]
    parts.append("## Steps")
    for index, (step, decision) in enumerate(zip(d.steps, decided.steps, strict=True), start=1):
        parts.append(_step(index, step, decision))
    if d.twins:
        parts.append("## Where it fails")
        parts += [_twin(t, decision) for t, decision in zip(d.twins, decided.twins, strict=True)]
    parts += [
        _answers(decided),
        _section("Machine-checked", _bullets(tuple(f"`{name}`" for name in d.rocq))),
        _section("What rests on it", _bullets(tuple(f"`{name}`" for name in d.justifies))),
        _section("Sources", _bullets(d.sources)),
        f"Verdict: **{decided.outcome.value}**. Digest `{decided.digest()}`.",
    ]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def _section(title: str, body: str) -> str:
    return f"## {title}\n\n{body}" if body else ""


def _bullets(lines: tuple[str, ...]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _step(index: int, step: Step, decision: Decision) -> str:
    """Number and statement, then the rule and what was found."""
    head = f"**{index}. {step.name.replace('-', ' ').capitalize()}.** {step.statement}"
    said = f"*{decision.outcome.value.capitalize()}* by {step.rule.value}: {RULES[step.rule]}."
    return "\n\n".join(p for p in (head, step.why, said, _evidence(decision)) if p)


def _twin(twin: Twin, decision: Decision) -> str:
    head = f"**Without: {twin.without}** {twin.statement}"
    return "\n\n".join(
        p for p in (head, f"*{decision.outcome.value.capitalize()}.*", _evidence(decision)) if p
    )


def _evidence(decision: Decision) -> str:
    shown: Mapping[str, str] = decision.evidence
    lines = [f"- {name}: `{value}`" for name, value in shown.items()]
    if decision.witness:
        lines.append(f"- witness: {decision.witness}")
    return "\n".join(lines)


def _answers(decided: Decided) -> str:
    d = decided.derivation
    if not d.answers:
        return ""
    rows = "\n".join(f"| {a.claim} | {a.verdict.value} | {a.by} | {a.remark} |" for a in d.answers)
    return (
        "## Published claims\n\n| claim | verdict | decided by | remark |\n|---|---|---|---|\n"
        + rows
    )
