"""The spectral card of an encoding: symbol, spectrum, window, relations and verdicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from flint import fmpq

from numeric_check.spectrum.dense import MAX_DENSE
from numeric_check.spectrum.exact_spectrum import kernel_spectrum, linear_bias_spectrum
from numeric_check.spectrum.spectrum import Spectrum
from numeric_check.spectrum.window import DEFAULT_LIMIT, Window, first_negative_lag
from symbolic_pe.algebra.scalar import ONE, Scalar
from symbolic_pe.budget import Budget
from symbolic_pe.encodings.axes import SeveralAxes
from symbolic_pe.encodings.encoding import Domain, Encoding, Head
from symbolic_pe.encodings.forms import IntegerPositions, Specification
from symbolic_pe.encodings.outside import Outside
from symbolic_pe.errors import NotYetCovered, SpecificationError, Undecided
from symbolic_pe.spectrum.claims import SpectralClaim, spectral_claims
from symbolic_pe.spectrum.kernel import DoesNotApply, PositionalKernel, positional_kernel
from symbolic_pe.spectrum.relations import Relations, rational_relations
from symbolic_pe.spectrum.symbol import SymbolPart, bias_kernel, bias_slope, bias_symbol, symbol

DEFAULT_LENGTH = 4096
MAX_LENGTH = 1 << 40
LEAST_DENSE = 512
"""Positions that are factored for each head, when there are many."""
Progress = Callable[[str], None]


@dataclass(frozen=True)
class HeadCard:
    """One head, or several with the same kernel and bias.

    spectrum  of the content kernel, or of the bias −m|i − j| where there is one
    of        which matrix that is
    missing   what is not given, and why
    slope     m of a bias −m|i − j|, to be drawn
    axis      name of the axis, for positions of several coordinates
    """

    heads: tuple[int, ...]
    kernel: PositionalKernel
    parts: tuple[SymbolPart, ...]
    of: str
    spectrum: Spectrum | None
    window: Window | None
    relations: Relations | None
    claims: tuple[SpectralClaim, ...]
    missing: tuple[str, ...]
    axis: str = ""
    slope: float | None = None


@dataclass(frozen=True)
class Card:
    """The cards of all heads, or the reason why there is none."""

    name: str
    title: str
    dimension: int
    head_count: int
    length: int
    heads: tuple[HeadCard, ...]
    reason: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Asked:
    length: int
    limit: int
    dense: int


def spectral_card(
    found: Specification,
    length: int = DEFAULT_LENGTH,
    *,
    weights: Sequence[fmpq] | None = None,
    limit: int = DEFAULT_LIMIT,
    budget: Budget | None = None,
    progress: Progress = lambda _: None,
) -> Card:
    """The card of any specification, for n = `length` positions and lags up to `limit`.

    Where the notion does not apply, the card has no heads and says why. Raises
    `SpecificationError` for a length or weights that do not fit.
    """
    if not 2 <= length <= MAX_LENGTH:
        raise SpecificationError(f"--length: expected 2 to 2^40, got {length}")
    if isinstance(found, SeveralAxes):
        return _of_axes(found, _Asked(length, limit, MAX_DENSE // len(found.axes)), budget)
    if not isinstance(found, Encoding):
        return Card(found.name, found.title, found.dimension, 1, length, (), _no_generator(found))
    groups: dict[str, list[int]] = {}
    for index, head in enumerate(found.heads):
        bias = "" if head.augmentation is None else str(head.augmentation.bias)
        key = f"{head.generator.placed or head.generator.matrix}|{bias}"
        groups.setdefault(key, []).append(index)
    cards = []
    try:
        kernels = [positional_kernel(found, i[0], weights, budget) for i in groups.values()]
        asked = _Asked(length, limit, max(LEAST_DENSE, MAX_DENSE // len(groups)))
        for indices, kernel in zip(groups.values(), kernels, strict=True):
            progress(f"head {indices[0]}")
            cards.append(_head(found, tuple(indices), kernel, asked))
    except (DoesNotApply, NotYetCovered, Undecided) as error:
        return Card(
            found.name, found.title, found.dimension, len(found.heads), length, (), str(error)
        )
    return Card(
        found.name,
        found.title,
        found.dimension,
        len(found.heads),
        length,
        tuple(cards),
        notes=_notes(found),
    )


def _of_axes(found: SeveralAxes, asked: _Asked, budget: Budget | None) -> Card:
    """One card for each axis: positions that differ along it alone."""
    cards = []
    try:
        for axis, name in zip(found.axes, found.axis_names, strict=True):
            one = Encoding(f"{found.name} along {name}", (Head(axis),), domain=Domain(causal=False))
            kernel = positional_kernel(one, budget=budget)
            cards.append(replace(_head(one, (0,), kernel, asked), axis=name))
    except (DoesNotApply, NotYetCovered, Undecided) as error:
        return Card(found.name, found.title, found.dimension, 1, asked.length, (), str(error))
    note = (
        f"positions have {len(found.axes)} coordinates; each card is for {asked.length} positions "
        "that differ along one axis"
    )
    return Card(
        found.name, found.title, found.dimension, 1, asked.length, tuple(cards), notes=(note,)
    )


def _no_generator(found: IntegerPositions | Outside) -> str:
    if isinstance(found, IntegerPositions):
        return (
            "a step B on integer positions has no generator here; where B has a real logarithm, "
            "give that as [generator]"
        )
    return (
        f"its verdict is {found.verdict.value!r}, so no A(lag) = exp(lag X) gives its scores, and "
        f"there is no kernel with a symbol (what shows it: symbolic-pe prove {found.name})"
    )


def _notes(encoding: Encoding) -> tuple[str, ...]:
    notes = []
    if encoding.clock == "learned":
        notes.append("the clock is learned: numbers are for one unit of it per position")
    if encoding.temperature != ONE:
        notes.append(
            f"scores have the factor ({encoding.temperature})^2, which is left out: the kernel "
            "is 1 at lag 0"
        )
    if encoding.domain.causal:
        notes.append(
            "lags of both signs are joined as |lag|; under the causal mask eigenvalues of logits "
            "are their diagonal, whatever the encoding"
        )
    return tuple(notes)


def _head(
    encoding: Encoding, heads: tuple[int, ...], kernel: PositionalKernel, asked: _Asked
) -> HeadCard:
    augmentation = encoding.heads[heads[0]].augmentation
    missing: list[str] = []
    content = kernel
    parts = symbol(kernel)
    of = "content kernel"
    spectrum: Spectrum | None = None
    slope: Scalar | None = None
    if augmentation is not None:
        parts = (*parts, bias_symbol(augmentation.bias))
        of = f"bias {augmentation.bias}"
        slope = bias_slope(augmentation.bias)
        waves = bias_kernel(augmentation.bias)
        if waves is not None:
            of = f"bias over {waves[0]}, less its constant"
            spectrum = kernel_spectrum(waves[1], asked.length)
            kernel, parts = waves[1], (*parts, *symbol(waves[1]))
        elif slope is None:
            missing.append(f"spectrum: there is a closed form for biases -m*lag, not for {of}")
        else:
            of = f"bias -({slope})*|lag|"
            spectrum = linear_bias_spectrum(slope, asked.length)
    else:
        try:
            spectrum = kernel_spectrum(kernel, asked.length, dense=asked.dense)
        except (DoesNotApply, Undecided) as error:
            missing.append(f"spectrum: {error}")
    window: Window | None = None
    try:
        window = first_negative_lag(kernel, asked.limit)
    except Undecided as error:
        missing.append(f"window: {error}")
    relations: Relations | None = None
    exact = [c.frequency.exact for c in kernel.components if c.turns]
    if len(exact) > 1:
        try:
            relations = rational_relations([x for x in exact if x is not None])
            if any(x is None for x in exact):
                raise Undecided("relations of frequencies that are roots of polynomials")
        except Undecided as error:
            relations = None
            missing.append(f"relations: {error}")
    claims = spectral_claims(encoding, content, asked.length)
    return HeadCard(
        heads,
        kernel,
        parts,
        of,
        spectrum,
        window,
        relations,
        claims,
        tuple(missing),
        slope=None if slope is None else float(slope.ball({}).mid()),
    )
