"""Nilpotent parts: chains of a recovered block, from ranks decided against its radius.

For a cluster of eigenvalues around λ of a part X̂, known within r, the sizes of its chains are the
differences of the ranks of (X̂ − λ)^k, singular values below a threshold counting as 0. A black box
tells no more: a chain of length 2 cannot be told from two eigenvalues nearer than √r.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from numeric_check.audit.libraries import Array
from numeric_check.audit.recovery import Part


def chains(part: Part) -> list[str]:
    """One line for each cluster: eigenvalue and chain lengths."""
    x, k = part.matrix, len(part.channels)
    size = max(float(np.linalg.norm(x, 2)), 2.0**-60)
    # An eigenvalue of a chain of length n moves by (r/size)^(1/n).
    apart = 4.0 * size * (max(part.radius, 2.0**-52 * size) / size) ** (1.0 / k)
    lines = []
    for cluster in _clusters(np.linalg.eigvals(x), apart):
        centre = complex(np.mean(cluster))
        if centre.imag < -apart:
            continue
        centre = complex(centre.real, 0.0) if abs(centre.imag) <= apart else centre
        lengths = _lengths(x, centre, len(cluster), apart)
        value = f"{centre.real:.6g}" + (f" ± {centre.imag:.9g}i" if centre.imag else "")
        longest = max(lengths)
        words = f"eigenvalue {value}, chains {', '.join(str(n) for n in lengths)}"
        note = "" if longest == 1 else " (nilpotent part)"
        where = f"channels {part.channels[0]} to {part.channels[-1]}"
        lines.append(f"{words}{note} on {where}")
    return lines


def _clusters(values: npt.NDArray[Any], apart: float) -> list[list[complex]]:
    clusters: list[list[complex]] = []
    for value in sorted((complex(v) for v in values), key=lambda v: (v.real, v.imag)):
        home = next((c for c in clusters if abs(value - np.mean(c)) <= apart), None)
        if home is None:
            clusters.append([value])
        else:
            home.append(value)
    return clusters


def _lengths(x: Array, centre: complex, count: int, apart: float) -> list[int]:
    """Chain lengths of an eigenvalue of this multiplicity, longest first."""
    shifted = x - centre * np.eye(len(x))
    power, nullities = np.eye(len(x), dtype=complex), [0]
    size = max(float(np.linalg.norm(shifted, 2)), 2.0**-60)
    for k in range(1, count + 1):
        power = power @ shifted / size
        singular = np.linalg.svd(power, compute_uv=False)
        floor = max(apart / size, 2.0**-26) ** k if k > 1 else apart / size
        nullities.append(min(count, int((singular <= max(floor, 2.0**-40)).sum())))
        if nullities[-1] == count:
            break
    at_least = np.diff(nullities)
    lengths: list[int] = []
    for k, number in enumerate(at_least):
        following = at_least[k + 1] if k + 1 < len(at_least) else 0
        lengths += [k + 1] * max(0, int(number - following))
    return sorted(lengths, reverse=True) or [count]
