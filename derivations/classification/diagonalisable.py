"""Diagonalisable generators give decay, rotation and their combinations; nothing else over ℝ."""

from __future__ import annotations

from itertools import product

from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.scalar import ZERO, Scalar
from symbolic_pe.decision import Decision, Outcome
from symbolic_pe.generators.block import Block
from symbolic_pe.generators.families import family_name
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from symbolic_pe.proof.decisions import all_of, flow_laws
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin, holds

A, B = Scalar.symbol("a"), Scalar.symbol("b")
SIGNS = (-1, 0, 1)


def _exhaustive() -> Decision:
    """An eigenvalue is real or not, its real part negative, zero or positive: six families."""
    names = {
        (pair, sign): family_name(pair=pair, real_part_sign=sign, chain_length=1)
        for pair, sign in product((False, True), SIGNS)
    }
    return holds(
        len(set(names.values())) == 6,
        "two of the six cases have one name",
        real=", ".join(names[False, s] for s in SIGNS),
        pairs=", ".join(names[True, s] for s in SIGNS),
    )


def powers(block: Block) -> set[int]:
    """The powers of t that occur in the entries of the exponential."""
    return {key.powers[0] for row in block.exponential("t") for entry in row for key in entry.terms}


def _no_powers() -> Decision:
    """Entries of blocks of length 1 are e^{at}, e^{at}cos bt, e^{at}sin bt: no power of t."""
    blocks = {"real": Block(A), "pair": Block(A, B)}
    laws = {name: flow_laws(b.generator, b.exponential("t")) for name, b in blocks.items()}
    bare = {
        f"{name}: no power of t": holds(powers(b) == {0}, f"powers {powers(b)}")
        for name, b in blocks.items()
    }
    return all_of({**laws, **bare})


def _plane() -> Decision:
    """All 2 × 2 generators [[0, 1], [−w², −2zw]], w > 0: seven cells, five of them semisimple."""
    generator = Generator.from_matrix(
        [["0", "1"], ["-w^2", "-2*z*w"]], {"w": "positive", "z": "real"}
    )
    cases = real_jordan_form(generator).cases
    shown = {
        ", ".join(case.cell.conditions(generator.assumptions)) or "always": " + ".join(
            b.family + (f" ({b.multiplicity})" if b.multiplicity > 1 else "")
            for b in case.structure
        )
        for case in cases
    }
    semisimple = [c for c in cases if all(b.chain_length == 1 for b in c.structure)]
    allowed = {
        family_name(pair=pair, real_part_sign=sign, chain_length=1)
        for pair, sign in product((False, True), SIGNS)
    }
    right = len(cases) == 7 and len(semisimple) == 5
    inside = all(b.family in allowed for c in semisimple for b in c.structure)
    return holds(right and inside, "the cells are others", **shown)


def _shear() -> Decision:
    """exp(tN) has the entry t: in Σ c·e^{λt} no term has a power of t."""
    entry = Block(ZERO, ZERO, 2).exponential("t")[0][1]
    if (entry - ExponentialPolynomial.variable("t")).vanishes():
        ((key, coefficient),) = entry.terms.items()
        return Decision(
            Outcome.REFUTED,
            {"entry": entry},
            f"X = [[0, 1], [0, 0]]: the entry at row 0, column 1 is t, whose term with power "
            f"{key.powers[0]} and exponent 0 has the coefficient {coefficient}; in every "
            "combination of exponentials it is 0, and these functions are independent",
        )
    return Decision(Outcome.UNDECIDED, {"reason": "the entry is not t"})


DERIVATION = Derivation(
    name="diagonalisable",
    title="Diagonalisable generators give decay, rotation and their combinations",
    chapter="classification",
    statement=r"""
If $X$ is real and diagonalisable over $\mathbb C$, then in a real basis $e^{\tau X}$ is a direct
sum of blocks $e^{a\tau}$ and $e^{a\tau}R(b\tau)$: growth, constants and decay, and the same three
times a rotation. Every entry of $e^{\tau X}$ is a combination of $e^{a\tau}$,
$e^{a\tau}\cos b\tau$ and $e^{a\tau}\sin b\tau$, without powers of $\tau$.
""".strip(),
    hypotheses=("$X$ is diagonalisable over the complex numbers",),
    prose=r"""
The six families are exhaustive because an eigenvalue is real or has a conjugate, and its real
part is negative, zero or positive. What is missing are the defective generators.
""".strip(),
    steps=(
        Step(
            "six-families",
            "Real or pair, real part negative, zero or positive: six families, each with a name.",
            Rule.DEFINITION,
            _exhaustive,
        ),
        Step(
            "flows",
            "The flows of the two kinds of blocks, for all $a$ and $b$, and the functions in them.",
            Rule.NORMAL_FORM,
            _no_powers,
        ),
        Step(
            "all-oscillators",
            r"All generators $\begin{pmatrix}0&1\\-w^2&-2zw\end{pmatrix}$, $w > 0$, by cells of "
            r"the "
            "parameters: the five semisimple cells are of these families, two more are defective.",
            Rule.LINEAR_ALGEBRA,
            _plane,
        ),
    ),
    twins=(
        Twin(
            "defective",
            "diagonalisability.",
            "The entries of $e^{\\tau X}$ are combinations of exponentials.",
            _shear,
        ),
    ),
    answers=(Answer("S1.6", Outcome.PROVED, "six-families", "exhaustive over the reals"),),
    uses=("chains", "pair-chains", "similarity", "direct-sums", "real-eigenvalues", "rotation"),
    assumes=("every real matrix has a real Jordan form (Jordan 1870)",),
    rocq=("Chains.chain_is_flow", "Chains.pair_chain_is_flow", "DirectSums.joined_is_flow"),
    justifies=("symbolic_pe.generators.families.family_name", "symbolic-pe classify"),
    sources=("A. Puranik, positional encodings through group theory, Jane Street, 2026",),
)
