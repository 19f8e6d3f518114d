"""The spectrum of ALiBi's bias, for every length."""

from __future__ import annotations

from flint import arb, fmpz_mat

from derivations.spectral.tools import (
    BITS,
    at_quarter_turns,
    constant,
    cosine,
    eigenvalues,
    equalities,
    identities,
    number,
    precision,
    refuted,
    shown,
    sine,
    toeplitz,
)
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Decision, Outcome, holds
from symbolic_pe.proof.decisions import all_of, cited
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin
from symbolic_pe.spectrum.linear_bias import bias_spectrum, hyperbolic_root

LARGEST_CHECKED = 24


def _second_difference() -> Decision:
    """|t + 1| − 2|t| + |t − 1| = 2·[t = 0], with t the lag: three cases."""
    t = Scalar.symbol("t")
    two = ONE + ONE
    return equalities(
        {
            "t >= 1": ((t + ONE) - two * t + (t - ONE), number(0)),
            "t <= -1": (-(t + ONE) + two * t - (t - ONE), number(0)),
            "t = 0": (ONE + ONE, two),
        }
    )


def _waves() -> Decision:
    """sin(a + 2h) − 2 sin a + sin(a − 2h) = −4 sin²h·sin a, with a = ωx and h = ω/2."""
    factor = (sine(h=1) * sine(h=1)).scale(number(-4))
    return identities(
        {
            "odd": (
                sine(a=1, h=2) - sine(a=1).scale(number(2)) + sine(a=1, h=-2),
                factor * sine(a=1),
            ),
            "even": (
                cosine(a=1, h=2) - cosine(a=1).scale(number(2)) + cosine(a=1, h=-2),
                factor * cosine(a=1),
            ),
        }
    )


def _odd_end() -> Decision:
    """v_{−1} − v_0 of an odd wave at the end x = −(n − 1)/2, with e = nω/2, h = ω/2."""
    outside, end = -sine(e=1, h=1), -sine(e=1, h=-1)
    return identities(
        {"v_(-1) - v_0": (outside - end, (cosine(e=1) * sine(h=1)).scale(number(-2)))}
    )


def _even_end() -> Decision:
    """(Bv)_0 = λv_0 for m = 1, λ = 1/q, q = 2 sin²h, with d = v_{−1} − v_0.

    The sum of all second differences is 2d = −2q·Σv, and Σ_j j·v_j = (n − 1)/2·Σv by symmetry.
    """
    n, q, d, v = (Scalar.symbol(x) for x in ("n", "q", "d", "v0"))
    total = -d / q
    excess = -(n - ONE) / number(2) * total - v / q
    outside, end = cosine(e=1, h=1), cosine(e=1, h=-1)
    return all_of(
        {
            "(Bv)_0 - lambda v_0, times 2q": equalities(
                {"value": (excess * number(2) * q, (n - ONE) * d - v - v)}
            ),
            "(n - 1) v_(-1) - (n + 1) v_0": identities(
                {"value": (outside.scale(n - ONE) - end.scale(n + ONE), _even(n).scale(number(-2)))}
            ),
        }
    )


def _even(n: Scalar) -> ExponentialPolynomial:
    """g = cos e·cos h + n·sin e·sin h, whose roots are the even waves."""
    return cosine(e=1) * cosine(h=1) + (sine(e=1) * sine(h=1)).scale(n)


