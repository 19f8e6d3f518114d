"""Mutants of kernels: what the operators make, what refutes them, and when they are the same."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from numeric_check import compile_kernel
from numeric_check.mutation import campaign as campaign_module
from numeric_check.mutation import runs as runs_module
from numeric_check.mutation.campaign import FileResult, campaign
from numeric_check.mutation.equivalence.branches import same_but_branches
from numeric_check.mutation.equivalence.casts import without_casts
from numeric_check.mutation.equivalence.difference import same_at_every_call, same_remainders
from numeric_check.mutation.equivalence.identities import same_identities
from numeric_check.mutation.equivalence.reasons import same_constants
from numeric_check.mutation.equivalence.same_arrays import same_arrays, same_but_devices
from numeric_check.mutation.equivalence.same_functions import same_functions
from numeric_check.mutation.judge import Decision, Judge
from numeric_check.mutation.mutant import Mutant, mutants
from numeric_check.mutation.operators import NAMES
from numeric_check.mutation.runs import Runs
from numeric_check.mutation.table import markdown, record
from symbolic_pe.cli.main import cli
from symbolic_pe.errors import OutputError
from tests.golden_specimens import specimens

ALL = {s.name.removesuffix(".py"): s for s in specimens()}
FAST = ("rope_half_partial_numpy", "decay_torch", "nope_torch")
SMALL = '''"""A text."""

import numpy as np

DIMENSION = 2
RATE = np.array([0.5])


def _helper(x, side):
    """Twice, or not."""
    if not x.dtype == np.float64:
        raise TypeError(f"got {x.dtype}")
    return np.cos(side * RATE) * x[..., :2] - x


def operator(lag):
    return _helper(lag, 1)
'''


def made(operator: str) -> set[str]:
    return {m.after for m in mutants(SMALL, [NAMES[operator]])}


# -- operators ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("operator", "return (np.cos(side * RATE) * x[..., :2])"),
        ("operator", "return np.cos((side / RATE)) * x[..., :2] - x"),
        ("sign", "return np.cos((-side) * RATE) * x[..., :2] - x"),
        ("comparison", "if not (x.dtype != np.float64):"),
        ("comparison", "if False:"),
        ("constant", "DIMENSION = 3"),
        ("constant", "RATE = np.array([0.5000005])"),
        ("constant", "raise TypeError('message')"),
        ("index", "return np.cos(side * RATE) * x - x"),
        ("index", "return np.cos(side * RATE) * x[..., 1:2] - x"),
        ("name", "return np.sin(side * RATE) * x[..., :2] - x"),
        ("name", "return np.cos(x * RATE) * x[..., :2] - x"),
        ("dtype", "if not x.dtype == np.float32:"),
        ("call", "return _helper(1, lag)"),
        ("call", "return _helper(lag)"),
        ("statement", "pass"),
    ],
)
def test_an_operator_makes(operator: str, expected: str) -> None:
    assert expected in made(operator)


def test_mutants_differ_from_the_text_and_from_each_other() -> None:
    found = mutants(SMALL)
    trees = {ast.dump(ast.parse(m.text)) for m in found}
    assert len(trees) == len(found) > 60
    assert ast.dump(ast.parse(SMALL)) not in trees
    assert all(m.text.count("\n") >= SMALL.count("\n") - 2 for m in found)
    assert not any('"""' not in m.text for m in found), "docstrings stay"


def test_statements_on_one_line_have_the_mutants_of_two_lines() -> None:
    one, two = mutants("a = 1; b = 2 * a\n"), mutants("a = 1\nb = 2 * a\n")
    assert [m.text.replace("; ", "\n") for m in one] == [m.text for m in two]


def test_the_difference_can_be_repeated() -> None:
    for mutant in mutants(SMALL):
        lines = mutant.text.splitlines()
        assert mutant.after.split()[0] in lines[mutant.line - 1]
        assert mutant.difference.startswith(f"line {mutant.line}: `")


def test_a_sample_is_the_same_each_time_and_in_the_order_of_the_file() -> None:
    found = mutants(SMALL, sample=12)
    assert found == mutants(SMALL, sample=12)
    assert len(found) == 12
    assert [m.line for m in found] == sorted(m.line for m in found)
    assert set(found) <= set(mutants(SMALL)) | set(found)


# -- what refutes -------------------------------------------------------------------------------

