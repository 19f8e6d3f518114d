"""Queries and keys from files, and from a torch model through hooks.

An adapter is TOML: which modules give queries and keys before the encoding is applied, and which
one receives the heads side by side.

    query = "blocks.0.attention.query"     # outputs (batch, n, heads*d)
    key = "blocks.0.attention.key"
    output = "blocks.0.attention.output"   # takes (batch, n, heads*d)
    heads = 4
    key_heads = 4                          # fewer for grouped keys; default: heads
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numeric_check.spectrum.lens import deposit_index
from symbolic_pe.errors import SpecificationError
from symbolic_pe.reading import readable

Array = NDArray[Any]
KEYS = ("query", "key", "output", "heads", "key_heads")


def read_tensor(spec: str) -> Array:
    """An array from `file.npy` or `file.safetensors:name`. Raises `SpecificationError`."""
    name, _, tensor = spec.partition(".safetensors")
    if not _:
        path = Path(spec)
        if path.suffix != ".npy":
            raise SpecificationError(f"{spec}: expected a .npy file or file.safetensors:NAME")
        with readable(path):
            found: Array = np.load(path, allow_pickle=False)
        return _numbers(spec, found)
    path = Path(name + ".safetensors")
    if not tensor.startswith(":"):
        raise SpecificationError(f"{spec}: expected {path}:NAME with the name of a tensor")
    import ml_dtypes  # noqa: F401  (registers bfloat16 with NumPy)
    from safetensors import SafetensorError, safe_open

    if not path.exists():
        raise SpecificationError(f"{path}: no such file")
    try:
        with safe_open(str(path), "np") as tensors:
            return _numbers(spec, tensors.get_tensor(tensor[1:]))
    except SafetensorError as error:
        raise SpecificationError(f"{spec}: cannot be read: {error}") from None


def _numbers(spec: str, array: Array) -> Array:
    if array.dtype.kind not in "fiuV" or array.dtype.name == "void16":
        raise SpecificationError(f"{spec}: expected numbers, got {array.dtype}")
    return array.astype(np.float64)


@dataclass(frozen=True)
class HeadAdapter:
    """Names of modules of one attention layer; see the head of the module."""

    query: str
    key: str
    output: str
    heads: int
    key_heads: int

    @classmethod
    def read(cls, path: Path) -> HeadAdapter:
        """From a TOML file. Raises `SpecificationError`."""
        with readable(path, tomllib.TOMLDecodeError):
            table = tomllib.loads(path.read_text(encoding="utf-8"))
        unknown = sorted(set(table) - set(KEYS))
        missing = [k for k in KEYS[:4] if k not in table]
        if unknown or missing:
            raise SpecificationError(
                f"{path}: expected the keys {', '.join(KEYS)}; missing {missing}, unknown {unknown}"
            )
        names = {k: table[k] for k in KEYS[:3]}
        sizes = [table["heads"], table.get("key_heads", table["heads"])]
        if not all(isinstance(v, str) for v in names.values()) or not all(
            isinstance(v, int) and not isinstance(v, bool) and v > 0 for v in sizes
        ):
            raise SpecificationError(f"{path}: expected module names as text and heads as numbers")
        if sizes[0] % sizes[1]:
            raise SpecificationError(
                f"{path}: heads: expected a multiple of key_heads = {sizes[1]}, got {sizes[0]}"
            )
        return cls(names["query"], names["key"], names["output"], sizes[0], sizes[1])


def captured(model: Any, adapter: HeadAdapter, run: Callable[[], object]) -> tuple[Array, Array]:
    """Queries and keys (batch, heads, n, d) of one layer while `run()` calls the model.

    Grouped keys are repeated for every query head. Raises `SpecificationError` when a module does
    not exist, is not called, or has an output that does not split into heads.
    """
    seen: dict[str, Any] = {}

    def keep(name: str) -> Callable[[Any, Any, Any], None]:
        def hook(_module: Any, _inputs: Any, output: Any) -> None:
            if not hasattr(output, "detach"):
                raise SpecificationError(
                    f"adapter: {name}: expected a module with one tensor as output, got "
                    f"{type(output).__name__}"
                )
            seen[name] = output.detach().double().cpu().numpy()

        return hook

    handles = [
        _module(model, path).register_forward_hook(keep(name))
        for name, path in (("query", adapter.query), ("key", adapter.key))
    ]
    try:
        run()
    finally:
        for handle in handles:
            handle.remove()
    for name in ("query", "key"):
        if name not in seen:
            raise SpecificationError(f"adapter: the module of {name} was not called")
    queries = _split(seen["query"], adapter.heads, adapter.query)
    keys = _split(seen["key"], adapter.key_heads, adapter.key)
    return queries, np.repeat(keys, adapter.heads // adapter.key_heads, axis=1)


def _module(model: Any, path: str) -> Any:
    try:
        return model.get_submodule(path)
    except AttributeError as error:
        raise SpecificationError(f"adapter: no module {path!r}: {error}") from None


def _split(array: Array, heads: int, path: str) -> Array:
    if array.ndim != 3 or array.shape[-1] % heads:
        raise SpecificationError(
            f"adapter: {path}: expected an output (batch, n, heads*d) for {heads} heads, got "
            f"{array.shape}"
        )
    batch, n, width = array.shape
    return array.reshape(batch, n, heads, width // heads).transpose(0, 2, 1, 3)


@contextmanager
def ablated(model: Any, adapter: HeadAdapter, head: int) -> Iterator[None]:
    """The model with one head's output set to 0 where it enters the output projection.

    This takes out what the head contributes and nothing else: zeroing rows of values or columns of
    shared latent matrices does not.
    """
    if not 0 <= head < adapter.heads:
        raise SpecificationError(f"expected a head from 0 to {adapter.heads - 1}, got {head}")

    def hook(_module: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        if not inputs or inputs[0].shape[-1] % adapter.heads:
            shape = tuple(inputs[0].shape) if inputs else "no positional argument"
            raise SpecificationError(
                f"adapter: {adapter.output}: expected (batch, n, heads*d) for {adapter.heads} "
                f"heads as its first argument, got {shape}"
            )
        first = inputs[0].clone()
        size = first.shape[-1] // adapter.heads
        first[..., head * size : (head + 1) * size] = 0
        return (first, *inputs[1:])

    handle = _module(model, adapter.output).register_forward_pre_hook(hook)
    try:
        yield
    finally:
        handle.remove()


def head_deposit(
    model: Any, adapter: HeadAdapter, score: Callable[[], float]
) -> tuple[float, list[float], float | None]:
    """Score of the whole model, with each head ablated, and the deposit index."""
    full = score()
    found = []
    for head in range(adapter.heads):
        with ablated(model, adapter, head):
            found.append(score())
    return full, found, deposit_index(full, found)
