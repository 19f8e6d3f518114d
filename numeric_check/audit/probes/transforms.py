"""Gradients, batching transforms and compilers: PyTorch and JAX subjects only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from numeric_check.audit.context import Context
from numeric_check.audit.finding import Finding, Verdict, judged, skipped
from numeric_check.audit.libraries import Array
from numeric_check.audit.measurement import same_vector
from numeric_check.audit.reproduce import gradient_of, images_code, shell
from numeric_check.audit.subject import PATTERNS, shaped, unshaped
from symbolic_pe.errors import AuditError

POSITIONS = (0, 1, 2, 85)
GRADIENT = "the gradient of w.F(t)x with respect to x is F(t)^T w, finite at position 0 as well"
DTYPE = "the result has the dtype of x"
CLOCK = "the derivative of the result in t is that of exp(tX), finite at position 0 as well"
VMAP = "vmap over the first axis gives what a batch gives"
COMPILE = "torch.compile(fullgraph=True) gives what the call gives"
EXPORT = "torch.export gives what the call gives"


def questions(context: Context) -> list[Finding]:
    """Everything that applies to the subject's library."""
    name = context.subject.library.name
    findings = [dtype_kept(context)]
    if name == "numpy":
        return findings
    findings += [gradient(context), clock(context), _vmap(context)]
    if name == "torch" and context.deep:
        findings += [
            _compared(context, "compile", COMPILE, _compiled),
            _compared(context, "export", EXPORT, _exported),
        ]
    return findings


def dtype_kept(context: Context) -> Finding:
    """PyTorch refuses to multiply different dtypes, so a promoted query breaks attention."""
    subject = context.subject
    promoted = {}
    for dtype in ("float32", "bfloat16", "float16"):
        x = np.ones((1, 2, subject.dimension))
        try:
            returned = subject.apply("query", x, [0, 1], dtype).dtype
        except AuditError:
            continue
        if returned != dtype:
            promoted[dtype] = returned
    if not promoted:
        return Finding("dtype", Verdict.CONSISTENT, DTYPE, "the result has the dtype of x")
    words = ", ".join(f"{returned} for {given}" for given, returned in promoted.items())
    given = next(iter(promoted))
    if subject.library.name != "torch":
        return Finding(
            "dtype", Verdict.CONSISTENT, DTYPE, f"the result has another ({words}); NumPy promotes"
        )
    code = images_code(subject, given)
    return Finding(
        "dtype", Verdict.REFUTED, DTYPE, f"it returns {words}",
        f"x in {given}: the result is in {promoted[given]}; PyTorch refuses to multiply it with a "
        f"{given} tensor", reproduce=shell(f"{code}; print(F(1, 0).dtype)"),
        numbers={"returned": promoted},
    )  # fmt: skip


def _arguments(context: Context, rows: int = 2) -> tuple[Any, Any, Array]:
    subject, dtype = context.subject, context.measured.dtype
    random = np.random.default_rng(2)
    x = np.round(8 * random.standard_normal((rows, len(POSITIONS), subject.dimension))) / 8
    shape = x[0] if subject.form == "flat" else shaped(x, subject.form)
    positions: Any = POSITIONS
    if subject.axes > 1:
        positions = [(p,) * subject.axes for p in POSITIONS]
    places = subject.places(positions)
    return subject.library.floats(shape, dtype), places, x


def gradient(context: Context) -> Finding:
    """Automatic differentiation against the transpose of the measured matrices."""
    subject, measured = context.subject, context.measured
    positions = [p for p in POSITIONS if p in measured.index]
    if len(positions) < len(POSITIONS) or subject.axes > 1:
        return skipped("gradient", GRADIENT, "not all of positions 0, 1, 2, 85 are accepted")
    x, places, _ = _arguments(context)
    weights = np.round(8 * np.random.default_rng(3).standard_normal(x.shape)) / 8
    try:
        found = (_torch_gradient if subject.library.name == "torch" else _jax_gradient)(
            context, x, places, weights
        )
    except Exception as raised:  # the subject is not ours
        first = (str(raised).strip() or "no message").splitlines()[0]
        return Finding(
            "gradient", Verdict.REFUTED, GRADIENT, "no gradient flows",
            f"differentiating raised {type(raised).__name__}: {first}",
            reproduce=gradient_of(subject, 1, measured.dtype),
        )  # fmt: skip
    flat = subject.form == "flat"
    w = weights[None] if flat else unshaped(weights, subject.form)
    g = found[None] if flat else unshaped(found, subject.form)
    matrices = measured.query[[measured.index[p] for p in positions]]
    right = np.einsum("nij,rni->rnj", matrices, w)
    gap = np.linalg.norm(g - right, axis=-1)
    size = np.maximum(np.linalg.norm(right, axis=-1), 2.0**-60)
    error = float(np.nan_to_num(gap / size, nan=np.inf).max())
    tolerance = 8.0 * context.recovered.arithmetic.constant(_size(context))
    place = int((gap / size).max(axis=0).argmax())
    return judged(
        "gradient",
        GRADIENT,
        error,
        tolerance,
        detail=f"worst difference {error:.1e} ({tolerance:.1e} allowed)",
        witness=f"position {positions[place]}: the gradient is off by {error:.2g} of its norm",
        reproduce=gradient_of(subject, positions[place], measured.dtype),
    )


