"""Writing results: whole files or nothing."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO

from symbolic_pe.errors import OutputError


def write_files(directory: Path, files: Mapping[str, str]) -> list[Path]:
    """Write every file into a directory, creating it if needed.

    All texts are written beside their destinations first and renamed only when all are complete,
    so a failure leaves what was there before. Raises `OutputError`.
    """
    return write_streams(directory, {name: _text_writer(text) for name, text in files.items()})


def write_streams(
    directory: Path, files: Mapping[str, Callable[[IO[bytes]], None]], *, durable: bool = False
) -> list[Path]:
    """The same for files that are written piece by piece, each by its function.

    `durable` has the bytes on the disk before anything is renamed. Raises `OutputError`.
    """
    created = not directory.exists()
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{directory}: cannot create the directory: {error.strerror}") from None
    staged: list[tuple[Path, Path]] = []
    try:
        for name, write in files.items():
            temporary = _stage(directory)
            staged.append((temporary, directory / name))
            with temporary.open("wb") as stream:
                write(stream)
                if durable:
                    stream.flush()
                    os.fsync(stream.fileno())
        for _, destination in staged:
            if destination.is_dir():
                raise OutputError(f"{destination}: is a directory; expected a file or nothing")
            if destination.exists() and not destination.is_file():
                raise OutputError(
                    f"{destination}: is a device or a pipe, which a file would replace; expected a "
                    "file or nothing"
                )
        for temporary, destination in staged:
            os.replace(temporary, destination)
    except OSError as error:
        raise OutputError(f"{directory}: cannot write: {error.strerror}") from None
    finally:
        for temporary, _ in staged:
            temporary.unlink(missing_ok=True)
        if created and directory.exists() and not any(directory.iterdir()):
            directory.rmdir()
    return [destination for _, destination in staged]


def _text_writer(text: str) -> Callable[[IO[bytes]], None]:
    def write(stream: IO[bytes]) -> None:
        stream.write(text.encode())

    return write


def _stage(directory: Path) -> Path:
    """An empty file beside the destination, with the permissions of a new file."""
    handle, name = tempfile.mkstemp(dir=directory, prefix=".symbolic-pe-", suffix=".part")
    os.close(handle)
    path = Path(name)
    mask = os.umask(0)
    os.umask(mask)
    path.chmod(0o666 & ~mask)
    return path


__all__ = ["write_files", "write_streams"]
