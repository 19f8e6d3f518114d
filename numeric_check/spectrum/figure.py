"""The picture of a spectral card: kernel with its window, symbol, eigenvalues. SVG text.

The text is the same for the same card: no date, fixed identifiers, glyphs as paths.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np

from numeric_check.spectrum.card import Card, HeadCard
from numeric_check.spectrum.dense import kernel_values
from numeric_check.spectrum.window import Evaluator
from symbolic_pe.errors import SpecificationError
from symbolic_pe.spectrum.kernel import Component

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, RED, GREEN = "#1b6ca8", "#c0392b", "#2e8b57"
MOST_LAGS = 4096
MOST_EIGENVALUES = 512
SETTINGS: Any = {
    "svg.hashsalt": "symbolic-pe",
    "font.size": 9,
    "axes.grid": True,
    "grid.alpha": 0.25,
}


def card_figure(card: Card) -> str:
    """Three panels for the first head. Raises `SpecificationError` without matplotlib or a head."""
    if not card.heads:
        raise SpecificationError(f"--figure: there is no spectrum to draw: {card.reason}")
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise SpecificationError(
            "--figure: needs matplotlib (pip install 'symbolic-pe[figures]')"
        ) from None
    head = card.heads[0]
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(11, 3.4), layout="constrained")
        left, middle, right = figure.subplots(1, 3)
        _kernel(left, head, card.length)
        _symbol(middle, head)
        _eigenvalues(right, head, card.length)
        figure.suptitle(f"{card.name}, {card.length} positions", fontsize=10)
        stream = io.StringIO()
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    return stream.getvalue()


def _kernel(axes: Axes, head: HeadCard, length: int) -> None:
    lag = head.window.lag if head.window else None
    most = min(MOST_LAGS, max(64, 2 * lag if lag else min(length, 512)))
    lags = np.unique(np.linspace(1, most, 1500).astype(np.uint64))
    values, _ = Evaluator.of(head.kernel).values(lags)
    decay = max(_float(c, "rate") for c in head.kernel.components)
    values = values * np.exp(decay * lags.astype(float))
    axes.axhline(0, color="black", linewidth=0.6)
    axes.plot(lags, values, color=BLUE, linewidth=0.9)
    if lag is not None and lag <= most:
        axes.axvline(lag, color=RED, linewidth=0.9)
        axes.annotate(
            f"first negative lag {lag}",
            (lag, 0.9),
            color=RED,
            ha="right",
            rotation=90,
            va="top",
            fontsize=8,
        )
    axes.set_title("kernel against lag")
    axes.set_xlabel("lag")


def _symbol(axes: Axes, head: HeadCard) -> None:
    smooth = [c for c in head.kernel.components if c.rate_sign < 0]
    atoms = [c for c in head.kernel.components if c.rate_sign == 0]
    if smooth:
        omega = np.logspace(-5, np.log10(np.pi), 1200)
        total = sum(_poisson(c, omega) for c in smooth)
        axes.plot(omega, total, color=GREEN, linewidth=0.9, label="Poisson kernels")
        axes.set_yscale("log")
    if atoms:
        places = [max(_float(c, "frequency"), 1e-5) for c in atoms]
        heights = [float(c.mass.p) / float(c.mass.q) for c in atoms]
        axes.vlines(places, 0 if not smooth else 1e-3, heights, color=BLUE, linewidth=1.2)
        axes.plot(places, heights, "o", color=BLUE, markersize=3, label="atoms (mass)")
    axes.set_xscale("log")
    axes.legend(fontsize=7)
    axes.set_title("symbol, frequencies of one sign")
    axes.set_xlabel("frequency, rad per position")


def _poisson(c: Component, omega: Any) -> Any:
    mass = float(c.mass.p) / float(c.mass.q)
    r, b = np.exp(_float(c, "rate")), _float(c, "frequency")
    bumps = [(1 - r * r) / (1 - 2 * r * np.cos(omega - s) + r * r) for s in (b, -b)]
    return mass / 2 * (bumps[0] + bumps[1])


def _eigenvalues(axes: Axes, head: HeadCard, length: int) -> None:
    spectrum = head.spectrum
    if spectrum is None:
        axes.text(0.5, 0.5, "no spectrum", ha="center", transform=axes.transAxes)
        return
    values = [float(x.mid()) / length for x in spectrum.eigenvalues if x > 0]
    if values:
        axes.semilogy(range(1, len(values) + 1), values, "o", color=BLUE, markersize=3)
        axes.axvline(float(spectrum.effective_rank.mid()), color=RED, linewidth=0.9)
    elif head.of == "content kernel":
        count = min(length, MOST_EIGENVALUES)
        section = np.linalg.eigvalsh(_section(head, count))[::-1] / count
        axes.semilogy(range(1, count + 1), section, ".", color=GREEN, markersize=3)
        axes.text(0.95, 0.9, f"float64, {count} positions", ha="right", transform=axes.transAxes)
    else:
        axes.plot([1], [float(spectrum.largest.mid()) / length], "o", color=BLUE)
    axes.set_title(f"eigenvalues/n; effective rank {float(spectrum.effective_rank.mid()):.4g}")
    axes.set_xlabel("index")


def _section(head: HeadCard, count: int) -> Any:
    values = kernel_values(head.kernel, count)
    place = np.arange(count)
    return values[np.abs(np.subtract.outer(place, place))]


def _float(c: Component, name: str) -> float:
    if name == "rate":
        return float(c.rate.enclosure().mid()) if c.rate_sign else 0.0
    return float(c.frequency.enclosure().mid()) if c.turns else 0.0
