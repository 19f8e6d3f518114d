(* Two constant coordinates are the fewest for a linear bias, whatever the generator.

   Content of d channels is compared as it is, and one channel of constants carries the bias:

       C E(tau) B = diag(I_d, c - m tau)   for all tau,   E the flow of any X of size r, m <> 0.

   Then r >= d + 2. For otherwise the d + 2 vectors B e_0, ..., B e_d, X B e_d in r dimensions are
   dependent; C makes the content coefficients 0, C X the coefficient of B e_d, C again that of
   X B e_d. An additive constant c is allowed: it does not help. *)

From Coq Require Import Reals Lra Lia Arith Setoid Morphisms.
From Coquelicot Require Import Coquelicot.
From SymbolicPE Require Import Sums Matrices Flow Gauge.
Open Scope R_scope.
Set Bullet Behavior "Strict Subproofs".

(* Rows of C and columns of B may be more than r: products through r dimensions. *)
Definition through (r : nat) (C E B : matrix) : matrix := times r C (times r E B).

Definition content_and_bias (d : nat) (m c tau : R) : matrix :=
  fun i j => if Nat.eqb i d then (if Nat.eqb j d then c - m * tau else 0) else identity i j.

Lemma through_sum r C E B i j :
  through r C E B i j = sum_below r (fun k => sum_below r (fun l => C i k * E k l * B l j)).
Proof.
  unfold through, times. apply sum_equal. intros k _. rewrite <- sum_scale_left.
  apply sum_equal. intros. ring.
Qed.

Lemma through_derivative r C B E t D i j :
  has_derivative r E t D -> is_derive (fun u => through r C (E u) B i j) t (through r C D B i j).
Proof.
  intros HE. rewrite through_sum.
  apply (is_derive_ext (fun u =>
    sum_below r (fun k => sum_below r (fun l => C i k * E u k l * B l j)))).
  { intros u. now rewrite through_sum. }
  apply derive_sum. intros k Hk. apply derive_sum. intros l Hl.
  apply (is_derive_ext (fun u => scal (C i k * B l j) (E u k l))).
  { intros u. unfold scal; cbn; unfold mult; cbn. ring. }
  replace (C i k * D k l * B l j) with (scal (C i k * B l j) (D k l))
    by (unfold scal; cbn; unfold mult; cbn; ring).
  apply is_derive_scal. now apply HE.
Qed.

Section Needed.
Variables (d r : nat) (C B X : matrix) (E : R -> matrix) (m c : R).
Hypothesis flow_of_X : flow r X E.
Hypothesis slope : m <> 0.
Hypothesis realised : forall tau, through r C (E tau) B =[S d] content_and_bias d m c tau.

(* The moments C B, C X B, C X^2 B, read off at tau = 0. *)
Lemma moment_zero i j :
  (i < S d)%nat -> (j < S d)%nat -> through r C identity B i j = content_and_bias d m c 0 i j.
Proof.
  intros Hi Hj. rewrite <- (realised 0 i j Hi Hj), !through_sum.
  apply sum_equal. intros k Hk. apply sum_equal. intros l Hl.
  now rewrite <- (flow_start r X E flow_of_X k l Hk Hl).
Qed.

Lemma moment_of_flow tau i j :
  (i < S d)%nat -> (j < S d)%nat ->
  through r C (times r X (E tau)) B i j = if andb (Nat.eqb i d) (Nat.eqb j d) then - m else 0.
Proof.
  intros Hi Hj.
  assert (H := through_derivative r C B E tau _ i j (flow_law r X E flow_of_X tau)).
  assert (H' : is_derive (fun u => content_and_bias d m c u i j) tau
    (if andb (Nat.eqb i d) (Nat.eqb j d) then - m else 0)).
  { unfold content_and_bias. destruct (Nat.eqb i d), (Nat.eqb j d); cbn [andb];
      auto_derive; auto; ring. }
  apply (is_derive_ext _ _ _ _ (fun u => eq_sym (realised u i j Hi Hj))) in H'.
  rewrite <- (is_derive_unique _ _ _ H). now apply is_derive_unique.
