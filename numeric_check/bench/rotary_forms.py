"""Ways of applying RoPE to one tensor: ours as emitted, and those of other packages.

Every form is the same map on x of shape (batch, heads, positions, channels), checked against a
rotation in float64 before it is timed. Tables of cosines and sines are made beforehand wherever
the interface of a package allows it. Packages are optional; what is not installed is skipped with
a note, except Hugging Face's formula and the complex view, which are then restated here from
their published equations and labelled so.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from symbolic_pe.emit.plan import plan_kernel
from symbolic_pe.emit.source import emit
from symbolic_pe.encodings.catalogue import catalogue

BASE = 10000.0
LAYOUTS = ("interleaved", "half")
SINGLE, SHORT = ("float32",), ("bfloat16",)


@dataclass(frozen=True)
class Form:
    """One way of turning x.

    make     (x) → function of x that returns the turned tensor; it owns its tables
    tensors  how many tensors of the size of x one call turns
    fresh    True when the result is new memory, False when it is written into given memory
    library  `torch` or `numpy`, for what it is compared with
    dtypes   those that it takes
    compiles, differentiable  whether torch.compile and a backward pass are measured as well
    """

    name: str
    layout: str
    make: Callable[[Any], Callable[[Any], Any]]
    tensors: int = 1
    fresh: bool = True
    library: str = "torch"
    dtypes: tuple[str, ...] = ("float32", "bfloat16")
    compiles: bool = False
    differentiable: bool = False
    to_own: Callable[[Any], Any] = lambda x: x
    from_own: Callable[[Any], Any] = lambda x: x


@dataclass(frozen=True)
class Missing:
    """A package that is not measured, and why."""

    name: str
    reason: str


def forms(directory: Path, first: int) -> Iterator[Form | Missing]:
    """Every form at positions first, first + 1, …; emitted files are written to `directory`."""
    import torch

    def positions(x: Any) -> Any:
        return first + torch.arange(x.shape[-2])

    for layout in LAYOUTS:
        yield from _ours_torch(directory, layout, positions)
    for layout in LAYOUTS:
        yield from _ours_numpy(directory, layout, first)
    yield _complex_view(torch, positions)
    yield _hugging_face(torch, positions)
    for peer in (_rotary_embedding_torch, _x_transformers, _torchtune):
        try:
            yield peer(first)
        except Exception as error:
            name = peer.__name__[1:].replace("_", "-")
            yield Missing(name, f"{type(error).__name__}: {str(error).strip().splitlines()[0]}")
    yield _matrix_exponentials(torch, positions)


# -- ours ---------------------------------------------------------------------------------------


def emitted_module(directory: Path, layout: str, target: str, dimension: int) -> types.ModuleType:
    """The emitted RoPE of this layout, imported as a user would."""
    plan = plan_kernel(catalogue("rope", {"dim": str(dimension), "layout": layout}))
    command = f"symbolic-pe build rope:dim={dimension},layout={layout} --target {target}"
    kernel = emit(plan, target, command=command, certificate_digest="not written")
    name = f"emitted_rope_{layout}_{target}_{dimension}"
    path = directory / f"{name}.py"
    path.write_text(kernel.text, encoding="utf-8")
    return _imported(name, path)


def _imported(name: str, path: Path) -> types.ModuleType:
    specification = importlib.util.spec_from_file_location(name, path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    return module


def _ours_torch(directory: Path, layout: str, positions: Callable[[Any], Any]) -> Iterator[Form]:
    import torch

    def module(x: Any) -> Any:
        return emitted_module(directory, layout, "torch", x.shape[-1])

    def table(x: Any) -> Any:
        return module(x).rotary_table(positions(x), dtype=torch.float32)

    def turn(x: Any) -> Callable[[Any], Any]:
        function, made = module(x).turn, table(x)
        return lambda y: function(y, made)

    def turn_words(x: Any) -> Callable[[Any], Any]:
        function, made = module(x).turn_words, table(x)
        return lambda y: function(y, made)

    def turn_into(x: Any) -> Callable[[Any], Any]:
        function, made, out = module(x).turn_into, table(x), torch.empty_like(x)
        return lambda y: function(out, y, made)

    def in_place(x: Any) -> Callable[[Any], Any]:
        function, made = module(x).turn_into, table(x)
        return lambda y: function(y, y, made)

    def whole(x: Any) -> Callable[[Any], Any]:
        function, position = module(x).transform_query, positions(x)
        return lambda y: function(y, position)

    yield Form("ours torch turn_into", layout, turn_into, fresh=False, dtypes=SINGLE)
    yield Form("ours torch turn_into, in place", layout, in_place, fresh=False, dtypes=SINGLE)
    yield Form("ours torch turn", layout, turn, compiles=True, differentiable=True)
    if layout == "interleaved":
        yield Form("ours torch turn_words", layout, turn_words, dtypes=SHORT, compiles=True)
    yield Form("ours torch transform_query (makes its table)", layout, whole)


def _ours_numpy(directory: Path, layout: str, first: int) -> Iterator[Form]:
    import numpy as np

    def module(x: Any) -> Any:
        return emitted_module(directory, layout, "numpy", x.shape[-1])

    def table(x: Any) -> Any:
        return module(x).rotary_table(first + np.arange(x.shape[-2]), dtype=np.float32)

    def turn(x: Any) -> Callable[[Any], Any]:
        function, made = module(x).turn, table(x)
        return lambda y: function(y, made)

    def turn_into(x: Any) -> Callable[[Any], Any]:
        function, made, out = module(x).turn_into, table(x), np.empty_like(x)
        return lambda y: function(out, y, made)

    def in_place(x: Any) -> Callable[[Any], Any]:
        function, made = module(x).turn_into, table(x)
        return lambda y: function(y, y, made)

    for name, make in (("turn_into", turn_into), ("turn_into, in place", in_place)):
        yield Form(f"ours NumPy {name}", layout, make, fresh=False, library="numpy", dtypes=SINGLE)
    yield Form("ours NumPy turn", layout, turn, library="numpy")


# -- others -------------------------------------------------------------------------------------


def _single_precision_angles(torch: Any, position: Any, dimension: int) -> Any:
    """position·θ in float32, as the packages form it."""
    frequency = 1.0 / BASE ** (torch.arange(0, dimension, 2).float() / dimension)
    return position.float()[:, None] * frequency


def _complex_view(torch: Any, positions: Callable[[Any], Any]) -> Form:
    def make(x: Any) -> Callable[[Any], Any]:
        angle = _single_precision_angles(torch, positions(x), x.shape[-1])
        unit = torch.polar(torch.ones_like(angle), angle)

        def run(y: Any) -> Any:
            planes = torch.view_as_complex(y.float().reshape(*y.shape[:-1], -1, 2))
            return torch.view_as_real(planes * unit).flatten(-2).type_as(y)

        return run

    return Form("complex view (restated)", "interleaved", make, compiles=True, differentiable=True)


def _hugging_face(torch: Any, positions: Callable[[Any], Any]) -> Form:
    name = "Hugging Face apply_rotary_pos_emb"
    apply: Callable[..., tuple[Any, Any]] = _by_exchanged_halves
    try:
        llama = importlib.import_module("transformers.models.llama.modeling_llama")
        apply = llama.apply_rotary_pos_emb
    except Exception:  # whatever keeps it from being imported
        name += " (restated)"

    def make(x: Any) -> Callable[[Any], Any]:
        angle = _single_precision_angles(torch, positions(x), x.shape[-1])
        both = torch.cat((angle, angle), dim=-1)[None]
        cosine, sine = both.cos().to(x.dtype), both.sin().to(x.dtype)
        key = x.detach().clone()
        return lambda y: apply(y, key, cosine, sine)

    return Form(
        name,
        "half",
        make,
        tensors=2,
        compiles=True,
        differentiable=True,
        from_own=lambda pair: pair[0],
    )


def _by_exchanged_halves(query: Any, key: Any, cosine: Any, sine: Any) -> tuple[Any, Any]:
    """x·cos + (−second half, first half)·sin on both tensors, every step a tensor of its own."""
    import torch

    cosine, sine = cosine.unsqueeze(1), sine.unsqueeze(1)

    def one(x: Any) -> Any:
        left, right = x.chunk(2, dim=-1)
        return x * cosine + torch.cat((-right, left), dim=-1) * sine

    return one(query), one(key)


def _rotary_embedding_torch(first: int) -> Form:
    package: Any = importlib.import_module("rotary_embedding_torch")

    def make(x: Any) -> Callable[[Any], Any]:
        module = package.RotaryEmbedding(dim=x.shape[-1])
        return lambda y: module.rotate_queries_or_keys(y, offset=first)

    return Form("rotary-embedding-torch", "interleaved", make, differentiable=True)


def _x_transformers(first: int) -> Form:
    import torch

    package: Any = importlib.import_module("x_transformers.x_transformers")

    def make(x: Any) -> Callable[[Any], Any]:
        module = package.RotaryEmbedding(x.shape[-1])
        frequencies, scale = module(first + torch.arange(x.shape[-2]))
        return lambda y: package.apply_rotary_pos_emb(y, frequencies, scale)

    return Form("x-transformers", "interleaved", make, differentiable=True)


def _torchtune(first: int) -> Form:
    import torch

    found = importlib.util.find_spec("torchtune")  # the package imports far more than this module
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError("No module named 'torchtune'")
    path = Path(found.submodule_search_locations[0]) / "modules" / "position_embeddings.py"
    package = _imported("torchtune_position_embeddings", path)

    def make(x: Any) -> Callable[[Any], Any]:
        n = x.shape[1]
        module = package.RotaryPositionalEmbeddings(x.shape[-1], max_seq_len=first + n)
        place = (first + torch.arange(n))[None]
        return lambda y: module(y, input_pos=place)

    def swapped(x: Any) -> Any:
        return x.transpose(1, 2).contiguous()

    return Form(
        "torchtune",
        "interleaved",
        make,
        differentiable=True,
        to_own=swapped,
        from_own=lambda y: y.transpose(1, 2),
    )


def _matrix_exponentials(torch: Any, positions: Callable[[Any], Any]) -> Form:
    def make(x: Any) -> Callable[[Any], Any]:
        angle = _single_precision_angles(torch, positions(x), x.shape[-1])
        turn = torch.tensor([[0.0, -1.0], [1.0, 0.0]])

        def run(y: Any) -> Any:
            blocks = torch.linalg.matrix_exp(angle[..., None, None] * turn).to(y.dtype)
            pairs = y.unflatten(-1, (-1, 2))
            return torch.einsum("njab,...njb->...nja", blocks, pairs).flatten(-2)

        return run

    return Form("matrix_exp of every 2x2 block (makes its table)", "interleaved", make)
