"""The published schema is that of the checker's table, and accepts what the checker accepts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from symbolic_pe.proof.certificate_schema import certificate_schema
from symbolic_pe.proof.checker import check_certificate, form
from symbolic_pe.proof.checker.numbers import ASSUMPTIONS
from tests.proof.certificate_mutants import mutants
from tests.proof.specimens import document_of, names

jsonschema = pytest.importorskip("jsonschema")
ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "schemas" / "certificate.json"


def test_the_published_schema_is_current(request: pytest.FixtureRequest) -> None:
    text = json.dumps(certificate_schema(), indent=2) + "\n"
    if request.config.getoption("--update-golden"):
        PAGE.write_text(text)
    assert PAGE.read_text() == text


def test_the_page_has_the_table_of_the_checker() -> None:
    page = (ROOT / "docs" / "reference" / "certificate.md").read_text()
    assert f"```text{form.LINES}```" in page
    for word in (
        *form.CLAIMS,
        *(claim for claims in form.CLAIMS.values() for claim in claims),
        *form.TABLE,
        *ASSUMPTIONS,
    ):
        assert word in page


def test_the_schema_accepts_every_golden_certificate() -> None:
    validator = jsonschema.Draft202012Validator(certificate_schema())
    validator.check_schema(certificate_schema())
    for name in names():
        validator.validate(document_of(name))


@pytest.mark.parametrize("name", ["rope", "alibi-misquoted", "axial", "mixed-step"])
def test_what_the_schema_refuses_is_malformed(name: str) -> None:
    """And it refuses most of what is malformed."""
    validator = jsonschema.Draft202012Validator(certificate_schema())
    refused = malformed = 0
    for mutant in list(mutants(document_of(name)))[::29]:
        result = check_certificate(mutant.document)
        malformed += result.claims == () and not result.accepted
        if not validator.is_valid(mutant.document):
            refused += 1
            assert result.claims == (), mutant.place
    assert refused > malformed // 2
