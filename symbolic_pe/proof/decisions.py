"""Decisions that steps of derivations make again and again."""

from __future__ import annotations

from collections.abc import Mapping

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.matrix import (
    FunctionMatrix,
    ScalarMatrix,
    act,
    apply,
    identity,
    multiply_functions,
)
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.decision import Decision, Outcome
from symbolic_pe.encodings.catalogue import entries
from symbolic_pe.proof.rocq.theorems import THEOREMS, checked_theorem
from symbolic_pe.proof.witness import point_of_difference

SHOWN = 2
"""Rows and columns of matrices that pages show for two sides that agree."""


def same_function(
    claimed: ExponentialPolynomial,
    found: ExponentialPolynomial,
    signs: Mapping[str, str] | None = None,
    **evidence: object,
) -> Decision:
    """Whether two functions are equal, by normal form; the witness is a point.

    signs  what is assumed of the parameters, for the witness (`{"m": "positive"}`)
    """
    if (claimed - found).vanishes():
        return Decision(Outcome.PROVED, {"both sides": found} | _named(evidence))
    shown = {"claimed": claimed, "found": found} | _named(evidence)
    where = point_of_difference(claimed, found, Assumptions.declare(dict(signs or {})))
    if where is None:
        return Decision(Outcome.UNDECIDED, {**shown, "reason": "no ball tells the two apart"})
    return Decision(Outcome.REFUTED, shown, where)


def same_functions(
    claimed: FunctionMatrix,
    found: FunctionMatrix,
    signs: Mapping[str, str] | None = None,
    **evidence: object,
) -> Decision:
    """`same_function` for every entry; the witness is of the first entry that differs."""
    for i, (left, right) in enumerate(zip(claimed, found, strict=True)):
        for j, (a, b) in enumerate(zip(left, right, strict=True)):
            decided = same_function(a, b, signs)
            if decided.outcome is not Outcome.PROVED:
                place = {"entry": f"row {i}, column {j}"} | _named(evidence)
                return Decision(decided.outcome, {**place, **decided.evidence}, decided.witness)
    return Decision(Outcome.PROVED, _small(found) | _named(evidence))


def flow_laws(generator: ScalarMatrix, flow: FunctionMatrix) -> Decision:
    """E(0) = I, E′ = XE and E(s + t) = E(s)E(t) of a matrix of functions of t, by normal form."""
    n = len(generator)
    start = tuple(tuple(f.at_zero().re for f in row) for row in flow)
    return all_of(
        {
            "E(0) = I": same_matrix(identity(n), start, "E(0)"),
            "E' = X E": same_functions(act(generator, flow), derived(flow)),
            "E(s + t) = E(s) E(t)": group_law(flow),
        }
    )


def group_law(flow: FunctionMatrix, signs: Mapping[str, str] | None = None) -> Decision:
    """E(s + t) = E(s)E(t), by normal form in two variables."""
    product = multiply_functions(taken_at(flow, s=1), taken_at(flow, t=1))
    return same_functions(taken_at(flow, s=1, t=1), product, signs)


def taken_at(flow: FunctionMatrix, **form: int) -> FunctionMatrix:
    """E at a linear form of positions: `taken_at(e, t=1, s=-1)` is E(t − s)."""
    return apply(lambda f: f.compose(form), flow)


def derived(flow: FunctionMatrix, variable: str = "t") -> FunctionMatrix:
    """The derivative, entry by entry."""
    return apply(lambda f: f.derivative(variable), flow)


def same_value(claimed: Scalar, found: Scalar, what: str, **evidence: object) -> Decision:
    """Whether two exact numbers (or rational functions of parameters) are equal."""
    if (claimed - found).vanishes():
        return Decision(Outcome.PROVED, {"both sides": found} | _named(evidence))
    shown = {"claimed": claimed, "found": found} | _named(evidence)
    return Decision(Outcome.REFUTED, shown, f"{what}: claimed {claimed}, found {found}")


