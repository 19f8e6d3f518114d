(* Positions of several coordinates: A(p) = exp(p_0 X_0 + ... + p_(m-1) X_(m-1)).

   A is a group, A(p + q) = A(p) A(q), exactly when the generators commute. *)

From Coq Require Import Reals Lra Lia Arith Setoid Morphisms.
From Coquelicot Require Import Coquelicot.
From SymbolicPE Require Import Sums Matrices Flow Laws.
Open Scope R_scope.
Set Bullet Behavior "Strict Subproofs".

Definition direction (m : nat) (X : nat -> matrix) (p : vector) : matrix :=
  fun i j => sum_below m (fun a => p a * X a i j).
Definition at_position (n m : nat) (X : nat -> matrix) (p : vector) : matrix :=
  exponential n (direction m X p) 1.
Definition commuting (n m : nat) (X : nat -> matrix) : Prop :=
  forall a b, (a < m)%nat -> (b < m)%nat -> times n (X a) (X b) =[n] times n (X b) (X a).
Definition shifted (p q : vector) : vector := fun a => p a + q a.
Definition reversed (p : vector) : vector := fun a => - p a.
Definition along (t : R) (p : vector) : vector := fun a => t * p a.

(* exp(t(X + Y)) = exp(tX) exp(tY) when X and Y commute. *)
Theorem commuting_sum n X Y E F :
  flow n X E -> flow n Y F -> times n X Y =[n] times n Y X ->
  flow n (add X Y) (fun t => times n (E t) (F t)).
Proof.
  intros HE HF H. split.
  - now rewrite (flow_start _ _ _ HE), (flow_start _ _ _ HF), times_identity_left.
  - intros t. apply has_derivative_agree with
      (add (times n (times n X (E t)) (F t)) (times n (E t) (times n Y (F t)))).
    + rewrite (times_associative n (E t) Y), (commutant n X E HE Y t H).
      now rewrite times_add_left, !times_associative.
    + apply derivative_times; [apply HE | apply HF].
Qed.

(* Negative twin: flows that commute have generators that do. *)
Theorem commuting_flows n X Y E F :
  flow n X E -> flow n Y F ->
  (forall s t, times n (E s) (F t) =[n] times n (F t) (E s)) ->
  times n X Y =[n] times n Y X.
Proof.
  intros HE HF H.
  assert (HX : forall t, times n X (F t) =[n] times n (F t) X).
  { intros t i j Hi Hj.
    assert (L := law_after_constant n X E HE (F t) 0 i j Hi Hj).
    assert (R := law_before_constant n X E HE (F t) 0 i j Hi Hj).
    apply is_derive_unique in L. apply is_derive_unique in R.
    assert (S : Derive (fun s => times n (E s) (F t) i j) 0
              = Derive (fun s => times n (F t) (E s) i j) 0)
      by (apply Derive_ext; intros s; now apply H).
    rewrite (times_agree n X X (reflexivity X) _ _ (times_agree n _ _ (flow_start _ _ _ HE) _ _
      (reflexivity (F t))) i j Hi Hj) in L.
    rewrite (times_agree n X X (reflexivity X) _ _ (times_identity_left n (F t)) i j Hi Hj) in L.
    rewrite (times_agree n (F t) (F t) (reflexivity (F t)) _ _ (times_agree n X X (reflexivity X)
      _ _ (flow_start _ _ _ HE)) i j Hi Hj) in R.
    rewrite (times_agree n (F t) (F t) (reflexivity (F t)) _ _ (times_identity_right n X)
      i j Hi Hj) in R.
    exact (eq_trans (eq_sym L) (eq_trans S R)). }
  intros i j Hi Hj.
  assert (L := law_before_constant n Y F HF X 0 i j Hi Hj).
  assert (R := law_after_constant n Y F HF X 0 i j Hi Hj).
  apply is_derive_unique in L. apply is_derive_unique in R.
  assert (S : Derive (fun t => times n X (F t) i j) 0 = Derive (fun t => times n (F t) X i j) 0)
    by (apply Derive_ext; intros t; now apply HX).
  rewrite (times_agree n X X (reflexivity X) _ _ (times_agree n Y Y (reflexivity Y) _ _
    (flow_start _ _ _ HF)) i j Hi Hj) in L.
  rewrite (times_agree n X X (reflexivity X) _ _ (times_identity_right n Y) i j Hi Hj) in L.
  rewrite (times_agree n Y Y (reflexivity Y) _ _ (times_agree n _ _ (flow_start _ _ _ HF) _ _
    (reflexivity X)) i j Hi Hj) in R.
  rewrite (times_agree n Y Y (reflexivity Y) _ _ (times_identity_left n X) i j Hi Hj) in R.
  exact (eq_trans (eq_sym L) (eq_trans S R)).
Qed.

(* -- combinations of generators ------------------------------------------------------------ *)

Lemma exponential_agree n X Y t : X =[n] Y -> exponential n X t =[n] exponential n Y t.
Proof.
  intros H. apply (flow_unique n Y); [|apply flow_exists].
  apply (flow_agree n X Y (exponential n X) (exponential n X) H); [reflexivity|].
  apply flow_exists.
Qed.