Qed.

Lemma moment_one i j :
  (i < S d)%nat -> (j < S d)%nat ->
  through r C X B i j = if andb (Nat.eqb i d) (Nat.eqb j d) then - m else 0.
Proof.
  intros Hi Hj. rewrite <- (moment_of_flow 0 i j Hi Hj), !through_sum.
  apply sum_equal. intros k Hk. apply sum_equal. intros l Hl. do 2 f_equal.
  transitivity (times r X identity k l).
  - symmetry. now apply times_identity_right.
  - unfold times. apply sum_equal. intros p Hp.
    now rewrite <- (flow_start r X E flow_of_X p l Hp Hl).
Qed.

Lemma moment_two i j :
  (i < S d)%nat -> (j < S d)%nat -> through r C (times r X X) B i j = 0.
Proof.
  intros Hi Hj.
  assert (HD : has_derivative r (fun u => times r X (E u)) 0 (times r X (times r X (E 0)))).
  { intros k l Hk Hl. unfold times at 1. apply (is_derive_ext (fun u =>
      sum_below r (fun p => scal (X k p) (E u p l)))).
    { intros u. apply sum_equal. intros. unfold scal; cbn; unfold mult; cbn. ring. }
    unfold times at 1. apply derive_sum. intros p Hp.
    replace (X k p * times r X (E 0) p l) with (scal (X k p) (times r X (E 0) p l))
      by (unfold scal; cbn; unfold mult; cbn; ring).
    apply is_derive_scal. now apply (flow_law r X E flow_of_X 0 p l Hp Hl). }
  assert (H := through_derivative r C B _ 0 _ i j HD).
  assert (H' : is_derive (fun _ : R => if andb (Nat.eqb i d) (Nat.eqb j d) then - m else 0) 0 0)
    by apply @is_derive_const.
  apply (is_derive_ext _ (fun u => through r C (times r X (E u)) B i j)) in H';
    [|intros u; now rewrite moment_of_flow].
  assert (Hz : through r C (times r X (times r X (E 0))) B i j = 0).
  { rewrite <- (is_derive_unique _ _ _ H). now apply is_derive_unique. }
  rewrite <- Hz, !through_sum. apply sum_equal. intros k Hk. apply sum_equal. intros l Hl.
  do 2 f_equal. unfold times. apply sum_equal. intros p Hp. f_equal.
  transitivity (times r X identity p l); [symmetry; now apply times_identity_right|].
  unfold times. apply sum_equal. intros q Hq. now rewrite <- (flow_start r X E flow_of_X q l Hq Hl).
Qed.

Theorem two_coordinates_are_needed : (d + 2 <= r)%nat.
Proof.
  destruct (Nat.le_gt_cases (d + 2) r) as [|Hr]; auto. exfalso.
  (* Columns 0 .. d are those of B, column d + 1 is X B e_d; rows from r on are not used. *)
  set (V := fun k j : nat => if Nat.ltb k r then
    (if Nat.eqb j (S d) then times r X B k d else B k j) else 0).
  destruct (dependence (S d) V) as [x [[j [Hj Hx]] Heq]].
  assert (Hrow : forall k, (k < r)%nat ->
    sum_below (S d) (fun j => B k j * x j) + times r X B k d * x (S d) = 0).
  { intros k Hk. specialize (Heq k). cbn [sum_below] in Heq. rewrite <- Heq by lia. unfold V.
    rewrite (proj2 (Nat.ltb_lt k r) Hk), Nat.eqb_refl.
    rewrite (proj2 (Nat.eqb_neq d (S d))) by lia. cbn [sum_below]. do 2 f_equal.
    apply sum_equal. intros l Hl. now rewrite (proj2 (Nat.eqb_neq l (S d))) by lia. }
  (* Apply a row of P = C or P = C X to the dependence. *)
  assert (Happly : forall P i, sum_below (S d) (fun j => times r P B i j * x j)
    + times r P (times r X B) i d * x (S d) = 0).
  { intros P i. transitivity (sum_below r (fun k => P i k *
      (sum_below (S d) (fun j => B k j * x j) + times r X B k d * x (S d)))).
    - rewrite (sum_equal r _ (fun k => sum_below (S d) (fun j => P i k * B k j * x j)
        + P i k * times r X B k d * x (S d))).
      2:{ intros k _. rewrite Rmult_plus_distr_l, <- sum_scale_left. f_equal; [|ring].
          apply sum_equal. intros. ring. }
      rewrite sum_add, sum_exchange. f_equal.
      + apply sum_equal. intros l _. unfold times. now rewrite <- sum_scale_right.
      + unfold times at 1. now rewrite <- sum_scale_right.
    - rewrite (sum_equal r _ (fun _ => 0)); [apply sum_zero; auto|].
      intros k Hk. rewrite (Hrow k Hk). ring. }
  assert (HC : forall i j, times r C B i j = through r C identity B i j).
  { intros i l. unfold through, times at 1 2. apply sum_equal. intros k Hk. f_equal.
    symmetry. unfold times. rewrite (sum_single r _ k Hk).
    - rewrite identity_diagonal. ring.
    - intros p _ Hp. rewrite identity_elsewhere by auto. ring. }
  assert (HCX : forall i j, times r (times r C X) B i j = through r C X B i j).
  { intros i l. rewrite through_sum. unfold times. rewrite (sum_equal r _
      (fun k => sum_below r (fun p => C i p * X p k * B k l)))
      by (intros; now rewrite <- sum_scale_right). apply sum_exchange. }
  assert (HCXX : forall i j, times r (times r C X) (times r X B) i j
    = through r C (times r X X) B i j).
  { intros i l. rewrite through_sum. unfold times.
    rewrite (sum_equal r _ (fun k => sum_below r (fun p => sum_below r (fun q =>
      C i p * X p k * X k q * B q l)))).
    2:{ intros k _. rewrite <- sum_scale_right. apply sum_equal. intros p _.
        rewrite <- sum_scale_left. apply sum_equal. intros. ring. }
    rewrite sum_exchange. apply sum_equal. intros p _. rewrite sum_exchange.
    apply sum_equal. intros q _. rewrite <- sum_scale_left, <- sum_scale_right.
    apply sum_equal. intros. ring. }
  (* Row d of C X: - m x_d = 0. *)
  assert (Hd : x d = 0).
  { assert (H := Happly (times r C X) d). rewrite HCXX, moment_two in H by lia.
    rewrite (sum_single (S d) _ d) in H; [|lia|].
    - rewrite HCX, moment_one, Nat.eqb_refl in H by lia. cbn [andb] in H.
      assert (m * x d = 0) by lra. destruct (Rmult_integral _ _ H0); [contradiction|auto].
    - intros l Hl Hne. rewrite HCX, moment_one by lia.
      rewrite (proj2 (Nat.eqb_neq l d)), Bool.andb_false_r by auto. ring. }
  (* Row d of C: c x_d - m x_{d+1} = 0. *)
  assert (Hlast : x (S d) = 0).
  { assert (H := Happly C d). fold (through r C X B) in H. rewrite moment_one in H by lia.
    rewrite Nat.eqb_refl in H. cbn [andb] in H. rewrite (sum_single (S d) _ d) in H; [|lia|].
    - rewrite Hd in H. assert (m * x (S d) = 0) by lra.
      destruct (Rmult_integral _ _ H0); [contradiction|auto].
    - intros l Hl Hne. rewrite HC, moment_zero by lia. unfold content_and_bias.
      rewrite Nat.eqb_refl, (proj2 (Nat.eqb_neq l d)) by auto. ring. }
  (* Row i < d of C: x_i = 0. *)
  assert (Hcontent : forall i, (i < d)%nat -> x i = 0).
  { intros i Hi. assert (H := Happly C i). rewrite Hlast, Rmult_0_r, Rplus_0_r in H.
    rewrite (sum_single (S d) _ i) in H; [|lia|].
    - rewrite HC, moment_zero in H by lia. unfold content_and_bias in H.
      rewrite (proj2 (Nat.eqb_neq i d)), identity_diagonal in H by lia. lra.
    - intros l Hl Hne. rewrite HC, moment_zero by lia. unfold content_and_bias.
      rewrite (proj2 (Nat.eqb_neq i d)), identity_elsewhere by lia. ring. }
  apply Hx. destruct (Nat.eq_dec j (S d)) as [->|]; [exact Hlast|].
  destruct (Nat.eq_dec j d) as [->|]; [exact Hd | apply Hcontent; lia].
Qed.

End Needed.

(* -m |tau| for all real tau has no realisation of any size: what a flow realises has a derivative
   at 0, and |tau| has none. *)
Theorem absolute_lag_is_not_realised r X E (p q : vector) m :
  flow r X E -> m <> 0 -> ~ (forall tau, bilinear r p (E tau) q = - m * Rabs tau).
Proof.
  intros HE Hm H.
  assert (HD : is_derive (fun u => bilinear r p (E u) q) 0
    (bilinear r p (times r X (E 0)) q)).
  { unfold bilinear. apply derive_sum. intros i Hi. apply derive_sum. intros j Hj.
    apply (is_derive_ext (fun u => scal (p i * q j) (E u i j))).
    { intros u. unfold scal; cbn; unfold mult; cbn. ring. }
    replace (p i * times r X (E 0) i j * q j) with (scal (p i * q j) (times r X (E 0) i j))
      by (unfold scal; cbn; unfold mult; cbn; ring).
    apply is_derive_scal. now apply (flow_law r X E HE 0). }
  apply (is_derive_ext _ _ _ _ H) in HD. revert HD.
  generalize (bilinear r p (times r X (E 0)) q). intros l HD.
  apply is_derive_Reals in HD.
  assert (Heps : 0 < Rabs m / 2) by (assert (0 < Rabs m) by (now apply Rabs_pos_lt); lra).
  destruct (HD (Rabs m / 2) Heps) as [delta Hdelta].
  assert (Hpos := cond_pos delta). set (h := delta / 2).
  assert (Hh : 0 < h) by (unfold h; lra).
  assert (Hside : forall s, s = h \/ s = - h -> Rabs ((- m * Rabs (0 + s) - - m * Rabs 0) / s - l)
    < Rabs m / 2).
  { intros s Hs. apply Hdelta; [destruct Hs; lra|].
    destruct Hs as [-> | ->]; rewrite ?Rabs_Ropp, Rabs_pos_eq; unfold h in *; lra. }
  assert (H1 := Hside h (or_introl eq_refl)). assert (H2 := Hside (- h) (or_intror eq_refl)).
  replace ((- m * Rabs (0 + h) - - m * Rabs 0) / h - l) with (- m - l) in H1
    by (rewrite Rplus_0_l, Rabs_R0, Rabs_pos_eq by lra; field; lra).
  replace ((- m * Rabs (0 + - h) - - m * Rabs 0) / - h - l) with (m - l) in H2
    by (rewrite Rplus_0_l, Rabs_R0, Rabs_Ropp, Rabs_pos_eq by lra; field; lra).
  assert (Rabs (m - l - (- m - l)) <= Rabs (m - l) + Rabs (- m - l)).
  { replace (m - l - (- m - l)) with ((m - l) + - (- m - l)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra. }
  replace (m - l - (- m - l)) with (2 * m) in H0 by ring.
  rewrite Rabs_mult, (Rabs_pos_eq 2) in H0 by lra.
  assert (0 < Rabs m) by now apply Rabs_pos_lt. lra.
Qed.
