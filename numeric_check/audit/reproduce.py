"""One line for a shell that shows what a finding says, calling the subject and nothing of ours.

Where the subject has no import line of its own (an adapter, a known package), the line asks the
audit for it by name. Everything in a line is spelled out: shapes, positions, dtypes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

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


# -- pieces -----------------------------------------------------------------------------------


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


def listed(positions: Sequence[int]) -> str:
    """A list, or a range where it is one."""
    every = [int(p) for p in positions]
    start, end = every[0], every[-1] + 1
    if len(every) > 2 and every == list(range(start, end)):
        return f"range({start}, {end})" if start else f"range({end})"
    return str(every)


# -- images of unit vectors -------------------------------------------------------------------


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
) -> str:
    """Print the entry for each pair, every position called among those of `calls`."""
    writer = Writer(subject.library.name, dtype)
    d, (i, j) = subject.dimension, entry
    ones = writer.ones(one_row(subject, "len(P)"))
    x = f"{ones} * {writer.unit(d)}"
    lines = [writer.head, imports(subject)]
    for name, function in (("F", "f"), ("G", "f" if subject.one_map else "g")):
        if name == "F" or not subject.one_map:
            image = f"{function}({x}, {places(subject, 'P', writer)}).reshape(len(P), {d})"
            lines.append(f"{name} = lambda P, i: {image}")
    shown = []
    for t, s in pairs:
        of_t, of_s = list(calls(t)), list(calls(s))
        q = f"F({listed(of_t)}, {i})[{of_t.index(t)}]"
        k = f"{'F' if subject.one_map else 'G'}({listed(of_s)}, {j})[{of_s.index(s)}]"
        shown.append(f"float({q} @ {k})")
    return shell(f"{'; '.join(lines)}; print({', '.join(shown)})")


def entry_in_rows(
    subject: MapSubject, pairs: Sequence[tuple[int, int]], entry: tuple[int, int], dtype: str
) -> str:
    """Print the entry for each pair, all unit vectors being rows of one call of one position."""
    writer = Writer(subject.library.name, dtype)
    d, (i, j) = subject.dimension, entry
    x = f"{writer.module}.eye({d}, dtype={writer.kind()}).reshape({one_row(subject, '1', str(d))})"
    lines = [writer.head, imports(subject)]
    for name, function in (("F", "f"), ("G", "f" if subject.one_map else "g")):
        if name == "F" or not subject.one_map:
            at = places(subject, "[p]", writer)
            lines.append(f"{name} = lambda p: {function}({x}, {at}).reshape({d}, {d})")
    g = "F" if subject.one_map else "G"
    shown = ", ".join(f"float(F({t})[{i}] @ {g}({s})[{j}])" for t, s in pairs)
    return shell(f"{'; '.join(lines)}; print({shown})")


def defect_of_sum(subject: MapSubject, s: int, t: int, channels: Sequence[int], dtype: str) -> str:
    """Print the largest entry of A(s)A(0)⁻¹A(t) − A(s + t) on a group of channels."""
    if isinstance(subject, StandIn):
        writer, code = _score_code(subject.score_subject)
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
    return shell(f"{code}; print(float({name}({position}, {entry[1]})[{entry[0]}]))")


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
        f"print(float(R({listed(last)})[{slot}, {row}]))"
    )


def images_at(subject: MapSubject, positions: Sequence[int], dtype: str) -> str:
    """Print how far apart the images of ones are at two positions."""
    first, second = (f"R([{p}])" for p in positions)
    return _shown(subject, dtype, f"abs({first} - {second}).max()")


def doubled(subject: MapSubject, side: str, position: int, dtype: str) -> str:
    """Print the image of twice unit vector 0, and twice its image."""
    name = "F" if side == "query" or subject.one_map else "G"
    code = images_code(subject, dtype, name)
    twice = code[code.rindex(f"{name} = ") :].replace(f"{name} = ", "D = ", 1)
    twice = twice.replace("[i].", "[i].__mul__(2).", 1)
    return shell(f"{code}; {twice}; print(D({position}, 0), 2 * {name}({position}, 0))")


# -- images of ones, in calls of several positions --------------------------------------------


def run_code(subject: MapSubject, dtype: str, side: str = "query", call: str = "") -> str:
    """Python that defines R(P): images of ones at the positions P, shape (len(P), channels)."""
    writer = Writer(subject.library.name, dtype)
    function = call or ("f" if side == "query" or subject.one_map else "g")
    x = writer.ones(one_row(subject, "len(P)"))
    image = f"{function}({x}, {places(subject, 'P', writer)})"
    run = f"R = lambda P: {image}.reshape(len(P), {subject.dimension})"
    return f"{writer.head}; {imports(subject)}; {run}"


def _shown(subject: MapSubject, dtype: str, value: str, side: str = "query") -> str:
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
    return _shown(subject, dtype, gap)


def before_and_after(
    subject: MapSubject, position: int, dtype: str, between: tuple[Sequence[int], str]
) -> str:
    """Print how far the image at a position is from itself after another call."""
    positions, other = between
    code, writer = _in_dtypes(subject, dtype, other)
    one = f"R([{position}], {writer.kind(dtype)})[0]"
    steps = f"a = {one}; R({listed(positions)}, {writer.kind(other)}); print(abs({one} - a).max())"
    return shell(f"{code}; {steps}")


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


def _in_dtypes(subject: MapSubject, *dtypes: str) -> tuple[str, Writer]:
    """Python that defines R(P, D): images of ones in a dtype D."""
    narrow = "bfloat16" if "bfloat16" in dtypes else dtypes[0]
    writer = Writer(subject.library.name, narrow)
    x = writer.ones(one_row(subject, "len(P)")).replace(writer.kind(), "D")
    image = f"f({x}, {places(subject, 'P', writer)})"
    run = f"R = lambda P, D: {image}.reshape(len(P), {subject.dimension})"
    return f"{writer.head}; {imports(subject)}; {run}", writer


def rows_of_batch(subject: MapSubject, form: str, positions: Sequence[int], dtype: str) -> str:
    """Print how far three equal rows of one call are apart."""
    writer = Writer(subject.library.name, dtype)
    sizes = {"1": "1", "r": "3", "n": str(len(positions)), "d": str(subject.dimension)}
    pattern = PATTERNS[form]
    shape = ", ".join(sizes[axis] for axis in pattern)
    axis = pattern.index("r")
    call = f"f({writer.ones(shape)}, {places(subject, str(list(positions)), writer)})"
    first = f"y[{':, ' * axis}:1]"
    steps = f"y = {call}; print(abs(y - {first}).max())"
    return shell(f"{writer.head}; {imports(subject)}; {steps}")


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
    return _shown(subject, dtype, f"abs({whole}[{row}, {slot}] - R([{rows[row][slot]}])[0]).max()")


def other_positions(subject: MapSubject, position: int, kind: str, dtype: str) -> str:
    """Print how far a position in another dtype leads from the same position."""
    writer = Writer(subject.library.name, dtype)
    x = writer.ones(one_row(subject, "1"))
    call = f"f({x}, {places(subject, f'[{position}]', writer, kind)}).reshape(-1)"
    return _shown(subject, dtype, f"abs({call} - R([{position}])[0]).max()")


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
    return _shown(subject, dtype, f"float(R([{position}])[0, {channel}])", side)


def overwritten(subject: MapSubject, which: str, dtype: str) -> str:
    """Print by how much a call changes x or the positions."""
    writer = Writer(subject.library.name, dtype)
    name, copy = which[0].upper() if which == "positions" else which, "copy"
    if subject.library.name == "torch":
        copy = "clone"
    x = f"x = {writer.ones(one_row(subject, '3'))}"
    at = f"P = {places(subject, '[1, 2, 3]', writer)}"
    steps = f"{x}; {at}; y = {name}.{copy}(); f(x, P); print(abs({name} - y).max())"
    return shell(f"{writer.head}; {imports(subject)}; {steps}")


# -- derivatives and transforms ---------------------------------------------------------------


def gradient_of(subject: MapSubject, position: int, dtype: str) -> str:
    """Print how far the gradient of the sum of the result is from the sums of the images."""
    writer = Writer(subject.library.name, dtype)
    shape, at = one_row(subject), places(subject, f"[{position}]", writer)
    x = f"{writer.unit(subject.dimension, '0')}.reshape({shape})"
    unit = writer.unit(subject.dimension)
    every = f"[f({unit}.reshape({shape}), {at}).sum() for i in range({subject.dimension})]"
    if subject.library.name == "jax":
        found = f"jax.grad(lambda x: f(x, {at}).sum())({x})"
        shown = f"print(abs({found}.reshape(-1) - jnp.array({every})).max())"
        return shell(f"{writer.head}; {imports(subject)}; {shown}")
    steps = f"x = {x}.requires_grad_(); f(x, {at}).sum().backward()"
    shown = f"print(abs(x.grad.reshape(-1) - torch.stack({every})).max())"
    return shell(f"{writer.head}; {imports(subject)}; {steps}; {shown}")


def derivative_of(subject: MapSubject, position: float, dtype: str) -> str:
    """Print the sum of the image of ones at a real position, and its derivative in the position."""
    writer = Writer(subject.library.name, dtype)
    x = writer.ones(one_row(subject, "1"))
    at = "p[None]" if subject.batched else "p"
    if subject.library.name == "jax":
        call = f"g = lambda p: f({x}, {at}).sum()"
        shown = f"p = jnp.array([{position}]); print(g(p), jax.grad(g)(p))"
        return shell(f"{writer.head}; {imports(subject)}; {call}; {shown}")
    p = f"p = torch.tensor([{position}], dtype=torch.float64, requires_grad=True)"
    steps = f"{p}; y = f({x}, {at}).sum(); y.backward(); print(float(y.detach()), float(p.grad))"
    return shell(f"{writer.head}; {imports(subject)}; {steps}")


def vmapped(subject: MapSubject, shape: Sequence[int], at: Sequence[int], dtype: str) -> str:
    """Print how far vmap over the first axis is from the plain call."""
    vmap = "jax.vmap" if subject.library.name == "jax" else "torch.func.vmap"
    return _transformed(subject, shape, at, dtype, f"{vmap}(lambda r: f(r[None], P)[0])(x)")


def compiled(subject: MapSubject, shape: Sequence[int], at: Sequence[int], dtype: str) -> str:
    """Print how far the compiled call is from the plain one."""
    call = "torch.compile(f, fullgraph=True, backend='aot_eager')(x, P)"
    return _transformed(subject, shape, at, dtype, call)


def exported(subject: MapSubject, shape: Sequence[int], at: Sequence[int], dtype: str) -> str:
    """Print how far the exported call is from the plain one."""
    module = "type('M', (torch.nn.Module,), {'forward': lambda self, x, P: f(x, P)})()"
    call = f"torch.export.export({module}, (x, P)).module()(x, P)"
    return _transformed(subject, shape, at, dtype, call)


def _transformed(
    subject: MapSubject, shape: Sequence[int], at: Sequence[int], dtype: str, call: str
) -> str:
    writer = Writer(subject.library.name, dtype)
    count = int(np.prod(list(shape)))
    x = f"{writer.module}.linspace(-1, 1, {count}, dtype={writer.kind()})"
    x = f"x = {x}.reshape({', '.join(map(str, shape))})"
    steps = f"{x}; P = {places(subject, str(list(at)), writer)}"
    shown = f"print(abs({call} - f(x, P)).max())"
    return shell(f"{writer.head}; {imports(subject)}; {steps}; {shown}")


# -- scores, biases, tables -------------------------------------------------------------------


def _score_code(subject: ScoreSubject) -> tuple[Writer, str]:
    """f, and A(q, k, t, s): one score of two vectors as a number."""
    writer = Writer(subject.library.name)
    shape = {"flat": "1", "rows": "1, 1", "heads": "1, 1, 1"}[subject.form]
    q, k = (f"{v}.reshape({shape}, {subject.dimension})" for v in "qk")
    t, s = (writer.array(f"[{v}]", subject.position_dtype) for v in "ts")
    call = f"A = lambda q, k, t, s: float(f({q}, {k}, {t}, {s}).reshape(-1)[0])"
    return writer, f"{writer.head}; {imports(subject)}; {call}"


def entry_of_matrix(subject: ScoreSubject, pairs: Sequence[tuple[int, int]], i: int, j: int) -> str:
    """Print the entry (i, j) of M(t, s) with score = qᵀM(t, s)k + score(0, 0)."""
    writer, code = _score_code(subject)
    e = f"e = {writer.module}.eye({subject.dimension}, dtype={writer.kind()}); z = e[0] * 0"
    q, k = f"e[{i}]", f"e[{j}]"
    parts = f"A({q}, {k}, t, s) - A({q}, z, t, s) - A(z, {k}, t, s) + A(z, z, t, s)"
    m = f"M = lambda t, s: {parts}"
    shown = ", ".join(f"M({t}, {s})" for t, s in pairs)
    return shell(f"{code}; {e}; {m}; print({shown})")


def scores_of_waves(
    subject: ScoreSubject, pairs: Sequence[tuple[int, int]], rates: tuple[int, int]
) -> str:
    """Print scores of q = cos(a·i), k = cos(b·i), i = 1, …, d, at pairs of positions."""
    writer, code = _score_code(subject)
    a, b = rates
    w = f"w = {writer.module}.arange(1, {subject.dimension + 1}, dtype={writer.kind()})"
    wave = {"torch": "({} * w).cos()"}.get(subject.library.name, f"{writer.module}.cos({{}} * w)")
    vectors = f"q = {wave.format(a)}; k = {wave.format(b)}"
    shown = ", ".join(f"A(q, k, {t}, {s})" for t, s in pairs)
    return shell(f"{code}; {w}; {vectors}; print({shown})")


def score_of_sum(subject: ScoreSubject, t: int, s: int, *, of_key: bool) -> str:
    """Print a score of a sum, and the sum of the scores with that of 0 taken off."""
    writer, code = _score_code(subject)
    u = f"u = {writer.ones(str(subject.dimension))}; v = u * 0; v[::2] = 3"
    if subject.library.name == "jax":
        u = u.replace("v = u * 0; v[::2] = 3", "v = (u * 0).at[::2].set(3)")
    a = f"B = lambda x: A(u, x, {t}, {s})" if of_key else f"B = lambda x: A(x, u, {t}, {s})"
    return shell(f"{code}; {u}; {a}; print(B(u + v), B(u) + B(v) - B(u * 0))")


def score_in_call(subject: ScoreSubject, positions: Sequence[int], i: int, j: int) -> str:
    """Print how far the score at two slots of a call is from it alone (q, k of ones)."""
    writer, code = _score_code(subject)
    lead = {"flat": "", "rows": "1, ", "heads": "1, 1, "}[subject.form]
    n = len(positions)
    x = writer.ones(f"{lead}{n}, {subject.dimension}")
    at = writer.array(str(list(positions)), subject.position_dtype)
    one = writer.ones(str(subject.dimension))
    whole = f"float(f({x}, {x}, {at}, {at}).reshape({n}, {n})[{i}, {j}])"
    return shell(f"{code}; o = {one}; print({whole}, A(o, o, {positions[i]}, {positions[j]}))")


def entries_of_bias(subject: BiasSubject, pairs: Sequence[tuple[int, int]]) -> str:
    """Print the bias of every head at pairs of positions, each called alone."""
    writer = Writer(subject.library.name)
    t, s = (writer.array(f"[{v}]", subject.position_dtype) for v in "ts")
    call = f"b = lambda t, s: f({t}, {s}).reshape(-1)"
    shown = ", ".join(f"b({t}, {s})" for t, s in pairs)
    return shell(f"{writer.head}; {imports(subject)}; {call}; print({shown})")


def bias_in_call(subject: BiasSubject, positions: Sequence[int], i: int, j: int) -> str:
    """Print an entry of a matrix and the same entry alone, head by head."""
    writer = Writer(subject.library.name)
    at = writer.array(str(list(positions)), subject.position_dtype)
    t, s = (writer.array(f"[{positions[k]}]", subject.position_dtype) for k in (i, j))
    shown = f"f({at}, {at})[..., {i}, {j}], f({t}, {s})[..., 0, 0]"
    return shell(f"{writer.head}; {imports(subject)}; print({shown})")


def rows_of_table(subject: TableSubject, positions: Sequence[int], column: int | None) -> str:
    """Print rows of a table, or their entries in one column."""
    writer = Writer(subject.library.name)
    at = writer.array(str(list(positions)), subject.position_dtype)
    where = "" if column is None else f"[..., {column}]"
    return shell(f"{writer.head}; {imports(subject)}; print(f({at}){where})")


def step_of_table(subject: TableSubject, fitted: int, position: int, column: int) -> str:
    """Print what the best M of the first rows makes of row t, and what row t + 1 has."""
    writer = Writer(subject.library.name)
    at = writer.array(f"range({max(fitted, position + 1)})", subject.position_dtype)
    head = writer.head if subject.library.name == "numpy" else f"{writer.head}; import numpy as np"
    fit = f"M = np.linalg.lstsq(T[:{fitted - 1}], T[1:{fitted}])[0]"
    shown = f"(T[{position - 1}] @ M)[{column}], T[{position}, {column}]"
    table = f"T = np.array(f({at}), dtype='float64').reshape({max(fitted, position + 1)}, -1)"
    return shell(f"{head}; {imports(subject)}; {table}; {fit}; print({shown})")


def row_in_call(subject: TableSubject, length: int, position: int) -> str:
    """Print how far a row among others is from it alone."""
    writer = Writer(subject.library.name)
    every = writer.array(f"range({length})", subject.position_dtype)
    one = writer.array(f"[{position}]", subject.position_dtype)
    shown = f"abs(f({every})[..., {position}, :] - f({one})[..., 0, :]).max()"
    return shell(f"{writer.head}; {imports(subject)}; print({shown})")
