"""Lines about images of ones in calls of several positions, before and after other calls."""

from __future__ import annotations

import math
from collections.abc import Sequence

from numeric_check.audit.reproduce.writing import (
    Writer,
    imports,
    listed,
    made_again,
    one_row,
    places,
    shell,
)
from numeric_check.audit.subject import PATTERNS, MapSubject


def run_code(subject: MapSubject, dtype: str, side: str = "query", call: str = "") -> str:
    """Python that defines R(P): images of ones at the positions P, shape (len(P), channels)."""
    writer = Writer(subject.library.name, dtype)
    function = call or ("f" if side == "query" or subject.one_map else "g")
    x = writer.ones(one_row(subject, "len(P)"))
    image = f"{function}({x}, {places(subject, 'P', writer)})"
    run = f"R = lambda P: {image}.reshape(len(P), {subject.dimension})"
    return f"{writer.head}; {imports(subject)}; {run}"


def shown_line(subject: MapSubject, dtype: str, value: str, side: str = "query") -> str:
    """Print a value that is written with R."""
    return shell(f"{run_code(subject, dtype, side)}; print({value})")


def together_and_alone(
    subject: MapSubject,
    positions: Sequence[int],
    slot: int,
    dtype: str,
    side: str = "query",
    *,
    before: int | None = None,
) -> str:
    """Print how far the image at one slot of a call is from that of its position called alone.

    `before` is a position that is called alone first.
    """
    code = run_code(subject, dtype, side)
    first = "" if before is None else f"; R([{before}])"
    gap = f"abs(R({listed(positions)})[{slot}] - R([{positions[slot]}])[0]).max()"
    return shell(f"{code}{first}; print({gap})")


def long_and_short(subject: MapSubject, length: int, position: int, dtype: str) -> str:
    """Print how far a position in a call of `length` positions is from it in one of few."""
    short = listed(range(position + 1))
    gap = f"abs(R(range({length}))[{position}] - R({short})[{position}]).max()"
    return shown_line(subject, dtype, gap)


def before_and_after(
    subject: MapSubject,
    position: int,
    dtype: str,
    between: tuple[Sequence[int], str],
    *,
    first: Sequence[int] = (),
) -> str:
    """Print how far the image at a position is from itself after another call.

    `first` are positions of a call that is made before both.
    """
    positions, other = between
    code, writer = _in_dtypes(subject, dtype, other)
    start = f"R({listed(first)}, {writer.kind(dtype)}); " if first else ""
    one = f"R([{position}], {writer.kind(dtype)})[0]"
    steps = f"a = {one}; R({listed(positions)}, {writer.kind(other)}); print(abs({one} - a).max())"
    return shell(f"{code}; {start}{steps}")


def in_two_calls_after(
    subject: MapSubject,
    positions: Sequence[int],
    slot: int,
    dtype: str,
    between: tuple[Sequence[int], str],
) -> str:
    """Print how far apart the images at a position are in two calls that come after another."""
    code, writer = _in_dtypes(subject, dtype, between[1])
    first = f"R({listed(between[0])}, {writer.kind(between[1])})"
    one = f"R({listed(positions)}, {writer.kind(dtype)})[{slot}]"
    other = f"R([{positions[slot]}], {writer.kind(dtype)})[0]"
    return shell(f"{code}; {first}; print(abs({one} - {other}).max())")


def fresh_and_after(
    subject: MapSubject, position: int, dtype: str, between: tuple[Sequence[int], str]
) -> str:
    """Print how far the image at a position is from that of a fresh subject after another call."""
    positions, other = between
    code, writer = _in_dtypes(subject, dtype, other)
    one = f"R([{position}], {writer.kind(dtype)})[0]"
    again = made_again(subject)
    steps = f"a = {one}; {again}; R({listed(positions)}, {writer.kind(other)})"
    return shell(f"{code}; {steps}; print(abs({one} - a).max())")


def _in_dtypes(subject: MapSubject, *dtypes: str) -> tuple[str, Writer]:
    """Python that defines R(P, D): images of ones in a dtype D."""
    narrow = "bfloat16" if "bfloat16" in dtypes else dtypes[0]
    writer = Writer(subject.library.name, narrow)
    x = writer.ones(one_row(subject, "len(P)")).replace(writer.kind(), "D")
    image = f"f({x}, {places(subject, 'P', writer)})"
    run = f"R = lambda P, D: {image}.reshape(len(P), {subject.dimension})"
    return f"{writer.head}; {imports(subject)}; {run}", writer


def rows_of_batch(
    subject: MapSubject, form: str, positions: Sequence[int], count: int, dtype: str
) -> str:
    """Print how far some equal rows of one call are apart."""
    writer = Writer(subject.library.name, dtype)
    sizes = {"1": "1", "r": str(count), "n": str(len(positions)), "d": str(subject.dimension)}
    pattern = PATTERNS[form]
    shape = ", ".join(sizes[axis] for axis in pattern)
    axis = pattern.index("r")
    call = f"f({writer.ones(shape)}, {places(subject, str(list(positions)), writer)})"
    first = f"y[{':, ' * axis}:1]"
    steps = f"y = {call}; print(abs(y - {first}).max())"
    return shell(f"{writer.head}; {imports(subject)}; {steps}")


