(* A decision procedure for E(0) = I and E' = XE, proved correct once.

   Entries are expressions (Expressions.v), so both laws become identities of polynomials with
   rational coefficients, and those are decided by normal forms. A file with data is checked by one
   evaluation of `decides`. *)

From Coq Require Import EnvRing.
From Coq Require Import Reals Lra Lia ZArith QArith Qreals List Bool Setoid Morphisms.
From Coquelicot Require Import Coquelicot.
From SymbolicPE Require Import Sums Matrices Flow Laws Fundamental Expressions NormalForms.
Import ListNotations.
Open Scope R_scope.
Set Bullet Behavior "Strict Subproofs".

(* -- the decision ---------------------------------------------------------------------------- *)

Fixpoint for_all_below (n : nat) (f : nat -> bool) : bool :=
  match n with O => true | S k => f k && for_all_below k f end.
Lemma for_all_below_correct n f :
  for_all_below n f = true -> forall i, (i < n)%nat -> f i = true.
Proof.
  induction n; cbn; intros H i Hi; [lia|]. apply andb_prop in H as [Hn H].
  destruct (Nat.eq_dec i n) as [->|]; auto. apply IHn; auto; lia.
Qed.

Definition at_ {A} (default : A) (M : list (list A)) (i j : nat) : A := nth j (nth i M []) default.
Notation entry := (at_ (Int 0)).

Lemma at_map {A B} (f : A -> B) d M i j : at_ (f d) (map (map f) M) i j = f (at_ d M i j).
Proof.
  unfold at_. rewrite <- (map_nth f). f_equal.
  change (@nil B) with (map f []). apply map_nth.
Qed.

Lemma entries_map f M i j : f (Int 0) = 0 -> entries (map (map f) M) i j = f (entry M i j).
Proof. intros H. unfold entries. rewrite <- H. apply (at_map f). Qed.

(* sum over k of x_k e_k, where x is sparse *)
Fixpoint row_product (n : nat) (x e : nat -> Pol Q) : Pol Q :=
  match n with
  | O => p_zero
  | S k => let rest := row_product k x e in
    if p_equal (x k) p_zero then rest else p_add rest (p_mul (x k) (e k))
  end.
Lemma row_product_correct l n x e :
  p_value l (row_product n x e) = sum_below n (fun k => p_value l (x k) * p_value l (e k)).
Proof.
  induction n; cbn [row_product sum_below]; [apply p_zero_correct|].
  destruct (p_equal (x n) p_zero) eqn:Hx.
  - apply (p_equal_correct l) in Hx. rewrite Hx, p_zero_correct, IHn. ring.
  - now rewrite p_add_correct, p_mul_correct, IHn.
Qed.

Definition forms (M : list (list expr)) : list (list (Pol Q)) := map (map form_of) M.
Lemma forms_at M i j : at_ p_zero (forms M) i j = form_of (entry M i j).
Proof. exact (at_map form_of (Int 0) M i j). Qed.

Definition matrix_steady (X : list (list expr)) : bool := forallb (forallb steady) X.
Lemma entry_steady X i j : matrix_steady X = true -> steady (entry X i j) = true.
Proof.
  unfold matrix_steady, at_. rewrite forallb_forall. intros H.
  destruct (nth_in_or_default i X []) as [Hr|Hr]; [|rewrite Hr; now destruct j].
  specialize (H _ Hr). rewrite forallb_forall in H.
  destruct (nth_in_or_default j (nth i X []) (Int 0)) as [He|He]; [auto | now rewrite He].
Qed.

Definition decides (n : nat) (families : list family) (X E : list (list expr)) : bool :=
  families_steady families && matrix_steady X &&
  let x := forms X in
  let e := forms E in
  for_all_below n (fun i => for_all_below n (fun j =>
    p_equal (form_of (derivative families (entry E i j)))
            (row_product n (fun k => at_ p_zero x i k) (fun k => at_ p_zero e k j))
    && p_equal (form_of (start families (entry E i j))) (Pc (if Nat.eqb i j then 1%Q else 0%Q)))).

