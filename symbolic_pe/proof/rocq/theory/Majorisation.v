(* Sums of eigenvalues, for every number of them: what makes spectra of products smaller.

   Everything is a statement about finite sums; no eigenvalue is computed. *)

From Coq Require Import Reals Lra Lia Arith.
From SymbolicPE Require Import Sums Matrices Spectra.
Open Scope R_scope.
Set Bullet Behavior "Strict Subproofs".

(* Ky Fan: shares m of at most 1 that add to k weigh numbers in falling order by at most the sum of
   the first k. Every term of the difference has one factor >= 0 and one <= 0. *)
Theorem shares_weigh_at_most k n (value share : nat -> R) :
  (k < n)%nat ->
  (forall i j, (i <= j < n)%nat -> value j <= value i) ->
  (forall i, (i < n)%nat -> 0 <= share i <= 1) ->
  sum_below n share = INR k ->
  sum_below n (fun i => value i * share i) <= sum_below k value.
Proof.
  intros Hk Hv Hs Ht.
  set (first := fun i => if Nat.ltb i k then 1 else 0 : R).
  assert (F : forall f, sum_below n (fun i => f i * first i) = sum_below k f).
  { intros f. replace n with (k + (n - k))%nat by lia. rewrite sum_concatenated.
    rewrite (sum_equal k _ f), (sum_zero (n - k)).
    - ring.
    - intros i _. unfold first. rewrite (proj2 (Nat.ltb_ge (k + i) k)) by lia. ring.
    - intros i Hi. unfold first. rewrite (proj2 (Nat.ltb_lt i k)) by lia. ring. }
  assert (C : sum_below n first = INR k).
  { rewrite (sum_equal n first (fun i => 1 * first i)), (F (fun _ => 1)) by (intros; ring).
    clear. induction k; [reflexivity|]. rewrite S_INR. cbn [sum_below]. now rewrite IHk. }
  rewrite <- (F value).
  apply Rle_trans with (sum_below n (fun i => value i * first i + value k * (share i - first i))).
  - apply sum_monotone. intros i Hi. specialize (Hs i Hi). unfold first.
    destruct (Nat.ltb_spec i k).
    + assert (value k <= value i) by (apply Hv; lia).
      assert (0 <= (value i - value k) * (1 - share i)) by (apply Rmult_le_pos; lra). lra.
    + assert (value i <= value k) by (apply Hv; lia).
      assert (0 <= (value k - value i) * share i) by (apply Rmult_le_pos; lra). lra.
  - rewrite sum_add, sum_scale_left.
    assert (D : sum_below n (fun i => share i - first i) = 0).
    { rewrite (sum_equal n _ (fun i => share i + - first i)) by (intros; ring).
      rewrite sum_add, sum_opp, Ht, C. ring. }
    rewrite D. lra.
Qed.

(* Abel's sum: partial sums <= 0 that end at 0, against weights that rise. *)
Lemma rising_weights n (d w : nat -> R) :
  (forall k, (k <= n)%nat -> sum_below k d <= 0) ->
  (forall i, (S i < n)%nat -> w i <= w (S i)) ->
  match n with O => 0 | S m => w m * sum_below n d end <= sum_below n (fun i => w i * d i).
Proof.
  induction n as [|n IH]; intros Hd Hw; [cbn; lra|].
  assert (H : match n with O => 0 | S m => w m * sum_below n d end
              <= sum_below n (fun i => w i * d i)) by (apply IH; auto).
  cbn [sum_below]. destruct n as [|n]; [cbn in *; lra|].
  assert (w n <= w (S n)) by (apply Hw; lia).
  assert (sum_below (S n) d <= 0) by (apply Hd; lia).
  assert (0 <= (w n - w (S n)) * sum_below (S n) d).
  { replace ((w n - w (S n)) * sum_below (S n) d)
      with ((w (S n) - w n) * - sum_below (S n) d) by ring.
    apply Rmult_le_pos; lra. }
  rewrite Rmult_plus_distr_l. lra.
Qed.

Lemma logarithm_below_line x : 0 < x -> ln x <= x - 1.
Proof.
  intros H. assert (E := exp_ineq1_le (ln x)). rewrite exp_ln in E by auto. lra.
Qed.

Lemma product_positive n f : (forall i, (i < n)%nat -> 0 < f i) -> 0 < product_below n f.
Proof.
  induction n; cbn; intros H; [lra|]. apply Rmult_lt_0_compat; auto with arith.
Qed.

Lemma logarithm_of_product n f :
  (forall i, (i < n)%nat -> 0 < f i) -> ln (product_below n f) = sum_below n (fun i => ln (f i)).
Proof.
  induction n; cbn; intros H; [apply ln_1|].
  rewrite ln_mult, IHn by (auto with arith; apply product_positive; auto with arith). reflexivity.
Qed.

(* Majorised positive numbers have the larger product: determinants of products do not fall. *)
Theorem majorised_product n (before after : nat -> R) :
  (forall i, (i < n)%nat -> 0 < before i) ->
  (forall i, (i < n)%nat -> 0 < after i) ->
  (forall i, (S i < n)%nat -> after (S i) <= after i) ->
  (forall k, (k <= n)%nat -> sum_below k after <= sum_below k before) ->
  sum_below n after = sum_below n before ->
  product_below n before <= product_below n after.
Proof.
  intros Hb Ha Hs Hp Ht.
  rewrite <- (exp_ln (product_below n before)) by now apply product_positive.
  rewrite <- (exp_ln (product_below n after)) by now apply product_positive.
  rewrite !logarithm_of_product by auto.
  apply Rminus_le.
  enough (H : sum_below n (fun i => ln (before i)) <= sum_below n (fun i => ln (after i))).
  { apply Rle_minus. destruct H as [H|H]; [left; now apply exp_increasing | right; now rewrite H]. }
  set (d := fun i => after i - before i). set (w := fun i => / after i).
  assert (A := rising_weights n d w).
  assert (D : forall k, sum_below k d = sum_below k after - sum_below k before).
  { intros k. unfold d. rewrite (sum_equal k _ (fun i => after i + - before i)) by (intros; ring).
    rewrite sum_add, sum_opp. ring. }
  assert (B : 0 <= sum_below n (fun i => w i * d i)).
  { eapply Rle_trans; [|apply A].
    - destruct n; [lra|]. rewrite (D (S n)), Ht. lra.
    - intros k Hk. rewrite D. specialize (Hp k Hk). lra.
    - intros i Hi. unfold w. apply Rinv_le_contravar; [apply Ha; lia | now apply Hs]. }
  apply Rle_trans with (sum_below n (fun i => ln (before i) + w i * d i)).
  - rewrite sum_add. lra.
  - apply sum_monotone. intros i Hi.
    assert (Hbi := Hb i Hi). assert (Hai := Ha i Hi).
    assert (L := logarithm_below_line (before i / after i)).
    unfold Rdiv in L. rewrite ln_mult, ln_Rinv in L by (auto using Rinv_0_lt_compat).
    assert (0 < before i * / after i) by (apply Rmult_lt_0_compat; auto using Rinv_0_lt_compat).
    specialize (L H). unfold w, d.
    replace (/ after i * (after i - before i)) with (1 - before i * / after i) by (field; lra). lra.
Qed.
