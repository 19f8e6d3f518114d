"""A conjugate pair: rotation with scaling; RoPE and the direction it turns in."""

from __future__ import annotations

from symbolic_pe.algebra.complex_scalar import ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.functions import exponential, logarithm
from symbolic_pe.algebra.matrix import (
    FunctionMatrix,
    ScalarMatrix,
    multiply,
    multiply_functions,
    transpose,
)
from symbolic_pe.algebra.scalar import HALF, ONE, ZERO, Scalar
from symbolic_pe.decision import Decision, Outcome
from symbolic_pe.encodings.witnesses import equals
from symbolic_pe.generators.block import Block
from symbolic_pe.proof.decisions import (
    all_of,
    flow_laws,
    same_function,
    same_functions,
    same_matrix,
    same_value,
    taken_at,
)
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin

A, B, THETA = (Scalar.symbol(x) for x in ("a", "b", "theta"))
J, D = Scalar.symbol("j"), Scalar.symbol("d")
SIGNS = {"theta": "positive"}


def turn(angle: Scalar) -> FunctionMatrix:
    """R(angle·t)."""
    return Block(ZERO, angle).exponential("t")


def score(query: FunctionMatrix, key: FunctionMatrix) -> FunctionMatrix:
    """F(t)ᵀ·G(s) of maps given at t."""
    return multiply_functions(transpose(taken_at(query, t=1, s=0)), taken_at(key, t=0, s=1))


def _laws() -> Decision:
    block = Block(A, B)
    return flow_laws(block.generator, block.exponential("t"))


def _scaling() -> Decision:
    """EᵀE = e^{2aτ}·I."""
    e = Block(A, B).exponential("t")
    gram = multiply_functions(transpose(e), e)
    growth, zero = Block(A + A).exponential("t")[0][0], ExponentialPolynomial(("t",), {})
    return same_functions(((growth, zero), (zero, growth)), gram)


def _rope() -> Decision:
    """F = G = R(+θ·): A(τ) = R(−θτ), so X = −θJ."""
    return same_functions(taken_at(turn(-THETA), t=1, s=-1), score(turn(THETA), turn(THETA)))


def _ladder() -> Decision:
    """θ_{j+1}/θ_j = base^{−2/d} < 1 for base > 1: exponents −2j/d fall by 2/d."""
    two = Scalar.rational(2)
    exponent = -(two * J) / D
    step = exponent.substitute({"j": J + ONE}) - exponent
    return all_of(
        {
            "exponent of theta_0": same_value(ZERO, exponent.substitute({"j": ZERO}), "theta_0"),
            "step of the exponent": same_value(-(two / D), step, "step"),
            "last plane, j = d/2 - 1": same_value(
                two / D - ONE, exponent.substitute({"j": D / two - ONE}), "last exponent"
            ),
        }
    )


def _period() -> Decision:
    """The angle at lag 2π/θ is 2π: the lag after which a plane returns grows as θ falls."""
    lag = Scalar.rational(2) * Scalar.symbol("pi") / THETA
    return same_value(
        Scalar.rational(2) * Scalar.symbol("pi"), THETA * lag, "angle at the lag 2 pi/theta"
    )


def _other_direction() -> Decision:
    return same_functions(taken_at(turn(THETA), t=1, s=-1), score(turn(THETA), turn(THETA)), SIGNS)


def hermitian_score(query: int, key: int) -> ExponentialPolynomial:
    """Re(conj(q e^{±iθt})·(k e^{±iθs})) for q = 1, k = i; the signs are given."""

    def wave(sign: int, variable: str) -> ExponentialPolynomial:
        rate = ComplexScalar(ZERO, THETA if sign > 0 else -THETA)
        return ExponentialPolynomial.exponential(variable, rate)

    def constant(imaginary: Scalar) -> ExponentialPolynomial:
        return ExponentialPolynomial.constant(ComplexScalar(ZERO, imaginary))

    product = constant(ONE) * wave(-query, "t") * wave(key, "s")
    conjugate = constant(-ONE) * wave(query, "t") * wave(-key, "s")
    return (product + conjugate).scale(HALF)


