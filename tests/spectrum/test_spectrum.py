"""Certified spectra beside dense matrices, published values, and what must be refused."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb, fmpq

from numeric_check.spectrum.decaying import squared_norm
from numeric_check.spectrum.dense import kernel_values, largest_eigenvalue, lower_bound
from numeric_check.spectrum.eigenbasis import certified_eigenvalues
from numeric_check.spectrum.exact_spectrum import kernel_spectrum, linear_bias_spectrum
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.encodings.catalogue import catalogue
from symbolic_pe.encodings.specification import from_document
from symbolic_pe.errors import SpecificationError, Undecided
from symbolic_pe.spectrum.eigenvalues import eigenvalue_enclosures
from symbolic_pe.spectrum.gram import gram
from symbolic_pe.spectrum.kernel import DoesNotApply, PositionalKernel, positional_kernel
from symbolic_pe.spectrum.relations import rational_relations
from symbolic_pe.spectrum.symbol import bias_kernel


def rope(dim: int = 16, **settings: object) -> PositionalKernel:
    return positional_kernel(catalogue("rope", {"dim": dim, **settings}))


def frequencies(*texts: str) -> PositionalKernel:
    document = {"generator": {"blocks": [{"frequency": t} for t in texts]}}
    return positional_kernel(from_document(document))


def dense(kernel: PositionalKernel, n: int) -> np.ndarray:
    with precision(80):
        values = [float(kernel.value(t).mid()) for t in range(n)]
    place = np.arange(n)
    return np.array(values)[np.abs(np.subtract.outer(place, place))]


def inside(ball: arb, value: float, slack: float = 1e-9) -> bool:
    return float(ball.lower()) - slack <= value <= float(ball.upper()) + slack


@pytest.mark.parametrize(
    ("settings", "length", "share", "rank"),
    [
        ({"dim": 128}, 4096, 0.193, 18.6),
        ({"dim": 128, "base": 500000}, 4096, 0.429, 5.2),
        ({"dim": 128, "base": 1000000}, 4096, 0.457, 4.6),
        ({"dim": 128, "rotary_dim": 32}, 4096, 0.792, 1.6),
        ({"dim": 128}, 131072, 0.018, 118),
        ({"dim": 128, "base": 500000}, 131072, 0.166, 25.7),
        ({"dim": 128, "base": 1000000}, 131072, 0.207, 18.8),
    ],
)
def test_reference_values(
    settings: dict[str, object], length: int, share: float, rank: float
) -> None:
    found = kernel_spectrum(rope(**settings), length)  # type: ignore[arg-type]
    assert abs(float(found.largest.mid()) / length - share) <= 0.00051
    assert abs(float(found.effective_rank.mid()) - rank) <= (0.5 if rank > 100 else 0.051)
    assert found.largest.rad() < 1e-9 * length


def test_half_of_the_content_without_position_keeps_an_atom_at_zero() -> None:
    """A kernel of two halves, one of them unrotated, beside the rotated one alone."""
    half = kernel_spectrum(rope(128, rotary_dim=64), 1024)
    whole = kernel_spectrum(rope(64), 1024)
    assert abs(float(half.largest.mid()) / 1024 - 0.67) < 0.01
    assert abs(float(whole.largest.mid()) / 1024 - 0.34) < 0.01


@pytest.mark.parametrize("length", [2, 7, 8, 33, 64])
@pytest.mark.parametrize(
    "kernel",
    [rope(), rope(16, rotary_dim=4), frequencies("pi", "1"), frequencies("2*pi", "1/2")],
    ids=["rope", "partial", "alternating", "aliased"],
)
def test_every_eigenvalue_and_the_centred_norms(kernel: PositionalKernel, length: int) -> None:
    found, matrix = kernel_spectrum(kernel, length), dense(kernel, length)
    expected = np.linalg.eigvalsh(matrix)[::-1]
    assert np.linalg.matrix_rank(matrix, tol=1e-9) <= found.rank <= length
    for ball, value in zip(found.eigenvalues, expected, strict=False):
        assert inside(ball, value)
    centred = matrix - matrix.mean(axis=1, keepdims=True)
    sizes = np.linalg.svd(centred, compute_uv=False)
    assert found.centred is not None
    assert found.centred.largest is not None
    assert inside(found.centred.largest, sizes[0], 1e-6)
    assert inside(found.centred.share, (centred**2).sum() / (matrix**2).sum())
    assert inside(found.effective_rank, expected.sum() ** 2 / (expected**2).sum())


def test_aliases_on_integers_are_one_component() -> None:
    kernel = frequencies("2*pi", "5/2*pi", "1/2*pi")
    assert [(str(c.mass), c.turns) for c in kernel.components] == [("1/3", False), ("2/3", True)]


def test_a_condition_number_only_where_there_is_one() -> None:
    kernel = rope(8)
    small = kernel_spectrum(kernel, 5)
    assert small.condition is not None
    assert inside(small.condition / 1e7, np.linalg.cond(dense(kernel, 5)) / 1e7, 1e-3)
    full = kernel_spectrum(kernel, 9)
    assert full.condition is None
    assert "singular" in full.no_condition
    assert full.rank == 8


@pytest.mark.parametrize("name", ["decay", "xpos", "mamba-3", "jordan-rope"])
@pytest.mark.parametrize("length", [2, 3, 64, 129])
def test_kernels_that_decay(name: str, length: int) -> None:
    kernel = positional_kernel(catalogue(name))
    matrix = dense(kernel, length)
    low, high = largest_eigenvalue(kernel_values(kernel, length))
    exact = np.linalg.eigvalsh(matrix)[-1]
    assert low <= exact * (1 + 1e-13)
    assert exact <= high * (1 + 1e-13)
    assert high / low - 1 < 1e-8
    with precision(256):
        assert inside(squared_norm(kernel, length) / length, (matrix**2).sum() / length)


def test_long_sequences_that_decay_are_bounded_from_a_section() -> None:
    kernel = positional_kernel(catalogue("decay"))
    found = kernel_spectrum(kernel, 300, dense=64)
    exact = np.linalg.eigvalsh(dense(kernel, 300))[-1]
    assert inside(found.largest, exact)
    assert lower_bound(kernel_values(kernel, 300)) <= exact


def test_a_wrong_eigenbasis_widens_and_never_lies() -> None:
    with precision(128):
        matrix = gram(rope(8), 50).even
        truth = certified_eigenvalues(matrix)
        poor = eigenvalue_enclosures(matrix, np.eye(4).tolist())
        assert all(a.overlaps(b) for a, b in zip(poor, truth, strict=True))
        assert poor[0].rad() > truth[0].rad()
        with pytest.raises(Undecided, match="too far from orthogonal"):
            eigenvalue_enclosures(matrix, np.ones((4, 4)).tolist())


@pytest.mark.parametrize("n", [2, 3, 10, 41])
def test_linear_bias(n: int) -> None:
    found = linear_bias_spectrum(Scalar.rational(fmpq(1, 4)), n)
    matrix = -np.abs(np.subtract.outer(np.arange(n), np.arange(n))) / 4
    values = np.linalg.eigvalsh(matrix)
    assert inside(found.largest, values[-1])
    assert inside(found.effective_rank, np.abs(values).sum() ** 2 / (values**2).sum())
    assert (values < -1e-12).sum() == 1
    centred = matrix - matrix.mean(axis=1, keepdims=True)
    assert found.centred is not None
    assert found.centred.largest is not None
    assert inside(found.centred.largest, np.linalg.svd(centred, compute_uv=False)[0])
    assert inside(found.centred.share, (centred**2).sum() / (matrix**2).sum())


def test_parameters_and_growth_have_no_spectrum() -> None:
    document = {"generator": {"matrix": [["0", "-w"], ["w", "0"]]}, "parameters": {"w": "positive"}}
    with pytest.raises(DoesNotApply, match="parameters w"):
        positional_kernel(from_document(document))
    growing = positional_kernel(from_document({"generator": {"matrix": [["1"]]}}))
    with pytest.raises(DoesNotApply, match="grows"):
        kernel_spectrum(growing, 8)


def test_weights_have_to_fit() -> None:
    encoding = catalogue("rope", {"dim": 8})
    kernel = positional_kernel(encoding, weights=[fmpq(1), fmpq(3), fmpq(0), fmpq(0)])
    assert [str(c.mass) for c in kernel.components] == ["1/4", "3/4"]
    for wrong in ([fmpq(1)] * 3, [fmpq(-1), *[fmpq(1)] * 3], [fmpq(0)] * 4):
        with pytest.raises(SpecificationError, match="weights"):
            positional_kernel(encoding, weights=wrong)


@pytest.mark.parametrize(
    ("base", "dimension", "period"),
    [(10000, 16, (16, "1/10")), (500000, 64, None), (10**6, 32, 32)],
)
def test_rational_relations(base: int, dimension: int, period: object) -> None:
    exact = [c.frequency.exact for c in rope(128, base=base).components]
    found = rational_relations([x for x in exact if x is not None])
    assert (found.count, found.dimension) == (64, dimension)
    assert (found.period is None) == (period is None)
    if found.period is not None and isinstance(period, tuple):
        assert (found.period[0], str(found.period[1])) == period


def test_a_bias_of_waves_is_a_kernel_and_others_are_not() -> None:
    t = ExponentialPolynomial.variable("t")

    def wave(b: int) -> ExponentialPolynomial:
        return ExponentialPolynomial.cosine("t", Scalar.rational(b))

    found = bias_kernel(wave(1).scale(Scalar.rational(3)) + wave(2) - wave(0))
    assert found is not None
    assert (found[0], [str(c.mass) for c in found[1].components]) == (4, ["3/4", "1/4"])
    odd = wave(1) + ExponentialPolynomial.sine("t", Scalar.rational(1))
    for other in (t, wave(1) - wave(2), odd, wave(1) * t):
        assert bias_kernel(other) is None
