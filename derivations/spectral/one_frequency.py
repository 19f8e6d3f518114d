"""One real frequency has two eigenvalues in closed form, for every length."""

from __future__ import annotations

from flint import arb

from derivations.spectral.tools import (
    BITS,
    constant,
    cosine,
    eigenvalues,
    identities,
    number,
    precision,
    refuted,
    shown,
    sine,
    toeplitz,
)
from symbolic_pe.algebra.scalar import HALF
from symbolic_pe.decision import Decision, Outcome, holds
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin


def _two_columns() -> Decision:
    return identities(
        {"entry": (cosine(x=1, y=-1), cosine(x=1) * cosine(y=1) + sine(x=1) * sine(y=1))}
    )


def _orthogonal() -> Decision:
    """The positions x and −x cancel: cos·sin is odd."""
    pair = cosine(x=1) * sine(x=1) + cosine(x=-1) * sine(x=-1)
    return identities({"pair x, -x": (pair, constant(0))})


def _lengths() -> Decision:
    return identities(
        {
            "cos^2": (cosine(x=1) * cosine(x=1), (constant(1) + cosine(x=2)).scale(HALF)),
            "sin^2": (sine(x=1) * sine(x=1), (constant(1) - cosine(x=2)).scale(HALF)),
        }
    )


def _telescopes() -> Decision:
    """2·sin h·cos a = sin(a + h) − sin(a − h): with a = φx, h = φ/2 the sum over x telescopes."""
    return identities(
        {
            "one term": (
                (sine(h=1) * cosine(a=1)).scale(number(2)),
                sine(a=1, h=1) - sine(a=1, h=-1),
            )
        }
    )


def _instance() -> Decision:
    with precision(BITS):
        n, theta = 7, arb(1)
        kernel = toeplitz([(t * theta).cos() for t in range(n)])
        found = eigenvalues(kernel)
        fall = abs((n * theta).sin() / theta.sin())
        expected = [(n + fall) / 2, (n - fall) / 2] + [arb(0)] * (n - 2)
        return holds(
            all(a.overlaps(b) for a, b in zip(found, expected, strict=True)),
            "an eigenvalue lies outside",
            closed_form=[shown(expected[0]), shown(expected[1])],
        )


def _without_absolute_value() -> Decision:
    """The larger one as (n + sin nθ/sin θ)/2: at n = 4, θ = 1 that is the smaller one."""
    with precision(BITS):
        return refuted(
            "n = 4, frequency 1: (n + sin(n)/sin(1))/2 as the largest eigenvalue falls short of "
            "(n - sin(n)/sin(1))/2 by",
            -arb(4).sin() / arb(1).sin(),
        )


DERIVATION = Derivation(
    name="one-frequency-has-two-eigenvalues",
    title="The kernel of one frequency has two eigenvalues that are not zero",
    chapter="spectral",
    statement=r"""
For $\theta \notin \pi\mathbb{Z}$ the $n \times n$ matrix $\cos\theta(i-j)$ has the eigenvalues

$$\frac12\left(n \pm \left|\frac{\sin n\theta}{\sin\theta}\right|\right)$$

and $0$ otherwise.
""".strip(),
    hypotheses=(r"$\theta$ is no multiple of $\pi$",),
    steps=(
        Step(
            "two-columns",
            r"With centred positions $x$: $\cos\theta(x-y) = \cos\theta x\cos\theta y + "
            r"\sin\theta x\sin\theta y$, so $K = cc^\top + ss^\top$.",
            Rule.NORMAL_FORM,
            _two_columns,
        ),
        Step(
            "orthogonal",
            r"$c^\top s = 0$, as positions come in pairs $\pm x$.",
            Rule.NORMAL_FORM,
            _orthogonal,
        ),
        Step(
            "lengths",
            r"$|c|^2 = \tfrac12(n + \sum\cos 2\theta x)$, $|s|^2 = \tfrac12(n - \sum\cos 2\theta "
            r"x)$.",
            Rule.NORMAL_FORM,
            _lengths,
        ),
        Step(
            "dirichlet",
            r"$\sum_x \cos\varphi x = \sin(n\varphi/2)/\sin(\varphi/2)$: the sum telescopes.",
            Rule.NORMAL_FORM,
            _telescopes,
        ),
        Step("instance", "Seven positions, frequency 1.", Rule.BALLS, _instance),
    ),
    twins=(
        Twin(
            "without-absolute-value",
            "the absolute value.",
            r"The largest eigenvalue is $\tfrac12(n + \sin n\theta/\sin\theta)$.",
            _without_absolute_value,
        ),
    ),
    answers=(Answer("V4", Outcome.PROVED, "dirichlet"),),
    sources=("classical; Gu et al., arXiv:2505.13027, for its use",),
)
