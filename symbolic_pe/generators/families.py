"""The family of a block: what it does to attention, how it grows, who uses it."""

from __future__ import annotations

from dataclasses import dataclass

_BASE = {
    (False, 0): "constant",
    (False, -1): "decay",
    (False, 1): "growth",
    (True, 0): "rotation",
    (True, -1): "damped-rotation",
    (True, 1): "growing-rotation",
}
_KNOWN = {
    "constant": ("nope", "the channels that stand still in partial-rope, p-rope and mla"),
    "decay": ("decay", "lightning", "retnet (magnitude)", "hope-hyperbolic"),
    "growth": (),
    "rotation": ("rope and what rescales it (yarn, llama3, longrope)", "grape-m", "string"),
    "damped-rotation": ("xpos", "retnet", "mamba-3"),
    "growing-rotation": (),
    "polynomial": ("alibi (two constant coordinates added)", "grape-a"),
    "decay-polynomial": (),
    "growth-polynomial": (),
    "rotation-polynomial": ("jordan-rope without decay",),
    "damped-rotation-polynomial": ("jordan-rope",),
    "growing-rotation-polynomial": (),
}


def family_name(*, pair: bool, real_part_sign: int, chain_length: int) -> str:
    """Name of the family of a block.

    >>> family_name(pair=True, real_part_sign=-1, chain_length=2)
    'damped-rotation-polynomial'
    >>> family_name(pair=False, real_part_sign=0, chain_length=3)
    'polynomial'
    """
    base = _BASE[pair, real_part_sign]
    if chain_length == 1:
        return base
    return "polynomial" if base == "constant" else f"{base}-polynomial"


def known_encodings(family: str) -> tuple[str, ...]:
    """Encodings whose generator has blocks of this family."""
    return _KNOWN[family]


@dataclass(frozen=True)
class Growth:
    """Growth of ‖A(τ)‖ as τ → ∞ (causal) and as τ → ±∞ (all)."""

    causal: str
    all: str


def growth_of(blocks: list[tuple[int, int]]) -> Growth:
    """Growth of a direct sum of blocks given as (sign of real part, chain length).

    The values are `decaying` (tends to 0), `bounded`, `polynomial of degree k`, `exponential`.
    """
    return Growth(_worst([(s, n) for s, n in blocks]), _worst([(abs(s), n) for s, n in blocks]))


def _worst(blocks: list[tuple[int, int]]) -> str:
    if any(sign > 0 for sign, _ in blocks):
        return "exponential"
    neutral = [n for sign, n in blocks if sign == 0]
    if not neutral:
        return "decaying"
    degree = max(neutral) - 1
    return "bounded" if degree == 0 else f"polynomial of degree {degree}"
