"""Reports that this version does not decide: it says so, quickly and with the reason.

Strict: a matrix that is answered has to be taken out of the list (and into another module, with
its right value).
"""

from __future__ import annotations

import re

import pytest

from symbolic_pe import from_document, prove
from symbolic_pe.errors import NotYetCovered, SpecificationError, Undecided
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from symbolic_pe.proof.claim import Outcome

Rows = list[list[str]]
UNDECIDED: dict[str, tuple[Rows, dict[str, str], str]] = {
    "sympy#17213": (
        [["l" if j == i else "1" if j == i + 1 else "0" for j in range(30)] for i in range(30)],
        {"l": "real"},
        "dimension 30",
    ),
}


@pytest.mark.parametrize("name", UNDECIDED)
def test_undecided_with_the_reason(name: str) -> None:
    rows, parameters, reason = UNDECIDED[name]
    try:
        real_jordan_form(Generator.from_matrix(rows, parameters))
    except (NotYetCovered, Undecided) as error:
        assert re.search(reason, str(error))
    else:
        pytest.fail(f"{name} is answered now: take it out and test its value")


@pytest.mark.parametrize("name", UNDECIDED)
def test_no_claim_about_it_is_refuted(name: str) -> None:
    """Laws that need no case tree may be proved all the same."""
    rows, parameters, _ = UNDECIDED[name]
    proof = prove(from_document({"matrix": rows, "parameters": parameters}))
    assert proof.outcome is not Outcome.REFUTED


@pytest.mark.parametrize("entry", ["I", "nan", "inf", "1e999999999", "oo"])
def test_what_is_no_real_number_is_refused_as_input(entry: str) -> None:
    """pytorch#82282 for not-a-number; a name that is no parameter is refused like any other."""
    with pytest.raises(SpecificationError, match="row 1, column 2"):
        Generator.from_matrix([["0", entry], ["0", "0"]])
