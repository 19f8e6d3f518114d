"""Points of a cell: whether one lies in it, and one that does, found by trying some.

A point found proves that the cell is not empty; finding none proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product

from flint import arb, fmpq

from symbolic_pe.algebra.assumptions import Assumptions, real_roots
from symbolic_pe.algebra.rational_function import RationalFunction
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.errors import OutsideTheRing, Undecided

MAX_SAMPLES = 1200
MAX_EQUATIONS_TRIED = 160


def holds_at(cell: Assumptions, point: Mapping[str, Scalar]) -> bool:
    """Whether a point with a value for every parameter lies in the cell."""
    point = {**point, **{n: v.substitute(point) for n, v in cell.definitions.items()}}
    if not all(interval.contains(point[name]) for name, interval in cell.intervals.items()):
        return False
    try:
        solved = all(
            (value.substitute({**point, **cell.constants}) - point[name]).is_zero()
            for name, value in cell.solved.items()
        )
    except ZeroDivisionError:  # a denominator that vanishes nowhere on the cell
        return False
    return solved and _holds_at(cell, point)


def sample_point(cell: Assumptions) -> dict[str, Scalar] | None:
    """A point of the cell, found by trying some; None when none was found.

    With an equation, one parameter of it is solved for after the others are chosen.
    """
    names = [n for n in cell.intervals if n not in cell.solved and n not in _computed(cell)]
    equations = cell.equations()
    for index, values in enumerate(_choices(cell, names)):
        point = dict(zip(names, values, strict=True))
        found = _completed(cell, point)
        if found is not None:
            return found
        if equations and index < MAX_EQUATIONS_TRIED:
            for solved in _on_equation(cell, equations[0], point):
                if (found := _completed(cell, solved)) is not None:
                    return found
    return None


def _computed(cell: Assumptions) -> dict[str, Scalar]:
    """Defined symbols whose definition is put in: no parameter of it is solved for by them."""
    return {
        name: value
        for name, value in cell.definitions.items()
        if name not in cell.solved and not value.parameters() & set(cell.solved)
    }


def _choices(cell: Assumptions, names: Sequence[str]) -> Iterator[tuple[Scalar, ...]]:
    """Points to try: all parameters alike first, then combinations, varied evenly."""
    lists = [cell.intervals[name].samples() for name in names]
    if not lists:
        yield ()
        return
    longest = max(map(len, lists))
    yield from (tuple(x[k % len(x)] for x in lists) for k in range(longest))
    yield from islice(product(*lists), MAX_SAMPLES // 2)
    for k in range(MAX_SAMPLES // 2):  # the last parameters vary fastest above
        yield tuple(x[(k // (7**j % 997) + k * (j + 1)) % len(x)] for j, x in enumerate(lists))


def _on_equation(
    cell: Assumptions, equation: RationalFunction, point: Mapping[str, Scalar]
) -> Iterator[dict[str, Scalar]]:
    """A rational point moved onto an equation along one parameter."""
    rational = {n: v.rational_value() for n, v in point.items() if v.is_rational()}
    for name in equation.used_names():
        if name not in point:
            continue
        image = equation.specialised({n: v for n, v in rational.items() if n != name})
        for factor, _ in image.factors()[1]:
            if factor.used_names() != (name,):
                continue
            for root in real_roots(factor, name) or ():
                if cell.intervals[name].contains(root):
                    yield {**point, name: root}


def _completed(cell: Assumptions, point: Mapping[str, Scalar]) -> dict[str, Scalar] | None:
    """The point with its solved parameters, when it lies in the cell."""
    complete = dict(point)
    try:
        for name, definition in _computed(cell).items():
            complete[name] = definition.substitute(point)
            if not cell.intervals[name].contains(complete[name]):
                return None
    except (OutsideTheRing, Undecided):
        return None
    point = complete.copy()
    rational = {n: v.rational_value() for n, v in point.items() if v.is_rational()}
    try:
        for name, value in cell.solved.items():
            if value.is_base() and value.symbols() <= set(rational):
                complete[name] = Scalar.rational(value.base_value().at(rational))
            else:
                complete[name] = value.substitute({**point, **cell.constants})
    except (ZeroDivisionError, OutsideTheRing):
        return None
    return complete if _holds_at(cell, complete) and _agrees(cell, complete) else None


def _agrees(cell: Assumptions, point: Mapping[str, Scalar]) -> bool:
    """Whether every defined symbol has the value of its definition at the point."""
    try:
        return all(
            (value.substitute(point) - point[name]).is_zero()
            for name, value in cell.definitions.items()
        )
    except OutsideTheRing:
        return False


def _holds_at(cell: Assumptions, point: Mapping[str, Scalar]) -> bool:
    if all(value.is_rational() for value in point.values()):
        rational = {name: value.rational_value() for name, value in point.items()}
        if all(set(x.used_names()) <= set(rational) for x in _elements(cell)):
            return _holds_at_rational(cell, rational)
    if _excluded_by_balls(cell, point):
        return False
    try:
        return (
            all(
                cell.value(element).substitute(point).sign() == sign
                for element, sign in cell.signs.values()
            )
            and all(
                cell.value(element).substitute(point).sign() != -sign
                for element, sign in cell.weak.values()
            )
            and _nonzero_at(cell, point)
        )
    except (Undecided, ZeroDivisionError, OutsideTheRing):
        return False


def _excluded_by_balls(cell: Assumptions, point: Mapping[str, Scalar]) -> bool:
    """True when a ball at the point certifies that a known sign is another."""
    with precision(64):
        values = {name: value.ball({}) for name, value in point.items()}
        for element, sign in (*cell.signs.values(), *cell.weak.values()):
            ball = cell.value(element).ball(values)
            if (ball > 0 and sign <= 0) or (ball < 0 and sign >= 0):
                return True
    return False


def _elements(cell: Assumptions) -> Iterator[RationalFunction]:
    yield from (element for element, _ in cell.signs.values())
    yield from (element for element, _ in cell.weak.values())
    yield from cell.nonzero.values()
    for elements in cell.not_all_zero.values():
        yield from elements


def _holds_at_rational(cell: Assumptions, point: Mapping[str, fmpq]) -> bool:
    def sign(element: RationalFunction) -> int:
        value = element.at(point)
        return int(value > 0) - int(value < 0)

    try:
        return (
            all(sign(element) == known for element, known in cell.signs.values())
            and all(sign(element) != -known for element, known in cell.weak.values())
            and all(sign(element) for element in cell.nonzero.values())
            and all(any(sign(x) for x in xs) for xs in cell.not_all_zero.values())
        )
    except ZeroDivisionError:
        return False


def _nonzero_at(cell: Assumptions, point: Mapping[str, Scalar]) -> bool:
    return all(
        any(not cell.value(x).substitute(point).is_zero() for x in elements)
        for elements in (*((x,) for x in cell.nonzero.values()), *cell.not_all_zero.values())
    )


def ball_values(point: Mapping[str, Scalar], bits: int) -> dict[str, arb]:
    """A sample point as balls."""
    with precision(bits):
        return {name: value.ball({}) for name, value in point.items()}
