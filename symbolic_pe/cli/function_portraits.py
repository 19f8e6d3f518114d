"""Pictures of biases and tables of encodings that are no group: values against lag or position.

What is drawn are binary64 values of the exact functions, for the sample weights where weights are
learned; nothing is decided by a picture.
"""

from __future__ import annotations

from collections.abc import Iterator

from symbolic_pe.encodings.encoding import Verdict
from symbolic_pe.encodings.outside import Outside, PositionFunction
from symbolic_pe.render.figures import Curve, Scale, curves
from symbolic_pe.render.page import Picture

LAST_LAG = 512
LAST_POSITION = 128
"""Largest lag and position that are drawn, unless the function serves fewer positions."""
POINTS = 256
QUERIES = (256, 1024, 4096)
"""Queries that have a curve each, where a bias depends on the query itself."""
COLUMNS = 4


def function_portraits(found: Outside) -> tuple[Picture, ...]:
    """The bias against the lag, or columns of the table; none where there is no function."""
    function = found.function
    if function is None:
        return ()
    return (_table(found, function) if function.kind == "table" else _bias(found, function),)


def _bias(found: Outside, function: PositionFunction) -> Picture:
    relative = found.verdict is not Verdict.NOT_INVARIANT
    lines = list(by_head(function) if relative else _by_query(function))
    name, title = f"{found.name}-bias", f"Bias of {found.name} against lag"
    svg = curves(name, title, lines, Scale("lag"), Scale("bias"))
    which = "by lag" if relative else "by lag, for some queries $t$: it is no function of the lag"
    caption = f"The bias that is added to a score{_weights(function)}, {which}."
    return Picture(name, caption, svg)


def by_head(function: PositionFunction) -> Iterator[Curve]:
    """The bias of every head by lag; keys after the query have negative lags."""
    lags = _steps(-LAST_LAG if function.both_directions else 0, LAST_LAG)
    for head in range(max(1, function.count)):
        points = [(float(n), float(function.reference(max(n, 0), max(-n, 0), head))) for n in lags]
        yield Curve(f"head {head}", points)


def _by_query(function: PositionFunction) -> Iterator[Curve]:
    for query in QUERIES:
        lags = _steps(0, min(query, LAST_LAG))
        yield Curve(
            f"t = {query}",
            [(float(n), float(function.reference(query, query - n, 0))) for n in lags],
        )


def _table(found: Outside, function: PositionFunction) -> Picture:
    last = LAST_POSITION if function.length is None else min(LAST_POSITION, function.length - 1)
    chosen = sorted({round(k * (function.count - 1) / (COLUMNS - 1)) for k in range(COLUMNS)})
    lines = [
        Curve(
            f"column {column}",
            [(float(n), float(function.reference(n, column))) for n in _steps(0, last)],
        )
        for column in chosen
    ]
    name = f"{found.name}-table"
    svg = curves(
        name, f"Columns of the table of {found.name}", lines, Scale("position"), Scale("entry")
    )
    return Picture(name, f"Some columns of the table{_weights(function)}, by position.", svg)


def _weights(function: PositionFunction) -> str:
    return " (for sample weights)" if function.learned else ""


def _steps(first: int, last: int) -> range:
    return range(first, last + 1, max(1, (last - first) // POINTS))
