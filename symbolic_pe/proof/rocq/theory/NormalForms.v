(* Normal forms of expressions: polynomials with rational coefficients in t, the symbols and the
   functions, each a variable of its own. Equal normal forms are equal functions. *)

From Coq Require Import EnvRing Env Ring_theory.
From Coq Require Import Reals Lra Lia ZArith NArith QArith Qreals List Bool.
From SymbolicPE Require Import Sums Expressions.
Import ListNotations.
Open Scope R_scope.
Set Bullet Behavior "Strict Subproofs".

(* -- normal forms ---------------------------------------------------------------------------- *)

(* Variables of the polynomials: t, symbol k, function c of family k, coded as positive numbers. *)
Fixpoint code (k c : nat) : positive :=
  match k with O => xI (Pos.of_succ_nat c) | S m => xO (code m c) end.
Fixpoint decode (f : nat -> nat -> R -> R) (t : R) (k : nat) (p : positive) : R :=
  match p with
  | xO q => decode f t (S k) q
  | xI q => f k (pred (Pos.to_nat q)) t
  | xH => 0
  end.
Definition environment (symbols : nat -> R) (f : nat -> nat -> R -> R) (t : R) (p : positive) : R :=
  match p with
  | xH => t
  | xO q => symbols (pred (Pos.to_nat q))
  | xI q => decode f t 0 q
  end.

Lemma decode_code f t k c m : decode f t m (code k c) = f (m + k)%nat c t.
Proof.
  revert m. induction k; intros m; cbn [code decode].
  - now rewrite SuccNat2Pos.id_succ, Nat.add_0_r.
  - rewrite IHk. f_equal. lia.
Qed.

Fixpoint polynomial (e : expr) : PExpr Q :=
  match e with
  | Int z => PEc (inject_Z z)
  | Over a d => PEmul (PEc (1 # d)) (polynomial a)
  | Time => PEX xH
  | Sym k => PEX (xO (Pos.of_succ_nat k))
  | Fun k c => PEX (xI (code k c))
  | Add a b => PEadd (polynomial a) (polynomial b)
  | Sub a b => PEsub (polynomial a) (polynomial b)
  | Mul a b => PEmul (polynomial a) (polynomial b)
  | Neg a => PEopp (polynomial a)
  | Pow a n => PEpow (polynomial a) (N.of_nat n)
  end.

(* Rational coefficients, reduced. *)
Definition q_add a b := Qred (Qplus a b).
Definition q_sub a b := Qred (Qminus a b).
Definition q_mul a b := Qred (Qmult a b).

Lemma q_reduced a : Q2R (Qred a) = Q2R a.
Proof. apply Qeq_eqR, Qred_correct. Qed.

Lemma q_morphism :
  ring_morph 0 1 Rplus Rmult Rminus Ropp eq 0%Q 1%Q q_add q_mul q_sub Qopp Qeq_bool Q2R.
Proof.
  constructor; intros; unfold q_add, q_sub, q_mul; rewrite ?q_reduced.
  - unfold Q2R. cbn. field.
  - unfold Q2R. cbn. field.
  - apply Q2R_plus.
  - apply Q2R_minus.
  - apply Q2R_mult.
  - apply Q2R_opp.
  - now apply Qeq_eqR, Qeq_bool_eq.
Qed.

Lemma r_extension : ring_eq_ext Rplus Rmult Ropp (@eq R).
Proof. constructor; congruence. Qed.
Definition r_theory := Rth_ARth (Eqsth R) r_extension RTheory.

Definition normal : PExpr Q -> Pol Q := @norm_aux Q 0%Q 1%Q q_add q_mul q_sub Qopp Qeq_bool.
Definition p_value (l : positive -> R) : Pol Q -> R := Pphi Rplus Rmult Q2R l.
Definition p_add : Pol Q -> Pol Q -> Pol Q := Padd 0%Q q_add Qeq_bool.
Definition p_mul : Pol Q -> Pol Q -> Pol Q := Pmul 0%Q 1%Q q_add q_mul Qeq_bool.
Definition p_equal : Pol Q -> Pol Q -> bool := Peq Qeq_bool.
Definition p_zero : Pol Q := Pc 0%Q.

Lemma normal_correct l e :
  PEeval Rplus Rmult Rminus Ropp Q2R N.to_nat pow l e = p_value l (normal e).
Proof. exact (norm_aux_spec (Eqsth R) r_extension r_theory q_morphism R_power_theory l e). Qed.
Lemma p_add_correct l p q : p_value l (p_add p q) = p_value l p + p_value l q.
Proof. exact (Padd_ok (Eqsth R) r_extension r_theory q_morphism q p l). Qed.
Lemma p_mul_correct l p q : p_value l (p_mul p q) = p_value l p * p_value l q.
Proof. exact (Pmul_ok (Eqsth R) r_extension r_theory q_morphism p q l). Qed.
Lemma p_equal_correct l p q : p_equal p q = true -> p_value l p = p_value l q.
Proof. intros H. exact (Peq_ok (Eqsth R) r_extension q_morphism p q H l). Qed.
Lemma p_zero_correct l : p_value l p_zero = 0.
Proof. unfold p_value, p_zero, Q2R. cbn. ring. Qed.

Definition form_of (e : expr) : Pol Q := normal (polynomial e).

Lemma form_correct symbols f t e :
  value symbols f t e = p_value (environment symbols f t) (form_of e).
Proof.
  unfold form_of. rewrite <- normal_correct. induction e; cbn [value polynomial PEeval].
  - unfold Q2R. cbn. field.
  - rewrite IHe. unfold Q2R. cbn. field. apply not_0_IZR. discriminate.
  - reflexivity.
  - cbn. now rewrite SuccNat2Pos.id_succ.
  - cbn. now rewrite decode_code.
  - now rewrite IHe1, IHe2.
  - now rewrite IHe1, IHe2.
  - now rewrite IHe1, IHe2.
  - now rewrite IHe.
  - now rewrite IHe, Nat2N.id.
Qed.

Definition equal (a b : expr) : bool := p_equal (form_of a) (form_of b).

Theorem equal_correct a b : equal a b = true ->
  forall symbols f t, value symbols f t a = value symbols f t b.
Proof. intros H symbols f t. rewrite !form_correct. now apply p_equal_correct. Qed.
