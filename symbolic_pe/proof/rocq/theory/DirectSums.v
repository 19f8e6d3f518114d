(* Direct sums of blocks, and layouts: which channel is which coordinate of the sum.

   A layout is a permutation of channels, so a matrix in another layout is the same matrix with its
   rows and columns renamed, and so is its flow. *)

From Coq Require Import Reals Lra Lia Arith NArith List Bool Setoid Morphisms.
From Coquelicot Require Import Coquelicot.
From SymbolicPE Require Import Sums Matrices Flow Laws.
Open Scope R_scope.
Set Bullet Behavior "Strict Subproofs".

(* -- direct sums ----------------------------------------------------------------------------- *)

Definition direct_sum (m : nat) (A B : matrix) : matrix := fun i j =>
  if Nat.ltb i m then (if Nat.ltb j m then A i j else 0)
  else (if Nat.ltb j m then 0 else B (i - m)%nat (j - m)%nat).

Lemma direct_sum_identity m i j : direct_sum m identity identity i j = identity i j.
Proof.
  unfold direct_sum, identity.
  destruct (Nat.ltb_spec i m), (Nat.ltb_spec j m); try reflexivity.
  - now rewrite (proj2 (Nat.eqb_neq i j)) by lia.
  - now rewrite (proj2 (Nat.eqb_neq i j)) by lia.
  - destruct (Nat.eqb_spec (i - m) (j - m)), (Nat.eqb_spec i j); auto; lia.
Qed.

Lemma direct_sum_times m n A B C D :
  times (m + n) (direct_sum m A B) (direct_sum m C D)
  =[m + n] direct_sum m (times m A C) (times n B D).
Proof.
  intros i j Hi Hj. unfold times at 1. rewrite sum_concatenated.
  assert (L : forall k, (k < m)%nat -> Nat.ltb k m = true) by (intros; now apply Nat.ltb_lt).
  assert (G : forall k, Nat.ltb (m + k) m = false) by (intros; apply Nat.ltb_ge; lia).
  assert (S : forall k, (m + k - m = k)%nat) by (intros; lia).
  unfold direct_sum. destruct (Nat.ltb i m); destruct (Nat.ltb j m).
  - rewrite (sum_zero n); [|intros; rewrite G; ring]. rewrite Rplus_0_r.
    apply sum_equal. intros k Hk. now rewrite (L k Hk).
  - rewrite (sum_zero n); [|intros; rewrite G; ring]. rewrite Rplus_0_r.
    apply sum_zero. intros k Hk. rewrite (L k Hk). ring.
  - rewrite (sum_zero m); [|intros; rewrite L by assumption; ring]. rewrite Rplus_0_l.
    apply sum_zero. intros k Hk. rewrite G. ring.
  - rewrite (sum_zero m); [|intros; rewrite L by assumption; ring]. rewrite Rplus_0_l.
    apply sum_equal. intros k Hk. now rewrite G, S.
Qed.

Theorem direct_sum_is_flow m n X Y E F :
  flow m X E -> flow n Y F ->
  flow (m + n) (direct_sum m X Y) (fun t => direct_sum m (E t) (F t)).
Proof.
  intros HE HF. split.
  - intros i j Hi Hj. rewrite <- (direct_sum_identity m i j). unfold direct_sum.
    destruct (Nat.ltb_spec i m), (Nat.ltb_spec j m); try reflexivity.
    + now apply HE.
    + apply HF; lia.
  - intros t. apply has_derivative_agree with
      (direct_sum m (times m X (E t)) (times n Y (F t))); [now rewrite direct_sum_times|].
    intros i j Hi Hj. unfold direct_sum.
    destruct (Nat.ltb_spec i m), (Nat.ltb_spec j m);
      [now apply HE | apply @is_derive_const | apply @is_derive_const | apply HF; lia].
Qed.

(* -- lists of blocks ------------------------------------------------------------------------- *)

Record part := { width : nat; generator : matrix; operator : R -> matrix }.
Definition sound (p : part) : Prop := flow (width p) (generator p) (operator p).

Definition part_skew (p : part) : Prop := skew (width p) (generator p).

(* How lists of parts are written: f for each of some numbers, a part n times, one after another. *)
Lemma mapped {A} (P : part -> Prop) (f : A -> part) l :
  (forall x, P (f x)) -> List.Forall P (map f l).
Proof. intros H. induction l; cbn; constructor; auto. Qed.
Lemma repeated (P : part -> Prop) p n : P p -> List.Forall P (repeat p n).
Proof. intros H. induction n; cbn; constructor; auto. Qed.
Lemma appended_parts (P : part -> Prop) l l' :
  List.Forall P l -> List.Forall P l' -> List.Forall P (l ++ l').
Proof. induction 1; cbn; auto. Qed.

Fixpoint total (l : list part) : nat :=
  match l with nil => 0 | p :: rest => width p + total rest end.
