"""Reading, refusing and running texts."""

from __future__ import annotations

import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

from numeric_check import compile_kernel
from numeric_check.kernels.kernel import body_digest, parse_header
from symbolic_pe.errors import KernelError
from tests.numeric_check.kernel_texts import ROPE, rope, rope_torch

MALICIOUS = {
    "import of os": "import os",
    "import of a submodule": "import numpy.lib.format",
    "import from os": "from os import system",
    "import of ctypes": "import ctypes",
    "relative import": "from . import secrets",
    "star": "from math import *",
    "torch in a numpy kernel": "import torch",
    "late import": "def f():\n    import subprocess\n",
    "eval": "eval('1')",
    "exec": "exec('1')",
    "compile": "compile('1', '', 'eval')",
    "open": "open('/etc/passwd')",
    "__import__": "__import__('os')",
    "getattr": "getattr(np, 'load')('x')",
    "setattr": "setattr(np, 'pi', 3)",
    "vars": "vars(np)",
    "globals": "globals()",
    "locals": "locals()",
    "input": "input()",
    "breakpoint": "breakpoint()",
    "type": "type('X', (), {})",
    "dunder attribute": "().__class__.__bases__[0].__subclasses__()",
    "dunder name": "__builtins__",
    "underscore attribute": "np._core",
    "load": "np.load('x.npy', allow_pickle=True)",
    "aliased load": "load = np.load",
    "from import load": "from numpy import load",
    "save": "np.save('x', 1)",
    "savetxt": "np.savetxt('x', [1])",
    "fromfile": "np.fromfile('x')",
    "memmap": "np.memmap('x')",
    "tofile": "np.zeros(1).tofile('x')",
    "dump": "np.zeros(1).dump('x')",
    "lib": "np.lib.npyio",
    "ctypeslib": "np.ctypeslib",
    "testing": "np.testing",
    "f2py": "np.f2py",
    "vectorize": "np.vectorize(f)",
    "frombuffer": "np.frombuffer(b'1')",
    "data pointer": "np.zeros(1).ctypes.data",
    "format": "'{0.__class__}'.format(1)",
    "f-string attribute": "f'{np.load}'",
    "declared to be opened": "class A:\n    def load(self): pass\nnp.load('x')",
    "declared on self": "class A:\n    def f(self):\n        self.load = 1\n        np.load('x')",
    "metaclass": "class A(metaclass=object): pass",
    "dunder method": "class A:\n    def __del__(self): pass",
    "decorator": "@np.errstate\ndef f(): pass",
    "while": "while True: pass",
    "try": "try:\n    pass\nexcept Exception:\n    pass",
    "async": "async def f(): pass",
    "generator": "def f():\n    yield 1",
    "delete": "x = 1\ndel x",
    "match": "match 1:\n    case _: pass",
    "sys through abc": "from collections.abc import sys",
    "frames": "class A:\n    def gi_frame(self): pass\n(i for i in ()).gi_frame",
    "globals of a function": "class A:\n    def f_back(self): pass\nA.f_back",
    "changing numpy": "np.sin = np.cos",
    "changing numpy in a method": "class A:\n    def f(self):\n        self.sin = 1\n",
    "changing numpy in __init__": "class A:\n    def __init__(self):\n        np.sin = 1\n",
    "a rebound self": "class A:\n    def __init__(self):\n        self = np\n        self.cos = 1",
    "a nested self": "class A:\n    def __init__(self):\n"
    "        def f(self):\n            self.sin = 1\n        f(np)\n",
    "an argument to hide behind": "def f(getattr): pass\ngetattr(np, 'load')",
    "augmenting": "np.pi += 1",
    "loop variable": "for np.pi in (3,): pass",
    "context variable": "with np.errstate() as np.pi: pass",
    "huge integer": "x = 10**3 * " + str(2**70),
    "bytes": "x = b'abc'",
    "global": "def f():\n    global HEADS\n    HEADS = 2\n",
    "nonlocal": "def f():\n    x = 1\n    def g():\n        nonlocal x\n        x = 2\n",
    "typing hints": "from typing import get_type_hints",
    "whole typing": "import typing",
    "not python": "def f(:",
}


