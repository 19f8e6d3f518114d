"""Tables of buckets (T5) are no group on the reals nor on the integers."""

from __future__ import annotations

from flint import fmpq

from derivations.biases.powers import LAMBDA, TERM, K, T
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Decision
from symbolic_pe.encodings.realisation import hankel_rank
from symbolic_pe.jordan.integer_step import integer_step
from symbolic_pe.proof.decisions import all_of, cited, same_value
from symbolic_pe.proof.derivation import Derivation, Rule, Step, Twin, holds

BUCKETS, EXACT, FARTHEST = 32, 16, 128
EDGES = (16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113)
"""The first lags of buckets 16 to 31, as published for the causal table."""


def bucket(lag: int) -> int:
    """T5's causal bucket: lags below 16 as they are, then 16 + ⌊16·ln(n/16)/ln 8⌋, at most 31.

    ⌊x⌋ ≥ j exactly when (n/16)^16 ≥ 8^j, in whole numbers.
    """
    if lag < EXACT:
        return lag
    step = 0
    while step < 15 and lag**16 >= 8 ** (step + 1) * 16**16:
        step += 1
    return EXACT + step


def _edges() -> Decision:
    found = tuple(next(n for n in range(200) if bucket(n) == b) for b in range(16, 32))
    return holds(found == EDGES, f"first lags {found}", first_lags=list(found))


def _constant_tail() -> Decision:
    """From lag 113 on the bucket is 31: the bias is constant."""
    return holds(
        all(bucket(n) == 31 for n in range(113, 400)) and bucket(112) == 30,
        "the bucket changes after lag 113",
        last_change="112 to 113",
    )


def _constant_everywhere() -> Decision:
    """(t^k e^{λt})′ = (λt + k)·t^{k−1}e^{λt} is 0 only for λ = 0 and k = 0: constants."""
    factor = (T * TERM.rate("t")).base_value().coefficients_in("t")
    return all_of(
        {
            "coefficient of 1": same_value(K, Scalar({(): factor[0]}), "k"),
            "coefficient of t": same_value(LAMBDA, Scalar({(): factor[1]}), "lambda"),
        }
    )


def _backwards() -> Decision:
    """p(B) = 0 with p₀ ≠ 0 for invertible B: p₀Δ(n) = −Σ pᵢΔ(n + i). If Δ vanishes from N on it
    vanishes before: Δ(N − 1) = −(p₁·0 + … + p_r·0)/p₀.
    """
    p0, p1, p2 = (Scalar.symbol(f"p{i}") for i in range(3))
    previous = -(p1 * ZERO + p2 * ZERO) / p0
    return same_value(ZERO, previous, "the difference before the constant tail")


def _shift_register() -> Decision:
    """The table is a recurrence with the singular shift: B⁴ = 0 reads out 4 free values."""
    values = [Scalar.symbol(f"b{n}") for n in range(4)]
    tail = [ZERO] * 3
    rank = hankel_rank((*values, *tail))
    shift = tuple(tuple(ONE if j == i + 1 else ZERO for j in range(4)) for i in range(4))
    step = integer_step(shift)
    return all_of(
        {
            "rank of the Hankel matrix": same_value(
                Scalar.rational(4), Scalar.rational(rank), "rank"
            ),
            "the shift is singular": holds(not step.invertible, "invertible"),
        }
    )


def _realised() -> Decision:
    """One coordinate λⁿ with b = 1 at lags 0 … 15 and another value after: b(16)·b(14) = b(15)²."""
    first, later = ONE, Scalar.rational(fmpq(1, 2))
    table = {n: first if bucket(n) < 16 else later for n in (14, 15, 16)}
    return same_value(
        table[15] * table[15],
        table[14] * table[16],
        "a table with b = 1 up to lag 15 and 1/2 after, one invertible coordinate: b(15)^2 and "
        "b(14) b(16)",
    )


def _real_line() -> Decision:
    """Continuity at the edge between the lags 15 and 16: values 1 and 1/2."""
    half = Scalar.rational(fmpq(1, 2))
    return same_value(
        ONE,
        half,
        "the table as a function of real lags: the limits at lag 16 from below and from above",
    )


DERIVATION = Derivation(
    name="table-bias",
    title="A table of buckets is no group",
    chapter="biases",
    statement=r"""
T5's bias $b(n) = \beta_{\text{bucket}(n)}$ with at least two different values is relative and is
not $q^\top e^{\tau X}k$ on the reals, nor $q^\top B^n k$ on $n \ge 0$ with an invertible $B$.
With a *singular* $B$ it is: a shift register, which is a semigroup only.
""".strip(),
    hypotheses=("$B$ may be singular", "all values of the table are equal, for a group"),
    prose=r"""
The buckets are exact below 16 and logarithmic up to 128. A table is the free choice of finitely
many numbers; groups cannot forget, and forgetting after lag 113 is what the table does.
""".strip(),
    steps=(
        Step(
            "edges",
            "The buckets in whole numbers, and their published first lags.",
            Rule.EVALUATION,
            _edges,
        ),
        Step(
            "constant-tail",
            "From lag 113 on the bias is constant.",
            Rule.EVALUATION,
            _constant_tail,
            "The bucket grows with the lag and is capped at 31.",
        ),
        Step(
            "on-the-reals",
            r"If $f$ in the ring is constant from some lag on, $f'$ vanishes there, hence "
            r"everywhere, and $(\tau^k e^{\lambda\tau})' "
            r"= (\lambda\tau + k)\,\tau^{k-1}e^{\lambda\tau}$ leaves only $k = \lambda = "
            r"0$: $f$ is constant.",
            Rule.NORMAL_FORM,
            _constant_everywhere,
        ),
        Step(
            "half-line",
            "What a flow gives is known everywhere once it is known on a half-line.",
            Rule.ROCQ,
            lambda: cited(
                "HalfLine.known_on_a_half_line", "forall t : R, bilinear n p (E t) q = 0"
            ),
        ),
        Step(
            "on-the-integers",
            r"For invertible $B$ the characteristic polynomial has $p_0 \ne 0$, and the recurrence "
            r"$p_0\Delta(n) = -\sum_{i>0} p_i \Delta(n+i)$ for $\Delta(n) = b(n+1) - b(n)$ "
            r"carries the "
            "zeros of the tail backwards: the table is constant.",
            Rule.NORMAL_FORM,
            _backwards,
        ),
        Step(
            "shift-register",
            "A finite table followed by zeros has a Hankel matrix of full rank and is read out "
            "by a nilpotent shift; four free values are decided here.",
            Rule.LINEAR_ALGEBRA,
            _shift_register,
        ),
    ),
    twins=(
        Twin(
            "one-invertible-coordinate",
            "equal values: $1$ up to lag 15, $1/2$ after.",
            "One invertible coordinate realises the table.",
            _realised,
        ),
        Twin(
            "continuous",
            "integer lags.",
            "The table is a continuous function of real lags.",
            _real_line,
        ),
    ),
    uses=("realisable-biases", "culver"),
    assumes=("every matrix satisfies its characteristic polynomial (Cayley and Hamilton)",),
    rocq=("HalfLine.known_on_a_half_line",),
    justifies=("t5",),
    sources=("Raffel et al., T5, arXiv:1910.10683, and its code",),
)