def _yarn() -> Decision:
    """YaRN eq 8 prints the angle θ(m − n), query m at t and key n at s: −sin θ(t − s)."""
    printed = -ExponentialPolynomial.sine("t", THETA).compose({"t": 1, "s": -1})
    return same_function(printed, hermitian_score(1, 1), SIGNS)


def _roformer_transpose() -> Decision:
    """Eq 16 prints xᵀW R W x for (Wx)ᵀR(Wx), here with R = I."""
    w: ScalarMatrix = ((ZERO, ONE), (ZERO, ZERO))
    return same_matrix(
        multiply(w, w), multiply(transpose(w), w), "W = [[0, 1], [0, 0]], R = I: W W and W^T W"
    )


def _roformer_index() -> Decision:
    """θ of the first pair: base^{−2(i−1)/d} at i = 1 (eq 15) and base^{−2i/d} (section 3.3)."""
    ln_base = logarithm(Scalar.rational(10000))

    def frequency(index: int, dim: int) -> Scalar:
        return exponential(ln_base * Scalar.rational(-2 * index) / Scalar.rational(dim))

    return same_value(
        frequency(0, 4), frequency(1, 4), "d = 4, i = 1: eq 15 and section 3.3 for theta_1"
    )


def _mamba_paper() -> Decision:
    """Paper: B, C turned by the transpose (−); code: by +. The scores are R(+θτ) and R(−θτ)."""
    return same_functions(score(turn(-THETA), turn(-THETA)), score(turn(THETA), turn(THETA)), SIGNS)


def _absorbed() -> Decision:
    """θ ↦ −θ carries one to the other, so a learned θ does not see the difference."""
    flipped = tuple(
        tuple(f.substitute({"theta": -THETA}) for f in row)
        for row in score(turn(THETA), turn(THETA))
    )
    return same_functions(score(turn(-THETA), turn(-THETA)), flipped)


def _xpos() -> Decision:
    """xPos eq 5–6: q e^{iθn} and k e^{−iθm} under the Hermitian product; the lag needs +iθm."""
    return same_function(hermitian_score(1, 1), hermitian_score(1, -1), SIGNS)


def _temperature() -> Decision:
    """YaRN multiplies q and k by m = 0.1 ln s + 1 each: A(0) = m², at s = e¹⁰ it is 4."""
    ten = Scalar.rational(10)
    factor = ONE / ten * logarithm(exponential(ten)) + ONE
    return equals(ONE, factor * factor, "A(0) of the score of YaRN at s = exp(10)")