Lemma direction_shifted m X p q n :
  direction m X (shifted p q) =[n] add (direction m X p) (direction m X q).
Proof.
  intros i j _ _. unfold direction, shifted, add. rewrite <- sum_add.
  apply sum_equal. intros. ring.
Qed.

Lemma direction_times n m X Y p :
  times n (direction m X p) Y =[n] direction m (fun a => times n (X a) Y) p.
Proof.
  intros i j _ _. unfold times, direction.
  rewrite (sum_equal n _ (fun k => sum_below m (fun a => p a * (X a i k * Y k j))))
    by (intros; rewrite <- sum_scale_right; apply sum_equal; intros; ring).
  rewrite sum_exchange. apply sum_equal. intros a _. now rewrite sum_scale_left.
Qed.

Lemma times_direction n m X Y p :
  times n Y (direction m X p) =[n] direction m (fun a => times n Y (X a)) p.
Proof.
  intros i j _ _. unfold times, direction.
  rewrite (sum_equal n _ (fun k => sum_below m (fun a => p a * (Y i k * X a k j))))
    by (intros; rewrite <- sum_scale_left; apply sum_equal; intros; ring).
  rewrite sum_exchange. apply sum_equal. intros a _. now rewrite sum_scale_left.
Qed.

Lemma directions_commute n m X p q :
  commuting n m X ->
  times n (direction m X p) (direction m X q) =[n] times n (direction m X q) (direction m X p).
Proof.
  intros H. rewrite direction_times, times_direction.
  intros i j Hi Hj. apply sum_equal. intros a Ha. f_equal.
  rewrite (times_direction n m X (X a) q i j Hi Hj), (direction_times n m X (X a) q i j Hi Hj).
  apply sum_equal. intros b Hb. f_equal. now apply H.
Qed.

(* -- the laws -------------------------------------------------------------------------------- *)

Theorem axes_initial_condition n m X : at_position n m X (fun _ => 0) =[n] identity.
Proof.
  unfold at_position. rewrite (exponential_agree n _ null).
  - apply (flow_unique n null (exponential n null) (fun _ => identity)); [apply flow_exists|].
    split; [reflexivity|]. intros t. apply has_derivative_agree with null;
      [now rewrite times_null_left | apply derivative_constant].
  - intros i j _ _. apply sum_zero. intros. ring.
Qed.

(* Along any direction A is a one-parameter group, with the generator of that direction. *)
Theorem axes_direction n m X p :
  flow n (direction m X p) (fun t => at_position n m X (along t p)).
Proof.
  apply (flow_agree n (direction m X p) _ (exponential n (direction m X p)));
    [reflexivity| |apply flow_exists].
  intros t. unfold at_position.
  rewrite (exponential_agree n (direction m X (along t p)) (fun i j => t * direction m X p i j) 1).
  - assert (S := flow_unique n _ _ _
      (rescaled_time n _ _ t (flow_exists n (direction m X p)))
      (flow_exists n (fun i j => t * direction m X p i j)) 1).
    cbv beta in S. rewrite Rmult_1_r in S. exact S.
  - intros i j _ _. unfold direction, along. rewrite <- sum_scale_left.
    apply sum_equal. intros. ring.
Qed.

Theorem axes_group_law n m X :
  commuting n m X -> forall p q,
  at_position n m X (shifted p q) =[n] times n (at_position n m X p) (at_position n m X q).
Proof.
  intros H p q. unfold at_position.
  rewrite (exponential_agree n _ _ 1 (direction_shifted m X p q n)).
  apply (flow_unique n (add (direction m X p) (direction m X q)) _
    (fun t => times n (exponential n (direction m X p) t) (exponential n (direction m X q) t)));
    [apply flow_exists|].
  apply commuting_sum; try apply flow_exists. now apply directions_commute.
Qed.

Theorem axes_relativity n m X :
  commuting n m X -> forall p s q k,
  dot n (apply n (transpose (at_position n m X p)) q) (apply n (at_position n m X (reversed s)) k)
  = bilinear n q (at_position n m X (shifted p (reversed s))) k.
Proof.
  intros H p s q k. rewrite dot_apply. apply bilinear_agree.
  rewrite transpose_involutive. symmetry. now apply axes_group_law.
Qed.

(* Negative twin: a group of positions has generators that commute. *)
Theorem axes_must_commute n m X :
  (forall p q, at_position n m X (shifted p q)
    =[n] times n (at_position n m X p) (at_position n m X q)) ->
  commuting n m X.
Proof.
  intros H a b Ha Hb.
  assert (D : forall c, (c < m)%nat -> direction m X (identity c) =[n] X c).
  { intros c Hc i j _ _. unfold direction. rewrite (sum_single m _ c Hc).
    - rewrite identity_diagonal. ring.
    - intros k _ Hk. rewrite identity_elsewhere by auto. ring. }
  rewrite <- (D a Ha), <- (D b Hb).
  apply (commuting_flows n _ _ _ _ (axes_direction n m X (identity a))
    (axes_direction n m X (identity b))).
  intros s t. rewrite <- !H.
  unfold at_position. apply exponential_agree.
  intros i j _ _. apply sum_equal. intros c _. unfold shifted. ring.
Qed.
