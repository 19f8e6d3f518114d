"""What a certificate of one generator per head states, and how it is decided.

A function raises `CertificateError` unless the statement in its first line is shown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from symbolic_pe.proof.checker.balls import Ball, exact
from symbolic_pe.proof.checker.form import LAWS, Row
from symbolic_pe.proof.checker.numbers import (
    IMAGINARY,
    ONE,
    ZERO,
    CertificateError,
    Field,
    Number,
    negative,
    require,
    sign_of,
    whole,
)

Matrix = Sequence[Row]


def nothing() -> None:
    """A claim that the evidence shows already."""


@dataclass(frozen=True)
class Statement:
    """What a document states: its evidence, the claims it may make, the witnesses it may give."""

    evidence: Callable[[], None]
    claims: Mapping[str, Callable[[], None]]
    witnesses: Mapping[str, Callable[[Field, str, Any], None]]


# -- matrices --------------------------------------------------------------------------------------


def unit(size: int, value: Number = ONE) -> Matrix:
    """value·I."""
    return [{i: value} if value else {} for i in range(size)]


def total(numbers: Field, *products: tuple[int, Matrix, Matrix]) -> Matrix:
    """Σ ±A·B over the triples (±1, A, B)."""
    rows = []
    numbers.spend(8 * len(products[0][1]) + 8)
    for i in range(len(products[0][1])):
        pairs: dict[int, list[tuple[Number, Number]]] = defaultdict(list)
        for sign, a, b in products:
            for h, x in a[i].items():
                for j, y in b[h].items():
                    pairs[j].append((x if sign > 0 else negative(x), y))
        sums = {j: numbers.dot(items) for j, items in pairs.items()}
        rows.append({j: x for j, x in sums.items() if x})
    return rows


def commutator(numbers: Field, x: Matrix, y: Matrix) -> Matrix:
    """XY − YX."""
    return total(numbers, (1, x, y), (-1, y, x))


def transposed(x: Matrix, size: int) -> Matrix:
    """Xᵀ, which has so many rows."""
    rows: list[dict[int, Number]] = [{} for _ in range(size)]
    for i, row in enumerate(x):
        for j, entry in row.items():
            require(j < size, f"column {j} of {size}")
            rows[j][i] = entry
    return rows


def symmetric(numbers: Field, x: Matrix) -> Matrix:
    """X + Xᵀ."""
    one = unit(len(x))
    return total(numbers, (1, x, one), (1, transposed(x, len(x)), one))


def polynomial(numbers: Field, coefficients: Sequence[Number], x: Matrix) -> Matrix:
    """c_0 + c_1 X + … + c_{n−1} X^{n−1} + X^n, by Horner's rule."""
    result, one = unit(len(x)), unit(len(x))
    for c in reversed(coefficients):
        result = total(numbers, (1, x, result), (1, unit(len(x), c), one))
    return result


def vanishes(numbers: Field, a: Matrix, where: str) -> None:
    """Every entry is 0."""
    for i, row in enumerate(a):
        for j, x in row.items():
            require(numbers.is_zero(x), f"{where}, row {i}, column {j}")


def belongs(numbers: Field, e: Matrix, x: Matrix, where: str) -> None:
    """E(0) = I and E' = X·E, so that E(t) = exp(tX) for every t.

    An identity of numbers holds when t and the exponentials are put in for their atoms.
    """
    require(len(e) == len(x), f"{where}: the exponential has another size")
    one = unit(len(x))
    start = [{j: numbers.at_zero(f) for j, f in row.items()} for row in e]
    vanishes(numbers, total(numbers, (1, start, one), (-1, one, one)), f"{where}: E(0) = I")
    flows(numbers, e, x, where)


def flows(numbers: Field, e: Matrix, x: Matrix, where: str) -> None:
    """E' = X·E, so that E(t + s) = exp(sX)·E(t), whatever columns E has."""
    slope = [{j: numbers.derivative(f) for j, f in row.items()} for row in e]
    rest = total(numbers, (1, slope, unit(len(x))), (-1, x, e))
    vanishes(numbers, rest, f"{where}: E' = XE")


# -- claims ----------------------------------------------------------------------------------------


