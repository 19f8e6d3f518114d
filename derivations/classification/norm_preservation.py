"""Norms are preserved exactly by generators that are skew in some inner product."""

from __future__ import annotations

from flint import fmpq, fmpq_mat

from derivations.axioms.one_map import infinitesimal, invariant_forms
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.matrix import (
    ScalarMatrix,
    act,
    multiply,
    multiply_functions,
    to_fmpq,
    transpose,
)
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Decision, Outcome
from symbolic_pe.exponential.closed_form import exponential
from symbolic_pe.generators.generator import Generator
from symbolic_pe.proof.decisions import all_of, cited, same_functions, same_matrix
from symbolic_pe.proof.derivation import Derivation, Rule, Step, Twin

ELLIPSE: ScalarMatrix = ((ZERO, -ONE), (Scalar.rational(4), ZERO))
"""Turns along ellipses: skew for S = diag(4, 1)."""


def _ellipse() -> Decision:
    """X = [[0, −1], [4, 0]] with S = diag(4, 1): XᵀS + SX = 0 and EᵀSE = S."""
    form: ScalarMatrix = ((Scalar.rational(4), ZERO), (ZERO, ONE))
    balance = multiply(transpose(ELLIPSE), form)
    other = multiply(form, ELLIPSE)
    e = exponential(Generator.from_matrix(ELLIPSE)).matrix()
    gram = multiply_functions(transpose(e), act(form, e))
    constants = tuple(tuple(ExponentialPolynomial.constant(x, ("t",)) for x in row) for row in form)
    negative = tuple(tuple(-x for x in row) for row in other)
    return all_of(
        {
            "X^T S = -S X": same_matrix(negative, balance, "X^T S"),
            "E^T S E = S": same_functions(constants, gram),
        }
    )


def _standard_norm() -> Decision:
    """The same X does not preserve the standard norm."""
    e = exponential(Generator.from_matrix(ELLIPSE)).matrix()
    one, zero = (ExponentialPolynomial.constant(x, ("t",)) for x in (ONE, ZERO))
    return same_functions(((one, zero), (zero, one)), multiply_functions(transpose(e), e))


def _indefinite() -> Decision:
    """The boost K preserves diag(1, −1), which is no inner product: all invariant forms have
    trace 0."""
    boost: fmpq_mat = to_fmpq(((ZERO, ONE), (ONE, ZERO)))
    forms = invariant_forms(boost)
    traces = [sum((f[i, i] for i in range(2)), fmpq(0)) for f in forms]
    if any(t != 0 for t in traces) or not forms:
        return Decision(Outcome.UNDECIDED, {"reason": "a form with another trace"})
    return Decision(
        Outcome.REFUTED,
        {"forms": [f.tolist() for f in forms]},
        "X = [[0, 1], [1, 0]] preserves S = [[1, 0], [0, -1]]; every form it preserves has trace "
        "0, so none is positive, and exp(X) has the entry cosh(1) > 1",
    )


DERIVATION = Derivation(
    name="norm-preservation",
    title="Norms are preserved exactly when the generator is skew in some inner product",
    chapter="classification",
    statement=r"""
For a symmetric positive definite $S$ the norm $|v|_S^2 = v^\top S v$ satisfies
$|e^{tX}v|_S = |v|_S$ for all $t, v$ exactly when $X^\top S + SX = 0$. Such an $S$ exists exactly
when $X$ is semisimple with purely imaginary spectrum.
""".strip(),
    hypotheses=("$S$ is positive definite", "some inner product, not the standard one"),
    steps=(
        Step(
            "infinitesimal",
            r"$\frac{d}{dt} E^\top S E = E^\top(X^\top S + SX)E$: constant exactly when "
            r"$X^\top S + SX = 0$.",
            Rule.REWRITING,
            infinitesimal,
        ),
        Step(
            "invariant-for-every-size",
            "The same for every size.",
            Rule.ROCQ,
            lambda: cited(
                "Laws.invariant_form", "times n (transpose (E t)) (times n M (E t)) =[n] M"
            ),
        ),
        Step(
            "standard-for-every-size",
            "In the standard inner product no other $X$ has an orthogonal flow.",
            Rule.ROCQ,
            lambda: cited("Laws.orthogonality_needs_skewness", "-> skew n X"),
        ),
        Step(
            "ellipse",
            r"$X = \begin{pmatrix}0&-1\\4&0\end{pmatrix}$ preserves $4x^2 + y^2$.",
            Rule.NORMAL_FORM,
            _ellipse,
        ),
    ),
    twins=(
        Twin(
            "standard-norm",
            "the choice of the inner product.",
            r"$X = \begin{pmatrix}0&-1\\4&0\end{pmatrix}$ preserves the standard norm.",
            _standard_norm,
        ),
        Twin(
            "indefinite-form",
            "positive definiteness: a boost preserves $x^2 - y^2$.",
            "A generator with an invariant form preserves a norm.",
            _indefinite,
        ),
    ),
    uses=("one-map", "boundedness"),
    assumes=("every real matrix has a real Jordan form (Jordan 1870)",),
    rocq=("Laws.invariant_form", "Laws.orthogonality", "Laws.orthogonality_needs_skewness"),
    justifies=("symbolic_pe.proof.prover",),
    sources=("Horn and Johnson, Topics in Matrix Analysis, 1991, section 6.2",),
)
