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
one. What is decided holds in exact arithmetic, for the branches that the text takes on shapes and
dtypes; rounding is measured by `cross_check`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

import numpy as np
from flint import arb, fmpq, fmpq_mat

from numeric_check.exact_element import Exact
from numeric_check.exact_planes import COMPLEX, ExactPlanes, exact_array
from numeric_check.exact_torch import ExactTensor, ExactTorch, lifted
from numeric_check.kernel import Kernel
from numeric_check.time_limit import time_limit
from symbolic_pe.algebra.complex_scalar import ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.matrix import sum_of
from symbolic_pe.algebra.rational_function import RationalFunction
from symbolic_pe.algebra.scalar import ZERO, Scalar, precision
from symbolic_pe.emit.plan import BlockGroup, KernelPlan
from symbolic_pe.errors import KernelError, Undecided
from symbolic_pe.generators.block import Block

PROVED, REFUTED, UNDECIDED = "proved", "refuted", "undecided"
RELATIVE_ROUNDINGS = 2.0**-45
"""Constants may be off by a few units in the last place, and by more where a formula such as
log(1 − 2⁻¹²) loses bits: 2⁸ units of 2⁻⁵³."""
ABSOLUTE_ROUNDINGS = 2.0**-51
"""The same against the largest constant of its kind."""

Function = ExponentialPolynomial
Matrix = dict[tuple[int, int], Function]
Constants = dict[tuple[int, int], fmpq]
INPUT = "x_"
SECONDS = 120.0
"""Longest time that one text may take on exact elements."""
_DOES_NOT_RUN = (
    TypeError,
    ValueError,
    AttributeError,
    LookupError,
    NameError,
    ArithmeticError,
    AssertionError,
    RuntimeError,
)
"""What a text raises, by a fault of its own or as exact elements do not have an operation."""


@dataclass(frozen=True)
class TextProof:
    """What exact execution decided of a text, and where it fails.

    executed  the functions of the text that were decided; the others are measured
    """

    verdict: str
    reason: str
    executed: frozenset[str] = frozenset()


class _Refuted(Exception):
    """A decided difference; the message says where and what."""


class _ExactLibrary:
    """NumPy with every dtype replaced by `object`, so that casts keep exact elements."""

    float64 = float32 = float16 = object
    complex64 = complex128 = COMPLEX

    def eye(self, size: int) -> Any:
        """The identity, of a dtype that holds exact elements."""
        return exact_array(np.eye(size, dtype=object))

    def asarray(self, value: Any, *_: Any) -> Any:
        """A value as an array of exact elements."""
        return exact_array(value)

    ascontiguousarray = asarray

    def stack(self, arrays: Sequence[Any], axis: int = 0) -> Any:
        """Join along a new axis."""
        return exact_array(np.stack(arrays, axis=axis))

    def result_type(self, *kinds: Any) -> Any:
        """Complex when one of them is."""
        return COMPLEX if any(kind is COMPLEX for kind in kinds) else object

    def multiply(self, first: Any, second: Any, out: Any = None) -> Any:
        """A product, into `out` when it is given."""
        if not isinstance(first, ExactPlanes):
            return np.multiply(first, second, out=out)
        product = first * second
        return product if out is None else out.take(product)

    def __getattr__(self, name: str) -> Any:
        value = getattr(np, name)
        if isinstance(value, ModuleType):
            raise KernelError(f"the text uses numpy.{name}")
        return value


@dataclass(frozen=True)
class Engine:
    """How a text of one target runs on exact elements.

    scatter    brings an array whose memory has gaps, where texts can ask for that
    functions  what stands for functions that a text imports
    """

    library: Any
    bring: Callable[[Any], Any]
    scatter: Callable[[Any], Any] | None
    fetch: Callable[[Any], Any]
    lift: Callable[[Any], Any]
    functions: Mapping[str, Any] = field(default_factory=dict)


