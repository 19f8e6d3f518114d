(* Exterior algebra over n generators, without a sign of a permutation.

   It is built one generator at a time: an element over n + 1 generators is a + e /\ b with a, b over
   the first n. A vector acts by the wedge product, and the determinant is the coefficient of the top
   form of row(n-1) /\ ... /\ row(0) /\ 1. A matrix X acts as the derivation D_X that extends
   v -> vX; on the top form D_X is the trace. *)

From Coq Require Import Reals Lra Lia Arith.
From SymbolicPE Require Import Sums Matrices.
Open Scope R_scope.
Set Bullet Behavior "Strict Subproofs".

Fixpoint form (n : nat) : Type :=
  match n with O => R | S k => (form k * form k)%type end.

Fixpoint zero (n : nat) : form n :=
  match n with O => 0 | S k => (zero k, zero k) end.
Fixpoint plus (n : nat) : form n -> form n -> form n :=
  match n with
  | O => Rplus
  | S k => fun x y => (plus k (fst x) (fst y), plus k (snd x) (snd y))
  end.
Fixpoint scale (n : nat) (c : R) : form n -> form n :=
  match n with
  | O => Rmult c
  | S k => fun x => (scale k c (fst x), scale k c (snd x))
  end.
Fixpoint one (n : nat) : form n :=
  match n with O => 1 | S k => (one k, zero k) end.

(* v /\ (a + e /\ b) = v' /\ a + e /\ (v_n a - v' /\ b), where v' is v without its last component. *)
Fixpoint wedge (n : nat) (v : vector) : form n -> form n :=
  match n with
  | O => fun _ => 0
  | S k => fun x =>
    (wedge k v (fst x), plus k (scale k (v k) (fst x)) (scale k (-1) (wedge k v (snd x))))
  end.

(* Contraction with the covector of generator i: it removes e_i from the front. *)
Fixpoint contract (n i : nat) : form n -> form n :=
  match n with
  | O => fun _ => 0
  | S k => fun x =>
    if Nat.eqb i k then (snd x, zero k)
    else (contract k i (fst x), scale k (-1) (contract k i (snd x)))
  end.

Fixpoint top (n : nat) : form n -> R :=
  match n with O => fun x => x | S k => fun x => top k (snd x) end.

Fixpoint rows (n m : nat) (A : matrix) : form n :=
  match m with O => one n | S k => wedge n (A k) (rows n k A) end.

Definition determinant (n : nat) (A : matrix) : R := top n (rows n n A).

(* It is the determinant that everyone knows. *)
Example determinant_1 A : determinant 1 A = A 0%nat 0%nat.
Proof. unfold determinant. cbn. ring. Qed.
Example determinant_2 A : determinant 2 A = A 0%nat 0%nat * A 1%nat 1%nat - A 0%nat 1%nat * A 1%nat 0%nat.
Proof. unfold determinant. cbn. ring. Qed.

(* -- forms are a vector space, equal component by component ---------------------------------- *)

Fixpoint same (n : nat) : form n -> form n -> Prop :=
  match n with
  | O => eq
  | S k => fun x y => same k (fst x) (fst y) /\ same k (snd x) (snd y)
  end.

Lemma same_eq n x y : same n x y -> x = y.
Proof.
  induction n; cbn; [auto|]. destruct x, y; cbn. intros [H1 H2].
  now rewrite (IHn _ _ H1), (IHn _ _ H2).
Qed.

(* An identity between sums of scaled forms holds if it holds for numbers. *)
Ltac linear n := induction n; cbn; [intros; ring | intros; repeat match goal with
  x : (_ * _)%type |- _ => destruct x end; cbn; f_equal; auto].

