(* Integer positions: A(n) = B^n, with C in place of B for negative n, where C is the inverse of B.

   No generator is needed: a step such as one Jordan block at -1 is a group on the integers that no
   real generator continues. *)

From Coq Require Import Reals Lra Lia ZArith List Bool Setoid Morphisms.
From SymbolicPE Require Import Sums Matrices Gauge Checker Similarity.
Open Scope R_scope.
Set Bullet Behavior "Strict Subproofs".

Definition step_power (n : nat) (B C : matrix) (k : Z) : matrix :=
  if Z.leb 0 k then power n B (Z.to_nat k) else power n C (Z.to_nat (- k)).

Lemma step_forwards n B C m : step_power n B C (Z.of_nat m) = power n B m.
Proof.
  unfold step_power. rewrite (proj2 (Z.leb_le 0 (Z.of_nat m))) by lia. now rewrite Nat2Z.id.
Qed.

Lemma step_backwards n B C m : step_power n B C (- Z.of_nat (S m)) = power n C (S m).
Proof.
  unfold step_power. rewrite (proj2 (Z.leb_gt 0 (- Z.of_nat (S m)))) by lia.
  now rewrite Z.opp_involutive, Nat2Z.id.
Qed.

Section Step.
Variables (n : nat) (B C : matrix).
Hypothesis HBC : is_inverse n B C.
Notation A := (step_power n B C).

Lemma after k : A (Z.succ k) =[n] times n B (A k).
Proof.
  destruct (Z_lt_le_dec k 0) as [Hk|Hk].
  - replace k with (- Z.of_nat (S (Z.to_nat (- k - 1))))%Z at 2 by lia.
    rewrite step_backwards. cbn [power]. rewrite times_associative, (proj1 HBC),
      times_identity_left.
    destruct (Z.eq_dec k (-1)) as [->|Hne]; [reflexivity|].
    replace (Z.succ k) with (- Z.of_nat (S (Z.to_nat (- k - 2))))%Z by lia.
    rewrite step_backwards. replace (Z.to_nat (- k - 1)) with (S (Z.to_nat (- k - 2))) by lia.
    reflexivity.
  - replace k with (Z.of_nat (Z.to_nat k)) by lia.
    replace (Z.succ (Z.of_nat (Z.to_nat k))) with (Z.of_nat (S (Z.to_nat k))) by lia.
    rewrite !step_forwards. reflexivity.
Qed.

Lemma before k : A (Z.pred k) =[n] times n C (A k).
Proof.
  rewrite <- (times_identity_left n (A (Z.pred k))), <- (proj2 HBC), <- times_associative.
  rewrite <- after, Z.succ_pred. reflexivity.
Qed.

Theorem step_initial_condition : A 0%Z =[n] identity.
Proof. reflexivity. Qed.

Theorem step_group_law j k : A (j + k)%Z =[n] times n (A j) (A k).
Proof.
  induction j as [|j IH|j IH] using Z.peano_ind.
  - rewrite Z.add_0_l, step_initial_condition. now rewrite times_identity_left.
  - rewrite Z.add_succ_l, !after, IH. apply times_associative.
  - rewrite Z.add_pred_l, !before, IH. apply times_associative.
Qed.

Theorem step_inverses k : times n (A k) (A (- k)%Z) =[n] identity.
Proof. rewrite <- step_group_law, Z.add_opp_diag_r. apply step_initial_condition. Qed.

Theorem step_relativity q v j k :
  dot n (apply n (transpose (A j)) q) (apply n (A (- k)%Z) v) = bilinear n q (A (j - k)%Z) v.
Proof.
  rewrite dot_apply. apply bilinear_agree. rewrite transpose_involutive.
  symmetry. apply step_group_law.
Qed.
End Step.

(* Without an inverse: positions that are not negative. *)
Theorem step_semigroup n B j k : power n B (j + k) =[n] times n (power n B j) (power n B k).
Proof.
  induction j; cbn [Nat.add power]; [now rewrite times_identity_left|].
  rewrite IHj. apply times_associative.
Qed.

(* -- the decision ---------------------------------------------------------------------------- *)

Definition decides_inverse (n : nat) (B : list (list Z)) (db : positive)
    (C : list (list Z)) (dc : positive) : bool :=
  for_all_below n (fun i => for_all_below n (fun j =>
    Z.eqb (z_sum n (fun k => z_at B i k * z_at C k j)) (Zpos db * Zpos dc * z_identity i j)))%Z.

Theorem inverse_of_data n B db C dc :
  decides_inverse n B db C dc = true -> is_inverse n (rational B db) (rational C dc).
Proof.
  intros H. assert (R : times n (rational B db) (rational C dc) =[n] identity).
  { intros i j Hi Hj. apply for_all_below_correct with (i := i) in H; auto.
    apply for_all_below_correct with (i := j) in H; auto. apply Z.eqb_eq, (f_equal IZR) in H.
    unfold rational. rewrite (rational_times n (z_at B) db (z_at C) dc), H, !mult_IZR,
      z_identity_real.
    assert (D := denominator db). assert (D' := denominator dc). field. auto. }
  split; [exact R | now apply right_inverse_is_left].
Qed.
