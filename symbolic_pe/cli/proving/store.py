"""Verdicts that are remembered: one file each, named by its key.

An entry is believed when it is whole: its format, its key and the SHA-256 of its body are what they
should be, and the body is decoded strictly. Anything else is no entry, and the verdict is decided
again. This finds damage, not malice: who can write into the directory can write a verdict with a
right digest. What needs no trust is the certificate in an entry, which `recheck` decides again.

A run that writes entries removes old ones: those that no run has used for a while, and then the
longest unused until the rest is small enough. The time of a file is when its entry was last used,
within a day. Nothing that is not named as an entry is touched.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from symbolic_pe.cli.proving.records import Judged
from symbolic_pe.errors import OutputError
from symbolic_pe.whole_files import write_files

FORMAT = "symbolic-pe-verdict/1"
MAX_ENTRY_BYTES = 256_000_000
MAX_UNUSED_SECONDS = 30 * 86_400
MAX_BYTES = 1_000_000_000
"""Of all entries together."""
TOUCH_SECONDS = 86_400
"""An entry that is used is marked so once a day."""
_ENTRY = re.compile(r"[0-9a-f]{64}\.json")


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file of the store; `sha256` is that of the body as it stands in the file."""

    format: str
    key: str
    sha256: str
    body: msgspec.Raw


def default_directory() -> Path | None:
    """`$XDG_CACHE_HOME/symbolic-pe`, else `~/.cache/symbolic-pe`; None without a home."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(given):  # the specification of XDG: relative ones are ignored
        return Path(given) / "symbolic-pe"
    try:
        return Path.home() / ".cache" / "symbolic-pe"
    except RuntimeError:
        return None


@dataclass
class Store:
    """A directory of verdicts, or none.

    required  whether a directory that cannot be written is an error (it was asked for)
    damaged   keys of entries that were not whole
    fault     why verdicts could not be kept, where that is no error
    written   how many entries this run wrote
    """

    directory: Path | None
    required: bool = False
    damaged: list[str] = field(default_factory=list)
    fault: str = ""
    written: int = 0

    def get(self, key: str) -> Judged | None:
        """What is remembered under a key, if the entry is whole."""
        if self.directory is None:
            return None
        path = self._path(self.directory, key)
        try:
            if not path.is_file() or path.stat().st_size > MAX_ENTRY_BYTES:
                return None
            entry = msgspec.json.decode(path.read_bytes(), type=Entry)
            body = bytes(entry.body)
            if (entry.format, entry.key) == (FORMAT, key) and _sha256(body) == entry.sha256:
                found = msgspec.json.decode(body, type=Judged)
                _touch(path)
                return found
        except OSError:
            return None
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            pass
        self.damaged.append(key)
        return None

    def put(self, key: str, judged: Judged) -> None:
        """Remember a verdict. Raises `OutputError` where the directory was asked for."""
        if self.directory is None or self.fault or not judged.may_be_remembered:
            return
        body = msgspec.json.encode(judged)
        entry = Entry(FORMAT, key, _sha256(body), msgspec.Raw(body))
        path = self._path(self.directory, key)
        try:
            write_files(path.parent, {path.name: msgspec.json.encode(entry).decode()})
            self.written += 1
        except OutputError as error:
            if self.required:
                raise
            self.fault = str(error)

    def prune(self) -> int:
        """Remove what is old, after a run that wrote something; how many entries that were."""
        if self.directory is None or not self.written:
            return 0
        found = sorted(self._entries(self.directory), reverse=True)  # used last, first
        oldest, total, removed = time.time() - MAX_UNUSED_SECONDS, 0, 0
        for used, size, path in found:
            total += size
            if used < oldest or total > MAX_BYTES:
                with contextlib.suppress(OSError):  # another run may have removed it
                    path.unlink()
                    removed += 1
        return removed

    @staticmethod
    def _entries(directory: Path) -> Iterator[tuple[float, int, Path]]:
        """(when it was last used, bytes, file) of every entry."""
        for path in (directory / "verdicts").glob("??/*.json"):
            with contextlib.suppress(OSError):
                status = path.stat()
                if _ENTRY.fullmatch(path.name) and path.name[:2] == path.parent.name:
                    yield status.st_mtime, status.st_size, path

    @staticmethod
    def _path(directory: Path, key: str) -> Path:
        return directory / "verdicts" / key[:2] / f"{key}.json"


def _touch(path: Path) -> None:
    """Mark an entry as used, where it is some time ago."""
    with contextlib.suppress(OSError):
        if time.time() - path.stat().st_mtime > TOUCH_SECONDS:
            os.utime(path)


def _sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


__all__ = ["Store", "default_directory"]
