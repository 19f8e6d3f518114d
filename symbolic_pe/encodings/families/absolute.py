"""Absolute tables p_t that are added to embeddings: sinusoidal and learned."""

from __future__ import annotations

from typing import Any

from flint import fmpq

from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Claim, Decision, holds
from symbolic_pe.encodings.encoding import Verdict
from symbolic_pe.encodings.entry import Entry, Form, Mistake, Published
from symbolic_pe.encodings.outside import Arithmetic, Given, Outside, PositionFunction
from symbolic_pe.encodings.readings import constant, row_entry
from symbolic_pe.encodings.score import KEY, QUERY, Score, choice, cos, sin, total
from symbolic_pe.encodings.settings import Setting, Settings, dimension, number
from symbolic_pe.encodings.witnesses import as_decision, equals, evidenced, not_relative
from symbolic_pe.errors import SpecificationError

CROSS_TERMS = "W = I, x = (1, 0) at both positions, p_n = (sin n, cos n)"


def _sinusoidal(settings: Settings) -> Outside:
    """sin and cos of n·θ, as neighbours, or all sines before all cosines with both ends."""
    dim, base = settings.integer("dim"), settings.texts["base"]
    settings.number("base")
    half = dim // 2
    paired = settings.choice("form") == "paper"
    if not paired and half < 2:
        raise SpecificationError(
            "sinusoidal: dim: expected at least 4, so that the ladder has two ends, got "
            f"{settings.texts['dim']}"
        )
    thetas = [
        parse(f"({base})^(-2*{i}/{dim})" if paired else f"({base})^(-{i}/{half - 1})")
        for i in range(half)
    ]
    columns = [(i // 2, i % 2) for i in range(dim)] if paired else (
        [(i, 0) for i in range(half)] + [(i, 1) for i in range(half)]
    )  # fmt: skip

    def closed_form(_: Arithmetic, given: Given, position: Any, column: int) -> Any:
        plane, is_cosine = columns[column]
        angle = position * given["FREQUENCY"][column if paired else plane]
        return angle.cos() if is_cosine else angle.sin()

    constants = {"FREQUENCY": tuple(thetas[plane] for plane, _ in columns)}
    statements = [("angle", "position * FREQUENCY")]
    result = "where(even, sin(angle), cos(angle))"
    if paired:
        constants["IS_SINE"] = tuple(ZERO if c else ONE for _, c in columns)
        statements.append(("even", "IS_SINE > 0"))
    else:
        constants["FREQUENCY"] = tuple(thetas)
        result = "concat([sin(angle), cos(angle)], -1)"

    score = (1 + sin(QUERY)) * (1 + sin(KEY)) + cos(QUERY) * cos(KEY)
    return Outside(
        "sinusoidal",
        Verdict.NOT_INVARIANT,
        dim,
        lambda: (not_relative(score, (1, 0), (2, 1), CROSS_TERMS), _orbit()),
        PositionFunction(
            "table",
            "p_n = sin(n theta) and cos(n theta), added to the embedding at position n",
            tuple(statements),
            result,
            closed_form,
            dim,
            constants,
        ),
    )


def _orbit() -> Claim:
    """p_{n+m} = R(m)p_n: the table itself is an orbit of rotations."""
    sine, cosine = ExponentialPolynomial.sine("t", ONE), ExponentialPolynomial.cosine("t", ONE)
    later, shift = {"t": 1, "s": 1}, {"s": 1}
    first = sine * cosine.compose(shift) + cosine * sine.compose(shift)
    second = cosine * cosine.compose(shift) - sine * sine.compose(shift)
    same = (sine.compose(later) - first).vanishes() and (cosine.compose(later) - second).vanishes()
    decided = holds(same, "the addition formulas fail")
    claim = Claim(
        "orbit",
        decided.outcome,
        "p_{n+m} = R(m) p_n for all n, m",
        "addition formulas of sine and cosine, in every plane",
        decided.witness,
    )
    turning = (ZERO, ONE), (-ONE, ZERO)
    return evidenced(claim, (), {"generator": turning, "table": (sine, cosine)})


def _relative_scores() -> Decision:
    """W = diag(1, 0): p_tᵀWp_s = sin t sin s at lag 1."""
    of = "p_t^T W p_s for W = diag(1, 0), d = 2"
    return as_decision(not_relative(sin(QUERY) * sin(KEY), (1, 0), (2, 1), of))


def _one_ladder() -> Decision:
    return equals(parse("10000^(-2/8)"), parse("10000^(-1/3)"), "theta_1 for d = 8")


_T2T = {"dim": 8, "form": "tensor2tensor"}

SINUSOIDAL = Entry(
    "sinusoidal",
    "absolute",
    Verdict.NOT_INVARIANT,
    "Sinusoidal absolute positions",
    "Vaswani et al., arXiv:1706.03762, section 3.5; tensor2tensor",
    {
        "dim": dimension(64, 2),
        "base": number("10000", "base of the frequency ladder"),
        "form": Setting(
            "paper",
            "sin and cos as neighbours, or tensor2tensor's halves with both ends of the ladder",
            "choice",
            ("paper", "tensor2tensor"),
        ),
    },
    _sinusoidal,
    definition=(
        r"$p_{n,2i} = \sin(n\theta_i)$, $p_{n,2i+1} = \cos(n\theta_i)$ with "
        r"$\theta_i = b^{-2i/d}$, added to embeddings: logit $= (x_t + p_t)^\top W (x_s + p_s)$. "
        r"tensor2tensor: all sines, then all cosines, $\theta_i = b^{-i/(d/2 - 1)}$."
    ),
    generator=(
        r"None for scores: content meets positions in $x_t^\top W p_s$. The table is an orbit, "
        r"$p_{n+m} = R(m) p_n$, and $p_t^\top W p_s$ is relative exactly when $W$ commutes with "
        "the rotations."
    ),
    stability="Bounded: every entry lies in $[-1, 1]$.",
    values=(
        Published("tensor2tensor, d = 8: theta_0", "1", constant("FREQUENCY", 0), _T2T),
        Published("tensor2tensor, d = 8: theta_1", "0.046415888", constant("FREQUENCY", 1), _T2T),
        Published("tensor2tensor, d = 8: theta_2", "0.0021544347", constant("FREQUENCY", 2), _T2T),
        Published("tensor2tensor, d = 8: theta_3", "1e-4", constant("FREQUENCY", 3), _T2T),
        Published("paper, d = 8: theta_3", "0.001", constant("FREQUENCY", 6), {"dim": 8}),
        Published("sin 1", "0.841470985", row_entry(1, 0)),
        Published("cos 1", "0.540302306", row_entry(1, 1)),
    ),
    mistakes=(
        Mistake(
            "relative",
            r"$p_t^\top W p_s$ depends on $t - s$ alone for every $W$",
            "explanations of the sinusoids",
            r"only for $W$ that commutes with the rotations, $W = I$ among them",
            _relative_scores,
        ),
        Mistake(
            "one-ladder",
            "tensor2tensor has the ladder of the paper",
            "ports between the two",
            r"its exponents are $i/(d/2 - 1)$, both ends included",
            _one_ladder,
        ),
    ),
)

# -- learned ----------------------------------------------------------------------------------

WIDTH = 2


def _sample(position: int, column: int) -> fmpq:
    return fmpq((31 * position * position + 7 * column) % 257, 64)


def _learned(settings: Settings) -> Outside:
    length = settings.integer("length")

    def looked_up(position: Score, column: int) -> Score:
        return choice(position, *(_sample(n, column) for n in range(3)))

    score = total(*(looked_up(QUERY, c) * looked_up(KEY, c) for c in range(WIDTH)))
    first, second, third = ([str(_sample(n, c)) for c in range(WIDTH)] for n in range(3))
    of = f"W = I, no content, a table with the rows {first}, {second}, {third}"
    table = tuple(tuple(_sample(n, c) for c in range(WIDTH)) for n in range(length))
    return Outside(
        "learned",
        Verdict.NOT_INVARIANT,
        settings.integer("dim"),
        lambda: (not_relative(score, (1, 0), (2, 1), of),),
        PositionFunction(
            "table",
            f"p_n = table[n] for n < {length}, added to the embedding at position n",
            (("row", "integer(position)[:, 0]"),),
            "table[row]",
            lambda f, given, position, column: f.pick(
                [row[column] for row in given["table"]], position
            ),
            WIDTH,
            learned={"table": f"({length}, width)"},
            samples={"table": table},
            length=length,
        ),
    )


def _unbounded_positions() -> Decision:
    return equals(
        Scalar.rational(1024), Scalar.rational(1023), "last position of a table of 1024 rows"
    )


def _rows(form: Form) -> int:
    assert isinstance(form, Outside)
    assert form.function is not None
    return len(form.function.samples["table"])


LEARNED = Entry(
    "learned",
    "absolute",
    Verdict.NOT_INVARIANT,
    "Learned absolute positions",
    "Gehring et al., arXiv:1705.03122; Radford et al. 2019 (GPT-2), openai/gpt-2 src/model.py",
    {
        "dim": dimension(64),
        "length": Setting("1024", "rows of the table", minimum=3, maximum=65536),
    },
    _learned,
    definition=(
        r"$p_n$ for $n < L$ is a row of a learned table, added to embeddings: logit $= (x_t + "
        r"p_t)^\top W (x_s + p_s)$."
    ),
    generator="None: rows are free, no law relates them, and there is none beyond $L$.",
    stability="Bounded by the table.",
    values=(Published("rows of the table in GPT-2", "1024", _rows),),
    mistakes=(
        Mistake(
            "one-more-position",
            r"a table of $L$ rows serves the position $L$",
            "code that counts positions from 1",
            r"positions are $0, \dots, L - 1$",
            _unbounded_positions,
        ),
    ),
)

ENTRIES = (SINUSOIDAL, LEARNED)
