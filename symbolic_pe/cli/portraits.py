"""Pictures of encodings: spectrum, traces of A(τ), score against lag, rates and slopes by head.

What is drawn are binary64 values of the exact closed forms; nothing is decided by a picture.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from flint import arb

from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.classification import Classification, ClassifiedBlock
from symbolic_pe.encodings.axes import SeveralAxes
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.generators.block import Block
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from symbolic_pe.jordan.form import ImplicitEigenvalue, StructureBlock
from symbolic_pe.render.figures import Curve, Scale, Spot, bars, curves, spectrum
from symbolic_pe.render.page import Picture

TRACE_LAGS = 64
TRACE_POINTS = 384
SCORE_LAGS = 512
AXIS_LAGS = 64
SHOWN_HEADS = 4
SHOWN_BLOCKS = 3
SMALLEST_DRAWN = 1e-12
MOST_MARKS = 24
MOST_NAMED = 8
"""Axes that have a colour each; more share one."""


def portraits(encoding: Encoding, found: Classification) -> tuple[Picture, ...]:
    """Every picture for which the encoding has numbers; none where it has parameters."""
    if encoding.parameters:
        return ()
    drawn = (
        _spectrum(encoding, found),
        _traces(encoding),
        _scores(encoding),
        _by_head(encoding),
    )
    return tuple(picture for picture in drawn if picture is not None)


def axes_portraits(found: SeveralAxes) -> tuple[Picture, ...]:
    """Spectrum and score of each axis; none where axes have parameters."""
    if found.assumptions.declared:
        return ()
    return _axes_spectrum(found), _axes_scores(found)


def _axes_spectrum(found: SeveralAxes) -> Picture:
    named = len(found.axes) <= MOST_NAMED
    spots = [
        spot
        for name, generator in zip(found.axis_names, found.axes, strict=True)
        for spot in generator_spots(generator, name if named else "axes")
    ]
    name = f"{found.name}-spectrum"
    svg = spectrum(
        name,
        f"Eigenvalues of the generators of {found.name}",
        spots,
        axis("real part", [s.x for s in spots]),
        axis("imaginary part", [s.y for s in spots]),
    )
    caption = (
        f"The spectrum of each axis, upper half of the plane, at most {MOST_MARKS} marks each."
    )
    return Picture(name, caption, svg)


def _axes_scores(found: SeveralAxes) -> Picture:
    """tr A/d with the lag along one axis at a time; axes that act alike share a curve."""
    lags = [t / 4 for t in range(4 * AXIS_LAGS + 1)]
    alike: dict[tuple[tuple[float, float, float], ...], list[str]] = {}
    for name, generator in zip(found.axis_names, found.axes, strict=True):
        alike.setdefault(_mean_terms(generator), []).append(name)
    lines = [Curve(_joined(names), _waves(terms, lags)) for terms, names in alike.items()]
    name = f"{found.name}-score"
    title = f"Score of {found.name} against lag along each axis"
    svg = curves(name, title, lines, Scale("lag along one axis"), Scale("tr A/d"))
    caption = (
        r"Score against lag along one axis, the others at lag 0: $\operatorname{tr}A/d$, the mean "
        "of $q^\\top A\\,q$ over directions $q$ of length 1."
    )
    return Picture(name, caption, svg)


def _joined(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= MOST_NAMED else f"{names[0]} and {len(names) - 1} more"


def _mean_terms(generator: Generator) -> tuple[tuple[float, float, float], ...]:
    """(share of the channels, rate, frequency) of every kind of block, for tr A(τ)/d."""
    if generator.placed is None:
        blocks = real_jordan_form(generator).cases[0].structure
        kinds: Counter[tuple[float, float, int]] = Counter()
        for b in blocks:
            width = b.chain_length * (2 if b.is_pair else 1)
            kinds[*eigenvalue_place(b), width] += b.multiplicity
    else:
        kinds = Counter(
            (p.block.rate.to_float(), abs(p.block.frequency.to_float()), p.block.dimension)
            for p in generator.placed
        )
    size = generator.dimension
    return tuple(sorted((n * d / size, a, w) for (a, w, d), n in kinds.items()))


# -- spectrum ---------------------------------------------------------------------------------


def generator_spots(generator: Generator, group: str) -> tuple[Spot, ...]:
    """Eigenvalues with Im ≥ 0, one mark a place, thinned out where they are many."""
    chains: dict[tuple[float, float], int] = {}
    for place, chain in _places(generator):
        chains[place] = max(chains.get(place, 1), chain)
    places = sorted(chains)
    step = max(1, -(-len(places) // MOST_MARKS))
    chosen = dict.fromkeys([*places[::step], *places[-1:]])
    return tuple(Spot(x, y, chains[x, y], group=group) for x, y in chosen)


def _places(generator: Generator) -> Iterator[tuple[tuple[float, float], int]]:
    """Eigenvalue and chain length of every block; of a dense generator by its Jordan form."""
    if generator.placed is None:
        for found in real_jordan_form(generator).cases[0].structure:
            yield eigenvalue_place(found), found.chain_length
        return
    for block in dict.fromkeys(placed.block for placed in generator.placed):
        place = block.rate.to_float(), abs(block.frequency.to_float())
        yield place, block.chain_length


def eigenvalue_place(block: StructureBlock) -> tuple[float, float]:
    """Real and imaginary part as binary64 numbers."""
    value = block.eigenvalue
    if isinstance(value, Scalar):
        return value.to_float(), abs(block.imaginary_part.to_float())
    assert isinstance(value, ImplicitEigenvalue)
    return float(value.enclosure.real.mid()), abs(float(value.enclosure.imag.mid()))


def _spectrum(encoding: Encoding, found: Classification) -> Picture:
    spots: list[Spot] = []
    families: dict[str, list[ClassifiedBlock]] = {}
    for case in found.cases:
        for item in case.blocks:
            families.setdefault(item.block.family, []).append(item)
    for family, items in families.items():
        places = {(*eigenvalue_place(i.block), i.block.chain_length) for i in items}
        spots += [Spot(x, y, chain, group=family) for x, y, chain in sorted(places)]
    name = f"{encoding.name}-spectrum"
    svg = spectrum(
        name,
        f"Eigenvalues of the generator of {encoding.name}",
        spots,
        axis("real part", [s.x for s in spots]),
        axis("imaginary part", [s.y for s in spots]),
    )
    caption = (
        "The spectrum of $X$, upper half of the plane. A ring around a mark is one more link of a "
        "chain."
    )
    return Picture(name, caption, svg)


def axis(label: str, values: Sequence[float]) -> Scale:
    """Linear, or logarithmic away from 0 where the sizes differ by more than a hundred."""
    sizes = [abs(v) for v in values if abs(v) > SMALLEST_DRAWN]
    if not sizes or max(sizes) < 100 * min(sizes):
        return Scale(label)
    return Scale(label, "symlog", 10.0 ** math.floor(math.log10(min(sizes))))


# -- traces and scores ------------------------------------------------------------------------


def placed_blocks(encoding: Encoding, head: int = 0) -> tuple[Block, ...]:
    """The blocks of one head in the order of their channels; empty for a dense generator."""
    placed = encoding.heads[head].generator.placed
    return () if placed is None else tuple(p.block for p in placed)


def block_entries(block: Block, last: float) -> Iterator[tuple[str, Curve]]:
    """The entries of the first row of A(τ) that differ, as curves up to a last lag."""
    a, w, eta = block.rate.to_float(), block.frequency.to_float(), block.shear.to_float()
    lags = [last * k / TRACE_POINTS for k in range(TRACE_POINTS + 1)]
    for link in range(min(block.chain_length, 3)):
        weights = [math.exp(a * t) * (eta * t) ** link / math.factorial(link) for t in lags]
        column = 1 + link * (2 if block.is_pair else 1)
        pairs = list(zip(lags, weights, strict=True))
        yield f"A[1,{column}]", Curve("", [(t, x * math.cos(w * t)) for t, x in pairs])
        if block.is_pair:
            turned = [(t, -x * math.sin(w * t)) for t, x in pairs]
            yield f"A[1,{column + 1}]", Curve("", turned, dashed=True)


def _traces(encoding: Encoding) -> Picture | None:
    """Three blocks of length 1 in one entry each, or all entries of the slowest chain."""
    blocks = tuple(dict.fromkeys(placed_blocks(encoding)))
    if not blocks or all(b.rate.is_zero() and not b.is_pair for b in blocks):
        return None
    chains = [b for b in blocks if b.chain_length > 1]
    if chains:
        last = max(TRACE_LAGS, 2 / (abs(chains[-1].shear.to_float()) or 1.0))
        lines = [
            Curve(entry, line.points, line.dashed)
            for entry, line in block_entries(chains[-1], last)
        ]
    else:
        chosen = [blocks[round(k * (len(blocks) - 1) / 4)] for k in range(SHOWN_BLOCKS)]
        lines = [
            Curve(f"block {blocks.index(block)}", next(block_entries(block, TRACE_LAGS))[1].points)
            for block in dict.fromkeys(chosen)
        ]
    name = f"{encoding.name}-traces"
    clock = "lag τ" if encoding.clock == "position" else "time passed on the learned clock"
    svg = curves(name, f"Entries of A(τ) of {encoding.name}", lines, Scale(clock), Scale("A(τ)"))
    what = (
        f"The first row of $A(\\tau)$ in block {blocks.index(chains[-1])}, a chain."
        if chains
        else "The first entry of $A(\\tau)$ in some of its blocks."
    )
    return Picture(name, what, svg)


def mean_score(blocks: Sequence[Block], dimension: int, lags: Sequence[float]) -> Curve:
    """tr A(τ)/d: the mean of qᵀA(τ)q over directions q of length 1."""
    kinds = [
        (count * block.dimension / dimension, block.rate.to_float(), block.frequency.to_float())
        for block, count in Counter(blocks).items()
    ]
    return Curve("", _waves(kinds, lags))


def _waves(
    kinds: Sequence[tuple[float, float, float]], lags: Sequence[float]
) -> list[tuple[float, float]]:
    """Σ n·e^{aτ}·cos(ωτ) over (n, a, ω)."""
    return [(t, sum(n * math.exp(a * t) * math.cos(w * t) for n, a, w in kinds)) for t in lags]


def _scores(encoding: Encoding) -> Picture | None:
    name = f"{encoding.name}-score"
    heads = _some(range(len(encoding.heads)))
    clock = "lag τ" if encoding.clock == "position" else "time passed on the learned clock"
    if encoding.augmentation is not None:
        lines = [
            Curve(f"head {h}", [(t, bias_at(encoding, h, t)) for t in range(0, SCORE_LAGS, 8)])
            for h in heads
        ]
        svg = curves(
            name, f"Bias of {encoding.name} against lag", lines, Scale(clock), Scale("bias")
        )
        return Picture(name, "The bias that is added to a score, by lag.", svg)
    if not placed_blocks(encoding):
        return None
    lags = [float(t) for t in range(SCORE_LAGS)]
    lines = [
        replace(
            mean_score(placed_blocks(encoding, head), encoding.dimension, lags),
            label=f"head {head}",
        )
        for head in heads
    ]
    svg = curves(
        name, f"Score of {encoding.name} against lag", lines, Scale(clock), Scale("tr A(τ)/d")
    )
    caption = (
        r"Score against lag: $\operatorname{tr}A(\tau)/d$, the mean of $q^\top A(\tau)\,q$ over "
        "directions $q$ of length 1."
    )
    return Picture(name, caption, svg)


def bias_at(encoding: Encoding, head: int, lag: float) -> float:
    """The bias of one head at a lag."""
    added = encoding.heads[head].augmentation
    assert added is not None
    return float(added.bias.ball({added.bias.variables[0]: arb(lag)}).real.mid())


def _some(heads: range) -> list[int]:
    if len(heads) <= SHOWN_HEADS:
        return list(heads)
    step = (len(heads) - 1) / (SHOWN_HEADS - 1)
    return [round(k * step) for k in range(SHOWN_HEADS)]


# -- heads ------------------------------------------------------------------------------------


def _by_head(encoding: Encoding) -> Picture | None:
    """Slopes of a bias, or rates of decay, where heads differ."""
    count = len(encoding.heads)
    if count == 1:
        return None
    if encoding.augmentation is not None:
        values, what = [-bias_at(encoding, h, 1.0) for h in range(count)], "slope"
    else:
        firsts = [placed_blocks(encoding, h)[:1] for h in range(count)]
        values = [-blocks[0].rate.to_float() for blocks in firsts if blocks]
        what = "rate of decay"
    if len(values) < count or min(values) < 0:
        return None
    name = f"{encoding.name}-heads"
    spacing = "log" if min(values) > 0 and max(values) > 20 * min(values) else "linear"
    svg = bars(
        name,
        f"{what} of every head of {encoding.name}",
        {str(h): v for h, v in enumerate(values)},
        Scale("head", "names"),
        Scale(what, spacing),
    )
    return Picture(name, f"The {what} of every head.", svg)
