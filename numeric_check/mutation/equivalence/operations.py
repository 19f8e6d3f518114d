"""Texts that do the same operations in the same order: the same bits, whatever the numbers.

A text is run on terms: what was done to which operands, and nothing is computed. Two texts whose
results are the same terms round alike. What is computed and never read is no part of a result.

Some edits are decided so. `operator` takes one number, and has one shape. The loop of Horner's rule
over the links of a chain has a length that is a constant of the text, so that the shapes that are
run are those that there are. A list of arrays may stand where they are stacked, for what reads it
alike. And zeros may have fewer axes where they meet what has all.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np

from numeric_check.kernels.kernel import Kernel
from numeric_check.mutation.equivalence.difference import differing_calls, differing_function
from numeric_check.text_proof.exact_element import Exact, LeavesTheRing
from numeric_check.text_proof.exact_engine import ENGINES
from numeric_check.text_proof.exact_input import is_decided
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.emit.plan import BlockGroup, KernelPlan

SHEAR = "_shear"
LOOPS = frozenset({SHEAR, "operator"})
"""Functions whose loops and arrays have sizes that are constants of the text."""
SHAPES: tuple[tuple[int, ...], ...] = ((3,), (2, 1))
"""Leading axes, and positions."""
SUMS: tuple[tuple[int, ...], ...] = ((1,), (4,), (2, 4), (2, 3, 2))
"""The same for causal sums."""
ZEROS = frozenset({"zeros", "new_zeros"})
"""Calls of which nothing but the shape can differ, and that broadcasts to what it meets."""
Table = dict[Hashable, int]
"""Terms by what they are made of."""


class Term(Exact):
    """An operation and its operands, as a number in a table."""

    __slots__ = ("place", "table")
    __hash__ = None

    def __init__(self, table: Table, made: Hashable) -> None:
        self.table = table
        self.place = table.setdefault(made, len(table))

    @property
    def function(self) -> ExponentialPolynomial:  # type: ignore[override]
        """None: a term is no function of known operands."""
        raise LeavesTheRing("the text asks for the value of a term")

    def _with(self, name: str, other: Any, *, reflected: bool = False) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        pair = self.place, _operand(other)
        return Term(self.table, (name, *(pair[::-1] if reflected else pair)))

    def _of(self, name: str) -> Term:
        return Term(self.table, (name, self.place))

    def __add__(self, other: Any) -> Any:
        return self._with("+", other)

    def __radd__(self, other: Any) -> Any:
        return self._with("+", other, reflected=True)

    def __sub__(self, other: Any) -> Any:
        return self._with("-", other)

    def __rsub__(self, other: Any) -> Any:
        return self._with("-", other, reflected=True)

    def __mul__(self, other: Any) -> Any:
        return self._with("*", other)

    def __rmul__(self, other: Any) -> Any:
        return self._with("*", other, reflected=True)

    def __truediv__(self, other: Any) -> Any:
        return self._with("/", other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with("/", other, reflected=True)

    def __pow__(self, other: Any) -> Any:
        return self._with("**", other)

    def __neg__(self) -> Term:
        return self._of("neg")

    def __pos__(self) -> Term:
        return self

    def __lt__(self, other: Any) -> Any:
        return self._with("<", other)

    def __le__(self, other: Any) -> Any:
        return self._with("<=", other)

    def __gt__(self, other: Any) -> Any:
        return self._with(">", other)

    def __ge__(self, other: Any) -> Any:
        return self._with(">=", other)

    def __or__(self, other: Any) -> Any:
        return self._with("|", other)

    def __and__(self, other: Any) -> Any:
        return self._with("&", other)

    def chosen(self, first: Any, second: Any) -> Term:
        """`where`, with this term as the condition."""
        return Term(self.table, ("where", self.place, _operand(first), _operand(second)))

    def __floor__(self) -> Term:
        return self._of("floor")

    def cos(self) -> Term:
        """The cosine, as a term."""
        return self._of("cos")

    def sin(self) -> Term:
        """The sine, as a term."""
        return self._of("sin")

    def exp(self) -> Term:
        """The exponential, as a term."""
        return self._of("exp")

    def sqrt(self) -> Term:
        """The square root, as a term."""
        return self._of("sqrt")

    def log(self) -> Term:
        """The logarithm, as a term."""
        return self._of("log")


def _operand(value: Any) -> Hashable:
    if isinstance(value, Term):
        return value.place
    return ("number", str(value.function) if isinstance(value, Exact) else repr(value))


def same_operations(kernel: Kernel, original: Kernel, plan: KernelPlan) -> bool:
    """Whether the texts differ in one of the ways above, and do the same."""
    where = differing_function(kernel.text, original.text)
    in_place = where in LOOPS
    in_place = in_place or bool(ZEROS & differing_calls(kernel.text, original.text))
    if not in_place and _unstacked(kernel.text) != _unstacked(original.text):
        return False
    if _casts(kernel.text) != _casts(original.text):
        return False
    found: list[bool] = []

    def decide() -> None:
        table: Table = {}
        results = _links if where == SHEAR else _results
        pairs = zip(results(kernel, plan, table), results(original, plan, table), strict=True)
        found.append(all(a == b for a, b in pairs))

    return is_decided(decide) and found[-1]


class _Stacks(ast.NodeTransformer):
    """Leaves out where a list of arrays becomes one."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        stacks = isinstance(node.func, ast.Attribute) and node.func.attr == "stack"
        return node.args[0] if stacks and len(node.args) == 1 and not node.keywords else node