def _count() -> Decision:
    """g at ω = 2πk/n: e = πk, and 0 ≤ h = πk/n < π/2 for 2k < n, so that cos h > 0.

    The last index with 2i + 1 < n (odd waves), and with 2i < n (last sign of g), n = 2k and 2k + 1.
    """
    k = Scalar.symbol("k")
    g = _even(Scalar.symbol("n"))
    even, odd = k + k, k + k + ONE
    last_odd, next_odd = (k - ONE) + (k - ONE) + ONE, k + k + ONE
    return all_of(
        {
            "signs of g alternate": identities(
                {
                    f"k = {turns} modulo 2": (
                        at_quarter_turns(g, "e", 2 * turns),
                        cosine(h=1).scale(number(1 - 2 * turns)),
                    )
                    for turns in (0, 1)
                }
            ),
            "n = 2k: odd waves i < k, signs i < k": equalities(
                {
                    "2(k - 1) + 1 < n": (even - last_odd, ONE),
                    "2k + 1 >= n": (next_odd - even, ONE),
                    "2(k - 1) < n": (even - (k - ONE) - (k - ONE), number(2)),
                    "2k >= n": (k + k - even, ZERO),
                    "k + (k - 1) + 1 waves": (k + (k - ONE) + ONE, even),
                }
            ),
            "n = 2k + 1: odd waves i < k, signs i <= k": equalities(
                {
                    "2(k - 1) + 1 < n": (odd - last_odd, number(2)),
                    "2k + 1 >= n": (next_odd - odd, ZERO),
                    "2k < n": (odd - k - k, ONE),
                    "2(k + 1) >= n": (k + k + number(2) - odd, ONE),
                    "k + k + 1 waves": (k + k + ONE, odd),
                }
            ),
        }
    )


def _cuts() -> Decision:
    """D(i, j) = Σ_k([k < i] − [k < j])²: one more row changes the term k = i alone.

    With b = [i < j]: (1 − b)² − (0 − b)² = 1 − 2b, as |i + 1 − j| − |i − j|; and D(j, j) = 0.
    """
    i, j = Scalar.symbol("i"), Scalar.symbol("j")
    square_of_one, square_of_nought = (ONE - ONE) ** 2 - ONE, ONE - ZERO
    return equalities(
        {
            "i < j (b = 1)": (square_of_one, (j - (i + ONE)) - (j - i)),
            "i >= j (b = 0)": (square_of_nought, ((i + ONE) - j) - (i - j)),
        }
    )


def _determinants() -> Decision:
    return cited(
        "Spectra.lag_determinant",
        "determinant (S (S n)) lag = (-1) ^ S n * INR (S n) * 2 ^ n",
    )


def _small_determinants() -> Decision:
    """What Rocq calls `lag` is |i − j|: its determinants by another route."""
    wrong = [
        n
        for n in range(2, LARGEST_CHECKED + 1)
        if fmpz_mat([[abs(i - j) for j in range(n)] for i in range(n)]).det()
        != (-1) ** (n - 1) * (n - 1) * 2 ** (n - 2)
    ]
    return holds(not wrong, f"fails for n = {wrong}", n=f"2 to {LARGEST_CHECKED}")


def _largest() -> Decision:
    """1/(2x²(1 − x²/6)²) at x = π/2n is 2n²/π²·(1 − π²/24n²)^{−2}."""
    n, pi = Scalar.symbol("n"), Scalar.symbol("p")
    x = pi / (n + n)
    return equalities(
        {
            "1/(2 x^2)": (ONE / (number(2) * x * x), number(2) * n * n / (pi * pi)),
            "1 - x^2/6": (ONE - x * x / number(6), ONE - pi * pi / (number(24) * n * n)),
        }
    )


def _cosines_alone() -> Decision:
    """n = 2: g = cos ω·cos(ω/2) + 2 sin ω·sin(ω/2) has no root in (0, π).

    g = cos(ω/2)·(1 + 2 sin²(ω/2)) > 0, and the even eigenvector (1, 1) has eigenvalue −1.
    """
    g = cosine(h=2) * cosine(h=1) + (sine(h=2) * sine(h=1)).scale(number(2))
    square = sine(h=1) * sine(h=1)
    found = identities({"g": (g, cosine(h=1) * (constant(1) + square.scale(number(2))))})
    if found.outcome is not Outcome.PROVED:
        return Decision(Outcome.UNDECIDED)
    return Decision(
        Outcome.REFUTED,
        {},
        "n = 2: g = cos(w/2)(1 + 2 sin(w/2)^2) > 0 for 0 < w < pi, so no cosine is an "
        "eigenvector, and (1, 1) is one, with the eigenvalue -1",
    )


