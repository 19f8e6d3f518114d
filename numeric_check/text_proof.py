"""The emitted text itself, executed on exact ring elements and decided.

Running the text of a kernel with a symbolic position t, a symbolic reference c and a
vector of symbols as input gives the query map F̂ and the key map Ĝ as matrices of exponential
polynomials, for exactly the constants that the text contains. With L(t) = F̂(t)ᵀ at c = 0 it is
decided that

    F̂(t; c) = F̂(t − c; 0),  Ĝ(s; c) = Ĝ(s − c; 0)          the reference cancels
    L′ = L·K,   K = L(0)⁻¹L′(0)                              so L(t) = P̂·exp(tK),  P̂ = L(0)
    Ĝ′ = −K·Ĝ                                                so Ĝ(s) = exp(−sK)·Q̂, Q̂ = Ĝ(0)

and therefore F̂(t)ᵀĜ(s) = P̂·exp((t − s)K)·Q̂ for all real t, s, c: relative, without sampling. The
constants are then compared with the plan: every entry of K, P̂, Q̂ is within rounding of the exact
one. Texts with run-time parameters, and texts that branch on positions, are decided by
`parametric_proof` instead. Of the other functions, tables and `operator` are decided here, causal
sums in `exact_forms`, the rest in `exact_functions`. What is decided holds in exact arithmetic, for
the branches that the text takes on shapes and dtypes; rounding is bounded in `rounding` and
measured by `cross_check`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from flint import arb, fmpq, fmpq_mat

from numeric_check.branch_exponential import Nearness
from numeric_check.branch_series import upper
from numeric_check.close_constants import is_close
from numeric_check.exact_element import BranchOnValue, Exact
from numeric_check.exact_engine import ENGINES, Engine
from numeric_check.exact_forms import Forms
from numeric_check.exact_functions import decide_functions, decide_operator
from numeric_check.exact_input import (
    DOES_NOT_RUN,
    Refuted,
    coefficients,
    in_one,
    rows,
    symbols,
)
from numeric_check.exact_tables import forms_by_tables, runs
from numeric_check.kernel import Kernel
from numeric_check.parametric_proof import Run, decide_maps
from numeric_check.time_limit import time_limit
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.emit.plan import BlockGroup, KernelPlan
from symbolic_pe.errors import KernelError, SymbolicPEError
from symbolic_pe.generators.block import Block

PROVED, REFUTED, UNDECIDED = "proved", "refuted", "undecided"
Function = ExponentialPolynomial
Matrix = dict[tuple[int, int], Function]
Constants = dict[tuple[int, int], fmpq]
SECONDS = 120.0
"""Longest time that one text may take on exact elements."""


@dataclass(frozen=True)
class TextProof:
    """What exact execution decided of a text, and where it fails.

    executed  the functions of the text that were decided; the others are measured
    series    how near the series of the text are to their functions; empty where it sums none
    """

    verdict: str
    reason: str
    executed: frozenset[str] = frozenset()
    series: str = ""


@dataclass(frozen=True)
class _Decided:
    """What was executed, how near the maps are to exponentials, and which sizes of forms were."""

    executed: frozenset[str]
    nearness: Nearness = field(default_factory=Nearness)
    forms: str = ""


def prove_text(kernel: Kernel, plan: KernelPlan, *, operator: bool = False) -> TextProof:
    """Decide that the maps of a text are relative and are those of the plan.

    operator  also decide `operator(t) = F̂(t)ᵀĜ(0)`, where it runs on exact elements

    `undecided` with the reason for texts that use operations the exact elements do not have. A
    function beside the maps that does not run on them is left out of `executed`.
    """
    if kernel.target not in ENGINES:
        return TextProof(UNDECIDED, f"no exact execution of texts for {kernel.target}")
    try:
        with time_limit(SECONDS):
            found = _decide(kernel, plan, operator=operator)
    except Refuted as difference:
        return TextProof(REFUTED, str(difference))
    except SymbolicPEError as error:
        return TextProof(UNDECIDED, str(error))
    except DOES_NOT_RUN as error:
        return TextProof(UNDECIDED, f"the text does not run on exact elements: {error}")
    series = _series(found.nearness)
    decided = "; ".join(text for text in (_what_was_decided(plan, found.nearness), series) if text)
    reason = f"{_what_was_executed(kernel, found.executed)}: {found.forms}{decided}"
    return TextProof(PROVED, reason, found.executed, series)


def _what_was_executed(kernel: Kernel, executed: frozenset[str]) -> str:
    measured = [name for name in kernel.offered if name not in executed]
    rest = f"; measured: {', '.join(measured)}" if measured else ""
    return f"executed on exact ring elements ({', '.join(sorted(executed))}{rest})"


def _what_was_decided(plan: KernelPlan, nearness: Nearness) -> str:
    if not plan.parameters:
        return (
            "the query and key maps are P exp(tK) and exp(-sK) Q for the constants in the text, "
            "hence relative for all real positions and references; K, P, Q are within rounding of "
            "the exact ones"
        )
    maps = (
        "the query and key maps are exp(tX) and exp(-sX) for the constants in the text and all "
        f"admissible {', '.join(plan.parameters)}, hence relative for all real positions and "
        "references; X is within rounding of the exact one, coefficient by coefficient"
    )
    if not nearness.own_discriminant:
        return maps
    return (
        f"{maps}; up to rounding, since the constants of the discriminant D are rounded apart from "
        "those of X: the maps are e^(at)(C I + S (X - aI)) exactly, with C = cosh(t sqrt D) and "
        "S = sinh(t sqrt D)/sqrt D, and D is within rounding of (X - aI)^2"
    )


def _series(nearness: Nearness) -> str:
    remainder = nearness.remainder
    if remainder is None:
        return ""
    return (
        f"where |u^2 D| <= {remainder.argument:g} (u = position - reference, D the discriminant of "
        "X), series stand for "
        f"C = cosh(u sqrt D) within {upper(remainder.even)} and S = sinh(u sqrt D)/sqrt D within "
        f"{upper(remainder.odd)} |u|"
    )


def _decide(kernel: Kernel, plan: KernelPlan, *, operator: bool) -> _Decided:
    engine = ENGINES[kernel.target]
    names = kernel.on_library(engine.library, engine.lift, engine.functions)
    run = Run.of(engine, names, plan)
    try:
        if plan.parameters:
            decided = _decide_cases(run, operator=operator)
        else:
            decided = _decide_plain(kernel, names, plan, operator=operator)
    except BranchOnValue:
        if plan.parameters or plan.basis is not None:
            raise
        decided = _decide_cases(run, operator=operator)
    others = decide_functions(run, kernel.module_classes)
    return replace(decided, executed=decided.executed | others)


def _decide_cases(run: Run, *, operator: bool) -> _Decided:
    """The maps as functions of parameters, on every branch of the text."""
    executed = {"transform_query", "transform_key"}
    maps = decide_maps(run)
    if operator and decide_operator(run, maps.queries):
        executed.add("operator")
    return _Decided(frozenset(executed), maps.nearness)


def _decide_plain(
    kernel: Kernel, names: Mapping[str, Any], plan: KernelPlan, *, operator: bool
) -> _Decided:
    """The maps without parameters and branches."""
    executed = {"transform_query", "transform_key"}
    engine = ENGINES[kernel.target]
    queries = _maps(engine, names["transform_query"], plan, "t")
    keys = _maps(engine, names["transform_key"], plan, "s")
    if engine.scatter is not None and ".stride()" in kernel.text:
        _decide_scattered(replace(engine, bring=engine.scatter), names, plan, queries, keys)
    for head, (query, key) in enumerate(zip(queries, keys, strict=True)):
        left = {(j, i): f for (i, j), f in query.items()}
        start = _at_zero(left)
        rate = _solved(start, _at_zero(_derivative(left, "t")), plan.dimension, head)
        _equal(
            _derivative(left, "t"), _times(left, rate), f"transform_query, head {head}: L' = L K"
        )
        _equal(
            _derivative(key, "s"),
            _transposed(_times(_transposed(key), {(j, i): -x for (i, j), x in rate.items()})),
            f"transform_key, head {head}: G' = -K G",
        )
        _compare(plan, head, rate, start, _at_zero(key))
    if _decide_turn_into(engine, names, plan, queries):
        executed |= {"rotary_table", "turn", "turn_into"}
    executed |= _decide_tables(engine, names, plan, queries, kernel.table_classes)
    forms = Forms.of(engine, names, plan, zip(queries, keys, strict=True))
    if reason := forms.refutation():
        raise Refuted(reason)
    executed |= {"recurrent_step"} if forms.runs_step else set()
    if operator and _decide_operator(engine, names, plan, queries, keys):
        executed.add("operator")
    return _Decided(frozenset(executed), forms=forms.summary())


def _decide_scattered(
    engine: Engine,
    names: Mapping[str, Any],
    plan: KernelPlan,
    queries: Sequence[Matrix],
    keys: Sequence[Matrix],
) -> None:
    """The same maps for arrays whose memory has gaps."""
    for name, variable, expected in (
        ("transform_query", "t", queries),
        ("transform_key", "s", keys),
    ):
        found = _maps(engine, names[name], plan, variable)
        for head, (one, other) in enumerate(zip(found, expected, strict=True)):
            _equal(
                one, other, f"{name} of scattered memory, head {head}: as of memory without gaps"
            )


def _decide_turn_into(
    engine: Engine, names: Mapping[str, Any], plan: KernelPlan, queries: Sequence[Matrix]
) -> bool:
    """`turn` returns the query map, `turn_into` writes it into memory of its own and into x.

    False without them.
    """
    if "turn_into" not in names:
        return False

    def returned(x: Any, position: Any, reference: Any = 0.0) -> Any:
        table = names["rotary_table"](position, reference, dtype=engine.library.float64)
        return names["turn"](x, table)

    for head, (found, query) in enumerate(
        zip(_maps(engine, returned, plan, "t"), queries, strict=True)
    ):
        _equal(found, query, f"turn, head {head}: as transform_query")
    for in_place in (False, True):

        def turned(x: Any, position: Any, reference: Any = 0.0, in_place: bool = in_place) -> Any:
            table = names["rotary_table"](position, reference, dtype=engine.library.float64)
            out = x if in_place else engine.bring(engine.fetch(x))
            names["turn_into"](out, x, table)
            return out

        for head, (found, query) in enumerate(
            zip(_maps(engine, turned, plan, "t"), queries, strict=True)
        ):
            where = "in place" if in_place else "into memory of its own"
            _equal(found, query, f"turn_into {where}, head {head}: as transform_query")
    return True


def _decide_tables(
    engine: Engine,
    names: Mapping[str, Any],
    plan: KernelPlan,
    queries: Sequence[Matrix],
    classes: tuple[str, ...],
) -> set[str]:
    """The names of what gives tables that turn x as the query map does."""
    decided: set[str] = set()
    x, position = symbols(plan), np.array([Exact.position("t")], dtype=object)
    for name, turn in forms_by_tables(engine, names, plan, classes).items():
        if not runs(turn, engine.bring(x), engine.bring(position)):
            continue
        for head, (found, query) in enumerate(
            zip(_maps(engine, turn, plan, "t"), queries, strict=True)
        ):
            _equal(found, query, f"{name}, head {head}: x cos + rotate(x) sin, as transform_query")
        decided.add(name)
    return decided


def _decide_operator(
    engine: Engine,
    names: Mapping[str, Any],
    plan: KernelPlan,
    queries: Sequence[Matrix],
    keys: Sequence[Matrix],
) -> bool:
    """operator(t) = F̂(t)ᵀĜ(0) in every head; False where it does not run on exact elements."""
    d = plan.dimension
    try:
        result = names["operator"](engine.bring(np.array([Exact.position("t")], dtype=object)))
        found = np.asarray(engine.fetch(result), dtype=object).reshape(plan.heads, d, d)
    except (KernelError, *DOES_NOT_RUN):
        return False
    for head, (query, key) in enumerate(zip(queries, keys, strict=True)):
        expected = _times({(j, i): f for (i, j), f in query.items()}, _at_zero(key))
        matrix = {place: in_one(Exact.of(x).function, "t") for place, x in _places(found[head])}
        _equal(matrix, expected, f"operator, head {head}: A = F^T G(0)")
    return True


def _functions(result: Any, plan: KernelPlan) -> list[list[Function]]:
    return [[Exact.of(value).function for value in row] for row in rows(result, plan)]


def _places(array: Any) -> list[tuple[tuple[int, int], Any]]:
    return [((i, j), x) for (i, j), x in np.ndenumerate(array)]


def _maps(
    engine: Engine, function: Callable[..., Any], plan: KernelPlan, variable: str
) -> list[Matrix]:
    """The map of every head at reference 0, after deciding that the reference only shifts.

    The input is a vector of symbols, so linearity is decided on the way.
    """
    d = plan.dimension
    x = symbols(plan)
    position = engine.bring(np.array([Exact.position(variable)], dtype=object))
    reference = Exact.position("c")
    plain = _functions(engine.fetch(function(engine.bring(x), position)), plan)
    moved = function(engine.bring(x), position, reference=reference)
    shifted = _functions(engine.fetch(moved), plan)
    found: list[Matrix] = []
    for head in range(plan.heads):
        matrix: Matrix = {}
        for i in range(d):
            f = in_one(plain[head][i], variable)
            expected = f.compose({variable: 1, "c": -1})
            if not (shifted[head][i] - expected).vanishes():
                raise Refuted(
                    f"head {head}, output channel {i}: the reference does not only shift the "
                    f"position: {shifted[head][i]} against {expected}"
                )
            for j, entry in coefficients(f, head, i).items():
                matrix[i, j] = entry
        found.append(matrix)
    return found


# -- matrices -----------------------------------------------------------------------------------


def _at_zero(matrix: Matrix) -> Constants:
    values = {place: f.at_zero().re.rational_value() for place, f in matrix.items()}
    return {place: x for place, x in values.items() if x != 0}


def _solved(start: Constants, slope: Constants, size: int, head: int) -> Constants:
    """K = L(0)⁻¹·L′(0)."""
    if start == {(i, i): 1 for i in range(size)}:
        return slope
    left, right = fmpq_mat(size, size), fmpq_mat(size, size)
    for values, matrix in ((start, left), (slope, right)):
        for place, x in values.items():
            matrix[place] = x
    if left.det() == 0:
        raise Refuted(f"head {head}: transform_query at the reference is not invertible")
    product = left.inv() * right
    entries = ((i, j, product[i, j]) for i in range(size) for j in range(size))
    return {(i, j): x for i, j, x in entries if x != 0}


def _derivative(matrix: Matrix, variable: str) -> Matrix:
    return {place: f.derivative(variable) for place, f in matrix.items()}


def _transposed(matrix: Matrix) -> Matrix:
    return {(j, i): f for (i, j), f in matrix.items()}


def _times(matrix: Matrix, x: Constants) -> Matrix:
    """F·X for a rational X."""
    rows: dict[int, list[tuple[int, Scalar]]] = {}
    for (k, j), c in x.items():
        rows.setdefault(k, []).append((j, Scalar.rational(c)))
    product: Matrix = {}
    for (i, k), f in matrix.items():
        for j, c in rows.get(k, ()):
            part = f.scale(c)
            product[i, j] = product[i, j] + part if (i, j) in product else part
    return product


def _equal(a: Matrix, b: Matrix, law: str) -> None:
    for place in sorted({*a, *b}):
        f, g = a.get(place), b.get(place)
        difference = f - g if f is not None and g is not None else f if f is not None else g
        if difference is not None and not difference.vanishes():
            raise Refuted(f"{law} fails at row {place[0]}, column {place[1]}: {f} against {g}")


# -- constants ----------------------------------------------------------------------------------


def _compare(
    plan: KernelPlan, head: int, rate: Constants, start: Constants, end: Constants
) -> None:
    """K, P̂, Q̂ of the text against those of the plan."""
    d = plan.dimension
    unit = {(i, i): Scalar.rational(1) for i in range(d)}
    p = q = unit
    if plan.basis is not None:
        basis, inverse = plan.basis[head if len(plan.basis) > 1 else 0]
        p = {(i, j): x for i, row in enumerate(basis) for j, x in enumerate(row) if x.terms}
        q = {(i, j): x for i, row in enumerate(inverse) for j, x in enumerate(row) if x.terms}
    _close(rate, _generator(plan, head), f"head {head}: generator")
    _close(start, p, f"head {head}: query map at the reference")
    _close(end, q, f"head {head}: key map at the reference")


def _generator(plan: KernelPlan, head: int) -> dict[tuple[int, int], Scalar]:
    """K of the plan, in the coordinates that the maps return."""
    entries: dict[tuple[int, int], Scalar] = {}
    for group in plan.groups:
        assert isinstance(group, BlockGroup)
        rows = [
            v.rows[head if len(v.rows) > 1 else 0]
            for v in (group.rate, group.frequency, group.shear)
        ]
        for j, (a, w, e) in enumerate(zip(*rows, strict=True)):
            generator = Block(a, w, group.chain_length, e).generator
            channels = [slot[j] for slot in group.slots]
            for i, row in zip(channels, generator, strict=True):
                for k, x in zip(channels, row, strict=True):
                    if x.terms:
                        entries[i, k] = x
    return entries


def _close(found: Constants, exact: Mapping[tuple[int, int], Scalar], what: str) -> None:
    with precision(128):
        balls = {place: x.ball({}) for place, x in exact.items()}
        largest = max((abs(b) for b in balls.values()), key=float, default=arb(0))
        for place in sorted({*found, *balls}):
            value, expected = arb(found.get(place, 0)), balls.get(place, arb(0))
            if not is_close(value, expected, largest):
                raise Refuted(
                    f"{what}, row {place[0]}, column {place[1]}: the text has {float(value)!r}, "
                    f"the encoding {float(expected)!r}"
                )


__all__ = ["TextProof", "prove_text"]
