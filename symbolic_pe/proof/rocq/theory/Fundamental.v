(* The solutions of p(d/dt) phi = 0, and flows without eigenvalues.

   Let p = x^d + p_(d-1) x^(d-1) + ... + p_0. Its fundamental solutions phi_0, ..., phi_(d-1) are those
   with phi_c^(k)(0) = 1 for k = c and 0 for the other k < d; equivalently

       phi_c(0) = 1 if c = 0 else 0,      phi_c' = phi_(c-1) - p_c phi_(d-1).

   If p(X) = 0, then exp(tX) = phi_0(t) I + phi_1(t) X + ... + phi_(d-1)(t) X^(d-1). No root of p is
   needed, and the formula runs smoothly through every coincidence of roots. *)

From Coq Require Import Reals Lra Lia Arith Setoid Morphisms.
From Coquelicot Require Import Coquelicot.
From SymbolicPE Require Import Sums Matrices Flow Laws.
Open Scope R_scope.
Set Bullet Behavior "Strict Subproofs".

Definition unit_at_zero (c : nat) : R := if Nat.eqb c 0 then 1 else 0.
Definition before (phi : nat -> R -> R) (c : nat) (t : R) : R :=
  match c with O => 0 | S b => phi b t end.

Record fundamental (d : nat) (p : nat -> R) (phi : nat -> R -> R) : Prop := {
  fundamental_start : forall c, (c < d)%nat -> phi c 0 = unit_at_zero c;
  fundamental_law : forall c t, (c < d)%nat ->
    is_derive (phi c) t (before phi c t - p c * phi (pred d) t)
}.

(* The system of the phi_c is the flow of the companion matrix of p. *)
Definition companion (d : nat) (p : nat -> R) : matrix := fun c j =>
  identity c (S j) - p c * identity j (pred d).

Lemma companion_apply d p v c :
  (c < d)%nat ->
  sum_below d (fun j => companion d p c j * v j)
  = match c with O => 0 | S b => v b end - p c * v (pred d).
Proof.
  intros Hc. unfold companion.
  rewrite (sum_equal d _ (fun j => identity c (S j) * v j + - p c * (identity j (pred d) * v j)))
    by (intros; ring).
  rewrite sum_add, sum_scale_left, (sum_single d (fun j => identity j (pred d) * v j) (pred d)).
  - rewrite identity_diagonal. destruct c as [|b].
    + rewrite sum_zero; [ring|]. intros. rewrite identity_elsewhere by lia. ring.
    + rewrite (sum_single d _ b); [rewrite identity_diagonal; ring | lia|].
      intros k _ Hk. rewrite identity_elsewhere by lia. ring.
  - lia.
  - intros k _ Hk. rewrite identity_elsewhere by auto. ring.
Qed.

(* Fundamental solutions exist for every p and every d, so a theorem about them is about something. *)
Theorem fundamental_exists d p : exists phi, fundamental d p phi.
Proof.
  destruct d as [|e]; [exists (fun _ _ => 0); split; intros; lia|].
  exists (fun c t => exponential (S e) (companion (S e) p) t c 0%nat).
  assert (HF := flow_exists (S e) (companion (S e) p)). split.
  - intros c Hc. rewrite (flow_start _ _ _ HF c 0%nat Hc) by lia. reflexivity.
  - intros c t Hc.
    assert (L := flow_law _ _ _ HF t c 0%nat Hc (Nat.lt_0_succ e)). unfold times in L.
    rewrite (companion_apply (S e) p (fun j => exponential (S e) (companion (S e) p) t j 0%nat) c Hc)
      in L.
    destruct c; exact L.
Qed.

Theorem fundamental_unique d p phi psi :
  fundamental d p phi -> fundamental d p psi ->
  forall c t, (c < d)%nat -> phi c t = psi c t.
Proof.
  intros H1 H2 c t Hc.
  assert (L : forall f, fundamental d p f -> forall t,
    has_derivative d (fun t i _ => f i t) t (times d (companion d p) (fun i _ => f i t))).
  { intros f Hf u i j Hi _. unfold times. rewrite (companion_apply d p (fun i => f i u) i Hi).
    assert (D := fundamental_law _ _ _ Hf i u Hi). destruct i; exact D. }
  apply (solutions_agree d (companion d p) (fun t i _ => phi i t) (fun t i _ => psi i t)
    (L phi H1) (L psi H2)) with (j := c); auto.
  intros i j Hi _. now rewrite (fundamental_start _ _ _ H1), (fundamental_start _ _ _ H2).
Qed.

(* -- exp(tX) from any polynomial that annihilates X ------------------------------------------ *)

Definition polynomial_at (n d : nat) (p : nat -> R) (X : matrix) : matrix := fun i j =>
  power n X d i j + sum_below d (fun c => p c * power n X c i j).
