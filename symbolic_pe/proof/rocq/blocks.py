"""Heads given as blocks on channels: one theorem for each kind of block, then its instances."""

from __future__ import annotations

from dataclasses import dataclass

from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.generators.block import PlacedBlock
from symbolic_pe.generators.generator import Generator
from symbolic_pe.proof.patterns import Pattern
from symbolic_pe.proof.rocq import syntax
from symbolic_pe.proof.rocq.expressions import data_rows, polynomial, reading_rows
from symbolic_pe.proof.rocq.functions import Families
from symbolic_pe.proof.rocq.laws import Binder, applied
from symbolic_pe.proof.rocq.reals import real_term
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
{_skew_block(values) if is_skew(pattern) else ""}
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


@dataclass(frozen=True)
class _Run:
    """Blocks of one kind, with their channels."""

    pattern: Pattern
    blocks: tuple[PlacedBlock, ...]

    def text(self) -> str:
        """The list of parts."""
        module = module_name(self.pattern)
        if not self.pattern.variables:
            return f"repeat ({module}.block tt) {len(self.blocks)}"
        lines = ";\n     ".join(self._values(b) for b in self.blocks)
        return f"map {module}.block\n    [{lines}]"

    def proof(self, lemma: str) -> str:
        """That each part has the property of the lemma."""
        module = module_name(self.pattern)
        if not self.pattern.variables:
            return f"(repeated _ _ _ ({module}.{lemma} tt))"
        return f"(mapped _ _ _ {module}.{lemma})"

    def _values(self, placed: PlacedBlock) -> str:
        values = [str(real_term(x)) for x in self.pattern.values(placed.block).values()]
        return values[0] if len(values) == 1 else f"({', '.join(values)})"


def _runs(generator: Generator) -> list[_Run]:
    grouped: dict[Pattern, list[PlacedBlock]] = {}
    for placed in generator.placed or ():
        grouped.setdefault(Pattern.of(placed.block), []).append(placed)
    return [_Run(pattern, tuple(blocks)) for pattern, blocks in grouped.items()]


def patterns_of(generator: Generator) -> list[Pattern]:
    """The kinds of block of a head, in the order of first use."""
    return [run.pattern for run in _runs(generator)]


def head_definitions(generator: Generator, binder: Binder) -> str:
    """Channels, blocks, X and A of one head, and that A is the flow of X."""
    runs, n = _runs(generator), generator.dimension
    channels = [c for run in runs for placed in run.blocks for c in placed.coordinates]
    names = binder.names
    blocks, x, a = (applied(name, names) for name in ("blocks", "X", "A"))
    proofs = [run.proof("block_sound") for run in runs]
    lists = " ++\n  ".join(run.text() for run in runs)
    text = f"""Definition channels : list nat :=
  {syntax.natural_list(channels)}.
Definition blocks{binder.arguments} : list part :=
  {lists}.
Definition X{binder.arguments} : matrix := placed channels (joined_generator {blocks}).
Definition A{binder.arguments} (t : R) : matrix :=
  placed channels (joined_operator {blocks} t).

Lemma tiled : tiles {n} channels = true.
Proof. vm_compute. reflexivity. Qed.

Theorem is_flow :
{binder.statement(f"flow {n} {x} {a}")}.
Proof.
  {binder.introduction()}apply placed_is_flow; [exact tiled|].
  exact (joined_is_flow {blocks} {_joined(proofs)}).
Qed."""
    if all(is_skew(run.pattern) for run in runs):
        proofs = [run.proof("block_skew") for run in runs]
        text += f"""

Lemma is_skew :
{binder.statement(f"skew {n} {x}")}.
Proof.
  {binder.introduction()}apply placed_skew; [exact tiled|].
  exact (joined_skew {blocks} {_joined(proofs)}).
Qed."""
    return text


def _joined(proofs: list[str]) -> str:
    if len(proofs) == 1:
        return proofs[0]
    return f"(appended_parts _ _ _ {proofs[0]} {_joined(proofs[1:])})"
