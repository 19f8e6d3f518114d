(* What a flow realises is known everywhere once it is known on a half-line.

   If p^T E(t) q = 0 for all t >= 0, then all derivatives vanish at t = 1, p^T X^k E(1) q = 0, and
   p^T E(t) q is the power series of them about 1, which converges everywhere. So two biases that
   agree on causal lags agree on all lags, and no argument from analysis is left to assume. *)

From Coq Require Import Reals Lra Lia Arith Factorial Setoid Morphisms.
From Coquelicot Require Import Coquelicot.
From SymbolicPE Require Import Sums Matrices Flow Laws.
Open Scope R_scope.
Set Bullet Behavior "Strict Subproofs".

Lemma bilinear_derivative n p q Y E t D :
  has_derivative n E t D ->
  is_derive (fun u => bilinear n p (times n Y (E u)) q) t (bilinear n p (times n Y D) q).
Proof.
  intros HE. unfold bilinear, times. apply derive_sum. intros i Hi. apply derive_sum. intros j Hj.
  apply (is_derive_ext (fun u => scal (p i * q j) (sum_below n (fun k => Y i k * E u k j)))).
  { intros u. unfold scal; cbn; unfold mult; cbn. ring. }
  replace (p i * sum_below n (fun k => Y i k * D k j) * q j)
    with (scal (p i * q j) (sum_below n (fun k => Y i k * D k j)))
    by (unfold scal; cbn; unfold mult; cbn; ring).
  apply is_derive_scal. apply derive_sum. intros k Hk. apply (is_derive_scal (fun u => E u k j)).
  now apply HE.
Qed.

Section HalfLine.
Variables (n : nat) (X : matrix) (E : R -> matrix) (p q : vector).
Hypothesis flow_of_X : flow n X E.
Hypothesis vanishes : forall t, 0 <= t -> bilinear n p (E t) q = 0.

Lemma derivatives_vanish k t : 0 < t -> bilinear n p (times n (power n X k) (E t)) q = 0.
Proof.
  revert t. induction k as [|k IH]; intros t Ht.
  - cbn [power]. rewrite (bilinear_agree n p _ (E t) q); [apply vanishes; lra|].
    apply times_identity_left.
  - assert (H := bilinear_derivative n p q (power n X k) E t _ (flow_law n X E flow_of_X t)).
    assert (H0 : is_derive (fun u => bilinear n p (times n (power n X k) (E u)) q) t 0).
    { apply (is_derive_ext_loc (fun _ => 0)); [|apply @is_derive_const].
      exists (mkposreal t Ht). intros u Hu. symmetry. apply IH.
      unfold ball in Hu; cbn in Hu. unfold AbsRing_ball, abs, minus, plus, opp in Hu; cbn in Hu.
      apply Rabs_def2 in Hu. lra. }
    rewrite (bilinear_agree n p _ (times n (power n X k) (times n X (E t))) q).
    + rewrite <- (is_derive_unique _ _ _ H). now apply is_derive_unique.
    + rewrite power_other_side. symmetry. apply times_associative.
Qed.

(* p^T exp(sX) w as one power series in s. *)
Lemma bilinear_series w s :
  (forall k, bilinear n p (power n X k) w = 0) -> bilinear n p (exponential n X s) w = 0.
Proof.
  intros H. unfold bilinear, exponential.
  rewrite (sum_equal n _ (fun i => p i * PSeries (fun k =>
    sum_below n (fun j => w j * coefficient n X i j k)) s)).
  2:{ intros i Hi. rewrite (sum_equal n _ (fun j => p i * (w j * PSeries (coefficient n X i j) s)))
        by (intros; ring).
      rewrite sum_scale_left. f_equal. symmetry. apply is_pseries_unique.
      apply (series_of_sum n w (fun j => coefficient n X i j)).
      intros j Hj. now apply CV_radius_inside, convergence. }
  transitivity (PSeries (fun k => sum_below n (fun i => p i *
    sum_below n (fun j => w j * coefficient n X i j k))) s).
  - symmetry. apply is_pseries_unique.
    apply (series_of_sum n p (fun i k => sum_below n (fun j => w j * coefficient n X i j k))).
    intros i Hi. exists (sum_below n (fun j => w j * PSeries (coefficient n X i j) s)).
    apply (series_of_sum n w (fun j => coefficient n X i j)).
    intros j Hj. now apply CV_radius_inside, convergence.
  - rewrite (PSeries_ext _ (fun _ => 0)); [apply PSeries_const_0|]. intros k.
    transitivity (/ INR (fact k) * bilinear n p (power n X k) w); [|rewrite H; ring].
    unfold bilinear. rewrite <- sum_scale_left. apply sum_equal. intros i _.
    rewrite <- !sum_scale_left. apply sum_equal. intros j _. unfold coefficient. field.
    apply INR_fact_neq_0.
Qed.

Theorem known_on_a_half_line t : bilinear n p (E t) q = 0.
Proof.
  set (w := fun j => sum_below n (fun l => E 1 j l * q l)).
  assert (Hw : forall A, bilinear n p A w = bilinear n p (times n A (E 1)) q).
  { intros A. unfold bilinear, times, w. apply sum_equal. intros i _.
    rewrite (sum_equal n (fun j => p i * sum_below n (fun k => A i k * E 1 k j) * q j)
      (fun j => sum_below n (fun k => p i * A i k * E 1 k j * q j))).
    2:{ intros j _. rewrite <- sum_scale_left, <- sum_scale_right. apply sum_equal. intros. ring. }
    rewrite sum_exchange. apply sum_equal. intros k _. rewrite <- sum_scale_left.
    apply sum_equal. intros. ring. }
  rewrite (bilinear_agree n p _ (times n (exponential n X (t - 1)) (E 1)) q).
  - rewrite <- Hw. apply bilinear_series. intros k. rewrite Hw. apply derivatives_vanish. lra.
  - rewrite <- (flow_unique n X E (exponential n X) flow_of_X (flow_exists n X) (t - 1)).
    rewrite <- (group_law n X E flow_of_X). replace (t - 1 + 1) with t by ring. reflexivity.
Qed.

End HalfLine.
