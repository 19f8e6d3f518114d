(* Written by symbolic-pe: damped-oscillator.
   reproduce:   symbolic-pe prove examples/damped-oscillator.toml --rocq DIR
   dimension:   2, heads 1
   parameters:  w positive, z real; the theorems hold for all real values
   proved here: initial-condition, derivative, homomorphism, relativity, closed-form *)

From Coq Require Import Reals ZArith List Lia Lra.
From SymbolicPE Require Import Matrices Flow Laws Chains DirectSums Bounds Augmentation Gauge.
From SymbolicPE Require Import Axes Fundamental Expressions NormalForms Checker Similarity
  Steps.
Import ListNotations.
Open Scope R_scope.
Set Bullet Behavior "Strict Subproofs".

Module Head_0.

Definition X_rows (w z : R) : list (list R) :=
  [[0; 1];
   [- w ^ 2; - (2 * w * z)]].
Definition A_rows (w z : R) (t : R) : list (list R) :=
  [[first (w ^ 2) (2 * w * z) t; second (w ^ 2) (2 * w * z) t];
   [- (w ^ 2 * second (w ^ 2) (2 * w * z) t); first (w ^ 2) (2 * w * z) t - 2 * w * z * second (w ^ 2) (2 * w * z) t]].
Definition X (w z : R) : matrix := entries (X_rows w z).
Definition A (w z : R) (t : R) : matrix := entries (A_rows w z t).

Definition families : list family := [Quadratic (Pow (Sym 0) 2) (Mul (Mul (Int 2) (Sym 0)) (Sym 1))].
Definition X_data : list (list expr) :=
  [[Int 0; Int 1];
   [Neg (Pow (Sym 0) 2); Neg (Mul (Mul (Int 2) (Sym 0)) (Sym 1))]].
Definition A_data : list (list expr) :=
  [[Fun 0 0; Fun 0 1];
   [Neg (Mul (Pow (Sym 0) 2) (Fun 0 1)); Sub (Fun 0 0) (Mul (Mul (Mul (Int 2) (Sym 0)) (Sym 1)) (Fun 0 1))]].
Lemma decided : decides 2 families X_data A_data = true.
Proof. vm_compute. reflexivity. Qed.

Theorem is_flow :
  forall (w z : R),
  flow 2 (X w z) (A w z).
Proof.
  intros w z. apply (flow_of_data 2 families X_data A_data _ _
    (components [w; z]) (fun _ => no_functions 0)).
  - exact decided.
  - apply nothing_given. reflexivity.
  - reflexivity.
  - intros t. reflexivity.
Qed.

Theorem initial_condition :
  forall (w z : R),
  A w z 0 =[2] identity.
Proof. intros w z. exact (flow_start 2 _ _ (is_flow w z)). Qed.

Theorem derivative_law :
  forall (w z : R) (t : R),
  has_derivative 2 (A w z) t (times 2 (X w z) (A w z t)).
Proof. intros w z t. exact (flow_law 2 _ _ (is_flow w z) t). Qed.

Theorem group_law :
  forall (w z : R) (s t : R),
  A w z (s + t) =[2] times 2 (A w z s) (A w z t).
Proof. intros w z s t. exact (Laws.group_law 2 _ _ (is_flow w z) s t). Qed.

Theorem relativity :
  forall (w z : R) (q k : vector) (t s : R),
  dot 2 (apply 2 (transpose (A w z t)) q) (apply 2 (A w z (- s)) k)
  = bilinear 2 q (A w z (t - s)) k.
Proof. intros w z q k t s. exact (Laws.relativity 2 _ _ (is_flow w z) q k t s). Qed.

Theorem closed_form :
  forall (w z : R) (E : R -> matrix) (t : R),
  flow 2 (X w z) E -> E t =[2] A w z t.
Proof. intros w z E t. exact (fun HE => flow_unique 2 _ _ _ HE (is_flow w z) t). Qed.

End Head_0.
