"""Scripts for Gappa: for each block of a kernel, its operations, hypotheses and claim.

The bound of a kernel says ‖ŷ_B − y_B‖₂ ≤ ε·‖A_B(u)‖₂·‖x_B‖₂ + η for every |u| ≤ reach. On the box
|x_i| ≤ M of the n inputs of a block it follows for every entry i of the result that

    |ŷ_i − y_i| ≤ ε·sup‖A_B(u)‖₂·√n·M + η

and this is the claim of the script, with tables as close to the exact functions as the bound
assumes. Formats are unbounded above and have gradual underflow; the bound covers underflow to zero
as well, and says separately where nothing overflows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from numeric_check.kernels.kernel import Kernel
from numeric_check.rounding import upward
from numeric_check.rounding.blocks import FORMS, MAPS
from numeric_check.rounding.bound import COVERS_NO_MORE, KernelBound, rounding_bound
from numeric_check.rounding.gappa.trace import (
    Constant,
    Expression,
    Input,
    Opposite,
    Product,
    Quotient,
    Rounding,
    Sum,
    Table,
    Traced,
    Tracer,
)
from numeric_check.rounding.running import run_side
from numeric_check.text_proof.exact_element import LeavesTheRing
from symbolic_pe.emit.plan import BlockGroup, KernelPlan
from symbolic_pe.errors import NotYetCovered

FORMATS = {
    "float64": ("binary64", "float<ieee_64,ne>"),
    "float32": ("binary32", "float<ieee_32,ne>"),
    "float16": ("binary16", "float<11,-24,ne>"),
    "bfloat16": ("bfloat16", "float<8,-133,ne>"),
}
"""Names and definitions in Gappa: digits of the significand, exponent of the smallest number."""
CONTRACTIONS = ("none", "first", "second")
"""Which product of a sum may be fused with it: libraries do all of these."""
MAX_LINKS = 2


@dataclass(frozen=True)
class Script:
    """One block of one map in one dtype.

    side, group  the map, and the group of blocks of the plan
    claimed      what the bound of the kernel says of every entry on the box
    definitions  formats, numbers and operations
    hypotheses   sizes of inputs, distances of tables
    entries      names of the computed and of the exact entries
    """

    name: str
    dtype: str
    side: str
    group: int
    claimed: float
    definitions: tuple[str, ...]
    hypotheses: tuple[str, ...]
    entries: tuple[tuple[str, str], ...]

    def claim(self, bound: float) -> str:
        """The script that says |ŷ_i − y_i| ≤ bound for every entry."""
        goals = [f"|{r} - {exact}| <= {dyadic(bound)}" for r, exact in self.entries]
        return self._text(goals)

    def question(self) -> str:
        """The script that asks for the best bounds that are found."""
        return self._text([f"{r} - {exact} in ?" for r, exact in self.entries])

    def _text(self, goals: Sequence[str]) -> str:
        head = f"# {self.name}: written by symbolic-pe from the text of the kernel\n"
        body = "".join(f"{line}\n" for line in self.definitions)
        given = "\n  /\\ ".join(self.hypotheses)
        wanted = "\n  /\\ ".join(goals)
        return f"{head}{body}{{ {given}\n  -> {wanted} }}\n"


def scripts(
    kernel: Kernel,
    plan: KernelPlan,
    dtype: str,
    *,
    reach: float,
    box: float = 1.0,
    contraction: str = "none",
) -> tuple[Script, ...]:
    """The scripts of every block and map, for |position − reference| ≤ reach and |x_i| ≤ box.

    >>> from numeric_check.kernels.kernel import compile_kernel
    >>> from symbolic_pe.emit.plan import plan_kernel
    >>> from symbolic_pe.encodings.catalogue import catalogue
    >>> from symbolic_pe.production import emit
    >>> encoding = catalogue("rope", {"dim": 2})
    >>> kernel = compile_kernel(emit(encoding))
    >>> script, _ = scripts(kernel, plan_kernel(encoding), "bfloat16", reach=1024.0)
    >>> print(script.definitions[-4])
    y0 = bfloat16(binary32(binary32(x0 * binary32(t0)) - binary32(x1 * binary32(t1))));

    Raises `NotYetCovered` for kernels with a basis, with run-time parameters, with chains longer
    than two, and for operations that are not traced.
    """
    if plan.basis is not None or plan.parameters:
        raise NotYetCovered("scripts for Gappa are of kernels without a basis or parameters")
    bound = rounding_bound(kernel, plan, dtype, reach=reach)
    found: list[Script] = []
    for side in FORMS[MAPS]:
        model = Tracer(bound.reach)
        try:
            with np.errstate(all="ignore"):
                rows = run_side(kernel, plan, dtype, side, model)[:, : plan.dimension]
        except COVERS_NO_MORE as error:
            raise NotYetCovered(f"no script for Gappa: {error}") from None
        for place in _places(plan):
            found.append(_script(plan, bound, (side, *place), rows, (box, contraction)))
    return tuple(found)


def _places(plan: KernelPlan) -> list[tuple[int, int, int]]:
    """Group, head and block."""
    places = []
    for index, group in enumerate(plan.groups):
        if not isinstance(group, BlockGroup) or group.chain_length > MAX_LINKS:
            raise NotYetCovered(
                "scripts for Gappa are of rotations, decays and chains of length at most "
                f"{MAX_LINKS}"
            )
        places += [
            (index, head, b) for head in range(plan.heads) for b in range(len(group.slots[0]))
        ]
    return places


def _script(
    plan: KernelPlan,
    bound: KernelBound,
    place: tuple[str, int, int, int],
    rows: Any,
    how: tuple[float, str],
) -> Script:
    (side, index, head, b), (box, contraction) = place, how
    group = plan.groups[index]
    assert isinstance(group, BlockGroup)
    channels = [slot[b] for slot in group.slots]
    (own,) = (
        item
        for item in bound.blocks
        if (item.side, item.group, item.head, item.block) == (side, index, head, b)
    )
    writer = _Writer([head * plan.dimension + c for c in channels], contraction)
    for entry, channel in enumerate(channels):
        element = rows[head, channel]
        if not isinstance(element, Traced):
            raise LeavesTheRing("an output does not depend on the input")
        writer.entry(entry, element.expression)
    size = upward.times(_norm(group, head, b, bound.reach), math.sqrt(len(channels)) * box)
    claimed = upward.plus(
        upward.times(upward.value(own.relative, bound.reach), upward.up(size)), own.absolute
    )
    return Script(
        f"{plan.encoding.name}, {bound.dtype}, {side}, block {b} of group {index}, head {head}, "
        f"contraction {contraction}",
        bound.dtype,
        side,
        index,
        claimed,
        tuple(writer.definitions()),
        tuple(writer.hypotheses(box)),
        tuple((f"y{i}", f"Y{i}") for i in range(len(channels))),
    )


def _norm(group: BlockGroup, head: int, b: int, reach: float) -> float:
    """sup over |u| ≤ reach of ‖A_B(u)‖₂ = e^{au}·(|ηu| + √(η²u² + 4))/2, without η for one link."""

    def at(vector: Any) -> float:
        row = vector.rows[head if len(vector.rows) > 1 else 0]
        return abs(float(row[b if len(row) > 1 else 0].to_float()))

    grown = math.exp(at(group.rate) * reach)
    if group.chain_length == 1:
        return grown
    moved = at(group.shear) * reach
    return grown * (moved + math.sqrt(moved * moved + 4.0)) / 2.0


class _Writer:
    """The lines of a script, numbers named as they are met."""

    def __init__(self, inputs: Sequence[int], contraction: str) -> None:
        self.inputs = list(inputs)
        self.contraction = contraction
        self.tables: dict[int, Table] = {}
        self.formats: dict[str, None] = {}
        self.dtypes: dict[int, str] = {}
        self.lines: list[str] = []

    def entry(self, index: int, expression: Expression) -> None:
        """One computed entry and the exact one, of the same shape."""
        contracted = self._contracted(expression)
        self.lines.append(f"y{index} = {_bare(self.computed(contracted))};")
        self.lines.append(f"Y{index} = {_bare(self.exact(contracted))};")

    def definitions(self) -> list[str]:
        """Formats, then inputs and tables, then the entries."""
        for dtype in (*self.dtypes.values(), *(t.dtype for t in self.tables.values())):
            self._format(dtype)
        lines = [f"@{name} = {text};" for name, text in map(FORMATS.__getitem__, self.formats)]
        for index, dtype in sorted(self.dtypes.items()):
            lines.append(f"x{index} = {FORMATS[dtype][0]}(X{index});")
        for place, table in sorted(self.tables.items()):
            lines.append(f"t{place} = {FORMATS[table.dtype][0]}(T{place});")
        return lines + self.lines

    def hypotheses(self, box: float) -> list[str]:
        """|x_i| ≤ M, |C| ≤ size, |t − C| ≤ away, and |t| ≤ size + away."""
        lines = [f"|x{index}| <= {dyadic(box)}" for index in sorted(self.dtypes)]
        for place, table in sorted(self.tables.items()):
            whole = upward.plus(table.size, table.away)
            lines += [
                f"|C{place}| <= {dyadic(table.size)}",
                f"|t{place} - C{place}| <= {dyadic(table.away)}",
                f"|t{place}| <= {dyadic(whole)}",
            ]
        return lines

    def computed(self, expression: Expression) -> str:
        """What the text computes."""
        match expression:
            case Rounding(dtype, of):
                return f"{self._format(dtype)}({_bare(self.computed(of))})"
            case Table():
                return f"t{self._table(expression)}"
        return self._common(expression, self.computed)

    def exact(self, expression: Expression) -> str:
        """The same without roundings, tables exact."""
        match expression:
            case Rounding(_, of):
                return self.exact(of)
            case Table():
                return f"C{self._table(expression)}"
        return self._common(expression, self.exact)

    def _common(self, expression: Expression, write: Any) -> str:
        match expression:
            case Input(index, dtype):
                if index not in self.inputs:
                    raise LeavesTheRing("an output reads the input of another block")
                self.dtypes[self.inputs.index(index)] = dtype
                return f"x{self.inputs.index(index)}"
            case Constant(value):
                return str(value) if value.q == 1 and value >= 0 else f"({value})"
            case Sum(a, b, minus):
                return f"({write(a)} {'-' if minus else '+'} {write(b)})"
            case Product(a, b):
                return f"({write(a)} * {write(b)})"
            case Quotient(a, b):
                return f"({write(a)} / {write(b)})"
            case Opposite(of):
                return f"(-{write(of)})"
        raise AssertionError(expression)

    def _contracted(self, expression: Expression) -> Expression:
        """With the rounding of one product of every sum left out, as a fused operation does."""
        again = self._contracted
        match expression:
            case Rounding(dtype, of):
                return Rounding(dtype, again(of))
            case Sum(a, b, minus):
                a, b = again(a), again(b)
                first = _fused(a) if self.contraction == "first" else a
                second = _fused(b) if self.contraction == "second" else b
                return Sum(first, second, minus)
            case Product(a, b):
                return Product(again(a), again(b))
            case Quotient(a, b):
                return Quotient(again(a), b)
            case Opposite(of):
                return Opposite(again(of))
        return expression

    def _format(self, dtype: str) -> str:
        self.formats.setdefault(dtype)
        return FORMATS[dtype][0]

    def _table(self, table: Table) -> int:
        """Numbered in the order in which a block meets them."""
        for place, known in self.tables.items():
            if known.index == table.index:
                return place
        self.tables[len(self.tables)] = table
        return len(self.tables) - 1


def _fused(expression: Expression) -> Expression:
    """A product without its rounding; anything else as it is."""
    if isinstance(expression, Rounding) and isinstance(expression.of, Product):
        return expression.of
    return expression


def _bare(text: str) -> str:
    """Without the parentheses around all of it."""
    inside = text[1:-1]
    if not (text.startswith("(") and text.endswith(")")) or inside.startswith("-"):
        return text
    depth = 0
    for character in inside:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth < 0:
            return text
    return inside


def dyadic(x: float) -> str:
    """A float as m·2^e in Gappa's notation, exactly.

    >>> dyadic(0.75), dyadic(3.0), dyadic(2.0**-1074)
    ('3b-2', '3b0', '1b-1074')
    """
    q = Fraction(x)
    if not q:
        return "0"
    return f"{q.numerator}b{-(q.denominator.bit_length() - 1)}"


def file_name(script: Script) -> str:
    """A name of a file for a script."""
    return re.sub(r"[^a-z0-9]+", "-", script.name.lower()).strip("-") + ".g"


__all__ = ["CONTRACTIONS", "Script", "dyadic", "file_name", "scripts"]
