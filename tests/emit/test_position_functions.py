"""Biases and tables of positions as code: printed, formatted, run, compared with exact values."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flint import fmpq

from numeric_check.kernels.kernel import compile_kernel
from numeric_check.laws.position_function import check_position_function
from numeric_check.text_proof.prove import TextProof, prove_text
from symbolic_pe.algebra.expression import parse
from symbolic_pe.emit.position_functions import emit_position_function
from symbolic_pe.emit.trees import UnsupportedExpression
from symbolic_pe.encodings.catalogue import entries
from symbolic_pe.encodings.encoding import Verdict
from symbolic_pe.encodings.families.lag_biases import first_lags
from symbolic_pe.encodings.outside import (
    Arithmetic,
    Given,
    NotAGroup,
    Outside,
    PositionFunction,
)
from symbolic_pe.errors import SpecificationError

SLOPES = ("1/2", "1/8")


def logarithmic(_: Arithmetic, given: Given, t: Any, s: Any, head: int) -> Any:
    """−ln(1 + a(t − s)), a = 1/2 and 1/8."""
    return -(1 + given["SLOPE"][head] * (t - s)).log()


def row(_: Arithmetic, given: Given, position: Any, column: int) -> Any:
    """cos in the first two columns, sin in the others."""
    angle = position * given["FREQUENCY"][column % 2]
    return angle.cos() if column < 2 else angle.sin()


TABLE = (tuple(fmpq(i, 8) for i in range(8)), tuple(fmpq(i * i, 4) for i in range(8)))


def bucketed(f: Arithmetic, given: Given, t: Any, s: Any, head: int) -> Any:
    bucket = sum(f.where(t - s >= k, 1, 0) for k in range(1, 8))
    return f.pick(given["table"][head], bucket)


def outside(function: PositionFunction, name: str) -> Outside:
    return Outside(name, Verdict.NOT_INVARIANT, 4, tuple, function, title=f"Example: {name}")


def proof(found: Outside, text: str) -> TextProof:
    assert found.function is not None
    required = ("DIMENSION", "HEADS", found.function.kind)
    return prove_text(compile_kernel(text, required=required), found.function)


LOGARITHMIC = outside(
    PositionFunction(
        "bias",
        "b(t, s) = -log(1 + a (t - s))",
        (("slope", "SLOPE[:, None, None]"),),
        "-log(1 + slope * clip(lag, 0, None))",
        logarithmic,
        2,
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
        4,
        {"FREQUENCY": (parse("1"), parse("1/10"))},
    ),
    "waves",
)
BUCKETS = outside(
    PositionFunction(
        "bias",
        "b(t, s) = table[min(t - s, 7)]",
        (
            ("distance", "clip(lag, 0, 7)[..., None]"),
            ("bucket", "sum(distance >= FIRST)"),
        ),
        "table[:, bucket]",
        bucketed,
        2,
        constants={"FIRST": tuple(parse(str(k)) for k in range(1, 8))},
        learned={"table": "(heads, 8): the learned biases"},
        samples={"table": TABLE},
    ),
    "buckets",
)
EXAMPLES = [LOGARITHMIC, WAVES, BUCKETS]
KNOWN = [f for e in entries().values() if isinstance(f := e.form({}), Outside) and f.function]


@pytest.mark.parametrize("target", ["numpy", "torch", "array-api"])
@pytest.mark.parametrize("found", [*EXAMPLES, *KNOWN], ids=lambda f: f.name)
def test_the_text_computes_the_exact_values(found: Outside, target: str, tmp_path: Path) -> None:
    kernel = emit_position_function(found, target, command="symbolic-pe build x")
    check = check_position_function(found, kernel)
    assert check.verdict == "consistent", check.line()
    decided = proof(found, kernel.text)
    assert decided.verdict == "proved", decided.reason
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
    decided = proof(found, edited)
    assert decided.verdict == "refuted", decided.reason


FORMS: dict[str, tuple[str, dict[str, str]]] = {
    "t5": ("t5", {}),
    "t5-both": ("t5", {"direction": "both", "buckets": "16", "max_distance": "64"}),
    "kerple": ("kerple", {}),
    "kerple-power": ("kerple", {"kernel": "power", "p": "1/2"}),
    "fire": ("fire", {}),
    "sinusoidal": ("sinusoidal", {"dim": "8"}),
    "tensor2tensor": ("sinusoidal", {"dim": "8", "form": "tensor2tensor"}),
    "learned": ("learned", {"length": "20"}),
    "longrope": ("longrope", {"dim": "8", "start": "4", "short": "", "long": ""}),
    "fope": ("fope", {}),
}


def entry(name: str) -> Outside:
    family, settings = FORMS[name]
    known = entries()[family]
    found = known.form({k: v for k, v in settings.items() if k in known.settings and v})
    assert isinstance(found, Outside)
    return found


@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize(
    ("name", "right", "wrong", "reason"),
    [
        ("t5", "19.0", "20.0", "FIRST.16.: the text has 20.0"),
        ("t5", "19.0", "19.000000000000004", "FIRST"),
        ("t5", ">= FIRST", "> FIRST", "at t0 = 1.*, s0 = "),
        ("t5-both", "lag < 0", "lag <= 0", "the text has"),
        ("t5-both", "abs(lag)", "abs(lag + 1)", "the text has"),
        ("kerple", "query - key", "key - query", "the text has"),
        ("kerple", "1 + scale", "2 + scale", "expected 0, at"),
        ("kerple", "-p[", "-a[", "the text has"),
        ("kerple-power", "** power", "** (power + 1)", "the text has"),
        ("fire", "512.0", "511.0", "LENGTH.0."),
        ("fire", "/ scale", "/ (scale + 1)", "the text has"),
        ("fire", "* w1", "* (w1 + 1)", "the text has"),
        ("sinusoidal", "0.01,", "0.0100000001,", "FREQUENCY"),
        ("sinusoidal", " > 0\n", " < 1\n", "column 0"),
        ("tensor2tensor", "sin(angle)", "sin(2 * angle)", "column 0"),
        ("learned", "table[row]", "table[row // 2]", ""),
        ("learned", "table[row]", "table[19 - row]", "position 0"),
        ("longrope", "position < 4", "position < 5", "at n0 = 4 "),
        ("fope", "cos_mix *", "sin_mix *", "column 0"),
    ],
)
def test_an_edit_is_refuted_at_a_point(
    name: str, right: str, wrong: str, reason: str, target: str
) -> None:
    text = emit_position_function(entry(name), target, command="").text
    edited = text.replace(" **power", "** power").replace(right, wrong)
    assert edited != text
    decided = proof(entry(name), edited)
    assert decided.verdict == ("refuted" if reason else "undecided"), decided.reason
    assert re.search(reason, decided.reason), decided.reason


@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("kerple", "1 + scale * ", "scale * "),
        ("fire", "maximum(query, ", "maximum(0 * key + query, "),
        ("sinusoidal", "angle = position * ", "angle = (2 * position - position) * "),
        ("learned", "table[row]", "(table + 0)[row]"),
        ("t5", ">= FIRST", "+ 1 >= 1 + FIRST"),
    ],
)
def test_a_harmless_rewrite_stays_proved(name: str, right: str, wrong: str, target: str) -> None:
    text = emit_position_function(entry(name), target, command="").text
    assert right in text
    edited = text.replace(right, wrong)
    if name == "kerple":
        library = "np" if target == "numpy" else "torch"
        edited = edited.replace(f"{library}.log(", f"{library}.log1p(")
    decided = proof(entry(name), edited)
    assert decided.verdict == "proved", decided.reason


@pytest.mark.parametrize(("buckets", "distance"), [(32, 128), (16, 20), (8, 500)])
def test_buckets_begin_where_the_definition_says(buckets: int, distance: int) -> None:
    """bucket(n) = e + ⌊ln(n/e)/ln(M/e)·(B − e)⌋ from n = e on, at most B − 1; e = B/2."""
    first, half = first_lags(buckets, distance), buckets // 2
    for lag in range(half, distance + 5):
        found = sum(lag >= x for x in first)
        powers = [half ** (half - k) * distance**k for k in range(half)]
        assert found == half + max(k for k, x in enumerate(powers) if lag**half >= x)


@pytest.mark.parametrize("name", [*FORMS])
def test_the_standard_text_runs_on_strict_arrays(name: str) -> None:
    """Only what the standard has is used; the values are those of NumPy."""
    strict = pytest.importorskip("array_api_strict")
    found = entry(name)
    assert found.function is not None
    text = emit_position_function(found, "array-api", command="").text
    names: dict[str, Any] = {}
    exec(compile(text, "text", "exec"), names)
    samples = [np.array(_floats(x)) for x in found.function.samples.values()]
    places = [np.arange(5.0)] * (2 if found.function.kind == "bias" else 1)
    arrays = [strict.asarray(x) for x in (*places, *samples)]
    result = np.asarray(names[found.function.kind](*arrays))
    plain = compile_kernel(
        emit_position_function(found, "numpy", command=""),
        required=("DIMENSION", "HEADS", found.function.kind),
    )
    assert np.allclose(result, plain.call(found.function.kind, *places, *samples), 1e-12, 1e-12)


def _floats(x: Any) -> Any:
    return [_floats(i) for i in x] if isinstance(x, (list, tuple)) else float(x.p) / float(x.q)


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
    nothing = replace(LOGARITHMIC, function=None, no_function="it depends on content")
    with pytest.raises(NotAGroup, match="logarithmic"):
        emit_position_function(nothing, "numpy", command="")
    with pytest.raises(ValueError, match="samples"):
        PositionFunction("bias", "", (), "lag", logarithmic, 2, learned={"table": ""})
    with pytest.raises(ValueError, match="kind"):
        PositionFunction("score", "", (), "lag", logarithmic, 2)
    with pytest.raises(ValueError, match="reason"):
        replace(LOGARITHMIC, function=None)
