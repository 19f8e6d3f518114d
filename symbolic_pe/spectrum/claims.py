"""Published claims about the spectrum of logits, decided for one encoding.

Each verdict has its general proof or refutation in `derivations/spectral/`; what is decided here is
which side an encoding falls on, with numbers of its own as witness.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flint import arb, fmpq

from symbolic_pe.algebra.scalar import precision
from symbolic_pe.decision import Outcome
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.generators.block import Block
from symbolic_pe.spectrum.kernel import Component, PositionalKernel
from symbolic_pe.spectrum.symbol import bias_kernel, bias_slope

BITS = 128
LAGS = 64
LARGEST_POWER, NEIGHBOURS = 128, 16
"""Lags that are tried for growth: up to 2^128, and some beside each power of 2."""


@dataclass(frozen=True)
class SpectralClaim:
    """A published claim and what holds of it for one encoding.

    published   its identifiers in the table of claims
    derivation  where the general statement is proved or refuted
    """

    name: str
    published: tuple[str, ...]
    verdict: Outcome
    statement: str
    reason: str
    derivation: str
    witness: str | None = None


def spectral_claims(
    encoding: Encoding, kernel: PositionalKernel, length: int
) -> tuple[SpectralClaim, ...]:
    """What the claims of the ledger come to for this encoding and n positions."""
    claims = [
        _relative(),
        _contracts(encoding, kernel),
        _positive(kernel),
        _rank(encoding, kernel, length),
        _szego(encoding, kernel),
        _gradient(encoding, kernel),
        _causal(),
    ]
    if encoding.augmentation is not None:
        claims.append(_bias(encoding))
    return tuple(claims)


def _relative() -> SpectralClaim:
    return SpectralClaim(
        "toeplitz-at-constant-content",
        ("F15", "V10"),
        Outcome.PROVED,
        "Logits of the same query and key at every position depend on the lag alone.",
        "A(t)A(s)^-1 = A(t - s); with content that varies they are not Toeplitz",
        "sinusoidal-tables-and-commutants",
    )


def _contracts(encoding: Encoding, kernel: PositionalKernel) -> SpectralClaim:
    """For every tied content, by the criterion that A(τ) is a multiple of I for every τ."""
    statement = (
        "The eigenvalues of tied logits stay between the smallest and the largest without position."
    )
    name, published = "contracts-every-content", ("F1", "F2", "V15")
    derivation = "contraction-needs-homogeneous-content"
    if encoding.augmentation is not None:
        return SpectralClaim(
            name,
            published,
            Outcome.REFUTED,
            statement,
            "an additive bias is no Schur multiplier",
            "additive-and-multiplicative-terms",
            "content 0 has the eigenvalue 0 alone; with the bias the largest is positive",
        )
    if kernel.grows:
        return SpectralClaim(
            name,
            published,
            Outcome.REFUTED,
            statement,
            "the kernel grows with the lag",
            derivation,
            _growing(kernel),
        )
    if _is_multiple_of_identity(kernel):
        return SpectralClaim(
            name,
            published,
            Outcome.PROVED,
            statement,
            "A(lag) is a multiple of I, so logits are C o T with T positive semidefinite and "
            "of unit diagonal",
            "schur-multipliers-majorise",
        )
    return SpectralClaim(
        name,
        published,
        Outcome.REFUTED,
        statement,
        "A(lag) is no multiple of I, so some orthogonal tokens get a logit",
        derivation,
        _witness(encoding, kernel),
    )


def _is_multiple_of_identity(kernel: PositionalKernel) -> bool:
    """One eigenvalue e^a or −e^a of a step, without longer chains."""
    only = kernel.components[0]
    real = not only.turns or only.frequency.text == "pi"
    return len(kernel.components) == 1 and real and only.longest_chain == 1


def _witness(encoding: Encoding, kernel: PositionalKernel) -> str:
    """Orthogonal tokens of equal length whose logit is not 0."""
    with precision(BITS):
        for turning in (c for c in kernel.components if c.turns):
            for lag in range(1, LAGS):
                value = (lag * turning.exponent).exp().imag
                if not value.contains(0):
                    return _numbers(
                        "(1, 0) and (0, 1) in the plane of frequency " + turning.frequency.text,
                        lag,
                        abs(value),
                        fmpq(1),
                    )
        chain = next((c for c in kernel.components if c.longest_chain > 1), None)
        shear = _shear(encoding)
        if chain is not None and shear is not None:
            value = abs(chain.exponent.exp().real * shear)
            return _numbers("e1 and e2 of one Jordan chain", 1, value, fmpq(1))
        first, second = kernel.components[:2]
        value = abs(first.exponent.exp().real - second.exponent.exp().real)
        return _numbers("(1, 1) and (1, -1) over a channel of each rate", 1, value, fmpq(2))


def _growing(kernel: PositionalKernel) -> str:
    """Equal unit tokens in the growing plane: [[1, v], [v, 1]] against [[1, 1], [1, 1]]."""
    fastest = next(c for c in kernel.components if c.rate_sign > 0)
    found = _first_large(lambda lag: (lag * fastest.exponent).exp().real)
    if found is None:
        return "one unit token twice, at a lag where the growth exceeds 1"
    lag, value = found
    return (
        f"one unit token twice, in the growing plane, at lag {lag}: the largest "
        f"eigenvalue is {(1 + abs(value)).str(8, radius=False)}, and 2 without position"
    )


def _first_large(at: Callable[[int], arb]) -> tuple[int, arb] | None:
    """A lag near a power of 2 where the modulus exceeds 5/4, with the value."""
    with precision(BITS):
        for power in range(LARGEST_POWER):
            for lag in range(1 << power, (1 << power) + NEIGHBOURS):
                value = at(lag)
                if abs(value) > fmpq(5, 4):
                    return lag, value
    return None


def _shear(encoding: Encoding) -> arb | None:
    blocks: tuple[Block, ...] = tuple(
        p.block for p in encoding.heads[0].generator.placed or () if p.block.chain_length > 1
    )
    return blocks[0].shear.ball({}) if blocks else arb(1)


def _numbers(tokens: str, lag: int, value: arb, square: fmpq) -> str:
    """Logits [[s, v], [v, s]] against s·I: eigenvalues s ± v."""
    return (
        f"tokens {tokens} at lag {lag}: without position the logits are {square}*I; with it the "
        f"off-diagonal entry has modulus {value.str(8, radius=False)}, so the largest eigenvalue "
        f"is {(square + value).str(8, radius=False)}"
    )


def _positive(kernel: PositionalKernel) -> SpectralClaim:
    name, statement = "positive-kernel", "The kernel is positive semidefinite with unit diagonal."
    if kernel.grows:
        return SpectralClaim(
            name,
            ("V2", "V15"),
            Outcome.REFUTED,
            statement,
            "some e^(a|lag|) grows, so an entry exceeds the diagonal",
            "schur-multipliers-majorise",
            _indefinite(kernel),
        )
    return SpectralClaim(
        name,
        ("V2", "V15"),
        Outcome.PROVED,
        statement,
        "positive masses times positive semidefinite kernels; where all pairs share one content "
        "Gram, logits are C o T and majorisation applies",
        "schur-multipliers-majorise",
    )


def _indefinite(kernel: PositionalKernel) -> str:
    found = _first_large(kernel.value)
    if found is None:
        return "a 2 x 2 section has the determinant 1 - k(m)^2 < 0 for large m"
    lag, value = found
    return (
        f"positions 0 and {lag}: the kernel is {value.str(8, radius=False)}, so the 2 x 2 section "
        f"has the determinant {(1 - value * value).str(8, radius=False)}"
    )


def _rank(encoding: Encoding, kernel: PositionalKernel, length: int) -> SpectralClaim:
    name = "condition-number-means-something"
    statement = f"Logits of {length} positions have a finite condition number."
    added = encoding.augmentation
    dimension = encoding.dimension + (0 if added is None else added.coordinates)
    if length > dimension:
        return SpectralClaim(
            name,
            ("F7", "V12"),
            Outcome.REFUTED,
            statement,
            "logits are an n x d times a d x n matrix, so the smallest singular value is 0",
            "dirichlet-gram",
            f"n = {length} > d = {dimension}",
        )
    return SpectralClaim(
        name,
        ("F7", "V12"),
        Outcome.UNDECIDED,
        statement,
        f"n = {length} <= d = {dimension}: it depends on the content",
        "dirichlet-gram",
    )


def _szego(encoding: Encoding, kernel: PositionalKernel) -> SpectralClaim:
    name = "szego-limit-theorem"
    statement = "The symbol is an integrable function, so Szego's theorem describes the spectrum."
    atoms = [c for c in kernel.components if c.rate_sign == 0]
    if kernel.grows or encoding.augmentation is not None:
        why = "the kernel grows" if kernel.grows else "the bias grows with the lag"
        return SpectralClaim(
            name,
            ("F10",),
            Outcome.REFUTED,
            statement,
            f"{why}, so the series of the symbol diverges",
            "dirichlet-gram",
            "its terms do not tend to 0",
        )
    if atoms:
        mass = max((_atom(c) for c in atoms), key=float)
        return SpectralClaim(
            name,
            ("F10",),
            Outcome.REFUTED,
            statement,
            "the symbol has atoms; lambda_max/n tends to the largest of them",
            "dirichlet-gram",
            f"an atom of mass {mass}: lambda_max/n tends to {mass}, not to 0",
        )
    return SpectralClaim(
        name,
        ("F10", "V6"),
        Outcome.PROVED,
        statement,
        _decays(kernel),
        "poisson-kernels",
    )


def _decays(kernel: PositionalKernel) -> str:
    if len(kernel.components) == 1 and not kernel.components[0].turns:
        return "one rate: every eigenvalue lies between neighbouring samples of the Poisson kernel"
    return (
        "every part decays: the symbol is a sum of Poisson kernels, continuous and positive, "
        "given Szego's theorem (1915)"
    )


def _atom(c: Component) -> fmpq:
    return c.mass / 2 if c.turns and c.frequency.text != "pi" else c.mass


def _gradient(encoding: Encoding, kernel: PositionalKernel) -> SpectralClaim:
    name = "gradient-at-constant-content"
    statement = "At constant content some loss on the attention weights has a gradient in W_Q."
    still = len(kernel.components) == 1 and not kernel.components[0].turns
    if still and kernel.components[0].rate_sign == 0 and kernel.components[0].longest_chain == 1:
        return SpectralClaim(
            name,
            ("V11", "F12"),
            Outcome.REFUTED,
            statement,
            "content logits are constant along rows, which the derivative of softmax annihilates; "
            "an additive bias does not depend on W_Q",
            "positional-gradient",
            "every loss: the gradient is 0",
        )
    return SpectralClaim(
        name,
        ("V11", "F12"),
        Outcome.PROVED,
        statement,
        "A(lag)k depends on the lag for some key, so the derivative of the logits is not constant "
        "along rows",
        "positional-gradient",
    )


def _causal() -> SpectralClaim:
    return SpectralClaim(
        "eigenvalues-under-a-causal-mask",
        ("V13", "F8"),
        Outcome.REFUTED,
        "Under a causal mask the eigenvalues of the logits depend on the encoding.",
        "a triangular matrix has its diagonal q_i.k_i as eigenvalues, and A(0) = I",
        "causal-chains",
        "every content",
    )


def _bias(encoding: Encoding) -> SpectralClaim:
    augmentation = encoding.augmentation
    assert augmentation is not None
    slope = bias_slope(augmentation.bias)
    name = "conditionally-positive-definite-bias"
    statement = "The bias matrix is positive semidefinite on vectors that add to 0."
    if bias_kernel(augmentation.bias) is not None:
        return SpectralClaim(
            name,
            ("V7",),
            Outcome.PROVED,
            statement,
            "a sum of cosines with positive weights and a constant, which such vectors do not see",
            "schur-multipliers-majorise",
        )
    if slope is None:
        return SpectralClaim(
            name,
            ("V7",),
            Outcome.UNDECIDED,
            statement,
            f"decided for biases -m*lag with m > 0; this one is {augmentation.bias}",
            "linear-bias",
        )
    return SpectralClaim(
        name,
        ("V7",),
        Outcome.PROVED,
        statement,
        "inertia (n - 1, 1): -m|i - j| has one negative eigenvalue",
        "linear-bias",
    )
