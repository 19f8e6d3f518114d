(* A logarithm is no bias of a flow, of any size: its derivatives grow like factorials.

   What a flow realises has derivatives p^T X^k E(t) q, at most K S^k. The k-th derivative of
   c ln(1 + at) is c (-1)^(k-1) (k-1)! (a/(1 + at))^k, and no K, S bound (k-1)!. *)

From Coq Require Import Reals Lra Lia Arith Factorial Setoid Morphisms.
From Coquelicot Require Import Coquelicot.
From SymbolicPE Require Import Sums Matrices Flow Laws HalfLine.
Open Scope R_scope.
Set Bullet Behavior "Strict Subproofs".

Definition derivative_number (n : nat) (X : matrix) (E : R -> matrix) (p q : vector) (k : nat)
  (t : R) : R := bilinear n p (times n (power n X k) (E t)) q.

Lemma next_derivative n X E p q k t :
  flow n X E ->
  is_derive (derivative_number n X E p q k) t (derivative_number n X E p q (S k) t).
Proof.
  intros HE.
  assert (H := bilinear_derivative n p q (power n X k) E t _ (flow_law n X E HE t)).
  unfold derivative_number at 2.
  rewrite (bilinear_agree n p _ (times n (power n X k) (times n X (E t))) q); [exact H|].
  rewrite power_other_side. symmetry. apply times_associative.
Qed.

Theorem derivatives_grow_like_powers n X E p q t :
  flow n X E -> exists K S, 0 <= K /\ 0 <= S /\
  forall k, Rabs (derivative_number n X E p q k t) <= K * S ^ k.
Proof.
  intros _. set (K := sum_below n (fun i => sum_below n (fun j =>
    Rabs (p i) * sum_below n (fun l => Rabs (E t l j)) * Rabs (q j)))).
  exists K, (size n X). split; [|split].
  - apply sum_nonnegative. intros. apply sum_nonnegative. intros.
    apply Rmult_le_pos; [apply Rmult_le_pos|]; try apply Rabs_pos.
    apply sum_nonnegative. intros. apply Rabs_pos.
  - apply size_nonnegative.
  - intros k. unfold derivative_number, bilinear, K. rewrite <- sum_scale_right.
    eapply Rle_trans; [apply sum_triangle|]. apply sum_monotone. intros i Hi.
    rewrite <- sum_scale_right. eapply Rle_trans; [apply sum_triangle|].
    apply sum_monotone. intros j Hj. rewrite !Rabs_mult.
    replace (Rabs (p i) * sum_below n (fun l => Rabs (E t l j)) * Rabs (q j) * size n X ^ k)
      with (Rabs (p i) * (sum_below n (fun l => Rabs (E t l j)) * size n X ^ k) * Rabs (q j))
      by ring.
    apply Rmult_le_compat_r; [apply Rabs_pos|]. apply Rmult_le_compat_l; [apply Rabs_pos|].
    unfold times. rewrite <- sum_scale_right. eapply Rle_trans; [apply sum_triangle|].
    apply sum_monotone. intros l Hl. rewrite Rabs_mult, Rmult_comm.
    apply Rmult_le_compat_l; [apply Rabs_pos | now apply power_bound].
Qed.

Lemma factorials_outgrow_powers C y : ~ (forall k, INR (fact k) <= C * y ^ S k).
Proof.
  intros H. assert (H0 := H 0%nat). cbn in H0.
  assert (Hy : y <> 0) by (intros ->; lra).
  set (M := Rabs C * Rabs y * exp (2 * Rabs y)).
  assert (Hpow : forall k, 2 ^ k <= M).
  { intros k. assert (Hk := power_over_factorial (2 * Rabs y) k).
    assert (Hpos : 0 < Rabs y ^ k) by (apply pow_lt; now apply Rabs_pos_lt).
    assert (Hf : 0 < INR (fact k)) by apply INR_fact_lt_0.
    assert (Hfact : INR (fact k) <= Rabs C * (Rabs y * Rabs y ^ k)).
    { eapply Rle_trans; [apply H|]. eapply Rle_trans; [apply Rle_abs|].
      rewrite Rabs_mult, <- RPow_abs. cbn [pow]. lra. }
    apply Rmult_le_reg_r with (Rabs y ^ k); [exact Hpos|].
    rewrite <- Rpow_mult_distr.
    apply Rle_trans with (exp (2 * Rabs y) * INR (fact k)).
    - apply Rmult_le_reg_r with (/ INR (fact k)); [now apply Rinv_0_lt_compat|].
      rewrite Rmult_assoc, Rinv_r, Rmult_1_r by lra. apply Hk.
      assert (0 <= Rabs y) by apply Rabs_pos. lra.
    - unfold M. replace (Rabs C * Rabs y * exp (2 * Rabs y) * Rabs y ^ k)
        with (exp (2 * Rabs y) * (Rabs C * (Rabs y * Rabs y ^ k))) by ring.
      apply Rmult_le_compat_l; [apply Rlt_le, exp_pos | exact Hfact]. }
  destruct (Pow_x_infinity 2) with (b := M + 1) as [N HN]; [rewrite Rabs_pos_eq; lra|].
  specialize (HN N (Nat.le_refl N)). rewrite Rabs_pos_eq in HN by (apply pow_le; lra).
  specialize (Hpow N). lra.
