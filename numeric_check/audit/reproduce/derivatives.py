"""Lines about gradients and transforms: vmap, compile, export."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from numeric_check.audit.reproduce.writing import Writer, imports, one_row, places, shell
from numeric_check.audit.subject import MapSubject


def gradient_of(subject: MapSubject, position: int, dtype: str) -> str:
    """Print how far the gradient of the sum of the result is from the sums of the images."""
    writer = Writer(subject.library.name, dtype)
    shape, at = one_row(subject), places(subject, f"[{position}]", writer)
    x = f"{writer.unit(subject.dimension, '0')}.reshape({shape})"
    unit = writer.unit(subject.dimension)
    every = f"[f({unit}.reshape({shape}), {at}).sum() for i in range({subject.dimension})]"
    if subject.library.name == "jax":
        found = f"jax.grad(lambda x: f(x, {at}).sum())({x})"
        shown = f"print(abs({found}.reshape(-1) - jnp.array({every})).max())"
        return shell(f"{writer.head}; {imports(subject)}; {shown}")
    steps = f"x = {x}.requires_grad_(); f(x.clone(), {at}).sum().backward()"
    shown = f"print(abs(x.grad.reshape(-1) - torch.stack({every})).max())"
    return shell(f"{writer.head}; {imports(subject)}; {steps}; {shown}")


def requires_gradient(subject: MapSubject, dtype: str) -> str:
    """Print whether the result of PyTorch code requires a gradient when x does."""
    writer = Writer(subject.library.name, dtype)
    x = f"{writer.unit(subject.dimension, '0')}.reshape({one_row(subject)}).requires_grad_()"
    y = f"f({x}, {places(subject, '[1]', writer)})"
    return shell(f"{writer.head}; {imports(subject)}; print({y}.requires_grad)")


def derivative_of(subject: MapSubject, position: float, dtype: str) -> str:
    """Print the sum of the image of ones at a real position, and its derivative in the position."""
    writer = Writer(subject.library.name, dtype)
    x = writer.ones(one_row(subject, "1"))
    at = "p[None]" if subject.batched else "p"
    if subject.library.name == "jax":
        call = f"g = lambda p: f({x}, {at}).sum()"
        shown = f"p = jnp.array([{position}]); print(g(p), jax.grad(g)(p))"
        return shell(f"{writer.head}; {imports(subject)}; {call}; {shown}")
    p = f"p = torch.tensor([{position}], dtype=torch.float64, requires_grad=True)"
    steps = f"{p}; y = f({x}, {at}).sum(); y.backward(); print(float(y.detach()), float(p.grad))"
    return shell(f"{writer.head}; {imports(subject)}; {steps}")


def vmapped(subject: MapSubject, shape: Sequence[int], at: Sequence[int], dtype: str) -> str:
    """Print how far vmap over the first axis is from the plain call."""
    vmap = "jax.vmap" if subject.library.name == "jax" else "torch.func.vmap"
    return _transformed(subject, shape, at, dtype, f"{vmap}(lambda r: f(r[None], P)[0])(x)")


def compiled(subject: MapSubject, shape: Sequence[int], at: Sequence[int], dtype: str) -> str:
    """Print how far the compiled call is from the plain one."""
    call = "torch.compile(f, fullgraph=True, backend='aot_eager')(x, P)"
    return _transformed(subject, shape, at, dtype, call)


def exported(subject: MapSubject, shape: Sequence[int], at: Sequence[int], dtype: str) -> str:
    """Print how far the exported call is from the plain one."""
    module = "type('M', (torch.nn.Module,), {'forward': lambda self, x, P: f(x, P)})()"
    call = f"torch.export.export({module}, (x, P)).module()(x, P)"
    return _transformed(subject, shape, at, dtype, call)


def _transformed(
    subject: MapSubject, shape: Sequence[int], at: Sequence[int], dtype: str, call: str
) -> str:
    writer = Writer(subject.library.name, dtype)
    count = int(np.prod(list(shape)))
    x = f"{writer.module}.linspace(-1, 1, {count}, dtype={writer.kind()})"
    x = f"x = {x}.reshape({', '.join(map(str, shape))})"
    steps = f"{x}; P = {places(subject, str(list(at)), writer)}"
    shown = f"print(abs({call} - f(x, P)).max())"
    return shell(f"{writer.head}; {imports(subject)}; {steps}; {shown}")
