"""Heads given as blocks on channels: instances of kinds of blocks, their direct sum, the layout."""

from __future__ import annotations

from dataclasses import dataclass

from symbolic_pe.generators.block import PlacedBlock
from symbolic_pe.generators.generator import Generator
from symbolic_pe.proof.patterns import FREQUENCY, RATE, Pattern
from symbolic_pe.proof.rocq import syntax
from symbolic_pe.proof.rocq.blocks import TYPES, is_skew, module_name, rate_of_values
from symbolic_pe.proof.rocq.contraction import proof_of_sign
from symbolic_pe.proof.rocq.laws import Binder, applied
from symbolic_pe.proof.rocq.reals import real_term
from symbolic_pe.proof.rocq.syntax import ATOM, Term


@dataclass(frozen=True)
class _Run:
    """Blocks of one kind, with their channels."""

    pattern: Pattern
    blocks: tuple[PlacedBlock, ...]
    binder: Binder

    @property
    def module(self) -> str:
        """The module of the kind."""
        return module_name(self.pattern)

    @property
    def values(self) -> str:
        """The list of the values of the blocks."""
        return applied(f"values_of_{self.module}", self.binder.names)

    @property
    def common_rate(self) -> Term | None:
        """The rate of all blocks, where it is one and nothing but a frequency is beside it."""
        rates = {b.block.rate for b in self.blocks}
        plain = self.pattern.variables in ((RATE,), (RATE, FREQUENCY))
        return real_term(rates.pop()) if plain and len(rates) == 1 < len(self.blocks) else None

    def definition(self) -> str:
        """The values; empty for a kind without any."""
        if not self.pattern.variables:
            return ""
        kind = TYPES[len(self.pattern.variables)]
        return (
            f"Definition values_of_{self.module}{self.binder.arguments} : list ({kind}) :=\n"
            f"  {self._list()}.\n"
        )

    def _list(self) -> str:
        common, separator = self.common_rate, ";\n   "
        if common is None:
            return f"[{separator.join(self._values(b) for b in self.blocks)}]"
        if not self.pattern.is_pair:
            return f"repeat {common.within(ATOM)} {len(self.blocks)}"
        rest = separator.join(str(real_term(b.block.frequency)) for b in self.blocks)
        return f"map (pair {common.within(ATOM)})\n  [{rest}]"

    def parts(self) -> str:
        """The list of parts."""
        if not self.pattern.variables:
            return f"repeat ({self.module}.block tt) {len(self.blocks)}"
        return f"map {self.module}.block {self.values}"

    def proof(self, lemma: str) -> str:
        """That each part has the property of a lemma."""
        if not self.pattern.variables:
            return f"(repeated _ _ _ ({self.module}.{lemma} tt))"
        return f"(mapped _ _ _ {self.module}.{lemma})"

    def rates_lemma(self) -> str:
        """That no rate of these blocks is positive."""
        rate = rate_of_values(self.pattern)
        statement = f"List.Forall (fun v => {rate} <= 0) {self.values}"
        if self.common_rate is None:
            steps = self._rate_by_rate()
        else:
            lemma = "common_rate" if self.pattern.is_pair else "same_rate"
            steps = f"  apply {lemma}. {proof_of_sign(self.blocks[0].block.rate)}"
        return f"""Lemma rates_of_{self.module} :
{self.binder.statement(statement)}.
Proof.
  {self.binder.introduction()}unfold values_of_{self.module}.
{steps}
Qed."""

    def _rate_by_rate(self) -> str:
        """Every rate is decided once, and used for every block that has it."""
        rates = {str(b.block.rate): b.block.rate for b in self.blocks}
        names = {text: f"F{k}" for k, text in enumerate(rates)}
        facts = [
            f"  assert ({names[text]} : {real_term(rate)} <= 0).\n  {{ {proof_of_sign(rate)} }}"
            for text, rate in rates.items()
        ]
        uses = [f"  - exact {names[str(b.block.rate)]}." for b in self.blocks]
        split = "  repeat apply Forall_cons; try apply Forall_nil; cbn [fst snd]."
        return "\n".join([*facts, split, *uses])

    def dissipative(self) -> str:
        """That each part loses norm."""
        if not self.pattern.has_rate:
            return self.proof("block_dissipative")
        rates = applied(f"rates_of_{self.module}", self.binder.names)
        return f"(mapped_where _ _ _ _ {self.module}.block_dissipative {rates})"

    def _values(self, placed: PlacedBlock) -> str:
        values = [str(real_term(x)) for x in self.pattern.values(placed.block).values()]
        return values[0] if len(values) == 1 else f"({', '.join(values)})"


def _runs(generator: Generator, binder: Binder) -> list[_Run]:
    grouped: dict[Pattern, list[PlacedBlock]] = {}
    for placed in generator.placed or ():
        grouped.setdefault(Pattern.of(placed.block), []).append(placed)
    return [_Run(pattern, tuple(blocks), binder) for pattern, blocks in grouped.items()]


def patterns_of(generator: Generator) -> list[Pattern]:
    """The kinds of block of a head, in the order of first use."""
    return [run.pattern for run in _runs(generator, Binder())]


def head_definitions(generator: Generator, binder: Binder) -> str:
    """Channels, blocks, X and A of one head, and that A is the flow of X."""
    runs, n = _runs(generator, binder), generator.dimension
    channels = [c for run in runs for placed in run.blocks for c in placed.coordinates]
    blocks, x, a = (applied(name, binder.names) for name in ("blocks", "X", "A"))
    values = "".join(run.definition() for run in runs)
    lists = "\n  ++ ".join(run.parts() for run in runs)
    sound = _joined([run.proof("block_sound") for run in runs])
    text = f"""Definition channels : list nat :=
  {syntax.natural_list(channels)}.
{values}Definition blocks{binder.arguments} : list part :=
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
  exact (joined_is_flow {blocks} {sound}).
Qed."""
    if all(is_skew(run.pattern) for run in runs):
        skew = _joined([run.proof("block_skew") for run in runs])
        text += "\n\n" + _property("skew", generator, binder, skew)
    return text


def contraction_definitions(generator: Generator, binder: Binder) -> str:
    """That the head loses norm; its blocks have length 1 and rates with a provable sign."""
    runs = _runs(generator, binder)
    lemmas = [run.rates_lemma() for run in runs if run.pattern.has_rate]
    proof = _joined([run.dissipative() for run in runs])
    return "\n\n".join([*lemmas, _property("dissipative", generator, binder, proof)])


def _property(name: str, generator: Generator, binder: Binder, proof: str) -> str:
    """A property of X that layouts and direct sums keep."""
    x, blocks = applied("X", binder.names), applied("blocks", binder.names)
    return f"""Lemma is_{name} :
{binder.statement(f"{name} {generator.dimension} {x}")}.
Proof.
  {binder.introduction()}apply placed_{name}; [exact tiled|].
  exact (joined_{name} {blocks} {proof}).
Qed."""


def _joined(proofs: list[str]) -> str:
    if len(proofs) == 1:
        return proofs[0]
    return f"(appended_parts _ _ _ {proofs[0]} {_joined(proofs[1:])})"
