"""The door to arrays: a floating-point generator is read as the dyadic rationals that it is.

A binary floating-point number is m·2^e with integers m and e, so an array of them is an exact
rational matrix: nothing is rounded, and everything decided of X is decided of those numbers.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symbolic_pe.array_names import ARRAY_SPEC, is_array_spec
from symbolic_pe.encodings.encoding import MAX_HEADS, Encoding
from symbolic_pe.encodings.specification import from_document, name_from_file
from symbolic_pe.errors import SpecificationError
from symbolic_pe.generators.generator import MAX_DENSE_DIMENSION
from symbolic_pe.reading import readable

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_ENTRIES = 1 << 18
"""Heads times d²: entries are written out exactly in the specification of the encoding."""
MAX_ARRAY_BYTES = 16 * MAX_ENTRIES
MAX_LISTED = 12

_NUMBERS = "float64, float32, float16, bfloat16 or an integer type"
_SHAPES = f"(d, d), or (heads, d, d), with d <= {MAX_DENSE_DIMENSION}"


def from_array(array: NDArray[Any], name: str = "encoding") -> Encoding:
    """The encoding whose generator is an array: (d, d), or (heads, d, d) for one per head.

    Entries of floating-point and integer arrays are taken exactly, x = m·2^e.

    >>> import numpy as np
    >>> from_array(np.array([[0.0, -0.1], [0.1, 0.0]])).heads[0].generator.matrix[1][0]
    Scalar(3602879701896397/36028797018963968)

    Raises `SpecificationError` for other shapes and types, and for entries that are not finite.
    """
    return _encoding(array, name, "the array")


def read_array(spec: str) -> Encoding:
    """Read SPEC that names an array: `m.npy`, `w.npz:name`, `w.safetensors:tensor.name`.

    The name may be left out when exactly one array of the file has the shape of a generator.
    Pickles are refused. Raises `SpecificationError`.
    """
    match = ARRAY_SPEC.fullmatch(spec.strip())
    if match is None:
        raise SpecificationError(f"{spec}: expected a file ending in .npy, .npz or .safetensors")
    path, kind, name = Path(match["path"]), match["kind"].lower(), match["name"]
    if path.exists() and not path.is_file():
        what = "a directory" if path.is_dir() else "no regular file"
        raise SpecificationError(f"{path}: expected a file, got {what}")
    if kind == "npy" and name is not None:
        raise SpecificationError(f"{spec}: a .npy file holds one array and takes no name")
    with readable(path):
        array, found = _READERS[kind](path, name)
    label = found.rsplit(".", 1)[-1] if found else ""
    title = name_from_file(f"{path.stem}-{label}" if label else path.stem)
    return _encoding(array, title, f"{path}: {found}" if found else str(path))


# -- arrays -----------------------------------------------------------------------------------


def _encoding(array: Any, name: str, place: str) -> Encoding:
    fault = _fault(tuple(array.shape), array.dtype.name)
    if fault:
        raise SpecificationError(f"{place}: {fault}")
    matrices = [
        [
            [_exact(x, f"{place}: {_position(h, i, j, array.ndim)}") for j, x in enumerate(row)]
            for i, row in enumerate(rows)
        ]
        for h, rows in enumerate(array if array.ndim == 3 else array[None])
    ]
    document = {"encoding": {"name": name}}
    if len(matrices) == 1:
        return from_document({**document, "generator": {"matrix": matrices[0]}})
    return from_document({**document, "generator": {"matrices": matrices}})


def _position(head: int, row: int, column: int, dimensions: int) -> str:
    inner = f"row {row + 1}, column {column + 1}"
    return inner if dimensions == 2 else f"head {head}, {inner}"


def _exact(x: Any, place: str) -> str:
    """An entry as p/q in lowest terms, in the input grammar."""
    try:
        p, q = (int(x), 1) if x.dtype.kind in "iu" else float(x).as_integer_ratio()
    except (OverflowError, ValueError):
        raise SpecificationError(
            f"{place}: expected a finite number, got {x} (a diverged run? a mask? replace it)"
        ) from None
    return str(p) if q == 1 else f"{p}/{q}"


def _fault(shape: tuple[int, ...], dtype: str) -> str | None:
    """Why an array of this shape and type is no generator, or None."""
    if not _is_number(dtype):
        hint = " (bfloat16 loses its type in .npy files: save it as float32, which is exact)"
        return f"expected {_NUMBERS}, got {dtype}{hint if dtype == 'void16' else ''}"
    if len(shape) not in (2, 3) or shape[-1] != shape[-2] or 0 in shape:
        return f"expected the shape {_SHAPES}, got {shape}"
    if shape[-1] > MAX_DENSE_DIMENSION:
        return f"expected the shape {_SHAPES}, got {shape}; give a larger generator as blocks"
    heads = shape[0] if len(shape) == 3 else 1
    entries = heads * shape[-1] ** 2
    if heads > MAX_HEADS or entries > MAX_ENTRIES:
        return (
            f"expected at most {MAX_HEADS} heads and {MAX_ENTRIES} entries, got {heads} and "
            f"{entries}; give the heads in several files"
        )
    return None


def _is_number(dtype: str) -> bool:
    return re.fullmatch(r"b?float16|float32|float64|u?int\d+", dtype) is not None


# -- files ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Stored:
    """What a file says of one array before it is loaded."""

    shape: tuple[int, ...]
    dtype: str


def _read_npy(path: Path, _: str | None) -> tuple[Any, str]:
    import numpy as np

    with path.open("rb") as stream:
        stored = _npy_header(stream)
    fault = _fault(stored.shape, stored.dtype)
    if fault:
        raise SpecificationError(f"{path}: {fault}")
    return np.load(path, allow_pickle=False), ""


def _read_npz(path: Path, name: str | None) -> tuple[Any, str]:
    import numpy as np

    with zipfile.ZipFile(path) as archive:
        stored: dict[str, _Stored] = {}
        for member in archive.infolist():
            if member.filename.endswith(".npy"):
                with archive.open(member) as stream:
                    stored[member.filename.removesuffix(".npy")] = _npy_header(stream)
        chosen = _choose(path, name, stored)
        if archive.getinfo(f"{chosen}.npy").file_size > MAX_ARRAY_BYTES:
            raise SpecificationError(f"{path}: {chosen}: more bytes than its shape needs")
    with np.load(path, allow_pickle=False) as arrays:
        return arrays[chosen], chosen


def _npy_header(stream: Any) -> _Stored:
    """Shape and type of an array in the .npy format, without its entries."""
    from numpy.lib import format as npy

    version = npy.read_magic(stream)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, dtype = read(stream)
    return _Stored(shape, dtype.name)


_SAFETENSORS_TYPES = {
    "F64": "float64",
    "F32": "float32",
    "F16": "float16",
    "BF16": "bfloat16",
    **{f"{kind}{bits}": f"{name}{bits}" for kind, name in (("I", "int"), ("U", "uint"))
       for bits in (8, 16, 32, 64)},
}  # fmt: skip


def _read_safetensors(path: Path, name: str | None) -> tuple[Any, str]:
    import ml_dtypes  # noqa: F401  (registers bfloat16 with NumPy)
    from safetensors import SafetensorError, safe_open

    if not path.exists():
        raise FileNotFoundError
    try:
        with safe_open(str(path), "np") as tensors:
            stored = {}
            for key in tensors.keys():  # noqa: SIM118  (no mapping)
                part = tensors.get_slice(key)
                kind = part.get_dtype()
                shape = tuple(part.get_shape())
                stored[key] = _Stored(shape, _SAFETENSORS_TYPES.get(kind, kind))
            chosen = _choose(path, name, stored)
            return tensors.get_tensor(chosen), chosen
    except SafetensorError as error:
        raise SpecificationError(f"{path}: cannot be read: {error}") from None


def _choose(path: Path, name: str | None, stored: Mapping[str, _Stored]) -> str:
    """The array asked for, or the only one that can be a generator."""
    if name is not None:
        if name not in stored:
            raise SpecificationError(f"{path}: no array {name!r}; it has {_listed(stored)}")
        fault = _fault(stored[name].shape, stored[name].dtype)
        if fault:
            raise SpecificationError(f"{path}: {name}: {fault}")
        return name
    suitable = {n: s for n, s in stored.items() if _fault(s.shape, s.dtype) is None}
    if len(suitable) == 1:
        return next(iter(suitable))
    if suitable:
        raise SpecificationError(
            f"{path}: several arrays can be a generator; say which as {path}:NAME, one of "
            f"{_listed(suitable)}"
        )
    raise SpecificationError(
        f"{path}: expected an array of {_NUMBERS} and shape {_SHAPES}; it has {_listed(stored)}"
    )


def _listed(stored: Mapping[str, _Stored]) -> str:
    names = [f"{n} {s.dtype}{list(s.shape)}" for n, s in sorted(stored.items())]
    more = f", ... ({len(names)} in all)" if len(names) > MAX_LISTED else ""
    return (", ".join(names[:MAX_LISTED]) + more) or "no arrays"


_READERS: dict[str, Callable[[Path, str | None], tuple[Any, str]]] = {
    "npy": _read_npy,
    "npz": _read_npz,
    "safetensors": _read_safetensors,
}


__all__ = ["MAX_ENTRIES", "from_array", "is_array_spec", "read_array"]
