"""Several axes: generators that commute give one group of positions; others provably do not."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product

from symbolic_pe.encodings.forms import SeveralAxes
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.generators.commuting import Commutator
from symbolic_pe.jordan.cell_algebra import product as product_of
from symbolic_pe.proof.claim import Outcome
from symbolic_pe.proof.rocq.document import RocqFile, document, parameter_facts
from symbolic_pe.proof.rocq.expressions import Expression, data_rows, polynomial, reading_rows
from symbolic_pe.proof.rocq.laws import Binder, applied
from symbolic_pe.proof.rocq.reals import variable
from symbolic_pe.proof.rocq.symbols import Symbols
from symbolic_pe.proof.several_axes import AxesProof

MAX_DIMENSION, MAX_AXES = 32, 8
REFUTED_HERE = "it is refuted, also here: theorem no_group_law"
STATEMENTS = {
    "initial-condition": (
        "initial_condition",
        "{A} (fun _ => 0) =[{n}] identity",
        "axes_initial_condition {n} {m} {X}",
    ),
    "commutators": ("commutators", "commuting {n} {m} {X}", "{commute}"),
    "homomorphism": (
        "group_law",
        "forall p q : vector, {A} (shifted p q) =[{n}] times {n} ({A} p) ({A} q)",
        "axes_group_law {n} {m} {X} {commute}",
    ),
    "relativity": (
        "relativity",
        "forall p s q k : vector,\n"
        "  dot {n} (apply {n} (transpose ({A} p)) q) (apply {n} ({A} (reversed s)) k)\n"
        "  = bilinear {n} q ({A} (shifted p (reversed s))) k",
        "axes_relativity {n} {m} {X} {commute}",
    ),
}


@dataclass(frozen=True)
class _Axes:
    """The axes as data: one table of symbols for all of them."""

    encoding: SeveralAxes
    symbols: Symbols
    matrices: tuple[tuple[tuple[Expression, ...], ...], ...]
    binder: Binder

    @classmethod
    def of(cls, encoding: SeveralAxes) -> _Axes:
        n, m = encoding.dimension, len(encoding.axes)
        if n > MAX_DIMENSION or m > MAX_AXES:
            raise NotYetCovered(
                f"{encoding.name}: up to {MAX_AXES} axes of dimension {MAX_DIMENSION} are "
                f"exported; these are {m} of dimension {n}"
            )
        given = [axis.matrix for axis in encoding.axes]
        symbols = Symbols.of(x for matrix in given for row in matrix for x in row)
        known = symbols.expressions
        return cls(
            encoding,
            symbols,
            tuple(
                tuple(tuple(polynomial(symbols.polynomial(x), known) for x in row) for row in x_k)
                for x_k in given
            ),
            Binder(reals=tuple(variable(p) for p in sorted(encoding.assumptions.declared))),
        )

    @property
    def values(self) -> dict[str, str]:
        """What the statements are filled with."""
        return {
            "n": str(self.encoding.dimension),
            "m": str(len(self.encoding.axes)),
            "X": applied("X", self.binder.names),
            "A": f"A{self.binder.names}",
            "commute": applied("commute", self.binder.names),
        }

    def definitions(self) -> str:
        """The generators with their data, and A."""
        names, arguments = self.binder.names, self.binder.arguments
        parts = [
            f"(* axis {_comment(name)} *)\n"
            f"Definition X_{k}{arguments} : list (list R) :=\n  {reading_rows(x, 2)}.\n"
            f"Definition X_{k}_data : list (list expr) :=\n  {data_rows(x, 2)}."
            for k, (name, x) in enumerate(zip(self.encoding.axis_names, self.matrices, strict=True))
        ]
        cases = " | ".join(
            f"{k}%nat => entries {applied(f'X_{k}', names)}" for k in range(len(self.matrices))
        )
        n, m, x = (self.values[key] for key in ("n", "m", "X"))
        parts.append(
            f"Definition X{arguments} (i : nat) : matrix :=\n"
            f"  match i with {cases} | _ => null end.\n"
            f"Definition A{arguments} (p : vector) : matrix := at_position {n} {m} {x} p."
        )
        return "\n\n".join(parts)

    def commuting(self) -> str:
        """One computation for each pair of axes, and that all of them commute."""
        n, m = self.encoding.dimension, len(self.matrices)
        names = self.binder.names
        lemmas = [
            f"Lemma decided_{i}_{j} : decides_commuting {n} X_{i}_data X_{j}_data = true.\n"
            "Proof. vm_compute. reflexivity. Qed."
            for i in range(m)
            for j in range(i + 1, m)
        ]

        def proof(i: int, j: int) -> str:
            low, high = sorted((i, j))
            readings = " ".join(applied(f"X_{k}", names) for k in (low, high))
            fact = (
                f"exact (decides_commuting_correct {n} X_{low}_data X_{high}_data {readings}\n"
                f"      (components {self.symbols.values}) decided_{low}_{high} eq_refl eq_refl)."
            )
            return "reflexivity." if i == j else fact if i < j else f"symmetry. {fact}"

        split = "[|" * m + "{}" + "]" * m
        goals = "\n".join(f"  - {proof(i, j)}" for i, j in product(range(m), repeat=2))
        lemmas.append(
            "Lemma commute :\n"
            f"{self.binder.statement('commuting {n} {m} {X}'.format(**self.values))}.\n"
            f"Proof.\n  intros{names} i j Hi Hj.\n"
            f"  destruct i as {split.format('i')}; destruct j as {split.format('j')}; try lia.\n"
            f"{goals}\nQed."
        )
        return "\n\n".join(lemmas)

    def commute_freely(self) -> bool:
        """Whether the generators commute with their symbols independent."""
        free = [
            [[self.symbols.polynomial(x) for x in row] for row in axis.matrix]
            for axis in self.encoding.axes
        ]
        return all(product_of(x, y) == product_of(y, x) for x, y in combinations(free, 2))

    def theorem(self, claim: str) -> str:
        """The statement of one claim."""
        name, statement, proof = STATEMENTS[claim]
        return (
            f"Theorem {name} :\n{self.binder.statement(statement.format(**self.values))}.\n"
            f"Proof. {self.binder.introduction()}exact ({proof.format(**self.values)}). Qed."
        )

    def refutation(self, found: Commutator) -> str:
        """That the group law fails, from one entry of one commutator."""
        (i, j), (r, c) = found.axes, (found.row, found.column)
        n, m = self.encoding.dimension, len(self.matrices)
        below = " ".join(["ltac:(lia)"] * 2)
        return f"""(* Entry ({r}, {c}) of X_{i} X_{j} - X_{j} X_{i} is not 0. *)
