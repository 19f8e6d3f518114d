"""Every question of an audit: its name, what it asks, and of which kind of subject.

Reports, the published schema and the reference page take names from here. A place `{}` in a name
stands for a dtype, an axis, or the name of a path.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numeric_check.audit.finding import Finding, Verdict
from numeric_check.audit.positions import BELOW
from numeric_check.audit.positions import FAR as FAR_POSITIONS
from numeric_check.reference_values.tolerance import DTYPES


@dataclass(frozen=True)
class Question:
    """A name, unique within a kind of subject, and what is asked, as an equation or a sentence."""

    name: str
    statement: str

    def of(self, value: str) -> Question:
        """The question about one dtype, axis or path."""
        return Question(self.name.format(value), self.statement.format(value))

    def found(self, verdict: Verdict, detail: str = "", witness: str = "", **more: Any) -> Finding:
        """An answer; `more` are the other fields of `Finding`."""
        return Finding(self.name, verdict, self.statement, detail, witness, **more)

    def consistent(self, detail: str, **more: Any) -> Finding:
        """It holds at what was tried."""
        return self.found(Verdict.CONSISTENT, detail, **more)

    def equivalent(self, detail: str, **more: Any) -> Finding:
        """It does not hold, and does no harm."""
        return self.found(Verdict.EQUIVALENT, detail, **more)

    def refuted(self, detail: str, witness: str, reproduce: str, **more: Any) -> Finding:
        """It fails at a witness."""
        return self.found(Verdict.REFUTED, detail, witness, reproduce=reproduce, **more)

    def undecided(self, reason: str) -> Finding:
        """It could not be answered."""
        return self.found(Verdict.UNDECIDED, reason)

    def skipped(self, reason: str) -> Finding:
        """It does not apply here."""
        return self.found(Verdict.SKIPPED, reason)

    def judged(
        self,
        error: float,
        tolerance: float,
        *,
        detail: str = "",
        witness: str = "",
        reproduce: str = "",
        numbers: Mapping[str, object] | None = None,
    ) -> Finding:
        """`consistent` when error ≤ tolerance, else `refuted` with the witness; NaN refutes."""
        good = error <= tolerance
        return self.found(
            Verdict.CONSISTENT if good else Verdict.REFUTED,
            detail,
            "" if good else witness,
            error=error,
            tolerance=tolerance,
            reproduce="" if good else reproduce,
            numbers=dict(numbers or {}),
        )


# -- a pair of maps ---------------------------------------------------------------------------

LINEAR = Question("linear", "F(t)(x + 2y) = F(t)x + 2 F(t)y, and F(t)0 = 0")
POSITION = Question("position", "the result depends on the position")
RELATIVE = Question(
    "relative", "the score depends on t - s only: F(t + c)^T G(s + c) = F(t)^T G(s)"
)
GAIN = Question("gain", "F(t)^T G(t) = c^2 I with one gain c^2 for all t")
GROUP_LAW = Question("group law", "B(s) B(t) = B(s + t) for B(t) = F(t)^T G(0) (F(0)^T G(0))^-1")
GENERATOR = Question("generator", "F(t)^T G(s) = exp((t - s) X) F(0)^T G(0) for one real X")
LAYOUT = Question("layout", "each plane of channels turns by its own angle, the same for q and k")
FREQUENCIES = Question("frequencies", "the frequencies carry at least 24 bits")
AGAINST = Question("against", "X is that of {}")
PREFILL = Question(
    "prefill = decode", "a position gives the same result alone (decode) and among others (prefill)"
)
PACKED = Question(
    "packed = padded", "every slot is moved by its own position (packed, padded, in any order)"
)
HISTORY = Question("history", "a result does not depend on earlier calls")
TWO_INSTANCES = Question(
    "two instances", "an instance with other settings is another map, and does not change this one"
)
ROWS = Question("rows", "equal rows of a batch, and equal heads, give equal results")
POSITION_DTYPE = Question("position dtype", "the dtype of the positions does not matter")
INPUTS = Question("inputs", "the arguments are left as they are")
VIEWS = Question("views", "a view of x (a slice, exchanged axes) gives what a copy of it gives")
PATH = Question("path {}", "the path {} gives what the main one gives")
PRECISION = Question(
    "precision {}", "in {}, results are exact within what rounding may lose, at every position"
)
DISTINCT = Question("distinct {}", "in {}, positions t and t + 1 differ")
RANGE = Question(
    "range",
    "results stay finite; of decays split between q and k, in float32 up to 8193 positions",
)
NEGATIVE = Question(
    "negative positions",
    f"positions below 0 are served as well: F(t) is exp(tX) at {', '.join(map(str, BELOW))}",
)
FAR = Question(
    "far positions",
    f"beyond 2^20 it is the same exp(tX): at {', '.join(map(str, FAR_POSITIONS))}, where accepted",
)
DTYPE = Question("dtype", "the result has the dtype of x")
GRADIENT = Question(
    "gradient",
    "the gradient of w.F(t)x with respect to x is F(t)^T w, finite at position 0 as well",
)
CLOCK = Question(
    "clock",
    "for real positions: F(t) is exp(tX) between integers, and its derivative in t is that of "
    "exp(tX), finite at position 0 as well",
)
VMAP = Question("vmap", "vmap over the first axis gives what a batch gives")
COMPILE = Question("compile", "torch.compile(fullgraph=True) gives what the call gives")
EXPORT = Question("export", "torch.export gives what the call gives")

# -- several axes -----------------------------------------------------------------------------

AXIS = Question("axis {} ", "")
"""Put before every question that is asked of one axis alone."""
JOINT = Question("relative", "F(p + c)^T G(r + c) = F(p)^T G(r) for shifts c of all axes")
TEXT = Question("text", "with all coordinates equal (text) it is an encoding of one position")
AXES_AGAINST = Question("against", "each axis has the generator that {} declares")

# -- scores, biases, tables -------------------------------------------------------------------

BILINEAR = Question("linear", "the score is linear in q and in k")
ADDITIVE = Question(
    "additive", "what is added beside q and k depends on t - s only, up to a constant in each row"
)
SCORE_RELATIVE = Question(
    "relative", "the score at (t + c, s + c) is the score at (t, s), for all q and k"
)
SCORE_PREFILL = Question(
    "prefill = decode", "a score does not depend on the other positions of a call"
)
FINITE_BIAS = Question("finite", "every entry is a number, or -inf where it is masked")
BIAS_RELATIVE = Question(
    "relative",
    "b(t + c, s + c) = b(t, s), up to a constant in each row, which softmax ignores",
)
SLOPE = Question("slope", "b(t, s) - b(t, t) = -m (t - s) with one slope m for each head")
SIGN = Question("sign", "near keys are favoured, or none")
OFFSET = Question("offset", "b(t, t), which softmax ignores")
BIAS_AGAINST = Question("against", "the slopes are those of {}")
BIAS_PREFILL = Question(
    "prefill = decode", "an entry does not depend on the other positions of a call"
)
FINITE_TABLE = Question("finite", "every entry is a number")
CLOSED = Question("closed", "PE(t + 1) = M PE(t) with one matrix M for all t")
COLUMNS = Question("columns", "which columns belong together, and which frequencies")
TABLE_PRECISION = Question(
    "precision", "every entry is sin or cos of its angle within what float32 angles lose"
)
TABLE_DISTINCT = Question("distinct", "rows t and t + 1 differ")
TABLE_PREFILL = Question(
    "prefill = decode", "a row does not depend on the other positions of a call"
)

MAPS = (
    LINEAR, POSITION, RELATIVE, GAIN, GROUP_LAW, GENERATOR, LAYOUT, FREQUENCIES, AGAINST, PREFILL,
    PACKED, HISTORY, TWO_INSTANCES, ROWS, POSITION_DTYPE, INPUTS, VIEWS, PATH, PRECISION, DISTINCT,
    RANGE, NEGATIVE, FAR, DTYPE, GRADIENT, CLOCK, VMAP, COMPILE, EXPORT,
)  # fmt: skip
EACH_AXIS = (
    LINEAR, POSITION, RELATIVE, GAIN, GROUP_LAW, GENERATOR, LAYOUT, FREQUENCIES,
    PREFILL, PATH, PRECISION, DISTINCT, RANGE, NEGATIVE, FAR,
)  # fmt: skip
TOGETHER = (
    JOINT, TEXT, AXES_AGAINST, PREFILL, PACKED, HISTORY, TWO_INSTANCES, ROWS, POSITION_DTYPE,
    INPUTS, VIEWS, PATH, DTYPE, GRADIENT, CLOCK, VMAP, COMPILE, EXPORT,
)  # fmt: skip
SCORE = (
    BILINEAR, POSITION, SCORE_RELATIVE, GAIN, GROUP_LAW, GENERATOR, LAYOUT, AGAINST, ADDITIVE,
    SCORE_PREFILL,
)  # fmt: skip
BIAS = (
    FINITE_BIAS, BIAS_RELATIVE, SLOPE, SIGN, OFFSET, BIAS_AGAINST, BIAS_PREFILL,
)  # fmt: skip
TABLE = (FINITE_TABLE, CLOSED, COLUMNS, TABLE_PRECISION, TABLE_DISTINCT, TABLE_PREFILL)
ASKED: Mapping[str, tuple[Question, ...]] = {
    "a pair of maps": MAPS,
    "maps with several axes, each axis": EACH_AXIS,
    "maps with several axes, together": TOGETHER,
    "a score": SCORE,
    "a bias": BIAS,
    "a table": TABLE,
}
"""The questions of each kind of subject, in the order of the report."""
DTYPE_PLACE = "|".join(DTYPES)


def pattern() -> str:
    """A regular expression that exactly the names of questions match."""
    every = {q.name for asked in ASKED.values() for q in asked}
    places = {PATH.name: "path .+"}
    words = sorted(
        places.get(name, re.escape(name).replace(r"\{\}", f"({DTYPE_PLACE})").replace(r"\ ", " "))
        for name in every
    )
    return f"^(axis [0-9]+ )?({'|'.join(words)})$"


def page() -> str:
    """The questions as Markdown tables, for the reference page."""
    lines = []
    for kind, asked in ASKED.items():
        lines += [f"Of {kind}:", "", "| question | what is asked |", "|---|---|"]
        for q in asked:
            name = q.name.replace("{}", "NAME" if q is PATH else "DTYPE")
            statement = q.statement.replace("{}", _place(q)).replace("|", "\\|")
            lines.append(f"| `{name}` | {statement} |")
        lines.append("")
    return "\n".join(lines)


def _place(question: Question) -> str:
    if question in (PRECISION, DISTINCT):
        return "DTYPE"
    return "NAME" if question is PATH else "SPEC"
