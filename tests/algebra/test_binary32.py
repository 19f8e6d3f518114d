"""Rounding to float32: as NumPy rounds float64, and what a checkpoint's ladder holds."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from symbolic_pe import catalogue
from symbolic_pe.algebra.binary32 import nearest_binary32
from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.errors import SpecificationError

TINY, LARGE = 2.0**-126, 1.5 * 2.0**127


@given(st.floats(TINY, LARGE), st.booleans())
def test_float64_numbers_round_as_numpy_rounds(x: float, negative: bool) -> None:
    x = -x if negative else x
    found = nearest_binary32(Scalar.rational(fmpq(*x.as_integer_ratio())))
    assert int(found.p) / int(found.q) == float(np.float32(x))


def test_ties_go_to_even() -> None:
    for n, expected in ((2**24 + 1, 2**24), (2**24 + 3, 2**24 + 4)):
        assert nearest_binary32(Scalar.rational(n)) == expected


def test_irrational_numbers() -> None:
    for text in ("sqrt(2)", "10000^(-1/64)", "pi"):
        found = nearest_binary32(parse(text))
        assert int(found.p) / int(found.q) == float(np.float32(parse(text).to_float()))


@pytest.mark.parametrize("x", [fmpq(1, 2**127), fmpq(2**128)])
def test_outside_the_normal_range_is_refused(x: fmpq) -> None:
    with pytest.raises(SpecificationError, match="normal number of float32"):
        nearest_binary32(Scalar.rational(x))


@pytest.mark.parametrize(
    ("dim", "base"), [(8, 10000.0), (64, 10000.0), (80, 10000.0), (128, 500000.0)]
)
def test_checkpoint_frequencies_are_those_of_pytorch(dim: int, base: float) -> None:
    settings = {"dim": dim, "base": str(int(base)), "frequencies": "float32"}
    encoding = catalogue("rope", settings)
    placed = encoding.heads[0].generator.placed or ()
    found = [-p.block.frequency.to_float() for p in placed]
    exponent = torch.arange(0, dim, 2, dtype=torch.int64).to(torch.float32) / dim
    expected = (1.0 / (base**exponent)).tolist()
    unit = np.spacing(np.array(expected, dtype=np.float32)).astype(float)
    differ = np.abs(np.array(found) - np.array(expected)) / unit
    assert differ.max() <= 1.0  # PyTorch's power is not always rounded to nearest
    assert (differ == 0).mean() >= 0.9
    exact = [
        -p.block.frequency.to_float()
        for p in catalogue("rope", {"dim": dim, "base": int(base)}).heads[0].generator.placed or ()
    ]
    assert found != exact
    away = np.abs(np.array(found) / np.array(exact) - 1)
    assert away.max() < 5 * 2.0**-24  # as docs/how-to/precision.md says
