"""Which coordinates a matrix couples: the blocks it has as it stands."""

from __future__ import annotations

from symbolic_pe.algebra.matrix import ScalarMatrix


def connected_components(matrix: ScalarMatrix) -> list[tuple[int, ...]]:
    """Coordinates that X couples, directly or through others."""
    n = len(matrix)
    parent = list(range(n))

    def find(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for i in range(n):
        for j in range(n):
            if i != j and not matrix[i][j].is_zero():
                parent[find(i)] = find(j)
    groups: dict[int, list[int]] = {}
    for i in range(n):
        groups.setdefault(find(i), []).append(i)
    return sorted(tuple(g) for g in groups.values())
