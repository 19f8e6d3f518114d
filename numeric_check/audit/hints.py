"""What a refuted law looks like, when it looks like a common mistake."""

from __future__ import annotations

import numpy as np

from numeric_check.audit.measurement import Measurement
from numeric_check.audit.planes import layout_name
from symbolic_pe.encodings.layout import LAYOUTS, planes


def looks_like(measured: Measurement) -> str:
    """The mistake that the matrices look like, or ""."""
    return mixed_layouts(measured) or missing_sign(measured)


def missing_sign(measured: Measurement) -> str:
    """Planes with [[c, s], [s, c]] in place of [[c, −s], [s, c]], or ""."""
    if 1 not in measured.index or any(len(g) > 2 for g in measured.groups):
        return ""
    one = measured.query[measured.index[1]]
    planes = [one[np.ix_(g, g)] for g in measured.groups if len(g) == 2]
    room = 8.0 * measured.arithmetic.constant(2)
    alike = [abs(m[0, 0] - m[1, 1]) <= room and abs(m[0, 1] - m[1, 0]) <= room for m in planes]
    unit = [abs(m[0, 0] ** 2 + m[0, 1] ** 2 - 1.0) <= room for m in planes]
    if not planes or not all(alike) or not all(unit):
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
    if len(groups) < 2 or turning != list(range(len(turning))):
        return ""
    rotation = layout_name([(g[0], g[1]) for g in groups], len(turning))
    cosines = np.diagonal(measured.query[measured.index[1]])
    room = 8.0 * measured.arithmetic.constant(2)
    for tables in LAYOUTS:
        pairs = np.array(planes(tables, len(turning)))
        if tables == rotation or rotation not in LAYOUTS:
            continue
        alike = np.abs(cosines[pairs[:, 0]] - cosines[pairs[:, 1]]) <= room
        turned = np.array(planes(rotation, len(turning)))
        apart = np.abs(cosines[turned[:, 0]] - cosines[turned[:, 1]]) > room
        if alike.all() and apart.any():
            return (
                f"cosines and sines are laid out for {tables}, but the rotation pairs the channels "
                f"of {rotation}"
            )
    return ""
