"""The common case of RoPE: every channel belongs to a plane that turns, and nothing else happens.

Such a kernel is a table of angles' cosines and sines, made once for all layers, and its product
with x. Two layouts have a form in few passes over memory:

    interleaved   a plane (x₂ⱼ, x₂ⱼ₊₁) in memory is the complex number x₂ⱼ + i·x₂ⱼ₊₁, and turning
                  it is one product with e^{i·angle}
    half          x is two halves (a, b), and (cos·a − sin·b, sin·a + cos·b) is
                  cos·(a, b) + (−sin, sin)·(b, a): one product and one fused multiply-add. Where
                  a compiler joins them to one pass, the table is a third of the traffic that is
                  not x: PyTorch texts keep sin once and give it its signs there
"""

from __future__ import annotations

from dataclasses import dataclass

from symbolic_pe.emit.constants import Constants
from symbolic_pe.emit.plan import BlockGroup, KernelPlan
from symbolic_pe.emit.targets.groups import GroupWriter


@dataclass(frozen=True)
class Turning:
    """How the planes lie in memory, and the statements that define `angle` from u.

    width  channels that turn, the first ones; the others are returned as they are
    whole  whether these are all
    """

    interleaved: bool
    width: int
    whole: bool
    lines: tuple[str, ...]


def layout_of(plan: KernelPlan) -> bool | None:
    """True for interleaved planes, False for halves, None for any other plan.

    >>> from symbolic_pe import catalogue, plan_kernel
    >>> layout_of(plan_kernel(catalogue("rope", {"dim": 8}))), layout_of(
    ...     plan_kernel(catalogue("rope", {"dim": 8, "layout": "half"}))
    ... )
    (True, False)
    >>> layout_of(plan_kernel(catalogue("xpos", {"dim": 8}))) is None
    True
    """
    group = rotary_group(plan)
    if group is None or 2 * len(group.slots[0]) != plan.dimension:
        return None
    return _interleaved(group)


def rotary_group(plan: KernelPlan) -> BlockGroup | None:
    """The planes, interleaved or in halves, when nothing else happens in front of them.

    Channels after them are returned as they are.
    """
    if plan.basis is not None or plan.parameters or plan.augmentations:
        return None
    moving = [g for g in plan.groups if not (isinstance(g, BlockGroup) and g.kind == "constant")]
    if len(moving) != 1:
        return None
    (group,) = moving
    if not isinstance(group, BlockGroup) or group.kind != "rotate" or _interleaved(group) is None:
        return None
    return group


def _interleaved(group: BlockGroup) -> bool | None:
    first, second = (tuple(slot) for slot in group.slots)
    d = 2 * len(first)
    if (first, second) == (tuple(range(0, d, 2)), tuple(range(1, d, 2))):
        return True
    return False if (first, second) == (tuple(range(d // 2)), tuple(range(d // 2, d))) else None


def turning_of(plan: KernelPlan, constants: Constants) -> Turning | None:
    """The pieces of the text, with their constants collected; None for any other plan."""
    group = rotary_group(plan)
    if group is None:
        return None
    width = 2 * len(group.slots[0])
    lines = GroupWriter(plan, constants).angle(group)
    return Turning(_interleaved(group) is True, width, width == plan.dimension, lines)
