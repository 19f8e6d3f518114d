(* Finite sums of real numbers, f(0) + ... + f(n - 1).

   Everything about matrices below is a statement about such sums. The index set is always
   {0, ..., n - 1}: what f does beyond n is never looked at. *)

From Coq Require Import Reals Lra Lia Arith List Permutation.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.
Set Bullet Behavior "Strict Subproofs".

Fixpoint sum_below (n : nat) (f : nat -> R) : R :=
  match n with
  | O => 0
  | S k => sum_below k f + f k
  end.

Lemma sum_equal n f g :
  (forall i, (i < n)%nat -> f i = g i) -> sum_below n f = sum_below n g.
Proof. induction n; cbn; intros H; [reflexivity|]. now rewrite IHn, H by auto with arith. Qed.

Lemma sum_zero n f : (forall i, (i < n)%nat -> f i = 0) -> sum_below n f = 0.
Proof. induction n; cbn; intros H; [reflexivity|]. rewrite IHn, H by auto with arith. ring. Qed.

Lemma sum_add n f g : sum_below n (fun i => f i + g i) = sum_below n f + sum_below n g.
Proof. induction n; cbn; [ring | rewrite IHn; ring]. Qed.

Lemma sum_opp n f : sum_below n (fun i => - f i) = - sum_below n f.
Proof. induction n; cbn; [ring | rewrite IHn; ring]. Qed.

Lemma sum_scale_left n c f : sum_below n (fun i => c * f i) = c * sum_below n f.
Proof. induction n; cbn; [ring | rewrite IHn; ring]. Qed.

Lemma sum_scale_right n c f : sum_below n (fun i => f i * c) = sum_below n f * c.
Proof. induction n; cbn; [ring | rewrite IHn; ring]. Qed.

(* Fubini for two finite sums. *)
Lemma sum_exchange n m (f : nat -> nat -> R) :
  sum_below n (fun i => sum_below m (fun j => f i j))
  = sum_below m (fun j => sum_below n (fun i => f i j)).
Proof.
  induction n; cbn; [now rewrite sum_zero|].
  rewrite IHn. now rewrite <- sum_add.
Qed.

(* A sum with one term that is not 0. *)
Lemma sum_single n f i :
  (i < n)%nat -> (forall k, (k < n)%nat -> k <> i -> f k = 0) -> sum_below n f = f i.
Proof.
  induction n; intros Hi Hf; [lia|]. cbn.
  destruct (Nat.eq_dec i n) as [->|Hne].
  - rewrite sum_zero; [ring|]. intros k Hk. apply Hf; lia.
  - rewrite IHn, (Hf n) by (try (intros; apply Hf); lia). ring.
Qed.

Lemma sum_first n f : sum_below (S n) f = f 0%nat + sum_below n (fun i => f (S i)).
Proof. induction n; [cbn; ring|]. cbn [sum_below] in *. rewrite IHn. ring. Qed.

Lemma sum_concatenated m n f :
  sum_below (m + n) f = sum_below m f + sum_below n (fun i => f (m + i)%nat).
Proof.
  induction n; [rewrite Nat.add_0_r; cbn; ring|].
  rewrite Nat.add_succ_r. cbn. rewrite IHn. ring.
Qed.

(* A sum over m * w indices, w at a time. *)
Lemma sum_grouped m w f :
  sum_below (m * w) f = sum_below m (fun p => sum_below w (fun c => f (p * w + c)%nat)).
Proof.
  induction m; [reflexivity|]. cbn [Nat.mul sum_below].
  now rewrite Nat.add_comm, sum_concatenated, IHm.
Qed.

Lemma sum_triangle n f : Rabs (sum_below n f) <= sum_below n (fun i => Rabs (f i)).
Proof.
  induction n; cbn; [rewrite Rabs_R0; lra|].
  eapply Rle_trans; [apply Rabs_triang | lra].
Qed.