Lemma plus_commutes n x y : plus n x y = plus n y x.
Proof. revert x y. linear n. Qed.
Lemma plus_associates n x y z : plus n x (plus n y z) = plus n (plus n x y) z.
Proof. revert x y z. linear n. Qed.
Lemma plus_zero n x : plus n x (zero n) = x.
Proof. revert x. linear n. Qed.
Lemma scale_plus n c x y : scale n c (plus n x y) = plus n (scale n c x) (scale n c y).
Proof. revert x y. linear n. Qed.
Lemma scale_scale n c d x : scale n c (scale n d x) = scale n (c * d) x.
Proof. revert x. linear n. Qed.
Lemma scale_add n c d x : scale n (c + d) x = plus n (scale n c x) (scale n d x).
Proof. revert x. linear n. Qed.
Lemma scale_zero n c : scale n c (zero n) = zero n.
Proof. linear n. Qed.
Lemma scale_by_zero n x : scale n 0 x = zero n.
Proof. revert x. linear n. Qed.
Lemma scale_one n x : scale n 1 x = x.
Proof. revert x. linear n. Qed.
Lemma minus_self n x : plus n x (scale n (-1) x) = zero n.
Proof. revert x. linear n. Qed.
Lemma minus_self_other n x : plus n (scale n (-1) x) x = zero n.
Proof. revert x. linear n. Qed.
Lemma plus_exchange n a b c d :
  plus n (plus n a b) (plus n c d) = plus n (plus n a c) (plus n b d).
Proof. revert a b c d. linear n. Qed.

Lemma top_plus n x y : top n (plus n x y) = top n x + top n y.
Proof. revert x y. induction n; cbn; auto. Qed.
Lemma top_scale n c x : top n (scale n c x) = c * top n x.
Proof. revert x. induction n; cbn; auto. Qed.
Lemma top_zero n : top n (zero n) = 0.
Proof. induction n; cbn; auto. Qed.

(* -- wedge and contraction are linear -------------------------------------------------------- *)

Lemma wedge_plus n v x y : wedge n v (plus n x y) = plus n (wedge n v x) (wedge n v y).
Proof.
  revert x y. induction n; cbn; [intros; ring|]. intros [a b] [a' b']; cbn. f_equal; auto.
  now rewrite IHn, !scale_plus, plus_exchange.
Qed.
Lemma wedge_scale n v c x : wedge n v (scale n c x) = scale n c (wedge n v x).
Proof.
  revert x. induction n; cbn; [intros; ring|]. intros [a b]; cbn. f_equal; auto.
  rewrite IHn, scale_plus, !scale_scale. f_equal; f_equal; ring.
Qed.
Lemma wedge_zero n v : wedge n v (zero n) = zero n.
Proof.
  rewrite <- (scale_by_zero n (zero n)) at 1. rewrite wedge_scale. apply scale_by_zero.
Qed.
Lemma wedge_add n u v x :
  wedge n (fun i => u i + v i) x = plus n (wedge n u x) (wedge n v x).
Proof.
  revert x. induction n; cbn; [intros; ring|]. intros [a b]; cbn. f_equal; auto.
  now rewrite IHn, scale_add, scale_plus, plus_exchange.
Qed.
Lemma wedge_multiple n c v x : wedge n (fun i => c * v i) x = scale n c (wedge n v x).
Proof.
  revert x. induction n; cbn; [intros; ring|]. intros [a b]; cbn. f_equal; auto.
  rewrite IHn, scale_plus, !scale_scale. f_equal; f_equal; ring.
Qed.
Lemma wedge_equal n u v x : (forall i, (i < n)%nat -> u i = v i) -> wedge n u x = wedge n v x.
Proof.
  revert x. induction n; [reflexivity|]. intros [a b] H. cbn.
  now rewrite (IHn a), (IHn b), (H n) by auto with arith.
Qed.

Lemma contract_plus n k x y :
  contract n k (plus n x y) = plus n (contract n k x) (contract n k y).
Proof.
  revert x y. induction n; cbn; [intros; ring|]. intros [a b] [a' b']; cbn.
  destruct (Nat.eqb k n); cbn; f_equal; auto.
  - now rewrite plus_zero.
  - now rewrite IHn, scale_plus.
Qed.
Lemma contract_scale n k c x : contract n k (scale n c x) = scale n c (contract n k x).
Proof.
  revert x. induction n; cbn; [intros; ring|]. intros [a b]; cbn.
  destruct (Nat.eqb k n); cbn; f_equal; auto.
  - now rewrite scale_zero.
  - rewrite IHn, !scale_scale. f_equal. ring.
Qed.
Lemma contract_one n k : contract n k (one n) = zero n.
Proof.
  induction n; cbn; [reflexivity|]. destruct (Nat.eqb k n); cbn; f_equal; auto.
  assert (Hz : contract n k (zero n) = zero n).
  { rewrite <- (scale_by_zero n (zero n)) at 1. rewrite contract_scale. apply scale_by_zero. }
  now rewrite Hz, scale_zero.
Qed.

