"""Rotary encodings interpolated by parts: high frequencies kept, low ones divided, a ramp between.

    θ′ⱼ = (1 − gⱼ)·θⱼ/s + gⱼ·θⱼ

The papers' ramp is linear in the turns within the original context, the published code's in the
index of the plane.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flint import arb, fmpq, fmpz

from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.scalar import DECISION_PRECISIONS, ONE, ZERO, Scalar, precision
from symbolic_pe.decision import Decision
from symbolic_pe.encodings.encoding import Encoding, Verdict
from symbolic_pe.encodings.entry import Entry, Form, Mistake, Published
from symbolic_pe.encodings.families.rotary import ladder
from symbolic_pe.encodings.families.rotary_common import (
    BOUNDED,
    TWO_PI,
    at_least_one,
    blend,
    clipped,
    factor,
    frequency_of,
    mscale,
    original_length,
    rescaled_settings,
    rotary,
    rotated_channels,
    trained_ladder,
)
from symbolic_pe.encodings.readings import temperature, theta
from symbolic_pe.encodings.settings import Setting, Settings, number
from symbolic_pe.encodings.witnesses import (
    SINE,
    equals,
    same_function_at,
)
from symbolic_pe.errors import SpecificationError, Undecided


def by_wavelength(
    thetas: Sequence[Scalar], s: Scalar, length: int, low: Scalar, high: Scalar
) -> list[Scalar]:
    """The ramp in turns within the original context: g = clip((Lθ/2π − low)/(high − low), 0, 1).

    For low = high (Llama 4) a step: g is 1 above and 0 below; no plane is on it, as π is in Lθ/2π.
    """
    result = []
    for x in thetas:
        above = Scalar.rational(length) * x / TWO_PI - low
        if low == high:
            result.append(blend(x, ONE if above.sign() > 0 else ZERO, s))
        else:
            result.append(blend(x, clipped(above / (high - low)), s))
    return result


def rounded(value: Callable[[], arb], *, up: bool) -> int:
    """⌊x⌋ or ⌈x⌉ of a number given by balls. Raises `Undecided` where it may be an integer."""
    for bits in DECISION_PRECISIONS:
        with precision(bits):
            found = value().ceil() if up else value().floor()
            if found.is_exact():
                return int(fmpz(found.unique_fmpz()))
    raise Undecided("whether a correction range of YaRN ends at an integer")


def _correction(settings: Settings, turns: str, channels: int) -> Callable[[], arb]:
    """c(n) = d·ln(L/(2πn))/(2·ln b): the plane that turns n times within L positions."""
    length = settings.integer("original_length")
    base, count = settings.number("base"), settings.number(turns)

    def value() -> arb:
        inner = arb(length) / (2 * arb.pi() * count.ball({}))
        return inner.log() * channels / (2 * base.ball({}).log())

    return value


def correction_range(settings: Settings, channels: int) -> tuple[int, int]:
    """The planes between which the published code blends: ⌊c(β)⌋ and ⌈c(α)⌉, within 0 … d − 1."""
    low = rounded(_correction(settings, "beta_fast", channels), up=False)
    high = rounded(_correction(settings, "beta_slow", channels), up=True)
    return max(low, 0), min(high, channels - 1)


def _index_ramp(settings: Settings, channels: int) -> list[Scalar]:
    """The share of θ/s in plane j: 0 up to `low`, 1 from `high` on, linear in j between."""
    if settings.choice("truncate") == "no":
        return _unrounded_ramp(settings, channels)
    low, high = correction_range(settings, channels)
    width = fmpq(high - low) if high > low else fmpq(1, 1000)
    return [clipped(Scalar.rational((j - low) / width)) for j in range(channels // 2)]


def _unrounded_ramp(settings: Settings, channels: int) -> list[Scalar]:
    """The same between numbers that are not rounded, as the nearest numbers of binary64."""
    with precision(256):
        low = _correction(settings, "beta_fast", channels)().max(arb(0))
        high = _correction(settings, "beta_slow", channels)().min(arb(channels - 1))
        shares = [((j - low) / (high - low)).max(arb(0)).min(arb(1)) for j in range(channels // 2)]
        return [Scalar.rational(fmpq(*float(x).as_integer_ratio())) for x in shares]


def _temperature(settings: Settings, s: Scalar) -> Scalar:
    given = settings.number("attention_factor")
    return mscale(s) if given.is_zero() else given


def yarn_frequencies(settings: Settings, channels: int) -> list[Scalar]:
    """θ′ⱼ of the published code for `channels` rotated channels."""
    s = at_least_one(settings, "factor")
    thetas, _ = ladder(settings.number("base"), settings.texts["base"], channels // 2, channels)
    ramp = _index_ramp(settings, channels)
    return [blend(x, ONE - share, s) for x, share in zip(thetas, ramp, strict=True)]


def _yarn(settings: Settings) -> Encoding:
    thetas = yarn_frequencies(settings, rotated_channels(settings))
    scale = _temperature(settings, settings.number("factor"))
    return rotary(settings, thetas, temperature=scale)


def _yarn_paper(settings: Settings) -> Encoding:
    s = at_least_one(settings, "factor")
    low, high = settings.number("beta_slow"), settings.number("beta_fast")
    thetas, _ = trained_ladder(settings)
    return rotary(
        settings,
        by_wavelength(thetas, s, settings.integer("original_length"), low, high),
        temperature=_temperature(settings, s),
    )


def yarn_settings(original: int) -> dict[str, Setting]:
    """Settings of YaRN beyond those of every rotary encoding."""
    return {
        "original_length": original_length(original),
        "beta_fast": number("32", "planes that turn more often within L keep their frequency"),
        "beta_slow": number("1", "planes that turn less often within L are divided by s"),
    }


def _llama3(settings: Settings) -> Encoding:
    s = at_least_one(settings, "factor")
    low, high = settings.number("low_freq_factor"), settings.number("high_freq_factor")
    if (high - low).sign() < 0:
        raise SpecificationError(
            "llama3: high_freq_factor: expected at least low_freq_factor, got "
            f"{settings.texts['high_freq_factor']} and {settings.texts['low_freq_factor']}"
        )
    thetas, _ = trained_ladder(settings)
    length = settings.integer("original_length")
    return rotary(settings, by_wavelength(thetas, s, length, low, high))


def _sign_of_the_lag() -> Decision:
    """q = 1, k = i, m = 1, n = 0, θ = 1: Re(conj(q e^{im}) k e^{in}) = −sin(n − m)."""
    return same_function_at(-SINE, SINE, 1, "q = 1, k = i, m = 1, n = 0, theta = 1")


def _ramps_confused() -> Decision:
    paper, code = (frequency_of({"factor": 8}, entry, 36) for entry in (YARN_PAPER, YARN))
    return equals(paper, code, "theta_36, d = 128, s = 8")


def _changed_base_in_the_ramp() -> Decision:
    """r₃₂ = Lθ₃₂/2π with the base b′ = b·s^(d/(d−2)) that equation 17 prints, and with b."""
    stated, right = (
        parse(f"4096*({base})^(-1/2)/(2*pi)") for base in ("10000*8^(128/126)", "10000")
    )
    return equals(stated, right, "turns of plane 32 within L = 4096, d = 128, s = 8")


def _factor_once() -> Decision:
    c = mscale(Scalar.rational(40))
    return equals(c, c * c, "the factor of the logits at s = 40")


def _factor_twice() -> Decision:
    c = mscale(Scalar.rational(128))
    return equals(c * c, c, "the factor of q at s = 128")


def _temperature_inside() -> Decision:
    """A(0)A(0) = A(0) for A = c²·exp(τX)."""
    c = mscale(Scalar.rational(8))
    return equals(c**4, c**2, "A(0) A(0) and A(0) at s = 8, every diagonal entry")


def _scaling_ignored() -> Decision:
    settings: dict[str, object] = {}
    stated, right = parse("500000^(-70/128)"), frequency_of(settings, LLAMA3, 35)
    return equals(stated, right, "theta_35")


def _no_ramp() -> Decision:
    """θ or θ/8, with the threshold at the old context: plane 32 is neither."""
    stated = parse("500000^(-64/128)/8")
    return equals(stated, frequency_of({}, LLAMA3, 32), "theta_32")


def _ratio_to_paper(plane: int) -> Callable[[Form], arb]:
    def read(form: Form) -> arb:
        code, paper = theta(plane)(form), frequency_of({"factor": 8}, YARN_PAPER, plane)
        assert isinstance(code, Scalar)
        return code.ball({}) / paper.ball({})

    return read


def _end(which: int) -> Callable[[Form], int]:
    """An end of YaRN's correction range, from the settings that a form was built with."""

    def read(form: Form) -> int:
        given = form.specification["settings"]
        assert isinstance(given, dict)
        settings = Settings("yarn", YARN.settings, given)
        return correction_range(settings, rotated_channels(settings))[which]

    return read


