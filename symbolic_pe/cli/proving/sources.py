"""Which specifications the arguments of `prove` name: catalogue names, files, and directories.

A directory is searched for `*.toml`, `config.json`, other `*.json` with the keys of a
specification, and arrays (`*.npy`, `*.npz`, `*.safetensors`). Everything else is left alone, and
the list of what was left alone says why. Directories that are links are searched after all others
and once each, so that links in a circle end.
"""

from __future__ import annotations

import fnmatch
import os
import stat
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from symbolic_pe.array_names import ARRAY_SPEC

TEXTS = (".toml", ".json")
ARRAYS = (".npy", ".npz", ".safetensors")
CONFIGURATION = "config.json"
KEYS = frozenset({"matrix", "matrices", "blocks", "generator", "catalogue", "step", "axes"})
"""A JSON object with one of these is a specification."""
SETTINGS_OF_TOOLS = frozenset({"pyproject.toml", "ruff.toml", ".ruff.toml", "Cargo.toml"})
MAX_JSON_BYTES = 4_000_000
MAX_ARRAY_BYTES = 64_000_000


@dataclass(frozen=True)
class Source:
    """One specification.

    label    how it is named in every output, in valid Unicode
    spec     what is read
    path     the file that it is in, None for a catalogue name
    problem  why it cannot be judged, where that is known before it is read
    """

    label: str
    spec: str
    path: Path | None = None
    problem: str = ""


@dataclass(frozen=True)
class LeftAlone:
    """What was found and is not judged."""

    label: str
    reason: str


@dataclass(frozen=True)
class Sources:
    """Everything that the arguments name, in their order, each directory in order of names."""

    found: tuple[Source, ...]
    left_alone: tuple[LeftAlone, ...]
    several: bool
    searched: bool


def sources(arguments: Sequence[str], exclude: Sequence[str] = ()) -> Sources:
    """What the arguments of `prove` name.

    `exclude` are patterns of paths relative to a directory, or of their last part.
    """
    search = _Search(tuple(exclude))
    searched = False
    for argument in arguments:
        path = Path(argument) if argument.strip() else None
        if path is not None and path.is_dir() and ARRAY_SPEC.fullmatch(argument) is None:
            searched = True
            search.directory(path)
        else:
            search.named(argument)
    several = searched or len(arguments) > 1
    return Sources(tuple(search.found), tuple(search.left_alone), several, searched)


def shown(path: str | Path) -> str:
    """A path in valid Unicode: bytes that are none are written as \\xNN."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


@dataclass
class _Search:
    exclude: tuple[str, ...]
    found: list[Source] = field(default_factory=list)
    left_alone: list[LeftAlone] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    """Labels by what was named: a resolved path, or a text that names no file."""
    repeated: bool = False

    def named(self, argument: str) -> None:
        """An argument that is no directory is judged whatever its name is."""
        match = ARRAY_SPEC.fullmatch(argument.strip())
        path = Path(match["path"]) if match else Path(argument)
        is_text = argument.lower().endswith(TEXTS)
        if match or is_text:
            member = (match["name"] or "") if match else ""
            self._add(Source(shown(argument), argument, path), f"{os.path.realpath(path)}:{member}")
        else:
            self._add(Source(shown(argument), argument), f" {argument.strip()}")

    def directory(self, root: Path) -> None:
        """Everything below a directory: what is no link first."""
        before = len(self.found), len(self.left_alone)
        visited: set[tuple[int, int]] = set()
        links: list[Path] = []
        files = [*self._walk(root, root, visited, links)]
        for link in links:  # grows while it is read
            files += self._walk(link, root, visited, links)
        here = _Search(self.exclude, files=self.files)
        for path in sorted(files, key=lambda p: (p.is_symlink(), p.parts)):
            here.file(path, root)
        self.found += sorted(here.found, key=lambda s: Path(s.spec).parts)
        self.left_alone += here.left_alone
        self.left_alone[before[1] :] = sorted(
            self.left_alone[before[1] :], key=lambda item: item.label
        )
        if len(self.found) == before[0] and not here.repeated:
            others = len(self.left_alone) - before[1]
            more = f" ({others} left alone; -v lists what and why)" if others else ""
            self.found.append(
                Source(
                    shown(root),
                    str(root),
                    problem=f"{shown(root)}: expected specifications (*.toml, config.json, *.json "
                    f"with a matrix, *.npy, *.npz, *.safetensors), found none{more}",
                )
            )

    def file(self, path: Path, root: Path) -> None:
        """A file of a directory: judged, or left alone with the reason."""
        reason = self._excluded(path, root) or _unrelated(path)
        if reason:
            self._leave(path, reason)
        else:
            self._add(Source(shown(path), str(path), path), f"{os.path.realpath(path)}:")

    def _add(self, source: Source, identity: str) -> None:
        if identity in self.files:
            self.repeated = True
            self.left_alone.append(
                LeftAlone(source.label, f"the same as {self.files[identity]}, judged once")
            )
            return
        self.files[identity] = source.label
        self.found.append(source)

    def _leave(self, path: Path, reason: str) -> None:
        self.left_alone.append(LeftAlone(shown(path), reason))

    def _excluded(self, path: Path, root: Path) -> str:
        below = path.relative_to(root).as_posix()
        for pattern in self.exclude:
            if any(fnmatch.fnmatchcase(name, pattern) for name in (below, path.name)):
                return f"excluded by {pattern!r}"
        return ""

    def _walk(
        self, start: Path, root: Path, visited: set[tuple[int, int]], links: list[Path]
    ) -> Iterator[Path]:
        pending = [start]
        while pending:
            directory = pending.pop()
            try:
                status = directory.stat()
                names = sorted(os.listdir(directory))
            except OSError as error:
                self.found.append(_unreadable(directory, error))
                continue
            if (status.st_dev, status.st_ino) in visited:
                self._leave(directory, "a link to a directory that is searched already")
                continue
            visited.add((status.st_dev, status.st_ino))
            for name in names:
                path = directory / name
                if name.startswith("."):
                    self._leave(path, "hidden")
                elif not path.is_dir():
                    yield path
                elif reason := self._excluded(path, root):
                    self._leave(path, reason)
                else:
                    (links if path.is_symlink() else pending).append(path)


def _unreadable(directory: Path, error: OSError) -> Source:
    label = shown(directory)
    return Source(
        label, str(directory), problem=f"{label}: cannot be searched: {error.strerror or error}"
    )


def _unrelated(path: Path) -> str:
    """Why a file in a directory is no specification, or nothing."""
    suffix = path.suffix.lower()
    if suffix in ARRAYS:
        size = _size(path)
        if size > MAX_ARRAY_BYTES:
            return f"{size} bytes, more than {MAX_ARRAY_BYTES}: name the array, as {path.name}:NAME"
        return ""
    if suffix not in TEXTS:
        return "not *.toml, *.json or an array"
    if path.name in SETTINGS_OF_TOOLS:
        return "settings of a tool"
    if suffix == ".toml" or path.name == CONFIGURATION or _may_specify(path):
        return ""
    return f"JSON without a key of a specification ({', '.join(sorted(KEYS))})"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # its reader says what is wrong
        return 0


def _may_specify(path: Path) -> bool:
    """Whether a JSON file has a key of a specification; what cannot be decoded is judged too."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_JSON_BYTES:
            return True
        document = msgspec.json.decode(path.read_bytes().removeprefix(BOM_UTF8))
    except (OSError, ValueError, RecursionError):
        return True
    return isinstance(document, dict) and bool(KEYS & set(document))


__all__ = ["LeftAlone", "Source", "Sources", "shown", "sources"]
