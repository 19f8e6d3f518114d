"""What a certificate of generators, of maps and of steps states, and how it is decided.

A law yields matrices, each with a name, that have to vanish, and refuses what else is not as the
first line of its text says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import accumulate, combinations
from typing import Any

from symbolic_pe.proof.checker.balls import require
from symbolic_pe.proof.checker.form import CLAIMS, LAWS
from symbolic_pe.proof.checker.matrices import Matrix, column, diagonal, polynomial, unit
from symbolic_pe.proof.checker.numbers import ONE, ZERO, Field, Signs

Vanishing = Iterator[tuple[str, Matrix]]


def nothing() -> Vanishing:
    """A claim that the evidence shows already."""
    yield from ()


class Statement:
    """What a document states: its evidence, the claims it may make, the witnesses it may give."""

    claims: Mapping[str, Callable[[], Vanishing]]
    witnesses: Mapping[str, Callable[[str, Any], Vanishing]] = {}

    def evidence(self) -> Vanishing:
        """Nothing beside the claims."""
        return nothing()


class Encoding(Statement):
    """A(t) = exp(tX) for every head, with the generator Y of constant coordinates beside X."""

    def __init__(self, field: Field, document: Mapping[str, Any]) -> None:
        self.field, self.size = field, document["dimension"]
        self.heads = {f"heads[{h}]": head for h, head in enumerate(document["heads"])}
        require(len(self.heads) > 0, "heads: expected at least one")
        self.x, self.j, self.added = {}, {}, {}
        for h, head in self.heads.items():
            basis, extra = head["basis"], head["augmentation"]
            self.x[h] = self._inside(h, head["generator"])
            self.j[h] = self.x[h] if basis is None else self._inside(h, basis["J"])
            y = {} if extra is None else extra["orbit"]["generator"]
            self.added[h] = Matrix(field, y).moved(self.size)
        both = {h: x + self.added[h] for h, x in self.x.items()}
        self.claims = {
            **dict.fromkeys(LAWS, nothing),
            "relativity": partial(_skew, self.x if document["pairing"] == "one-map" else {}),
            "orthogonality": partial(_skew, both),
            "augmentation": self._realised,
            "bounded-causal": partial(self._bounded, everywhere=False),
            "bounded-all": partial(self._bounded, everywhere=True),
        }
        self.witnesses = {"growing-form": partial(self._growing, list(both.values()))}

    def _inside(self, head: str, entries: Any) -> Matrix:
        return Matrix(self.field, entries).inside(self.size, head)

    def evidence(self) -> Vanishing:
        """exp(tX) = P·exp(tJ)·Q and exp(tJ) = E(t) + Σ exp(tJ)D, for D = 1 at the parts.

        E' = JE gives E(t) = exp(tJ)·E(0). p(J)D = 0 gives exp(tJ)D = Σ φ_c(t)·J^c·D with the
        solutions φ_c of p(d/dt)φ = 0 with φ_c^{(k)}(0) = 1 for k = c and 0 for other k below n.
        """
        field, one = self.field, unit(self.field, range(self.size))
        for h, head in self.heads.items():
            j, basis, extra = self.j[h], head["basis"], head["augmentation"]
            if basis is not None:
                p, q = (self._inside(h, basis[name]) for name in "PQ")
                yield f"{h}: XP = PJ", self.x[h] @ p - p @ j
                yield f"{h}: PQ = I", p @ q - one
            e = Matrix(field, head["exponential"])
            start = e.each(field.at_zero)
            yield f"{h}: E' = JE", e.each(field.derivative) - j @ e
            for i, part in enumerate(head["parts"]):
                d = unit(field, part["at"])
                start = start + d
                yield f"{h}.parts[{i}]: p(J)D = 0", polynomial(part["annihilator"], j, d)
            yield f"{h}: E(0) + the parts = I", start - one
            if extra is not None:
                yield from orbit(field, f"{h}.augmentation.orbit", extra["orbit"])
                z = column(field, extra["orbit"]["table"]).each(field.at_zero)
                yield f"{h}.augmentation: z(0) = key", z - column(field, extra["key"])

    def _realised(self) -> Vanishing:
        """Σ query_i·z_i(τ) = bias(τ) for every head, where z(τ) = exp(τY)·key."""
        for h, head in self.heads.items():
            extra = head["augmentation"]
            require(extra is not None, f"{h}: there is no augmentation")
            vectors = extra["query"], extra["orbit"]["table"], [extra["bias"]]
            query, z, bias = (column(self.field, x) for x in vectors)
            yield f"{h}: the bias", query.T @ z - bias

    def _bounded(self, *, everywhere: bool) -> Vanishing:
        """|exp(τX)| is bounded for τ >= 0, or for every τ, by a norm that does not grow.

        V = zᵀPz is positive definite as a sum of wᵢ(zᵢ + later coordinates)² with wᵢ > 0. For
        z' = Jz it has V' = rate·V + gain <= 0; or V' = 0.
        """
        for h, head in self.heads.items():
            norm, where = head["norm"], f"{h}.norm"
            require(norm is not None, f"{where}: there is none")
            weights, rows = norm["form"]["weights"], norm["form"]["rows"]
            size = len(weights)
            order = all(i <= j < size for i, j in rows)
            leading = all(rows.get((i, i)) == ONE for i in range(size))
            require(order and leading, f"{where}: not z_i + later coordinates")
            require(all(self.field.sign(w) == {1} for w in weights), f"{where}: the weights")
            signs = self.field.sign(norm["rate"]) | _signs(self.field, norm["gain"])
            require(1 not in signs, f"{where}: the norm may grow")
            require(not everywhere or signs == {0}, f"{where}: the norm may fall")
            generator = (self.j[h] + self.added[h]).inside(size, f"{where}: too few weights")
            yield f"{where}: PX + X^T P = rate P + gain", _form(generator, norm)

    def _growing(self, generators: list[Matrix], claim: str, witness: Any) -> Vanishing:
        """V = zᵀPz for z' = Xz is unbounded for τ >= 0, or for every τ.

        V' = rate·V + gain. If both are positive, and V(0) > 0 at the vector, V >= e^{rate·τ}V(0)
        (Chetaev); if both are negative, the same holds for −τ. If the rate is 0, and the gain is
        constant and not 0 at the vector, V grows linearly.
        """
        require(witness["head"] < len(generators), "there is no such head")
        x, form, v = generators[witness["head"]], witness["form"], witness["vector"]
        p, gain = (_squares(self.field, form[name]) for name in ("form", "gain"))
        yield "PX + X^T P = rate P + gain", _form(x, form)
        rate, signs = self.field.sign(form["rate"]), _signs(self.field, form["gain"])
        if rate == {0}:
            yield "the derivative of the gain", _slope(x, gain)
            require(0 not in _value(gain, v), "the gain may be 0 there")
        else:
            backwards = claim == "bounded-all" and rate == {-1}
            require(rate == {1} or backwards, "the sign of the rate")
            require(signs <= rate | {0}, "the sign of the gain")
            require(_value(p, v) == {1}, "the form is not positive there")


def orbit(field: Field, where: str, stated: Mapping[str, Any]) -> Vanishing:
    """The functions z have z' = Xz, so that z(t + s) = exp(sX)·z(t)."""
    z = column(field, stated["table"])
    yield f"{where}: z' = Xz", z.each(field.derivative) - Matrix(field, stated["generator"]) @ z


