"""Noncommutative algebra of maps, and proofs by rewriting that are checked and never searched.

A map depends on a position, a linear form with integer coefficients in named variables: A(s + t),
G(−t), or on none: M. Sums of products of maps and of their transposes form the free algebra over
Q(symbols); (UV)ᵀ = VᵀUᵀ holds by construction. An equation is meant for all values of its position
variables. In a proof

    line 0 = line 1 = … = line n

each line is the one before with one instance u·(left − right)·v of an equation subtracted, a
multiple of it at most, and this is decided in the free algebra. What is not such a line is refused
with both lines; nothing is looked for but the place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Decision, Outcome
from symbolic_pe.proof.evidence import Shown


@dataclass(frozen=True)
class Position:
    """Σ n·x with integers n, sorted by name; no pair has n = 0.

    >>> s, t = positions("s t")
    >>> str(t - s), str(s - s)
    ('-s + t', '0')
    """

    coefficients: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, coefficients: Mapping[str, int]) -> Position:
        """Without the zeros, sorted."""
        return cls(tuple(sorted((x, n) for x, n in coefficients.items() if n)))

    def __add__(self, other: Position) -> Position:
        total = dict(self.coefficients)
        for name, n in other.coefficients:
            total[name] = total.get(name, 0) + n
        return Position.of(total)

    def __neg__(self) -> Position:
        return Position(tuple((x, -n) for x, n in self.coefficients))

    def __sub__(self, other: Position) -> Position:
        return self + (-other)

    def at(self, values: Mapping[str, Position]) -> Position:
        """Put positions in place of variables."""
        total = Position()
        for name, n in self.coefficients:
            part = values.get(name, Position(((name, 1),)))
            total = total + Position(tuple((x, n * m) for x, m in part.coefficients))
        return total

    def __str__(self) -> str:
        text = ""
        for name, n in self.coefficients:
            sign = ("-" if n < 0 else "") if not text else (" - " if n < 0 else " + ")
            text += sign + (name if abs(n) == 1 else f"{abs(n)}{name}")
        return text or "0"


ORIGIN = Position()


def positions(names: str) -> tuple[Position, ...]:
    """Position variables, their names separated by spaces."""
    return tuple(Position(((name, 1),)) for name in names.split())


@dataclass(frozen=True)
class Letter:
    """One map in a product: a name, where it is taken, whether it is transposed."""

    name: str
    at: Position | None = None
    transposed: bool = False

    def __str__(self) -> str:
        place = "" if self.at is None else f"({self.at})"
        return f"{self.name}{place}{'^T' if self.transposed else ''}"

    def tex(self) -> str:
        """LaTeX; a name may end in ^-1.

        >>> Letter("C^-1", None, True).tex(), Letter("A", positions("t")[0], True).tex()
        ('C^{-\\\\top}', 'A(t)^{\\\\top}')
        """
        inverse = self.name.endswith("^-1")
        name = _subscripts(self.name.removesuffix("^-1").replace("⊗", r" \otimes "))
        name = f"({name})" if "otimes" in name else name
        place = "" if self.at is None else f"({_subscripts(str(self.at))})"
        sign, mark = "-" if inverse else "", r"\top" if self.transposed else "1" if inverse else ""
        return f"{name}{place}^{{{sign}{mark}}}" if mark else f"{name}{place}"


def _subscripts(text: str) -> str:
    """`T_t - T_s` with the subscripts in braces."""
    return re.sub(r"_(\w+)", r"_{\1}", text)


Word = tuple[Letter, ...]


@dataclass(frozen=True)
class Maps:
    """Σ c·word, an element of the free algebra; the empty word is I."""

    terms: Mapping[Word, Scalar] = field(default_factory=dict)

    @classmethod
    def of(cls, terms: Mapping[Word, Scalar]) -> Maps:
        """Without the zeros."""
        return cls({w: c for w, c in terms.items() if not c.is_zero()})

    def __add__(self, other: Maps) -> Maps:
        total = dict(self.terms)
        for word, c in other.terms.items():
            total[word] = total.get(word, ZERO) + c
        return Maps.of(total)

    def __neg__(self) -> Maps:
        return self.scale(-ONE)

    def __sub__(self, other: Maps) -> Maps:
        return self + (-other)

    def __mul__(self, other: Maps) -> Maps:
        total: dict[Word, Scalar] = {}
        for left, a in self.terms.items():
            for right, b in other.terms.items():
                total[left + right] = total.get(left + right, ZERO) + a * b
        return Maps.of(total)

    def scale(self, factor: Scalar) -> Maps:
        """c·(…)."""
        return Maps.of({w: c * factor for w, c in self.terms.items()})

    @property
    def T(self) -> Maps:
        """The transpose: words reversed, every letter transposed."""
        return Maps.of(
            {
                tuple(Letter(x.name, x.at, not x.transposed) for x in reversed(word)): c
                for word, c in self.terms.items()
            }
        )

    def at(self, values: Mapping[str, Position]) -> Maps:
        """Put positions in place of variables."""
        total = NULL
        for word, c in self.terms.items():
            moved = tuple(
                x if x.at is None else Letter(x.name, x.at.at(values), x.transposed) for x in word
            )
            total = total + Maps.of({moved: c})
        return total

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Maps) and dict(self.terms) == dict(other.terms)

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __str__(self) -> str:
        return self._written(str)

    def tex(self) -> str:
        """LaTeX without dollar signs."""
        return self._written(Letter.tex)

    def _written(self, letter: Callable[[Letter], str]) -> str:
        parts = []
        for word, c in self.terms.items():
            product = " ".join(letter(x) for x in word) or "I"
            if c == ONE:
                parts.append(product)
            elif c == -ONE:
                parts.append(f"-{product}")
            else:
                parts.append(f"({c}) {product}")
        return " + ".join(parts).replace("+ -", "- ") or "0"


NULL = Maps()
IDENTITY = Maps({(): ONE})


def constant(name: str) -> Maps:
    """A map that does not depend on the position."""
    return Maps({(Letter(name),): ONE})


@dataclass(frozen=True)
class Family:
    """A map for each position: `A(s + t)`."""

    name: str

    def __call__(self, at: Position) -> Maps:
        """The map at a position."""
        return Maps({(Letter(self.name, at),): ONE})


@dataclass(frozen=True)
class Equation:
    """left = right, for all values of the position variables that occur."""

    name: str
    left: Maps
    right: Maps

    def at(self, **values: Position) -> Equation:
        """The instance at these positions.

        >>> s, t = positions("s t")
        >>> A = Family("A")
        >>> str(Equation("group law", A(s + t), A(s) * A(t)).at(t=-s))
        'group law at t = -s: A(0) = A(s) A(-s)'
        """
        shown = ", ".join(f"{name} = {x}" for name, x in values.items())
        name = f"{self.name} at {shown}" if shown else self.name
        return Equation(name, self.left.at(values), self.right.at(values))

    @property
    def T(self) -> Equation:
        """The equation of the transposes."""
        return Equation(f"{self.name}, transposed", self.left.T, self.right.T)

    def __str__(self) -> str:
        return f"{self.name}: {self.left} = {self.right}"


def follows(before: Maps, after: Maps, equation: Equation) -> bool:
    """Whether before − after = c·u·(left − right)·v for one number c and words u, v.

    Also true when the two are the same element, which no equation is needed for.
    """
    difference = before - after
    if not difference.terms:
        return True
    relation = equation.left - equation.right
    if not relation.terms:
        return False
    pattern, weight = next(iter(relation.terms.items()))
    for word, c in difference.terms.items():
        for start in range(len(word) - len(pattern) + 1):
            if word[start : start + len(pattern)] == pattern:
                u, v = word[:start], word[start + len(pattern) :]
                multiple = (Maps({u: c / weight}) * relation) * Maps({v: ONE})
                if multiple == difference:
                    return True
    return False


def rewrite(claim: Equation, lines: Sequence[tuple[Maps, Equation]]) -> Decision:
    """Decide that the lines lead from the left side of the claim to its right side.

    Each pair is the next line and the instance that gives it. The answer is `proved` with the lines
    as evidence, or `undecided` with the first line that does not follow: a script that fails
    refutes nothing.
    """
    current, shown = claim.left, [claim.left]
    used: list[str] = []
    for index, (after, equation) in enumerate(lines, start=1):
        if not follows(current, after, equation):
            reason = f"line {index}, {after}, does not follow from {current} by {equation}"
            return Decision(Outcome.UNDECIDED, {"reason": reason})
        shown.append(after)
        used.append(equation.name)
        current = after
    if current != claim.right:
        reason = f"ends at {current}, not {claim.right}"
        return Decision(Outcome.UNDECIDED, {"reason": reason})
    written = Shown(" = ".join(map(str, shown)), " = ".join(line.tex() for line in shown))
    return Decision(Outcome.PROVED, {"lines": written, "by": "; ".join(used)})


def derivative(
    expression: Maps, variable: str, laws: Mapping[str, Maps], argument: str = "t"
) -> Maps:
    """d/dx by Leibniz' rule; `laws` gives the derivative of each family at the position `argument`.

    >>> (t,) = positions("t")
    >>> A, X = Family("A"), constant("X")
    >>> str(derivative(A(-t) * A(t), "t", {"A": X * A(t)}))
    '-X A(-t) A(t) + A(-t) X A(t)'

    A family without a law must not depend on the variable; ValueError names it.
    """
    total = NULL
    for word, c in expression.terms.items():
        for index, letter in enumerate(word):
            n = 0 if letter.at is None else dict(letter.at.coefficients).get(variable, 0)
            if n == 0 or letter.at is None:
                continue
            if letter.name not in laws:
                raise ValueError(f"no law for the derivative of {letter.name}")
            law = laws[letter.name].at({argument: letter.at})
            inner = (law.T if letter.transposed else law).scale(Scalar.rational(n))
            total = total + (Maps({word[:index]: c}) * inner) * Maps({word[index + 1 :]: ONE})
    return total
