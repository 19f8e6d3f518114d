"""Kinds of blocks: X and E with symbolic entries, and what holds for every value of them."""

from __future__ import annotations

from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.proof.patterns import RATE, Pattern
from symbolic_pe.proof.rocq.expressions import data_rows, polynomial, reading_rows
from symbolic_pe.proof.rocq.functions import Families
from symbolic_pe.proof.rocq.laws import Binder, applied
from symbolic_pe.proof.rocq.symbols import Symbols

PROJECTIONS = {0: (), 1: ("v",), 2: ("fst v", "snd v"), 3: ("fst (fst v)", "snd (fst v)", "snd v")}
TYPES = {0: "unit", 1: "R", 2: "R * R", 3: "R * R * R"}


def module_name(pattern: Pattern) -> str:
    """The module of a kind of block: `scaled-rotation-chain-2` is ScaledRotationChain2."""
    return "".join(part.capitalize() for part in pattern.name.split("-"))


def is_skew(pattern: Pattern) -> bool:
    """Whether every block of the kind is skew."""
    return not pattern.has_rate and pattern.chain_length == 1


def pattern_module(pattern: Pattern) -> str:
    """X and E of a kind of block for all values of its symbols, decided by one computation."""
    block, n = pattern.block, pattern.block.dimension
    symbols = Symbols.of(Scalar.symbol(name) for name in pattern.variables)
    exponential = block.exponential()
    families = Families.of(symbols, [f for row in exponential for f in row])
    known = symbols.expressions
    x = [[polynomial(symbols.polynomial(e), known) for e in row] for row in block.generator]
    e = families.matrix(exponential)
    binder = Binder(reals=pattern.variables)
    names, count = binder.names, len(pattern.variables)
    values = "".join(f" ({p})" if " " in p else f" {p}" for p in PROJECTIONS[count])
    symbol_list = f"(components {symbols.values})"
    return f"""(* -- {pattern.name} -- *)

Module {module_name(pattern)}.

Definition X{binder.arguments} : list (list R) :=
  {reading_rows(x, 2)}.
Definition E{binder.arguments} (t : R) : list (list R) :=
  {reading_rows(e, 2)}.

Definition families : list family := {families.data}.
Definition X_data : list (list expr) :=
  {data_rows(x, 2)}.
Definition E_data : list (list expr) :=
  {data_rows(e, 2)}.
Lemma decided : decides {n} families X_data E_data = true.
Proof. vm_compute. reflexivity. Qed.

Theorem is_flow :
{binder.statement(f"flow {n} (entries (X{names})) (fun t => entries (E{names} t))")}.
Proof.
  {binder.introduction()}apply (flow_of_data {n} families X_data E_data _ _
    {symbol_list} (fun _ => no_functions 0)).
  - exact decided.
  - apply nothing_given. reflexivity.
  - reflexivity.
  - intros t. reflexivity.
Qed.
{_skew_lemma(pattern, binder, symbol_list) if is_skew(pattern) else ""}
Definition block (v : {TYPES[count]}) : part := {{|
  width := {n};
  generator := entries (X{values});
  operator := fun t => entries (E{values} t)
|}}.
Lemma block_sound : forall v, sound (block v).
Proof. intros v. exact (is_flow{values}). Qed.
{_skew_block(values) if is_skew(pattern) else ""}{
        _dissipative(pattern, values) if pattern.chain_length == 1 else ""
    }
End {module_name(pattern)}."""


def _skew_lemma(pattern: Pattern, binder: Binder, symbol_list: str) -> str:
    n = pattern.block.dimension
    return f"""
Lemma is_skew :
{binder.statement(f"skew {n} (entries (X{binder.names}))")}.
Proof.
  {binder.introduction()}apply (decides_skew_correct {n} X_data _ {symbol_list}).
  - vm_compute. reflexivity.
  - reflexivity.
Qed.
"""


def _skew_block(values: str) -> str:
    return f"""Lemma block_skew : forall v, part_skew (block v).
Proof. intros v. exact (is_skew{values}). Qed.
"""


def _dissipative(pattern: Pattern, values: str) -> str:
    """With a rate that is not positive the block loses norm."""
    names = "".join(f" {name}" for name in pattern.variables)
    arguments = f"forall{names} : R, " if names else ""
    rate = f"{RATE} <= 0 -> " if pattern.has_rate else ""
    indices = "[|[|i]] [|[|j]]" if pattern.is_pair else "[|i] [|j]"
    given = f"{rate_of_values(pattern)} <= 0 -> " if pattern.has_rate else ""
    hypothesis = " Ha" if pattern.has_rate else ""
    return f"""
Lemma is_dissipative :
  {arguments}{rate}dissipative {pattern.block.dimension} (entries {applied("X", names)}).
Proof. intros{names}{hypothesis} {indices} Hi Hj; try lia; cbn; lra. Qed.
Lemma block_dissipative : forall v, {given}part_dissipative (block v).
Proof. intros v. exact (is_dissipative{values}). Qed.
"""


def rate_of_values(pattern: Pattern) -> str:
    """The rate, as a projection of the values v of a block."""
    return PROJECTIONS[len(pattern.variables)][pattern.variables.index(RATE)]
