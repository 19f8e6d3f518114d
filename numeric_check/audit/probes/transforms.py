"""Gradients, batching transforms and compilers: PyTorch and JAX subjects only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from numeric_check.audit import questions
from numeric_check.audit.context import Context
from numeric_check.audit.finding import Finding
from numeric_check.audit.libraries import Array
from numeric_check.audit.matrices import exponentials
from numeric_check.audit.questions import Question
from numeric_check.audit.raised import described
from numeric_check.audit.reproduce.derivatives import (
    compiled,
    derivative_of,
    exported,
    gradient_of,
    requires_gradient,
    vmapped,
)
from numeric_check.audit.reproduce.images import images_code
from numeric_check.audit.reproduce.writing import shell
from numeric_check.audit.subject import PATTERNS, MapSubject, shaped, unshaped
from symbolic_pe.errors import AuditError

POSITIONS = (0, 1, 2, 85)
BETWEEN = (0.5, 1.25, 85.75)
"""Real positions, all exact in float16."""
ROWS = 2


def asked_of(context: Context) -> list[Finding]:
    """Everything that applies to the subject's library."""
    name = context.subject.library.name
    findings = [dtype_kept(context)]
    if name == "numpy":
        return findings
    findings += [gradient(context), clock(context), _vmap(context)]
    if name == "torch" and context.deep:
        findings += [
            _compared(context, questions.COMPILE, _compiled, compiled),
            _compared(context, questions.EXPORT, _exported, exported),
        ]
    return findings


def dtype_kept(context: Context) -> Finding:
    """PyTorch refuses to multiply different dtypes, so a promoted query breaks attention."""
    asked, subject = questions.DTYPE, context.subject
    promoted = {}
    for dtype in ("float32", "bfloat16", "float16"):
        x = np.ones((1, 2, subject.dimension))
        places = [(p,) * subject.axes for p in (0, 1)] if subject.axes > 1 else [0, 1]
        try:
            returned = subject.apply("query", x, places, dtype).dtype
        except AuditError:
            continue
        if returned != dtype:
            promoted[dtype] = returned
    if not promoted:
        return asked.consistent("the result has the dtype of x")
    words = ", ".join(f"{returned} for {given}" for given, returned in promoted.items())
    given = next(iter(promoted))
    if subject.library.name != "torch":
        return asked.equivalent(
            f"because it has the same values in a wider one ({words}), which costs memory: "
            "constants of another dtype promote it"
        )
    code = images_code(subject, given)
    return asked.refuted(
        f"it returns {words}",
        f"x in {given}: the result is in {promoted[given]}; PyTorch refuses to multiply it with a "
        f"{given} tensor",
        shell(f"{code}; print(F(1, 0).dtype)"),
        numbers={"returned": promoted},
    )


def _arguments(context: Context) -> tuple[Any, Any]:
    """Numbers from -1 to 1 in every slot, and the positions."""
    subject = context.subject
    shape = call_shape(subject)
    x = np.linspace(-1.0, 1.0, int(np.prod(shape))).reshape(shape)
    positions: Any = POSITIONS
    if subject.axes > 1:
        positions = [(p,) * subject.axes for p in POSITIONS]
    return subject.library.floats(x, context.measured.dtype), subject.places(positions)


def call_shape(subject: MapSubject) -> tuple[int, ...]:
    """Of x with `ROWS` rows at `POSITIONS`."""
    sizes = {"1": 1, "r": ROWS, "n": len(POSITIONS), "d": subject.dimension}
    return tuple(sizes[axis] for axis in PATTERNS[subject.form])


