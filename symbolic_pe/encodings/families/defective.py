"""Defective generators: chains of damped rotations, with polynomial factors."""

from __future__ import annotations

from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.decision import Decision
from symbolic_pe.encodings.encoding import Encoding, Head, Schedule, Verdict
from symbolic_pe.encodings.entry import Entry, Form, Mistake, Published
from symbolic_pe.encodings.families.rotary import ladder
from symbolic_pe.encodings.layout import place_consecutively
from symbolic_pe.encodings.outside import Outside
from symbolic_pe.encodings.readings import rate, theta
from symbolic_pe.encodings.score import KEY, QUERY
from symbolic_pe.encodings.settings import Setting, Settings, dimension, number
from symbolic_pe.encodings.witnesses import as_decision, equals, not_relative
from symbolic_pe.errors import SpecificationError
from symbolic_pe.generators.block import Block
from symbolic_pe.generators.generator import Generator


def _jordan_rope(settings: Settings) -> Form:
    """X = ⊕ ((−γ + iωₖ)I + ηN) with γ = decay/length, η = shear/length."""
    dim, order = settings.integer("dim"), settings.integer("order")
    if dim % (2 * order):
        raise SpecificationError(
            f"jordan-rope: dim: expected a multiple of 2·order = {2 * order}, got {dim}"
        )
    length = Scalar.rational(settings.integer("length"))
    if settings.choice("form") == "stabilised":
        return _squashed(dim, settings.integer("length"))
    decay, shear = -settings.number("decay") / length, settings.number("shear") / length
    omegas, formula = ladder(
        settings.number("base"), settings.texts["base"], dim // (2 * order), dim
    )
    blocks = [Block(decay, omega, order, shear) for omega in omegas]
    return Encoding(
        "jordan-rope",
        (Head(Generator.from_blocks(place_consecutively(blocks))),),
        schedules=(Schedule("frequency", formula),),
    )


def _squashed(dim: int, length: int) -> Outside:
    """σ(−s) − σ(−t) in place of t − s in the shear, σ(x) = x/(1 + |x|/L)."""

    shear = length * QUERY / (length + QUERY) - length * KEY / (length + KEY)
    of = f"the shear sigma(-s) - sigma(-t) with L = {length}, no decay, no rotation"
    return Outside(
        "jordan-rope",
        Verdict.NOT_INVARIANT,
        dim,
        lambda: (not_relative(shear, (1, 0), (2, 1), of),),
        no_function="it is a map of q and k, not a bias or a table of positions",
    )


def _one_map() -> Decision:
    """The shear η = 1 on both sides, G(t)q and G(s)k: qᵀ(I + tN)ᵀ(I + sN)k, q = k = (0, 1)."""
    score = 1 + QUERY * KEY
    return as_decision(not_relative(score, (1, 0), (2, 1), "N = [[0, 1], [0, 0]], q = k = (0, 1)"))


def _stabilised() -> Decision:
    """σ(d) = d/(1 + d/L), L = 1: σ(2) against σ(1) + σ(1)."""
    return equals(parse("2/(1 + 2)"), parse("1/2 + 1/2"), "sigma(1 + 1) and sigma(1) + sigma(1)")


JORDAN_ROPE = Entry(
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
        "form": Setting(
            "exact",
            "exact, or with the code's default, sigma(x) = x/(1 + |x|/L) in the shear",
            "choice",
            ("exact", "stabilised"),
        ),
    },
    _jordan_rope,
    definition=(
        r"$G_m(\tau) = e^{(-\gamma + i\omega)\tau} \sum_{r < m} \frac{(\eta\tau)^r}{r!} N_m^r$, "
        r"$\gamma = c/L$, $\eta = e/L$, $\omega_k = b^{-2k/d}$ for $k < d/2m$; "
        r"$\tilde q = G(-t)^{-\top} q$, $\tilde k = G(-s) k$."
    ),
    generator=(
        r"$X = \bigoplus_k \left((-\gamma + i\omega_k) I + \eta N_m\right)$, chains of length $m$."
    ),
    stability=(
        r"$|A(\tau)| \sim \tau^{m-1} e^{-\gamma\tau}$ for $\tau \ge 0$; with $c = 0$ it grows as "
        r"$\tau^{m-1}$."
    ),
    values=(
        Published("rate", "-1/1024", rate(0)),
        Published("omega_0, turned the other way", "-1", theta(0)),
    ),
    mistakes=(
        Mistake(
            "one-map-for-both-sides",
            "one map of Jordan blocks serves queries and keys",
            "implementations that treat the block as a rotation",
            "the key needs the inverse transpose, as for decay",
            _one_map,
        ),
        Mistake(
            "stabilised-shear",
            r"with $\tau/(1 + \tau/L)$ in the shear the map is still a group",
            "the stabilised default of the code",
            "the function is not additive",
            _stabilised,
        ),
    ),
)

ENTRIES = (JORDAN_ROPE,)
