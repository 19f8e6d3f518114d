"""Pictures of a report as SVG texts: nothing in them depends on the time or the machine's fonts.

errors    error against position, one line for each dtype, both axes logarithmic
spectrum  eigenvalues of the generator in the plane
drift     how far the score at (t, s) is from the score at (t − s, 0)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from numeric_check.audit.finding import AuditReport

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 640, 360, 70, 46, 34, 120
COLOURS = {"float64": "#1b6ca8", "float32": "#2e8b57", "bfloat16": "#c0392b", "float16": "#8e44ad"}
FLOOR, CEILING = 1e-18, 10.0
"""Relative errors that are drawn: above 2 nothing is right; what is not finite is at the top."""

NOISE = 1e-9


def pictures(report: AuditReport) -> dict[str, str]:
    """Every picture for which the report has numbers, by name."""
    drawn: Mapping[str, Callable[[AuditReport], str | None]] = {
        "errors": _errors,
        "spectrum": _spectrum,
        "drift": _drift,
    }
    found = {name: draw(report) for name, draw in drawn.items()}
    return {name: text for name, text in found.items() if text is not None}


def _numbers(report: AuditReport, question: str) -> Mapping[str, Any]:
    """Of a question; with several axes, of axis 0 where it is asked of each."""
    named = {f.question: f.numbers for f in report.findings if f.numbers}
    return named.get(question) or named.get(f"axis 0 {question}", {})


def _titled(report: AuditReport, question: str, title: str) -> str:
    """The title, with the axis that is shown where there are several."""
    asked = any(f.question == question and f.numbers for f in report.findings)
    several = any(f.question == f"axis 0 {question}" for f in report.findings)
    return f"{title}, axis 0" if several and not asked else title


# -- errors -----------------------------------------------------------------------------------


def _errors(report: AuditReport) -> str | None:
    names = {dtype: f"precision {dtype}" for dtype in COLOURS}
    if "profile" in _numbers(report, "precision"):  # a table has the dtype that it has
        names = {"float64": "precision"}
    lines = {
        dtype: [(p + 1.0, min(max(e, FLOOR), CEILING)) for p, e in numbers["profile"]]
        for dtype, name in names.items()
        if "profile" in (numbers := _numbers(report, name))
    }
    points = [point for line in lines.values() for point in line if point[1] > FLOOR]
    if not points:
        return None
    x = _logarithmic([p[0] for p in points], LEFT, WIDTH - RIGHT)
    y = _logarithmic([p[1] for p in points], HEIGHT - BOTTOM, TOP)
    title = _titled(report, next(iter(names.values())), "error against position")
    body = _axes(title, "position + 1", "relative error", x, y)
    for row, (dtype, line) in enumerate(lines.items()):
        drawn = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in line if b > FLOOR)
        colour = COLOURS[dtype]
        body.append(f'<polyline fill="none" stroke="{colour}" points="{drawn}"/>')
        label = "as it is" if len(lines) == 1 else dtype
        body.append(_text(WIDTH - RIGHT + 12, TOP + 18 * (row + 1), label, fill=colour))
    return _svg(body)


class Scale:
    """From numbers to places, with the numbers to mark."""

    def __init__(self, place: Callable[[float], float], marks: Sequence[tuple[float, str]]) -> None:
        self.place = place
        self.marks = marks

    def __call__(self, value: float) -> float:
        """The place of a number."""
        return self.place(value)


def _logarithmic(values: Sequence[float], start: float, end: float) -> Scale:
    low = math.floor(math.log10(min(values)))
    high = max(low + 1, math.ceil(math.log10(max(values))))
    step = max(1, (high - low) // 6)

    def place(value: float) -> float:
        return start + (math.log10(value) - low) / (high - low) * (end - start)

    return Scale(place, [(10.0**k, f"1e{k}") for k in range(low, high + 1, step)])


def _linear(values: Sequence[float], start: float, end: float) -> Scale:
    low, high = min(values), max(values)
    margin = 0.08 * (high - low) or max(1e-3, abs(high))
    low, high = low - margin, high + margin

    def place(value: float) -> float:
        return start + (value - low) / (high - low) * (end - start)

    marks = [low + margin + k * (high - low - 2 * margin) / 4 for k in range(5)]
    return Scale(place, [(m, f"{m:.3g}") for m in marks])


# -- spectrum ---------------------------------------------------------------------------------


def _spectrum(report: AuditReport) -> str | None:
    named = {f.question: _eigenvalues(f.numbers) for f in report.findings}
    shown = {"": named.get("generator") or named.get("closed") or []}
    if not shown[""]:
        axes = [q for q in named if q.startswith("axis ") and q.endswith(" generator")]
        shown = {q.removesuffix(" generator"): named[q] for q in axes}
    every = [point for points in shown.values() for point in points]
    if not every:
        return None
    noise = max(abs(value) for point in every for value in point) * NOISE
    x = _linear([*(p[0] for p in every), -noise, noise], LEFT, WIDTH - RIGHT)
    y = _linear([p[1] for p in every], HEIGHT - BOTTOM, TOP)
    body = _axes("eigenvalues of the generator", "rate (real part)", "frequency", x, y)
    colours = list(COLOURS.values())
    for row, (label, points) in enumerate(shown.items()):
        colour = colours[row % len(colours)]
        radius = 3.5 + 2.0 * (len(shown) - 1 - row)  # rings, so that equal ones are all seen
        fill = f'fill="{colour}"' if len(shown) == 1 else f'fill="none" stroke="{colour}"'
        for a, w in points:  # rates below noise are rounding of the frequencies, and drawn as 0
            at = a if abs(a) > noise else 0.0
            body.append(f'<circle cx="{x(at):.1f}" cy="{y(w):.1f}" r="{radius:.1f}" {fill}/>')
        if label:
            body.append(_text(WIDTH - RIGHT + 12, TOP + 18 * (row + 1), label, fill=colour))
    return _svg(body)


def _eigenvalues(numbers: Mapping[str, Any]) -> list[tuple[float, float]]:
    """(rate, frequency) of every eigenvalue; planes have two, and come first."""
    frequencies, rates = numbers.get("frequencies", []), numbers.get("rates", [])
    pairs = [(a, s * w) for a, w in zip(rates, frequencies, strict=False) for s in (1.0, -1.0)]
    return [*pairs, *((a, 0.0) for a in rates[len(frequencies) :])] if frequencies else []


# -- drift ------------------------------------------------------------------------------------


def _drift(report: AuditReport) -> str | None:
    grid = _numbers(report, "relative").get("grid")
    if not grid:
        return None
    queries = sorted({t for t, _, _ in grid})
    keys = sorted({s for _, s, _ in grid})
    width = (WIDTH - LEFT - RIGHT) / len(queries)
    height = (HEIGHT - TOP - BOTTOM) / len(keys)
    title = _titled(report, "relative", "drift over (query, key), in units of what is allowed")
    body = [
        _text(LEFT, 20, title),
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, "position of the query", anchor="middle"),
        _beside("position of the key"),
    ]
    for t, s, ratio in grid:
        left, top = LEFT + queries.index(t) * width, TOP + keys.index(s) * height
        body.append(
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" '
            f'fill="{_shade(ratio)}" stroke="white"/>'
        )
    for i, t in enumerate(queries):
        place = LEFT + (i + 0.5) * width
        body.append(_text(place, HEIGHT - BOTTOM + 16, str(t), anchor="middle", size=9))
    for i, s in enumerate(keys):
        body.append(_text(LEFT - 6, TOP + (i + 0.6) * height, str(s), anchor="end", size=9))
    for row, (ratio, words) in enumerate(((0.01, "below 1 %"), (0.5, "within"), (30.0, "over"))):
        top = TOP + 22 * row
        body.append(
            f'<rect x="{WIDTH - RIGHT + 12}" y="{top}" width="14" height="14" '
            f'fill="{_shade(ratio)}"/>'
        )
        body.append(_text(WIDTH - RIGHT + 32, top + 12, words))
    return _svg(body)


def _shade(ratio: float) -> str:
    """Green within what is allowed, from yellow to red beyond."""
    if ratio <= 1.0:
        light = 92 - round(30 * math.sqrt(ratio))
        return f"hsl(140,40%,{light}%)"
    heat = min(1.0, math.log10(ratio) / 4.0)
    return f"hsl({round(45 * (1 - heat))},85%,55%)"


# -- pieces -----------------------------------------------------------------------------------


def _svg(body: Sequence[str]) -> str:
    inner = "\n".join(body)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" font-family="sans-serif" font-size="11">\n'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n{inner}\n</svg>\n'
    )


def _axes(title: str, below: str, beside: str, x: Scale, y: Scale) -> list[str]:
    right, base = WIDTH - RIGHT, HEIGHT - BOTTOM
    body = [
        _text(LEFT, 20, title),
        f'<path d="M{LEFT} {TOP}V{base}H{right}" fill="none" stroke="#444"/>',
        _text((LEFT + right) / 2, HEIGHT - 10, below, anchor="middle"),
        _beside(beside),
    ]
    for value, label in x.marks:
        if LEFT - 1 <= x(value) <= right + 1:
            body.append(_text(x(value), base + 16, label, anchor="middle", size=9))
            body.append(f'<path d="M{x(value):.1f} {base}v4" stroke="#444"/>')
    for value, label in y.marks:
        if TOP - 1 <= y(value) <= base + 1:
            body.append(_text(LEFT - 7, y(value) + 3, label, anchor="end", size=9))
            body.append(f'<path d="M{LEFT - 4} {y(value):.1f}h4" stroke="#444"/>')
    return body


def _beside(words: str) -> str:
    """A label along the left side."""
    return (
        f'<text transform="translate(16 {(TOP + HEIGHT - BOTTOM) // 2}) rotate(-90)" '
        f'text-anchor="middle">{escape(words)}</text>'
    )


def _text(
    x: float, y: float, words: str, *, anchor: str = "start", size: int = 11, fill: str = "#222"
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
        f'fill="{fill}">{escape(words)}</text>'
    )
