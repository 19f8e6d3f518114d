"""Where a subject's own numbers say that something ends: lengths of its tables, positions it names.

Only what is kept is read: closures, defaults, globals that a function names, attributes of
instances. Nothing is called and no property is evaluated.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator
from typing import Any

from numeric_check.audit.subject import MapSubject

LEAST, LARGEST = 64, 1 << 20
"""Numbers that count as positions: a table for more may not fit into memory."""
WORDS = ("max", "len", "pos", "seq", "context", "window", "size", "block", "chunk", "limit",
         "cache", "table", "buffer", "original", "reach", "end")  # fmt: skip
"""A number whose name has none of these is no position."""
DEEPEST, MOST_OBJECTS, MOST = 5, 512, 8


def boundaries(subject: MapSubject) -> tuple[int, ...]:
    """The positions around the largest of these numbers, ascending.

    >>> from functools import partial
    >>> from numeric_check.audit.libraries import library_named
    >>> f = partial(lambda x, positions, max_length: x, max_length=4096)
    >>> boundaries(MapSubject("f", f, f, library_named("numpy"), 2))
    (4095, 4096, 4097)
    """
    return tuple(sorted({n + step for n in ends(subject) for step in (-1, 0, 1)}))


def ends(subject: MapSubject) -> list[int]:
    """The largest of these numbers, ascending: the first positions that something has not."""
    sides = [subject.query, *([] if subject.one_map else [subject.key])]
    seen: dict[int, Any] = {}
    numbers = {n for side in sides for n in _numbers("", side, 0, seen)}
    return sorted(n for n in numbers if LEAST <= n <= LARGEST)[-MOST:]


def _numbers(name: str, value: Any, depth: int, seen: dict[int, Any]) -> Iterator[int]:
    """Integers with a telling name and lengths of arrays, in a value and in what it keeps."""
    if isinstance(value, bool) or value is None or isinstance(value, (str, bytes, float, complex)):
        return
    if isinstance(value, int):
        if any(word in name.lower() for word in WORDS):
            yield value
        return
    if id(value) in seen or depth > DEEPEST or len(seen) > MOST_OBJECTS:
        return
    seen[id(value)] = value  # kept, so that no other object gets its id
    shape = _shape(value)
    if shape is not None:
        yield from shape
        return
    for part, inside in _parts(value):
        yield from _numbers(part or name, inside, depth + 1, seen)


def _shape(value: Any) -> tuple[int, ...] | None:
    """The shape of an array of one of the libraries, else None."""
    home = type(value).__module__.partition(".")[0]
    if home not in ("numpy", "torch", "jax", "jaxlib"):
        return None
    if isinstance(value, types.ModuleType) or not hasattr(type(value), "shape"):
        return None
    return tuple(int(n) for n in value.shape)


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """What a value keeps, by name."""
    if isinstance(value, functools.partial):
        yield "", value.func
        yield from ((str(k), v) for k, v in value.keywords.items())
        yield from (("", v) for v in value.args)
    elif isinstance(value, types.MethodType):
        yield "", value.__func__
        yield "", value.__self__
    elif isinstance(value, types.FunctionType):
        yield from _of_function(value)
    elif isinstance(value, dict):
        yield from ((str(k), v) for k, v in list(value.items())[:64])
    elif isinstance(value, (list, tuple)):
        yield from (("", v) for v in value[:8])
    elif not isinstance(value, (type, types.ModuleType, types.BuiltinFunctionType)):
        call = vars(type(value)).get("__call__")
        if isinstance(call, types.FunctionType):
            yield "", call
        kept = getattr(value, "__dict__", None)
        if isinstance(kept, dict):
            yield from kept.items()


def _of_function(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    code = function.__code__
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:  # nothing in it yet
            continue
    for name, value in (function.__kwdefaults__ or {}).items():
        yield name, value
    yield from (("", v) for v in function.__defaults__ or ())
    scope = function.__globals__
    yield from ((name, scope[name]) for name in code.co_names if name in scope)
