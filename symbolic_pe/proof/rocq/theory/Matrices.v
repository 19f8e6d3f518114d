(* Square matrices, as functions of two indices of which only the corner
   {0, ..., n - 1} x {0, ..., n - 1} is looked at: A =[n] B says that the corners agree. *)

From Coq Require Import Reals Lra Lia Arith List Setoid Morphisms.
From Coquelicot Require Import Coquelicot.
From SymbolicPE Require Import Sums.
Open Scope R_scope.
Set Bullet Behavior "Strict Subproofs".

Definition matrix := nat -> nat -> R.
Definition vector := nat -> R.

Definition agree (n : nat) (A B : matrix) : Prop :=
  forall i j, (i < n)%nat -> (j < n)%nat -> A i j = B i j.
Notation "A =[ n ] B" := (agree n A B) (at level 70, n at level 50).

Definition identity : matrix := fun i j => if Nat.eqb i j then 1 else 0.
Definition null : matrix := fun _ _ => 0.
Definition add (A B : matrix) : matrix := fun i j => A i j + B i j.
Definition negate (A : matrix) : matrix := fun i j => - A i j.
Definition transpose (A : matrix) : matrix := fun i j => A j i.
Definition times (n : nat) (A B : matrix) : matrix :=
  fun i j => sum_below n (fun k => A i k * B k j).
Definition trace (n : nat) (A : matrix) : R := sum_below n (fun i => A i i).
Definition apply (n : nat) (A : matrix) (v : vector) : vector :=
  fun i => sum_below n (fun j => A i j * v j).
Definition dot (n : nat) (u v : vector) : R := sum_below n (fun i => u i * v i).
(* u^T A v *)
Definition bilinear (n : nat) (u : vector) (A : matrix) (v : vector) : R :=
  sum_below n (fun i => sum_below n (fun j => u i * A i j * v j)).

Fixpoint power (n : nat) (A : matrix) (k : nat) : matrix :=
  match k with
  | O => identity
  | S m => times n A (power n A m)
  end.

(* Matrices and vectors as they are written down: lists of rows, lists of numbers. *)
Definition entries (rows : list (list R)) : matrix := fun i j => nth j (nth i rows nil) 0.
Definition components (numbers : list R) : vector := fun i => nth i numbers 0.

(* -- equality of corners is a congruence ----------------------------------------------------- *)

#[global] Instance agree_equivalence n : Equivalence (agree n).
Proof.
  split; unfold agree.
  - intros A i j _ _. reflexivity.
  - intros A B H i j Hi Hj. now rewrite H.
  - intros A B C H H' i j Hi Hj. now rewrite H, H'.
Qed.

#[global] Instance times_agree n : Proper (agree n ==> agree n ==> agree n) (times n).
Proof.
  intros A A' HA B B' HB i j Hi Hj. apply sum_equal. intros k Hk. now rewrite HA, HB.
Qed.

#[global] Instance add_agree n : Proper (agree n ==> agree n ==> agree n) add.
Proof. intros A A' HA B B' HB i j Hi Hj. unfold add. now rewrite HA, HB. Qed.

#[global] Instance negate_agree n : Proper (agree n ==> agree n) negate.
Proof. intros A A' HA i j Hi Hj. unfold negate. now rewrite HA. Qed.

#[global] Instance transpose_agree n : Proper (agree n ==> agree n) transpose.
Proof. intros A A' HA i j Hi Hj. unfold transpose. now rewrite HA. Qed.

Lemma bilinear_agree n u A B v : A =[n] B -> bilinear n u A v = bilinear n u B v.
Proof.
  intros H. apply sum_equal. intros i Hi. apply sum_equal. intros j Hj. now rewrite H.
Qed.

(* -- the ring of matrices -------------------------------------------------------------------- *)

Lemma identity_diagonal i : identity i i = 1.
Proof. unfold identity. now rewrite Nat.eqb_refl. Qed.

Lemma identity_elsewhere i j : i <> j -> identity i j = 0.
Proof. intros H. unfold identity. now rewrite (proj2 (Nat.eqb_neq i j) H). Qed.

Lemma times_associative n A B C : times n A (times n B C) =[n] times n (times n A B) C.
Proof.
  intros i j _ _. unfold times.
  rewrite (sum_equal n _ (fun k => sum_below n (fun l => A i k * B k l * C l j))).
  2:{ intros k _. rewrite <- sum_scale_left. apply sum_equal. intros. ring. }
  rewrite sum_exchange. apply sum_equal. intros l _. now rewrite <- sum_scale_right.
Qed.

Lemma times_identity_left n A : times n identity A =[n] A.
Proof.
  intros i j Hi _. unfold times. rewrite (sum_single n _ i Hi).
  - rewrite identity_diagonal. ring.
  - intros k _ Hk. rewrite identity_elsewhere by auto. ring.
Qed.

Lemma times_identity_right n A : times n A identity =[n] A.
Proof.
  intros i j _ Hj. unfold times. rewrite (sum_single n _ j Hj).
  - rewrite identity_diagonal. ring.
  - intros k _ Hk. rewrite identity_elsewhere by auto. ring.
Qed.

Lemma times_negate_left n A B : times n (negate A) B =[n] negate (times n A B).
Proof.
  intros i j _ _. unfold times, negate. rewrite <- sum_opp. apply sum_equal. intros. ring.
