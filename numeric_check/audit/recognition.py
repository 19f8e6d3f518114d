"""The nearest catalogue entry of a recovered generator: base, layout, scaling, rounding.

A ladder is θⱼ = base^(−2j/D). The base comes from the frequencies themselves, is read as the
simplest number within their radii, and then has to explain every plane.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import ml_dtypes
import numpy as np

from numeric_check.audit.libraries import Array
from numeric_check.audit.planes import Plane, Spectrum, declared_matrix
from numeric_check.audit.recovery import Recovered
from numeric_check.reference_values.tolerance import FORMATS
from symbolic_pe.encodings.catalogue import catalogue
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.errors import SymbolicPEError

COMMON_BASES = (10000, 500000, 1000000, 100, 10, 1000, 100000, 150000, 5000000, 10000000)
CONSTANT_LOSS = 16.0 * FORMATS["float32"].unit_roundoff
"""By how much a constant base^(−2j/D) computed in float32 may be off, relatively."""
NEAR_INTEGER, MOST_CHANNELS = 1e-5, 4096
"""An exponent is told as divided by such a number of channels."""
OUTLINE = 0.02
"""How near the shape of a ladder has to be before its rounding or scaling is asked for."""


@dataclass(frozen=True)
class Ladder:
    """θⱼ = factor·base^(−2j/denominator), possibly rounded to a 16-bit format."""

    base: float
    denominator: int
    factor: float = 1.0
    rounded_to: str = ""
    bands: str = ""

    def frequencies(self, count: int) -> Array:
        """The values, factor included, rounding included."""
        exact = self.factor * self.base ** (-2.0 * np.arange(count) / self.denominator)
        return exact if not self.rounded_to else rounded(exact, self.rounded_to)


@dataclass(frozen=True)
class Recognised:
    """What a generator looks like.

    spec     a specification of the catalogue that says the same, or ""
    text     the answer in words
    ladder   the ladder of its planes in the order of the layout, if it has one
    """

    spec: str
    text: str
    ladder: Ladder | None = None
    head: int = 0
    order: tuple[Plane, ...] = ()


def rounded(values: Array, name: str) -> Array:
    """Values rounded to a format and taken back to float64."""
    dtype = ml_dtypes.bfloat16 if name == "bfloat16" else np.dtype(name)
    with np.errstate(over="ignore"):
        return np.asarray(values).astype(dtype).astype(np.float64)


def recognise(recovered: Recovered, spectrum: Spectrum) -> Recognised:
    """The nearest known encoding."""
    rates = [abs(p.rate) > p.radius for p in spectrum.planes]
    rates += [abs(a) > r for _, a, r in spectrum.singles]
    turning = [p for p in spectrum.planes if abs(p.frequency) > p.radius]
    if not spectrum.others and not turning and not any(rates):
        return Recognised(f"nope:dim={spectrum.dimension}", "no position at all (nope)")
    if not spectrum.others and turning and not any(rates):
        return _rotary(replace(spectrum, planes=tuple(turning)), recovered)
    return _from_catalogue(recovered, spectrum)


# -- rotary ladders ---------------------------------------------------------------------------


def _rotary(spectrum: Spectrum, recovered: Recovered) -> Recognised:
    order = tuple(sorted(spectrum.planes, key=lambda p: -abs(p.frequency)))
    layout = spectrum.layout
    sign = "" if _orientation(order) <= 0 else ", turned the other way (X has the opposite sign)"
    mixed = "; planes turn in different directions" if _orientation(order) == 0 else sign
    ladder = _ladder(order, spectrum.dimension, recovered)
    if ladder is None:
        lowest, highest = abs(order[-1].frequency), abs(order[0].frequency)
        if len(order) == 1:
            text = f"one plane {order[0].channels} that turns with frequency {highest:.9g}{mixed}"
            return Recognised("", text, None, order=order)
        values = f"with frequencies {highest:.6g} to {lowest:.6g}, no ladder base^(-2j/D)"
        if highest - lowest <= CONSTANT_LOSS * highest + order[0].radius:
            values = f"that all turn with frequency {highest:.9g}"
        text = f"a rotation of {len(order)} planes ({layout}) {values}{mixed}"
        return Recognised("", text, None, order=order)
    spec = _spec(spectrum, order, ladder)
    values = _ladder_words(ladder, len(order), spectrum.dimension)
    count = f"{len(order)} plane{'s' * (len(order) > 1)}"
    words = f"RoPE: {count}, layout {layout}, {values}"
    return Recognised(spec, words + mixed, ladder, order=order)


def _orientation(planes: Sequence[Plane]) -> int:
    """−1 when every plane has X = −θJ (usual RoPE), 1 when every one has +θJ, else 0."""
    signs = {np.sign(p.frequency) for p in planes}
    return int(signs.pop()) if len(signs) == 1 else 0


def _ladder(order: Sequence[Plane], dimension: int, recovered: Recovered) -> Ladder | None:
    found = np.array([abs(p.frequency) for p in order])
    radii = np.array([p.radius for p in order])
    room = radii + CONSTANT_LOSS * found
    if not recovered.fits:  # positions lost their bits: the outline is all there is
        room = np.maximum(room, OUTLINE * found)
    for candidate in _candidates(found, dimension):
        exact = candidate.frequencies(len(found))
        if (np.abs(found - exact) <= room).all():
            return candidate
    if not recovered.fits:
        return None
    for candidate in _candidates(found, dimension):
        for name in ("bfloat16", "float16"):
            narrow = Ladder(candidate.base, candidate.denominator, candidate.factor, name)
            exact = narrow.frequencies(len(found))
            if (np.abs(found - exact) <= room).all():
                return narrow
    return _bands(found, room, dimension)


def _candidates(found: Array, dimension: int) -> Iterator[Ladder]:
    """Ladders that have the first frequency and the mean slope of what was found."""
    count = len(found)
    for denominator in dict.fromkeys((2 * count, dimension)):
        for factor in _factors(float(found[0])):
            if count == 1:
                if factor == 1.0:
                    yield Ladder(10000.0, denominator)
                continue
            slope = math.log(found[0] / found[-1]) / (count - 1)
            for base in simple_bases(math.exp(slope * denominator / 2)):
                yield Ladder(base, denominator, factor)


def _factors(first: float) -> list[float]:
    """1, the simplest factor near the first frequency (positions doubled, divided by 8, …)."""
    inverse = 1.0 / first
    near = [float(round(first)), 1.0 / max(1, round(inverse))]
    return list(dict.fromkeys([1.0, *(f for f in near if abs(f / first - 1.0) < OUTLINE), first]))


def simple_bases(estimate: float) -> list[float]:
    """Common bases and roundings of the estimate to 1, 2, … digits that lie near it."""
    if not math.isfinite(estimate) or estimate <= 1.0:
        return []
    scale = 10.0 ** math.floor(math.log10(estimate))
    near = [round(estimate / scale * 10**k) * scale / 10**k for k in range(6)]
    near.append(float(round(estimate)))
    every = [float(b) for b in COMMON_BASES] + near + [estimate]
    return list(dict.fromkeys(b for b in every if b > 1 and abs(math.log(b / estimate)) < 0.3))


def _bands(found: Array, room: Array, dimension: int) -> Ladder | None:
    """A ladder whose high frequencies are kept and whose low ones are divided (Llama 3, YaRN)."""
    count = len(found)
    if count < 4 or abs(found[0] - 1.0) > room[0] + 1e-6:
        return None
    for denominator in dict.fromkeys((2 * count, dimension)):
        base = float(found[1] ** (-denominator / 2))
        for candidate in simple_bases(base):
            exact = Ladder(candidate, denominator).frequencies(count)
            with np.errstate(all="ignore"):
                ratio = exact / found
            kept = np.abs(found - exact) <= room
            falls = (ratio >= 1.0 - 1e-4).all() and (np.diff(ratio) >= -1e-3 * ratio[-1]).all()
            if kept[:2].all() and falls and ratio[-1] > 1.5:
                words = (
                    f"{int(kept.sum())} planes as they are, the lowest divided by "
                    f"{ratio[-1]:.4g} (scaling by bands, as in Llama 3 or YaRN)"
                )
                return Ladder(candidate, denominator, 1.0, "", words)
    return None


def _ladder_words(ladder: Ladder, count: int, dimension: int) -> str:
    base = _number(ladder.base)
    words = f"frequencies {base}^(-2j/{ladder.denominator})"
    if ladder.factor != 1.0:
        shift = _shift(ladder)
        why = "positions are multiplied by it"
        why += f", or the index j begins at {shift}" if shift else ""
        words += f" times {_number(ladder.factor)} ({why})"
    words += _in_other_words(ladder, count, dimension)
    if ladder.denominator != 2 * count:
        words += (
            f"; the exponent divides by {ladder.denominator}, not by the {2 * count} channels "
            "that turn"
        )
    if ladder.rounded_to:
        words += f", rounded to {ladder.rounded_to}"
    return words + (f"; {ladder.bands}" if ladder.bands else "")


def _shift(ladder: Ladder) -> int:
    """k where factor = base^(-2k/D), else 0: then θⱼ = base^(-2(j + k)/D)."""
    k = -math.log(ladder.factor) / math.log(ladder.base) * ladder.denominator / 2
    return round(k) if abs(k - round(k)) < NEAR_INTEGER and abs(k) < ladder.denominator else 0


def _in_other_words(ladder: Ladder, count: int, dimension: int) -> str:
    """base^(-2j/D) as common^(-2j/D'), D' another whole number that an exponent may divide by."""
    if ladder.base in COMMON_BASES[:3] or count < 2:
        return ""
    for common in COMMON_BASES[:3]:
        other = ladder.denominator * math.log(common) / math.log(ladder.base)
        if abs(other - round(other)) > NEAR_INTEGER or not 1 <= round(other) <= MOST_CHANNELS:
            continue
        words = f", which are {common}^(-2j/{round(other)})"
        return words + (", divided by the width of the head" if round(other) == dimension else "")
    return ""


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else f"{value:.9g}"


def _spec(spectrum: Spectrum, order: Sequence[Plane], ladder: Ladder) -> str:
    """A catalogue specification that is exactly this, or nothing."""
    d, turning = spectrum.dimension, 2 * len(order)
    plain = ladder.factor == 1.0 and not ladder.rounded_to and not ladder.bands
    if not plain or ladder.denominator != turning or not ladder.base.is_integer():
        return ""
    layout = spectrum.layout.partition(" of the first ")[0]
    if layout not in ("interleaved", "half"):
        return ""
    name = "rope" if _orientation(order) < 0 else "grape-m" if turning == d else ""
    if not name or not _in_order(order):
        return ""
    rest = f",rotary_dim={turning}" if turning < d else ""
    return f"{name}:dim={d},base={int(ladder.base)},layout={layout}{rest}"


def _in_order(order: Sequence[Plane]) -> bool:
    """Whether plane j of the layout has the frequency j of the ladder."""
    firsts = [min(p.channels) for p in order]
    return firsts == sorted(firsts)


# -- everything else ---------------------------------------------------------------------------


def _from_catalogue(recovered: Recovered, spectrum: Spectrum) -> Recognised:
    x = recovered.matrix()
    radius = max((p.radius for p in recovered.parts), default=0.0)
    for spec, make in _entries(spectrum):
        try:
            encoding = make()
        except SymbolicPEError:
            continue
        for head in range(len(encoding.heads)):
            exact = declared_matrix(encoding, head)
            if exact.shape != x.shape:
                continue
            room = radius + CONSTANT_LOSS * float(np.abs(exact).max())
            if float(np.abs(exact - x).max()) <= room:
                of = f", head {head}" if len(encoding.heads) > 1 else ""
                words = f"{encoding.title or encoding.name} ({spec}{of})"
                return Recognised(spec, words, head=head)
    return Recognised("", _in_a_basis(recovered, radius) or _words(recovered, spectrum))


def _in_a_basis(recovered: Recovered, radius: float) -> str:
    """A ladder of frequencies whose planes are not planes of channels."""
    values = np.linalg.eigvals(recovered.matrix())
    size = float(np.abs(values).max())
    room = len(values) * radius + CONSTANT_LOSS * size
    if size == 0.0 or (np.abs(values.real) > room).any():
        return ""
    turning = sorted((w for w in values.imag.tolist() if w > room), reverse=True)
    order = [Plane((2 * j, 2 * j + 1), 0.0, w, room) for j, w in enumerate(turning)]
    ladder = _ladder(order, recovered.dimension, recovered) if order else None
    if ladder is None:
        return ""
    words = _ladder_words(ladder, len(order), recovered.dimension)
    return f"RoPE in a fixed basis: {len(order)} planes that are not planes of channels, {words}"


def _entries(spectrum: Spectrum) -> Iterator[tuple[str, Callable[[], Encoding]]]:
    d = spectrum.dimension
    settings: list[tuple[str, dict[str, object]]] = []
    rates = [p.rate for p in spectrum.planes]
    for layout in ("interleaved", "half"):
        if rates and rates[0] < 0:
            scale = round(math.log(2 / 7) / min(rates))
            settings += [("xpos", {"dim": d, "layout": layout, "scale_base": max(1, scale)})]
            settings += [("retnet", {"dim": d, "layout": layout})]
    common = {round(a, 12) for _, a, _ in spectrum.singles}
    if len(common) == 1 and not spectrum.planes:
        rate = common.pop()
        settings.append(("decay", {"dim": d, "rate": _rational(-rate)}))
        settings += [("lightning", {"dim": d})]
    settings.append(("jordan-rope", {"dim": d}))
    for name, given in settings:
        text = f"{name}:" + ",".join(f"{k}={v}" for k, v in given.items())
        yield text, lambda name=name, given=given: catalogue(name, given)  # type: ignore[misc]


def _rational(value: float) -> str:
    from fractions import Fraction

    near = Fraction(value).limit_denominator(10000)
    return f"{near.numerator}/{near.denominator}"


def _words(recovered: Recovered, spectrum: Spectrum) -> str:
    parts = []
    if spectrum.planes:
        speeds = sorted(abs(p.frequency) for p in spectrum.planes)
        rates = sorted(p.rate for p in spectrum.planes)
        text = f"{len(speeds)} planes, frequencies {speeds[-1]:.6g} to {speeds[0]:.6g}"
        if max(abs(rates[0]), abs(rates[-1])) > max(p.radius for p in spectrum.planes):
            text += f", rates {rates[0]:.4g} to {rates[-1]:.4g}"
        parts.append(text)
    if spectrum.singles:
        rates = sorted(a for _, a, _ in spectrum.singles)
        parts.append(f"{len(rates)} real channels, rates {rates[0]:.4g} to {rates[-1]:.4g}")
    for group in spectrum.others:
        parts.append(f"a block of {len(group)} channels")
    return "no catalogue entry: " + "; ".join(parts)
