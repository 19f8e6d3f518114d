"""The closed form of exp(tX) on one case, for people: entry by entry where that is short."""

from __future__ import annotations

from symbolic_pe.algebra.matrix import is_rational, to_fmpq
from symbolic_pe.classification import Classification, ClassifiedCase
from symbolic_pe.exponential.closed_form import CaseExponential, ComponentExponential
from symbolic_pe.exponential.parametric import parametric_exponential
from symbolic_pe.exponential.primary import primary_exponential
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.form import JordanCase
from symbolic_pe.jordan.rational_entries import with_rational_entries

LARGEST_WRITTEN_OUT = 6
"""Channels of a case that is printed entry by entry; zeros are left out."""
LARGEST_PRIMARY = 16
LARGEST_UNIFORM = 12


def closed_form_text(found: Classification, case: ClassifiedCase) -> str:
    """exp(tX) on a case, with t for the lag."""
    generator = found.encoding.full_generator(case.heads[0])
    source = case.source
    if source.components is None:
        return _without_basis(generator, source)
    exponential = CaseExponential(
        source, tuple(ComponentExponential(form) for form in source.components)
    )
    if generator.dimension <= LARGEST_WRITTEN_OUT:
        return "\n".join(
            f"A[{i},{j}] = {entry}"
            for i, row in enumerate(exponential.matrix())
            for j, entry in enumerate(row)
            if not entry.is_zero_form()
        )
    kinds = dict.fromkeys(
        f"{block.chain_length}-chain at {block.rate}"
        + ("" if not block.is_pair else f" + ({block.frequency})*I")
        for form in source.components
        for block in form.blocks
    )
    return "A(t) = P (block exponentials) P^-1, blocks: " + ", ".join(kinds)


def uniform_closed_form(found: Classification) -> str | None:
    """One formula for all parameters, smooth where cases meet; None where there is one case."""
    generator = with_rational_entries(found.encoding.full_generator())
    parametric = any(x.parameters() for row in generator.matrix for x in row)
    if not parametric or len(found.cases) < 2 or generator.dimension > LARGEST_UNIFORM:
        return None
    return str(parametric_exponential(generator.matrix))


def _without_basis(generator: Generator, case: JordanCase) -> str:
    generator = with_rational_entries(generator)
    if generator.dimension > LARGEST_PRIMARY:
        return "A(t) as a sum over the irreducible factors of the minimal polynomial"
    if is_rational(generator.matrix):
        return str(primary_exponential(to_fmpq(generator.matrix)))
    return str(parametric_exponential(generator.matrix, None if case.undecided else case.cell))
