"""Functions of arrays whose elements are few shared objects, called once for every distinct one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

_IDENTITY = np.frompyfunc(id, 1, 1)


def distinct_of(data: Any) -> list[Any]:
    """Every object of an array once."""
    given = np.asarray(data, dtype=object)
    _, places = np.unique(_names(given), return_index=True)
    return [given.flat[place] for place in places]


def each(data: Any, function: Callable[[Any], Any]) -> Any:
    """The function of every element."""
    given = np.asarray(data, dtype=object)
    keys, places = np.unique(_names(given), return_index=True)
    found = _filled(function(given.flat[place]) for place in places)
    return found[np.searchsorted(keys, _names(given))].reshape(given.shape)


def pairs(first: Any, second: Any, function: Callable[[Any, Any], Any]) -> Any:
    """The function of every pair of elements, broadcast."""
    a, b = np.broadcast_arrays(np.asarray(first, object), np.asarray(second, object))
    left, right = (np.unique(_names(x), return_inverse=True)[1].reshape(-1) for x in (a, b))
    joint = left * (right.max(initial=0) + 1) + right
    _, places, inverse = np.unique(joint, return_index=True, return_inverse=True)
    found = _filled(function(a.flat[place], b.flat[place]) for place in places)
    return found[inverse.reshape(-1)].reshape(a.shape)


def products(left: Any, right: Any, dot: Callable[[list[Any], list[Any]], Any]) -> Any:
    """`dot` of every row of the one with every column of the other, matrices on the last axes."""
    columns = np.swapaxes(right, -1, -2)
    lead = np.broadcast_shapes(left.shape[:-2], columns.shape[:-2])
    rows = np.broadcast_to(left, (*lead, *left.shape[-2:]))
    columns = np.broadcast_to(columns, (*lead, *columns.shape[-2:]))
    return pairs(_lists(rows)[..., :, None], _lists(columns)[..., None, :], dot)


def _lists(data: Any) -> Any:
    """The last axis as lists; equal ones are one object."""
    known: dict[bytes, list[Any]] = {}
    names = _names(data).reshape(data.shape)
    result = np.empty(data.shape[:-1], dtype=object)
    for place in np.ndindex(result.shape):
        result[place] = known.setdefault(names[place].tobytes(), list(data[place]))
    return result


def _names(data: Any) -> Any:
    return np.asarray(_IDENTITY(data), dtype=np.int64).reshape(-1)


def _filled(values: Any) -> Any:
    found = list(values)
    result = np.empty(len(found), dtype=object)
    result[:] = found
    return result


__all__ = ["distinct_of", "each", "pairs", "products"]
