"""The positional kernel κ(τ) = tr A(τ)/d of one head, from its real Jordan form.

Each real eigenvalue a of multiplicity μ gives μ/d·e^{aτ}, each pair a ± bi of μ planes gives
2μ/d·e^{aτ}cos(bτ). The trace does not see the nilpotent part: what longer chains add to scores is
in `Component.longest_chain`. Lags of both signs are joined as κ(|τ|), which a causal mask leaves
undetermined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from flint import acb, arb, fmpq

from symbolic_pe.algebra.real_number import RealNumber
from symbolic_pe.algebra.scalar import ZERO, Scalar
from symbolic_pe.algebra.symbols import PI
from symbolic_pe.budget import Budget
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.errors import SpecificationError, SymbolicPEError, Undecided
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from symbolic_pe.jordan.form import ImplicitEigenvalue, ParametricEigenvalue, StructureBlock

NOUGHT = RealNumber.of(ZERO)


class DoesNotApply(SymbolicPEError):
    """The notion has no meaning for this encoding; the message says why."""


@dataclass(frozen=True)
class Component:
    """m·e^{a|τ|}·cos(bτ): one eigenvalue of X with its share of the trace.

    mass           m, rational; the masses of a kernel add to 1
    rate           a
    rate_sign      sign of a
    frequency      b ≥ 0
    longest_chain  length of the longest Jordan chain of the eigenvalue
    """

    mass: fmpq
    rate: RealNumber
    rate_sign: int
    frequency: RealNumber
    turns: bool
    longest_chain: int = 1

    @property
    def exponent(self) -> acb:
        """a + bi as a ball at the current precision."""
        real = self.rate.enclosure() if self.rate_sign else arb(0)
        return acb(real, self.frequency.enclosure() if self.turns else arb(0))


@dataclass(frozen=True)
class PositionalKernel:
    """κ(τ) = Σ m_c e^{a_c|τ|} cos(b_c τ) with κ(0) = 1, distinct (a_c, b_c)."""

    dimension: int
    components: tuple[Component, ...]

    @property
    def is_almost_periodic(self) -> bool:
        """True when nothing decays or grows: κ is a trigonometric polynomial."""
        return all(c.rate_sign == 0 for c in self.components)

    @property
    def grows(self) -> bool:
        """True when some e^{aτ} grows."""
        return any(c.rate_sign > 0 for c in self.components)

    def value(self, lag: int) -> arb:
        """κ(τ) as a ball at the current precision."""
        tau = abs(lag)
        return sum((c.mass * (tau * c.exponent).exp().real for c in self.components), start=arb(0))


def positional_kernel(
    encoding: Encoding,
    head: int = 0,
    weights: Sequence[fmpq] | None = None,
    budget: Budget | None = None,
) -> PositionalKernel:
    """The kernel of one head, from its content generator (constant coordinates left out).

    weights  one number ≥ 0 for each block of the generator in its order, in place of the equal
             weights of the trace: measured energies of planes, for example. They are scaled to
             add to 1.

    >>> from symbolic_pe.encodings.catalogue import catalogue
    >>> kernel = positional_kernel(catalogue("rope", {"dim": 8, "rotary_dim": 4}))
    >>> [(str(c.mass), c.frequency.text) for c in kernel.components]
    [('1/4', '1'), ('1/4', '1/100'), ('1/2', '0')]

    Raises `DoesNotApply` when parameters have no values, `SpecificationError` for weights that do
    not fit, `Undecided` when the Jordan form is not decided.
    """
    if encoding.parameters:
        names = ", ".join(sorted(encoding.parameters))
        raise DoesNotApply(
            f"the kernel depends on the parameters {names}; give numbers in their place"
        )
    generator = encoding.heads[head].generator
    if weights is not None:
        return _weighted(generator, weights)
    (case,) = real_jordan_form(generator, budget).cases
    if case.undecided:
        raise Undecided(case.undecided)
    return PositionalKernel(
        generator.dimension, _merged([_component(b, generator.dimension) for b in case.structure])
    )


def _component(block: StructureBlock, dimension: int) -> Component:
    channels = block.chain_length * block.multiplicity * (2 if block.is_pair else 1)
    rate, frequency = _parts(block)
    return Component(
        fmpq(channels, dimension),
        rate,
        block.real_part_sign,
        frequency,
        block.is_pair,
        block.chain_length,
    )


def _parts(block: StructureBlock) -> tuple[RealNumber, RealNumber]:
    value = block.eigenvalue
    if isinstance(value, ParametricEigenvalue):
        raise DoesNotApply(f"the eigenvalue {value} depends on parameters")
    if isinstance(value, ImplicitEigenvalue):
        texts = block.texts()
        rate = RealNumber(texts["real_part"], None, lambda: _refined(value).real)
        imaginary = RealNumber(texts["imaginary_part"], None, lambda: _refined(value).imag)
        return rate if block.real_part_sign else NOUGHT, imaginary if value.is_pair else NOUGHT
    return RealNumber.of(value), RealNumber.of(folded(block.imaginary_part))


def _refined(value: ImplicitEigenvalue) -> acb:
    """The root at the current precision: the one that meets the isolating ball."""
    (root,) = (
        acb(r) for r, _ in value.polynomial.complex_roots() if acb(r).overlaps(value.enclosure)
    )
    return root


def folded(frequency: Scalar) -> Scalar:
    """The frequency in [0, π] with the same cosine on integers, where b/π is rational.

    >>> str(folded(Scalar.rational(fmpq(5, 2)) * Scalar.symbol("pi")))
    '1/2*pi'
    """
    turns = frequency / (Scalar.rational(2) * Scalar.symbol(PI))
    if not turns.is_rational():
        return frequency
    q = turns.rational_value()
    part = q - q.floor()
    return Scalar.rational(2 * min(part, 1 - part)) * Scalar.symbol(PI)


def _merged(components: Sequence[Component]) -> tuple[Component, ...]:
    """One component for each (a, b), in the order of their first appearance."""
    found: dict[tuple[str, str], Component] = {}
    for component in components:
        c = replace(component, turns=component.turns and component.frequency.text != "0")
        key = (c.rate.text, c.frequency.text)
        known = found.get(key)
        found[key] = (
            c
            if known is None
            else replace(
                known,
                mass=known.mass + c.mass,
                longest_chain=max(known.longest_chain, c.longest_chain),
            )
        )
    return tuple(found.values())


def _weighted(generator: Generator, weights: Sequence[fmpq]) -> PositionalKernel:
    blocks = generator.placed
    if blocks is None:
        raise SpecificationError(
            "weights: the generator is a matrix, whose planes have no order; give it as blocks"
        )
    if len(weights) != len(blocks):
        raise SpecificationError(
            f"weights: expected one for each of the {len(blocks)} blocks of the generator, got "
            f"{len(weights)}"
        )
    total = sum(weights, start=fmpq(0))
    if any(w < 0 for w in weights) or total == 0:
        raise SpecificationError("weights: expected numbers of at least 0 with a positive sum")
    components = []
    for weight, placed in zip(weights, blocks, strict=True):
        block = placed.block
        if weight == 0:
            continue
        sign = block.rate.sign()
        frequency = block.frequency if block.frequency.sign() >= 0 else -block.frequency
        components.append(
            Component(
                weight / total,
                RealNumber.of(block.rate),
                sign,
                RealNumber.of(folded(frequency)),
                block.is_pair,
                block.chain_length,
            )
        )
    return PositionalKernel(generator.dimension, _merged(components))
