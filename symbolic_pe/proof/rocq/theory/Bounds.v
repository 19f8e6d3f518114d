(* Flows that lose norm: X + X^T is diagonal and nowhere positive, as for decays and damped planes.

   Then |E(t) v| never increases, so no entry of E(t) exceeds 1 for t >= 0. *)

From Coq Require Import Reals Lra Lia Arith ZArith List Setoid Morphisms.
From Coquelicot Require Import Coquelicot.
From SymbolicPE Require Import Sums Matrices Flow Laws DirectSums.
Open Scope R_scope.
Set Bullet Behavior "Strict Subproofs".

Definition dissipative (n : nat) (X : matrix) : Prop :=
  forall i j, (i < n)%nat -> (j < n)%nat ->
  if Nat.eqb i j then X i i <= 0 else X i j + X j i = 0.

Lemma nonincreasing (u : R -> R) (u' : R -> R) :
  (forall t, is_derive u t (u' t)) -> (forall t, u' t <= 0) ->
  forall t, 0 <= t -> u t <= u 0.
Proof.
  intros D H t Ht.
  destruct (MVT_gen u 0 t u') as [c [_ Hc]].
  - intros x _. apply D.
  - intros x _. apply continuity_pt_filterlim. apply @ex_derive_continuous. now exists (u' x).
  - assert (Hc' := H c). assert (u' c * (t - 0) <= 0) by nra. lra.
Qed.

(* y^T X y = sum of X_ii y_i^2 *)
Lemma form_of_dissipative n X y :
  dissipative n X ->
  sum_below n (fun i => y i * sum_below n (fun k => X i k * y k))
  = sum_below n (fun i => X i i * (y i * y i)).
Proof.
  intros H. set (S := sum_below n (fun i => y i * sum_below n (fun k => X i k * y k))).
  assert (E1 : S = sum_below n (fun i => sum_below n (fun k => y i * X i k * y k))).
  { apply sum_equal. intros i _. rewrite <- sum_scale_left. apply sum_equal. intros. ring. }
  assert (E2 : S = sum_below n (fun i => sum_below n (fun k => y k * X k i * y i))).
  { rewrite E1. apply sum_exchange. }
  enough (S + S = sum_below n (fun i => X i i * (y i * y i))
                + sum_below n (fun i => X i i * (y i * y i))) by lra.
  rewrite E1 at 1. rewrite E2, <- !sum_add. apply sum_equal. intros i Hi. rewrite <- sum_add.
  rewrite (sum_single n _ i Hi); [ring|].
  intros k Hk Hne. assert (Hik := H i k Hi Hk).
  rewrite (proj2 (Nat.eqb_neq i k)) in Hik by auto.
  replace (y i * X i k * y k + y k * X k i * y i) with ((X i k + X k i) * (y i * y k)) by ring.
  rewrite Hik. ring.
Qed.

Theorem contraction n X E :
  flow n X E -> dissipative n X ->
  forall t, 0 <= t -> forall i j, (i < n)%nat -> (j < n)%nat -> Rabs (E t i j) <= 1.
Proof.
  intros HE HX t Ht i j Hi Hj.
  set (u := fun t => sum_below n (fun i => E t i j * E t i j)).
  assert (D : forall t, is_derive u t (sum_below n (fun i => X i i * (E t i j * E t i j)
    + X i i * (E t i j * E t i j)))).
  { intros s. rewrite sum_add.
    rewrite <- (form_of_dissipative n X (fun i => E s i j) HX), <- sum_add.
    apply (derive_sum n (fun i t => E t i j * E t i j)). intros k Hk.
    replace (E s k j * _ + E s k j * _)
      with (times n X (E s) k j * E s k j + E s k j * times n X (E s) k j)
      by (unfold times; ring).
    apply (is_derive_mult (fun t => E t k j) (fun t => E t k j)); try (apply HE; auto).
    apply Rmult_comm. }
  assert (U : u t <= u 0).
  { apply (nonincreasing u _ D); auto. intros s.
    rewrite <- (sum_zero n (fun _ => 0)) by auto. apply sum_monotone. intros k Hk.
    assert (Hkk := HX k k Hk Hk). rewrite Nat.eqb_refl in Hkk. nra. }
  assert (U0 : u 0 = 1).
  { unfold u. rewrite (sum_single n _ j Hj).
    - rewrite (flow_start _ _ _ HE) by auto. rewrite identity_diagonal. ring.
    - intros k Hk Hne. rewrite (flow_start _ _ _ HE) by auto. rewrite identity_elsewhere by auto.
      ring. }
  assert (T : E t i j * E t i j <= u t).
  { apply (term_below_sum n (fun i => E t i j * E t i j)); auto. intros. nra. }
  apply Rabs_le. nra.
Qed.

Corollary contraction_bounded n X E :
  flow n X E -> dissipative n X ->
  exists c, forall t, 0 <= t -> forall i j, (i < n)%nat -> (j < n)%nat -> Rabs (E t i j) <= c.
Proof. intros HE HX. exists 1. now apply (contraction n X E). Qed.

(* -- direct sums and layouts ------------------------------------------------------------------ *)

Definition part_dissipative (p : part) : Prop := dissipative (width p) (generator p).

Lemma mapped_where {A} (P : part -> Prop) (Q : A -> Prop) (f : A -> part) l :
  (forall x, Q x -> P (f x)) -> List.Forall Q l -> List.Forall P (map f l).
Proof. intros H. induction 1; cbn; constructor; auto. Qed.

(* Blocks of one common rate: with further values each, or none. *)
Lemma common_rate {B} a (l : list B) :
  a <= 0 -> List.Forall (fun v => fst v <= 0) (map (pair a) l).
Proof. intros H. induction l; cbn; constructor; auto. Qed.
Lemma same_rate a n : a <= 0 -> List.Forall (fun v => v <= 0) (repeat a n).
Proof. intros H. induction n; cbn; constructor; auto. Qed.

Lemma joined_dissipative l :
  List.Forall part_dissipative l -> dissipative (total l) (joined_generator l).
Proof.
  induction 1 as [|p l Hp _ IH]; cbn; [intros i j Hi; lia|].
  intros i j Hi Hj. unfold direct_sum.
  destruct (Nat.ltb_spec i (width p)), (Nat.ltb_spec j (width p)).
  - apply (Hp i j); auto.
  - rewrite (proj2 (Nat.eqb_neq i j)) by lia. ring.
  - rewrite (proj2 (Nat.eqb_neq i j)) by lia. ring.
  - assert (G := IH (i - width p)%nat (j - width p)%nat ltac:(lia) ltac:(lia)).
    destruct (Nat.eqb_spec i j) as [->|Hne]; [now rewrite Nat.eqb_refl in G|].
    rewrite (proj2 (Nat.eqb_neq (i - width p) (j - width p))) in G by lia. exact G.
Qed.

Lemma placed_dissipative n channels X :
  tiles n channels = true -> dissipative n X -> dissipative n (placed channels X).
Proof.
  intros Ht HX i j Hi Hj. destruct (tiles_found _ _ Ht) as [Hl Hin].
  assert (Pi := position_found channels i (Hin i Hi)).
  assert (Pj := position_found channels j (Hin j Hj)). rewrite Hl in Pi, Pj.
  assert (G := HX _ _ (proj1 Pi) (proj1 Pj)). unfold placed.
  destruct (Nat.eqb_spec i j) as [->|Hne]; [now rewrite Nat.eqb_refl in G|].
  rewrite (proj2 (Nat.eqb_neq (position channels i) (position channels j))) in G; [exact G|].
  intros Heq. apply Hne. now rewrite <- (proj2 Pi), Heq, (proj2 Pj).
Qed.

(* -- signs of rates that are sums of logarithms ----------------------------------------------------- *)

Fixpoint log_sum (l : list positive) : R :=
  match l with nil => 0 | p :: rest => ln (IZR (Zpos p)) + log_sum rest end%list.
Fixpoint log_product (l : list positive) : positive :=
  match l with nil => 1 | p :: rest => p * log_product rest end%positive%list.

Lemma log_sum_product l : log_sum l = ln (IZR (Zpos (log_product l))).
Proof.
  induction l as [|p l IH]; cbn [log_sum log_product]; [now rewrite ln_1|].
  rewrite Pos2Z.inj_mul, mult_IZR, ln_mult, IH by (apply IZR_lt; reflexivity). reflexivity.
Qed.

(* ln 2 + ln 2 <= ln 5, because 2 * 2 <= 5. *)
Theorem logs_at_most l m :
  Pos.leb (log_product l) (log_product m) = true -> log_sum l <= log_sum m.
Proof.
  intros H. rewrite !log_sum_product. apply Pos.leb_le in H.
  apply ln_le; [apply IZR_lt; reflexivity | now apply IZR_le].
Qed.