def _range(low: int, high: int, **settings: object) -> tuple[Published, Published]:
    return (
        Published("first plane of the ramp", str(low), _end(0), settings),
        Published("last plane of the ramp", str(high), _end(1), settings),
    )


ATTENTION_FACTOR = number("0", "c itself, final; 0 for 0.1 ln s + 1", zero=True)
TRUNCATE = Setting(
    "yes", "whether the ends of the ramp are rounded to planes, outwards", "choice", ("yes", "no")
)
_TEMPERATURES = (
    (2, "1.0693147181"), (4, "1.1386294361"), (8, "1.2079441542"), (16, "1.2772588722"),
    (32, "1.3465735903"), (40, "1.3688879454"), (64, "1.4158883083"),
)  # fmt: skip
_LLAMA = (
    (28, "3.2114459948e-3"), (29, "2.1665707635e-3"), (30, "1.3718935678e-3"),
    (31, "8.5675141292e-4"), (32, "5.2484616099e-4"), (33, "3.1269375038e-4"),
    (34, "1.7850781277e-4"), (35, "9.5562123540e-5"), (63, "3.0689259889e-7"),
)  # fmt: skip
_LLAMA_1B = (
    (15, "1.2905479282e-3"), (16, "4.2955679656e-4"), (17, "9.7082878026e-5"),
    (31, "9.4183067254e-8"),
)  # fmt: skip
_ONE_B = {"dim": 64, "factor": 32}
_YARN_TITLE = "YaRN: interpolation by parts, with a temperature"
YARN = Entry(
    "yarn",
    "rotary",
    Verdict.GROUP,
    f"{_YARN_TITLE} (published code)",
    "Peng et al., arXiv:2309.00071; jquesnelle/yarn; transformers rope_type yarn",
    {
        **rescaled_settings(),
        "factor": factor("8"),
        **yarn_settings(4096),
        "truncate": TRUNCATE,
        "attention_factor": ATTENTION_FACTOR,
    },
    _yarn,
    definition=(
        r"$\theta'_j = \rho_j\theta_j/s + (1 - \rho_j)\theta_j$ with $\rho$ linear in the index "
        "$j$: 0 "
        r"up to $\max(0, \lfloor c(\beta)\rfloor)$, 1 from $\min(d-1, \lceil c(\alpha)\rceil)$ "
        "on, where "
        r"$c(n) = \frac{d \ln(L/2\pi n)}{2 \ln b}$, $\beta = 32$, $\alpha = 1$; temperature "
        r"$c = 0.1 \ln s + 1$ on queries and on keys."
    ),
    generator=r"$X = \bigoplus_j -\theta'_j J$; score $= c^2\, q^\top A(\tau) k$.",
    stability=BOUNDED,
    values=(
        *_range(20, 46),
        *_range(16, 41, original_length=2048),
        *_range(10, 23, dim=64),
        *_range(25, 50, original_length=8192),
        *_range(23, 40, base=1000000, original_length=32768),
        *_range(8, 18, dim=64, base=150000),
        Published("theta_20", "5.62341325e-2", theta(20)),
        Published("theta_21", "4.70579195e-2", theta(21)),
        Published("theta_33", "4.87104932e-3", theta(33)),
        Published("theta_45", "2.44315266e-4", theta(45)),
        Published("theta_46", "1.66690179e-4", theta(46)),
        Published("theta_63", "1.44347748e-5", theta(63)),
        *(Published(f"c, s = {s}", x, temperature, {"factor": s}) for s, x in _TEMPERATURES),
        *(
            Published(f"theta_{j} over that of the paper's ramp", x, _ratio_to_paper(j))
            for j, x in (
                (21, "0.9733"),
                (24, "1.2752"),
                (30, "1.9391"),
                (36, "2.3048"),
                (42, "1.8490"),
                (45, "1.2681"),
            )
        ),
    ),
    mistakes=(
        Mistake(
            "sign-of-the-lag",
            (
                r"$\mathrm{Re}(\overline{q e^{im\theta}}\, k e^{in\theta})$ depends on "
                r"$e^{i\theta(m-n)}$"
            ),
            "YaRN equation 8",
            r"on $e^{i\theta(n-m)}$",
            _sign_of_the_lag,
        ),
        Mistake(
            "ramps-confused",
            "the ramp of the code, linear in the plane, is that of the paper, linear in turns",
            "YaRN equations 17 to 21 against the published code",
            "frequencies differ by up to 2.30 times; they are two entries",
            _ramps_confused,
        ),
        Mistake(
            "factor-once",
            r"logits are multiplied by $0.1 \ln s + 1$",
            "implementations that scale queries or keys only",
            "by its square: queries and keys are both multiplied",
            _factor_once,
        ),
        Mistake(
            "factor-twice",
            "a stated attention factor is multiplied with the formula, or applied twice",
            "six inference engines",
            "a stated factor is final",
            _factor_twice,
        ),
        Mistake(
            "temperature-inside",
            r"$c^2 \exp(\tau X)$ is a group",
            "tests of $A(0) = I$ on the whole map",
            "divide by $c^2$ first",
            _temperature_inside,
        ),
    ),
    variant_of="rope",
)