def encoding(numbers: Field, document: Mapping[str, Any]) -> Statement:
    """For every head, exp(tX) is what its blocks and its basis say."""
    heads, one = document["heads"], unit(document["dimension"])
    extra = document["augmentation"]
    added = [None] * len(heads) if extra is None else extra
    require(0 < len(added) == len(heads), "heads, augmentation: not one for every head")
    ys = [_added(item, f"augmentation[{h}]") for h, item in enumerate(added)]
    js = [_blocks(head["blocks"], len(one), f"heads[{h}].blocks") for h, head in enumerate(heads)]
    xs, one_map = [head["generator"] for head in heads], document["pairing"] == "one-map"
    full = [_direct_sum(x, y) for x, y in zip(xs, ys, strict=True)]

    def evidence() -> None:
        """X·P = P·J and P·Q = I, every block is right, and so is every added exponential."""
        for h, (head, j) in enumerate(zip(heads, js, strict=True)):
            p, q = (one, one) if head["basis"] is None else (head["basis"][s] for s in "PQ")
            require(len(p) == len(q) == len(one), f"heads[{h}].basis: it has another size")
            similarity = total(numbers, (1, head["generator"], p), (-1, p, j))
            vanishes(numbers, similarity, f"heads[{h}]: XP = PJ")
            vanishes(numbers, total(numbers, (1, p, q), (-1, one, one)), f"heads[{h}]: PQ = I")
            for i, block in enumerate(head["blocks"]):
                _block(numbers, block, f"heads[{h}].blocks[{i}]")
        for h, item in enumerate(extra or ()):
            belongs(numbers, item["exponential"], ys[h], f"augmentation[{h}]")

    def skew(generators: Sequence[Matrix]) -> None:
        """Xᵀ = −X, which holds exactly when exp(tX) is orthogonal for every t."""
        for h, x in enumerate(generators):
            vanishes(numbers, symmetric(numbers, x), f"heads[{h}]: X + X^T = 0")

    def realised() -> None:
        """Σ query_i·E_ij(τ)·key_j = bias(τ) for every head."""
        require(extra is not None, "there is no augmentation")
        for h, item in enumerate(added):
            pairs = [(_score(numbers, item), ONE), (item["bias"], whole(-1))]
            require(numbers.is_zero(numbers.dot(pairs)), f"augmentation[{h}]: the bias")

    def lag(point: Field, _: str, witness: Any) -> None:
        """At a lag, the bias and what the vectors give have enclosures that do not meet."""
        item = _item(added, witness["head"])
        require(item is not None, "there is no augmentation")
        sides = _score(point, item), point.normal(item["bias"])
        left, right = (known(point.ball(f, witness["lag"])) for f in sides)
        require(left.avoids(right), "the two sides may be equal there")

    def entry(point: Field, claim: str, witness: Any) -> None:
        """An entry of X + Xᵀ is not 0, so exp(tX) is not orthogonal; one map needs that it is."""
        require(claim == "orthogonality" or one_map, "two maps do not need a skew generator")
        require(witness["first"] == witness["second"], "an entry of one head: first is second")
        x = _item(full if claim == "orthogonality" else xs, witness["first"])
        not_zero(point, symmetric(point, x), witness)

    def growing(point: Field, claim: str, witness: Any) -> None:
        """A vector, or a quadratic form, grows without bound."""
        grows = _grows if witness["kind"] == "growing-vector" else _form_grows
        grows(point, _item(full, witness["head"]), witness, everywhere=claim == "bounded-all")

    wholes = [_direct_sum(j, y) for j, y in zip(js, ys, strict=True)]
    bounded = partial(_bounded, numbers, wholes, [head["norm"] for head in heads])
    claims: dict[str, Callable[[], None]] = {
        **dict.fromkeys(LAWS, nothing),
        "relativity": partial(skew, xs) if one_map else nothing,
        "orthogonality": partial(skew, full),
        "augmentation": realised,
        "bounded-causal": partial(bounded, everywhere=False),
        "bounded-all": partial(bounded, everywhere=True),
    }
    witnesses = {"lag": lag, "entry": entry, "growing-vector": growing, "growing-form": growing}
    return Statement(evidence, claims, witnesses)


def _item(items: Sequence[Any], index: int) -> Any:
    require(index < len(items), f"there are {len(items)} heads or rows")
    return items[index]


