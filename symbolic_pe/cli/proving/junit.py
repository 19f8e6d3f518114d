"""A run of `prove` as JUnit XML: one suite a specification, one test case a claim.

    proved      a test case that passes
    refuted     <failure>, its message is the witness
    undecided   <skipped>, or <failure> where the caller asks for it; the message is the reason
    bad input   <error> of a test case named `specification`

Times and hosts are left out, so that equal verdicts are equal files.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import Literal

from symbolic_pe.cli.claims import ClaimRecord
from symbolic_pe.cli.proving.records import Judged

Undecided = Literal["skipped", "failure"]
COUNTED = ("tests", "failures", "errors", "skipped")
WHOLE = "specification"
"""The test case of a specification that has no claims."""
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_text(judged: Sequence[tuple[str, Judged]], undecided: Undecided) -> str:
    """The document, from labels and what was decided of them."""
    root = ET.Element("testsuites", {"name": "symbolic-pe prove"})
    for label, found in judged:
        root.append(_suite(_valid(label), found, undecided))
    for name in COUNTED:
        root.set(name, str(sum(int(suite.attrib[name]) for suite in root)))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(label: str, found: Judged, undecided: Undecided) -> ET.Element:
    suite = ET.Element("testsuite", {"name": label})
    if found.error:
        kind = "internal" if found.internal else "bad input"
        _mark(_case(suite, label, WHOLE), "error", kind, found.error, found.error)
    elif found.undecided:
        _undecided(_case(suite, label, WHOLE), found.undecided, found.undecided, undecided)
    for claim in found.claims:
        case = _case(suite, label, claim.name)
        if claim.verdict == "refuted":
            _mark(case, "failure", "refuted", claim.witness or claim.reason, _body(claim))
        elif claim.verdict == "undecided":
            _undecided(case, claim.reason, _body(claim), undecided)
    counts = {
        "tests": len(suite),
        "failures": len(suite.findall("testcase/failure")),
        "errors": len(suite.findall("testcase/error")),
        "skipped": len(suite.findall("testcase/skipped")),
    }
    for name in COUNTED:
        suite.set(name, str(counts[name]))
    return suite


def _case(suite: ET.Element, label: str, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", {"classname": label, "name": _valid(name)})


def _undecided(case: ET.Element, reason: str, body: str, told_as: Undecided) -> None:
    _mark(case, told_as, "undecided", reason, body)


def _mark(case: ET.Element, tag: str, kind: str, message: str, body: str) -> None:
    attributes = {"message": _valid(message)}
    if tag != "skipped":
        attributes["type"] = kind
    ET.SubElement(case, tag, attributes).text = _valid(body)


def _body(claim: ClaimRecord) -> str:
    parts = {"claim": claim.statement, "witness": claim.witness, "reason": claim.reason}
    return "\n".join(f"{name}: {text}" for name, text in parts.items() if text)


def _valid(text: str) -> str:
    """XML 1.0 has no control characters; they are written as \\xNN."""
    return _NOT_XML.sub(lambda found: f"\\x{ord(found.group()):02x}", text)


__all__ = ["Undecided", "junit_text"]