Qed.

Theorem logarithm_is_not_realised n X E p q a c :
  flow n X E -> 0 < a -> c <> 0 ->
  ~ (forall t, 0 <= t -> bilinear n p (E t) q = c * ln (1 + a * t)).
Proof.
  intros HE Ha Hc H.
  set (D := derivative_number n X E p q). set (r := fun t => a / (1 + a * t)).
  assert (Hr : forall t, 0 < t -> is_derive r t (- (r t * r t))).
  { intros t Ht. unfold r. assert (0 < a * t) by now apply Rmult_lt_0_compat.
    auto_derive; [lra|]. field. lra. }
  assert (Hlocal : forall t, 0 < t -> forall f g : R -> R,
    (forall u, 0 < u -> f u = g u) -> locally t (fun u => f u = g u)).
  { intros t Ht f g Hfg. exists (mkposreal t Ht). intros u Hu. apply Hfg.
    unfold ball in Hu; cbn in Hu. unfold AbsRing_ball, abs, minus, plus, opp in Hu; cbn in Hu.
    apply Rabs_def2 in Hu. lra. }
  assert (H0 : forall t, 0 < t -> D 0%nat t = c * ln (1 + a * t)).
  { intros t Ht. rewrite <- H by lra. unfold D, derivative_number. cbn [power].
    apply bilinear_agree, times_identity_left. }
  assert (HD : forall k t, 0 < t -> D (S k) t = c * (-1) ^ k * INR (fact k) * r t ^ S k).
  { induction k as [|k IH]; intros t Ht.
    - transitivity (Derive (D 0%nat) t).
      { symmetry. apply is_derive_unique, (next_derivative n X E p q 0 t HE). }
      apply is_derive_unique. apply (is_derive_ext_loc (fun u => c * ln (1 + a * u))).
      { apply (Hlocal t Ht). intros u Hu. symmetry. now apply H0. }
      assert (0 < a * t) by now apply Rmult_lt_0_compat. unfold r.
      auto_derive; [lra|]. cbn. field. lra.
    - transitivity (Derive (D (S k)) t).
      { symmetry. apply is_derive_unique, (next_derivative n X E p q (S k) t HE). }
      apply is_derive_unique.
      apply (is_derive_ext_loc (fun u => scal (c * (-1) ^ k * INR (fact k)) (r u ^ S k))).
      { apply (Hlocal t Ht). intros u Hu. unfold scal; cbn -[fact pow]; unfold mult; cbn -[fact pow].
        symmetry. exact (IH u Hu). }
      replace (c * (-1) ^ S k * INR (fact (S k)) * r t ^ S (S k))
        with (scal (c * (-1) ^ k * INR (fact k)) (INR (S k) * (- (r t * r t)) * r t ^ k)).
      + apply is_derive_scal. apply (is_derive_pow r (S k)). now apply Hr.
      + unfold scal; cbn -[fact pow INR]; unfold mult; cbn -[fact pow INR].
        rewrite fact_simpl, mult_INR. cbn [pow]. ring. }
  destruct (derivatives_grow_like_powers n X E p q 1 HE) as [K [S [HK [HS Hbound]]]].
  set (rho := r 1).
  assert (Hrho : 0 < rho).
  { unfold rho, r. apply Rmult_lt_0_compat; [exact Ha | apply Rinv_0_lt_compat; lra]. }
  apply (factorials_outgrow_powers (K / Rabs c) (S / rho)). intros k.
  specialize (Hbound (Datatypes.S k)). fold D in Hbound. rewrite HD in Hbound by lra. fold rho in Hbound.
  assert (Hc' : 0 < Rabs c) by now apply Rabs_pos_lt.
  rewrite !Rabs_mult in Hbound.
  assert (Hsign : Rabs ((-1) ^ k) = 1).
  { rewrite <- RPow_abs. replace (Rabs (-1)) with 1 by (rewrite Rabs_left; lra). apply pow1. }
  rewrite Hsign, Rmult_1_r in Hbound.
  rewrite (Rabs_pos_eq (INR (fact k))) in Hbound by apply pos_INR.
  rewrite (Rabs_pos_eq (rho ^ _)) in Hbound by (apply pow_le; lra).
  assert (Hp : 0 < rho ^ Datatypes.S k) by now apply pow_lt.
  apply Rmult_le_reg_l with (Rabs c * rho ^ Datatypes.S k); [now apply Rmult_lt_0_compat|].
  replace (Rabs c * rho ^ Datatypes.S k * INR (fact k))
    with (Rabs c * INR (fact k) * rho ^ Datatypes.S k) by ring.
  eapply Rle_trans; [exact Hbound|]. right. unfold Rdiv. rewrite Rpow_mult_distr, pow_inv.
  field. split; lra.
Qed.