def clock(context: Context) -> Finding:
    """The derivative in t, for learned clocks: F′(t) = F(t)Xᵀ, finite at position 0 as well."""
    subject, measured, recovered = context.subject, context.measured, context.recovered
    if subject.library.name != "torch" or not recovered.fits:
        return skipped("clock", CLOCK, "asked of PyTorch subjects with a generator")
    positions = [p for p in POSITIONS if p in measured.index]
    x = np.array(same_vector(subject, len(positions)))
    try:
        found = _clock_gradient(context, x, positions)
    except Exception as raised:  # the subject is not ours
        return skipped("clock", CLOCK, f"positions carry no gradient ({type(raised).__name__})")
    matrices = measured.query[[measured.index[p] for p in positions]] @ recovered.matrix().T
    right = np.einsum("nij,nj->n", matrices, x[0])
    size = np.linalg.norm(matrices, axis=(1, 2)) * float(np.linalg.norm(x[0, 0])) + 2.0**-60
    ratio = np.nan_to_num(np.abs(found - right) / size, nan=np.inf)
    place = int(ratio.argmax())
    frequency = max(p.frequency for p in recovered.parts)
    at = np.array(positions, dtype=np.float64)
    room = 8.0 * recovered.arithmetic.tolerance(at, frequency, 0.0, _size(context)).max()
    return judged(
        "clock", CLOCK, float(ratio[place]), float(room),
        detail=f"worst difference {ratio[place]:.1e} ({room:.1e} allowed)",
        witness=f"position {positions[place]}: the derivative is {found[place]:.6g}, exact is "
        f"{right[place]:.6g}",
    )  # fmt: skip


def _clock_gradient(context: Context, x: Array, positions: list[int]) -> Array:
    import torch

    subject = context.subject
    shape = x[0] if subject.form == "flat" else shaped(x, subject.form)
    given = subject.library.floats(shape, context.measured.dtype)
    places = torch.tensor(positions, dtype=torch.float64, requires_grad=True)
    subject.query(given, places[None] if subject.batched else places).sum().backward()
    result: Array = places.grad.numpy()
    return result


def _size(context: Context) -> int:
    return max(len(g) for g in context.measured.groups)


def _torch_gradient(context: Context, x: Any, places: Any, weights: Array) -> Array:
    import torch

    leaf = x.clone().requires_grad_(True)
    y = context.subject.query(leaf, places)
    (y * torch.from_numpy(weights).to(y.dtype)).sum().backward()
    result: Array = leaf.grad.to(torch.float64).numpy()
    return result


def _jax_gradient(context: Context, x: Any, places: Any, weights: Array) -> Array:
    import jax

    total = jax.grad(lambda v: (context.subject.query(v, places) * weights).sum())
    return np.asarray(total(x), dtype=np.float64)


def _compared(
    context: Context, question: str, statement: str, transform: Callable[[Context, Any, Any], Any]
) -> Finding:
    """A transformed call against a plain one."""
    x, places, _ = _arguments(context)
    try:
        plain, _ = context.subject.library.fetch(context.subject.query(x, places))
    except Exception as error:  # the subject is not ours
        return skipped(question, statement, f"the call raised {type(error).__name__}")
    try:
        values, _ = context.subject.library.fetch(transform(context, x, places))
    except Exception as raised:  # the compiler or the subject may raise anything
        first = (str(raised).strip() or "no message").splitlines()[0]
        return skipped(question, statement, f"it raised {type(raised).__name__}: {first[:120]}")
    if values.shape != plain.shape:
        return skipped(question, statement, f"it returned shape {values.shape}")
    scale = max(float(np.abs(plain).max()), 2.0**-60)
    gap = float(np.nan_to_num(np.abs(values - plain) / scale, nan=np.inf).max())
    return judged(
        question,
        statement,
        gap,
        8.0 * context.recovered.arithmetic.constant(_size(context)),
        detail=f"worst difference {gap:.1e}",
        witness=f"positions {POSITIONS}: results differ by {gap:.2g}",
    )


def _vmap(context: Context) -> Finding:
    """Where the first axis holds positions, mapping over it is no batch."""
    if PATTERNS[context.subject.form].startswith("n"):
        return skipped("vmap", VMAP, "the first axis of x holds positions")
    return _compared(context, "vmap", VMAP, _vmapped)


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