def row_alone(
    subject: MapSubject, form: str, positions: Sequence[int], count: int, dtype: str
) -> str:
    """Print how far a row alone is from the first of some equal rows."""
    writer = Writer(subject.library.name, dtype)
    sizes = {"1": "1", "n": str(len(positions)), "d": str(subject.dimension)}
    pattern = PATTERNS[form]
    at = places(subject, str(list(positions)), writer)
    many, one = (
        f"f({writer.ones(', '.join({**sizes, 'r': str(rows)}[a] for a in pattern))}, {at})"
        for rows in (count, 1)
    )
    first = f"[{':, ' * pattern.index('r')}:1]"
    shown = f"print(abs({many}{first} - {one}).max())"
    return shell(f"{writer.head}; {imports(subject)}; {shown}")


def batch_and_alone(
    subject: MapSubject, rows: Sequence[Sequence[int]], row: int, slot: int, dtype: str
) -> str:
    """Print how far a slot of a batch with positions of its own is from its position alone."""
    writer = Writer(subject.library.name, dtype)
    shape = one_row(subject, str(len(rows[0])), str(len(rows)))
    if subject.form == "heads":  # rows are the first axis of a batch
        shape = f"{len(rows)}, 1, {len(rows[0])}, {subject.dimension}"
    at = writer.array(str([list(r) for r in rows]), subject.position_dtype)
    whole = f"f({writer.ones(shape)}, {at}).reshape({len(rows)}, -1, {subject.dimension})"
    return shown_line(
        subject, dtype, f"abs({whole}[{row}, {slot}] - R([{rows[row][slot]}])[0]).max()"
    )


def other_positions(subject: MapSubject, position: int, kind: str, dtype: str) -> str:
    """Print how far a position in another dtype leads from the same position."""
    writer = Writer(subject.library.name, dtype)
    x = writer.ones(one_row(subject, "1"))
    call = f"f({x}, {places(subject, f'[{position}]', writer, kind)}).reshape(-1)"
    return shown_line(subject, dtype, f"abs({call} - R([{position}])[0]).max()")


def path_and_main(subject: MapSubject, name: str, position: int, dtype: str) -> str:
    """Print how far another path is from the main one at one position."""
    other = run_code(subject, dtype, call=f"S.paths['{name}']").rpartition("; R = ")[2]
    steps = f"Q = {other}; print(abs(Q([{position}]) - R([{position}])).max())"
    return shell(f"{run_code(subject, dtype)}; {steps}")


def rivals(subject: MapSubject, position: int, dtype: str) -> str:
    """Print how far apart the images of ones from both instances are."""
    other = run_code(subject, dtype, call="S.rival").rpartition("; R = ")[2]
    steps = f"Q = {other}; print(abs(Q([{position}]) - R([{position}])).max())"
    return shell(f"{run_code(subject, dtype)}; {steps}")


def before_and_after_rival(subject: MapSubject, position: int, dtype: str) -> str:
    """Print how far an image is from itself after a call of the other instance."""
    other = run_code(subject, dtype, call="S.rival").rpartition("; R = ")[2]
    steps = f"Q = {other}; a = R([{position}]); Q([{position}])"
    return shell(f"{run_code(subject, dtype)}; {steps}; print(abs(R([{position}]) - a).max())")


def image_of_ones(subject: MapSubject, side: str, position: int, channel: int, dtype: str) -> str:
    """Print one channel of the image of ones."""
    return shown_line(subject, dtype, f"float(R([{position}])[0, {subject.output(channel)}])", side)


def overwritten(subject: MapSubject, which: str, dtype: str, kind: str, side: str) -> str:
    """Print by how much a call changes x, or the positions of dtype `kind`."""
    writer = Writer(subject.library.name, dtype)
    name, copy = which[0].upper() if which == "positions" else which, "copy"
    if subject.library.name == "torch":
        copy = "clone"
    function = "f" if side == "query" or subject.one_map else "g"
    x = f"x = {writer.ones(one_row(subject, '3'))}"
    at = f"P = {places(subject, '[1, 2, 3]', writer, kind)}"
    steps = f"{x}; {at}; y = {name}.{copy}(); {function}(x, P); print(abs({name} - y).max())"
    return shell(f"{writer.head}; {imports(subject)}; {steps}")


def view_and_copy(
    subject: MapSubject,
    view: tuple[Sequence[int], str],
    positions: Sequence[int],
    dtype: str,
    side: str,
) -> str:
    """Print how far the image of a view of x is from that of a copy; x is an array of cosines.

    view  the shape of x, and code of a view of it
    """
    writer = Writer(subject.library.name, dtype)
    m, function = writer.module, "f" if side == "query" or subject.one_map else "g"
    memory, code = view
    numbers = f"{m}.cos({m}.arange({math.prod(memory)}, dtype={writer.kind('float64')}))"
    torch = subject.library.name == "torch"
    cast = f".{'to' if torch else 'astype'}({writer.kind()})"
    x = f"x = {numbers}{cast}.reshape({tuple(memory)}); v = {code}"
    at = places(subject, str(list(positions)), writer)
    copy = "contiguous" if torch else "copy"
    shown = f"abs({function}(v, {at}) - {function}(v.{copy}(), {at})).max()"
    return shell(f"{writer.head}; {imports(subject)}; {x}; print({shown})")


def images_at(subject: MapSubject, positions: Sequence[int], dtype: str) -> str:
    """Print how far apart the images of ones are at two positions."""
    first, second = (f"R([{p}])" for p in positions)
    return shown_line(subject, dtype, f"abs({first} - {second}).max()")
