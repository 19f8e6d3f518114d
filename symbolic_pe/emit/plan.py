"""KernelPlan: what a kernel computes, before any programming language.

Blocks of one kind become one group of vectorised operations. For a group with rate a, frequency ω,
chain length n and shear η (vectors over its blocks, one row per head), in slots x₀ … x_{n−1}:

    query, u = t − c:   F(t) = A(u)ᵀ     yᵢ = e^{au} R(−ωu) Σ_k (ηu)^k/k! x_{i−k}
    key,   v = s − c:   G(s) = A(−v)     yᵢ = e^{−av} R(−ωv) Σ_k (−ηv)^k/k! x_{i+k}

so both sides turn by the same angle −ω·(position − c) and F(t)ᵀG(s) = A(t − s) for every
reference c. With a basis X = P·J·Q the query is first multiplied by Pᵀ and the key by Q (the gauge
M = Q). A `MatrixGroup` is a parametric 2×2 component, applied through entire functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from flint import fmpq

from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.matrix import ScalarMatrix, block_diagonal, is_rational, to_fmpq
from symbolic_pe.algebra.scalar import HALF, ONE, ZERO, Scalar
from symbolic_pe.emit.balance import balanced
from symbolic_pe.encodings.encoding import Augmentation, Encoding, Schedule
from symbolic_pe.encodings.layout import place_consecutively
from symbolic_pe.errors import NotYetCovered, SpecificationError
from symbolic_pe.generators.block import Block, PlacedBlock
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from symbolic_pe.jordan.components import connected_components
from symbolic_pe.jordan.form import ImplicitEigenvalue, JordanCase
from symbolic_pe.jordan.nearby import nearby_form
from symbolic_pe.jordan.rational import MAX_BASIS_HEIGHT, height

NO_DISTANCE = fmpq(0)
SMALLEST_NORMAL, LARGEST_NORMAL = 2.0**-1022, 2.0**1023
LONGEST = 60
"""Of a number in a message."""
WIDEST_OF_BASES = 2.0**-400, 2.0**400
"""Sizes of entries of bases: three of their products are numbers of binary64."""


@dataclass(frozen=True)
class Vector:
    """Exact values over heads (rows) and blocks; a formula that gives them, when there is one.

    One row when all heads agree. `schedule.formula` is in the input grammar with the indices
    `j` (block in the group) and `h` (head), and the names in `schedule.constants`.
    """

    rows: tuple[tuple[Scalar, ...], ...]
    schedule: Schedule | None = None

    @property
    def is_zero(self) -> bool:
        """True when every value is 0."""
        return all(x.is_zero() for row in self.rows for x in row)

    @property
    def uniform(self) -> tuple[Scalar, ...] | None:
        """One value per head when all blocks agree, else None."""
        if any(x != row[0] for row in self.rows for x in row):
            return None
        return tuple(row[0] for row in self.rows)


@dataclass(frozen=True)
class BlockGroup:
    """All blocks of one kind: `slots[i]` lists the channel of slot i for every block.

    A real block of chain length n has n slots; a pair has 2n (link, then part of the plane).
    """

    pair: bool
    chain_length: int
    slots: tuple[tuple[int, ...], ...]
    rate: Vector
    frequency: Vector
    shear: Vector

    @property
    def kind(self) -> str:
        """`constant`, `scale`, `rotate`, `damped-rotate`, and `-chain` for chains."""
        base = {
            (False, True): "constant",
            (False, False): "scale",
            (True, True): "rotate",
            (True, False): "damped-rotate",
        }[self.pair, self.rate.is_zero]
        return base if self.chain_length == 1 else f"{base}-chain"


@dataclass(frozen=True)
class MatrixGroup:
    """A 2×2 component with parameters: exp(uX) = e^{au}(C·I + S·(X − aI)).

    a = tr X/2, D = a² − det X, C = cosh(u√D), S = sinh(u√D)/√D; both are entire in D, so the
    formula is right on every case and smooth where cases meet.
    """

    channels: tuple[int, int]
    matrix: ScalarMatrix
    centre: Scalar
    discriminant: Scalar

    @property
    def norm_preserving(self) -> bool:
        """Decide Xᵀ + X = 0."""
        (a, b), (c, d) = self.matrix
        return a.is_zero() and d.is_zero() and (b + c).is_zero()


Group = BlockGroup | MatrixGroup


@dataclass(frozen=True)
class KernelPlan:
    """Everything a target needs to print a kernel.

    groups        in order; together they use every channel once
    basis         per head (one row set when shared): P and Q of X = P·J·Q, or None
    parameters    names of run-time arguments of every function
    augmentations one per head when a bias is realised by constant coordinates, else empty
    distance      0, or |X̂ − X| entry by entry where the kernel has a nearby rational generator X̂
                  (eigenvalues of degree 3 or more); `encoding` then carries X̂
    norm_preserving  True when A(t) is orthogonal, so that one map serves query and key
    """

    encoding: Encoding
    groups: tuple[Group, ...]
    basis: tuple[tuple[ScalarMatrix, ScalarMatrix], ...] | None
    parameters: tuple[str, ...]
    augmentations: tuple[Augmentation, ...]
    norm_preserving: bool
    distance: fmpq = NO_DISTANCE

    @property
    def heads(self) -> int:
        """Number of distinct heads: 1 when the generator is shared."""
        return len(self.encoding.heads)

    @property
    def dimension(self) -> int:
        """Channels per head on input."""
        return self.encoding.dimension

    @property
    def uniform_decay(self) -> tuple[Scalar, ...] | None:
        """The common rate a per head, when every block has it, it is not 0, and none is a chain.

        Then A(τ) = e^{aτ}·B(τ) with B orthogonal: the mask form, stable at any range.
        """
        groups = [
            g
            for g in self.groups
            if isinstance(g, BlockGroup) and (g.chain_length == 1 or g.shear.is_zero)
        ]
        if len(groups) != len(self.groups) or self.basis is not None or self.parameters:
            return None
        rates = {g.rate.uniform for g in groups}
        if len(rates) != 1 or None in rates:
            return None
        (rate,) = rates
        if rate is None or all(x.is_zero() for x in rate):
            return None
        return rate if len(rate) == self.heads else rate * self.heads

    @property
    def turns_in_a_basis(self) -> bool:
        """A(τ) = P exp(τK) P⁻¹ where K only turns: nothing grows at any lag, of either sign."""
        return self.basis is not None and all(
            isinstance(g, BlockGroup) and g.kind in ("constant", "rotate") for g in self.groups
        )

    @property
    def takes_chunks_whole(self) -> bool:
        """A chunk of a causal sum is one product with a mask, as no exponent in it can grow."""
        return self.uniform_decay is not None or self.turns_in_a_basis

    @property
    def offers_recurrence(self) -> bool:
        """The kernel has the recurrent and the chunkwise form of the causal sum.

        Where A(τ) is orthogonal nothing grows or decays and the maps serve every range, and with a
        bias the sum over keys is that of a softmax, which no state carries.
        """
        return not self.norm_preserving and not self.augmentations

    @property
    def largest_rate(self) -> Scalar:
        """max |a| over blocks without parameters; decides the range a factorised form serves."""
        rates = dict.fromkeys(
            x for g in self.groups if isinstance(g, BlockGroup) for row in g.rate.rows for x in row
        )
        values = [x for x in rates if not x.parameters()]
        magnitudes = [-x if x.sign() < 0 else x for x in values]
        return max(magnitudes, key=lambda x: x.to_float(), default=ZERO)


def plan_kernel(encoding: Encoding) -> KernelPlan:
    """Plan the kernel of an encoding.

    Raises `NotYetCovered` when a component has no real Jordan basis in this version.
    """
    generators = [head.generator for head in encoding.heads]
    distance = fmpq(0)
    if all(g.placed is not None for g in generators):
        placed = [list(g.placed or ()) for g in generators]
        groups, basis = _block_groups(placed, encoding.schedules), None
    elif len(generators) == 1 and encoding.parameters:
        groups, basis = _parametric_groups(generators[0]), None
    else:
        diagonal = _diagonalised(generators)
        groups, basis, distance = diagonal.groups, diagonal.basis, diagonal.distance
        if distance:
            heads = zip(encoding.heads, diagonal.generators, strict=True)
            encoding = replace(encoding, heads=tuple(replace(h, generator=g) for h, g in heads))
            generators = list(diagonal.generators)
    refuse_unrepresentable([encoding.temperature])
    for group in groups:
        _refuse_unrepresentable(group)
    for pair in basis or ():
        refuse_wide_basis(pair)
    if encoding.angles == "turns" and not any(isinstance(g, BlockGroup) and g.pair for g in groups):
        raise SpecificationError(
            f"{encoding.name}: angles = turns: expected a plane that turns at a known frequency, "
            "got none; leave angles out"
        )
    augmentations = tuple(h.augmentation for h in encoding.heads if h.augmentation is not None)
    return KernelPlan(
        encoding,
        tuple(groups),
        basis,
        tuple(sorted(encoding.parameters)),
        augmentations,
        all(is_norm_preserving(g) for g in generators),
        distance,
    )


def _refuse_unrepresentable(group: Group) -> None:
    """Every constant of a kernel has to be a normal binary64 number."""
    if isinstance(group, MatrixGroup):
        return
    vectors = (group.rate, group.frequency, group.shear)
    refuse_unrepresentable(x for v in vectors for row in v.rows for x in row)


def refuse_unrepresentable(constants: Iterable[Scalar]) -> None:
    """Raise `SpecificationError` for a constant that no normal binary64 number is near."""
    for x in set(constants):
        if x.is_zero() or x.parameters():
            continue
        if not SMALLEST_NORMAL <= abs(x.to_float()) <= LARGEST_NORMAL:
            text = str(x)
            shown = text if len(text) <= LONGEST else f"{text[: LONGEST // 2]}...{text[-8:]}"
            raise SpecificationError(
                f"a kernel cannot hold the constant {shown}: it is outside the normal range of "
                "binary64 (about 1e-308 to 1e308)"
            )


def refuse_wide_basis(bases: tuple[ScalarMatrix, ScalarMatrix]) -> None:
    """Products with a basis and with its inverse have to stay in the range of binary64."""
    for name, matrix in zip(("basis", "inverse basis"), bases, strict=True):
        sizes = [abs(x.to_float()) for row in matrix for x in row if not x.is_zero()]
        if not WIDEST_OF_BASES[0] <= min(sizes) <= max(sizes) <= WIDEST_OF_BASES[1]:
            raise NotYetCovered(
                f"code in a real Jordan basis with entries from {min(sizes):.0e} to "
                f"{max(sizes):.0e} in the {name}: products with them leave the range of binary64; "
                "bring the entries of the generator nearer to each other in size"
            )


def is_norm_preserving(generator: Generator) -> bool:
    """Decide Xᵀ + X = 0, hence A(t)ᵀA(t) = I."""
    if generator.placed is not None:
        return all(
            p.block.rate.is_zero() and (p.block.chain_length == 1 or p.block.shear.is_zero())
            for p in generator.placed
        )
    x = generator.matrix
    n = len(x)
    return all((x[i][j] + x[j][i]).is_zero() for i in range(n) for j in range(i, n))


def _block_groups(
    heads: Sequence[Sequence[PlacedBlock]], schedules: Sequence[Schedule]
) -> list[Group]:
    """Group equal kinds; every head must place the same kinds on the same channels."""
    shapes = [[_shape(p) for p in head] for head in heads]
    if any(s != shapes[0] for s in shapes):
        raise NotYetCovered(
            "heads whose blocks differ in kind or place; give the heads generators of one shape"
        )
    kinds = [
        (p.block.is_pair, p.block.chain_length, all(head[i].block.rate.is_zero() for head in heads))
        for i, p in enumerate(heads[0])
    ]
    groups: list[Group] = []
    for kind in dict.fromkeys(kinds):
        indices = [i for i, other in enumerate(kinds) if other == kind]
        pair, length, _ = kind
        members = [[head[i] for i in indices] for head in heads]
        slots = tuple(
            tuple(p.coordinates[slot] for p in members[0])
            for slot in range(length * (2 if pair else 1))
        )
        groups.append(
            BlockGroup(
                pair,
                length,
                slots,
                _vector([[p.block.rate for p in row] for row in members], "rate", schedules),
                _vector(
                    [[p.block.frequency for p in row] for row in members], "frequency", schedules
                ),
                _vector([[p.block.shear for p in row] for row in members], "shear", schedules),
            )
        )
    return groups


def _shape(placed: PlacedBlock) -> tuple[bool, int, tuple[int, ...]]:
    return placed.block.is_pair, placed.block.chain_length, placed.coordinates


def _vector(rows: list[list[Scalar]], name: str, schedules: Sequence[Schedule]) -> Vector:
    frozen = tuple(tuple(row) for row in rows)
    schedule = next((s for s in schedules if s.name == name and reproduces(s, frozen)), None)
    if all(row == frozen[0] for row in frozen):
        frozen = frozen[:1]
    return Vector(frozen, schedule)


def reproduces(schedule: Schedule, rows: tuple[tuple[Scalar, ...], ...]) -> bool:
    """Decide that the formula gives exactly these values.

    A formula without h gives every head one row, without j every block one value: then one of
    them is compared, and the others with it.
    """
    if not _names(schedule.formula, "h"):
        if any(row != rows[0] for row in rows):
            return False
        rows = rows[:1]
    if not _names(schedule.formula, "j"):
        if any(x != row[0] for row in rows for x in row):
            return False
        rows = tuple(row[:1] for row in rows)
    return all(
        parse(
            schedule.formula,
            values={**schedule.constants, "j": Scalar.rational(j), "h": Scalar.rational(h)},
        )
        == x
        for h, row in enumerate(rows)
        for j, x in enumerate(row)
    )


def _names(formula: str, index: str) -> bool:
    return re.search(rf"\b{index}\b", formula) is not None


def _parametric_groups(generator: Generator) -> list[Group]:
    matrix = generator.matrix
    groups: list[Group] = []
    singles: list[PlacedBlock] = []
    for channels in connected_components(matrix):
        if len(channels) == 1:
            (i,) = channels
            singles.append(PlacedBlock(Block(matrix[i][i]), channels))
            continue
        if len(channels) != 2:
            raise NotYetCovered(
                f"code for the {len(channels)}×{len(channels)} parametric component on channels "
                f"{list(channels)}; this version emits parametric components of dimension 1 and 2"
            )
        i, k = channels
        block = ((matrix[i][i], matrix[i][k]), (matrix[k][i], matrix[k][k]))
        centre = HALF * (block[0][0] + block[1][1])
        half_difference = HALF * (block[0][0] - block[1][1])
        discriminant = half_difference * half_difference + block[0][1] * block[1][0]
        groups.append(MatrixGroup((i, k), block, centre, discriminant))
    if singles:
        groups.extend(_block_groups([singles], ()))
    return groups


@dataclass(frozen=True)
class _Diagonal:
    """Groups in Jordan coordinates with their basis, and the generators they belong to."""

    groups: list[Group]
    basis: tuple[tuple[ScalarMatrix, ScalarMatrix], ...] | None
    generators: tuple[Generator, ...]
    distance: fmpq


def _diagonalised(generators: Sequence[Generator]) -> _Diagonal:
    """Real Jordan basis of numeric matrices; coordinates of J in the order of its blocks."""
    heads: list[list[PlacedBlock]] = []
    bases: list[tuple[ScalarMatrix, ScalarMatrix]] = []
    found: list[Generator] = []
    distance = fmpq(0)
    for generator in generators:
        cases = real_jordan_form(generator).cases
        if len(cases) != 1:
            raise NotYetCovered(
                f"code for {len(generators)} heads with matrices of parameters, of which one has "
                f"{len(cases)} cases; write a head as a 2×2 block of one matrix, or emit a kernel "
                "for each head"
            )
        (case,) = cases
        if case.components is not None:
            blocks = [b for form in case.components for b in form.blocks]
            basis, inverse = _whole_basis(generator.dimension, case.components)
            found.append(generator)
        elif not is_rational(generator.matrix):
            raise NotYetCovered(
                "code for eigenvalues of degree 3 or more in a matrix whose entries contain roots"
            )
        else:
            _refuse_long_entries(generator, case)
            near = nearby_form(generator.matrix)
            blocks, basis, inverse = list(near.blocks), near.basis, near.inverse_basis
            found.append(Generator(generator.dimension, None, near.matrix, generator.assumptions))
            distance = max(distance, near.distance)
        blocks, basis, inverse = balanced(blocks, basis, inverse)
        bases.append((basis, inverse))
        heads.append(place_consecutively(blocks))
    orders = [permutation_of(p) for p, _ in bases]
    if all(order is not None and order == orders[0] for order in orders):
        placed = [_moved(head, orders[0] or ()) for head in heads]
        return _Diagonal(_block_groups(placed, ()), None, tuple(found), distance)
    return _Diagonal(_block_groups(heads, ()), tuple(bases), tuple(found), distance)


def _refuse_long_entries(generator: Generator, case: JordanCase) -> None:
    """Explicit eigenvalues without a basis: entries of too many digits, and no high degree."""
    if any(isinstance(b.eigenvalue, ImplicitEigenvalue) for b in case.structure):
        return
    n = generator.dimension
    bits = height(to_fmpq(generator.matrix)) // n
    raise NotYetCovered(
        f"code for a matrix of dimension {n} whose entries need {bits} bits over their common "
        f"denominator: a basis is computed up to dimension times bits {MAX_BASIS_HEIGHT}; bring "
        "the entries nearer to each other in size, or give the generator as blocks"
    )


def permutation_of(basis: ScalarMatrix) -> tuple[int, ...] | None:
    """The channel of each Jordan coordinate, when P only permutes channels."""
    channels = []
    for column in zip(*basis, strict=True):
        entries = [i for i, x in enumerate(column) if not x.is_zero()]
        if len(entries) != 1 or column[entries[0]] != ONE:
            return None
        channels.append(entries[0])
    return tuple(channels)


def _moved(placed: Sequence[PlacedBlock], channels: tuple[int, ...]) -> list[PlacedBlock]:
    return [PlacedBlock(p.block, tuple(channels[c] for c in p.coordinates)) for p in placed]


def _whole_basis(dimension: int, components: Sequence[object]) -> tuple[ScalarMatrix, ScalarMatrix]:
    from symbolic_pe.jordan.form import ComponentForm

    forms = [c for c in components if isinstance(c, ComponentForm)]
    order = [i for form in forms for i in form.coordinates]
    basis = block_diagonal([form.basis for form in forms])
    inverse = block_diagonal([form.inverse_basis for form in forms])
    place = {channel: row for row, channel in enumerate(order)}
    p = tuple(basis[place[channel]] for channel in range(dimension))
    q = tuple(tuple(row[place[channel]] for channel in range(dimension)) for row in inverse)
    return p, q


__all__ = [
    "BlockGroup",
    "Group",
    "KernelPlan",
    "MatrixGroup",
    "Vector",
    "is_norm_preserving",
    "permutation_of",
    "plan_kernel",
    "refuse_unrepresentable",
    "refuse_wide_basis",
]
