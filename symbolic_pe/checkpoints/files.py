"""Checkpoint files read as bytes and written again with the rows of some tensors permuted.

A permutation changes no number, so numbers are never decoded: headers are copied as they are, and
a permuted tensor is the same runs of bytes in another order. Every element type is covered, those
that NumPy does not know included, and the output has the size of the input.
"""

from __future__ import annotations

import json
import re
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import IO, Any

from symbolic_pe.checkpoints.selection import Change, Tensor
from symbolic_pe.encodings.permutation import ChannelPermutation
from symbolic_pe.errors import SpecificationError
from symbolic_pe.reading import readable

SUFFIXES = (".npy", ".npz", ".safetensors")
INDEX = "model.safetensors.index.json"
MAX_INDEX_BYTES = 64_000_000
COPIED_AT_ONCE = 1 << 24


@dataclass(frozen=True)
class Stored:
    """Where a tensor lies: bytes `start` to `end` of its file or archive member.

    fortran  the first axis varies fastest, as in .npy files of column-major arrays
    """

    tensor: Tensor
    start: int
    end: int
    fortran: bool = False


@dataclass(frozen=True)
class Part:
    """One file of a checkpoint, its tensors in the order of their bytes."""

    name: str
    path: Path
    stored: tuple[Stored, ...]


@dataclass(frozen=True)
class Checkpoint:
    """The files of a checkpoint, and those that are copied unread."""

    parts: tuple[Part, ...]
    is_folder: bool
    copied: Mapping[str, Path] = field(default_factory=dict)

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """Every tensor of every file."""
        return tuple(s.tensor for part in self.parts for s in part.stored)


def open_checkpoint(path: Path) -> Checkpoint:
    """Names, shapes and places of the tensors of a file or of a folder with an index.

    Raises `SpecificationError` for what is missing, damaged or of another kind.
    """
    with _readable(path):
        if path.is_dir():
            return _open_folder(path)
        if not path.exists():
            raise SpecificationError(f"{path}: no such file")
        if not path.is_file() or path.suffix.lower() not in SUFFIXES:
            raise SpecificationError(
                f"{path}: expected a file ending in {', '.join(SUFFIXES)}, or a folder with {INDEX}"
            )
        return Checkpoint((_open_part(path, path.name),), is_folder=False)


def write_part(
    part: Part, changes: Mapping[str, Change], permutation: ChannelPermutation, stream: IO[bytes]
) -> None:
    """Write a file again, with the heads of the changed tensors permuted.

    Raises `SpecificationError` when the file cannot be read as it was when it was opened.
    """
    if part.path.suffix.lower() == ".npz":
        _write_archive(part, changes, permutation, stream)
        return
    with _readable(part.path):
        source = part.path.open("rb")
    with source:
        _write_tensors(part.stored, changes, permutation, source, stream)


def permute_bytes(data: bytes, stored: Stored, change: Change, p: ChannelPermutation) -> bytes:
    """The bytes of a tensor with every head of one axis permuted.

    Raises `SpecificationError` when elements along the axis do not start at whole bytes.
    """
    import numpy as np

    shape, axis = stored.tensor.shape, change.axis
    if stored.fortran:
        shape, axis = shape[::-1], len(shape) - 1 - axis
    outer, length = prod(shape[:axis]), shape[axis]
    inner, rest = divmod(len(data), outer * length)
    if rest:
        raise SpecificationError(
            f"{stored.tensor.name}: {stored.tensor.dtype} packs several rows into one byte"
        )
    index = np.arange(length)
    sources = np.array(p.sources)
    for offset in change.offsets:
        index[offset : offset + len(sources)] = offset + sources
    rows = np.frombuffer(data, dtype=np.uint8).reshape(outer, length, inner)
    return np.take(rows, index, axis=1).tobytes()


# -- reading ----------------------------------------------------------------------------------


def _readable(path: Path) -> AbstractContextManager[None]:
    from safetensors import SafetensorError

    return readable(path, SafetensorError, NotImplementedError, RuntimeError, zlib.error)


def _open_part(path: Path, name: str) -> Part:
    if not path.is_file():
        what = "expected a regular file" if path.exists() else "no such file"
        raise SpecificationError(f"{path}: {what}")
    read = {".npy": _npy, ".npz": _npz, ".safetensors": _safetensors}[path.suffix.lower()]
    stored = tuple(read(path, name))
    names = [s.tensor.name for s in stored]
    if len(set(names)) != len(names):
        raise SpecificationError(f"{path}: two tensors of the same name")
    return Part(name, path, stored)


