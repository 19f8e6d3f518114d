"""The key under which a verdict is remembered: everything that it depends on, digested.

A verdict follows from the bytes of the specification, the name of its file (the default name of the
encoding), the options, the code of this package, and the versions of Python and of the libraries
that compute or read. If one of them changes, so does the key.
"""

from __future__ import annotations

import hashlib
import json
import stat
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from symbolic_pe.array_names import ARRAY_SPEC
from symbolic_pe.cli.proving.sources import Source
from symbolic_pe.code_digest import digest_of_code

LIBRARIES = ("python-flint", "msgspec", "numpy", "ml_dtypes", "safetensors")
CODE = (".py", ".v")
MAX_BYTES = 64_000_000


@dataclass(frozen=True)
class Options:
    """What a verdict depends on besides the specification.

    budget  seconds for exact decisions
    rocq    whether a file for Rocq is made as well
    """

    budget: float
    rocq: bool = False


def key_of(source: Source, options: Options) -> str | None:
    """The key of one specification, or None where there is no content to digest."""
    if source.problem:
        return None
    content = b"" if source.path is None else _content(source.path)
    if content is None:
        return None
    document = {
        # A file that is made for Rocq names the specification that it is made from.
        "spec": source.label if options.rocq or source.path is None else "",
        "member": match["name"] if (match := ARRAY_SPEC.fullmatch(source.spec)) else None,
        "stem": "" if source.path is None else source.path.name,
        "content": hashlib.sha256(content).hexdigest(),
        "options": asdict(options),
        "code": code_digest(),
    }
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def _content(path: Path) -> bytes | None:
    """The bytes of a regular file of acceptable size; its reader says what is wrong otherwise."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
            return None
        return path.read_bytes()
    except (OSError, ValueError):
        return None


@cache
def code_digest() -> str:
    """SHA-256 of the code of this package, and the versions of what it computes with."""
    return digest_of_code([Path(__file__).parents[2]], LIBRARIES, CODE)


__all__ = ["Options", "code_digest", "key_of"]
