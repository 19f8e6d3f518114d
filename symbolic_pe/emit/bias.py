"""An additive bias as code: its closed form in the lag, and the coordinates that realise it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from symbolic_pe.emit.constants import Constants
from symbolic_pe.emit.layout import STEP, assignment
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.emit.rows import Rows
from symbolic_pe.emit.terms import TermFamily, bias_families, coordinate_families
from symbolic_pe.emit.trees import Node, power, product, total

_COEFFICIENTS = ("SLOPE", "COEFFICIENT")
SHORT_FORM = 60  # characters of a closed form that is returned without a name


@dataclass
class Bias:
    """Prints one bias; the constants it needs are collected in `constants`."""

    plan: KernelPlan
    constants: Constants

    def __post_init__(self) -> None:
        self.families = bias_families(self.plan.augmentations)
        self.coordinates = coordinate_families(self.plan.augmentations)
        for family in self.families:  # constants are named by the closed form
            self._factors(family)

    # -- constants ----------------------------------------------------------------------------

    def _factors(self, family: TermFamily) -> tuple[Node, Node, Node]:
        rate = self._vector("BIAS_RATE", family.rate)
        frequency = self._vector("BIAS_FREQUENCY", family.frequency)
        linear = family.power == 1 and _is_zero(family.rate) and not family.wave
        name = "SLOPE" if linear else "COEFFICIENT"
        return self._vector(name, family.coefficient), rate, frequency

    def _vector(self, name: str, rows: Rows) -> Node:
        related = _COEFFICIENTS if name in _COEFFICIENTS else (name,)
        schedules = [s for s in self.plan.encoding.schedules if s.name == name.lower()]
        return self.constants.multiple(name, rows, related, schedules).node

    # -- expressions --------------------------------------------------------------------------

    def _term(self, family: TermFamily, variable: Node) -> Node:
        """c·x^n·e^{ax}·cos(bx)."""
        coefficient, rate, frequency = self._factors(family)
        factors = [coefficient]
        if family.power:
            factors.append(power(variable, ast.Constant(family.power)))
        if not _is_zero(family.rate):
            factors.append(ast.Call(ast.Name("exp"), [product([rate, variable])], []))
        if family.wave:
            factors.append(ast.Call(ast.Name(family.wave), [product([frequency, variable])], []))
        if len(factors) == 1:
            factors.append(ast.Call(ast.Name("ones_like"), [variable], []))
        return product(factors)

    def closed_form(self) -> tuple[list[str], str]:
        """Statements, and the bias as an expression in `lag`, of shape (..., queries, keys)."""
        lag = ast.Name("lag")
        alone = [self._term(f, lag) for f in self.families if _members(f) == 1]
        many = [f for f in self.families if _members(f) > 1]
        printer = self.constants.printer("lag")
        if not self.families:
            return [], f"{self.constants.dialect.array}.zeros_like(lag)"
        lines: list[str] = []
        if alone:
            text = printer.text(total(alone))
            if not many and len(text) <= SHORT_FORM:
                return [], text
            lines.extend(assignment("value", total(alone), printer))
        over_heads = {
            name: f"{self.constants.dialect.use(name, 'lag')}[:, None]"
            for name, (heads, _) in self.constants.arrays.items()
            if heads
        }
        inner = self.constants.printer("lag", {**over_heads, "LAG": "lag[..., None]"})
        for number, family in enumerate(many):
            lines.extend(assignment("terms", self._term(family, ast.Name("LAG")), inner))
            known = "value + " if alone or number else ""
            lines.append(f"{STEP}value = {known}terms.sum(-1)")
        return lines, "value"

    def columns(self, side: str) -> list[str]:
        """Added coordinates as texts in u, of shape (..., n, 1) or (..., n, members)."""
        nodes = [self._column(getattr(c, side)) for c in self.coordinates]
        printer = self.constants.printer("u")  # after every constant is known
        texts: list[str] = []
        for coordinates, node in zip(self.coordinates, nodes, strict=True):
            arrays = [self.constants.arrays.get(n, (False, False)) for n in names_of(node)]
            together = any(over_members for _, over_members in arrays)
            texts.extend([printer.text(node)] * (1 if together else coordinates.members))
        return texts

    def _column(self, families: Sequence[TermFamily]) -> Node:
        u = ast.Name("u")
        if not families:
            return ast.Call(ast.Name("zeros_like"), [u], [])
        return total([self._term(f, u) for f in families])

    # -- inside a score function --------------------------------------------------------------

    def score_terms(self) -> tuple[list[str], list[str]]:
        """Constants in use, and statements for `value` from the numbers `lag` and `head`."""
        used: dict[str, str] = {}
        for name, (over_heads, over_members) in self.constants.arrays.items():
            index = (["head"] if over_heads else []) + (["i"] if over_members else [])
            used[name] = f"{name.lower()}[{', '.join(index)}]"
        printer = self.constants.printer("lag", used)
        lag, inside = ast.Name("lag"), STEP * 2
        alone = [self._term(f, lag) for f in self.families if _members(f) == 1]
        start = total(alone) if alone else product([ast.Constant(0.0), lag])
        lines = assignment("value", start, printer, inside)
        needed = {name for node in alone for name in names_of(node)}
        for family in (f for f in self.families if _members(f) > 1):
            node = self._term(family, lag)
            needed |= names_of(node)
            lines.append(f"{inside}for i in range({_members(family)}):")
            lines.extend(assignment("term", node, printer, inside + STEP))
            lines.append(f"{inside}{STEP}value = value + term")
        return [n for n in self.constants.arrays if n in needed], lines

    def shape_in_score(self, name: str) -> str:
        """The selection that makes a constant (HEADS,), (members,) or (HEADS, members)."""
        over_heads, over_members = self.constants.arrays[name]
        if over_heads:
            return "[:, 0]" if over_members else "[:, 0, 0]"
        return ""


def names_of(node: Node) -> set[str]:
    """Names that occur in an expression."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _is_zero(rows: Rows) -> bool:
    return all(x.is_zero() for row in rows for x in row)


def _members(family: TermFamily) -> int:
    return len(family.coefficient[0])
