(* Additive biases as constant coordinates.

   Append constants u to every query and v to every key, and let exp(tY) act on them: the score
   gains u^T exp((t - s)Y) v and stays a group, of the generator X + Y on d + k channels. ALiBi is the
   case k = 2 with a nilpotent Y, for any head size d. *)

From Coq Require Import Reals Lra Lia Arith Setoid Morphisms.
From SymbolicPE Require Import Sums Matrices Flow Laws Chains DirectSums.
Open Scope R_scope.
Set Bullet Behavior "Strict Subproofs".

(* The vector q followed by the constants u. *)
Definition appended (d : nat) (q u : vector) : vector :=
  fun i => if Nat.ltb i d then q i else u (i - d)%nat.

Lemma bilinear_of_direct_sum d k A B q u v w :
  bilinear (d + k) (appended d q u) (direct_sum d A B) (appended d v w)
  = bilinear d q A v + bilinear k u B w.
Proof.
  assert (L : forall i, (i < d)%nat -> Nat.ltb i d = true) by (intros; now apply Nat.ltb_lt).
  assert (G : forall i, Nat.ltb (d + i) d = false) by (intros; apply Nat.ltb_ge; lia).
  assert (S : forall i, (d + i - d = i)%nat) by (intros; lia).
  unfold bilinear at 1. rewrite sum_concatenated. unfold appended, direct_sum. f_equal.
  - apply sum_equal. intros i Hi. rewrite sum_concatenated, (L i Hi).
    rewrite (sum_zero k); [|intros; rewrite G; ring]. rewrite Rplus_0_r.
    apply sum_equal. intros j Hj. now rewrite (L j Hj).
  - apply sum_equal. intros i Hi. rewrite sum_concatenated, G, S.
    rewrite (sum_zero d); [|intros j Hj; rewrite (L j Hj); ring]. rewrite Rplus_0_l.
    apply sum_equal. intros j Hj. now rewrite G, S.
Qed.

Theorem score_with_bias d k X Y E B q v u w t s :
  flow d X E -> flow k Y B ->
  let operator := fun tau => direct_sum d (E tau) (B tau) in
  flow (d + k) (direct_sum d X Y) operator
  /\ dot (d + k) (apply (d + k) (transpose (operator t)) (appended d q u))
                 (apply (d + k) (operator (- s)) (appended d v w))
     = bilinear d q (E (t - s)) v + bilinear k u (B (t - s)) w.
Proof.
  intros HE HB operator.
  assert (H := direct_sum_is_flow d k X Y E B HE HB). split; [exact H|].
  rewrite <- bilinear_of_direct_sum.
  exact (relativity (d + k) _ _ H (appended d q u) (appended d v w) t s).
Qed.

(* -- ALiBi ----------------------------------------------------------------------------------- *)

Definition content : R -> matrix := fun _ => identity.
Lemma content_is_flow d : flow d null content.
Proof.
  split; [reflexivity|]. intros t.
  apply has_derivative_agree with null; [now rewrite times_null_left | apply derivative_constant].
Qed.

(* u = (-m, 0), w = (0, 1) over Y = N: the bias is -m (t - s), for any head size d. *)
Theorem alibi d m q v t s :
  let operator := fun tau => direct_sum d identity (chain_flow 0 1 tau) in
  let u := components (- m :: 0 :: nil) in
  let w := components (0 :: 1 :: nil) in
  dot (d + 2) (apply (d + 2) (transpose (operator t)) (appended d q u))
              (apply (d + 2) (operator (- s)) (appended d v w))
  = dot d q v - m * (t - s).
Proof.
  intros operator u w.
  destruct (score_with_bias d 2 null (chain 0 1) content (chain_flow 0 1) q v u w t s
    (content_is_flow d) (chain_is_flow 2 0 1)) as [_ H].
  unfold operator. unfold content in H. rewrite H. unfold Rminus at 2. f_equal.
  - unfold bilinear, dot. apply sum_equal. intros i Hi.
    rewrite (sum_single d _ i Hi); [rewrite identity_diagonal; ring|].
    intros j _ Hj. rewrite identity_elsewhere by auto. ring.
  - unfold bilinear, u, w, components, chain_flow, weight. cbn.
    rewrite Rmult_0_l, exp_0. field.
Qed.

(* Negative twin: the much-repeated vectors u = (-m, 1), w = (1, 0) give the constant -m. *)
Theorem alibi_misquoted m tau :
  bilinear 2 (components (- m :: 1 :: nil)) (chain_flow 0 1 tau) (components (1 :: 0 :: nil)) = - m.
Proof.
  unfold bilinear, components, chain_flow, weight. cbn. rewrite Rmult_0_l, exp_0. field.
Qed.
