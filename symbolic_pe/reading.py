"""Files of other programs: whatever a damaged one makes a reader raise is one message."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from symbolic_pe.errors import SpecificationError

_RAISED = (KeyError, OSError, ValueError, EOFError, SyntaxError, zipfile.BadZipFile)


@contextmanager
def readable(path: Path, *raised: type[Exception]) -> Iterator[None]:
    """Read inside: what NumPy's readers raise, and `raised`, become `SpecificationError`."""
    caught: tuple[type[Exception], ...] = (*_RAISED, *raised)
    try:
        yield
    except SpecificationError:
        raise
    except FileNotFoundError:
        raise SpecificationError(f"{path}: no such file") from None
    except caught as error:
        raise SpecificationError(f"{path}: cannot be read: {error}") from None


__all__ = ["readable"]