Definition read_constant (symbols : nat -> R) (X : list (list expr)) : list (list R) :=
  map (map (constant symbols)) X.
Definition read (symbols : nat -> R) (f : nat -> nat -> R -> R) (t : R) (E : list (list expr)) :=
  map (map (value symbols f t)) E.

Theorem decides_correct n families X E :
  decides n families X E = true ->
  forall symbols given, solves symbols given families ->
  flow n (entries (read_constant symbols X))
         (fun t => entries (read symbols (functions symbols given families) t E)).
Proof.
  unfold decides. rewrite !andb_true_iff. intros [[Hf HX] H] symbols given Hs.
  set (f := functions symbols given families).
  assert (HE : forall t i j,
    entries (read symbols f t E) i j = value symbols f t (entry E i j))
    by (intros; apply entries_map; reflexivity).
  assert (Hx : forall t i j,
    entries (read_constant symbols X) i j = value symbols f t (entry X i j)).
  { intros t i j. rewrite steady_value by now apply entry_steady.
    apply entries_map. reflexivity. }
  split.
  - intros i j Hi Hj. rewrite HE.
    unfold f. rewrite (start_correct symbols given families Hs (entry E i j) 0). fold f.
    apply for_all_below_correct with (i := i) in H; auto.
    apply for_all_below_correct with (i := j) in H; auto.
    apply andb_prop in H as [_ H]. rewrite form_correct.
    rewrite (p_equal_correct _ _ _ H). unfold identity, p_value, Q2R.
    destruct (Nat.eqb i j); cbn; field.
  - intros t i j Hi Hj.
    apply for_all_below_correct with (i := i) in H; auto.
    apply for_all_below_correct with (i := j) in H; auto.
    apply andb_prop in H as [H _].
    apply (is_derive_ext (fun t => value symbols f t (entry E i j))); [intros; now rewrite HE|].
    replace (times n _ _ i j) with (value symbols f t (derivative families (entry E i j)));
      [now apply derivative_correct|].
    rewrite form_correct, (p_equal_correct _ _ _ H), row_product_correct.
    apply sum_equal. intros k _.
    now rewrite !forms_at, <- !form_correct, <- Hx, <- HE.
Qed.

(* What is read out of the data is what the reader sees: the two equations hold by computation. *)
Theorem flow_of_data n families X E (Xr : list (list R)) (Er : R -> list (list R)) symbols given :
  decides n families X E = true -> solves symbols given families ->
  read_constant symbols X = Xr ->
  (forall t, read symbols (functions symbols given families) t E = Er t) ->
  flow n (entries Xr) (fun t => entries (Er t)).
Proof.
  intros H Hs <- HE.
  apply (flow_agree n (entries (read_constant symbols X)) _
    (fun t => entries (read symbols (functions symbols given families) t E))).
  - reflexivity.
  - intros t. now rewrite HE.
  - now apply decides_correct.
Qed.

Lemma nothing_given symbols given families :
  forallb (fun f => match f with Solutions _ => false | _ => true end) families = true ->
  solves symbols given families.
Proof.
  intros H k p Hk. apply nth_error_In in Hk. rewrite forallb_forall in H.
  now specialize (H _ Hk).
Qed.

(* -- skew generators ------------------------------------------------------------------------- *)

Definition decides_skew (n : nat) (X : list (list expr)) : bool :=
  matrix_steady X &&
  for_all_below n (fun i => for_all_below n (fun j =>
    equal (Add (entry X j i) (entry X i j)) (Int 0))).

Theorem decides_skew_correct n X Xr symbols :
  decides_skew n X = true -> read_constant symbols X = Xr -> skew n (entries Xr).
Proof.
  unfold decides_skew. rewrite andb_true_iff. intros [_ H] <- i j Hi Hj.
  apply for_all_below_correct with (i := i) in H; auto.
  apply for_all_below_correct with (i := j) in H; auto.
  apply equal_correct with (symbols := symbols) (f := no_functions) (t := 0) in H.
  unfold add, transpose, null, read_constant.
  rewrite !(entries_map (constant symbols)) by reflexivity. exact H.
