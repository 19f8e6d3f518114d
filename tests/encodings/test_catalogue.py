"""Published test values of the catalogue entries."""

from __future__ import annotations

import pytest
from flint import arb, arb_mat

from symbolic_pe import catalogue
from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.encodings.catalogue import catalogue_form, entries
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.encodings.families.additive import alibi_slopes
from symbolic_pe.errors import SpecificationError

SQRT2 = 2**0.5


@pytest.mark.parametrize(
    ("heads", "exponents"),
    [
        (1, [8]),
        (2, [4, 8]),
        (3, [4, 8, 2]),
        (6, [2, 4, 6, 8, 1, 3]),
        (8, [1, 2, 3, 4, 5, 6, 7, 8]),
        (12, [1, 2, 3, 4, 5, 6, 7, 8, 0.5, 1.5, 2.5, 3.5]),
        (16, [k / 2 for k in range(1, 17)]),
        (20, [*[k / 2 for k in range(1, 17)], 0.25, 0.75, 1.25, 1.75]),
    ],
)
def test_alibi_slopes_for_any_head_count(heads: int, exponents: list[float]) -> None:
    slopes = alibi_slopes(heads)
    assert slopes == [parse(f"2^(-{exponent})") for exponent in exponents]


@pytest.mark.parametrize("heads", [12, 20, 6])
def test_alibi_slopes_are_not_the_naive_ladder_and_not_sorted(heads: int) -> None:
    naive = [parse(f"2^(-{8 * k}/{heads})") for k in range(1, heads + 1)]
    slopes = alibi_slopes(heads)
    assert slopes != naive
    values = [m.to_float() for m in slopes]
    assert values != sorted(values, reverse=True)


def frequencies(encoding: Encoding, head: int = 0) -> list[Scalar]:
    return [
        p.block.frequency for p in encoding.heads[head].generator.placed or () if p.block.is_pair
    ]


def test_rope_frequencies() -> None:
    assert [str(-f) for f in frequencies(catalogue("rope", {"dim": 8}))] == [
        "1",
        "1/10",
        "1/100",
        "1/1000",
    ]
    ladder = [-f.to_float() for f in frequencies(catalogue("rope", {"dim": 128}))]
    assert ladder[1] == pytest.approx(0.86596432336, rel=1e-10)
    assert ladder[2] == pytest.approx(0.74989420933, rel=1e-10)
    assert ladder[63] == pytest.approx(1.1547819847e-4, rel=1e-10)


def test_partial_rotary_keeps_the_whole_ladder() -> None:
    encoding = catalogue("rope", {"dim": 16, "rotary_dim": 8})
    assert frequencies(encoding) == frequencies(catalogue("rope", {"dim": 8}))
    assert encoding.dimension == 16


def score(encoding: Encoding, q: list[str], k: list[str], t: int, s: int) -> float:
    """qᵀ exp((t − s)X) k through the ball exponential of the matrix."""
    with precision(128):
        x = encoding.heads[0].generator.matrix
        n = len(x)
        operator = arb_mat([[x[i][j].ball({}) * (t - s) for j in range(n)] for i in range(n)]).exp()
        total = arb(0)
        for i in range(n):
            for j in range(n):
                total += parse(q[i]).ball({}) * operator[i, j] * parse(k[j]).ball({})
        return float(total)


@pytest.mark.parametrize(
    ("layout", "expected"),
    [("interleaved", 7.982131588556), ("half", -7.228961506711)],
)
def test_rope_smoke_values(layout: str, expected: float) -> None:
    encoding = catalogue("rope", {"dim": 4, "layout": layout})
    q, k = ["1", "2", "3", "4"], ["1/2", "-1", "2", "1/4"]
    assert score(encoding, q, k, 5, 2) == pytest.approx(expected, abs=1e-11)
    assert score(encoding, q, k, 1005, 1002) == pytest.approx(expected, abs=1e-11)


def test_retnet_values() -> None:
    encoding = catalogue("retnet")
    rates = [encoding.heads[h].generator.placed[0].block.rate for h in range(8)]
    assert [f"{r.to_float():.10f}" for r in (rates[0], rates[7])] == [
        "-0.0317486983",
        "-0.0002441704",
    ]
    thetas = [-f.to_float() for f in frequencies(encoding)]
    assert thetas[1] == pytest.approx(0.9300449459, rel=1e-9)
    assert thetas[-1] == pytest.approx(1e-4, rel=1e-12)
    rope_ladder = [-f.to_float() for f in frequencies(catalogue("retnet", {"theta": "rope"}))]
    assert rope_ladder[1] == pytest.approx(0.9305720409, rel=1e-9)


def test_xpos_values() -> None:
    blocks = [p.block for p in catalogue("xpos").heads[0].generator.placed or ()]
    assert blocks[0].rate == parse("log(2/7)/512")
    assert blocks[0].rate.to_float() == pytest.approx(-2.4468026727e-3, rel=1e-9)
    assert blocks[31].rate.to_float() == pytest.approx(-4.4090473e-5, rel=1e-6)
    paper = catalogue("xpos", {"scale_base": 1}).heads[0].generator.placed or ()
    assert paper[0].block.rate == parse("log(2/7)")


def test_linear_attention_head_zero_does_not_decay() -> None:
    encoding = catalogue("lightning", {"heads": 4, "layer": 6, "layers": 12})
    rates = [str(h.generator.placed[0].block.rate) for h in encoding.heads]
    assert rates == ["0", "-1", "-2", "-3"]


def test_grape_m_turns_the_other_way() -> None:
    rope = frequencies(catalogue("rope", {"dim": 8, "layout": "half"}))
    assert frequencies(catalogue("grape-m", {"dim": 8})) == [-f for f in rope]


def test_rank_two_generator_has_the_rodrigues_frequency() -> None:
    from symbolic_pe import classify

    found = classify(catalogue("grape-m", {"a": "1 2 0 1", "b": "0 1 1 0"}))
    blocks = {(b.block.texts()["eigenvalue"], b.block.multiplicity) for b in found.cases[0].blocks}
    # alpha = 6, beta = 2, gamma = 2: s = sqrt(6*2 - 4)
    assert blocks == {("0", 2), ("2*sqrt(2)*I", 1)}


@pytest.mark.parametrize("name", list(entries()))
def test_every_bare_name_is_a_specification(name: str) -> None:
    form = catalogue_form(name)
    assert form.name == name
    assert form.title
    assert form.reference


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("rop", {}, "did you mean 'rope'"),
        ("rope", {"dims": 8}, "did you mean 'dim'"),
        ("rope", {"dim": 7}, "multiple of 2"),
        ("rope", {"dim": "2^3"}, "expected an integer"),
        ("rope", {"base": "-5"}, "positive"),
        ("rope", {"base": "w"}, "unknown name"),
        ("rope", {"layout": "halves"}, "one of interleaved, half"),
        ("rope", {"rotary_dim": 130}, "at most dim"),
        ("rope", {"dim": True}, "expected a number or a text"),
        ("lightning", {"layer": 24}, "layers"),
        ("jordan-rope", {"dim": 64, "order": 3}, "multiple of"),
        ("grape-m", {"a": "1 2", "b": "2 4"}, "parallel"),
        ("grape-m", {"a": "1 2", "b": "2"}, "same length"),
    ],
)
def test_wrong_settings_are_refused(name: str, settings: dict[str, object], message: str) -> None:
    with pytest.raises(SpecificationError, match=message):
        catalogue(name, settings)
