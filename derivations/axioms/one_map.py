"""One map for queries and keys exists exactly for generators skew in some inner product."""

from __future__ import annotations

from flint import fmpq, fmpq_mat

from derivations.axioms.relative_scores import A, G, M, N, S, T, X
from symbolic_pe.algebra.complex_scalar import ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.matrix import FunctionMatrix, multiply_functions, transpose
from symbolic_pe.algebra.matrix import apply as entrywise
from symbolic_pe.algebra.scalar import ZERO, Scalar
from symbolic_pe.exponential.closed_form import exponential
from symbolic_pe.generators.block import Block
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.rational import nullspace
from symbolic_pe.proof.claim import Outcome
from symbolic_pe.proof.decisions import all_of, cited, same_function, same_functions
from symbolic_pe.proof.derivation import Answer, Decision, Derivation, Rule, Step, Twin, holds
from symbolic_pe.proof.rewriting import (
    IDENTITY,
    NULL,
    ORIGIN,
    Equation,
    Family,
    constant,
    derivative,
    rewrite,
)

C, D, K, P, Q, Y = (constant(name) for name in ("C", "D", "K", "P", "Q", "Y"))
C_INVERSE, D_INVERSE, S_FORM = constant("C^-1"), constant("D^-1"), constant("S")
LAW = {"A": X * A(T)}
BALANCE = Equation("X^T S + S X = 0", X.T * S_FORM, -(S_FORM * X))
PAIR = Equation("relativity", C.T * G(T).T * G(S) * D, A(T - S))
KEYS = Equation("gauge theorem, G(s) D = M A(-s)", G(S) * D, M * A(-S))
C_GONE = Equation("C C^-1 = I, transposed", C_INVERSE.T * C.T, IDENTITY)
D_GONE = Equation("D D^-1 = I", D * D_INVERSE, IDENTITY)
START = Equation("A(0) = I", A(ORIGIN), IDENTITY)


def _invariant_form() -> Decision:
    """A(−s)ᵀ(MᵀM)A(−s) = Dᵀ·G(s)ᵀG(s)·D, where G(s)ᵀG(s) = C⁻ᵀA(0)D⁻¹ does not depend on s."""
    moved = C_INVERSE.T * A(ORIGIN) * D_INVERSE
    return all_of(
        {
            "G(s)^T G(s) is constant": rewrite(
                Equation("Gram matrix", G(S).T * G(S), C_INVERSE.T * D_INVERSE),
                [
                    (C_INVERSE.T * C.T * G(S).T * G(S), C_GONE),
                    (C_INVERSE.T * C.T * G(S).T * G(S) * D * D_INVERSE, D_GONE),
                    (moved, PAIR.at(t=S)),
                    (C_INVERSE.T * D_INVERSE, START),
                ],
            ),
            "A(-s)^T M^T M A(-s) is constant": rewrite(
                Equation(
                    "invariant form", A(-S).T * M.T * M * A(-S), D.T * C_INVERSE.T * D_INVERSE * D
                ),
                [
                    (A(-S).T * M.T * G(S) * D, KEYS),
                    (D.T * G(S).T * G(S) * D, KEYS.T),
                    (
                        D.T * C_INVERSE.T * D_INVERSE * D,
                        Equation("Gram matrix", G(S).T * G(S), C_INVERSE.T * D_INVERSE),
                    ),
                ],
            ),
        }
    )


def infinitesimal() -> Decision:
    """d/dt A(t)ᵀSA(t) = A(t)ᵀ(XᵀS + SX)A(t), which at t = 0 is XᵀS + SX."""
    found = derivative(A(T).T * S_FORM * A(T), "t", LAW)
    start, middle = START, X.T * S_FORM + S_FORM * X
    at_zero = found.at({"t": ORIGIN})
    return all_of(
        {
            "derivative": holds(found == A(T).T * middle * A(T)),
            "at t = 0": rewrite(
                Equation("at 0", at_zero, middle),
                [
                    (X.T * S_FORM * A(ORIGIN) + A(ORIGIN).T * S_FORM * X * A(ORIGIN), start.T),
                    (X.T * S_FORM + A(ORIGIN).T * S_FORM * X * A(ORIGIN), start),
                    (X.T * S_FORM + S_FORM * X * A(ORIGIN), start.T),
                    (middle, start),
                ],
            ),
            "back: the derivative vanishes": rewrite(
                Equation("constant", found, NULL), [(NULL, BALANCE)]
            ),
        }
    )


