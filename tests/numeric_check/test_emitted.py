"""What the emitters print is consistent; faults planted in it are refuted by name."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numeric_check import compile_kernel, cross_check
from numeric_check.kernels.kernel import Kernel
from symbolic_pe.algebra.matrix import from_fmpq
from symbolic_pe.emit.plan import KernelPlan, plan_kernel
from symbolic_pe.emit.source import EmittedKernel, emit
from symbolic_pe.encodings.catalogue import catalogue, own_kernels
from symbolic_pe.encodings.encoding import Encoding, Head
from symbolic_pe.encodings.specification import read_specification
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.generators.block import Block
from symbolic_pe.generators.generator import Generator
from tests.numeric_check.test_cross_check import run
from tests.numeric_check.test_reference import encoding_of, generator_of
from tests.strategies import Planted, blocks, planted

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = {
    "rope": {"dim": 16},
    "retnet": {"dim": 16, "heads": 4},
    "alibi": {"dim": 4, "heads": 6},
    "jordan-rope": {"dim": 12, "order": 3},
}


@functools.cache
def emitted(name: str, target: str) -> tuple[EmittedKernel, KernelPlan]:
    plan = plan_kernel(catalogue(name, SMALL.get(name, {})))
    return printed(plan, target), plan


def printed(plan: KernelPlan, target: str) -> EmittedKernel:
    return emit(plan, target, command="symbolic-pe build", certificate_digest="sha256:0")


OSCILLATOR = ([["0", "1"], ["-w^2", "-2*z*w"]], {"w": "positive", "z": "real"})


@functools.cache
def oscillator() -> tuple[EmittedKernel, KernelPlan]:
    plan = plan_kernel(Encoding("p", (Head(Generator.from_matrix(*OSCILLATOR)),)))
    return printed(plan, "torch"), plan


def compiled(kernel: EmittedKernel) -> Kernel:
    result = compile_kernel(kernel)
    assert result.body_matches_header() is True
    assert result.module + ".py" == kernel.filename
    return result


@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name == "sandwich" else [])
        for name in own_kernels()
    ],
)
def test_the_catalogue_is_consistent(name: str, target: str) -> None:
    kernel, plan = emitted(name, target)
    result = cross_check(compiled(kernel), plan)
    assert result.failure_lines() == []
    assert {"query-map", "key-map", "relativity", "group-law"} <= {r.law for r in result.results}


@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize(
    ("rows", "parameters"),
    [
        ([["0", "1"], ["-w^2", "-2*z*w"]], {"w": "positive", "z": "real"}),
        ([["a", "b"], ["c", "-a"]], dict.fromkeys("abc", "real")),
        ([["p", "-p^2"], ["1", "-p"]], {"p": "real"}),
        ([["-g", "0"], ["0", "h"]], {"g": "positive", "h": "nonnegative"}),
    ],
)
def test_parametric_generators_are_consistent(
    rows: list[list[str]], parameters: dict[str, str], target: str
) -> None:
    plan = plan_kernel(Encoding("p", (Head(Generator.from_matrix(rows, parameters)),)))
    result = cross_check(compiled(printed(plan, target)), plan, dtypes=["float64", "bfloat16"])
    assert result.failure_lines() == []


DENSE = {
    "two rotations": "2 -4 0 4; 4 -5 -1 5; 1 -2 0 3; 2 -3 -1 3",
    # sin(12.75·√3) is small beside the angle's own error: entries read through it only are not.
    "a damped chain of three": (
        "-2/3 -3 1 -2 1 -2 0; -2 1/3 -1 3 0 2 0; 12 -24 82/3 -58 11 -65 0; 2 -9 7 -44/3 3 -16 0; "
        "-7 -3 1 1 4/3 -5 0; 3 -3 5 -11 2 -35/3 0; -16/3 0 0 3 -2/3 -3 1"
    ),
}


@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize("name", DENSE)
def test_a_dense_basis_is_consistent(name: str, target: str) -> None:
    rows = [row.split() for row in DENSE[name].split(";")]
    plan = plan_kernel(Encoding("m", (Head(Generator.from_matrix(rows)),)))
    assert plan.basis is not None
    assert cross_check(compiled(printed(plan, target)), plan).failure_lines() == []


@settings(max_examples=12, deadline=None)
@given(st.lists(blocks(max_chain=4), min_size=1, max_size=3))
def test_blocks_are_consistent(parts: list[Block]) -> None:
    plan = plan_kernel(encoding_of(generator_of(parts)))
    assert cross_check(compiled(printed(plan, "numpy")), plan).failure_lines() == []


@settings(max_examples=12, deadline=None)
@given(planted(max_dimension=6))
def test_matrices_are_consistent(hidden: Planted) -> None:
    generator = Generator.from_matrix(from_fmpq(hidden.matrix))
    try:
        plan = plan_kernel(encoding_of(generator))
    except NotYetCovered:
        return
    assert cross_check(compiled(printed(plan, "numpy")), plan).failure_lines() == []


def test_the_misquoted_alibi_is_refuted() -> None:
    """Its declared bias −m·τ is not what its coordinates realise."""
    plan = plan_kernel(read_specification(str(EXAMPLES / "alibi-misquoted.toml")))
    result = cross_check(compiled(printed(plan, "numpy")), plan)
    assert result.refuted_laws == {"bias"}


def test_the_corrected_alibi_is_consistent() -> None:
    plan = plan_kernel(read_specification(str(EXAMPLES / "alibi-corrected.toml")))
    for target in ("numpy", "torch"):
        assert cross_check(compiled(printed(plan, target)), plan).failure_lines() == []


BOTH = {"query-map", "key-map"}
FAULTS = [
    ("mamba-3", "numpy", r"sine \* first \+ cosine", "-sine * first + cosine", BOTH),
    ("mamba-3", "torch", r"sine \* first \+ cosine", "-sine * first + cosine", BOTH),
    ("rope", "numpy", r"np\.sin\(angle\)", "-np.sin(angle)", BOTH),
    ("rope", "torch", r"torch\.complex\(cosine, sine", "torch.complex(cosine, -sine", BOTH),
    ("rope", "numpy", r"10000\.0", "10001.0", {*BOTH, "relativity", "operator"}),
    ("rope", "torch", r"10000\.0", "10001.0", {*BOTH, "relativity", "operator"}),
    ("rope", "numpy", r"angle = u \*", "angle = u.astype(np.float32) *", BOTH),
    ("rope", "torch", r"angle = u \*", "angle = u.float() *", BOTH),
    ("rope", "numpy", r"np\.result_type\(np\.asarray\(x\)\.dtype, np\.float32\)", "np.float32",
     BOTH),
    ("rope", "torch", r"torch\.promote_types\(x\.dtype, torch\.float32\)", "x.dtype", BOTH),
    ("rope", "numpy", r"x\.view\(table\.dtype\), table, out",
     "x.view(table.dtype), table.conj(), out",
     {"given-memory"}),
    ("rope", "torch", r"torch\.mul\(_planes\(x\), table, out",
     "torch.mul(_planes(x), table.conj(), out",
     {"given-memory"}),
    ("rope", "numpy", r"np\.repeat\(sine, 2, axis=-1\)", "np.tile(sine, 2)", {"cos-sin"}),
    ("rope", "torch", r" sine\.repeat_interleave", " -sine.repeat_interleave", {"cos-sin"}),
    ("rope", "torch", r"dtype=x\.dtype, device=x\.device\)\n\n\ndef cos",
     "dtype=torch.float16, device=x.device)\n\n\ndef cos", {"cos-sin"}),
    ("rope", "torch", r"cos_sin\(position_ids", "cos_sin(position_ids + 1", {"cos-sin"}),
    ("alibi", "torch", r"<= query\[query_index\]", "< query[query_index]", {"mask-mod"}),
    ("alibi", "torch", r"key\[key_index\] <=", "key[query_index] <=", {"mask-mod"}),
    ("retnet", "numpy", r"side \* RATE", "RATE", {"key-map", "relativity"}),
    ("retnet", "torch", r"side \* RATE", "RATE", {"key-map", "relativity"}),
    ("retnet", "numpy", r"np\.exp\(RATE \*", "np.exp(2 * RATE *", {"decay-form"}),
    ("retnet", "numpy", r"position, 0\.0, 0\)", "position, 0.0, 1)", {"decay-form"}),
    ("alibi", "numpy", r"return -SLOPE \* lag", "return SLOPE * lag", {"bias"}),
    ("alibi", "torch", r"return \(-(SLOPE.*) \* lag\)", r"return (\1 * lag)", {"bias"}),
    ("alibi", "numpy", r"-SLOPE", "-np.flip(SLOPE, 0)", {"bias"}),
    ("decay", "numpy", r"_transform\(x, position, reference, -1\)",
     "_transform(x, position, reference, 1)", {"key-map", "relativity"}),
    ("jordan-rope", "numpy", r"weight / k", "weight", {*BOTH}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "target", "old", "new", "laws"), FAULTS)
def test_faults_planted_in_emitted_text(
    name: str, target: str, old: str, new: str, laws: set[str]
) -> None:
    kernel, plan = emitted(name, target)
    text, count = re.subn(old, new, kernel.text)
    assert count, f"the emitted text no longer contains {old}"
    changed = compile_kernel(text, target)
    assert changed.body_matches_header() is False
    result = cross_check(changed, plan)
    assert laws <= result.refuted_laws, sorted(result.refuted_laws)


FORWARD_KEY = r"(transform_key\(key, position)(, reference\))"
CLASS = r"class (\w+)(?<!Tables)\(nn\.Module\):\n"
# (name, old, new, laws): in PyTorch files, nothing but these laws is refuted.
AROUND_THE_MAPS = [
    ("rope", FORWARD_KEY, r"\1 + 1\2", {"module"}),
    ("rope", FORWARD_KEY, r"\1)", {"module"}),
    ("rope", r"transform_key\(key, ", "transform_key(key.flip(0), ", {"module"}),
    ("rope", r"transform_key\(key, ", "transform_key(1.0000001 * key, ", {"module"}),
    ("rope", r"\(key, position, ", "(key, position.round(), ", {"module"}),
    ("rope", r"transform_query\(query, ", "transform_query(key, ", {"module"}),
    ("rope", r"forward\(self, query, key, position, reference=0\.0\)",
     "forward(self, query, key, position, reference=1.0)", {"module"}),
    ("rope", r"forward\(self, query, key, position, reference=0\.0\)",
     "forward(self, query, key, position)", {"module"}),
    ("rope", r"(transform_query\(query, position, reference\)),\n *transform_key.*\n",
     r"\1,\n", {"module"}),
    ("rope", CLASS, r"class \1(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
     "        self.w = nn.Parameter(torch.ones(1))\n\n", {"module"}),
    ("rope", CLASS, r"class Other(nn.Module):\n    pass\n\n\nclass \1(nn.Module):\n", {"module"}),
    ("rope", CLASS, r"class \1:\n", {"module"}),
    ("alibi", FORWARD_KEY, r"\1, 0.0)", {"module"}),
    ("retnet", FORWARD_KEY, r"\1, 0.0)", {"module"}),
    ("alibi", r"lag = query\[query_index\] - key\[key_index\]", r"\g<0> + 1", {"score-mod"}),
    ("alibi", r"lag = query\[query_index\] - key\[key_index\]",
     "lag = query[query_index] - query[key_index % 7]", {"score-mod"}),
    ("alibi", r"lag = query\[query_index\] - key\[key_index\]", "lag = query_index - key_index",
     {"score-mod"}),
    ("alibi", r"slope\[head\]", "slope[batch]", {"score-mod"}),
    ("alibi", r"slope\[head\]", "slope[head - 1]", {"score-mod"}),
    ("alibi", r"return score \+ value", "return score * value", {"score-mod"}),
    ("alibi", r"value\.to\(score\.dtype\)", "value", {"score-mod"}),
    ("alibi", "def make_score_mod", "def score_mod_for", {"score-mod"}),
    ("retnet", r"lag >= 0, factor, 0\.0", "lag >= 0, factor, 1.0", {"decay-form"}),
    ("retnet", r"lag >= 0, factor", "lag > 0, factor", {"decay-form"}),
    ("retnet", r"position, 0\.0, 0\)", "position + 1, 0.0, 0)", {"decay-form"}),
    ("retnet", r"position, 0\.0, 0\)", "-position, 0.0, 0)", {"decay-form"}),
    ("retnet", r"return _transform\(x, position, 0\.0, 0\)", "return x", {"decay-form"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "old", "new", "laws"), AROUND_THE_MAPS)
def test_faults_beside_the_maps_of_a_torch_file(
    name: str, old: str, new: str, laws: set[str]
) -> None:
    kernel, plan = emitted(name, "torch")
    text, count = re.subn(old, new, kernel.text)
    assert count == 1, f"the emitted text contains {old} {count} times"
    result = cross_check(compile_kernel(text, "torch"), plan)
    assert result.refuted_laws == laws, result.failure_lines()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (r"\(key, position, self\.w, self\.z", "(key, position, self.z, self.w"),
        (r"self\.z = nn\.Parameter\(torch\.tensor\(z, ", "self.z = nn.Parameter(torch.tensor(w, "),
        (r"nn\.Parameter\(torch\.tensor\(z, dtype=torch\.float64\)\)",
         "nn.Parameter(torch.tensor(z, dtype=torch.float32))"),
        (r"nn\.Parameter\((torch\.tensor\(z, dtype=torch\.float64\))\)", r"\1"),
        (r"def __init__\(self, w, z\)", "def __init__(self, z, w)"),
    ],
)  # fmt: skip
def test_faults_in_a_module_with_parameters(old: str, new: str) -> None:
    kernel, plan = oscillator()
    text, count = re.subn(old, new, kernel.text)
    assert count == 1
    result = cross_check(
        compile_kernel(text, "torch"), plan, dtypes=["float64"], parameters={"w": 0.5, "z": 0.3}
    )
    assert result.refuted_laws == {"module"}, result.failure_lines()


@pytest.mark.parametrize(
    ("name", "index", "law"), [("rope", 0, "module"), ("alibi", 14, "score-mod")]
)
def test_reproductions_beside_the_maps(name: str, index: int, law: str, tmp_path: Path) -> None:
    kernel, plan = emitted(name, "torch")
    _, old, new, _ = AROUND_THE_MAPS[index]
    text = re.sub(old, new, kernel.text)
    (tmp_path / "kernel.py").write_text(text)
    (worst, *_) = cross_check(compile_kernel(text, "torch"), plan).refuted
    assert worst.law == law
    found, expected = run(worst.reproduce, tmp_path)
    assert float(found) != pytest.approx(float(expected), rel=1e-7)
