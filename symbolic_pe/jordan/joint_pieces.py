"""Common invariant subspaces of commuting rational matrices, each with one joint field.

For commuting rational X₁, …, X_k the subspaces ker p(Xᵢ)^m are invariant under all of them, so each
axis refines what the axes before it left. With S_i the semisimple parts, W = S_1, S_2, … or a
combination Σ r^i S_i (r = 1, 2, …) refines further until every S_i is a polynomial g_i(W); that is
decided, and all but finitely many r do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flint import fmpq, fmpq_mat, fmpq_poly

from symbolic_pe.errors import SymbolicPEError
from symbolic_pe.jordan.rational import (
    Primary,
    checked_height,
    evaluate_at,
    nullspace,
    primary_structure,
    semisimple_polynomial,
)


@dataclass(frozen=True)
class Piece:
    """A common invariant subspace on which the joint algebra is the field Q[x]/(q).

    basis        its columns
    combined     W in the basis, whose minimal polynomial is q
    primaries    the one irreducible factor of each axis there, with block sizes
    polynomials  g_i with S_i = g_i(W)
    nilpotents   N_i in the basis
    """

    basis: fmpq_mat
    combined: fmpq_mat
    polynomial: fmpq_poly
    primaries: tuple[Primary, ...]
    polynomials: tuple[fmpq_poly, ...]
    nilpotents: tuple[fmpq_mat, ...]


def rational_pieces(matrices: list[fmpq_mat]) -> list[Piece]:
    """The subspaces of commuting matrices; a direct sum, which is verified."""
    n = matrices[0].nrows()
    for x in matrices:
        checked_height(x)
    bases = [identity_of(n)]
    for x in matrices:
        bases = [v for basis in bases for v in _refined(basis, _restricted(x, basis))]
    pieces = [piece for basis in bases for piece in _separated(matrices, basis)]
    _verify(matrices, pieces)
    return pieces


def identity_of(n: int) -> fmpq_mat:
    """I of size n."""
    return fmpq_mat([[fmpq(int(i == j)) for j in range(n)] for i in range(n)])


def _restricted(x: fmpq_mat, basis: fmpq_mat) -> fmpq_mat:
    """R with X·V = V·R, for the columns V of a basis of an invariant subspace."""
    transposed = basis.transpose()
    return (transposed * basis).inv() * transposed * x * basis


def _refined(basis: fmpq_mat, x: fmpq_mat) -> list[fmpq_mat]:
    """The primary components of a matrix on a subspace."""
    primaries = primary_structure(x)
    if len(primaries) == 1:
        return [basis]
    kernels = (nullspace(evaluate_at(p.factor ** p.sizes[0], x)) for p in primaries)
    return [basis * joined_columns(vectors) for vectors in kernels]


def joined_columns(vectors: list[fmpq_mat]) -> fmpq_mat:
    """The matrix with these columns."""
    return fmpq_mat([[v[i, 0] for v in vectors] for i in range(vectors[0].nrows())])


def _separated(matrices: list[fmpq_mat], basis: fmpq_mat, attempt: int = 0) -> Iterator[Piece]:
    """Refine by one W after the other until every S_i is a polynomial in W."""
    restricted = [_restricted(x, basis) for x in matrices]
    primaries = [primary_structure(r)[0] for r in restricted]
    semisimple = [
        evaluate_at(semisimple_polynomial(p.factor, p.sizes[0]), r)
        for p, r in zip(primaries, restricted, strict=True)
    ]
    size = basis.ncols()
    combined = fmpq_mat(size, size)
    for s, weight in zip(semisimple, _weights(attempt, len(matrices)), strict=True):
        combined += s * fmpq(weight)
    parts = _refined(basis, combined)
    if len(parts) > 1:
        for part in parts:
            yield from _separated(matrices, part, attempt)
        return
    q = primary_structure(combined)[0].factor
    polynomials = [_as_polynomial(s, combined, q.degree()) for s in semisimple]
    known = tuple(g for g in polynomials if g is not None)
    if len(known) < len(polynomials):
        yield from _separated(matrices, basis, attempt + 1)
        return
    nilpotents = tuple(r - s for r, s in zip(restricted, semisimple, strict=True))
    yield Piece(basis, combined, q, tuple(primaries), known, nilpotents)


def _weights(attempt: int, axes: int) -> list[int]:
    """Each S_i alone first, whose polynomials are small, then 1, r, r², … for r = 1, 2, …."""
    if attempt < axes:
        return [int(i == attempt) for i in range(axes)]
    return [(attempt - axes + 1) ** i for i in range(axes)]


def _as_polynomial(s: fmpq_mat, w: fmpq_mat, degree: int) -> fmpq_poly | None:
    """g with S = g(W) and deg g < degree, or None."""
    v = fmpq_mat([[fmpq(int(i == 0))] for i in range(w.nrows())])
    vectors = [v]
    while len(vectors) < degree:
        vectors.append(w * vectors[-1])
    krylov = joined_columns(vectors)
    transposed = krylov.transpose()
    solution = (transposed * krylov).solve(transposed * (s * v))
    g = fmpq_poly([solution[i, 0] for i in range(degree)])
    return g if evaluate_at(g, w) == s else None


def _verify(matrices: list[fmpq_mat], pieces: list[Piece]) -> None:
    """The subspaces are a direct sum, and invariant."""
    n = matrices[0].nrows()
    joined = fmpq_mat(
        [[p.basis[i, j] for p in pieces for j in range(p.basis.ncols())] for i in range(n)]
    )
    invariant = all(
        x * p.basis == p.basis * _restricted(x, p.basis) for x in matrices for p in pieces
    )
    if joined.ncols() != n or joined.rank() != n or not invariant:
        raise SymbolicPEError(
            "internal error: the joint subspaces are no invariant direct sum; "
            "please report the input"
        )


__all__ = ["Piece", "identity_of", "joined_columns", "rational_pieces"]
