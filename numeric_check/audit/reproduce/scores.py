"""Lines about scores of two vectors."""

from __future__ import annotations

from collections.abc import Sequence

from numeric_check.audit.reproduce.writing import Writer, imports, shell
from numeric_check.audit.subject import ScoreSubject


def score_code(subject: ScoreSubject) -> tuple[Writer, str]:
    """f, and A(q, k, t, s): one score of two vectors as a number."""
    writer = Writer(subject.library.name)
    shape = {"flat": "1", "rows": "1, 1", "heads": "1, 1, 1"}[subject.form]
    q, k = (f"{v}.reshape({shape}, {subject.dimension})" for v in "qk")
    t, s = (writer.array(f"[{v}]", subject.position_dtype) for v in "ts")
    call = f"A = lambda q, k, t, s: float(f({q}, {k}, {t}, {s}).reshape(-1)[0])"
    return writer, f"{writer.head}; {imports(subject)}; {call}"


def entry_of_matrix(subject: ScoreSubject, pairs: Sequence[tuple[int, int]], i: int, j: int) -> str:
    """Print the entry (i, j) of M(t, s) with score = qᵀM(t, s)k + score(0, 0)."""
    writer, code = score_code(subject)
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
    writer, code = score_code(subject)
    a, b = rates
    w = f"w = {writer.module}.arange(1, {subject.dimension + 1}, dtype={writer.kind()})"
    wave = {"torch": "({} * w).cos()"}.get(subject.library.name, f"{writer.module}.cos({{}} * w)")
    vectors = f"q = {wave.format(a)}; k = {wave.format(b)}"
    shown = ", ".join(f"A(q, k, {t}, {s})" for t, s in pairs)
    return shell(f"{code}; {w}; {vectors}; print({shown})")


def score_of_sum(subject: ScoreSubject, t: int, s: int, *, of_key: bool) -> str:
    """Print a score of a sum, and the sum of the scores with that of 0 taken off."""
    writer, code = score_code(subject)
    u = f"u = {writer.ones(str(subject.dimension))}; v = u * 0; v[::2] = 3"
    if subject.library.name == "jax":
        u = u.replace("v = u * 0; v[::2] = 3", "v = (u * 0).at[::2].set(3)")
    a = f"B = lambda x: A(u, x, {t}, {s})" if of_key else f"B = lambda x: A(x, u, {t}, {s})"
    return shell(f"{code}; {u}; {a}; print(B(u + v), B(u) + B(v) - B(u * 0))")


def score_in_call(subject: ScoreSubject, positions: Sequence[int], i: int, j: int) -> str:
    """Print how far the score at two slots of a call is from it alone (q, k of ones)."""
    writer, code = score_code(subject)
    lead = {"flat": "", "rows": "1, ", "heads": "1, 1, "}[subject.form]
    n = len(positions)
    x = writer.ones(f"{lead}{n}, {subject.dimension}")
    at = writer.array(str(list(positions)), subject.position_dtype)
    one = writer.ones(str(subject.dimension))
    whole = f"float(f({x}, {x}, {at}, {at}).reshape({n}, {n})[{i}, {j}])"
    return shell(f"{code}; o = {one}; print({whole}, A(o, o, {positions[i]}, {positions[j]}))")
