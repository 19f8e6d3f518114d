"""The blocks of a plan with parameters: generators as functions, exponentials in balls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from flint import arb

from numeric_check.reference_values.entire import entire_pair
from numeric_check.text_proof.branch_exponential import Rates
from symbolic_pe.emit.plan import BlockGroup, KernelPlan, MatrixGroup
from symbolic_pe.generators.block import Block


@dataclass(frozen=True)
class PlacedRates:
    """One block of the plan: its channels, its generator X, and exp(uX) in balls."""

    channels: tuple[int, ...]
    rates: Rates
    exponential: Callable[[arb, Mapping[str, arb]], Sequence[Sequence[arb]]]


def planned_blocks(plan: KernelPlan, head: int) -> list[PlacedRates]:
    """Every block of one head."""
    found: list[PlacedRates] = []
    for group in plan.groups:
        if isinstance(group, MatrixGroup):
            found.append(PlacedRates(group.channels, group.matrix, _two_by_two(group)))
            continue
        for j in range(len(group.slots[0])):
            block = _block(group, head, j)
            channels = tuple(slot[j] for slot in group.slots)
            found.append(PlacedRates(channels, block.generator, _of_block(block)))
    return found


def _block(group: BlockGroup, head: int, j: int) -> Block:
    a, w, e = (
        v.rows[head if len(v.rows) > 1 else 0][j]
        for v in (group.rate, group.frequency, group.shear)
    )
    return Block(a, w, group.chain_length, e)


def _of_block(block: Block) -> Callable[[arb, Mapping[str, arb]], Sequence[Sequence[arb]]]:
    functions = block.exponential()

    def value(u: arb, values: Mapping[str, arb]) -> list[list[arb]]:
        return [[f.ball({f.variables[0]: u}, values).real for f in row] for row in functions]

    return value


def _two_by_two(group: MatrixGroup) -> Callable[[arb, Mapping[str, arb]], Sequence[Sequence[arb]]]:
    def value(u: arb, values: Mapping[str, arb]) -> list[list[arb]]:
        a, d = group.centre.ball(values), group.discriminant.ball(values)
        c, s = entire_pair(u, d)
        growth = (a * u).exp()
        matrix = [
            [x.ball(values) - (a if i == j else 0) for j, x in enumerate(row)]
            for i, row in enumerate(group.matrix)
        ]
        return [
            [growth * ((c if i == j else 0) + s * x) for j, x in enumerate(row)]
            for i, row in enumerate(matrix)
        ]

    return value


__all__ = ["PlacedRates", "planned_blocks"]
