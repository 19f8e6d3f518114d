"""Layouts as permutations of channels, and the proof that one carries the other."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbolic_pe import catalogue
from symbolic_pe.encodings.permutation import ChannelPermutation, HeadLayout, head_layout
from symbolic_pe.errors import SpecificationError
from symbolic_pe.proof.claim import CLAIM_NAMES
from symbolic_pe.proof.conjugation import Conjugation, prove_conjugation


def verdicts(found: Conjugation) -> dict[str, str]:
    return {c.name: c.verdict.value for c in found.claims}


PROVED = {"permutation": "proved", "conjugation": "proved", "scores": "proved"}
REFUTED = {"permutation": "proved", "conjugation": "refuted", "scores": "refuted"}


@st.composite
def pairs_of_layouts(draw: st.DrawFn) -> tuple[HeadLayout, HeadLayout]:
    channels = draw(st.integers(2, 12))
    count = draw(st.integers(1, channels // 2))

    def layout() -> HeadLayout:
        order = draw(st.permutations(range(channels)))
        planes = tuple((order[2 * j], order[2 * j + 1]) for j in range(count))
        return HeadLayout("drawn", channels, planes)

    return layout(), layout()


@given(pairs_of_layouts())
def test_any_two_layouts_with_as_many_planes_are_conjugate(
    layouts: tuple[HeadLayout, HeadLayout],
) -> None:
    source, target = layouts
    found = prove_conjugation(source, target)
    assert verdicts(found) == PROVED
    back = prove_conjugation(target, source)
    channels = tuple(range(source.channels))
    assert back.permutation.apply(found.permutation.apply(channels)) == channels
    assert found.permutation.inverse == back.permutation


@given(pairs_of_layouts(), st.data())
def test_a_permutation_is_proved_only_when_it_carries_every_plane(
    layouts: tuple[HeadLayout, HeadLayout], data: st.DataObject
) -> None:
    """Decided here by following the axes of every plane, there by comparing matrices."""
    source, target = layouts
    sources = tuple(data.draw(st.permutations(range(source.channels))))
    carries = all(
        (sources[new[0]], sources[new[1]]) == old
        for old, new in zip(source.planes, target.planes, strict=True)
    )
    found = prove_conjugation(source, target, ChannelPermutation(sources))
    assert verdicts(found) == (PROVED if carries else REFUTED)


@pytest.mark.parametrize(("dim", "rotary"), [(6, 6), (64, 64), (80, 32), (128, 128), (256, 64)])
def test_the_published_encoding_in_one_layout_becomes_that_in_the_other(
    dim: int, rotary: int
) -> None:
    """The same P with the frequencies of the catalogue in place of symbols."""
    half, interleaved = (
        catalogue("rope", {"dim": dim, "rotary_dim": rotary, "layout": name})
        .heads[0]
        .generator.matrix
        for name in ("half", "interleaved")
    )
    found = prove_conjugation(
        head_layout("half", dim, rotary), head_layout("interleaved", dim, rotary)
    )
    s = found.permutation.sources
    assert verdicts(found) == PROVED
    assert all(half[s[i]][s[j]] == interleaved[i][j] for i in range(dim) for j in range(dim))
    assert any(half[i][j] != interleaved[i][j] for i in range(dim) for j in range(dim))


def test_the_wrong_direction_is_refuted_with_the_entry() -> None:
    half, interleaved = head_layout("half", 8), head_layout("interleaved", 8)
    wrong = ChannelPermutation.between(interleaved, half)
    _, conjugation, scores = prove_conjugation(half, interleaved, wrong).claims
    assert conjugation.witness == "row 0, column 1: P X_from P^T has 0, X_to has w0"
    assert scores.witness == "row 0, column 1: P A_from(t) P^T has 0, A_to(t) has sin(w0*t)"


def test_orientation_and_frequency_are_part_of_the_layout() -> None:
    source = head_layout("half", 4)
    turned = head_layout("1 0,2 3", 4)
    exchanged = head_layout("2 3,0 1", 4)
    straight = head_layout("0 1,2 3", 4)
    p = ChannelPermutation.between(source, straight)
    assert verdicts(prove_conjugation(source, straight, p)) == PROVED
    for other in (turned, exchanged):
        assert verdicts(prove_conjugation(source, other, p)) == REFUTED
        assert verdicts(prove_conjugation(source, other)) == PROVED


def test_the_equality_of_scores_in_rational_numbers() -> None:
    """q, k and rotations by rational points of the circle: both sides by hand, equal exactly."""
    circle = [(Fraction(3, 5), Fraction(4, 5)), (Fraction(5, 13), Fraction(-12, 13))]
    circle.append((Fraction(-8, 17), Fraction(15, 17)))
    q = [Fraction(n, 7) for n in (3, -1, 4, 1, -5, 9, 2, -6)]
    k = [Fraction(n, 11) for n in (2, 7, -1, 8, 2, -8, 1, 8)]

    def turned(x: list[Fraction], first: list[int], second: list[int]) -> list[Fraction]:
        y = list(x)
        for (c, s), a, b in zip(circle, first, second, strict=True):
            y[a], y[b] = c * x[a] - s * x[b], s * x[a] + c * x[b]
        return y

    def score(x: list[Fraction], y: list[Fraction], first: list[int], second: list[int]) -> object:
        pairs = zip(turned(x, first, second), y, strict=True)
        return sum((a * b for a, b in pairs), start=Fraction(0))

    p = prove_conjugation(
        head_layout("half", 8, rotary=6), head_layout("interleaved", 8, rotary=6)
    ).permutation
    before = score(q, k, [0, 1, 2], [3, 4, 5])
    assert score(list(p.apply(q)), list(p.apply(k)), [0, 2, 4], [1, 3, 5]) == before
    wrong = p.inverse
    assert score(list(wrong.apply(q)), list(wrong.apply(k)), [0, 2, 4], [1, 3, 5]) != before
    assert score(q, k, [0, 2, 4], [1, 3, 5]) != before


def test_the_digest_can_be_computed_by_anyone() -> None:
    found = prove_conjugation(head_layout("half", 8), head_layout("interleaved", 8))
    text = json.dumps({"permutation": [0, 4, 1, 5, 2, 6, 3, 7]}, separators=(",", ":"))
    assert found.digest == "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def test_names_of_claims_are_known() -> None:
    assert set(PROVED) <= set(CLAIM_NAMES)


@pytest.mark.parametrize(
    ("text", "channels", "rotary", "start", "message"),
    [
        ("half", 7, None, 0, "even number"),
        ("half", 8, 10, 0, "from 2 to 8 of 8"),
        ("half", 8, 5, 0, "even number"),
        ("interleaved", 8, 6, 4, "from 2 to 4 of 8 from channel 4"),
        ("halves", 8, None, 0, "expected interleaved, half or a list of planes"),
        ("0 2,1", 4, None, 0, "list of planes"),
        ("0 2,1 4", 4, None, 0, "channels are 0 to 3, got 4"),
        ("0 2,1 2", 4, None, 0, "channel 2 is named twice"),
        ("0 0", 4, None, 0, "channel 0 is named twice"),
        ("0 2,1 3", 4, 2, 0, "state one of the two"),
        ("half", 4096, None, 0, "2 to 1024"),
        ("", 4, None, 0, "list of planes"),
    ],
)
def test_layouts_that_are_refused(
    text: str, channels: int, rotary: int | None, start: int, message: str
) -> None:
    with pytest.raises(SpecificationError, match=message):
        head_layout(text, channels, rotary, start)


def test_layouts_of_different_sizes_are_refused() -> None:
    with pytest.raises(SpecificationError, match="both need as many"):
        ChannelPermutation.between(head_layout("half", 8), head_layout("half", 8, rotary=4))
    with pytest.raises(SpecificationError, match="number of channels"):
        ChannelPermutation.between(head_layout("half", 8), head_layout("half", 4))
    with pytest.raises(SpecificationError, match="names each of"):
        ChannelPermutation((0, 0))
    with pytest.raises(SpecificationError, match="permutation of 2 channels"):
        prove_conjugation(
            head_layout("half", 4), head_layout("interleaved", 4), ChannelPermutation((1, 0))
        )
