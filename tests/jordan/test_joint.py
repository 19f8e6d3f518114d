"""Joint real structure of commuting generators: planted, hidden, found; invariants by balls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import pytest
from flint import arb, fmpq, fmpq_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.functions import square_root
from symbolic_pe.algebra.matrix import from_fmpq
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar, precision
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.generators.commuting import CommutingFamily
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.joint import JointBlock, joint_structure
from tests.strategies import block_sum, unimodular

Rows = list[list[str | int]]
Part = tuple[str, str, tuple[int, ...]]


def blocks_of(*axes: fmpq_mat | Rows, parameters: dict[str, str] | None = None) -> list[JointBlock]:
    family = CommutingFamily.of(
        [
            Generator.from_matrix(from_fmpq(x) if isinstance(x, fmpq_mat) else x, parameters)
            for x in axes
        ]
    )
    return [b for component in joint_structure(family) for b in component.blocks]


def summary(block: JointBlock) -> tuple[int, int, tuple[Part, ...]]:
    parts = tuple((p.rate.text, p.frequency.text, p.chain_lengths) for p in block.axes)
    return block.dimension, block.degree, parts


def merged(
    found: Iterable[tuple[int, int, tuple[Part, ...]]],
) -> dict[tuple[tuple[str, str], ...], tuple[int, int, tuple[tuple[int, ...], ...]]]:
    """Everything at one joint eigenvalue together: uncoupled channels are listed apart."""
    result: dict[tuple[tuple[str, str], ...], tuple[int, int, tuple[tuple[int, ...], ...]]] = {}
    for size, power, parts in found:
        key = tuple((rate, frequency) for rate, frequency, _ in parts)
        known = result.get(key, (0, 0, ((),) * len(parts)))
        lengths = tuple(
            tuple(sorted(k + old, reverse=True))
            for (_, _, k), old in zip(parts, known[2], strict=True)
        )
        result[key] = (size + known[0], max(power, known[1]), lengths)
    return result


# -- planted families -------------------------------------------------------------------------


@dataclass(frozen=True)
class Family:
    """Hidden commuting matrices, with the joint blocks that were planted."""

    matrices: list[fmpq_mat]
    expected: Counter[tuple[int, int, tuple[Part, ...]]]


small = st.integers(-2, 2)


@st.composite
def families(draw: st.DrawFn) -> Family:
    """X_i = ⊕ (a_i + b_i·C + c_i·N) with C² = −d on a plane (or C = 0), hidden by similarity."""
    axes = draw(st.integers(2, 3))
    cells: list[list[list[list[fmpq]]]] = [[] for _ in range(axes)]
    planted: Counter[tuple[int, int, tuple[Part, ...]]] = Counter()
    seen: set[tuple[tuple[str, str], ...]] = set()
    for _ in range(draw(st.integers(1, 3))):
        d = draw(st.sampled_from([0, 1, 2, -2]))
        chain = draw(st.integers(1, 2))
        values = [
            (draw(small), draw(small) if d else 0, draw(small) if chain > 1 else 0)
            for _ in range(axes)
        ]
        joint = _joint(d, chain, values)
        keys = {tuple((rate, frequency) for rate, frequency, _ in parts) for _, _, parts in joint}
        if keys & seen or (d and all(b == 0 for _, b, _ in values)):
            continue
        seen |= keys
        planted.update(joint)
        for axis, (a, b, c) in enumerate(values):
            cells[axis].append(_cell(d, chain, a, b, c))
    if not seen:
        cells = [[[[fmpq(axis)]]] for axis in range(axes)]
        planted = Counter([(1, 0, tuple((str(axis), "0", (1,)) for axis in range(axes)))])
    n = sum(len(cell) for cell in cells[0])
    hidden = draw(unimodular(n))
    inverse = hidden.inv()
    return Family([hidden * block_sum(c) * inverse for c in cells], planted)


def _cell(d: int, chain: int, a: int, b: int, c: int) -> list[list[fmpq]]:
    core = [[fmpq(a), fmpq(-d * b)], [fmpq(b), fmpq(a)]] if d else [[fmpq(a)]]
    width = len(core)
    rows = [[fmpq(0)] * (width * chain) for _ in range(width * chain)]
    for k in range(chain):
        for i in range(width):
            rows[k * width + i][k * width : (k + 1) * width] = core[i]
            if k + 1 < chain:
                rows[k * width + i][(k + 1) * width + i] = fmpq(c)
    return rows


def _joint(
    d: int, chain: int, values: list[tuple[int, int, int]]
) -> list[tuple[int, int, tuple[Part, ...]]]:
    degree = chain - 1 if any(c for _, _, c in values) else 0
    lengths = [(chain,) if c and chain > 1 else (1,) * chain for _, _, c in values]
    rates = [Scalar.rational(a) for a, _, _ in values]
    slopes = [Scalar.rational(b) * square_root(Scalar.rational(abs(d))) for _, b, _ in values]
    if d > 0:
        first = next((b for _, b, _ in values if b), 1)
        sign = ONE if first > 0 else -ONE
        parts = [(str(a), str(sign * s), k) for a, s, k in zip(rates, slopes, lengths, strict=True)]
        return [(2 * chain, degree, tuple(parts))]
    signs = (ONE, -ONE) if d < 0 else (ZERO,)
    return [
        (
            chain,
            degree,
            tuple(
                (str(a + sign * s), "0", k) for a, s, k in zip(rates, slopes, lengths, strict=True)
            ),
        )
        for sign in signs
    ]


@given(families())
@settings(max_examples=60, deadline=None)
def test_planted_joint_blocks_are_found(example: Family) -> None:
    found = map(summary, blocks_of(*example.matrices))
    assert merged(found) == merged(example.expected.elements())


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_traces_of_products_come_back(data: st.DataObject) -> None:
    """tr XᵢXⱼ = Σ dim·(aᵢaⱼ − bᵢbⱼ): rates and signs of frequencies belong together."""
    n = data.draw(st.integers(2, 5))
    x = fmpq_mat(n, n, data.draw(st.lists(small, min_size=n * n, max_size=n * n)))
    y = x * x * x - x * x * fmpq(1, 2) + x
    found = blocks_of(x, y)
    assert sum(b.dimension for b in found) == n
    matrices = (x, y)
    with precision(128):
        for i in range(2):
            for j in range(i, 2):
                total = arb(0)
                for b in found:
                    left, right = b.axes[i], b.axes[j]
                    total += b.dimension * (
                        left.rate.enclosure() * right.rate.enclosure()
                        - left.frequency.enclosure() * right.frequency.enclosure()
                    )
                product = matrices[i] * matrices[j]
                expected = sum(product[k, k] for k in range(n))
                assert total.contains(expected)
                assert total.rad() < 1e-15


def test_one_turned_plane_is_told_apart() -> None:
    """The same eigenvalues axis by axis, another joint structure: the negative twin."""
    turn = [[0, -1], [1, 0]]
    back = [[0, 1], [-1, 0]]
    x = block_sum([_q(turn), _q(turn)])
    same, other = block_sum([_q(turn), _q(turn)]), block_sum([_q(turn), _q(back)])
    hidden = fmpq_mat([[1, 2, 0, 1], [0, 1, 1, 0], [1, 2, 1, 1], [0, 0, 1, 1]])
    inverse = hidden.inv()

    def frequencies(y: fmpq_mat) -> list[list[str]]:
        found = blocks_of(hidden * x * inverse, hidden * y * inverse)
        return sorted([a.frequency.text for a in b.axes] for b in found)

    assert frequencies(same) == [["1", "1"]]
    assert frequencies(other) == [["1", "-1"], ["1", "1"]]


def _q(rows: list[list[int]]) -> list[list[fmpq]]:
    return [[fmpq(x) for x in row] for row in rows]


def test_two_quadratic_fields() -> None:
    """X₁² = −1 and X₂² = −2: one rational subspace of four dimensions, two planes on it."""
    i = fmpq_mat(4, 4, [0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0])
    r = fmpq_mat(4, 4, [0, 0, -2, 0, 0, 0, 0, -2, 1, 0, 0, 0, 0, 1, 0, 0])
    found = {tuple(a.frequency.text for a in b.axes) for b in blocks_of(i, r)}
    assert found == {("1", "sqrt(2)"), ("1", "-sqrt(2)")}


def test_eigenvalues_of_degree_five_are_roots() -> None:
    rows = [[int(j == i - 1) for j in range(5)] for i in range(5)]
    rows[0][4] = rows[1][4] = 1
    x = fmpq_mat(rows)
    found = blocks_of(x, x * x)
    assert [b.is_pair for b in found] == [False, True, True]
    assert found[0].axes[0].rate.text == "root(x^5 - x - 1, 0)"
    with precision(128):
        for b in found:
            (p, q) = b.axes
            square = 2 * p.rate.enclosure() * p.frequency.enclosure()
            assert square.overlaps(q.frequency.enclosure())


def test_nilpotent_parts() -> None:
    n = fmpq_mat(3, 3, [0, 1, 0, 0, 0, 1, 0, 0, 0])
    (found,) = blocks_of(n, n * n)
    assert summary(found) == (3, 2, (("0", "0", (3,)), ("0", "0", (2, 1))))
    # two nilpotents without a common chain: products of two vanish
    first = fmpq_mat(3, 3, [0, 1, 0, 0, 0, 0, 0, 0, 0])
    second = fmpq_mat(3, 3, [0, 0, 1, 0, 0, 0, 0, 0, 0])
    assert blocks_of(first, second)[0].degree == 1


def test_blocks_with_parameters_are_read_off() -> None:
    found = blocks_of(
        [[0, "-w"], ["w", 0]],
        [["a", "v"], ["-v", "a"]],
        parameters={"w": "positive", "v": "real", "a": "real"},
    )
    assert [summary(b) for b in found] == [(2, 0, (("0", "w", (1,)), ("a", "-v", (1,))))]
    flipped = blocks_of([[0, "-w"], ["w", 0]], [[0, 1], [-1, 0]], parameters={"w": "negative"})
    assert [a.frequency.text for a in flipped[0].axes] == ["-w", "1"]


def test_a_shear_that_may_vanish_is_asked_for() -> None:
    chain: Rows = [["a", "v"], [0, "a"]]
    with pytest.raises(NotYetCovered, match="v, which may be 0"):
        blocks_of(chain, chain, parameters={"a": "real", "v": "real"})
    (found,) = blocks_of(chain, [[1, 0], [0, 1]], parameters={"a": "real", "v": "nonzero"})
    assert summary(found) == (2, 1, (("a", "0", (2,)), ("1", "0", (1, 1))))
    hidden: Rows = [["v", "v", 0], [0, "v", "2*v"], [0, 0, "v"]]
    with pytest.raises(NotYetCovered, match="v, which may be 0"):
        blocks_of(hidden, hidden, parameters={"v": "real"})


def test_a_negative_factor_turns_the_reference() -> None:
    x: Rows = [[0, "-sqrt(2)", 0], [0, 0, "-sqrt(2)"], ["-sqrt(2)", 0, 0]]
    y: Rows = [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    (pair,) = [b for b in blocks_of(x, y) if b.is_pair]
    assert [a.frequency.text for a in pair.axes] == ["1/2*sqrt(6)", "-1/2*sqrt(3)"]


def test_large_discriminants_stay_roots() -> None:
    x: Rows = [[10**20, -7], [10**40 + 1, 3]]
    y: Rows = [[-(10**20), 7], [-(10**40) - 1, -3]]
    (found,) = blocks_of(x, y)
    assert found.axes[0].frequency.text.startswith("im(root(x^2")
    assert found.axes[1].frequency.text.startswith("-im(root(x^2")


def test_one_irrational_factor_for_each_axis() -> None:
    x = [[0, "-sqrt(2)", 0], [0, 0, "-sqrt(2)"], ["sqrt(2)", 0, 0]]
    y = [[1, -1, 0], [0, 1, -1], [1, 0, 1]]
    found = blocks_of(x, y)
    assert sum(b.dimension for b in found) == 3
    (line,) = [b for b in found if not b.is_pair]
    assert [a.rate.text for a in line.axes] == ["sqrt(2)", "2"]


def test_irrational_hidden_families_are_refused_with_the_reason() -> None:
    x: Rows = [["sqrt(2)", 1, 0], [0, "sqrt(2)", 2], [0, 0, "sqrt(3)"]]
    with pytest.raises(NotYetCovered, match="give the axes as blocks"):
        blocks_of(x, x)


def test_subspaces_are_invariant() -> None:
    x = block_sum([_q([[0, -1], [1, 0]]), _q([[3]]), _q([[0, -2], [2, 0]])])
    hidden = fmpq_mat(
        5, 5, [1, 1, 0, 2, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 2, 0, 0, 0, 0, 1]
    )
    y = hidden * x * hidden.inv()
    family = CommutingFamily.of([Generator.from_matrix(from_fmpq(m)) for m in (y, y * y)])
    components = joint_structure(family)
    assert sorted(c.basis.ncols() for c in components if c.basis is not None) == [1, 2, 2]
    for c in components:
        assert c.basis is not None
        joined = c.basis.tolist()
        image = (y * c.basis).tolist()
        both = fmpq_mat([a + b for a, b in zip(joined, image, strict=True)])
        assert both.rank() == c.basis.ncols()
    assert parse("3") == next(
        b.axes[0].rate.exact for c in components for b in c.blocks if not b.is_pair
    )
