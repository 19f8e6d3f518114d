"""Rational matrices with a rational real Jordan form: X P = P J and P Q = I in integers."""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm

from flint import fmpq, fmpq_mat

from symbolic_pe.algebra.matrix import is_rational
from symbolic_pe.algebra.scalar import ONE
from symbolic_pe.generators.block import Block
from symbolic_pe.jordan.form import ComponentForm, JordanCase
from symbolic_pe.proof.rocq.laws import Binder, applied
from symbolic_pe.proof.rocq.syntax import listed, rows


@dataclass(frozen=True)
class RationalJordan:
    """J as blocks over one denominator, P in integers, Q = P⁻¹ over one denominator."""

    blocks: tuple[Block, ...]
    basis: fmpq_mat
    inverse: fmpq_mat


def rational_jordan(case: JordanCase, dimension: int) -> RationalJordan | None:
    """The Jordan form of all components together, when all of it is rational."""
    if case.components is None or not all(_is_rational(form) for form in case.components):
        return None
    basis = fmpq_mat(dimension, dimension)
    inverse = fmpq_mat(dimension, dimension)
    column = 0
    for form in case.components:
        for i, channel in enumerate(form.coordinates):
            for j in range(len(form.coordinates)):
                basis[channel, column + j] = form.basis[i][j].rational_value()
                inverse[column + j, channel] = form.inverse_basis[j][i].rational_value()
        column += len(form.coordinates)
    scale = fmpq(denominator_of(basis))
    return RationalJordan(
        tuple(block for form in case.components for block in form.blocks),
        basis * scale,
        inverse / scale,
    )


def _is_rational(form: ComponentForm) -> bool:
    numbers = all(b.rate.is_rational() and b.frequency.is_rational() for b in form.blocks)
    return (
        numbers
        and all(b.chain_length == 1 or b.shear == ONE for b in form.blocks)
        and is_rational(form.basis)
        and is_rational(form.inverse_basis)
    )


def similarity_head(x: fmpq_mat, form: RationalJordan, binder: Binder, *, skew: bool) -> str:
    """X and A = P exp(tJ) Q of one head, and that A is the flow of X."""
    n = x.nrows()
    dx, dq = denominator_of(x), denominator_of(form.inverse)
    dj = lcm(*(int(r.q) for b in form.blocks for r in _rates(b)))
    x_name, a_name = applied("X", binder.names), applied("A", binder.names)
    text = f"""(* X = X_rows/{dx}, the Jordan form has eigenvalues over {dj}, Q = Q_rows/{dq}. *)
Definition X_rows : list (list Z) :=
  {integer_rows(x)}%Z.
Definition jordan_blocks : list jordan_block :=
  {listed(_block(b, dj) for b in form.blocks)}.
Definition P_rows : list (list Z) :=
  {integer_rows(form.basis)}%Z.
Definition Q_rows : list (list Z) :=
  {integer_rows(form.inverse)}%Z.

Definition X{binder.arguments} : matrix := rational X_rows {dx}.
Definition A{binder.arguments} (t : R) : matrix :=
  times {n} (rational P_rows 1)
    (times {n} (jordan_flow {dj} jordan_blocks t) (rational Q_rows {dq})).

Lemma decided : decides_similarity {n} X_rows {dx} jordan_blocks {dj} P_rows Q_rows {dq} = true.
Proof. vm_compute. reflexivity. Qed.

Theorem is_flow :
{binder.statement(f"flow {n} {x_name} {a_name}")}.
Proof. {binder.introduction()}exact (similarity_of_data {n} _ _ _ _ _ _ _ decided). Qed."""
    if skew:
        text += f"""

Lemma is_skew :
{binder.statement(f"skew {n} {x_name}")}.
Proof. {binder.introduction()}apply z_skew_of_data. vm_compute. reflexivity. Qed."""
    return text


def _rates(block: Block) -> tuple[fmpq, fmpq]:
    return block.rate.rational_value(), block.frequency.rational_value()


def _block(block: Block, denominator: int) -> str:
    rate, frequency = (_integer(x * denominator) for x in _rates(block))
    if block.is_pair:
        return f"PairChain {block.chain_length} {rate} {frequency}"
    return f"Chain {block.chain_length} {rate}"


def _integer(x: fmpq) -> str:
    return f"({x.p})" if x < 0 else str(x.p)


def denominator_of(x: fmpq_mat) -> int:
    """The least common denominator of the entries."""
    return lcm(*(int(entry.q) for row in x.tolist() for entry in row))


def integer_rows(x: fmpq_mat) -> str:
    """The entries times their common denominator, as a list of lists."""
    scaled = x * fmpq(denominator_of(x))
    return rows(((str(entry.p) for entry in row) for row in scaled.tolist()), 2)
