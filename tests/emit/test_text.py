"""The emitted text: readable, formatted, deterministic, safe, with a header that can be read."""

from __future__ import annotations

import ast
import hashlib
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from symbolic_pe.emit.names import RESERVED, argument_names
from symbolic_pe.emit.plan import plan_kernel
from symbolic_pe.emit.source import (
    body_is_intact,
    digest_of_body,
    emit,
    read_header,
    split_source,
)
from symbolic_pe.encodings.encoding import Schedule
from symbolic_pe.errors import KernelError, SpecificationError
from tests.emit.by_hand import ENCODINGS, encoding, in_order, number, retention, rope, turning
from tests.emit.reference import BOTH, NO_CERTIFICATE, built, emitted, kernel, run, source

RUFF = [sys.executable, "-m", "ruff"]
ROOT = Path(__file__).resolve().parents[2]


def function(text: str, name: str) -> str:
    (node,) = (n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.name == name)
    return ast.get_source_segment(text, node) or ""


def words(name: str) -> str:
    """The text of a NumPy file without its line breaks."""
    return " ".join(source(name, "numpy").text.split())


# -- form ---------------------------------------------------------------------------------------


def test_every_body_is_formatted_and_clean(tmp_path: Path) -> None:
    for name, target in BOTH:
        body = source(name, target).body
        (tmp_path / f"{name.replace('-', '_')}_{target}.py").write_text(body, encoding="utf-8")
    for command in (["format", "--diff"], ["check", "--select", "F,E,W", "--quiet"]):
        done = subprocess.run(
            [*RUFF, *command, "--isolated", "--no-cache", str(tmp_path)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("target", ["numpy", "torch"])
def test_rope_of_dimension_128_is_a_dozen_lines(target: str) -> None:
    text = emitted(rope(128), target).text
    for name in ("rotary_table", "turn", "turn_into", "_transform"):
        assert len(function(text, name).splitlines()) <= 14
    assert "10000.0 ** (-2 * " in text
    words = function(text, "turn_words") if "def turn_words" in text else ""
    assert len(words.splitlines()) <= 16
    assert len(text.splitlines()) < (200 if words else 160)  # with what turn_words calls


def test_kinds_and_layouts_read_as_a_person_would_write_them() -> None:
    assert "np.multiply(x.view(table.dtype), table, out=out.view" in source("rope", "numpy").text
    assert "turned += halves[..., ::-1, :] * sine" in source("rope-half", "numpy").text
    assert "torch.view_as_real(_planes(x.to(compute)) * table)" in source("rope", "torch").text
    assert "torch.addcmul(halves * cosine, halves.flip(-2), signed)" in (
        source("rope-half", "torch").text
    )
    assert "result[..., :2] = cosine * first - sine * second" in source("p-rope", "numpy").text
    assert "return -SLOPE * lag\n" in source("alibi", "numpy").text
    assert "SLOPE = 2.0 ** (-8 * (np.arange(4)[:, None, None] + 1) / 4)" in (
        source("alibi", "numpy").text
    )
    assert "RATE = np.log(1 - 2.0 ** (-5 - np.arange(3)[:, None, None]))" in (
        source("retention", "numpy").text
    )
    assert "w**2 * (z + 1) * (z - 1)" in source("oscillator", "torch").text
    assert "return x\n" in source("nope", "numpy").text


@pytest.mark.parametrize(("name", "target"), BOTH)
def test_imports_are_the_array_library_and_nothing_else(name: str, target: str) -> None:
    allowed = {
        "numpy": {"import numpy as np"},
        "torch": {"import torch", "from torch import nn", "import math"},
    }[target]
    tree = ast.parse(source(name, target).text)
    found = {ast.unparse(n) for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)}
    assert found <= allowed
    assert found


@pytest.mark.parametrize("name", list(ENCODINGS))
def test_torch_writes_nothing_in_place_except_into_memory_given_for_it(name: str) -> None:
    tree = ast.parse(source(name, "torch").text)
    allowed = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "turn_into"]
    for node in (
        n for statement in tree.body if statement not in allowed for n in ast.walk(statement)
    ):
        assert not isinstance(node, ast.AugAssign)
        targets = node.targets if isinstance(node, ast.Assign) else []
        assert not any(isinstance(t, ast.Subscript) for t in targets)
        if isinstance(node, ast.Attribute):
            assert node.attr != "matrix_exp"
            in_place = node.attr.endswith("_") and not node.attr.startswith("_")
            assert not in_place or node.attr in ("lambda_", "x_")