Lemma sum_monotone n f g :
  (forall i, (i < n)%nat -> f i <= g i) -> sum_below n f <= sum_below n g.
Proof. induction n; cbn; intros H; [lra|]. apply Rplus_le_compat; auto with arith. Qed.

Lemma sum_nonnegative n f : (forall i, (i < n)%nat -> 0 <= f i) -> 0 <= sum_below n f.
Proof.
  intros H. apply Rle_trans with (sum_below n (fun _ => 0)).
  - rewrite sum_zero; auto; lra.
  - now apply sum_monotone.
Qed.

Lemma term_below_sum n f i :
  (forall k, (k < n)%nat -> 0 <= f k) -> (i < n)%nat -> f i <= sum_below n f.
Proof.
  induction n; intros Hf Hi; [lia|]. cbn.
  assert (0 <= sum_below n f) by (apply sum_nonnegative; auto with arith).
  assert (0 <= f n) by auto with arith.
  destruct (Nat.eq_dec i n) as [->|]; [lra|].
  assert (f i <= sum_below n f) by (apply IHn; auto with arith; lia). lra.
Qed.

(* Differentiation under a finite sum. *)
Lemma derive_sum n (f : nat -> R -> R) (f' : nat -> R) x :
  (forall i, (i < n)%nat -> is_derive (f i) x (f' i)) ->
  is_derive (fun x => sum_below n (fun i => f i x)) x (sum_below n f').
Proof.
  induction n; cbn; intros H; [apply @is_derive_const|].
  apply (is_derive_plus (fun x => sum_below n (fun i => f i x)) (f n)); auto with arith.
Qed.

(* A sum may be taken in any order: s runs once through {0, ..., n - 1}. *)
Fixpoint sum_over (l : list nat) (f : nat -> R) : R :=
  match l with
  | nil => 0
  | cons i rest => f i + sum_over rest f
  end.

Lemma sum_over_seq n f : sum_below n f = sum_over (seq 0 n) f.
Proof.
  assert (H : forall m, sum_over (seq m n) f = sum_below n (fun i => f (m + i)%nat)).
  { induction n; intros m; [reflexivity|].
    rewrite sum_first, Nat.add_0_r. cbn. rewrite IHn. f_equal.
    apply sum_equal. intros. f_equal. lia. }
  now rewrite H.
Qed.

Lemma sum_over_permutation l l' f : Permutation l l' -> sum_over l f = sum_over l' f.
Proof. induction 1; cbn; lra. Qed.

Lemma sum_over_map s l f : sum_over (map s l) f = sum_over l (fun i => f (s i)).
Proof. induction l; cbn; [reflexivity | now rewrite IHl]. Qed.

Lemma sum_permuted n (s : nat -> nat) f :
  (forall i, (i < n)%nat -> (s i < n)%nat) ->
  (forall i j, (i < n)%nat -> (j < n)%nat -> s i = s j -> i = j) ->
  sum_below n (fun i => f (s i)) = sum_below n f.
Proof.
  intros Hin Hinj. rewrite !sum_over_seq, <- (sum_over_map s).
  apply sum_over_permutation, NoDup_Permutation_bis.
  - assert (H : forall l, (forall i, In i l -> (i < n)%nat) -> NoDup l -> NoDup (map s l)).
    { induction l as [|a l IH]; intros Hl Hd; [constructor|]. inversion Hd; subst. cbn.
      constructor; [|apply IH; auto; intros; apply Hl; now right].
      rewrite in_map_iff. intros [b [Hb Hb']].
      assert (b = a) by (apply Hinj; auto; apply Hl; [now right | now left]). now subst. }
    apply H; [intros i; rewrite in_seq; lia | apply seq_NoDup].
  - rewrite map_length. lia.
  - intros k. rewrite in_map_iff. intros [i [<- Hi]]. apply in_seq in Hi. apply in_seq.
    specialize (Hin i). lia.
Qed.
