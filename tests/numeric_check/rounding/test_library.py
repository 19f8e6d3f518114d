"""What the bounds assume of array libraries, measured; a library that is worse is caught."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from numeric_check.rounding import LIBRARY_ULPS, library_error

GENERATOR = np.random.default_rng(11)
ANGLES = [
    *GENERATOR.uniform(-8.0, 8.0, 400),
    *(GENERATOR.uniform(-1.0, 1.0, 400) * 2.0 ** GENERATOR.integers(-40, 52, 400)),
    *(float(t) for k in range(1, 52) for t in (2**k - 1, 2**k, 2**k + 1)),
    *(math.pi / 2 * k for k in range(1, 200)),  # near the zeros of cos and sin
]
EXPONENTS = [*GENERATOR.uniform(-700.0, 700.0, 600), *GENERATOR.uniform(-1.0, 1.0, 200)]


def of_torch(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def applied(x: Any) -> Any:
        # several elements at once take the vectorised path that kernels take
        return function(torch.from_numpy(x.copy())).numpy()

    return applied


LIBRARIES = {
    "numpy": {"exp": np.exp, "sin": np.sin, "cos": np.cos},
    "torch": {name: of_torch(getattr(torch, name)) for name in ("exp", "sin", "cos")},
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", ["exp", "sin", "cos"])
@pytest.mark.parametrize("library", LIBRARIES)
def test_libraries_are_as_accurate_as_assumed(library: str, name: str, dtype: str) -> None:
    drawn = EXPONENTS if name == "exp" else ANGLES
    if dtype == "float32":
        drawn = [x / 10.0 for x in drawn] if name == "exp" else [x for x in drawn if abs(x) < 1e6]
    arguments = [float(x) for x in np.asarray(drawn, dtype=dtype)]
    units, where = library_error(LIBRARIES[library][name], name, arguments, dtype)
    assert units <= LIBRARY_ULPS[dtype], where


SIZES = [
    *np.exp(GENERATOR.uniform(-40.0, 40.0, 400)),
    *(1.0 + GENERATOR.uniform(-0.5, 0.5, 400) * 2.0 ** -GENERATOR.integers(0, 50, 400)),
    *(float(t) for k in range(1, 52) for t in (2**k - 1, 2**k, 2**k + 1)),
]


@pytest.mark.parametrize("library", [np.log, of_torch(torch.log)])
def test_logarithms_are_as_accurate_as_assumed(library: Callable[[Any], Any]) -> None:
    """Near 1 too, where the logarithm is small."""
    units, where = library_error(library, "log", [float(x) for x in SIZES])
    assert units <= LIBRARY_ULPS["float64"], where


@pytest.mark.parametrize("exponent", [0.1, 1 / 3, 0.5, 1.5, 1.9999])
def test_powers_are_as_accurate_as_assumed(exponent: float) -> None:
    arguments = [float(x) for x in SIZES]
    for raised in (lambda x: x**exponent, of_torch(lambda x: x**exponent)):
        units, where = library_error(raised, "__pow__", arguments, "float64", exponent)
        assert units <= LIBRARY_ULPS["float64"], where


@pytest.mark.parametrize("name", ["exp", "sin", "cos"])
def test_a_library_that_is_off_by_four_units_is_caught(name: str) -> None:
    function = LIBRARIES["numpy"][name]

    def worse(x: Any) -> Any:
        y = function(x)
        return y + 4.0 * np.spacing(np.abs(y))

    drawn = EXPONENTS if name == "exp" else ANGLES
    units, _ = library_error(worse, name, [float(x) for x in drawn])
    assert 3.0 < units < 5.5
    assert units > LIBRARY_ULPS["float64"]


def test_a_sine_that_reduces_badly_is_caught() -> None:
    """Reduction by a π of 53 bits loses digits in proportion to the argument."""

    def careless(x: Any) -> Any:
        return np.sin(x - 2.0 * math.pi * np.round(x / (2.0 * math.pi)))

    assert library_error(careless, "sin", [1e6 + k for k in range(20)])[0] > 100.0


def test_units_are_of_the_true_value() -> None:
    """1 + 2⁻⁵² is one unit above e⁰ = 1, and half of it is half a unit."""
    assert library_error(lambda x: np.array([1.0 + 2.0**-52]), "exp", [0.0])[0] == 1.0
    assert library_error(lambda x: np.array([1.0]), "exp", [0.0])[0] == 0.0