Theorem no_group_law :
  ~ (forall p q : vector, A (shifted p q) =[{n}] times {n} (A p) (A q)).
Proof.
  intros H. assert (C := axes_must_commute {n} {m} X H {i}%nat {j}%nat {below}
    {r}%nat {c}%nat {below}).
  unfold times, X, X_{i}, X_{j}, entries in C. cbn in C. lra.
Qed."""


def axes_file(proof: AxesProof, command: str) -> RocqFile:
    """The file of several axes: their laws, or for rational ones that no group law holds.

    Raises `NotYetCovered` for more axes or channels than are exported, and where commuting needs a
    relation between constants.
    """
    encoding, found = proof.encoding, proof.commutator
    axes = _Axes.of(encoding)
    stated = [c.name for c in proof.claims if c.verdict is Outcome.PROVED]
    omitted = [(c.name, f"it is {c.verdict.value}") for c in proof.claims if c.name not in stated]
    if "commutators" in stated and not axes.commute_freely():
        raise NotYetCovered(f"{encoding.name}: commuting needs a relation between constants")
    parts = [axes.definitions()]
    if "commutators" in stated:
        parts.append(axes.commuting())
    parts.extend(axes.theorem(claim) for claim in stated)
    if found is not None and not axes.symbols.terms and not axes.binder.reals:
        parts.append(axes.refutation(found))
        omitted = [(c, r if c != "homomorphism" else REFUTED_HERE) for c, r in omitted]
    facts = {"dimension": f"{encoding.dimension}, axes {', '.join(encoding.axis_names)}"}
    module = "\n\n".join(["Module Axes.", *parts, "End Axes."])
    return document(
        (encoding.name, encoding.title),
        command,
        {**facts, **parameter_facts(encoding.assumptions.declared)},
        [module],
        (stated, omitted),
    )


def _comment(text: str) -> str:
    return "".join(c if c.isalnum() or c in " -_" else "?" for c in text)
