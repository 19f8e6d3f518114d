"""Rotary encodings for longer contexts, all planes by one rule: interpolation, another base.

Where the base depends on the length of the context, maps of two lengths do not belong together.
"""

from __future__ import annotations

from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.decision import Claim, Decision
from symbolic_pe.encodings.encoding import Encoding, Verdict
from symbolic_pe.encodings.entry import Entry, Mistake, Published
from symbolic_pe.encodings.families.rotary import ladder
from symbolic_pe.encodings.families.rotary_common import (
    BOUNDED,
    at_least_one,
    factor,
    frequency_of,
    original_length,
    rescaled_settings,
    rotary,
    rotated_channels,
    trained_ladder,
    two_lengths,
)
from symbolic_pe.encodings.readings import theta
from symbolic_pe.encodings.settings import Setting, Settings
from symbolic_pe.encodings.witnesses import (
    as_decision,
    equals,
)
from symbolic_pe.errors import SpecificationError


def _position_interpolation(settings: Settings) -> Encoding:
    s = at_least_one(settings, "factor")
    thetas, formula = trained_ladder(settings)
    return rotary(settings, [x / s for x in thetas], f"({formula}/({settings.texts['factor']}))")


def _changed_base(settings: Settings, growth: str, verdict: Verdict) -> Encoding:
    """θⱼ of the base b·growth^(d/(d−2))."""
    dim = rotated_channels(settings)
    if dim < 4:
        raise SpecificationError(f"expected at least 4 channels that turn, got {dim}")
    text = f"({settings.texts['base']})*({growth})^({dim}/{dim - 2})"
    thetas, formula = ladder(parse(text), text, dim // 2, dim)
    return rotary(settings, thetas, formula, verdict=verdict)


def _ntk(settings: Settings) -> Encoding:
    at_least_one(settings, "factor")
    return _changed_base(settings, settings.texts["factor"], Verdict.GROUP)


def _growth_of_base(settings: Settings, length: int) -> str:
    """What base is multiplied by, to the power d/(d − 2), at a length."""
    original = settings.integer("original_length")
    length = max(length, original)
    if settings.choice("rule") == "paper":
        return f"{length}/{original}"
    s = settings.texts["factor"]
    return f"({s})*{length}/{original} - (({s}) - 1)"


def _dynamic_ntk(settings: Settings) -> Encoding:
    at_least_one(settings, "factor")
    growth = _growth_of_base(settings, settings.integer("length"))
    return _changed_base(settings, growth, Verdict.PER_LENGTH)


def _dynamic_ntk_witness(settings: Settings) -> tuple[Claim, ...]:
    original = settings.integer("original_length")
    frequencies = []
    for length in (original, 2 * original):
        encoding = _changed_base(settings, _growth_of_base(settings, length), Verdict.PER_LENGTH)
        frequencies.append(theta(1)(encoding))
    early, late = frequencies
    assert isinstance(early, Scalar)
    assert isinstance(late, Scalar)
    return (
        two_lengths(
            early,
            late,
            f"plane 1, q = k = (1, 0), keys turned at length {original}, queries at {2 * original}",
        ),
    )


def _doubled() -> Decision:
    return equals(parse("2"), parse("1/2"), "theta_0 with s = 2")


def _base_times_factor() -> Decision:
    """b·s instead of b·s^(d/(d−2)): the last plane of d = 128, s = 8."""
    stated = parse("(10000*8)^(-126/128)")
    return equals(stated, frequency_of({"factor": 8}, NTK, 63), "theta_63 of d = 128, s = 8")


def _paper_is_code() -> Decision:
    paper, code = (
        frequency_of({"rule": rule, "factor": 2, "length": 8192}, DYNAMIC_NTK, 1)
        for rule in ("paper", "code")
    )
    return equals(paper, code, "theta_1 at l = 8192, L = 4096, a = 2")


def _cached_keys() -> Decision:
    settings = Settings("dynamic-ntk", DYNAMIC_NTK.settings, {})
    return as_decision(_dynamic_ntk_witness(settings)[0])


POSITION_INTERPOLATION = Entry(
    "position-interpolation",
    "rotary",
    Verdict.GROUP,
    "Position interpolation: positions divided by s",
    "Chen et al., arXiv:2306.15595; transformers rope_type linear",
    {**rescaled_settings(), "factor": factor("2")},
    _position_interpolation,
    definition=r"RoPE at positions $t/s$, or $\theta'_j = b^{-2j/d}/s$.",
    generator=r"$X/s$ for the generator $X$ of RoPE: a change of the unit of time.",
    stability=BOUNDED,
    values=(
        Published("theta_0", "1/2", theta(0)),
        Published("theta_3, d = 8, s = 4", "1/4000", theta(3), {"dim": 8, "factor": 4}),
    ),
    mistakes=(
        Mistake(
            "multiplied-positions",
            "positions are multiplied by the factor",
            "a fused rotary function whose default scale is 2",
            "positions are divided by it",
            _doubled,
        ),
    ),
    variant_of="rope",
)

NTK = Entry(
    "ntk",
    "rotary",
    Verdict.GROUP,
    "NTK-aware scaling: another base",
    "bloc97 2023; Peng et al., arXiv:2309.00071, definition 1 and equation 16",
    {**rescaled_settings(), "factor": factor("2")},
    _ntk,
    definition=(
        r"RoPE with the base $b' = b\, s^{d/(d-2)}$, so $\theta'_j = \theta_j s^{-2j/(d-2)}$: the "
        r"first plane is unchanged, the last is divided by $s$."
    ),
    generator=r"$X = \bigoplus_j -\theta'_j J$.",
    stability=BOUNDED,
    values=(
        Published("theta_0", "1", theta(0), {"factor": 8}),
        *(
            Published(f"theta_1, s = {s}", f"({base})^(-1/64)", theta(1), {"factor": s})
            for s, base in ((2, "10000*2^(64/63)"), (16, "10000*16^(64/63)"))
        ),
        *(
            Published(
                f"b', s = {s}",
                printed,
                lambda form: theta(1)(form).ball({}) ** -64,  # type: ignore[union-attr]
                {"factor": s},
            )
            for s, printed in (
                (2, "20221.2616897"),
                (4, "40889.9424325"),
                (8, "82684.6226406"),
                (16, "167198.7392132"),
            )
        ),
        Published("theta_63, s = 8", "10000^(-126/128)/8", theta(63), {"factor": 8}),
    ),
    mistakes=(
        Mistake(
            "base-times-factor",
            r"the base is $b\, s$",
            "implementations that leave out the exponent",
            r"it is $b\, s^{d/(d-2)}$, which divides the last plane by exactly $s$",
            _base_times_factor,
        ),
    ),
    variant_of="rope",
)

DYNAMIC_NTK = Entry(
    "dynamic-ntk",
    "rotary",
    Verdict.PER_LENGTH,
    "Dynamic NTK scaling: the base follows the length",
    "Peng et al., arXiv:2309.00071, section 3.3; transformers rope_type dynamic",
    {
        **rescaled_settings(),
        "factor": factor("2"),
        "original_length": original_length(4096),
        "length": Setting("8192", "l, the length of the context at which the map is taken"),
        "rule": Setting(
            "code",
            "how the base grows: as in the published code or in the paper",
            "choice",
            ("code", "paper"),
        ),
    },
    _dynamic_ntk,
    definition=(
        r"RoPE with the base $b\, g(l)^{d/(d-2)}$ at length $l > L$, unchanged up to $L$; code: "
        r"$g = a\,l/L - (a - 1)$ with $a$ = factor; paper: $g = \max(1, l/L)$, which is $a = 1$."
    ),
    generator=(
        r"$X(l) = \bigoplus_j -\theta_j(l) J$: one for each length, none for all of them, because "
        "keys turned at one length and queries at another do not give a function of the lag."
    ),
    stability=BOUNDED + " Keys have to be cached before they are turned.",
    values=(
        Published(
            "theta_1 within the original length", "10000^(-1/64)", theta(1), {"length": 4096}
        ),
        Published("theta_63, l = 2 L, paper", "10000^(-126/128)/2", theta(63), {"rule": "paper"}),
        Published("theta_63, l = 2 L, a = 2", "10000^(-126/128)/3", theta(63)),
    ),
    mistakes=(
        Mistake(
            "paper-is-code",
            r"the rule of the paper, $l/L$, is that of the code, $a\,l/L - (a - 1)$",
            "YaRN section 3.3 and transformers",
            "they agree for $a = 1$ only",
            _paper_is_code,
        ),
        Mistake(
            "turned-keys-in-the-cache",
            "keys may stay in the cache after they are turned",
            "transformers before the cache was changed",
            "they have to be turned again with the generator of the present length",
            _cached_keys,
        ),
    ),
    witness=_dynamic_ntk_witness,
    variant_of="rope",
)


ENTRIES = (POSITION_INTERPOLATION, NTK, DYNAMIC_NTK)
