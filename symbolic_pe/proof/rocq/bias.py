"""Constant coordinates: the flow of Y, its sum with the content, and the bias that it realises."""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.matrix import apply
from symbolic_pe.algebra.sampling import sample_point
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.encodings.augmentation import realised_bias
from symbolic_pe.encodings.encoding import Augmentation
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.proof.patterns import decide
from symbolic_pe.proof.rocq.expressions import data_rows, polynomial, reading_rows
from symbolic_pe.proof.rocq.functions import Families
from symbolic_pe.proof.rocq.laws import Binder, applied
from symbolic_pe.proof.rocq.reals import real_term
from symbolic_pe.proof.rocq.symbols import Symbols
from symbolic_pe.proof.rocq.syntax import ATOM, listed


@dataclass(frozen=True)
class AddedCoordinates:
    """Constant coordinates of one head as data of the checker.

    Raises `NotYetCovered` when E(0) = I and E′ = YE need a relation between constants.
    """

    added: Augmentation
    reals: Binder
    symbols: Symbols
    families: Families

    @classmethod
    def of(cls, added: Augmentation, binder: Binder) -> AddedCoordinates:
        """The coordinates with their symbols and families of functions."""
        symbols = _symbols(added)
        _require_free_flow(added, symbols)
        functions = [added.bias, *(f for row in added.exponential for f in row)]
        return cls(added, Binder(reals=binder.reals), symbols, Families.of(symbols, functions))

    def flow(self) -> str:
        """Y and E, and that E is the flow of Y."""
        reals, known = self.reals, self.symbols.expressions
        y = [
            [polynomial(self.symbols.polynomial(x), known) for x in row]
            for row in self.added.generator
        ]
        e, n, names = (
            self.families.matrix(self.added.exponential),
            self.added.coordinates,
            reals.names,
        )
        conclusion = f"flow {n} (entries {applied('Y', names)}) (fun t => entries (E{names} t))"
        return f"""Definition Y{reals.arguments} : list (list R) :=
  {reading_rows(y, 2)}.
Definition E{reals.arguments} (t : R) : list (list R) :=
  {reading_rows(e, 2)}.

Definition families : list family := {self.families.data}.
Definition Y_data : list (list expr) :=
  {data_rows(y, 2)}.
Definition E_data : list (list expr) :=
  {data_rows(e, 2)}.
Lemma decided : decides {n} families Y_data E_data = true.
Proof. vm_compute. reflexivity. Qed.

Theorem is_flow :
{reals.statement(conclusion)}.
Proof.
  {reals.introduction()}apply (flow_of_data {n} families Y_data E_data _ _
    (components {self.symbols.values}) (fun _ => no_functions 0)).
  - exact decided.
  - apply nothing_given. reflexivity.
  - reflexivity.
  - intros t. reflexivity.
Qed."""

    def bias(self) -> str:
        """The vectors, and that they realise the bias.

        Raises `NotYetCovered` when this needs a relation between constants.
        """
        _require_free_bias(self.added, self.symbols)
        return self._vectors() + "\n\n" + self._realisation("bias", self.added.bias)

    def refutation(self, assumptions: Assumptions) -> str | None:
        """The vectors, what they realise, and one point at which that is not the bias.

        None where the bias is realised, or where numbers other than rationals would be compared.
        """
        added = self.added
        realised = realised_bias(added.query, added.exponential, added.key)
        point = _point_apart(realised - added.bias, assumptions)
        if point is None or self.families.rates or self.families.frequencies:
            return None
        if not set(self.symbols.terms) <= set(assumptions.declared):
            return None
        values, tau = point
        arguments = [real_term(values[name]).within(ATOM) for name in sorted(assumptions.declared)]
        bias = self.families.expression(added.bias).reading
        claim = self.reals.statement(self._equation("bias"), " (tau : R)").strip()
        return f"""{self._vectors()}

{self._realisation("realised", realised)}

Definition bias{self.reals.arguments} (t : R) : R := {bias}.
Theorem not_the_bias : ~ (
  {claim}).
Proof.
  intros H. specialize (H {" ".join([*arguments, str(tau)])}). rewrite realised_is_realised in H.
  unfold realised, bias in H. cbn [pow] in H. lra.
Qed."""

    def _vectors(self) -> str:
        u, v = (
            [polynomial(self.symbols.polynomial(x), self.symbols.expressions) for x in numbers]
            for numbers in (self.added.query, self.added.key)
        )
        arguments = self.reals.arguments
        return f"""Definition query{arguments} : list R := {listed(str(x.reading) for x in u)}.
Definition key{arguments} : list R := {listed(str(x.reading) for x in v)}.
Definition query_data : list expr := {listed(str(x.data) for x in u)}.
Definition key_data : list expr := {listed(str(x.data) for x in v)}."""

    def _equation(self, name: str) -> str:
        k, names = self.added.coordinates, self.reals.names
        return (
            f"bilinear {k} (components {applied('query', names)}) "
            f"(entries (E{names} tau)) (components {applied('key', names)}) = {name}{names} tau"
        )

    def _realisation(self, name: str, function: ExponentialPolynomial) -> str:
        """That uᵀE(τ)v is a function, decided by one computation."""
        k, reals, b = self.added.coordinates, self.reals, self.families.expression(function)
        reading, operator = applied(name, reals.names), applied("E", reals.names)
        return f"""Definition {name}{reals.arguments} (t : R) : R := {b.reading}.
Definition {name}_data : expr := {b.data}.
Lemma {name}_decided :
  equal (bilinear_expression {k} query_data E_data key_data) {name}_data = true.
Proof. vm_compute. reflexivity. Qed.

Theorem {name}_is_realised :
{reals.statement(self._equation(name), " (tau : R)")}.
Proof.
  {reals.introduction(" tau")}apply (bias_of_data {k} query_data E_data key_data {name}_data _ _
    {operator} {reading} (components {self.symbols.values})
    (fun _ => no_functions 0) families).
  - exact {name}_decided.
  - intros t. reflexivity.
  - reflexivity.
  - reflexivity.
  - reflexivity.
  - reflexivity.
  - intros t. reflexivity.
Qed."""


