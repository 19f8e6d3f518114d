"""Wiener's mean square, and where the energy of constant content lies."""

from __future__ import annotations

from flint import arb, fmpq

from derivations.spectral.tools import (
    BITS,
    constant,
    cosine,
    identities,
    ladder,
    number,
    precision,
    shown,
    sine,
)
from symbolic_pe.algebra.scalar import HALF
from symbolic_pe.decision import Decision, Outcome, holds
from symbolic_pe.encodings.catalogue import catalogue
from symbolic_pe.encodings.specification import from_document
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin
from symbolic_pe.spectrum.kernel import positional_kernel


def _product() -> Decision:
    return identities(
        {
            "product of two cosines": (
                cosine(a=1) * cosine(b=1),
                (cosine(a=1, b=1) + cosine(a=1, b=-1)).scale(HALF),
            ),
            "square": (cosine(a=1) * cosine(a=1), (constant(1) + cosine(a=2)).scale(HALF)),
        }
    )


def _bounded() -> Decision:
    """2·sin h·cos(a) telescopes, so |Σ_{t<n} cos φt| ≤ 1/|sin(φ/2)|."""
    return identities(
        {
            "one term": (
                (sine(h=1) * cosine(a=1)).scale(number(2)),
                sine(a=1, h=1) - sine(a=1, h=-1),
            )
        }
    )


def _measured() -> Decision:
    """d = 16, n = 10⁵: (1/n)Σκ(t)² in closed form, near 1/16."""
    with precision(BITS):
        n, thetas = 10**5, ladder(16, 10000)
        total = arb(0)
        for x in thetas:
            for y in thetas:
                for phi in (x + y, x - y):
                    half = phi / 2
                    # Σ_{t<n} cos φt = cos((n − 1)φ/2)·sin(nφ/2)/sin(φ/2)
                    term = (
                        arb(n)
                        if half.contains(0)
                        else ((n - 1) * half).cos() * (n * half).sin() / half.sin()
                    )
                    total += term / 2
        mean = total / n / len(thetas) ** 2
        return holds(
            bool(abs(mean - fmpq(1, 16)) < arb(1) / 2000),
            "the mean square is not near 1/16",
            mean_square=shown(mean),
            limit=fmpq(1, 16),
        )


def _merged() -> Decision:
    """Two equal frequencies are one atom: ½Σm² of the merged kernel against 1/d, d = 4."""
    blocks = {"generator": {"blocks": [{"frequency": "1", "repeat": 2}]}}
    kernel = positional_kernel(from_document(blocks))
    limit = sum((c.mass * c.mass / 2 for c in kernel.components), start=fmpq(0))
    expected = fmpq(1, kernel.dimension)
    if limit == expected:
        return Decision(Outcome.PROVED)
    return Decision(
        Outcome.REFUTED,
        {"limit": limit},
        f"d = {kernel.dimension} with the frequencies 1, 1: the kernel is cos(t), whose mean "
        f"square "
        f"tends to {limit}, and 1/d is {expected}",
    )


def _high_frequencies() -> Decision:
    """Masses of the frequencies above 0.1 rad per position, base 10⁴, d = 128, exactly."""
    kernel = positional_kernel(catalogue("rope", {"dim": 128}))
    nope = positional_kernel(catalogue("nope", {"dim": 128}))
    with precision(BITS):
        above = sum(
            (c.mass for c in kernel.components if c.frequency.enclosure() > arb(1) / 10),
            start=fmpq(0),
        )
    assert not any(c.turns for c in nope.components)
    if above == 0:
        return Decision(Outcome.PROVED)
    return Decision(
        Outcome.REFUTED,
        {"RoPE": above, "NoPE": fmpq(0)},
        f"constant content, base 10^4, d = 128: {above} of the energy lies above 0.1 rad per "
        "position with RoPE and 0 without position",
    )


DERIVATION = Derivation(
    name="mean-square-of-the-kernel",
    title="The mean square of the kernel is the sum of squared atoms",
    chapter="spectral",
    statement=r"""
For a kernel $\kappa(t) = \sum_k m_k\cos\theta_kt$ with distinct $\theta_k \in (0, \pi)$,

$$\frac1n\sum_{t<n}\kappa(t)^2 \longrightarrow \tfrac12\sum_k m_k^2,$$

the sum of the squared atoms of the symbol: $1/d$ for $d/2$ equal pairs.
""".strip(),
    hypotheses=("frequencies are distinct and lie in $(0, \\pi)$",),
    steps=(
        Step(
            "product",
            r"$\kappa^2$ is a sum of cosines of $\theta_k \pm \theta_l$, with $\tfrac12\sum "
            r"m_k^2$ at "
            "frequency 0.",
            Rule.NORMAL_FORM,
            _product,
        ),
        Step(
            "bounded",
            r"$\bigl|\sum_{t<n}\cos\varphi t\bigr| \le 1/|\sin(\varphi/2)|$ for $\varphi\ne0$, "
            r"so the mean "
            "of the others tends to 0.",
            Rule.NORMAL_FORM,
            _bounded,
        ),
        Step("measured", "$d = 16$, base $10^4$, $n = 10^5$.", Rule.BALLS, _measured),
    ),
    twins=(
        Twin(
            "equal-frequencies",
            "distinct frequencies.",
            "The limit is $1/d$ for all frequencies.",
            _merged,
        ),
        Twin(
            "low-pass",
            "decay, whose Poisson kernels suppress high frequencies.",
            "Contraction by RoPE suppresses high-frequency components.",
            _high_frequencies,
        ),
    ),
    answers=(
        Answer("V9", Outcome.PROVED, "bounded"),
        Answer("S2.5", Outcome.REFUTED, "low-pass", "decay does, rotation does not"),
        Answer("F14", Outcome.REFUTED, "low-pass", "opposite for constant content"),
    ),
    uses=("dirichlet-gram",),
    sources=("Wiener (1930)",),
)
