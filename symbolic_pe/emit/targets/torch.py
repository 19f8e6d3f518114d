"""The PyTorch target: functions of tensors without in-place writes, a module, a score_mod."""

from __future__ import annotations

from collections.abc import Sequence

from symbolic_pe.emit.bias import Bias
from symbolic_pe.emit.channels import inverse_order, segments, selector
from symbolic_pe.emit.describe import module_docstring
from symbolic_pe.emit.dialect import Dialect
from symbolic_pe.emit.layout import STEP, display
from symbolic_pe.emit.names import class_name
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.emit.targets.groups import Piece
from symbolic_pe.emit.targets.module import Module, render
from symbolic_pe.emit.targets.recurrent import recurrence_of

_CONSTANT = ', dtype=torch.float64, device="cpu")'


def _index(count: int, floating: bool) -> str:
    dtype = "dtype=torch.float64, " if floating else ""
    return f'torch.arange({count}, {dtype}device="cpu")'


DIALECT = Dialect(
    array="torch",
    scalar="math",
    axis="dim",
    table=("torch.tensor(", _CONSTANT),
    channels=("torch.tensor(", ', device="cpu")'),
    index=_index,
    inline=False,
    use=lambda name, like: f"{name}.to({like}.device)",
    cast=lambda text: f"{text}.to(compute)",
    number=lambda text: f"u.new_tensor({text})",
    waves="_waves(position, reference, compute, x.device)",
    whole=lambda text: f"{text}.to(torch.int64)",
    exact=lambda name, like: f"torch.as_tensor({name}, dtype=torch.float64, device={like}.device)",
)

USAGE = (
    "query, key = transform_query(q, position), transform_key(k, position)",
    "logits = query @ key.transpose(-1, -2)",
)


def emit_body(plan: KernelPlan) -> str:
    """The text of a PyTorch file below its header."""
    module = Module(plan, DIALECT)
    bias = module.bias
    clamped = "lag.clamp(min=0.0)" if plan.encoding.domain.causal else "lag"
    values = {
        "module": module,
        "docstring": module_docstring(plan, USAGE, sums=plan.offers_recurrence),
        "bases": module.bases,
        "lines": [] if module.turning else _transform(module),
        "decay": module.decay(clamped),
        "bias": None if bias is None else bias.closed_form(),
        "columns": None
        if bias is None
        else {s: module.append_columns(s) for s in ("query", "key")},
        "score": None if bias is None else _score(bias),
        "causal": plan.encoding.domain.causal,
        "helpers": module.helpers,
        "recurrence": recurrence_of(module),
        "class_name": class_name(plan.encoding.name),
        "parameters": module.names,
    }
    values["definitions"] = module.definitions()
    values["mathematics"] = "math." in str(values["definitions"])
    return render("torch.py.j2", values)


def _transform(module: Module) -> list[str]:
    """Statements of every group, then their outputs put back in order."""
    lines: list[str] = []
    pieces: list[Piece] = []
    names: list[str] = []
    for number, code in enumerate(module.groups, 1):
        lines.extend([*module.comment(code), *code.lines])
        suffix = f"_{number}" if len(module.groups) > 1 else ""
        for piece in code.pieces:
            name = f"{piece.name}{suffix}"
            text = f"{piece.text}.flatten(-2)" if piece.index else piece.text
            lines.append(f"{STEP}{name} = {text}")
            pieces.append(piece)
            names.append(name)
    return [*lines, *_assembly(module, pieces, names)] if pieces else lines


def _assembly(module: Module, pieces: Sequence[Piece], names: Sequence[str]) -> list[str]:
    """`result` from the pieces: interleaved, side by side, or permuted."""
    dimension = module.plan.dimension
    found = segments([p.channels for p in pieces], dimension)
    if found is None:
        return _permuted(module, pieces, names)
    lines: list[str] = []
    parts: list[str] = []
    for segment in found:
        if segment.kind == "pass":
            start, stop = segment.channels
            first, last = str(start or ""), "" if stop == dimension else str(stop)
            parts.append(f"wide[..., {first}:{last}]")
        elif segment.kind == "piece":
            parts.append(names[segment.pieces[0]])
        else:
            members = [names[i] for i in segment.pieces]
            name = "result" if len(found) == 1 else f"planes_{len(parts)}"
            text = ", ".join(members)
            line = f"{STEP}{name} = torch.stack(({text}), dim=-1).flatten(-2)"
            if len(line) > 88:
                lines.append(display("stacked = (", members, ")", STEP))
                line = f"{STEP}{name} = torch.stack(stacked, dim=-1).flatten(-2)"
            lines.append(line)
            parts.append(name)
    return [*lines, *_side_by_side(parts)]


def _side_by_side(parts: Sequence[str]) -> list[str]:
    if len(parts) == 1:
        return [] if parts[0] == "result" else [f"{STEP}result = {parts[0]}"]
    line = f"{STEP}result = torch.cat(({', '.join(parts)}), dim=-1)"
    if len(line) <= 88:
        return [line]
    return [
        display("parts = (", parts, ")", STEP),
        f"{STEP}result = torch.cat(parts, dim=-1)",
    ]


def _permuted(module: Module, pieces: Sequence[Piece], names: Sequence[str]) -> list[str]:
    rest, order = inverse_order([p.channels for p in pieces], module.plan.dimension)
    parts = list(names)
    indices = [p.index for p in pieces if p.index is not None]
    if not rest and len(indices) == len(pieces):
        flat = ", ".join(f"{index}.flatten()" for index in indices)
        text = f"torch.cat([{flat}]).argsort()" if len(indices) > 1 else f"{flat}.argsort()"
        place = module.constants.derived("ORDER", text)
    else:
        place = module.constants.channels("ORDER", [order])
    if rest:
        selected = selector(rest, module.plan.dimension)
        if selected is None:
            constant = module.constants.channels("OTHER_CHANNELS", [rest])
            selected = DIALECT.use(constant, "wide")
        parts.append(f"wide[..., {selected}]")
    return [
        *_side_by_side(parts),
        f"{STEP}result = result[..., {DIALECT.use(place, 'wide')}]",
    ]


def _score(bias: Bias) -> dict[str, object]:
    """The bias inside a score function: constants by name, then its value."""
    names, lines = bias.score_terms()
    constants = [
        f"{STEP}{name.lower()} = {name}{bias.shape_in_score(name)}.to(query.device)"
        for name in names
    ]
    return {"constants": constants, "lines": lines}
