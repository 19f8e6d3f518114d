"""Emitted source text: the header that makes it reproducible, the body that is proved.

The first lines are comments; the body begins at the first line that is none. The digest of the
body stands in the header, so that the header can name the certificate that names the body.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from symbolic_pe.emit.names import file_name, one_line
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.emit.targets import target_named
from symbolic_pe.errors import KernelError

_TITLE = "# Written by symbolic-pe: "
_FIELD = re.compile(r"# (reproduce|target|spec|certificate|body): +(.*)")
_NAMED = re.compile(r"# [A-Za-z][A-Za-z0-9 _-]*:")
FIELDS = ("reproduce", "target", "spec", "certificate", "body")


@dataclass(frozen=True)
class Header:
    """What the header of an emitted file says."""

    title: str
    reproduce: str
    target: str
    specification: Mapping[str, object]
    certificate: str
    body_digest: str

    @property
    def text(self) -> str:
        """The header as comment lines."""
        specification = _one_line_json(self.specification)
        return (
            f"{_TITLE}{self.title}.\n"
            f"# reproduce:   {self.reproduce}\n"
            f"# target:      {self.target}\n"
            f"# spec:        {specification}\n"
            f"# certificate: {self.certificate}\n"
            f"# body:        {self.body_digest}\n"
        )


@dataclass(frozen=True)
class EmittedKernel:
    """One emitted file."""

    target: str
    filename: str
    text: str
    body_digest: str

    @property
    def body(self) -> str:
        """The text below the header."""
        return split_source(self.text)[1]


def emit(plan: KernelPlan, target: str, *, command: str, certificate_digest: str) -> EmittedKernel:
    """Print a plan for a target, with the header that reproduces it.

    `command` is what writes the file again, `certificate_digest` ("sha256:…") names the
    certificate. Equal arguments give equal bytes. Raises `SpecificationError` for an unknown
    target, `NotYetCovered` for a plan that the target cannot print.
    """
    body = target_named(target).emit_body(plan)
    return with_header(plan.encoding, body, target, command, certificate_digest)


class Described(Protocol):
    """What a header says of an encoding, whatever its form."""

    @property
    def name(self) -> str:
        """Identifier."""
        ...

    @property
    def title(self) -> str:
        """A few words."""
        ...

    @property
    def specification(self) -> Mapping[str, object]:
        """What it is rebuilt from."""
        ...


def with_header(
    encoding: Described, body: str, target: str, command: str, certificate: str
) -> EmittedKernel:
    """A file: the header that reproduces it, then the body."""
    header = Header(
        one_line(encoding.title or encoding.name).rstrip("."),
        one_line(command),
        target,
        encoding.specification,
        one_line(certificate),
        digest_of_body(body),
    )
    return EmittedKernel(
        target, file_name(encoding.name, target), header.text + body, header.body_digest
    )


def with_header_lines(kernel: EmittedKernel, lines: Sequence[str]) -> EmittedKernel:
    r"""The same file with further comment lines at the end of its header; the body stays.

    >>> kernel = EmittedKernel("numpy", "a.py", "# body: x\nimport numpy\n", "x")
    >>> with_header_lines(kernel, ["# error: 0"]).text
    '# body: x\n# error: 0\nimport numpy\n'

    Raises `ValueError` for a line that is no comment.
    """
    wrong = [line for line in lines if not line.startswith("# ") or "\n" in line]
    if wrong:
        raise ValueError(f"expected comment lines, got {wrong[0]!r}")
    header, body = split_source(kernel.text)
    return replace(kernel, text=header + "".join(f"{line}\n" for line in lines) + body)


def _one_line_json(value: object) -> str:
    """Canonical JSON; what could end a line is escaped."""
    text = json.dumps(value, sort_keys=True, separators=(", ", ": "), ensure_ascii=False)
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def digest_of_body(body: str) -> str:
    """`"sha256:"` + SHA-256 of the text below the header, as UTF-8.

    >>> digest_of_body("")[:14]
    'sha256:e3b0c44'
    """
    return "sha256:" + hashlib.sha256(body.encode("utf-8")).hexdigest()


def split_source(text: str) -> tuple[str, str]:
    r"""Header and body; the header ends with the first line that is not a comment.

    >>> split_source("# a\n# b\nimport c\n# d\n")
    ('# a\n# b\n', 'import c\n# d\n')
    """
    start = 0
    while text.startswith("#", start):
        end = text.find("\n", start)
        start = len(text) if end < 0 else end + 1
    return text[:start], text[start:]


def read_header(text: str) -> Header:
    """The header of an emitted file.

    Raises `KernelError` when the text has none. It says what is written there; whether it is true
    is for `body_is_intact` and the certificate.
    """
    lines = split_source(text)[0].removesuffix("\n").split("\n")
    if not lines[0].startswith(_TITLE):
        raise KernelError(
            f"expected an emitted file, whose first line begins with {_TITLE!r}, "
            f"got {(lines[0] or text)[:60]!r}"
        )
    fields = [line[2:].partition(":")[0] for line in lines[1:] if _NAMED.match(line)]
    twice = sorted(name for name in set(fields) if fields.count(name) > 1)
    if twice:
        raise KernelError(f"the header has more than one line {', '.join(twice)}")
    found = {m[1]: m[2] for line in lines[1:] if (m := _FIELD.fullmatch(line))}
    missing = [name for name in FIELDS if name not in found]
    if missing:
        raise KernelError(f"the header lacks {', '.join(missing)}; emit the file again")
    try:
        specification = json.loads(found["spec"])
    except ValueError as error:
        raise KernelError(f"the spec in the header is not JSON: {error}") from None
    if not isinstance(specification, dict):
        raise KernelError("the spec in the header is not a JSON object")
    return Header(
        lines[0].removeprefix(_TITLE).removesuffix("."),
        found["reproduce"],
        found["target"],
        specification,
        found["certificate"],
        found["body"],
    )


def body_is_intact(text: str) -> bool:
    """True when the body has the digest that the header states."""
    return digest_of_body(split_source(text)[1]) == read_header(text).body_digest


__all__ = [
    "EmittedKernel",
    "Header",
    "body_is_intact",
    "digest_of_body",
    "emit",
    "read_header",
    "split_source",
    "with_header",
    "with_header_lines",
]