DERIVATION = Derivation(
    name="rotation",
    title="A conjugate pair turns and scales; RoPE is the pair without scaling",
    chapter="classification",
    statement=r"""
The block $aI + bJ$, $J = \begin{pmatrix}0&-1\\1&0\end{pmatrix}$, has the flow
$e^{a\tau}R(b\tau)$, which multiplies lengths by $e^{a\tau}$. RoPE turns queries and keys by
$R(+\theta\cdot)$; its scores have

$$A(\tau) = R(-\theta\tau), \qquad X = -\theta J, \qquad \theta_j = \beta^{-2j/d}.$$
""".strip(),
    hypotheses=(
        "$q$ and $k$ are turned by $+\\theta$ times their positions, in one orientation of the "
        "plane",
        "$A(0) = I$: a scalar temperature is kept apart",
    ),
    prose=r"""
Frequencies fall geometrically from $\theta_0 = 1$: a plane returns after the lag $2\pi/\theta_j$,
so high frequencies tell near positions apart and low ones far positions. Signs are where print
goes wrong most often; each of them is decided below.
""".strip(),
    steps=(
        Step("laws", "$e^{a\\tau}R(b\\tau)$ is the flow.", Rule.NORMAL_FORM, _laws),
        Step("scaling", r"$E^\top E = e^{2a\tau} I$.", Rule.NORMAL_FORM, _scaling),
        Step(
            "rope",
            r"$R(\theta t)^\top R(\theta s) = R(-\theta(t-s))$.",
            Rule.NORMAL_FORM,
            _rope,
        ),
        Step(
            "ladder",
            r"$\theta_0 = 1$, $\theta_{j+1} = \beta^{-2/d}\theta_j$, and the last plane has "
            r"$\beta^{2/d - 1}$, for every $d$.",
            Rule.NORMAL_FORM,
            _ladder,
        ),
        Step(
            "period",
            r"After the lag $2\pi/\theta_j$ a plane has turned once; the lag grows with $j$.",
            Rule.EVALUATION,
            _period,
        ),
        Step(
            "learned-frequency",
            r"Turning both sides the other way is $\theta \mapsto -\theta$: a learned $\theta$ "
            r"absorbs "
            "it.",
            Rule.NORMAL_FORM,
            _absorbed,
        ),
    ),
    twins=(
        Twin(
            "turned-the-other-way",
            "the orientation.",
            r"RoPE has $A(\tau) = R(+\theta\tau)$.",
            _other_direction,
        ),
        Twin(
            "yarn-equation-8",
            "the conjugate where it stands: YaRN's equation 8 conjugates the query at $m$.",
            r"$\mathrm{Re}(\bar q k\,\cdot)$ has the phase $\theta(m - n)$; at $q = 1$, $k = i$.",
            _yarn,
        ),
        Twin(
            "roformer-index",
            "one index: RoFormer has $i - 1$ in equation 15 and $i$ in section 3.3, both from $1$.",
            "Both give the same frequency of the first pair.",
            _roformer_index,
        ),
        Twin(
            "roformer-transpose",
            "the transpose: RoFormer's equation 16 prints $x^\\top W_q R W_k x$.",
            "It is $(W_q x)^\\top R\\,(W_k x)$.",
            _roformer_transpose,
        ),
        Twin(
            "mamba-3-transpose",
            "one sign: Mamba-3's paper turns by the transpose, its code by $+$ the angle.",
            "Both have the same scores at the same angles.",
            _mamba_paper,
        ),
        Twin(
            "xpos-conjugate",
            "the same phase on both sides: xPos prints $e^{-i\\theta n}$ on keys for equations 5 "
            "and 6, with the Hermitian product.",
            "The phase is that of the lag.",
            _xpos,
        ),
        Twin(
            "temperature",
            "$A(0) = I$: YaRN, LongRoPE and DeepSeek scale both sides by a temperature.",
            "The score of YaRN has $A(0) = I$.",
            _temperature,
        ),
    ),
    answers=(
        Answer("S1.5", Outcome.PROVED, "rope", "usual RoPE has A(τ) = R(−θτ); layout apart"),
        Answer("8.1-8", Outcome.REFUTED, "xpos-conjugate", "+iθ on both sides; 512 only in code"),
        Answer("8.1-9", Outcome.REFUTED, "yarn-equation-8", "the phase is θ(n − m)"),
        Answer("8.1-10", Outcome.REFUTED, "roformer-index", "i − 1 is right"),
        Answer("8.1-10", Outcome.REFUTED, "roformer-transpose", "W_q stands transposed"),
        Answer("8.1-12", Outcome.REFUTED, "mamba-3-transpose", "absorbed by a learned θ"),
        Answer("8.1-21", Outcome.REFUTED, "temperature", "score = c²·qᵀA(τ)k with A(0) = I"),
    ),
    uses=("exponential", "one-map"),
    rocq=("Chains.pair_chain_is_flow", "Laws.one_map"),
    justifies=("rope", "xpos", "retnet", "grape-m"),
    sources=(
        "Su et al., arXiv:2104.09864",
        "Sun et al., xPos, arXiv:2212.10554, equations 5 to 10",
        "Peng et al., YaRN, arXiv:2309.00071, equation 8",
        "Mamba-3, arXiv:2603.15569",
    ),
)
