"""Decay: exact eigenvalues of one rate, bounds for any n, row sums in closed form."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from flint import arb, fmpq

from numeric_check.spectrum.exact_spectrum import kernel_spectrum
from symbolic_pe.algebra.scalar import precision
from symbolic_pe.encodings.catalogue import catalogue
from symbolic_pe.encodings.specification import from_document
from symbolic_pe.spectrum.decay import decay_eigenvalue, poisson
from symbolic_pe.spectrum.decay_bounds import sum_of_components, supremum, wave_quotient
from symbolic_pe.spectrum.kernel import PositionalKernel, positional_kernel
from symbolic_pe.spectrum.row_sums import squared_row_sums
from tests.spectrum.test_spectrum import dense, inside

LONG = 10**6


def blocks(*pairs: tuple[str, str]) -> PositionalKernel:
    document = {"generator": {"blocks": [{"rate": r, "frequency": f} for r, f in pairs]}}
    return positional_kernel(from_document(document))


@pytest.mark.parametrize("n", [1, 2, 3, 8, 21])
@pytest.mark.parametrize("r", [0.01, 0.5, 0.99])
def test_every_eigenvalue_of_one_rate(n: int, r: float) -> None:
    matrix = r ** np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    expected = np.linalg.eigvalsh(matrix)[::-1]
    found = [decay_eigenvalue(lambda: arb(r).log(), n, k) for k in range(1, n + 1)]
    assert all(inside(a, b, 1e-12) for a, b in zip(found, expected, strict=True))
    assert all(a > b for a, b in itertools.pairwise(found))


@pytest.mark.parametrize(
    ("rate", "n"), [(-1e-6, LONG), (-1e-40, 1 << 40), (-20.0, 99), (-0.01, 10**9)]
)
def test_eigenvalues_lie_between_samples_at_any_length(rate: float, n: int) -> None:
    """f(kπ/(n + 1)) < λ_k < f((k − 1)π/(n + 1)): the derivation `poisson-kernels`."""
    for k in (1, 2, n // 2, n):
        found = decay_eigenvalue(lambda: arb(rate), n, k)
        with precision(256):
            low, high = (poisson(arb(rate), j * arb.pi() / (n + 1)) for j in (k, k - 1))
            assert low < found < high
    with pytest.raises(ValueError, match="expected an index"):
        decay_eigenvalue(lambda: arb(rate), n, 0)


@pytest.mark.parametrize("name", ["xpos", "mamba-3", "jordan-rope", "hope-hyperbolic"])
@pytest.mark.parametrize("n", [1, 33])
def test_bounds_hold_and_waves_are_quotients(name: str, n: int) -> None:
    kernel = positional_kernel(catalogue(name))
    matrix = dense(kernel, n)
    top = float(np.linalg.eigvalsh(matrix)[-1])
    above, place = supremum(kernel)
    wave = np.sin(np.pi * (np.arange(n) + 1) / (n + 1)) * np.exp(
        1j * float(fmpq(place).p) / float(fmpq(place).q) * np.arange(n)
    )
    quotient = (wave.conj() @ matrix @ wave).real / (wave.conj() @ wave).real
    assert inside(wave_quotient(kernel, place, n), quotient, 1e-9 * n)
    slack = 1 + 1e-12
    assert quotient <= top * slack <= float(above.upper()) * slack**2
    assert top <= float(sum_of_components(kernel, n).upper()) * slack


def test_the_supremum_is_that_of_the_symbol() -> None:
    kernel = blocks(("-1/10", "1"), ("-1/10", "5/4"), ("-1/3", "0"))
    above, place = supremum(kernel)
    omega = np.linspace(0, np.pi, 400_001)
    total = np.zeros_like(omega)
    for c in kernel.components:
        r, b = np.exp(float(c.rate.enclosure())), float(c.frequency.enclosure().mid())
        mass = float(c.mass.p) / float(c.mass.q)
        total += sum(
            mass / 2 * (1 - r * r) / (1 - 2 * r * np.cos(omega - s * b) + r * r) for s in (1, -1)
        )
    assert abs(float(above) - total.max()) < 1e-5 * total.max()
    assert abs(float(place.p) / float(place.q) - omega[total.argmax()]) < 0.01


@pytest.mark.parametrize("rate", ["-1/10^3", "-1/10^9", "-1/10^30", "-1/10^200", "-50"])
def test_rates_near_nought_and_far_from_it(rate: str) -> None:
    """A pole beside the circle: the bound is that of the peak, or none."""
    kernel = blocks((rate, "0"), (rate, "1/10^20"), (rate, "1"))
    above, _ = supremum(kernel)
    with precision(2048):
        peak = kernel.components[0].mass * (-kernel.components[0].rate.enclosure() / 2).coth()
    assert above > peak
    for n in (2, 5, 64):
        found = kernel_spectrum(kernel, n)
        assert inside(found.largest, np.linalg.eigvalsh(dense(kernel, n))[-1], 1e-9 * n)
        assert found.largest.rad() < 1e-3 * found.largest


@pytest.mark.parametrize("name", ["xpos", "mamba-3", "jordan-rope"])
def test_row_sums(name: str) -> None:
    kernel = positional_kernel(catalogue(name))
    rows = dense(kernel, 40).sum(axis=1)
    with precision(256):
        assert inside(squared_row_sums(kernel, 40) / 40, (rows**2).sum() / 40)


@pytest.mark.parametrize(
    "kernel",
    [
        blocks(("0", "1"), ("-1/7", "1"), ("-1/3", "0")),
        blocks(("0", "0"), ("0", "pi"), ("-1/2", "pi")),
    ],
    ids=["atoms", "alternating"],
)
def test_atoms_beside_decay(kernel: PositionalKernel) -> None:
    matrix = dense(kernel, 30)
    found = kernel_spectrum(kernel, 30)
    assert inside(found.largest, np.linalg.eigvalsh(matrix)[-1])
    centred = matrix - matrix.mean(axis=1, keepdims=True)
    assert found.centred is not None
    assert inside(found.centred.share, (centred**2).sum() / (matrix**2).sum())


@pytest.mark.parametrize("n", [2, 3, 40])
@pytest.mark.parametrize(
    "kernel",
    [
        blocks(("-1/9", "0")),
        blocks(("0", "1"), ("-1/7", "1"), ("-1/3", "0")),
        blocks(("0", "0"), ("0", "0"), ("-1/2", "pi")),
        positional_kernel(catalogue("xpos")),
    ],
    ids=["one rate", "atoms", "mostly constant", "xpos"],
)
def test_the_row_centred_kernel(kernel: PositionalKernel, n: int) -> None:
    matrix = dense(kernel, n)
    sizes = np.linalg.svd(matrix - matrix.mean(axis=1, keepdims=True), compute_uv=False)
    centred = kernel_spectrum(kernel, n).centred
    assert centred is not None
    assert centred.effective_rank is not None
    assert inside(centred.effective_rank, sizes.sum() ** 2 / (sizes**2).sum())
    raw = np.linalg.eigvalsh(matrix)
    assert n < 40 or not inside(centred.effective_rank, raw.sum() ** 2 / (raw**2).sum())
    if len(kernel.components) == 1:
        assert centred.largest is not None
        assert inside(centred.largest, sizes[0])


def test_row_centring_is_narrow_at_length() -> None:
    centred = kernel_spectrum(positional_kernel(catalogue("retnet")), 4096, dense=64).centred
    assert centred is not None
    assert centred.effective_rank is not None
    assert centred.effective_rank.rad() < 1e-3 * centred.effective_rank


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("retnet", "mamba-3")]


@pytest.mark.parametrize("name", ["decay", "hope-hyperbolic", *SLOW])
def test_a_million_positions_at_once(name: str) -> None:
    found = kernel_spectrum(positional_kernel(catalogue(name)), LONG)
    assert found.largest.rad() < 1e-5 * found.largest
    if name == "decay":
        assert found.condition is not None
        assert found.condition.rad() < 1e-12 * found.condition
