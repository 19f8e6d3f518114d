"""What a certificate of a score that no group gives states, and how it is decided.

A score b(t, s), t >= s >= 0, is a number in the positions query = t, key = s, lag = t − s, and in
numbers that are defined by them. What is claimed of it is claimed wherever it has a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from symbolic_pe.proof.checker.balls import require
from symbolic_pe.proof.checker.form import SAME_LAG
from symbolic_pe.proof.checker.groups import Statement, Vanishing, nothing, orbit
from symbolic_pe.proof.checker.numbers import IMAGINARY, MAX_EXPONENT, TIME, Field, Number

POSITIONS = "query", "key", "lag"


class Score(Statement):
    """What is claimed of b, as a function of both positions or of the lag."""

    def __init__(self, field: Field, document: Mapping[str, Any]) -> None:
        self.field, self.document = field, document
        self.b, self.steps = document["score"], document["positions"]
        names = [*POSITIONS, *(step["name"] for step in self.steps)]
        free = {*names}.isdisjoint((IMAGINARY, TIME, *field.signs, *field.rates))
        require(free and len({*names}) == len(names), "positions: a name is taken")
        known = {*POSITIONS, *field.signs}
        named = [*((step["name"], step["of"]) for step in self.steps), ("score", self.b)]
        for step in self.steps:
            right = 0 < step["degree"] <= MAX_EXPONENT
            require(right, f"positions: {step['name']} has no such degree")
        for name, of in named:
            require(_atoms(of) <= known, f"{name} is of what is not defined before it")
            fixed = [power for monomial, _ in of for power in monomial if power[0] in field.signs]
            require(
                all(field.admits("real", *x) for x in fixed), f"{name} divides by what may be 0"
            )
            known.add(name)
        self.used = set[str]().union(*(_atoms(of) for _, of in named))
        self.claims = {
            **dict.fromkeys((*SAME_LAG, "invariance"), self._invariant),
            "orbit": self._orbit,
        }
        self.witnesses = {"pairs": self._pairs, "growth": self._growth, "tail": self._tail}

    def _differ(self, *pairs: tuple[Fraction, Fraction]) -> Vanishing:
        """The enclosures of b at two pairs of positions do not meet."""
        words = {**self.document["parameters"], **dict.fromkeys(POSITIONS, "real")}
        every = {"parameters": words, "definitions": self.document["definitions"] + self.steps}
        values = []
        for t, s in pairs:
            point = Field(every, {**self.field.values, "query": t, "key": s, "lag": t - s})
            values.append(point.ball(point.normal(self.b)))
        require(values[0].avoids(values[1]), "the two values may be equal")
        return nothing()

    def _invariant(self) -> Vanishing:
        """b is a function of the lag."""
        require(not {"query", "key"} & self.used, "the score is not stated in the lag")
        return nothing()

    def _orbit(self) -> Vanishing:
        """z' = Xz for the table z."""
        require(self.document["orbit"] is not None, "there is no orbit")
        return orbit(self.field, "orbit", self.document["orbit"])

    def _pairs(self, _: str, witness: Any) -> Vanishing:
        """Two pairs of positions of one lag have scores that differ."""
        (t, s), (u, r) = witness["first"], witness["second"]
        require(t - s == u - r >= 0 and min(s, r) >= 0, "not two pairs t >= s >= 0 of one lag")
        return self._differ((t, s), (u, r))

    def _growth(self, *_: Any) -> Vanishing:
        """b = c·y^m with c ≠ 0, and the one step y a logarithm or a root of a + d·lag for a d > 0.

        So b(n)/(n^e·(log n)^l) tends to a number that is not 0, with l ≠ 0, or e none of 0, 1, …
        """
        signs, lag = self.field.signs, ("lag", 1)
        require(len(self.b) == 1, "the score is not a product")
        moving = {atom: m for atom, m in self.b[0][0] if atom not in signs}
        right = all(0 not in signs[atom] for atom in _atoms(self.b) - moving.keys())
        single = [moving.keys()] == [{step["name"]} for step in self.steps]
        require(right and single, "the score is not one function times what is not 0")
        kind, degree, of = (self.steps[0][name] for name in ("kind", "degree", "of"))
        slope = tuple((tuple(x for x in y if x != lag), c) for y, c in of if lag in y)
        rest = tuple(term for term in of if lag not in term[0])
        require(_atoms(slope + rest) <= signs.keys(), "it is not of a + d·lag")
        require(self.field.sign(slope) == {1}, "d is not positive")
        (m,) = moving.values()
        power = kind == "root" and (m < 0 or m % degree != 0)
        require(power or kind == "log", "a group may grow like this")
        return self._invariant()

    def _tail(self, _: str, witness: Any) -> Vanishing:
        """b sees the lag only by whether lag >= c, c <= start, and differs at another lag."""
        lag, start = (Fraction(witness[name]) for name in ("lag", "start"))
        for step in (step for step in self.steps if "lag" in _atoms(step["of"])):
            terms = dict(step["of"])
            right = step["kind"] == "at-least" and terms.pop((("lag", 1),), 0) == 1
            constant = right and terms.keys() <= {()} and -terms.get((), 0) <= start
            require(constant, f"{step['name']} is not seen to be constant")
        require("lag" not in _atoms(self.b), "the score is not seen to be constant")
        self._invariant()
        return self._differ((lag, Fraction(0)), (start, Fraction(0)))


def _atoms(number: Number) -> set[str]:
    return {atom for monomial, _ in number for atom, _ in monomial}
