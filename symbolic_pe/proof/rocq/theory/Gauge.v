(* Relative scores are a group, and every pair of maps is one pair up to a gauge.

   Given: matrices F(t), G(s), A(tau) of size n with F(t)^T G(s) = A(t - s) and A(0) = I, and nothing
   else: no continuity, no measurability. Positions are the elements of any abelian group (numbers,
   integers, pixels of a grid, hours on a circle). Then A is a homomorphism, and

       G(s) = M A(-s),    F(t) = M^-T A(t)^T      with the constant invertible matrix M = G(0).

   The only depth is that a one-sided inverse of a square matrix is two-sided, which is where
   finite dimension enters: n + 1 vectors in n dimensions are dependent. *)

From Coq Require Import Reals Lra Lia Arith ZArith Setoid Morphisms.
From SymbolicPE Require Import Sums Matrices.
Open Scope R_scope.
Set Bullet Behavior "Strict Subproofs".

(* -- finite dimension ------------------------------------------------------------------------ *)

Lemma all_zero_or_pivot m (v : nat -> R) :
  (forall i, (i < m)%nat -> v i = 0) \/ (exists p, (p < m)%nat /\ v p <> 0).
Proof.
  induction m as [|m [H|[p [Hp Hv]]]]; [left; intros; lia| |right; exists p; split; [lia|auto]].
  destruct (Req_dec (v m) 0) as [Hm|Hm]; [left|right; exists m; split; [lia|auto]].
  intros i Hi. destruct (Nat.eq_dec i m) as [->|]; auto. apply H; lia.
Qed.

(* The rows other than p, in order. *)
Definition skip (p i : nat) : nat := if Nat.ltb i p then i else S i.

Lemma skip_reaches m p i :
  (p < S m)%nat -> (i < S m)%nat -> i <> p -> exists k, (k < m)%nat /\ skip p k = i.
Proof.
  intros Hp Hi Hne. destruct (Nat.ltb_spec i p).
  - exists i. split; [lia|]. unfold skip. now rewrite (proj2 (Nat.ltb_lt i p)).
  - exists (pred i). split; [lia|]. unfold skip. rewrite (proj2 (Nat.ltb_ge (pred i) p)) by lia. lia.
Qed.

(* m homogeneous equations in m + 1 unknowns: Gauss eliminates the last unknown. *)
Theorem dependence m (A : matrix) :
  exists x : vector, (exists j, (j < S m)%nat /\ x j <> 0)
    /\ forall i, (i < m)%nat -> sum_below (S m) (fun j => A i j * x j) = 0.
Proof.
  revert A. induction m as [|m IH]; intros A.
  - exists (fun _ => 1). split; [exists 0%nat; split; [lia | lra] | intros; lia].
  - destruct (all_zero_or_pivot (S m) (fun i => A i (S m))) as [Hz|[p [Hp Hpivot]]].
    + exists (fun j => if Nat.eqb j (S m) then 1 else 0). split.
      * exists (S m). rewrite Nat.eqb_refl. split; [lia | lra].
      * intros i Hi. cbn [sum_below]. rewrite Nat.eqb_refl, (Hz i Hi).
        rewrite (proj2 (Nat.eqb_neq m (S m))) by lia.
        rewrite sum_zero; [ring|]. intros j Hj.
        rewrite (proj2 (Nat.eqb_neq j (S m))) by lia. ring.
    + destruct (IH (fun i j => A (skip p i) j - A (skip p i) (S m) / A p (S m) * A p j))
        as [x [[j [Hj Hx]] Heq]].
      set (last := - (sum_below (S m) (fun j => A p j * x j)) / A p (S m)).
      exists (fun j => if Nat.eqb j (S m) then last else x j). split.
      { exists j. rewrite (proj2 (Nat.eqb_neq j (S m))) by lia. split; [lia | auto]. }
      intros i Hi.
      replace (sum_below (S (S m)) _) with (sum_below (S m) (fun j => A i j * x j) + A i (S m) * last).
      2:{ change (sum_below (S (S m)) ?f) with (sum_below (S m) f + f (S m)). cbv beta.
          rewrite Nat.eqb_refl. f_equal. apply sum_equal. intros k Hk.
          now rewrite (proj2 (Nat.eqb_neq k (S m))) by lia. }
      destruct (Nat.eq_dec i p) as [->|Hne]; [unfold last; field; auto|].
      destruct (skip_reaches m p i Hp Hi Hne) as [k [Hk <-]].
      specialize (Heq k Hk).
      rewrite (sum_equal (S m) _ (fun j => A (skip p k) j * x j
        + - (A (skip p k) (S m) / A p (S m)) * (A p j * x j))) in Heq by (intros; ring).
      rewrite sum_add, sum_scale_left in Heq. unfold last. rewrite <- Heq. field. auto.
