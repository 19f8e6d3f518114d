"""What explains wrong angles: which of positions, frequencies or their product lost its bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from numeric_check.audit.libraries import Array
from numeric_check.audit.recognition import rounded

EXPLAINED = 0.03
"""A hypothesis explains the images when the median error falls below this."""
DISTINCT = 4.0
"""… and this many times below the error without it."""

Angle = Callable[[Array, Array], Array]


def _narrow(name: str) -> list[tuple[str, Angle]]:
    def r(x: Array) -> Array:
        return rounded(x, name)

    return [
        (f"frequencies are rounded to {name}", lambda t, w: t * r(w)),
        (f"positions are rounded to {name}", lambda t, w: r(t) * w),
        (f"angles are rounded to {name}", lambda t, w: r(t * w)),
        (f"positions and frequencies are rounded to {name}", lambda t, w: r(t) * r(w)),
        (
            f"positions, frequencies and angles are rounded to {name}",
            lambda t, w: r(r(t) * r(w)),
        ),
    ]


HYPOTHESES: list[tuple[str, Angle]] = [*_narrow("bfloat16"), *_narrow("float16")]


def cause_of(
    parts: Sequence[tuple[tuple[int, ...], Array]],
    positions: Sequence[int],
    images: Array,
) -> str:
    """The hypothesis that explains the images of first channels best, or "".

    parts   channels and generator of each group; planes without rate are used
    images  shape (n, d)
    """
    planes = [(c, float(x[1, 0])) for c, x in parts if len(c) == 2 and abs(x[0, 0]) < 2.0**-20]
    if not planes:
        return ""
    t = np.array(positions, dtype=np.float64)[:, None]
    finite = np.isfinite(images).all(axis=1)
    images, t = images[finite], t[finite]
    w = np.array([abs(v) for _, v in planes])
    direction = -np.array([np.sign(v) for _, v in planes])  # X = -θJ turns q and k by +θ·position
    first = images[:, [c[0] for c, _ in planes]]
    second = images[:, [c[1] for c, _ in planes]]
    found = first + 1j * second
    plain = np.abs(found - np.exp(1j * direction * (t * w))).mean()
    best, least = "", float("inf")
    with np.errstate(all="ignore"):
        for words, angle in HYPOTHESES:
            error = float(np.abs(found - np.exp(1j * direction * angle(t, w))).mean())
            if error < least:
                best, least = words, error
    return best if least < EXPLAINED and least * DISTINCT < plain else ""