Qed.

Lemma times_negate_right n A B : times n A (negate B) =[n] negate (times n A B).
Proof.
  intros i j _ _. unfold times, negate. rewrite <- sum_opp. apply sum_equal. intros. ring.
Qed.

Lemma times_add_left n A B C : times n (add A B) C =[n] add (times n A C) (times n B C).
Proof.
  intros i j _ _. unfold times, add. rewrite <- sum_add. apply sum_equal. intros. ring.
Qed.

Lemma times_add_right n A B C : times n A (add B C) =[n] add (times n A B) (times n A C).
Proof.
  intros i j _ _. unfold times, add. rewrite <- sum_add. apply sum_equal. intros. ring.
Qed.

Lemma times_null_left n A : times n null A =[n] null.
Proof. intros i j _ _. apply sum_zero. intros. unfold null. ring. Qed.

Lemma times_null_right n A : times n A null =[n] null.
Proof. intros i j _ _. apply sum_zero. intros. unfold null. ring. Qed.

Lemma transpose_times n A B : transpose (times n A B) =[n] times n (transpose B) (transpose A).
Proof. intros i j _ _. apply sum_equal. intros. unfold transpose. ring. Qed.

Lemma transpose_identity n : transpose identity =[n] identity.
Proof. intros i j _ _. unfold transpose, identity. now rewrite Nat.eqb_sym. Qed.

Lemma transpose_involutive n A : transpose (transpose A) =[n] A.
Proof. intros i j _ _. reflexivity. Qed.

(* (F q) . (G k) = q^T (F^T G) k: why a score sees F and G only through F^T G. *)
Lemma dot_apply n F G q k :
  dot n (apply n F q) (apply n G k) = bilinear n q (times n (transpose F) G) k.
Proof.
  unfold dot, apply, bilinear, times, transpose.
  rewrite (sum_equal n _ (fun a => sum_below n (fun i => sum_below n (fun j =>
    q i * (F a i * G a j) * k j)))).
  2:{ intros a _. rewrite <- sum_scale_right. apply sum_equal. intros i _.
      rewrite <- sum_scale_left. apply sum_equal. intros j _. ring. }
  rewrite sum_exchange. apply sum_equal. intros i _.
  rewrite sum_exchange. apply sum_equal. intros j _.
  now rewrite sum_scale_right, sum_scale_left.
Qed.

(* -- derivatives of matrices, entry by entry ------------------------------------------------- *)

Definition has_derivative (n : nat) (E : R -> matrix) (t : R) (D : matrix) : Prop :=
  forall i j, (i < n)%nat -> (j < n)%nat -> is_derive (fun t => E t i j) t (D i j).

Lemma has_derivative_agree n E t D D' :
  D =[n] D' -> has_derivative n E t D -> has_derivative n E t D'.
Proof. intros H HE i j Hi Hj. rewrite <- (H i j Hi Hj). now apply HE. Qed.

Lemma has_derivative_same n E E' t D :
  (forall t, E t =[n] E' t) -> has_derivative n E t D -> has_derivative n E' t D.
Proof.
  intros H HE i j Hi Hj. apply (is_derive_ext (fun t => E t i j)); [|now apply HE].
  intros u. now apply H.
Qed.

Lemma derivative_constant n A t : has_derivative n (fun _ => A) t null.
Proof. intros i j _ _. apply @is_derive_const. Qed.

Lemma derivative_transpose n E t D :
  has_derivative n E t D -> has_derivative n (fun t => transpose (E t)) t (transpose D).
Proof. intros H i j Hi Hj. now apply H. Qed.

(* The rule of Leibniz: (A B)' = A' B + A B', in this order. *)
Lemma derivative_times n A B t A' B' :
  has_derivative n A t A' -> has_derivative n B t B' ->
  has_derivative n (fun t => times n (A t) (B t)) t
    (add (times n A' (B t)) (times n (A t) B')).
Proof.
  intros HA HB i j Hi Hj. unfold times, add. rewrite <- sum_add.
  apply (derive_sum n (fun k t => A t i k * B t k j)). intros k Hk.
  apply (is_derive_mult (fun t => A t i k) (fun t => B t k j)); auto. apply Rmult_comm.
Qed.

(* t -> E(c + r t) *)
Lemma derivative_affine n E c r t D :
  has_derivative n E (c + r * t) D ->
  has_derivative n (fun t => E (c + r * t)) t (fun i j => r * D i j).
Proof.
  intros H i j Hi Hj.
  apply (is_derive_comp (fun u => E u i j) (fun u => c + r * u)); [now apply H|].
  auto_derive; auto. ring.
Qed.

(* What does not change is constant. *)
Lemma constant_of_derivative (f : R -> R) :
  (forall t, is_derive f t 0) -> forall t, f t = f 0.
Proof.
  intros H t. destruct (Rtotal_order t 0) as [Ht|[->|Ht]]; [|reflexivity|].
  - now apply (eq_is_derive f t 0).
  - symmetry. now apply (eq_is_derive f 0 t).
Qed.

Lemma constant_of_null_derivative n E :
  (forall t, has_derivative n E t null) -> forall t, E t =[n] E 0.
Proof.
  intros H t i j Hi Hj. apply (constant_of_derivative (fun t => E t i j)).
  intros u. now apply H.
Qed.
