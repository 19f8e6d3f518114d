"""What a refuted build leaves: the certificate that carries the witnesses."""

from __future__ import annotations

from symbolic_pe.proof.certificate import Json, canonical

REFUTATION = "refutation.json"


def refutation_files(document: Json | None) -> dict[str, str]:
    """The file of a refuted build, if its claim has a witness."""
    if document is None or not document["refutations"]:
        return {}
    return {REFUTATION: canonical(document) + "\n"}
