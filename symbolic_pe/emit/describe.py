"""The words of an emitted file: equation, gauge, layout, precision, range, guarantee."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, floor, log10, pi

from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.scalar import ONE, Scalar
from symbolic_pe.emit.equations import equations, notation, score
from symbolic_pe.emit.layout import STEP, paragraph
from symbolic_pe.emit.names import plain
from symbolic_pe.emit.plan import BlockGroup, KernelPlan, MatrixGroup
from symbolic_pe.emit.terms import coordinate_families
from symbolic_pe.emit.turns import BITS_OF_A_TURN, FINAL_ROUNDINGS
from symbolic_pe.emit.words import turns_forward

EXPONENT_RANGE = {"float32 and bfloat16": 88, "float16": 11}  # e^88 < 2^128, e^11 < 65504
ANGLE_ERROR = 16 * 2.0**-52  # relative: 8 for a formula, 2 for its power, 1 for the product, slack

EVERYWHERE = "every position"
CONTINUES = "For t < s the same formula continues, in t − s and not in |t − s|: mask these pairs."


def module_docstring(plan: KernelPlan, usage: Sequence[str], *, sums: bool = False) -> str:
    """The docstring of the file, without its quotes; `sums`: it has the forms of causal sums."""
    encoding = plan.encoding
    title = plain(encoding.title or encoding.name).rstrip(".")
    title = title[:1].upper() + title[1:] if not encoding.title else title
    blocks = [
        paragraph(f"{title}."),
        score(plan),
        equations(plan),
        paragraph(notation(plan)),
        *([*paragraph(text, hanging=STEP)] for text in _policies(plan, sums)),
        [f"{STEP}{line}" for line in usage],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


# -- policies -----------------------------------------------------------------------------------


def _policies(plan: KernelPlan, sums: bool) -> Iterator[str]:
    encoding = plan.encoding
    yield f"Gauge: {_gauge(plan)}"
    yield f"Layout: {_layout(plan)}"
    if encoding.clock == "learned":
        yield "Clock: position is learned time, any increasing quantity that the model produces."
    if plan.augmentations:
        yield f"Bias: {_bias(plan)}"
    if encoding.temperature != ONE:
        yield (
            f"Temperature: c = {encoding.temperature} (TEMPERATURE). Multiply the logits by its "
            "square; it is no part of A, and nothing here applies it."
        )
    yield f"Precision: {_precision(plan)}"
    served = range_served(plan)
    everywhere = served.startswith(EVERYWHERE)
    if plan.augmentations:
        where = "on the channels of x, " if everywhere else ""
        yield f"Range: {where}{served} {range_of_bias(plan)}"
    else:
        yield f"Range: {served}"
    if sums:
        yield f"Causal sums: {_causal_sums(plan)}"
    law = "qᵀA(t − s)k" + (" + bias(t − s)" if plan.augmentations else "")
    close = everywhere and not plan.augmentations
    rounding = "up to rounding" if close else "in exact arithmetic; rounding is as in Range"
    yield (
        f"Guarantee: transform_query(q, t) · transform_key(k, s) = {law} for all real t, s and "
        f"every reference, {rounding}; the laws of A are proved in the certificate named above."
    )
    if encoding.reference:
        yield f"Source: {plain(encoding.reference).rstrip('.')}."


def _gauge(plan: KernelPlan) -> str:
    if plan.basis is not None:
        return (
            "the query is multiplied by Pᵀ and the key by P⁻¹, and both stay in the coordinates of "
            "K, a real Jordan form: F(t) = exp((t − c)K)ᵀPᵀ, G(s) = exp((c − s)K)P⁻¹, M = P⁻¹. "
            "Pᵀ and P⁻¹ can be folded into the weights of query and key."
        )
    pairs = [g for g in plan.groups if isinstance(g, BlockGroup) and g.pair]
    if plan.norm_preserving and all(isinstance(g, BlockGroup) for g in plan.groups):
        if not pairs:
            return "F = G = I on the channels of x."
        signs = {turns_forward(g.frequency) for g in pairs}
        angle = {frozenset({True}): "+θ", frozenset({False}): "−ω"}.get(frozenset(signs), "±")
        return (
            f"query and key both turn by {angle}·(position − reference). A is orthogonal, so one "
            "map serves both sides, and the reference cancels."
        )
    return (
        "F(t) = A(t − c)ᵀ for the query, G(s) = A(c − s) for the key, c the reference, which "
        "cancels in the score and must be the same for both."
    )


def _layout(plan: KernelPlan) -> str:
    known = {
        "interleaved": "interleaved, the two channels of a plane are neighbours.",
        "half": "half, a plane pairs one channel of the first half with one of the second.",
    }
    layout = plan.encoding.layout
    return known.get(layout, f"{plain(layout)}; the channels are named above.")


def _bias(plan: KernelPlan) -> str:
    first = plan.augmentations[0]
    texts = {str(a.bias) for a in plan.augmentations}
    shown = f"bias(τ) = {ExponentialPolynomial(('τ',), first.bias.terms)}"
    shown = shown if len(texts) == 1 and len(shown) < 60 else "bias(t − s)"
    causal = " for t ≥ s" if plan.encoding.domain.causal else ""
    rest = f" {CONTINUES}" if causal else ""
    return (
        f"{shown} is added to the logits{causal}; transform_query and transform_key append "
        f"{first.coordinates} coordinates that realise it.{rest} When the attention kernel "
        "divides by √d, add bias() after the scaling, or multiply the appended query coordinates "
        "by √d."
    )


def _precision(plan: KernelPlan) -> str:
    blocks = [g for g in plan.groups if isinstance(g, BlockGroup)]
    if len(blocks) == len(plan.groups) and all(g.kind == "constant" for g in blocks):
        return "the channels of x are returned as they are; positions are taken in float64."
    product = "; the product with the basis in float64" if plan.basis is not None else ""
    frequencies = _frequencies(plan)
    if plan.encoding.angles == "turns":
        return _precision_of_turns(product, frequencies)
    return (
        f"angles and exponents in float64 whatever the dtype of the input{product}; cosines, sines "
        "and exponentials rounded once to the compute dtype (float64 for float64 input, else "
        f"float32); the result in the dtype of x.{frequencies}"
    )


def _precision_of_turns(product: str, frequencies: str) -> str:
    return (
        "angles as fixed-point turns: for whole positions the phase (position − reference)·TURNS "
        "is exact modulo one turn, 2^64, so phases add without rounding; the rest of a position "
        f"is turned in float64. Exponents in float64{product}; cosines, sines and exponentials "
        "rounded once to the compute dtype (float64 for float64 input, else float32); the result "
        f"in the dtype of x.{frequencies}"
    )


def _frequencies(plan: KernelPlan) -> str:
    """Whether θ is the exact number or a checkpoint's."""
    if plan.encoding.frequencies == "float32":
        return " θ is the float32 number that a checkpoint holds, taken as exact."
    ladder = any(s.name == "frequency" for s in plan.encoding.schedules)
    return " θ is the exact number, not a checkpoint's float32 value." if ladder else ""


