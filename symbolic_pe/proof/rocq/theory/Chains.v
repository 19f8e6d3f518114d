(* Flows of blocks: chains of every length, and pairs of eigenvalues.

   The chain of length n has rate a and shear e, X = aI + eN with N the shift, and

       E(t) = exp(at) * sum over k of (et)^k/k! N^k      (n is a variable of the theorem).

   A pair of eigenvalues a +- bi with a chain of length n is the Kronecker sum of such a chain and
   the rotation of a plane, so its flow is the tensor product of theirs. *)

From Coq Require Import Reals Lra Lia Arith Factorial List Bool Setoid Morphisms.
From Coquelicot Require Import Coquelicot.
From SymbolicPE Require Import Sums Matrices Flow Laws.
Open Scope R_scope.
Set Bullet Behavior "Strict Subproofs".

(* -- one chain, any length ------------------------------------------------------------------- *)

Definition weight (e : R) (k : nat) (t : R) : R := (e * t) ^ k / INR (fact k).

Definition chain (a e : R) : matrix :=
  fun i j => a * identity i j + e * identity (S i) j.
Definition chain_flow (a e t : R) : matrix :=
  fun i j => if Nat.leb i j then exp (a * t) * weight e (j - i) t else 0.

Lemma weight_at_zero e k : weight e k 0 = if Nat.eqb k 0 then 1 else 0.
Proof. unfold weight. destruct k; cbn; [field | rewrite Rmult_0_r; unfold Rdiv; ring]. Qed.

Lemma weight_derivative e k t : is_derive (weight e (S k)) t (e * weight e k t).
Proof.
  unfold weight.
  replace (e * ((e * t) ^ k / INR (fact k)))
    with (scal (/ INR (fact (S k))) (INR (S k) * e * (e * t) ^ k)).
  - apply (is_derive_ext (fun t => scal (/ INR (fact (S k))) ((e * t) ^ S k))).
    { intros u. unfold scal; cbn -[fact pow]; unfold mult; cbn -[fact pow]. unfold Rdiv. ring. }
    apply (is_derive_scal (fun t => (e * t) ^ S k)).
    apply (is_derive_pow (fun t => e * t) (S k)). auto_derive; auto. ring.
  - unfold scal; cbn -[fact INR pow]; unfold mult; cbn -[fact INR pow].
    rewrite fact_simpl, mult_INR. field. split; [apply INR_fact_neq_0 | apply not_0_INR; lia].
Qed.

Lemma rate_derivative a t : is_derive (fun t => exp (a * t)) t (a * exp (a * t)).
Proof. auto_derive; auto. ring. Qed.

(* Row i of chain * E has two terms: the diagonal and the link to the next coordinate. *)
Lemma chain_times n a e E i j :
  (i < n)%nat ->
  times n (chain a e) E i j = a * E i j + (if Nat.ltb (S i) n then e * E (S i) j else 0).
Proof.
  intros Hi. unfold times, chain.
  rewrite (sum_equal n _ (fun k => a * (identity i k * E k j) + e * (identity (S i) k * E k j)))
    by (intros; ring).
  rewrite sum_add, !sum_scale_left. f_equal.
  - f_equal. rewrite (sum_single n _ i Hi).
    + rewrite identity_diagonal. ring.
    + intros k _ Hk. rewrite identity_elsewhere by auto. ring.
  - destruct (Nat.ltb_spec (S i) n) as [Hs|Hs].
    + rewrite (sum_single n _ (S i) Hs).
      * rewrite identity_diagonal. ring.
      * intros k _ Hk. rewrite identity_elsewhere by auto. ring.
    + rewrite sum_zero; [ring|]. intros k Hk. rewrite identity_elsewhere by lia. ring.
Qed.

