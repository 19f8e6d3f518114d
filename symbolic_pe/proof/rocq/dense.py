"""Heads given as matrices: by a rational Jordan form, else by polynomials that annihilate X.

1. Every eigenvalue is rational, or a ± bi with rational a and b: X P = P J in integers.
2. X is rational: the primary closed form, Σ t^j/j!·φ_c(t)·M with rational M, where φ_c are the
   solutions of p(d/dt)φ = 0 for a factor p. They are exp for degree 1, closed forms for degree 2,
   and any functions that solve their equation for degree 3 and more.
3. X has parameters: exp(tX) = Σ φ_c(t)·X^c modulo the characteristic polynomial of X.
"""

from __future__ import annotations

from symbolic_pe.algebra.matrix import is_rational, to_fmpq
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.exponential.primary import PrimaryExponential, primary_exponential
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from symbolic_pe.jordan.form import JordanCase
from symbolic_pe.proof.rocq.expressions import (
    Expression,
    data_rows,
    polynomial,
    rational,
    reading_rows,
)
from symbolic_pe.proof.rocq.jordan import rational_jordan, similarity_head
from symbolic_pe.proof.rocq.laws import Binder, applied
from symbolic_pe.proof.rocq.solutions import (
    SolutionFamilies,
    parametric_entries,
    primary_entries,
)
from symbolic_pe.proof.rocq.symbols import Symbols

MAX_SIMILAR, MAX_PRIMARY, MAX_PARAMETRIC = 32, 16, 6
"""Dimensions up to which a file is checked within seconds."""


def dense_head(
    generator: Generator, reals: tuple[str, ...], case: JordanCase | None, *, skew: bool
) -> tuple[Binder, str]:
    """Definitions of X and A of one head, and that A is the flow of X.

    `case` is the Jordan form of a rational generator, where it is known already. Raises
    `NotYetCovered` beyond the dimensions that are exported.
    """
    matrix, n = generator.matrix, generator.dimension
    if not is_rational(matrix):
        _require(n, MAX_PARAMETRIC, "matrices with parameters or irrational entries")
        return _parametric(generator, reals, skew=skew)
    _require(n, MAX_SIMILAR, "rational matrices")
    form = rational_jordan(case or real_jordan_form(generator).cases[0], n)
    if form is not None:
        binder = Binder(reals=reals)
        return binder, similarity_head(to_fmpq(matrix), form, binder, skew=skew)
    _require(n, MAX_PRIMARY, "rational matrices with irrational eigenvalues")
    return _primary(primary_exponential(to_fmpq(matrix)), reals, skew=skew)


def _require(dimension: int, most: int, what: str) -> None:
    if dimension > most:
        raise NotYetCovered(
            f"{what} are exported up to dimension {most}; this one has dimension {dimension}"
        )


def _primary(form: PrimaryExponential, reals: tuple[str, ...], *, skew: bool) -> tuple[Binder, str]:
    families, e = primary_entries(form)
    x = [[rational(entry) for entry in row] for row in form.matrix.tolist()]
    return _checked(families, x, e, reals, "[]", skew=skew)


def _parametric(generator: Generator, reals: tuple[str, ...], *, skew: bool) -> tuple[Binder, str]:
    symbols = Symbols.of(x for row in generator.matrix for x in row)
    base = [[symbols.polynomial(x) for x in row] for row in generator.matrix]
    families, e = parametric_entries(base, symbols)
    x = [[polynomial(entry, symbols.expressions) for entry in row] for row in base]
    return _checked(families, x, e, reals, symbols.values, skew=skew)


def _checked(
    families: SolutionFamilies,
    x: list[list[Expression]],
    e: list[list[Expression]],
    reals: tuple[str, ...],
    values: str,
    *,
    skew: bool,
) -> tuple[Binder, str]:
    """The definitions of X and A with their data, decided by one computation."""
    binder, n = families.binder(reals), len(x)
    real = Binder(reals=reals)
    x_name, a_name = applied("X", real.names), applied("A", binder.names)
    text = f"""Definition X_rows{real.arguments} : list (list R) :=
  {reading_rows(x, 2)}.
Definition A_rows{binder.arguments} (t : R) : list (list R) :=
  {reading_rows(e, 2)}.
Definition X{real.arguments} : matrix := entries {applied("X_rows", real.names)}.
Definition A{binder.arguments} (t : R) : matrix := entries (A_rows{binder.names} t).

Definition families : list family := {families.data}.
Definition X_data : list (list expr) :=
  {data_rows(x, 2)}.
Definition A_data : list (list expr) :=
  {data_rows(e, 2)}.
Lemma decided : decides {n} families X_data A_data = true.
Proof. vm_compute. reflexivity. Qed.

{_existence(families)}Theorem is_flow :
{binder.statement(f"flow {n} {x_name} {a_name}")}.
Proof.
  {binder.introduction()}apply (flow_of_data {n} families X_data A_data _ _
    (components {values}) {families.given}).
  - exact decided.
  - {families.solves}
  - reflexivity.
  - intros t. reflexivity.
Qed."""
    if skew:
        text += f"""

Lemma is_skew :
{real.statement(f"skew {n} {x_name}")}.
Proof.
  {real.introduction()}apply (decides_skew_correct {n} X_data _ (components {values})).
  - vm_compute. reflexivity.
  - reflexivity.
Qed."""
    return binder, text


def _existence(families: SolutionFamilies) -> str:
    if not families.unknown:
        return ""
    return "(* Such solutions exist (fundamental_exists) and are unique (fundamental_unique). *)\n"
