"""The NumPy target: functions of arrays, results in the dtype of the input."""

from __future__ import annotations

from symbolic_pe.emit.channels import selector
from symbolic_pe.emit.describe import module_docstring
from symbolic_pe.emit.dialect import Dialect
from symbolic_pe.emit.layout import STEP
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.emit.targets.groups import GroupCode
from symbolic_pe.emit.targets.module import Module, render
from symbolic_pe.emit.targets.recurrent import recurrence_of

DIALECT = Dialect(
    array="np",
    scalar="np",
    axis="axis",
    table=("np.array(", ")"),
    channels=("np.array(", ")"),
    index=lambda count, floating: (
        f"np.arange({count}, dtype=np.float64)" if floating else f"np.arange({count})"
    ),
    inline=True,
    use=lambda name, like: name,
    cast=lambda text: f"{text}.astype(compute)",
    number=lambda text: text,
    waves="_waves(position, reference, compute)",
    whole=lambda text: f"{text}.astype(np.int64)",
    exact=lambda name, like: f"np.asarray({name}, np.float64)",
)

USAGE = (
    "query, key = transform_query(q, position), transform_key(k, position)",
    "logits = query @ np.swapaxes(key, -1, -2)",
)


def emit_body(plan: KernelPlan) -> str:
    """The text of a NumPy file below its header."""
    module = Module(plan, DIALECT)
    lines = (
        [] if module.turning else [line for code in module.groups for line in _group(module, code)]
    )
    bias = module.bias
    clamped = "np.maximum(lag, 0.0)" if plan.encoding.domain.causal else "lag"
    values = {
        "module": module,
        "docstring": module_docstring(plan, USAGE, sums=plan.offers_recurrence),
        "bases": module.bases,
        "lines": lines,
        "decay": module.decay(clamped),
        "bias": None if bias is None else bias.closed_form(),
        "columns": None
        if bias is None
        else {s: module.append_columns(s) for s in ("query", "key")},
        "causal": plan.encoding.domain.causal,
        "helpers": module.helpers,
        "recurrence": recurrence_of(module),
        "parameters": module.names,
    }
    values["definitions"] = module.definitions()
    return render("numpy.py.j2", values)


def _group(module: Module, code: GroupCode) -> list[str]:
    """Statements of a group, its outputs written into the result."""
    lines = [*module.comment(code), *code.lines]
    for piece in code.pieces:
        place = piece.index or selector(piece.channels, module.plan.dimension)
        if place is None:
            place = module.constants.channels("CHANNELS", [piece.channels])
        lines.append(f"{STEP}result[..., {place}] = {piece.text}")
    return lines
