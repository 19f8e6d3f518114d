"""The input grammar: text to exact scalars, without evaluating anything as code.

    sum     = ["+" | "-"] product {("+" | "-") product}
    product = power {("*" | "/") power}
    power   = atom ["^" ["-" | "+"] power]
    atom    = number | name | function "(" sum ")" | "(" sum ")"

Functions: sqrt, exp, log, cosh, sinh. Constants: pi. Numbers are integers and decimals, read as
exact rationals (`0.1` is 1/10).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Mapping
from math import comb

from flint import fmpq

from symbolic_pe.algebra.functions import (
    ConstantsOnly,
    SignKnowledge,
    exponential,
    hyperbolic_cosine,
    hyperbolic_sine,
    logarithm,
    power,
    square_root,
)
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.errors import ExpressionError, OutsideTheRing, Undecided

MAX_LENGTH = 4096
MAX_DEPTH = 64
MAX_DIGITS = 400
MAX_EXPONENT = 512
MAX_ROOT = 8192
MAX_TERMS = 2000

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+)|(?P<name>[A-Za-z][A-Za-z0-9_]*)"
    r"|(?P<operator>[-+*/^()]))",
    re.ASCII,
)
_FUNCTIONS = ("sqrt", "exp", "log", "cosh", "sinh")
RESERVED = frozenset({*_FUNCTIONS, "pi", "root", "t", "s", "I"})


def parse(
    text: str,
    parameters: Collection[str] = (),
    signs: SignKnowledge | None = None,
    values: Mapping[str, Scalar] | None = None,
) -> Scalar:
    """Read one expression.

    >>> str(parse("10000^(-2/128)"))
    '10^(-1/16)'
    >>> str(parse("-2*z*w + 0.5", {"w", "z"}))
    '-2*w*z + 1/2'

    Raises `ExpressionError` with line and column. `values` replaces names by scalars.
    """
    return _Parser(text, parameters, signs, values or {}).parse()


class _Parser:
    def __init__(
        self,
        text: str,
        parameters: Collection[str],
        signs: SignKnowledge | None,
        values: Mapping[str, Scalar],
    ):
        self.text = text
        self.parameters = parameters
        self.signs = signs
        self.values = values
        self.depth = 0
        if len(text) > MAX_LENGTH:
            raise ExpressionError(
                f"expected an expression of at most {MAX_LENGTH} characters, got {len(text)}",
                text=text,
                position=0,
            )
        self.tokens = list(self._tokens())
        self.index = 0

    def _tokens(self) -> list[tuple[str, str, int]]:
        tokens: list[tuple[str, str, int]] = []
        position, end = 0, len(self.text.rstrip())
        while position < end:
            match = _TOKEN.match(self.text, position)
            if match is None:
                start = position + len(self.text[position:]) - len(self.text[position:].lstrip())
                raise self._error(
                    f"unexpected character {self.text[start]!r}; expected a number, a name, "
                    "one of + - * / ^ or a parenthesis",
                    start,
                )
            kind = match.lastgroup or ""
            tokens.append((kind, match.group(kind), match.start(kind)))
            position = match.end()
        tokens.append(("end", "", end))
        return tokens

    def _error(self, message: str, position: int) -> ExpressionError:
        return ExpressionError(message, text=self.text, position=position)

    @property
    def _token(self) -> tuple[str, str, int]:
        return self.tokens[self.index]

    def _take(self, *operators: str) -> str | None:
        kind, value, _ = self._token
        if kind == "operator" and value in operators:
            self.index += 1
            return value
        return None

    def parse(self) -> Scalar:
        if self._token[0] == "end":
            raise self._error("expected an expression, got nothing", 0)
        result = self._sum()
        kind, value, position = self._token
        if kind != "end":
            hint = "an unmatched ')'" if value == ")" else f"expected an operator before {value!r}"
            raise self._error(hint, position)
        return result

    def _nested(self, rule: Callable[[], Scalar]) -> Scalar:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self._error(f"nested more than {MAX_DEPTH} deep", self._token[2])
        result = rule()
        self.depth -= 1
        return result

    def _sum(self) -> Scalar:
        sign = self._take("+", "-")
        total = self._product()
        total = -total if sign == "-" else total
        while operator := self._take("+", "-"):
            position = self._token[2]
            part = self._product()
            total = self._bounded(total + part if operator == "+" else total - part, position)
        return total

    def _product(self) -> Scalar:
        total = self._power()
        while operator := self._take("*", "/"):
            position = self._token[2]
            part = self._power()
            if _size(total) * _size(part) > MAX_TERMS**2 // 100:
                raise self._error(f"the product expands to more than {MAX_TERMS} terms", position)
            if operator == "/":
                self._refuse_zero(part, position)
                part = self._guarded(part.inverse, position)
            total = self._bounded(total * part, position)
        return total

    def _power(self) -> Scalar:
        position = self._token[2]
        base = self._atom()
        if not self._take("^"):
            return base
        exponent_position = self._token[2]
        sign = self._take("-", "+")
        exponent = self._nested(self._power)
        exponent = -exponent if sign == "-" else exponent
        if not exponent.is_rational():
            return self._guarded(
                lambda: exponential(exponent * logarithm(base, self.signs)), position
            )
        value = exponent.rational_value()
        if abs(value) > MAX_EXPONENT or value.q > MAX_ROOT:
            raise self._error(
                f"expected an exponent p/q with |p/q| <= {MAX_EXPONENT} and q <= {MAX_ROOT}, "
                f"got {value}",
                exponent_position,
            )
        if base.is_zero() and value == 0:
            raise self._error("0^0 has no value", position)
        if value < 0:
            self._refuse_zero(base, position)
        size = max(_size(base), 1)
        if value.q == 1 and comb(size + abs(int(value)) - 1, abs(int(value))) > MAX_TERMS:
            raise self._error(
                f"the power expands to more than {MAX_TERMS} terms", exponent_position
            )
        return self._guarded(lambda: power(base, value, self.signs), position)

    def _refuse_zero(self, x: Scalar, position: int) -> None:
        """A divisor must not be 0 for any admissible value of the parameters."""
        if x.is_zero():
            raise self._error("division by zero", position)
        try:
            safe = (self.signs or ConstantsOnly()).never_vanishes(x)
        except Undecided as error:
            raise self._error(str(error), position) from None
        if not safe:
            raise self._error(
                f"division by {x}, which may be 0 for admissible parameters; declare them "
                "so that it is not (nonzero, positive, between A and B)",
                position,
            )

    def _atom(self) -> Scalar:
        kind, value, position = self._token
        if kind == "number":
            self.index += 1
            return self._number(value, position)
        if kind == "name":
            self.index += 1
            return self._name(value, position)
        if self._take("("):
            result = self._nested(self._sum)
            self._close(position)
            return result
        if kind == "end":
            raise self._error("expected a number, a name or '(', got the end", position)
        hint = " (powers are written ^)" if value == "*" else ""
        raise self._error(f"expected a number, a name or '(', got {value!r}{hint}", position)

    def _close(self, opened: int) -> None:
        if not self._take(")"):
            raise self._error("expected ')' to close this parenthesis", opened)

    def _number(self, text: str, position: int) -> Scalar:
        mantissa, _, scale = text.lower().partition("e")
        whole, _, digits = mantissa.partition(".")
        if len(whole) + len(digits) > MAX_DIGITS or abs(int(scale or "0")) > MAX_DIGITS:
            raise self._error(f"a number of more than {MAX_DIGITS} digits", position)
        value = fmpq(int((whole or "0") + digits), 10 ** len(digits))
        return Scalar.rational(value * fmpq(10) ** int(scale or "0"))

    def _name(self, name: str, position: int) -> Scalar:
        if name in _FUNCTIONS:
            opened = self._token[2]
            if not self._take("("):
                raise self._error(f"expected '(' after {name}", opened)
            argument = self._nested(self._sum)
            self._close(opened)
            return self._guarded(lambda: self._call(name, argument), position)
        if name in self.values:
            return self.values[name]
        if name == "pi":
            return Scalar.symbol("pi")
        if name in self.parameters:
            return Scalar.symbol(name)
        known = sorted({*self.parameters, *self.values, *_FUNCTIONS, "pi"})
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        declared = ", ".join(sorted({*self.parameters, *self.values})) or "none"
        raise self._error(
            f"unknown name {name!r}{hint} (declared parameters: {declared})", position
        )

    def _call(self, name: str, argument: Scalar) -> Scalar:
        if name == "sqrt":
            return square_root(argument, self.signs)
        if name == "log":
            return logarithm(argument, self.signs)
        if name == "exp":
            return exponential(argument)
        return hyperbolic_cosine(argument) if name == "cosh" else hyperbolic_sine(argument)

    def _guarded(self, compute: Callable[[], Scalar], position: int) -> Scalar:
        try:
            return self._bounded(compute(), position)
        except (OutsideTheRing, Undecided, ZeroDivisionError) as error:
            raise self._error(str(error), position) from None

    def _bounded(self, value: Scalar, position: int) -> Scalar:
        if _size(value) > MAX_TERMS:
            raise self._error(f"the expression expands to more than {MAX_TERMS} terms", position)
        return value


def _size(x: Scalar) -> int:
    """Number of monomials in numerators and denominators."""
    return sum(
        sum(1 for part in c.split() for _ in part.numerator_terms())
        - (1 if c.is_polynomial() else 0)
        for c in x.terms.values()
    )
