"""Cutting a cell of the parameters in parts on which something is known.

Every function here yields parts that exclude each other and together cover the cell; parts that
contradict themselves are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from symbolic_pe.algebra.assumptions import (
    MAX_TERMS_TO_SOLVE,
    Assumptions,
    real_roots,
    sign_without_roots,
    zeros_of_image,
)
from symbolic_pe.algebra.emptiness import is_empty
from symbolic_pe.algebra.interval import Interval
from symbolic_pe.algebra.rational_function import RationalFunction
from symbolic_pe.algebra.scalar import Scalar

MAX_TERMS_TO_SPLIT_FOR = 5
"""Cases are opened for the coefficient of a parameter only where the equation is this short."""


def split(cell: Assumptions, factor: RationalFunction) -> Iterator[Assumptions]:
    """Subcells on each of which an irreducible factor has one sign.

    They are mutually exclusive and together exhaustive; empty ones are left out. Call it with
    what `first_split` returns, so that the part factor = 0 can be solved.
    """
    names = factor.used_names()
    if len(names) == 1 and names[0] in cell.intervals:
        roots = real_roots(factor, names[0])
        if roots is not None:
            yield from _split_axis(cell, names[0], roots, factor)
            return
    weak = cell.weak_sign_of(factor)
    for sign in (-1, 0, 1):
        if (sign == 0 and str(factor) in cell.nonzero) or (weak and sign == -weak):
            continue
        if weak and sign == 0 and (zeros := cell.zeros_of_semidefinite(factor)):
            yield from _all_zero(cell, zeros)
            continue
        part = cell.solved_for(factor) if sign == 0 else cell.with_sign(factor, sign)
        part = None if part is None else part.consistent()
        if part is not None and not is_empty(part):
            yield part


def split_weakly(cell: Assumptions, factor: RationalFunction, sign: int) -> Iterator[Assumptions]:
    """Two subcells: sign·factor ≥ 0, and the opposite strict sign."""
    names = factor.used_names()
    roots = real_roots(factor, names[0]) if len(names) == 1 else None
    if roots is not None and len(roots) == 1:
        (root,) = roots
        below = -sign * sign_without_roots(factor, names[0])  # side of weak sign
        interval = cell.intervals[names[0]]
        sides = (interval.side(root, below), interval.closed_side(root, -below))
        parts: list[Assumptions | None] = [
            replace(cell, intervals={**cell.intervals, names[0]: side})
            for side in sides
            if side is not None
        ]
    else:
        parts = [cell.with_sign(factor, -sign), cell.with_weak_sign(factor, sign)]
    for part in parts:
        done = None if part is None else part.consistent()
        if done is not None and not is_empty(done):
            yield done


def _split_axis(
    cell: Assumptions, name: str, roots: list[Scalar], factor: RationalFunction
) -> Iterator[Assumptions]:
    """Cut the interval of a parameter at ascending points, the roots of a factor."""
    rest: Interval | None = cell.intervals[name]
    for root in roots:
        if rest is None:
            return
        for sign in (-1, 0):
            part = rest.side(root, sign)
            if part is None or (sign == 0 and name in cell.nonzero and root.is_zero()):
                continue
            refined = replace(cell, intervals={**cell.intervals, name: part})
            done = refined.put_in(name, root, factor) if sign == 0 else refined.consistent()
            if done is not None:
                yield done
        rest = rest.side(root, 1)
    if rest is not None:
        last = replace(cell, intervals={**cell.intervals, name: rest}).consistent()
        if last is not None:
            yield last


def split_vanishing(
    cell: Assumptions, elements: Sequence[RationalFunction]
) -> Iterator[Assumptions]:
    """One cell where some element does not vanish, and cells where all of them do.

    They are mutually exclusive and together exhaustive.
    """
    relevant = cell.relevant(elements)
    if relevant:
        some = cell.with_some_nonzero(relevant)
        if some is not None and (part := some.consistent()) and not is_empty(part):
            yield part
    yield from _all_zero(cell, relevant)


def _all_zero(cell: Assumptions, elements: Sequence[RationalFunction]) -> Iterator[Assumptions]:
    """Cells that cover the points where every element vanishes."""
    here = cell.relevant([zeros_of_image(x, cell.solved) for x in elements])
    if not here:
        if (part := cell.consistent()) is not None and not is_empty(part):
            yield part
        return
    first, *rest = here
    left: Assumptions | None = cell
    for factor in sorted((f for f, _ in first.factors()[1]), key=RationalFunction.size):
        if left is None:
            return
        for zero in _where_zero(left, factor):
            yield from _all_zero(zero, rest)
        left = left.with_nonzero(factor)


def _where_zero(cell: Assumptions, factor: RationalFunction) -> Iterator[Assumptions]:
    """Cells that cover factor = 0, solved for a parameter where one occurs linearly."""
    if cell.sign_of(factor) == 0:
        yield cell
        return
    if cell.is_nonzero(factor):
        return
    names = factor.used_names()
    if len(names) == 1 and (roots := real_roots(factor, names[0])) is not None:
        for root in roots:
            if cell.intervals[names[0]].contains(root):
                part = cell.at_point(names[0], root, factor)
                if part is not None:
                    yield part
        return
    for name in cell.linear_parameters(factor) if factor.size() <= MAX_TERMS_TO_SOLVE else []:
        constant, linear = factor.coefficients_in(name)
        if linear.size() > 2:
            continue
        regular = cell.with_nonzero(linear)
        solution = Scalar({(): -(constant / linear)})
        solved = regular and regular.put_in(name, solution, factor)
        if solved is not None:
            yield solved
        if not cell.is_nonzero(linear):
            yield from _all_zero(cell, [linear, constant])
        return
    if (part := cell.with_equation(factor)) is not None:
        yield part


def first_split(cell: Assumptions, factor: RationalFunction) -> RationalFunction:
    """The factor itself, or what must be split before factor = 0 can be solved."""
    if len(factor.used_names()) == 1 or factor.size() > MAX_TERMS_TO_SPLIT_FOR:
        return factor
    candidates = cell.linear_parameters(factor)
    blocking: list[RationalFunction] = []
    for name in candidates:
        _, linear = factor.coefficients_in(name)
        if cell.is_nonzero(linear):
            return factor
        unknown = [
            f for f, _ in linear.factors()[1] if cell.sign_of(f) is None and not cell.is_nonzero(f)
        ]
        blocking.extend(unknown)
    if blocking:
        return first_split(cell, min(blocking, key=lambda f: (len(f.used_names()), str(f))))
    return factor
