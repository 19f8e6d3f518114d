"""Figures as SVG text: the same bytes every time, no background, strokes in the colour of the page.

Matplotlib draws them; it is imported when something is drawn. Axes and text take `currentColor`, so
that one figure serves a light and a dark page when it stands in the page itself.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from symbolic_pe.errors import SpecificationError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#123450"
"""Stands for the colour of the page while a figure is drawn; no curve has it."""
COLOURS = ("#2f87c0", "#d9772b", "#3b9a57", "#cf4a5c", "#8a68bd", "#3aa3a0", "#a0783c", "#c065a5")
WIDTH = 6.4
MOST_TICKS = 6
ROOM = 1.8
SETTINGS = {
    "svg.fonttype": "none",
    "font.size": 10.0,
    "font.family": "sans-serif",
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "lines.linewidth": 1.6,
    "legend.frameon": False,
    "legend.fontsize": 9.0,
    "axes.titlesize": 10.0,
}


@dataclass(frozen=True)
class Curve:
    """A line through points, with the text that names it."""

    label: str
    points: Sequence[tuple[float, float]]
    dashed: bool = False


@dataclass(frozen=True)
class Spot:
    """A mark in the plane: where, how large a chain it stands for, and the text beside it."""

    x: float
    y: float
    chain_length: int = 1
    label: str = ""
    group: str = ""


@dataclass(frozen=True)
class Scale:
    """The text along an axis; `linear`, `log`, `symlog` beyond a threshold, or `names`."""

    label: str
    spacing: str = "linear"
    threshold: float = 1.0


def curves(
    name: str, title: str, lines: Sequence[Curve], x: Scale, y: Scale, *, height: float = 3.0
) -> str:
    """Lines over one axis, with a legend where there are several."""

    def draw(axes: Axes) -> None:
        for index, line in enumerate(lines):
            axes.plot(
                [p[0] for p in line.points],
                [p[1] for p in line.points],
                color=COLOURS[index % len(COLOURS)],
                linestyle="--" if line.dashed else "-",
                label=line.label,
            )
        axes.axhline(0, color=INK, linewidth=0.6, alpha=0.4)
        _scales(axes, x, y)
        if len(lines) > 1:
            _legend(axes)

    return drawn(name, title, draw, height=height)


def spectrum(
    name: str, title: str, spots: Sequence[Spot], x: Scale, y: Scale, *, height: float = 3.4
) -> str:
    """Eigenvalues in the plane, one colour a group; rings around a mark count its chain."""

    def draw(axes: Axes) -> None:
        axes.axvline(0, color=INK, linewidth=0.8, alpha=0.5)
        axes.axhline(0, color=INK, linewidth=0.8, alpha=0.5)
        groups = list(dict.fromkeys(spot.group for spot in spots))
        for index, group in enumerate(groups):
            colour = COLOURS[index % len(COLOURS)]
            members = [spot for spot in spots if spot.group == group]
            axes.scatter(
                [s.x for s in members],
                [s.y for s in members],
                s=26,
                color=colour,
                label=group,
                zorder=3,
                linewidths=0,
            )
            for ring in range(2, 1 + max((s.chain_length for s in members), default=1)):
                inside = [s for s in members if s.chain_length >= ring]
                axes.scatter(
                    [s.x for s in inside],
                    [s.y for s in inside],
                    s=26 * (ring + 0.6) ** 2 / 2.2,
                    facecolors="none",
                    edgecolors=colour,
                    zorder=3,
                    linewidths=1.1,
                )
        for spot in spots:
            if spot.label:
                axes.annotate(
                    spot.label,
                    (spot.x, spot.y),
                    textcoords="offset points",
                    xytext=(7, 5),
                    fontsize=8.5,
                )
        _scales(axes, x, y)
        _limits(axes, "x", x, [spot.x for spot in spots])
        _limits(axes, "y", y, [spot.y for spot in spots])
        if len(groups) > 1:
            _legend(axes)

    return drawn(name, title, draw, height=height)


def bars(name: str, title: str, values: Mapping[str, float], x: Scale, y: Scale) -> str:
    """One bar a name."""

    def draw(axes: Axes) -> None:
        axes.bar(list(values), list(values.values()), color=COLOURS[0], width=0.6)
        _scales(axes, x, y)

    return drawn(name, title, draw, height=2.6)


def orbits(name: str, title: str, panels: Mapping[str, Curve], *, columns: int = 3) -> str:
    """Paths in the plane, one small panel each, from a dot at τ = 0."""
    rows = -(-len(panels) // columns)

    def draw(figure: Figure) -> None:
        grid = figure.subplots(rows, columns, squeeze=False)
        for axes in grid.flat:
            axes.set_axis_off()
        for axes, (heading, path) in zip(grid.flat, panels.items(), strict=False):
            xs, ys = [p[0] for p in path.points], [p[1] for p in path.points]
            reach = max(1.15, 1.08 * max(map(abs, xs + ys)))
            axes.plot((-reach, reach), (0, 0), color=INK, linewidth=0.6, alpha=0.35)
            axes.plot((0, 0), (-reach, reach), color=INK, linewidth=0.6, alpha=0.35)
            axes.plot(xs, ys, color=COLOURS[0])
            axes.scatter(xs[:1], ys[:1], color=COLOURS[1], s=22, zorder=3)
            axes.set_xlim(-reach, reach)
            axes.set_ylim(-reach, reach)
            axes.set_aspect("equal")
            axes.set_title(f"{heading}\n{path.label}", fontsize=9)

    return _drawn(name, title, draw, (WIDTH, 2.4 * rows))


@dataclass(frozen=True)
class Row:
    """One line of `strips`: its label, its colour by group, and marks (x: rate, y: frequency)."""

    label: str
    group: str
    spots: Sequence[Spot]


def strips(name: str, title: str, rows: Sequence[Row], left: Scale, right: Scale) -> str:
    """A row for each label: x of its marks in the left panel, y in the right one."""
    groups = list(dict.fromkeys(row.group for row in rows))

    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, 2, sharey=True)
        for side, (axes, scale) in enumerate(zip(panels, (left, right), strict=True)):
            for line, row in enumerate(rows):
                places = sorted({(spot.x, spot.y)[side] for spot in row.spots})
                colour = COLOURS[groups.index(row.group) % len(COLOURS)]
                axes.scatter(places, [line] * len(places), s=9, color=colour, linewidths=0)
            _scales(axes, scale, Scale(""))
            axes.tick_params(axis="x", labelsize=8)
            values = [(spot.x, spot.y)[side] for row in rows for spot in row.spots]
            _limits(axes, "x", scale, values)
            axes.set_ylim(len(rows) - 0.4, -0.6)
        panels[0].set_yticks(range(len(rows)), [row.label for row in rows], fontsize=8.5)

    return _drawn(name, title, draw, (WIDTH + 0.6, 0.9 + 0.21 * len(rows)))


@dataclass(frozen=True)
class Panel:
    """One small picture of `panels`."""

    heading: str
    group: str
    line: Curve
    low: float
    high: float


def panels(name: str, title: str, shown: Sequence[Panel], *, columns: int = 4) -> str:
    """Small pictures of one curve each, over the same x, coloured by group."""
    groups = list(dict.fromkeys(panel.group for panel in shown))
    count = -(-len(shown) // columns)

    def draw(figure: Figure) -> None:
        grid = figure.subplots(count, columns, squeeze=False, sharex=True)
        for axes in grid.flat[len(shown) :]:
            axes.set_axis_off()
        for axes, panel in zip(grid.flat, shown, strict=False):
            axes.plot(
                [p[0] for p in panel.line.points],
                [p[1] for p in panel.line.points],
                color=COLOURS[groups.index(panel.group) % len(COLOURS)],
                linestyle="--" if panel.line.dashed else "-",
                linewidth=1.1,
            )
            axes.axhline(0, color=INK, linewidth=0.6, alpha=0.4)
            axes.set_ylim(panel.low, panel.high)
            axes.set_title(panel.heading, fontsize=8.5)
            axes.tick_params(labelsize=7, length=2)

    return _drawn(name, title, draw, (WIDTH + 0.6, 1.15 * count))


def drawn(name: str, title: str, draw: Callable[[Axes], None], *, height: float = 3.0) -> str:
    """The SVG text of one pair of axes; `title` is read by screen readers.

    Raises `SpecificationError` when Matplotlib is not installed.
    """
    return _drawn(name, title, lambda figure: draw(figure.subplots()), (WIDTH, height))


def _drawn(name: str, title: str, draw: Callable[[Figure], None], size: tuple[float, float]) -> str:
    with _settings(name):
        from matplotlib.figure import Figure

        figure = Figure(figsize=size, layout="constrained")
        figure.patch.set_alpha(0)
        draw(figure)
        for axes in figure.axes:
            axes.patch.set_alpha(0)
        stream = io.StringIO()
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    return _cleaned(stream.getvalue(), title)


def _settings(name: str) -> AbstractContextManager[None]:
    try:
        import matplotlib
    except ImportError:
        raise SpecificationError(
            "figures are drawn by Matplotlib, which is not installed: pip install "
            "'symbolic-pe[docs]', or ask for a page without figures"
        ) from None
    return matplotlib.rc_context({**SETTINGS, "svg.hashsalt": name})


def _cleaned(svg: str, title: str) -> str:
    """No prologue, fixed size, metadata, global style or fonts; ink in the colour of the page."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.S)
    width, height = (re.search(rf'{side}="([0-9.]+)pt"', svg) for side in ("width", "height"))
    assert width is not None
    assert height is not None
    svg = re.sub(r' (width|height)="[0-9.]+pt"', "", svg, count=2)
    head, rest = svg.split(">", 1)
    style = f"width: 100%; max-width: {float(width[1]) * 4 / 3:.0f}px; height: auto"
    head += f' role="img" stroke-linejoin="round" style="{style}">\n <title>{escape(title)}</title>'
    body = rest.replace(INK, "currentColor")
    body = re.sub(r"\s*<defs>\s*<style.*?</style>\s*</defs>", "", body, flags=re.S)
    body = re.sub(r"font-family: [^;\"]*", "font-family: inherit", body)
    body = re.sub(r'<g id="[^"]*"', "<g", body)
    return "\n".join(line.rstrip() for line in (head + body).strip().splitlines()) + "\n"


