(* Matrices of logits, of every size: rank, masks, decay and the linear bias.

   Determinants are wedge products of rows, so subtracting from every row a multiple of the one
   before changes nothing, and a triangular matrix is read off its diagonal. *)

From Coq Require Import Reals Lra Lia Arith.
From SymbolicPE Require Import Sums Matrices Gauge ExteriorAlgebra Determinant.
Open Scope R_scope.
Set Bullet Behavior "Strict Subproofs".

(* -- logits factor through the head ----------------------------------------------------------- *)

(* Entry (i, j) is the product of a query and a key of d channels, turned by any maps or none. *)
Definition logits (d : nat) (query key : nat -> vector) : matrix :=
  fun i j => sum_below d (fun c => query i c * key j c).

(* Any d + 1 columns of logits are dependent, and all rows agree on how: the rank is at most d. *)
Theorem logits_have_rank_at_most d query key (column : nat -> nat) :
  exists x : vector, (exists j, (j < S d)%nat /\ x j <> 0)
    /\ forall i, sum_below (S d) (fun j => logits d query key i (column j) * x j) = 0.
Proof.
  destruct (dependence d (fun c j => key (column j) c)) as [x [Hx Hd]].
  exists x. split; [exact Hx|]. intros i. unfold logits.
  rewrite (sum_equal (S d) _ (fun j => sum_below d (fun c => query i c * (key (column j) c * x j)))).
  2:{ intros j _. rewrite <- sum_scale_right. apply sum_equal. intros. ring. }
  rewrite sum_exchange. apply sum_zero. intros c Hc.
  rewrite sum_scale_left, (Hd c Hc). ring.
Qed.

(* The mean of a bilinear form over independent queries and keys is the form of the means. *)
Theorem mean_of_bilinear d N M A (p r : vector) (query key : nat -> vector) :
  sum_below N (fun s => sum_below M (fun t => p s * r t * bilinear d (query s) A (key t)))
  = bilinear d (fun c => sum_below N (fun s => p s * query s c)) A
               (fun c => sum_below M (fun t => r t * key t c)).
Proof.
  unfold bilinear.
  transitivity (sum_below N (fun s => sum_below d (fun a => p s * query s a *
    sum_below d (fun b => A a b * sum_below M (fun t => r t * key t b))))).
  - apply sum_equal. intros s _.
    transitivity (sum_below M (fun t => sum_below d (fun a => p s * query s a *
      (r t * sum_below d (fun b => A a b * key t b))))).
    + apply sum_equal. intros t _. rewrite <- sum_scale_left. apply sum_equal. intros a _.
      rewrite <- !sum_scale_left. apply sum_equal. intros. ring.
    + rewrite sum_exchange. apply sum_equal. intros a _. rewrite sum_scale_left. f_equal.
      transitivity (sum_below M (fun t => sum_below d (fun b => A a b * (r t * key t b)))).
      * apply sum_equal. intros t _. rewrite <- sum_scale_left. apply sum_equal. intros. ring.
      * rewrite sum_exchange. apply sum_equal. intros. now rewrite sum_scale_left.
  - rewrite sum_exchange. apply sum_equal. intros a _. rewrite sum_scale_right.
    rewrite <- sum_scale_left. apply sum_equal. intros. ring.
Qed.

(* -- triangular matrices ---------------------------------------------------------------------- *)

Fixpoint product_below (n : nat) (f : nat -> R) : R :=
  match n with O => 1 | S k => product_below k f * f k end.

Lemma product_equal n f g :
  (forall i, (i < n)%nat -> f i = g i) -> product_below n f = product_below n g.
Proof. induction n; cbn; intros H; [reflexivity|]. now rewrite IHn, H by auto with arith. Qed.

Lemma product_constant n c : product_below n (fun _ => c) = c ^ n.
Proof. induction n; cbn; [reflexivity | rewrite IHn; ring]. Qed.

(* Rows that do not reach the last column. *)
Lemma rows_without_last n m A :
  (forall i, (i < m)%nat -> A i n = 0) -> rows (S n) m A = (rows n m A, zero n).
Proof.
  induction m as [|m IH]; intros H; [reflexivity|]. cbn [rows].
  rewrite IH by auto with arith. apply (wedge_small n n); [apply H; lia | reflexivity].
Qed.

Lemma rows_first n m A : fst (rows (S n) m A) = rows n m A.
Proof. induction m; [reflexivity|]. cbn [rows wedge fst]. now rewrite IHm. Qed.

Lemma wedge_null n v x : (forall i, (i < n)%nat -> v i = 0) -> wedge n v x = zero n.
Proof.
  intros H. rewrite (wedge_equal n v (fun i => 0 * v i)) by (intros; rewrite H by auto; ring).
  now rewrite wedge_multiple, scale_by_zero.
Qed.

Theorem lower_triangular n A :
  (forall i j, (i < j < n)%nat -> A i j = 0) -> determinant n A = product_below n (fun i => A i i).
