"""Where rotary encodings meet: settings at which one is another, decided exactly."""

from __future__ import annotations

from itertools import pairwise

import pytest
from flint import arb

from symbolic_pe.algebra.scalar import ONE, Scalar, precision
from symbolic_pe.cli.comparison import compared
from symbolic_pe.encodings.catalogue import catalogue, catalogue_form
from symbolic_pe.encodings.encoding import Encoding, Verdict
from symbolic_pe.encodings.families.by_parts import rounded
from symbolic_pe.encodings.families.several_axes import axis_of_planes
from symbolic_pe.encodings.forms import read_any_specification
from symbolic_pe.encodings.outside import Outside
from symbolic_pe.encodings.readings import live_planes, temperature, theta
from symbolic_pe.errors import SpecificationError, Undecided

SAME = [
    ("p-rope:dim=16,fraction=1", "rope:dim=16,layout=half"),
    ("p-rope:dim=16,fraction=0", "nope:dim=16"),
    ("partial-rope:dim=16,fraction=1", "rope:dim=16,layout=half"),
    ("partial-rope:dim=16,fraction=0", "nope:dim=16"),
    ("partial-rope:dim=16,fraction=0.51", "rope:dim=16,layout=half,rotary_dim=8"),
    ("position-interpolation:dim=16,factor=1", "rope:dim=16,layout=half"),
    ("ntk:dim=16,factor=1", "rope:dim=16,layout=half"),
    ("dynamic-ntk:dim=16,length=100", "rope:dim=16,layout=half"),
    ("dynamic-ntk:dim=16,factor=1", "dynamic-ntk:dim=16,factor=3,rule=paper"),
    ("dynamic-ntk:dim=16,factor=1,length=32768", "ntk:dim=16,factor=8"),
    ("yarn:dim=16,factor=1", "rope:dim=16,layout=half"),
    ("yarn-paper:dim=16,factor=1", "rope:dim=16"),
    ("llama3:dim=16,factor=1", "rope:dim=16,base=500000,layout=half"),
    ("llama3:dim=64", "yarn-paper:dim=64,base=500000,beta_fast=4,original_length=8192,layout=half"),
    ("longrope:dim=16,factor=1", "rope:dim=16,layout=half"),
    ("longrope:dim=16", "position-interpolation:dim=16,factor=32"),
    ("longrope:dim=16,start=1", "longrope:dim=16"),
    ("hope-high-frequency:dim=16,kept=3", "p-rope:dim=16,fraction=3/8"),
    ("mla:content_dim=8,rotary_dim=8,factor=1", "mla:content_dim=8,rotary_dim=8,factor=1,mscale=2"),
    ("llama3:dim=16,rotary_dim=8", "llama3:dim=16,rotary_dim=8,angles=turns"),
    ("fope:dim=4,length=1000,cos_mix=1 0 0 1,sin_mix=1 0 0 1", "rope:dim=4,layout=half"),
    ("m-rope:dim=16,sections=8 0 0", "m-rope:dim=16,sections=8 0 0,arrangement=interleaved"),
]
DIFFERENT = [
    ("p-rope:dim=16,fraction=1/2", "partial-rope:dim=16,fraction=1/2"),
    ("yarn:dim=128", "yarn-paper:dim=128,layout=half"),
    ("ntk:dim=16,factor=2", "position-interpolation:dim=16,factor=2"),
    ("dynamic-ntk:dim=16", "dynamic-ntk:dim=16,rule=paper"),
    ("rope:dim=16", "rope:dim=16,layout=half"),
    ("m-rope:dim=16,sections=4 2 2", "m-rope:dim=16,sections=4 2 2,arrangement=interleaved"),
    ("yarn:dim=64,base=150000", "yarn:dim=64,base=150000,truncate=no"),
]


def same(a: str, b: str) -> bool | None:
    forms = (read_any_specification(a), read_any_specification(b))
    return compared((a, b), forms).same_generator


@pytest.mark.parametrize(("a", "b"), SAME)
def test_settings_at_which_one_is_the_other(a: str, b: str) -> None:
    assert same(a, b) is True


@pytest.mark.parametrize(("a", "b"), DIFFERENT)
def test_what_is_often_confused_is_different(a: str, b: str) -> None:
    assert same(a, b) is False


@pytest.mark.parametrize("name", ["yarn", "yarn-paper", "llama3", "ntk", "position-interpolation"])
def test_no_plane_turns_faster_than_trained_nor_slower_than_divided(name: str) -> None:
    base = 500000 if name == "llama3" else 10000
    trained = catalogue("rope", {"dim": 32, "base": base, "layout": "half"})
    scaled = catalogue(name, {"dim": 32, "factor": 8})
    ratios = []
    for j in range(16):
        x, y = theta(j)(trained), theta(j)(scaled)
        assert isinstance(x, Scalar)
        assert isinstance(y, Scalar)
        assert (x - y).sign() >= 0
        assert (y - x / Scalar.rational(8)).sign() >= 0
        with precision(128):
            ratios.append(y.ball({}) / x.ball({}))
    assert not any(bool(later > earlier) for earlier, later in pairwise(ratios))
    if name != "position-interpolation":
        assert theta(0)(scaled) == ONE