FAULTS = {
    "sign": ("rope_torch", "torch.sin(angle).to(dtype)", "torch.sin(-angle).to(dtype)", "law"),
    "guard gone": (
        "rope_half_partial_numpy", 'if x.dtype.kind in "biu":', 'if x.dtype.kind in "bu":', "guard",
    ),
    "message gone": (
        "decay_torch", 'f"expected floating-point x, got {x.dtype}"', '"message"', "guard",
    ),
    "wrong default": (
        "rope_torch", "def rotary_table(position, reference=0.0",
        "def rotary_table(position, reference=1.0", "defaults",
    ),
    "wider table": (
        "rope_torch", "torch.promote_types(x.dtype, torch.float32)",
        "torch.promote_types(x.dtype, torch.float64)", "precision",
    ),
    "cast gone": (
        "retnet_torch", "(scale * torch.cos(angle)).to(compute)", "(scale * torch.cos(angle))",
        "precision",
    ),
    "narrower of two dtypes": (
        "grape_m_numpy", "compute = np.result_type(x.dtype, cosine.dtype)",
        "compute = np.minimum(x.dtype, cosine.dtype)", "precision",
    ),
    "overflow on the way": ("decay_numpy", "np.maximum(lag, 0.0)", "lag", "input"),
    "one vector": (
        "decay_numpy", "result[..., :] = scale * wide", "result[:, :] = scale * wide", "input",
    ),
    "a key far away": (
        "sandwich_torch",
        "key = torch.as_tensor(key_position, dtype=torch.float64, device=query.device)",
        "key = torch.as_tensor(key_position, dtype=torch.float32, device=query.device)", "input",
    ),
    "arithmetic before the cast of positions": (
        "rope_numpy", "np.asarray(position, np.float64)",
        "np.asarray(np.asarray(position) * 2, np.float64) / 2", "input",
    ),
    "a lag in the dtype of the score": (
        "alibi_torch", "value = -slope[head] * lag", "value = -slope[head] * lag.to(score.dtype)",
        "input",
    ),
    "a lag in the dtype of the bias": (
        "alibi_torch", "return (-SLOPE.to(lag.device) * lag).to(dtype)",
        "return -SLOPE.to(lag.device).to(dtype) * lag.to(dtype)", "input",
    ),
    "a batch of turns": (
        "grape_m_numpy", "halves = x.reshape(*x.shape[:-1], 2, DIMENSION // 2)\n    turned",
        "halves = x.reshape(*x.shape[:1], 2, DIMENSION // 2)\n    turned", "input",
    ),
    "needless copy": ("rope_torch", "if inner != 1 or any", "if inner != 0 or any", "precision"),
    "device gone": ("rope_torch", "THETA.to(u.device)", "THETA.to()", "surroundings"),
    "device of the import": (
        "rope_torch", 'dtype=torch.float64, device="cpu")', "dtype=torch.float64)", "surroundings",
    ),
    "positions as they come": (
        "retnet_torch", "torch.as_tensor(position, dtype=torch.float64, device=x.device)",
        "torch.as_tensor(position, device=x.device)", "input",
    ),
    "strides unseen": (
        "rope_torch", "if inner != 1 or any(stride % 2 for stride in outer):", "if inner != 1:",
        "input",
    ),
    "keys of one row": ("retnet_torch", "key.unsqueeze(-2)", "key", "input"),
    "no gradient of the lag": (
        "rope_torch", "torch.as_tensor(lag, dtype", "torch.tensor(lag, dtype", "gradient",
    ),
    "two parameters exchanged": (
        "by_hand_learned_rates_torch", "1, lambda_, w, x_)", "1, lambda_, x_, w)", "law",
    ),
    "temperature": (
        "by_hand_warm_rope_torch", "TEMPERATURE = 1.2", "TEMPERATURE = 1.3", "defaults",
    ),
    "sums of integers": (
        "decay_numpy", 'if any(dtype.kind in "biu"', 'if all(dtype.kind in "biu"', "guard",
    ),
    "a value of another dtype": (
        "xpos_numpy", "_widest(query, key, value), value.dtype", "_widest(query, key), value.dtype",
        "guard",
    ),
    "sums under autocast": (
        "xpos_torch", "if not torch.amp.is_autocast_available(left.device.type):", "if True:",
        "surroundings",
    ),
    "a shear in float64": (
        "by_hand_polynomial_numpy", "weight = (side * u).astype(compute)", "weight = (side * u)",
        "precision",
    ),
    "wider tables": (
        "rope_half_partial_numpy", "dtype=np.float32):\n    \"\"\"cos and sin",
        "dtype=np.float64):\n    \"\"\"cos and sin", "defaults",
    ),
    "a gap read across": (
        "by_hand_dense_numpy", "place = times[1::2, ..., :1]", "place = times[::2, ..., :1]",
        "chunkwise-form",
    ),
    "infinity times zero": ("retnet_torch", "lag.clamp(min=0.0)", "lag", "gradient"),
}  # fmt: skip


