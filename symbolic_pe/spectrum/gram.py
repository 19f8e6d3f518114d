"""The n × n kernel of rotations through matrices of the size of the head.

With centred positions x = i − (n − 1)/2 and K = Σ m_k cos(θ_k(i − j)),

    cos θ(x − y) = cos θx·cos θy + sin θx·sin θy,

so K = CCᵀ + SSᵀ with C_{xk} = √m_k·cos θ_k x (even in x) and S_{xk} = √m_k·sin θ_k x (odd), and
CᵀS = 0. The non-zero spectrum of K is that of the two Gram matrices

    E_kl = √(m_k m_l)/2·(D_n(θ_k − θ_l) + D_n(θ_k + θ_l)),
    O_kl = √(m_k m_l)/2·(D_n(θ_k − θ_l) − D_n(θ_k + θ_l)).

Row-centring, which is all that softmax leaves of logits, is K(I − 11ᵀ/n). It does not touch S, and
takes C to C − 1mᵀ/n with m_k = √m_k·D_n(θ_k).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from flint import arb, arb_mat

from symbolic_pe.spectrum.kernel import DoesNotApply, PositionalKernel
from symbolic_pe.spectrum.sums import dirichlet, exact_sum


@dataclass(frozen=True)
class Gram:
    """E and O of the head of the module, and the column sums m of C, all as balls."""

    length: int
    even: arb_mat
    odd: arb_mat
    means: tuple[arb, ...]

    @property
    def centred_even(self) -> arb_mat:
        """E − mmᵀ/n: the Gram matrix of the centred columns."""
        size = self.even.nrows()
        return arb_mat(
            [
                [self.even[i, j] - self.means[i] * self.means[j] / self.length for j in range(size)]
                for i in range(size)
            ]
        )

    @property
    def squared_norm(self) -> arb:
        """‖K‖²_F = ‖E‖²_F + ‖O‖²_F."""
        return _inner(self.even, self.even) + _inner(self.odd, self.odd)

    @property
    def centred_squared_norm(self) -> arb:
        """‖K(I − 11ᵀ/n)‖²_F = tr(E·(E − mmᵀ/n)) + ‖O‖²_F."""
        return _inner(self.even, self.centred_even) + _inner(self.odd, self.odd)


def gram(kernel: PositionalKernel, length: int) -> Gram:
    """The two Gram matrices at the current precision.

    Raises `DoesNotApply` for kernels that decay or grow: they have no such factorisation.
    """
    if not kernel.is_almost_periodic:
        raise DoesNotApply("a kernel that decays or grows has no factorisation through the head")
    components = kernel.components
    angles = [c.frequency.enclosure() if c.turns else arb(0) for c in components]
    roots = [arb(c.mass).sqrt() for c in components]
    size = len(components)

    def at(i: int, j: int, sign: int) -> arb:
        """D_n(θ_i ± θ_j)."""
        first, second = components[i].frequency, components[j].frequency
        angle = angles[i] + sign * angles[j]
        return dirichlet(length, angle, lambda: exact_sum(first, second, sign))

    even, odd = arb_mat(size, size), arb_mat(size, size)
    for i in range(size):
        for j in range(i + 1):
            near = arb(length) if i == j else at(i, j, -1)
            far = at(i, j, 1)
            scale = roots[i] * roots[j] / 2
            even[i, j] = even[j, i] = scale * (near + far)
            odd[i, j] = odd[j, i] = scale * (near - far)
    means = []
    for root, angle, c in zip(roots, angles, components, strict=True):
        means.append(root * dirichlet(length, angle, partial(getattr, c.frequency, "exact")))
    return Gram(length, even, odd, tuple(means))


def _inner(a: arb_mat, b: arb_mat) -> arb:
    return sum((x * y for x, y in zip(a.entries(), b.entries(), strict=True)), start=arb(0))
