"""The condition number of logits says nothing about gradient descent on them."""

from __future__ import annotations

from flint import fmpq, fmpq_mat

from derivations.spectral.tools import equalities, number
from symbolic_pe.algebra.scalar import ZERO, Scalar
from symbolic_pe.decision import Decision, Outcome, holds
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin


def _kernel() -> Decision:
    """∂L_ij/∂Q_pa = δ_ip·K_ja, ∂L_ij/∂K_pa = δ_jp·Q_ia: one channel a, summed over tokens p.

    Σ_p δ_ip·δ_kp = δ_ik, so a term of ⟨∂L_ij, ∂L_kl⟩ is δ_ik·K_ja·K_la + δ_jl·Q_ia·Q_ka.
    """
    kj, kl, qi, qk = (Scalar.symbol(x) for x in ("K_ja", "K_la", "Q_ia", "Q_ka"))
    pairs = {}
    for same_query in (0, 1):
        for same_key in (0, 1):
            # tokens p where either derivative is not 0: i and k, j and l
            queries = [(1, same_query)] + ([(0, 1)] if not same_query else [])
            keys = [(1, same_key)] + ([(0, 1)] if not same_key else [])
            direct = ZERO
            for at_i, at_k in queries:
                direct = direct + number(at_i) * kj * number(at_k) * kl
            for at_j, at_l in keys:
                direct = direct + number(at_j) * qi * number(at_l) * qk
            name = f"i {'=' if same_query else '!='} k, j {'=' if same_key else '!='} l"
            pairs[name] = (direct, number(same_query) * kj * kl + number(same_key) * qi * qk)
    return equalities(pairs)


def _tangent(q: tuple[fmpq, fmpq], k: tuple[fmpq, fmpq]) -> list[fmpq]:
    """Eigenvalues q_i² + k_j² of the tangent kernel for diagonal Q and K."""
    return sorted(a * a + b * b for a in q for b in k)


def _diagonal() -> Decision:
    """The kernel of Q = diag(q), K = diag(k) is diagonal with entries q_i² + k_j²."""
    q, k = (fmpq(3), fmpq(2)), (fmpq(1), fmpq(5))
    matrix = fmpq_mat(4, 4)
    for i in range(2):
        for j in range(2):
            matrix[2 * i + j, 2 * i + j] = q[i] ** 2 + k[j] ** 2
    found = sorted(matrix[i, i] for i in range(4))
    return holds(found == _tangent(q, k), "other eigenvalues", eigenvalues=found)


def _faster() -> Decision:
    """A: Q = K = diag(2, 1). B: Q = diag(1/4, 4), K = diag(4, 1/4), so L = I."""
    quarter = fmpq(1, 4)
    first = _tangent((fmpq(2), fmpq(1)), (fmpq(2), fmpq(1)))
    second = _tangent((quarter, fmpq(4)), (fmpq(4), quarter))
    a, b = first[-1] / first[0], second[-1] / second[0]
    if b <= a:
        return Decision(Outcome.PROVED)
    return Decision(
        Outcome.REFUTED,
        {"tangent_kernel_A": first, "tangent_kernel_B": second},
        f"Q = K = diag(2, 1): logits diag(4, 1) of condition number 4, tangent kernel of condition "
        f"number {a}; Q = diag(1/4, 4), K = diag(4, 1/4): logits I of condition number 1, tangent "
        f"kernel of condition number {b}",
    )


DERIVATION = Derivation(
    name="logits-and-optimisation",
    title="Better conditioned logits can train slower",
    chapter="spectral",
    statement=r"""
Gradient descent in $Q$ and $K$ moves the logits $L = QK^\top$ by the tangent kernel
$\langle\partial L_{ij}, \partial L_{kl}\rangle = \delta_{ik}\langle k_j, k_l\rangle +
\delta_{jl}\langle q_i, q_k\rangle$,
whose condition number is no function of that of $L$, and not even ordered like it.
""".strip(),
    hypotheses=("a squared loss on logits, whose rate is set by the tangent kernel",),
    prose=(
        "This refutes the step from contracted logits to faster optimisation as a statement "
        "about all "
        "weights. Tendencies over random weights are a matter of measurement; none is claimed here."
    ),
    steps=(
        Step(
            "kernel",
            "The tangent kernel, channel by channel, for any number of tokens.",
            Rule.NORMAL_FORM,
            _kernel,
        ),
        Step(
            "diagonal",
            "For diagonal $Q$ and $K$ its eigenvalues are $q_i^2 + k_j^2$.",
            Rule.LINEAR_ALGEBRA,
            _diagonal,
        ),
    ),
    twins=(
        Twin(
            "contraction-is-speed",
            "a hypothesis on the tangent kernel.",
            "Logits with a smaller condition number are optimised faster.",
            _faster,
        ),
    ),
    answers=(
        Answer("F11", Outcome.REFUTED, "contraction-is-speed"),
        Answer("S2.4", Outcome.REFUTED, "contraction-is-speed", "not a consequence"),
    ),
    sources=("Gu et al., arXiv:2505.13027, first version",),
)