def range_served(plan: KernelPlan) -> str:
    """Which positions the factorised form serves on the channels of x."""
    blocks = [g for g in plan.groups if isinstance(g, BlockGroup)]
    rate = largest_rate(plan)
    growing = any(g.chain_length > 1 and not g.shear.is_zero for g in blocks)
    parts: list[str] = []
    if not rate.is_zero():
        windows = " and ".join(
            f"{_window(limit, rate)} ({dtypes})" for dtypes, limit in EXPONENT_RANGE.items()
        )
        parts.append(
            f"|position − reference| up to {windows}, where e^(±a·(position − reference)) stays "
            "finite; beyond, move the reference along"
            + (", or use rotate and decay." if plan.uniform_decay is not None else ".")
        )
    if _has_parametric_rates(plan):
        in_bias = any(x.parameters() for x in _bias_rates(plan))
        whose = "an eigenvalue" + (" or an exponent of the bias" if in_bias else "")
        parts.append(
            "The maps are finite for r·|position − reference| < 88 (float32 and bfloat16) or 11 "
            f"(float16), r the largest |real part| of {whose}; beyond, move the reference along."
        )
    if any(isinstance(g, MatrixGroup) and not g.norm_preserving for g in plan.groups):
        parts.append(
            "Where D > 0, opposite exponentials e^(±√D·(position − reference)) cancel in the "
            "score, which loses about 2√D·|position − reference|·log10(e) digits (near D = 0, its "
            "error grows like the square of the distance): keep the reference within a few 1/√D "
            "of the positions in use."
        )
    if growing:
        parts.append(
            "Keep the reference near the positions in use: the factor (1 + |η·(position − "
            "reference)|)^(n − 1) of a chain of length n multiplies values and rounding errors."
        )
    if not parts:
        return f"{EVERYWHERE}.{_angle_error(plan, blocks)}"
    text = " ".join(parts)
    return text[:1].lower() + text[1:]