def _added(item: Any, where: str) -> Matrix:
    """The generator Y of constant coordinates; empty where there are none."""
    if item is None:
        return []
    sizes = {len(item[name]) for name in ("query", "key", "generator", "exponential")}
    require(len(sizes) == 1, f"{where}: sizes differ")
    y: Matrix = item["generator"]
    return y


def _blocks(blocks: Sequence[Mapping[str, Any]], size: int, where: str) -> Matrix:
    """J, the blocks put in their places, each coordinate once."""
    j: list[Row] = [{}] * size
    coordinates = sorted(c for block in blocks for c in block["at"])
    require(coordinates == list(range(size)), f"{where}: not every coordinate once")
    for block in blocks:
        require(len(block["at"]) == len(block["generator"]), f"{where}: sizes differ")
        for row, entries in zip(block["at"], block["generator"], strict=True):
            j[row] = {block["at"][column]: x for column, x in entries.items()}
    return j


def _direct_sum(x: Matrix, y: Matrix) -> Matrix:
    """X ⊕ Y."""
    return [*x, *({len(x) + column: value for column, value in row.items()} for row in y)]


def _block(numbers: Field, block: Mapping[str, Any], where: str) -> None:
    """The stated exponential belongs to the block; or the stated polynomial annihilates it.

    With χ(X) = 0, exp(tX) = Σ φ_c(t)·X^c for the solutions φ_c of χ(d/dt)φ = 0 with
    φ_c^{(k)}(0) = 1 for k = c and 0 for every other k below the degree of χ.
    """
    given = [block[name] is not None for name in ("exponential", "annihilator")]
    require(sum(given) == 1, f"{where}: either an exponential or an annihilator")
    if given[0]:
        belongs(numbers, block["exponential"], block["generator"], where)
    else:
        value = polynomial(numbers, block["annihilator"], block["generator"])
        vanishes(numbers, value, f"{where}: the polynomial at X is 0")


def _score(numbers: Field, item: Mapping[str, Any]) -> Number:
    """Σ query_i·E_ij·key_j."""
    query = [{i: x for i, x in enumerate(item["query"]) if x}]
    key = [{0: x} if x else {} for x in item["key"]]
    (row,) = total(numbers, (1, total(numbers, (1, query, item["exponential"])), key))
    return row.get(0, ZERO)


def _bounded(
    numbers: Field, generators: Sequence[Matrix], norms: Sequence[Any], *, everywhere: bool
) -> None:
    """|exp(τX)| is bounded for τ >= 0, or for every τ, by a norm that does not grow.

    P = Σ wᵢuᵢuᵢᵀ is positive definite for wᵢ > 0 and uᵢ = eᵢ + later coordinates. For z' = Jz the
    derivative of zᵀPz is zᵀ(PJ + JᵀP)z = −Σ lₖ(vₖᵀz)² <= 0 for lₖ >= 0, and 0 if there is no lₖ. So
    exp(τX) = P·exp(τJ)·Q is bounded, P and Q the basis.
    """
    for h, (j, norm) in enumerate(zip(generators, norms, strict=True)):
        where, one = f"heads[{h}].norm", unit(len(j))
        require(norm is not None, f"{where}: there is none")
        weights, signs = norm["weights"], _signs(numbers, norm["loss"])
        us = [{}] * len(j) if norm["basis"] is None else [_row(row) for row in norm["basis"]]
        require(len(us) == len(weights) == len(j), f"{where}: not one for every coordinate")
        require(all(i < min(u, default=i + 1) for i, u in enumerate(us)), f"{where}: order")
        require(all(numbers.sign(w) == {1} for w in weights), f"{where}: a weight is not positive")
        require(-1 not in signs, f"{where}: a loss may be negative")
        require(not (everywhere and norm["loss"]), f"{where}: the norm may fall")
        p = _squares(numbers, weights, [{i: ONE, **u} for i, u in enumerate(us)], len(j))
        loss = _stated_squares(numbers, norm["loss"], len(j))
        slope = symmetric(numbers, total(numbers, (1, p, j)))
        rest = total(numbers, (1, slope, one), (1, loss, one))
        vanishes(numbers, rest, f"{where}: PJ + J^T P + loss = 0")


def _row(pairs: Sequence[tuple[int, Number]]) -> Row:
    row = dict(pairs)
    require(len(row) == len(pairs), "a column is repeated")
    return row


