"""Results kept on disk are valid for the code that found them: its digest."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path


def digest_of_code(
    roots: Iterable[Path], libraries: Iterable[str], suffixes: tuple[str, ...] = (".py",)
) -> str:
    """SHA-256 of `roots`, files or directories, versions of `libraries`, and that of Python."""
    digest = hashlib.sha256(f"{sys.version_info[:3]}".encode())
    for library in libraries:
        digest.update(f" {library} {_version(library)}".encode())
    for root in roots:
        for path in sorted(p for p in (root, *root.rglob("*")) if p.suffix in suffixes):
            content = path.read_bytes()
            digest.update(f" {path.relative_to(root).as_posix()} {len(content)} ".encode())
            digest.update(content)
    return digest.hexdigest()


def _version(library: str) -> str:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return "none"


__all__ = ["digest_of_code"]
