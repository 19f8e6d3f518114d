"""Ladders of frequencies: which exponent, which base, which length, which schedule."""

from __future__ import annotations

from itertools import pairwise

from flint import arb, fmpq

from symbolic_pe.algebra.scalar import ONE, Scalar, precision
from symbolic_pe.decision import Decision, Outcome
from symbolic_pe.encodings.catalogue import entries
from symbolic_pe.encodings.families.rotary import ladder
from symbolic_pe.proof.decisions import all_of, catalogued_mistake, same_value
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin, holds

SECTIONS = (16, 24, 24)
D, L, S, B, J = (Scalar.symbol(x) for x in ("d", "L", "s", "b", "j"))
BASE = Scalar.rational(10000)
BITS = 192


def _ntk() -> Decision:
    """b′ = b·s^{d/(d−2)}: plane 0 keeps its frequency, the last one is divided by s exactly.

    θ′_j = b′^{−2j/d} = θ_j·s^{−2j/(d−2)}; at j = d/2 − 1 the exponent of s is −1.
    """
    two = Scalar.rational(2)
    exponent = -(two * J) / D * (D / (D - two))
    return all_of(
        {
            "exponent of s at plane j": same_value(-(two * J) / (D - two), exponent, "exponent"),
            "at plane 0": same_value(ONE - ONE, exponent.substitute({"j": ONE - ONE}), "exponent"),
            "at the last plane": same_value(
                -ONE, exponent.substitute({"j": D / two - ONE}), "exponent"
            ),
        }
    )


def _dynamic_rules() -> Decision:
    """a·l/L − (a − 1) is l/L at a = 1, and both rules are 1 at l = L."""
    a, length = Scalar.symbol("a"), Scalar.symbol("l")
    code = a * length / L - (a - ONE)
    return all_of(
        {
            "a = 1": same_value(length / L, code.substitute({"a": ONE}), "the code's rule"),
            "l = L": same_value(ONE, code.substitute({"l": L}), "the code's rule"),
        }
    )


def _sections() -> Decision:
    """Three axes share one ladder: planes 0–15, 16–39, 40–63 of 64, in that order."""
    thetas, _ = ladder(Scalar.rational(10) ** 6, "1000000", 64, 128)
    falling = all((x - y).sign() > 0 for x, y in pairwise(thetas))
    return holds(
        falling and sum(SECTIONS) == len(thetas),
        "the ladder is not one ladder",
        sections=list(SECTIONS),
        first_of_each_axis=[thetas[0], thetas[16], thetas[40]],
    )


def _repeated_sections() -> Decision:
    """`section * 2` in Python is [16, 24, 24, 16, 24, 24], not [32, 48, 48]."""
    repeated, doubled = list(SECTIONS) * 2, [2 * n for n in SECTIONS]
    return same_value(
        Scalar.rational(doubled[0]),
        Scalar.rational(repeated[0]),
        f"section*2 for {list(SECTIONS)}: the list {repeated} repeats and does not double; its "
        "first entry",
    )


def _own_ladders() -> Decision:
    """A ladder of its own for each axis starts again at 1: plane 16 of the one ladder."""
    thetas, _ = ladder(Scalar.rational(10) ** 6, "1000000", 64, 128)
    return same_value(ONE, thetas[16], "first frequency of the second axis, base 10^6")


def _partial_exponent() -> Decision:
    """Plane 1 of 64 rotated channels among 128: exponent over d_r and over d."""
    partial, _ = ladder(BASE, "10000", 32, 64)
    kept, _ = ladder(BASE, "10000", 32, 128)
    return same_value(
        kept[1], partial[1], "d = 128, half of it rotates: theta_1 of p-RoPE and of partial rotary"
    )


def _dynamic_scale() -> Decision:
    """l = 2L, a = 4: the paper's 2 and the code's 5."""
    two, four = Scalar.rational(2), Scalar.rational(4)
    return same_value(two, four * two - (four - ONE), "l/L = 2, factor 4: s of paper and of code")


def _mixed_lengths() -> Decision:
    """A key cached at θ = 1/2 against a query at θ = 1: angles t − s/2 at (1, 0) and (2, 1)."""

    def angle(t: int, s: int) -> Scalar:
        return Scalar.rational(t) - Scalar.rational(fmpq(s, 2))

    return same_value(
        angle(1, 0),
        angle(2, 1),
        "frequencies 1 for queries and 1/2 for cached keys: angles at (1, 0) and (2, 1)",
    )


def longrope_angle(n: int, threshold: int) -> Scalar:
    """n for n < threshold, n/2 beyond (λ = 2, θ = 1)."""
    return Scalar.rational(n if n < threshold else fmpq(n, 2))


def _longrope_count() -> Decision:
    """n₀ = 4: the formula keeps n = 0, 1, 2, 3; "the first n₀ − 1 tokens" are three."""
    kept = [n for n in range(10) if n < 4]
    return same_value(
        Scalar.rational(4 - 1), Scalar.rational(len(kept)), "n0 = 4: positions that are kept"
    )


