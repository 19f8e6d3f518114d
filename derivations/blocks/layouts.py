"""Interleaved and half layouts are conjugate by a permutation, for every number of planes."""

from __future__ import annotations

from math import gcd

from derivations.blocks.chains import at_least
from symbolic_pe.algebra.linear_feasibility import Inequality, is_feasible
from symbolic_pe.algebra.matrix import ScalarMatrix
from symbolic_pe.algebra.scalar import ZERO, Scalar
from symbolic_pe.encodings.layout import place_planes
from symbolic_pe.encodings.permutation import ChannelPermutation, head_layout
from symbolic_pe.generators.block import Block
from symbolic_pe.generators.generator import Generator
from symbolic_pe.proof.decisions import all_of, cited, same_matrix
from symbolic_pe.proof.derivation import Decision, Derivation, Rule, Step, Twin, holds

SIZES = (2, 4, 6, 8)


def _no_solution(system: list[Inequality], what: str) -> Decision:
    return holds(is_feasible(system) is False, f"there is a solution: {what}", system=what)


def _permutation() -> Decision:
    """Channels j and j + h (0 ≤ j < h) are all of 0 … 2h − 1, each once; so are 2j and 2j + 1."""
    plane = [at_least(0, j=1), at_least(1, h=1, j=-1)]
    other = [at_least(0, k=1), at_least(1, h=1, k=-1)]
    return all_of(
        {
            "j and k + h never meet": _no_solution(
                [*plane, *other, at_least(0, j=1, k=-1, h=-1), at_least(0, j=-1, k=1, h=1)],
                "0 <= j, k < h, j = k + h",
            ),
            "no channel of the half layout is outside": _no_solution(
                [*plane, at_least(0, j=1, h=-1)], "0 <= j < h, j + h >= 2h"
            ),
            "2j and 2k + 1 never meet": holds(
                1 % gcd(2, 2) != 0, "2j - 2k = 1 has a solution", system="gcd(2, 2) divides not 1"
            ),
            "no channel of the interleaved layout is outside": _no_solution(
                [*plane, at_least(0, j=2, h=-2)], "0 <= j < h, 2j >= 2h"
            ),
        }
    )


def generator(layout: str, channels: int) -> ScalarMatrix:
    """RoPE with a symbolic frequency θ0, θ1, … for each plane."""
    blocks = [Block(ZERO, -Scalar.symbol(f"theta{j}")) for j in range(channels // 2)]
    return Generator.from_blocks(place_planes(blocks, layout)).matrix


def _conjugate(channels: int) -> Decision:
    """(P X Pᵀ)_ij = X_{σ(i)σ(j)} of the package's permutation carries one to the other."""
    half, interleaved = (head_layout(x, channels) for x in ("half", "interleaved"))
    sources = ChannelPermutation.between(half, interleaved).sources
    x = generator("half", channels)
    moved = tuple(tuple(x[a][b] for b in sources) for a in sources)
    return same_matrix(generator("interleaved", channels), moved, f"d = {channels}")


def _code() -> Decision:
    return all_of({f"d = {d}": _conjugate(d) for d in SIZES})


def _confused() -> Decision:
    """Without the permutation the two generators of d = 4 differ."""
    return same_matrix(
        generator("interleaved", 4), generator("half", 4), "generators of RoPE with d = 4"
    )


def _orientation() -> Decision:
    """Swapping the two channels of a plane turns it the other way."""
    theta = Scalar.symbol("theta")
    x = Block(ZERO, theta).generator
    swapped = tuple(tuple(x[a][b] for b in (1, 0)) for a in (1, 0))
    return same_matrix(x, swapped, "a plane and the plane with its channels swapped")


DERIVATION = Derivation(
    name="layouts",
    title="Layouts of the channels are conjugate",
    chapter="blocks",
    statement=r"""
For every even $d = 2h$ the map $\sigma(2j) = j$, $\sigma(2j+1) = j + h$ $(0 \le j < h)$ is a
permutation of the channels, and with $(Px)_i = x_{\sigma(i)}$

$$X_{\text{interleaved}} = P\,X_{\text{half}}\,P^\top, \qquad
A_{\text{interleaved}}(\tau) = P\,A_{\text{half}}(\tau)\,P^\top.$$
""".strip(),
    hypotheses=(
        "plane $j$ of one layout is carried to plane $j$ of the other",
        "first channel goes to first channel",
    ),
    prose=r"""
The spectrum is the same, the scores of one checkpoint are not: rows of $W_q$ and $W_k$ move with
the layout. Orientation moves too: swapping the channels of a plane turns it the other way.
""".strip(),
    steps=(
        Step(
            "permutation",
            r"$\{j\} \cup \{j + h\}$ and $\{2j\} \cup \{2j+1\}$ for $0 \le j < h$ are both "
            r"$\{0, \dots, 2h-1\}$, each channel once, for every $h$.",
            Rule.LINEAR_ALGEBRA,
            _permutation,
            "Linear inequalities with $h$ as a variable have no solution; $h$ planes of two "
            "channels fill $2h$ channels.",
        ),
        Step(
            "for-every-size",
            "A flow in any layout that names every channel once is the flow of the moved "
            "generator.",
            Rule.ROCQ,
            lambda: cited(
                "DirectSums.placed_is_flow",
                "flow n (placed channels X) (fun t : R => placed channels (E t))",
            ),
        ),
        Step(
            "code",
            "The permutation that the package uses carries one generator to the other; "
            "$d$ = 2, 4, 6, 8 with symbolic frequencies are decided here.",
            Rule.LINEAR_ALGEBRA,
            _code,
        ),
    ),
    twins=(
        Twin(
            "confused-layouts",
            "the permutation.",
            "The two layouts have the same generator.",
            _confused,
        ),
        Twin(
            "swapped-channels",
            "the order of the two channels of a plane.",
            "A plane and the same plane with its channels swapped turn the same way.",
            _orientation,
        ),
    ),
    uses=("similarity", "direct-sums"),
    rocq=("DirectSums.placed_is_flow",),
    justifies=(
        "symbolic_pe.encodings.permutation.ChannelPermutation",
        "symbolic-pe convert",
    ),
    sources=(
        "Su et al., arXiv:2104.09864 (interleaved)",
        "GPT-NeoX and transformers, `rotate_half` (half)",
    ),
)
