"""What the derivations of this chapter share: angles, identities, kernels in balls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from flint import acb, acb_mat, arb, arb_mat, fmpq

from symbolic_pe.algebra.complex_scalar import ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial, Term
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar, precision
from symbolic_pe.decision import Decision, Outcome, holds
from symbolic_pe.spectrum.eigenvalues import eigenvalue_enclosures
from symbolic_pe.spectrum.sums import exponential_sums, toeplitz

P = ExponentialPolynomial
BITS = 128
C_I = ComplexScalar(ZERO, ONE)


def cosine(**angle: int) -> ExponentialPolynomial:
    """cos of an integer combination of named angles: `cosine(x=1, y=-1)` is cos(x − y)."""
    return P.cosine("u", ONE).compose(angle)


def sine(**angle: int) -> ExponentialPolynomial:
    """sin of an integer combination of named angles."""
    return P.sine("u", ONE).compose(angle)


def at_quarter_turns(f: ExponentialPolynomial, angle: str, turns: int) -> ExponentialPolynomial:
    """f with a named angle at turns·π/2: e^{imx} becomes i^{m·turns}.

    It depends on `turns` modulo 4 alone, so four values decide every integer.

    >>> str(at_quarter_turns(cosine(a=1, b=1), "a", 1))
    '-sin(b)'

    Raises `ValueError` when the angle enters with another factor than an integer.
    """
    place = f.variables.index(angle)
    rest = f.variables[:place] + f.variables[place + 1 :]
    total = P(rest, {})
    for key, c in f.terms.items():
        rate = key.exponents[place]
        whole = rate.im.is_rational() and rate.im.rational_value().q == 1
        if not (rate.re.is_zero() and whole) or key.powers[place]:
            raise ValueError(f"{angle} enters by exp({rate}*{angle}), not by an integer multiple")
        turned = c
        for _ in range(int(rate.im.rational_value().p) * turns % 4):
            turned = turned * C_I
        exponents = key.exponents[:place] + key.exponents[place + 1 :]
        powers = key.powers[:place] + key.powers[place + 1 :]
        total = total + P(rest, {Term(powers, exponents): turned})
    return total


def number(value: int | fmpq) -> Scalar:
    """A rational number of the ring."""
    return Scalar.rational(value)


def constant(value: int | fmpq) -> ExponentialPolynomial:
    """A rational constant function."""
    return P.constant(number(value), ("x",))


def identities(
    pairs: Mapping[str, tuple[ExponentialPolynomial, ExponentialPolynomial]],
) -> Decision:
    """Every named pair of functions is one function."""
    wrong = [name for name, (left, right) in pairs.items() if not (left - right).vanishes()]
    return holds(
        not wrong,
        f"not an identity: {', '.join(wrong)}",
        **{name: str(right) for name, (_, right) in pairs.items()},
    )


def equalities(pairs: Mapping[str, tuple[Scalar, Scalar]]) -> Decision:
    """Every named pair of rational functions of parameters is equal."""
    wrong = [name for name, (left, right) in pairs.items() if not (left - right).vanishes()]
    return holds(
        not wrong,
        f"not equal: {', '.join(wrong)}",
        **{name: right for name, (_, right) in pairs.items()},
    )


def refuted(claimed: str, found: arb, **evidence: object) -> Decision:
    """A refutation whose witness is a ball; undecided when the ball does not clear 0."""
    if found.contains(0):
        return Decision(Outcome.UNDECIDED, evidence)
    return Decision(Outcome.REFUTED, evidence, f"{claimed}: {shown(found)}")


def shown(x: arb, digits: int = 8) -> str:
    """Digits of a ball, all of them right."""
    return str(x.str(digits, radius=False))


def eigenvalues(matrix: arb_mat) -> list[arb]:
    """Certified eigenvalues of a symmetric ball matrix, from the largest down.

    Approximate eigenvectors come from FLINT and are made real; the enclosures do not rest on them.
    """
    size = matrix.nrows()
    middle = acb_mat([[x.mid() for x in row] for row in matrix.tolist()])
    _, vectors = middle.eig(right=True, algorithm="approx")
    columns = []
    for j in range(size):
        column = [vectors[i, j] for i in range(size)]
        pivot = max(column, key=lambda z: float(abs(z).mid()))
        columns.append([float((z / pivot).real.mid()) for z in column])
    basis = _orthonormal(columns)
    return eigenvalue_enclosures(matrix, [list(row) for row in zip(*basis, strict=True)])


def _orthonormal(columns: Sequence[Sequence[float]]) -> list[list[float]]:
    """Gram and Schmidt, twice: eigenvectors of equal eigenvalues come in any basis."""
    done: list[list[float]] = []
    for column in columns:
        v = list(column)
        for _ in range(2):
            for u in done:
                c = sum(a * b for a, b in zip(u, v, strict=True))
                v = [b - c * a for a, b in zip(u, v, strict=True)]
        size = sum(a * a for a in v) ** 0.5
        done.append([a / size for a in v])
    return done


def ladder(dimension: int, base: int) -> list[arb]:
    """θ_k = base^(−2k/d) at the current precision."""
    logarithm = arb(base).log()
    return [(-fmpq(2 * k, dimension) * logarithm).exp() for k in range(dimension // 2)]


def kernel_values(frequencies: Sequence[arb], count: int) -> list[arb]:
    """(1/P)·Σ cos(mθ_k) for m < count."""
    return list(equal_weights(frequencies, count))


def equal_weights(frequencies: Sequence[arb], count: int) -> Iterator[arb]:
    """The same, one lag after the other."""
    share = fmpq(1, len(frequencies))
    exponents = [acb(0, theta) for theta in frequencies]
    return exponential_sums([share] * len(exponents), exponents, count)


__all__ = [
    "BITS",
    "P",
    "at_quarter_turns",
    "constant",
    "cosine",
    "eigenvalues",
    "equal_weights",
    "equalities",
    "identities",
    "kernel_values",
    "ladder",
    "number",
    "precision",
    "refuted",
    "shown",
    "sine",
    "toeplitz",
]
