"""Rotary encodings: X = ⊕ −θⱼJ, bounded, norm preserving, one map for query and key."""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq

from symbolic_pe.algebra.binary32 import nearest_binary32
from symbolic_pe.algebra.exponential_polynomial import real_constant
from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.functions import power
from symbolic_pe.algebra.matrix import ScalarMatrix, scalar_matrix
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Decision
from symbolic_pe.encodings.encoding import Domain, Encoding, Head, Schedule, Verdict
from symbolic_pe.encodings.entry import Entry, Mistake, Published
from symbolic_pe.encodings.layout import place_planes
from symbolic_pe.encodings.readings import entry, live_planes, score, score_function, theta
from symbolic_pe.encodings.settings import Setting, Settings, angles, dimension, layout, number
from symbolic_pe.encodings.witnesses import (
    COSINE,
    SINE,
    equals,
    matrices_equal,
    same_function_at,
)
from symbolic_pe.errors import SpecificationError
from symbolic_pe.generators.block import Block
from symbolic_pe.generators.generator import Generator


def ladder(base: Scalar, base_text: str, planes: int, channels: int) -> tuple[list[Scalar], str]:
    """θⱼ = base^(−2j/channels) for j < planes, and that formula."""
    formula = (
        f"({base_text})^(-2*j/{channels})"
        if not base_text.isdigit()
        else (f"{base_text}^(-2*j/{channels})")
    )
    values = [parse(formula, values={"j": Scalar.rational(j)}) for j in range(planes)]
    return values, formula


def checkpoint_ladder(base: Scalar, planes: int, channels: int) -> list[Scalar]:
    """θⱼ as checkpoints hold them: 1/base^(2j/channels), each operation rounded to float32.

        eⱼ = fl(2j/channels),  pⱼ = fl(base^eⱼ),  θⱼ = fl(1/pⱼ)

    PyTorch's own power function is not always rounded to nearest, so that its `inv_freq` may
    differ from this in the last digit of single entries.
    """
    thetas = []
    for j in range(planes):
        exponent = nearest_binary32(Scalar.rational(fmpq(2 * j, channels)))
        raised = nearest_binary32(power(nearest(base), exponent))
        thetas.append(nearest(Scalar.rational(1 / raised)))
    return thetas


def nearest(x: Scalar) -> Scalar:
    """The nearest number of float32."""
    return Scalar.rational(nearest_binary32(x))


