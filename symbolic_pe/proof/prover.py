"""Decide the claims of an encoding.

E(0) = I and E′ = XE, decided in one variable, are a complete certificate: uniqueness of the linear
differential equation gives the group law, inverses, relativity and similarity for every real X.
The two-variable products are decided as well where that is cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.matrix import (
    ScalarMatrix,
    is_rational,
    multiply_functions,
    to_fmpq,
    transpose,
)
from symbolic_pe.algebra.printing import assignments
from symbolic_pe.algebra.sampling import sample_point
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.budget import Budget
from symbolic_pe.emit.plan import is_norm_preserving
from symbolic_pe.encodings.augmentation import realised_bias
from symbolic_pe.encodings.encoding import Augmentation, Encoding
from symbolic_pe.encodings.realisation import translates
from symbolic_pe.errors import NotYetCovered, Undecided
from symbolic_pe.exponential.parametric import parametric_exponential
from symbolic_pe.exponential.primary import primary_exponential
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from symbolic_pe.jordan.form import UNDECIDED, JordanCase, RealJordanForm, StructureBlock
from symbolic_pe.jordan.rational_entries import with_rational_entries
from symbolic_pe.proof.claim import Claim, Outcome, outcome_of
from symbolic_pe.proof.patterns import (
    Pattern,
    Theorems,
    at,
    decide,
    first_difference,
    theorems_of,
)
from symbolic_pe.proof.witness import decimal, point_of_difference

STATEMENTS = {
    "initial-condition": "A(0) = I",
    "derivative": "A'(t) = X A(t)",
    "homomorphism": "A(s + t) = A(s) A(t)",
    "relativity": "F(t)^T G(s) = A(t - s), F(t) = A(t)^T, G(s) = A(-s)",
    "closed-form": "A(t) = exp(t X) = P (block exponentials) P^-1",
    "augmentation": "q_a^T exp(tau Y) k_a = bias(tau)",
    "orthogonality": "A(t)^T A(t) = I",
    "bounded-causal": "sup over tau >= 0 of |A(tau)| is finite",
    "bounded-all": "sup over all real tau of |A(tau)| is finite",
}
MAX_UNIFORM_DIMENSION = 12
DISSIPATIVE = (
    "X + X^T is diagonal with entries that are never positive, hence |A(tau)| <= 1 on tau >= 0"
)
ONE_MAP_STATEMENT = "F(t)^T G(s) = A(t - s), F(t) = G(t) = A(-t)"


@dataclass(frozen=True)
class Proof:
    """Every claim made about an encoding, decided, with the Jordan forms that were used."""

    encoding: Encoding
    claims: tuple[Claim, ...]
    cases: tuple[tuple[int, JordanCase], ...]

    @property
    def outcome(self) -> Outcome:
        """Refuted if any claim is; undecided if any is and none is refuted; else proved."""
        return outcome_of(self.claims)


def prove(
    encoding: Encoding,
    budget: Budget | None = None,
    forms: Sequence[RealJordanForm] | None = None,
) -> Proof:
    """Decide every claim that belongs to an encoding or that its specification makes.

    The laws of A(τ) = exp(τX) need no case tree: where one is not decided, or not within the
    budget, they are proved for all parameters at once. `forms` are those of the heads, when they
    are known already (`jordan_forms`).
    """
    added = (
        (_decided("augmentation", lambda: _augmentation(encoding)),)
        if encoding.augmentation is not None
        else ()
    )
    try:
        found = jordan_forms(encoding, budget) if forms is None else forms
    except (NotYetCovered, Undecided) as error:
        asserted = _asserted_undecided(encoding, str(error))
        return Proof(encoding, (*_uniform_laws(encoding, str(error)), *added, *asserted), ())
    cases = tuple((head, case) for head, form in enumerate(found) for case in form.cases)
    claims: list[Claim] = []
    open_cells = next((case.undecided for _, case in cases if case.undecided), "")
    if open_cells:
        claims.extend(_uniform_laws(encoding, open_cells))
    elif any(case.components is None for _, case in cases):
        claims.extend(_primary_laws(encoding, cases))
    else:
        facts = _Facts(encoding, cases)
        claims.extend(facts.laws())
    claims.extend(added)
    claims.extend(_orthogonality(encoding))
    claims.extend(_boundedness(encoding, cases))
    return Proof(encoding, tuple(claims), cases)


def jordan_forms(encoding: Encoding, budget: Budget | None = None) -> tuple[RealJordanForm, ...]:
    """The real Jordan form of every head, constant coordinates included."""
    return tuple(
        real_jordan_form(encoding.full_generator(index), budget)
        for index in range(len(encoding.heads))
    )


def _all_undecided(reason: str) -> tuple[Claim, ...]:
    return tuple(
        Claim(name, Outcome.UNDECIDED, STATEMENTS[name], reason)
        for name in ("initial-condition", "derivative", "homomorphism", "relativity", "closed-form")
    )


def _asserted_undecided(encoding: Encoding, reason: str) -> tuple[Claim, ...]:
    """The claims that the specification makes, where no Jordan form is there to decide them."""
    return tuple(
        Claim(name, Outcome.UNDECIDED, STATEMENTS[name], reason)
        for name in ("orthogonality", "bounded-causal", "bounded-all")
        if name in encoding.asserted
    )


def _primary_laws(
    encoding: Encoding, cases: tuple[tuple[int, JordanCase], ...]
) -> tuple[Claim, ...]:
    """No real basis: the closed form in K[x] modulo an annihilating polynomial, case by case."""
    if _is_one_map_without_skewness(encoding):
        return _all_undecided("one map on both sides of a generator that is not skew")
    matrices = [
        with_rational_entries(encoding.full_generator(i)).matrix for i in range(len(encoding.heads))
    ]
    # The closed form sees of a case only what its equations make of X: cells share proofs.
    distinct = {(head, _equations(case)): case for head, case in cases}
    try:
        for (head, _), case in distinct.items():
            if not _primary_is_proved(case, matrices[head]):
                return _all_undecided(
                    "the primary closed form was not confirmed; please report the input"
                )
    except NotYetCovered as error:
        return _all_undecided(str(error))
    return _laws_by_closed_form(
        "primary closed form: mu(X) = 0, E(0) = I and E' = XE are decided modulo mu, a polynomial "
        "that annihilates X (minimal, or characteristic where there are parameters)"
    )


def _uniform_laws(encoding: Encoding, open_cells: str) -> tuple[Claim, ...]:
    """Without a complete case tree: one closed form modulo χ, for all parameters at once."""
    if _is_one_map_without_skewness(encoding):
        return _all_undecided("one map on both sides of a generator that is not skew")
    matrices = [encoding.full_generator(i).matrix for i in range(len(encoding.heads))]
    if any(is_rational(m) or len(m) > MAX_UNIFORM_DIMENSION for m in matrices):
        return _all_undecided(open_cells)
    if not all(parametric_exponential(matrix).is_proved() for matrix in matrices):
        return _all_undecided("chi(X) = 0 was not confirmed; please report the input")
    return _laws_by_closed_form(
        "exp(tX) = sum of phi_c(t) X^c with the fundamental solutions phi_c of chi(d/dt) phi = 0: "
        "chi(X) = 0, E(0) = I and E' = XE are decided modulo chi, for all parameters at once "
        f"(the case tree is not complete: {open_cells})"
    )


def _is_one_map_without_skewness(encoding: Encoding) -> bool:
    return encoding.pairing == "one-map" and not all(
        is_norm_preserving(h.generator) for h in encoding.heads
    )


def _laws_by_closed_form(reason: str) -> tuple[Claim, ...]:
    unique = f"follows by uniqueness; {reason}"
    return tuple(
        Claim(name, Outcome.PROVED, STATEMENTS[name], text)
        for name, text in (
            ("initial-condition", reason),
            ("derivative", reason),
            ("homomorphism", unique),
            ("relativity", unique),
            ("closed-form", reason),
        )
    )


def _equations(case: JordanCase) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, str(value)) for name, value in case.cell.solved.items()))


def _primary_is_proved(case: JordanCase, matrix: ScalarMatrix) -> bool:
    if is_rational(matrix):
        return primary_exponential(to_fmpq(matrix)).is_proved()
    return parametric_exponential(matrix, case.cell).is_proved()


def _decided(name: str, decide_it: Callable[[], Claim]) -> Claim:
    try:
        return decide_it()
    except (Undecided, NotYetCovered) as error:
        return Claim(name, Outcome.UNDECIDED, STATEMENTS[name], str(error))


class _Facts:
    """The block theorems that an encoding rests on, decided once each."""

    def __init__(self, encoding: Encoding, cases: tuple[tuple[int, JordanCase], ...]):
        self.encoding = encoding
        self.cases = cases
        blocks = [
            block for _, case in cases for form in case.components or () for block in form.blocks
        ]
        self.patterns = {p: theorems_of(p) for p in dict.fromkeys(map(Pattern.of, blocks))}
        self.placed = {
            p: theorems_of(p)
            for head in encoding.heads
            for p in dict.fromkeys(Pattern.of(b.block) for b in head.generator.placed or ())
        }
        self.every = {**self.patterns, **self.placed}

    def laws(self) -> list[Claim]:
        """The five claims that every encoding makes."""
        count = len(self.every)
        kinds = ", ".join(p.name for p in self.every)
        basis = (
            " X P = P J and P P^-1 = I are decided for every component of every case."
            if any(h.generator.placed is None for h in self.encoding.heads)
            else ""
        )
        by_blocks = f"decided with symbolic entries for {count} kind(s) of block: {kinds}."
        direct = all(t.direct for t in self.every.values())
        by_product = (
            "the two-variable identity is decided as an exponential polynomial; " + by_blocks
            if direct
            else "follows from A(0) = I and A' = XA by uniqueness; " + by_blocks
        )
        return [
            self._law("initial-condition", lambda t: t.initial_condition, by_blocks),
            self._law("derivative", lambda t: t.derivative, by_blocks + basis),
            self._law("homomorphism", lambda t: t.homomorphism, by_product + basis),
            self._relativity(by_product + basis),
            self._law(
                "closed-form",
                lambda t: t.initial_condition and t.derivative,
                "initial condition and derivative law determine exp(tX);" + (basis or " X = J."),
            ),
        ]

    def _law(self, name: str, holds: Callable[[Theorems], bool], reason: str) -> Claim:
        failing = next((p for p, t in self.every.items() if not holds(t)), None)
        if failing is None:
            return Claim(name, Outcome.PROVED, STATEMENTS[name], reason)
        return Claim(name, Outcome.REFUTED, STATEMENTS[name], "", f"the block {failing.name}")

    def _relativity(self, reason: str) -> Claim:
        if self.encoding.pairing == "one-map":
            return _decided("relativity", self._one_map)
        return self._law("relativity", lambda t: t.relativity, reason)

    def _one_map(self) -> Claim:
        """F = G = A(−·) is relative exactly when A(t)ᵀ = A(−t), that is Xᵀ = −X."""
        for index, head in enumerate(self.encoding.heads):
            if is_norm_preserving(head.generator):
                continue
            return Claim(
                "relativity",
                Outcome.REFUTED,
                ONE_MAP_STATEMENT,
                "one map serves both sides exactly when X^T = -X",
                _one_map_witness(self.encoding, index),
            )
        return Claim(
            "relativity", Outcome.PROVED, ONE_MAP_STATEMENT, "X^T = -X, hence A(t)^T = A(-t)"
        )


def _orthogonality(encoding: Encoding) -> list[Claim]:
    """Claimed only when it holds, or when the specification claims it."""
    failing = [i for i, h in enumerate(encoding.heads) if not is_norm_preserving(h.generator)]
    if not failing and encoding.augmentation is None:
        return [
            Claim(
                "orthogonality",
                Outcome.PROVED,
                STATEMENTS["orthogonality"],
                "X^T = -X is decided, hence A(t)^T = exp(-tX) = A(t)^-1",
            )
        ]
    if "orthogonality" not in encoding.asserted:
        return []
    return [
        Claim(
            "orthogonality",
            Outcome.REFUTED,
            STATEMENTS["orthogonality"],
            "it holds exactly when X^T = -X",
            _skew_witness(encoding, failing[0] if failing else 0),
        )
    ]


def _skew_witness(encoding: Encoding, head: int) -> str:
    """An entry of X + Xᵀ that is not 0, with sampled parameters."""
    generator = encoding.full_generator(head)
    x, n = generator.matrix, generator.dimension
    where = f" of head {head}" if len(encoding.heads) > 1 else ""
    for i in range(n):
        for j in range(i, n):
            total = x[i][j] + x[j][i]
            if total.is_zero():
                continue
            sample = sample_point(generator.assumptions) or {}
            at = ""
            if total.parameters() and sample:
                at = f" (for {assignments(sample)}: {total.substitute(sample)})"
            return (
                f"(X + X^T){where} at row {i}, column {j} is {total}, not 0{at}; it is the "
                "derivative of A(t)^T A(t) at t = 0"
            )
    raise AssertionError("the generator is skew")


def _one_map_witness(encoding: Encoding, head: int) -> str:
    """An entry of F(t)ᵀG(s) and of A(t − s) that differ, with numbers."""
    generator = encoding.heads[head].generator
    for placed in generator.placed or ():
        block = placed.block
        theorem = theorems_of(Pattern.of(block))
        if theorem.one_map:
            continue
        e = block.exponential()
        left = multiply_functions(transpose(at(e, {"t": -1})), at(e, {"s": -1}))
        found = first_difference(left, at(e, {"t": 1, "s": -1}))
        if found is None:
            continue
        i, j, _ = found
        claimed = e[i][j].compose({"t": 1, "s": -1})
        text = point_of_difference(claimed, left[i][j], generator.assumptions)
        where = f"channels {placed.coordinates[i]}, {placed.coordinates[j]}"
        return f"entry ({where}) {text}" + (f", head {head}" if head else "")
    return _skew_witness(encoding, head)


# -- augmentation -----------------------------------------------------------------------------


def _augmentation(encoding: Encoding) -> Claim:
    """qₐᵀ exp(τY) kₐ = bias(τ), for every head."""
    name = "augmentation"
    before: Augmentation | None = None
    for index, head in enumerate(encoding.heads):
        added = head.augmentation
        assert added is not None
        if before is None or not _shares_flow(before, added):
            laws = decide(added.generator, added.exponential)
        before = added
        if not (laws.initial_condition and laws.derivative):
            return Claim(name, Outcome.REFUTED, STATEMENTS[name], "", "exp(tau Y) is wrong")
        found = realised_bias(added.query, added.exponential, added.key)
        if (found - added.bias).vanishes():
            continue
        claimed_text, found_text = _in_tau(added.bias), _in_tau(found)
        numbers = point_of_difference(
            _rename(added.bias), _rename(found), head.generator.assumptions
        )
        return Claim(
            name,
            Outcome.REFUTED,
            f"{STATEMENTS[name]} = {claimed_text}",
            _softmax_remark(added.bias, found, head.generator.assumptions),
            f"the vectors give {found_text}, not {claimed_text}; {numbers}"
            + (f" (head {index})" if len(encoding.heads) > 1 else ""),
        )
    first = encoding.heads[0].augmentation
    assert first is not None
    return Claim(
        name,
        Outcome.PROVED,
        STATEMENTS[name],
        f"decided as exponential polynomials; {first.coordinates} constant coordinate(s) added, "
        f"bias(tau) = {_in_tau(first.bias)}"
        + (" in head 0" if len(encoding.heads) > 1 else "")
        + _fewest(first),
    )


def _shares_flow(one: Augmentation, other: Augmentation) -> bool:
    """Whether Y and exp(τY) are the very same objects, so that one decision serves both."""
    return one.generator is other.generator and one.exponential is other.exponential


def _fewest(added: Augmentation) -> str:
    """Whether fewer coordinates would do: the rank of the Hankel matrix is what any needs."""
    try:
        rank = translates(added.bias)
    except Undecided:  # a relation between exponents
        return ""
    if not rank:  # the zero bias needs none
        return ""
    generic = "generic " if any(c.re.parameters() for c in added.bias.terms.values()) else ""
    law = f"the Hankel matrix of its Markov parameters has {generic}rank {rank}"
    verdict = "fewer cannot do" if rank == added.coordinates else f"{rank} would do"
    return f"; {verdict}: {law}"


def _rename(f: ExponentialPolynomial) -> ExponentialPolynomial:
    return f.compose({"tau": 1})


def _in_tau(f: ExponentialPolynomial) -> str:
    return str(_rename(f))


def _softmax_remark(
    claimed: ExponentialPolynomial, found: ExponentialPolynomial, cell: Assumptions
) -> str:
    """When the difference does not depend on τ, softmax cannot see it."""
    slope = (claimed - found).derivative("t")
    if slope.vanishes():
        return "equal after softmax: the difference is the same for every key"
    conditions = [c.re for c in slope.terms.values()]
    if any(cell.sign_of_scalar(c) in (1, -1) for c in conditions):
        return "not equal after softmax either, at any admissible value of the parameters"
    texts = sorted({f"{c} = 0" for c in conditions})
    return "equal after softmax exactly where " + " and ".join(texts)


# -- boundedness ------------------------------------------------------------------------------


def _boundedness(encoding: Encoding, cases: tuple[tuple[int, JordanCase], ...]) -> list[Claim]:
    claims = []
    for name in ("bounded-causal", "bounded-all"):
        causal = name == "bounded-causal"
        bad = [
            (head, case)
            for head, case in cases
            if (case.growth.causal if causal else case.growth.all)
            not in ("bounded", "decaying", UNDECIDED)
        ]
        shown = [(head, case) for head, case in bad if _has_a_point(case)]
        open_cells = next((case.undecided for _, case in cases if case.undecided), "")
        if bad and not shown:
            open_cells = "a case that would grow is possibly empty: " + " and ".join(
                bad[0][1].cell.conditions()
            )
        if causal and _is_dissipative(encoding):
            claims.append(Claim(name, Outcome.PROVED, STATEMENTS[name], DISSIPATIVE))
        elif not shown and open_cells:
            if name in encoding.asserted:
                claims.append(Claim(name, Outcome.UNDECIDED, STATEMENTS[name], open_cells))
        elif not bad:
            claims.append(
                Claim(
                    name,
                    Outcome.PROVED,
                    STATEMENTS[name],
                    "real parts are "
                    + ("<= 0" if causal else "0")
                    + ", and blocks with real part 0 have chain length 1, in every case",
                )
            )
        elif name in encoding.asserted:
            claims.append(
                Claim(
                    name,
                    Outcome.REFUTED,
                    STATEMENTS[name],
                    "bounded exactly when real parts allow it and neutral blocks are simple",
                    _growth_witness(encoding, *shown[0], all_lags=not causal),
                )
            )
    return claims


def _has_a_point(case: JordanCase) -> bool:
    """Whether a point of the case is known, so that it can be a witness."""
    return not case.cell.intervals or sample_point(case.cell) is not None


def _is_dissipative(encoding: Encoding) -> bool:
    """X + Xᵀ diagonal with entries known to be ≤ 0, in every head and without added channels."""
    if encoding.augmentation is not None:
        return False
    return all(_loses_norm(head.generator) for head in encoding.heads)


def _loses_norm(generator: Generator) -> bool:
    x, known = generator.matrix, generator.assumptions
    for i, row in enumerate(x):
        if any(not (row[j] + x[j][i]).is_zero() for j in range(i)):
            return False
        if not row[i].is_base() or not known.is_at_most_zero(row[i].base_value()):
            return False
    return True


def _growth_witness(encoding: Encoding, head: int, case: JordanCase, *, all_lags: bool) -> str:
    block = next(b for b in case.structure if _grows(b, all_lags=all_lags))
    conditions = case.cell.conditions()
    where = f" when {' and '.join(conditions)}" if conditions else ""
    head_text = f" in head {head}" if len(encoding.heads) > 1 else ""
    kind = (
        f"eigenvalue {block.texts()['eigenvalue']} with chain length {block.chain_length}"
        f"{head_text}{where}"
    )
    backwards = all_lags and block.real_part_sign < 0
    side = "-" if backwards else "+"
    return f"{kind}: |A(tau)| grows without bound as tau -> {side}infinity" + (
        _growth_number(block, case.cell, backwards=backwards)
    )


def _growth_number(block: StructureBlock, cell: Assumptions, *, backwards: bool) -> str:
    """A lag at which the block has a norm of at least a thousand, with sampled parameters."""
    sample = sample_point(cell)
    if not isinstance(block.eigenvalue, Scalar) or sample is None:
        return ""
    sign = "-" if backwards else ""
    where = f" for {assignments(sample)}" if block.eigenvalue.parameters() else ""
    rate = block.eigenvalue.substitute(sample)
    if rate.is_zero() or block.real_part_sign == 0:
        return (
            f"; at tau = {sign}1000 its norm is at least {1000 ** (block.chain_length - 1)}{where}"
        )
    with precision(64):
        tau = int(float((7 / abs(rate.ball({}))).upper())) + 1
        bound = (abs(rate.ball({})) * tau).exp()
    return f"; at tau = {sign}{tau} the norm of its block is at least {decimal(bound, 6)}{where}"


def _grows(block: StructureBlock, *, all_lags: bool) -> bool:
    if block.real_part_sign == 0:
        return block.chain_length > 1
    return block.real_part_sign > 0 or all_lags
