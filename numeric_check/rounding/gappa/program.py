"""Running Gappa: a script is proved, or it is not; a question is answered by intervals."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from fractions import Fraction

from symbolic_pe.errors import SpecificationError

SECONDS = 120.0
NUMBER = r"-?\d+(?:b-?\d+)?(?: \{[^}]*\})?"
INTERVAL = re.compile(rf"^ +y\d+ - Y\d+ in \[(?P<low>{NUMBER}), (?P<high>{NUMBER})\]", re.M)
REFUSED = "some properties were not satisfied"


@dataclass(frozen=True)
class Answer:
    """What Gappa said: whether it proved the goals, and its own words."""

    proved: bool
    words: str


def is_installed() -> bool:
    """Whether there is a program `gappa` (Debian: package gappa)."""
    return shutil.which("gappa") is not None


def prove(script: str) -> Answer:
    """Have Gappa decide a script.

    Not proved means that Gappa found no proof; it does not say that the goal is false. Raises
    `SpecificationError` where the program is missing, and where it does not accept the script.
    """
    program = shutil.which("gappa")
    if program is None:
        raise SpecificationError("gappa is not installed (Debian: apt-get install gappa)")
    done = subprocess.run(
        [program], input=script, capture_output=True, text=True, check=False, timeout=SECONDS
    )
    words = (done.stdout + done.stderr).strip()
    if done.returncode and REFUSED not in words:
        raise SpecificationError(f"gappa does not accept the script: {words}")
    return Answer(done.returncode == 0, words)


def best_bound(question: str) -> float | None:
    """The largest |computed − exact| that Gappa allows over all entries, or None."""
    answer = prove(question)
    ends = [number(m[side]) for m in INTERVAL.finditer(answer.words) for side in ("low", "high")]
    if not answer.proved or not ends:
        return None
    return float(max(abs(end) for end in ends))


def number(text: str) -> Fraction:
    """A dyadic number in Gappa's notation; what is about equal to it stands in braces.

    >>> number("-3b-2 {-0.75, -2^(-0.41)}")
    Fraction(-3, 4)
    """
    digits, _, exponent = text.partition(" ")[0].partition("b")
    return Fraction(int(digits)) * Fraction(2) ** int(exponent or 0)


__all__ = ["Answer", "best_bound", "is_installed", "number", "prove"]
