"""What a refuted law looks like, when it looks like a common mistake."""

from __future__ import annotations

import numpy as np

from numeric_check.audit.measurement import Measurement
from numeric_check.audit.planes import layout_name
from symbolic_pe.encodings.layout import LAYOUTS, planes


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
        alike = np.abs(cosines[pairs[:, 0]] - cosines[pairs[:, 1]]) <= room
        if alike.all() and tables != rotation and rotation in LAYOUTS:
            return (
                f"cosines and sines are laid out for {tables}, but the rotation pairs the channels "
                f"of {rotation}"
            )
    return ""