@pytest.mark.parametrize("name", MALICIOUS)
def test_what_is_not_array_arithmetic_is_refused(name: str) -> None:
    before = [*sys.modules]
    with pytest.raises(KernelError, match="line"):
        compile_kernel(ROPE + "\n" + MALICIOUS[name] + "\n", "numpy")
    assert {m for m in sys.modules if m not in before} <= {"torch"}


@pytest.mark.parametrize(
    "line",
    [
        "torch.load('x')",
        "torch.save(1, 'x')",
        "torch.hub.load('a', 'b')",
        "torch.ops.load_library('x')",
        "torch.utils.cpp_extension",
        "torch.jit.script(turn)",
        "torch.compile(turn)",
        "torch.package",
        "torch.storage",
        "torch.serialization",
        "torch.from_file('x')",
        "torch.zeros(1).data_ptr()",
        "torch.classes",
        "torch.sys.modules",
        "torch.os.system('true')",
        "torch.nn.modules",
        "nn.Module.load_state_dict",
        "nn.functional.torch",
        "from torch import hub",
        "from torch.utils import cpp_extension",
        "import torch.utils.cpp_extension",
        "import numpy",
    ],
)
def test_torch_is_fenced_too(line: str) -> None:
    with pytest.raises(KernelError, match="line"):
        compile_kernel(rope_torch().text + "\n" + line + "\n")


def test_names_of_parameters_may_hide_harmless_builtins() -> None:
    text = ROPE.replace("x, position, reference=0.0", "x, position, id, reference=0.0")
    assert compile_kernel(text).dimension == 8


def test_attributes_of_modules_are_their_own() -> None:
    text = rope_torch().text.replace("self.amount = scale", "self.e = scale\n        self._w = 1")
    assert compile_kernel(text).target == "torch"


def test_nothing_runs_before_the_text_is_accepted(tmp_path) -> None:  # type: ignore[no-untyped-def]
    target = tmp_path / "made"
    with pytest.raises(KernelError):
        compile_kernel(f"import pathlib\npathlib.Path({str(target)!r}).touch()\n" + ROPE, "numpy")
    assert not target.exists()


def test_sizes_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    from numeric_check.kernels import allow_list

    with pytest.raises(KernelError, match="characters"):
        compile_kernel(ROPE + "#" * allow_list.MAX_CHARACTERS, "numpy")
    monkeypatch.setattr(allow_list, "MAX_NODES", 100)
    with pytest.raises(KernelError, match="syntax nodes"):
        compile_kernel(ROPE, "numpy")
    with pytest.raises(KernelError, match=r"parsed|compiled|Python"):
        compile_kernel("x = " + "(" * 5000 + ")" * 5000, "numpy")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("HEADS = 1", "HEAD = 1"), "HEADS"),
        (("HEADS = 1", "HEADS = 0"), "positive integer"),
        (("HEADS = 1", "HEADS = True"), "positive integer"),
        (("def operator", "def operation"), "operator"),
        (("HEADS = 1", "HEADS = 1\noops = 1 / 0"), "ZeroDivisionError"),
        (("HEADS = 1", "HEADS = 1\nassert False, 'no'"), "AssertionError: no"),
    ],
)
def test_what_is_not_a_kernel_is_refused(change: tuple[str, str], message: str) -> None:
    with pytest.raises(KernelError, match=message):
        compile_kernel(ROPE.replace(*change))


def test_a_text_whose_import_does_not_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numeric_check.kernels.kernel.IMPORT_SECONDS", 0.2)
    with pytest.raises(KernelError, match=r"did not finish within 0\.2 s"):
        compile_kernel(ROPE + "\nfor _ in iter(int, 1):\n    pass\n")