class _ExactStandard(_ExactLibrary):
    """The functions of the array API standard on object arrays."""

    def asarray(self, value: Any, *_: Any, **__: Any) -> Any:
        """A value as an array of exact elements, whatever dtype and device are asked for."""
        return exact_array(value)

    def eye(self, size: int, **_: Any) -> Any:
        """The identity."""
        return exact_array(np.eye(size, dtype=object))

    def astype(self, value: Any, *_: Any) -> Any:
        """Casts keep the elements."""
        return value

    def isdtype(self, *_: Any) -> bool:
        """Exact elements are neither truth values nor integers."""
        return False


_STANDARD = _ExactStandard()
ENGINES: Mapping[str, Engine] = {
    "numpy": Engine(
        _ExactLibrary(),
        lambda x: exact_array(x.copy()),
        None,
        lambda x: np.asarray(x, dtype=object),
        lambda x: x,
    ),
    "torch": Engine(
        ExactTorch(),
        lambda x: ExactTensor(x.copy()),
        lambda x: ExactTensor(x.copy(), spacing=2),
        lambda x: x.data,
        lifted,
    ),
    "array-api": Engine(
        _STANDARD,
        lambda x: exact_array(x.copy()),
        None,
        lambda x: np.asarray(x, dtype=object),
        lambda x: x,
        {"array_namespace": lambda *_: _STANDARD, "device": lambda _: None},
    ),
}


def prove_text(kernel: Kernel, plan: KernelPlan, *, operator: bool = False) -> TextProof:
    """Decide that the maps of a text are relative and are those of the plan.

    operator  also decide `operator(t) = F̂(t)ᵀĜ(0)`, where it runs on exact elements

    `undecided` with the reason for parametric kernels, and for texts that use operations the exact
    elements do not have.
    """
    if kernel.target not in ENGINES or plan.parameters:
        return TextProof(UNDECIDED, "exact execution covers kernels without run-time parameters")
    try:
        with time_limit(SECONDS):
            executed = _decide(kernel, plan, operator=operator)
    except _Refuted as found:
        return TextProof(REFUTED, str(found))
    except (KernelError, Undecided) as error:
        return TextProof(UNDECIDED, str(error))
    except _DOES_NOT_RUN as error:
        return TextProof(UNDECIDED, f"the text does not run on exact elements: {error}")
    return TextProof(
        PROVED,
        f"executed on exact ring elements ({', '.join(sorted(executed))}; the rest is measured): "
        "the query and key maps are P exp(tK) and exp(-sK) Q for the constants in the text, hence "
        "relative for all real positions and references; K, P, Q are within rounding of the exact "
        "ones",
        executed,
    )


def _decide(kernel: Kernel, plan: KernelPlan, *, operator: bool) -> frozenset[str]:
    executed = {"transform_query", "transform_key"}
    engine = ENGINES[kernel.target]
    names = kernel.on_library(engine.library, engine.lift, engine.functions)
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
    if plan.augmentations:
        _decide_bias(engine, names, plan)
        executed.add("bias")
    if _decide_turn_into(engine, names, plan, queries):
        executed |= {"rotary_table", "turn", "turn_into"}
    if operator and _decide_operator(engine, names, plan, queries, keys):
        executed.add("operator")
    return frozenset(executed)


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
    """`turn_into` writes the query map into memory of its own and into x; False without one."""
    if "turn_into" not in names:
        return False
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
    except (KernelError, *_DOES_NOT_RUN):
        return False
    for head, (query, key) in enumerate(zip(queries, keys, strict=True)):
        expected = _times({(j, i): f for (i, j), f in query.items()}, _at_zero(key))
        matrix = {place: _in_one(Exact.of(x).function, "t") for place, x in _places(found[head])}
        _equal(matrix, expected, f"operator, head {head}: A = F^T G(0)")
    return True


def _places(array: Any) -> list[tuple[tuple[int, int], Any]]:
    return [((i, j), x) for (i, j), x in np.ndenumerate(array)]