def judged(name: str, text: str) -> Decision:
    return Judge(ALL[name].text, ALL[name].plan()).decide(text)


def changed(name: str, old: str, new: str) -> str:
    text = ALL[name].text
    assert old in text, old
    return text.replace(old, new, 1)


@pytest.mark.parametrize("fault", list(FAULTS))
def test_a_fault_is_refuted_by_the_law_that_is_about_it(fault: str) -> None:
    name, old, new, law = FAULTS[fault]
    found = judged(name, changed(name, old, new))
    assert found.kind == "law"
    assert law == "law" or found.detail.startswith(law), found


DECIDED = {
    "a word off by one": (
        "by_hand_rope_turns_numpy", "29358905032820012", "29358905032820011", "text", "frequency",
    ),
    "a lag of another dtype": (
        "jordan_rope_torch", "torch.as_tensor(lag, dtype=torch.float64, ", "torch.as_tensor(lag, ",
        "law", "input",
    ),
    "a parameter as it comes": (
        "by_hand_oscillator_torch",
        "    w = torch.as_tensor(w, dtype=torch.float64, device=x.device)\n", "", "law", "input",
    ),
    "a series with another end": (
        "by_hand_oscillator_torch", "even = odd = torch.ones_like(small)", "even = odd = small",
        "text", "the series of the text miss cosh",
    ),
    "a longer series": (
        "by_hand_oscillator_numpy", "range(9, 0, -1)", "range(10, 0, -1)",
        "equivalent", "no larger errors",
    ),
    "a threshold that is reached": (
        "by_hand_oscillator_numpy", "square > 1.0", "square >= 1.0",
        "equivalent", "no larger errors",
    ),
    "zeros of fewer axes": (
        "by_hand_oscillator_torch", "(*key.shape[:-2], value", "(*key.shape[1:-2], value",
        "equivalent", "same operations",
    ),
}  # fmt: skip


@pytest.mark.parametrize("edit", list(DECIDED))
def test_an_edit_that_no_measurement_of_maps_shows_is_decided(edit: str) -> None:
    name, old, new, kind, detail = DECIDED[edit]
    found = judged(name, changed(name, old, new))
    assert found.kind == kind
    assert detail in found.detail


def test_branches_are_compared_number_by_number() -> None:
    text = "def _even_and_odd(u):\n    return np.exp({}u)\n\n\ndef f(x):\n    return {}x\n"
    assert same_but_branches(text.format("", ""), text.format("2 * ", ""))
    assert not same_but_branches(text.format("", ""), text.format("", "2 * "))
    indexed = text.replace("np.exp({}u)", "np.exp({}u[0])")
    assert not same_but_branches(indexed.format("", ""), indexed.format("2 * ", ""))


def test_negative_twin_without_its_law_a_fault_survives(monkeypatch: pytest.MonkeyPatch) -> None:
    name, old, new, _ = FAULTS["guard gone"]
    monkeypatch.setattr(sys.modules["numeric_check.laws.cross_check"], "CALLING", ())
    assert judged(name, changed(name, old, new)).kind == "survivor"


def test_what_ends_in_an_error_is_refuted_and_what_is_no_kernel_is_none() -> None:
    text = changed("decay_torch", "wide = x.to(compute)", "pass")
    assert judged("decay_torch", text).kind == "law"
    assert (
        judged("decay_torch", ALL["decay_torch"].text + "\nx = undefined\n").kind == "not a kernel"
    )


