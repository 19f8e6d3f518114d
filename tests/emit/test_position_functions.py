"""Biases and tables of positions as code: printed, formatted, run, compared with exact values."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from flint import arb, fmpq

from numeric_check.laws.position_function import check_position_function
from symbolic_pe.algebra.expression import parse
from symbolic_pe.emit.position_functions import emit_position_function
from symbolic_pe.emit.trees import UnsupportedExpression
from symbolic_pe.encodings.catalogue import entries
from symbolic_pe.encodings.encoding import Verdict
from symbolic_pe.encodings.outside import NotAGroup, Outside, PositionFunction
from symbolic_pe.errors import NotYetCovered, SpecificationError

SLOPES = ("1/2", "1/8")


def logarithmic(t: int, s: int, head: int) -> arb:
    """−ln(1 + a(t − s)), a = 1/2 and 1/8."""
    return -(1 + parse(SLOPES[head]).ball({}) * (t - s)).log()


def row(position: int, column: int) -> arb:
    """cos in the first two columns, sin in the others."""
    angle = arb(fmpq(position, (1, 10)[column % 2]))
    return angle.cos() if column < 2 else angle.sin()


TABLE = (tuple(fmpq(i, 8) for i in range(8)), tuple(fmpq(i * i, 4) for i in range(8)))


def bucketed(t: int, s: int, head: int) -> arb:
    return arb(TABLE[head][min(t - s, 7)])


def outside(function: PositionFunction, name: str) -> Outside:
    return Outside(name, Verdict.NOT_INVARIANT, 4, tuple, function, title=f"Example: {name}")


LOGARITHMIC = outside(
    PositionFunction(
        "bias",
        "b(t, s) = -log(1 + a (t - s))",
        (("slope", "SLOPE[:, None, None]"),),
        "-log(1 + slope * clip(lag, 0, None))",
        logarithmic,
        {"SLOPE": tuple(parse(x) for x in SLOPES)},
    ),
    "logarithmic",
)
WAVES = outside(
    PositionFunction(
        "table",
        "cos(t w) and sin(t w)",
        (("angle", "position * FREQUENCY"),),
        "concat([cos(angle), sin(angle)], -1)",
        row,
        {"FREQUENCY": (parse("1"), parse("1/10"))},
    ),
    "waves",
)
BUCKETS = outside(
    PositionFunction(
        "bias",
        "b(t, s) = table[min(t - s, 7)]",
        (("bucket", "integer(clip(lag, 0, 7))"),),
        "table[:, bucket]",
        bucketed,
        learned={"table": "(heads, 8): the learned biases"},
        samples={"table": TABLE},
    ),
    "buckets",
)
EXAMPLES = [LOGARITHMIC, WAVES, BUCKETS]
KNOWN = [f for e in entries().values() if isinstance(f := e.form({}), Outside) and f.function]


@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize("found", [*EXAMPLES, *KNOWN], ids=lambda f: f.name)
def test_the_text_computes_the_exact_values(found: Outside, target: str, tmp_path: Path) -> None:
    kernel = emit_position_function(found, target, command="symbolic-pe build x")
    check = check_position_function(found, kernel)
    assert check.verdict == "consistent", check.line()
    path = tmp_path / kernel.filename
    path.write_text(kernel.text)
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--isolated", "--diff", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    again = emit_position_function(found, target, command="symbolic-pe build x")
    assert again.text == kernel.text


@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize(
    ("found", "right", "wrong"),
    [
        (LOGARITHMIC, "0.125", "0.25"),
        (LOGARITHMIC, "query - key", "key - query"),
        (WAVES, ".cos(angle)", ".sin(angle)"),
        (WAVES, "0.1]", "0.1000001]"),
        (BUCKETS, "0, 7)", "0, 6)"),
    ],
)
def test_planted_faults_are_found(found: Outside, right: str, wrong: str, target: str) -> None:
    text = emit_position_function(found, target, command="").text
    assert right in text
    edited = text.replace(right, wrong)
    body = edited.replace("# body:", "# stale:")
    assert check_position_function(found, body).verdict == "refuted"


def test_keys_after_the_query_are_compared_where_they_are_served() -> None:
    for direction, verdict in (("both", "refuted"), ("causal", "consistent")):
        found = entries()["t5"].form({"direction": direction})
        assert isinstance(found, Outside)
        text = emit_position_function(found, "numpy", command="").text
        assert check_position_function(found, text).verdict == "consistent"
        wrong = "bucket = np.where(lag < 0, 0, bucket)\n    return table[:, bucket]"
        edited = text.replace("# body:", "# stale:").replace("return table[:, bucket]", wrong)
        assert check_position_function(found, edited).verdict == verdict


@pytest.mark.parametrize("length", ["3", "20", "1024", "3000"])
def test_tables_are_compared_at_the_positions_that_they_serve(length: str) -> None:
    found = entries()["learned"].form({"length": length})
    assert isinstance(found, Outside)
    text = emit_position_function(found, "numpy", command="").text
    assert check_position_function(found, text).verdict == "consistent"
    edited = text.replace("# body:", "# stale:").replace(
        "table[row]", f"table[row % {int(length) - 1}]"
    )
    assert check_position_function(found, edited).verdict == "refuted"


@pytest.mark.parametrize(
    "expression",
    ["__import__('os')", "lag.real", "eval(lag)", "slopes * lag", "clip(lag, x=1)", "open(lag)"],
)
def test_expressions_name_only_what_is_known(expression: str) -> None:
    assert LOGARITHMIC.function is not None
    found = replace(LOGARITHMIC, function=replace(LOGARITHMIC.function, result=expression))
    with pytest.raises(UnsupportedExpression):
        emit_position_function(found, "numpy", command="")


def test_what_cannot_be_printed_is_refused() -> None:
    with pytest.raises(SpecificationError, match="unknown target"):
        emit_position_function(LOGARITHMIC, "fortran", command="")
    with pytest.raises(NotYetCovered, match="numpy or torch"):
        emit_position_function(LOGARITHMIC, "array-api", command="")
    nothing = replace(LOGARITHMIC, function=None, no_function="it depends on content")
    with pytest.raises(NotAGroup, match="logarithmic"):
        emit_position_function(nothing, "numpy", command="")
    with pytest.raises(ValueError, match="samples"):
        PositionFunction("bias", "", (), "lag", logarithmic, learned={"table": ""})
    with pytest.raises(ValueError, match="kind"):
        PositionFunction("score", "", (), "lag", logarithmic)
    with pytest.raises(ValueError, match="reason"):
        replace(LOGARITHMIC, function=None)
