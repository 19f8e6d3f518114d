(* The flow of a matrix: for every size n and every real X there is exactly one E with

       E(0) = I,     E'(t) = X E(t).

   It exists because the power series of exp(tX) converges everywhere, and it is unique because
   exp(-tX) E(t) has derivative 0. No compactness, no contraction, no norm but a sum of absolute
   values. Everything else that is known about exp(tX) follows from these two lines (Laws.v). *)

From Coq Require Import Reals Lra Lia Arith Factorial Setoid Morphisms.
From Coquelicot Require Import Coquelicot.
From SymbolicPE Require Import Sums Matrices.
Open Scope R_scope.
Set Bullet Behavior "Strict Subproofs".

Record flow (n : nat) (X : matrix) (E : R -> matrix) : Prop := {
  flow_start : E 0 =[n] identity;
  flow_law : forall t, has_derivative n E t (times n X (E t))
}.

(* -- existence: the power series ------------------------------------------------------------- *)

Definition coefficient (n : nat) (X : matrix) (i j k : nat) : R :=
  power n X k i j / INR (fact k).
Definition exponential (n : nat) (X : matrix) (t : R) : matrix :=
  fun i j => PSeries (coefficient n X i j) t.

Definition size (n : nat) (X : matrix) : R :=
  sum_below n (fun i => sum_below n (fun j => Rabs (X i j))).

Lemma size_nonnegative n X : 0 <= size n X.
Proof. apply sum_nonnegative. intros. apply sum_nonnegative. intros. apply Rabs_pos. Qed.

Lemma row_below_size n X i :
  (i < n)%nat -> sum_below n (fun j => Rabs (X i j)) <= size n X.
Proof.
  intros Hi. apply (term_below_sum n (fun i => sum_below n (fun j => Rabs (X i j)))); auto.
  intros. apply sum_nonnegative. intros. apply Rabs_pos.
Qed.

(* |(X^k)_ij| <= size(X)^k *)
Lemma power_bound n X k i j :
  (i < n)%nat -> (j < n)%nat -> Rabs (power n X k i j) <= size n X ^ k.
Proof.
  revert i j. induction k as [|k IH]; intros i j Hi Hj; cbn [power pow].
  - unfold identity. destruct (Nat.eqb i j); [rewrite Rabs_R1 | rewrite Rabs_R0]; lra.
  - eapply Rle_trans; [apply sum_triangle|].
    apply Rle_trans with (sum_below n (fun m => Rabs (X i m)) * size n X ^ k).
    + rewrite <- sum_scale_right. apply sum_monotone. intros m Hm. rewrite Rabs_mult.
      apply Rmult_le_compat_l; [apply Rabs_pos | now apply IH].
    + apply Rmult_le_compat_r; [apply pow_le, size_nonnegative | now apply row_below_size].
Qed.

Lemma power_over_factorial x k : 0 <= x -> x ^ k / INR (fact k) <= exp x.
Proof.
  intros Hx. eapply Rle_trans; [|apply (exp_ge_taylor x k Hx)].
  assert (Hp : forall m, 0 <= x ^ m / INR (fact m)).
  { intros m. apply Rmult_le_pos; [now apply pow_le|].
    apply Rlt_le, Rinv_0_lt_compat, INR_fact_lt_0. }
  destruct k; [cbn; lra|]. cbn [sum_f_R0].
  assert (0 <= sum_f_R0 (fun k => x ^ k / INR (fact k)) k) by (apply cond_pos_sum, Hp). lra.
Qed.

(* The terms at any radius r are bounded by exp(size(X) |r|): the series converges everywhere. *)
Lemma convergence n X i j t :
  (i < n)%nat -> (j < n)%nat -> Rbar_lt (Rabs t) (CV_radius (coefficient n X i j)).
