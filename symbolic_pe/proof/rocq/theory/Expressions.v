(* Expressions in the position t, in symbols (any real parameters and constants) and in functions.

   The functions come in families: exp(at), cos(bt) and sin(bt), the two solutions of a quadratic, or
   the fundamental solutions of any monic polynomial. Each family states its derivatives and its
   values at 0 as expressions again, so expressions have a formal derivative and a formal value at 0,
   and both are proved to be what they say. *)

From Coq Require Import Reals Lra Lia ZArith List Bool.
From Coquelicot Require Import Coquelicot.
From SymbolicPE Require Import Sums Matrices Flow Fundamental.
Import ListNotations.
Open Scope R_scope.
Set Bullet Behavior "Strict Subproofs".

(* -- expressions ----------------------------------------------------------------------------- *)

Inductive expr : Type :=
  | Int (z : Z)
  | Over (e : expr) (d : positive)
  | Time
  | Sym (k : nat)
  | Fun (k c : nat)
  | Add (a b : expr)
  | Sub (a b : expr)
  | Mul (a b : expr)
  | Neg (a : expr)
  | Pow (a : expr) (n : nat).

Section Value.
Variables (symbols : nat -> R) (functions : nat -> nat -> R -> R).

Fixpoint value (t : R) (e : expr) : R :=
  match e with
  | Int z => IZR z
  | Over a d => value t a / IZR (Zpos d)
  | Time => t
  | Sym k => symbols k
  | Fun k c => functions k c t
  | Add a b => value t a + value t b
  | Sub a b => value t a - value t b
  | Mul a b => value t a * value t b
  | Neg a => - value t a
  | Pow a n => value t a ^ n
  end.
End Value.

(* No position and no function occurs. *)
Fixpoint steady (e : expr) : bool :=
  match e with
  | Int _ | Sym _ => true
  | Time | Fun _ _ => false
  | Over a _ | Neg a | Pow a _ => steady a
  | Add a b | Sub a b | Mul a b => steady a && steady b
  end.

Definition no_functions : nat -> nat -> R -> R := fun _ _ _ => 0.
Definition constant (symbols : nat -> R) (e : expr) : R := value symbols no_functions 0 e.

Lemma steady_value symbols functions t e :
  steady e = true -> value symbols functions t e = constant symbols e.
Proof.
  unfold constant. induction e; cbn; intros H; try discriminate; try reflexivity;
    try (apply andb_prop in H; destruct H; now rewrite IHe1, IHe2);
    now rewrite IHe.
Qed.

(* -- families of functions ------------------------------------------------------------------- *)

Inductive family : Type :=
  | Exponential (rate : expr)             (* exp(at) *)
  | Turning (frequency : expr)            (* cos(bt), sin(bt) *)
  | Quadratic (p0 p1 : expr)              (* fundamental solutions of x^2 + p1 x + p0 *)
  | Solutions (p : list expr).            (* the same for x^d + ... + p0, as they are given *)

Section Families.
Variables (symbols : nat -> R) (given : nat -> nat -> R -> R) (families : list family).

Definition functions (k c : nat) (t : R) : R :=
  match nth_error families k with
  | Some (Exponential a) => exp (constant symbols a * t)
  | Some (Turning b) =>
    match c with O => cos (constant symbols b * t) | S _ => sin (constant symbols b * t) end
  | Some (Quadratic p0 p1) => quadratic (constant symbols p0) (constant symbols p1) c t
  | Some (Solutions p) => if Nat.ltb c (length p) then given k c t else 0
  | None => 0
  end.

Definition solves : Prop := forall k p, nth_error families k = Some (Solutions p) ->
  fundamental (length p) (components (map (constant symbols) p)) (given k).

Definition families_steady : bool := forallb (fun f =>
  match f with
  | Exponential a | Turning a => steady a
  | Quadratic p0 p1 => steady p0 && steady p1
  | Solutions p => forallb steady p
  end) families.

