"""Pieces of code: arrays, positions, imports, and the shell around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numeric_check.audit.subject import (
    PATTERNS,
    BiasSubject,
    MapSubject,
    ScoreSubject,
    StandIn,
    TableSubject,
)

LOCAL = ("local", "")
"""The origin of callables that have no name to import them by."""
LOCAL_QUERY = "f = the audited callable"


def shell(code: str) -> str:
    """A Python program as a command; the code has no double quotes of its own.

    For a callable without a name it is Python to paste where the callable is `f`.
    """
    if LOCAL_QUERY in code:
        return "in Python: " + code.replace(f"; {LOCAL_QUERY}", "")
    return f'python -c "{code}"'


class Writer:
    """Code in the subject's library: arrays of ones, unit vectors and positions."""

    def __init__(self, library: str, dtype: str = "float64") -> None:
        self.library = library
        self.dtype = dtype
        narrow = library == "numpy" and dtype == "bfloat16"
        self.head = {
            "numpy": "import numpy as np" + (", ml_dtypes" if narrow else ""),
            "torch": "import torch",
            "jax": "import jax, jax.numpy as jnp",
        }[library]

    def kind(self, dtype: str | None = None) -> str:
        """A dtype as code."""
        name = dtype or self.dtype
        if self.library == "torch":
            return f"torch.{name}"
        narrow = self.library == "numpy" and name == "bfloat16"
        return "ml_dtypes.bfloat16" if narrow else f"'{name}'"

    @property
    def module(self) -> str:
        """`np`, `torch` or `jnp`."""
        return {"numpy": "np", "torch": "torch", "jax": "jnp"}[self.library]

    def ones(self, shape: str) -> str:
        """An array of ones; `shape` is what stands between the parentheses of a tuple."""
        return f"{self.module}.ones(({shape}), dtype={self.kind()})"

    def unit(self, dimension: int, which: str = "i") -> str:
        """A unit vector."""
        return f"{self.module}.eye({dimension}, dtype={self.kind()})[{which}]"

    def array(self, values: str, dtype: str) -> str:
        """An array of numbers that are written down."""
        make = "tensor" if self.library == "torch" else "array"
        return f"{self.module}.{make}({values}, dtype={self.kind(dtype)})"


def one_row(subject: MapSubject, positions: str = "-1", rows: str = "1") -> str:
    """The shape of x, as code without parentheses."""
    sizes = {"1": "1", "r": rows, "n": positions, "d": str(subject.dimension)}
    return ", ".join(sizes[axis] for axis in PATTERNS[subject.form])


def point(subject: MapSubject, name: str = "p") -> str:
    """One position as it is written in a list: a number, or its coordinates."""
    if subject.direction:
        return f"[{', '.join(name if on else '0' for on in subject.direction)}]"
    return name if subject.axes == 1 else f"[{', '.join([name] * subject.axes)}]"


def places(subject: MapSubject, positions: str, writer: Writer, kind: str | None = None) -> str:
    """Positions as the subject takes them, from code of a list of numbers."""
    several = subject.direction or subject.axes > 1
    values = f"[{point(subject)} for p in {positions}]" if several else f"list({positions})"
    return writer.array(
        f"[{values}]" if subject.batched else values, kind or subject.position_dtype
    )


def imports(subject: Any) -> str:
    """What defines f, and g where keys have a map of their own; S for what has a name here."""
    if isinstance(subject, StandIn):
        return imports(subject.score_subject)
    query, key = subject.origin if isinstance(subject.origin, tuple) else (subject.origin, "")
    attribute = {
        MapSubject: "query", ScoreSubject: "score", BiasSubject: "bias", TableSubject: "table",
    }[type(subject)]  # fmt: skip
    two = isinstance(subject, MapSubject) and not subject.one_map
    if query == LOCAL[0]:
        return LOCAL_QUERY + ("; g = the map of keys" if two else "")
    if query:
        return f"{query}; {key}" if key else query
    named = subject.named or f"subject_named('{subject.name}')"
    code = f"from numeric_check.audit import subject_named; S = {named}; f = S.{attribute}"
    return f"{code}; g = S.key" if two else code


def made_again(subject: Any) -> str:
    """What defines f once more, from its module executed once more."""
    code = imports(subject)
    if not code.startswith("from ") or "subject_named" in code:
        return code
    module = code.split(" ")[1]
    return f"import sys; del sys.modules['{module}']; {code}"


def listed(positions: Sequence[int]) -> str:
    """A list, or a range where it is one."""
    every = [int(p) for p in positions]
    start, end = every[0], every[-1] + 1
    if len(every) > 2 and every == list(range(start, end)):
        return f"range({start}, {end})" if start else f"range({end})"
    return str(every)