Theorem chain_is_flow n a e : flow n (chain a e) (chain_flow a e).
Proof.
  split.
  - intros i j _ _. unfold chain_flow, identity. rewrite Rmult_0_r, exp_0, weight_at_zero.
    destruct (Nat.leb_spec i j); destruct (Nat.eqb_spec i j); destruct (Nat.eqb_spec (j - i) 0);
      try lia; ring.
  - intros t i j Hi Hj. rewrite (chain_times n a e _ i j Hi). unfold chain_flow.
    destruct (Nat.leb_spec i j) as [Hij|Hij].
    + destruct (Nat.eq_dec i j) as [<-|Hne].
      * rewrite Nat.sub_diag. replace (Nat.leb (S i) i) with false
          by (symmetry; apply Nat.leb_gt; lia).
        assert (W : forall u, weight e 0 u = 1) by (intros; unfold weight; cbn; field).
        apply (is_derive_ext (fun t => exp (a * t))); [intros; rewrite W; now rewrite Rmult_1_r|].
        rewrite W. replace (_ + _) with (a * exp (a * t)); [apply rate_derivative|].
        destruct (Nat.ltb (S i) n); ring.
      * replace (Nat.ltb (S i) n) with true by (symmetry; apply Nat.ltb_lt; lia).
        replace (Nat.leb (S i) j) with true by (symmetry; apply Nat.leb_le; lia).
        replace (j - i)%nat with (S (j - S i)) by lia.
        replace (_ + _) with (a * exp (a * t) * weight e (S (j - S i)) t
          + exp (a * t) * (e * weight e (j - S i) t)) by ring.
        apply (is_derive_mult (fun t => exp (a * t)) (weight e (S (j - S i))));
          [apply rate_derivative | apply weight_derivative | apply Rmult_comm].
    + replace (_ + _) with 0; [apply @is_derive_const|].
      replace (Nat.leb (S i) j) with false by (symmetry; apply Nat.leb_gt; lia).
      destruct (Nat.ltb (S i) n); ring.
Qed.

Corollary chain_group_law n a e s t :
  chain_flow a e (s + t) =[n] times n (chain_flow a e s) (chain_flow a e t).
Proof. exact (group_law n _ _ (chain_is_flow n a e) s t). Qed.

