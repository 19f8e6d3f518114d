"""What SymPy does with one matrix of the suite: `jordan_form`, two exponentials, the group law."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from symbolic_pe.generators.generator import Generator
from symbolic_pe.interchange import to_sympy

OPERATIONS = ("jordan_form", "exp", "matrix_exp", "homomorphism")
ASSUMED = {
    "real": {"real": True},
    "positive": {"positive": True},
    "nonzero": {"real": True, "nonzero": True},
    "between 0 and 1": {"positive": True},
}


def prepare(entry: dict[str, Any], operation: str) -> Callable[[], float | str]:
    """The operation on the entry's matrix; returns CPU seconds, or a word when it does not hold."""
    import sympy
    from sympy.solvers.ode.systems import matrix_exp

    t, s = sympy.symbols("t s", real=True)
    matrix = to_sympy(Generator.from_matrix(entry["A"], entry["parameters"])).subs(
        {
            sympy.Symbol(name, real=True): sympy.Symbol(name, **ASSUMED[assumption])
            for name, assumption in entry["parameters"].items()
        }
    )

    def group_law() -> float | str:
        e = matrix_exp(matrix, t)
        started = time.process_time()
        difference = e.subs(t, s) * e - e.subs(t, s + t)
        proved = difference.applyfunc(sympy.simplify).is_zero_matrix
        return time.process_time() - started if proved else "not proved"

    def timed(run: Callable[[], object]) -> Callable[[], float]:
        def measure() -> float:
            started = time.process_time()
            run()
            return time.process_time() - started

        return measure

    operations: dict[str, Callable[[], float | str]] = {
        "jordan_form": timed(matrix.jordan_form),
        "exp": timed((matrix * t).exp),
        "matrix_exp": timed(lambda: matrix_exp(matrix, t)),
        "homomorphism": group_law,
    }
    return operations[operation]
