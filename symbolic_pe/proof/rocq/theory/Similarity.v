(* Rational matrices through their real Jordan form, checked on integers.

   Given X, P, Q with integer entries over common denominators and a list of Jordan blocks with
   rational eigenvalues, the checker decides X P = P J and P Q = I with integer arithmetic alone: no
   greatest common divisor is ever taken. Then exp(tX) = P (sum of block exponentials) Q. *)

From Coq Require Import Reals Lra Lia ZArith List Bool Setoid Morphisms.
From SymbolicPE Require Import Sums Matrices Flow Laws Chains DirectSums Checker.
Import ListNotations.
Open Scope R_scope.
Set Bullet Behavior "Strict Subproofs".

(* -- Jordan blocks with rational eigenvalues a/d or (a +- bi)/d ------------------------------ *)

Inductive jordan_block : Type :=
  | Chain (length : nat) (a : Z)
  | PairChain (length : nat) (a b : Z).

Definition over (z : Z) (d : positive) : R := IZR z / IZR (Zpos d).

Lemma denominator d : IZR (Zpos d) <> 0.
Proof. apply not_0_IZR. discriminate. Qed.

Definition part_of (d : positive) (block : jordan_block) : part :=
  match block with
  | Chain n a => {| width := n;
      generator := chain (over a d) 1;
      operator := chain_flow (over a d) 1 |}
  | PairChain n a b => {| width := n * 2;
      generator := pair_chain (over a d) (over b d) 1;
      operator := pair_chain_flow (over a d) (over b d) 1 |}
  end.

Lemma part_sound d block : sound (part_of d block).
Proof. destruct block; [apply chain_is_flow | apply pair_chain_is_flow]. Qed.

Definition jordan_form (d : positive) (blocks : list jordan_block) : matrix :=
  joined_generator (map (part_of d) blocks).
Definition jordan_flow (d : positive) (blocks : list jordan_block) (t : R) : matrix :=
  joined_operator (map (part_of d) blocks) t.
Definition block_size (block : jordan_block) : nat :=
  match block with Chain n _ => n | PairChain n _ _ => n * 2 end.
Fixpoint jordan_size (blocks : list jordan_block) : nat :=
  match blocks with nil => 0 | b :: rest => block_size b + jordan_size rest end.

Lemma jordan_size_total d blocks : total (map (part_of d) blocks) = jordan_size blocks.
Proof. induction blocks as [|[|] rest IH]; cbn; congruence. Qed.

Theorem jordan_is_flow d blocks :
  flow (jordan_size blocks) (jordan_form d blocks) (jordan_flow d blocks).
Proof.
  rewrite <- (jordan_size_total d). apply joined_is_flow.
  induction blocks; constructor; auto using part_sound.
Qed.

(* -- the same matrix, d times, in integers --------------------------------------------------- *)

Definition z_identity (i j : nat) : Z := if Nat.eqb i j then 1 else 0.
Definition z_chain (d a : Z) (i j : nat) : Z := (a * z_identity i j + d * z_identity (S i) j)%Z.
Definition z_plane (b : Z) (i j : nat) : Z :=
  match i, j with 0%nat, 1%nat => - b | 1%nat, 0%nat => b | _, _ => 0 end%Z.
Definition z_block (d : Z) (block : jordan_block) (i j : nat) : Z :=
  match block with
  | Chain _ a => z_chain d a i j
  | PairChain _ a b =>
    z_chain d a (i / 2) (j / 2) * z_identity (i mod 2) (j mod 2)
    + z_identity (i / 2) (j / 2) * z_plane b (i mod 2) (j mod 2)
  end%Z.
Fixpoint z_jordan (d : Z) (blocks : list jordan_block) (i j : nat) : Z :=
  match blocks with
  | nil => 0
  | b :: rest =>
    if Nat.ltb i (block_size b) then (if Nat.ltb j (block_size b) then z_block d b i j else 0)
    else (if Nat.ltb j (block_size b) then 0
          else z_jordan d rest (i - block_size b) (j - block_size b))
  end%Z.

Lemma z_identity_real i j : IZR (z_identity i j) = identity i j.
Proof. unfold z_identity, identity. now destruct (Nat.eqb i j). Qed.

Lemma z_chain_real d a i j : over (z_chain (Zpos d) a i j) d = chain (over a d) 1 i j.
Proof.
  unfold over, z_chain, chain. rewrite plus_IZR, !mult_IZR, !z_identity_real.
  field. apply denominator.
Qed.

Lemma z_plane_real d b i j : over (z_plane b i j) d = plane (over b d) i j.
Proof.
  assert (Z0 : forall x, IZR 0 / x = 0) by (intros; unfold Rdiv; ring).
  unfold over, z_plane, plane, entries. destruct i as [|[|i]]; destruct j as [|[|j]]; cbn [nth];
    try apply Z0; try reflexivity; try (destruct i; apply Z0); try (destruct j; apply Z0).
  rewrite opp_IZR. unfold Rdiv. ring.
Qed.

Lemma z_block_real d block i j :
  over (z_block (Zpos d) block i j) d = generator (part_of d block) i j.
Proof.
  destruct block as [n a|n a b]; cbn [z_block part_of generator]; [apply z_chain_real|].
  unfold pair_chain, kronecker_sum, add, tensor. rewrite <- z_chain_real, <- z_plane_real.
  unfold over. rewrite plus_IZR, !mult_IZR, !z_identity_real. field. apply denominator.
Qed.

Lemma z_jordan_real d blocks i j :
  over (z_jordan (Zpos d) blocks i j) d = jordan_form d blocks i j.
