"""The input grammar: exact values, clear refusals with line and column, no evaluation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbolic_pe.algebra.expression import parse
from symbolic_pe.errors import ExpressionError, SymbolicPEError


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", "1/10"),
        ("1e-3", "1/1000"),
        (".5", "1/2"),
        ("-2^2", "-4"),
        ("2^-1", "1/2"),
        ("2^3^2", "512"),
        ("1/2/2", "1/4"),
        ("2 - 3 - 4", "-5"),
        ("+3", "3"),
        ("((1))", "1"),
        ("-w^2", "-w^2"),
    ],
)
def test_values(text: str, value: str) -> None:
    assert str(parse(text, {"w"})) == value


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("", "got nothing", 1),
        ("(1 + 2", "to close this parenthesis", 1),
        ("1 + 2)", "unmatched", 6),
        ("2**3", "powers are written ^", 3),
        ("__import__('os')", "unexpected character '_'", 1),
        ("1/0", "division by zero", 3),
        ("1/(w - w)", "division by zero", 3),
        ("sqrt 2", "expected '('", 6),
        ("foo + 1", "unknown name 'foo'", 1),
        ("sqr(2)", "did you mean 'sqrt'", 1),
        ("sqrt(-1)", "generators are real", 1),
        ("9^9^9^9", "exponent", 5),
        ("2^(10^9)", "exponent", 3),
        ("(" * 100 + "1" + ")" * 100, "nested", 66),
        ("1" * 500, "digits", 1),
        ("1e999999999", "digits", 1),
        ("log(0)", "", 1),
        ("log(-1)", "negative", 1),
        ("log(1 + sqrt(2))", "positive products", 1),
        ("1 2", "expected an operator", 3),
        ("x\n+ +", "", 0),
        ("NaN", "unknown name", 1),
        ("sqrt(1234567890123456789012345678901234567890)", "36 digits", 1),
        ("sqrt(1+sqrt(2))", "denest", 1),
    ],
)
def test_refusals_name_the_place(text: str, message: str, column: int) -> None:
    with pytest.raises(ExpressionError, match=None) as caught:
        parse(text, {"w", "x"})
    assert message in str(caught.value)
    assert "line" in str(caught.value)
    if column:
        assert caught.value.column == column


def test_second_line_is_named() -> None:
    with pytest.raises(ExpressionError) as caught:
        parse("1 +\n  * 2")
    assert (caught.value.line, caught.value.column) == (2, 3)


def test_expansion_is_bounded() -> None:
    names = {f"p{i}" for i in range(8)}
    with pytest.raises(ExpressionError, match="terms"):
        parse("(" + "+".join(sorted(names)) + ")^40", names)


@given(st.text(max_size=60))
def test_any_text_gives_a_value_or_a_clear_refusal(text: str) -> None:
    try:
        parse(text, {"w"})
    except SymbolicPEError as error:
        assert str(error)


@given(st.text(alphabet="0123456789.+-*/^()wsqrtexplogpi ", max_size=24))
def test_texts_near_the_grammar(text: str) -> None:
    try:
        parse(text, {"w"})
    except SymbolicPEError as error:
        assert str(error)
