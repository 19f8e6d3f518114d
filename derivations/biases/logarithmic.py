"""−p·ln(1 + aτ) (KERPLE) has no finite-dimensional realisation."""

from __future__ import annotations

from flint import arb, arb_mat

from symbolic_pe.algebra.scalar import ONE, Scalar, precision
from symbolic_pe.decision import Decision, Outcome
from symbolic_pe.proof.decisions import cited, same_value
from symbolic_pe.proof.derivation import Derivation, Rule, Step, Twin, holds
from symbolic_pe.proof.hypergeometric import logarithmic_derivative

P, A, T, N = (Scalar.symbol(x) for x in ("p", "a", "t", "n"))
SIZES = range(1, 8)
BITS = 512


def _equation() -> Decision:
    """b = −p·ln(1 + aτ) has (1 + aτ)·b′ = −pa."""
    rate = -P * logarithmic_derivative(ONE + A * T, "t")
    return same_value(-(P * A), (ONE + A * T) * rate, "(1 + a tau) b'")


def _pole() -> Decision:
    """(1 + aτ)·f′ + pa for f in the ring is in the ring; at τ = −1/a it is pa, whatever f is."""
    derivative = Scalar.symbol("D")
    at_pole = (ONE + A * T).substitute({"t": -(ONE / A)}) * derivative + P * A
    return same_value(P * A, at_pole, "(1 + a tau) f' + p a at tau = -1/a, f' = D")


def determinants(values: list[arb]) -> list[arb]:
    """Hankel determinants of sizes 1, 2, …, as far as the values reach."""
    return [
        arb_mat([[values[i + j] for j in range(n)] for i in range(n)]).det()
        for n in range(1, (len(values) + 1) // 2 + 1)
    ]


def _integers() -> Decision:
    """b(n) = −ln(1 + n), n = 1, 2, …: the determinants of sizes 1 to 7 are not 0."""
    with precision(BITS):
        values = [-(arb(n + 1).log()) for n in range(1, 2 * len(SIZES))]
        found = determinants(values)
        shown = {f"size {n}": d.str(6, radius=False) for n, d in zip(SIZES, found, strict=True)}
        apart = all(not d.contains(0) for d in found)
    if not apart:
        return Decision(Outcome.UNDECIDED, {**shown, "reason": "a ball contains 0"})
    return holds(True, **shown)


def _moments() -> Decision:
    """ln(1 + a(n+1)) − ln(1 + an) = ∫₀^∞ e^{−(n + 1/a)s}·(1 − e^{−s})/s ds for every n.

    Both sides tend to 0 as n grows, and their derivatives in n agree: under the integral the
    factor −s cancels 1/s and leaves ∫ e^{−cs} ds = 1/c twice.
    """
    start = N + ONE / A
    under_the_integral = -(ONE / start - ONE / (start + ONE))
    difference = A / (ONE + A * (N + ONE)) - A / (ONE + A * N)
    return same_value(difference, under_the_integral, "derivatives in n")


def _finite() -> Decision:
    """Six coordinates for b(n) = −ln(1 + n): the 7 × 7 determinant would be 0."""
    with precision(BITS):
        values = [-(arb(n + 1).log()) for n in range(1, 14)]
        last = determinants(values)[-1]
        shown = last.str(6, radius=False)
        zero = last.contains(0)
    if zero:
        return Decision(Outcome.UNDECIDED, {"reason": "the ball contains 0"})
    return Decision(
        Outcome.REFUTED,
        {"determinant": shown},
        f"b(n) = -ln(1 + n): the 7 x 7 Hankel determinant of b(1), ..., b(13) is {shown}, not 0",
    )


def _no_pole() -> Decision:
    """a = 0: the bias is constant, and a constant is realised."""
    return same_value(P * A, (P * A).substitute({"a": ONE - ONE}), "p a at a = 0")


DERIVATION = Derivation(
    name="logarithmic-bias",
    title="A logarithmic bias is no group in any dimension",
    chapter="biases",
    statement=r"""
For $p \ne 0$, $a > 0$ the bias $b(\tau) = -p\ln(1 + a\tau)$ (KERPLE, logarithmic) is no
$q^\top e^{\tau X} k$ with constant $q, k$ and $X$ of any finite size: not on $\tau \ge 0$, and
not on the integers $n \ge 0$ with $q^\top B^n k$ either.
""".strip(),
    hypotheses=("$a \\ne 0$ and $p \\ne 0$",),
    prose=r"""
Two arguments. *On the reals:* $b$ solves $(1 + a\tau)b' = -pa$. If $b$ were an exponential
polynomial $f$, then $(1 + a\tau)f' + pa$ would be one that vanishes on a half-line, hence
everywhere; but at $\tau = -1/a$ it is $pa$, whatever $f$ is.

*On the integers:* $\ln(1 + a(n+1)) - \ln(1 + an)$ are the moments $\int_0^1 x^n\,w(x)\,dx$ of a
positive weight (with $x = e^{-s}$ below), so
$\sum_{i,j} c_i c_j\,\Delta(i+j) = \int (\sum_i c_i x^i)^2 w > 0$ for all $c \ne 0$: the Hankel
matrix of every size is positive definite, and no finite size has all these ranks.
""".strip(),
    steps=(
        Step("equation", r"$(1 + a\tau)\,b' = -pa$.", Rule.NORMAL_FORM, _equation),
        Step(
            "pole",
            r"$(1 + a\tau)f' + pa$ is $pa \ne 0$ at $\tau = -1/a$, for every $f$ in the ring.",
            Rule.NORMAL_FORM,
            _pole,
            "$D$ stands for any value of $f'$ there: elements of the ring are differentiable on "
            "all of the line.",
        ),
        Step(
            "half-line",
            "An element of the ring that vanishes for all $\\tau \\ge 0$ vanishes everywhere: it "
            "is what a flow gives (`realisable-biases`).",
            Rule.ROCQ,
            lambda: cited(
                "HalfLine.known_on_a_half_line", "forall t : R, bilinear n p (E t) q = 0"
            ),
        ),
        Step(
            "for-every-size",
            r"In Rocq by another road: derivatives of what a flow gives grow like powers, those "
            r"of a "
            "logarithm like factorials.",
            Rule.ROCQ,
            lambda: cited(
                "Growth.logarithm_is_not_realised",
                "~ (forall t : R, 0 <= t -> bilinear n p (E t) q = c * ln (1 + a * t))",
            ),
        ),
        Step(
            "moments",
            r"$\ln\frac{1 + a(n+1)}{1 + an} = \int_0^\infty "
            r"e^{-(n + 1/a)s}\,\frac{1 - e^{-s}}{s}\,ds$: "
            r"both sides tend to $0$, and their derivatives in $n$ agree.",
            Rule.NORMAL_FORM,
            _moments,
        ),
        Step(
            "determinants",
            r"For $a = 1$ the Hankel determinants of sizes 1 to 7, by balls.",
            Rule.BALLS,
            _integers,
        ),
    ),
    twins=(
        Twin(
            "six-coordinates",
            "the theorem: six coordinates are tried, with $a = p = 1$.",
            "$-\\ln(1 + n)$ is realised at integer lags.",
            _finite,
        ),
        Twin(
            "without-curvature",
            "$a \\ne 0$.",
            "The value $pa$ at the pole does not vanish.",
            _no_pole,
        ),
    ),
    uses=("realisable-biases",),
    rocq=("HalfLine.known_on_a_half_line", "Growth.logarithm_is_not_realised"),
    justifies=("kerple",),
    sources=("Chi et al., KERPLE, arXiv:2205.09921",),
)