def _longrope_relative() -> Decision:
    """Lag 1 at (3, 2) and at (5, 4), threshold 4."""

    def lag(t: int, s: int) -> Scalar:
        return longrope_angle(t, 4) - longrope_angle(s, 4)

    return same_value(
        lag(3, 2), lag(5, 4), "n0 = 4, lambda = 2: angles of the lag 1 at (3, 2) and at (5, 4)"
    )


def _yarn_ramps() -> Decision:
    """d = 128, b = 10⁴, L = 4096, s = 8: plane 36 by the ramp of the paper and of the code."""
    with precision(BITS):
        theta = arb(10000) ** (arb(-72) / 128)
        turns = arb(4096) * theta / (2 * arb.pi())
        inside = bool(turns > 1) and bool(turns < 32)
        share = (turns - 1) / 31
        paper = (1 - share) * theta / 8 + share * theta
        ramp = arb(fmpq(36 - 20, 46 - 20))
        code = theta / 8 * ramp + theta * (1 - ramp)
        ratio = code / paper
        texts = tuple(x.str(10, radius=False) for x in (paper, code, ratio))
        apart = inside and not paper.overlaps(code)
    if not apart:
        return Decision(Outcome.UNDECIDED, {"reason": "the balls meet"})
    return Decision(
        Outcome.REFUTED,
        dict(zip(("paper", "code", "code over paper"), texts, strict=True)),
        f"plane 36, s = 8: the paper's ramp gives {texts[0]}, the code's {texts[1]}",
    )


def _yarn_base() -> Decision:
    """c(n) = d·ln(L/(2πn))/(2 ln b) with the NTK base b′ = b·8^{128/126} printed for b."""
    with precision(BITS):
        numerator = 128 * (arb(4096) / (2 * arb.pi() * 32)).log()
        plain = numerator / (2 * arb(10000).log())
        primed = numerator / (2 * (arb(10000) * arb(8) ** (arb(128) / 126)).log())
        texts = tuple(x.str(8, radius=False) for x in (primed, plain))
        apart = not plain.overlaps(primed)
    if not apart:
        return Decision(Outcome.UNDECIDED, {"reason": "the balls meet"})
    return Decision(
        Outcome.REFUTED,
        {"with b'": texts[0], "with b": texts[1]},
        f"d = 128, L = 4096, s = 8: the lower end of the ramp is {texts[0]} with b' and {texts[1]} "
        "with b",
    )


def _key_index_bias() -> Decision:
    """+m·s for m = 1/2 at (1, 0) and (2, 1)."""
    m = Scalar.rational(fmpq(1, 2))
    return same_value(
        m * Scalar.rational(0), m * Scalar.rational(1), "m = 1/2: m s at (1, 0) and (2, 1)"
    )


def _same_rows() -> Decision:
    """m·s − (−m(t − s)) = m·t: constant in s, so softmax over keys does not see it."""
    m, t, s = (Scalar.symbol(x) for x in ("m", "t", "s"))
    return same_value(m * t, m * s + m * (t - s), "m s less the bias")


def _catalogued(entry: str, name: str) -> Twin:
    """What the catalogue keeps; a name that it does not have is a twin that is not decided."""
    known = {m.name: m for m in entries()[entry].mistakes} if entry in entries() else {}
    found = known.get(name)
    return Twin(
        f"{entry}-{name}",
        f"the definition: {found.right}." if found else f"what {entry} has as {name}.",
        f"{found.claim} ({found.where})" if found else "",
        lambda: catalogued_mistake(entry, name),
    )


