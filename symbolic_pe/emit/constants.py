"""The constants of an emitted module, collected while its code is printed."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.emit.dialect import Dialect, Operand
from symbolic_pe.emit.expressions import from_formula, from_scalar
from symbolic_pe.emit.layout import STEP, assignment, call_on_list, fits, table
from symbolic_pe.emit.plan import Vector, reproduces
from symbolic_pe.emit.printer import Printer
from symbolic_pe.emit.rows import (
    Rows,
    affine,
    collapsed,
    common_factor,
    evaluates_to,
    has_parameters,
    needs_float_indices,
    negative,
    ratio,
    single,
)
from symbolic_pe.emit.trees import Node, UnsupportedExpression, names_in, negate, number, product
from symbolic_pe.emit.turns import BITS_OF_A_TURN, fixed_point
from symbolic_pe.encodings.encoding import Schedule
from symbolic_pe.errors import NotYetCovered

SHORT = 8  # characters of a number that may stand in the code itself


@dataclass
class Constants:
    """Names and definitions, in order.

    Arrays over members have shape (m,), over heads (HEADS, 1, m), so that they broadcast against
    elapsed time of shape (..., n, 1). Values that agree become one number.
    """

    dialect: Dialect
    heads: int
    arguments: Mapping[str, str]
    definitions: list[str] = field(default_factory=list)
    arrays: dict[str, tuple[bool, bool]] = field(default_factory=dict)  # over heads, members
    _known: dict[str, tuple[str, Rows]] = field(default_factory=dict)
    _channels: dict[tuple[tuple[int, ...], ...], str] = field(default_factory=dict)

    def printer(self, like: str = "u", names: Mapping[str, str] | None = None) -> Printer:
        """Printer for code inside a function, next to the array `like`."""
        used = {name: self.dialect.use(name, like) for name in self.arrays}
        return Printer(self.dialect.array, self.dialect.scalar, {**used, **(names or {})})

    # -- vectors ------------------------------------------------------------------------------

    def vector(self, name: str, vector: Vector, *, negated: bool = False) -> Operand:
        """A vector of the plan as an expression; `name` is defined when a constant is needed."""
        values = negative(vector.rows) if negated else vector.rows
        rows = collapsed(values)
        formula = self._formula(vector, values, negated)
        if has_parameters(rows):
            return self._expression(name, rows, formula)
        if single(rows) in (ZERO, ONE, -ONE):
            return Operand(number(rows[0][0]))
        for known, (base, other) in self._known.items():
            if base == name and other == rows:
                return Operand(ast.Name(known))
        return Operand(ast.Name(self._define(name, rows, formula, len(values[0]))))

    def multiple(
        self,
        name: str,
        rows: Rows,
        related: Sequence[str],
        schedules: Sequence[Schedule] = (),
    ) -> Operand:
        """As `vector`, preferring a number, or a multiple of a constant named as in `related`."""
        small = collapsed(rows)
        if has_parameters(small):
            return Operand(self._inline(name, small, related))
        if all(x.is_zero() for row in small for x in row):
            return Operand(number(ZERO))
        value = single(small)
        if value is not None and len(ast.unparse(number(value))) <= SHORT:
            return Operand(number(value))
        for known, (base, other) in self._known.items():
            factor = ratio(small, other) if base in related else None
            if factor is not None:
                return Operand(product([number(factor), ast.Name(known)]))
        leader = next(x for row in small for x in row if not x.is_zero())
        below = leader.sign() < 0
        positive = negative(rows) if below else rows
        schedule = next((s for s in schedules if reproduces(s, positive)), None)
        node = self.vector(name, Vector(positive, schedule)).node
        return Operand(negate(node) if below else node)

    def _define(self, name: str, rows: Rows, formula: Node | None, members: int) -> str:
        name, base = self._unused(name), name
        line = None if formula is None else self._by_formula(name, rows, formula, members)
        self.definitions.append(line or self._by_numbers(name, rows))
        self._known[name] = base, rows
        if single(rows) is None:
            self.arrays[name] = len(rows) > 1, len(rows[0]) > 1
        return name

    def _by_numbers(self, name: str, rows: Rows) -> str:
        texts = [[repr(x.to_float()) for x in row] for row in rows]
        head, tail = self.dialect.table
        if single(rows) is not None:
            return f"{name} = {texts[0][0]}"
        if len(rows) == 1:
            return table(name, head, texts, tail)
        if len(rows[0]) == 1:
            return table(name, head, [[row[0] for row in texts]], f"{tail}[:, None, None]")
        return table(name, head, texts, f"{tail}[:, None, :]")

    # -- formulas -----------------------------------------------------------------------------

    def _formula(self, vector: Vector, values: Rows, negated: bool) -> Node | None:
        """The schedule formula, when binary64 arithmetic evaluates it well."""
        if vector.schedule is None:
            return None
        schedule = vector.schedule
        try:
            node = from_formula(schedule.formula, schedule.constants, self.arguments)
        except UnsupportedExpression:
            return None
        node = negate(node) if negated else node
        return node if evaluates_to(node, values, self.arguments) else None

    def _by_formula(self, name: str, rows: Rows, formula: Node, members: int) -> str | None:
        """`name = formula`, when it is an array of the right kind and fits a line."""
        if single(rows) is not None and names_in(formula):
            return None
        if self.dialect.listed:
            return self._by_list(name, formula, members)
        for inline in (True, False) if self.dialect.inline else (False,):
            kept = list(self.definitions)
            indices = self._indices(formula, members, inline)
            line = f"{name} = {self._module_printer(indices).text(formula)}"
            if fits(line):
                return line
            self.definitions = kept
        return None

    def _by_list(self, name: str, formula: Node, members: int) -> str | None:
        """`name = [formula for j in range(members)]`, when it depends on j alone."""
        if not names_in(formula) <= {"j"}:
            return None
        numbers = Printer(self.dialect.scalar, self.dialect.scalar)
        line = f"{name} = [{numbers.text(formula)} for j in range({members})]"
        return line if fits(line) else None

    def _module_printer(self, names: Mapping[str, str]) -> Printer:
        return Printer(self.dialect.array, self.dialect.scalar, names)

    def _indices(self, formula: Node, members: int, inline: bool) -> dict[str, str]:
        """Text for the indices j (over members) and h (over heads) of a formula."""
        floating = not inline or needs_float_indices(formula)
        texts = {
            "j": self.dialect.index(members, floating),
            "h": self.dialect.index(self.heads, floating) + "[:, None, None]",
        }
        used = names_in(formula)
        if inline:
            return {index: text for index, text in texts.items() if index in used}
        names = {"j": "INDEX", "h": "HEAD"}
        return {i: self._index_name(names[i], text) for i, text in texts.items() if i in used}

    def _index_name(self, name: str, text: str) -> str:
        for line in self.definitions:
            known, _, value = line.partition(" = ")
            if value == text:
                return known
        name = self._unused(name)
        self.definitions.append(f"{name} = {text}")
        return name

    def _unused(self, name: str) -> str:
        taken = {line.removeprefix("# fmt: off\n").split(" = ")[0] for line in self.definitions}
        candidates = (name if n == 1 else f"{name}_{n}" for n in range(1, len(taken) + 2))
        return next(c for c in candidates if c not in taken)

    # -- parameters ---------------------------------------------------------------------------

    def _expression(self, name: str, rows: Rows, formula: Node | None) -> Operand:
        """An expression in the arguments; values that differ become a constant factor."""
        local = name.lower()
        value = single(rows)
        if value is not None:
            return self._local(local, from_scalar(value, self.arguments))
        if formula is not None and not names_in(formula) & {"h"}:
            names = self._indices(formula, len(rows[0]), self.dialect.inline)
            shown = {j: self.dialect.use(text, "u") for j, text in names.items()}
            return self._local(local, formula, names if self.dialect.inline else shown)
        common = common_factor(rows)
        if common is not None:
            factor, ratios = common
            constant = self.vector(name, Vector(ratios)).node
            return self._local(local, product([from_scalar(factor, self.arguments), constant]))
        return Operand(ast.Name(local), self._stack(local, rows))

    def _inline(self, name: str, rows: Rows, related: Sequence[str]) -> Node:
        """An expression in the arguments that needs no statement."""
        value = single(rows)
        if value is not None:
            return from_scalar(value, self.arguments)
        common = common_factor(rows)
        if common is None:
            raise NotYetCovered(
                f"code for parametric values that are no multiples of each other ({name.lower()})"
            )
        factor, ratios = common
        known = self.multiple(name, ratios, related).node
        return product([from_scalar(factor, self.arguments), known])

    def _local(self, name: str, node: Node, names: Mapping[str, str] | None = None) -> Operand:
        if isinstance(node, ast.Name) or isinstance(negate(node), ast.Name):
            return Operand(node)
        printer = self.printer(names=names)
        return Operand(ast.Name(name), tuple(assignment(name, node, printer)))

    def _stack(self, name: str, rows: Rows) -> tuple[str, ...]:
        printer = self.printer()
        items = []
        for x in (x for row in rows for x in row):
            text = printer.text(from_scalar(x, self.arguments))
            items.append(text if x.parameters() else self.dialect.number(text))
        lines = [call_on_list(f"{name} = {self.dialect.array}.stack", items, STEP)]
        if len(rows) > 1:
            lines.append(f"{STEP}{name} = {name}.reshape({len(rows)}, 1, {len(rows[0])})")
        return tuple(lines)

    # -- channels and matrices ------------------------------------------------------------------

    def channels(self, name: str, rows: Sequence[Sequence[int]]) -> str:
        """A constant array of channels, as a formula where they are regular."""
        key = tuple(tuple(row) for row in rows)
        if key in self._channels:
            return self._channels[key]
        name = self._channels[key] = self._unused(name)
        line = self._regular_channels(name, rows)
        if line is None:
            head, tail = self.dialect.channels
            line = table(name, head, [[str(c) for c in row] for row in rows], tail)
        self.definitions.append(line)
        self.arrays[name] = False, False
        return name

    def _regular_channels(self, name: str, rows: Sequence[Sequence[int]]) -> str | None:
        def index(count: int) -> str:
            return self.dialect.index(count, False)

        text = affine(rows, f"{index(len(rows))}[:, None]", index(len(rows[0])))
        if text is None or fits(f"{name} = {text}"):
            return text and f"{name} = {text}"
        link = self._index_name("LINK", f"{index(len(rows))}[:, None]")
        block = self._index_name("BLOCK", index(len(rows[0])))
        return f"{name} = {affine(rows, link, block)}"

    def turns(self, name: str, frequency: Vector) -> str:
        """−ω of a vector in units of 2⁻⁶⁴ turns, and `TURN`, that unit in radians.

        Raises `NotYetCovered` for frequencies with parameters, `SpecificationError` for |ω| ≥ π.
        """
        rows = frequency.rows
        if has_parameters(rows):
            raise NotYetCovered("angles as fixed-point turns of frequencies that are parameters")
        unit = f"TURN = 2 * {self.dialect.scalar}.pi / 2**{BITS_OF_A_TURN}"
        if unit not in self.definitions:
            self.definitions.append(unit)
        head, tail = self.dialect.channels
        shape = "[:, None, :]" if len(rows) > 1 else ""
        texts = [[str(-fixed_point(x)) for x in row] for row in rows]
        name = self._unused(name)
        self.definitions.append(table(name, head, texts, f"{tail}{shape}"))
        self.arrays[name] = len(rows) > 1, True
        return name

    def derived(self, name: str, text: str) -> str:
        """A constant array computed from others."""
        name = self._unused(name)
        self.definitions.append(f"{name} = {text}")
        self.arrays[name] = False, False
        return name

    def matrices(self, name: str, matrices: Sequence[Sequence[Sequence[Scalar]]]) -> str:
        """A constant matrix, or a stack of one per head."""
        head, tail = self.dialect.table
        rows = [[repr(x.to_float()) for x in row] for matrix in matrices for row in matrix]
        size = len(matrices[0])
        shape = f".reshape({len(matrices)}, {size}, {size})" if len(matrices) > 1 else ""
        rows = rows if len(rows) > 1 else [rows[0]]
        text = table(name, head, rows, tail + shape)
        if len(rows) == 1:
            text = f"{name} = {head}[[{rows[0][0]}]]{tail}{shape}"
        self.definitions.append(text)
        self.arrays[name] = False, False
        return name

    def scalar(self, name: str, value: Scalar) -> None:
        """A named number."""
        self.definitions.append(f"{name} = {value.to_float()!r}")