def _skew_in_a_basis() -> Decision:
    """Y = M X M⁻¹ has Yᵀ = −Y when XᵀS + SX = 0 and S = MᵀM."""
    right = Equation("M N = I", M * N, IDENTITY)
    balance = Equation("X^T M^T M = -M^T M X", X.T * M.T * M, -(M.T * M * X))
    return rewrite(
        Equation("Y^T = -Y", (M * X * N).T, -(M * X * N)),
        [
            (N.T * X.T * M.T * M * N, right),
            (-(N.T * M.T * M * X * N), balance),
            (-(M * X * N), right.T),
        ],
    )


def _semisimple() -> Decision:
    """For skew Y and real b, W = Y² + b² is symmetric and YᵀY = −Y²: no chain is longer than 1."""
    b = Scalar.symbol("b")
    square = Y * Y + IDENTITY.scale(b * b)
    skew = Equation("Y^T = -Y", Y.T, -Y)
    return all_of(
        {
            "v^T Y v = 0": rewrite(Equation("no real part", Y + Y.T, NULL), [(NULL, skew)]),
            "(Y^2 + b^2)^T = Y^2 + b^2": rewrite(
                Equation("symmetric", square.T, square),
                [(-(Y * Y.T) + IDENTITY.scale(b * b), skew), (square, skew)],
            ),
            "Y^T Y = -Y^2": rewrite(
                Equation("kernel of the square", Y.T * Y, -(Y * Y)), [(-(Y * Y), skew)]
            ),
        }
    )


def _converse() -> Decision:
    """X = P K P⁻¹ with skew K: G(t) = exp(−tK), C = Pᵀ, D = P⁻¹ is such a pair."""
    e = Family("E")
    orthogonal = Equation("E(t)^T = E(-t), K skew", e(T).T, e(-T))
    group = Equation("group law of E", e(S + T), e(S) * e(T))
    inverse = Equation("Q P = I", Q * P, IDENTITY)
    skew = Equation("K^T = -K", K.T, -K)
    generator, form = P * K * Q, Q.T * Q
    middle = Q.T * K.T * Q
    return all_of(
        {
            "P E(-t)^T E(-s) Q = P E(t - s) Q": rewrite(
                Equation("pair", P * e(-T).T * e(-S) * Q, P * e(T - S) * Q),
                [
                    (P * e(T) * e(-S) * Q, orthogonal.at(t=-T)),
                    (P * e(T - S) * Q, group.at(s=T, t=-S)),
                ],
            ),
            "X^T S + S X = 0 for S = Q^T Q": rewrite(
                Equation("form", generator.T * form + form * generator, NULL),
                [
                    (middle + form * generator, inverse.T),
                    (middle + Q.T * K * Q, inverse),
                    (NULL, skew),
                ],
            ),
        }
    )


def _planes() -> Decision:
    """The blocks 0 and bJ are skew, for every b."""
    b = Scalar.symbol("b")
    plane = Block(ZERO, b).generator
    return holds(
        all(
            (x + y).is_zero()
            for r, c in zip(plane, transpose(plane), strict=True)
            for x, y in zip(r, c, strict=True)
        ),
        "b J is not skew",
        generator=plane,
    )


BOTH: dict[str, Generator] = {
    "decay, X = -1": Generator.from_matrix([["-1"]]),
    "boost, X = [[0, 1], [1, 0]]": Generator.from_matrix([["0", "1"], ["1", "0"]]),
    "nilpotent, X = [[0, 1], [0, 0]]": Generator.from_matrix([["0", "1"], ["0", "0"]]),
    "damped rotation, X = -1 + J": Generator.from_matrix([["-1", "-1"], ["1", "-1"]]),
}


