"""The report as Markdown and as one HTML file with its pictures inside."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from numeric_check.audit.finding import AuditReport, Finding, Verdict, worst_first
from numeric_check.audit.report.terminal import HEADLINES, MARKS, caution, how

CAPTIONS = {
    "errors": "Error against position, for each dtype",
    "spectrum": "Eigenvalues of the generator",
    "drift": "Drift of the score over query and key positions",
}
STYLE = (
    "body{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
    "code{background:#f4f4f4;padding:.1em .3em;overflow-wrap:anywhere}"
    "td,th{text-align:left;vertical-align:top;padding:.3em .8em .3em 0;border-top:1px solid #ddd}"
    "table{border-collapse:collapse}.refuted{color:#b00}.equivalent{color:#850}"
)


def markdown(report: AuditReport, pictures: Mapping[str, str]) -> str:
    """A page that stands beside the pictures named `<name>.svg`."""
    lines = [
        f"# Audit of `{report.subject}`", "", how(report) + ".", "",
        f"**{HEADLINES[report.verdict]}**: it is {report.summary}.", "",
        "| verdict | question | answer |", "|---|---|---|",
    ]  # fmt: skip
    for finding in worst_first(report.findings):
        words = finding.detail.replace("|", "\\|")
        lines.append(f"| {MARKS[finding.verdict]} | {finding.question} | {words} |")
    for finding in report.refuted:
        lines += ["", f"## {finding.question}", "", finding.statement + ".", "", finding.witness]
        if finding.reproduce:
            lines += ["", "```", finding.reproduce, "```"]
    for name in pictures:
        lines += ["", f"![{CAPTIONS[name]}]({name}.svg)"]
    return "\n".join([*lines, "", caution(report), ""])


def html(report: AuditReport, pictures: Mapping[str, str]) -> str:
    """One file without scripts or links."""
    rows = "\n".join(_row(f) for f in worst_first(report.findings))
    drawn = "\n".join(
        f"<figure>\n{text}<figcaption>{CAPTIONS[name]}</figcaption></figure>"
        for name, text in pictures.items()
    )
    title = f"Audit of {escape(report.subject)}"
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{STYLE}</style></head>\n<body>\n<h1>{title}</h1>\n<p>{escape(how(report))}.</p>\n"
        f"<p><strong>{HEADLINES[report.verdict]}</strong>: it is {escape(report.summary)}.</p>\n"
        f"<table>\n<tr><th>verdict</th><th>question</th><th>answer</th></tr>\n{rows}\n</table>\n"
        f"{drawn}\n<p>{escape(caution(report))}</p>\n</body>\n</html>\n"
    )


def _row(finding: Finding) -> str:
    answer = escape(finding.detail)
    if finding.verdict is Verdict.REFUTED:
        answer += f"<br>{escape(finding.witness)}"
        if finding.reproduce:
            answer += f"<br><code>{escape(finding.reproduce)}</code>"
    return (
        f'<tr><td class="{finding.verdict.value.replace(" ", "-")}">{MARKS[finding.verdict]}</td>'
        f"<td>{escape(finding.question)}</td><td>{answer}</td></tr>"
    )