def _unstacked(text: str) -> str:
    return ast.dump(_Stacks().visit(ast.parse(text)))


def _casts(text: str) -> list[str]:
    """Casts vanish among terms: they have to be the same."""
    calls = (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Call))
    return [
        ast.dump(n)
        for n in calls
        if isinstance(n.func, ast.Attribute) and n.func.attr in ("to", "astype", "asarray")
    ]


def _results(kernel: Kernel, plan: KernelPlan, table: Table) -> Iterator[list[Any]]:
    """The terms of both maps, for each of `SHAPES`, and of causal sums for `SUMS`."""
    engine = ENGINES[kernel.target]
    names = kernel.on_library(engine.library, engine.lift, engine.functions)
    heads = () if plan.heads == 1 else (plan.heads,)
    for *lead, n in SHAPES:
        x = _symbols(table, "x", (*lead, *heads, n, plan.dimension))
        place = _symbols(table, "t", (n,))
        parameters = (Term(table, ("parameter", name)) for name in plan.parameters)
        given = (*parameters, Term(table, ("reference",)))
        for name in ("transform_query", "transform_key"):
            function: Callable[..., Any] = names[name]
            result = function(engine.bring(x), engine.bring(place), *given)
            array = np.asarray(engine.fetch(result), dtype=object)
            yield [array.shape, *(_operand(e) for e in array.flat)]
    lag = np.empty((), dtype=object)
    lag[()] = Term(table, ("lag",))
    values = [Term(table, ("parameter", name)) for name in plan.parameters]
    matrix = np.asarray(engine.fetch(names["operator"](engine.bring(lag), *values)), dtype=object)
    yield [matrix.shape, *(_operand(e) for e in matrix.flat)]
    for *lead, n in SUMS if "chunkwise" in names else ():
        query, key, value = (
            _symbols(table, v, (*lead, *heads, n, plan.dimension)) for v in ("q", "k", "v")
        )
        arrays = (engine.bring(x) for x in (query, key, value, _symbols(table, "t", (n,))))
        for result in names["chunkwise"](*arrays, *values, chunk=n):
            array = np.asarray(engine.fetch(result), dtype=object)
            yield [array.shape, *(_operand(e) for e in array.flat)]


def _links(kernel: Kernel, plan: KernelPlan, table: Table) -> Iterator[list[Any]]:
    """The terms of Horner's rule for the chains of the plan, either way: as it is always called."""
    engine = ENGINES[kernel.target]
    shear = kernel.on_library(engine.library, engine.lift, engine.functions)[SHEAR]
    for length in sorted({g.chain_length for g in plan.groups if isinstance(g, BlockGroup)}):
        links, weight = _symbols(table, "x", (2, length, 3)), _symbols(table, "w", (2, 1, 3))
        for side in (1, -1):
            result = shear(engine.bring(links), engine.bring(weight), side)
            array = np.asarray(engine.fetch(result), dtype=object)
            yield [array.shape, *(_operand(e) for e in array.flat)]


def _symbols(table: Table, name: str, shape: tuple[int, ...]) -> Any:
    found = np.empty(shape, dtype=object)
    for place in np.ndindex(*shape):
        found[place] = Term(table, (name, *place))
    return found


__all__ = ["same_operations"]