def _at(e: FunctionMatrix, t: int, s: int) -> FunctionMatrix:
    return entrywise(lambda f: f.compose({"t": t, "s": s}), e)


def _same_map(name: str) -> Decision:
    """G(t)ᵀG(s) with G(s) = exp(−sX), against A(t − s)."""
    e = exponential(BOTH[name]).matrix()
    product = multiply_functions(transpose(_at(e, -1, 0)), _at(e, 0, -1))
    return same_functions(_at(e, 1, -1), product)


def invariant_forms(x: fmpq_mat) -> list[fmpq_mat]:
    """A basis of the symmetric S with XᵀS + SX = 0."""
    n = x.nrows()
    pairs = [(i, j) for i in range(n) for j in range(i, n)]
    columns = []
    for i, j in pairs:
        unit = fmpq_mat(n, n)
        unit[i, j] = unit[j, i] = fmpq(1)
        image = x.transpose() * unit + unit * x
        columns.append([image[a, b] for a in range(n) for b in range(n)])
    system = fmpq_mat(columns).transpose()
    found = []
    for v in nullspace(system):
        form = fmpq_mat(n, n)
        for index, (i, j) in enumerate(pairs):
            form[i, j] = form[j, i] = v[index, 0]
        found.append(form)
    return found


def _no_inner_product(name: str) -> Decision:
    """Every invariant form has eᵢᵀSeᵢ = 0 for some i, or trace 0: none is positive definite."""
    x = fmpq_mat([[e.rational_value() for e in row] for row in BOTH[name].matrix])
    forms = invariant_forms(x)
    n = x.nrows()
    diagonal = [i for i in range(n) if all(f[i, i] == 0 for f in forms)]
    traceless = all(sum((f[i, i] for i in range(n)), fmpq(0)) == 0 for f in forms)
    if not diagonal and not traceless:
        return Decision(Outcome.PROVED, {"forms": str(forms)})
    why = f"e_{diagonal[0]}^T S e_{diagonal[0]} = 0" if diagonal else "the trace of S is 0"
    return Decision(
        Outcome.REFUTED,
        {"dimension of the invariant forms": str(len(forms))},
        f"X^T S + S X = 0 leaves only S with {why}",
    )


def _twin(name: str) -> Twin:
    def decided() -> Decision:
        product, form = _same_map(name), _no_inner_product(name)
        if {product.outcome, form.outcome} == {Outcome.REFUTED}:
            witness = f"G(t)^T G(s) {product.witness}; {form.witness}"
            return Decision(Outcome.REFUTED, {**product.evidence, **form.evidence}, witness)
        return Decision(Outcome.UNDECIDED, {"reason": "the twin stands"})

    short = name.split(",", maxsplit=1)[0].replace(" ", "-")
    return Twin(
        f"same-map-{short}",
        f"skewness: {name.replace('X = ', '$X = $ ')}.",
        "One map serves queries and keys, in the standard inner product or in any other.",
        decided,
    )


def _function_of_the_sum() -> Decision:
    """e^{−ct}·e^{−cs} = f(t + s) with f(x) = e^{−cx}."""
    rate = ComplexScalar(-Scalar.symbol("c"))
    decay = ExponentialPolynomial.exponential
    return same_function(
        decay("t", rate).compose({"t": 1, "s": 1}), decay("t", rate) * decay("s", rate)
    )


