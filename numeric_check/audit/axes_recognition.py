"""The nearest catalogue entry of several axes: axial or in sections, with base and layout."""

from __future__ import annotations

import numpy as np

from numeric_check.audit.axes_comparison import Turning
from numeric_check.audit.libraries import Array
from numeric_check.audit.planes import layout_name
from numeric_check.audit.recognition import CONSTANT_LOSS, simple_bases
from symbolic_pe.encodings.families.several_axes import axis_of_planes
from symbolic_pe.encodings.layout import LAYOUTS

SECTIONS = 3


def recognised_axes(found: Turning | None, dimension: int) -> str:
    """A specification of the catalogue that says the same, or ""."""
    if found is None or 2 * len(found.channels) != dimension:
        return ""
    layout = layout_name(found.channels, dimension)
    moving = np.abs(found.frequencies) > found.radius
    if layout not in LAYOUTS or (moving.sum(axis=1) != 1).any():
        return ""
    owners = moving.argmax(axis=1)
    each = found.frequencies[np.arange(len(owners)), owners]
    if not (each < 0).all():  # X = -theta J
        return ""
    axes = found.frequencies.shape[1]
    if axes == SECTIONS:
        return _sections(owners, -each, dimension, layout)
    return _axial(owners, -each, dimension, layout) if axes == 2 else ""


def _axial(owners: Array, each: Array, dimension: int, layout: str) -> str:
    half = len(owners) // 2
    if owners.tolist() != [0] * half + [1] * (len(owners) - half) or len(owners) % 2:
        return ""
    base = _base(np.stack([each[:half], each[half:]]), half)
    return f"axial:dim={dimension},base={base},layout={layout}" if base else ""


def _sections(owners: Array, each: Array, dimension: int, layout: str) -> str:
    base = _base(each[None], len(each))
    sizes = [int((owners == axis).sum()) for axis in range(SECTIONS)]
    for arrangement in ("sections", "interleaved"):
        try:
            expected = axis_of_planes(sizes, arrangement)
        except IndexError:  # too many planes of one axis to interleave
            continue
        if base and owners.tolist() == expected:
            more = "" if arrangement == "sections" else ",arrangement=interleaved"
            of = " ".join(map(str, sizes))
            return f"m-rope:dim={dimension},base={base},sections={of}{more},layout={layout}"
    return ""


def _base(rows: Array, count: int) -> int | None:
    """The simplest whole base b with b^(-j/count) in every row."""
    if count < 2 or not (rows > 0).all():
        return None
    estimate = float((rows[0, 0] / rows[0, -1]) ** (count / (count - 1)))
    for base in simple_bases(estimate):
        exact = base ** (-np.arange(count) / count)
        if base.is_integer() and (np.abs(rows - exact) <= CONSTANT_LOSS * exact).all():
            return int(base)
    return None