Fixpoint joined_generator (l : list part) : matrix :=
  match l with
  | nil => null
  | p :: rest => direct_sum (width p) (generator p) (joined_generator rest)
  end.
Fixpoint joined_operator (l : list part) (t : R) : matrix :=
  match l with
  | nil => null
  | p :: rest => direct_sum (width p) (operator p t) (joined_operator rest t)
  end.

Theorem joined_is_flow l :
  List.Forall sound l -> flow (total l) (joined_generator l) (joined_operator l).
Proof.
  induction 1 as [|p l Hp _ IH]; cbn.
  - split; [intros i j Hi; lia | intros t i j Hi; lia].
  - now apply direct_sum_is_flow.
Qed.

Lemma joined_skew l :
  List.Forall part_skew l -> skew (total l) (joined_generator l).
Proof.
  induction 1 as [|p l Hp _ IH]; cbn; [intros i j Hi; lia|].
  intros i j Hi Hj. unfold add, transpose, null, direct_sum.
  destruct (Nat.ltb_spec i (width p)), (Nat.ltb_spec j (width p)).
  - now apply (Hp i j).
  - ring.
  - ring.
  - apply (IH (i - width p)%nat (j - width p)%nat); lia.
Qed.

(* -- layouts --------------------------------------------------------------------------------- *)

(* Which coordinate of the direct sum a channel is: its position in the list of channels. *)
Fixpoint position (channels : list nat) (c : nat) : nat :=
  match channels with
  | nil => 0
  | x :: rest => if Nat.eqb x c then 0 else S (position rest c)
  end.
Definition placed (channels : list nat) (A : matrix) : matrix :=
  fun i j => A (position channels i) (position channels j).

(* n channels in which each of 0, ..., n - 1 occurs; compared as binary numbers, which is faster. *)
Definition tiles (n : nat) (channels : list nat) : bool :=
  Nat.eqb (length channels) n
  && let coded := map N.of_nat channels in
     forallb (fun c => existsb (N.eqb (N.of_nat c)) coded) (seq 0 n).

Lemma position_found channels c :
  In c channels ->
  (position channels c < length channels)%nat /\ nth (position channels c) channels 0%nat = c.
Proof.
  induction channels as [|x l IH]; cbn; [easy|]. intros H.
  destruct (Nat.eqb_spec x c) as [->|Hne]; [split; [lia | reflexivity]|].
  destruct H as [H|H]; [easy|]. destruct (IH H). split; [lia | assumption].
Qed.

Lemma tiles_found n channels :
  tiles n channels = true ->
  length channels = n /\ forall c, (c < n)%nat -> In c channels.
Proof.
  unfold tiles. rewrite andb_true_iff, Nat.eqb_eq, forallb_forall. intros [Hl H]. split; auto.
  intros c Hc. assert (Hx := H c). rewrite existsb_exists in Hx.
  destruct Hx as [d [Hd He]]; [apply in_seq; lia|]. apply N.eqb_eq in He. subst d.
  apply in_map_iff in Hd as [b [Hb Hin]]. apply Nat2N.inj in Hb. now subst.
Qed.

Theorem placed_is_flow n channels X E :
  tiles n channels = true -> flow n X E ->
  flow n (placed channels X) (fun t => placed channels (E t)).
Proof.
  intros Ht HE. destruct (tiles_found _ _ Ht) as [Hl Hin].
  assert (Hlt : forall i, (i < n)%nat -> (position channels i < n)%nat).
  { intros i Hi. rewrite <- Hl. now apply position_found, Hin. }
  assert (Hinj : forall i j, (i < n)%nat -> (j < n)%nat ->
    position channels i = position channels j -> i = j).
  { intros i j Hi Hj H.
    rewrite <- (proj2 (position_found channels i (Hin i Hi))), H.
    now apply position_found, Hin. }
  split.
  - intros i j Hi Hj. unfold placed. rewrite (flow_start _ _ _ HE) by auto. unfold identity.
    destruct (Nat.eqb_spec (position channels i) (position channels j)) as [H|H];
      destruct (Nat.eqb_spec i j) as [H'|H']; auto; [now apply Hinj in H | congruence].
  - intros t i j Hi Hj. unfold placed.
    replace (times n _ _ i j) with (times n X (E t) (position channels i) (position channels j)).
    + now apply HE; auto.
    + unfold times. symmetry.
      apply (sum_permuted n (position channels)
        (fun k => X (position channels i) k * E t k (position channels j))); auto.
Qed.

Lemma placed_skew n channels X :
  tiles n channels = true -> skew n X -> skew n (placed channels X).
Proof.
  intros Ht HX i j Hi Hj. destruct (tiles_found _ _ Ht) as [Hl Hin].
  apply (HX (position channels i) (position channels j));
    rewrite <- Hl; now apply position_found, Hin.
Qed.
