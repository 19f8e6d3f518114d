"""The closed form exp(tX) = P·(⊕ block exponentials)·P⁻¹, for every case of the parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.matrix import FunctionMatrix, act, act_right
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.generators.block import Block
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from symbolic_pe.jordan.form import ComponentForm, JordanCase


def assemble(blocks: Sequence[FunctionMatrix]) -> FunctionMatrix:
    """⊕ of square matrices of functions of one variable."""
    n = sum(len(block) for block in blocks)
    zero = ExponentialPolynomial(blocks[0][0][0].variables, {})
    rows = [[zero] * n for _ in range(n)]
    start = 0
    for block in blocks:
        for i, row in enumerate(block):
            rows[start + i][start : start + len(row)] = row
        start += len(block)
    return tuple(tuple(row) for row in rows)


@dataclass(frozen=True)
class ComponentExponential:
    """exp(tX) on the coordinates of one component, kept factored."""

    form: ComponentForm

    @property
    def coordinates(self) -> tuple[int, ...]:
        """Channels of the component."""
        return self.form.coordinates

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Real Jordan blocks, in the order of the basis columns."""
        return self.form.blocks

    @cached_property
    def jordan(self) -> FunctionMatrix:
        """exp(tJ) = ⊕ exp(t·block)."""
        return assemble([block.exponential() for block in self.form.blocks])

    @cached_property
    def matrix(self) -> FunctionMatrix:
        """P·exp(tJ)·P⁻¹, every entry an exponential polynomial."""
        return act_right(act(self.form.basis, self.jordan), self.form.inverse_basis)


@dataclass(frozen=True)
class CaseExponential:
    """exp(tX) on one cell of the parameters."""

    case: JordanCase
    components: tuple[ComponentExponential, ...]

    def matrix(self) -> FunctionMatrix:
        """exp(tX) as a d × d matrix of exponential polynomials."""
        n = sum(len(c.coordinates) for c in self.components)
        zero = ExponentialPolynomial(("t",), {})
        rows = [[zero] * n for _ in range(n)]
        for component in self.components:
            for i, row in zip(component.coordinates, component.matrix, strict=True):
                for j, entry in zip(component.coordinates, row, strict=True):
                    rows[i][j] = entry
        return tuple(tuple(row) for row in rows)


@dataclass(frozen=True)
class ClosedForm:
    """exp(tX) for every case; one case when there are no parameters."""

    generator: Generator
    cases: tuple[CaseExponential, ...]

    def matrix(self) -> FunctionMatrix:
        """exp(tX) when there is one case."""
        if len(self.cases) != 1:
            raise ValueError(f"there are {len(self.cases)} cases; take cases[i].matrix()")
        return self.cases[0].matrix()


def exponential(generator: Generator) -> ClosedForm:
    """The closed form of exp(tX).

    >>> from symbolic_pe.algebra.matrix import apply
    >>> rotation = Generator.from_matrix([["0", "-2"], ["2", "0"]])
    >>> apply(str, exponential(rotation).matrix())
    (('cos(2*t)', '-sin(2*t)'), ('sin(2*t)', 'cos(2*t)'))

    X·P = P·J is verified before it is returned. Raises `NotYetCovered` for eigenvalues of degree 3
    or more.
    """
    cases = []
    for case in real_jordan_form(generator).cases:
        if case.components is None:
            raise NotYetCovered(
                "the closed form for eigenvalues of degree 3 or more; classify gives the exact "
                "structure"
            )
        cases.append(CaseExponential(case, tuple(ComponentExponential(f) for f in case.components)))
    return ClosedForm(generator, tuple(cases))
