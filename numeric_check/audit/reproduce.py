"""One line for a shell that shows what a finding says, calling the subject and nothing of ours.

Where the subject has no import line of its own (an adapter, a known package), the line asks the
audit for it by name.
"""

from __future__ import annotations

from collections.abc import Sequence

from numeric_check.audit.subject import MapSubject

SHAPES = {
    "heads": "(1, 1, -1, {d})",
    "rows": "(1, -1, {d})",
    "batch": "(1, 1, -1, {d})",
    "positions-heads": "(1, -1, 1, {d})",
    "sequence-first": "(-1, 1, 1, {d})",
    "sequence-rows": "(-1, 1, {d})",
    "flat": "(-1, {d})",
}


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


def images_code(subject: MapSubject, dtype: str = "float64", sides: str = "F") -> str:
    """Python that defines F(p, i) and G(p, i), as asked: images of unit vector i, called alone."""
    d = subject.dimension
    unit, place, head = _arrays(subject, dtype)
    query, key = _imports(subject)
    lines = [head, query] if subject.one_map or "G" not in sides else [head, query, key]
    g = "f" if subject.one_map else "g"
    shape = SHAPES[subject.form].format(d=d)
    for name, function in (("F", "f"), ("G", g)):
        if name in sides:
            image = f"{function}({unit}.reshape{shape}, {place}).reshape(-1)"
            lines.append(f"{name} = lambda p, i: {image}")
    return "; ".join(lines)


def _arrays(subject: MapSubject, dtype: str) -> tuple[str, str, str]:
    """Code for unit vector i, for the position p, and the import that both need."""
    d, place = subject.dimension, "[p]" if subject.axes == 1 else f"[[p] * {subject.axes}]"
    place = f"[{place}]" if subject.batched else place
    integers = subject.position_dtype == "int64"
    if subject.library.name == "torch":
        kind = "" if dtype == "float32" else f", dtype=torch.{dtype}"
        at = "" if integers else f", dtype=torch.{subject.position_dtype}"
        return f"torch.eye({d}{kind})[i]", f"torch.tensor({place}{at})", "import torch"
    at = "" if integers else f", '{subject.position_dtype}'"
    if subject.library.name == "jax":
        unit, head = f"jnp.eye({d}, dtype='{dtype}')[i]", "import jax.numpy as jnp"
        return unit, f"jnp.array({place}{at})", head
    if dtype == "bfloat16":
        unit, head = f"np.eye({d})[i].astype(ml_dtypes.bfloat16)", "import numpy as np, ml_dtypes"
    else:
        kind = "" if dtype == "float64" else f", dtype='{dtype}'"
        unit, head = f"np.eye({d}{kind})[i]", "import numpy as np"
    return unit, f"np.array({place}{at})", head


def _imports(subject: MapSubject) -> tuple[str, str]:
    query, key = subject.origin
    if subject.origin == LOCAL:
        return LOCAL_QUERY, "g = the map of keys"
    if not query:
        known = (
            f"from numeric_check.audit import subject_named; S = subject_named('{subject.name}')"
        )
        return f"{known}; f = S.query", "g = S.key"
    return query, key or query


def entry_of_score(
    subject: MapSubject, pairs: Sequence[tuple[int, int]], i: int, j: int, dtype: str
) -> str:
    """Print the entry (i, j) of F(t)ᵀG(s) for each pair (t, s), which should be equal."""
    sides = "F" if subject.one_map else "FG"
    code, g = images_code(subject, dtype, sides), sides[-1]
    shown = ", ".join(f"float(F({t}, {i}) @ {g}({s}, {j}))" for t, s in pairs)
    return shell(f"{code}; print({shown})")


def entry_of_image(
    subject: MapSubject, side: str, position: int, entry: tuple[int, int], dtype: str
) -> str:
    """Print one entry (row, column) of F(t) or G(s)."""
    name = "F" if side == "query" or subject.one_map else "G"
    code = images_code(subject, dtype, name)
    return shell(f"{code}; print(float({name}({position}, {entry[1]})[{entry[0]}]))")