Proof.
  unfold determinant. induction n; intros H; [reflexivity|].
  cbn [rows]. rewrite rows_without_last by (intros; apply H; lia). cbn [wedge top fst snd].
  rewrite wedge_zero, scale_zero, plus_zero, top_scale, IHn by (intros; apply H; lia). cbn. ring.
Qed.

Theorem upper_triangular n A :
  (forall i j, (j < i < n)%nat -> A i j = 0) -> determinant n A = product_below n (fun i => A i i).
Proof.
  unfold determinant. induction n; intros H; [reflexivity|].
  cbn [rows wedge top fst snd]. rewrite rows_first.
  rewrite (wedge_null n (A n)) by (intros; apply H; lia).
  rewrite scale_zero, plus_zero, top_scale, IHn by (intros; apply H; lia). cbn. ring.
Qed.

(* The characteristic polynomial of masked logits has the diagonal as roots, and nothing else. *)
Theorem masked_characteristic_polynomial n L z :
  (forall i j, (i < j < n)%nat -> L i j = 0) ->
  determinant n (fun i j => z * identity i j - L i j) = product_below n (fun i => z - L i i).
Proof.
  intros H. rewrite lower_triangular.
  - apply product_equal. intros. rewrite identity_diagonal. ring.
  - intros i j Hij. rewrite identity_elsewhere, H by lia. ring.
Qed.

(* -- each row less a multiple of the one before ----------------------------------------------- *)

Definition less_row_before (c : nat -> R) (A : matrix) : matrix :=
  fun i j => match i with O => A O j | S k => A (S k) j - c (S k) * A k j end.

Lemma wedge_twice n v x : wedge n v (wedge n v x) = zero n.
Proof.
  assert (H := wedge_anticommutes n v v x).
  set (y := wedge n v (wedge n v x)) in *.
  assert (E : plus n y y = zero n) by (rewrite H at 2; apply minus_self).
  replace y with (scale n (/ 2) (plus n y y)).
  - now rewrite E, scale_zero.
  - rewrite scale_plus, <- scale_add. replace (/ 2 + / 2) with 1 by lra. apply scale_one.
Qed.

Lemma rows_less_row_before n m c A : rows n m (less_row_before c A) = rows n m A.
Proof.
  induction m as [|m IH]; [reflexivity|]. cbn [rows]. rewrite IH. destruct m as [|m]; [reflexivity|].
  rewrite (wedge_equal n _ (fun j => A (S m) j + (- c (S m)) * A m j)) by (intros; cbn; ring).
  rewrite (wedge_add n (A (S m)) (fun j => - c (S m) * A m j)), wedge_multiple.
  cbn [rows]. now rewrite wedge_twice, scale_zero, plus_zero.
Qed.

Theorem determinant_less_row_before n c A : determinant n (less_row_before c A) = determinant n A.
Proof. unfold determinant. now rewrite rows_less_row_before. Qed.

Lemma determinant_equal n A B : A =[n] B -> determinant n A = determinant n B.
Proof. intros H. unfold determinant. now rewrite (rows_agree n n A B) by (intros; now apply H). Qed.

(* -- decay ------------------------------------------------------------------------------------ *)

Definition distance (i j : nat) : nat := if Nat.leb j i then i - j else j - i.

Definition decay (r : R) : matrix := fun i j => r ^ distance i j.

Theorem decay_determinant n r : determinant (S n) (decay r) = (1 - r * r) ^ n.
Proof.
  rewrite <- (determinant_less_row_before (S n) (fun _ => r)), upper_triangular.
  - assert (H : forall m, product_below (S m) (fun i => less_row_before (fun _ => r) (decay r) i i)
                          = (1 - r * r) ^ m).
    { induction m as [|m IH]; [cbn; unfold decay, distance; cbn; ring|].
      cbn [product_below] in *. rewrite IH.
      assert (E : less_row_before (fun _ => r) (decay r) (S m) (S m) = 1 - r * r).
      { unfold less_row_before, decay, distance.
        rewrite Nat.leb_refl, (proj2 (Nat.leb_gt (S m) m)) by lia.
        replace (S m - S m)%nat with 0%nat by lia. replace (S m - m)%nat with 1%nat by lia.
        cbn. ring. }
      rewrite E. cbn. ring. }
    apply H.
  - intros [|i] j Hij; [lia|]. unfold less_row_before, decay, distance.
    rewrite (proj2 (Nat.leb_le j (S i))), (proj2 (Nat.leb_le j i)) by lia.
    replace (S i - j)%nat with (S (i - j)) by lia. cbn. ring.
Qed.

(* -- the linear bias -------------------------------------------------------------------------- *)

Definition lag (i j : nat) : R := INR (distance i j).

(* First differences of rows are signs; their differences, from the third row on, are 2 at one place. *)
Definition second_differences : matrix :=
  less_row_before (fun i => if Nat.leb 2 i then 1 else 0) (less_row_before (fun _ => 1) lag).

