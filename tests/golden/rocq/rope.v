(* Written by symbolic-pe: Rotary position embedding.
   reproduce:   symbolic-pe prove rope:dim=4 --rocq DIR
   dimension:   4, heads 1
   proved here: initial-condition, derivative, homomorphism, relativity, closed-form, bounded-all, bounded-causal, orthogonality *)

From Coq Require Import Reals ZArith List Lia Lra.
From SymbolicPE Require Import Matrices Flow Laws Chains DirectSums Bounds Augmentation Gauge.
From SymbolicPE Require Import Axes Fundamental Expressions NormalForms Checker Similarity
  Steps.
Import ListNotations.
Open Scope R_scope.
Set Bullet Behavior "Strict Subproofs".

(* -- rotation -- *)

Module Rotation.

Definition X (b : R) : list (list R) :=
  [[0; - b];
   [b; 0]].
Definition E (b : R) (t : R) : list (list R) :=
  [[cos (b * t); - sin (b * t)];
   [sin (b * t); cos (b * t)]].

Definition families : list family := [Turning (Sym 0)].
Definition X_data : list (list expr) :=
  [[Int 0; Neg (Sym 0)];
   [Sym 0; Int 0]].
Definition E_data : list (list expr) :=
  [[Fun 0 0; Neg (Fun 0 1)];
   [Fun 0 1; Fun 0 0]].
Lemma decided : decides 2 families X_data E_data = true.
Proof. vm_compute. reflexivity. Qed.

Theorem is_flow :
  forall (b : R),
  flow 2 (entries (X b)) (fun t => entries (E b t)).
Proof.
  intros b. apply (flow_of_data 2 families X_data E_data _ _
    (components [b]) (fun _ => no_functions 0)).
  - exact decided.
  - apply nothing_given. reflexivity.
  - reflexivity.
  - intros t. reflexivity.
Qed.

Lemma is_skew :
  forall (b : R),
  skew 2 (entries (X b)).
Proof.
  intros b. apply (decides_skew_correct 2 X_data _ (components [b])).
  - vm_compute. reflexivity.
  - reflexivity.
Qed.

Definition block (v : R) : part := {|
  width := 2;
  generator := entries (X v);
  operator := fun t => entries (E v t)
|}.
Lemma block_sound : forall v, sound (block v).
Proof. intros v. exact (is_flow v). Qed.
Lemma block_skew : forall v, part_skew (block v).
Proof. intros v. exact (is_skew v). Qed.

Lemma is_dissipative :
  forall b : R, dissipative 2 (entries (X b)).
Proof. intros b [|[|i]] [|[|j]] Hi Hj; try lia; cbn; lra. Qed.
Lemma block_dissipative : forall v, part_dissipative (block v).
Proof. intros v. exact (is_dissipative v). Qed.

End Rotation.

Module Head_0.

Definition channels : list nat :=
  [0; 1; 2; 3]%nat.
Definition values_of_Rotation : list (R) :=
  [- 1;
   - (1 / 100)].
Definition blocks : list part :=
  map Rotation.block values_of_Rotation.
Definition X : matrix := placed channels (joined_generator blocks).
Definition A (t : R) : matrix :=
  placed channels (joined_operator blocks t).

Lemma tiled : tiles 4 channels = true.
Proof. vm_compute. reflexivity. Qed.

Theorem is_flow :
  flow 4 X A.
Proof.
  apply placed_is_flow; [exact tiled|].
  exact (joined_is_flow blocks (mapped _ _ _ Rotation.block_sound)).
Qed.

Lemma is_skew :
  skew 4 X.
Proof.
  apply placed_skew; [exact tiled|].
  exact (joined_skew blocks (mapped _ _ _ Rotation.block_skew)).
Qed.

Theorem initial_condition :
  A 0 =[4] identity.
Proof. exact (flow_start 4 _ _ is_flow). Qed.

Theorem derivative_law :
  forall (t : R),
  has_derivative 4 A t (times 4 X (A t)).
Proof. intros t. exact (flow_law 4 _ _ is_flow t). Qed.

Theorem group_law :
  forall (s t : R),
  A (s + t) =[4] times 4 (A s) (A t).
Proof. intros s t. exact (Laws.group_law 4 _ _ is_flow s t). Qed.

Theorem relativity :
  forall (q k : vector) (t s : R),
  dot 4 (apply 4 (transpose (A t)) q) (apply 4 (A (- s)) k)
  = bilinear 4 q (A (t - s)) k.
Proof. intros q k t s. exact (Laws.relativity 4 _ _ is_flow q k t s). Qed.

Theorem closed_form :
  forall (E : R -> matrix) (t : R),
  flow 4 X E -> E t =[4] A t.
Proof. intros E t. exact (fun HE => flow_unique 4 _ _ _ HE is_flow t). Qed.

Theorem bounded :
  exists c, forall t i j, (i < 4)%nat -> (j < 4)%nat -> Rabs (A t i j) <= c.
Proof. exact (Laws.bounded 4 _ _ is_flow is_skew). Qed.

Theorem bounded_causal :
  exists c, forall t, 0 <= t -> forall i j, (i < 4)%nat -> (j < 4)%nat ->
    Rabs (A t i j) <= c.
Proof. exact (Laws.bounded_causal 4 _ _ is_flow is_skew). Qed.

Theorem orthogonality :
  forall (t : R),
  times 4 (transpose (A t)) (A t) =[4] identity.
Proof. intros t. exact (Laws.orthogonality 4 _ _ is_flow is_skew t). Qed.

End Head_0.
