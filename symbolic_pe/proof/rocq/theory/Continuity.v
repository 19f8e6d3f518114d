(* A homomorphism that is continuous at 0 is the flow of one generator.

   Given: A(s + t) = A(s) A(t), A(0) = I, and every entry of A is continuous at 0. Then A is
   continuous everywhere, and with B = integral of A from 0 to e,

       A(t) B = integral of A from t to t + e,

   whose right side can be differentiated. For small e the matrix B is near e I and has an inverse,
   so A can be differentiated as well, and A' = X A with X = A'(0). Differentiability is not assumed,
   it comes out. *)

From Coq Require Import Reals Lra Lia Arith Setoid Morphisms.
From Coquelicot Require Import Coquelicot.
From SymbolicPE Require Import Sums Matrices Flow Laws Gauge.
Open Scope R_scope.
Set Bullet Behavior "Strict Subproofs".

Definition homomorphic (n : nat) (A : R -> matrix) : Prop :=
  A 0 =[n] identity /\ forall s t, A (s + t) =[n] times n (A s) (A t).
Definition continuous_at (n : nat) (A : R -> matrix) (t : R) : Prop :=
  forall i j, (i < n)%nat -> (j < n)%nat -> continuous (fun u => A u i j) t.

(* -- a matrix near the identity has an inverse ------------------------------------------------- *)

Definition trivial_kernel (n : nat) (B : matrix) : Prop :=
  forall v : vector, (forall i, (i < n)%nat -> apply n B v i = 0) ->
  forall i, (i < n)%nat -> v i = 0.

Lemma trivial_kernel_gives_inverse n B :
  trivial_kernel n B -> exists C, times n B C =[n] identity.
