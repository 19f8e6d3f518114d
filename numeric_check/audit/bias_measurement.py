"""A bias at every pair of positions that it takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from numeric_check.audit.arithmetic import significant_bits
from numeric_check.audit.libraries import Array
from numeric_check.audit.subject import BiasSubject
from numeric_check.tolerance import FORMATS
from symbolic_pe.errors import AuditError

POSITIONS = (0, 1, 2, 3, 4, 5, 6, 7, 85, 86, 419, 420, 511, 4095, 8193, 65536, 131071)
SHORTER = (4096, 1024, 256, 64, 16)
ROUNDINGS = 8.0
"""Half-units of the largest value that a slope, a product and a difference may lose."""


@dataclass(frozen=True)
class MeasuredBias:
    """The bias (heads, n, m) at positions on both sides, and what its format may lose.

    judged  which entries count: not masked, and of the causal half if only that is asked for
    room    what two entries of one lag may differ by, as if they were in float32 or finer
    unit    unit roundoff of the coarsest format that holds every entry
    """

    positions: tuple[int, ...]
    values: Array
    judged: npt.NDArray[np.bool_]
    room: float
    unit: float

    @property
    def rowless(self) -> Array:
        """b(t, s) − b(t, t), or b(t, s) in rows whose own position is masked."""
        diagonal = np.einsum("hnn->hn", self.values)
        diagonal = np.where(np.isfinite(diagonal), diagonal, 0.0)
        with np.errstate(all="ignore"):
            result: Array = self.values - diagonal[:, :, None]
        return result


def measure_bias(subject: BiasSubject) -> MeasuredBias:
    """Call it at as many positions as it takes. Raises `AuditError`."""
    problem = ""
    for limit in (POSITIONS[-1], *SHORTER):
        positions = tuple(p for p in POSITIONS if p <= limit)
        try:
            values = subject.apply(positions, positions)
        except AuditError as error:
            problem = problem or str(error)
            continue
        t, s = np.array(positions)[:, None], np.array(positions)[None]
        seen = np.asarray(np.isfinite(values).all(axis=0))
        if subject.causal:
            seen &= s <= t
        finite = values[:, seen]
        bits = significant_bits(finite)
        unit = next(
            f.unit_roundoff
            for f in sorted(FORMATS.values(), key=lambda f: f.precision)
            if bits <= f.precision
        )
        finest = min(unit, FORMATS["float32"].unit_roundoff)
        room = ROUNDINGS * finest * float(np.abs(finite).max(initial=0.0))
        return MeasuredBias(positions, values, seen, room, unit)
    raise AuditError(f"{subject.name}: {problem}")