# -- what is the same ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "old", "new", "reason"),
    [
        ("rope_half_partial_numpy", "wide[..., 2:4]", "wide[..., 2:-4]", "same text proof"),
        ("sandwich_torch", "return (position - reference).unsqueeze(-1)",
         "return (reference - position).unsqueeze(-1)", "same text proof"),
        ("grape_m_numpy", "turned += halves[..., ::-1, :]", "turned += halves[..., 1::-1, :]",
         "same text proof"),
        ("grape_m_numpy", "compute = np.result_type(x.dtype, cosine.dtype)", "compute = x.dtype",
         "same promotion"),
        ("rope_torch", "torch.mul(_planes(x), table,", "torch.mul(table, _planes(x),",
         "same identities"),
        ("retnet_torch", "wide = x.to(compute)", "wide = x", "same promotion"),
        ("alibi_torch", "SLOPE[:, 0, 0]", "SLOPE[:, -1, 0]", "same constants"),
        ("rope_torch", "transform_query(query,", "transform_key(query,", "same functions"),
        ("nope_torch", "transform_query(query, position, reference)",
         "transform_query(query, reference, position)", "same functions"),
        ("by_hand_learned_slopes_torch", "torch.cos(angle)", "torch.cos(-angle)",
         "same identities"),
        ("nope_torch", "query, key, position, reference=0.0", "query, key, position, reference=1.0",
         "same functions"),
        ("rope_torch", "stride % 2 for", "-stride % 2 for", "same remainders"),
        ("alibi_torch", "0].to(query.device)", "0].to(key.device)", "same devices"),
        ("alibi_torch", "torch.as_tensor(lag, dtype=torch.float64)", "torch.as_tensor(lag)",
         "same promotion"),
        ("xpos_numpy", "key.ndim - 1", "value.ndim - 1", "same arrays"),
        ("xpos_torch", "_widest(query, key, value), value.dtype",
         "_widest(key, query, value), value.dtype", "same arrays"),
        ("by_hand_polynomial_torch", "range(links.shape[-2] - 1, 0, -1)",
         "range(links.shape[-2] + 1, 0, -1)", "same operations"),
        ("by_hand_menagerie_turns_numpy", "range(links.shape[-2] - 1, 0, -1)",
         "range(links.shape[-2] + 1, 0, -1)", "same operations"),
        ("by_hand_dense_heads_numpy", "_transform(key, 0.0, 0.0, -1)\n    position",
         "_transform(key, 0.0, 0.0, -2)\n    position", "same functions"),
        ("fox_torch", "return query[..., :DIMENSION]", "return query[:, :DIMENSION]",
         "same operations"),
        ("xpos_torch", "new_zeros((*key.shape[:-2], value.shape[-1], DIMENSION))",
         "new_zeros((value.shape[-1], DIMENSION))", "same operations"),
    ],
)  # fmt: skip
def test_a_harmless_change_is_decided(name: str, old: str, new: str, reason: str) -> None:
    assert judged(name, changed(name, old, new)) == Decision("equivalent", reason)