def gradient(context: Context) -> Finding:
    """Automatic differentiation against the transpose of the maps themselves."""
    asked, subject, dtype = questions.GRADIENT, context.subject, context.measured.dtype
    if subject.axes == 1 and POSITIONS[-1] > context.measured.reach:
        return asked.skipped(f"position {POSITIONS[-1]} is not accepted")
    x, places = _arguments(context)
    weights = np.round(8 * np.random.default_rng(3).standard_normal(x.shape)) / 8
    try:
        found = (_torch_gradient if subject.library.name == "torch" else _jax_gradient)(
            context, x, places, weights
        )
    except Exception as raised:  # the subject is not ours
        if subject.library.name == "torch" and not _requires_gradient(context, x, places):
            return asked.refuted(
                "no gradient flows: the result is detached from x (detach, no_grad, or NumPy)",
                "x requires a gradient, its image at positions 0, 1, 2, 85 does not",
                requires_gradient(subject, dtype),
            )
        return asked.refuted(
            "no gradient flows", f"differentiating raised {described(raised)}",
            gradient_of(subject, 1, dtype),
        )  # fmt: skip
    flat = subject.form == "flat"
    w = subject.in_order(weights[None] if flat else unshaped(weights, subject.form))
    g = found[None] if flat else unshaped(found, subject.form)
    points = [(p,) * subject.axes if subject.axes > 1 else p for p in POSITIONS]
    right = np.einsum("nij,rni->rnj", subject.matrices("query", points, dtype), w)
    gap = np.linalg.norm(g - right, axis=-1)
    size = np.maximum(np.linalg.norm(right, axis=-1), 2.0**-60)
    ratio = np.nan_to_num(gap / size, nan=np.inf).max(axis=0)
    place = int(ratio.argmax())
    error = float(ratio[place])
    tolerance = 8.0 * context.recovered.arithmetic.constant(_size(context))
    return asked.judged(
        error,
        tolerance,
        detail=f"worst difference {error:.1e} ({tolerance:.1e} allowed)",
        witness=f"position {POSITIONS[place]}: the gradient is off by {error:.2g} of its norm",
        reproduce=gradient_of(subject, POSITIONS[place], dtype),
    )


def clock(context: Context) -> Finding:
    """Real positions: the values between integers, where asked for, and F′(t) = F(t)Xᵀ."""
    asked, subject, recovered = questions.CLOCK, context.subject, context.recovered
    if not recovered.fits:
        return asked.skipped("there is no generator to compare with")
    positions = [float(p) for p in POSITIONS if p <= context.measured.reach]
    positions += [p for p in BETWEEN if context.clock and p <= context.measured.reach]
    differentiate = _torch_clock if subject.library.name == "torch" else _jax_clock
    try:
        values, found = differentiate(context, positions)
    except Exception as raised:  # the subject is not ours
        what = f"positions carry no gradient ({described(raised)})"
        if not context.clock:
            return asked.skipped(f"{what}; --clock judges this")
        line = derivative_of(subject, 1.0, context.measured.dtype)
        return asked.refuted("real positions cannot be learned", what, line)
    start = context.measured.query[0]
    moved = exponentials_of(context, positions)
    matrices = start @ moved.transpose(0, 2, 1)
    right = matrices.sum(axis=(1, 2))
    slopes = (matrices @ recovered.matrix().T).sum(axis=(1, 2))
    size = np.abs(matrices).sum(axis=(1, 2)) + 2.0**-60
    pairs = [(found, slopes, "derivative"), (values, right, "sum of the result")]
    what_, place, ratio = "derivative", 0, -1.0
    for ours, theirs, what in pairs if context.clock else pairs[:1]:
        off = np.nan_to_num(np.abs(ours - theirs) / size, nan=np.inf)
        if off.max() > ratio:
            what_, place, ratio = what, int(off.argmax()), float(off.max())
    frequency = max(p.frequency for p in recovered.parts)
    at = np.array(positions)
    room = 8.0 * recovered.arithmetic.tolerance(at, frequency, 0.0, _size(context)).max()
    ours, theirs = (found, slopes) if what_ == "derivative" else (values, right)
    return asked.judged(
        ratio, float(room),
        detail=f"worst difference {ratio:.1e} ({room:.1e} allowed)",
        witness=f"x of ones at position {positions[place]:g}: the {what_} is {ours[place]:.6g}, "
        f"exact is {theirs[place]:.6g}",
        reproduce=derivative_of(subject, positions[place], context.measured.dtype),
    )  # fmt: skip


def exponentials_of(context: Context, times: list[float]) -> Array:
    """exp(tX̂) of the whole generator."""
    d = context.recovered.dimension
    whole = np.zeros((len(times), d, d))
    for part in context.recovered.parts:
        group = np.array(part.channels)
        moved = exponentials(part.matrix, times)
        whole[:, group[:, None], group[None]] = moved
    return whole


def _torch_clock(context: Context, positions: list[float]) -> tuple[Array, Array]:
    """Sums of the results and their derivatives in t, position by position."""
    import torch

    subject = context.subject
    places = torch.tensor(positions, dtype=torch.float64, requires_grad=True)
    given = _ones(context, len(positions))
    y = subject.query(given, places[None] if subject.batched else places)
    y.sum().backward()
    values, _ = subject.library.fetch(y.detach())
    return _per_position(subject, values), places.grad.numpy()