Proof.
  assert (Z0 : over 0 d = 0) by (unfold over, Rdiv; ring).
  unfold jordan_form. revert i j. induction blocks as [|b rest IH]; intros i j; [exact Z0|].
  cbn [z_jordan map joined_generator].
  replace (width (part_of d b)) with (block_size b) by now destruct b.
  unfold direct_sum. destruct (Nat.ltb i (block_size b)), (Nat.ltb j (block_size b));
    [apply z_block_real | exact Z0 | exact Z0 | apply IH].
Qed.

(* -- the decision ---------------------------------------------------------------------------- *)

Definition z_at (M : list (list Z)) (i j : nat) : Z := nth j (nth i M []) 0%Z.
Definition rational (M : list (list Z)) (d : positive) : matrix := fun i j => over (z_at M i j) d.

Fixpoint z_sum (n : nat) (f : nat -> Z) : Z :=
  match n with O => 0 | S k => z_sum k f + f k end%Z.
Lemma z_sum_real n f : IZR (z_sum n f) = sum_below n (fun i => IZR (f i)).
Proof. induction n; cbn; [reflexivity|]. now rewrite plus_IZR, IHn. Qed.

Definition decides_similarity (n : nat) (X : list (list Z)) (dx : positive)
    (blocks : list jordan_block) (dj : positive)
    (P Q : list (list Z)) (dq : positive) : bool :=
  Nat.eqb (jordan_size blocks) n
  && for_all_below n (fun i => for_all_below n (fun j =>
    Z.eqb (Zpos dj * z_sum n (fun k => z_at X i k * z_at P k j))
          (Zpos dx * z_sum n (fun k => z_at P i k * z_jordan (Zpos dj) blocks k j))
    && Z.eqb (z_sum n (fun k => z_at P i k * z_at Q k j)) (Zpos dq * z_identity i j)))%Z.

Lemma rational_times n A da B db i j :
  times n (fun i j => over (A i j) da) (fun i j => over (B i j) db) i j
  = IZR (z_sum n (fun k => A i k * B k j)%Z) / (IZR (Zpos da) * IZR (Zpos db)).
Proof.
  rewrite z_sum_real. unfold Rdiv. rewrite <- sum_scale_right. apply sum_equal. intros k _.
  unfold over. rewrite mult_IZR. field. split; apply denominator.
Qed.

Theorem similarity_of_data n X dx blocks dj P Q dq :
  decides_similarity n X dx blocks dj P Q dq = true ->
  flow n (rational X dx)
    (fun t => times n (rational P 1) (times n (jordan_flow dj blocks t) (rational Q dq))).
Proof.
  unfold decides_similarity. rewrite andb_true_iff, Nat.eqb_eq. intros [Hn H].
  assert (Hij : forall i j, (i < n)%nat -> (j < n)%nat ->
    (Zpos dj * z_sum n (fun k => z_at X i k * z_at P k j)
      = Zpos dx * z_sum n (fun k => z_at P i k * z_jordan (Zpos dj) blocks k j))%Z
    /\ (z_sum n (fun k => z_at P i k * z_at Q k j) = Zpos dq * z_identity i j)%Z).
  { intros i j Hi Hj. rewrite <- !Z.eqb_eq. apply for_all_below_correct with (i := i) in H; auto.
    apply for_all_below_correct with (i := j) in H; auto. apply andb_prop in H. exact H. }
  clear H. apply (similarity n _ (jordan_form dj blocks)).
  - rewrite <- Hn. apply jordan_is_flow.
  - intros i j Hi Hj. destruct (Hij i j Hi Hj) as [H _].
    apply (f_equal IZR) in H. rewrite !mult_IZR in H.
    unfold rational. rewrite (rational_times n (z_at X) dx (z_at P) 1).
    rewrite (times_agree n _ _ (reflexivity _) (jordan_form dj blocks)
      (fun i j => over (z_jordan (Zpos dj) blocks i j) dj)) by
      (auto; intros k l _ _; now rewrite z_jordan_real).
    rewrite (rational_times n (z_at P) 1 (z_jordan (Zpos dj) blocks) dj).
    assert (D := denominator dx). assert (D' := denominator dj). assert (D1 := denominator 1).
    apply Rmult_eq_reg_l with (IZR (Zpos dj) * IZR (Zpos dx));
      [|now apply Rmult_integral_contrapositive].
    transitivity (IZR (Zpos dj) * IZR (z_sum n (fun k => z_at X i k * z_at P k j)%Z)).
    + field. auto.
    + rewrite H. field. auto.
  - intros i j Hi Hj. destruct (Hij i j Hi Hj) as [_ H].
    apply (f_equal IZR) in H. rewrite mult_IZR in H.
    unfold rational. rewrite (rational_times n (z_at P) 1 (z_at Q) dq), H, z_identity_real.
    assert (D := denominator dq). field. auto.
Qed.

Definition decides_z_skew (n : nat) (X : list (list Z)) : bool :=
  for_all_below n (fun i => for_all_below n (fun j => Z.eqb (z_at X j i + z_at X i j) 0)).

Theorem z_skew_of_data n X d : decides_z_skew n X = true -> skew n (rational X d).
Proof.
  intros H i j Hi Hj. apply for_all_below_correct with (i := i) in H; auto.
  apply for_all_below_correct with (i := j) in H; auto.
  apply Z.eqb_eq, (f_equal IZR) in H. rewrite plus_IZR in H.
  unfold add, transpose, null, rational, over. rewrite <- Rdiv_plus_distr, H.
  unfold Rdiv. ring.
Qed.