YARN_PAPER = Entry(
    "yarn-paper",
    "rotary",
    Verdict.GROUP,
    f"{_YARN_TITLE} (paper)",
    "Peng et al., arXiv:2309.00071, equations 17 to 22",
    {
        **rescaled_settings(place="interleaved"),
        "factor": factor("8"),
        **yarn_settings(4096),
        "attention_factor": ATTENTION_FACTOR,
    },
    _yarn_paper,
    definition=(
        r"$r_j = L\theta_j/2\pi$, $g_j = \mathrm{clip}(\frac{r_j - \alpha}{\beta - \alpha}, 0, "
        "1)$, "
        r"$\theta'_j = (1 - g_j)\theta_j/s + g_j\theta_j$, $\alpha = 1$, $\beta = 32$; temperature "
        r"$c = 0.1 \ln s + 1$."
    ),
    generator=(
        r"$X = \bigoplus_j -\theta'_j J$, exact with $\pi$; score $= c^2\, q^\top A(\tau) k$."
    ),
    stability=BOUNDED,
    values=(
        Published("theta_0", "1", theta(0)),
        Published("theta_63", "10000^(-126/128)/8", theta(63)),
        Published("c, s = 8", "1.2079441542", temperature),
    ),
    mistakes=(
        Mistake(
            "changed-base-in-the-ramp",
            "the wavelengths of the ramp have the base $b'$ of NTK-aware scaling",
            "YaRN equation 17",
            "they have the base $b$ of the training",
            _changed_base_in_the_ramp,
        ),
        Mistake(
            "ramps-confused",
            "the ramp of the paper is that of the published code",
            "YaRN equations 17 to 21 against the published code",
            "the paper's is linear in the number of turns, the code's in the index of the plane",
            _ramps_confused,
        ),
    ),
    variant_of="rope",
)