def test_decisions_on_trees_have_negative_twins() -> None:
    f = "def _f(x, side):\n    return x if side < 0 else -x\n\n\ndef g(x):\n    return _f(x, {})\n"
    assert same_at_every_call(f.format("1").replace("<", "<="), f.format("1"))
    assert not same_at_every_call(f.format("0").replace("<", "<="), f.format("0"))
    assert not same_at_every_call(f.format("x").replace("<", "<="), f.format("x"))
    odd = "y = any(s % {} for s in t)\n"
    assert same_remainders(odd.format("-2"), odd.format("2"))
    assert not same_remainders(odd.format("3"), odd.format("2"))
    two = "def f(x):\n    return x * 2\n\n\ndef g(x):\n    return x * {}\n\n\ny = {}(1)\n"
    assert same_functions(two.format(2, "g"), two.format(2, "f"))
    assert not same_functions(two.format(3, "g"), two.format(3, "f"))
    unread = "def f(x, y):\n    return x\n\n\nz = f({}, {})\n"
    assert same_functions(unread.format("a", "b"), unread.format("a", "c"))
    assert not same_functions(unread.format("a", "b"), unread.format("c", "b"))
    sign = "def f(x, s):\n    return x if s > 0 else -x\n\n\nz = f(y, {})\n"
    assert same_functions(sign.format("-1"), sign.format("-2"))
    assert not same_functions(sign.format("-1"), sign.format("0.5"))
    scaled = sign.replace("else -x", "else s * x")
    assert not same_functions(scaled.format("-1"), scaled.format("-2"))
    there = "def f(v, x):\n    return np.asarray(v, {})\n\n\nz = f(1.0, {}y)\n"
    for asked in ("x.dtype", "device(x)", "array_namespace(x).float32"):
        assert same_functions(there.format(asked, ""), there.format(asked, "-"))
    for asked in ("x", "x.mean()", "h(x)", "device(x, 1)"):
        assert not same_functions(there.format(asked, ""), there.format(asked, "-"))
    assert same_identities("y = xp.clip(x, 0, None)\n", "y = xp.clip(x, 0)\n")
    assert not same_identities("y = xp.clip(x, 0, 1)\n", "y = xp.clip(x, 0)\n")
    assert not same_identities("y = np.clip(x, 0, None)\n", "y = np.clip(x, 0)\n")
    for other in ("f(*p, {})", "(lambda f: f(y, {}))(g)"):
        shifted = sign.replace("f(y, {})", other)
        assert not same_functions(shifted.format("1"), shifted.format("2"))
    ahead = "def f(x, /, t, s):\n    return x * t if s > 0 else x\n\n\nz = f(y, {}, 1)\n"
    assert not same_functions(ahead.format("1"), ahead.format("2"))
    even = "y = np.{}(-x)\n"
    assert same_identities(even.format("cos"), even.format("cos").replace("-", ""))
    assert not same_identities(even.format("sin"), even.format("sin").replace("-", ""))
    assert same_identities("y = a * b\n", "y = b * a\n")
    assert same_identities("y = x.transpose(-1, -2)\n", "y = x.transpose(-2, -1)\n")
    assert not same_identities("y = x.transpose(-1, -3)\n", "y = x.transpose(-2, -1)\n")
    assert not same_identities("y = a - b\n", "y = b - a\n")
    for joined in ("(a,) + {}", "x.shape + {}", "x.shape[:-1] + {}", "[a] + {}", "'a' + {}"):
        left, _, right = joined.format("b").partition(" + ")
        assert not same_identities(f"y = {left} + {right}\n", f"y = {right} + {left}\n")
    assert without_casts("y = x.to(f)\n") == without_casts("y = x\n")
    assert without_casts("y = x.exp(f)\n") != without_casts("y = x\n")
    assert without_casts("x = x.to(f)\n") == without_casts("pass\n")
    assert without_casts("x = y.to(f)\n") != without_casts("pass\n")
    assert same_identities("y = x[..., 0::2]\n", "y = x[..., ::2]\n")
    assert not same_identities("y = x[..., 0::-2]\n", "y = x[..., ::-2]\n")
    assert same_identities("y = x[..., :, None]\n", "y = x[:, ..., None]\n")
    assert not same_identities("y = x[..., :, None]\n", "y = x[:, None, ...]\n")
    assert same_identities("y[..., :] = x\n", "y[:,] = x\n")
    assert not same_identities("y[..., :] = x\n", "y[:, :] = x\n")  # an axis is not two
    assert same_identities("y = -(n >> 2) & 1\n", "y = n >> 2 & 1\n")
    assert not same_identities("y = -(n >> 2) & 2\n", "y = n >> 2 & 2\n")
    assert not same_identities("y = -n & 1\n", "y = n & 1\n")  # there is no -n of NumPy's bool
    numbers = "y = torch.{}([u.new_tensor(1), w])\n"
    assert same_identities(numbers.format("stack"), numbers.format("hstack"))
    vectors = "y = torch.{}([v, w])\n"
    assert not same_identities(vectors.format("stack"), vectors.format("hstack"))
    sums = "def f(query, key, value, position):\n    return g({}, {})\n"
    assert same_arrays(sums.format("key.ndim", 1), sums.format("value.ndim", 1))
    assert same_arrays(sums.format("key.shape[-2]", 1), sums.format("query.shape[-2]", 1))
    assert not same_arrays(sums.format("key.shape[-1]", 1), sums.format("value.shape[-1]", 1))
    assert not same_arrays(sums.format("key.ndim", 1), sums.format("position.ndim", 1))
    step = "def f(state, query, key, value, lag):\n    return g({})\n"
    assert not same_arrays(step.format("key.shape[-2]"), step.format("value.shape[-2]"))
    assert same_arrays(step.format("array_namespace(key)"), step.format("array_namespace(state)"))
    none = step.replace("state, query, key, value, lag", "query, key, value, position, state=None")
    spaces = [none.format(f"array_namespace({name})") for name in ("key", "state")]
    assert not same_arrays(*spaces)
    widest = "def h(*xs):\n    return max(x.{} for x in xs)\n\n\ny = h({}, b)\n"
    assert same_arrays(widest.format("dtype", "a"), widest.format("dtype", "-a"))
    assert not same_arrays(widest.format("shape", "a"), widest.format("shape", "-a"))
    assert not same_arrays(widest.format("dtype", "a"), widest.format("dtype", "b"))
    first = "def h(*xs):\n    return xs[0].dtype\n\n\ny = h({}, {})\n"
    assert not same_arrays(first.format("a", "b"), first.format("b", "a"))
    listed = first.replace("xs[0].dtype", "[x.dtype for x in xs][0]")
    assert not same_arrays(listed.format("a", "b"), listed.format("b", "a"))
    assert same_arrays("y = np.asarray(-x).dtype\n", "y = np.asarray(x).dtype\n")
    assert not same_arrays("y = _f(-x).dtype\n", "y = _f(x).dtype\n")
    heads = "HEADS = {}\n\n\ndef f(x):\n    y = np.empty_like({})\n    y[{}] = x\n    return y\n"
    for index in (":", ":,", ":, :", ":, :, :"):
        assert same_arrays(heads.format(2, "x", "..., :"), heads.format(2, "x", index))
    for count, made, index in ((1, "x", ":, :"), (2, "z", ":, :"), (2, "x", ":, :, :, :")):
        wrong = heads.format(count, made, index)
        assert not same_arrays(heads.format(count, made, "..., :"), wrong)
    assert not same_arrays(heads.format(2, "x", "..., :"), heads.format(2, "x", "..., :2"))
    parts = "def turn(x, table):\n    cosine, sine = {}\n    return x.astype({}.dtype)\n"
    own, other = (parts.format("table", name) for name in ("cosine", "sine"))
    assert same_arrays(own, other)
    assert not same_arrays(own.replace("= table", "= x"), other.replace("= table", "= x"))
    named = "def f(x):\n    compute = {}\n    return {}\n"
    wide = named.format("np.result_type(x.dtype, y.dtype)", "x.astype(compute)")
    assert without_casts(wide) == without_casts(named.format("x.dtype", "x.astype(compute)"))
    assert without_casts(wide) != without_casts(named.format("x.shape", "x.astype(compute)"))
    where = "y = x.to({})\n"
    assert same_but_devices(where.format("a.device"), where.format("b.device"))
    assert not same_but_devices(where.format("a.dtype"), where.format("b.dtype"))
    there = "def f(v, x):\n    return np.asarray(v, {})\n\n\nz = f(1.0, {})\n"
    assert same_but_devices(there.format("device(x)", "a"), there.format("device(x)", "b"))
    for asked, others in (("x.dtype", "ab"), ("x", "ab"), ("device(x)", "a1")):
        assert not same_but_devices(*(there.format(asked, other) for other in others))