DERIVATION = Derivation(
    name="frequency-ladders",
    title="Ladders of frequencies and slopes, and their copies",
    chapter="misprints",
    statement=r"""
RoPE's ladder is $\theta_j = b^{-2j/d}$ over the number $d$ of channels that turn. NTK-aware
scaling by $s$ has $b' = b\,s^{d/(d-2)}$ and keeps $\theta_0$ while dividing the last frequency by
$s$ exactly. A ladder that changes with the length is a group for each length, and mixes no
lengths.
""".strip(),
    hypotheses=("the formula that the code of the authors computes",),
    prose=r"""
One-parameter groups forgive nothing in their exponents: each of these readings gives another
encoding, and a checkpoint that was trained with one does not run with another.
""".strip(),
    steps=(
        Step(
            "ntk",
            r"$\theta'_j = \theta_j\,s^{-2j/(d-2)}$: exponent $0$ at $j = 0$, $-1$ at "
            r"$j = d/2 - 1$.",
            Rule.NORMAL_FORM,
            _ntk,
        ),
        Step(
            "dynamic-ntk",
            r"The code's rule $a\,l/L - (a - 1)$ is the paper's $l/L$ at $a = 1$, and $1$ at "
            r"$l = L$.",
            Rule.NORMAL_FORM,
            _dynamic_rules,
        ),
        Step(
            "m-rope",
            "M-RoPE divides one ladder among three axes.",
            Rule.EVALUATION,
            _sections,
        ),
        Step(
            "alibi-by-key-index",
            r"$+ms$ differs from $-m(t-s)$ by $mt$, which softmax over keys does not see.",
            Rule.NORMAL_FORM,
            _same_rows,
        ),
    ),
    twins=(
        Twin(
            "yarn-ramps",
            "one ramp: linear in the number of turns in the paper, in the index of the "
            "plane in the code.",
            "Both give the same frequencies.",
            _yarn_ramps,
        ),
        Twin(
            "yarn-base",
            "the base: equation 17 prints $b'$ for $b$.",
            "The ends of the ramp are those with $b'$.",
            _yarn_base,
        ),
        Twin(
            "partial-or-proportional",
            "the denominator of the exponent: channels that turn in partial "
            "rotary, all channels in p-RoPE.",
            "Both have the same ladder.",
            _partial_exponent,
        ),
        Twin(
            "dynamic-scale",
            "$a = 1$.",
            "Paper and code of dynamic NTK scale alike.",
            _dynamic_scale,
        ),
        Twin(
            "cached-keys",
            "one length: keys are cached after they were turned.",
            "Angles between lengths depend on the lag.",
            _mixed_lengths,
        ),
        Twin(
            "longrope-count",
            "the formula $n < n_0$.",
            "The first $n_0 - 1$ tokens are kept, as the text says.",
            _longrope_count,
        ),
        Twin(
            "longrope-threshold",
            "$n_0 = 0$.",
            "LongRoPE with a threshold is relative.",
            _longrope_relative,
        ),
        Twin(
            "m-rope-repeated",
            "repetition: copies read `section * 2` as doubling.",
            "The list of sections is doubled.",
            _repeated_sections,
        ),
        Twin(
            "m-rope-own-ladders",
            "one ladder for all axes.",
            "Each axis has a ladder of its own.",
            _own_ladders,
        ),
        Twin(
            "alibi-key-index",
            "equality after softmax: code that adds $+ms$ to every row.",
            "The bias $+ms$ is relative.",
            _key_index_bias,
        ),
        _catalogued("alibi", "geometric-slopes"),
        _catalogued("alibi", "counted-from-zero"),
        _catalogued("alibi", "sorted-slopes"),
        _catalogued("alibi", "scaled-bias"),
        _catalogued("retnet", "two-decay-schedules"),
        _catalogued("retnet", "endpoint-of-the-ladder"),
        _catalogued("xpos", "scale-base"),
    ),
    answers=(
        Answer(
            "8.1-8", Outcome.REFUTED, "xpos-scale-base", "512 and centring are in the code only"
        ),
        Answer("8.1-9", Outcome.REFUTED, "yarn-ramps", "two encodings: keep them apart"),
        Answer("8.1-9", Outcome.REFUTED, "yarn-base", "b in equation 17"),
        Answer("8.1-14", Outcome.REFUTED, "alibi-geometric-slopes", "two powers of two"),
        Answer("8.1-14", Outcome.REFUTED, "alibi-counted-from-zero", "k from 1"),
        Answer("8.1-14", Outcome.REFUTED, "alibi-sorted-slopes", "not sorted"),
        Answer("8.1-14", Outcome.REFUTED, "alibi-scaled-bias", "added after scaling"),
        Answer("8.1-14", Outcome.REFUTED, "alibi-key-index", "equal after softmax only"),
        Answer("8.1-15", Outcome.REFUTED, "m-rope-repeated", "list repetition"),
        Answer("8.1-15", Outcome.REFUTED, "m-rope-own-ladders", "one ladder, divided"),
        Answer("8.1-16", Outcome.REFUTED, "partial-or-proportional", "d_r and d"),
        Answer("8.1-17", Outcome.REFUTED, "dynamic-scale", "the paper's rule is a = 1"),
        Answer("8.1-17", Outcome.REFUTED, "cached-keys", "cache keys before they are turned"),
        Answer("8.1-18", Outcome.REFUTED, "longrope-count", "n < n₀ keeps n₀ positions"),
        Answer("8.1-19", Outcome.REFUTED, "retnet-two-decay-schedules", "both are settings"),
        Answer("8.1-19", Outcome.REFUTED, "retnet-endpoint-of-the-ladder", "both are settings"),
    ),
    uses=("rotation", "alibi-augmentation"),
    justifies=("rope", "alibi", "retnet", "xpos"),
    sources=(
        "Peng et al., YaRN, arXiv:2309.00071, definition 1, equations 17 to 24, and its code",
        "Ding et al., LongRoPE, arXiv:2402.13753, equation 3",
        "Barbero et al., arXiv:2410.06205 (p-RoPE)",
        "Wang et al., Qwen2-VL, arXiv:2409.12191 (M-RoPE)",
        "Press et al., arXiv:2108.12409 (ALiBi), and the authors' code",
        "Sun et al., RetNet, arXiv:2307.08621, and torchscale",
    ),
)