@pytest.mark.parametrize(
    ("name", "settings", "value"),
    [
        ("yarn", {"factor": 1}, "1"),
        ("yarn", {"factor": 8}, "1/10*log(8) + 1"),
        ("yarn", {"factor": 8, "attention_factor": "3/2"}, "3/2"),
        ("longrope", {"factor": 64, "original_length": 4096}, "sqrt(3/2)"),
        ("llama3", {}, "1"),
        ("mla", {"factor": 1}, "1"),
    ],
)
def test_temperatures(name: str, settings: dict[str, object], value: str) -> None:
    from symbolic_pe.algebra.expression import parse

    c = temperature(catalogue_form(name, settings))
    assert isinstance(c, Scalar)
    assert (c - parse(value)).vanishes()


def test_longrope_is_a_group_for_each_length_and_none_beyond_a_start() -> None:
    assert catalogue_form("longrope", {"dim": 8}).verdict is Verdict.PER_LENGTH
    bent = catalogue_form("longrope", {"dim": 8, "start": 4})
    assert isinstance(bent, Outside)
    plain = catalogue_form("longrope", {"dim": 8, "start": 4, "factor": 1})
    assert isinstance(plain, Encoding), "nothing bends where every lambda is 1"


def test_liere_is_a_group_where_its_matrices_commute() -> None:
    found = catalogue_form("liere", {"dim": 4, "x": "1 0 0 0 0 2", "y": "3 0 0 0 0 1"})
    assert found.verdict is Verdict.COMMUTING
    assert catalogue_form("liere").verdict is Verdict.NOT_INVARIANT


@pytest.mark.parametrize(
    ("sections", "owners"),
    [([2, 2, 2], [0, 1, 2, 0, 1, 2]), ([4, 1, 1], [0, 1, 2, 0, 0, 0]), ([6, 0, 0], [0] * 6)],
)
def test_interleaved_sections(sections: list[int], owners: list[int]) -> None:
    found = axis_of_planes(sections, "interleaved")
    assert found == owners
    assert [found.count(i) for i in range(3)] == sections


def test_ends_of_the_ramp_are_decided_or_not_at_all() -> None:
    assert rounded(lambda: arb(7).log(), up=False) == 1
    assert rounded(lambda: arb(7).log(), up=True) == 2
    with pytest.raises(Undecided, match="integer"):
        rounded(lambda: arb(8).log() / arb(2).log(), up=False)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("position-interpolation:factor=1/2", ">= 1"),
        ("ntk:dim=2", "at least 4"),
        ("yarn:dim=16,rotary_dim=20", "at most dim"),
        ("yarn:dim=16,rotary_dim=7", "even"),
        ("llama3:low_freq_factor=5,high_freq_factor=4", "at least low_freq_factor"),
        ("longrope:dim=8,long_factor=1 2 3", "expected 4 factors"),
        ("longrope:dim=8,long_factor=1 2 3 -4", "positive"),
        ("partial-rope:fraction=2", "from 0 to 1"),
        ("partial-rope:dim=16,fraction=5/16", "even number"),
        ("p-rope:fraction=sqrt(1/2)", "rational"),
        ("hope-hyperbolic:decay=1", "more than the largest frequency"),
        ("hope-high-frequency:dim=16,kept=9", "at most 8"),
        ("fope:dim=4,cos_mix=1 2 3", "expected 2·2"),
        ("fope:dim=4,length=1000,cos_mix=0 1 1 0,sin_mix=0 1 1 0", "another order"),
        ("fope:dim=4,cos_mix=1 sqrt(2) 0 1", "rational coefficients"),
        ("m-rope:sections=16 24 23", "sum 64"),
        ("m-rope:sections=16 24 24,arrangement=interleaved", "at most a third"),
        ("m-rope:sections=1/2 31 32", "numbers of planes"),
        ("rope-mixed:dim=8,x=1 2", "expected 4 frequencies"),
        ("rope-mixed:dim=8,direction=0 0", "not both 0"),
        ("hope-hybrid:dim=8,spatial=5", "at most 4"),
        ("string:skew=1 2", "above the diagonal"),
        ("string:x=1", "2 rational frequencies"),
        ("comrope:block=3", "divisor"),
        ("comrope:form=linear,weights=1", "expected 4"),
        ("liere:x=1", "expected 6 entries"),
    ],
)
def test_wrong_settings_are_refused_by_name(spec: str, message: str) -> None:
    with pytest.raises(SpecificationError, match=message):
        read_any_specification(spec)


def test_a_fraction_of_planes_that_is_no_whole_number_is_rounded_down() -> None:
    assert live_planes()(catalogue("p-rope", {"dim": 16, "fraction": "0.7"})) == 5