Qed.

(* -- generators that commute ------------------------------------------------------------- *)

Definition decides_commuting (n : nat) (X Y : list (list expr)) : bool :=
  matrix_steady X && matrix_steady Y &&
  let x := forms X in
  let y := forms Y in
  for_all_below n (fun i => for_all_below n (fun j =>
    p_equal (row_product n (fun k => at_ p_zero x i k) (fun k => at_ p_zero y k j))
            (row_product n (fun k => at_ p_zero y i k) (fun k => at_ p_zero x k j)))).

Theorem decides_commuting_correct n X Y Xr Yr symbols :
  decides_commuting n X Y = true ->
  read_constant symbols X = Xr -> read_constant symbols Y = Yr ->
  times n (entries Xr) (entries Yr) =[n] times n (entries Yr) (entries Xr).
Proof.
  unfold decides_commuting. rewrite andb_true_iff. intros [_ H] <- <- i j Hi Hj.
  assert (V : forall M i j, entries (read_constant symbols M) i j
    = p_value (environment symbols no_functions 0) (at_ p_zero (forms M) i j)).
  { intros M a b. rewrite forms_at, <- form_correct. apply entries_map. reflexivity. }
  apply for_all_below_correct with (i := i) in H; auto.
  apply for_all_below_correct with (i := j) in H; auto.
  apply (p_equal_correct (environment symbols no_functions 0)) in H.
  rewrite !row_product_correct in H. unfold times.
  rewrite (sum_equal n _ _ (fun k _ => f_equal2 Rmult (V X i k) (V Y k j))), H.
  symmetry. apply sum_equal. intros k _. now rewrite !V.
Qed.

(* -- biases ---------------------------------------------------------------------------------- *)

(* u^T E v as an expression *)
Fixpoint expression_sum (n : nat) (f : nat -> expr) : expr :=
  match n with O => Int 0 | S k => Add (expression_sum k f) (f k) end.
Definition bilinear_expression (k : nat) (u : list expr) (E : list (list expr)) (v : list expr) :=
  expression_sum k (fun i => expression_sum k (fun j =>
    Mul (Mul (nth i u (Int 0)) (entry E i j)) (nth j v (Int 0)))).

Lemma expression_sum_value symbols f t n g :
  value symbols f t (expression_sum n g) = sum_below n (fun i => value symbols f t (g i)).
Proof. induction n; cbn; [reflexivity | now rewrite IHn]. Qed.

Theorem bias_of_data k u E v b (ur vr : list R) (Er : R -> list (list R)) (br : R -> R)
    symbols given families :
  equal (bilinear_expression k u E v) b = true ->
  (forall t, read symbols (functions symbols given families) t E = Er t) ->
  forallb steady u = true -> forallb steady v = true ->
  map (constant symbols) u = ur -> map (constant symbols) v = vr ->
  (forall t, value symbols (functions symbols given families) t b = br t) ->
  forall t, bilinear k (components ur) (entries (Er t)) (components vr) = br t.
Proof.
  intros H HE Hu Hv <- <- Hb t. rewrite <- Hb, <- HE.
  rewrite <- (equal_correct _ _ H symbols (functions symbols given families) t).
  unfold bilinear_expression. rewrite expression_sum_value.
  assert (C : forall l i, forallb steady l = true ->
    components (map (constant symbols) l) i
    = value symbols (functions symbols given families) t (nth i l (Int 0))).
  { intros l i Hl. unfold components. 
    replace 0 with (constant symbols (Int 0)) by reflexivity. rewrite map_nth.
    symmetry. apply steady_value. rewrite forallb_forall in Hl.
    destruct (nth_in_or_default i l (Int 0)) as [Hi| ->]; [auto | reflexivity]. }
  apply sum_equal. intros i _. rewrite expression_sum_value. apply sum_equal. intros j _.
  cbn [value]. rewrite !C by assumption. do 2 f_equal. unfold read. now rewrite entries_map.
Qed.
