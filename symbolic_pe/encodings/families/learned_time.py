"""Groups in learned time: the model says how far a clock advances, X says what happens on it.

score = qᵀ exp(Σ_c (T_c(t) − T_c(s)) X_c) k with commuting X_c and clocks T_c that data drive.
"""

from __future__ import annotations

from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Claim, Decision
from symbolic_pe.encodings.augmentation import linear_bias
from symbolic_pe.encodings.axes import SeveralAxes, turning
from symbolic_pe.encodings.encoding import Domain, Encoding, Head, Schedule, Verdict
from symbolic_pe.encodings.entry import Entry, Form, Mistake, Published
from symbolic_pe.encodings.families.rotary import ladder
from symbolic_pe.encodings.layout import place_consecutively, place_planes
from symbolic_pe.encodings.readings import rate, slope, theta
from symbolic_pe.encodings.score import KEY, QUERY, Score, choice, exp
from symbolic_pe.encodings.settings import Setting, Settings, dimension, number
from symbolic_pe.encodings.witnesses import (
    SINE,
    as_decision,
    equals,
    not_relative,
    same_function_at,
)
from symbolic_pe.errors import SpecificationError
from symbolic_pe.generators.block import Block
from symbolic_pe.generators.generator import Generator

CLOCK = (0, 1, 3)
LEARNED = Domain(time="real")


def _scalar_decay(settings: Settings) -> Encoding:
    placed = place_consecutively([Block(-settings.number("rate"))] * settings.integer("dim"))
    return Encoding(
        "mamba-2",
        (Head(Generator.from_blocks(placed)),),
        verdict=Verdict.LEARNED_TIME,
        domain=LEARNED,
        clock="learned",
    )


def _gated(settings: Settings) -> SeveralAxes:
    """X_c = −E_c/n: channel c decays on its own clock T_c = −Σ log σ(g_c)."""
    dim = settings.integer("dim")
    decay = Block(-ONE / settings.number("normaliser"))
    axes = tuple(
        Generator.from_blocks(
            place_consecutively([decay if c == own else Block(ZERO) for c in range(dim)])
        )
        for own in range(dim)
    )
    names = tuple(f"T{c}" for c in range(dim))
    return SeveralAxes("gla", axes, names, verdict=Verdict.LEARNED_TIME)


