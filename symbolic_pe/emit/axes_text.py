"""Parts of a kernel of several axes that every library has alike."""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb

from symbolic_pe.algebra.scalar import ZERO, Scalar, precision
from symbolic_pe.emit.axes_plan import AxesPlan
from symbolic_pe.emit.layout import STEP, docstring


def number(x: Scalar) -> str:
    """The nearest binary64 number; 0 without a sign."""
    return repr(x.to_float() or 0.0)


def opening(plan: AxesPlan) -> list[str]:
    """Signature and docstring of the function that does the work."""
    what = "F(p)x for x of shape (..., n, DIMENSION) at positions of shape (..., n, AXES)."
    dtypes = "Angles are float64; the result has the dtype of x."
    if plan.one_map:
        return ["def transform_query(x, position):", docstring(what, [dtypes])]
    side = "The map of one side, in the dtype of x; angles are float64."
    if plan.turns_only:
        return ["def _transform(x, position, basis):", docstring(side)]
    return ["def _transform(x, position, reference, sign):", docstring(side)]


def shear_loop(plan: AxesPlan) -> list[str]:
    """Σ_k (Σ uᵢNᵢ)^k/k!, which ends because the Nᵢ are nilpotent; by Horner's rule."""
    parts = "parts = (elapsed[..., i, None] * ({} @ shear[i, ...]) for i in range(AXES))"
    if plan.degree == 1:
        return [f"{STEP}{parts.format('x')}", f"{STEP}return x + sum(parts)"]
    return [
        f"{STEP}result = x",
        f"{STEP}for k in range(DEGREE, 0, -1):",
        f"{STEP}{STEP}{parts.format('result')}",
        f"{STEP}{STEP}result = x + sum(parts) / k",
        f"{STEP}return result",
    ]


def shear_opening() -> list[str]:
    """The same of the function that shears."""
    what = "exp(Σ uᵢNᵢ)ᵀx for sign 1, exp(−Σ uᵢNᵢ)x for −1; u = elapsed, N = SHEAR."
    return ["def _sheared(x, elapsed, sign):", docstring(what)]


def sides(plan: AxesPlan) -> str:
    """What the maps have to do with each other, and whose constants they are."""
    away = distance_text(plan)
    near = (
        ""
        if away is None
        else f" The constants are of generators within {away} of X_i, entry by entry."
    )
    return f"{_two_sides(plan)}{near}"


def _two_sides(plan: AxesPlan) -> str:
    if plan.one_map:
        return "Both sides have one map."
    if plan.turns_only:
        return "Queries are multiplied by P^T and keys by P^-1, P = BASIS; then both are turned."
    bases = "" if plan.one_basis else "Queries are multiplied by P^T and keys by P^-1, P = BASIS. "
    if not plan.scales:
        return (
            f"{bases}Queries are sheared by exp(sum (p_i - reference) N_i)^T and keys by its "
            "inverse transpose, which cancel in scores: keep the reference near the positions of "
            "a call."
        )
    return (
        f"{bases}Queries are scaled by e^(a (p - reference)) and keys by its inverse, so one side "
        "grows: keep the reference near the positions of a call."
    )


def distance_text(plan: AxesPlan) -> str | None:
    """An upper bound of the distance, two digits; None where it is 0."""
    if not plan.distance:
        return None
    with precision(64):
        return str((arb(plan.distance) * arb("1.01")).str(2, radius=False))


def maps(plan: AxesPlan, transposed: str) -> list[str]:
    """The maps of queries and keys in terms of the one that does the work."""
    if plan.one_map:
        return [
            "def transform_key(x, position):",
            docstring("G(p)x: the map of queries, because every generator is skew."),
            f"{STEP}return transform_query(x, position)",
        ]
    more = "" if plan.turns_only else ", reference=0.0"
    query, key = "reference, 1.0", "reference, -1.0"
    if plan.turns_only:
        query, key = "BASIS", transposed
    return [
        f"def transform_query(x, position{more}):",
        docstring("F(p)x for x of shape (..., n, DIMENSION) at positions (..., n, AXES)."),
        f"{STEP}return _transform(x, position, {query})",
        "",
        "",
        f"def transform_key(x, position{more}):",
        docstring("G(p)x, the inverse transpose."),
        f"{STEP}return _transform(x, position, {key})",
    ]


def basis_of_blocks(basis: Sequence[Sequence[Scalar]]) -> Sequence[Sequence[Scalar]]:
    """B where the basis is I ⊗ B, of the smallest size that there is; else the basis.

    >>> from symbolic_pe.algebra.matrix import identity
    >>> len(basis_of_blocks(identity(4)))
    1
    """
    n = len(basis)
    for size in (k for k in range(1, n) if n % k == 0):
        block = [row[:size] for row in basis[:size]]
        if all(
            x == (block[i % size][j % size] if i // size == j // size else ZERO)
            for i, row in enumerate(basis)
            for j, x in enumerate(row)
        ):
            return block
    return basis


__all__ = [
    "basis_of_blocks",
    "distance_text",
    "maps",
    "number",
    "opening",
    "shear_loop",
    "shear_opening",
    "sides",
]