Lemma regrouped n p q x y z :
  scale n (-1) (plus n (scale n p x) (scale n (-1) (plus n (scale n q y) (scale n (-1) z))))
  = plus n (scale n q y) (scale n (-1) (plus n (scale n p x) (scale n (-1) (scale n (-1) z)))).
Proof. revert x y z. linear n. Qed.

(* i_k (v /\ x) = v_k x - v /\ i_k x *)
Lemma contract_wedge n k v x :
  (k < n)%nat ->
  contract n k (wedge n v x) = plus n (scale n (v k) x) (scale n (-1) (wedge n v (contract n k x))).
Proof.
  revert x. induction n; intros x Hk; [lia|]. destruct x as [a b]. cbn.
  destruct (Nat.eqb_spec k n) as [->|Hne]; cbn; f_equal.
  - now rewrite wedge_zero, scale_zero, plus_zero, minus_self.
  - apply IHn; lia.
  - rewrite contract_plus, !contract_scale, IHn, wedge_scale by lia. apply regrouped.
Qed.

(* Nothing that was contracted has a top form. *)
Lemma top_contract n k x : (k < n)%nat -> top n (contract n k x) = 0.
Proof.
  revert x. induction n; intros x Hk; [lia|]. cbn.
  destruct (Nat.eqb_spec k n); cbn; [apply top_zero|].
  rewrite top_scale, IHn by lia. ring.
Qed.

(* -- the derivation of a matrix -------------------------------------------------------------- *)

(* D_X = sum over k < m of X_k /\ i_k, with X_k the row k of X. *)
Fixpoint derivation (n m : nat) (X : matrix) (x : form n) : form n :=
  match m with
  | O => zero n
  | S k => plus n (derivation n k X x) (wedge n (X k) (contract n k x))
  end.

Lemma wedge_anticommutes n u v x :
  wedge n u (wedge n v x) = scale n (-1) (wedge n v (wedge n u x)).
Proof.
  revert x. induction n; cbn; [intros; ring|]. intros [a b]; cbn. f_equal; auto.
  rewrite !wedge_plus, !wedge_scale, (IHn b).
  generalize (wedge n u a) (wedge n v a) (wedge n v (wedge n u b)) (u n) (v n). clear.
  intros x y z p q. revert x y z. linear n.
Qed.

Definition row_times (m : nat) (v : vector) (X : matrix) : vector :=
  fun j => sum_below m (fun k => v k * X k j).

(* D_X (v /\ x) = (v X) /\ x + v /\ D_X x *)
Lemma derivation_wedge n m X v x :
  (m <= n)%nat ->
  derivation n m X (wedge n v x)
  = plus n (wedge n (row_times m v X) x) (wedge n v (derivation n m X x)).
Proof.
  induction m as [|m IH]; intros Hm; cbn [derivation].
  - rewrite wedge_zero, plus_zero. unfold row_times. cbn.
    rewrite (wedge_equal n _ (fun i => 0 * v i)) by (intros; ring).
    now rewrite wedge_multiple, scale_by_zero.
  - rewrite IH, contract_wedge, wedge_plus, !wedge_scale, wedge_anticommutes by lia.
    rewrite scale_scale. replace (-1 * -1) with 1 by ring. rewrite scale_one, wedge_plus.
    rewrite (wedge_equal n (row_times (S m) v X)
      (fun i => row_times m v X i + (fun j => v m * X m j) i)) by reflexivity.
    rewrite wedge_add, wedge_multiple. apply plus_exchange.
Qed.

Lemma derivation_one n m X : derivation n m X (one n) = zero n.
Proof.
  induction m; cbn; [reflexivity|]. now rewrite IHm, contract_one, wedge_zero, plus_zero.
Qed.

(* On the top form D_X is multiplication by the trace. *)
Lemma top_derivation n m X x :
  (m <= n)%nat -> top n (derivation n m X x) = trace m X * top n x.
Proof.
  induction m as [|m IH]; intros Hm; cbn [derivation].
  - unfold trace. cbn. rewrite top_zero. ring.
  - rewrite top_plus, IH by lia. unfold trace. cbn [sum_below].
    assert (H := top_contract n m (wedge n (X m) x) Hm).
    rewrite contract_wedge, top_plus, !top_scale in H by lia.
    rewrite Rmult_plus_distr_r. f_equal. lra.
Qed.
