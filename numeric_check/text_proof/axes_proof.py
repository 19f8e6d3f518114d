"""The maps of a kernel of several axes, executed on exact elements and decided.

With a symbol for every coordinate pₐ of a position and for every channel of the input, and
L(p) = F̂(p)ᵀ, it is decided that

    ∂L/∂pₐ = L·Kₐ,   Kₐ = L(0)⁻¹·∂L/∂pₐ(0)      so L(p) = P̂·exp(Σ pₐKₐ),  P̂ = L(0)
    ∂Ĝ/∂pₐ = −Kₐ·Ĝ                               so Ĝ(p) = exp(−Σ pₐKₐ)·Q̂, Q̂ = Ĝ(0)
    F̂(p + c; c) = F̂(p; 0),  Ĝ(p + c; c) = Ĝ(p; 0)      where the maps take a reference
    operator(p) = F̂(p)ᵀĜ(0)

for every axis a, and that every entry of Kₐ, P̂, Q̂ is within rounding of that of the plan. L(0) is
invertible and ∂ₐ∂ᵦL = ∂ᵦ∂ₐL, so the Kₐ commute: the group law along every axis, and
F̂(p)ᵀĜ(p′) = P̂·exp(Σ (pₐ − p′ₐ)Kₐ)·Q̂, without sampling. Two rows are executed at once, each at a
position of its own, so that no row can read another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from numeric_check.text_proof.exact_cases import INPUT
from numeric_check.text_proof.exact_cells import used_variables
from numeric_check.text_proof.exact_element import Exact
from numeric_check.text_proof.exact_engine import Engine
from numeric_check.text_proof.exact_input import Refuted, coefficients, is_decided
from numeric_check.text_proof.exact_matrices import (
    Constants,
    Matrix,
    at_zero,
    derivative,
    equal,
    inverse,
    is_identity,
    product,
    times,
    transposed,
)
from numeric_check.text_proof.plain_maps import decide_close
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.matrix import ScalarMatrix, identity
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.emit.axes import AxesPlan

Function = ExponentialPolynomial
ROWS = ("p", "r")
"""What the names of the coordinates of each row begin with."""
REFERENCE = "c"


@dataclass(frozen=True)
class AxesMaps:
    """What was decided of a text: both maps in p, and the constants Kₐ, P̂, Q̂ that it contains."""

    query: Matrix
    key: Matrix
    rates: tuple[Constants, ...]
    start: Constants
    end: Constants
    executed: frozenset[str]


@dataclass(frozen=True)
class _Run:
    engine: Engine
    names: Mapping[str, Any]
    plan: AxesPlan

    def variables(self, row: str) -> tuple[str, ...]:
        """The coordinates of the position of one row."""
        return tuple(f"{row}_{name}" for name in self.plan.encoding.axis_names)

    @property
    def input(self) -> Any:
        """A symbol for every channel of every row."""
        d = self.plan.encoding.dimension
        x = np.empty((len(ROWS), d), dtype=object)
        for row, j in np.ndindex(*x.shape):
            symbol = Scalar.symbol(f"{INPUT}{row}.{j}")
            x[row, j] = Exact(Function.constant(symbol))
        return self.engine.bring(x)

    def positions(self, moved: Sequence[Exact] = ()) -> Any:
        """(rows, axes), each coordinate moved by an element."""
        p = np.empty((len(ROWS), len(self.plan.encoding.axes)), dtype=object)
        for index, row in enumerate(ROWS):
            for axis, name in enumerate(self.variables(row)):
                value = Exact.position(name)
                p[index, axis] = value + moved[axis] if moved else value
        return self.engine.bring(p)


def decide_axes(engine: Engine, names: Mapping[str, Any], plan: AxesPlan) -> AxesMaps:
    """The maps of a text, after deciding what they are.

    Raises `Refuted` for a difference, or what the text raises that does not run.
    """
    run = _Run(engine, names, plan)
    variables = run.variables(ROWS[0])
    query, key = (_map(run, name) for name in ("transform_query", "transform_key"))
    left = transposed(query)
    start, end = at_zero(left), at_zero(key)
    size = plan.encoding.dimension
    undone = inverse(start, size)
    if undone is None:
        raise Refuted("transform_query at position 0 is not invertible")
    rates = []
    for axis, variable in zip(plan.encoding.axis_names, variables, strict=True):
        slope = at_zero(derivative(left, variable))
        rate = slope if is_identity(start, size) else product(undone, slope, size)
        equal(
            derivative(left, variable),
            times(left, rate),
            f"transform_query, axis {axis}: dL/dp = L K",
        )
        falling = {(j, i): -x for (i, j), x in rate.items()}
        equal(
            derivative(key, variable),
            transposed(times(transposed(key), falling)),
            f"transform_key, axis {axis}: dG/dp = -K G",
        )
        rates.append(rate)
    _compare(plan, rates, start, end)
    executed = {"transform_query", "transform_key"}
    maps = AxesMaps(query, key, tuple(rates), start, end, frozenset(executed))
    if is_decided(lambda: _decide_operator(run, maps)):
        executed.add("operator")
    return AxesMaps(query, key, tuple(rates), start, end, frozenset(executed))


def _map(run: _Run, name: str) -> Matrix:
    """The map of one row in its position, after deciding that rows and references only shift."""
    function = run.names[name]
    first = _matrices(run, name, function(run.input, run.positions()))
    known = first[0]
    renamed = dict(zip(run.variables(ROWS[1]), run.variables(ROWS[0]), strict=True))
    equal(_renamed(first[1], renamed), known, f"{name}: row 1 as row 0 at its own position")
    if run.plan.turns_only:
        return known
    one = Exact.position(REFERENCE)
    names = [f"{REFERENCE}_{axis}" for axis in run.plan.encoding.axis_names]
    each = np.empty(len(names), dtype=object)
    each[:] = [Exact.position(x) for x in names]
    for what, reference, moved in (
        ("reference c", one, [one] * len(names)),
        ("a reference for each axis", run.engine.bring(each), list(each)),
    ):
        shifted = function(run.input, run.positions(moved), reference=reference)
        law = f"{name} at position p + c and {what}, against position p and reference 0"
        equal(_matrices(run, name, shifted)[0], known, law)
    return known


def _matrices(run: _Run, name: str, result: Any) -> list[Matrix]:
    """The matrix of every row, over the coordinates of its position alone."""
    found = np.asarray(run.engine.fetch(result), dtype=object)
    d = run.plan.encoding.dimension
    if found.shape != (len(ROWS), d):
        raise Refuted(f"{name} returns the shape {found.shape}, expected {(len(ROWS), d)}")
    matrices: list[Matrix] = []
    for row, label in enumerate(ROWS):
        own = run.variables(label)
        matrix: dict[tuple[int, int], Function] = {}
        for i in range(d):
            f = Exact.of(found[row, i]).function
            for j, entry in coefficients(f, row, i, of="row").items():
                matrix[i, j] = _over(entry, own, f"{name}, output channel {i}")
        matrices.append(matrix)
    return matrices


def _over(f: Function, own: tuple[str, ...], what: str) -> Function:
    """f as a function of these variables. Raises `Refuted` where another one occurs."""
    used = used_variables(f)
    strange = [v for v in used if v not in own]
    if strange:
        raise Refuted(f"{what} depends on more than its position: on {', '.join(strange)}")
    places = [f.variables.index(v) for v in used]
    kept = Function(
        used,
        {
            type(k)(tuple(k.powers[i] for i in places), tuple(k.exponents[i] for i in places)): c
            for k, c in f.terms.items()
        },
    )
    return Function(own, {}) + kept


def _renamed(matrix: Matrix, names: Mapping[str, str]) -> Matrix:
    return {
        place: Function(tuple(names[v] for v in f.variables), f.terms)
        for place, f in matrix.items()
    }


def _decide_operator(run: _Run, maps: AxesMaps) -> None:
    """operator(p) = F̂(p)ᵀĜ(0)."""
    variables, d = run.variables(ROWS[0]), run.plan.encoding.dimension
    lag = np.empty(len(variables), dtype=object)
    lag[:] = [Exact.position(v) for v in variables]
    result = run.names["operator"](run.engine.bring(lag))
    found = np.asarray(run.engine.fetch(result), dtype=object)
    if found.shape != (d, d):
        raise Refuted(f"operator returns the shape {found.shape}, expected {(d, d)}")
    matrix = {}
    for place, value in np.ndenumerate(found):
        f = Exact.of(value).function
        if f.terms:
            matrix[place] = _over(f, variables, f"operator, row {place[0]}, column {place[1]}")
    expected = times(transposed(maps.query), maps.end)
    equal(matrix, expected, "operator(p) = F(p)^T G(0)")


def _compare(plan: AxesPlan, rates: Sequence[Constants], start: Constants, end: Constants) -> None:
    """Kₐ, P̂, Q̂ of the text against those of the plan."""
    d = plan.encoding.dimension
    p, q = plan.bases or (identity(d), identity(d))
    for axis, rate in enumerate(rates):
        name = plan.encoding.axis_names[axis]
        decide_close(rate, generator_of(plan, axis), f"axis {name}: generator")
    decide_close(start, _entries(p), "query map at position 0")
    decide_close(end, _entries(q), "key map at position 0")


def _entries(matrix: ScalarMatrix) -> dict[tuple[int, int], Scalar]:
    return {(i, j): x for i, row in enumerate(matrix) for j, x in enumerate(row) if x.terms}


def generator_of(plan: AxesPlan, axis: int) -> dict[tuple[int, int], Scalar]:
    """Dₐ + Nₐ of the plan, in the coordinates that the maps return."""
    found = _entries(plan.shears[axis]) if plan.shears else {}
    found |= {(i, i): x for i, x in enumerate(plan.rates[axis]) if x.terms}
    for (first, second), x in zip(plan.planes, plan.frequencies[axis], strict=True):
        if x.terms:
            found[first, second], found[second, first] = x, -x
    return found


__all__ = ["AxesMaps", "decide_axes", "generator_of"]