def test_state_between_calls_is_named() -> None:
    with pytest.raises(KernelError, match=r"line 2: global COUNT, state between calls"):
        compile_kernel("def f():\n    global COUNT\n", "numpy")


def test_the_module_is_called_with_arrays() -> None:
    kernel = compile_kernel(rope_torch().text)
    assert kernel.module_classes == ("Rope",)
    assert kernel.module_parameters() == ()
    x, position = np.eye(8), np.arange(8) + 100
    query, key = kernel.forward(x, 2 * x, position, reference=3.0)
    assert query.tolist() == kernel.transform_query(x, position, reference=3.0).tolist()
    assert key.tolist() == kernel.transform_key(2 * x, position, reference=3.0).tolist()
    with pytest.raises(KernelError, match="exactly one subclass of nn"):
        compile_kernel(ROPE).forward(x, x, position)


def test_targets() -> None:
    assert compile_kernel(ROPE).target == "numpy"
    with pytest.raises(KernelError, match="header says"):
        compile_kernel(ROPE, "torch")
    with pytest.raises(KernelError, match="no target"):
        compile_kernel(ROPE.replace("# target:      numpy\n", ""))
    with pytest.raises(KernelError, match="expected a target"):
        compile_kernel(ROPE.replace("numpy\n", "cobol\n", 1))
    with pytest.raises(KernelError, match="module"):
        compile_kernel(ROPE, module="a; b")


def test_header() -> None:
    text = '# Written by symbolic-pe: x.\n# spec:        {"a": 1}\n# target: numpy\n\n# not: this\n'
    header = parse_header(text)
    assert header == {"Written by symbolic-pe": "x.", "spec": '{"a": 1}', "target": "numpy"}
    assert compile_kernel(ROPE).body_matches_header() is None
    stated = "# body: " + body_digest(ROPE) + "\n" + ROPE
    assert compile_kernel(stated).body_matches_header() is True
    assert compile_kernel(stated.replace("10000.0", "10001.0")).body_matches_header() is False


def test_emitted_values_are_taken() -> None:
    class Emitted:
        text, target, filename = ROPE, "numpy", "rope_numpy.py"

    assert compile_kernel(Emitted()).module == "rope_numpy"


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("make", [rope, rope_torch])
def test_arrays_of_every_dtype_go_in_and_out(make, dtype) -> None:  # type: ignore[no-untyped-def]
    kernel = compile_kernel(make().text)
    x = np.eye(8)[:3].astype(dtype)
    y = kernel.transform_query(x, np.array([0, 1, 2]))
    assert y.dtype == x.dtype
    assert y.shape == (3, 8)
    assert y[0].tolist() == x[0].tolist()
    assert abs(float(y[1, 0]) + np.sin(1)) < 4e-3
    assert kernel.operator(0.5).dtype == np.float64


def test_a_kernel_that_writes_into_its_input_is_found() -> None:
    text = ROPE.replace("wide = x.astype(compute)", "x[...] = 0\n    wide = x.astype(compute)")
    with pytest.raises(KernelError, match="writes into its input"):
        compile_kernel(text).transform_query(np.ones((1, 8)), np.array([1]))


def test_fresh_copies_share_nothing() -> None:
    text = ROPE + "\n\nCALLS = []\n\n\ndef count():\n    CALLS.append(1)\n    return len(CALLS)\n"
    kernel = compile_kernel(text)
    first = kernel._namespace["count"]
    assert [first(), first(), kernel.fresh()._namespace["count"]()] == [1, 2, 1]


def test_torch_is_imported_for_torch_only() -> None:
    code = (
        "import sys; from numeric_check import compile_kernel, cross_check; "
        "from tests.numeric_check.kernel_texts import rope; e = rope(); "
        "assert cross_check(compile_kernel(e.text), e.encoding).verdict == 'consistent'; "
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
