"""Lines about scores of two vectors."""

from __future__ import annotations

from collections.abc import Sequence

from numeric_check.audit.reproduce.writing import Writer, imports, listed, shell
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
    shown = ", ".join(f"A(q, k, {t}, {s})" for t, s in pairs)
    return shell(f"{_waves_code(subject, rates)}; print({shown})")


def term_of_waves(
    subject: ScoreSubject, pairs: Sequence[tuple[int, int]], rates: tuple[int, int], side: str
) -> str:
    """The same of one of q and k, the other 0, less the score where both are."""
    given = "q, z" if side == "q" else "z, k"
    shown = ", ".join(f"A({given}, {t}, {s}) - A(z, z, {t}, {s})" for t, s in pairs)
    return shell(f"{_waves_code(subject, rates)}; z = 0 * q; print({shown})")


def _waves_code(subject: ScoreSubject, rates: tuple[int, int]) -> str:
    writer, code = score_code(subject)
    a, b = rates
    w = f"w = {writer.module}.arange(1, {subject.dimension + 1}, dtype={writer.kind()})"
    wave = {"torch": "({} * w).cos()"}.get(subject.library.name, f"{writer.module}.cos({{}} * w)")
    return f"{code}; {w}; q = {wave.format(a)}; k = {wave.format(b)}"


def waves_in_call(
    subject: ScoreSubject,
    call: Sequence[int],
    places: Sequence[tuple[int, int]],
    rates: tuple[int, int],
) -> str:
    """The same from one call of several positions on both sides, at some of its entries."""
    writer = Writer(subject.library.name)
    n, d = len(call), subject.dimension
    ones = writer.ones(f"{_lead(subject)}{n}, {d}")
    w = f"w = {writer.module}.arange(1, {d + 1}, dtype={writer.kind()})"
    wave = {"torch": "({} * w).cos()"}.get(subject.library.name, f"{writer.module}.cos({{}} * w)")
    q, k = (f"{ones} * {wave.format(rate)}" for rate in rates)
    at = writer.array(f"list({listed(call)})", subject.position_dtype)
    whole = f"P = {at}; M = f({q}, {k}, P, P).reshape({n}, {n})"
    shown = ", ".join(f"float(M[{i}, {j}])" for i, j in places)
    return shell(f"{writer.head}; {imports(subject)}; {w}; {whole}; print({shown})")


def sum_in_call(subject: ScoreSubject, t: Sequence[int], s: Sequence[int], *, of_key: bool) -> str:
    """Print how far scores of a sum are from the sums of scores, that of 0 taken off."""
    writer = Writer(subject.library.name)
    lead, d = _lead(subject), subject.dimension
    u = f"u = {writer.ones(f'{lead}{len(t)}, {d}')}; w = {writer.module}.arange(1, {d + 1})"
    wave = "w.cos()" if subject.library.name == "torch" else f"{writer.module}.cos(w)"
    at, of = (writer.array(str(list(p)), subject.position_dtype) for p in (t, s))
    b = f"B = lambda x: f(u, x, {at}, {of})" if of_key else f"B = lambda x: f(x, u, {at}, {of})"
    gap = "abs(B(u + v) - B(u) - B(v) + B(u * 0)).max()"
    return shell(f"{writer.head}; {imports(subject)}; {u}; v = 3 * u * {wave}; {b}; print({gap})")


def bias_of_score(subject: ScoreSubject) -> str:
    """Code that defines f(t, s): the score of q = k = 0."""
    writer = Writer(subject.library.name)
    zeros = (f"0 * {writer.ones(f'{_lead(subject)}len({p}), {subject.dimension}')}" for p in "ts")
    return f"{imports(subject)}; A = f; f = lambda t, s: A({', '.join(zeros)}, t, s)"


def _lead(subject: ScoreSubject) -> str:
    return {"flat": "", "rows": "1, ", "heads": "1, 1, "}[subject.form]


def score_in_call(subject: ScoreSubject, positions: Sequence[int], i: int, j: int) -> str:
    """Print how far the score at two slots of a call is from it alone (q, k of ones)."""
    writer, code = score_code(subject)
    n = len(positions)
    x = writer.ones(f"{_lead(subject)}{n}, {subject.dimension}")
    at = writer.array(str(list(positions)), subject.position_dtype)
    one = writer.ones(str(subject.dimension))
    whole = f"float(f({x}, {x}, {at}, {at}).reshape({n}, {n})[{i}, {j}])"
    return shell(f"{code}; o = {one}; print({whole}, A(o, o, {positions[i]}, {positions[j]}))")
