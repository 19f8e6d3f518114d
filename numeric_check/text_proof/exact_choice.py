"""Choices between exact elements, on arrays: `where`, comparisons, maxima, and single numbers.

NumPy would ask an element for a truth value; here the answers stay elements of an object array.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from numeric_check.text_proof.exact_cases import ExactCases, Function, Truth, pieces_of
from numeric_check.text_proof.exact_cells import Pieces
from numeric_check.text_proof.exact_element import Exact


def choose(condition: Any, first: Any, second: Any) -> Any:
    """`first` where the condition holds, else `second`: one element."""
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
    one, other = (np.asarray(_cell(x), dtype=object) for x in (first, second))
    return where(compared(one, other, ">="), one, other)


def smaller(first: Any, second: Any) -> Any:
    """The minimum, element by element."""
    one, other = (np.asarray(_cell(x), dtype=object) for x in (first, second))
    return where(compared(one, other, "<="), one, other)


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
    "compared",
    "exact_cell",
    "exact_identity",
    "larger",
    "smaller",
    "where",
]
