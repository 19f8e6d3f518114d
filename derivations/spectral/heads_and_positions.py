"""What scores alone cannot show of positions, and why no single head need carry them."""

from __future__ import annotations

from flint import arb, fmpq

from derivations.spectral.tools import (
    BITS,
    constant,
    cosine,
    equalities,
    identities,
    number,
    precision,
    refuted,
    sine,
)
from symbolic_pe.algebra.scalar import ONE, Scalar
from symbolic_pe.decision import Decision, Outcome
from symbolic_pe.proof.decisions import all_of
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin
from symbolic_pe.proof.rewriting import Equation, Family, positions, rewrite
from symbolic_pe.proof.rewriting import constant as letter

HERE, THERE = positions("i j")
X, C, F = Family("x"), letter("c"), letter("f")
SAME = Equation("x(i) = c", X(HERE), C)


def _weights() -> Decision:
    """Σ_j α_j·v = (Σ_j α_j)·v, and weights add to 1: any number of keys, any mask."""
    total, v = Scalar.symbol("sum"), Scalar.symbol("v")
    return equalities({"output": ((total * v).substitute({"sum": ONE}), v)})


def _layers() -> Decision:
    """A map that works token by token, f: f x(i) = f c = f x(j)."""
    return rewrite(
        Equation("one layer", F * X(HERE), F * X(THERE)),
        [(F * C, SAME), (F * X(THERE), SAME.at(i=THERE))],
    )


def _table() -> Decision:
    """p_k·p_i = cos θ(i − k) = 1 − 2 sin²(θ(i − k)/2), with i − k = 2h/θ."""
    square = sine(h=1) * sine(h=1)
    return identities(
        {
            "p_k . p_i": (cosine(x=1) * cosine(y=1) + sine(x=1) * sine(y=1), cosine(x=1, y=-1)),
            "below 1": (cosine(h=2), constant(1) - square.scale(number(2))),
        }
    )


def _doubled() -> Decision:
    """w·o = (w/2)·o + (w/2)·o; without one copy it is (w/2)·o."""
    w, o = Scalar.symbol("w"), Scalar.symbol("o")
    half = w / number(2)
    return all_of(
        {
            "the same function": equalities({"output": (half * o + half * o, w * o)}),
            "one copy less": equalities({"drop": (w * o - half * o, half * o)}),
        }
    )


def _index(weights: tuple[fmpq, ...]) -> fmpq:
    """Heads of one output 1 with these output weights: the largest drop over the sum of drops."""
    whole = sum(weights, start=fmpq(0))
    kept = [sum(weights[:k] + weights[k + 1 :], start=fmpq(0)) for k in range(len(weights))]
    drops = [whole - x for x in kept]
    return max(drops) / sum(drops, start=fmpq(0))


def _best_read_out(outputs: list[tuple[fmpq, ...]]) -> fmpq:
    """The share of positions that the best function of the output names: one for each value."""
    return fmpq(len(set(map(str, outputs))), len(outputs))


def _rotations_win() -> Decision:
    """Two positions, content c = (1, 1), label the position; any weights α, here 1/3 and 1/5."""
    content = (fmpq(1), fmpq(1))
    mixed = [tuple(a * x + (1 - a) * x for x in content) for a in (fmpq(1, 3), fmpq(1, 5))]
    table = [tuple(x + fmpq(int(i == k)) for k, x in enumerate(content)) for i in range(2)]
    rotated, tabled = _best_read_out(mixed), _best_read_out(table)
    if rotated >= tabled:
        return Decision(Outcome.PROVED)
    return Decision(
        Outcome.REFUTED,
        {},
        "two tokens of content (1, 1), label the position: weights of any scores give both the "
        f"output (1, 1), so no read-out is right with more than {rotated}; with the table (1, 0), "
        f"(0, 1) added to the tokens the larger channel is right with {tabled}",
    )


def _single_head() -> Decision:
    one, two = _index((fmpq(1), fmpq(0))), _index((fmpq(1, 2), fmpq(1, 2)))
    if one == two:
        return Decision(Outcome.PROVED)
    return Decision(
        Outcome.REFUTED,
        {},
        f"one head of two with all of the output: index {one}; the same function with two copies "
        f"of that head, each with half of it: index {two}, whatever the encoding",
    )


