"""The picture of a spectral card: kernel with its window, symbol, eigenvalues. SVG text.

The text is the same for the same card: no date, fixed identifiers, glyphs as paths.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np

from numeric_check.spectrum.card import Card, HeadCard
from numeric_check.spectrum.dense import kernel_values
from numeric_check.spectrum.window import UNIT, Evaluator
from symbolic_pe.errors import SpecificationError
from symbolic_pe.spectrum.decay import decay_eigenvalue
from symbolic_pe.spectrum.kernel import Component

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, RED, GREEN = "#1b6ca8", "#c0392b", "#2e8b57"
MOST_LAGS = 4096
MOST_EIGENVALUES = 512
MOST_LISTED = 256
MOST_TICKS = 8
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
    axes.axhline(0, color="black", linewidth=0.6)
    axes.set_xlabel("lag")
    if head.slope is not None:
        lags = np.linspace(0, min(MOST_LAGS, length - 1), 2)
        axes.plot(lags, -head.slope * lags, color=BLUE, linewidth=0.9)
        axes.set_title("bias against lag")
        return
    lag = head.window.lag if head.window else None
    most = min(MOST_LAGS, max(64, 2 * lag if lag else min(length, 512)))
    lags = np.unique(np.linspace(0, most, 1500).astype(np.uint64))
    values, _ = Evaluator.of(head.kernel).values(lags)
    decay = max(_float(c, "rate") for c in head.kernel.components)
    axes.plot(lags, values * np.exp(decay * lags.astype(float)), color=BLUE, linewidth=0.9)
    if lag is not None and lag <= most:
        axes.axvline(lag, color=RED, linewidth=0.9)
        axes.annotate(
            f" first negative lag {lag} ",
            (lag, 0.9),
            color=RED,
            ha="left" if lag < most / 8 else "right",
            rotation=90,
            va="top",
            fontsize=8,
        )
    axes.set_title("kernel against lag")


def _symbol(axes: Axes, head: HeadCard) -> None:
    from matplotlib.ticker import SymmetricalLogLocator

    axes.set_title("symbol, frequencies of one sign")
    axes.set_xlabel("frequency, rad per position")
    if head.slope is not None:
        omega = np.logspace(-4, np.log10(np.pi), 600)
        axes.loglog(omega, head.slope / (2 * np.sin(omega / 2) ** 2), color=GREEN, linewidth=0.9)
        axes.set_title("symbol of the bias away from 0")
        return
    smooth = [c for c in head.kernel.components if c.rate_sign < 0]
    atoms = [c for c in head.kernel.components if c.rate_sign == 0]
    if not smooth and not atoms:
        axes.text(0.5, 0.5, "none: the series diverges", ha="center", transform=axes.transAxes)
        return
    places = [_float(c, "frequency") for c in atoms]
    known = [_float(c, "frequency") for c in (*smooth, *atoms) if c.turns]
    least = min([1e-2, *(x / 2 for x in known)])
    if smooth:
        rates = [-_float(c, "rate") for c in smooth]
        least = min(least, max(min(rates) / 4, 1e-12))
        omega = np.concatenate([[0.0], np.logspace(np.log10(least / 4), np.log10(np.pi), 1200)])
        total = sum(_poisson(c, omega) for c in smooth)
        axes.plot(omega, total, color=GREEN, linewidth=0.9, label="Poisson kernels")
        axes.set_yscale("log")
    if atoms:
        heights = [float(c.mass.p) / float(c.mass.q) for c in atoms]
        axes.vlines(places, 0 if not smooth else 1e-3, heights, color=BLUE, linewidth=1.2)
        axes.plot(places, heights, "o", color=BLUE, markersize=3, label="atoms (mass)")
    decade = 10.0 ** np.floor(np.log10(least))
    ticks = SymmetricalLogLocator(base=10, linthresh=decade)
    ticks.set_params(numticks=MOST_TICKS)
    axes.set_xscale("symlog", linthresh=decade, linscale=1.0)
    axes.set_xlim(-decade / 4, max([np.pi, *known]) * 1.3)
    axes.xaxis.set_major_locator(ticks)
    axes.legend(fontsize=7)


def _poisson(c: Component, omega: Any) -> Any:
    """m/2·(P_r(ω − b) + P_r(ω + b)), with 1 − r free of cancellation."""
    mass = float(c.mass.p) / float(c.mass.q)
    rate, b = _float(c, "rate"), _float(c, "frequency")
    less, rise = -np.expm1(rate), 4 * np.exp(rate)
    bumps = [less * less + rise * np.sin((omega - s) / 2) ** 2 for s in (b, -b)]
    return mass / 2 * -np.expm1(2 * rate) * (1 / bumps[0] + 1 / bumps[1])


def _eigenvalues(axes: Axes, head: HeadCard, length: int) -> None:
    from matplotlib.ticker import MaxNLocator

    spectrum = head.spectrum
    if spectrum is None:
        axes.text(0.5, 0.5, "no spectrum", ha="center", transform=axes.transAxes)
        return
    rank = float(spectrum.effective_rank.mid())
    axes.set_title(f"eigenvalues/n; effective rank {rank:.4g}")
    axes.set_xlabel("index")
    axes.set_yscale("log")
    only = head.kernel.components[0]
    one_rate = len(head.kernel.components) == 1 and only.rate_sign < 0 and not only.turns
    values = [float(x.mid()) / length for x in spectrum.eigenvalues if x > 0]
    if values:
        axes.plot(range(1, len(values) + 1), values, "o", color=BLUE, markersize=3)
    elif head.slope is None and one_rate:
        index = np.unique(np.linspace(1, length, MOST_LISTED).astype(np.int64))
        exact = [decay_eigenvalue(only.rate.enclosure, length, int(k)) for k in index]
        axes.plot(index, [float(x.mid()) / length for x in exact], ".", color=BLUE, markersize=3)
    else:
        count = min(length, MOST_EIGENVALUES)
        found = np.linalg.eigvalsh(_section(head, count))[::-1] / count
        positive = found > 0 if head.slope is not None else found > count * UNIT * found[0]
        index = np.arange(1, count + 1)
        axes.plot(index[positive], found[positive], ".", color=GREEN, markersize=3)
        if head.slope is not None:
            least = -found[~positive].min()
            axes.plot([count], [least], "v", color=RED, markersize=5)
            axes.annotate("minus the negative one ", (count, least), ha="right", fontsize=7)
        axes.text(0.95, 0.8, f"float64, {count} positions", ha="right", transform=axes.transAxes)
        rank = np.inf if count < length else rank
    if np.isfinite(rank):
        axes.axvline(rank, color=RED, linewidth=0.9)
    axes.set_xlim(left=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def _section(head: HeadCard, count: int) -> Any:
    place = np.arange(count)
    lags = np.abs(np.subtract.outer(place, place))
    if head.slope is not None:
        return -head.slope * lags
    return kernel_values(head.kernel, count)[lags]


def _float(c: Component, name: str) -> float:
    if name == "rate":
        return float(c.rate.enclosure().mid()) if c.rate_sign else 0.0
    return float(c.frequency.enclosure().mid()) if c.turns else 0.0
