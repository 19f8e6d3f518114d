"""What a certificate of a score that no group gives states, and how it is decided.

A function raises `CertificateError` unless the statement in its first line is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial, reduce
from operator import add, mul
from typing import Any

from symbolic_pe.proof.checker import balls
from symbolic_pe.proof.checker.balls import BITS, MAX_ARGUMENT, Ball, exact
from symbolic_pe.proof.checker.encoding import Statement, flows, known, nothing
from symbolic_pe.proof.checker.form import SAME_LAG
from symbolic_pe.proof.checker.numbers import MAX_BITS, Field, require

Positions = Mapping[str, Fraction]  # of the query, of the key, their lag, and a step in between
FUNCTIONS: Mapping[str, Callable[[Ball], Ball]] = {
    "exp": balls.exp,
    "sin": balls.sin,
    "cos": balls.cos,
}


def score(numbers: Field, document: Mapping[str, Any]) -> Statement:
    """b(t, s) is stated for t >= s >= 0; what it claims about the lag t − s is not shown here."""
    b = document["score"]

    def invariant() -> None:
        """b is a function of the lag."""
        require(not {"query", "key"} & _variables(b), "the score is not stated in the lag")

    def pairs(point: Field, _: str, witness: Any) -> None:
        """Two pairs of positions of one lag have scores whose enclosures do not meet."""
        (t, s), (u, r) = witness["first"], witness["second"]
        require(t - s == u - r >= 0 and min(s, r) >= 0, "not two pairs t >= s >= 0 of one lag")
        left, right = (_value(point, b, _at(*pair)) for pair in ((t, s), (u, r)))
        require(left.avoids(right), "the two scores may be equal")

    def growth(point: Field, *_: Any) -> None:
        """b(n)/(n^e·(log n)^l) tends to a number that is not 0; l is not 0, or e none of 0, 1, …"""
        invariant()
        _sign, e, power = _growth(point, b)
        require(power != 0 or e < 0 or e.denominator > 1, "a group may grow like this")

    def tail(point: Field, _: str, witness: Any) -> None:
        """b(n) is constant from `start` on, and has another value at `lag`."""
        invariant()
        lag, start = (Fraction(witness[name]) for name in ("lag", "start"))
        require(_settled(b, start), "the score is not seen to be constant")
        left, right = (_value(point, b, _at(n, Fraction(0))) for n in (lag, start))
        require(left.avoids(right), "the two values may be equal")

    def orbit() -> None:
        """The table p has p' = Xp, so that p(n + m) = exp(mX)·p(n)."""
        stated = document["orbit"]
        require(stated is not None, "there is no orbit")
        x, table = stated["generator"], [{0: f} if f else {} for f in stated["table"]]
        require(len(x) == len(table), "orbit: sizes differ")
        flows(numbers, table, x, "orbit")

    claims: dict[str, Callable[[], None]] = {
        "orbit": orbit,
        **dict.fromkeys((*SAME_LAG, "invariance"), invariant),
        "realisation": partial(require, False, "this claim can be refuted only"),
    }
    return Statement(nothing, claims, {"pairs": pairs, "growth": growth, "tail": tail})


def _at(t: Fraction, s: Fraction) -> Positions:
    return {"query": t, "key": s, "lag": t - s}


def _is_number(b: Any) -> bool:
    return not isinstance(b, str) and (not b or not isinstance(b[0], str))


def _variables(b: Any) -> set[str]:
    if isinstance(b, str):
        return {b}
    return set() if _is_number(b) else set().union(*map(_variables, b[1:]))


def _rational(b: Any) -> Fraction:
    """A number without atoms."""
    require(_is_number(b) and all(not m for m, _ in b), "expected a rational number")
    return sum((c for _, c in b), Fraction(0))


def _whole(x: Ball) -> int:
    """A whole number, which is known exactly."""
    require(x.radius == 0 and x.re % (1 << BITS) == 0, "a whole number is not known exactly")
    return x.re >> BITS


