"""Decays and damped planes lose norm: rates that are not positive, as facts that Rocq decides.

A rate is a rational number, or Σ c·ln p with rational c; then D·rate = ln a − ln b with integers
a ≤ b, and the fact is a ≤ b.
"""

from __future__ import annotations

from math import lcm

from flint import fmpq

from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.algebra.symbols import is_logarithm, logarithm_argument
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.generators.generator import Generator
from symbolic_pe.proof.rocq.syntax import listed

MAX_FACTORS = 256
"""Logarithms in one fact; beyond, the integers are larger than is reasonable to write."""


def contracts(encoding: Encoding) -> bool:
    """Whether every head consists of blocks of length 1 with a rate that Rocq shows to be ≤ 0."""
    return encoding.augmentation is None and all(
        _contracts(head.generator) for head in encoding.heads
    )


def _contracts(generator: Generator) -> bool:
    return generator.placed is not None and all(
        p.block.chain_length == 1 and proof_of_sign(p.block.rate) is not None
        for p in generator.placed
    )


def proof_of_sign(rate: Scalar) -> str | None:
    """Tactics that prove rate ≤ 0; None where the rate is positive or of another form.

    >>> from symbolic_pe.algebra.expression import parse
    >>> proof_of_sign(parse("-1/32"))
    'lra.'
    >>> proof_of_sign(parse("log(2/7)/512"))
    'assert (H := logs_at_most [2]%positive [7]%positive eq_refl). cbn [log_sum] in H. lra.'
    """
    if rate.is_rational():
        return "lra." if rate.rational_value() <= 0 else None
    logarithms = _logarithms(rate)
    if logarithms is None or rate.sign() > 0:
        return None
    scale = lcm(*(int(c.q) for c in logarithms.values()))
    counts = {p: int((c * scale).p) for p, c in logarithms.items()}
    if sum(map(abs, counts.values())) > MAX_FACTORS:
        return None
    above = [p for p, n in sorted(counts.items()) for _ in range(n)]
    below = [p for p, n in sorted(counts.items()) for _ in range(-n)]
    lists = " ".join(f"{listed(map(str, numbers))}%positive" for numbers in (above, below))
    return f"assert (H := logs_at_most {lists} eq_refl). cbn [log_sum] in H. lra."


def _logarithms(rate: Scalar) -> dict[int, fmpq] | None:
    """Σ c·ln p as {p: c}; None for anything else."""
    if not rate.is_base() or not rate.base_value().is_polynomial():
        return None
    found: dict[int, fmpq] = {}
    for monomial, coefficient in rate.base_value().numerator_terms():
        ((name, power),) = monomial.items() if len(monomial) == 1 else (("", 0),)
        if power != 1 or not is_logarithm(name) or not logarithm_argument(name).isdigit():
            return None
        found[int(logarithm_argument(name))] = coefficient
    return found
