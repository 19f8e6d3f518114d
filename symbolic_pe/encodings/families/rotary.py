"""Rotary encodings: X = ⊕ −θⱼJ, bounded, norm preserving, one map for query and key."""

from __future__ import annotations

from flint import fmpq

from symbolic_pe.algebra.binary32 import nearest_binary32
from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.functions import power
from symbolic_pe.algebra.scalar import ZERO, Scalar
from symbolic_pe.encodings.encoding import Domain, Encoding, Head, Schedule, Verdict
from symbolic_pe.encodings.entry import Entry
from symbolic_pe.encodings.layout import place_planes
from symbolic_pe.encodings.settings import Setting, Settings, angles, dimension, layout, number
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


ROTARY_DIM = Setting(
    "0", "rotated channels, the first of dim; 0 for all of them", minimum=0, maximum=1024
)

ENTRIES = (
    Entry(
        "nope",
        "none",
        Verdict.GROUP,
        "No positional encoding",
        "Haviv et al. 2022; Kazemnejad et al. 2023",
        {"dim": dimension(64)},
        _nope,
    ),
    Entry(
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
            "frequencies": Setting(
                "exact",
                "exact numbers base^(-2j/d), or the float32 numbers that a checkpoint holds",
                "choice",
                ("exact", "float32"),
            ),
            "angles": angles(),
        },
        _rope,
    ),
    Entry(
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
    ),
)