Qed.

Definition is_inverse (n : nat) (A B : matrix) : Prop :=
  times n A B =[n] identity /\ times n B A =[n] identity.

(* A B = I makes the columns of B independent, so with any e they are n + 1 dependent vectors and e
   is a combination of them: e = B c, hence B A e = B (A B) c = e. *)
Theorem right_inverse_is_left n A B :
  times n A B =[n] identity -> times n B A =[n] identity.
Proof.
  intros H i0 e Hi0 He.
  destruct (dependence n (fun i j => if Nat.eqb j n then identity i e else B i j))
    as [x [[j [Hj Hx]] Heq]].
  assert (HB : forall i, (i < n)%nat ->
    sum_below n (fun k => B i k * x k) = - x n * identity i e).
  { intros i Hi. specialize (Heq i Hi). cbn [sum_below] in Heq. rewrite Nat.eqb_refl in Heq.
    rewrite (sum_equal n _ (fun k => B i k * x k)) in Heq.
    - lra.
    - intros k Hk. now rewrite (proj2 (Nat.eqb_neq k n)) by lia. }
  assert (HA : forall k, (k < n)%nat -> x k = - x n * A k e).
  { intros k Hk. rewrite <- (times_identity_right n A k e Hk He). unfold times.
    rewrite <- sum_scale_left.
    rewrite (sum_equal n _ (fun i => A k i * sum_below n (fun l => B i l * x l))).
    - rewrite (sum_equal n _ (fun i => sum_below n (fun l => A k i * B i l * x l))).
      2:{ intros. rewrite <- sum_scale_left. apply sum_equal. intros. ring. }
      rewrite sum_exchange, (sum_equal n _ (fun l => identity k l * x l)).
      + rewrite (sum_single n _ k Hk); [rewrite identity_diagonal; ring|].
        intros l _ Hl. rewrite identity_elsewhere by auto. ring.
      + intros l Hl. rewrite sum_scale_right. f_equal. exact (H k l Hk Hl).
    - intros i Hi. rewrite (HB i Hi). ring. }
  assert (Hn : x n <> 0).
  { intros H0. apply Hx. destruct (Nat.eq_dec j n) as [->|]; auto.
    rewrite (HA j), H0 by lia. ring. }
  apply Rmult_eq_reg_l with (- x n); [|lra].
  rewrite <- (HB i0 Hi0). unfold times. rewrite <- sum_scale_left.
  apply sum_equal. intros k Hk. rewrite (HA k Hk). ring.
Qed.

(* -- the group law from relativity alone ----------------------------------------------------- *)

Section Relative.
Variables (T : Type) (zero : T) (plus : T -> T -> T) (opp : T -> T).
Hypothesis plus_comm : forall a b, plus a b = plus b a.
Hypothesis plus_assoc : forall a b c, plus a (plus b c) = plus (plus a b) c.
Hypothesis plus_zero : forall a, plus a zero = a.
Hypothesis plus_opp : forall a, plus a (opp a) = zero.

Lemma opp_zero : opp zero = zero.
Proof. rewrite <- (plus_zero (opp zero)), plus_comm. apply plus_opp. Qed.

Lemma opp_opp a : opp (opp a) = a.
Proof.
  rewrite <- (plus_zero (opp (opp a))), <- (plus_opp a), (plus_comm a), plus_assoc.
  now rewrite (plus_comm (opp (opp a))), plus_opp, plus_comm, plus_zero.
Qed.

Variables (n : nat) (F G A : T -> matrix).
Definition relative : Prop :=
  forall t s, times n (transpose (F t)) (G s) =[n] A (plus t (opp s)).
Hypothesis Hrel : relative.
Hypothesis Hstart : A zero =[n] identity.

Let M := G zero.
Let N := transpose (F zero).

