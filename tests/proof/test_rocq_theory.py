"""The theory: what its theorems state and assume, as Rocq prints it, and the page of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from symbolic_pe.proof.rocq.export import THEORY, theory_texts
from symbolic_pe.proof.rocq.theorems import (
    ALLOWED_AXIOMS,
    THEOREMS,
    Checked,
    checked_text,
    parse_checked,
    shipped_checked,
    theorems_page,
)
from tests.proof.rocq import checked_theorems, compiled, require_coqc, without_comments

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "rocq_assumptions.txt"
SHIPPED = Path("symbolic_pe/proof/rocq/checked.txt")


def golden() -> dict[str, Checked]:
    return parse_checked(GOLDEN.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_statements_and_axioms_are_the_golden_ones(tmp_path: Path, update_golden: bool) -> None:
    require_coqc()
    found = checked_theorems(tmp_path)
    if update_golden:
        GOLDEN.write_text(checked_text(found), encoding="utf-8")
        SHIPPED.write_text(checked_text(found), encoding="utf-8")
    assert checked_text(found) == GOLDEN.read_text(encoding="utf-8")


def test_derivations_cite_the_golden_statements() -> None:
    assert SHIPPED.read_text(encoding="utf-8") == GOLDEN.read_text(encoding="utf-8")
    assert dict(shipped_checked()) == golden()


def test_no_axiom_but_those_of_the_real_numbers() -> None:
    found = golden()
    assert list(found) == [t.qualified for t in THEOREMS]
    for name, checked in found.items():
        assert set(checked.axioms) <= set(ALLOWED_AXIOMS), name
        assert checked.statement, name


def test_the_page_shows_statement_axioms_and_derivations() -> None:
    page = theorems_page(golden(), {"Laws.group_law": ["exponential"]})
    assert "### Laws.group_law" in page
    assert "| a b c d | [exponential](../derivations/exponential.md) |" in page
    for name, checked in golden().items():
        assert f"### {name}\n\n```\n{checked.statement}\n```" in page


def test_every_theorem_of_the_page_is_in_its_file() -> None:
    texts = theory_texts()
    for theorem in THEOREMS:
        inside = without_comments(texts[f"{theorem.file}.v"])
        assert (
            any(
                f"{kind} {theorem.name} " in inside or f"{kind} {theorem.name}:" in inside
                for kind in ("Theorem", "Corollary", "Lemma")
            )
            or f" {theorem.name} :" in inside
        ), theorem.qualified


def test_a_file_needs_only_those_before_it() -> None:
    texts = theory_texts()
    for index, name in enumerate(THEORY):
        for line in texts[f"{name}.v"].splitlines():
            if line.startswith("From SymbolicPE Require Import"):
                needed = line.removeprefix("From SymbolicPE Require Import").rstrip(".").split()
                assert set(needed) <= set(THEORY[:index]), name


def test_an_axiom_would_be_seen(tmp_path: Path) -> None:
    require_coqc()
    text = "Axiom wrong : 1 = 2.\nLemma one : 2 = 1. Proof. symmetry. exact wrong. Qed.\n"
    text += 'Redirect "axioms" Print Assumptions one.\n'
    assert compiled(text, tmp_path, "wrong").accepted
    assert "wrong" in (tmp_path / "axioms.out").read_text()


def test_a_false_law_is_not_decided(tmp_path: Path) -> None:
    """The checker says no to the rotation that turns the wrong way, and yes to the right one."""
    require_coqc()
    text = """From Coq Require Import List ZArith.
From SymbolicPE Require Import Expressions NormalForms Checker.
Import ListNotations.
Definition x := [[Int 0; Neg (Sym 0)]; [Sym 0; Int 0]].
Definition e := [[Fun 0 0; Fun 0 1]; [Neg (Fun 0 1); Fun 0 0]].
Lemma wrong : decides 2 [Turning (Sym 0)] x e = false. Proof. vm_compute. reflexivity. Qed.
Lemma right : decides 2 [Turning (Neg (Sym 0))] x e = true. Proof. vm_compute. reflexivity. Qed.
Lemma time_in_x : decides 1 [] [[Time]] [[Int 1]] = false. Proof. vm_compute. reflexivity. Qed.
"""
    answer = compiled(text, tmp_path)
    assert answer.accepted, answer.message