(* The group law of the nilpotent chain, read at its corner, is the binomial theorem in the form of
   Vandermonde's convolution: no induction on n is left to do. *)
Theorem vandermonde n s t :
  sum_below (S n) (fun k => s ^ k / INR (fact k) * (t ^ (n - k) / INR (fact (n - k))))
  = (s + t) ^ n / INR (fact n).
Proof.
  assert (H := chain_group_law (S n) 0 1 s t 0%nat n (Nat.lt_0_succ n) (Nat.lt_succ_diag_r n)).
  unfold chain_flow, weight, times in H. cbn [Nat.leb] in H. rewrite Nat.sub_0_r in H.
  rewrite !Rmult_0_l, !Rmult_1_l, !exp_0, !Rmult_1_l in H. rewrite H.
  apply sum_equal. intros k Hk.
  replace (Nat.leb k n) with true by (symmetry; apply Nat.leb_le; lia).
  now rewrite Nat.sub_0_r, !Rmult_1_l.
Qed.

(* -- Kronecker sums -------------------------------------------------------------------------- *)

(* Index i = p * w + c: p counts cells of width w, c the place in the cell. *)
Definition tensor (w : nat) (A B : matrix) : matrix :=
  fun i j => A (i / w)%nat (j / w)%nat * B (i mod w)%nat (j mod w)%nat.
Definition kronecker_sum (w : nat) (X Y : matrix) : matrix :=
  add (tensor w X identity) (tensor w identity Y).

Lemma cell_bounds m w i : (i < m * w)%nat -> (i / w < m)%nat /\ (i mod w < w)%nat.
Proof.
  intros Hi. assert (w <> 0)%nat by (intros ->; lia). split.
  - apply Nat.div_lt_upper_bound; lia.
  - now apply Nat.mod_upper_bound.
Qed.

Lemma tensor_identity w i j : tensor w identity identity i j = identity i j \/ w = 0%nat.
Proof.
  destruct (Nat.eq_dec w 0) as [->|Hw]; [now right|left]. unfold tensor, identity.
  destruct (Nat.eqb_spec i j) as [->|Hne]; [rewrite !Nat.eqb_refl; ring|].
  destruct (Nat.eqb_spec (i / w) (j / w)); destruct (Nat.eqb_spec (i mod w) (j mod w)); try ring.
  exfalso. apply Hne. rewrite (Nat.div_mod i w Hw), (Nat.div_mod j w Hw). congruence.
Qed.

Lemma tensor_times m w A B C D :
  times (m * w) (tensor w A B) (tensor w C D)
  =[m * w] tensor w (times m A C) (times w B D).
Proof.
  intros i j Hi Hj. destruct (cell_bounds m w i Hi) as [Hp Hc].
  unfold times, tensor. rewrite sum_grouped, <- sum_scale_right.
  apply sum_equal. intros p _. rewrite <- sum_scale_left. apply sum_equal. intros c Hc'.
  replace ((p * w + c) mod w)%nat with c
    by (rewrite Nat.add_comm, Nat.mod_add, Nat.mod_small; lia).
  rewrite Nat.div_add_l, (Nat.div_small c), Nat.add_0_r by lia. ring.
Qed.

#[global] Instance tensor_agree m w :
  Proper (agree m ==> agree w ==> agree (m * w)) (tensor w).
Proof.
  intros A A' HA B B' HB i j Hi Hj.
  destruct (cell_bounds m w i Hi), (cell_bounds m w j Hj). unfold tensor. now rewrite HA, HB.
Qed.

Theorem kronecker_sum_is_flow m w X Y E F :
  flow m X E -> flow w Y F ->
  flow (m * w) (kronecker_sum w X Y) (fun t => tensor w (E t) (F t)).
Proof.
  intros HE HF. split.
  - rewrite (flow_start _ _ _ HE), (flow_start _ _ _ HF). intros i j Hi _.
    destruct (tensor_identity w i j); [assumption | lia].
  - intros t. apply has_derivative_agree with
      (add (tensor w (times m X (E t)) (F t)) (tensor w (E t) (times w Y (F t)))).
    + unfold kronecker_sum. rewrite times_add_left, !tensor_times.
      now rewrite !times_identity_left.
    + intros i j Hi Hj. destruct (cell_bounds m w i Hi), (cell_bounds m w j Hj).
      unfold tensor, add.
      apply (is_derive_mult (fun t => E t (i / w)%nat (j / w)%nat)
                            (fun t => F t (i mod w)%nat (j mod w)%nat));
        [now apply HE | now apply HF | apply Rmult_comm].
Qed.

(* -- the plane, and chains of planes --------------------------------------------------------- *)

Definition plane (b : R) : matrix := entries ((0 :: - b :: nil) :: (b :: 0 :: nil) :: nil).
Definition turn (b t : R) : matrix :=
  entries ((cos (b * t) :: - sin (b * t) :: nil) :: (sin (b * t) :: cos (b * t) :: nil) :: nil).

Theorem plane_is_flow b : flow 2 (plane b) (turn b).
Proof.
  split.
  - intros [|[|i]] [|[|j]] Hi Hj; try lia; unfold turn, entries, identity; cbn;
      rewrite Rmult_0_r, ?cos_0, ?sin_0; ring.
  - intros t [|[|i]] [|[|j]] Hi Hj; try lia; unfold turn, plane, times, entries; cbn;
      auto_derive; auto; ring.
Qed.

(* a +- bi with chain length n: size 2n, links e between the planes. *)
Definition pair_chain (a b e : R) : matrix := kronecker_sum 2 (chain a e) (plane b).
Definition pair_chain_flow (a b e t : R) : matrix := tensor 2 (chain_flow a e t) (turn b t).

Theorem pair_chain_is_flow n a b e : flow (n * 2) (pair_chain a b e) (pair_chain_flow a b e).
Proof. apply kronecker_sum_is_flow; [apply chain_is_flow | apply plane_is_flow]. Qed.

Corollary pair_chain_group_law n a b e s t :
  pair_chain_flow a b e (s + t)
  =[n * 2] times (n * 2) (pair_chain_flow a b e s) (pair_chain_flow a b e t).
Proof. exact (group_law (n * 2) _ _ (pair_chain_is_flow n a b e) s t). Qed.