def _signs(numbers: Field, squares: Sequence[Any]) -> set[int]:
    """Signs that weights may have."""
    return set().union(*(numbers.sign(numbers.normal(x["weight"])) for x in squares))


def _stated_squares(numbers: Field, squares: Sequence[Any], size: int) -> Matrix:
    rows = [_row(x["row"]) for x in squares]
    return _squares(numbers, [x["weight"] for x in squares], rows, size)


def _squares(numbers: Field, weights: Sequence[Number], rows: Matrix, size: int) -> Matrix:
    """Σ w·vvᵀ over the weights w and rows v."""
    scaled = total(numbers, (1, [{i: w} for i, w in enumerate(weights)], rows))
    return total(numbers, (1, transposed(rows, size), scaled))


# -- at a point ------------------------------------------------------------------------------------


def known(ball: Ball | None) -> Ball:
    """An enclosure, which a number has to have here."""
    if ball is None:
        raise CertificateError("a number has no enclosure")
    return ball


def some_not_zero(point: Field, numbers: Sequence[Number]) -> None:
    """One of the numbers is not 0."""
    balls = [known(point.ball(point.normal(x))) for x in numbers]
    require(any(ball.avoids(exact(0)) for ball in balls), "it may be 0")


def not_zero(point: Field, matrix: Matrix, witness: Mapping[str, Any]) -> None:
    """The entry of a matrix that the witness names is not 0."""
    some_not_zero(point, [_item(matrix, witness["row"]).get(witness["column"], ZERO)])


def equation(
    point: Field, x: Matrix, y: Sequence[Number], rate: Number, rest: Sequence[Number]
) -> None:
    """X·y = rate·y + rest."""
    require(len(y) == len(x), "a vector has another length")
    for i, row in enumerate(x):
        pairs = [(entry, y[j]) for j, entry in row.items()]
        value = point.dot([*pairs, (negative(rate), y[i]), (whole(-1), rest[i])])
        require(point.is_zero(value), f"the equation of a vector, row {i}")


def _grows(point: Field, x: Matrix, witness: Mapping[str, Any], *, everywhere: bool) -> None:
    """exp(τX)v = e^{λτ}v, or exp(τX)u = e^{λτ}(u + τv), is unbounded by the sign of Re λ.

    For Xv = λv with v ≠ 0; or that and Xu = λu + v.
    """
    rate, v, u = (witness[name] for name in ("eigenvalue", "vector", "chain"))
    some_not_zero(point, v)
    equation(point, x, v, rate, [ZERO] * len(v))
    normal = point.normal(rate)
    signs = point.sign(tuple(x for x in normal if all(atom != IMAGINARY for atom, _ in x[0])))
    if u is None:
        require(0 not in signs if everywhere else signs == {1}, "the sign of the real part")
    else:
        require(everywhere or -1 not in signs, "the sign of the real part")
        equation(point, x, u, rate, v)


def _form_grows(point: Field, x: Matrix, witness: Mapping[str, Any], *, everywhere: bool) -> None:
    """V(τ) = zᵀPz for z' = Xz has V' = rate·V + gain, so V >= e^{rate·τ}V(0) in the end (Chetaev).

    The gain is a sum of squares with weights of the sign of the rate. With a negative rate it is
    for τ <= 0 that V grows. P = Σ w·vvᵀ need not be definite; V(0) > 0 at the vector.
    """
    rate, v = witness["rate"], witness["vector"]
    require(rate > 0 or (everywhere and rate < 0), "the sign of the rate")
    require(-sign_of(rate) not in _signs(point, witness["gain"]), "the sign of the gain")
    p, gain = (_stated_squares(point, witness[name], len(x)) for name in ("form", "gain"))
    one, shift = unit(len(x)), unit(len(x), whole(rate))
    slope = symmetric(point, total(point, (1, p, x)))
    rest = total(point, (1, slope, one), (-1, shift, p), (-1, gain, one))
    vanishes(point, rest, "PX + X^T P = rate P + gain")
    require(len(v) == len(x), "a vector has another length")
    pv = [point.dot([(entry, v[j]) for j, entry in row.items()]) for row in p]
    require(point.sign(point.dot(zip(pv, v, strict=True))) == {1}, "the form is not positive there")
