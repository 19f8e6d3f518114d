"""Fixed-point turns: phases that add exactly, angles that do not lose positions."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from flint import arb, fmpq

from numeric_check import compile_kernel, prove_text
from symbolic_pe import catalogue, from_document, plan_kernel
from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.scalar import precision
from symbolic_pe.emit.source import emit
from symbolic_pe.emit.turns import FINAL_ROUNDINGS, fixed_point
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.errors import NotYetCovered, SpecificationError
from tests.emit.reference import emitted, run

ROPE = {"dim": "8", "angles": "turns"}
FAR = [0.0, 1.0, 2.0**20, 2.0**31 + 1, 2.0**40 + 7, 2.0**52 + 1]


@pytest.mark.parametrize("text", ["1", "-1", "1/10", "10^(-63/16)", "sqrt(2)", "3.14159", "1e-19"])
def test_fixed_point_is_the_nearest_integer(text: str) -> None:
    frequency = parse(text)
    with precision(400):
        exact = frequency.ball({}) / (2 * arb.pi()) * arb(2) ** 64
        assert abs(exact - fixed_point(frequency)) <= arb(1) / 2


@pytest.mark.parametrize("text", ["3.2", "-4", "pi", "100"])
def test_half_a_turn_or_more_is_refused(text: str) -> None:
    with pytest.raises(SpecificationError, match="below pi"):
        fixed_point(parse(text))


def angles_of(target: str, positions: list[float], **settings: str) -> np.ndarray:
    """cos and sin, (n, planes, 2), of a float64 table."""
    module = run(emitted(catalogue("rope", {**ROPE, **settings}), target).text)
    library = {"numpy": np, "torch": torch}[target]
    position = np.array(positions)
    if target == "torch":
        position = torch.as_tensor(position)
    table = np.asarray(module.rotary_table(position, dtype=library.float64))
    return np.stack((table.real, table.imag), axis=-1)


def away_from_exact(found: np.ndarray, positions: list[float]) -> np.ndarray:
    """|e^{i·angle} − e^{iθt}|, (n, planes)."""
    result = np.empty(found.shape[:-1])
    with precision(400):
        for (i, j), _ in np.ndenumerate(result):
            theta = arb(10) ** (-j)
            angle = theta * arb(fmpq(*positions[i].as_integer_ratio()))
            c, s = (arb(fmpq(*float(x).as_integer_ratio())) for x in found[i, j])
            result[i, j] = float(((c - angle.cos()) ** 2 + (s - angle.sin()) ** 2).sqrt().upper())
    return result


@pytest.mark.parametrize("target", ["numpy", "torch"])
def test_angles_are_within_the_stated_error_up_to_2_to_52(target: str) -> None:
    positions = [*FAR, -3.0, -(2.0**45), 0.5, 1234567.25, -0.125]
    away = away_from_exact(angles_of(target, positions), positions)
    allowed = np.pi * 2.0**-64 * np.abs(positions) + 2 * np.pi * FINAL_ROUNDINGS
    assert (away <= allowed[:, None]).all()
    in_float64 = away_from_exact(angles_of(target, positions, angles="float64"), positions)
    assert (in_float64[3:6, 1] > 10 * away[3:6, 1]).all()


def test_phases_add_bit_for_bit() -> None:
    text = emitted(catalogue("rope", ROPE), "numpy").text
    turns = run(text).TURNS
    assert turns.dtype == np.int64
    rng = np.random.default_rng(3)
    s, t = rng.integers(-(2**50), 2**50, (2, 100, 1))
    with np.errstate(over="ignore"):
        assert np.array_equal(s * turns + t * turns, (s + t) * turns)
    theta = run(emitted(catalogue("rope", {"dim": "8"}), "numpy").text).THETA
    assert not np.array_equal(s * theta + t * theta, (s + t) * theta)


def text_of(encoding: Encoding, target: str) -> str:
    return emit(plan_kernel(encoding), target, command="x", certificate_digest="sha256:0").text


@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("angle = (phase", "angle = (phase ", "proved"),
        (" + (u - whole) * TURNS", "", "refuted"),
        ("(u - whole) *", "(whole - u) *", "refuted"),
        ("(u - whole) *", "(u - whole + 1) *", "undecided"),
        ("TURN = 2 *", "TURN = 4 *", "undecided"),
        ("cos(angle)", "exp(angle)", "undecided"),
        ("293589050328200123,", "293589050328200123 + 2**40,", "refuted"),
        ("phase = ", "phase = 3 * ", "refuted"),
    ],
)
def test_edited_texts(target: str, old: str, new: str, verdict: str) -> None:
    encoding = catalogue("rope", ROPE)
    text = text_of(encoding, target).replace(".to(u.device)", "")
    assert old in text
    edited = text.replace(old, new)
    found = prove_text(compile_kernel(edited, target), plan_kernel(encoding))
    assert found.verdict == verdict, found.reason


def test_a_phase_in_floating_point_is_not_taken_for_a_wrapped_one() -> None:
    """In float64 nothing wraps: the text still is the closed form, by ordinary arithmetic."""
    encoding = catalogue("rope", ROPE)
    edited = text_of(encoding, "numpy").replace("whole.astype(np.int64)", "whole")
    assert prove_text(compile_kernel(edited, "numpy"), plan_kernel(encoding)).verdict == "proved"


@pytest.mark.parametrize("target", ["numpy", "torch"])
def test_specifications_name_the_carrier(target: str) -> None:
    document = {
        "encoding": {"name": "damped", "angles": "turns"},
        "generator": {"blocks": [{"rate": "-1/8", "frequency": "-1/3"}]},
    }
    encoding = from_document(document)
    found = prove_text(compile_kernel(text_of(encoding, target), target), plan_kernel(encoding))
    assert found.verdict == "proved", found.reason


def test_positions_have_the_gradient_of_the_angle() -> None:
    module = run(emitted(catalogue("rope", ROPE), "torch").text)
    position = torch.tensor([0.25, 3.0, 1e6], dtype=torch.float64, requires_grad=True)
    table = module.rotary_table(position, dtype=torch.float64)
    (found,) = torch.autograd.grad(table.imag[:, 0].sum(), position)
    assert torch.allclose(found, torch.cos(position), rtol=0, atol=1e-9)


def test_what_has_no_turns_is_refused() -> None:
    with pytest.raises(NotYetCovered, match="angles = float64"):
        text_of(catalogue("rope", ROPE), "array-api")
    decay = {
        "encoding": {"name": "d", "angles": "turns"},
        "generator": {"blocks": [{"rate": "-1"}]},
    }
    with pytest.raises(SpecificationError, match="a plane that turns"):
        plan_kernel(from_document(decay))
    fast = {
        "encoding": {"name": "d", "angles": "turns"},
        "generator": {"blocks": [{"frequency": "4"}]},
    }
    with pytest.raises(SpecificationError, match="below pi"):
        text_of(from_document(fast), "numpy")
    with pytest.raises(SpecificationError, match="angles: expected one of"):
        from_document({**fast, "encoding": {"name": "d", "angles": "degrees"}})