def _value(point: Field, b: Any, at: Positions) -> Ball:
    """An enclosure of the expression at given positions."""
    found = _evaluated(point, b, at)
    require(found.size.bit_length() <= MAX_BITS, "a value becomes too large")
    point.spend(256 + found.size.bit_length())
    return found


def _evaluated(point: Field, b: Any, at: Positions) -> Ball:
    if isinstance(b, str):
        require(b in at, f"{b} has no value here")
        return exact(at[b])
    if _is_number(b):
        return known(point.ball(point.normal(b)))
    name, *rest = b
    if name == "power":
        return _power(_value(point, rest[0], at), _rational(rest[1]))
    first = _value(point, rest[0], at)
    if name == "choice":  # number i of the expressions that follow
        require(0 <= _whole(first) < len(rest) - 1, "there is no such choice")
        return _value(point, rest[1 + _whole(first)], at)
    if name == "range":  # the sum over every step from the first to the last
        last = _whole(_value(point, rest[1], at))
        steps = ({**at, "step": Fraction(n)} for n in range(_whole(first), last + 1))
        return reduce(add, (_value(point, rest[2], step) for step in steps), exact(0))
    values = [first, *(_value(point, x, at) for x in rest[1:])]
    if name in ("sum", "product"):
        return reduce(add if name == "sum" else mul, values)
    if name == "at-least":  # 1 or 0
        low, high = values[0].ends[0] - values[1].ends[1], values[0].ends[1] - values[1].ends[0]
        require(low >= 0 or high < 0, "it is not known which number is larger")
        return exact(int(low >= 0))
    if name == "log":
        require(first.ends[0] > 0, "the logarithm of a number that is not shown to be positive")
        return balls.log(first)
    require(first.size <= MAX_ARGUMENT << BITS, "an argument is too large")
    return FUNCTIONS[name](first)


def _power(x: Ball, e: Fraction) -> Ball:
    """x^e; for e that is not one of 0, 1, 2, … the ball has to be of positive numbers."""
    if e.denominator > 1:
        require(x.ends[0] > 0, "a root of a number that is not shown to be positive")
        return balls.exp(balls.log(x) * exact(e))
    require(e >= 0 or x.ends[0] > 0, "a divisor is not shown to be positive")
    require(x.size.bit_length() * abs(e) <= MAX_BITS, "a power becomes too large")
    return balls.power(x, int(e))


def _growth(point: Field, b: Any) -> tuple[int, Fraction, Fraction]:
    """(sign, e, l): b(n)/(n^e·(log n)^l) tends to a number of this sign, which is not 0."""
    if b == "lag":
        return 1, Fraction(1), Fraction(0)
    if _is_number(b):
        (sign,) = point.sign(point.normal(b)) if len(point.sign(point.normal(b))) == 1 else (0,)
        require(sign != 0, "a number that may be 0")
        return sign, Fraction(0), Fraction(0)
    name, *rest = b
    if name == "sum":
        found = sorted((_growth(point, x) for x in rest), key=lambda x: x[1:])
        require(len({x[1:] for x in found[-2:]}) == len(found[-2:]), "terms may cancel")
        return found[-1]
    if name == "product":
        signs, powers, logs = zip(*(_growth(point, x) for x in rest), strict=True)
        return reduce(mul, signs), sum(powers, Fraction(0)), sum(logs, Fraction(0))
    require(name in ("power", "log"), f"no growth is known of {name}")
    sign, e, power = _growth(point, rest[0])
    require(sign > 0, f"a {name} of what is not positive in the end")
    if name == "power":
        return 1, e * _rational(rest[1]), power * _rational(rest[1])
    require(e > 0, "a logarithm of what may not grow")
    return 1, Fraction(0), Fraction(1)


def _settled(b: Any, start: Fraction) -> bool:
    """b sees the lag only by whether it is at least something, from start on a constant."""
    if isinstance(b, str) or _is_number(b):
        return b != "lag" if isinstance(b, str) else True
    if b[0] == "at-least" and b[1] == "lag" and _is_number(b[2]):
        return _rational(b[2]) <= start
    return all(_settled(x, start) for x in b[1:])
