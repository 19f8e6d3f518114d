"""The catalogue as pages: an index with verdicts, one page an entry, and the pictures of all."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.classification import classify
from symbolic_pe.cli.chapter_pages import beside
from symbolic_pe.cli.portraits import (
    MOST_MARKS,
    axis,
    bias_at,
    eigenvalue_place,
    generator_spots,
    mean_score,
)
from symbolic_pe.cli.story import Related, entry_page
from symbolic_pe.encodings.axes import SeveralAxes
from symbolic_pe.encodings.catalogue import entries
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.encodings.entry import Entry, Form
from symbolic_pe.generators.block import Block as JordanBlock
from symbolic_pe.generators.generator import Generator
from symbolic_pe.proof.derivation import Decided
from symbolic_pe.render.derivation import Cite
from symbolic_pe.render.figures import Curve, Panel, Row, Spot, orbits, panels, spectrum, strips
from symbolic_pe.render.myst import myst
from symbolic_pe.render.page import Block, Heading, Items, Page, Picture, Prose, Table

SCORE_LAGS = [float(t) for t in range(256)]
ORBIT_STEPS = 160
ORBIT_END = 10.0


def catalogue_files(decided: Collection[Decided], cite: Cite) -> dict[str, str]:
    """Index, pictures and one page an entry, by path."""
    known = entries()
    files = {
        f"catalogue/{name}.md": myst(
            entry_page(entry, {}, related(name, decided), citation=cite(entry.reference)), beside
        )
        for name, entry in known.items()
    }
    files["catalogue/index.md"] = _index(known)
    files["catalogue/pictures.md"] = myst(pictures_page(known), beside)
    return files


def related(name: str, decided: Collection[Decided]) -> tuple[Related, ...]:
    """Derivations that say that the entry rests on them."""
    return tuple(
        Related(d.derivation.name, d.derivation.title)
        for d in decided
        if name in d.derivation.justifies
    )


def _index(known: dict[str, Entry]) -> str:
    rows = tuple(
        (f"[{entry.name}](entry:{entry.name})", entry.title, entry.family, entry.verdict.value)
        for entry in known.values()
    )
    words = (
        "Every known encoding with its verdict. A page has the exact definition, what was proved "
        "or refuted, the closed form, pictures and the code; everything on it is decided or drawn "
        "when it is built."
    )
    page = Page(
        "index",
        "The catalogue",
        "symbolic-pe book",
        (Prose(words), Table(("name", "what it is", "family", "verdict"), rows)),
    )
    toctree = "\n".join(known)
    return f"{myst(page, beside)}\n```{{toctree}}\n:hidden:\n\n{toctree}\n```\n"


# -- the classification in pictures -------------------------------------------------------------


def pictures_page(known: dict[str, Entry]) -> Page:
    """The spectrum plane with every entry, the action of each kind of block, scores by lag."""
    drawn = [_Drawn(entry, entry.form({})) for entry in known.values()]
    blocks: tuple[Block, ...] = (
        Prose(
            "A generator is known by its real Jordan form: eigenvalues, and the lengths of their "
            "chains. Where an eigenvalue lies says what the encoding does to attention."
        ),
        Heading("The spectrum plane"),
        _plane(drawn),
        _strips(drawn),
        Heading("What a block does"),
        _orbits(),
        Heading("Score against lag"),
        _scores(drawn),
        Heading("By verdict"),
        Prose("What has no generator has no place in the plane; its page says what shows that."),
        _verdicts(known),
    )
    return Page("pictures", "The classification in pictures", "symbolic-pe book", blocks)


@dataclass(frozen=True)
class _Drawn:
    """An entry with its form at the published defaults."""

    entry: Entry
    form: Form

    @property
    def generators(self) -> tuple[Generator, ...]:
        """One a head or an axis, constant coordinates included."""
        if isinstance(self.form, Encoding):
            return tuple(head.generator for head in self.form.heads)
        return self.form.axes if isinstance(self.form, SeveralAxes) else ()

    def spots(self, group: str) -> tuple[Spot, ...]:
        """Eigenvalues of all heads or axes; those of added coordinates are chains at 0."""
        found = [spot for x in self.generators for spot in generator_spots(x, group)]
        if isinstance(self.form, Encoding) and self.form.augmentation is not None:
            added = classify(self.form).cases[0].blocks
            found += [
                Spot(*eigenvalue_place(item.block), item.block.chain_length, group=group)
                for item in added
            ]
        return tuple(dict.fromkeys(found))


def _plane(drawn: Sequence[_Drawn]) -> Picture:
    spots = [spot for item in drawn for spot in item.spots(item.entry.family)]
    svg = spectrum(
        "catalogue-spectrum",
        "Eigenvalues of all entries of the catalogue",
        spots,
        axis("real part: decay to the left, growth to the right", [s.x for s in spots]),
        axis("imaginary part: frequency", [s.y for s in spots]),
        height=4.6,
    )
    caption = (
        "Every entry with its published defaults, by eigenvalue; a ring is one more link of a "
        "chain. On the vertical line scores neither grow nor decay; on the horizontal line nothing "
        f"turns. At most {MOST_MARKS} marks a head. Both axes are logarithmic away from 0."
    )
    return Picture("catalogue-spectrum", caption, svg)


def _strips(drawn: Sequence[_Drawn]) -> Picture:
    rows = [
        Row(item.entry.name, item.entry.family, spots)
        for item in drawn
        if (spots := item.spots(item.entry.family))
    ]
    svg = strips(
        "catalogue-strips",
        "Rates and frequencies of every entry",
        rows,
        axis("real part", [s.x for row in rows for s in row.spots]),
        axis("frequency", [s.y for row in rows for s in row.spots]),
    )
    caption = "The same marks entry by entry: how fast channels decay, and how fast they turn."
    return Picture("catalogue-strips", caption, svg)


def _orbits() -> Picture:
    """The path of one vector under exp(τX) for each kind of block, drawn from τ = 0."""
    one, zero = Scalar.rational(1), Scalar.rational(0)
    slow = one / Scalar.rational(4)
    kinds = {
        "rotation": (JordanBlock(zero, one), "X = J"),
        "damped rotation": (JordanBlock(-slow, one), "X = −I/4 + J"),
        "decay": (JordanBlock(-slow), "X = −1/4, twice"),
        "polynomial": (JordanBlock(zero, zero, 2), "X = N"),
        "decay, polynomial": (JordanBlock(-slow, zero, 2), "X = −I/4 + N"),
        "growing rotation": (JordanBlock(slow / Scalar.rational(2), one), "X = I/8 + J"),
    }
    paths = {name: Curve(label, _path(block)) for name, (block, label) in kinds.items()}
    svg = orbits("block-orbits", "Paths of a vector under each kind of block", paths)
    caption = (
        r"A key $k$ as it is carried along, $A(\tau)k$, from the dot at $\tau = 0$: rotation keeps "
        "its length, decay forgets, a chain shears."
    )
    return Picture("block-orbits", caption, svg)


def _path(block: JordanBlock) -> list[tuple[float, float]]:
    a, w, eta = block.rate.to_float(), block.frequency.to_float(), block.shear.to_float()
    path = []
    for step in range(ORBIT_STEPS + 1):
        t = ORBIT_END * step / ORBIT_STEPS
        size = math.exp(a * t)
        if block.is_pair:
            path.append((size * math.cos(w * t), size * math.sin(w * t)))
        elif block.chain_length == 2:
            path.append((size * (0.2 + eta * t * 0.4), size * 0.4))
        else:
            path.append((size, size / 2))
    return path


def _scores(drawn: Sequence[_Drawn]) -> Picture:
    shown = [panel for item in drawn if (panel := _panel(item)) is not None]
    caption = (
        r"$\operatorname{tr}A(\tau)/d$, the mean of $q^\top A(\tau)\,q$ over directions $q$ of "
        f"length 1, for lags 0 to {len(SCORE_LAGS) - 1}, first head or axis; for additive "
        "encodings the bias. Dashed where the model chooses how far time advances."
    )
    svg = panels("catalogue-scores", "Score against lag of every entry", shown)
    return Picture("catalogue-scores", caption, svg)


def _panel(item: _Drawn) -> Panel | None:
    """A small picture of the first head; none without blocks."""
    name, family, form = item.entry.name, item.entry.family, item.form
    dashed = isinstance(form, Encoding) and form.clock != "position"
    if isinstance(form, Encoding) and form.augmentation is not None:
        points = [(t, bias_at(form, 0, t)) for t in SCORE_LAGS[::4]]
        low = min(-1.0, *(p[1] for p in points))
        return Panel(name, family, Curve("", points, dashed), 1.05 * low, -0.05 * low)
    if not item.generators or item.generators[0].placed is None:
        return None
    blocks = [placed.block for placed in item.generators[0].placed]
    line = mean_score(blocks, item.generators[0].dimension, SCORE_LAGS)
    return Panel(name, family, Curve("", line.points, dashed), -1.05, 1.05)


def _verdicts(known: dict[str, Entry]) -> Items:
    by_verdict: dict[str, list[str]] = {}
    for entry in known.values():
        by_verdict.setdefault(entry.verdict.value, []).append(f"[{entry.name}](entry:{entry.name})")
    return Items(tuple(f"{verdict}: {', '.join(names)}" for verdict, names in by_verdict.items()))