DERIVATION = Derivation(
    name="one-map",
    title="When one map can serve queries and keys",
    chapter="axioms",
    statement=r"""
Let $A(\tau) = e^{\tau X}$. There are constant invertible $C, D$ and one family of maps $G$ with

$$\bigl(G(t)\,C q\bigr)^\top \bigl(G(s)\,D k\bigr) = q^\top A(t-s)\,k$$

for all $q, k, t, s$, exactly when $X^\top S + S X = 0$ for some symmetric positive definite $S$,
that is, when $X$ is skew in some inner product; and this is so exactly when $X$ is semisimple with
purely imaginary spectrum.
""".strip(),
    hypotheses=(
        "$A(t) = e^{tX}$, and $C$, $D$ do not depend on the position",
        "$X$ is semisimple",
        "every eigenvalue of $X$ is purely imaginary",
    ),
    prose=r"""
RoPE, STRING and GRAPE-M may turn queries and keys by the same rotation. A decay, a boost, a
nilpotent or a damped block must not stand on both sides: the product is then a function of $t + s$,
or of both positions, and never of the lag. The constants $C$ and $D$ are absorbed in
the projections $W_q$ and $W_k$; without them $G(0)^\top G(0) = I$, and $X$ itself must be skew.
""".strip(),
    steps=(
        Step(
            "invariant-form",
            r"With $M = G(0)D$: $G(s)D = M A(-s)$ by the gauge theorem, and $G(s)^\top G(s) = "
            r"C^{-\top}D^{-1}$ does not depend on $s$. So $A(-s)^\top S\,A(-s)$ with "
            r"$S = M^\top M$ does not either: at $s = 0$ it is $S$.",
            Rule.REWRITING,
            _invariant_form,
        ),
        Step(
            "infinitesimal",
            r"$\frac{d}{dt} A^\top S A = A^\top (X^\top S + S X) A$: the form is invariant exactly "
            r"when $X^\top S + S X = 0$.",
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
            "skew-in-a-basis",
            r"With $S = M^\top M$ the matrix $Y = M X M^{-1}$ is skew.",
            Rule.REWRITING,
            _skew_in_a_basis,
        ),
        Step(
            "semisimple-imaginary",
            r"A skew $Y$ has no real part, $v^\top Y v = 0$, and for real $b$ the matrix "
            r"$W = Y^2 + b^2$ is symmetric: $W^2 v = 0$ gives $|Wv|^2 = v^\top W^2 v = 0$, and "
            r"$Y^2 v = 0$ gives $|Yv|^2 = -v^\top Y^2 v = 0$: no Jordan chain is longer than 1.",
            Rule.REWRITING,
            _semisimple,
        ),
        Step(
            "converse",
            r"If $X = P K P^{-1}$ with skew $K$, then $G(t) = e^{-tK}$, $C = P^\top$, $D = P^{-1}$ "
            r"is such a pair, and $S = P^{-\top}P^{-1}$ is invariant.",
            Rule.REWRITING,
            _converse,
        ),
        Step(
            "real-blocks-are-skew",
            "The real Jordan form of a semisimple $X$ with imaginary spectrum has blocks $0$ and "
            "$bJ$, which are skew for every $b$.",
            Rule.LINEAR_ALGEBRA,
            _planes,
        ),
        Step(
            "decay-on-both-sides",
            r"$e^{-\lambda t} e^{-\lambda s}$ depends on $t + s$ alone.",
            Rule.NORMAL_FORM,
            _function_of_the_sum,
        ),
        Step(
            "one-map-for-every-size",
            "Skew generators: one map serves both sides, for every size.",
            Rule.ROCQ,
            lambda: cited(
                "Laws.one_map",
                "dot n (apply n (E (- t)) q) (apply n (E (- s)) k) = bilinear n q (E (t - s)) k",
            ),
        ),
    ),
    twins=tuple(_twin(name) for name in BOTH),
    answers=(
        Answer(
            "8.1-13",
            Outcome.REFUTED,
            "same-map-decay",
            "one side needs the inverse transpose; boosts and nilpotent blocks likewise",
        ),
    ),
    uses=("homomorphism", "gauge", "exponential"),
    assumes=("every real matrix has a real Jordan form (Jordan 1870)",),
    rocq=("Laws.invariant_form", "Laws.one_map", "Laws.orthogonality"),
    justifies=("symbolic_pe.proof.prover", "rope", "grape-m"),
    sources=("A. Puranik, positional encodings through group theory, Jane Street, 2026",),
)
