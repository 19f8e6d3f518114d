"""How long a search may take: a deadline that is asked, never a timer that interrupts."""

from __future__ import annotations

import time
from dataclasses import dataclass

DEFAULT_SECONDS = 60.0
SHARE_OF_SEARCH = 0.75
"""Of a budget; the rest is for proofs and printing, before the hard limit."""


@dataclass(frozen=True)
class Budget:
    """Seconds allowed for a case tree, and the moment they are over."""

    seconds: float
    deadline: float

    @classmethod
    def of(cls, seconds: float = DEFAULT_SECONDS, share: float = 1.0) -> Budget:
        """A budget that starts now; the search may use a share of it.

        >>> Budget.of(0).is_spent()
        True
        """
        return cls(seconds, time.monotonic() + share * seconds)

    def __str__(self) -> str:
        return f"not decided within the budget of {self.seconds:g} s"

    def is_spent(self) -> bool:
        """True once the deadline has passed."""
        return time.monotonic() >= self.deadline