# -- determinism --------------------------------------------------------------------------------

_DIGESTS = """
import hashlib
from tests.emit.reference import BOTH, source
print(hashlib.sha256("".join(source(n, t).text for n, t in BOTH).encode()).hexdigest())
"""


def test_equal_plans_give_equal_bytes_in_any_process() -> None:
    here = hashlib.sha256("".join(source(n, t).text for n, t in BOTH).encode()).hexdigest()
    again = "".join(emitted(ENCODINGS[n](), t).text for n, t in BOTH)
    assert hashlib.sha256(again.encode()).hexdigest() == here
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", _DIGESTS],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "PATH": "", "HOME": str(ROOT)},
        )
        assert done.stdout.strip() == here


def test_emission_imports_no_array_library() -> None:
    code = (
        "import sys, symbolic_pe.emit.source\n"
        "assert not {'numpy', 'torch', 'ml_dtypes'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


# -- formulas -----------------------------------------------------------------------------------


def test_numbers_are_printed_where_the_formula_would_lose_digits() -> None:
    """(2^60 + j) − 2^60 is j exactly, and 0 in binary64."""
    placed = in_order(turning([number("1"), number("2")]))
    text = emitted(
        encoding("x", placed, schedules=(Schedule("frequency", "2^60 - (2^60 + j + 1)"),)), "numpy"
    ).text
    assert "THETA = np.array([1.0, 2.0])" in text


def test_a_formula_that_is_not_the_values_is_not_printed() -> None:
    placed = in_order(turning([number("1"), number("2")]))
    wrong = encoding("x", placed, schedules=(Schedule("frequency", "-(j + 2)"),))
    assert "THETA = np.array([1.0, 2.0])" in emitted(wrong, "numpy").text


def test_integer_formulas_become_float64() -> None:
    placed = in_order(turning([number("1"), number("2"), number("3")]))
    text = emitted(
        encoding("x", placed, schedules=(Schedule("frequency", "-(j + 1)"),)), "numpy"
    ).text
    assert "THETA = np.arange(3, dtype=np.float64) + 1" in text
    assert run(text).THETA.dtype == "float64"


def test_scalar_functions_of_torch_are_those_of_math() -> None:
    """torch.log of a Python number does not exist."""
    placed = in_order(turning([number("log(2)", j=0), number("log(2)/3", j=1)]))
    text = emitted(
        encoding("x", placed, schedules=(Schedule("frequency", "-log(2)/(2*j + 1)"),)), "torch"
    ).text
    assert "import math\n" in text
    assert "THETA = math.log(2) / (2 * INDEX + 1)" in text
    assert run(text).THETA.dtype == torch.float64


# -- names --------------------------------------------------------------------------------------


def test_parameters_never_collide() -> None:
    assert "def transform_query(x, position, lambda_, w, x_, reference=0.0):" in (
        source("learned-rates", "torch").text
    )
    hostile = ["THETA", "x", "x_", "side", "forward", "l", "half", "None_", "w"]
    names = argument_names(hostile)
    assert len(set(names.values())) == len(hostile)
    assert not set(names.values()) & RESERVED
    assert names["w"] == "w"
    assert names["x"] == "x__"


def test_reserved_names_cover_what_modules_and_kernels_bind() -> None:
    assert {n for n in dir(torch.nn.Module) if not n.startswith("_")} - {
        "T_destination"
    } <= RESERVED
    for name, target in BOTH:
        own = set(argument_names(sorted(built(name).parameters)).values())
        for node in ast.walk(ast.parse(source(name, target).text)):
            bound = None
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                bound = node.id
            elif isinstance(node, ast.arg):
                bound = node.arg
            if bound is None or bound in own or bound.isupper():
                continue
            stem = bound.rstrip("0123456789_") if bound[-1].isdigit() else bound
            assert {bound, stem, stem.removesuffix("_part")} & RESERVED, (name, target, bound)


def test_hostile_names_stay_text() -> None:
    """A title from a file of somebody else can neither end the docstring nor the comment."""
    hostile = 'bad"""\nimport os\r\x0c\u2028\\N{BULLET} \\'
    for target in ("numpy", "torch"):
        placed = in_order(turning([number("1")]))
        text = emitted(
            encoding(
                hostile,
                placed,
                title=hostile,
                reference=hostile,
                layout=hostile,
                specification={"title": hostile},
            ),
            target,
            command=f"x {hostile}",
        ).text
        tree = ast.parse(text)
        assert all(
            not isinstance(n, ast.Import) or n.names[0].name in ("numpy", "torch")
            for n in ast.walk(tree)
        )
        assert read_header(text).specification == {"title": hostile}
        run(text)


# -- header -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "target"), BOTH)
def test_header(name: str, target: str) -> None:
    kernel_source = source(name, target)
    header, body = split_source(kernel_source.text)
    assert body == kernel_source.body
    assert body.startswith('"""')
    assert digest_of_body(body) == kernel_source.body_digest
    assert kernel_source.filename.endswith(f"_{target}.py")
    found = read_header(kernel_source.text)
    assert found.text == header
    assert found.target == target
    assert found.certificate == NO_CERTIFICATE
    assert found.body_digest == kernel_source.body_digest
    assert found.specification == built(name).specification
    assert body_is_intact(kernel_source.text)


def test_header_is_as_published() -> None:
    lines = source("rope", "numpy").text.splitlines()
    specification = json.dumps(
        built("rope").specification, sort_keys=True, separators=(", ", ": "), ensure_ascii=False
    )
    assert lines[:6] == [
        "# Written by symbolic-pe: Rotary position embedding.",
        "# reproduce:   symbolic-pe build rope-interleaved.toml --target numpy",
        "# target:      numpy",
        f"# spec:        {specification}",
        f"# certificate: {NO_CERTIFICATE}",
        f"# body:        {source('rope', 'numpy').body_digest}",
    ]


def test_a_changed_body_is_noticed_and_a_changed_certificate_line_is_not_the_body() -> None:
    text = source("rope", "numpy").text
    assert not body_is_intact(text.replace("10000.0", "10001.0"))
    assert body_is_intact(text.replace(NO_CERTIFICATE, "sha256:" + "1" * 64))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "expected an emitted file"),
        ("import os\n", "expected an emitted file"),
        ("# Written by symbolic-pe: x.\n# target:      numpy\n", "lacks reproduce, spec"),
        (
            "# Written by symbolic-pe: x.\n# reproduce:   a\n# target:      numpy\n"
            "# spec:        {\n# certificate: c\n# body:        b\n",
            "not JSON",
        ),
        (
            "# Written by symbolic-pe: x.\n# reproduce:   a\n# target:      numpy\n"
            "# spec:        []\n# certificate: c\n# body:        b\n",
            "not a JSON object",
        ),
        (
            "# Written by symbolic-pe: x.\n# reproduce:   a\n# target:      numpy\n"
            "# spec:        {}\n# certificate: c\n# body:        b\n# spec:        {}\n",
            "more than one line spec",
        ),
        (
            "# Written by symbolic-pe: x.\n# reproduce:   a\n# target:      numpy\n"
            "# spec:        {}\n# certificate: c\n# body:        b\n# float32: 1\n# float32: 2\n",
            "more than one line float32",
        ),
    ],
)
def test_a_file_without_a_header_is_refused(text: str, reason: str) -> None:
    with pytest.raises(KernelError, match=reason):
        read_header(text)