def _open_folder(path: Path) -> Checkpoint:
    index = path / INDEX
    if not index.is_file():
        single = path / "model.safetensors"
        if single.is_file():
            return Checkpoint((_open_part(single, single.name),), is_folder=True)
        raise SpecificationError(f"{path}: expected a folder with {INDEX} or model.safetensors")
    if index.stat().st_size > MAX_INDEX_BYTES:
        raise SpecificationError(f"{index}: expected at most {MAX_INDEX_BYTES} bytes")
    document = json.loads(index.read_text(encoding="utf-8"))
    weight_map = document.get("weight_map") if isinstance(document, dict) else None
    if not isinstance(weight_map, dict) or not weight_map:
        raise SpecificationError(f"{index}: expected an object 'weight_map' from tensors to files")
    files = list(dict.fromkeys(weight_map.values()))
    for file in files:
        # A file outside the folder would be written outside the output.
        if not isinstance(file, str) or not re.fullmatch(r"[\w.\-]+\.safetensors", file):
            raise SpecificationError(
                f"{index}: expected names of .safetensors files in this folder, got {file!r}"
            )
    parts = tuple(_open_part(path / file, file) for file in sorted(files))
    found = {s.tensor.name: part.name for part in parts for s in part.stored}
    if sum(len(part.stored) for part in parts) != len(found) or found != weight_map:
        wrong = sorted(
            {n for n in found.keys() | weight_map.keys() if found.get(n) != weight_map.get(n)}
        )
        what = f"{wrong[0]!r} is elsewhere" if wrong else "a tensor is in two files"
        raise SpecificationError(f"{index}: does not agree with its files: {what}")
    return Checkpoint(parts, is_folder=True, copied={INDEX: index})


def _npy(path: Path, name: str) -> list[Stored]:
    with path.open("rb") as stream:
        stored = _npy_header(stream, path.stem, name, path.stat().st_size)
    return [stored]


def _npz(path: Path, name: str) -> list[Stored]:
    stored = []
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if member.filename.endswith(".npy"):
                title = member.filename.removesuffix(".npy")
                with archive.open(member) as stream:
                    stored.append(_npy_header(stream, title, name, member.file_size))
    return stored


def _npy_header(stream: IO[bytes], title: str, file: str, size: int) -> Stored:
    from numpy.lib import format as npy

    version = npy.read_magic(stream)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran, dtype = read(stream)
    if dtype.hasobject:
        raise SpecificationError(f"{file}: {title}: expected numbers, got Python objects")
    start = stream.tell()
    if size - start != prod(shape) * dtype.itemsize:
        raise SpecificationError(f"{file}: {title}: its size is not that of its shape {shape}")
    return Stored(Tensor(title, tuple(shape), dtype.name, file), start, size, fortran)


def _safetensors(path: Path, name: str) -> list[Stored]:
    from safetensors import safe_open

    with safe_open(str(path), "np"):
        pass  # the library has checked the header, types, sizes and gaps
    with path.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        header: dict[str, Any] = json.loads(stream.read(length))
    header.pop("__metadata__", None)
    stored = []
    for key, entry in header.items():
        start, end = entry["data_offsets"]
        tensor = Tensor(key, tuple(entry["shape"]), entry["dtype"], name)
        stored.append(Stored(tensor, 8 + length + start, 8 + length + end))
    return sorted(stored, key=lambda s: (s.start, s.end))


# -- writing ----------------------------------------------------------------------------------


def _write_tensors(
    stored: Sequence[Stored],
    changes: Mapping[str, Change],
    permutation: ChannelPermutation,
    source: IO[bytes],
    stream: IO[bytes],
) -> None:
    """Everything between changed tensors as it is, headers included."""
    position = 0
    for item in stored:
        change = changes.get(item.tensor.name)
        if change is None:
            continue
        _copy(source, stream, item.start - position, item.tensor.file)
        data = _read(source, item.end - item.start, item.tensor.file)
        if len(data) != item.end - item.start:
            raise _shorter(item.tensor.file)
        stream.write(permute_bytes(data, item, change, permutation))
        position = item.end
    while chunk := _read(source, COPIED_AT_ONCE, "the rest of a file"):
        stream.write(chunk)


def _copy(source: IO[bytes], stream: IO[bytes], count: int, place: str) -> None:
    while count > 0:
        chunk = _read(source, min(count, COPIED_AT_ONCE), place)
        if not chunk:
            raise _shorter(place)
        stream.write(chunk)
        count -= len(chunk)


def _read(source: IO[bytes], count: int, place: str) -> bytes:
    """Bytes of the input; what fails here is no fault of the output."""
    with _readable(Path(place)):
        return source.read(count)


def _shorter(place: str) -> SpecificationError:
    return SpecificationError(f"{place}: became shorter while it was read")


def _write_archive(
    part: Part, changes: Mapping[str, Change], permutation: ChannelPermutation, stream: IO[bytes]
) -> None:
    stored = {s.tensor.name: s for s in part.stored}
    with _readable(part.path):
        archive = zipfile.ZipFile(part.path)
    with archive, zipfile.ZipFile(stream, "w") as output:
        for member in archive.infolist():
            written = zipfile.ZipInfo(member.filename, member.date_time)
            written.compress_type = member.compress_type
            written.external_attr = member.external_attr
            written.comment = member.comment
            of_array = member.filename.endswith(".npy")
            items = (stored[member.filename.removesuffix(".npy")],) if of_array else ()
            with _readable(part.path):
                source = archive.open(member)
            with source, output.open(written, "w", force_zip64=True) as target:
                _write_tensors(items, changes, permutation, source, target)