def _power_sums(n: Scalar) -> list[Scalar]:
    """Σ_{i<n} i^k for k = 0 … 4."""
    square = n * (n - ONE) / number(2)
    return [
        n,
        square,
        n * (n - ONE) * (n + n - ONE) / number(6),
        square * square,
        n * (n - ONE) * (n + n - ONE) * (number(3) * n * n - number(3) * n - ONE) / number(30),
    ]


def _row_centred() -> Decision:
    """Row sums of |i − j|, and the sum of their squares, with symbolic n."""
    n, i = Scalar.symbol("n"), Scalar.symbol("i")
    sums, after = _power_sums(n), _power_sums(n + ONE)
    row = (i * (i + ONE) + (n - ONE - i) * (n - i)) / number(2)
    # row = i² − (n − 1)i + n(n − 1)/2, squared and summed over i
    b, c = ONE - n, n * (n - ONE) / number(2)
    total = (
        sums[4]
        + (b + b) * sums[3]
        + (b * b + c + c) * sums[2]
        + (b * c + b * c) * sums[1]
        + c * c * sums[0]
    )
    square = n * n - ONE
    found = n * square * (number(3) * n * n - number(7)) / number(240)
    found = found + n * square * square / number(24) + n * square * square / number(16)
    return equalities(
        {
            **{f"sum of i^{k}": (after[k] - sums[k], n**k) for k in range(5)},
            "row sum": (row, i * i + b * i + c),
            "squares of row sums": (total, found),
            "squared norm, one position more": (
                _squared_norm(n + ONE) - _squared_norm(n),
                sums[2] * number(2) + n * n * number(2),
            ),
        }
    )


def _squared_norm(n: Scalar) -> Scalar:
    """Σ|i − j|² = n²(n² − 1)/6; one position more adds 2·Σ_{t≤n} t²."""
    return n * n * (n * n - ONE) / number(6)


def _determinant_sign() -> Decision:
    """(n − 1)·2^{n−2} without its sign: n = 2 gives −1."""
    found = int(fmpz_mat([[0, 1], [1, 0]]).det())
    if found == 1:
        return Decision(Outcome.PROVED)
    return Decision(
        Outcome.REFUTED, {}, f"n = 2: det |i - j| is {found}, and (n - 1) 2^(n - 2) is 1"
    )


def _extremes() -> Decision:
    with precision(BITS):
        n = 9
        found = bias_spectrum(ONE, n)
        dense = eigenvalues(toeplitz([arb(-t) for t in range(n)]))
        million = bias_spectrum(ONE, 10**6)
        square = arb(10) ** 12
        return holds(
            bool(
                dense[0].overlaps(found.largest)
                and dense[-1].overlaps(found.negative)
                and dense[-2] > arb(1) / 2
            ),
            "the closed form and the dense matrix disagree",
            largest_over_n_squared_at_a_million=shown(million.largest / square),
            negative_over_n_squared_at_a_million=shown(million.negative / square),
            two_over_pi_squared=shown(2 / arb.pi() ** 2),
        )


def _limit_constant() -> Decision:
    """(κ/2)tanh(κ/2) = 1 by a sign change, and 2/κ² = 0.34741."""
    with precision(BITS):
        low, high = arb("2.3993572"), arb("2.3993573")
        excess = [(x / 2) * (x / 2).tanh() - 1 for x in (low, high)]
        constant_ball = 2 / low.union(high) ** 2
        scaled = hyperbolic_root(10**6) * 10**6
        return holds(
            bool(
                excess[0] < 0 < excess[1]
                and abs(constant_ball - arb("0.34741")) < arb("0.00001")
                and abs(scaled - low.union(high)) < arb("0.00001")
            ),
            "the root is elsewhere",
            constant=constant_ball.str(5, radius=False),
        )


def _definite() -> Decision:
    """x = (1, 1): −|i − j| gives −2."""
    with precision(BITS):
        return refuted(
            "n = 2, x = (1, 1), which does not add to 0: the form is -2*|0 - 1| =", arb(-2)
        )


