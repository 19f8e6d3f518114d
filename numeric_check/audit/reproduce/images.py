"""Lines about images of unit vectors, each position called alone or in given calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numeric_check.audit.reproduce.scores import entry_of_matrix, score_code
from numeric_check.audit.reproduce.writing import Writer, imports, listed, one_row, places, shell
from numeric_check.audit.subject import PATTERNS, MapSubject, StandIn


def images_code(subject: MapSubject, dtype: str = "float64", sides: str = "F") -> str:
    """Python that defines F(p, i) and G(p, i), as asked: images of unit vector i, called alone."""
    writer = Writer(subject.library.name, dtype)
    lines = [writer.head, imports(subject)]
    for name, function in (("F", "f"), ("G", "f" if subject.one_map else "g")):
        if name in sides:
            x = f"{writer.unit(subject.dimension)}.reshape({one_row(subject)})"
            image = f"{function}({x}, {places(subject, '[p]', writer)}).reshape(-1)"
            lines.append(f"{name} = lambda p, i: {image}")
    return "; ".join(lines)


def entry_of_score(
    subject: MapSubject, pairs: Sequence[tuple[int, int]], i: int, j: int, dtype: str
) -> str:
    """Print the entry (i, j) of F(t)ᵀG(s) for each pair (t, s), which should be equal."""
    if isinstance(subject, StandIn):
        return entry_of_matrix(subject.score_subject, pairs, i, j)
    sides = "F" if subject.one_map else "FG"
    code, g = images_code(subject, dtype, sides), sides[-1]
    shown = ", ".join(f"float(F({t}, {i}) @ {g}({s}, {j}))" for t, s in pairs)
    return shell(f"{code}; print({shown})")


def entry_in_calls(
    subject: MapSubject,
    pairs: Sequence[tuple[int, int]],
    entry: tuple[int, int],
    dtype: str,
    calls: Callable[[int], Sequence[int]],
    *,
    before: Sequence[int] = (),
) -> str:
    """Print the entry for each pair, every position called among those of `calls`.

    before  positions of a call that is made first
    """
    writer = Writer(subject.library.name, dtype)
    d, (i, j) = subject.dimension, entry
    ones = writer.ones(one_row(subject, "len(P)"))
    x = f"{ones} * {writer.unit(d)}"
    lines = [writer.head, imports(subject)]
    for name, function in (("F", "f"), ("G", "f" if subject.one_map else "g")):
        if name == "F" or not subject.one_map:
            image = f"{function}({x}, {places(subject, 'P', writer)}).reshape(len(P), {d})"
            lines.append(f"{name} = lambda P, i: {image}")
    if before:
        lines.append(f"F({listed(before)}, 0)")
    shown = []
    for t, s in pairs:
        of_t, of_s = list(calls(t)), list(calls(s))
        q = f"F({listed(of_t)}, {i})[{of_t.index(t)}]"
        k = f"{'F' if subject.one_map else 'G'}({listed(of_s)}, {j})[{of_s.index(s)}]"
        shown.append(f"float({q} @ {k})")
    return shell(f"{'; '.join(lines)}; print({', '.join(shown)})")


def entry_in_rows(
    subject: MapSubject,
    pairs: Sequence[tuple[int, int]],
    entry: tuple[int, int],
    dtype: str,
    *,
    once: Sequence[int] = (),
) -> str:
    """Print the entry for each pair, all unit vectors being rows of one call of one position.

    once  positions that are called once each, in this order; else each as it is needed
    """
    writer = Writer(subject.library.name, dtype)
    d, (i, j) = subject.dimension, entry
    x = f"{writer.module}.eye({d}, dtype={writer.kind()}).reshape({one_row(subject, '1', str(d))})"
    lines = [writer.head, imports(subject)]
    for name, function in (("F", "f"), ("G", "f" if subject.one_map else "g")):
        if name == "F" or not subject.one_map:
            at = places(subject, "[p]", writer)
            lines.append(f"{name} = lambda p: {function}({x}, {at}).reshape({d}, {d})")
    if once and subject.one_map:
        lines.append(f"M = {{p: (F(p),) * 2 for p in {listed(once)}}}")
    elif once:
        lines.append(f"M = {{p: (F(p), G(p)) for p in {listed(once)}}}")
    g = "F" if subject.one_map else "G"
    shown = ", ".join(
        f"float(M[{t}][0][{i}] @ M[{s}][1][{j}])" if once else f"float(F({t})[{i}] @ {g}({s})[{j}])"
        for t, s in pairs
    )
    return shell(f"{'; '.join(lines)}; print({shown})")


def entry_in_rows_of_call(
    subject: MapSubject,
    pairs: Sequence[tuple[int, int]],
    entry: tuple[int, int],
    dtype: str,
    call: Sequence[int],
) -> str:
    """Print the entry for each pair, all unit vectors being rows of one call of many positions."""
    writer = Writer(subject.library.name, dtype)
    d, slots = subject.dimension, {p: i for i, p in enumerate(call)}
    ones = writer.ones(one_row(subject, "len(P)", str(d)))
    eye = f"{writer.module}.eye({d}, dtype={writer.kind()})"
    x = f"{ones} * {eye}.reshape({one_row(subject, '1', str(d))})"
    lines = [writer.head, imports(subject), f"P = {listed(call)}"]
    for name, function in (("F", "f"), ("G", "f" if subject.one_map else "g")):
        if name == "F" or not subject.one_map:
            lines.append(f"{name} = {function}({x}, {places(subject, 'P', writer)})")

    def image(name: str, row: int, position: int) -> str:
        at = {"1": "0", "r": str(row), "n": str(slots[position]), "d": ":"}
        return f"{name}[{', '.join(at[axis] for axis in PATTERNS[subject.form])}]"

    g = "F" if subject.one_map else "G"
    shown = ", ".join(
        f"float({image('F', entry[0], t)} @ {image(g, entry[1], s)})" for t, s in pairs
    )
    return shell(f"{'; '.join(lines)}; print({shown})")


def defect_of_sum(subject: MapSubject, s: int, t: int, channels: Sequence[int], dtype: str) -> str:
    """Print the largest entry of A(s)A(0)⁻¹A(t) − A(s + t) on a group of channels."""
    if isinstance(subject, StandIn):
        writer, code = score_code(subject.score_subject)
        e = f"e = {writer.module}.eye({subject.dimension}, dtype={writer.kind()})"
        each = "A(e[i], e[j], t, 0)"
        code = f"{code}; {e}"
    else:
        code = images_code(subject, dtype, "F" if subject.one_map else "FG")
        g = "F" if subject.one_map else "G"
        each = f"float(F(t, i) @ {g}(0, j))"
    numpy = "" if "import numpy as np" in code else "import numpy as np; "
    group = list(channels)
    m = f"M = lambda t: np.array([[{each} for j in {group}] for i in {group}])"
    shown = f"abs(M({s}) @ np.linalg.inv(M(0)) @ M({t}) - M({s + t})).max()"
    return shell(f"{numpy}{code}; {m}; print({shown})")


def entry_of_points(
    subject: MapSubject, pairs: Sequence[tuple[Any, Any]], i: int, j: int, dtype: str
) -> str:
    """The same for positions of several coordinates."""
    writer = Writer(subject.library.name, dtype)
    x = f"{writer.unit(subject.dimension)}.reshape({one_row(subject)})"
    at = writer.array("[[p]]" if subject.batched else "[p]", subject.position_dtype)
    lines = [writer.head, imports(subject), f"F = lambda p, i: f({x}, {at}).reshape(-1)"]
    if not subject.one_map:
        lines.append(f"G = lambda p, i: g({x}, {at}).reshape(-1)")
    g = "F" if subject.one_map else "G"
    shown = ", ".join(f"float(F({list(t)}, {i}) @ {g}({list(s)}, {j}))" for t, s in pairs)
    return shell(f"{'; '.join(lines)}; print({shown})")


def entry_of_image(
    subject: MapSubject, side: str, position: int, entry: tuple[int, int], dtype: str
) -> str:
    """Print one entry (row, column) of F(t) or G(s)."""
    name = "F" if side == "query" or subject.one_map else "G"
    code = images_code(subject, dtype, name)
    row = subject.output(entry[0])
    return shell(f"{code}; print(float({name}({position}, {entry[1]})[{row}]))")


def image_in_call(
    subject: MapSubject,
    side: str,
    calls: Sequence[Sequence[int]],
    where: tuple[int, int, int],
    dtype: str,
) -> str:
    """Print one entry (row, column) of F(t) or G(s) in the last of some calls.

    where  position, row and column
    """
    position, row, column = where
    writer = Writer(subject.library.name, dtype)
    d, function = subject.dimension, "f" if side == "query" or subject.one_map else "g"
    x = f"{writer.ones(one_row(subject, 'len(P)'))} * {writer.unit(d, str(column))}"
    image = f"R = lambda P: {function}({x}, {places(subject, 'P', writer)}).reshape(len(P), {d})"
    *before, last = calls
    first = "".join(f"; R({listed(call)})" for call in before)
    slot = list(last).index(position)
    return shell(
        f"{writer.head}; {imports(subject)}; {image}{first}; "
        f"print(float(R({listed(last)})[{slot}, {subject.output(row)}]))"
    )


def doubled(subject: MapSubject, side: str, position: int, dtype: str) -> str:
    """Print the image of twice unit vector 0, and twice its image."""
    name = "F" if side == "query" or subject.one_map else "G"
    code = images_code(subject, dtype, name)
    twice = code[code.rindex(f"{name} = ") :].replace(f"{name} = ", "D = ", 1)
    twice = twice.replace("[i].", "[i].__mul__(2).", 1)
    return shell(f"{code}; {twice}; print(D({position}, 0), 2 * {name}({position}, 0))")
