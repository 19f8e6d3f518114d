"""FoX is ALiBi of slope 1 on a learned clock; which prefix sum it is."""

from __future__ import annotations

from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.matrix import ScalarMatrix, identity, multiply, transpose
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Decision, Outcome
from symbolic_pe.encodings.augmentation import nilpotent_exponential, realised_bias
from symbolic_pe.proof.decisions import all_of, cited, same_function, same_value, taken_at
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin

GATES = tuple(Scalar.symbol(f"g{n}") for n in range(6))
"""log f_0, …, log f_5."""
M = Scalar.symbol("m")


def inclusive(t: int) -> Scalar:
    """c_t = Σ_{l ≤ t} log f_l."""
    return sum(GATES[: t + 1], ZERO)


def exclusive(t: int) -> Scalar:
    """U_t = Σ_{l < t} log f_l."""
    return sum(GATES[:t], ZERO)


def defined(t: int, s: int) -> Scalar:
    """D_ts = Σ_{l = s+1 … t} log f_l."""
    return sum(GATES[s + 1 : t + 1], ZERO)


def _clock() -> Decision:
    """(−1, 0)ᵀ exp((T_t − T_s)N) (0, 1) = −(T_t − T_s), readings as variables."""
    flow = taken_at(nilpotent_exponential(((ZERO, ONE), (ZERO, ZERO))), T_t=1, T_s=-1)
    reading = ExponentialPolynomial.variable("T_t") - ExponentialPolynomial.variable("T_s")
    return same_function(-reading, realised_bias((-ONE, ZERO), flow, (ZERO, ONE)))


def _telescopes() -> Decision:
    """c_t − c_s = Σ_{l=s+1..t} log f_l: one step is c_t − c_{t−1} = log f_t."""
    steps = {
        f"c_{t} - c_{t - 1} = log f_{t}": same_value(
            GATES[t], inclusive(t) - inclusive(t - 1), f"step {t}"
        )
        for t in range(1, 6)
    }
    sums = {
        f"(t, s) = ({t}, {s})": same_value(
            defined(t, s), inclusive(t) - inclusive(s), f"D at ({t}, {s})"
        )
        for t, s in ((5, 2), (4, 0), (3, 3))
    }
    return all_of({**steps, **sums})


def _constant_gates() -> Decision:
    """log f = −m everywhere: D_ts = −m(t − s)."""
    values = {f"g{n}": -M for n in range(6)}
    return same_value(-(M * Scalar.rational(3)), defined(5, 2).substitute(values), "D at (5, 2)")


def _additive() -> Decision:
    """D_ts = D_tu + D_us."""
    return same_value(defined(5, 0), defined(5, 2) + defined(2, 0), "D at (5, 0) through 2")


def _exclusive_sum() -> Decision:
    return same_value(
        defined(3, 1),
        exclusive(3) - exclusive(1),
        "D_(3,1) = log f_2 + log f_3 and U_3 - U_1",
    )


def _grape_product() -> Decision:
    """GRAPE App. C: (I + D·E)^−T with q = (1, 0), k = (0, 1), E = e₂e₁ᵀ gives −D."""
    d = Scalar.symbol("D")
    step: ScalarMatrix = ((ONE, ZERO), (d, ONE))
    inverse: ScalarMatrix = ((ONE, ZERO), (-d, ONE))
    if multiply(step, inverse) != identity(2):
        return Decision(Outcome.UNDECIDED, {"reason": "the inverse is not the inverse"})
    found = transpose(inverse)[0][1]
    return same_value(d, found, "q = (1, 0), k = (0, 1), (I + D E)^(-T) with E = [[0, 0], [1, 0]]")


def _index_time() -> Decision:
    """f_2 ≠ f_3: lag 1 at (2, 1) and (3, 2)."""
    values = {"g2": -ONE, "g3": -Scalar.rational(2)}
    return same_value(
        defined(2, 1).substitute(values),
        defined(3, 2).substitute(values),
        "log f_2 = -1, log f_3 = -2: D at (2, 1) and (3, 2), both of lag 1",
    )


DERIVATION = Derivation(
    name="fox",
    title="FoX is a linear bias on a learned clock",
    chapter="augmentation",
    statement=r"""
With forget gates $f_l \in (0, 1)$ let $D_{ts} = \sum_{l=s+1}^{t} \log f_l$ and
$T_t = -\sum_{l \le t} \log f_l$. Then

$$D_{ts} = -(T_t - T_s) = \begin{pmatrix}-1\\0\end{pmatrix}^{\!\top} e^{(T_t - T_s)N}
\begin{pmatrix}0\\1\end{pmatrix},$$

a group in learned time with two constant coordinates. Constant gates $f = e^{-m}$ are ALiBi.
""".strip(),
    hypotheses=(
        "prefix sums are inclusive: $l \\le t$",
        "the clock is learned: relativity is in clock time",
    ),
    steps=(
        Step(
            "two-coordinates",
            r"$(-1, 0)^\top e^{(T_t - T_s)N}(0, 1) = -(T_t - T_s)$, with readings as variables.",
            Rule.NORMAL_FORM,
            _clock,
        ),
        Step(
            "prefix-sums",
            r"$c_t - c_{t-1} = \log f_t$ for inclusive sums $c_t = -T_t$, so $c_t - c_s$ "
            r"telescopes to $D_{ts}$; gates are symbols.",
            Rule.NORMAL_FORM,
            _telescopes,
        ),
        Step("group-law", r"$D_{ts} = D_{tu} + D_{us}$.", Rule.NORMAL_FORM, _additive),
        Step("alibi", r"$\log f = -m$ gives $-m(t - s)$.", Rule.NORMAL_FORM, _constant_gates),
        Step(
            "augmentation-for-every-size",
            "Appended constants add $u^\\top e^{(t-s)Y} w$ to any score.",
            Rule.ROCQ,
            lambda: cited("Augmentation.score_with_bias", "bilinear k u (B (t - s)) w"),
        ),
    ),
    twins=(
        Twin(
            "exclusive-sums",
            r"inclusive sums: GRAPE prints $U_u = \sum_{l < u}$.",
            r"$U_t - U_s = D_{ts}$.",
            _exclusive_sum,
        ),
        Twin(
            "grape-appendix-c",
            r"the sign: GRAPE's appendix C has $I + D E$ with the inverse transpose.",
            "The score is $q^\\top k + D$.",
            _grape_product,
        ),
        Twin(
            "index-time",
            "clock time.",
            "$D_{ts}$ is a function of $t - s$.",
            _index_time,
        ),
    ),
    answers=(
        Answer("8.1-3", Outcome.REFUTED, "grape-appendix-c", "(I − bE), as in its section 5"),
        Answer("8.1-5", Outcome.REFUTED, "exclusive-sums", "l ≤ u for the sum over l = j + 1 … t"),
    ),
    uses=("clocks", "alibi-augmentation"),
    rocq=("Augmentation.score_with_bias",),
    justifies=("fox",),
    sources=(
        "Lin et al., FoX, arXiv:2503.02130, equations 7 to 13",
        "Zhang et al., GRAPE, ICLR 2026, section 5 and appendix C",
    ),
)