def test_unknown_target_names_the_nearest() -> None:
    with pytest.raises(SpecificationError, match="did you mean 'torch'"):
        emit(plan_kernel(rope()), "toch", command="", certificate_digest="")


# -- words --------------------------------------------------------------------------------------


def test_docstring_says_which_positions_are_served() -> None:
    text = source("retention", "numpy").text
    assert "up to 2771 (float32 and bfloat16) and 346 (float16)" in " ".join(text.split())
    assert "Range: every position" in source("rope", "numpy").text
    assert "multiply the appended query coordinates by √d" in " ".join(
        source("alibi", "numpy").text.split()
    )
    assert "TEMPERATURE" in source("warm-rope", "numpy").text
    assert "can be folded into the weights" in " ".join(source("dense", "torch").text.split())


def test_range_of_a_parametric_block_names_overflow_and_cancellation() -> None:
    text = words("oscillator")
    assert "r·|position − reference| < 88" in text
    assert "r the largest |real part| of an eigenvalue" in text
    assert "about 2√D·|position − reference|·log10(e) digits" in text
    assert "in exact arithmetic; rounding is as in Range" in text
    assert "Range: every position. Guarantee" in words("skew")
    assert "every reference, up to rounding" in words("skew")
    assert "Range: keep the reference near" in words("polynomial")


