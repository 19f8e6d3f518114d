"""The certificate of a refuted build, `refutation.json`."""

from __future__ import annotations

from symbolic_pe.proof.certificate import Json, canonical

REFUTATION = "refutation.json"


def refutation_files(document: Json | None) -> dict[str, str]:
    """The file that a refuted build leaves, if its claim has a witness."""
    if document is None or not document["refutations"]:
        return {}
    return {REFUTATION: canonical(document) + "\n"}