LLAMA3 = Entry(
    "llama3",
    "rotary",
    Verdict.GROUP,
    "Llama 3 scaling: three bands of wavelengths",
    "meta-llama/llama-models models/llama3/model.py; transformers rope_type llama3",
    {
        **rescaled_settings(base="500000"),
        "factor": factor("8"),
        "low_freq_factor": number("1", "planes with fewer turns within L are divided by s"),
        "high_freq_factor": number("4", "planes with more turns within L are kept"),
        "original_length": original_length(8192),
    },
    _llama3,
    definition=(
        r"With $w = 2\pi/\theta_j$: $\theta_j$ for $w < L/4$, $\theta_j/s$ for $w > L$, else "
        r"$(1 - m)\theta_j/s + m\theta_j$ with $m = (L/w - 1)/(4 - 1)$."
    ),
    generator=r"$X = \bigoplus_j -\theta'_j J$: YaRN's ramp in turns with other ends and $c = 1$.",
    stability=BOUNDED,
    values=(
        *(Published(f"theta_{j}", x, theta(j)) for j, x in _LLAMA),
        *(Published(f"theta_{j}, d = 64, s = 32", x, theta(j), _ONE_B) for j, x in _LLAMA_1B),
        Published("theta_14, d = 64, s = 32", "500000^(-28/64)", theta(14), _ONE_B),
    ),
    mistakes=(
        Mistake(
            "scaling-ignored",
            "the frequencies are those of RoPE with base 500000",
            "engines that ignore the scaling; tests at eight positions pass",
            "from plane 35 on they are divided by 8",
            _scaling_ignored,
        ),
        Mistake(
            "no-ramp",
            "planes are kept or divided, with nothing between",
            "implementations of two bands",
            "planes 29 to 34 are blended",
            _no_ramp,
        ),
    ),
    variant_of="rope",
)


ENTRIES = (YARN, YARN_PAPER, LLAMA3)