Lemma first_difference i j : lag (S i) j - lag i j = if Nat.leb j i then 1 else -1.
Proof.
  unfold lag, distance. destruct (Nat.leb_spec j i).
  - rewrite (proj2 (Nat.leb_le j (S i))) by lia.
    replace (S i - j)%nat with (S (i - j)) by lia. rewrite S_INR. ring.
  - destruct (Nat.leb_spec j (S i)).
    + replace (S i - j)%nat with 0%nat by lia. replace (j - i)%nat with 1%nat by lia. cbn. ring.
    + replace (j - i)%nat with (S (j - S i)) by lia. rewrite S_INR. ring.
Qed.

Lemma second_difference i j :
  second_differences (S (S i)) j = if Nat.eqb j (S i) then 2 else 0.
Proof.
  unfold second_differences. cbn [less_row_before Nat.leb].
  rewrite !Rmult_1_l, !first_difference.
  destruct (Nat.leb_spec j (S i)), (Nat.leb_spec j i), (Nat.eqb_spec j (S i)); try lia; ring.
Qed.

(* Two rows u, v and below them 2e_1, 2e_2, ...: with m of these in m + 1 columns, the row that
   wedges them all leaves its entry in column 0. *)
Definition below (u : vector) : matrix :=
  fun i j => match i with O => u j | S k => if Nat.eqb j (S k) then 2 else 0 end.

Lemma below_determinant n u : determinant (S n) (below u) = u 0%nat * 2 ^ n.
Proof.
  rewrite upper_triangular.
  - assert (H : forall m, product_below (S m) (fun i => below u i i) = u 0%nat * 2 ^ m).
    { induction m as [|m IH]; [cbn; ring|]. cbn [product_below] in *. rewrite IH.
      unfold below. rewrite Nat.eqb_refl. cbn. ring. }
    apply H.
  - intros [|i] j Hij; [lia|]. unfold below. destruct (Nat.eqb_spec j (S i)); [lia | reflexivity].
Qed.

(* In one column more, rows 2e_1, ..., 2e_m below two rows u and v: the last column is met by u and
   v alone, and leaves the row u_n v - v_n u up to signs. *)
Definition under_two (u v : vector) : matrix :=
  fun i j => match i with O => u j | S O => v j | S (S k) => if Nat.eqb j (S k) then 2 else 0 end.

Lemma rows_under_two n u v m :
  (m < n)%nat ->
  rows (S n) (S (S m)) (under_two u v)
  = (rows n (S (S m)) (under_two u v),
     scale n ((-1) ^ m) (rows n (S m) (below (fun j => v n * u j - u n * v j)))).
Proof.
  induction m as [|m IH]; intros Hm.
  - cbn [rows wedge one fst snd under_two below pow]. f_equal.
    rewrite !wedge_zero, !scale_zero, !plus_zero, scale_one, wedge_scale, scale_scale.
    rewrite (wedge_equal n (fun j => v n * u j - u n * v j)
      (fun j => (fun j => v n * u j) j + (fun j => - u n * v j) j)) by (intros; ring).
    rewrite wedge_add, !wedge_multiple. f_equal. f_equal. ring.
  - cbn [rows]. cbn [rows] in IH. rewrite IH by lia. cbn [wedge fst snd]. f_equal.
    change (under_two u v (S (S m)) n) with (if Nat.eqb n (S m) then 2 else 0).
    rewrite (proj2 (Nat.eqb_neq n (S m))) by lia.
    rewrite scale_by_zero, plus_commutes, plus_zero, wedge_scale, scale_scale.
    cbn [pow]. f_equal.
Qed.

Theorem lag_determinant n : determinant (S (S n)) lag = (-1) ^ (S n) * INR (S n) * 2 ^ n.
Proof.
  rewrite <- (determinant_less_row_before _ (fun _ => 1)).
  rewrite <- (determinant_less_row_before _ (fun i => if Nat.leb 2 i then 1 else 0)).
  fold second_differences.
  set (u := second_differences 0%nat). set (v := second_differences 1%nat).
  assert (E : second_differences =[S (S n)] under_two u v).
  { intros [|[|i]] j _ _; [reflexivity | reflexivity | apply second_difference]. }
  rewrite (determinant_equal _ _ _ E). unfold determinant.
  destruct n as [|n].
  - cbn. unfold u, v, second_differences, lag, distance. cbn. ring.
  - rewrite (rows_under_two (S (S n)) u v (S n)) by lia.
    change (top (S (S (S n))) ?x) with (top (S (S n)) (snd x)). cbn [snd]. rewrite top_scale.
    fold (determinant (S (S n)) (below (fun j => v (S (S n)) * u j - u (S (S n)) * v j))).
    rewrite below_determinant.
    assert (U0 : u 0%nat = 0) by (unfold u, second_differences, lag, distance; cbn; ring).
    assert (Un : u (S (S n)) = INR (S (S n))) by reflexivity.
    assert (V0 : v 0%nat = 1).
    { unfold v, second_differences. cbn [less_row_before Nat.leb].
      rewrite Rmult_1_l, Rmult_0_l, Rminus_0_r, first_difference. reflexivity. }
    rewrite U0, Un, V0. cbn [pow]. ring.
Qed.
