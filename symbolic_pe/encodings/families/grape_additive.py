"""GRAPE's additive forms: a linear bias on two constant coordinates, a lift, and gated slopes."""

from __future__ import annotations

from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Decision
from symbolic_pe.encodings.augmentation import linear_bias
from symbolic_pe.encodings.encoding import Encoding, Head, Verdict
from symbolic_pe.encodings.entry import Entry, Mistake, Published
from symbolic_pe.encodings.families.additive import (
    LINEAR,
    alibi_schedule,
    alibi_slopes,
    with_content,
)
from symbolic_pe.encodings.layout import place_consecutively
from symbolic_pe.encodings.readings import Reader, score, slope
from symbolic_pe.encodings.settings import Setting, Settings, dimension, heads
from symbolic_pe.encodings.witnesses import equals
from symbolic_pe.errors import SpecificationError
from symbolic_pe.generators.block import Block, PlacedBlock
from symbolic_pe.generators.generator import Generator

FORMS = ("constant", "lift", "gated")


def _grape_a(settings: Settings) -> Encoding:
    form = settings.choice("form")
    if settings.texts["u"] and form != "lift":
        raise SpecificationError(
            f"grape-a: u: expected none for form={form}, got {settings.texts['u']!r}; the gate u "
            "belongs to form=lift"
        )
    slopes = alibi_slopes(settings.integer("heads"))
    if form == "constant":
        biases = [linear_bias(m, (ONE, ZERO), (ZERO, ONE), -m) for m in slopes]
        return with_content(settings, biases, "grape-a")
    dim = settings.integer("dim")
    if form == "lift":
        gate = _gate(settings, dim)
        generators = [_lifted(dim, m, gate) for m in slopes]
    else:
        generators = [_gated(dim, m) for m in slopes]
    schedules = alibi_schedule(settings.integer("heads"))
    return Encoding("grape-a", tuple(map(Head, generators)), schedules=schedules)


def _gate(settings: Settings, dim: int) -> list[Scalar]:
    """u, by default the first unit vector."""
    given = settings.vector("u") or [ONE] + [ZERO] * (dim - 1)
    if len(given) != dim or all(x.is_zero() for x in given):
        raise SpecificationError(
            f"grape-a: u: expected {dim} numbers that are not all 0, got {settings.texts['u']!r}"
        )
    return given


def _lifted(dim: int, m: Scalar, gate: list[Scalar]) -> Generator:
    """q̂ = [q; 1], k̂ = [k; 1]: X has the row m·u below the channels of content."""
    live = [c for c, x in enumerate(gate) if not x.is_zero()]
    if len(live) > 1:
        rows = [[ZERO] * (dim + 1) for _ in range(dim)]
        return Generator.from_matrix([*rows, [m * x for x in gate] + [ZERO]])
    chain = PlacedBlock(Block(ZERO, ZERO, 2, m * gate[live[0]]), (dim, live[0]))
    still = [PlacedBlock(Block(ZERO), (c,)) for c in range(dim) if c != live[0]]
    return Generator.from_blocks([*still, chain])


def _gated(dim: int, m: Scalar) -> Generator:
    """q̂ = [q; λ_q, 0, 1, 0], k̂ = [k; 0, −1, 0, −λ_k] over two chains of length 2."""
    blocks = [Block(ZERO)] * dim + [Block(ZERO, ZERO, 2, m)] * 2
    return Generator.from_blocks(place_consecutively(blocks))


# -- what was printed of them -----------------------------------------------------------------


def _upper_block() -> Decision:
    """[[1, mωλ], [0, 1]] with the inverse transpose, q = (1, 0), k = (0, 1): 0 at every lag."""
    query, key = (ONE, ZERO), (ZERO, ONE)
    inverse_transpose = ((ONE, ZERO), (-ONE, ONE))
    found = ZERO
    for i in range(2):
        for j in range(2):
            found = found + query[i] * inverse_transpose[i][j] * key[j]
    return equals(found, -ONE, "bias at lag 1, slope 1")


def _three_coordinates() -> Decision:
    """[[0, −1], [−1, 0]] is λ_q-by-λ_k slopes; two coordinates give products of one form each."""
    minus = -ONE
    determinant = ZERO * ZERO - minus * minus
    return equals(ZERO, determinant, "det of the slope as a bilinear form in (1, l_q) and (1, l_k)")