Definition combination (n d : nat) (phi : nat -> R -> R) (X : matrix) (t : R) : matrix := fun i j =>
  sum_below d (fun c => phi c t * power n X c i j).

Theorem flow_from_annihilator n d p phi X :
  (0 < d)%nat -> fundamental d p phi -> polynomial_at n d p X =[n] null ->
  flow n X (combination n d phi X).
Proof.
  intros Hd Hphi HX. destruct d as [|e]; [lia|]. split.
  - intros i j _ _. unfold combination. rewrite (sum_single (S e) _ 0%nat) by
      (try lia; intros k Hk Hne; rewrite (fundamental_start _ _ _ Hphi) by lia;
       unfold unit_at_zero; rewrite (proj2 (Nat.eqb_neq k 0)) by auto; ring).
    rewrite (fundamental_start _ _ _ Hphi) by lia. unfold unit_at_zero. cbn. ring.
  - intros t i j Hi Hj. unfold combination at 1.
    replace (times n X (combination n (S e) phi X t) i j) with
      (sum_below (S e) (fun c => (before phi c t - p c * phi e t) * power n X c i j)).
    + apply (derive_sum (S e) (fun c t => phi c t * power n X c i j)). intros c Hc.
      rewrite (Rmult_comm _ (power n X c i j)).
      apply (is_derive_ext (fun t => power n X c i j * phi c t)); [intros; apply Rmult_comm|].
      apply (is_derive_scal (phi c)). now apply Hphi.
    + rewrite (sum_equal (S e) _ (fun c => before phi c t * power n X c i j
        + - phi e t * (p c * power n X c i j))) by (intros; ring).
      rewrite sum_add, sum_scale_left, sum_first.
      assert (HXij := HX i j Hi Hj). unfold polynomial_at, null in HXij.
      replace (sum_below (S e) (fun c => p c * power n X c i j)) with (- power n X (S e) i j) by lra.
      replace (times n X (combination n (S e) phi X t) i j)
        with (sum_below (S e) (fun c => phi c t * power n X (S c) i j)).
      * cbn [before sum_below]. ring.
      * unfold times at 1, combination.
        rewrite (sum_equal n _ (fun k => sum_below (S e) (fun c => phi c t * (X i k * power n X c k j))))
          by (intros; rewrite <- sum_scale_left; apply sum_equal; intros; ring).
        rewrite sum_exchange. apply sum_equal. intros c _. now rewrite sum_scale_left.
Qed.

(* -- degree 2 in closed form, for all real coefficients -------------------------------------- *)

(* sin(rt)/r and cos(rt) with r^2 = -D, continued through D = 0 to sinh and cosh. *)
Definition sine_like (D t : R) : R :=
  match total_order_T D 0 with
  | inleft (left _) => sin (sqrt (- D) * t) / sqrt (- D)
  | inleft (right _) => t
  | inright _ => sinh (sqrt D * t) / sqrt D
  end.
Definition cosine_like (D t : R) : R :=
  match total_order_T D 0 with
  | inleft (left _) => cos (sqrt (- D) * t)
  | inleft (right _) => 1
  | inright _ => cosh (sqrt D * t)
  end.

Lemma sine_like_derivative D t : is_derive (sine_like D) t (cosine_like D t).
Proof.
  unfold sine_like, cosine_like. destruct (total_order_T D 0) as [[H|H]|H].
  - assert (0 < sqrt (- D)) by (apply sqrt_lt_R0; lra). auto_derive; [auto | field; lra].
  - apply @is_derive_id.
  - assert (0 < sqrt D) by (apply sqrt_lt_R0; lra). unfold sinh, cosh.
    auto_derive; [auto | field; lra].
Qed.

Lemma cosine_like_derivative D t : is_derive (cosine_like D) t (D * sine_like D t).
Proof.
  unfold sine_like, cosine_like. destruct (total_order_T D 0) as [[H|H]|H].
  - assert (R : D = - (sqrt (- D) * sqrt (- D))) by (rewrite sqrt_sqrt; lra).
    assert (0 < sqrt (- D)) by (apply sqrt_lt_R0; lra). auto_derive; [auto|].
    set (r := sqrt (- D)) in *. clearbody r. rewrite R. field. lra.
  - rewrite H, Rmult_0_l. apply @is_derive_const.
  - assert (R : D = sqrt D * sqrt D) by (rewrite sqrt_sqrt; lra).
    assert (0 < sqrt D) by (apply sqrt_lt_R0; lra). unfold sinh, cosh. auto_derive; [auto|].
    set (r := sqrt D) in *. clearbody r. rewrite R. field. lra.
Qed.

Lemma sine_like_start D : sine_like D 0 = 0.
Proof.
  unfold sine_like. destruct (total_order_T D 0) as [[H|H]|H]; auto; rewrite Rmult_0_r.
  - rewrite sin_0. unfold Rdiv. ring.
  - rewrite sinh_0. unfold Rdiv. ring.