def joined_definitions(dimension: int, added: Augmentation, binder: Binder) -> str:
    """X and A of content and added coordinates together."""
    reals = "".join(f" {name}" for name in binder.reals)
    names = binder.names
    arguments = f"{names}{binder.witnesses}"
    n = dimension + added.coordinates
    real_arguments = Binder(reals=binder.reals).arguments
    x, a = applied("Content.X", reals), applied("Content.A", f"{names} t")
    y, e = applied("Added.Y", reals), applied("Added.E", f"{reals} t")
    content, flow_of_y = (
        applied("Content.is_flow", arguments),
        applied("Added.is_flow", reals),
    )
    return f"""Definition X{real_arguments} : matrix :=
  direct_sum {dimension} {x} (entries {y}).
Definition A{binder.arguments} (t : R) : matrix :=
  direct_sum {dimension} {a} (entries {e}).

Theorem is_flow :
{binder.statement(f"flow {n} {applied('X', reals)} {applied('A', names)}")}.
Proof.
  {binder.introduction()}exact (direct_sum_is_flow {dimension} {added.coordinates} _ _ _ _
    {content} {flow_of_y}).
Qed."""


def bias_theorem(dimension: int, added: Augmentation, binder: Binder) -> str:
    """The score of the extended vectors is the score of the content plus the bias."""
    reals = "".join(f" {name}" for name in binder.reals)
    names, k, n = binder.names, added.coordinates, dimension + added.coordinates
    arguments = f"{names}{binder.witnesses}"
    query, key = applied("Added.query", reals), applied("Added.key", reals)
    conclusion = (
        f"dot {n} (apply {n} (transpose (A{names} t))"
        f" (appended {dimension} q (components {query})))\n"
        f"        (apply {n} (A{names} (- s)) (appended {dimension} v (components {key})))\n"
        f"  = bilinear {dimension} q (Content.A{names} (t - s)) v"
        f" + Added.bias{reals} (t - s)"
    )
    realised = applied("Added.bias_is_realised", f"{reals} (t - s)")
    return f"""Theorem augmentation :
{binder.statement(conclusion, " (q v : vector) (t s : R)")}.
Proof.
  {binder.introduction(" q v t s")}rewrite <- {realised}.
  exact (proj2 (score_with_bias {dimension} {k} _ _ _ _ q v (components {query})
    (components {key}) t s {applied("Content.is_flow", arguments)}
    {applied("Added.is_flow", reals)})).
Qed."""


def _symbols(added: Augmentation) -> Symbols:
    functions = [added.bias, *(f for row in added.exponential for f in row)]
    inside = [
        part
        for f in functions
        for key, c in f.terms.items()
        for part in (c.re, c.im, key.exponents[0].re, key.exponents[0].im)
    ]
    entries = [x for row in added.generator for x in row]
    return Symbols.of([*added.query, *added.key, *entries, *inside])


def _require_free_flow(added: Augmentation, symbols: Symbols) -> None:
    """E(0) = I and E′ = YE with independent symbols, as the checker decides it."""
    laws = decide(
        apply(symbols.free, added.generator), apply(symbols.free_function, added.exponential)
    )
    if not (laws.initial_condition and laws.derivative):
        raise NotYetCovered("exp(tau Y) needs a relation between its constants")


def _require_free_bias(added: Augmentation, symbols: Symbols) -> None:
    """uᵀE(τ)v = bias(τ) with independent symbols."""
    realised = realised_bias(
        [symbols.free(x) for x in added.query],
        apply(symbols.free_function, added.exponential),
        [symbols.free(x) for x in added.key],
    )
    if not (realised - symbols.free_function(added.bias)).is_zero_form():
        raise NotYetCovered("the bias needs a relation between its constants")


def _point_apart(
    difference: ExponentialPolynomial, assumptions: Assumptions
) -> tuple[dict[str, Scalar], int] | None:
    """Rational parameters and a lag at which a polynomial difference is not 0."""
    sample = sample_point(assumptions)
    if sample is None or not all(x.is_rational() for x in sample.values()):
        return None
    at = difference.substitute(sample)
    if any(not c.re.is_rational() for c in at.terms.values()):
        return None
    for tau in range(1, len(at.terms) + 2):
        total = sum(c.re.rational_value() * fmpq(tau) ** k.powers[0] for k, c in at.terms.items())
        if total != 0:
            return sample, tau
    return None