def _damped_rotation(settings: Settings) -> Form:
    """X = −rate·I − ⊕ θⱼJ on one clock, or {−rate·I, −J₁, −J₂, …} on a clock each."""
    dim, rotary = settings.integer("dim"), settings.integer("rotary_dim")
    if rotary > dim or rotary % 2:
        raise SpecificationError(
            f"mamba-3: rotary_dim: expected an even number of at most dim = {dim}, got {rotary}"
        )
    speed = -settings.number("rate")
    if settings.choice("clocks") == "own":
        return _own_clocks(dim, rotary // 2, speed)
    thetas: list[Scalar] = []
    formula = "0"
    if rotary:
        thetas, formula = ladder(
            settings.number("base"), settings.texts["base"], rotary // 2, rotary
        )
    placed = place_planes([Block(speed, -frequency) for frequency in thetas], "interleaved")
    placed += place_consecutively([Block(speed, ZERO)] * (dim - rotary), start=rotary)
    return Encoding(
        "mamba-3",
        (Head(Generator.from_blocks(placed)),),
        verdict=Verdict.LEARNED_TIME,
        layout="interleaved",
        domain=LEARNED,
        clock="learned",
        schedules=(Schedule("frequency", f"-{formula}"),),
    )


def _own_clocks(dim: int, planes: int, speed: Scalar) -> SeveralAxes:
    decay = Generator.from_blocks(place_consecutively([Block(speed)] * dim))
    rest = dim - 2 * planes
    turns = [
        turning([-ONE if j == own else ZERO for j in range(planes)], "interleaved", rest)
        for own in range(planes)
    ]
    names = ("T", *(f"angle{j}" for j in range(planes)))
    return SeveralAxes("mamba-3", (decay, *turns), names, verdict=Verdict.LEARNED_TIME)


def _forget(settings: Settings) -> Encoding:
    """ALiBi of slope 1 on the clock T = −Σ log f."""
    content = Generator.from_blocks(place_consecutively([Block(ZERO)] * settings.integer("dim")))
    return Encoding(
        "fox",
        (Head(content, linear_bias(ONE, (-ONE, ZERO), (ZERO, ONE))),),
        verdict=Verdict.LEARNED_TIME,
        domain=LEARNED,
        clock="learned",
    )


# -- what shows that they are no group in index time ------------------------------------------


def _decays_by(speed: Scalar, of: str) -> tuple[Claim, ...]:
    """Clocks 0, 1, 3 at indices 0, 1, 2: the lags of index are equal, the scores are not."""

    score = exp((_clock(QUERY) - _clock(KEY)) * -speed)
    return (_in_index_time(score, f"T = 0, 1, 3 at indices 0, 1, 2, {of}"),)


def _clock(index: Score) -> Score:
    return choice(index, *CLOCK)


def _in_index_time(score: Score, of: str) -> Claim:
    return not_relative(score, (1, 0), (2, 1), of, name="index-time")


def _by_rate(settings: Settings) -> tuple[Claim, ...]:
    return _decays_by(settings.number("rate"), "a channel with q = k = 1")


def _by_gate(settings: Settings) -> tuple[Claim, ...]:
    return _decays_by(ONE / settings.number("normaliser"), "channel 0 with q = k = 1")


def _by_bias(settings: Settings) -> tuple[Claim, ...]:
    del settings
    return (_in_index_time(_clock(KEY) - _clock(QUERY), "T = 0, 1, 3, the bias alone"),)


# -- what was printed of them -----------------------------------------------------------------


def _trapezoid() -> Decision:
    """α = 1/2, Δ = 1, λ = 1/2: weights α^{t−s}(γ + (1 − λ)Δ) for t > s and γ = λΔ at t = s.

    w(τ) = w(0)·ρ^τ would need w(1)² = w(0)·w(2).
    """
    weights = [parse("1/2"), parse("1/2*(1/2 + 1/2)"), parse("1/4*(1/2 + 1/2)")]
    return equals(
        weights[1] * weights[1],
        weights[0] * weights[2],
        "w(1)^2 and w(0) w(2) for alpha = 1/2, Delta = 1, lambda = 1/2",
    )


def _orientation() -> Decision:
    return same_function_at(-SINE, SINE, 1, "(1, 0)^T R(1) (0, 1)")


def _grape_product() -> Decision:
    """(I + D·E)^{−T} = I − D·Eᵀ with D = Σ log f: the score gets −D; f = 1/2 twice."""
    d = parse("2*log(1/2)")
    return equals(d, -d, "bias for f = 1/2 at two steps: D and what the product gives")


def _exclusive_sums() -> Decision:
    """f = 1/2, 1/4, 1/8 at l = 0, 1, 2: from s = 0 to t = 2 the gates at 1 and 2 count."""
    return equals(
        parse("log(1/2) + log(1/4)"), parse("log(1/4) + log(1/8)"), "bias at t = 2, s = 0"
    )


def _decay_of_keys() -> Decision:
    """Δ_s scales key s; as a part of the lag it would give e^{−(T_t − T_{s−1})}."""
    steps = [b - a for a, b in zip((0, *CLOCK), CLOCK, strict=False)]
    return as_decision(not_relative(choice(KEY, *steps), (1, 0), (2, 1), "Delta_s alone"))


_MONOTONE = "Clocks never run backwards, so causal lags decay; data decide how fast."

GLA = Entry(
    "gla",
    "decay",
    Verdict.LEARNED_TIME,
    "Gated linear attention: a learned clock for each channel",
    "Yang et al., arXiv:2312.06635; flash-linear-attention layers/gla.py",
    {
        "dim": dimension(64),
        "normaliser": number("16", "n in alpha = sigmoid(g)^(1/n)"),
    },
    _gated,
    definition=(
        r"score $= \sum_c q_c k_c \prod_{r = s + 1}^{t} \alpha_{r,c}$ with "
        r"$\alpha_{r,c} = \sigma(g_{r,c})^{1/n}$, which is "
        r"$\exp(-\sum_c (T_c(t) - T_c(s)) E_c / n)$ on the clocks "
        r"$T_c(t) = -\sum_{r \le t} \log \sigma(g_{r,c})$."
    ),
    generator=r"$X_c = -\frac1n e_c e_c^\top$, one for each channel; they commute.",
    stability=_MONOTONE,
    values=(
        Published("rate of channel 0 on its clock", "-1/16", rate(0)),
        Published("rate of channel 1 on the clock of channel 0", "0", rate(1)),
        Published("rate of channel 1 on its clock", "-1/16", rate(1, 1)),
    ),
    witness=_by_gate,
)
MAMBA_2 = Entry(
    "mamba-2",
    "decay",
    Verdict.LEARNED_TIME,
    "Mamba-2: decay on a learned clock",
    "Dao and Gu, arXiv:2405.21060; mamba_ssm modules/mamba2.py",
    {"dim": dimension(64), "rate": number("1", "decay per unit of the clock")},
    _scalar_decay,
    definition=(
        r"$h_t = a_t h_{t-1} + \Delta_t B_t x_t$, $y_t = C_t^\top h_t$ with "
        r"$a_t = e^{\Delta_t A}$, $A < 0$: score $= e^{-(T(t) - T(s))} C_t^\top B_s \Delta_s$ "
        r"on the clock $T(t) = \sum_{r \le t} \Delta_r |A|$."
    ),
    generator=r"$X = -I$ on the clock; none in index time.",
    stability=_MONOTONE,
    values=(Published("rate", "-1", rate(0)),),
    mistakes=(
        Mistake(
            "step-as-position",
            r"the factor $\Delta_s$ of a key is a function of the lag",
            "readers who count it to the positional part",
            "it belongs to the key's content",
            _decay_of_keys,
        ),
    ),
    witness=_by_rate,
)
MAMBA_3 = Entry(
    "mamba-3",
    "damped rotary",
    Verdict.LEARNED_TIME,
    "Mamba-3: decay and rotation on learned clocks",
    "arXiv:2603.15569, propositions 1 to 4; mamba_ssm modules/mamba3.py",
    {
        "dim": dimension(64, 2),
        "rate": number("1", "decay per unit of the clock"),
        "rotary_dim": Setting("32", "rotated channels, the first of dim", minimum=0),
        "base": number("10000", "base of the frequency ladder, for one clock"),
        "clocks": Setting(
            "shared",
            "one clock with fixed frequencies, or a clock of its own for decay and every plane",
            "choice",
            ("shared", "own"),
        ),
    },
    _damped_rotation,
    definition=(
        r"score $= q^\top \exp(-(T(t) - T(s))\lambda I - \sum_j (\phi_j(t) - \phi_j(s)) J_j)\, k$ "
        r"with $T(t) = \sum_{r \le t} \Delta_r |A|$ and "
        r"$\phi_j(t) = \sum_{r \le t} \Delta_r \theta_{r,j}$ "
        r"(`clocks=own`). With $\phi_j = \theta_j T$ one clock serves all (`clocks=shared`), which "
        "is the form that is emitted. The trapezoidal rule is left out."
    ),
    generator=r"$\{-\lambda I, -J_1, \dots, -J_n\}$, which commute; none in index time.",
    stability="The clock of decay never runs backwards; angles are signed.",
    values=(
        Published("rate", "-1", rate(0)),
        Published("theta_0, one clock", "1", theta(0)),
        Published("turn of plane 0 on its clock", "1", theta(0, 1), {"clocks": "own"}),
    ),
    mistakes=(
        Mistake(
            "trapezoid-diagonal",
            r"with the trapezoidal rule the score is $A(t - s)$ for constant gates",
            "arXiv:2603.15569, read as a positional encoding",
            r"the diagonal $t = s$ has the weight $\lambda\Delta$ and leaves the group",
            _trapezoid,
        ),
        Mistake(
            "orientation",
            "the code turns as the paper does",
            "arXiv:2603.15569 (transpose) and its reference code (plus)",
            r"the score has the opposite sign of $\theta$, which learning absorbs",
            _orientation,
        ),
    ),
    witness=_by_rate,
)
FOX = Entry(
    "fox",
    "additive",
    Verdict.LEARNED_TIME,
    "FoX: the forgetting transformer, ALiBi on a learned clock",
    "Lin et al., arXiv:2503.02130, equations 7 to 13",
    {"dim": dimension(64)},
    _forget,
    definition=(
        r"logit $= q^\top k/\sqrt d + \sum_{l = s + 1}^{t} \log f_l$ with "
        r"$f_l = \sigma(w^\top x_l + b)$: $-(T(t) - T(s))$ on the clock "
        r"$T(t) = -\sum_{l \le t} \log f_l$, sums inclusive."
    ),
    generator=(
        r"$X = 0_d \oplus \begin{pmatrix} 0 & 1 \\ 0 & 0 \end{pmatrix}$ with the constants "
        r"$(-1, 0)$ and $(0, 1)$, on the clock; a constant $f = e^{-m}$ is ALiBi."
    ),
    stability="The clock never runs backwards, so the bias falls with the lag.",
    values=(Published("slope on the clock", "1", slope(0)),),
    mistakes=(
        Mistake(
            "product-of-lifts",
            r"$\prod (I + \log f_l\, E)$ with the inverse transpose adds $+\sum \log f_l$",
            "GRAPE appendix C",
            r"it adds $-\sum \log f_l$; section 5 of the same paper has $I - bE$",
            _grape_product,
        ),
        Mistake(
            "exclusive-sums",
            r"$U_u = \sum_{l < u} \log f_l$ gives the sum over $l = s + 1, \dots, t$",
            "GRAPE section 5 and appendix C",
            r"sums have to be inclusive, $l \le u$",
            _exclusive_sums,
        ),
    ),
    witness=_by_bias,
)

ENTRIES = (GLA, MAMBA_2, MAMBA_3, FOX)
