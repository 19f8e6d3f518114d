(* det E(t) = exp(t tr X), by exterior algebra.

   The flow satisfies E' = EX as well as E' = XE, so every row of E moves by the same X, and the
   product of the rows moves by the derivation D_X: no row is singled out, no minor is expanded. *)

From Coq Require Import Reals Lra Lia Arith Setoid Morphisms.
From Coquelicot Require Import Coquelicot.
From SymbolicPE Require Import Sums Matrices Flow Laws ExteriorAlgebra.
Open Scope R_scope.
Set Bullet Behavior "Strict Subproofs".

(* -- differentiation of forms ---------------------------------------------------------------- *)

Fixpoint derives (n : nat) : (R -> form n) -> R -> form n -> Prop :=
  match n with
  | O => fun f t d => is_derive (f : R -> R) t d
  | S k => fun f t d =>
    derives k (fun t => fst (f t)) t (fst d) /\ derives k (fun t => snd (f t)) t (snd d)
  end.

Lemma derives_plus n f g t d e :
  derives n f t d -> derives n g t e -> derives n (fun t => plus n (f t) (g t)) t (plus n d e).
Proof.
  revert f g d e. induction n; cbn; intros f g d e.
  - intros Hf Hg. apply (is_derive_plus (f : R -> R) g); assumption.
  - intros [H1 H2] [H3 H4]. split.
    + now apply (IHn (fun t => fst (f t)) (fun t => fst (g t))).
    + now apply (IHn (fun t => snd (f t)) (fun t => snd (g t))).
Qed.

Lemma derives_scale n c c' f t d :
  is_derive c t c' -> derives n f t d ->
  derives n (fun t => scale n (c t) (f t)) t (plus n (scale n c' (f t)) (scale n (c t) d)).
Proof.
  intros Hc. revert f d. induction n; cbn; intros f d.
  - intros Hf. apply (is_derive_mult c (f : R -> R)); auto. apply Rmult_comm.
  - intros [H1 H2]. split; [now apply (IHn (fun t => fst (f t))) | now apply (IHn (fun t => snd (f t)))].
Qed.

Lemma derives_constant n x t : derives n (fun _ => x) t (zero n).
Proof.
  induction n; cbn; [apply @is_derive_const | split; apply IHn].
Qed.

Lemma derives_wedge n (v : R -> vector) v' f t d :
  (forall i, (i < n)%nat -> is_derive (fun t => v t i) t (v' i)) -> derives n f t d ->
  derives n (fun t => wedge n (v t) (f t)) t (plus n (wedge n v' (f t)) (wedge n (v t) d)).
Proof.
  revert f d. induction n; intros f d Hv Hf; cbn in *.
  - rewrite Rplus_0_l. apply @is_derive_const.
  - destruct Hf as [H1 H2]. split.
    + apply (IHn (fun t => fst (f t))); auto with arith.
    + assert (A := derives_scale n _ _ (fun t => fst (f t)) t _ (Hv n (Nat.lt_succ_diag_r n)) H1).
      assert (B := IHn (fun t => snd (f t)) _ (fun i H => Hv i (Nat.lt_lt_succ_r _ _ H)) H2).
      assert (C := derives_scale n (fun _ => -1) 0 _ t _ (is_derive_const (-1) t) B).
      assert (D := derives_plus n _ _ t _ _ A C). cbv beta in D.
      rewrite scale_by_zero, (plus_commutes n (zero n)), plus_zero in D.
      rewrite scale_plus, plus_exchange in D. exact D.
Qed.

Lemma derives_top n f t d : derives n f t d -> is_derive (fun t => top n (f t)) t (top n d).
Proof. revert f d. induction n; cbn; [auto|]. intros f d [_ H]. now apply IHn in H. Qed.

(* -- Liouville ------------------------------------------------------------------------------- *)

Lemma rows_derivative n X E t m :
  flow n X E -> (m <= n)%nat ->
  derives n (fun t => rows n m (E t)) t (derivation n n X (rows n m (E t))).
Proof.
  intros HE. induction m as [|m IH]; intros Hm; cbn [rows].
  - rewrite derivation_one. apply derives_constant.
  - rewrite derivation_wedge by lia.
    apply (derives_wedge n (fun t => E t m) (row_times n (E t m) X) (fun t => rows n m (E t)));
      [|apply IH; lia].
    intros i Hi. change (row_times n (E t m) X i) with (times n (E t) X m i).
    rewrite <- (generator_commutes n X E HE t m i Hm Hi). now apply HE.
Qed.

Lemma wedge_small n k v x :
  v k = 0 -> k = n -> wedge (S n) v (x, zero n) = (wedge n v x, zero n).
Proof.
  intros Hv ->. cbn. now rewrite Hv, wedge_zero, scale_by_zero, scale_zero, plus_zero.
Qed.

Lemma rows_identity_embedded n m :
  (m <= n)%nat -> rows (S n) m identity = (rows n m identity, zero n).
Proof.
  induction m as [|m IH]; intros Hm; [reflexivity|]. cbn [rows].
  rewrite IH by lia. apply (wedge_small n n); [|reflexivity].
  apply identity_elsewhere. lia.
Qed.

Lemma determinant_identity n : determinant n identity = 1.
Proof.
  unfold determinant. induction n; [reflexivity|].
  cbn [rows]. rewrite rows_identity_embedded by lia. cbn [wedge top fst snd].
  now rewrite wedge_zero, scale_zero, plus_zero, top_scale, IHn, identity_diagonal, Rmult_1_l.
Qed.

Lemma rows_agree n m A B :
  (forall i j, (i < m)%nat -> (j < n)%nat -> A i j = B i j) -> rows n m A = rows n m B.
Proof.
  induction m; intros H; [reflexivity|]. cbn [rows].
  rewrite IHm by auto with arith. apply wedge_equal. auto with arith.
Qed.

Theorem liouville n X E : flow n X E -> forall t, determinant n (E t) = exp (t * trace n X).
Proof.
  intros HE.
  assert (D : forall t, is_derive (fun t => determinant n (E t)) t (trace n X * determinant n (E t))).
  { intros t. unfold determinant. rewrite <- top_derivation by lia.
    apply derives_top, rows_derivative; auto. }
  assert (C : forall t, determinant n (E t) * exp (- (t * trace n X))
                        = determinant n (E 0) * exp (- (0 * trace n X))).
  { apply (constant_of_derivative (fun t => determinant n (E t) * exp (- (t * trace n X)))).
    intros t. replace 0 with (trace n X * determinant n (E t) * exp (- (t * trace n X))
      + determinant n (E t) * (- trace n X * exp (- (t * trace n X)))) by ring.
    apply (is_derive_mult (fun t => determinant n (E t)) (fun t => exp (- (t * trace n X))));
      [apply D | auto_derive; auto; ring | apply Rmult_comm]. }
  intros t. specialize (C t). unfold determinant in C at 2.
  rewrite (rows_agree n n (E 0) identity) in C by (intros; now apply HE).
  fold (determinant n identity) in C.
  rewrite determinant_identity, Rmult_0_l, Ropp_0, exp_0, exp_Ropp in C.
  assert (P := exp_pos (t * trace n X)).
  apply Rmult_eq_reg_r with (/ exp (t * trace n X)); [|apply Rinv_neq_0_compat; lra].
  rewrite C. field. lra.
Qed.
