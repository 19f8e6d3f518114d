"""The array API target: one file for every library that follows the Python array API standard.

The text asks `array_api_compat` which library an array belongs to, and uses what the standard has:
no assignment to slices, no indexing by arrays, constants as lists until an array is known.
"""

from __future__ import annotations

from collections.abc import Sequence

from symbolic_pe.emit.channels import Segment, segments, selector
from symbolic_pe.emit.describe import module_docstring
from symbolic_pe.emit.dialect import Dialect
from symbolic_pe.emit.layout import STEP, display, fits
from symbolic_pe.emit.plan import BlockGroup, KernelPlan
from symbolic_pe.emit.targets.module import Module, render
from symbolic_pe.emit.targets.recurrent import recurrence_of
from symbolic_pe.errors import NotYetCovered


def _cast(text: str) -> str:
    return f"xp.astype({_without_parentheses(text)}, compute)"


def _without_parentheses(text: str) -> str:
    """The expression as an argument, where one pair around all of it says nothing.

    >>> _without_parentheses("(scale * (a + b))"), _without_parentheses("(a) * (b)")
    ('scale * (a + b)', '(a) * (b)')
    """
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            whole = place == len(text) - 1 and text.startswith("(")
            return text[1:-1] if whole else text
    return text


DIALECT = Dialect(
    array="xp",
    scalar="math",
    axis="axis",
    table=("", ""),
    channels=("", ""),
    index=lambda count, floating: f"range({count})",
    inline=True,
    use=lambda name, like: f"_values({name}, {like})",
    cast=_cast,
    number=lambda text: text,
    listed=True,
)

USAGE = (
    "query, key = transform_query(q, position), transform_key(k, position)",
    "logits = query @ array_namespace(key).matrix_transpose(key)",
)


def emit_body(plan: KernelPlan) -> str:
    """The text of a file below its header.

    Raises `NotYetCovered` for plans that need more than this target prints: heads that differ,
    run-time parameters, a basis, a bias, chains, scattered channels.
    """
    reason = _not_covered(plan)
    if reason is not None:
        raise NotYetCovered(
            f"the array-api target prints blocks of chain length 1 with one generator for all "
            f"heads; this plan has {reason}; use --target numpy or torch"
        )
    module = Module(plan, DIALECT)
    values: dict[str, object] = {
        "module": module,
        "docstring": module_docstring(plan, USAGE, sums=plan.offers_recurrence),
        "lines": _transform(module),
        "decay": module.decay("lag"),
        "causal": plan.encoding.domain.causal,
        "recurrence": recurrence_of(module),
    }
    values["definitions"] = module.definitions()
    values["mathematics"] = "math." in str(values["definitions"])
    return render("array_api.py.j2", values)


def _not_covered(plan: KernelPlan) -> str | None:
    if plan.augmentations:
        return "an additive bias"
    if plan.heads > 1:
        return f"{plan.heads} heads that differ"
    if plan.parameters:
        return f"run-time parameters ({', '.join(plan.parameters)})"
    if plan.basis is not None:
        return "a change of basis"
    for group in plan.groups:
        assert isinstance(group, BlockGroup)  # others have parameters
        if group.chain_length > 1:
            return f"chains of length {group.chain_length}"
    if any(selector(piece, plan.dimension) is None for piece in _pieces(plan)):
        return "channels that no slice selects"
    if segments(_pieces(plan), plan.dimension) is None:
        return "channels in an order that needs a permutation"
    return None


def _pieces(plan: KernelPlan) -> list[tuple[int, ...]]:
    return [
        tuple(slot)
        for group in plan.groups
        if isinstance(group, BlockGroup) and group.kind != "constant"
        for slot in group.slots
    ]


def _transform(module: Module) -> list[str]:
    """Statements of every group, then their outputs put back in order."""
    lines: list[str] = []
    names: list[str] = []
    channels: list[tuple[int, ...]] = []
    for number, code in enumerate(module.groups, 1):
        lines.extend([*module.comment(code), *code.lines])
        suffix = f"_{number}" if len(module.groups) > 1 else ""
        for piece in code.pieces:
            names.append(f"{piece.name}{suffix}")
            channels.append(piece.channels)
            lines.append(f"{STEP}{names[-1]} = {piece.text}")
    found = segments(channels, module.plan.dimension)
    assert found is not None  # see _not_covered
    if not names:
        return lines
    parts = []
    for segment in found:
        made, part = _part(segment, names, channels, module.plan.dimension)
        lines.extend(made)
        parts.append(part)
    if len(parts) > 1:
        line = f"{STEP}result = xp.concat(({', '.join(parts)}), axis=-1)"
        if not fits(line):
            lines.append(display("parts = (", parts, ")", STEP))
            line = f"{STEP}result = xp.concat(parts, axis=-1)"
        lines.append(line)
    elif parts[0] != "result":
        lines.append(f"{STEP}result = {parts[0]}")
    return lines


def _part(
    segment: Segment, names: Sequence[str], channels: Sequence[Sequence[int]], dimension: int
) -> tuple[list[str], str]:
    """Statements, and the expression of one segment; interleaved pieces get a name of their own."""
    if segment.kind == "pass":
        return [], f"wide[..., {selector(range(*segment.channels), dimension)}]"
    members = [names[i] for i in segment.pieces]
    if segment.kind == "piece":
        return [], members[0]
    width = sum(len(channels[i]) for i in segment.pieces)
    first = channels[segment.pieces[0]][0]
    name = "result" if width == dimension else f"planes_{first}"
    return [
        f"{STEP}{name} = xp.stack(({', '.join(members)}), axis=-1)",
        f"{STEP}{name} = xp.reshape({name}, (*{members[0]}.shape[:-1], {width}))",
    ], name
