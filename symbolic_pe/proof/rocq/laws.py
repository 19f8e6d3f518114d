"""The theorems that a file states of one flow A of X: the claims of a proof, in Rocq's words."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Binder:
    """What the theorems of a file hold for: real parameters, functions, and what these satisfy.

    reals       names of real variables
    functions   names of families phi : nat -> R -> R
    hypotheses  one statement for each family
    """

    reals: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    hypotheses: tuple[str, ...] = ()

    @property
    def arguments(self) -> str:
        """The arguments of a definition."""
        texts = []
        if self.reals:
            texts.append(f"({' '.join(self.reals)} : R)")
        if self.functions:
            texts.append(f"({' '.join(self.functions)} : nat -> R -> R)")
        return "".join(f" {text}" for text in texts)

    @property
    def names(self) -> str:
        """The arguments of an application."""
        return "".join(f" {name}" for name in (*self.reals, *self.functions))

    @property
    def witnesses(self) -> str:
        """Names of the hypotheses in a proof."""
        return "".join(f" H{index}" for index in range(len(self.hypotheses)))

    def statement(self, conclusion: str, quantified: str = "") -> str:
        """∀ parameters and functions, hypotheses → conclusion."""
        variables = f"{self.arguments}{quantified}"
        lines = [f"  forall{variables},"] if variables else []
        lines += [f"  {hypothesis} ->" for hypothesis in self.hypotheses]
        return "\n".join([*lines, f"  {conclusion}"])

    def introduction(self, quantified: str = "") -> str:
        """The tactic that names everything bound."""
        names = f"{self.names}{quantified}{self.witnesses}"
        return f"intros{names}. " if names else ""


@dataclass(frozen=True)
class Law:
    """One claim: its theorem, what it quantifies over, its statement and its proof."""

    theorem: str
    quantified: str
    statement: str
    proof: str
    names: str = ""


LAWS = {
    "initial-condition": Law(
        "initial_condition", "", "{A} 0 =[{n}] identity", "flow_start {n} _ _ {flow}"
    ),
    "derivative": Law(
        "derivative_law",
        " (t : R)",
        "has_derivative {n} {F} t (times {n} {X} ({A} t))",
        "flow_law {n} _ _ {flow} t",
        " t",
    ),
    "homomorphism": Law(
        "group_law",
        " (s t : R)",
        "{A} (s + t) =[{n}] times {n} ({A} s) ({A} t)",
        "Laws.group_law {n} _ _ {flow} s t",
        " s t",
    ),
    "relativity": Law(
        "relativity",
        " (q k : vector) (t s : R)",
        "dot {n} (apply {n} (transpose ({A} t)) q) (apply {n} ({A} (- s)) k)\n"
        "  = bilinear {n} q ({A} (t - s)) k",
        "Laws.relativity {n} _ _ {flow} q k t s",
        " q k t s",
    ),
    "closed-form": Law(
        "closed_form",
        " (E : R -> matrix) (t : R)",
        "flow {n} {X} E -> E t =[{n}] {A} t",
        "fun HE => flow_unique {n} _ _ _ HE {flow} t",
        " E t",
    ),
    "bounded-all": Law(
        "bounded",
        "",
        "exists c, forall t i j, (i < {n})%nat -> (j < {n})%nat -> Rabs ({A} t i j) <= c",
        "Laws.bounded {n} _ _ {flow} {skew}",
    ),
    "bounded-causal": Law(
        "bounded_causal",
        "",
        "exists c, forall t, 0 <= t -> forall i j, (i < {n})%nat -> (j < {n})%nat ->\n"
        "    Rabs ({A} t i j) <= c",
        "Laws.bounded_causal {n} _ _ {flow} {skew}",
    ),
    "orthogonality": Law(
        "orthogonality",
        " (t : R)",
        "times {n} (transpose ({A} t)) ({A} t) =[{n}] identity",
        "Laws.orthogonality {n} _ _ {flow} {skew} t",
        " t",
    ),
}
NEED_SKEWNESS = ("bounded-all", "bounded-causal", "orthogonality")
"""Laws that are stated where X is skew, and nowhere else."""
CONTRACTION = replace(
    LAWS["bounded-causal"], proof="contraction_bounded {n} _ _ {flow} {dissipative}"
)
ONE_MAP = Law(
    "relativity",
    " (q k : vector) (t s : R)",
    "dot {n} (apply {n} ({A} (- t)) q) (apply {n} ({A} (- s)) k)\n"
    "  = bilinear {n} q ({A} (t - s)) k",
    "Laws.one_map {n} _ _ {flow} {skew} q k t s",
    " q k t s",
)


def law_theorems(
    dimension: int, binder: Binder, claims: Collection[str], *, one_map: bool = False
) -> list[str]:
    """The theorems of the claims, for the X, A, is_flow and is_skew of the module around them."""
    chosen = dict(LAWS)
    if one_map:
        chosen["relativity"] = ONE_MAP
    if "orthogonality" not in claims:
        chosen["bounded-causal"] = CONTRACTION
    return [_theorem(law, dimension, binder) for name, law in chosen.items() if name in claims]


def applied(name: str, arguments: str) -> str:
    """A name with its arguments, in parentheses when there are some."""
    return f"({name}{arguments})" if arguments else name


def _theorem(law: Law, dimension: int, binder: Binder) -> str:
    reals = Binder(reals=binder.reals).names
    values = {
        "n": str(dimension),
        "A": f"A{binder.names}",
        "F": applied("A", binder.names),
        "X": applied("X", reals),
        "flow": applied("is_flow", binder.names + binder.witnesses),
        "skew": applied("is_skew", reals),
        "dissipative": applied("is_dissipative", reals),
    }
    statement = binder.statement(law.statement.format(**values), law.quantified)
    return (
        f"Theorem {law.theorem} :\n{statement}.\n"
        f"Proof. {binder.introduction(law.names)}exact ({law.proof.format(**values)}). Qed."
    )