(* The derivative of function c of family k, and its value at 0. *)
Definition rule (k c : nat) : expr :=
  match nth_error families k with
  | Some (Exponential a) => Mul a (Fun k c)
  | Some (Turning b) => match c with O => Neg (Mul b (Fun k 1)) | S _ => Mul b (Fun k 0) end
  | Some (Quadratic p0 p1) =>
    match c with O => Neg (Mul p0 (Fun k 1)) | S _ => Sub (Fun k 0) (Mul p1 (Fun k 1)) end
  | Some (Solutions p) =>
    if Nat.ltb c (length p)
    then Sub (match c with O => Int 0 | S b => Fun k b end)
             (Mul (nth c p (Int 0)) (Fun k (pred (length p))))
    else Int 0
  | None => Int 0
  end.
Definition initial (k c : nat) : expr :=
  match nth_error families k with
  | Some (Exponential _) => Int 1
  | Some (Turning _) | Some (Quadratic _ _) => match c with O => Int 1 | S _ => Int 0 end
  | Some (Solutions p) => if Nat.ltb c (length p) then Int (if Nat.eqb c 0 then 1 else 0) else Int 0
  | None => Int 0
  end.

Hypothesis Hsteady : families_steady = true.
Hypothesis Hsolves : solves.
Notation val := (value symbols functions).

Lemma family_steady k f :
  nth_error families k = Some f ->
  match f with
  | Exponential a | Turning a => steady a = true
  | Quadratic p0 p1 => steady p0 = true /\ steady p1 = true
  | Solutions p => forall c, steady (nth c p (Int 0)) = true
  end.
Proof.
  intros Hf. apply nth_error_In in Hf. unfold families_steady in Hsteady.
  rewrite forallb_forall in Hsteady. specialize (Hsteady f Hf). destruct f; auto.
  - now apply andb_prop.
  - intros c. rewrite forallb_forall in Hsteady.
    destruct (nth_in_or_default c p (Int 0)) as [H| ->]; [auto | reflexivity].
Qed.

Lemma rule_correct k c t : is_derive (functions k c) t (val t (rule k c)).
Proof.
  unfold rule. assert (Hf := family_steady k). assert (Hs := Hsolves k).
  assert (Hv : forall c t, functions k c t = match nth_error families k with
    | Some (Exponential a) => exp (constant symbols a * t)
    | Some (Turning b) =>
      match c with O => cos (constant symbols b * t) | S _ => sin (constant symbols b * t) end
    | Some (Quadratic p0 p1) => quadratic (constant symbols p0) (constant symbols p1) c t
    | Some (Solutions p) => if Nat.ltb c (length p) then given k c t else 0
    | None => 0 end) by reflexivity.
  apply (is_derive_ext (fun t => match nth_error families k with
    | Some (Exponential a) => exp (constant symbols a * t)
    | Some (Turning b) =>
      match c with O => cos (constant symbols b * t) | S _ => sin (constant symbols b * t) end
    | Some (Quadratic p0 p1) => quadratic (constant symbols p0) (constant symbols p1) c t
    | Some (Solutions p) => if Nat.ltb c (length p) then given k c t else 0
    | None => 0 end)); [intros; symmetry; apply Hv|].
  destruct (nth_error families k) as [[a|b|p0 p1|p]|] eqn:Hk; cbn [value].
  - rewrite steady_value, Hv by exact (Hf _ eq_refl).
    auto_derive; auto. ring.
  - destruct c; cbn [value]; rewrite steady_value, Hv by exact (Hf _ eq_refl);
      auto_derive; auto; ring.
  - destruct (Hf _ eq_refl) as [H0 H1].
    destruct c; cbn [value quadratic]; rewrite steady_value, !Hv by assumption; cbn [quadratic].
    + apply first_derivative.
    + apply second_derivative.
  - specialize (Hs p eq_refl). destruct (Nat.ltb_spec c (length p)) as [Hc|Hc].
    + cbn [value].
      rewrite (steady_value _ _ t (nth c p (Int 0))) by apply (Hf _ eq_refl).
      assert (D := fundamental_law _ _ _ Hs c t Hc).
      replace (components (map (constant symbols) p) c)
        with (constant symbols (nth c p (Int 0))) in D
        by (symmetry; exact (map_nth (constant symbols) p (Int 0) c)).
      rewrite !Hv. rewrite (proj2 (Nat.ltb_lt (pred (length p)) (length p))) by lia.
      destruct c; cbn [value before] in *; [exact D|].
      rewrite Hv. rewrite (proj2 (Nat.ltb_lt c (length p))) by lia. exact D.
    + apply @is_derive_const.
  - apply @is_derive_const.
