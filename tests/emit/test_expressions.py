"""Expression trees: what is printed has the value of the exact scalar, spaced as ruff would."""

from __future__ import annotations

import ast
import math
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from flint import arb, fmpq
from hypothesis import given
from hypothesis import strategies as st

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.emit.channels import inverse_order, segments, selector
from symbolic_pe.emit.expressions import from_formula, from_scalar
from symbolic_pe.emit.layout import WIDTH, arguments, assignment, call_on_list, docstring, table
from symbolic_pe.emit.names import class_name, file_name, one_line, plain
from symbolic_pe.emit.printer import Printer
from symbolic_pe.emit.trees import (
    FUNCTIONS,
    Node,
    UnsupportedExpression,
    call,
    evaluate,
    names_in,
    negate,
    number,
    power,
    product,
    total,
)
from tests.strategies import scalars

PLAIN = Printer("math", "math")
POINT = {"w": 0.75, "z": -1.25, "j": 3.0}
NAMESPACE = {"math": math, **POINT}

leaves = st.one_of(
    st.integers(-9, 9).map(ast.Constant),
    st.sampled_from([0.5, 2.25, 1e-9, 10000.0]).map(ast.Constant),
    st.sampled_from(["w", "z", "j"]).map(ast.Name),
)


def branches(parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    some = st.lists(parts, min_size=1, max_size=3)
    return st.one_of(
        some.map(total),
        some.map(product),
        parts.map(negate),
        st.builds(lambda a, b: ast.BinOp(a, ast.Div(), b), parts, parts),
        st.builds(power, parts, st.sampled_from([2, 3, -1, 0.5]).map(ast.Constant)),
        parts.map(lambda a: call("cosh", a)),
    )


trees = st.recursive(leaves, branches, max_leaves=8)


@given(trees)
def test_text_means_the_tree(tree: Node) -> None:
    try:
        expected = evaluate(tree, POINT)
    except (ArithmeticError, ValueError, TypeError):
        return
    found = eval(PLAIN.text(tree), dict(NAMESPACE))
    assert found == expected or (math.isnan(found) and math.isnan(expected))


@given(trees)
def test_negation_changes_the_sign_only(tree: Node) -> None:
    try:
        assert evaluate(negate(tree), POINT) == -evaluate(tree, POINT)
    except (ArithmeticError, ValueError, TypeError):
        return


def test_spacing_is_that_of_ruff(tmp_path: Path) -> None:
    found: list[str] = []

    @given(trees)
    def collect(tree: Node) -> None:
        found.append(f"x = {PLAIN.text(tree)}")

    collect()
    for width in range(1, 14):
        sum_of_names = total([ast.Name(f"name_{i}" * (width // 3 + 1)) for i in range(width)])
        found.extend(assignment("value", sum_of_names, PLAIN, ""))
        found.extend(assignment("value", product([sum_of_names, *[ast.Name("w")] * 9]), PLAIN, ""))
        items = [f"item_{i}" for i in range(width * 2)]
        found.append(arguments("f(", items, ")"))
        found.append(arguments("def f(", items, "):") + "\n    return 1\n")
        found.append(call_on_list("y = np.stack", items))
        numbers = [repr(1 / (i + 3)) for i in range(width)]
        found.append(table("T", "np.array(", [numbers], ")"))
        found.append(table("T", "torch.tensor(", [numbers] * 2, ', device="cpu")[:, None, :]'))
        found.append("def f():\n" + docstring("word " * width * 2 + "end.", ["more " * 30 + "."]))
    fitting = [text for text in found if all(len(line) <= WIDTH for line in text.split("\n"))]
    assert len(fitting) > 100
    file = tmp_path / "expressions.py"
    file.write_text("\n\n\n".join(dict.fromkeys(fitting)) + "\n", encoding="utf-8")
    once = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--isolated", "--diff", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    changed = [line for line in once.stdout.splitlines() if line[:1] in "-+" and line[1:].strip()]
    assert not [line for line in changed if not line.startswith(("---", "+++"))], once.stdout


# -- scalars ------------------------------------------------------------------------------------


@given(scalars())
def test_numbers_are_nearest(x: Scalar) -> None:
    value = evaluate(number(x), {})
    assert abs(value - x.to_float()) <= 2.0**-52 * abs(x.to_float())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-g", "-g"),
        ("w^2*z^2 - w^2", "w**2 * (z + 1) * (z - 1)"),
        ("w/3", "w / 3"),
        ("-2*w*z/5", "-2 * w * z / 5"),
        ("w/(1 + g)", "w / (g + 1)"),
        ("sqrt(g)*w", "w * math.sqrt(g)"),
        ("g^(1/3)", "g ** (1 / 3)"),
        ("pi*w", "3.141592653589793 * w"),
        ("w*log(g)", "math.log(g) * w"),
        ("exp(-w*z)*g", "g / math.exp(w * z)"),
        ("w + sqrt(2)", "w + 1.4142135623730951"),
        ("w/2 + z", "0.5 * (w + 2 * z)"),
    ],
)
def test_expressions_of_parameters(text: str, expected: str) -> None:
    assumptions = Assumptions.declare({"g": "positive", "w": "real", "z": "real"})
    x = parse(text, assumptions.declared, assumptions)
    tree = from_scalar(x, {p: p for p in ("g", "w", "z")})
    assert PLAIN.text(tree) == expected
    point = {"g": fmpq(3, 7), "w": fmpq(-5, 4), "z": fmpq(11, 8)}
    exact = x.to_float({p: arb(v) for p, v in point.items()})
    found = evaluate(tree, {p: float(v.p) / float(v.q) for p, v in point.items()})
    assert found == pytest.approx(exact, rel=1e-15)


@pytest.mark.parametrize("text", ["a if b else c", "j.x", "f(j)", "log(j, 2)", "j[0]", "(", "x"])
def test_formulas_outside_the_grammar_are_refused(text: str) -> None:
    with pytest.raises(UnsupportedExpression):
        from_formula(text, {}, {})


def test_formula_constants_are_filled_in() -> None:
    tree = from_formula("-base^(-2*j/dim)", {"base": parse("10000"), "dim": parse("8")}, {})
    assert PLAIN.text(tree) == "-(10000.0 ** (-2 * j / 8))"
    assert names_in(tree) == {"j"}
    assert set(FUNCTIONS) == {"sqrt", "exp", "log", "cosh", "sinh"}


# -- channels and names -------------------------------------------------------------------------


@given(st.integers(1, 40), st.data())
def test_selectors_select(dimension: int, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, dimension - 1))
    step = data.draw(st.integers(1, 5))
    channels = list(range(start, dimension, step))
    channels = channels[: data.draw(st.integers(1, len(channels)))]
    text = selector(channels, dimension)
    assert text is not None
    assert eval(f"x[{text}]", {"x": list(range(dimension))}) == channels


@given(st.permutations(list(range(12))), st.data())
def test_pieces_go_back_to_their_channels(order: list[int], data: st.DataObject) -> None:
    used = data.draw(st.integers(0, 12))
    cuts = sorted(data.draw(st.sets(st.integers(1, max(1, used)), max_size=4)))
    bounds = [0, *[c for c in cuts if c < used], used]
    pieces = [tuple(order[a:b]) for a, b in pairwise(bounds) if a < b]
    rest, place = inverse_order(pieces, 12)
    joined = [c for piece in pieces for c in piece] + rest
    assert [joined[i] for i in place] == list(range(12))
    found = segments(pieces, 12)
    if found is None:
        return
    rebuilt: list[int] = []
    for segment in found:
        if segment.kind == "pass":
            rebuilt.extend(range(*segment.channels))
        else:
            columns = [pieces[i] for i in segment.pieces]
            rebuilt.extend(c for row in zip(*columns, strict=True) for c in row)
    assert rebuilt == list(range(12))


def test_names_of_classes_and_files() -> None:
    assert class_name("jordan-rope") == "JordanRope"
    assert class_name("2d rope") == "Encoding2dRope"
    assert class_name("") == "Encoding"
    assert file_name("Jordan RoPE/../x", "torch") == "jordan_rope_x_torch.py"
    assert file_name("…", "numpy") == "encoding_numpy.py"
    assert class_name("HEADS") == "Heads"
    assert one_line('a\n"b"\\\x07c') == 'a "b"\\ c'
    assert plain('a\n"b"\\\x07c') == "a 'b'/ c"