def images_at(subject: MapSubject, positions: Sequence[int], dtype: str) -> str:
    """Print how far apart the images of unit vector 0 are at two positions."""
    first, second = (f"F({p}, 0)" for p in positions)
    return shell(f"{images_code(subject, dtype)}; print(abs({first} - {second}).max())")


def together_and_alone(subject: MapSubject, positions: Sequence[int], slot: int, dtype: str) -> str:
    """Print how far the image at one slot of a call is from that of its position called alone."""
    d, n = subject.dimension, len(positions)
    unit, place, head = _arrays(subject, dtype)
    query, _ = _imports(subject)
    shape = SHAPES[subject.form].format(d=d).replace("-1", "len(P)")
    one = unit.replace("[i]", "[:1]")
    copies = f"{one}.repeat(len(P), 1)" if "torch" in head else f"{one}.repeat(len(P), 0)"
    every = f"range({n})" if list(positions) == list(range(n)) else str(list(positions))
    where = place.replace("[p]", "list(P)")
    call = f"R = lambda P: f({copies}.reshape{shape}, {where}).reshape(len(P), {d})"
    gap = f"abs(R({every})[{slot}] - R([{positions[slot]}])[0]).max()"
    return shell(f"{head}; {query}; {call}; print({gap})")


def before_and_after(
    subject: MapSubject, position: int, dtype: str, between: tuple[Sequence[int], str]
) -> str:
    """Print how far the image at a position is from itself after another call."""
    d, (positions, other) = subject.dimension, between
    shape = SHAPES[subject.form].format(d=d).replace("-1", "len(P)")
    query, _ = _imports(subject)
    _, place, head = _arrays(subject, dtype)
    where = place.replace("[p]", "list(P)")
    if "torch" in head:
        ones = f"torch.ones({shape[1:-1]}, dtype=getattr(torch, D))"
    else:
        ones = f"np.ones({shape}).astype(D)" if "jax" not in head else f"jnp.ones({shape}, D)"
    call = f"R = lambda P, D: f({ones}, {where}).reshape(len(P), {d})"
    every = list(positions)
    shown = f"range({len(every)})" if every == list(range(len(every))) else str(every)
    one = f"R([{position}], '{dtype}')[0]"
    steps = f"a = {one}; R({shown}, '{other}'); print(abs({one} - a).max())"
    return shell(f"{head}; {query}; {call}; {steps}")


def rivals(subject: MapSubject, position: int, dtype: str) -> str:
    """Print how far apart the images of unit vector 0 from both instances are."""
    unit, place, head = _arrays(subject, dtype)
    known = f"from numeric_check.audit import subject_named; S = subject_named('{subject.name}')"
    shape = SHAPES[subject.form].format(d=subject.dimension)
    x = f"{unit.replace('[i]', '[0]')}.reshape{shape}, {place.replace('[p]', f'[{position}]')}"
    return shell(f"{head}; {known}; print(abs(S.query({x}) - S.rival({x})).max())")


def gradient_of(subject: MapSubject, position: int, dtype: str) -> str:
    """Print the gradient of the sum of the image of unit vector 0 (PyTorch and JAX)."""
    unit, place, head = _arrays(subject, dtype)
    query, _ = _imports(subject)
    shape = SHAPES[subject.form].format(d=subject.dimension)
    x, at = f"{unit.replace('[i]', '[0]')}.reshape{shape}", place.replace("[p]", f"[{position}]")
    if subject.library.name == "jax":
        shown = f"print(jax.grad(lambda x: f(x, {at}).sum())({x}))"
        return shell(f"{head}; import jax; {query}; {shown}")
    steps = f"x = {x}.requires_grad_(); f(x, {at}).sum().backward(); print(x.grad)"
    return shell(f"{head}; {query}; {steps}")


def doubled(subject: MapSubject, side: str, position: int, dtype: str) -> str:
    """Print the image of twice unit vector 0, and twice its image."""
    name = "F" if side == "query" or subject.one_map else "G"
    code = images_code(subject, dtype, name)
    twice = code[code.rindex(f"{name} = ") :].replace(f"{name} = ", "D = ", 1)
    twice = twice.replace("[i].", "[i].__mul__(2).", 1)
    return shell(f"{code}; {twice}; print(D({position}, 0), 2 * {name}({position}, 0))")