def _rising() -> Decision:
    """m = −1, x = (1, −1), which adds to 0: the form is Σ x_i x_j |i − j| = −2."""
    x = (1, -1)
    form = sum(x[i] * x[j] * abs(i - j) for i in range(2) for j in range(2))
    if form >= 0:
        return Decision(Outcome.PROVED)
    return Decision(
        Outcome.REFUTED, {}, f"m = -1, n = 2, x = (1, -1), which adds to 0: the form is {form}"
    )


def _printed_frequency() -> Decision:
    """2n²/π² as the exact largest eigenvalue: for n = 2 it is 1 and not 8/π²."""
    with precision(BITS):
        return refuted(
            "n = 2: the largest eigenvalue is 1/(2 sin^2(pi/4)) = 1, and 2n^2/pi^2 is less by",
            1 - 8 / arb.pi() ** 2,
        )


DERIVATION = Derivation(
    name="linear-bias",
    title="ALiBi's bias matrix has one negative eigenvalue and waves for the others",
    chapter="spectral",
    statement=r"""
The matrix $B = -m|i-j|$, $m > 0$, $n \ge 2$, has inertia $(n-1, 1)$ and trace 0. Its
eigenvectors are waves in
$x = i - (n-1)/2$ with eigenvalue $m/(2\sin^2(\omega/2))$:

$$\begin{aligned}
\sin\omega x &: & \omega &= \tfrac{(2k+1)\pi}{n}, \\
\cos\omega x &: & \cot\tfrac{\omega}{2}\cot\tfrac{n\omega}{2} &= -n, \\
\cosh\eta x &: & \coth\tfrac{\eta}{2}\coth\tfrac{n\eta}{2} &= n,
\end{aligned}$$

the last with eigenvalue $-m/(2\sinh^2(\eta/2))$. The largest is $m/(2\sin^2(\pi/2n)) \sim
2mn^2/\pi^2$, the negative one
$\sim -2mn^2/\kappa^2$ with $(\kappa/2)\tanh(\kappa/2) = 1$. On vectors that add to 0 the form is
positive. For $m = 1$ the determinant of $-B = |i-j|$ is $(-1)^{n-1}(n-1)2^{n-2}$.
""".strip(),
    hypotheses=("$x$ adds to 0, for positivity", "$m > 0$"),
    steps=(
        Step(
            "second-difference",
            r"$|t+1| - 2|t| + |t-1| = 2\,[t = 0]$, so the second difference of $Bv$ is $-2mv$.",
            Rule.NORMAL_FORM,
            _second_difference,
        ),
        Step(
            "waves",
            r"Waves have the second difference $-4\sin^2(\omega/2)$ times themselves.",
            Rule.NORMAL_FORM,
            _waves,
        ),
        Step(
            "odd-end",
            r"$Bv - \lambda v$ has second difference 0 and is odd with $v$, so it is $bx$; as "
            r"$\sum v = 0$, $b = 0$ exactly when $v_{-1} = v_0$, that is $\cos(n\omega/2) = 0$.",
            Rule.NORMAL_FORM,
            _odd_end,
        ),
        Step(
            "even-end",
            r"For even $v$ it is constant, and 0 exactly when $(n-1)v_{-1} = (n+1)v_0$, that is "
            r"$g = \cos\frac{n\omega}{2}\cos\frac{\omega}{2} + "
            r"n\sin\frac{n\omega}{2}\sin\frac{\omega}{2} = 0$, for every $n$.",
            Rule.NORMAL_FORM,
            _even_end,
            "With i*eta for omega this is the equation of hyperbolic waves.",
        ),
        Step(
            "all-of-them",
            r"$g(2\pi k/n) = (-1)^k\cos(\pi k/n)$, so $g$ has a root between neighbours with "
            r"$2k < n$; odd waves, these and the hyperbolic one are $n$ for every $n$.",
            Rule.NORMAL_FORM,
            _count,
            "Distinct waves have distinct eigenvalues, or one is odd and one even, so these are "
            r"all. $\coth(\eta/2)\coth(n\eta/2)$ falls from $\infty$ to 1 and takes the value "
            "$n > 1$ once.",
        ),
        Step(
            "conditionally-positive",
            r"$|i-j| = \sum_k([k<i]-[k<j])^2$, so $-\sum_{ij}x_ix_j|i-j| = "
            r"2\sum_k\bigl(\sum_{i>k}x_i\bigr)^2$ when "
            r"$\sum x_i = 0$: induction over $i$, for every $i$ and $j$.",
            Rule.NORMAL_FORM,
            _cuts,
            "The sum is 0 for x = 0 alone, so n - 1 eigenvalues are positive; the trace is 0, so "
            "one is "
            "negative.",
        ),
        Step(
            "determinants",
            r"$\det|i-j| = (-1)^{n-1}(n-1)2^{n-2}$ for every $n \ge 2$.",
            Rule.ROCQ,
            _determinants,
            "Rows less the rows before, twice, leave 2 at one place of every row but two.",
        ),
        Step(
            "small-determinants",
            r"The same for $n \le 24$ by another route.",
            Rule.LINEAR_ALGEBRA,
            _small_determinants,
        ),
        Step(
            "largest",
            r"$\frac{2n^2}{\pi^2} < \frac{1}{2\sin^2(\pi/2n)} < "
            r"\frac{2n^2}{\pi^2}\bigl(1-\frac{\pi^2}{24n^2}\bigr)^{-2}$.",
            Rule.NORMAL_FORM,
            _largest,
            r"From $x - x^3/6 < \sin x < x$.",
        ),
        Step(
            "row-centred",
            r"$\lVert B\rVert^2 = m^2n^2(n^2-1)/6$ and $\lVert B1\rVert^2 = "
            r"m^2\sum_x(x^2+\frac{n^2-1}4)^2$: row-centring leaves 3/10 of the squared norm in the "
            "limit.",
            Rule.NORMAL_FORM,
            _row_centred,
            r"Odd waves are not changed by it: $2/\pi^2 = 0.203$ is the limit of the row-centred "
            "norm over $mn^2$.",
        ),
        Step(
            "extremes",
            "Closed form against the dense matrix for 9 positions; values at a million.",
            Rule.BALLS,
            _extremes,
        ),
        Step(
            "limit",
            r"$2/\kappa^2 = 0.34741$.",
            Rule.BALLS,
            _limit_constant,
            r"The equation reads $n\tanh(\kappa_n/2n) = \coth(\kappa_n/2)$ with "
            r"$\kappa_n = n\eta$, and $y - y^3/3 < \tanh y < y$, so $\kappa_n$ falls to $\kappa$.",
        ),
    ),
    twins=(
        Twin(
            "definite",
            "vectors that add to 0.",
            "The bias is positive semidefinite.",
            _definite,
        ),
        Twin(
            "rising-bias",
            "$m > 0$.",
            "Biases that rise with the lag are positive on vectors that add to 0 as well.",
            _rising,
        ),
        Twin(
            "sign-of-the-determinant",
            "the sign of the determinant.",
            r"$\det|i-j| = (n-1)2^{n-2}$.",
            _determinant_sign,
        ),
        Twin(
            "one-wave-too-many",
            "the hyperbolic wave.",
            r"All even eigenvectors are cosines $\cos\omega x$ with $0 < \omega < \pi$.",
            _cosines_alone,
        ),
        Twin(
            "asymptotic-as-exact",
            "the limit of long sequences.",
            r"The largest eigenvalue is $2mn^2/\pi^2$.",
            _printed_frequency,
        ),
    ),
    answers=(Answer("V7", Outcome.PROVED, "all-of-them"),),
    rocq=("Spectra.lag_determinant",),
    justifies=("symbolic_pe.spectrum.linear_bias",),
    sources=("Press et al., arXiv:2108.12409 (ALiBi)",),
)
