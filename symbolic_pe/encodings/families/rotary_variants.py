"""Rotary encodings in which some planes stand still, lose their rotation, or mix frequencies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import arb, fmpq

from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Claim, Decision
from symbolic_pe.encodings.axes import turning
from symbolic_pe.encodings.encoding import Domain, Encoding, Head, Schedule, Verdict
from symbolic_pe.encodings.entry import Entry, Form, Mistake, Published
from symbolic_pe.encodings.families.by_parts import TRUNCATE, yarn_frequencies, yarn_settings
from symbolic_pe.encodings.families.rotary import ladder
from symbolic_pe.encodings.families.rotary_common import (
    BOUNDED,
    TWO_PI,
    common,
    factor,
    frequency_of,
    mscale,
    rotary,
    trained_ladder,
)
from symbolic_pe.encodings.outside import Arithmetic, Given, Outside, PositionFunction
from symbolic_pe.encodings.readings import entry, live_planes, temperature, theta
from symbolic_pe.encodings.score import KEY, QUERY, Score, cos, exp, sin, total
from symbolic_pe.encodings.settings import Setting, Settings, angles, dimension, layout, number
from symbolic_pe.encodings.witnesses import as_decision, equals, not_relative
from symbolic_pe.errors import SpecificationError
from symbolic_pe.generators.generator import Generator

# -- planes that stand still ------------------------------------------------------------------


def _fraction(settings: Settings) -> fmpq:
    value = settings.number("fraction")
    if not value.is_rational() or value.rational_value() > 1:
        raise SpecificationError(
            f"fraction: expected a rational number from 0 to 1, got {settings.texts['fraction']!r}"
        )
    return value.rational_value()


def _partial_rope(settings: Settings) -> Encoding:
    """The first ⌊fraction·d⌋ channels turn, with the whole ladder of that width."""
    dim = settings.integer("dim")
    rotated = int((_fraction(settings) * dim).floor())
    if rotated % 2:
        raise SpecificationError(
            f"partial-rope: fraction: expected an even number of rotated channels, got {rotated}"
        )
    thetas, formula = ladder(
        settings.number("base"), settings.texts["base"], rotated // 2, max(rotated, 2)
    )
    generator = turning([-x for x in thetas], settings.choice("layout"), dim - rotated)
    return Encoding(
        "partial-rope",
        (Head(generator),),
        layout=settings.choice("layout"),
        domain=Domain(causal=False),
        angles=settings.choice("angles"),
        schedules=(Schedule("frequency", f"-{formula}"),),
    )


def _p_rope(settings: Settings) -> Encoding:
    """The first ⌊p·d/2⌋ planes of RoPE on all d channels; the others stand still."""
    dim = settings.integer("dim")
    live = int((_fraction(settings) * dim / 2).floor())
    thetas, formula = trained_ladder(settings)
    s = settings.number("factor")
    kept = [x / s for x in thetas[:live]] + [ZERO] * (len(thetas) - live)
    text = formula if s == ONE else f"({formula}/({settings.texts['factor']}))"
    return rotary(settings, kept, text)


def _mla(settings: Settings) -> Encoding:
    """0 ⊕ (−θ′ⱼJ): content channels first, then the rotated ones, scaled as by YaRN."""
    content, rotated = settings.integer("content_dim"), settings.integer("rotary_dim")
    s = settings.number("factor")
    thetas = yarn_frequencies(settings, rotated)
    generator = turning([-x for x in thetas], settings.choice("layout"), before=content)
    return Encoding(
        "mla",
        (Head(generator),),
        layout=settings.choice("layout"),
        domain=Domain(causal=False),
        temperature=mscale(s, settings.number("mscale")),
        angles=settings.choice("angles"),
    )


def _hope_high_frequency(settings: Settings) -> Encoding:
    """Planes that turn at least once within the training length; the others stand still."""
    thetas, formula = trained_ladder(settings)
    live = settings.integer("kept")
    if not live:
        length = Scalar.rational(settings.integer("length"))
        live = sum((x * length - TWO_PI).sign() >= 0 for x in thetas)
    if live > len(thetas):
        raise SpecificationError(
            f"hope-high-frequency: kept: expected at most {len(thetas)} planes, got {live}"
        )
    return rotary(settings, [*thetas[:live], *[ZERO] * (len(thetas) - live)], formula)


# -- no rotation ------------------------------------------------------------------------------


def _hope_hyperbolic(settings: Settings) -> Encoding:
    """X = ⊕ −θ′I + θⱼK with K = [[0, 1], [1, 0]]."""
    thetas, _ = trained_ladder(settings)
    decay = settings.number("decay")
    if (decay - thetas[0]).sign() <= 0:
        raise SpecificationError(
            "hope-hyperbolic: decay: expected more than the largest frequency, "
            f"{thetas[0]}, or a plane grows; got {settings.texts['decay']!r}"
        )
    rows = [[ZERO] * (2 * len(thetas)) for _ in range(2 * len(thetas))]
    for j, x in enumerate(thetas):
        first, second = 2 * j, 2 * j + 1
        rows[first][first] = rows[second][second] = -decay
        rows[first][second] = rows[second][first] = x
    return Encoding("hope-hyperbolic", (Head(Generator.from_matrix(rows)),))


# -- mixed frequencies ------------------------------------------------------------------------


Coefficients = tuple[tuple[Scalar, ...], ...]


def _mixture(settings: Settings, name: str, planes: int, beside: Scalar) -> Coefficients:
    """Coefficients (plane, frequency): as given row by row, or 1 and `beside` for the next one."""
    given = settings.vector(name)
    if not given:
        return tuple(
            tuple(ONE if j == i else beside if j == i + 1 else ZERO for j in range(planes))
            for i in range(planes)
        )
    if len(given) != planes * planes:
        raise SpecificationError(
            f"fope: {name}: expected {planes}·{planes} coefficients, got {len(given)}"
        )
    return tuple(tuple(given[i * planes : (i + 1) * planes]) for i in range(planes))


def _fope(settings: Settings) -> Form:
    """C(t) = Σ cₗ cos(ωₗt), S(t) = Σ sₗ sin(ωₗt), y = C·x + S·Jx; ω < 2π/L becomes 0."""
    thetas, _ = trained_ladder(settings)
    length = Scalar.rational(settings.integer("length"))
    omegas = [x if (x * length - TWO_PI).sign() >= 0 else ZERO for x in thetas]
    planes = len(omegas)
    cosines = _mixture(settings, "cos_mix", planes, parse("1/4"))
    sines = _mixture(settings, "sin_mix", planes, parse("1/8"))
    identity = tuple(tuple(ONE if j == i else ZERO for j in range(planes)) for i in range(planes))
    if cosines == sines == identity:
        return rotary(settings, omegas)
    if all(_is_plain(cosines, sines, i) for i in range(planes)):
        raise SpecificationError(
            "fope: cos_mix and sin_mix: every plane has one frequency and one amplitude, which is "
            "RoPE with its planes in another order or scaled; give that as rope"
        )
    return _mixed(settings, omegas, cosines, sines)


def _mixed(
    settings: Settings, omegas: Sequence[Scalar], cosines: Coefficients, sines: Coefficients
) -> Outside:
    planes = len(omegas)

    def amplitude(position: int, plane: int, *, sine: bool) -> arb:
        total = arb(0)
        for weight, omega in zip((sines if sine else cosines)[plane], omegas, strict=True):
            wave = omega.ball({}) * position
            total += weight.ball({}) * (wave.sin() if sine else wave.cos())
        return total

    def waves(plane: int, n: Score, *, sine: bool) -> Score:
        weights = (sines if sine else cosines)[plane]
        live = [(w, x) for w, x in zip(weights, omegas, strict=True) if not w.is_zero()]
        return total(0, *((sin if sine else cos)(n * x) * w for w, x in live))

    def claims() -> tuple[Claim, ...]:
        """q = k = (1, 0): C(t)C(s) + S(t)S(s)."""
        mixed = next(i for i in range(planes) if not _is_plain(cosines, sines, i))
        score = total(
            *(waves(mixed, QUERY, sine=x) * waves(mixed, KEY, sine=x) for x in (False, True))
        )
        of = f"plane {mixed}, q = k = (1, 0)"
        return (not_relative(score, (1, 0), (3, 2), of),)

    def closed_form(_: Arithmetic, given: Given, position: Any, column: int) -> Any:
        sine = column >= planes
        total: Any = 0
        weights = given["sin_mix" if sine else "cos_mix"][column % planes]
        for weight, omega in zip(weights, given["FREQUENCY"], strict=True):
            wave = position * omega
            total = total + weight * (wave.sin() if sine else wave.cos())
        return total

    function = PositionFunction(
        "table",
        "C and S of every plane, C first: C = sum of cos_mix * cos(position * frequency), "
        "S = sum of sin_mix * sin(position * frequency); y = C x + S J x in every plane",
        (
            ("angle", "(position * FREQUENCY)[:, None, :]"),
            ("first", "sum(cos_mix * cos(angle))"),
            ("second", "sum(sin_mix * sin(angle))"),
        ),
        "concat([first, second], -1)",
        closed_form,
        2 * planes,
        {"FREQUENCY": tuple(omegas)},
        {
            "cos_mix": "(planes, frequencies), the learned coefficients of the cosines",
            "sin_mix": "(planes, frequencies), those of the sines",
        },
        {"cos_mix": _rationals(cosines), "sin_mix": _rationals(sines)},
    )
    return Outside("fope", Verdict.NOT_INVARIANT, 2 * planes, claims, function)


def _is_plain(cosines: Coefficients, sines: Coefficients, plane: int) -> bool:
    """One frequency, with the same amplitude in cos and sin."""
    live = [x for x in cosines[plane] if not x.is_zero()]
    return cosines[plane] == sines[plane] and len(live) == 1


def _rationals(rows: Coefficients) -> list[list[fmpq]]:
    for x in (x for row in rows for x in row):
        if not x.is_rational():
            raise SpecificationError(f"fope: expected rational coefficients, got {x}")
    return [[x.rational_value() for x in row] for row in rows]


# -- what was printed of them -----------------------------------------------------------------


def _width_of_the_head() -> Decision:
    """d_r = 8 of d = 16: exponent 2/16 instead of 2/8."""
    right = frequency_of({"dim": 16, "fraction": "1/2"}, PARTIAL_ROPE, 1)
    return equals(parse("10000^(-2/16)"), right, "theta_1, 8 of 16 channels")


def _factor_applied_twice() -> Decision:
    found = PARTIAL_ROPE.form({"dim": 64, "fraction": "1/2"})
    right = live_planes()(found)
    assert isinstance(right, int)
    return equals(Scalar.rational(8), Scalar.rational(right), "planes that turn, d = 64")


def _width_of_the_rotated_part() -> Decision:
    right = frequency_of({}, P_ROPE, 1)
    return equals(parse("10000^(-2/192)"), right, "theta_1, p = 3/4 of d = 256")


def _softmax_scale(form: Form) -> Scalar:
    """c²/√(d_h + d_R)."""
    c = temperature(form)
    return c * c / parse(f"sqrt({form.dimension})")


def _scale_of_the_content() -> Decision:
    right = _softmax_scale(MLA.form({"factor": 1}))
    return equals(parse("1/sqrt(128)"), right, "the factor of the logits without YaRN")


def _all_channels_turn() -> Decision:
    found = MLA.form({})
    right = live_planes()(found)
    assert isinstance(right, int)
    return equals(Scalar.rational(form_planes(found)), Scalar.rational(right), "planes that turn")


def form_planes(form: Form) -> int:
    """Half of the channels."""
    return form.dimension // 2


def _one_hyperbolic_map() -> Decision:
    """B(t)q and B(s)k: cosh((t + s)θ) for q = k = (1, 0), θ = 1."""
    both = QUERY + KEY
    score = (exp(both) + exp(-1 * both)) * fmpq(1, 2)
    return as_decision(not_relative(score, (1, 0), (2, 1), "B(t) q, B(s) k, q = k = e1"))


def _a_rotation() -> Decision:
    """The eigenvalues of −θ′I + θK are −θ′ ± θ: their difference squared is 4θ², not −4θ²."""
    return equals(parse("-4"), parse("4"), "(difference of the two eigenvalues)^2 at theta = 1")


def _padded_with_ones() -> Decision:
    """Frequency 0 with cos and sin both 1: M = I + J, and MᵀM = 2I."""
    return equals(parse("2"), parse("1"), "q^T M^T M k for q = k = (1, 0), frequency 0")


def _mixing_is_relative() -> Decision:
    found = FOPE.form({})
    assert isinstance(found, Outside)
    return as_decision(found.claims()[0])


PARTIAL_ROPE = Entry(
    "partial-rope",
    "rotary",
    Verdict.GROUP,
    "Partial rotary embedding: the first channels turn",
    "GPT-NeoX; transformers partial_rotary_factor",
    {
        **common(dim=64),
        "fraction": number("1/4", "share of the channels that turn", zero=True),
    },
    _partial_rope,
    definition=(
        r"$d_r = \lfloor \mathrm{fraction}\cdot d\rfloor$; the first $d_r$ channels are turned "
        "with "
        r"$\theta_j = b^{-2j/d_r}$, the others left alone: the whole ladder, compressed."
    ),
    generator=r"$X = \bigoplus_j -\theta_j J \oplus 0_{d - d_r}$.",
    stability=BOUNDED,
    values=(
        Published("theta_1, 8 of 16 channels", "1/10", theta(1), {"dim": 16, "fraction": "1/2"}),
        Published("planes that turn", "8", live_planes()),
    ),
    mistakes=(
        Mistake(
            "width-of-the-head",
            r"$\theta_j = b^{-2j/d}$ with the width of the head",
            "kernels that take the exponent from the head, and their own tests",
            r"the exponent has the rotated width, $b^{-2j/d_r}$",
            _width_of_the_head,
        ),
        Mistake(
            "factor-applied-twice",
            "the fraction is applied to a width that already has it",
            "several ports of GPT-NeoX models",
            "half of 64 channels are 16 planes, not 8",
            _factor_applied_twice,
        ),
    ),
    variant_of="rope",
)
P_ROPE = Entry(
    "p-rope",
    "rotary",
    Verdict.GROUP,
    "p-RoPE: the lowest frequencies are dropped",
    "Barbero et al., arXiv:2410.06205, appendix D; transformers rope_type proportional",
    {
        **common(dim=256),
        "fraction": number("3/4", "p, the share of the planes that is kept", zero=True),
        "factor": number("1", "every frequency is divided by it"),
    },
    _p_rope,
    definition=(
        r"$\theta_j = b^{-2j/d}$ for the first $\lfloor p\,d/2\rfloor$ planes, 0 for the others. "
        "In the "
        r"half-split layout the channels that stand still end each half. $p = 0$ is no positional "
        r"encoding, $p = 1$ is RoPE."
    ),
    generator=r"$X = \bigoplus_{j < pd/2} -\theta_j J \oplus 0$.",
    stability=BOUNDED,
    values=(
        Published("planes that turn, d = 256, p = 3/4", "96", live_planes()),
        Published(
            "planes that turn, d = 512, p = 1/4",
            "64",
            live_planes(),
            {"dim": 512, "fraction": "1/4", "base": 1000000},
        ),
        Published("theta_1", "10000^(-2/256)", theta(1)),
    ),
    mistakes=(
        Mistake(
            "width-of-the-rotated-part",
            r"$\theta_j = b^{-2j/d_r}$ as in partial rotary embedding",
            "readers who take p-RoPE for partial rotary embedding",
            r"the exponent has the whole width $d$, so frequencies are dropped, not compressed",
            _width_of_the_rotated_part,
        ),
    ),
    variant_of="rope",
)
MLA = Entry(
    "mla",
    "rotary",
    Verdict.GROUP,
    "Decoupled rotary part of multi-head latent attention",
    "DeepSeek-AI, arXiv:2405.04434, section 2.1.3; DeepSeek-V3 inference/model.py",
    {
        "content_dim": Setting("128", "channels that do not turn, first", maximum=512),
        "rotary_dim": Setting(
            "64", "channels that turn, after them", minimum=2, multiple_of=2, maximum=512
        ),
        "base": number("10000", "base of the frequency ladder"),
        "layout": layout("interleaved"),
        "angles": angles(),
        "factor": factor("40"),
        **yarn_settings(4096),
        "truncate": TRUNCATE,
        "mscale": number("1", "w in c = 0.1 w ln s + 1"),
    },
    _mla,
    definition=(
        r"$q = [q^C; q^R]$, $k = [k^C; k^R]$, RoPE on the parts $R$ alone, with the frequencies of "
        r"YaRN; $k^R$ is shared by all heads. Softmax scale $c^2/\sqrt{d_h + d_R}$ with "
        r"$c = 0.1\,w \ln s + 1$."
    ),
    generator=r"$X = 0_{128} \oplus \bigoplus_j -\theta'_j J$; score $= c^2\, q^\top A(\tau) k$.",
    stability=BOUNDED,
    values=(
        Published("c, s = 40", "1.3688879454", temperature),
        Published("softmax scale", "0.1352337789", _softmax_scale),
        Published("c, s = 40, w = 0.707", "1.2608037774", temperature, {"mscale": "0.707"}),
        Published("planes that turn", "32", live_planes()),
    ),
    mistakes=(
        Mistake(
            "scale-of-the-content",
            r"the softmax scale is $1/\sqrt{d_h}$",
            "ports that scale by the width of the content",
            r"$1/\sqrt{d_h + d_R} = 1/\sqrt{192}$",
            _scale_of_the_content,
        ),
        Mistake(
            "all-channels-turn",
            "RoPE turns the whole head",
            "ports that rotate before splitting",
            "the rotated part alone, 32 of 96 planes",
            _all_channels_turn,
        ),
    ),
    variant_of="rope",
)
FOPE = Entry(
    "fope",
    "rotary",
    Verdict.NOT_INVARIANT,
    "Fourier position embedding: mixtures of frequencies",
    "Hua et al., arXiv:2412.17739; TsinghuaC3I/Fourier-Position-Embedding olmo/model.py",
    {
        **common(dim=8),
        "length": Setting("512", "L, the training length; frequencies below 2 pi/L become 0"),
        "cos_mix": Setting(
            "", "rows of coefficients of the cosines; none for 1 and 1/4 of the next", "vector"
        ),
        "sin_mix": Setting(
            "", "rows of coefficients of the sines; none for 1 and 1/8 of the next", "vector"
        ),
    },
    _fope,
    definition=(
        r"$C_j(t) = \sum_l c_{jl}\cos\omega_l t$, $S_j(t) = \sum_l s_{jl}\sin\omega_l t$ with "
        "learned "
        r"$c \ne s$; $y = C_j x + S_j J x$ in plane $j$, for queries and keys. $\omega_l = "
        "b^{-2l/d}$, and 0 "
        r"where that is below $2\pi/L$."
    ),
    generator=(
        r"None: $M(t)^\top M(s)$ is no function of $t - s$ once two frequencies mix, and "
        r"$M(t)^\top M(t) = (C^2 + S^2) I$ depends on $t$. Without mixing it is RoPE."
    ),
    stability=r"Bounded: $|M(t)|$ is at most the sum of the coefficients.",
    values=(
        Published(
            "planes that turn without mixing",
            "2",
            live_planes(),
            {
                "cos_mix": "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1",
                "sin_mix": "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1",
            },
        ),
    ),
    mistakes=(
        Mistake(
            "padded-with-ones",
            "for frequency 0 both cos and sin are 1",
            "the published code",
            r"$\cos 0 = 1$ and $\sin 0 = 0$; with both 1 the logits of these planes double",
            _padded_with_ones,
        ),
        Mistake(
            "mixing-is-relative",
            "scores depend on the lag alone, as those of RoPE",
            "descriptions of the method as a relative encoding",
            "they do for one frequency in each plane only",
            _mixing_is_relative,
        ),
    ),
)
HOPE_HIGH_FREQUENCY = Entry(
    "hope-high-frequency",
    "rotary",
    Verdict.GROUP,
    "HoPE, high-frequency: planes that turn once within training",
    "Chen et al., arXiv:2410.21216",
    {
        **common(dim=64),
        "length": Setting("512", "L, the training length"),
        "kept": Setting("0", "planes that turn; 0 for those with theta >= 2 pi/L", minimum=0),
    },
    _hope_high_frequency,
    definition=(
        r"RoPE on the planes with high frequency; the others carry no position. How many are kept "
        r"is a setting; its default keeps planes that turn once within the training length, "
        r"$\theta_j \ge 2\pi/L$."
    ),
    generator=r"$X = \bigoplus_{j < n} -\theta_j J \oplus 0$.",
    stability=BOUNDED,
    values=(
        Published("planes that turn, L = 512", "16", live_planes()),
        Published("theta_15", "10000^(-30/64)", theta(15)),
    ),
    variant_of="rope",
)
HOPE_HYPERBOLIC = Entry(
    "hope-hyperbolic",
    "rotary",
    Verdict.GROUP,
    "HoPE, hyperbolic: two decays in each plane",
    "arXiv:2509.05218",
    {
        "dim": dimension(16, 2),
        "base": number("10000", "base of the frequency ladder"),
        "decay": number("11/10", "theta', larger than every frequency"),
    },
    _hope_hyperbolic,
    definition=(
        r"$\tilde q = e^{-\theta' t} B(t\theta_j) q$, $\tilde k = e^{\theta' s} B(-s\theta_j) k$ "
        "with "
        r"$B(x) = \begin{pmatrix}\cosh x & \sinh x\\ \sinh x & \cosh x\end{pmatrix}$ and "
        r"$\theta' > \max_j\theta_j$."
    ),
    generator=(
        r"$X = \bigoplus_j (-\theta' I + \theta_j K)$ with $K = "
        r"\begin{pmatrix}0&1\\1&0\end{pmatrix}$: "
        r"eigenvalues $-\theta' \pm \theta_j$, real, with eigenvectors $(1, \pm 1)$. Two decays, "
        "no "
        "rotation."
    ),
    stability=(
        r"Decays for $\tau \ge 0$ because $\theta' > \theta_j$; grows for $\tau < 0$: causal lags."
    ),
    values=(
        Published("entry (0, 0) of X", "-11/10", entry(0, 0)),
        Published("entry (0, 1) of X", "1", entry(0, 1)),
        Published("entry (2, 3) of X, d = 8", "1/10", entry(2, 3), {"dim": 8}),
    ),
    mistakes=(
        Mistake(
            "one-map-for-both-sides",
            r"$B(t\theta)q$ and $B(s\theta)k$ give a function of the lag",
            "reimplementations that use one map, as for RoPE",
            r"of $t + s$; the key needs $B(-s\theta)$",
            _one_hyperbolic_map,
        ),
        Mistake(
            "a-rotation",
            "it is a rotation, as the name of the family says",
            "surveys that list it with rotary encodings; three papers have the name HoPE",
            "its eigenvalues are real",
            _a_rotation,
        ),
    ),
    variant_of="decay",
)

ENTRIES = (PARTIAL_ROPE, P_ROPE, MLA, FOPE, HOPE_HIGH_FREQUENCY, HOPE_HYPERBOLIC)
