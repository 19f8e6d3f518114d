"""Choices between exact elements, on arrays: `where`, comparisons, maxima, and single numbers.

NumPy would ask an element for a truth value; here the answers stay elements of an object array.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from numeric_check.text_proof.exact_cases import ExactCases, Function, Truth, pieces_of, whole
from numeric_check.text_proof.exact_cells import Pieces
from numeric_check.text_proof.exact_element import Exact, LeavesTheRing, Modular
from numeric_check.text_proof.exact_phase import as_integer


def choose(condition: Any, first: Any, second: Any) -> Any:
    """`first` where the condition holds, else `second`: one element.

    A condition may know itself what it makes of both.
    """
    chosen = getattr(condition, "chosen", None)
    if chosen is not None:
        return chosen(first, second)
    if not isinstance(condition, Truth):
        return Exact.of(first if bool(condition) else second)
    left, right = pieces_of(first), pieces_of(second)
    pieces: Pieces[Function] = condition.pieces.bound(lambda _, true: left if true else right)
    return ExactCases(pieces, condition.known)


def where(condition: Any, first: Any, second: Any) -> Any:
    """`choose` on arrays that broadcast, as an object array."""
    arrays = [np.asarray(_cell(x), dtype=object) for x in (condition, first, second)]
    shaped = np.broadcast_arrays(*arrays)
    result = np.empty(shaped[0].shape, dtype=object)
    for place in np.ndindex(result.shape):
        result[place] = choose(*(array[place] for array in shaped))
    return result


def larger(first: Any, second: Any) -> Any:
    """The maximum, element by element."""
    one, other = _numbers_last(first, second)
    return where(compared(one, other, ">="), one, other)


def smaller(first: Any, second: Any) -> Any:
    """The minimum, element by element."""
    one, other = _numbers_last(first, second)
    return where(compared(one, other, "<="), one, other)


def _numbers_last(first: Any, second: Any) -> tuple[Any, Any]:
    """Both as arrays; where they are equal either is right, and a number says less."""
    one, other = (np.asarray(_cell(x), dtype=object) for x in (first, second))
    swapped = all(isinstance(x, (int, float)) for x in one.flat)
    return (other, one) if swapped else (one, other)


def clipped(value: Any, low: Any, high: Any) -> Any:
    """The nearest number between two bounds, of which either may be None."""
    found = np.asarray(_cell(value), dtype=object)
    found = found if low is None else larger(found, low)
    return found if high is None else smaller(found, high)


def integers(value: Any) -> Any:
    """int64 of an array: whole numbers stay, truth values are 0 and 1, whole parts wrap."""
    return np.frompyfunc(_integer, 1, 1)(np.asarray(value, dtype=object))


def _integer(x: Any) -> Any:
    if isinstance(x, Truth):
        return x.number
    if isinstance(x, Modular):
        return x
    element = Exact.of(x)
    try:
        _wholes(element)
    except LeavesTheRing:
        return as_integer(element)
    return element


def _wholes(x: Any) -> Pieces[int]:
    """The integer of every cell."""
    if isinstance(x, Truth):
        x = x.number
    return x.whole_values() if isinstance(x, ExactCases) else Pieces.of(whole(Exact.of(x)))


def taken(array: Any, index: Any) -> Any:
    """array[index], where one part of the index may hold exact integers, which differ by cell."""
    parts = index if isinstance(index, tuple) else (index,)
    parts = tuple(plain_index(part) for part in parts)
    places = [i for i, part in enumerate(parts) if _is_exact(part)]
    if not places:
        return array[parts]
    (axis, *more) = places
    whole_axes = all(
        isinstance(x, slice) and x == slice(None) for x in (*parts[:axis], *parts[axis + 1 :])
    )
    if more or not whole_axes:
        raise LeavesTheRing("the text picks entries by values along several axes")
    chosen = np.asarray(parts[axis], dtype=object)
    moved = np.moveaxis(np.asarray(array, dtype=object), axis, 0)
    rest = moved.shape[1:]
    result = np.empty((*chosen.shape, *rest), dtype=object)
    for place, x in np.ndenumerate(chosen):
        values = _wholes(x)
        for where_ in np.ndindex(*rest):
            result[place + where_] = _of_cells(values, moved, where_)
    return np.moveaxis(result, range(chosen.ndim), range(axis, axis + chosen.ndim))


def plain_index(part: Any) -> Any:
    """Numbers among objects, as a text has them in lists, are an index."""
    if isinstance(part, np.ndarray) and part.dtype.hasobject and part.size:
        plain = all(isinstance(x, (int, np.integer)) for x in part.flat)
        return part.astype(int) if plain else part
    return part


def _of_cells(values: Pieces[int], entries: Any, rest: tuple[int, ...]) -> Any:
    if len(values.pieces) == 1:
        return entries[(values.pieces[0][1], *rest)]
    found = values.bound(lambda _, v: pieces_of(entries[(v, *rest)]))
    known = next(x.known for x in entries.flat if isinstance(x, ExactCases))
    return ExactCases(found, known)


def _is_exact(part: Any) -> bool:
    if isinstance(part, (Exact, Truth)):
        return True
    return isinstance(part, np.ndarray) and any(isinstance(x, (Exact, Truth)) for x in part.flat)


_COMPARISONS = {">": np.greater, ">=": np.greater_equal, "<": np.less, "<=": np.less_equal}


def compared(first: Any, second: Any, relation: str) -> Any:
    """A comparison of arrays whose answers are kept as objects."""
    return _COMPARISONS[relation](first, second, dtype=object)


def exact_cell(value: Any) -> Any:
    """One number or element as an array of one exact element; anything else as it is."""
    return _cell(Exact.of(value)) if isinstance(value, (int, float, Exact)) else value


def exact_identity(size: int) -> Any:
    """The identity matrix: products with it are exact, and not of floats."""
    return np.array([[Exact.of(int(i == j)) for j in range(size)] for i in range(size)])


def _cell(value: Any) -> Any:
    if isinstance(value, (Exact, Truth)):
        cell = np.empty((), dtype=object)
        cell[()] = value
        return cell
    return value


__all__ = [
    "choose",
    "clipped",
    "compared",
    "exact_cell",
    "exact_identity",
    "integers",
    "larger",
    "plain_index",
    "smaller",
    "taken",
    "where",
]
