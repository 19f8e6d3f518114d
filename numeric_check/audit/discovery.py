"""How a callable wants to be called: which array library, how many channels, which shape of x."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from numeric_check.audit.libraries import DTYPES, Library, library_named, library_of
from numeric_check.audit.subject import (
    FORMS,
    POSITION_DTYPES,
    BiasSubject,
    Call,
    MapSubject,
    ScoreSubject,
    TableSubject,
)
from symbolic_pe.errors import AuditError

DIMENSIONS = (64, 128, 32, 16, 8, 4, 2, 96, 48, 80, 256, 6, 12)
"""Numbers of channels to try, when none is stated."""
ATTRIBUTES = ("dim", "head_dim", "dimension", "d_head", "DIMENSION", "rotary_dim")
TRIAL = (0, 1, 2)
ROWS = 4  # differs from the number of trial positions: an exchange of the two shows


def describe_maps(
    name: str,
    query: Call,
    key: Call,
    *,
    dimension: int | None = None,
    library: str | None = None,
    form: str | None = None,
    axes: int = 1,
    fresh: Callable[[], MapSubject] | None = None,
    origin: tuple[str, str] = ("", ""),
) -> MapSubject:
    """A subject whose calls work: library, dimension, shape and dtype of positions are tried.

    Raises `AuditError` with the first failure of each library when nothing works.
    """
    failures: list[str] = []
    for found in _libraries(query, library):
        for d in _dimensions(query, dimension):
            base = MapSubject(name, query, key, found, d, axes=axes, fresh=fresh, origin=origin)
            for trial in _trials(base, form):
                problem = _problem(trial)
                if problem is None:
                    return trial
                failures.append(f"{found.name}, d = {d}, x {FORMS[trial.form]}: {problem}")
    raise AuditError(_nothing_works(name, query, failures, dimension, axes))


def _libraries(query: Call, named: str | None) -> Iterator[Library]:
    if named is not None:
        yield library_named(named)
        return
    first = library_of(query)
    yield library_named(first)
    for other in ("numpy", "torch"):
        if other != first:
            try:
                yield library_named(other)
            except AuditError:
                continue


def _dimensions(query: Call, stated: int | None) -> list[int]:
    if stated is not None:
        return [stated]
    owner = getattr(query, "__self__", query)
    told = [getattr(owner, a, None) for a in ATTRIBUTES]
    scope = getattr(query, "__globals__", {})
    told += [scope.get(a) for a in ("DIMENSION", "HEAD_DIM", "DIM")]
    first = [n for n in told if isinstance(n, int) and not isinstance(n, bool) and 0 < n <= 1024]
    return list(dict.fromkeys([*first, *DIMENSIONS]))


def _trials(base: MapSubject, form: str | None) -> Iterator[MapSubject]:
    for kind in POSITION_DTYPES:
        for batched in (False, True):
            for shape in [form] if form is not None else FORMS:
                yield replace(base, form=shape, position_dtype=kind, batched=batched)


def _problem(subject: MapSubject) -> str | None:
    """Why this way of calling does not work, or None."""
    random = np.random.default_rng(0)
    x = random.standard_normal((ROWS, len(TRIAL), subject.dimension))
    positions: list[Any] = list(TRIAL)
    if subject.axes > 1:
        positions = [(t,) * subject.axes for t in TRIAL]
    problem = None
    for dtype in DTYPES:
        try:
            for side in ("query", "key"):
                subject.apply(side, x, positions, dtype)
        except AuditError as error:
            problem = problem or str(error)
        else:
            return None
    return problem


def _nothing_works(
    name: str, query: Call, failures: list[str], dimension: int | None, axes: int
) -> str:
    shown = "\n  ".join(dict.fromkeys([failures[0], *failures[-1:]]))
    try:
        signature = str(inspect.signature(query))
    except (TypeError, ValueError):
        signature = "(...)"
    hint = "" if dimension is not None else "state the number of channels with --dim, or "
    if any("got tuple" in failure for failure in failures):
        hint = (
            "it returns a tuple, of which `returns = 0` in a TOML adapter takes the first; " + hint
        )
    place = "(n,)" if axes == 1 else f"(n, {axes}), a column for each axis"
    return (
        f"{name}: expected a callable f(x, positions) with x (…, n, d) and positions {place}; "
        f"{name.rpartition(':')[2]}{signature} cannot be called so:\n  {shown}\n{hint}write an "
        "adapter (a Python file or TOML) that says which arguments are x and the positions, and "
        "give it with --adapter"
    )


def describe_score(
    name: str,
    call: Call,
    dimension: int | None,
    library: str | None,
    origin: str = "",
    *,
    causal: bool = False,
) -> ScoreSubject:
    """A score whose calls work. Raises `AuditError` with the first failure when none does."""
    failures: list[str] = []
    for found in _libraries(call, library):
        for d in _dimensions(call, dimension):
            for form in ("flat", "rows", "heads"):
                trial = ScoreSubject(name, call, found, d, form=form, origin=origin, causal=causal)
                try:
                    trial.apply(np.ones((4, d)), np.ones((3, d)), [0, 1, 2, 3], [0, 1, 2])
                except AuditError as error:
                    failures.append(f"{found.name}, d = {d}: {error}")
                else:
                    return trial
    raise AuditError(
        f"{name}: expected a callable f(q, k, query_positions, key_positions) that returns scores "
        f"(n, m) of q (n, d) and k (m, d); {failures[0]}"
    )


def describe_bias(
    name: str, call: Call, library: str | None, origin: str = "", *, causal: bool = False
) -> BiasSubject:
    """A bias whose calls work. Raises `AuditError` with the first failure when none does."""
    failures: list[str] = []
    for found in _libraries(call, library):
        for kind in POSITION_DTYPES:
            trial = BiasSubject(name, call, found, causal, kind, origin)
            try:
                trial.apply([0, 1, 2, 3], [0, 1, 2])
            except AuditError as error:
                failures.append(f"{found.name}, positions {kind}: {error}")
            else:
                return trial
    raise AuditError(
        f"{name}: expected a callable f(query_positions, key_positions) that returns a bias "
        f"(heads, n, m) or (n, m); {failures[0]}"
    )


def describe_table(name: str, call: Call, library: str | None, origin: str = "") -> TableSubject:
    """A table whose calls work. Raises `AuditError` with the first failure when none does."""
    failures: list[str] = []
    for found in _libraries(call, library):
        for kind in POSITION_DTYPES:
            trial = TableSubject(name, call, found, kind, origin)
            try:
                trial.apply([0, 1, 2])
            except AuditError as error:
                failures.append(f"{found.name}, positions {kind}: {error}")
            else:
                return trial
    raise AuditError(
        f"{name}: expected a callable f(positions) that returns a table (n, d); {failures[0]}"
    )