def test_float32_scores_of_the_oscillator_are_what_the_range_says() -> None:
    """Rates −0.268 and −0.932; the reference is far from the positions, or near them."""
    module, w, z = kernel("oscillator", "numpy"), 0.5, 1.2
    q, k = np.array([[1.0, 0.3]], np.float32), np.array([[0.5, 1.0]], np.float32)
    expected = (q @ module.operator(1.0, w, z) @ k.T).item()

    def error(distance: float) -> float:
        query = module.transform_query(q, [60.0], w, z, reference=60.0 - distance)
        key = module.transform_key(k, [59.0], w, z, reference=60.0 - distance)
        assert np.isfinite(query).all()
        assert np.isfinite(key).all()
        return float(abs((query @ key.T).item() / expected - 1))

    root = w * (z * z - 1) ** 0.5
    for distance in (0.0, 3.0, 3 / root, 15.0, 25.0, 60.0, 88 / 0.932):
        assert error(distance) < 64 * 2**-24 * np.exp(2 * root * distance)
    assert error(60.0) > 0.5


def test_range_of_a_bias_is_said_for_the_appended_coordinates() -> None:
    for name, held in (("alibi", ""), ("quadratic", " and its powers up to 2")):
        text = words(name)
        assert "Range: on the channels of x, every position. bias() is right at every" in text
        assert f"hold position − reference{held} in the dtype of x" in text
        assert "For t < s the same formula continues" in text
    assert "coordinates are rounded to the dtype of x" in words("sandwich")


def test_appended_coordinates_are_what_the_range_says() -> None:
    """A quadratic bias in float32: right near the reference, lost far from it."""
    module, at = kernel("quadratic", "numpy"), 2.0**20
    x = np.zeros((2, 1, 4), np.float32)
    expected = module.bias([at], [at - 1])

    def score(reference: float) -> np.ndarray:
        query = module.transform_query(x, [at], reference)
        key = module.transform_key(x, [at - 1], reference)
        return np.asarray(query @ np.swapaxes(key, -1, -2))

    assert np.allclose(score(at - 100), expected, rtol=0.01)
    assert np.abs(score(0.0) - expected).max() > 1
    with np.errstate(over="ignore"):
        assert np.isinf(module.transform_key(x.astype(np.float16), [65520.0])).any()


def test_rotate_says_where_it_holds() -> None:
    assert "A(τ) = decay(τ)·B(τ) for τ ≥ 0" in words("retention")
    assert "0 for t < s" in words("retention")


def test_orientation_is_said() -> None:
    assert "turn by +θ·(position − reference)" in source("rope", "numpy").text
    assert "turn by −ω·(position − reference)" in source("forward-rope", "numpy").text


def test_heads_that_agree_are_one() -> None:
    heads = retention()
    alike = replace(heads, heads=heads.heads[:1] * 2)
    module = run(emitted(alike, "numpy").text)
    assert module.HEADS == 2
    assert module.operator(1.0).shape == (2, 4, 4)


def test_module_constants_are_what_the_interface_names() -> None:
    for name, target in BOTH:
        module, plan = kernel(name, target), plan_kernel(built(name))
        assert (plan.dimension, plan.heads) == (module.DIMENSION, module.HEADS)
