(* What follows from E(0) = I and E' = XE, for every n and every real X.

   No addition formula of sin, cos or exp is used: two functions of t that solve the same linear
   equation and start at the same matrix are the same function. *)

From Coq Require Import Reals Lra Lia Arith Setoid Morphisms.
From Coquelicot Require Import Coquelicot.
From SymbolicPE Require Import Sums Matrices Flow.
Open Scope R_scope.
Set Bullet Behavior "Strict Subproofs".

Section Laws.
Variables (n : nat) (X : matrix) (E : R -> matrix).
Hypothesis HE : flow n X E.

Lemma law_after_constant A t :
  has_derivative n (fun t => times n (E t) A) t (times n X (times n (E t) A)).
Proof.
  apply has_derivative_agree with (add (times n (times n X (E t)) A) (times n (E t) null)).
  - rewrite times_null_right, <- times_associative.
    intros i j _ _. unfold add, null. ring.
  - apply (derivative_times n E (fun _ => A)); [apply HE | apply derivative_constant].
Qed.

Lemma law_before_constant A t :
  has_derivative n (fun t => times n A (E t)) t (times n A (times n X (E t))).
Proof.
  apply has_derivative_agree with (add (times n null (E t)) (times n A (times n X (E t)))).
  - rewrite times_null_left. intros i j _ _. unfold add, null. ring.
  - apply (derivative_times n (fun _ => A) E); [apply derivative_constant | apply HE].
Qed.

