"""The catalogue as pages: an index with verdicts, one page an entry, and the pictures of all."""

from __future__ import annotations

import math
from collections.abc import Collection

from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.classification import classify
from symbolic_pe.cli.chapter_pages import beside
from symbolic_pe.cli.portraits import (
    axis,
    bias_at,
    eigenvalue_spots,
    mean_score,
    placed_blocks,
)
from symbolic_pe.cli.story import Related, entry_page
from symbolic_pe.encodings.catalogue import entries
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.encodings.entry import Entry
from symbolic_pe.generators.block import Block as JordanBlock
from symbolic_pe.proof.derivation import Decided
from symbolic_pe.render.derivation import Cite
from symbolic_pe.render.figures import Curve, Scale, Spot, curves, orbits, spectrum
from symbolic_pe.render.myst import myst
from symbolic_pe.render.page import Block, Heading, Page, Picture, Prose, Table

SCORE_LAGS = [float(t) for t in range(256)]
ORBIT_STEPS = 160
ORBIT_END = 10.0


def catalogue_files(decided: Collection[Decided], cite: Cite) -> dict[str, str]:
    """Index, pictures and one page an entry, by path."""
    known = entries()
    files = {
        f"catalogue/{name}.md": myst(
            entry_page(entry, related(name, decided), citation=cite(entry.reference)), beside
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
    built = {name: entry.encoding({}) for name, entry in known.items()}
    blocks: tuple[Block, ...] = (
        Prose(
            "A generator is known by its real Jordan form: eigenvalues, and the lengths of their "
            "chains. Where an eigenvalue lies says what the encoding does to attention."
        ),
        Heading("The spectrum plane"),
        _plane(built),
        Heading("What a block does"),
        _orbits(),
        Heading("Score against lag"),
        *_scores(built),
    )
    return Page("pictures", "The classification in pictures", "symbolic-pe book", blocks)


def _plane(built: dict[str, Encoding]) -> Picture:
    """One mark for each eigenvalue that an entry has with its defaults; one colour an entry."""
    spots: list[Spot] = []
    for name, encoding in built.items():
        if not encoding.parameters:
            spots += eigenvalue_spots(classify(encoding), name)
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
        "chain. On the vertical line scores neither grow nor decay; marks at 0 do not turn. Both "
        "axes are logarithmic away from 0."
    )
    return Picture("catalogue-spectrum", caption, svg)


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
    panels = {name: Curve(label, _path(block)) for name, (block, label) in kinds.items()}
    svg = orbits("block-orbits", "Paths of a vector under each kind of block", panels)
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


def _scores(built: dict[str, Encoding]) -> list[Picture]:
    lines, biases = [], []
    for name, encoding in built.items():
        if encoding.augmentation is not None:
            biases.append(Curve(name, [(t, bias_at(encoding, 0, t)) for t in SCORE_LAGS[::8]]))
        elif not encoding.parameters and (blocks := placed_blocks(encoding)):
            found = mean_score(blocks, encoding.dimension, SCORE_LAGS)
            lines.append(Curve(name, found.points, encoding.clock != "position"))
    pictures = [
        Picture(
            "catalogue-scores",
            r"$\operatorname{tr}A(\tau)/d$, the mean of $q^\top A(\tau)\,q$ over directions $q$ of "
            "length 1, for head 0 of every entry; dashed where the model chooses how far time "
            "advances.",
            curves(
                "catalogue-scores",
                "Score against lag of all entries",
                lines,
                Scale("lag τ"),
                Scale("tr A(τ)/d"),
                height=4.0,
            ),
        )
    ]
    if biases:
        svg = curves("catalogue-biases", "Bias against lag", biases, Scale("lag τ"), Scale("bias"))
        pictures.append(Picture("catalogue-biases", "Biases that are added, head 0.", svg))
    return pictures