def _rope(settings: Settings) -> Encoding:
    dim, rotary = settings.integer("dim"), settings.integer("rotary_dim")
    rotary = rotary or dim
    if rotary > dim or rotary % 2:
        raise SpecificationError(
            f"rope: rotary_dim: expected an even number of at most dim = {dim}, got {rotary}"
        )
    base = settings.number("base")
    thetas, formula = ladder(base, settings.texts["base"], rotary // 2, rotary)
    schedules: tuple[Schedule, ...] = (Schedule("frequency", f"-{formula}"),)
    if settings.choice("frequencies") == "float32":
        thetas, schedules = checkpoint_ladder(base, rotary // 2, rotary), ()
    blocks = [Block(ZERO, -theta) for theta in thetas]
    placed = place_planes(blocks, settings.choice("layout"), dim - rotary)
    return Encoding(
        "rope",
        (Head(Generator.from_blocks(placed)),),
        layout=settings.choice("layout"),
        domain=Domain(causal=False),
        schedules=schedules,
        frequencies=settings.choice("frequencies"),
        angles=settings.choice("angles"),
    )


def _grape_m(settings: Settings) -> Encoding:
    a, b = settings.vector("a"), settings.vector("b")
    if a or b:
        return _rank_two(a, b)
    dim = settings.integer("dim")
    thetas, formula = ladder(settings.number("base"), settings.texts["base"], dim // 2, dim)
    placed = place_planes([Block(ZERO, theta) for theta in thetas], settings.choice("layout"))
    return Encoding(
        "grape-m",
        (Head(Generator.from_blocks(placed)),),
        layout=settings.choice("layout"),
        domain=Domain(causal=False),
        schedules=(Schedule("frequency", formula),),
    )


def _rank_two(a: list[Scalar], b: list[Scalar]) -> Encoding:
    """X = −L with L = abᵀ − baᵀ, eigenvalues ±i√(|a|²|b|² − (a·b)²) and 0."""
    if len(a) != len(b) or len(a) < 2:
        raise SpecificationError(
            f"grape-m: a and b need the same length of at least 2, got {len(a)} and {len(b)}"
        )
    rows = [[b[i] * a[j] - a[i] * b[j] for j in range(len(a))] for i in range(len(a))]
    if all(x.is_zero() for row in rows for x in row):
        raise SpecificationError("grape-m: a and b are parallel, so the generator is 0")
    return Encoding("grape-m", (Head(Generator.from_matrix(rows)),), domain=Domain(causal=False))


def _nope(settings: Settings) -> Encoding:
    dim = settings.integer("dim")
    return Encoding(
        "nope",
        (Head(Generator.from_blocks(place_planes([], "interleaved", dim))),),
        domain=Domain(causal=False),
    )


FREQUENCIES = Setting(
    "exact",
    "exact numbers base^(-2j/d), or the float32 numbers that a checkpoint holds",
    "choice",
    ("exact", "float32"),
)
ROTARY_DIM = Setting(
    "0", "rotated channels, the first of dim; 0 for all of them", minimum=0, maximum=1024
)


# -- what was printed of them -----------------------------------------------------------------


def _opposite_turn() -> Decision:
    """R(+θτ) against R(−θτ) at θ = 1, τ = 1: the entry below the diagonal."""
    return same_function_at(SINE, -SINE, 1, "row 1, column 0 at tau = 1")


def _lag_reversed() -> Decision:
    """F(s)ᵀG(t) at s = 0, t = 1 is R(θ), F(t − s)ᵀG(0) is R(−θ); θ = 1, the entry (1, 0)."""
    return same_function_at(-SINE, SINE, 1, "row 1, column 0 at s = 0, t = 1, theta = 1")


def _missing_transpose() -> Decision:
    """W = [[1, 1], [0, 1]], x = (1, 0), x′ = (0, 1), equal positions: xᵀWx′ and xᵀWᵀx′."""
    return equals(ONE, ZERO, "x_m^T W_q x_n for W_q = [[1, 1], [0, 1]], W_k = I, m = n")


def _layouts_confused() -> Decision:
    half, interleaved = (
        score_function(ROPE.form({"dim": 4, "layout": name}), *_SMOKE)
        for name in ("half", "interleaved")
    )
    where = "q = (1, 2, 3, 4), k = (1/2, -1, 2, 1/4), t - s = 3, d = 4"
    return same_function_at(half, interleaved, 3, where)


def _indices_from_one() -> Decision:
    """θᵢ = 10000^(−2i/d) for i = 1 … d/2 begins with 10000^(−2/d)."""
    return equals(parse("10000^(-2/8)"), parse("1"), "the first frequency of d = 8")


def _integer_division() -> Decision:
    """An exponent 2j // d in integers is 0 for every j < d/2."""
    return equals(parse("10000^0"), parse("10000^(-2/8)"), "theta_1 of d = 8")


def _base_left_out() -> Decision:
    """d = 128 with base 500000 in the checkpoint and 10000 in the code."""
    stated, right = (parse(f"{base}^(-2/128)") for base in (10000, 500000))
    return equals(stated, right, "theta_1 of d = 128, base 500000")


def _plane(a: Sequence[int], b: Sequence[int]) -> ScalarMatrix:
    """L(a, b) = a bᵀ − b aᵀ."""
    return scalar_matrix(
        [[Scalar.rational(a[i] * b[k] - b[i] * a[k]) for k in range(len(a))] for i in range(len(a))]
    )


J = scalar_matrix([[ZERO, -ONE], [ONE, ZERO]])


def _wrong_sign_of_the_plane() -> Decision:
    return matrices_equal(J, _plane((1, 0), (0, 1)), "L(e1, e2), said to be J")


def _integer_period() -> Decision:
    """s = 1: the map at n = 7, beyond 2π/s = 6.28…, is not the map at 0."""
    return same_function_at(COSINE, real_constant(ONE), 7, "cos(n s) at n = 7, s = 1")


_SMOKE = (("1", "2", "3", "4"), ("1/2", "-1", "2", "1/4"))
_STABLE = (
    r"$A(\tau)$ is orthogonal: norms are kept, $|A(\tau)| = 1$ for every lag, on both sides of 0, "
    "and one map serves queries and keys."
)

NOPE = Entry(
    "nope",
    "none",
    Verdict.GROUP,
    "No positional encoding",
    "Haviv et al. 2022; Kazemnejad et al. 2023",
    {"dim": dimension(64)},
    _nope,
    definition=r"score $= q^\top k$ for all positions.",
    generator="$X = 0$: the trivial group. Order comes from the causal mask alone, outside $A$.",
    stability=r"$A(\tau) = I$: bounded for all lags.",
    values=(
        Published("score of the smoke test", "5.5", score(*_SMOKE, 3), {"dim": 4}),
        Published("planes that turn", "0", live_planes()),
    ),
)
ROPE = Entry(
    "rope",
    "rotary",
    Verdict.GROUP,
    "Rotary position embedding",
    "Su et al., RoFormer, arXiv:2104.09864",
    {
        "dim": dimension(128, 2),
        "base": number("10000", "base of the frequency ladder"),
        "layout": layout("interleaved"),
        "rotary_dim": ROTARY_DIM,
        "frequencies": FREQUENCIES,
        "angles": angles(),
    },
    _rope,
    definition=(
        r"Planes $j = 0, \dots, d/2 - 1$ with $\theta_j = b^{-2j/d}$; "
        r"$\tilde q = R(t\theta_j) q$ and $\tilde k = R(s\theta_j) k$ in every plane, so the score "
        r"is $\sum_j q_j^\top R((s - t)\theta_j) k_j$. Layout `interleaved`: plane $j$ is channels "
        "$(2j, 2j + 1)$; `half`: $(j, j + d/2)$, conjugate by a permutation of channels."
    ),
    generator=(
        r"$X = \bigoplus_j -\theta_j J$, skew, eigenvalues $\pm i\theta_j$: "
        r"$A(\tau) = \bigoplus_j R(-\theta_j\tau)$."
    ),
    stability=_STABLE,
    values=(
        Published("theta_0", "1", theta(0), {"dim": 8}),
        Published("theta_1", "1/10", theta(1), {"dim": 8}),
        Published("theta_3", "1/1000", theta(3), {"dim": 8}),
        Published("theta_1", "0.86596432336", theta(1)),
        Published("theta_2", "0.74989420933", theta(2)),
        Published("theta_63", "1.1547819847e-4", theta(63)),
        Published("interleaved score", "7.982131588556", score(*_SMOKE, 3), {"dim": 4}),
        Published(
            "half-split score", "-7.228961506711", score(*_SMOKE, 3), {"dim": 4, "layout": "half"}
        ),
    ),
    mistakes=(
        Mistake(
            "turned-the-other-way",
            r"$A(\tau) = R(+\theta\tau)$ for maps $R(+\theta\cdot)$ on both sides",
            "texts that write $R_{m-n}$ for query $m$ and key $n$",
            r"$R(t\theta)^\top R(s\theta) = R((s - t)\theta)$, so $A(\tau) = R(-\theta\tau)$",
            _opposite_turn,
        ),
        Mistake(
            "lag-reversed",
            r"$F(s)^\top G(t) = F(t - s)^\top G(0)$",
            "notes on the post by A. Puranik",
            r"$F(s)^\top G(t) = F(s - t)^\top G(0)$",
            _lag_reversed,
        ),
        Mistake(
            "missing-transpose",
            r"the score is $x_m^\top W_q R^d_{\Theta, n - m} W_k x_n$",
            "RoFormer equation 16",
            r"it has $W_q^\top$, because $q_m = W_q x_m$",
            _missing_transpose,
        ),
        Mistake(
            "layouts-confused",
            "the half-split and the interleaved layout give the same scores with the same weights",
            "checkpoints loaded without permuting the rows of $W_q$ and $W_k$",
            "they are conjugate by a permutation, which the weights have to follow",
            _layouts_confused,
        ),
        Mistake(
            "indices-from-one",
            r"$\theta_i = 10000^{-2i/d}$ for $i = 1, \dots, d/2$",
            "RoFormer section 3.3, beside equation 15, which has $i - 1$",
            r"$\theta_j = 10000^{-2j/d}$ for $j = 0, \dots, d/2 - 1$: the first frequency is 1",
            _indices_from_one,
        ),
        Mistake(
            "integer-division",
            "the exponent $2j/d$ computed in integers",
            "kernels in C that divide integers",
            "the quotient is a rational number",
            _integer_division,
        ),
        Mistake(
            "default-base",
            "the base is 10000, whatever the checkpoint says",
            "loaders that ignore `rope_theta`",
            "the base of the checkpoint, such as 500000",
            _base_left_out,
        ),
    ),
)
GRAPE_M = Entry(
    "grape-m",
    "rotary",
    Verdict.GROUP,
    "GRAPE, multiplicative form",
    "Zhang et al., Group Representational Position Encoding, ICLR 2026",
    {
        "dim": dimension(64, 2),
        "base": number("10000", "base of the frequency ladder"),
        "layout": layout("half"),
        "a": Setting("", "rank-two generator a bᵀ − b aᵀ: the vector a", "vector"),
        "b": Setting("", "rank-two generator a bᵀ − b aᵀ: the vector b", "vector"),
    },
    _grape_m,
    definition=(
        r"$L = a b^\top - b a^\top$, $G(n) = \exp(n\omega L)$, $\tilde q = G(t) q$, "
        r"$\tilde k = G(s) k$; score $q^\top G(s - t) k$. Without $a$ and $b$: one such plane for "
        "each pair of channels, $b = Ja$, with the frequencies of RoPE; the published code turns "
        "by "
        r"$-\theta$."
    ),
    generator=(
        r"$X = -\omega L$, skew of rank 2, eigenvalues $\pm i\omega s$ and 0 with "
        r"$s = \sqrt{|a|^2|b|^2 - (a\cdot b)^2}$ (Rodrigues: "
        r"$e^{nL} = I + \frac{\sin ns}{s} L + \frac{1 - \cos ns}{s^2} L^2$)."
    ),
    stability=_STABLE,
    values=(
        Published("-theta_1, as the code turns", "-1/10", theta(1), {"dim": 8}),
        Published("entry (0, 1) of X = -L(e1, e2)", "-1", entry(0, 1), {"a": "1 0", "b": "0 1"}),
    ),
    mistakes=(
        Mistake(
            "sign-of-the-plane",
            "$L(e_1, e_2) = J$, so that $G$ turns as RoPE does",
            "GRAPE sections 2.1 and 3.1; section 2.4 has the right sign",
            "$L(e_1, e_2) = -J$",
            _wrong_sign_of_the_plane,
        ),
        Mistake(
            "integer-period",
            r"on integer positions the map has the period $2\pi/s$",
            "GRAPE appendix J",
            r"it has a period only if $s/2\pi$ is rational, and then the denominator is the period",
            _integer_period,
        ),
    ),
)

ENTRIES = (NOPE, ROPE, GRAPE_M)
