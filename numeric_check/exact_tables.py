"""The tables of a text, executed on exact elements: turning x with them is the query map."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from numeric_check.exact_engine import Engine
from numeric_check.exact_input import DOES_NOT_RUN, Refuted
from symbolic_pe.emit.plan import BlockGroup, KernelPlan
from symbolic_pe.errors import KernelError

Turn = Callable[..., Any]
COS_SIN = "cos_sin"


def forms_by_tables(
    engine: Engine, names: Mapping[str, Any], plan: KernelPlan, classes: tuple[str, ...]
) -> dict[str, Turn]:
    """Maps x ↦ x·cos + rotate(x)·sin, by the name of what gives the tables.

    rotate(a, b) = (−b, a) on every plane. The class knows no reference, and is given the
    displacement.
    """
    if COS_SIN not in names:
        return {}
    function, dtype = names[COS_SIN], engine.library.float64
    found = {COS_SIN: _by(engine, plan, lambda x, t, c: function(t, c, dtype=dtype))}
    for name in classes:
        found[name] = _by(engine, plan, _of_module(engine, names[name]()))
    return found


def _of_module(engine: Engine, module: Any) -> Callable[[Any, Any, Any], Any]:
    return lambda x, t, c: module.forward(x, position_ids=_moved(engine, t, c))


def runs(turn: Turn, *arguments: Any) -> bool:
    """Whether the tables can be executed; what cannot is measured."""
    try:
        turn(*arguments)
    except Refuted:
        raise
    except (KernelError, *DOES_NOT_RUN):
        return False
    return True


def _by(engine: Engine, plan: KernelPlan, tables: Callable[[Any, Any, Any], Any]) -> Turn:
    group = next(g for g in plan.groups if isinstance(g, BlockGroup) and g.pair)
    width = sum(len(slot) for slot in group.slots)

    def turn(x: Any, position: Any, reference: Any = 0.0) -> Any:
        pair = tables(x, position, reference)
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise Refuted("cos_sin returns no pair of tables")
        cosine, sine = (np.asarray(engine.fetch(table), dtype=object) for table in pair)
        given = np.asarray(engine.fetch(x), dtype=object)
        for table in (cosine, sine):
            if table.shape != (1, width):
                raise Refuted(f"a table has the shape {table.shape}, expected (1, {width})")
        result = given.copy()
        for first, second in zip(*group.slots, strict=True):
            for own, other, sign in ((first, second, -1), (second, first, 1)):
                rotated = sign * given[..., other]
                result[..., own] = given[..., own] * cosine[0, own] + rotated * sine[0, own]
        return engine.bring(result)

    return turn


def _moved(engine: Engine, position: Any, reference: Any) -> Any:
    return engine.bring(np.asarray(engine.fetch(position), dtype=object) - reference)


__all__ = ["COS_SIN", "forms_by_tables", "runs"]
