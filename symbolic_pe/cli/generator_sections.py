"""Sections of a page about one generator: blocks, classification, closed form, pictures, code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symbolic_pe.algebra.matrix import apply
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar, precision
from symbolic_pe.classification import Classification, ClassifiedCase, Measure, classify
from symbolic_pe.cli.closed_forms import closed_form_text, uniform_closed_form
from symbolic_pe.cli.portraits import placed_blocks, portraits
from symbolic_pe.cli.report import gauge_text
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.emit.source import EmittedKernel
from symbolic_pe.encodings.encoding import Encoding, Schedule
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.generators.block import Block
from symbolic_pe.jordan.form import RealJordanForm, StructureBlock
from symbolic_pe.production import make_kernels
from symbolic_pe.proof.claim import Outcome
from symbolic_pe.proof.prover import Proof
from symbolic_pe.render.mathematics import formula, matrix
from symbolic_pe.render.page import Block as PageBlock
from symbolic_pe.render.page import Code, Folded, Formula, Heading, Items, Prose, Table

MOST_CASES = 12
MOST_BLOCKS = 8
LONGEST_VALUE = 32
STANDING = (False, True, 1)
"""Pair, without decay, chain length: the kind of a block that is 0."""
LARGEST_MATRIX = 8
"""Channels of a generator that is shown entry by entry."""


def generator_sections(
    found: Encoding, spec: str, proof: Proof, forms: Sequence[RealJordanForm], *, figures: bool
) -> Iterator[PageBlock]:
    """Everything of an encoding with one generator a head that follows from its claims."""
    classified = classify(found, forms=forms)
    yield Heading("Generator")
    yield from _definition(found)
    yield from _classification(classified)
    yield from _closed_form(found, classified)
    if figures and (drawn := portraits(found, classified)):
        yield Heading("Pictures")
        yield from drawn
    if proof.outcome is not Outcome.REFUTED:
        yield from _code(found, spec, _kernel(found, proof, spec))


def _kernel(found: Encoding, proof: Proof, spec: str) -> tuple[KernelPlan, EmittedKernel] | str:
    """Plan and NumPy kernel, or why there is none."""
    try:
        plan, _, (kernel,) = make_kernels(found, proof, ["numpy"], f"symbolic-pe build {spec}")
    except NotYetCovered as error:
        return str(error)
    return plan, kernel


# -- what it is -------------------------------------------------------------------------------


def _definition(encoding: Encoding) -> Iterator[PageBlock]:
    blocks = placed_blocks(encoding)
    heads = len(encoding.heads)
    shared = "" if heads == 1 else f" Each of the {heads} heads has its own generator."
    yield Prose(
        r"$\text{score} = q^\top A(t - s)\,k$ with $A(\tau) = e^{\tau X}$ on "
        f"{encoding.dimension} channels.{shared}"
    )
    generator = encoding.heads[0].generator
    if not blocks:
        if generator.dimension <= LARGEST_MATRIX and (rows := matrix(generator.matrix)):
            yield Formula(f"X = {rows}")
        return
    yield Prose("$X$ is the direct sum of:")
    yield Items(tuple(_kinds(encoding, blocks)))
    if encoding.augmentation is not None:
        added = encoding.augmentation
        yield Prose(
            f"{added.coordinates} constant coordinates are added to query and key"
            + (", here in head 0:" if heads > 1 else ":")
        )
        parts = {"q_a": [added.query], "k_a": [added.key], "Y": added.generator}
        yield Formula(r",\quad ".join(f"{name} = {matrix(rows)}" for name, rows in parts.items()))
        bias = formula(str(added.bias.compose({"tau": 1})))
        yield Formula(rf"q_a^\top e^{{\tau Y}} k_a = {bias}")
    if encoding.temperature != ONE:
        yield Prose(
            f"The score is multiplied by $c^2$, $c = {formula(str(encoding.temperature))}$; the "
            "claims are about $A$."
        )


def _kinds(encoding: Encoding, blocks: Sequence[Block]) -> Iterator[str]:
    """One line for each kind of block, with the numbers in it."""
    kinds: dict[tuple[bool, bool, int], list[Block]] = {}
    for block in blocks:
        kinds.setdefault((block.is_pair, block.rate.is_zero(), block.chain_length), []).append(
            block
        )
    for (pair, still, chain), members in kinds.items():
        symbols = {"rate": Scalar.symbol("a_j"), "frequency": Scalar.symbol("omega_j")}
        symbolic = Block(
            ZERO if still else symbols["rate"],
            symbols["frequency"] if pair else ZERO,
            chain,
            Scalar.symbol("eta_j"),
        )
        if not pair and still and chain == 1:
            yield f"{len(members)} channels on which $X = 0$"
            continue
        size = symbolic.dimension
        shown = f"${matrix(symbolic.generator)}$" if size <= LARGEST_MATRIX else f"of size {size}"
        parameters = {
            "rate": ("a_j", [b.rate for b in members], not still),
            "frequency": (r"\omega_j", [b.frequency for b in members], pair),
            "shear": (r"\eta_j", [b.shear for b in members], chain > 1),
        }
        numbers = [
            _number(letter, values, _schedule(encoding, name))
            for name, (letter, values, occurs) in parameters.items()
            if occurs
        ]
        count = f"{len(members)} blocks" if len(members) > 1 else "one block"
        yield f"{count} {shown}, " + ", ".join(numbers)


def _schedule(encoding: Encoding, name: str) -> Schedule | None:
    return next((s for s in encoding.schedules if s.name == name), None)


def _number(letter: str, values: Sequence[Scalar], schedule: Schedule | None) -> str:
    """One value for all, the formula, or the first and the last."""
    if schedule is not None and (text := formula(schedule.formula)) is not None:
        index = " for head $h$" if "h" in schedule.formula.replace("sqrt", "") else ""
        return f"${letter} = {text}${index}"
    if all(v == values[0] for v in values):
        return f"${letter} = {formula(str(values[0]))}$"
    first, last = formula(str(values[0])), formula(str(values[-1]))
    return f"${letter}$ from ${first}$ to ${last}$"


# -- classification ---------------------------------------------------------------------------


def _classification(found: Classification) -> Iterator[PageBlock]:
    yield Heading("Classification")
    for case in found.cases[:MOST_CASES]:
        yield from _case(case)
    if len(found.cases) > MOST_CASES:
        yield Prose(f"… and {len(found.cases) - MOST_CASES} more cases.")


def _case(case: ClassifiedCase) -> Iterator[PageBlock]:
    heading = " and ".join(f"`{c}`" for c in case.conditions) or "All positions"
    if case.undecided:
        yield Prose(f"**{heading}**: undecided: {case.undecided}.")
        return
    possibly = " (possibly empty)" if case.possibly_empty else ""
    growth = f"{case.growth.causal} for $\\tau \\ge 0$, {case.growth.all} for all $\\tau$"
    yield Prose(f"**{heading}**{possibly}: {growth}.")
    rows = [
        (
            item.block.family,
            _eigenvalue(item.block),
            str(item.block.chain_length),
            str(item.block.multiplicity),
            _value(item.bound) if len(item.bound) <= LONGEST_VALUE else "as the real part",
            _measure(item.half_life),
            _measure(item.period),
        )
        for item in case.blocks[:MOST_BLOCKS]
    ]
    more = len(case.blocks) - MOST_BLOCKS
    if more > 0:
        rows.append((f"… and {more} more", "", "", "", "", "", ""))
    yield Table(
        ("family", "eigenvalue", "chain", "how many", "growth", "half-life", "period"), tuple(rows)
    )


def _eigenvalue(block: StructureBlock) -> str:
    """The exact number where it is short, else its digits."""
    text = block.label()
    value = block.eigenvalue
    if len(text) <= LONGEST_VALUE or not isinstance(value, Scalar) or value.parameters():
        return _value(text)
    with precision(64):
        parts = [value.ball({}).str(6, radius=False)]
        if block.is_pair:
            parts.append(block.imaginary_part.ball({}).str(6, radius=False) + r"\,i")
    return f"$\\approx {' + '.join(parts)}$".replace("+ -", "- ")


def _value(text: str) -> str:
    written = formula(text)
    return f"`{text}`" if written is None else f"${written}$"


def _measure(measure: Measure | None) -> str:
    if measure is None:
        return "–"
    return measure.about or _value(measure.text)


# -- closed form, code ------------------------------------------------------------------------


def _closed_form(encoding: Encoding, found: Classification) -> Iterator[PageBlock]:
    yield Heading("Closed form")
    blocks = placed_blocks(encoding)
    if not blocks:
        for case in found.cases[:MOST_CASES]:
            conditions = " and ".join(f"`{c}`" for c in case.conditions)
            yield Prose(f"Where {conditions}, with t for the lag:" if conditions else "For all t:")
            yield Code(closed_form_text(found, case))
        if (uniform := uniform_closed_form(found)) is not None:
            yield Prose("In one formula for all parameters, smooth where cases meet:")
            yield Code(uniform)
        return
    kinds = dict.fromkeys((b.is_pair, b.rate.is_zero(), b.chain_length) for b in blocks)
    if STANDING in kinds:
        yield Prose("$A(\\tau) = I$ on channels where $X = 0$.")
    for pair, still, chain in kinds:
        if (pair, still, chain) == STANDING:
            continue
        symbolic = Block(
            ZERO if still else Scalar.symbol("a"),
            Scalar.symbol("omega") if pair else ZERO,
            chain,
            Scalar.symbol("eta"),
        )
        rows = matrix(symbolic.exponential("tau"))
        if symbolic.dimension <= LARGEST_MATRIX and rows is not None:
            yield Formula(rf"e^{{\tau X_j}} = {rows}")
        else:
            yield Prose(
                f"Chains of length {chain}: $e^{{a\\tau}} \\sum_k (\\eta\\tau)^k N^k / k!$."
            )
    if encoding.augmentation is not None:
        added = apply(lambda f: f.compose({"tau": 1}), encoding.augmentation.exponential)
        yield Formula(rf"e^{{\tau Y}} = {matrix(added)}")


def _code(
    found: Encoding, spec: str, made: tuple[KernelPlan, EmittedKernel] | str
) -> Iterator[PageBlock]:
    yield Heading("Code")
    if isinstance(made, str):
        yield Prose(f"No kernel: {made}.")
        return
    plan, kernel = made
    yield Prose(gauge_text(plan))
    yield Code(f"symbolic-pe build {spec} -o {found.name}-kernel", "shell")
    yield Folded(f"{kernel.filename}", (Code(kernel.text, "python"),))