Proof.
  intros Hi Hj. set (r := Rabs t + 1).
  apply Rbar_lt_le_trans with (Finite r); [unfold r; cbn; lra|].
  destruct (CV_radius_bounded (coefficient n X i j)) as [Hub _]. apply Hub.
  exists (exp (size n X * Rabs r)). intros k. unfold coefficient.
  rewrite Rabs_mult. unfold Rdiv. rewrite Rabs_mult, <- RPow_abs.
  rewrite (Rabs_pos_eq (/ INR (fact k))) by apply Rlt_le, Rinv_0_lt_compat, INR_fact_lt_0.
  apply Rle_trans with (size n X ^ k * / INR (fact k) * Rabs r ^ k).
  - apply Rmult_le_compat_r; [apply pow_le, Rabs_pos|].
    apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, INR_fact_lt_0|].
    now apply power_bound.
  - replace (size n X ^ k * / INR (fact k) * Rabs r ^ k)
      with ((size n X * Rabs r) ^ k / INR (fact k)) by (rewrite Rpow_mult_distr; field; apply INR_fact_neq_0).
    apply power_over_factorial, Rmult_le_pos; [apply size_nonnegative | apply Rabs_pos].
Qed.

(* A finite combination of power series, term by term. *)
Lemma series_of_sum n (c : nat -> R) (a : nat -> nat -> R) t :
  (forall m, (m < n)%nat -> ex_pseries (a m) t) ->
  is_pseries (fun k => sum_below n (fun m => c m * a m k)) t
    (sum_below n (fun m => c m * PSeries (a m) t)).
Proof.
  induction n; intros H; cbn [sum_below].
  - assert (Hz : is_pseries (fun _ : nat => 0) t (PSeries (fun _ : nat => 0) t))
      by (apply PSeries_correct, CV_radius_inside; now rewrite CV_radius_const_0).
    now rewrite PSeries_const_0 in Hz.
  - apply (is_pseries_plus (fun k => sum_below n (fun m => c m * a m k)) (PS_scal (c n) (a n)));
      [apply IHn; auto with arith|].
    apply (is_pseries_scal (c n) (a n) t (PSeries (a n) t)); [apply Rmult_comm|].
    apply PSeries_correct; auto with arith.
Qed.

Lemma derived_coefficient n X i j k :
  PS_derive (coefficient n X i j) k = power n X (S k) i j / INR (fact k).
Proof.
  unfold PS_derive, coefficient. rewrite fact_simpl, mult_INR.
  field. split; [apply INR_fact_neq_0 | apply not_0_INR; lia].
Qed.

Lemma power_other_side n X k : power n X (S k) =[n] times n (power n X k) X.
Proof.
  induction k; cbn [power] in *.
  - now rewrite times_identity_left, times_identity_right.
  - rewrite IHk at 1. apply times_associative.
Qed.