Qed.

Lemma initial_correct k c t : functions k c 0 = val t (initial k c).
Proof.
  unfold functions, initial. destruct (nth_error families k) as [[a|b|p0 p1|p]|] eqn:Hk.
  - now rewrite Rmult_0_r, exp_0.
  - destruct c; rewrite Rmult_0_r; [apply cos_0 | apply sin_0].
  - destruct c; [apply first_start | apply second_start].
  - destruct (Nat.ltb_spec c (length p)) as [Hc|Hc]; [|reflexivity].
    rewrite (fundamental_start _ _ _ (Hsolves k p Hk) c Hc). unfold unit_at_zero.
    now destruct (Nat.eqb c 0).
  - reflexivity.
Qed.

(* -- formal derivative and value at 0 -------------------------------------------------------- *)

Fixpoint derivative (e : expr) : expr :=
  match e with
  | Int _ | Sym _ => Int 0
  | Time => Int 1
  | Over a d => Over (derivative a) d
  | Fun k c => rule k c
  | Add a b => Add (derivative a) (derivative b)
  | Sub a b => Sub (derivative a) (derivative b)
  | Mul a b => Add (Mul (derivative a) b) (Mul a (derivative b))
  | Neg a => Neg (derivative a)
  | Pow a O => Int 0
  | Pow a (S m) => Mul (Mul (Int (Z.of_nat (S m))) (Pow a m)) (derivative a)
  end.

Fixpoint start (e : expr) : expr :=
  match e with
  | Int _ | Sym _ => e
  | Time => Int 0
  | Over a d => Over (start a) d
  | Fun k c => initial k c
  | Add a b => Add (start a) (start b)
  | Sub a b => Sub (start a) (start b)
  | Mul a b => Mul (start a) (start b)
  | Neg a => Neg (start a)
  | Pow a n => Pow (start a) n
  end.

Lemma derivative_correct e t : is_derive (fun t => val t e) t (val t (derivative e)).
Proof.
  induction e; cbn [value derivative].
  - apply @is_derive_const.
  - unfold Rdiv. rewrite (Rmult_comm (val t (derivative e))).
    apply (is_derive_ext (fun t => / IZR (Zpos d) * val t e)); [intros; apply Rmult_comm|].
    now apply (is_derive_scal (fun t => val t e)).
  - apply @is_derive_id.
  - apply @is_derive_const.
  - apply rule_correct.
  - now apply (is_derive_plus (fun t => val t e1) (fun t => val t e2)).
  - now apply (is_derive_minus (fun t => val t e1) (fun t => val t e2)).
  - apply (is_derive_mult (fun t => val t e1) (fun t => val t e2)); auto. apply Rmult_comm.
  - now apply (is_derive_opp (fun t => val t e)).
  - destruct n as [|m]; cbn [value pow]; [apply (is_derive_const 1)|].
    change (val t e * val t e ^ m) with (val t e ^ S m).
    rewrite <- INR_IZR_INZ.
    replace (INR (S m) * val t e ^ m * val t (derivative e))
      with (INR (S m) * val t (derivative e) * val t e ^ pred (S m)) by (cbn [pred]; ring).
    now apply (is_derive_pow (fun t => val t e)).
Qed.

Lemma start_correct e t : val 0 e = val t (start e).
Proof.
  induction e; cbn [value start]; try reflexivity; try congruence. apply initial_correct.
Qed.
End Families.
