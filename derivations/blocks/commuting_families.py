"""Positions of several coordinates: a group exactly when the generators commute."""

from __future__ import annotations

from symbolic_pe.encodings.forms import SeveralAxes, from_any_document
from symbolic_pe.proof.claim import Outcome
from symbolic_pe.proof.decisions import all_of, cited
from symbolic_pe.proof.derivation import Answer, Decision, Derivation, Rule, Step, Twin
from symbolic_pe.proof.rewriting import (
    IDENTITY,
    NULL,
    ORIGIN,
    Equation,
    Family,
    constant,
    derivative,
    positions,
    rewrite,
)
from symbolic_pe.proof.several_axes import AxesProof, prove_axes

S, T = positions("s t")
E, F = Family("E"), Family("F")
X, Y = constant("X"), constant("Y")
LAWS = {"E": X * E(S), "F": Y * F(S)}
COMMUTE = Equation("X Y = Y X", X * Y, Y * X)
OWN = Equation("E(s) X = X E(s)", E(S) * X, X * E(S))


def _flow_commutes() -> Decision:
    """d/ds E(−s)·Y·E(s) = E(−s)(YX − XY)E(s) = 0, and at s = 0 it is Y: Y·E(s) = E(s)·Y."""
    found = derivative(E(-S) * Y * E(S), "s", {"E": X * E(S)}, "s")
    return rewrite(
        Equation("constant", found, NULL),
        [
            (E(-S) * Y * X * E(S) - E(-S) * X * Y * E(S), OWN.at(s=-S)),
            (NULL, COMMUTE),
        ],
    )


def _product_is_group() -> Decision:
    """A(p) = E(p₁)F(p₂), so A(p)A(q) = E(p₁)F(p₂)E(q₁)F(q₂) = A(p + q)."""
    p1, p2, q1, q2 = positions("p1 p2 q1 q2")
    swap = Equation("F(t) E(s) = E(s) F(t)", F(T) * E(S), E(S) * F(T))
    first = Equation("group law of E", E(S + T), E(S) * E(T))
    second = Equation("group law of F", F(S + T), F(S) * F(T))
    return rewrite(
        Equation("A(p) A(q)", E(p1) * F(p2) * E(q1) * F(q2), E(p1 + q1) * F(p2 + q2)),
        [
            (E(p1) * E(q1) * F(p2) * F(q2), swap.at(t=p2, s=q1)),
            (E(p1 + q1) * F(p2) * F(q2), first.at(s=p1, t=q1)),
            (E(p1 + q1) * F(p2 + q2), second.at(s=p2, t=q2)),
        ],
    )


def _must_commute() -> Decision:
    """A(p)A(q) = A(q)A(p): ∂/∂s ∂/∂t of E(s)F(t) − F(t)E(s) = 0 at 0 is XY − YX."""
    whole = E(S) * F(T) - F(T) * E(S)
    in_s = derivative(whole, "s", LAWS, "s")
    both = derivative(in_s, "t", LAWS, "s").at({"s": ORIGIN, "t": ORIGIN})
    start_e = Equation("E(0) = I", E(ORIGIN), IDENTITY)
    start_f = Equation("F(0) = I", F(ORIGIN), IDENTITY)
    left = X * E(ORIGIN) * Y * F(ORIGIN)
    return rewrite(
        Equation("mixed derivative at 0", both, X * Y - Y * X),
        [
            (left - Y * X * E(ORIGIN), start_f),
            (left - Y * X, start_e),
            (X * Y * F(ORIGIN) - Y * X, start_e),
            (X * Y - Y * X, start_f),
        ],
    )


def skew_axes() -> AxesProof:
    """Two generators of rotations of three-space, about different axes."""
    x = [["0", "0", "0"], ["0", "0", "-1"], ["0", "1", "0"]]
    y = [["0", "0", "1"], ["0", "0", "0"], ["-1", "0", "0"]]
    encoding = from_any_document({"axes": [{"matrix": x}, {"matrix": y}]})
    assert isinstance(encoding, SeveralAxes)
    return prove_axes(encoding)


def _liere() -> Decision:
    claims = {c.name: c for c in skew_axes().claims}
    group, commutators = claims["homomorphism"], claims["commutators"]
    if group.verdict is not Outcome.REFUTED:
        return Decision(group.verdict, {"reason": group.reason})
    return Decision(
        Outcome.REFUTED,
        {"generators": "rotations of R^3 about the first and the second axis"},
        f"{commutators.witness}; {group.witness}",
    )


