"""The code of each block group, shared by the targets.

Every group reads channels of `wide` (the input in the compute dtype) and uses u, the elapsed time
of shape (..., n, 1), and `side`: 1 for the query, −1 for the key, 0 for the part without decay.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from symbolic_pe.algebra.scalar import HALF, Scalar
from symbolic_pe.emit.channels import selector
from symbolic_pe.emit.constants import Constants
from symbolic_pe.emit.dialect import Operand
from symbolic_pe.emit.layout import STEP, arguments, display, fits
from symbolic_pe.emit.plan import BlockGroup, KernelPlan, MatrixGroup, Vector
from symbolic_pe.emit.trees import Node, is_number, negate, product, total
from symbolic_pe.emit.words import channels_in_words, tuples_in_words, turns_forward
from symbolic_pe.errors import NotYetCovered

UNROLLED = 8
"""Links of a chain that are written out one by one. Longer ones are gathered by an index, whose
backward pass PyTorch 2.13 compiles to C++ that adds outside of the gradient (seen with AVX2)."""

_SIDE, _U = ast.Name("side"), ast.Name("u")
_LINK_AXIS = "[..., None, :]"


@dataclass(frozen=True)
class Piece:
    """Output channels and the expression that gives them; `index` when they are a whole array."""

    text: str
    channels: tuple[int, ...]
    name: str
    index: str | None = None


@dataclass(frozen=True)
class GroupCode:
    """Statements of one group, then its outputs."""

    comment: str
    lines: tuple[str, ...]
    pieces: tuple[Piece, ...]


@dataclass
class GroupWriter:
    """Writes the groups of one plan."""

    plan: KernelPlan
    constants: Constants
    waves: str | None = None
    """A call that returns cosine and sine, in place of the statements that form them."""
    _lines: list[str] = field(default_factory=list)

    def write(self) -> list[GroupCode]:
        """Code of every group that is not constant, in order."""
        codes = []
        matrices = [g for g in self.plan.groups if isinstance(g, MatrixGroup)]
        for group in self.plan.groups:
            if isinstance(group, BlockGroup) and group.kind != "constant":
                codes.append(self._block(group))
        if matrices:
            codes.append(self._matrices(matrices))
        return codes

    def angle(self, group: BlockGroup) -> tuple[str, ...]:
        """The statements that define `angle` alone."""
        self._angle(group)
        lines, self._lines = tuple(self._lines), []
        return lines

    def _line(self, text: str) -> None:
        self._lines.append(f"{STEP}{text}")

    def _select(self, first: Sequence[int], second: Sequence[int]) -> None:
        """The two channels of every plane."""
        selected = (
            self._channels(first, "FIRST_CHANNELS"),
            self._channels(second, "SECOND_CHANNELS"),
        )
        self._two("first", selected[0], "second", selected[1])

    def _two(self, name: str, text: str, other: str, second: str) -> None:
        """Two assignments, on one line when it fits."""
        line = f"{name}, {other} = {text}, {second}"
        if fits(STEP + line):
            self._line(line)
        else:
            self._line(f"{name} = {text}")
            self._line(f"{other} = {second}")

    def _finish(self, comment: str, pieces: Sequence[Piece]) -> GroupCode:
        lines, self._lines = tuple(self._lines), []
        return GroupCode(comment, lines, tuple(pieces))

    # -- operands -----------------------------------------------------------------------------

    def _text(self, node: Node) -> str:
        return self.constants.printer().text(node)

    def _function(self, name: str, argument: Node) -> str:
        return f"{self.constants.dialect.array}.{name}({self._text(argument)})"

    def _cast(self, text: str) -> str:
        return self.constants.dialect.cast(text)

    def _cast_node(self, node: Node) -> str:
        text = self._text(node)
        return self._cast(text if isinstance(node, ast.Name) else f"({text})")

    def _operand(self, name: str, vector: Vector, *, negated: bool = False) -> Operand:
        operand = self.constants.vector(name, vector, negated=negated)
        self._lines.extend(operand.statements)
        return operand

    def _channels(self, channels: Sequence[int], name: str) -> str:
        """`wide[..., channels]`."""
        text = selector(channels, self.plan.dimension)
        if text == ":":
            return "wide"
        if text is None:
            constant = self.constants.channels(name, [channels])
            text = self.constants.dialect.use(constant, "wide")
        return f"wide[..., {text}]"

    # -- blocks -------------------------------------------------------------------------------

    def _block(self, group: BlockGroup) -> GroupCode:
        scale = self._scale(group)
        if group.pair and self.waves is None:
            self._angle(group)
        if group.chain_length > 1:
            return self._chains(group, scale)
        return self._pairs(group, scale) if group.pair else self._reals(group)

    def _scale(self, group: BlockGroup) -> bool:
        """scale = e^{side·a·u}, when there is decay; in float64 while a wave multiplies it."""
        if group.rate.is_zero:
            return False
        node = product([_SIDE, self._operand("RATE", group.rate).node, _U])
        text = self._function("exp", node)
        if not group.pair:
            text = self._cast(text) + (_LINK_AXIS if group.chain_length > 1 else "")
        self._line(f"scale = {text}")
        return True

    def _angle(self, group: BlockGroup) -> None:
        """angle = −ω·u, written with θ = −ω when ω is negative."""
        if self.plan.encoding.angles == "turns":
            self._turns(group)
        elif turns_forward(group.frequency):
            theta = self._operand("THETA", group.frequency, negated=True).node
            self._line(f"angle = {self._text(product([_U, theta]))}")
        else:
            omega = self._operand("OMEGA", group.frequency).node
            self._line(f"angle = {self._text(product([negate(_U), omega]))}")

    def _turns(self, group: BlockGroup) -> None:
        """The same as a phase in 64-bit turns: the whole positions exactly, then the rest."""
        dialect = self.constants.dialect
        if dialect.whole is None:
            raise NotYetCovered("angles as fixed-point turns; use angles = float64")
        name = self.constants.turns("TURNS", group.frequency)
        turns = dialect.use(name, "u")
        self._line(f"whole = {dialect.array}.floor(u)")
        self._line(f"phase = {dialect.whole('whole')} * {turns}  # 2^64 is one turn: wraps")
        self._line(f"angle = (phase + (u - whole) * {turns}) * TURN")

    def _turn(self, scale: bool, axis: str = "") -> None:
        if self.waves is not None:
            self._line(f"cosine, sine = {self.waves}")
            return
        waves = [f"{self.constants.dialect.array}.{f}(angle)" for f in ("cos", "sin")]
        texts = [self._cast(f"(scale * {w})" if scale else w) + axis for w in waves]
        self._two("cosine", texts[0], "sine", texts[1])

    def _pairs(self, group: BlockGroup, scale: bool) -> GroupCode:
        self._turn(scale)
        first, second = group.slots
        self._select(first, second)
        return self._finish(
            f"planes {tuples_in_words(group.slots)}",
            [
                Piece("cosine * first - sine * second", first, "turned_first"),
                Piece("sine * first + cosine * second", second, "turned_second"),
            ],
        )

    def _reals(self, group: BlockGroup) -> GroupCode:
        (channels,) = group.slots
        selected = self._channels(channels, "CHANNELS")
        return self._finish(
            channels_in_words(channels),
            [Piece(f"scale * {selected}", channels, "scaled")],
        )

    # -- chains -------------------------------------------------------------------------------

    def _chains(self, group: BlockGroup, scale: bool) -> GroupCode:
        shear = self._operand("SHEAR", group.shear).node
        weight = self._cast_node(product([_SIDE, shear, _U]))
        self._line(f"weight = {weight}{_LINK_AXIS}")
        pair = group.pair
        if pair:
            self._turn(scale, _LINK_AXIS)
            parts = [("first", group.slots[0::2]), ("second", group.slots[1::2])]
        else:
            parts = [("links", group.slots)]
        indices = {name: self._links(name, slots) for name, slots in parts}
        if pair:
            self._line("turned_first = cosine * first - sine * second")
            self._line("turned_second = sine * first + cosine * second")
        pieces: list[Piece] = []
        for name, slots in parts:
            source = f"turned_{name}" if pair else "scale * links" if scale else "links"
            self._line(f"{name} = _shear({source}, weight, side)")
            pieces.extend(self._outputs(name, slots, indices[name]))
        order = sorted(range(len(pieces)), key=lambda i: pieces[i].channels[0])
        return self._finish(
            f"chains on channels {tuples_in_words(group.slots)}", [pieces[i] for i in order]
        )

    def _links(self, name: str, slots: Sequence[Sequence[int]]) -> str | None:
        """Collect the links of every chain on the axis before the last."""
        dialect = self.constants.dialect
        single = _single_chain(slots)
        text = None if single is None else selector(single, self.plan.dimension)
        if text is not None:
            chosen = "..., None" if text == ":" else f"..., {text}, None"
            self._line(f"{name} = wide[{chosen}]")
            return None
        if len(slots) > UNROLLED:
            constant = self.constants.channels(f"{name.upper().rstrip('S')}_CHANNELS", slots)
            self._line(f"{name} = wide[..., {dialect.use(constant, 'wide')}]")
            return constant
        items = [self._channels(s, f"{name.upper().rstrip('S')}_CHANNELS") for s in slots]
        listed = f"[{', '.join(items)}]"
        if not fits(f"{STEP}{STEP}{listed},"):
            self._lines.append(display(f"{name} = [", items, "]", STEP))
            listed = name
        self._lines.append(
            arguments(f"{name} = {dialect.array}.stack(", [listed, f"{dialect.axis}=-2"], ")", STEP)
        )
        return None

    def _outputs(
        self, name: str, slots: Sequence[tuple[int, ...]], index: str | None
    ) -> list[Piece]:
        single = _single_chain(slots)
        if single is not None and selector(single, self.plan.dimension) is not None:
            return [Piece(f"{name}[..., 0]", single, f"{name}_flat")]
        if index is not None:
            channels = tuple(c for slot in slots for c in slot)
            return [Piece(name, channels, f"{name}_flat", index)]
        return [Piece(f"{name}[..., {i}, :]", slot, f"{name}_{i}") for i, slot in enumerate(slots)]

    # -- parametric 2×2 -----------------------------------------------------------------------

    def _matrices(self, groups: Sequence[MatrixGroup]) -> GroupCode:
        """e^{au}(C·I + S·(X − aI)), transposed for the query."""
        half_difference = [HALF * (g.matrix[0][0] - g.matrix[1][1]) for g in groups]
        centre = self._entries("CENTRE", [g.centre for g in groups])
        discriminant = self._entries("DISCRIMINANT", [g.discriminant for g in groups])
        difference = self._entries("HALF_DIFFERENCE", half_difference)
        upper = self._entries("UPPER", [g.matrix[0][1] for g in groups])
        lower = self._entries("LOWER", [g.matrix[1][0] for g in groups])
        square = self._text(discriminant)
        if len({g.discriminant for g in groups}) == 1 and not groups[0].discriminant.parameters():
            square = self.constants.dialect.number(square)  # in float64, whatever is chosen by it
        items = ["side * u", self._text(centre), square]
        self._lines.append(arguments("even, odd = _even_and_odd(", items, ")", STEP))
        for name, entry in (("upper", upper), ("lower", lower)):
            zero = is_number(entry, 0)
            value = "0.0" if zero else self._cast_node(product([entry, ast.Name("odd")]))
            self._line(f"{name} = {value}")
        self._line("if side > 0:  # the transpose")
        self._line(f"{STEP}upper, lower = lower, upper")
        gap = product([difference, ast.Name("odd")])
        even = ast.Name("even")
        equal = is_number(difference, 0)
        self._line(f"left = {self._cast_node(even if equal else total([even, gap]))}")
        self._line(f"right = {self._cast_node(even if equal else total([even, negate(gap)]))}")
        first = tuple(g.channels[0] for g in groups)
        second = tuple(g.channels[1] for g in groups)
        self._select(first, second)
        return self._finish(
            f"the 2 x 2 blocks on channels {tuples_in_words((first, second))}",
            [
                Piece("left * first + upper * second", first, "turned_first"),
                Piece("lower * first + right * second", second, "turned_second"),
            ],
        )

    def _entries(self, name: str, values: Sequence[Scalar]) -> Node:
        return self._operand(name, Vector((tuple(values),))).node


def _single_chain(slots: Sequence[Sequence[int]]) -> tuple[int, ...] | None:
    """The channels of the links, where there is one chain."""
    return tuple(slot[0] for slot in slots) if all(len(slot) == 1 for slot in slots) else None