(* exp(tX)' = X exp(tX), and also exp(tX) X. *)
Lemma exponential_law n X t : has_derivative n (exponential n X) t (times n X (exponential n X t)).
Proof.
  intros i j Hi Hj. replace (times n X (exponential n X t) i j)
    with (PSeries (PS_derive (coefficient n X i j)) t);
    [now apply is_derive_PSeries, convergence|].
  rewrite (PSeries_ext _ (fun k => sum_below n (fun m => X i m * coefficient n X m j k))).
  - apply is_pseries_unique, (series_of_sum n (X i) (fun m => coefficient n X m j)).
    intros. now apply CV_radius_inside, convergence.
  - intros k. rewrite derived_coefficient. cbn [power]. unfold times, coefficient, Rdiv.
    rewrite <- sum_scale_right. apply sum_equal. intros. ring.
Qed.

Lemma exponential_law_right n X t :
  has_derivative n (exponential n X) t (times n (exponential n X t) X).
Proof.
  intros i j Hi Hj. replace (times n (exponential n X t) X i j)
    with (PSeries (PS_derive (coefficient n X i j)) t);
    [now apply is_derive_PSeries, convergence|].
  rewrite (PSeries_ext _ (fun k => sum_below n (fun m => X m j * coefficient n X i m k))).
  - replace (times n (exponential n X t) X i j)
      with (sum_below n (fun m => X m j * PSeries (coefficient n X i m) t)).
    + apply is_pseries_unique, (series_of_sum n (fun m => X m j) (fun m => coefficient n X i m)).
      intros. now apply CV_radius_inside, convergence.
    + apply sum_equal. intros. unfold exponential. ring.
  - intros k. rewrite derived_coefficient, (power_other_side n X k i j Hi Hj).
    unfold times, coefficient, Rdiv.
    rewrite <- sum_scale_right. apply sum_equal. intros. ring.
Qed.

Theorem flow_exists n X : flow n X (exponential n X).
Proof.
  split; [|apply exponential_law].
  intros i j _ _. unfold exponential. rewrite PSeries_0. unfold coefficient. cbn. field.
Qed.

(* -- uniqueness ------------------------------------------------------------------------------ *)

(* exp(-tX) Y(t) does not move when Y' = XY. *)
Lemma pulled_back n X Y :
  (forall t, has_derivative n Y t (times n X (Y t))) ->
  forall t, times n (exponential n X (- t)) (Y t) =[n] Y 0.
Proof.
  intros HY t.
  assert (Hc : times n (exponential n X (- t)) (Y t) =[n] times n (exponential n X (- 0)) (Y 0)).
  { apply (constant_of_null_derivative n (fun t => times n (exponential n X (- t)) (Y t))).
    intros u.
    apply has_derivative_agree with
      (add (times n (negate (times n (exponential n X (- u)) X)) (Y u))
           (times n (exponential n X (- u)) (times n X (Y u)))).
    - rewrite times_negate_left, times_associative.
      intros i j _ _. unfold add, negate, null. ring.
    - apply (derivative_times n (fun t => exponential n X (- t)) Y); [|apply HY].
      intros i j Hi Hj. unfold negate.
      replace (- times n (exponential n X (- u)) X i j)
        with (scal (-1) (times n (exponential n X (- u)) X i j))
        by (unfold scal; cbn; unfold mult; cbn; ring).
      apply (is_derive_comp (fun v => exponential n X v i j) (fun v => - v));
        [now apply exponential_law_right | auto_derive; auto; ring]. }
  rewrite Hc, Ropp_0, (flow_start _ _ _ (flow_exists n X)). apply times_identity_left.
Qed.

Lemma exponential_inverse n X t :
  times n (exponential n X t) (exponential n X (- t)) =[n] identity.
Proof.
  assert (H := pulled_back n X (exponential n X) (exponential_law n X) (- t)).
  rewrite Ropp_involutive in H. rewrite H. apply (flow_exists n X).
Qed.

(* Every solution of Y' = XY is exp(tX) Y(0). *)
Theorem solution_is_exponential n X Y :
  (forall t, has_derivative n Y t (times n X (Y t))) ->
  forall t, Y t =[n] times n (exponential n X t) (Y 0).
Proof.
  intros HY t. rewrite <- (pulled_back n X Y HY t), times_associative, exponential_inverse.
  now rewrite times_identity_left.
Qed.

Theorem solutions_agree n X Y Z :
  (forall t, has_derivative n Y t (times n X (Y t))) ->
  (forall t, has_derivative n Z t (times n X (Z t))) ->
  Y 0 =[n] Z 0 -> forall t, Y t =[n] Z t.
Proof.
  intros HY HZ H t.
  now rewrite (solution_is_exponential n X Y HY t), (solution_is_exponential n X Z HZ t), H.
Qed.

Theorem flow_unique n X E F : flow n X E -> flow n X F -> forall t, E t =[n] F t.
Proof.
  intros HE HF. apply (solutions_agree n X); [apply HE | apply HF|].
  now rewrite (flow_start _ _ _ HE), (flow_start _ _ _ HF).
Qed.

(* The laws do not care how X and E are written. *)
Lemma flow_agree n X X' E E' :
  X =[n] X' -> (forall t, E t =[n] E' t) -> flow n X E -> flow n X' E'.
Proof.
  intros HX HE [H0 HL]. split; [now rewrite <- HE|].
  intros t. apply (has_derivative_same n E); [exact HE|].
  apply has_derivative_agree with (times n X (E t)); [|apply HL]. now rewrite HX, HE.
Qed.

(* Negative twin: a flow determines its generator, so no E serves two different X. *)
Theorem generator_unique n X Y E : flow n X E -> flow n Y E -> X =[n] Y.
Proof.
  intros HX HY i j Hi Hj.
  assert (A := is_derive_unique _ _ _ (flow_law _ _ _ HX 0 i j Hi Hj)).
  assert (B := is_derive_unique _ _ _ (flow_law _ _ _ HY 0 i j Hi Hj)).
  rewrite A in B.
  rewrite <- (times_identity_right n X i j Hi Hj), <- (times_identity_right n Y i j Hi Hj).
  rewrite <- (times_agree n X X (reflexivity X) _ _ (flow_start _ _ _ HX) i j Hi Hj).
  rewrite <- (times_agree n Y Y (reflexivity Y) _ _ (flow_start _ _ _ HX) i j Hi Hj). exact B.
Qed.
