"""Real terms as Rocq reads them, with parentheses where precedence needs them.

Levels are those of R_scope: 50 for + and −, 40 for * and /, 35 for the opposite, 30 for powers,
10 for application, 0 for what stands alone. A larger level binds less tightly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flint import fmpq

SUM, PRODUCT, OPPOSITE, POWER, APPLICATION, ATOM = 50, 40, 35, 30, 10, 0


@dataclass(frozen=True)
class Term:
    """A text and the level of its outermost operator."""

    text: str
    level: int = ATOM

    def within(self, level: int) -> str:
        """The text, in parentheses when it binds less tightly than `level` allows."""
        return self.text if self.level <= level else f"({self.text})"

    def __str__(self) -> str:
        return self.text


def number(value: fmpq | int) -> Term:
    """A rational number p/q; negative ones are opposites, so that no text begins with a sign.

    >>> str(number(fmpq(-3, 4)))
    '- (3 / 4)'
    """
    q = fmpq(value)
    if q < 0:
        return opposite(number(-q))
    numerator = Term(str(q.p))
    return numerator if q.q == 1 else quotient(numerator, Term(str(q.q)))


def opposite(a: Term) -> Term:
    """−a."""
    return Term(f"- {a.within(POWER)}", OPPOSITE)


def plus(a: Term, b: Term) -> Term:
    """a + b."""
    return Term(f"{a.within(SUM)} + {b.within(PRODUCT)}", SUM)


def minus(a: Term, b: Term) -> Term:
    """a − b."""
    return Term(f"{a.within(SUM)} - {b.within(PRODUCT)}", SUM)


def times(a: Term, b: Term) -> Term:
    """a·b."""
    return Term(f"{a.within(PRODUCT)} * {b.within(OPPOSITE)}", PRODUCT)


def quotient(a: Term, b: Term) -> Term:
    """a/b."""
    return Term(f"{a.within(PRODUCT)} / {b.within(OPPOSITE)}", PRODUCT)


def natural_power(a: Term, n: int) -> Term:
    """a^n for a natural number n."""
    return Term(f"{a.within(APPLICATION)} ^ {n}", POWER)


def call(function: str, *arguments: Term) -> Term:
    """f x y."""
    return Term(" ".join([function, *(x.within(ATOM) for x in arguments)]), APPLICATION)


def product(factors: Sequence[Term]) -> Term:
    """The product of factors; 1 without any."""
    if not factors:
        return Term("1")
    total = factors[0]
    for factor in factors[1:]:
        total = times(total, factor)
    return total


def sum_of(parts: Iterable[tuple[bool, Term]]) -> Term:
    """The sum of parts, each with whether it is subtracted; 0 without any."""
    total: Term | None = None
    for negative, part in parts:
        if total is None:
            total = opposite(part) if negative else part
        else:
            total = minus(total, part) if negative else plus(total, part)
    return Term("0") if total is None else total


def listed(items: Iterable[str], separator: str = "; ") -> str:
    """A list [a; b; c]."""
    return "[" + separator.join(items) + "]"


def rows(matrix: Iterable[Iterable[str]], indent: int) -> str:
    """A list of lists, one row on each line."""
    return listed((listed(row) for row in matrix), ";\n" + " " * (indent + 1))


def natural_list(numbers: Iterable[int], indent: int = 2) -> str:
    """A list of natural numbers, 20 on each line."""
    texts = [str(n) for n in numbers]
    lines = ["; ".join(texts[i : i + 20]) for i in range(0, len(texts), 20)]
    return "[" + (";\n" + " " * (indent + 1)).join(lines) + "]%nat"
