"""One Rocq file: a header that says what is in it, imports, modules."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

KEYWORDS = frozenset(
    {"as", "at", "by", "cofix", "else", "end", "exists", "exists2", "fix", "for", "forall", "fun"}
    | {"if", "in", "let", "match", "return", "then", "using", "where", "with"}
)
IMPORTS = """From Coq Require Import Reals ZArith List Lia Lra.
From SymbolicPE Require Import Matrices Flow Laws Chains DirectSums Bounds Augmentation Gauge.
From SymbolicPE Require Import Axes Fundamental Expressions NormalForms Checker Similarity
  Steps.
Import ListNotations.
Open Scope R_scope.
Set Bullet Behavior "Strict Subproofs"."""


@dataclass(frozen=True)
class RocqFile:
    """A file, the claims that it proves, and those that it does not with the reason."""

    name: str
    text: str
    exported: tuple[str, ...]
    omitted: tuple[tuple[str, str], ...]


def document(
    names: tuple[str, str],
    command: str,
    facts: Mapping[str, str],
    modules: Sequence[str],
    claims: tuple[Sequence[str], Collection[tuple[str, str]]],
) -> RocqFile:
    """The file of an encoding.

    names   its name and its title
    claims  those that the modules state, and the others with the reason
    """
    (name, title), (stated, omitted) = names, claims
    lines = [f"Written by symbolic-pe: {title or name}.", f"reproduce:   {command}"]
    lines += [f"{f'{fact}:':12} {text}" for fact, text in facts.items()]
    lines.append(f"proved here: {', '.join(stated)}")
    lines += [f"not here:    {claim}: {reason}" for claim, reason in sorted(omitted)]
    header = "(* " + "\n   ".join(_comment(line) for line in lines) + " *)"
    text = "\n\n".join([header, IMPORTS, *modules]) + "\n"
    return RocqFile(file_stem(name), text, tuple(stated), tuple(sorted(omitted)))


def parameter_facts(parameters: Mapping[str, str]) -> dict[str, str]:
    """What the header says of parameters."""
    if not parameters:
        return {}
    declared = ", ".join(f"{n} {a}" for n, a in sorted(parameters.items()))
    return {"parameters": f"{declared}; the theorems hold for all real values"}


def file_stem(name: str) -> str:
    """A name as a Rocq module.

    >>> file_stem("jordan-rope"), file_stem("match")
    ('jordan_rope', 'match_')
    """
    stem = re.sub(r"[^a-z0-9]", "_", name)
    return f"{stem}_" if stem in KEYWORDS else stem


def _comment(text: str) -> str:
    """A text that cannot end, begin or quote within a comment."""
    return text.replace("(*", "( *").replace("*)", "* )").replace('"', "'")