def _commuting_skew() -> Decision:
    """The package decides a commuting family: rotations of two planes."""
    x = [["0", "-1", "0", "0"], ["1", "0", "0", "0"], ["0"] * 4, ["0"] * 4]
    y = [["0"] * 4, ["0"] * 4, ["0", "0", "0", "-1"], ["0", "0", "1", "0"]]
    mixed = [
        ["0", "-2", "0", "0"],
        ["2", "0", "0", "0"],
        ["0", "0", "0", "3"],
        ["0", "0", "-3", "0"],
    ]
    found = {}
    for name, axes in {"axial": (x, y), "mixed": (x, mixed)}.items():
        encoding = from_any_document({"axes": [{"matrix": a} for a in axes]})
        assert isinstance(encoding, SeveralAxes)
        claims = prove_axes(encoding).claims
        found[name] = all_of({c.name: Decision(c.verdict, {}, c.witness) for c in claims})
    return all_of(found)


DERIVATION = Derivation(
    name="commuting-families",
    title="Several axes are a group exactly when their generators commute",
    chapter="blocks",
    statement=r"""
For real matrices $X_1, \dots, X_n$ let $A(p) = e^{\sum_i p_i X_i}$, $p \in \mathbb R^n$. Then

$$A(p)\,A(q) = A(p+q) \ \text{ for all } p, q \quad\Longleftrightarrow\quad
X_i X_j = X_j X_i \ \text{ for all } i, j,$$

and then scores see $p - q$ alone.
""".strip(),
    hypotheses=("the generators commute in pairs",),
    prose=r"""
Axial and mixed RoPE, M-RoPE, STRING and ComRoPE have commuting generators. LieRE learns skew
generators without that constraint: in one dimension it is a group, in several it is relative to
first order only.
""".strip(),
    steps=(
        Step(
            "flow-commutes",
            r"If $XY = YX$ then $\frac{d}{ds} E(-s)\,Y\,E(s) = 0$, so $Y$ commutes with $E(s)$, "
            r"and likewise $F(t)$ does.",
            Rule.REWRITING,
            _flow_commutes,
        ),
        Step(
            "group-law",
            r"$A(p) = E(p_1)F(p_2)$ and the factors of different axes commute: "
            r"$A(p)A(q) = A(p+q)$.",
            Rule.REWRITING,
            _product_is_group,
        ),
        Step(
            "must-commute",
            r"If $A(p)A(q) = A(p+q) = A(q)A(p)$, then the mixed derivative of "
            r"$E(s)F(t) - F(t)E(s) = 0$ at $0$ is $XY - YX = 0$.",
            Rule.REWRITING,
            _must_commute,
        ),
        Step(
            "for-every-size",
            "Any number of axes, every size.",
            Rule.ROCQ,
            lambda: cited("Axes.axes_group_law", "commuting n m X -> forall p q : vector"),
        ),
        Step(
            "relativity-for-every-size",
            "Scores see the difference of positions.",
            Rule.ROCQ,
            lambda: cited("Axes.axes_relativity", "(shifted p (reversed s))"),
        ),
        Step(
            "converse-for-every-size",
            "A group has generators that commute.",
            Rule.ROCQ,
            lambda: cited("Axes.axes_must_commute", "commuting n m X"),
        ),
        Step(
            "code",
            "The package decides axial and mixed families by their commutators.",
            Rule.LINEAR_ALGEBRA,
            _commuting_skew,
        ),
    ),
    twins=(
        Twin(
            "liere",
            "commuting generators: two rotations of three-space, as LieRE may learn.",
            r"$A(p)A(q) = A(p+q)$ for all positions of the plane.",
            _liere,
        ),
    ),
    answers=(
        Answer(
            "8.1-7",
            Outcome.REFUTED,
            "liere",
            "an exact relative law needs one axis or commuting generators",
        ),
    ),
    uses=("exponential",),
    rocq=("Axes.axes_group_law", "Axes.axes_relativity", "Axes.axes_must_commute"),
    justifies=("symbolic_pe.proof.several_axes.prove_axes", "axial", "rope-mixed", "m-rope"),
    sources=(
        "Ostmeier et al., LieRE, arXiv:2406.10322",
        "Schenck et al., STRING, arXiv:2502.02562",
        "Zhang et al., GRAPE, ICLR 2026, appendix A",
    ),
)
