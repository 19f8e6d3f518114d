"""Decided files kept on disk: a campaign that was stopped goes on where it was.

One JSON file for each kernel. It is read again only for the same text and sample, the same code of
the rooms that refute, and the same libraries; anything else is decided anew. Where the room
`equivalence` alone is another one, what is refuted stays refuted, and the rest is decided anew.
What a text should compute is no part of that, so a kernel of another encoding needs a name or a
directory of its own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numeric_check
import symbolic_pe
from numeric_check.mutation.judge import KINDS, Decision
from symbolic_pe.code_digest import digest_of_code
from symbolic_pe.errors import OutputError
from symbolic_pe.whole_files import write_files

REFUTING = {
    numeric_check: ("kernels", "laws", "reference_values", "rounding", "text_proof"),
    symbolic_pe: (
        "algebra",
        "emit",
        "encodings",
        "exponential",
        "generators",
        "jordan",
        "budget.py",
        "decision.py",
    ),
}
"""Rooms and modules whose code a refutation depends on, beside the modules of this one."""
LIBRARIES = ("numpy", "torch", "ml_dtypes", "array-api-compat", "python-flint", "mpmath")
HERE = Path(__file__).parent
EQUIVALENCE = HERE / "equivalence"


def roots() -> list[Path]:
    """Where that code is."""
    rooms = [Path(m.__path__[0]) / room for m, rooms in REFUTING.items() for room in rooms]
    return [*rooms, *sorted(HERE.glob("*.py"))]


@cache
def _refuting() -> str:
    return digest_of_code(roots(), LIBRARIES)


@cache
def _equivalence() -> str:
    return digest_of_code([EQUIVALENCE], ())


@dataclass(frozen=True)
class Runs:
    """A directory of decided files, for all mutants or for a `sample` of each."""

    directory: Path
    sample: int | None = None

    def read(self, name: str, text: str) -> dict[int, Decision]:
        """What is kept of a kernel, by the number of the mutant.

        Raises `OutputError` for what is no directory, before anything is decided in vain.
        """
        try:
            record = json.loads(self._path(name).read_text(encoding="utf-8"))
            if record["key"] != self._key(text):
                return {}
            decisions = [Decision(kind, detail) for kind, detail in record["decisions"]]
            whole = record["equivalence"] == _equivalence()
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return {}
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise OutputError(f"{self.directory}: cannot read decided files: {reason}") from None
        if not all(d.kind in KINDS for d in decisions):
            return {}
        return {n: d for n, d in enumerate(decisions) if whole or d.refuted}

    def write(self, name: str, text: str, decisions: Sequence[Decision]) -> None:
        """Keep what was decided. Raises `OutputError`."""
        record = {
            "key": self._key(text),
            "equivalence": _equivalence(),
            "decisions": [[d.kind, d.detail] for d in decisions],
        }
        write_files(self.directory, {self._path(name).name: json.dumps(record, indent=0) + "\n"})

    def _path(self, name: str) -> Path:
        return self.directory / f"{name.replace('/', '-')}.json"

    def _key(self, text: str) -> str:
        content = json.dumps([text, self.sample, _refuting()])
        return hashlib.sha256(content.encode()).hexdigest()


__all__ = ["Runs", "roots"]
