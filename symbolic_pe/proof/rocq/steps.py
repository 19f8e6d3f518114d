"""Integer positions: the powers of a rational step, and of its inverse."""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq_mat

from symbolic_pe.algebra.matrix import is_rational, to_fmpq
from symbolic_pe.encodings.forms import IntegerPositions
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.proof.claim import Outcome
from symbolic_pe.proof.integer_positions import StepProof
from symbolic_pe.proof.rocq.document import RocqFile, document
from symbolic_pe.proof.rocq.jordan import denominator_of, integer_rows

MAX_DIMENSION = 32
GROUP = {
    "initial-condition": (
        "initial_condition",
        "A 0%Z =[{n}] identity",
        "step_initial_condition {n} B C",
    ),
    "homomorphism": (
        "group_law",
        "forall j k : Z, A (j + k)%Z =[{n}] times {n} (A j) (A k)",
        "step_group_law {n} B C inverse",
    ),
    "inverses": (
        "inverses",
        "forall k : Z, times {n} (A k) (A (- k)%Z) =[{n}] identity",
        "step_inverses {n} B C inverse",
    ),
}
SEMIGROUP = {
    "initial-condition": ("initial_condition", "A 0%nat =[{n}] identity", ""),
    "homomorphism": (
        "group_law",
        "forall j k : nat, A (j + k)%nat =[{n}] times {n} (A j) (A k)",
        "step_semigroup {n} B",
    ),
}


def step_file(proof: StepProof, command: str) -> RocqFile:
    """The file of A(n) = Bⁿ: its laws for all integers, or without an inverse for n ≥ 0.

    Raises `NotYetCovered` for a step that is not rational, or too large.
    """
    encoding = proof.encoding
    proved = [c.name for c in proof.claims if c.verdict is Outcome.PROVED]
    laws = GROUP if "inverses" in proved else SEMIGROUP
    omitted = [(c.name, f"it is {c.verdict.value}") for c in proof.claims if c.name not in proved]
    omitted += [(c, "the theory has no statement of it") for c in proved if c not in laws]
    stated = [claim for claim in laws if claim in proved]
    module = _module(encoding, stated)
    facts = {"dimension": str(encoding.dimension)}
    return document((encoding.name, encoding.title), command, facts, [module], (stated, omitted))


def _module(encoding: IntegerPositions, stated: Sequence[str]) -> str:
    n = encoding.dimension
    if not is_rational(encoding.step) or n > MAX_DIMENSION:
        raise NotYetCovered(
            f"{encoding.name}: rational steps up to dimension {MAX_DIMENSION} are exported"
        )
    b = to_fmpq(encoding.step)
    definitions = f"""Definition B_rows : list (list Z) :=
  {integer_rows(b)}%Z.
Definition B : matrix := rational B_rows {denominator_of(b)}."""
    parts = [definitions, _group(b) if "inverses" in stated else _semigroup(n)]
    laws = GROUP if "inverses" in stated else SEMIGROUP
    for claim in stated:
        name, statement, proof = laws[claim]
        reason = f"exact ({proof.format(n=n)})." if proof else "reflexivity."
        parts.append(f"Theorem {name} :\n  {statement.format(n=n)}.\nProof. {reason} Qed.")
    return "\n\n".join(["Module Step.", *parts, "End Step."])


def _group(b: fmpq_mat) -> str:
    n, c = b.nrows(), b.inv()
    db, dc = denominator_of(b), denominator_of(c)
    return f"""Definition C_rows : list (list Z) :=
  {integer_rows(c)}%Z.
Definition C : matrix := rational C_rows {dc}.
Definition A (k : Z) : matrix := step_power {n} B C k.

Lemma decided : decides_inverse {n} B_rows {db} C_rows {dc} = true.
Proof. vm_compute. reflexivity. Qed.
Lemma inverse : is_inverse {n} B C.
Proof. exact (inverse_of_data {n} _ _ _ _ decided). Qed."""


def _semigroup(n: int) -> str:
    return f"Definition A (k : nat) : matrix := power {n} B k."