(* E(s + t) = E(s) E(t): as functions of s, both solve Y' = XY and start at E(t). *)
Theorem group_law s t : E (s + t) =[n] times n (E s) (E t).
Proof.
  apply (solutions_agree n X (fun s => E (s + t)) (fun s => times n (E s) (E t))).
  - intros u i j Hi Hj.
    replace (times n X (E (u + t)) i j) with (scal 1 (times n X (E (u + t)) i j))
      by (unfold scal; cbn; unfold mult; cbn; ring).
    apply (is_derive_comp (fun v => E v i j) (fun u => u + t)); [now apply HE|].
    auto_derive; auto.
  - intros u. apply law_after_constant.
  - now rewrite Rplus_0_l, (flow_start _ _ _ HE), times_identity_left.
Qed.

Theorem inverse_law t : times n (E t) (E (- t)) =[n] identity.
Proof. rewrite <- group_law, Rplus_opp_r. apply HE. Qed.

Theorem inverse_law_left t : times n (E (- t)) (E t) =[n] identity.
Proof. rewrite <- group_law, Rplus_opp_l. apply HE. Qed.

Theorem commutation s t : times n (E s) (E t) =[n] times n (E t) (E s).
Proof. now rewrite <- !group_law, Rplus_comm. Qed.

Theorem generator_commutes t : times n X (E t) =[n] times n (E t) X.
Proof.
  apply (solutions_agree n X (fun t => times n X (E t)) (fun t => times n (E t) X)).
  - intros u. apply law_before_constant.
  - intros u. apply law_after_constant.
  - now rewrite (flow_start _ _ _ HE), times_identity_left, times_identity_right.
Qed.

(* Whatever commutes with X commutes with its flow. *)
Theorem commutant Y t : times n X Y =[n] times n Y X -> times n (E t) Y =[n] times n Y (E t).
Proof.
  intros H.
  apply (solutions_agree n X (fun t => times n (E t) Y) (fun t => times n Y (E t))).
  - intros u. apply law_after_constant.
  - intros u. apply has_derivative_agree with (times n Y (times n X (E u))).
    + now rewrite !times_associative, H.
    + apply law_before_constant.
  - now rewrite (flow_start _ _ _ HE), times_identity_left, times_identity_right.
Qed.

(* -- scores ---------------------------------------------------------------------------------- *)

(* F(t) = E(t)^T and G(s) = E(-s): the score sees t - s alone. *)
Theorem relativity q k t s :
  dot n (apply n (transpose (E t)) q) (apply n (E (- s)) k) = bilinear n q (E (t - s)) k.
Proof.
  rewrite dot_apply. apply bilinear_agree.
  rewrite transpose_involutive. symmetry. apply group_law.
Qed.

Corollary shifted_scores q k t s c :
  dot n (apply n (transpose (E (t + c))) q) (apply n (E (- (s + c))) k)
  = dot n (apply n (transpose (E t)) q) (apply n (E (- s)) k).
Proof. rewrite !relativity. now replace (t + c - (s + c)) with (t - s) by ring. Qed.

(* -- invariant forms ------------------------------------------------------------------------- *)

(* X^T M + M X = 0 makes E(t)^T M E(t) constant: an inner product that positions do not see. *)
Theorem invariant_form M :
  add (times n (transpose X) M) (times n M X) =[n] null ->
  forall t, times n (transpose (E t)) (times n M (E t)) =[n] M.
Proof.
  intros HM t.
  rewrite (constant_of_null_derivative n (fun t => times n (transpose (E t)) (times n M (E t)))).
  - now rewrite (flow_start _ _ _ HE), transpose_identity, times_identity_left,
      times_identity_right.
  - intros u. apply has_derivative_agree with
      (add (times n (transpose (times n X (E u))) (times n M (E u)))
           (times n (transpose (E u)) (times n M (times n X (E u))))).
    + rewrite transpose_times, <- times_associative, <- times_add_right.
      rewrite (times_associative n (transpose X)), (times_associative n M X).
      now rewrite <- times_add_left, HM, times_null_left, times_null_right.
    + apply (derivative_times n (fun t => transpose (E t)) (fun t => times n M (E t))).
      * apply derivative_transpose, HE.
      * apply law_before_constant.
Qed.

Definition skew : Prop := add (transpose X) X =[n] null.

Corollary orthogonality : skew -> forall t, times n (transpose (E t)) (E t) =[n] identity.
Proof.
  intros H t. rewrite <- (times_identity_left n (E t)) at 2. apply invariant_form.
  now rewrite times_identity_right, times_identity_left.
Qed.

(* The columns of E(t) are unit vectors, so no entry exceeds 1. *)
Corollary bounded : skew ->
  exists c, forall t i j, (i < n)%nat -> (j < n)%nat -> Rabs (E t i j) <= c.
Proof.
  intros H. exists 1. intros t i j Hi Hj.
  assert (Hjj := orthogonality H t j j Hj Hj). rewrite identity_diagonal in Hjj.
  assert (Hij : E t i j * E t i j <= 1).
  { rewrite <- Hjj. apply (term_below_sum n (fun k => transpose (E t) j k * E t k j)); auto.
    intros k _. unfold transpose. nra. }
  apply Rabs_le. nra.
Qed.

Corollary bounded_causal : skew ->
  exists c, forall t, 0 <= t -> forall i j, (i < n)%nat -> (j < n)%nat -> Rabs (E t i j) <= c.
Proof. intros H. destruct (bounded H) as [c Hc]. exists c. auto. Qed.

(* One map serves both sides: F = G = E(-.) *)
Corollary one_map : skew -> forall q k t s,
  dot n (apply n (E (- t)) q) (apply n (E (- s)) k) = bilinear n q (E (t - s)) k.
Proof.
  intros H q k t s. rewrite dot_apply. apply bilinear_agree.
  assert (HT : transpose (E (- t)) =[n] E t).
  { rewrite <- (times_identity_right n (transpose (E (- t)))), <- (inverse_law_left t).
    now rewrite times_associative, (orthogonality H), times_identity_left. }
  rewrite HT. symmetry. apply group_law.
Qed.

(* Negative twin: no other X has an orthogonal flow. *)
Theorem orthogonality_needs_skewness :
  (forall t, times n (transpose (E t)) (E t) =[n] identity) -> skew.
Proof.
  intros H i j Hi Hj.
  assert (D : has_derivative n (fun t => times n (transpose (E t)) (E t)) 0
    (add (times n (transpose (times n X (E 0))) (E 0))
         (times n (transpose (E 0)) (times n X (E 0))))).
  { apply (derivative_times n (fun t => transpose (E t)) E);
      [apply derivative_transpose|]; apply HE. }
  assert (D0 : has_derivative n (fun t => times n (transpose (E t)) (E t)) 0 null).
  { apply (has_derivative_same n (fun _ => identity)); [intros; now rewrite H|].
    apply derivative_constant. }
  rewrite <- (eq_trans (eq_sym (is_derive_unique _ _ _ (D i j Hi Hj)))
                       (is_derive_unique _ _ _ (D0 i j Hi Hj))).
  assert (A : add (transpose X) X =[n] add (times n (transpose (times n X (E 0))) (E 0))
                                          (times n (transpose (E 0)) (times n X (E 0)))).
  { now rewrite (flow_start _ _ _ HE), transpose_identity, times_identity_left,
      !times_identity_right. }
  now apply A.
Qed.

End Laws.

(* -- similarity ------------------------------------------------------------------------------ *)

(* X P = P J and P Q = I: the flow of X is P E_J Q. A real Jordan form is such a P and J. *)
Theorem similarity n X J P Q E :
  flow n J E -> times n X P =[n] times n P J -> times n P Q =[n] identity ->
  flow n X (fun t => times n P (times n (E t) Q)).
Proof.
  intros HE HX HQ. split.
  - now rewrite (flow_start _ _ _ HE), times_identity_left.
  - intros t. apply has_derivative_agree with (times n P (times n J (times n (E t) Q))).
    + now rewrite (times_associative n X P), HX, times_associative.
    + assert (L := law_after_constant n J E HE Q t).
      apply has_derivative_agree with
        (add (times n null (times n (E t) Q)) (times n P (times n J (times n (E t) Q)))).
      * rewrite times_null_left. intros i j _ _. unfold add, null. ring.
      * apply (derivative_times n (fun _ => P) (fun t => times n (E t) Q));
          [apply derivative_constant | exact L].
Qed.

(* A change of the unit of time: E(ct) is the flow of cX. *)
Theorem rescaled_time n X E c :
  flow n X E -> flow n (fun i j => c * X i j) (fun t => E (c * t)).
Proof.
  intros HE. split; [rewrite Rmult_0_r; apply HE|].
  intros t i j Hi Hj.
  replace (times n (fun i j => c * X i j) (E (c * t)) i j) with (scal c (times n X (E (c * t)) i j)).
  - apply (is_derive_comp (fun u => E u i j) (fun t => c * t)); [now apply HE|].
    auto_derive; auto. ring.
  - unfold scal; cbn; unfold mult; cbn. unfold times. rewrite <- sum_scale_left.
    apply sum_equal. intros. ring.
Qed.