def _maps(
    engine: Engine, function: Callable[..., Any], plan: KernelPlan, variable: str
) -> list[Matrix]:
    """The map of every head at reference 0, after deciding that the reference only shifts.

    The input is a vector of symbols, so linearity is decided on the way.
    """
    d = plan.dimension
    x = _symbols(plan)
    position = engine.bring(np.array([Exact.position(variable)], dtype=object))
    reference = Exact.position("c")
    plain = _rows(engine.fetch(function(engine.bring(x), position)), plan)
    moved = function(engine.bring(x), position, reference=reference)
    shifted = _rows(engine.fetch(moved), plan)
    found: list[Matrix] = []
    for head in range(plan.heads):
        matrix: Matrix = {}
        for i in range(d):
            f = _in_one(plain[head][i], variable)
            expected = f.compose({variable: 1, "c": -1})
            if not (shifted[head][i] - expected).vanishes():
                raise _Refuted(
                    f"head {head}, output channel {i}: the reference does not only shift the "
                    f"position: {shifted[head][i]} against {expected}"
                )
            for j, entry in _coefficients(f, head, i).items():
                matrix[i, j] = entry
        found.append(matrix)
    return found


def _symbols(plan: KernelPlan) -> Any:
    """The input x[h][j], a symbol of its own for every head and channel."""
    lead = (1,) if plan.heads == 1 else (plan.heads, 1)
    x = np.empty((*lead, plan.dimension), dtype=object)
    flat = x.reshape(plan.heads, plan.dimension)
    for head in range(plan.heads):
        for j in range(plan.dimension):
            symbol = Scalar.symbol(f"{_prefix(head)}{j}")
            flat[head, j] = Exact(ExponentialPolynomial.constant(symbol))
    return x


def _prefix(head: int) -> str:
    return f"{INPUT}{head}_"


def _rows(result: Any, plan: KernelPlan) -> list[list[Function]]:
    """The content channels of every head."""
    found = np.asarray(result, dtype=object)
    expected = (1,) if plan.heads == 1 else (plan.heads, 1)
    if found.shape[:-1] != expected or found.shape[-1] < plan.dimension:
        raise _Refuted(f"the map returns the shape {found.shape}")
    rows = found.reshape(plan.heads, -1)[:, : plan.dimension]
    return [[Exact.of(value).function for value in row] for row in rows]


def _coefficients(f: Function, head: int, channel: int) -> dict[int, Function]:
    """f = Σ_j f_j·x_j: the entries f_j, after deciding that f is linear in the input."""
    parts: dict[int, dict[Any, ComplexScalar]] = {}
    for key, c in f.terms.items():
        for j, value in _linear_parts(c, head, channel).items():
            parts.setdefault(j, {})[key] = value
    return {j: ExponentialPolynomial(f.variables, terms) for j, terms in parts.items()}


def _linear_parts(c: ComplexScalar, head: int, channel: int) -> dict[int, ComplexScalar]:
    found: dict[int, list[Scalar]] = {}
    for index, part in enumerate((c.re, c.im)):
        for radical, element in part.terms.items():
            for monomial, weight in element.numerator_terms():
                names = [n for n in monomial if n.startswith(INPUT)]
                if len(names) != 1 or monomial[names[0]] != 1 or not element.is_polynomial():
                    raise _Refuted(
                        f"head {head}, output channel {channel} is not linear in the input"
                    )
                if not names[0].startswith(_prefix(head)):
                    raise _Refuted(f"head {head}, output channel {channel} reads another head")
                slot = found.setdefault(int(names[0][len(_prefix(head)) :]), [ZERO, ZERO])
                slot[index] = slot[index] + Scalar({radical: RationalFunction(weight)})
    return {j: ComplexScalar(*values) for j, values in found.items()}


