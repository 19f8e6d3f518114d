"""What exact execution of an edited text leaves undecided: each edit acts on some input."""

from __future__ import annotations

import pytest

from numeric_check.kernels.edited_text import undecided_edits
from numeric_check.kernels.kernel import compile_kernel
from symbolic_pe.errors import KernelError

TEXT = """
import numpy as np

DIMENSION = 8


def turn(x):
    result = np.empty_like(x)
    result[..., :4] = x[..., 4:]
    return scale(result)


def scale(x):
    wide = np.float64
    angle = 2.0 * x.astype(wide)
    return angle


class Rope:
    def __init__(self, w):
        self.w = np.array(w)

    def forward(self, x):
        return turn(x)
"""
EXECUTED = {"turn", "scale", "Rope"}
ANGLE = "    return angle\n"
EDITS = {
    "a builtin by the name of a function": (
        ANGLE, "    turn = len\n    return angle * turn(angle)\n", "the call of `turn`",
    ),
    "a builtin by another name": (ANGLE, "    f = len\n    return f(angle)\n", "use of `len`"),
    "a state": (
        ANGLE, "    CALLS[..., 0] = CALLS[..., 0] + 1\n    return angle\n", "in place `CALLS",
    ),
    "an alias of a state": (
        ANGLE, "    c = np.asarray(CALLS)\n    c[..., 0] = 1\n    return angle\n", "in place `c",
    ),
    "given memory": (ANGLE, "    return np.add(angle, 1, out=CALLS)\n", "`out=CALLS`"),
    "another of a fresh array": ("np.empty_like(x)", "x.astype(float, copy=False)", "in place"),
    "a power": (ANGLE, "    return angle + angle**40\n", "the power `** 40`"),
    "a product with 0": (ANGLE, "    return angle + 0 * angle[..., :1]\n", "product with 0"),
    "many numbers": (
        ANGLE, "    return angle * 512 * 512 / 512 / 512\n", "numbers of together 36",
    ),
    "numbers of a function": (
        ANGLE,
        "    return f(f(f(angle)))\n\n\ndef f(x):\n    return x * 16\n", "numbers of together",
    ),
    "a long way": (
        ANGLE, "    return f(f(angle))\n\n\ndef f(x):\n    return x[..., 8:]\n",
        "indices of together",
    ),
    "recursion": (
        ANGLE, "    return f(angle)\n\n\ndef f(x):\n    return f(x[..., 1:])\n", "together inf",
    ),
    "another shape": (ANGLE, "    return angle.reshape(-1)\n", "`.reshape(-1)`"),
    "a cast": ("wide = np.float64", "wide = x.dtype", "`.astype(x.dtype)`"),
    "a method": (
        "    def forward", "    def state_dict(self):\n        return {}\n\n    def forward",
        "the class Rope outside of `forward`",
    ),
    "another parameter": ("np.array(w)", "np.asarray(w)", "the class Rope outside of `forward`"),
    "a public name": ("DIMENSION = 8", "DIMENSION = 8\n__all__ = []", "changes __all__"),
}  # fmt: skip


@pytest.mark.parametrize("name", list(EDITS))
def test_an_edit_that_acts_on_some_input_is_undecided(name: str) -> None:
    old, new, reason = EDITS[name]
    assert TEXT.count(old) >= 1
    found = undecided_edits(TEXT.replace(old, new, 1), TEXT, EXECUTED)
    assert any(reason in line for line in found), found


def test_lines_are_compared_to_their_end() -> None:
    """They are shortened where they are shown, and nowhere else."""
    long = "    angle += {} * ({})\n".format("{}", " + ".join(["x[..., :1]"] * 40))
    text = TEXT.replace(ANGLE, long.replace("{}", "1.5") + ANGLE)
    assert undecided_edits(text, text, EXECUTED) == []
    late = text.replace("x[..., :1])", "x[..., :1] + y)")
    (line,) = undecided_edits(late, text, EXECUTED)[:1]
    assert line.startswith("the edit adds the assignment in place")
    assert line.endswith("...")


HARMLESS = {
    "another name": ("result", "moved"),
    "a helper": (ANGLE, "    return _same(angle)\n\n\ndef _same(x):\n    return x\n"),
    "a sum": (ANGLE, "    return 0.5 * (angle + angle)\n"),
    "an index from the end": ("x[..., 4:]", "x[..., -4:]"),
    "another order": ("2.0 * x.astype(wide)", "x.astype(wide) * 2.0"),
    "another name of a dtype": ("wide", "compute"),
    "in forward": ("return turn(x)\n", "moved = turn(x)\n        return moved\n"),
}


@pytest.mark.parametrize("name", list(HARMLESS))
def test_rearranged_arithmetic_is_decided(name: str) -> None:
    old, new = HARMLESS[name]
    edited = TEXT.replace(old, new)
    assert edited != TEXT
    assert undecided_edits(edited, TEXT, EXECUTED) == []


def test_a_text_in_another_encoding_is_refused() -> None:
    text = "import numpy as np\n\nDIMENSION = HEADS = 1\n"
    compile_kernel(f"# coding: utf-8\n{text}", "numpy", required=("DIMENSION",))
    for name in ("raw_unicode_escape", "latin-1", "none-such"):
        with pytest.raises(KernelError, match=r"UTF-8|remove that comment"):
            compile_kernel(f"#\n# coding: {name}\n{text}", "numpy", required=("DIMENSION",))
