"""The functions of a text beside its maps, executed on exact elements and decided.

    bias(t, s) = b(t − s), and the added coordinates of query and key have that product
    make_score_mod(t, s)(score, …, h, i, j) = score + b_h(tᵢ − sⱼ)
    make_mask_mod(t, s)(…, i, j) = (sⱼ ≤ tᵢ)
    decay(t, s) = e^{â(t − s)}, on a causal domain 0 for t < s
    F̂(t) = e^{ât}·rotate(t),  Ĝ(s) = e^{−âs}·rotate(s)      so decay·rotateᵀrotate = A for t ≥ s
    the module's forward returns transform_query and transform_key of its arguments
    operator(τ) = F̂(τ)ᵀĜ(0)

b and â are those of the encoding within rounding. Pairs are decided on two queries and three keys,
so that rows and columns cannot be exchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from numeric_check.laws.bias_laws import bias_has_parameters
from numeric_check.text_proof.close_constants import are_close
from numeric_check.text_proof.exact_cases import INPUT, ExactCases, has_input, pieces_of
from numeric_check.text_proof.exact_cells import EVERYWHERE, Pieces
from numeric_check.text_proof.exact_choice import choose
from numeric_check.text_proof.exact_input import Refuted, is_decided, rows
from numeric_check.text_proof.exact_torch import ExactIndex
from numeric_check.text_proof.parametric_proof import SHIFTS, Run, over
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.scalar import ZERO, Scalar
from symbolic_pe.emit.terms import RealTerm, real_terms
from symbolic_pe.errors import Undecided

Function = ExponentialPolynomial
INDICES = ("batch", "head", "query", "key")
QUERIES, KEYS = ("t0", "t1"), ("s0", "s1", "s2")


def decide_functions(run: Run, module_classes: Sequence[str]) -> frozenset[str]:
    """The names of the functions that were decided; raises `Refuted` for a decided difference.

    The coordinates that the maps append belong to the maps: they have to be decided.
    """
    found: set[str] = set()
    steps: list[tuple[set[str], Callable[[], None]]] = []
    if run.plan.augmentations:
        _decide_added(run)
        steps.append(({"bias"}, lambda: _decide_bias(run)))
        steps.append(({"make_score_mod"}, lambda: _decide_score_mod(run)))
        steps.append(({"make_mask_mod"}, lambda: _decide_mask_mod(run)))
    if run.plan.uniform_decay is not None:
        steps.append(({"decay"}, lambda: _decide_decay(run)))
        steps.append(({"rotate"}, lambda: _decide_rotate(run)))
    if len(module_classes) == 1:
        steps.append((set(module_classes), lambda: _decide_module(run, module_classes[0])))
    for names, decide in steps:
        if names <= run.names.keys() and is_decided(decide):
            found |= names
    return frozenset(found)


def decide_operator(
    run: Run, expected: Sequence[Mapping[tuple[int, int], Pieces[Function]]]
) -> bool:
    """operator(τ) = F̂(τ)ᵀĜ(0) in every head, given the right side; False where not decided."""
    d = run.plan.dimension

    def decide() -> None:
        result = run.names["operator"](run.positions("t"), *run.parameters)
        found = run.fetch(result).reshape(run.plan.heads, d, d)
        for head, matrix in enumerate(expected):
            for place, x in np.ndenumerate(found[head]):
                what = f"operator, head {head}, row {place[0]}, column {place[1]}"
                run.same(what, pieces_of(x), matrix.get(place, Pieces.of(Function(("t",), {}))))

    return is_decided(decide)


# -- bias ---------------------------------------------------------------------------------------


def _decide_bias(run: Run) -> None:
    """The bias as a function of its own."""
    parameters = run.parameters if bias_has_parameters(run.plan) else ()
    direct = run.fetch(run.names["bias"](*_pairs(run), *parameters))
    for what, head, t, s, value in _entries(run, "bias", direct):
        _decide_lag(run, what, pieces_of(value), head, (t, s))


def _decide_added(run: Run) -> None:
    """The product of the added coordinates, and that the reference only shifts them."""
    query, key = (_added(run, name, v) for name, v in (("query", "t"), ("key", "s")))
    if query.shape != key.shape or not query.shape[1]:
        counts = f"{query.shape[1]} and {key.shape[1]}"
        raise Refuted(f"query and key have {counts} coordinates more than the input")
    for head in range(run.plan.heads):
        total = sum((a * b for a, b in zip(query[head], key[head], strict=True)), start=0)
        what = f"head {head}, product of the added coordinates"
        _decide_lag(run, what, pieces_of(total), head, ("t", "s"))


def _added(run: Run, side: str, variable: str) -> Any:
    """The added coordinates (HEADS, k) at reference 0, after deciding f(t + c; c) = f(t; 0)."""
    function = run.names[f"transform_{side}"]
    plain, moved = (
        run.fetch(image).reshape(run.plan.heads, -1)[:, run.plan.dimension :]
        for image in (
            function(run.input(), run.positions(variable), *run.parameters),
            function(run.input(), *run.moved(variable), reference=run.reference),
        )
    )
    for (head, i), value in np.ndenumerate(plain):
        what = f"head {head}, added {side} coordinate {i}{SHIFTS.format(variable)}"
        run.same(what, pieces_of(moved[head, i]), over(pieces_of(value), variable))
    return plain


def _decide_score_mod(run: Run) -> None:
    """The function for FlexAttention adds the bias of its head at its pair, and nothing else.

    Its indices pick elements; in arithmetic they are symbols, of which the result must be free.
    """
    parameters = run.parameters if bias_has_parameters(run.plan) else ()
    modify = run.names["make_score_mod"](*_pairs(run), *parameters)
    score = ExactCases.symbol(f"{INPUT}score", run.known)
    for head in range(run.plan.heads):
        for i, j in ((0, 1), (1, 0), (1, 2)):
            places = (0, head, i, j)
            indices = (
                ExactIndex(place, ExactCases.symbol(f"{INPUT}{name}", run.known))
                for name, place in zip(INDICES, places, strict=True)
            )
            result = run.fetch(modify(run.engine.library.as_tensor(score), *indices))
            if result.shape != ():
                raise Refuted(f"score_mod returns the shape {result.shape}")
            added = pieces_of(result[()] - score)
            what = f"score_mod, head {head}, query {i}, key {j}"
            _decide_lag(run, what, added, head, (QUERIES[i], KEYS[j]))


def _decide_mask_mod(run: Run) -> None:
    """The mask for FlexAttention keeps a pair where t − s ≥ 0, and no other."""
    masked = run.names["make_mask_mod"](*_pairs(run))
    for i, j in ((0, 1), (1, 0), (1, 2)):
        indices = (
            ExactIndex(place, ExactCases.symbol(f"{INPUT}{name}", run.known))
            for name, place in zip(INDICES, (0, 0, i, j), strict=True)
        )
        result = run.fetch(masked(*indices))
        if result.shape != ():
            raise Refuted(f"mask_mod returns the shape {result.shape}")
        lag = ExactCases.variable(QUERIES[i], run.known) - ExactCases.variable(KEYS[j], run.known)
        run.same(
            f"mask_mod, query {i}, key {j}: 1 where it keeps the pair",
            pieces_of(choose(result[()], 1, 0)),
            pieces_of(choose(lag >= 0, 1, 0)),
        )


def _decide_lag(
    run: Run, what: str, found: Pieces[Function], head: int, pair: tuple[str, str]
) -> None:
    """That f(t, s) = b̂(t − s) on every cell, with b̂ the bias within rounding."""
    bias = run.plan.augmentations[head].bias
    form = {pair[0]: 1, pair[1]: -1}
    for cell, f in found.pieces:
        if any(has_input(part) for c in f.terms.values() for part in (c.re, c.im)):
            raise Refuted(f"{what}: the bias depends on the input")
        at_zero = _restricted(f, pair[0])
        if not run.known.vanishes(f - at_zero.compose(form)) or not _are_close(at_zero, bias):
            run.search.refute(what, cell, f, bias.compose(form))


def _restricted(f: Function, variable: str) -> Function:
    """f with every other position at 0."""
    lifted = f + Function((variable,), {})
    place = lifted.variables.index(variable)
    total = Function((variable,), {})
    for key, c in lifted.terms.items():
        if not any(p for i, p in enumerate(key.powers) if i != place):
            term = type(key)((key.powers[place],), (key.exponents[place],))
            total = total + Function((variable,), {term: c})
    return total


def _are_close(found: Function, exact: Function) -> bool:
    """Whether every real term of one has its like in the other, within rounding."""
    pending = real_terms(found)
    for term in real_terms(exact):
        like = next((x for x in pending if _is_like(x, term)), None)
        if like is None:
            return False
        pending.remove(like)
    return not pending


def _is_like(found: RealTerm, exact: RealTerm) -> bool:
    return (found.power, found.wave) == (exact.power, exact.wave) and all(
        are_close(getattr(found, name), getattr(exact, name))
        for name in ("rate", "frequency", "coefficient")
    )


# -- decay --------------------------------------------------------------------------------------


def _decide_decay(run: Run) -> None:
    """`decay` has the closed form of every head, for its own rate within rounding."""
    direct = run.fetch(run.names["decay"](*_pairs(run)))
    rates = _rates_of(run, direct)
    causal = run.plan.encoding.domain.causal
    for what, head, t, s, value in _entries(run, "decay", direct):
        lag = ExactCases.variable(t, run.known) - ExactCases.variable(s, run.known)
        expected = _wave(run, rates[head], lag)
        expected = choose(lag >= 0, expected, 0) if causal else expected
        run.same(what, pieces_of(value), pieces_of(expected), exactly=False)


def _rates_of(run: Run, direct: Any) -> list[Scalar]:
    """â = ∂decay/∂t where t = s, of every head."""
    found = []
    exact = run.plan.uniform_decay or ()
    firsts = [x for x in _entries(run, "decay", direct) if x[2:4] == (QUERIES[0], KEYS[0])]
    for (what, _, t, _, value), rate in zip(firsts, exact, strict=True):
        f = _at_lag_zero(pieces_of(value))
        slope = (f + Function((t,), {})).derivative(t).at_zero().re
        if slope.parameters() or not are_close(slope, rate):
            run.search.refute(
                f"{what}: the rate", EVERYWHERE, Function.constant(slope), Function.constant(rate)
            )
        found.append(slope)
    return found


def _at_lag_zero(pieces: Pieces[Function]) -> Function:
    """The piece where the lag is 0."""
    for cell, f in pieces.pieces:
        if all(c.interval.contains(ZERO) for c in cell.conditions):
            return f
    raise Undecided("the decay has no value at lag 0")


def _wave(run: Run, rate: Scalar, lag: ExactCases) -> ExactCases:
    scaled = ExactCases(Pieces.of(Function.constant(rate)), run.known) * lag
    result: ExactCases = scaled.exp()
    return result


def _decide_rotate(run: Run) -> None:
    """F̂(t) = e^{ât}·rotate(t) and Ĝ(s) = e^{−âs}·rotate(s), channel by channel."""
    rates = _rates_of(run, run.fetch(run.names["decay"](*_pairs(run))))
    position = run.positions("t")
    turned = rows(run.fetch(run.names["rotate"](run.input(), position)), run.plan)
    t = ExactCases.variable("t", run.known)
    for name, sign in (("transform_query", 1), ("transform_key", -1)):
        whole = rows(run.fetch(run.names[name](run.input(), position)), run.plan)
        for head, (row, bare) in enumerate(zip(whole, turned, strict=True)):
            factor = _wave(run, rates[head], t * sign)
            for i, (x, y) in enumerate(zip(row, bare, strict=True)):
                what = f"rotate, head {head}, output channel {i}: {name} without its decay"
                run.same(what, pieces_of(factor * y), pieces_of(x), exactly=False)


# -- module -------------------------------------------------------------------------------------


def _decide_module(run: Run, name: str) -> None:
    """`forward` returns both maps of its own arguments, with the parameters it was made with."""
    module = run.names[name](*run.parameters)
    query, key = run.input(), run.input("y")
    moved, *_ = run.moved("t")
    for position, named in ((run.positions("t"), {}), (moved, {"reference": run.reference})):
        found = module.forward(query, key, position, **named)
        if not isinstance(found, tuple) or len(found) != 2:
            raise Refuted("forward returns no pair")
        for side, x, image in zip(("query", "key"), (query, key), found, strict=True):
            expected = run.names[f"transform_{side}"](x, position, *run.parameters, **named)
            one, other = run.fetch(image), run.fetch(expected)
            if one.shape != other.shape:
                raise Refuted(f"forward, {side}: the shape {one.shape}, expected {other.shape}")
            for place, value in np.ndenumerate(one):
                what = f"forward, {side}, output {place}: as transform_{side}"
                run.same(what, pieces_of(value), pieces_of(other[place]))


# -- pairs --------------------------------------------------------------------------------------


def _pairs(run: Run) -> tuple[Any, Any]:
    """Two query positions and three key positions."""
    return run.positions(*QUERIES), run.positions(*KEYS)


def _entries(run: Run, name: str, result: Any) -> Iterator[tuple[str, int, str, str, Any]]:
    """Every head and pair of a table over queries and keys: (what, head, t, s, value)."""
    shape = (len(QUERIES), len(KEYS))
    expected = shape if run.plan.heads == 1 else (run.plan.heads, *shape)
    if result.shape != expected:
        raise Refuted(f"{name} has the shape {result.shape}, expected {expected}")
    table = result.reshape(run.plan.heads, *shape)
    for head in range(run.plan.heads):
        for i, t in enumerate(QUERIES):
            for j, s in enumerate(KEYS):
                yield f"{name}, head {head}, query {i}, key {j}", head, t, s, table[head, i, j]


__all__ = ["decide_functions", "decide_operator"]