def _causal_sums(plan: KernelPlan) -> str:
    """Which positions the recurrent and the chunkwise form serve."""
    sums = "recurrent_step and chunkwise give Σ_{s ≤ t} (qᵀA(t − s)k) v, without softmax"
    served = (
        "they serve every position and every gap, at any length of chunk, with a state in float32 "
        "or wider."
    )
    if plan.turns_in_a_basis:
        return f"{sums}. Nothing grows or decays: {served}"
    text = f"{sums}, from lags t − s ≥ 0 alone: no exponent is positive where A decays, so {served}"
    if _may_grow(plan):
        return f"{text} Where A grows with the lag, they are finite as long as A(t − s) is."
    return text


def _may_grow(plan: KernelPlan) -> bool:
    """Some real part of an eigenvalue is positive, or depends on a parameter."""
    blocks = [g for g in plan.groups if isinstance(g, BlockGroup)]
    rates = [x for g in blocks for row in g.rate.rows for x in row]
    return len(blocks) < len(plan.groups) or any(x.parameters() or x.sign() > 0 for x in rates)


def range_of_bias(plan: KernelPlan) -> str:
    """Where the closed form of a bias and its appended coordinates can be trusted."""
    families = [
        f for c in coordinate_families(plan.augmentations) for f in (*c.query, *c.key) if f.power
    ]
    start = "bias() is right at every position; the appended coordinates"
    if not families:
        return f"{start} are rounded to the dtype of x: below float32, prefer bias()."
    degree = max(f.power for f in families)
    powers = f" and its powers up to {degree}" if degree > 1 else ""
    return (
        f"{start} hold position − reference{powers} in the dtype of x, integers being exact only "
        "up to 2^24 (float32), 2^11 (float16, infinite from 65520) or 2^8 (bfloat16), and cancel "
        "in the score: keep the reference near the positions in use, or use bias()."
    )


def _has_parametric_rates(plan: KernelPlan) -> bool:
    """Some real part of an eigenvalue, or of an exponent of a bias, depends on a parameter."""
    blocks = [g for g in plan.groups if isinstance(g, BlockGroup)]
    rates = [x for g in blocks for row in g.rate.rows for x in row]
    return any(isinstance(g, MatrixGroup) and not g.norm_preserving for g in plan.groups) or any(
        x.parameters() for x in (*rates, *_bias_rates(plan))
    )


def _bias_rates(plan: KernelPlan) -> list[Scalar]:
    return [
        key.exponents[0].re
        for a in plan.augmentations
        for row in a.exponential
        for f in row
        for key in f.terms
    ]


def largest_rate(plan: KernelPlan) -> Scalar:
    """max |a| over blocks and appended coordinates, those with parameters left out."""
    known = [x for x in _bias_rates(plan) if not x.parameters()]
    sizes = [-x if x.sign() < 0 else x for x in known]
    return max([plan.largest_rate, *sizes], key=lambda x: x.to_float())


def _window(limit: int, rate: Scalar) -> str:
    positions = limit / rate.to_float()
    return f"{floor(positions)}" if positions >= 10 else f"{positions:.3g}"


def _angle_error(plan: KernelPlan, blocks: Sequence[BlockGroup]) -> str:
    values = [x for g in blocks for row in g.frequency.rows for x in row]
    if not any(not x.is_zero() for x in values) or any(x.parameters() for x in values):
        return ""
    largest = max(abs(x.to_float()) for x in values)
    last = plan.encoding.domain.max_position
    error = largest * last * ANGLE_ERROR
    if plan.encoding.angles == "turns":
        error = pi * last / 2.0**BITS_OF_A_TURN + 2 * pi * FINAL_ROUNDINGS
    unit = 10.0 ** floor(log10(error))
    return f" Up to {last}, angles are off by less than {ceil(error / unit) * unit:.0e} rad."
