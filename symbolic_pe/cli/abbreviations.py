"""Names for long polynomials in what is printed for people; machines get them in full."""

from __future__ import annotations

import re
from collections.abc import Collection

LONG = 40
"""Polynomials of more characters get a name, p1, p2, …, explained at the end."""
_CONDITION = re.compile(r"(?P<polynomial>.+) (?P<relation><|>|=|<=|>=|!=) 0")


class Abbreviations:
    """Polynomials met so far, each with its name.

    >>> short = Abbreviations()
    >>> short.condition("a^2*b^2 - 4*a^3*c - 4*b^3 + 18*a*b*c - 27*c^2 < 0")
    'p1 < 0'
    >>> short.within("sqrt(a^2*b^2 - 4*a^3*c - 4*b^3 + 18*a*b*c - 27*c^2)*I")
    'sqrt(p1)*I'
    """

    def __init__(self, taken: Collection[str] = ()) -> None:
        self._names: dict[str, str] = {}
        prefixes = ("p", "P", "poly", "poly_")
        self._prefix = next(
            (x for x in prefixes if not any(n.startswith(x) for n in taken)), "polynomial_"
        )

    def condition(self, text: str) -> str:
        """A condition of a case."""
        if match := _CONDITION.fullmatch(text):
            return f"{self._name(match['polynomial'])} {match['relation']} 0"
        if text.startswith("not all of ") and text.endswith(" are 0"):
            listed = text.removeprefix("not all of ").removesuffix(" are 0").split(", ")
            return f"not all of {', '.join(map(self._name, listed))} are 0"
        return text

    def within(self, text: str) -> str:
        """Polynomials met before, where they stand alone in parentheses."""
        for polynomial, name in self._names.items():
            text = text.replace(f"({polynomial})", f"({name})")
            text = text.replace(f"({polynomial},", f"({name},")
        return text

    def lines(self) -> list[str]:
        """What the names stand for."""
        return [f"  {name} = {polynomial}" for polynomial, name in self._names.items()]

    def _name(self, polynomial: str) -> str:
        if len(polynomial) <= LONG:
            return polynomial
        return self._names.setdefault(polynomial, f"{self._prefix}{len(self._names) + 1}")
