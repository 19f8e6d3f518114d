"""Subjects made anew: what a callable keeps between calls is not shared with its copies."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

from numeric_check.audit import audit
from numeric_check.audit.loading import copies
from tests.audit import maps as m


def turned(cache: Any, x: Any, p: Any, *, keep: bool) -> Any:
    """A table in the dtype of the call that made it, unless `keep`."""
    n = int(p.max()) + 1
    if n not in cache:
        angle = np.arange(n)[:, None] * m.ladder(x.shape[-1])
        cache[n] = angle if keep else angle.astype(x.dtype)
    return m.rotate(x, cache[n][p.astype(int)].astype(float), "half")


def closing_over(keep: bool) -> Any:
    cache: dict[int, Any] = {}
    return lambda x, positions: turned(cache, x, positions, keep=keep)


def of_the_class(keep: bool) -> Any:
    class Shared:
        tables: dict[int, Any] = {}  # noqa: RUF012

        def __call__(self, x: Any, positions: Any) -> Any:
            return turned(self.tables, x, positions, keep=keep)

    return Shared()


@pytest.mark.parametrize("make", [closing_over, of_the_class])
def test_a_cache_that_does_not_know_the_dtype(make: Any) -> None:
    assert audit(make(False), dimension=8).of("history").verdict == "refuted"
    assert audit(make(True), dimension=8).of("history").verdict == "consistent"


def test_functions_behind_a_cache() -> None:
    @functools.lru_cache
    def table(n: int) -> Any:
        return np.arange(n)[:, None] * m.ladder(8)

    def good(x: Any, positions: Any) -> Any:
        where = positions.astype(int)
        return m.rotate(x, table(int(positions.max()) + 1)[where], "half")

    assert audit(good, dimension=8).exit_code == 0
    table(3)
    again = copies(good)
    assert again is not None
    inner = again().__closure__[0].cell_contents
    assert inner.cache_info().currsize == 0
    assert table.cache_info().currsize > 0


def test_copies_share_nothing_that_changes() -> None:
    seen: list[int] = []

    def f(x: Any, factor: float = 2.0, *, more: tuple[int, ...] = ()) -> Any:
        seen.append(1)
        return factor * x + sum(more)

    def again(n: int) -> int:
        return 1 if n == 0 else n * again(n - 1)

    make = copies(f)
    assert make is not None
    first, second = make(), make()
    assert first(3.0) == second(3.0) == 6.0
    assert seen == []
    recursive = copies(again)
    assert recursive is not None
    assert recursive()(4) == 24
    assert copies(functools.partial(f, factor=3.0))()(2.0) == 6.0  # type: ignore[misc]
