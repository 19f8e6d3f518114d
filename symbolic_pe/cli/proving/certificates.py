"""A directory of certificates, and an index of them: `prove -o DIR`, `catalogue show NAME -o DIR`.

The index is what makes a second run honest: a directory holds the certificates of one run. Those
that an earlier run wrote and this one does not are removed, whatever they were about; nothing else
in the directory is touched.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

import msgspec

from symbolic_pe.cli.json_text import to_text
from symbolic_pe.cli.proving.records import Judged, specification_record
from symbolic_pe.errors import OutputError
from symbolic_pe.whole_files import write_files

INDEX = "certificates.json"
FORMAT = "symbolic-pe-certificates/2"
EARLIER = (FORMAT, "symbolic-pe-certificates/1")
SUFFIX = ".certificate.json"


class Item(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One certificate: its file, the specification it is of, and its digest."""

    file: str
    spec: str
    digest: str


class Without(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A specification that has no certificate, and why."""

    spec: str
    reason: str


class Index(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Content of certificates.json: every specification stands in one of the two lists."""

    format: str
    certificates: list[Item]
    without: list[Without] = []


def is_index(text: str) -> bool:
    """Whether a file is such an index, by its form alone."""
    try:
        return msgspec.json.decode(text, type=Index).format in EARLIER
    except (msgspec.DecodeError, RecursionError):
        return False


def write_judged(directory: Path, judged: Sequence[tuple[str, Judged]]) -> Index:
    """The certificates of what was decided. Raises `OutputError`."""
    found, without = [], []
    for label, item in judged:
        if item.certificate:
            digest = specification_record(label, item).certificate or ""
            found.append((label, item.certificate, digest))
        else:
            reason = item.no_certificate or item.error or item.undecided
            without.append(Without(label, reason))
    return write_certificates(directory, found, without)


def write_certificates(
    directory: Path, found: Iterable[tuple[str, str, str]], without: list[Without]
) -> Index:
    """Write (label, text, digest) and the index, and remove what an earlier run wrote beside it.

    Raises `OutputError`; the index is written last.
    """
    earlier = _earlier(directory)
    items: list[Item] = []
    texts: dict[str, str] = {}
    for label, text, digest in found:
        name = _fresh(label, texts)
        texts[name] = text + "\n"
        items.append(Item(name, label, digest))
    folders: dict[PurePosixPath, dict[str, str]] = {}
    for name, text in texts.items():
        path = PurePosixPath(name)
        folders.setdefault(path.parent, {})[path.name] = text
    for folder, files in folders.items():
        write_files(directory / folder, files)
    for item in earlier:
        if item.file not in texts:
            _remove(directory, item.file)
    index = Index(FORMAT, items, without)
    write_files(directory, {INDEX: to_text(index)})
    return index


def _fresh(label: str, taken: dict[str, str]) -> str:
    """A path below the directory, from how the specification is named."""
    parts = [p for p in label.replace("\\", "/").split("/") if p not in ("", ".")]
    parts = ["_" if p == ".." else p for p in parts] or ["_"]
    base = "/".join(parts).replace(":", "-").replace(",", "-").replace("=", "-")
    name, count = f"{base}{SUFFIX}", 1
    while name in taken:
        count += 1
        name = f"{base}-{count}{SUFFIX}"
    return name


def _earlier(directory: Path) -> list[Item]:
    """What the index of an earlier run lists. Raises `OutputError` for a file that is none."""
    path = directory / INDEX
    try:
        if not path.exists():
            return []
        index = msgspec.json.decode(path.read_bytes(), type=Index)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise OutputError(
            f"{path}: expected an index of certificates of an earlier run, or no file ({error}); "
            "give another directory"
        ) from None
    return index.certificates if index.format in EARLIER else []


def _remove(directory: Path, name: str) -> None:
    """A certificate that an earlier run wrote; names that lead elsewhere are left alone."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not name.endswith(SUFFIX):
        return
    with contextlib.suppress(OSError):
        (directory / path).unlink(missing_ok=True)
        for parent in path.parents:
            if parent != PurePosixPath("."):
                (directory / parent).rmdir()  # ends at the first that is not empty


__all__ = ["INDEX", "Index", "Item", "Without", "write_certificates", "write_judged"]