TWO = "def g(x{}):\n    return x\n\n\ndef f(x{}):\n    return {}\n\n\n"
CALLED = "def _f(k):\n    return k {} k\n\n\ndef g(x):\n    return _f(2)\n\n\n"
DIFFERENT = {
    "a permutation of axes": (same_identities, "y = x.transpose({})\n", "0, 1, 2", "0, 2, 1"),
    "NumPy's permutation": (same_identities, "y = np.exp(x).transpose({})\n", "0, 1", "1, 0"),
    "a named argument": (same_identities, "y = torch.add({}, alpha=-1)\n", "a, b", "b, a"),
    "a method": (same_identities, "y = z.add({})\n", "a, b", "b, a"),
    "a method of cos": (same_identities, "y = z.cos({}x, 1)\n", "-", ""),
    "lists by name": (same_identities, "a = [1]\nb = c\ny = {}\n", "a + b", "b + a"),
    "tuples by name": (same_identities, "a, b = x.shape, z\ny = {}\n", "a + b", "b + a"),
    "named twice": (same_identities, "b = list(x)\na = b\ny = {}\n", "a + c", "c + a"),
    "what is left over": (same_identities, "a, *b = x\ny = {}\n", "b + c", "c + b"),
    "a stack later": (
        same_identities, "def f(a):\n    b = a[{}]\n    a = np.stack(b)\n", "1, :", "1"
    ),
    "no index": (same_identities, "y = x[{}:]\n", "0.0", ""),
    "other defaults": (
        same_functions, TWO.format(", y=2", ", y=1", "g(x, y)") + "z = {}(a)\n", "f", "g"
    ),
    "a decorator": (
        same_functions, "@cache\n" + TWO.format("", "", "x") + "z = {}(a)\n", "f", "g"
    ),
    "an argument of that name": (
        same_functions, TWO.format("", "", "x") + "def h(f, g):\n    return {}\n", "f", "g"
    ),
    "defined again": (
        same_functions,
        TWO.format("", ", y", "x") + "if c:\n    def f(x, y):\n        return y\nz = f(a, {})\n",
        "b", "d",
    ),
    "a sum of remainders": (same_remainders, "y = sum(s % {} for s in t)\n", "-2", "2"),
    "other elements": (same_remainders, "y = any(s % 2 for r in t for s in {})\n", "r", "t"),
    "a call of the module": (same_at_every_call, CALLED + "T = _f(3)\n", "+", "*"),
    "a function handed on": (same_at_every_call, CALLED + "y = map(_f, z)\n", "+", "*"),
    "no index but a number": (
        same_at_every_call, CALLED.replace("k {} k", "x[: k {} 1]"), "//", "/"
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", list(DIFFERENT))
def test_different_texts_are_not_called_the_same(what: str) -> None:
    same, text, one, other = DIFFERENT[what]
    assert not same(text.format(one), text.format(other))


def test_a_call_that_agrees_is_decided() -> None:
    """Positive twin of those above."""
    assert same_at_every_call(CALLED.format("+"), CALLED.format("*"))
    both = TWO.format("", "", "x") + "z = {}(a)\n"
    assert same_functions(both.format("f"), both.format("g"))
    given = TWO.format("", ", y", "x") + "z = f(a, {})\n"
    assert same_functions(given.format("b"), given.format("d"))


@pytest.mark.parametrize(
    ("value", "known"), [("-(-SCALE)", True), ("SCALE + 0.0", True), ("SCALE * -0.0", False)]
)
def test_constants_are_compared_bit_for_bit(value: str, known: bool) -> None:
    text = ALL["rope_numpy"].text + "\n\nSCALE = np.zeros(2)\n"
    one, other = (compile_kernel(f"{text}ZERO = {x}\n") for x in (value, "SCALE * 1.0"))
    assert same_constants(one, other) is known


# -- campaigns ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FAST)
def test_no_mutant_of_a_sample_survives(name: str) -> None:
    (result,) = campaign([ALL[name]], sample=15, processes=1)
    assert len(result.mutants) == 15
    assert not [m.difference for m in result.survivors]
    assert sum(result.counts.values()) == 15


@pytest.mark.slow
def test_no_mutant_of_a_larger_sample_survives() -> None:
    """Of the files of the catalogue; docs/reference/mutants.md lists what survives in others."""
    families = ("rope", "grape", "xpos", "retnet", "mamba_3", "alibi")
    chosen = [s for s in ALL.values() if s.name.startswith(families)]
    assert len(chosen) >= 18
    for result in campaign(chosen, sample=20, processes=2):
        assert not [m.difference for m in result.survivors], result.name


def test_decided_files_are_kept_for_the_same_text_sample_and_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    specimen = ALL[FAST[0]]
    (first,) = campaign([specimen], sample=3, processes=1, runs=tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(campaign_module, "_decided", None)  # nothing may be decided again
        (again,) = campaign([specimen], sample=3, processes=1, runs=tmp_path)
    assert again == first
    runs = Runs(tmp_path, 3)
    assert runs.read(specimen.name, specimen.text) == dict(enumerate(first.decisions))
    assert not runs.read(specimen.name, specimen.text + "\n")
    assert not Runs(tmp_path, 4).read(specimen.name, specimen.text)
    monkeypatch.setattr(runs_module, "_refuting", lambda: "another version")
    assert not runs.read(specimen.name, specimen.text)


def test_what_is_refuted_stays_so_where_equivalence_is_decided_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    specimen, kinds = ALL[FAST[0]], ("law", "equivalent", "text", "survivor")
    runs = Runs(tmp_path, len(kinds))
    runs.write(specimen.name, specimen.text, [Decision(kind) for kind in kinds])
    asked: list[str] = []

    class Sure:
        def decide(self, text: str) -> Decision:
            asked.append(text)
            return Decision("equivalent", "sure")

    monkeypatch.setattr(campaign_module, "_judge", lambda _: Sure())
    monkeypatch.setattr(runs_module, "_equivalence", lambda: "another version")
    assert runs.read(specimen.name, specimen.text) == {0: Decision("law"), 2: Decision("text")}
    (result,) = campaign([specimen], sample=len(kinds), processes=1, runs=tmp_path)
    assert asked == [result.mutants[1].text, result.mutants[3].text]
    assert [d.kind for d in result.decisions] == ["law", "equivalent", "text", "equivalent"]
    assert runs.read(specimen.name, specimen.text) == dict(enumerate(result.decisions))


def test_decisions_depend_on_the_code_of_every_room_that_is_imported() -> None:
    """The rooms that decide import from each other, and else these modules alone."""
    aside = {"symbolic_pe.code_digest", "symbolic_pe.errors", "symbolic_pe.whole_files"}
    known = {f"{m.__name__}.{room}" for m, rooms in runs_module.REFUTING.items() for room in rooms}
    known.add("numeric_check.mutation")
    for path in (p for root in runs_module.roots() for p in (root, *root.rglob("*.py"))):
        if path.is_file():
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and node.module is not None:
                    first, _, rest = node.module.partition(".")
                    if rest and first in {"numeric_check", "symbolic_pe"}:
                        room = f"{first}.{rest.partition('.')[0]}"
                        assert {room, f"{room}.py"} & known or room in aside, (path, room)


def test_a_damaged_record_is_decided_again(tmp_path: Path) -> None:
    runs = Runs(tmp_path)
    runs.write("a/k.py", "text", (Decision("law", "guard"),))
    (path,) = tmp_path.iterdir()
    assert runs.read("a/k.py", "text") == {0: Decision("law", "guard")}
    whole = path.read_text(encoding="utf-8")
    for damaged in (whole[:-5], whole.replace("law", "lore"), "[]", whole.replace("key", "kee")):
        path.write_text(damaged, encoding="utf-8")
        assert not runs.read("a/k.py", "text")
    with pytest.raises(OutputError, match="cannot create the directory"):
        Runs(path).write("k.py", "text", ())
    with pytest.raises(OutputError, match="cannot read decided files: Not a directory"):
        Runs(path).read("k.py", "text")


def test_the_table_counts_and_lists() -> None:
    mutant = Mutant("sign", 3, "a", "-a", "-a\n")
    decisions = (
        Decision("law", "guard (float64)"),
        Decision("survivor"),
        Decision("equivalent", "x"),
    )
    result = FileResult("k.py", (mutant,) * 3, decisions)
    text = markdown([result])
    assert "| k.py | 3 | 0 | 1 | 0 | 0 | 1 | 1 |" in text
    assert "Laws: guard 1." in text
    assert "- k.py, sign, line 3: `a` becomes `-a`" in text
    assert record([result])["files"][0]["survivor"] == 1
    assert "No survivors." in markdown([FileResult("k.py", (), ())])


def test_the_command_reads_files_and_refuses_what_has_no_specification(tmp_path: Path) -> None:
    runner = CliRunner()
    kernel = tmp_path / "decay.py"
    assert runner.invoke(cli, ["emit", "decay:dim=2", "-o", str(kernel)]).exit_code == 0
    asked = ["bench", "mutants", str(kernel), "--sample", "4", "--processes", "1"]
    result = runner.invoke(cli, asked)
    assert result.exit_code == 0, result.output
    assert "| decay.py | 4 |" in result.stdout
    page = tmp_path / "page.md"
    page.write_text("<!-- begin mutants -->\n<!-- end mutants -->\n")
    assert runner.invoke(cli, [*asked, "--page", str(page)]).exit_code == 0
    assert "| decay.py | 4 |" in page.read_text()
    kernel.write_text("x = 1\n")
    assert runner.invoke(cli, asked).exit_code == 2
    assert runner.invoke(cli, ["bench", "mutants", str(tmp_path / "none.py")]).exit_code == 2
