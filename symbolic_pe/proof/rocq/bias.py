"""Constant coordinates: the flow of Y, its sum with the content, and the bias that it realises."""

from __future__ import annotations

from collections.abc import Sequence

from symbolic_pe.algebra.matrix import apply
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.encodings.augmentation import realised_bias
from symbolic_pe.encodings.encoding import Augmentation
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.proof.patterns import decide
from symbolic_pe.proof.rocq.expressions import Expression, data_rows, polynomial, reading_rows
from symbolic_pe.proof.rocq.functions import Families
from symbolic_pe.proof.rocq.laws import Binder, applied
from symbolic_pe.proof.rocq.symbols import Symbols
from symbolic_pe.proof.rocq.syntax import listed


def added_module(added: Augmentation, binder: Binder, *, with_bias: bool) -> str:
    """Y with its flow, and with a proved bias the vectors and the bias, for all parameters."""
    reals = Binder(reals=binder.reals)
    symbols = _symbols(added)
    _require_free_flow(added, symbols)
    families = Families.of(symbols, [added.bias, *(f for row in added.exponential for f in row)])
    known = symbols.expressions
    y = [[polynomial(symbols.polynomial(x), known) for x in row] for row in added.generator]
    e = families.matrix(added.exponential)
    n = added.coordinates
    text = f"""Module Added.

Definition Y{reals.arguments} : list (list R) :=
  {reading_rows(y, 2)}.
Definition E{reals.arguments} (t : R) : list (list R) :=
  {reading_rows(e, 2)}.

Definition families : list family := {families.data}.
Definition Y_data : list (list expr) :=
  {data_rows(y, 2)}.
Definition E_data : list (list expr) :=
  {data_rows(e, 2)}.
Lemma decided : decides {n} families Y_data E_data = true.
Proof. vm_compute. reflexivity. Qed.

Theorem is_flow :
{reals.statement(f"flow {n} (entries (Y{reals.names})) (fun t => entries (E{reals.names} t))")}.
Proof.
  {reals.introduction()}apply (flow_of_data {n} families Y_data E_data _ _
    (components {symbols.values}) (fun _ => no_functions 0)).
  - exact decided.
  - apply nothing_given. reflexivity.
  - reflexivity.
  - intros t. reflexivity.
Qed."""
    if with_bias:
        text += "\n\n" + _bias(added, reals, symbols, families)
    return text + "\n\nEnd Added."


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


def _bias(added: Augmentation, reals: Binder, symbols: Symbols, families: Families) -> str:
    known = symbols.expressions

    def vector(numbers: Sequence[Scalar]) -> list[Expression]:
        return [polynomial(symbols.polynomial(x), known) for x in numbers]

    _require_free_bias(added, symbols)
    u, v, b = vector(added.query), vector(added.key), families.expression(added.bias)
    k, names = added.coordinates, reals.names
    e = f"(fun t => E{names} t)"
    statement = (
        f"bilinear {k} (components {applied('query', names)}) "
        f"(entries (E{names} tau)) (components {applied('key', names)}) = bias{names} tau"
    )
    return f"""Definition query{reals.arguments} : list R := {listed(str(x.reading) for x in u)}.
Definition key{reals.arguments} : list R := {listed(str(x.reading) for x in v)}.
Definition bias{reals.arguments} (t : R) : R := {b.reading}.

Definition query_data : list expr := {listed(str(x.data) for x in u)}.
Definition key_data : list expr := {listed(str(x.data) for x in v)}.
Definition bias_data : expr := {b.data}.
Lemma bias_decided : equal (bilinear_expression {k} query_data E_data key_data) bias_data = true.
Proof. vm_compute. reflexivity. Qed.

Theorem bias_is_realised :
{reals.statement(statement, " (tau : R)")}.
Proof.
  {reals.introduction(" tau")}apply (bias_of_data {k} query_data E_data key_data bias_data _ _
    {e} (bias{names}) (components {symbols.values}) (fun _ => no_functions 0) families).
  - exact bias_decided.
  - intros t. reflexivity.
  - reflexivity.
  - reflexivity.
  - reflexivity.
  - reflexivity.
  - intros t. reflexivity.
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
