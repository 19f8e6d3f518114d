"""What is known of a spectrum; every number is an enclosure."""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb, fmpq

from symbolic_pe.spectrum.kernel import Component, PositionalKernel


@dataclass(frozen=True)
class Centred:
    """K(I − 11ᵀ/n), which is all of K that softmax over keys sees.

    largest         its largest singular value
    effective_rank  (Σσ)²/Σσ²
    share           ‖K(I − 11ᵀ/n)‖²_F/‖K‖²_F
    """

    largest: arb | None
    effective_rank: arb | None
    share: arb


@dataclass(frozen=True)
class Spectrum:
    """What is known of the eigenvalues of K; every number is an enclosure.

    eigenvalues     the non-zero ones from the largest down, where all are known
    largest         λ_max(K)
    effective_rank  (Σσ)²/Σσ², the participation ratio of the singular values
    rank            exact rank
    condition       λ_max/λ_min where K is invertible and it is known; `no_condition` says why not
    limit           lim λ_max/n for n → ∞
    method          how the eigenvalues were enclosed
    """

    length: int
    largest: arb
    effective_rank: arb
    rank: int
    limit: fmpq | None
    method: str
    eigenvalues: tuple[arb, ...] = ()
    centred: Centred | None = None
    condition: arb | None = None
    no_condition: str = ""


def is_pair(c: Component) -> bool:
    """False for the frequencies 0 and π, where both signs are one point."""
    return c.turns and c.frequency.text != "pi"


def largest_atom(kernel: PositionalKernel) -> fmpq:
    """The largest atom of the symbol, lim λ_max/n: 0 where everything decays."""
    atoms = (c for c in kernel.components if c.rate_sign == 0)
    return max((c.mass / 2 if is_pair(c) else c.mass for c in atoms), default=fmpq(0))