def _skew(generators: Mapping[str, Matrix]) -> Vanishing:
    """Xᵀ = −X, which holds exactly when exp(tX) is orthogonal for every t."""
    for h, x in generators.items():
        yield f"{h}: X + X^T = 0", x + x.T


def _squares(field: Field, squares: Any) -> Matrix:
    """Σ w·vvᵀ over the weights w and rows v."""
    rows = Matrix(field, squares["rows"])
    return rows.T @ diagonal(field, squares["weights"]) @ rows


def _signs(field: Field, squares: Any) -> Signs:
    """Signs that the sum of the squares may have."""
    return frozenset({0}).union(*(field.sign(w) for w in squares["weights"]))


def _slope(x: Matrix, p: Matrix) -> Matrix:
    """PX + XᵀP for a symmetric P: zᵀPz has the derivative zᵀ(PX + XᵀP)z."""
    half = p @ x
    return half + half.T


def _form(x: Matrix, form: Any) -> Matrix:
    """PX + XᵀP − rate·P − gain."""
    p, gain = (_squares(x.field, form[name]) for name in ("form", "gain"))
    rest: Matrix = _slope(x, p) - p * form["rate"] - gain
    return rest


def _value(p: Matrix, vector: Any) -> Signs:
    """The sign of vᵀPv."""
    v = column(p.field, vector)
    return p.field.sign((v.T @ p @ v).entries.get((0, 0), ZERO))


