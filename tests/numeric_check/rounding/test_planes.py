"""Complex numbers on rounded elements: what they may be made of, and the memory they are in."""

from __future__ import annotations

import numpy as np
import pytest

from numeric_check.rounding.array import RoundedArray
from numeric_check.rounding.bound import run_side
from numeric_check.rounding.element import Model, Rounded, number, position, reference, unknown
from numeric_check.rounding.library import LIBRARIES, RoundingNumPy, RoundingTorch
from numeric_check.rounding.planes import RoundedPlanes
from numeric_check.text_proof.exact_element import LeavesTheRing
from symbolic_pe.errors import KernelError
from tests.numeric_check.rounding.test_bound import kernel_of, planned

MODEL = Model(2.0**20)
NUMPY, TORCH = RoundingNumPy(MODEL), RoundingTorch(MODEL)


def inputs(count: int, dtype: str = "float32") -> RoundedArray:
    data = np.empty(count, dtype=object)
    for index in range(count):
        data[index] = unknown(index, dtype)
    return NUMPY.array_of(data, dtype)


def constants(*values: float, dtype: str = "float32") -> RoundedArray:
    return NUMPY.array_of(np.array(values, dtype=object), dtype)


def numbers(array: RoundedArray) -> list[float]:
    found = [x if isinstance(x, Rounded) else number(x) for x in array.data.ravel()]
    return [int(x.constant.p) / int(x.constant.q) for x in found if x.constant is not None]


def test_a_product_is_that_of_complex_numbers() -> None:
    planes = constants(1, 2, 3, 4).view(NUMPY.complex64)
    product = planes * constants(5, 6, 7, 8).view(NUMPY.complex64)
    assert numbers(product.view(NUMPY.float32)) == [-7.0, 16.0, -11.0, 52.0]
    assert (product.dtype.name, product.dtype.kind, product.shape) == ("complex64", "c", (2,))


def test_both_products_and_the_sum_are_rounded() -> None:
    x, c = inputs(2), constants(0.375, 0.1875)
    product = x.view(NUMPY.complex64) * c.view(NUMPY.complex64)
    expected = x[0] * c[0] - x[1] * c[1]
    assert expected.data[()].relative
    assert expected.data[()].error
    assert product.real.data[0] == expected.data[()]


def test_views_share_their_memory() -> None:
    x = constants(1, 2, 3, 4)
    planes = x.view(NUMPY.complex64)
    planes[..., 1:] = planes[..., :1]
    assert numbers(x) == [1.0, 2.0, 1.0, 2.0]
    assert planes.view(NUMPY.float32).data.base is not None
    x[...] = constants(5, 6, 7, 8)
    assert numbers(planes.imag) == [6.0, 8.0]


def test_adding_in_place_keeps_the_dtype() -> None:
    x = constants(1, 2)
    y = x
    y += constants(0.5, 2.0**-40, dtype="float64")
    assert y is x
    assert x.dtype.name == "float32"
    assert x.data[1].relative  # 2 + 2^-40 is no number of float32


def test_dtypes() -> None:
    assert NUMPY.result_type(NUMPY.bfloat16, NUMPY.complex64).name == "complex64"
    assert NUMPY.result_type(NUMPY.float64, NUMPY.complex64).name == "complex128"
    assert NUMPY.result_type(NUMPY.float16, NUMPY.bfloat16).name == "float32"
    wide = constants(1, 2).view(NUMPY.complex64).astype(NUMPY.complex128)
    assert (wide.dtype.name, wide.real.dtype.name) == ("complex128", "float64")


def test_what_has_no_complex_numbers() -> None:
    half = constants(1, 2, dtype="float16")
    with pytest.raises(KernelError, match="complex numbers"):
        TORCH.complex(half, half)
    with pytest.raises(LeavesTheRing, match="views float64 as complex64"):
        constants(1, 2, dtype="float64").view(NUMPY.complex64)
    with pytest.raises(LeavesTheRing, match="joins float32 and float64"):
        TORCH.complex(constants(1), constants(1, dtype="float64"))
    with pytest.raises(LeavesTheRing, match="casts complex planes to float32"):
        constants(1, 2).view(NUMPY.complex64).astype(NUMPY.float32)
    with pytest.raises(LeavesTheRing, match="what is none"):
        constants(1, 2).view(NUMPY.complex64) * constants(3)
    with pytest.raises(LeavesTheRing, match="shape"):
        RoundedPlanes(constants(1, 2, 3))


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize("name", ["rope", "catalogue:grape-m"])
def test_turn_into_rounds_as_the_map_does(name: str, target: str, in_place: bool) -> None:
    plan, kernel, model = planned(name), kernel_of(name, target), Model(2.0**20)
    expected = run_side(kernel, plan, "float32", "query", model)
    library = LIBRARIES[target](model)
    names = kernel.on_library(library, library.lift)
    data = np.empty((1, plan.dimension), dtype=object)
    for index in range(plan.dimension):
        data[0, index] = unknown(index, "float32")
    t, c = np.empty(1, dtype=object), np.empty((), dtype=object)
    t[0], c[()] = position(), reference()
    places = (library.array_of(t, "float64"), library.array_of(c, "float64"))
    table = names["rotary_table"](*places, dtype=library.float32)
    x = library.array_of(data, "float32")
    out = x if in_place else x.like(np.full(x.shape, None, dtype=object))
    assert names["turn_into"](out, x, table) is out
    assert list(out.data.ravel()) == list(expected.ravel())