def _scales(axes: Axes, x: Scale, y: Scale) -> None:
    axes.set_xlabel(x.label)
    axes.set_ylabel(y.label)
    axes.grid(visible=True, color=INK, alpha=0.12, linewidth=0.6)
    for side, scale in (("x", x), ("y", y)):
        _spaced(axes, side, scale)


def _spaced(axes: Axes, side: str, scale: Scale) -> None:
    if scale.spacing == "symlog":
        from matplotlib.ticker import SymmetricalLogLocator

        getattr(axes, f"set_{side}scale")("symlog", linthresh=scale.threshold)
        locator = SymmetricalLogLocator(base=10, linthresh=scale.threshold)
        locator.set_params(numticks=MOST_TICKS)
        getattr(axes, f"{side}axis").set_major_locator(locator)
    elif scale.spacing == "log":
        getattr(axes, f"set_{side}scale")("log")
    elif scale.spacing == "linear":
        from matplotlib.ticker import MaxNLocator

        getattr(axes, f"{side}axis").set_major_locator(MaxNLocator(MOST_TICKS))


def _limits(axes: Axes, side: str, scale: Scale, values: Sequence[float]) -> None:
    """From the smallest to the largest value with some room; −1 to 1 around nothing but zeros."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    if scale.spacing == "symlog":
        room = scale.threshold / 2
        low = ROOM * low if low < 0 else -room
        high = ROOM * high if high > 0 else room
    elif low == high:
        low, high = low - (abs(low) or 1.0), high + (abs(high) or 1.0)
    else:
        return
    getattr(axes, f"set_{side}lim")(low, high)


def _legend(axes: Axes) -> None:
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.3)