class Axes(Statement):
    """A(p) = exp(Σ pᵢXᵢ) is a homomorphism exactly when the Xᵢ commute (differentiate at 0).

    Of maps it is stated that their products in order compose, by associativity, and that they
    commute or do not.
    """

    def __init__(self, field: Field, document: Mapping[str, Any]) -> None:
        kind, size = document["kind"], document["dimension"]
        given = {f"{kind}[{i}]": Matrix(field, x) for i, x in enumerate(document[kind])}
        require(len(given) > 0, f"{kind}: expected at least one")
        self.matrices = [(name, x.inside(size, name)) for name, x in given.items()]
        trivial = dict.fromkeys(("initial-condition", "composition"), nothing)
        self.claims = dict.fromkeys(CLAIMS[kind], self._commute) | trivial

    def _commute(self) -> Vanishing:
        """XᵢXⱼ = XⱼXᵢ for all i, j."""
        for (i, x), (j, y) in combinations(self.matrices, 2):
            yield f"{i} and {j} do not commute", x @ y - y @ x


class Step(Statement):
    """A(n) = Bⁿ; a stated inverse is one, and a stated logarithm exists."""

    def __init__(self, field: Field, document: Mapping[str, Any]) -> None:
        self.field, self.size = field, document["dimension"]
        self.one = unit(field, range(self.size))
        self.b = Matrix(field, document["step"]).inside(self.size, "step")
        self.inverse, self.logarithm = document["inverse"], document["logarithm"]
        self.claims = {
            **dict.fromkeys(("initial-condition", "homomorphism"), nothing),
            "inverses": self._inverses,
            "generator": self._generator,
        }
        self.witnesses = {"null-vector": self._null, "odd-blocks": self._odd}

    def evidence(self) -> Vanishing:
        """What is stated holds, whatever is claimed."""
        yield from self._inverses() if self.inverse is not None else ()
        yield from self._generator() if self.logarithm is not None else ()

    def _inverses(self) -> Vanishing:
        """B·C = I for the inverse C."""
        require(self.inverse is not None, "none is stated")
        yield "inverse: BC = I", self.b @ Matrix(self.field, self.inverse) - self.one

    def _generator(self) -> Vanishing:
        """MB = BM, M⁴ = I, and p(M²B) = 0 for a polynomial p whose signs alternate.

        Then no eigenvalue of D = M²B lies in (−∞, 0], so that D has a real logarithm, which is a
        polynomial in D and commutes with M; and M² = exp(π(M − M³)/2), whatever the eigenvalues
        ±1, ±i of M. So B = M²D = exp(π(M − M³)/2 + log D).
        """
        require(self.logarithm is not None, "no logarithm is stated")
        m, p = Matrix(self.field, self.logarithm["turn"]), self.logarithm["annihilator"]
        yield "logarithm: MB = BM", m @ self.b - self.b @ m
        yield "logarithm: M^4 = I", m @ m @ m @ m - self.one
        yield "logarithm: p(M^2 B) = 0", polynomial(p, m @ m @ self.b, self.one)
        signs = [self.field.sign(c) for c in (ONE, *reversed(p))]
        alternate = all(sign == {(-1) ** i} for i, sign in enumerate(signs))
        require(alternate, "logarithm.annihilator: the signs do not alternate")

    def _null(self, _: str, witness: Any) -> Vanishing:
        """Bv = 0 for a v that is not 0: B has no inverse, as every exp(X) has."""
        v = witness["vector"]
        require(len(v) == self.size, "the vector has another length")
        signs = [self.field.sign(x) for x in v]
        require(any(0 not in sign for sign in signs), "the vector may be 0")
        yield "Bv = 0", self.b @ column(self.field, v)

    def _odd(self, _: str, witness: Any) -> Vanishing:
        """B = S·(C ⊕ R)·T with Jordan blocks C of a negative λ, an odd number of one size.

        R − λI has an inverse, so that these are all blocks at λ (Culver).
        """
        field, value, sizes = self.field, witness["eigenvalue"], witness["sizes"]
        count, ends = sum(sizes), {*accumulate(sizes)}
        odd = any(k > 0 and sizes.count(k) % 2 for k in sizes)
        require(odd and count <= self.size, "there is no odd number of blocks of one size")
        require(field.sign(value) == {-1}, "the eigenvalue is not negative")
        s, t, r, inverse = (Matrix(field, witness[k]) for k in ("S", "T", "rest", "resolvent"))
        links = {(i - 1, i): ONE for i in range(1, count) if i not in ends}
        first, last = unit(field, range(count)), unit(field, range(count, self.size))
        c = first * value + Matrix(field, links)
        yield "R is beside C", first @ r + r @ first
        yield "BS = S(C + R)", self.b @ s.inside(self.size, "S") - s @ (c + r)
        yield "ST = I", s @ t - self.one
        yield "R - lambda I has an inverse", (r - last * value) @ inverse - last
