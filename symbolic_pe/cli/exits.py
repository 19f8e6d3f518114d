"""Exit codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symbolic_pe.proof.claim import Outcome

EXIT_OK, EXIT_REFUTED, EXIT_MISUSE, EXIT_UNDECIDED = 0, 1, 2, 3
EXIT_INTERNAL = 70
EXIT_INTERRUPTED = 130
"""What shells report for Ctrl-C: nothing was decided."""


def exit_code(outcome: Outcome) -> int:
    """0 proved, 1 refuted, 3 undecided."""
    return {"proved": EXIT_OK, "refuted": EXIT_REFUTED, "undecided": EXIT_UNDECIDED}[outcome.value]
