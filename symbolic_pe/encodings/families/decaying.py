"""Decay, and decay times rotation: X = ⊕ (aⱼI − θⱼJ) with aⱼ < 0, meaningful for τ ≥ 0."""

from __future__ import annotations

from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.scalar import ZERO, Scalar
from symbolic_pe.encodings.encoding import Domain, Encoding, Head, Schedule, Verdict
from symbolic_pe.encodings.entry import Entry
from symbolic_pe.encodings.families.rotary import ladder
from symbolic_pe.encodings.layout import place_consecutively, place_planes
from symbolic_pe.encodings.settings import (
    Setting,
    Settings,
    dimension,
    heads,
    layout,
    number,
)
from symbolic_pe.errors import SpecificationError
from symbolic_pe.generators.block import Block
from symbolic_pe.generators.generator import Generator


def _evaluate(formula: str, **indices: int) -> Scalar:
    return parse(formula, values={k: Scalar.rational(v) for k, v in indices.items()})


def _decay(settings: Settings) -> Encoding:
    rate = -settings.number("rate")
    placed = place_consecutively([Block(rate)] * settings.integer("dim"))
    return Encoding("decay", (Head(Generator.from_blocks(placed)),))


def _linear_attention(settings: Settings) -> Encoding:
    """λ_h = exp(−(8h/H)(1 − l/L)): head 0 does not decay."""
    count, layer, layers = (settings.integer(n) for n in ("heads", "layer", "layers"))
    if layer >= layers:
        raise SpecificationError(
            f"linear-attention: layer: expected 0 to layers − 1 = {layers - 1}, got {layer}"
        )
    formula = f"-8*h/{count}*(1 - {layer}/{layers})"
    dim = settings.integer("dim")
    built = tuple(
        Head(Generator.from_blocks(place_consecutively([Block(_evaluate(formula, h=h))] * dim)))
        for h in range(count)
    )
    return Encoding("linear-attention", built, schedules=(Schedule("rate", formula),))


def _xpos(settings: Settings) -> Encoding:
    dim, scale_base = settings.integer("dim"), settings.texts["scale_base"]
    gamma = settings.texts["gamma"]
    settings.number("gamma")
    settings.number("scale_base")
    thetas, frequency = ladder(settings.number("base"), settings.texts["base"], dim // 2, dim)
    rate = f"log((2*j/{dim} + {gamma})/(1 + {gamma}))/({scale_base})"
    blocks = [Block(_evaluate(rate, j=j), -theta) for j, theta in enumerate(thetas)]
    return Encoding(
        "xpos",
        (Head(Generator.from_blocks(place_planes(blocks, settings.choice("layout")))),),
        layout=settings.choice("layout"),
        schedules=(Schedule("rate", rate), Schedule("frequency", f"-{frequency}")),
    )


def _retnet(settings: Settings) -> Encoding:
    dim, count = settings.integer("dim"), settings.integer("heads")
    if settings.choice("theta") == "rope":
        thetas, frequency = ladder(settings.number("base"), settings.texts["base"], dim // 2, dim)
    else:
        base = settings.texts["base"]
        frequency = f"({base})^(-j/{dim // 2 - 1})" if dim > 2 else "1"
        thetas = [_evaluate(frequency, j=j) for j in range(dim // 2)]
    rate = "log(1 - 2^(-5 - h))"
    built = []
    for h in range(count):
        decay = _evaluate(rate, h=h)
        blocks = [Block(decay, -theta) for theta in thetas]
        placed = place_planes(blocks, settings.choice("layout"))
        built.append(Head(Generator.from_blocks(placed)))
    return Encoding(
        "retnet",
        tuple(built),
        layout=settings.choice("layout"),
        schedules=(Schedule("rate", rate), Schedule("frequency", f"-{frequency}")),
    )


def _mamba(settings: Settings) -> Encoding:
    """X = −rate·I − ⊕ θⱼJ on the clock T(t) = Σ Δ: the model chooses how far time advances."""
    dim, rotary = settings.integer("dim"), settings.integer("rotary_dim")
    if rotary > dim or rotary % 2:
        raise SpecificationError(
            f"mamba: rotary_dim: expected an even number of at most dim = {dim}, got {rotary}"
        )
    rate = -settings.number("rate")
    thetas: list[Scalar] = []
    formula = "0"
    if rotary:
        thetas, formula = ladder(
            settings.number("base"), settings.texts["base"], rotary // 2, rotary
        )
    placed = place_planes([Block(rate, -theta) for theta in thetas], "interleaved")
    placed += place_consecutively([Block(rate, ZERO)] * (dim - rotary), start=rotary)
    return Encoding(
        "mamba",
        (Head(Generator.from_blocks(placed)),),
        layout="interleaved",
        domain=Domain(time="real"),
        clock="learned",
        schedules=(Schedule("frequency", f"-{formula}"),),
    )


ENTRIES = (
    Entry(
        "decay",
        "decay",
        Verdict.GROUP,
        "Exponential decay at one rate",
        "the scalar case of RetNet and of gated linear attention",
        {"dim": dimension(64), "rate": number("1/32", "decay per position")},
        _decay,
    ),
    Entry(
        "linear-attention",
        "decay",
        Verdict.GROUP,
        "Per-head decay of Lightning attention (TransNormer)",
        "Qin et al. 2023; flash-linear-attention ops/lightning_attn",
        {
            "dim": dimension(64),
            "heads": heads(8),
            "layer": Setting("0", "index of the layer", minimum=0, maximum=4096),
            "layers": Setting("24", "number of layers", maximum=4097),
        },
        _linear_attention,
    ),
    Entry(
        "xpos",
        "damped rotary",
        Verdict.GROUP,
        "xPos: rotation with per-plane decay",
        "Sun et al., arXiv:2212.10554; torchscale xpos_relative_position.py",
        {
            "dim": dimension(64, 2),
            "base": number("10000", "base of the frequency ladder"),
            "gamma": number("2/5", "g in zeta_j = (j/(d/2) + g)/(1 + g)"),
            "scale_base": number("512", "positions per power of zeta; 1 is the paper's form"),
            "layout": layout("interleaved"),
        },
        _xpos,
    ),
    Entry(
        "retnet",
        "damped rotary",
        Verdict.GROUP,
        "Retention: rotation with per-head decay",
        "Sun et al., arXiv:2307.08621, equations 1 to 8",
        {
            "dim": dimension(256, 2),
            "heads": heads(8),
            "base": number("10000", "base of the frequency ladder"),
            "theta": Setting(
                "torchscale",
                "frequencies: torchscale includes the endpoint, rope uses base^(-2j/d)",
                "choice",
                ("torchscale", "rope"),
            ),
            "layout": layout("interleaved"),
        },
        _retnet,
    ),
    Entry(
        "mamba",
        "damped rotary",
        Verdict.LEARNED_TIME,
        "Mamba: decay and rotation on a learned clock",
        "Dao and Gu 2024 (Mamba-2); arXiv:2603.15569 (Mamba-3), without its trapezoidal diagonal",
        {
            "dim": dimension(64, 2),
            "rate": number("1", "decay per unit of the clock"),
            "rotary_dim": Setting("32", "rotated channels, the first of dim", minimum=0),
            "base": number("10000", "base of the frequency ladder"),
        },
        _mamba,
    ),
)