def _lift() -> Reader:
    """q = (1, 2), k = (3, 1), both with a 1 behind: q·k + 1 + 3·m·k_0 with m = 1/256."""
    return score(("1", "2", "1"), ("3", "1", "1"), 3)


def _gates() -> Reader:
    """q·k = 0, λ_q = 2, λ_k = 3: −m·τ·5 at lag 4, m = 1/256."""
    return score(("0", "0", "2", "0", "1", "0"), ("0", "0", "0", "-1", "0", "-3"), 4)


GRAPE_A = Entry(
    "grape-a",
    "additive",
    Verdict.AUGMENTED,
    "GRAPE, additive form with ALiBi slopes",
    "Zhang et al., Group Representational Position Encoding, ICLR 2026, equations 4.1 to 4.7",
    {
        "dim": dimension(64),
        "heads": heads(8),
        "form": Setting(
            "constant",
            "two constant coordinates (ALiBi), one coordinate whose slope is gated by the key "
            "(lift), or four with gates of query and key (gated)",
            "choice",
            FORMS,
        ),
        "u": Setting("", "gate u of the lift; none for the first channel", "vector"),
    },
    _grape_a,
    definition=(
        r"`constant`: $\hat q = [q; 1; 0]$, $\hat k = [k; 0; 1]$, $G(n) = I + nA_h$ with "
        r"$A_h = -\beta e_{d+2} e_{d+1}^\top$; score $\hat q^\top G(s - t)^{-\top} \hat k = "
        r"q^\top k - \beta(t - s)$. `lift`: $\hat q = [q; 1]$, $\hat k = [k; 1]$, score "
        r"$q^\top k + 1 + \beta(t - s)\,u^\top k$ with learned $u$. `gated`: $\hat q = "
        r"[q; \lambda_q; 0; 1; 0]$, $\hat k = [k; 0; -1; 0; -\lambda_k]$, score $q^\top k - "
        r"\beta(t - s)(\lambda_q + \lambda_k)$ with $\lambda_q = \operatorname{softplus}"
        r"(v^\top q_t/\sqrt d)$ and $\lambda_k = \operatorname{softplus}(u^\top k_s/\sqrt d)$; "
        r"$\beta$ are the slopes of ALiBi."
    ),
    generator=(
        r"`constant`: $X = 0_d \oplus \begin{pmatrix} 0 & -\beta \\ 0 & 0 \end{pmatrix}$, two "
        r"constant coordinates. `lift`: $X = \beta\, e_{d+1} [u; 0]^\top$ on $d + 1$ channels. "
        r"`gated`: $X = 0_d \oplus \beta N \oplus \beta N$ on $d + 4$ channels, with gates in the "
        "added ones; four are the fewest. All are nilpotent, with chains of length 2."
    ),
    stability=LINEAR,
    values=(
        Published("slope of head 0", "1/2", slope(0)),
        Published("slope of head 11 of 12", "0.088388347648", slope(11), {"heads": 12}),
        Published("score with q = (1, 2), k = (3, 1), lag 3, slope 1/256", "6.03515625", _lift(),
                  {"dim": 2, "heads": 1, "form": "lift"}),
        Published("bias with gates 2 and 3, lag 4, slope 1/256", "-0.078125", _gates(),
                  {"dim": 2, "heads": 1, "form": "gated"}),
    ),
    mistakes=(
        Mistake(
            "upper-block",
            r"the block $\begin{pmatrix} 1 & m\omega\lambda \\ 0 & 1\end{pmatrix}$ with the "
            "inverse "
            r"transpose, $q = (1, 0)$ and $k = (0, 1)$ gives the slope",
            "GRAPE appendix E",
            "it gives 0; the block has to be lower triangular there",
            _upper_block,
        ),
        Mistake(
            "one-plane-for-two-gates",
            r"slopes $\lambda_q + \lambda_k$ come from one plane scaled by a number of the pair "
            "$(t, s)$",
            "GRAPE equations 4.4 to 4.6",
            "a scale of the pair is no group; one plane gives products $f(q)\\,g(k)$ of rank 1 as "
            "slopes, the sum has rank 2 in $(1, \\lambda_q)$ and $(1, \\lambda_k)$: two planes",
            _three_coordinates,
        ),
    ),
)  # fmt: skip

ENTRIES = (GRAPE_A,)
