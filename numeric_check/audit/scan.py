"""F(t) and G(s) at every position of a long run; where no generator is known, at every few beyond.

On a group of k channels the images of k vectors hold every block, if the map is linear and acts on
the groups one by one: vector j has a 1 in the j-th channel of each group. That makes a run of 10⁵
positions cheap for planes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from numeric_check.audit.libraries import Array
from numeric_check.audit.measurement import Measurement
from numeric_check.audit.positions import FARTHEST
from numeric_check.audit.subject import MapSubject
from symbolic_pe.errors import AuditError

LONGEST = 1 << 15
ELEMENTS = 1 << 20
"""Numbers of one side: longer runs of fewer channels."""
CHUNK = 1 << 13
"""Positions of one call."""


@dataclass(frozen=True)
class Scan:
    """Blocks at positions 0, step, 2·step, …, (length − 1)·step.

    groups      for each size k, the channels of the groups, shape (g, k)
    query, key  for each size, F(t) and G(s) on these groups, shape (length, g, k, k)
    """

    length: int
    groups: tuple[npt.NDArray[np.int64], ...]
    query: tuple[Array, ...]
    key: tuple[Array, ...]
    step: int = 1

    @property
    def end(self) -> int:
        """The first position beyond, if it went on."""
        return self.length * self.step


@dataclass(frozen=True)
class Tested:
    """Of one size of groups: F(t)a and G(s)b for two generic pairs a, b, and the norms.

    A difference Δ of two score matrices shows in aᵀΔb unless a and b happen to be orthogonal to
    it. That costs k products for a pair of positions in place of k³.
    """

    query: Array
    key: Array
    query_norms: Array
    key_norms: Array

    def scores(self, lag: int, at: npt.NDArray[np.int64]) -> Array:
        """(F(s + lag)a)ᵀG(s)b, shape (2, n, g)."""
        with np.errstate(all="ignore"):
            result: Array = (self.query[:, at + lag] * self.key[:, at]).sum(axis=-1)
        return result


def tested(query: Array, key: Array) -> Tested:
    """From blocks (n, g, k, k). The vectors a and b have norm 1."""
    k = query.shape[-1]
    angles = np.arange(1, k + 1)
    vectors = np.array([[np.cos(r * angles), np.cos((r + 0.5) * angles)] for r in (1.0, 2.25)])
    vectors /= np.linalg.norm(vectors, axis=-1, keepdims=True)
    with np.errstate(all="ignore"):
        y, z = (np.stack([b @ v for v in vectors[:, i]]) for i, b in enumerate((query, key)))
        sizes = [np.sqrt(np.einsum("ngij,ngij->ng", b, b)) for b in (query, key)]
    return Tested(y, z, *sizes)


def scan_near(subject: MapSubject, measured: Measurement) -> Scan:
    """Every position from 0 on, up to `LONGEST` or what `ELEMENTS` allow."""
    end = min(LONGEST, measured.reach + 1, _affordable(subject, measured))
    return _scan(subject, measured, range(end))


def scan_far(subject: MapSubject, measured: Measurement, near: Scan) -> Scan | None:
    """Every few positions up to `FARTHEST`, where no generator is known to sweep all of them with.

    What begins somewhere between those few goes on to the next of them; their step is odd, so that
    what comes back every power of two is met as well.
    """
    end = min(measured.reach, FARTHEST) + 1
    if near.length >= end:
        return None
    step = max(3, -(-end // _affordable(subject, measured)) | 1)
    far = _scan(subject, measured, range(0, end, step))
    return far if far.end > near.length else None


def _affordable(subject: MapSubject, measured: Measurement) -> int:
    widest = int(max(g.shape[1] for g in measured.by_size))
    return max(1, ELEMENTS // (widest * subject.dimension))


def _scan(subject: MapSubject, measured: Measurement, positions: range) -> Scan:
    by_size = measured.by_size
    query = _images(subject, "query", by_size, positions, measured.dtype)
    key = query
    if not subject.one_map:
        key = _images(subject, "key", by_size, positions, measured.dtype)
    length = min(query.shape[1], key.shape[1])
    of_query, of_key = (
        tuple(_blocks(images[:, :length], g) for g in by_size) for images in (query, key)
    )
    return Scan(length, tuple(by_size), of_query, of_key, positions.step)


def _images(
    subject: MapSubject, side: str, groups: list[npt.NDArray[np.int64]], wanted: range, dtype: str
) -> Array:
    """Images of one vector for each channel of the largest group, shape (k, n, d)."""
    largest = max(g.shape[1] for g in groups)
    x = np.zeros((largest, 1, subject.dimension))
    for of_size in groups:
        for j in range(of_size.shape[1]):
            x[j, 0, of_size[:, j]] = 1.0
    parts = []
    for start in range(0, len(wanted), CHUNK):
        positions = np.array(wanted[start : start + CHUNK])
        rows = np.broadcast_to(x, (largest, len(positions), subject.dimension))
        try:
            parts.append(subject.apply(side, rows, positions, dtype).values)
        except AuditError:  # a subject may take few positions, or none of a long call
            break
    return np.concatenate(parts, axis=1) if parts else np.zeros((largest, 0, subject.dimension))


def _blocks(images: Array, groups: npt.NDArray[np.int64]) -> Array:
    """(k, n, d) to (n, g, k, k): column j of a block is the image of its j-th channel."""
    k = groups.shape[1]
    return np.stack([images[j][:, groups] for j in range(k)], axis=-1)