def _concatenation_spreads() -> Decision:
    """Concatenated heads of which the second has output weight 0."""
    index = _index((fmpq(1), fmpq(0)))
    if index < 1:
        return Decision(Outcome.PROVED)
    return Decision(
        Outcome.REFUTED,
        {},
        "concatenated queries and keys, two heads, output weights 1 and 0: the index is "
        f"{index}, all of it in one head",
    )


def _marked() -> Decision:
    """A marker of value 1 at position 0 and tokens of value 0: weights of the marker."""
    with precision(BITS):
        one, two, here = arb(1).cos().exp(), arb(2).cos().exp(), arb(1).exp()
        first = one / (one + here)
        second = two / (two + one + here)
        return refuted(
            "a marker of value 1 and then tokens of value 0, q = k = (1, 0), frequency 1, causal: "
            "outputs at positions 1 and 2 differ by",
            first - second,
        )


DERIVATION = Derivation(
    name="heads-and-positions",
    title="Scores alone show no absolute position at one content, and heads can share position",
    chapter="spectral",
    statement=r"""
Let every token have one content, and let the encoding act on scores alone: rotations, biases,
concatenated heads. Then after every layer all tokens are equal, with and without a mask, so no
read-out tells $n$ equally likely positions with more than $1/n$. With a table added to the tokens
one read-out tells them always.

A head and two copies of it with half of its output each compute one function. Ablating heads then
gives the deposit indices $1$ and $\tfrac12$: the index belongs to the weights, not to the encoding
and not to the function.
""".strip(),
    hypotheses=(
        "one content, for equal outputs",
        "the encoding acts on scores alone, for equal outputs",
    ),
    prose=r"""
Published claims say that rotations win on tasks that depend on position and deposit position in
single heads, and that concatenated heads spread it. As statements about every task and every model
they are false. What training of a given model on a given task finds is a matter of measurement,
with seeds: [two tasks with known ceilings](../reference/tasks.md).
""".strip(),
    steps=(
        Step(
            "weights",
            "A mean of equal values is that value, whatever the weights.",
            Rule.NORMAL_FORM,
            _weights,
        ),
        Step(
            "layers",
            "Maps that work token by token keep equal tokens equal; so does every layer.",
            Rule.REWRITING,
            _layers,
        ),
        Step(
            "table",
            r"With $p_k = (\cos k\theta, \sin k\theta)$, $0 < \theta \le 2\pi/n$, the largest of "
            r"$p_k\cdot p_i$ is at $k = i$, for every $n$.",
            Rule.NORMAL_FORM,
            _table,
        ),
        Step(
            "doubled",
            "Two halved copies of a head are the head; each of them is half of it.",
            Rule.NORMAL_FORM,
            _doubled,
        ),
    ),
    twins=(
        Twin(
            "rotations-win",
            "tasks about distances alone.",
            "Rotations do at least as well as tables on every task that depends on position.",
            _rotations_win,
        ),
        Twin(
            "single-head",
            "a rule which of equal functions training finds.",
            "A model with rotations has one head that carries position.",
            _single_head,
        ),
        Twin(
            "concatenation-spreads",
            "a rule which of equal functions training finds.",
            "Concatenated heads spread position.",
            _concatenation_spreads,
        ),
        Twin(
            "varied-content",
            "one content.",
            "Encodings of scores alone give all tokens of one kind one output.",
            _marked,
        ),
    ),
    answers=(
        Answer(
            "S2.6",
            Outcome.REFUTED,
            "rotations-win",
            "as stated for every task; on distances it is a matter of measurement",
        ),
        Answer(
            "S2.7",
            Outcome.REFUTED,
            "single-head",
            "as stated for every model; of trained models it is a matter of measurement",
        ),
    ),
    uses=("positional-gradient", "sinusoidal-tables-and-commutants"),
    justifies=("numeric_check.spectrum.lens",),
    sources=("Gu et al., arXiv:2505.13027", "DeepSeek-V2, arXiv:2405.04434 (MLA)"),
)
