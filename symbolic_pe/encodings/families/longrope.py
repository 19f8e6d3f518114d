"""LongRoPE: a factor for each plane, found by search; by length, or from a position on.

θ′ⱼ = θⱼ/λⱼ
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import arb

from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.functions import logarithm, square_root
from symbolic_pe.algebra.scalar import ONE, Scalar
from symbolic_pe.decision import Claim, Decision
from symbolic_pe.encodings.encoding import Verdict
from symbolic_pe.encodings.entry import Entry, Form, Mistake, Published
from symbolic_pe.encodings.families.rotary_common import (
    BOUNDED,
    at_least_one,
    factor,
    frequency_of,
    original_length,
    rescaled_settings,
    rotary,
    trained_ladder,
    two_lengths,
)
from symbolic_pe.encodings.outside import Arithmetic, Given, Outside, PositionFunction
from symbolic_pe.encodings.readings import temperature, theta
from symbolic_pe.encodings.score import KEY, QUERY, at_least, choice, cos
from symbolic_pe.encodings.settings import Setting, Settings, number
from symbolic_pe.encodings.witnesses import (
    equals,
    not_relative,
)
from symbolic_pe.errors import SpecificationError


def _long_factors(settings: Settings, name: str, planes: int, default: Scalar) -> list[Scalar]:
    given = settings.vector(name)
    if not given:
        return [default] * planes
    if len(given) != planes:
        raise SpecificationError(
            f"longrope: {name}: expected {planes} factors, one for each plane, got {len(given)}"
        )
    if any(x.sign() <= 0 for x in given):
        raise SpecificationError(f"longrope: {name}: expected positive factors")
    return given


def _longrope_ladders(settings: Settings) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
    """θ, and θ/λ for the short and for the long factors."""
    thetas, _ = trained_ladder(settings)
    s = at_least_one(settings, "factor")
    short = _long_factors(settings, "short_factor", len(thetas), ONE)
    long = _long_factors(settings, "long_factor", len(thetas), s)
    divided = [[x / y for x, y in zip(thetas, factors, strict=True)] for factors in (short, long)]
    return thetas, divided[0], divided[1]


def longrope_temperature(s: Scalar, length: int) -> Scalar:
    """√(1 + ln s/ln L), and 1 for s ≤ 1."""
    if (s - ONE).sign() <= 0:
        return ONE
    return square_root(ONE + logarithm(s) / logarithm(Scalar.rational(length)))


def _longrope(settings: Settings) -> Form:
    thetas, short, long = _longrope_ladders(settings)
    original, start = settings.integer("original_length"), settings.integer("start")
    if start > 1 and any(x != y for x, y in zip(thetas, long, strict=True)):
        return _longrope_with_start(settings, thetas, long, start)
    given = settings.number("attention_factor")
    c = longrope_temperature(settings.number("factor"), original) if given.is_zero() else given
    within = settings.integer("length") <= original
    return rotary(settings, short if within else long, temperature=c, verdict=Verdict.PER_LENGTH)


def _longrope_witness(settings: Settings) -> tuple[Claim, ...]:
    if settings.integer("start") > 1:
        return ()
    _, short, long = _longrope_ladders(settings)
    where = "plane 0, q = k = (1, 0), keys turned with the short factors, queries with the long"
    return (two_lengths(short[0], long[0], where),)


def _longrope_with_start(
    settings: Settings, thetas: Sequence[Scalar], long: Sequence[Scalar], start: int
) -> Outside:
    """Phase θn for n < n₀ and θn/λ from n₀ on: it bends at n₀ (which is nothing for n₀ ≤ 1)."""

    def phase(position: int, plane: int) -> arb:
        return (thetas if position < start else long)[plane].ball({}) * position

    def claims() -> tuple[Claim, ...]:
        bent = next(j for j, (x, y) in enumerate(zip(thetas, long, strict=True)) if x != y)
        late, early = (
            n * choice(at_least(n, start), thetas[bent], long[bent]) for n in (QUERY, KEY)
        )
        return (
            not_relative(
                cos(late - early),
                (1, 0),
                (start + 1, start),
                f"plane {bent}, q = k = (1, 0), n0 = {start}",
            ),
        )

    def closed_form(f: Arithmetic, given: Given, position: Any, column: int) -> Any:
        early, late = (position * given[x][column % len(thetas)] for x in ("FREQUENCY", "SCALED"))
        wave = f.where(position < start, early, late)
        return wave.cos() if column < len(thetas) else wave.sin()

    function = PositionFunction(
        "table",
        "cos and sin of the phase of every plane, cos first; the phase is position * frequency "
        f"below position {start}, and from there on position * frequency / lambda",
        (
            ("early", "position * FREQUENCY"),
            ("angle", f"where(position < {start}, early, position * SCALED)"),
        ),
        "concat([cos(angle), sin(angle)], -1)",
        closed_form,
        2 * len(thetas),
        {"FREQUENCY": tuple(thetas), "SCALED": tuple(long)},
    )
    dim = settings.integer("dim")
    return Outside("longrope", Verdict.NOT_INVARIANT, dim, claims, function)


def _buffer_decides() -> Decision:
    """The same short prompt with a small and with a large buffer: plane 0 with factors 1 and 32."""
    short, long = (frequency_of({"length": n}, LONGROPE, 0) for n in (4096, 131072))
    return equals(long, short, "theta_0 for a prompt of 100 tokens in a buffer of 131072")


def _start_off_by_one() -> Decision:
    """Position n₀ − 1 = 3 with n₀ = 4: turned by 3θ, said to be scaled already; λ = 32."""
    return equals(parse("3/32"), parse("3"), "phase of plane 0 at position 3, n0 = 4")


LONGROPE = Entry(
    "longrope",
    "rotary",
    Verdict.PER_LENGTH,
    "LongRoPE: one factor for each plane, found by search",
    (
        "Ding et al., arXiv:2402.13753, equation 3; microsoft/LongRoPE; transformers rope_type "
        "longrope"
    ),
    {
        **rescaled_settings(),
        "factor": factor("32"),
        "original_length": original_length(4096),
        "length": Setting("131072", "the length of the context, which chooses the factors"),
        "short_factor": Setting("", "lambda for each plane up to L; none for 1", "vector"),
        "long_factor": Setting("", "lambda for each plane beyond L; none for s", "vector"),
        "start": Setting("0", "n0, positions below which nothing is scaled", minimum=0),
        "attention_factor": number("0", "c itself, final; 0 for sqrt(1 + ln s/ln L)", zero=True),
    },
    _longrope,
    definition=(
        r"$\theta'_j = \theta_j/\lambda_j$ with $\lambda_j \in [1, 1.25\,s]$ from a search, not "
        r"falling in $j$, for positions $n \ge n_0$; short and long factors by the length in the "
        r"published code; temperature $c = \sqrt{1 + \ln s/\ln L}$. The default "
        r"$\lambda_j = s$ is one of the starting points of the search."
    ),
    generator=(
        r"$X(l) = \bigoplus_j -\theta_j/\lambda_j(l)\, J$ for each length. With $n_0 > 0$ there "
        "is none: the "
        "phase bends at $n_0$."
    ),
    stability=BOUNDED,
    values=(
        Published("c, 32 times 4096", "1.1902380714", temperature),
        Published("c, 8 times 4096", "1.1180339887", temperature, {"factor": 8}),
        Published("theta_0 beyond the original length", "1/32", theta(0)),
        Published("theta_0 within the original length", "1", theta(0), {"length": 4096}),
    ),
    mistakes=(
        Mistake(
            "start-off-by-one",
            "the first $n_0 - 1$ tokens are not scaled",
            "LongRoPE, text beside equation 3",
            "positions $n < n_0$, which are $n_0$ tokens",
            _start_off_by_one,
        ),
        Mistake(
            "buffer-decides",
            "the allocated length chooses the factors",
            "an inference engine",
            "the length of the context; a short prompt must not change with the buffer",
            _buffer_decides,
        ),
    ),
    witness=_longrope_witness,
    variant_of="rope",
)


ENTRIES = (LONGROPE,)
