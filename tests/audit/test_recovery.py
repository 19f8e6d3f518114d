"""The generator from matrices: radii that hold, departures that are found, chains, ladders."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from numeric_check.audit.arithmetic import Arithmetic, arithmetic_of, significant_bits
from numeric_check.audit.causes import HYPOTHESES, cause_of
from numeric_check.audit.chains import chains
from numeric_check.audit.matrices import connected_channels, exponentials, principal_logarithm
from numeric_check.audit.planes import Plane, Spectrum, layout_name
from numeric_check.audit.positions import maps_positions
from numeric_check.audit.recognition import Ladder, recognise, rounded
from numeric_check.audit.recovery import Departure, Part, Recovered, Unrecovered, recover_part
from numeric_check.reference_values.tolerance import FORMATS

DOUBLE = Arithmetic(FORMATS["float64"], FORMATS["float64"], FORMATS["float64"])
SINGLE = Arithmetic(FORMATS["float32"], FORMATS["float32"], FORMATS["float32"])
J = np.array([[0.0, -1.0], [1.0, 0.0]])


def part(x: Any, arithmetic: Arithmetic = DOUBLE, change: Any = None) -> Any:
    positions = tuple(maps_positions(10000))
    operators = exponentials(np.asarray(x, dtype=float), [float(p) for p in positions])
    if change is not None:
        operators = change(np.array(positions), operators)
    return recover_part(tuple(range(len(x))), positions, operators, arithmetic)


@pytest.mark.parametrize("rate", [0.0, -0.001, 0.0005])
@pytest.mark.parametrize("frequency", [1.0, 0.37, 1e-4, 3.0])
def test_planes_are_recovered_within_their_radius(rate: float, frequency: float) -> None:
    x = rate * np.eye(2) + frequency * J
    found = part(x)
    assert found.departure is None
    assert np.abs(found.matrix - x).max() <= found.radius
    assert found.radius < 1e-11
    assert found.plane == pytest.approx((rate, frequency), abs=1e-11)


@pytest.mark.parametrize("bits", ["float32", "bfloat16"])
def test_rounded_tables_widen_the_radius_and_it_holds(bits: str) -> None:
    format_ = FORMATS[bits]
    arithmetic = Arithmetic(FORMATS["float32"], format_, format_)
    x = 0.37 * J

    def narrowed(_: Any, operators: Any) -> Any:
        return (
            operators.astype(np.float32).astype(float)
            if bits == "float32"
            else rounded(operators, "bfloat16")
        )

    found = part(x, arithmetic, narrowed)
    assert found.departure is None
    assert np.abs(found.matrix - x).max() <= found.radius


def test_a_departure_is_found_where_it_begins() -> None:
    def slipped(positions: Any, operators: Any) -> Any:
        late = positions >= 419
        operators[late] = operators[late] @ exponentials(J, [0.01])[0]
        return operators

    found = part(0.1 * J, SINGLE, slipped)
    assert isinstance(found.departure, Departure)
    assert found.departure.position >= 419


@pytest.mark.parametrize(
    ("x", "lengths"),
    [
        ([[0.0, 1.0], [0.0, 0.0]], "chains 2"),
        ([[-0.01, 0.5, 0], [0, -0.01, 0.5], [0, 0, -0.01]], "chains 3"),
        (
            [[-0.01, -1, 0.1, 0], [1, -0.01, 0, 0.1], [0, 0, -0.01, -1], [0, 0, 1, -0.01]],
            "chains 2",
        ),
    ],
)
def test_chains(x: Any, lengths: str) -> None:
    found = part(x)
    assert found.departure is None
    assert any(lengths in line for line in chains(found))


def test_different_rates_are_no_chain() -> None:
    q = np.array([[1.0, 1.0], [0.0, 1.0]])
    x = q @ np.diag([-0.01, -0.02]) @ np.linalg.inv(q)
    assert all("chains 1" in line for line in chains(part(x)))


def test_no_real_logarithm() -> None:
    def flipped(positions: Any, operators: Any) -> Any:
        return operators * ((-1.0) ** positions)[:, None, None]

    assert isinstance(part([[0.0]], DOUBLE, flipped), Unrecovered)


def test_singular_products() -> None:
    assert isinstance(recover_part((0, 1), (0, 1, 2), None, DOUBLE), Unrecovered)


def test_logarithms() -> None:
    random = np.random.default_rng(0)
    for size in (1, 2, 5):
        x = random.standard_normal((size, size)) * 0.6
        found = principal_logarithm(exponentials(x, [1.0])[0])
        assert found is not None
        assert np.abs(found - x).max() < 1e-12
    assert principal_logarithm(-np.eye(2)) is None
    assert principal_logarithm(np.full((2, 2), np.nan)) is None


def test_groups() -> None:
    matrices = np.zeros((2, 4, 4))
    matrices[0, 0, 3] = matrices[1, 1, 2] = 1.0
    assert connected_channels(matrices) == [(0, 3), (1, 2)]


@pytest.mark.parametrize(("dtype", "bits"), [(np.float32, 24), (np.float16, 11), (np.float64, 53)])
def test_significant_bits(dtype: Any, bits: int) -> None:
    values = np.cos(np.arange(1, 200.0)).astype(dtype).astype(float)
    assert significant_bits(values) == bits
    assert significant_bits(rounded(values, "bfloat16")) == 8
    assert significant_bits(np.array([0.0, np.inf])) == 1


def test_the_format_of_tables_is_read_off() -> None:
    values = np.cos(np.arange(1, 200.0))
    assert arithmetic_of(values, "float64", "float64").table.name == "float64"
    assert arithmetic_of(rounded(values, "bfloat16"), "float32", "float32").table.name == "bfloat16"
    assert arithmetic_of(values, "float64", "float16").table.name == "float16"


def recovered(frequencies: Any, radius: float = 1e-12) -> tuple[Recovered, Spectrum]:
    d = 2 * len(frequencies)
    parts = tuple(Part((j, j + d // 2), -w * J, radius) for j, w in enumerate(frequencies))
    planes = tuple(Plane((j, j + d // 2), 0.0, -w, radius) for j, w in enumerate(frequencies))
    return Recovered(parts, (), DOUBLE), Spectrum(d, planes, (), ())


@pytest.mark.parametrize("base", [100.0, 10000.0, 123456.0, 500000.0, 5e6])
@pytest.mark.parametrize("planes", [2, 8, 64])
def test_bases_are_recognised(base: float, planes: int) -> None:
    found = recognise(*recovered(Ladder(base, 2 * planes).frequencies(planes)))
    assert found.spec == f"rope:dim={2 * planes},base={int(base)},layout=half"


@pytest.mark.parametrize("factor", [2.0, 0.25, 0.125])
def test_factors_are_recognised(factor: float) -> None:
    found = recognise(*recovered(Ladder(10000.0, 32, factor).frequencies(16)))
    assert found.ladder is not None
    assert found.ladder.factor == factor
    assert found.spec == ""


def test_a_factor_that_is_a_step_of_the_ladder_has_two_readings() -> None:
    text = recognise(*recovered(Ladder(10000.0, 64, 0.1).frequencies(32))).text
    assert "times 0.1 (positions are multiplied by it, or the index j begins at 8)" in text


@pytest.mark.parametrize("name", ["bfloat16", "float16"])
@pytest.mark.parametrize("base", [10000.0, 500000.0])
def test_rounded_ladders_are_recognised(name: str, base: float) -> None:
    found = recognise(*recovered(Ladder(base, 64, 1.0, name).frequencies(32)))
    assert found.ladder is not None
    assert (found.ladder.rounded_to, found.ladder.base) == (name, base)


def test_no_ladder_is_no_ladder() -> None:
    random = np.random.default_rng(0)
    found = recognise(*recovered(np.sort(random.uniform(0, 1, 16))[::-1]))
    assert found.spec == ""
    assert "no ladder" in found.text


@pytest.mark.parametrize("place", range(len(HYPOTHESES)))
def test_causes_are_told_apart(place: int) -> None:
    words, angle = HYPOTHESES[place]
    w = Ladder(10000.0, 128).frequencies(64)
    positions = [*range(0, 4096, 3), 8193, 30011]
    t = np.array(positions, dtype=float)[:, None]
    images = np.concatenate([np.cos(angle(t, w)), np.sin(angle(t, w))], axis=1)
    parts = [((j, j + 64), -v * J) for j, v in enumerate(w)]
    assert cause_of(parts, positions, images) == words
    right = np.concatenate([np.cos(t * w), np.sin(t * w)], axis=1)
    assert cause_of(parts, positions, right) == ""


def test_layout_names() -> None:
    assert layout_name([(0, 1), (2, 3)], 4) == "interleaved"
    assert layout_name([(1, 3), (0, 2)], 4) == "half"
    assert layout_name([(2, 3), (4, 5)], 8) == "interleaved of channels 2 to 5"
    assert layout_name([(0, 4), (1, 5)], 8) == "half, 2 of 4 planes"
    assert layout_name([(0, 3), (1, 2)], 4) == "planes 0 3, 1 2"
