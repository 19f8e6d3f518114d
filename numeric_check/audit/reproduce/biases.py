"""Lines about entries of a bias."""

from __future__ import annotations

from collections.abc import Sequence

from numeric_check.audit.reproduce.writing import Writer, imports, listed, shell
from numeric_check.audit.subject import BiasSubject


def entries_of_bias(subject: BiasSubject, pairs: Sequence[tuple[int, int]]) -> str:
    """Print the bias of every head at pairs of positions, each called alone."""
    writer = Writer(subject.library.name)
    t, s = (writer.array(f"[{v}]", subject.position_dtype) for v in "ts")
    call = f"b = lambda t, s: f({t}, {s}).reshape(-1)"
    shown = ", ".join(f"b({t}, {s})" for t, s in pairs)
    return shell(f"{writer.head}; {imports(subject)}; {call}; print({shown})")


def bias_in_call(subject: BiasSubject, positions: Sequence[int], i: int, j: int) -> str:
    """Print b(t, s) - b(t, t) of every head from a matrix, and from a call of row t alone."""
    writer = Writer(subject.library.name)
    at = writer.array(str(list(positions)), subject.position_dtype)
    t, s = positions[i], positions[j]
    row = ", ".join(writer.array(str(v), subject.position_dtype) for v in ([t], [s, t]))
    shown = f"B[..., {i}, {j}] - B[..., {i}, {i}], r[..., 0, 0] - r[..., 0, 1]"
    return shell(
        f"{writer.head}; {imports(subject)}; B = f({at}, {at}); r = f({row}); print({shown})"
    )


def entries_in_call(
    subject: BiasSubject, positions: Sequence[int], pairs: Sequence[tuple[int, int]]
) -> str:
    """Print b(t, s) - b(t, t) of every head at pairs of positions, all from one call."""
    writer = Writer(subject.library.name)
    at = writer.array(f"list({listed(positions)})", subject.position_dtype)
    places = [(list(positions).index(t), list(positions).index(s)) for t, s in pairs]
    shown = ", ".join(f"B[..., {i}, {j}] - B[..., {i}, {i}]" for i, j in places)
    return shell(f"{writer.head}; {imports(subject)}; P = {at}; B = f(P, P); print({shown})")