Qed.

Lemma cosine_like_start D : cosine_like D 0 = 1.
Proof.
  unfold cosine_like. destruct (total_order_T D 0) as [[H|H]|H]; auto; rewrite Rmult_0_r.
  - apply cos_0.
  - apply cosh_0.
Qed.

(* For p = x^2 + p1 x + p0: roots a +- sqrt(D), a = -p1/2, D = a^2 - p0. *)
Definition centre (p1 : R) : R := - p1 / 2.
Definition spread (p0 p1 : R) : R := centre p1 * centre p1 - p0.
Definition second (p0 p1 t : R) : R := exp (centre p1 * t) * sine_like (spread p0 p1) t.
Definition first (p0 p1 t : R) : R :=
  exp (centre p1 * t) * cosine_like (spread p0 p1) t - centre p1 * second p0 p1 t.

Definition quadratic (p0 p1 : R) (c : nat) : R -> R :=
  match c with O => first p0 p1 | S _ => second p0 p1 end.

Lemma second_start p0 p1 : second p0 p1 0 = 0.
Proof. unfold second. rewrite sine_like_start. ring. Qed.

Lemma first_start p0 p1 : first p0 p1 0 = 1.
Proof.
  unfold first. rewrite second_start, cosine_like_start, Rmult_0_r, exp_0. ring.
Qed.

Lemma second_derivative p0 p1 t :
  is_derive (second p0 p1) t (first p0 p1 t - p1 * second p0 p1 t).
Proof.
  unfold first. set (a := centre p1). set (D := spread p0 p1).
  replace (exp (a * t) * cosine_like D t - a * second p0 p1 t - p1 * second p0 p1 t)
    with (a * exp (a * t) * sine_like D t + exp (a * t) * cosine_like D t).
  - apply (is_derive_mult (fun t => exp (a * t)) (sine_like D));
      [auto_derive; auto; ring | apply sine_like_derivative | apply Rmult_comm].
  - unfold second. fold a D. assert (Hp : p1 = - 2 * a) by (unfold a, centre; field).
    clearbody a D. rewrite Hp. ring.
Qed.

Lemma first_derivative p0 p1 t : is_derive (first p0 p1) t (- (p0 * second p0 p1 t)).
Proof.
  assert (S' := second_derivative p0 p1 t).
  unfold first at 1. set (a := centre p1) in *. set (D := spread p0 p1).
  replace (- (p0 * second p0 p1 t)) with
    ((a * exp (a * t) * cosine_like D t + exp (a * t) * (D * sine_like D t))
     - a * (first p0 p1 t - p1 * second p0 p1 t)).
  - apply (is_derive_minus (fun t => exp (a * t) * cosine_like D t) (fun t => a * second p0 p1 t)).
    + apply (is_derive_mult (fun t => exp (a * t)) (cosine_like D));
        [auto_derive; auto; ring | apply cosine_like_derivative | apply Rmult_comm].
    + now apply (is_derive_scal (second p0 p1)).
  - unfold first, second. fold a D.
    assert (Hp : p1 = - 2 * a) by (unfold a, centre; field).
    assert (Hq : p0 = a * a - D) by (unfold D, spread, a; ring).
    clearbody a D. rewrite Hp, Hq. ring.
Qed.

Theorem quadratic_is_fundamental p0 p1 :
  fundamental 2 (fun c => match c with O => p0 | S _ => p1 end) (quadratic p0 p1).
Proof.
  split.
  - intros [|[|c]] Hc; [apply first_start | apply second_start | lia].
  - intros [|[|c]] t Hc; [| |lia]; cbn [before quadratic pred].
    + rewrite Rminus_0_l. apply first_derivative.
    + apply second_derivative.
Qed.

(* The three cases, spelled out. *)
Theorem second_oscillates p0 p1 t :
  spread p0 p1 < 0 ->
  let r := sqrt (- spread p0 p1) in
  second p0 p1 t = exp (centre p1 * t) * (sin (r * t) / r).
Proof.
  intros H. unfold second, sine_like. destruct (total_order_T (spread p0 p1) 0) as [[?|?]|?]; lra.
Qed.
Theorem second_at_confluence p0 p1 t :
  spread p0 p1 = 0 -> second p0 p1 t = exp (centre p1 * t) * t.
Proof.
  intros H. unfold second, sine_like. destruct (total_order_T (spread p0 p1) 0) as [[?|?]|?]; lra.
Qed.
Theorem second_of_real_roots p0 p1 t :
  0 < spread p0 p1 ->
  let r := sqrt (spread p0 p1) in
  second p0 p1 t = exp (centre p1 * t) * (sinh (r * t) / r).
Proof.
  intros H. unfold second, sine_like. destruct (total_order_T (spread p0 p1) 0) as [[?|?]|?]; lra.
Qed.