def _jax_clock(context: Context, positions: list[float]) -> tuple[Array, Array]:
    import jax
    import jax.numpy as jnp

    subject = context.subject
    given = _ones(context, len(positions))
    places = jnp.asarray(positions)

    def call(at: Any) -> Any:
        return subject.query(given, at[None] if subject.batched else at)

    slopes = np.asarray(jax.grad(lambda at: call(at).sum())(places), dtype=np.float64)
    values, _ = subject.library.fetch(call(places))
    return _per_position(subject, values), slopes


def _ones(context: Context, count: int) -> Any:
    subject = context.subject
    x = np.ones((1, count, subject.dimension))
    shape = x[0] if subject.form == "flat" else shaped(x, subject.form)
    return subject.library.floats(shape, context.measured.dtype)


def _per_position(subject: MapSubject, values: Array) -> Array:
    x = values[None] if subject.form == "flat" else unshaped(values, subject.form)
    result: Array = x.sum(axis=(0, 2))
    return result


def _size(context: Context) -> int:
    return max(len(g) for g in context.measured.groups)


def _torch_gradient(context: Context, x: Any, places: Any, weights: Array) -> Array:
    import torch

    leaf = x.clone().requires_grad_(True)
    y = context.subject.query(leaf.clone(), places)
    (y * torch.from_numpy(weights).to(y.dtype)).sum().backward()
    result: Array = leaf.grad.to(torch.float64).numpy()
    return result


def _requires_gradient(context: Context, x: Any, places: Any) -> bool:
    try:
        return bool(context.subject.query(x.clone().requires_grad_(True), places).requires_grad)
    except Exception:  # the subject is not ours
        return True


def _jax_gradient(context: Context, x: Any, places: Any, weights: Array) -> Array:
    import jax

    total = jax.grad(lambda v: (context.subject.query(v, places) * weights).sum())
    return np.asarray(total(x), dtype=np.float64)


def _compared(
    context: Context,
    asked: Question,
    transform: Callable[[Context, Any, Any], Any],
    line: Callable[..., str],
    *,
    needed: bool = True,
) -> Finding:
    """A transformed call against a plain one; what cannot be transformed at all is no agreement."""
    subject, dtype = context.subject, context.measured.dtype
    x, places = _arguments(context)
    shown = line(subject, call_shape(subject), POSITIONS, dtype)
    try:
        plain, _ = subject.library.fetch(subject.query(x, places))
    except Exception as error:  # the subject is not ours
        return asked.skipped(f"the call itself raised {described(error)}")
    try:
        values, _ = subject.library.fetch(transform(context, *_arguments(context)))
    except Exception as raised:  # the compiler or the subject may raise anything
        what = described(raised)[:160]
        if not needed:
            return asked.skipped(f"it raised {what}; --deep judges this")
        return asked.refuted("it fails", f"it raised {what}", shown)
    if values.shape != plain.shape:
        return asked.refuted(
            f"it returns shape {values.shape}", f"the call returns shape {plain.shape}", shown
        )
    scale = max(float(np.abs(plain).max()), 2.0**-60)
    gap = float(np.nan_to_num(np.abs(values - plain) / scale, nan=np.inf).max())
    return asked.judged(
        gap,
        8.0 * context.recovered.arithmetic.constant(_size(context)),
        detail=f"worst difference {gap:.1e}",
        witness=f"positions {POSITIONS}: results differ by {gap:.2g}",
        reproduce=shown,
    )


def _vmap(context: Context) -> Finding:
    """Where the first axis holds positions, mapping over it is no batch."""
    if PATTERNS[context.subject.form].startswith("n"):
        return questions.VMAP.skipped("the first axis of x holds positions")
    needed = context.deep or context.subject.library.name == "jax"
    return _compared(context, questions.VMAP, _vmapped, vmapped, needed=needed)


def _vmapped(context: Context, x: Any, places: Any) -> Any:
    """Over the first axis, a row at a time."""
    call = context.subject.query
    if context.subject.library.name == "jax":
        import jax

        return jax.vmap(lambda row: call(row[None], places)[0])(x)
    import torch

    return torch.func.vmap(lambda row: call(row[None], places)[0])(x)


def _compiled(context: Context, x: Any, places: Any) -> Any:
    """Traced whole, without code generation."""
    import torch

    return torch.compile(context.subject.query, fullgraph=True, backend="aot_eager")(x, places)


def _exported(context: Context, x: Any, places: Any) -> Any:
    import torch

    call = context.subject.query

    class Wrapped(torch.nn.Module):  # type: ignore[misc]
        """A module around the callable, as export needs one."""

        def forward(self, x: Any, places: Any) -> Any:
            """The call."""
            return call(x, places)

    return torch.export.export(Wrapped(), (x, places)).module()(x, places)