Lemma gauge_inverse : is_inverse n M N.
Proof.
  assert (H : times n N M =[n] identity).
  { unfold N, M. rewrite (Hrel zero zero), opp_zero, plus_zero. apply Hstart. }
  split; [now apply right_inverse_is_left | exact H].
Qed.

Lemma query_from_operator t : times n (transpose (F t)) M =[n] A t.
Proof. unfold M. rewrite (Hrel t zero), opp_zero, plus_zero. reflexivity. Qed.

Lemma key_from_operator s : times n N (G s) =[n] A (opp s).
Proof. unfold N. now rewrite (Hrel zero s), plus_comm, plus_zero. Qed.

(* A(s + t) = F(s)^T G(-t) = F(s)^T M N G(-t) = A(s) A(t). *)
Theorem homomorphism s t : A (plus s t) =[n] times n (A s) (A t).
Proof.
  rewrite <- (query_from_operator s). rewrite <- (opp_opp t) at 2.
  rewrite <- (key_from_operator (opp t)), times_associative, <- (times_associative n _ M N).
  rewrite (proj1 gauge_inverse), times_identity_right, (Hrel s (opp t)), opp_opp. reflexivity.
Qed.

Theorem inverses t : is_inverse n (A t) (A (opp t)).
Proof.
  split; rewrite <- homomorphism; [|rewrite plus_comm]; rewrite plus_opp; apply Hstart.
Qed.

(* All factorisations: G(s) = M A(-s) and F(t) = M^-T A(t)^T. *)
Theorem gauge :
  is_inverse n M N
  /\ (forall s, G s =[n] times n M (A (opp s)))
  /\ (forall t, F t =[n] times n (transpose N) (transpose (A t))).
Proof.
  split; [apply gauge_inverse|split].
  - intros s. rewrite <- key_from_operator, times_associative, (proj1 gauge_inverse).
    now rewrite times_identity_left.
  - intros t. rewrite <- transpose_times, <- query_from_operator, <- times_associative.
    rewrite (proj1 gauge_inverse), times_identity_right. reflexivity.
Qed.

End Relative.

(* Conversely, every homomorphism and every invertible M give a pair. *)
Theorem gauge_converse T (plus : T -> T -> T) (opp : T -> T) n (A : T -> matrix) M N :
  (forall s t, A (plus s t) =[n] times n (A s) (A t)) -> is_inverse n M N ->
  relative T plus opp n (fun t => times n (transpose N) (transpose (A t)))
    (fun s => times n M (A (opp s))) A.
Proof.
  intros HA [_ HM] t s.
  rewrite (transpose_times n (transpose N)), !transpose_involutive, HA.
  rewrite times_associative, <- (times_associative n (A t)), HM, times_identity_right.
  reflexivity.
Qed.

(* Integer positions and real positions. *)
Corollary homomorphism_on_integers n (F G A : Z -> matrix) :
  (forall t s, times n (transpose (F t)) (G s) =[n] A (t - s)%Z) -> A 0%Z =[n] identity ->
  forall s t, A (s + t)%Z =[n] times n (A s) (A t).
Proof.
  intros H. apply (homomorphism Z 0%Z Z.add Z.opp) with F G; auto with zarith.
Qed.

Corollary homomorphism_on_reals n (F G A : R -> matrix) :
  (forall t s, times n (transpose (F t)) (G s) =[n] A (t - s)) -> A 0 =[n] identity ->
  forall s t, A (s + t) =[n] times n (A s) (A t).
Proof.
  intros H. apply (homomorphism R 0 Rplus Ropp) with F G; auto; intros; ring.
Qed.

(* Negative twin: without A(0) = I the group law fails, already in dimension 1 with constant maps. *)
Theorem normalisation_is_needed :
  exists F G A : R -> matrix,
    (forall t s, times 1 (transpose (F t)) (G s) =[1] A (t - s))
    /\ ~ (forall s t, A (s + t) =[1] times 1 (A s) (A t)).
Proof.
  exists (fun _ _ _ => 2), (fun _ _ _ => 1), (fun _ _ _ => 2). split.
  - intros t s i j _ _. unfold times, transpose. cbn. ring.
  - intros H. specialize (H 0 0 0%nat 0%nat Nat.lt_0_1 Nat.lt_0_1). unfold times in H. cbn in H. lra.
Qed.