def _in_one(f: Function, variable: str) -> Function:
    """The same function with exactly one variable."""
    if f.variables == (variable,):
        return f
    total = ExponentialPolynomial((variable,), {})
    lifted = f + total
    for key, c in lifted.terms.items():
        place = lifted.variables.index(variable)
        others = [i for i in range(len(lifted.variables)) if i != place]
        if any(key.powers[i] or not key.exponents[i].is_zero() for i in others):
            raise _Refuted(f"the map depends on more than its position: {f}")
        term = type(key)((key.powers[place],), (key.exponents[place],))
        total = total + ExponentialPolynomial((variable,), {term: c})
    return total


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
        raise _Refuted(f"head {head}: transform_query at the reference is not invertible")
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
            raise _Refuted(f"{law} fails at row {place[0]}, column {place[1]}: {f} against {g}")


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
            bound = RELATIVE_ROUNDINGS * abs(expected) + ABSOLUTE_ROUNDINGS * largest
            if not abs(value - expected) <= bound:
                raise _Refuted(
                    f"{what}, row {place[0]}, column {place[1]}: the text has {float(value)!r}, "
                    f"the encoding {float(expected)!r}"
                )


# -- bias ---------------------------------------------------------------------------------------


def _decide_bias(engine: Engine, names: Mapping[str, Any], plan: KernelPlan) -> None:
    """The product of the appended coordinates, and `bias` itself, are the bias at the lag."""
    d = plan.dimension
    lead = () if plan.heads == 1 else (plan.heads,)
    x = np.vectorize(Exact.of, otypes=[object])(np.zeros((*lead, 1, d)))
    query, key = (
        engine.fetch(
            names[name](engine.bring(x), engine.bring(np.array([Exact.position(v)], dtype=object)))
        )
        for name, v in (("transform_query", "t"), ("transform_key", "s"))
    )
    direct = engine.fetch(
        names["bias"](*(engine.bring(np.array([Exact.position(v)], dtype=object)) for v in "ts"))
    )
    for head, added in enumerate(plan.augmentations):
        index = (0,) if plan.heads == 1 else (head, 0)
        pairs = zip(query[index][d:], key[index][d:], strict=True)
        product = sum_of([(Exact.of(a) * b).function for a, b in pairs], added.bias)
        _decide_lag(product, added.bias, f"head {head}: the product of the added coordinates")
        value = Exact.of(direct[(*index, 0)]).function
        _decide_lag(value, added.bias, f"head {head}: bias")


def _decide_lag(found: Function, bias: Function, what: str) -> None:
    """That f(t, s) = b(t − s), with b the bias within rounding."""
    at_zero = _at_key_zero(found)
    if not (found - at_zero.compose({"t": 1, "s": -1})).vanishes():
        raise _Refuted(f"{what} is {found}, no function of the lag")
    _close_functions(at_zero, bias, what)


def _at_key_zero(f: Function) -> Function:
    """f(t, 0)."""
    lifted = f + ExponentialPolynomial(("t", "s"), {})
    place, other = lifted.variables.index("t"), lifted.variables.index("s")
    total = ExponentialPolynomial(("t",), {})
    for key, c in lifted.terms.items():
        if key.powers[other] == 0:
            term = type(key)((key.powers[place],), (key.exponents[place],))
            total = total + ExponentialPolynomial(("t",), {term: c})
    return total


def _close_functions(found: Function, exact: Function, what: str) -> None:
    """Coefficients of polynomials within rounding."""
    if any(not e.is_zero() for key in exact.terms for e in key.exponents):
        raise KernelError("a bias with waves or exponentials is measured, not proved")
    with precision(128):
        degrees = {key.powers[0] for key in (*found.terms, *exact.terms)}
        for degree in degrees:
            a, b = (_coefficient(f, degree) for f in (found, exact))
            if not abs(a - b) <= RELATIVE_ROUNDINGS * abs(b):
                raise _Refuted(
                    f"{what}: coefficient of tau^{degree} is {float(a)!r} in the text, "
                    f"{float(b)!r} in the encoding"
                )


def _coefficient(f: Function, degree: int) -> arb:
    total = arb(0)
    for key, c in f.terms.items():
        if key.powers[0] == degree and all(e.is_zero() for e in key.exponents):
            total += c.re.ball({})
    return total


__all__ = ["TextProof", "prove_text"]
