"""Certificates as files: `prove --certificates DIR`, and `refutation.json` of a refuted build."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from symbolic_pe.cli.files import write_files
from symbolic_pe.errors import NotYetCovered, Undecided
from symbolic_pe.proof.certificate import Json, canonical
from symbolic_pe.proof.certificate_of_positions import AnyProof, certificate_of

REFUTATION = "refutation.json"


def write_certificates(proofs: Sequence[AnyProof], directory: Path) -> str:
    """Write `NAME.certificate.json` for every proof, and say in a line each what it carries.

    Equal names get numbers. Raises `OutputError`.
    """
    files: dict[str, str] = {}
    lines = []
    seen: Counter[str] = Counter()
    for proof in proofs:
        name = proof.encoding.name
        seen[name] += 1
        stem = name if seen[name] == 1 else f"{name}-{seen[name]}"
        try:
            document = certificate_of(proof)
        except (NotYetCovered, Undecided) as error:
            lines.append(f"no certificate of {name}: {error}")
            continue
        files[f"{stem}.certificate.json"] = canonical(document) + "\n"
        lines.append(f"wrote {directory / f'{stem}.certificate.json'}: {carried(document)}")
    if files:
        write_files(directory, files)
    return "\n".join(lines)


def carried(document: Json) -> str:
    """What a certificate states, in words."""
    refuted = [item["claim"] for item in document["refutations"]]
    parts = [
        f"{word} {', '.join(names)}"
        for word, names in (
            ("proves", document["claims"]),
            ("refutes", refuted),
            ("leaves out", document["uncertified"]),
        )
        if names
    ]
    return "; ".join(parts)


def refutation_files(document: Json | None) -> dict[str, str]:
    """The file that a refuted build leaves, if its claim has a witness."""
    if document is None or not document["refutations"]:
        return {}
    return {REFUTATION: canonical(document) + "\n"}
