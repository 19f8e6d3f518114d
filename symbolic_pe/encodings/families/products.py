"""Ordered products of maps that data choose and that do not commute: PaTH."""

from __future__ import annotations

from collections.abc import Sequence

from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.matrix import ScalarMatrix, identity, multiply
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Claim, Decision
from symbolic_pe.encodings.encoding import Verdict
from symbolic_pe.encodings.entry import Entry, Mistake, Published
from symbolic_pe.encodings.outside import Outside
from symbolic_pe.encodings.readings import Reader
from symbolic_pe.encodings.settings import Settings, dimension
from symbolic_pe.encodings.witnesses import Evidenced, equals, evidenced, matrices_equal

COMPOSITION = "P(t, s) = P(t, r) P(r, s) for s <= r <= t"
STEPS_COMMUTE = "the maps of two steps commute"


def householder(w: Sequence[Scalar], beta: Scalar) -> ScalarMatrix:
    """H = I − β·w wᵀ/|w|²."""
    size = sum((x * x for x in w), ZERO)
    return tuple(
        tuple((ONE if i == j else ZERO) - beta * x * y / size for j, y in enumerate(w))
        for i, x in enumerate(w)
    )


def _symbolic(name: str) -> ScalarMatrix:
    return tuple(tuple(Scalar.symbol(f"{name}{i}{j}") for j in range(2)) for i in range(2))


def _composition() -> Claim:
    """Products over (s, r] and (r, t], for matrices with symbols as entries."""
    a, b, c = (_symbolic(name) for name in "abc")
    whole = multiply(multiply(a, b), c)
    same = matrices_equal(whole, multiply(a, multiply(b, c)), "(AB)C and A(BC)")
    return Evidenced(
        "composition",
        same.outcome,
        COMPOSITION,
        "a product over (s, t] is the product of those over (s, r] and (r, t], by associativity",
        same.witness,
        _two_steps(),
    )


def _two_steps() -> tuple[ScalarMatrix, ScalarMatrix]:
    half = ONE / Scalar.rational(2)
    return householder((ONE, ZERO), half), householder((ONE, ONE), half)


def _steps() -> Claim:
    first, second = _two_steps()
    found = matrices_equal(
        multiply(first, second), multiply(second, first), "H1 H2 and H2 H1 for beta = 1/2, "
        "w1 = (1, 0), w2 = (1, 1)/sqrt(2)"
    )  # fmt: skip
    place = {"kind": "entry", "index": 0, "row": 0, "column": 1, "time": "0"}
    claim = Claim("commuting-steps", found.outcome, STEPS_COMMUTE, "", found.witness)
    return evidenced(claim, (first, second), place)


def _path(settings: Settings) -> Outside:
    return Outside(
        "path",
        Verdict.PRODUCT,
        settings.integer("dim"),
        lambda: (_composition(), _steps()),
        no_function="the map of every step is made of the token there",
    )


def _eigenvalue(beta: str) -> Reader:
    """The eigenvalue of H along w."""

    def read(form: object) -> Scalar:
        del form
        h = householder((ONE, ONE, ONE), parse(beta))
        return sum((x for x in h[0]), ZERO)

    return read


def _invertible() -> Decision:
    """β = 1: H w = 0."""
    h = householder((ONE, ZERO), ONE)
    determinant = h[0][0] * h[1][1] - h[0][1] * h[1][0]
    return equals(ONE, determinant, "det H for beta = 1 (1 stands for invertible)")


def _transposed() -> Decision:
    """The product in descending order is the transpose of that in ascending order."""
    half = ONE / Scalar.rational(2)
    first, second = householder((ONE, ZERO), half), householder((ONE, ONE), half)
    return matrices_equal(
        multiply(second, first), multiply(first, second), "H2 H1 and H1 H2, beta = 1/2"
    )


def _reflection() -> Decision:
    """β = 1/2 keeps no norm: HᵀH against I."""
    h = householder((ONE, ZERO), ONE / Scalar.rational(2))
    return matrices_equal(multiply(h, h), identity(2), "H^T H for beta = 1/2")


PATH = Entry(
    "path",
    "product",
    Verdict.PRODUCT,
    "PaTH: products of data-dependent Householder maps",
    "Yang et al., arXiv:2505.16381, section 2; flash-linear-attention path_attn",
    {"dim": dimension(64)},
    _path,
    definition=(
        r"logit $= k_s^\top H_{s+1} H_{s+2} \cdots H_t\, q_t$ with "
        r"$H_r = I - \beta_r w_r w_r^\top$, $|w_r| = 1$, $\beta_r \in (0, 2)$ from the token "
        "at $r$."
    ),
    generator=(
        r"None: the steps do not commute, and $H$ is singular at $\beta = 1$. With one $w$ and "
        r"$\beta < 1$ throughout, $X = \ln(1 - \beta)\, w w^\top$."
    ),
    stability=r"$|H| \le 1$ for $\beta \in (0, 2)$, so products never grow.",
    values=(
        Published("eigenvalue of H along w at beta = 1/2", "1/2", _eigenvalue("1/2")),
        Published("eigenvalue of H along w at beta = 3/2", "-1/2", _eigenvalue("3/2")),
    ),
    mistakes=(
        Mistake(
            "order-of-the-product",
            r"$H_t \cdots H_{s+1}$ stands between $k_s$ on the left and $q_t$ on the right",
            "arXiv:2505.16381: introduction against section 2.1",
            "indices ascend from left to right when the key is on the left",
            _transposed,
        ),
        Mistake(
            "always-invertible",
            r"every $H_r$ is invertible, so that a group acts",
            "readers who see Householder reflections",
            r"reflections have $\beta = 2$; at $\beta = 1$ the map is singular",
            _invertible,
        ),
        Mistake(
            "norm-preserving",
            r"$H_r$ preserves norms",
            "readers who see Householder reflections",
            r"only $\beta \in \{0, 2\}$ does",
            _reflection,
        ),
    ),
)

ENTRIES = (PATH,)
