"""Catalogue entries: no part is lacking, verdicts are decided, print agrees, mistakes fall."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flint import arb

from symbolic_pe.algebra.scalar import ONE, Scalar
from symbolic_pe.decision import Claim, Outcome
from symbolic_pe.encodings.catalogue import entries, entry_named
from symbolic_pe.encodings.encoding import Encoding, Verdict
from symbolic_pe.encodings.entry import FAMILIES, Entry, Mistake, Published, agrees
from symbolic_pe.encodings.families.lag_biases import first_lags
from symbolic_pe.encodings.outside import Outside
from symbolic_pe.encodings.readings import theta
from symbolic_pe.encodings.witnesses import equals, no_realisation, not_relative, same_value
from symbolic_pe.proof.verdicts import RESTS_ON, evidence, verdict_outcome

ENTRIES = list(entries().values())
VALUES = [(e, v) for e in ENTRIES for v in e.values]
MISTAKES = [(e, m) for e in ENTRIES for m in e.mistakes]
PARTS = ("definition", "generator", "stability", "title", "reference")


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
def test_the_verdict_of_every_entry_is_decided(entry: Entry) -> None:
    form = entry.form({})
    assert form.verdict is entry.verdict, "the entry states the verdict of its defaults"
    claims = evidence(entry)
    assert verdict_outcome(entry.verdict, claims) is Outcome.PROVED, claims
    for claim in claims:
        assert claim.verdict is not Outcome.REFUTED or claim.witness


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
def test_no_entry_lacks_a_part(entry: Entry) -> None:
    assert entry.values
    for part in PARTS:
        text = getattr(entry, part)
        assert text == text.strip()
        assert text.count("$") % 2 == 0, (part, "unpaired $")
    assert "$" in entry.definition, "the definition is a formula"
    for setting in entry.settings.values():
        assert setting.meaning
    form = entry.form({})
    if isinstance(form, Outside):
        assert form.function is not None or form.no_function
    assert form.specification == {"catalogue": entry.name, "settings": entry.defaults}


@pytest.mark.parametrize(
    ("entry", "value"), VALUES, ids=[f"{e.name}-{i}" for i, (e, v) in enumerate(VALUES)]
)
def test_published_values_are_computed_again(entry: Entry, value: Published) -> None:
    decision = value.check(entry)
    assert decision.outcome is Outcome.PROVED, (value.what, decision.witness)


@pytest.mark.parametrize(
    ("entry", "mistake"), MISTAKES, ids=[f"{e.name}-{m.name}" for e, m in MISTAKES]
)
def test_published_mistakes_are_refuted_with_a_witness(entry: Entry, mistake: Mistake) -> None:
    decision = mistake.refute()
    assert decision.outcome is Outcome.REFUTED, entry.name
    assert decision.witness
    assert mistake.claim
    assert mistake.where
    assert mistake.right
    assert mistake.right != mistake.claim


# -- the laws can fail ------------------------------------------------------------------------


def altered(**changes: object) -> Entry:
    known = entry_named("rope")
    parts = {name: getattr(known, name) for name in Entry.__dataclass_fields__}
    return Entry(**{**parts, **changes})


@pytest.mark.parametrize(
    "part", ["title", "reference", "definition", "generator", "stability", "values"]
)
def test_an_entry_without_a_part_is_refused(part: str) -> None:
    empty: object = () if part == "values" else ""
    with pytest.raises(ValueError, match=part):
        altered(**{part: empty})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "Rope"}, "lower case"),
        ({"family": "rotation"}, "family"),
        ({"mistakes": (entry_named("rope").mistakes[0],) * 2}, "different names"),
    ],
)
def test_what_an_entry_cannot_be(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        altered(**changes)


def test_a_wrong_printed_value_is_refuted() -> None:
    wrong = Published("theta_1", "0.86596432337", theta(1))
    decision = wrong.check(entry_named("rope"))
    assert decision.outcome is Outcome.REFUTED
    assert "0.865964323360" in (decision.witness or "")


@pytest.mark.parametrize(
    ("value", "printed", "outcome"),
    [
        (ONE, "1", "proved"),
        (ONE, "2/2", "proved"),
        (ONE, "2", "refuted"),
        (Scalar.rational(2) / Scalar.rational(3), "0.667", "proved"),
        (Scalar.rational(2) / Scalar.rational(3), "0.666", "refuted"),
        (arb("1.25", "0.1"), "1.25", "refuted"),
        (7, "7", "proved"),
        (7, "8", "refuted"),
        (arb(-3) / 2, "-1.5", "proved"),
        (arb(3) / 2000, "1.5e-3", "proved"),
    ],
)
def test_numbers_against_print(value: Scalar | arb | int, printed: str, outcome: str) -> None:
    assert agrees(value, printed).outcome.value == outcome


def test_every_verdict_says_what_it_rests_on() -> None:
    assert set(RESTS_ON) == set(Verdict)
    for verdict, wanted in RESTS_ON.items():
        right = [Claim(name, o, "", "", "numbers") for name, o in wanted.items()]
        assert verdict_outcome(verdict, right) is Outcome.PROVED
        swapped = {Outcome.PROVED: Outcome.REFUTED, Outcome.REFUTED: Outcome.PROVED}
        wrong = [Claim(c.name, swapped[c.verdict], "", "", "numbers") for c in right]
        assert verdict_outcome(verdict, wrong) is Outcome.REFUTED
        assert verdict_outcome(verdict, right[1:]) is Outcome.UNDECIDED


def test_rope_is_no_group_in_learned_time_only() -> None:
    claims = evidence(entry_named("rope"), {"dim": 4})
    assert verdict_outcome(Verdict.GROUP, claims) is Outcome.PROVED
    assert verdict_outcome(Verdict.LEARNED_TIME, claims) is Outcome.UNDECIDED
    assert verdict_outcome(Verdict.NOT_INVARIANT, claims) is Outcome.REFUTED


@pytest.mark.parametrize(
    ("name", "settings", "verdict"),
    [
        ("kerple", {"kernel": "power", "p": "1"}, Verdict.AUGMENTED),
        ("kerple", {"kernel": "power", "p": "2"}, Verdict.AUGMENTED),
        ("kerple", {"kernel": "power", "p": "1/2"}, Verdict.NOT_REALISABLE),
        ("kerple", {"kernel": "power", "p": "3/2"}, Verdict.NOT_REALISABLE),
        ("sandwich", {"form": "paper", "terms": "8"}, Verdict.AUGMENTED),
        ("t5", {"direction": "both"}, Verdict.NOT_REALISABLE),
        ("mamba-3", {"clocks": "own"}, Verdict.LEARNED_TIME),
        ("jordan-rope", {"form": "stabilised"}, Verdict.NOT_INVARIANT),
        ("sinusoidal", {"form": "tensor2tensor"}, Verdict.NOT_INVARIANT),
        ("retnet", {"gamma": "experiments", "dim": "4"}, Verdict.GROUP),
    ],
)
def test_settings_change_the_verdict(name: str, settings: dict[str, str], verdict: Verdict) -> None:
    entry = entry_named(name)
    assert entry.form(settings).verdict is verdict
    assert verdict_outcome(verdict, evidence(entry, settings)) is Outcome.PROVED


def test_powers_of_kerple_need_two_and_three_coordinates() -> None:
    for power, size in (("1", 2), ("2", 3)):
        form = entry_named("kerple").form({"kernel": "power", "p": power})
        assert isinstance(form, Encoding)
        assert form.augmentation is not None
        assert form.augmentation.coordinates == size


def test_edges_of_buckets_are_exact() -> None:
    """n^16 ≥ 16^(16−k)·128^k decides the edges, which binary32 logarithms miss at some k."""
    first = first_lags(32, 128)
    for k, lag in enumerate(first[15:]):
        assert lag**16 >= 16 ** (16 - k) * 128**k > (lag - 1) ** 16
    assert len(first) == 31


def test_witnesses_of_what_is_relative_are_undecided_and_of_what_is_not_refuted() -> None:
    found = not_relative(lambda t, s: arb(t - s).exp(), (1, 0), (5, 4), "exp of the lag")
    assert found.verdict is Outcome.UNDECIDED
    found = not_relative(lambda t, s: arb(t + s).exp(), (1, 0), (5, 4), "exp of the sum")
    assert found.verdict is Outcome.REFUTED
    assert "(5, 4)" in (found.witness or "")
    with pytest.raises(ValueError, match="equal lag"):
        not_relative(lambda t, s: arb(0), (1, 0), (5, 3), "")


def test_hankel_determinants_tell_exponential_polynomials_from_others() -> None:
    linear = no_realisation(lambda n: arb(-n), (2, 3), "never of finite rank")
    assert linear.verdict is Outcome.UNDECIDED, "rank 2: the determinant of size 3 is 0"
    logarithm = no_realisation(lambda n: (1 + arb(n)).log(), (2, 3, 4), "not analytic at infinity")
    assert logarithm.verdict is Outcome.REFUTED
    assert "fewer than 4" in (logarithm.witness or "")


def test_values_that_agree_are_no_refutation() -> None:
    assert same_value(lambda: arb(2).log(), lambda: arb(4).log() / 2, "").outcome is (
        Outcome.UNDECIDED
    )
    assert equals(ONE, ONE, "").outcome is Outcome.PROVED


def test_entries_that_are_encodings_carry_their_verdict() -> None:
    assert {e.form({}).verdict for e in ENTRIES if isinstance(e.form({}), Encoding)} <= {
        Verdict.GROUP,
        Verdict.AUGMENTED,
        Verdict.LEARNED_TIME,
        Verdict.PER_LENGTH,
    }


def test_the_reference_page_has_the_table_of_verdicts() -> None:
    page = Path("docs/reference/catalogue.md").read_text()
    rows = dict(re.findall(r"^\| ([a-z][^|`]*?) \| (.*) \|$", page, re.M))
    for verdict, wanted in RESTS_ON.items():
        assert set(re.findall(r"`([a-z-]+)`", rows[verdict.value])) == set(wanted)
        assert ("refuted" in rows[verdict.value]) == (Outcome.REFUTED in wanted.values())
    for family in FAMILIES:
        assert family in page.replace("\n", " ")