Proof.
  intros HB.
  assert (H : forall e, (e < n)%nat -> exists c : vector,
    forall i, (i < n)%nat -> apply n B c i = identity i e).
  { intros e He.
    destruct (dependence n (fun i j => if Nat.eqb j n then identity i e else B i j))
      as [x [[j [Hj Hx]] Heq]].
    assert (Hsum : forall i, (i < n)%nat -> apply n B x i + identity i e * x n = 0).
    { intros i Hi. specialize (Heq i Hi). cbn [sum_below] in Heq. rewrite Nat.eqb_refl in Heq.
      rewrite <- Heq. f_equal. apply sum_equal. intros k Hk.
      now rewrite (proj2 (Nat.eqb_neq k n)) by lia. }
    assert (Hn : x n <> 0).
    { intros H0. assert (Hv := HB x). destruct (Nat.eq_dec j n) as [->|Hne]; [contradiction|].
      apply Hx, Hv; [|lia]. intros i Hi. specialize (Hsum i Hi). rewrite H0 in Hsum. lra. }
    exists (fun k => - / x n * x k). intros i Hi. unfold apply.
    rewrite (sum_equal n _ (fun k => - / x n * (B i k * x k))) by (intros; ring).
    rewrite sum_scale_left. specialize (Hsum i Hi). unfold apply in Hsum. cbv beta in Hsum.
    replace (sum_below n (fun k => B i k * x k)) with (- (identity i e * x n)) by lra.
    field. exact Hn. }
  assert (Hc : forall m, (m <= n)%nat -> exists c : nat -> vector, forall e, (e < m)%nat ->
    forall i, (i < n)%nat -> apply n B (c e) i = identity i e).
  { intros m. induction m as [|m IH]; intros Hm.
    - exists (fun _ _ => 0). intros; lia.
    - destruct IH as [c Hc]; [lia|].
      destruct (H m) as [d Hd]; [lia|].
      exists (fun e => if Nat.eqb e m then d else c e). intros e He.
      destruct (Nat.eqb_spec e m) as [->|Hne]; [exact Hd | apply Hc; lia]. }
  destruct (Hc n (Nat.le_refl n)) as [c Hc']. exists (fun i e => c e i).
  intros i e Hi He. exact (Hc' e He i Hi).
Qed.

Lemma sum_constant n c : sum_below n (fun _ => c) = INR n * c.
Proof. induction n as [|n IH]; cbn [sum_below]; [cbn; ring | rewrite IH, S_INR; ring]. Qed.

(* Every entry of B - e I is at most e/(n + 1) in size: no v <> 0 has B v = 0, by the sum of |v i|. *)
Lemma near_identity_has_trivial_kernel n B e :
  0 < e ->
  (forall i j, (i < n)%nat -> (j < n)%nat -> Rabs (B i j - e * identity i j) <= e / (INR n + 1)) ->
  trivial_kernel n B.
Proof.
  intros He HB v Hv.
  set (norm := sum_below n (fun i => Rabs (v i))).
  assert (Hrow : forall i, (i < n)%nat -> e * Rabs (v i) <= e / (INR n + 1) * norm).
  { intros i Hi. specialize (Hv i Hi). unfold apply in Hv. cbv beta in Hv.
    assert (Hd : e * v i = - sum_below n (fun k => (B i k - e * identity i k) * v k)).
    { rewrite (sum_equal n _ (fun k => B i k * v k + - e * (identity i k * v k)))
        by (intros; ring).
      rewrite sum_add, Hv, sum_scale_left, (sum_single n _ i Hi).
      - rewrite identity_diagonal. ring.
      - intros k _ Hk. rewrite identity_elsewhere by auto. ring. }
    rewrite <- (Rabs_pos_eq e) at 1 by lra. rewrite <- Rabs_mult, Hd, Rabs_Ropp.
    eapply Rle_trans; [apply sum_triangle|]. unfold norm. rewrite <- sum_scale_left.
    apply sum_monotone. intros k Hk. rewrite Rabs_mult.
    apply Rmult_le_compat_r; [apply Rabs_pos | now apply HB]. }
  assert (Hn : 0 < INR n + 1) by (assert (H := pos_INR n); lra).
  assert (Hnorm : e * norm <= INR n * (e / (INR n + 1) * norm)).
  { unfold norm at 1. rewrite <- sum_scale_left.
    eapply Rle_trans; [apply sum_monotone, Hrow|].
    rewrite sum_constant. lra. }
  assert (Hpos : 0 <= norm) by (apply sum_nonnegative; intros; apply Rabs_pos).
  assert (Hzero : norm = 0).
  { apply Rle_antisym; [|exact Hpos]. apply Rmult_le_reg_l with (e / (INR n + 1)).
    - apply Rmult_lt_0_compat; [lra | now apply Rinv_0_lt_compat].
    - replace (e / (INR n + 1) * norm) with (e * norm - INR n * (e / (INR n + 1) * norm))
        by (field; lra). lra. }
  intros i Hi. destruct (Req_dec (v i) 0) as [|Hne]; auto. exfalso.
  assert (Rabs (v i) <= norm)
    by (apply (term_below_sum n (fun i => Rabs (v i))); auto; intros; apply Rabs_pos).
  assert (0 < Rabs (v i)) by now apply Rabs_pos_lt. lra.
Qed.

(* -- from a derivative at 0 to the flow -------------------------------------------------------- *)

Theorem differentiable_homomorphism_is_flow n A X :
  homomorphic n A -> has_derivative n A 0 X -> flow n X A.
Proof.
  intros [Hstart Hlaw] HX. split; [exact Hstart|]. intros t i j Hi Hj.
  apply (is_derive_ext (fun u => times n (A (u - t)) (A t) i j)).
  { intros u. transitivity (A (u - t + t) i j); [symmetry; exact (Hlaw (u - t) t i j Hi Hj)|].
    f_equal. ring. }
  unfold times. apply derive_sum. intros k Hk.
  apply (is_derive_ext (fun u => scal (A t k j) (A (u - t) i k))).
  { intros u. unfold scal; cbn; unfold mult; cbn. ring. }
  replace (X i k * A t k j) with (scal (A t k j) (X i k))
    by (unfold scal; cbn; unfold mult; cbn; ring).
  apply is_derive_scal. replace (X i k) with (scal 1 (X i k))
    by (unfold scal; cbn; unfold mult; cbn; ring).
  apply (is_derive_comp (fun u => A u i k) (fun u => u - t)).
  - replace (t - t) with 0 by ring. now apply HX.
  - auto_derive; auto.
Qed.

(* -- from continuity at 0 to a derivative ------------------------------------------------------ *)

Section Continuous.
Variables (n : nat) (A : R -> matrix).
Hypothesis Hom : homomorphic n A.
Hypothesis At_zero : continuous_at n A 0.

Lemma continuous_sum (f : nat -> R -> R) t m :
  (forall k, (k < m)%nat -> continuous (f k) t) ->
  continuous (fun u => sum_below m (fun k => f k u)) t.
Proof.
  induction m as [|m IH]; intros H; cbn [sum_below]; [apply continuous_const|].
  apply (continuous_plus (fun u => sum_below m (fun k => f k u)) (f m)); auto with arith.
Qed.

Lemma continuous_everywhere t : continuous_at n A t.
Proof.
  intros i j Hi Hj.
  apply (continuous_ext (fun u => sum_below n (fun k => A (u - t) i k * A t k j))).
  { intros u. transitivity (A (u - t + t) i j).
    - symmetry. exact (proj2 Hom (u - t) t i j Hi Hj).
    - f_equal. ring. }
  apply (continuous_sum (fun k u => A (u - t) i k * A t k j)). intros k Hk.
  apply (continuous_mult (fun u => A (u - t) i k) (fun _ => A t k j)); [|apply continuous_const].
  apply (continuous_comp (fun u => u - t) (fun u => A u i k)).
  - apply (continuous_minus (fun u => u) (fun _ => t)); [apply continuous_id|apply continuous_const].
  - replace (t - t) with 0 by ring. now apply At_zero.
Qed.

Definition summed (i j : nat) (t : R) : R := RInt (fun u => A u i j) 0 t.

Lemma integrable i j a b :
  (i < n)%nat -> (j < n)%nat -> ex_RInt (fun u => A u i j) a b.
Proof.
  intros. apply (ex_RInt_continuous (V := R_CompleteNormedModule)).
  intros. now apply continuous_everywhere.
Qed.

Lemma summed_correct i j a b :
  (i < n)%nat -> (j < n)%nat ->
  is_RInt (fun u => A u i j) a b (RInt (fun u => A u i j) a b).
Proof. intros. apply (RInt_correct (V := R_CompleteNormedModule)), integrable; auto. Qed.

Lemma summed_derivative i j t :
  (i < n)%nat -> (j < n)%nat -> is_derive (summed i j) t (A t i j).
Proof.
  intros Hi Hj. apply (is_derive_RInt (fun u => A u i j) (summed i j) 0 t).
  - exists (mkposreal 1 Rlt_0_1). intros b _. apply summed_correct; auto.
  - now apply continuous_everywhere.
Qed.

Lemma integral_of_sum (f : nat -> R -> R) (c l : nat -> R) a b m :
  (forall k, (k < m)%nat -> is_RInt (f k) a b (l k)) ->
  is_RInt (fun u => sum_below m (fun k => c k * f k u)) a b (sum_below m (fun k => c k * l k)).
Proof.
  induction m as [|m IH]; intros H; cbn [sum_below].
  - assert (Hz := is_RInt_const a b 0). unfold scal in Hz; cbn in Hz. unfold mult in Hz; cbn in Hz.
    now rewrite Rmult_0_r in Hz.
  - apply (is_RInt_plus (fun u => sum_below m (fun k => c k * f k u)) (fun u => c m * f m u));
      [auto with arith|]. apply (is_RInt_scal (f m) a b (c m) (l m)); auto with arith.
Qed.

(* A(t) B = integral from t to t + e. *)
Lemma shifted_integral e t i j :
  (i < n)%nat -> (j < n)%nat ->
  times n (A t) (fun k l => summed k l e) i j = summed i j (t + e) - summed i j t.
Proof.
  intros Hi Hj. unfold times.
  assert (H : is_RInt (fun u => A (t + u) i j) 0 e
    (sum_below n (fun k => A t i k * summed k j e))).
  { apply (is_RInt_ext (fun u => sum_below n (fun k => A t i k * A u k j))).
    { intros u _. symmetry. exact (proj2 Hom t u i j Hi Hj). }
    apply (integral_of_sum (fun k u => A u k j) (fun k => A t i k) (fun k => summed k j e)).
    intros k Hk. apply summed_correct; auto. }
  assert (H' : is_RInt (fun u => A (t + u) i j) 0 e (RInt (fun u => A u i j) t (t + e))).
  { apply (is_RInt_ext (fun u => scal 1 (A (1 * u + t) i j))).
    { intros u _. unfold scal; cbn; unfold mult; cbn. now rewrite !Rmult_1_l, (Rplus_comm u t). }
    apply (is_RInt_comp_lin (fun u => A u i j) 1 t 0 e).
    replace (1 * 0 + t) with t by ring. replace (1 * e + t) with (t + e) by ring.
    apply summed_correct; auto. }
  assert (C : RInt (fun u => A u i j) 0 t + RInt (fun u => A u i j) t (t + e)
    = RInt (fun u => A u i j) 0 (t + e)).
  { apply (RInt_Chasles (V := R_CompleteNormedModule)); apply integrable; auto. }
  transitivity (RInt (fun u => A u i j) t (t + e)).
  - now rewrite <- (is_RInt_unique _ _ _ _ H), (is_RInt_unique _ _ _ _ H').
  - unfold summed. lra.
Qed.

(* For small e every entry of B is within e/(n + 1) of e I. *)
Lemma near_identity : exists e, 0 < e /\
  forall i j, (i < n)%nat -> (j < n)%nat ->
  Rabs (summed i j e - e * identity i j) <= e / (INR n + 1).
Proof.
  assert (Hn : 0 < INR n + 1) by (assert (H := pos_INR n); lra).
  set (gap := mkposreal (/ (INR n + 1)) (Rinv_0_lt_compat _ Hn)).
  assert (Hone : forall i j, (i < n)%nat -> (j < n)%nat -> exists d, 0 < d /\
    forall u, 0 <= u < d -> Rabs (A u i j - identity i j) <= gap).
  { intros i j Hi Hj. destruct (At_zero i j Hi Hj (ball (A 0 i j) gap)) as [d Hd].
    { exists gap. auto. }
    exists d. split; [apply cond_pos|]. intros u Hu.
    assert (Hb : ball 0 d u).
    { unfold ball; cbn; unfold AbsRing_ball, abs, minus, plus, opp; cbn.
      rewrite Rabs_pos_eq; lra. }
    specialize (Hd u Hb). unfold ball in Hd; cbn in Hd.
    unfold AbsRing_ball, abs, minus, plus, opp in Hd; cbn in Hd.
    rewrite (proj1 Hom i j Hi Hj) in Hd. apply Rlt_le. exact Hd. }
  assert (Hrow : forall i m, (i < n)%nat -> (m <= n)%nat -> exists d, 0 < d /\
    forall j, (j < m)%nat -> forall u, 0 <= u < d -> Rabs (A u i j - identity i j) <= gap).
  { intros i m Hi. induction m as [|m IH]; intros Hm.
    - exists 1. split; [lra|]. intros; lia.
    - destruct IH as [d [Hd H]]; [lia|]. destruct (Hone i m Hi) as [d' [Hd' H']]; [lia|].
      exists (Rmin d d'). split; [now apply Rmin_glb_lt|]. intros j Hj u Hu.
      assert (Rmin d d' <= d) by apply Rmin_l. assert (Rmin d d' <= d') by apply Rmin_r.
      destruct (Nat.eq_dec j m) as [->|]; [apply H'; lra | apply H; [lia | lra]]. }
  assert (Hall : forall m, (m <= n)%nat -> exists d, 0 < d /\
    forall i j, (i < m)%nat -> (j < n)%nat ->
    forall u, 0 <= u < d -> Rabs (A u i j - identity i j) <= gap).
  { intros m. induction m as [|m IH]; intros Hm.
    - exists 1. split; [lra|]. intros; lia.
    - destruct IH as [d [Hd H]]; [lia|]. destruct (Hrow m n) as [d' [Hd' H']]; [lia|lia|].
      exists (Rmin d d'). split; [now apply Rmin_glb_lt|]. intros i j Hi Hj u Hu.
      assert (Rmin d d' <= d) by apply Rmin_l. assert (Rmin d d' <= d') by apply Rmin_r.
      destruct (Nat.eq_dec i m) as [->|]; [apply H'; [auto|lra] | apply H; [lia|auto|lra]]. }
  destruct (Hall n (Nat.le_refl n)) as [d [Hd H]].
  exists (d / 2). split; [lra|]. intros i j Hi Hj.
  assert (HI : is_RInt (fun u => A u i j - identity i j) 0 (d / 2)
    (summed i j (d / 2) - d / 2 * identity i j)).
  { replace (d / 2 * identity i j) with (scal (d / 2 - 0) (identity i j))
      by (unfold scal; cbn; unfold mult; cbn; ring).
    apply (is_RInt_minus (fun u => A u i j) (fun _ => identity i j));
      [apply summed_correct; auto | apply (is_RInt_const (V := R_NormedModule))]. }
  replace (d / 2 / (INR n + 1)) with ((d / 2 - 0) * / (INR n + 1)) by (unfold Rdiv; ring).
  apply (norm_RInt_le_const (V := R_NormedModule) (fun u => A u i j - identity i j)
    0 (d / 2) (summed i j (d / 2) - d / 2 * identity i j) gap);
    [lra | intros u Hu; apply (H i j Hi Hj); lra | exact HI].
Qed.

Theorem continuous_homomorphism_is_flow : exists X, flow n X A.
Proof.
  destruct near_identity as [e [He Hnear]].
  destruct (trivial_kernel_gives_inverse n (fun i j => summed i j e)) as [C HC].
  { now apply near_identity_has_trivial_kernel with e. }
  exists (times n (fun i j => A e i j - A 0 i j) C).
  apply differentiable_homomorphism_is_flow; [exact Hom|]. intros i j Hi Hj.
  apply (is_derive_ext (fun t => sum_below n (fun k => (summed i k (t + e) - summed i k t) * C k j))).
  { intros t. transitivity (times n (times n (A t) (fun k l => summed k l e)) C i j).
    - apply sum_equal. intros k Hk. now rewrite <- shifted_integral.
    - rewrite <- (times_associative n _ _ C i j Hi Hj).
      rewrite (times_agree n _ _ (reflexivity (A t)) _ _ HC i j Hi Hj).
      now rewrite (times_identity_right n (A t) i j Hi Hj). }
  unfold times. apply derive_sum. intros k Hk.
  apply (is_derive_ext (fun t => scal (C k j) (summed i k (t + e) - summed i k t))).
  { intros t. unfold scal; cbn; unfold mult; cbn. ring. }
  replace ((A e i k - A 0 i k) * C k j) with (scal (C k j) (A e i k - A 0 i k))
    by (unfold scal; cbn; unfold mult; cbn; ring).
  apply is_derive_scal. apply (is_derive_minus (fun t => summed i k (t + e)) (summed i k)).
  - replace (A e i k) with (scal 1 (A (0 + e) i k))
      by (rewrite Rplus_0_l; unfold scal; cbn; unfold mult; cbn; ring).
    apply (is_derive_comp (summed i k) (fun t => t + e)); [now apply summed_derivative|].
    auto_derive; auto.
  - now apply summed_derivative.
Qed.

End Continuous.