def same_matrix(
    claimed: ScalarMatrix, found: ScalarMatrix, what: str, **evidence: object
) -> Decision:
    """Whether two exact matrices are equal; the witness is the first entry that differs."""
    for i, (left, right) in enumerate(zip(claimed, found, strict=True)):
        for j, (a, b) in enumerate(zip(left, right, strict=True)):
            if not (a - b).vanishes():
                where = f"{what}, row {i}, column {j}: claimed {a}, found {b}"
                return Decision(Outcome.REFUTED, _named(evidence), where)
    return Decision(Outcome.PROVED, _small(found) | _named(evidence))


def all_of(parts: Mapping[str, Decision]) -> Decision:
    """Proved when every part is; refuted or undecided with the first that is not."""
    shown = {name: _summary(part) for name, part in parts.items()}
    for worst in (Outcome.REFUTED, Outcome.UNDECIDED):
        for name, part in parts.items():
            if part.outcome is worst:
                witness = f"{name}: {part.witness}" if part.witness else None
                return Decision(worst, shown, witness)
    return Decision(Outcome.PROVED, shown)


def none_of(parts: Mapping[str, Decision]) -> Decision:
    """Refuted when every part is, with all witnesses; proved as soon as one holds.

    For a claim that has several readings and holds in none.
    """
    shown = {name: _summary(part) for name, part in parts.items()}
    found = {part.outcome for part in parts.values()}
    if Outcome.PROVED in found:
        return Decision(Outcome.PROVED, shown)
    if found == {Outcome.REFUTED}:
        name, first = next(iter(parts.items()))
        rest = "; the others likewise" if len(parts) > 1 else ""
        return Decision(Outcome.REFUTED, shown, f"{name}: {first.witness}{rest}")
    return Decision(Outcome.UNDECIDED, shown)


def cited(theorem: str, *conclusions: str) -> Decision:
    """A theorem of the Rocq theory, looked up among those whose statements ship with the package.

    It is checked here that the theory has the theorem and that its statement, as Rocq prints it,
    contains the conclusions that are cited, up to spaces. That the theorem holds is checked by the
    kernel of Rocq in `make proofs`, not here.
    """
    known = {t.qualified: t for t in THEOREMS}
    if theorem not in known:
        return Decision(Outcome.UNDECIDED, {"reason": f"the theory has no theorem {theorem}"})
    checked = checked_theorem(theorem)
    statement = " ".join(checked.statement.split())
    missing = [c for c in conclusions if "".join(c.split()) not in "".join(statement.split())]
    shown: dict[str, object] = {
        "theorem": f"`{theorem}` in `{known[theorem].file}.v`",
        "statement": f"`{statement}`",
        "axioms": ", ".join(a.rpartition(".")[2] for a in checked.axioms) or "none",
    }
    if missing:
        return Decision(Outcome.UNDECIDED, {**shown, "reason": f"it does not state {missing[0]}"})
    return Decision(Outcome.PROVED, shown)


def catalogued_mistake(entry: str, name: str) -> Decision:
    """The refutation of a mis-statement that the catalogue keeps with an entry."""
    found = {m.name: m for m in entries()[entry].mistakes} if entry in entries() else {}
    if name not in found:
        reason = f"the entry {entry} has no mistake {name}, but {', '.join(found) or 'none'}"
        return Decision(Outcome.UNDECIDED, {"reason": reason})
    decided = found[name].refute()
    shown = {"right": found[name].right, **decided.evidence}
    return Decision(decided.outcome, shown, decided.witness)


def _summary(part: Decision) -> object:
    """What a part found: its witness or reason, else the value or the lines that prove it."""
    if part.witness:
        return f"{part.outcome.value}: {part.witness}"
    if "reason" in part.evidence:
        return f"{part.outcome.value}: {part.evidence['reason']}"
    for key in ("both sides", "lines"):
        if key in part.evidence:
            return part.evidence[key]
    return part.outcome.value


def _small(matrix: ScalarMatrix | FunctionMatrix) -> dict[str, object]:
    """A matrix of at most `SHOWN` rows and columns as evidence; larger ones are not shown."""
    small = len(matrix) <= SHOWN and all(len(row) <= SHOWN for row in matrix)
    return {"both sides": matrix} if small else {}


def _named(evidence: Mapping[str, object]) -> dict[str, object]:
    return {name.replace("_", " "): value for name, value in evidence.items()}
