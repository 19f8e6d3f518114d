"""The tables of a text, executed on exact elements: turning x with them is the query map."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from numeric_check.kernels.words import TURN_WORDS
from numeric_check.text_proof.exact_engine import Engine
from numeric_check.text_proof.exact_input import Refuted, is_decided
from numeric_check.text_proof.exact_matrices import Matrix
from numeric_check.text_proof.exact_torch import ShortTensor
from numeric_check.text_proof.parametric_proof import Run
from numeric_check.text_proof.plain_maps import decide_same
from symbolic_pe.emit.plan import BlockGroup, KernelPlan

Turn = Callable[..., Any]
COS_SIN = "cos_sin"


def decide_tables(run: Run, queries: Sequence[Matrix], classes: tuple[str, ...]) -> frozenset[str]:
    """The names of what gives tables that turn x as the query map does: x·cos + rotate(x)·sin.

    rotate(a, b) = (−b, a) on every plane. The class knows no reference, and is given the
    displacement. Raises `Refuted` for a difference.
    """
    found = set()
    for name in (COS_SIN, *classes) if COS_SIN in run.names else ():

        def decide(name: str = name) -> None:
            turn = _by(run.engine, run.plan, _tables(run, name))
            decide_same(run, turn, "t", queries, f"{name}: x cos + rotate(x) sin")

        if is_decided(decide):
            found.add(name)
    return frozenset(found)


def decide_turn(run: Run, queries: Sequence[Matrix]) -> frozenset[str]:
    """`turn` returns the query map, `turn_into` writes it into memory of its own and into x.

    `turn_words` returns it as well, where there is one.
    """
    engine, names = run.engine, run.names
    if "turn_into" not in names:
        return frozenset()

    def table(position: Any, reference: Any) -> Any:
        return names["rotary_table"](position, reference, dtype=engine.library.float64)

    def returned(x: Any, position: Any, reference: Any = 0.0) -> Any:
        return names["turn"](x, table(position, reference))

    def apart(x: Any, position: Any, reference: Any = 0.0) -> Any:
        out = engine.bring(engine.fetch(x))
        names["turn_into"](out, x, table(position, reference))
        return out

    def in_place(x: Any, position: Any, reference: Any = 0.0) -> Any:
        names["turn_into"](x, x, table(position, reference))
        return x

    def compiled(x: Any, position: Any, reference: Any = 0.0) -> Any:
        return names[TURN_WORDS](ShortTensor(x.data), table(position, reference))

    forms = [
        (returned, "turn"),
        (apart, "turn_into into memory of its own"),
        (in_place, "turn_into in place"),
    ]
    if TURN_WORDS in names:
        forms.append((compiled, TURN_WORDS))

    def decide() -> None:
        for function, what in forms:
            decide_same(run, function, "t", queries, f"{what}: as transform_query")

    decided = {"rotary_table", "turn", "turn_into", *({TURN_WORDS} & names.keys())}
    return frozenset(decided if is_decided(decide) else ())


def _tables(run: Run, name: str) -> Callable[[Any, Any, Any], Any]:
    if name == COS_SIN:
        function, dtype = run.names[name], run.engine.library.float64
        return lambda x, t, c: function(t, c, dtype=dtype)
    return _of_module(run.engine, run.names[name]())


def _of_module(engine: Engine, module: Any) -> Callable[[Any, Any, Any], Any]:
    return lambda x, t, c: module.forward(x, position_ids=_moved(engine, t, c))


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


__all__ = ["COS_SIN", "decide_tables", "decide_turn"]
