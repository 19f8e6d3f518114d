"""What a refuted law looks like, when it looks like a common mistake."""

from __future__ import annotations

import numpy as np

from numeric_check.audit.libraries import Array
from numeric_check.audit.matrices import alike, connected_channels
from numeric_check.audit.measurement import Measurement
from numeric_check.audit.planes import layout_name
from symbolic_pe.encodings.layout import LAYOUTS, planes


def looks_like(measured: Measurement) -> str:
    """The mistake that the matrices look like, or ""."""
    return mixed_layouts(measured) or missing_sign(measured) or unlike_sides(measured)


def unlike_sides(measured: Measurement) -> str:
    """How the map of keys differs from what goes with that of queries, or ""."""
    f, g = (m[measured.index[1]] for m in (measured.query, measured.key))
    start = measured.query[0], measured.key[0]
    if not all(np.isfinite(m).all() for m in (f, g, *start)) or not alike(*start):
        return ""
    layouts = [_layout_of(side[measured.finite]) for side in (measured.query, measured.key)]
    if layouts[0] != layouts[1] and all(layouts):
        return f"queries turn in the layout {layouts[0]}, keys in the layout {layouts[1]}"
    rigid = [alike(m.T @ m, s.T @ s) for m, s in zip((f, g), start, strict=True)]
    if all(rigid):
        if alike(f, g):
            return ""
        if alike(g, start[0] @ f.T @ start[0] / float(np.vdot(start[0], start[0])) * len(f)):
            return "keys turn the other way than queries: both have to turn alike"
        return "keys turn by other angles than queries" if layouts[0] == layouts[1] else ""
    square = f.T @ f
    if alike(f, g) and alike(square, np.diag(np.diagonal(square))):
        return (
            "keys are scaled like queries, so scales multiply in place of cancelling: keys need "
            "the inverse scale"
        )
    return ""


def _layout_of(matrices: Array) -> str:
    """The layout of the planes of one side, or ""."""
    groups = [g for g in connected_channels(matrices) if len(g) > 1]
    if not groups or any(len(g) > 2 for g in groups):
        return ""
    return layout_name([(g[0], g[1]) for g in groups], matrices.shape[1])


def missing_sign(measured: Measurement) -> str:
    """Planes with [[c, s], [s, c]] in place of [[c, −s], [s, c]], or ""."""
    if 1 not in measured.index or any(len(g) > 2 for g in measured.groups):
        return ""
    one = measured.query[measured.index[1]]
    planes = [one[np.ix_(g, g)] for g in measured.groups if len(g) == 2]
    room = 8.0 * measured.arithmetic.constant(2)
    twins = [abs(m[0, 0] - m[1, 1]) <= room and abs(m[0, 1] - m[1, 0]) <= room for m in planes]
    unit = [abs(m[0, 0] ** 2 + m[0, 1] ** 2 - 1.0) <= room for m in planes]
    turned = any(abs(m[0, 1]) > room for m in planes)
    if not turned or not all(twins) or not all(unit):
        return ""
    return (
        "every plane is moved by [[cos, sin], [sin, cos]], which is no rotation: a sign is missing "
        "where the halves or neighbours are exchanged"
    )


def mixed_layouts(measured: Measurement) -> str:
    """Cosines and sines laid out for one layout, in a rotation of another, or "".

    The cosine that multiplies channel c is the diagonal entry c of F(1). A layout of the tables has
    one cosine for both channels of each of its planes; the rotation pairs the channels that act on
    each other.
    """
    groups = [g for g in measured.groups if len(g) == 2]
    turning = sorted(c for g in groups for c in g)
    if len(groups) < 2 or turning != list(range(turning[0], turning[-1] + 1)):
        return ""
    start, count = turning[0], len(turning)
    rotation = layout_name([(g[0] - start, g[1] - start) for g in groups], count)
    cosines = np.diagonal(measured.query[measured.index[1]])[start : start + count]
    room = 8.0 * measured.arithmetic.constant(2)
    for tables in LAYOUTS:
        pairs = np.array(planes(tables, count))
        if tables == rotation or rotation not in LAYOUTS:
            continue
        paired = np.abs(cosines[pairs[:, 0]] - cosines[pairs[:, 1]]) <= room
        turned = np.array(planes(rotation, count))
        apart = np.abs(cosines[turned[:, 0]] - cosines[turned[:, 1]]) > room
        if paired.all() and apart.any():
            return (
                f"cosines and sines are laid out for {tables}, but the rotation pairs the channels "
                f"of {rotation}"
            )
    return ""
