"""The equations of an emitted file: generator, closed form, notation."""

from __future__ import annotations

from collections.abc import Iterator

from symbolic_pe.algebra.scalar import ONE
from symbolic_pe.emit.expressions import from_formula
from symbolic_pe.emit.layout import STEP, paragraph
from symbolic_pe.emit.plan import BlockGroup, Group, KernelPlan, MatrixGroup, Vector
from symbolic_pe.emit.rows import collapsed, single
from symbolic_pe.emit.trees import UnsupportedExpression, is_negative
from symbolic_pe.emit.words import channels_in_words, tuples_in_words, turns_forward

LISTED = 4


def score(plan: KernelPlan) -> list[str]:
    """The sentence that says what the score is."""
    bias = " + bias(t − s)" if plan.augmentations else ""
    value = f"c²·qᵀA(t − s)k{bias}" if plan.encoding.temperature != ONE else f"qᵀA(t − s)k{bias}"
    heads = " in every head" if plan.heads > 1 else ""
    return paragraph(
        f"The score of a query q at position t and a key k at position s is {value}{heads}, where"
    )


def equations(plan: KernelPlan) -> list[str]:
    """Generator and closed form of every group, as indented lines."""
    shown = [_equation(g) for g in plan.groups]
    if len(shown) > 2 * LISTED:
        shown = [*shown[:LISTED], f"… and so on for {len(shown) - LISTED} more blocks"]
    if plan.basis is not None:
        shown = [text.replace("X = ", "K = ", 1).replace("A(τ) = ", "exp(τK) = ") for text in shown]
        shown.insert(0, "X = P K P⁻¹,  A(τ) = P exp(τK) P⁻¹  with P = BASIS, P⁻¹ = INVERSE_BASIS")
    shown.insert(0, "A(τ) = exp(τX)")
    return [line for text in shown for line in paragraph(text, STEP, STEP * 2)]


def _equation(group: Group) -> str:
    if isinstance(group, MatrixGroup):
        rows = ", ".join(f"[{a}, {b}]" for a, b in group.matrix)
        return (
            f"X = [{rows}],  A(τ) = e^(aτ)(C·I + S·(X − aI))  on channels "
            f"({group.channels[0]}, {group.channels[1]}), with C = cosh(τ√D), S = sinh(τ√D)/√D, "
            f"a = {group.centre}, D = {group.discriminant}"
        )
    generator, closed = _block_equation(group)
    where = channels_in_words(group.slots[0])
    if group.chain_length > 1:
        where = f"chains {tuples_in_words(group.slots)}"
    elif group.pair:
        where = f"planes {tuples_in_words(group.slots)}"
    values = ", ".join(_values(group))
    return f"X = {generator},  A(τ) = {closed}  on {where}" + (values and f", with {values}")


def _block_equation(group: BlockGroup) -> tuple[str, str]:
    if group.kind == "constant":
        return "0", "1"
    chain = group.chain_length > 1
    generator: list[str] = []
    closed: list[str] = []
    if not group.rate.is_zero:
        a = f"a{_subscript(group.rate)}"
        generator.append(f"{a} I" if group.pair or chain else a)
        closed.append(f"e^({a} τ)")
    if group.pair:
        angle = _angle(group.frequency)
        sign = "−" if angle.startswith("−") else "+"
        turn = f"{angle} J"
        generator.append(f" {sign} {turn.lstrip('−')}" if generator else turn)
    text = "".join(generator)
    if chain:
        shear = f"η{_subscript(group.shear)} "
        weight = f"({shear}τ)"
        if single(collapsed(group.shear.rows)) == ONE:
            shear, weight = "", "τ"
        if group.pair:
            text = f"I ⊗ ({text})"
        text = f"{text} + {shear}N" if text else f"{shear}N"
        text += " ⊗ I" if group.pair else ""
        closed.append(f"Σ_k {weight}^k/k! N^k" + (" ⊗" if group.pair else ""))
    if group.pair:
        closed.append(f"R({_angle(group.frequency)} τ)")
    return text, " ".join(closed)


def _angle(frequency: Vector) -> str:
    symbol = "−θ" if turns_forward(frequency) else "ω"
    return f"{symbol}{_subscript(frequency)}"


def _subscript(vector: Vector) -> str:
    rows = collapsed(vector.rows)
    text = ("h" if len(rows) > 1 else "") + ("j" if len(rows[0]) > 1 else "")
    return f"_{text}" if text else ""


# -- notation -----------------------------------------------------------------------------------


def notation(plan: KernelPlan) -> str:
    """What the letters of the equations stand for; empty when there is none to explain."""
    blocks = [g for g in plan.groups if isinstance(g, BlockGroup)]
    parts: list[str] = []
    if any(g.pair for g in blocks):
        parts.append("J = [[0, −1], [1, 0]]")
        parts.append("R(φ) = exp(φJ) = [[cos φ, −sin φ], [sin φ, cos φ]]")
    if any(g.chain_length > 1 for g in blocks):
        parts.append("N has ones above the diagonal")
    return f"Here {', '.join(parts)}." if parts else ""


def _values(group: BlockGroup) -> Iterator[str]:
    if not group.rate.is_zero:
        yield _value("a", group.rate, negated=False)
    if group.pair:
        forward = turns_forward(group.frequency)
        yield _value("θ" if forward else "ω", group.frequency, forward)
    if group.chain_length > 1 and single(collapsed(group.shear.rows)) != ONE:
        yield _value("η", group.shear, negated=False)


def _value(symbol: str, vector: Vector, negated: bool) -> str:
    """`θ = 1/3`, not broken over lines at its equality sign."""
    rows = collapsed(vector.rows)
    name = f"{symbol}{_subscript(vector)}"
    value = single(rows)
    if value is not None:
        return f"{name}\0=\0{_sign(str(-value if negated else value))}"
    if vector.schedule is not None:
        return f"{name}\0=\0{_formula(vector, negated)}"
    return f"{name} listed below"


def _formula(vector: Vector, negated: bool) -> str:
    assert vector.schedule is not None
    text, constants = vector.schedule.formula, vector.schedule.constants
    if negated:
        try:
            names = {p: p for value in constants.values() for p in value.parameters()}
            signed = is_negative(from_formula(text, constants, names))
        except UnsupportedExpression:
            signed = False
        text = text[1:].strip() if signed and text.startswith("-") else f"-({text})"
    known = "".join(f", {n} = {value}" for n, value in constants.items() if n != str(value))
    return _sign(text) + known


def _sign(text: str) -> str:
    return f"−{text[1:]}" if text.startswith("-") else text
