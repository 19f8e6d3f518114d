"""Windows of RoPE: certified lags, and bases that are no threshold."""

from __future__ import annotations

from flint import arb, fmpq

from derivations.spectral.tools import equal_weights, ladder, precision, shown
from symbolic_pe.algebra.functions import power
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.decision import Decision, Outcome, holds
from symbolic_pe.proof.derivation import Derivation, Rule, Step, Twin
from symbolic_pe.spectrum.relations import rational_relations

BITS = 64


def first_negative(dimension: int, base: int, limit: int) -> tuple[int | None, arb]:
    """The first lag in 1 … limit where the kernel is negative, with its value; every sign decided.

    Raises `ArithmeticError` when a ball contains 0.
    """
    with precision(BITS):
        for lag, value in enumerate(equal_weights(ladder(dimension, base), limit + 1)):
            if value.contains(0):
                raise ArithmeticError(f"the sign at lag {lag} is not decided")
            if value < 0:
                return lag, value
    return None, arb(0)


def _known(dimension: int, base: int, lag: int) -> Decision:
    found, value = first_negative(dimension, base, lag + 5)
    return holds(found == lag, f"found {found}", first_negative_lag=lag, value=shown(value))


def _relations() -> Decision:
    found = {}
    for base in (10_000, 500_000, 1_000_000):
        frequencies = [power(Scalar.rational(base), fmpq(-k, 64)) for k in range(64)]
        found[base] = rational_relations(frequencies)
    dimensions = {base: r.dimension for base, r in found.items()}
    period = found[10_000].period
    return holds(
        dimensions == {10_000: 16, 500_000: 64, 1_000_000: 32}
        and period is not None
        and period[0] == 16,
        "other dimensions",
        dimensions=[f"{b}: {d}" for b, d in dimensions.items()],
        period="theta_(k+16) = theta_k/10 for base 10^4",
    )


def _threshold() -> Decision:
    """L = 1024, d = 128: 4300 serves, 4400 does not."""
    low, _ = first_negative(128, 4300, 1023)
    high, value = first_negative(128, 4400, 1023)
    if low is not None or high is None:
        return Decision(Outcome.PROVED)
    return Decision(
        Outcome.REFUTED,
        {},
        f"d = 128, 1024 positions: base 4300 is positive at every lag below 1024; base 4400 is "
        f"negative "
        f"at lag {high}: {shown(value)}",
    )


def _larger_is_longer() -> Decision:
    low, _ = first_negative(64, 500_000, 7000)
    high, value = first_negative(64, 1_000_000, 7000)
    if high is None or low is not None:
        return Decision(Outcome.PROVED)
    return Decision(
        Outcome.REFUTED,
        {},
        f"d = 64: base 10^6 is negative at lag {high} ({shown(value)}), base 5*10^5 is positive at "
        "every lag up to 7000",
    )


DERIVATION = Derivation(
    name="windows-of-bases",
    title="The window of a base is certified, and no base is a threshold",
    chapter="spectral",
    statement=r"""
With equal weights, $\kappa_b(m) = \frac{2}{d}\sum_k\cos(m\,b^{-2k/d})$ is positive at every lag
before its first
negative one, $m^*(b)$. $m^*$ is not monotone in $b$: the bases that serve a window are a union
of intervals.
""".strip(),
    hypotheses=("equal weights of all planes",),
    steps=(
        Step(
            "d-128-base-10000",
            "$d = 128$, $b = 10^4$.",
            Rule.BALLS,
            lambda: _known(128, 10_000, 1707),
        ),
        Step(
            "d-16-base-10000", "$d = 16$, $b = 10^4$.", Rule.BALLS, lambda: _known(16, 10_000, 91)
        ),
        Step(
            "d-64-base-million",
            "$d = 64$, $b = 10^6$.",
            Rule.BALLS,
            lambda: _known(64, 1_000_000, 6235),
        ),
        Step(
            "relations",
            "Dimension over the rationals of the span of 64 frequencies, three bases.",
            Rule.LINEAR_ALGEBRA,
            _relations,
        ),
    ),
    twins=(
        Twin(
            "lower-bound",
            "a check of all larger bases.",
            "Every base above the minimal one for 1024 positions serves 1024 positions.",
            _threshold,
        ),
        Twin(
            "larger-base-longer-window",
            "a check of the window itself.",
            "A larger base has a longer window.",
            _larger_is_longer,
        ),
    ),
    justifies=("numeric_check.spectrum.window", "numeric_check.spectrum.search"),
    sources=("Xu et al., arXiv:2405.14591",),
)
