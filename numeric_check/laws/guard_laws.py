"""The laws `guard` and `defaults`: what a kernel refuses, and what it takes for granted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from numeric_check.laws.bias_laws import bias_arguments
from numeric_check.laws.comparing import AGREEMENT, Twice, failure
from numeric_check.laws.form_calls import check_form_defaults, check_form_guards
from numeric_check.laws.subject import MAPS, Subject
from symbolic_pe.algebra.scalar import ONE

INTEGERS = ("int64", "int32", "uint8", "bool")
FLOATS = ("float32", "float64")
PAIRS = ("bias", "decay")
POSITIONS = (0.0, 1.0, 7.25)


def check_guards(subject: Subject) -> None:
    """Integer x, dtypes that do not match and chunks without positions are refused by name."""
    law = Twice(subject, "guard", subject.dtypes[0])
    if not is_identity(subject):
        for name in (*MAPS.values(), "rotate", "turn"):
            if subject.kernel.has(name):
                _check_integers(law, name)
    if subject.kernel.has("turn_into"):
        _check_given_memory(law)
    if subject.kernel.has("chunkwise"):
        _check_chunk(law)
    check_form_guards(law)


def is_identity(subject: Subject) -> bool:
    """Whether both maps return x itself: then they look at nothing."""
    plan = subject.plan
    moving = [g for g in plan.groups if getattr(g, "kind", "") != "constant"]
    return not moving and plan.basis is None and not plan.augmentations


def _check_integers(law: Twice, name: str) -> None:
    subject = law.subject
    kernel = subject.kernel
    for dtype in INTEGERS:
        x = kernel.bring(np.ones(subject.shape(), dtype=dtype))
        place = kernel.bring(np.array([1.0]))
        arguments: tuple[Any, ...] = (x, place)
        if name in MAPS.values():
            arguments = (x, place, *subject.values)
        elif name == "turn":
            arguments = (x, kernel.raw("rotary_table")(place))
        error = failure(kernel.raw(name), *arguments)
        said = isinstance(error, TypeError) and dtype in str(error)
        law.holds(f"{name} of {dtype}: expected a TypeError that names {dtype}", said)


def _check_chunk(law: Twice) -> None:
    """A chunk holds at least one position."""
    kernel = law.subject.kernel
    x, place = kernel.bring(np.ones(law.subject.shape())), kernel.bring(np.array([1.0]))
    for chunk in (0, -1):
        error = failure(kernel.raw("chunkwise"), x, x, x, place, *law.subject.values, chunk=chunk)
        said = isinstance(error, ValueError) and str(chunk) in str(error)
        law.holds(f"chunk={chunk}: expected a ValueError that names it", said)


def _check_given_memory(law: Twice) -> None:
    kernel = law.subject.kernel
    place = kernel.bring(np.array([1.0]))
    shape = law.subject.shape()
    for out, x, table in _mixtures():
        given = [kernel.bring(np.ones(shape, dtype=d)) for d in (out, x, table)]
        made = kernel.raw("rotary_table")(place, dtype=given[2].dtype)
        error = failure(kernel.raw("turn_into"), given[0], given[1], made)
        said = isinstance(error, TypeError) and all(d in str(error) for d in FLOATS)
        note = f"turn_into with out {out}, x {x}, table {table}"
        law.holds(f"{note}: expected a TypeError that names both", said)


def _mixtures() -> Iterator[tuple[str, str, str]]:
    for out in FLOATS:
        for x in FLOATS:
            for table in FLOATS:
                if len({out, x, table}) > 1:
                    yield out, x, table


def check_defaults(subject: Subject) -> None:
    """reference 0, and float32 tables, biases and decays, unless something else is given."""
    law = Twice(subject, "defaults", subject.dtypes[0])
    kernel = subject.kernel
    place = kernel.bring(np.array(POSITIONS))
    _check_temperature(law)
    if kernel.has("rotary_table"):
        _check_table(law, place)
    if kernel.has("cos_sin"):
        _check_cos_sin(law, place)
    check_form_defaults(law)
    for name in PAIRS:
        if kernel.has(name) and kernel.target == "torch":
            values = bias_arguments(subject) if name == "bias" else ()
            _check_pair(law, name, (place, place, *values))


def _check_temperature(law: Twice) -> None:
    """TEMPERATURE is stated where the encoding has one, and is that of the encoding."""
    temperature, kernel = law.subject.plan.encoding.temperature, law.subject.kernel
    if not kernel.has_number("TEMPERATURE"):
        if (temperature - ONE).sign() != 0:
            law.refute("the encoding has a temperature, and the file states no TEMPERATURE")
        return
    exact = law.subject.exact.scalar(temperature)
    note = f"TEMPERATURE is {kernel.raw('TEMPERATURE')!r}, that of the encoding {exact!r}"
    law.record(note, abs(kernel.raw("TEMPERATURE") - exact), AGREEMENT * abs(exact))


def _check_table(law: Twice, place: Any) -> None:
    kernel, make = law.subject.kernel, law.subject.kernel.raw("rotary_table")
    error = failure(make, place)
    if error is not None:
        law.refute(f"rotary_table(position) raised {error}")
        return
    for dtype in FLOATS:
        given = kernel.bring(np.ones(1, dtype=dtype)).dtype
        parts = _parts(make(place, 0.0, dtype=given))
        for part in parts:
            law.holds(
                f"rotary_table(position, dtype={dtype}) has another dtype", part.dtype == given
            )
        if dtype == "float32":
            for part, plain in zip(parts, _parts(make(place)), strict=True):
                law.holds("rotary_table(position) is not float32", plain.dtype == given)
                law.same("rotary_table(position)", kernel.fetch(part), lambda given: given, plain)


def _check_cos_sin(law: Twice, place: Any) -> None:
    kernel = law.subject.kernel
    short = kernel.bring(np.ones(1, dtype=np.float32)).dtype
    error = failure(kernel.raw("cos_sin"), place)
    if error is not None:
        law.refute(f"cos_sin(position) raised {error}")
        return
    plain, stated = (_parts(kernel.raw("cos_sin")(place, *c)) for c in ((), (0.0,)))
    for table, other in zip(plain, stated, strict=True):
        law.holds("cos_sin(position) is not float32", table.dtype == short)
        law.same("cos_sin(position)", kernel.fetch(other), lambda given: given, table)


def _parts(table: Any) -> tuple[Any, ...]:
    """Cosines and sines, however a table holds them."""
    if isinstance(table, tuple):
        return table
    return (table.real, table.imag) if "complex" in str(table.dtype) else (table,)


def _check_pair(law: Twice, name: str, arguments: tuple[Any, ...]) -> None:
    kernel = law.subject.kernel
    for dtype in ("float32", "float64", "bfloat16", "float16"):
        given = getattr(kernel.raw("torch"), dtype)
        try:
            found = kernel.raw(name)(*arguments, dtype=given)
            plain = kernel.raw(name)(*arguments)
        except Exception as error:
            law.refute(f"{name}(t, s, dtype={dtype}) raised {error}")
            continue
        law.holds(f"{name}(t, s, dtype={dtype}) has another dtype", found.dtype == given)
        law.holds(f"{name}(t, s) is not float32", str(plain.dtype) == "torch.float32")


__all__ = ["check_defaults", "check_guards", "is_identity"]
