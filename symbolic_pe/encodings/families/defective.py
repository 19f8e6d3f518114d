"""Defective generators: chains of damped rotations, with polynomial factors."""

from __future__ import annotations

from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.encodings.encoding import Encoding, Head, Schedule, Verdict
from symbolic_pe.encodings.entry import Entry
from symbolic_pe.encodings.families.rotary import ladder
from symbolic_pe.encodings.layout import place_consecutively
from symbolic_pe.encodings.settings import Setting, Settings, dimension, number
from symbolic_pe.errors import SpecificationError
from symbolic_pe.generators.block import Block
from symbolic_pe.generators.generator import Generator


def _jordan_rope(settings: Settings) -> Encoding:
    """X = ⊕ ((−γ + iωₖ)I + ηN) with γ = decay/length, η = shear/length."""
    dim, order = settings.integer("dim"), settings.integer("order")
    if dim % (2 * order):
        raise SpecificationError(
            f"jordan-rope: dim: expected a multiple of 2·order = {2 * order}, got {dim}"
        )
    length = Scalar.rational(settings.integer("length"))
    rate, shear = -settings.number("decay") / length, settings.number("shear") / length
    omegas, formula = ladder(
        settings.number("base"), settings.texts["base"], dim // (2 * order), dim
    )
    blocks = [Block(rate, omega, order, shear) for omega in omegas]
    return Encoding(
        "jordan-rope",
        (Head(Generator.from_blocks(place_consecutively(blocks))),),
        schedules=(Schedule("frequency", formula),),
    )


ENTRIES = (
    Entry(
        "jordan-rope",
        "defective",
        Verdict.GROUP,
        "Jordan-RoPE, exact form",
        "arXiv:2605.04217",
        {
            "dim": dimension(64, 4),
            "order": Setting("2", "chain length m of every block", maximum=16),
            "base": number("10000", "base of the frequency ladder"),
            "length": Setting("1024", "context length L that scales decay and shear"),
            "decay": number("1", "c in gamma = c/L", zero=True),
            "shear": number("1", "e in eta = e/L"),
        },
        _jordan_rope,
    ),
)
