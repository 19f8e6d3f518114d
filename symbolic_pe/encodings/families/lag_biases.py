"""Biases that are functions of the lag: KERPLE, Sandwich, T5. Some are groups, most are not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from flint import fmpq

from symbolic_pe.algebra.complex_scalar import ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial, Term
from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.matrix import block_diagonal
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar, precision
from symbolic_pe.decision import Claim, Decision, Outcome
from symbolic_pe.encodings.augmentation import linear_bias
from symbolic_pe.encodings.encoding import Augmentation, Encoding, Head, Verdict
from symbolic_pe.encodings.entry import Entry, Form, Mistake, Published
from symbolic_pe.encodings.layout import place_consecutively
from symbolic_pe.encodings.outside import Arithmetic, Given, Outside, PositionFunction
from symbolic_pe.encodings.readings import bias_at, constant
from symbolic_pe.encodings.realisation import minimal_augmentation
from symbolic_pe.encodings.score import (
    LAG,
    QUERY,
    Score,
    at_least,
    choice,
    cos,
    log,
    power,
    total,
)
from symbolic_pe.encodings.settings import Setting, Settings, dimension, heads, number
from symbolic_pe.encodings.witnesses import (
    BITS,
    REALISATION,
    Evidenced,
    as_decision,
    decimal,
    equals,
    evidenced,
    invariant,
    law_of_position,
    no_realisation,
)
from symbolic_pe.errors import SpecificationError
from symbolic_pe.exponential.closed_form import assemble
from symbolic_pe.generators.block import Block
from symbolic_pe.generators.generator import Generator

HANKEL_SIZES = (2, 3, 4, 5)


def without_content(dim: int) -> Generator:
    """X = 0 on the channels of content."""
    return Generator.from_blocks(place_consecutively([Block(ZERO)] * dim))


# -- KERPLE -----------------------------------------------------------------------------------

_SCALES, _POWERS = (fmpq(1, 2), fmpq(2)), (fmpq(1, 2), fmpq(3, 2))
_LEARNED = {"a": "(heads,), positive", "p": "(heads,), positive"}
_SAMPLES = {"a": _SCALES, "p": _POWERS}


def _kerple(settings: Settings) -> Form:
    """−a·τ^p or −p·ln(1 + aτ); powers 1 and 2 are groups with constant coordinates."""
    a, p = settings.number("a"), settings.number("p")
    if settings.choice("kernel") == "log":
        return _logarithmic(settings.integer("dim"), a, p)
    two = Scalar.rational(2)
    if (two - p).sign() < 0:
        raise SpecificationError(
            f"kerple: p: expected 0 < p <= 2 for the power kernel, got {settings.texts['p']!r}"
        )
    if (p - ONE).is_zero():
        added = linear_bias(a, (-a, ZERO), (ZERO, ONE))
    elif (p - two).is_zero():
        tau = ExponentialPolynomial.variable("t")
        added = minimal_augmentation((tau * tau).scale(-a)).augmentation
    else:
        return _power(settings.integer("dim"), a, p)
    content = without_content(settings.integer("dim"))
    return Encoding("kerple", (Head(content, added),), verdict=Verdict.AUGMENTED)


def _logarithmic(dim: int, a: Scalar, p: Scalar) -> Outside:
    bias = log(1 + LAG * a) * -p

    def closed_form(_: Arithmetic, given: Given, t: Any, s: Any, head: int) -> Any:
        return -given["p"][head] * (1 + given["a"][head] * (t - s)).log()

    def claims() -> tuple[Claim, ...]:
        reason = (
            "over the integers an exponential polynomial without bound is at least c*n for some "
            "c > 0 and infinitely many n; this bias has no bound and b(n)/n tends to 0"
        )
        return (
            invariant("-p log(1 + a (t - s))", bias),
            evidenced(
                no_realisation(lambda n: bias(n, 0), HANKEL_SIZES, reason),
                bias,
                {"kind": "growth"},
            ),
        )

    function = PositionFunction(
        "bias",
        "b(t, s) = -p log(1 + a (t - s)) for t >= s",
        (("scale", "a[:, None, None]"),),
        "-p[:, None, None] * log(1 + scale * clip(lag, 0, None))",
        closed_form,
        len(_SCALES),
        learned=_LEARNED,
        samples=_SAMPLES,
    )
    return Outside("kerple", Verdict.NOT_REALISABLE, dim, claims, function)


def _power(dim: int, a: Scalar, p: Scalar) -> Outside:
    below = 0 if (ONE - p).sign() > 0 else 1

    bias = power(LAG, p) * -a

    def closed_form(_: Arithmetic, given: Given, t: Any, s: Any, head: int) -> Any:
        return -given["a"][head] * (t - s) ** given["p"][head]

    def claims() -> tuple[Claim, ...]:
        reason = (
            f"over the integers an exponential polynomial that is not O(n^{below}) is at least "
            f"c*n^{below + 1} for some c > 0 and infinitely many n; n^p lies between"
        )
        found = no_realisation(lambda n: bias(n, 0), HANKEL_SIZES, reason)
        return invariant("-a (t - s)^p", bias), evidenced(found, bias, {"kind": "growth"})

    function = PositionFunction(
        "bias",
        "b(t, s) = -a (t - s)^p for t >= s",
        (("power", "p[:, None, None]"),),
        "-a[:, None, None] * clip(lag, 0, None) ** power",
        closed_form,
        len(_SCALES),
        learned=_LEARNED,
        samples=_SAMPLES,
    )
    return Outside("kerple", Verdict.NOT_REALISABLE, dim, claims, function)


def _every_power() -> Decision:
    """−√τ has no realisation with any number of constant coordinates."""
    settings = Settings("kerple", KERPLE.settings, {"kernel": "power", "p": "1/2"})
    form = _kerple(settings)
    assert isinstance(form, Outside)
    found = next(c for c in form.claims() if c.name == "realisation")
    return as_decision(replace(found, witness=f"power 1/2, a = 1: {found.witness}"))


KERPLE = Entry(
    "kerple",
    "additive",
    Verdict.NOT_REALISABLE,
    "KERPLE: kernels of conditionally positive definite type",
    "Chi et al., arXiv:2205.09921; megatron/mpu/layers.py of the authors",
    {
        "dim": dimension(64),
        "kernel": Setting("log", "logarithm or power", "choice", ("log", "power")),
        "a": number("1", "scale a of one head, for what is decided; kernels take learned ones"),
        "p": number("1", "factor p of the logarithm, or the power, 0 < p <= 2"),
    },
    _kerple,
    definition=(
        r"logit $= q^\top k/\sqrt d - p \ln(1 + a(t - s))$ (`kernel=log`) or $- a (t - s)^p$ with "
        r"$0 < p \le 2$ (`kernel=power`), $t \ge s$; $a, p > 0$ are learned for each head."
    ),
    generator=(
        r"None for the logarithm and for powers other than 1 and 2. Power 1 is ALiBi; power 2 is "
        r"$0_d$ and a nilpotent chain of length 3."
    ),
    stability="The bias falls with the lag; it has no bound.",
    values=(
        Published("log, lag 0", "0.000000", bias_at(0)),
        Published("power 2, a = 1, lag 3", "-9.00000", bias_at(3), {"kernel": "power", "p": 2}),
        Published("power 1, a = 1/2, lag 3", "-1.500000", bias_at(3),
                  {"kernel": "power", "p": 1, "a": "1/2"}),
    ),
    mistakes=(
        Mistake(
            "every-power-is-alibi",
            "two constant coordinates realise every power",
            "readers of the additive forms",
            "power 2 needs three, and powers other than 1 and 2 have no realisation",
            _every_power,
        ),
    ),
)  # fmt: skip

# -- Sandwich ---------------------------------------------------------------------------------


def _sandwich(settings: Settings) -> Encoding:
    """Σ cos(τ/10000^(2i/D)), i = 1 … D/2; the form of NeMo subtracts D/2 and scales by heads."""
    width, count = settings.integer("terms"), settings.integer("heads")
    waves = [Block(ZERO, parse(f"10000^(-2*{i}/{width})")) for i in range(1, width // 2 + 1)]
    content = without_content(settings.integer("dim"))
    if settings.choice("form") == "paper":
        scales, offset = [ONE], None
    else:
        scales = [parse(f"{count}/(8*{h})") for h in range(1, count + 1)]
        offset = Scalar.rational(-width // 2)
    added = _sums_of_waves(waves, scales, offset)
    return Encoding("sandwich", tuple(Head(content, a) for a in added), verdict=Verdict.AUGMENTED)


def _sums_of_waves(
    waves: Sequence[Block], scales: Sequence[Scalar], offset: Scalar | None
) -> list[Augmentation]:
    """c·(Σ cos(ωτ) + offset) for every c: (c, 0) and (1, 0) in a plane, then one coordinate."""
    blocks = [*waves, *([] if offset is None else [Block(ZERO)])]
    weights = [x for _ in waves for x in (ONE, ZERO)] + ([] if offset is None else [offset])
    key = [x for _ in waves for x in (ONE, ZERO)] + ([] if offset is None else [ONE])
    generator = block_diagonal([b.generator for b in blocks])
    exponential = assemble([b.exponential("t") for b in blocks])
    terms: dict[Term, ComplexScalar] = {}
    half = ComplexScalar(ONE / Scalar.rational(2))
    for wave in waves:
        for frequency in (wave.frequency, -wave.frequency):
            terms[Term((0,), (ComplexScalar(ZERO, frequency),))] = half
    if offset is not None:
        terms[Term((0,), (ComplexScalar(ZERO),))] = ComplexScalar(offset)
    bias = ExponentialPolynomial(("t",), terms)
    return [
        Augmentation(
            tuple(c * x for x in weights), tuple(key), generator, exponential, bias.scale(c)
        )
        for c in scales
    ]


def _falls_forever() -> Decision:
    """D = 2: b(n) = cos(n/10000) is smaller near half a period than near a whole one."""
    step = 31416

    def bias(lag: Score) -> Score:
        return cos(lag * fmpq(1, 10000))

    with precision(BITS[0]):
        early, late = (decimal(bias(QUERY)(n, n)) for n in (step, 2 * step))
    return law_of_position(
        at_least(bias(QUERY), bias(QUERY + step)),
        (0, step),
        f"[b(r) >= b(r + {step})] is 1 for every lag r",
        f"D = 2, b(r) = cos(r/10000), b({step}) = {early} < b({2 * step}) = {late}, "
        f"[b(r) >= b(r + {step})]",
    )


SANDWICH = Entry(
    "sandwich",
    "additive",
    Verdict.AUGMENTED,
    "Sandwich: the positional part of sinusoidal embeddings as a bias",
    "Chi et al., arXiv:2212.10356; NeMo sandwich_relative_position_embedding.py",
    {
        "dim": dimension(64),
        "heads": heads(8),
        "terms": Setting("128", "width D of the sinusoids", minimum=2, maximum=256, multiple_of=2),
        "form": Setting("nemo", "with offset and head scales, or the bare sum", "choice",
                        ("nemo", "paper")),
    },
    _sandwich,
    definition=(
        r"logit $= q^\top k/\sqrt d + \sum_{i=1}^{D/2} \cos\frac{t - s}{10000^{2i/D}}$ "
        r"(`form=paper`); NeMo: $\frac{H}{8h}\bigl(\sum_i \cos(\cdot) - \frac D2\bigr)$ for heads "
        r"$h = 1, \dots, H$."
    ),
    generator=(
        r"$X = 0_d \oplus \bigoplus_i \omega_i J$ and a constant coordinate for the offset, with "
        r"$\omega_i = 10000^{-2i/D}$: planes of RoPE that act on constant vectors."
    ),
    stability="Bounded on all lags, both directions; it does not fall for ever.",
    values=(
        Published("head 0, lag 0", "0.000000", bias_at(0)),
        Published("head 0, lag 1", "-1.446619", bias_at(1)),
        Published("head 0, lag 2", "-5.201993", bias_at(2)),
        Published("head 0, lag 4", "-13.760326", bias_at(4)),
        Published("head 0, lag 16", "-22.340688", bias_at(16)),
        Published("head 0, lag 128", "-41.008346", bias_at(128)),
        Published("head 0, lag 1024", "-50.908341", bias_at(1024)),
    ),
    mistakes=(
        Mistake(
            "falls-for-ever",
            "every term falls with the lag as ALiBi does",
            "descriptions of the bias as a decay",
            "it is a sum of waves, and each returns",
            _falls_forever,
        ),
    ),
)  # fmt: skip

# -- T5 ---------------------------------------------------------------------------------------


def first_lags(buckets: int, max_distance: int) -> list[int]:
    """The smallest lag of bucket 1, 2, …: half of them exact, the others logarithmic.

        n/e ≥ (M/e)^(k/(B − e))   ⟺   n^(B−e) ≥ e^(B−e−k)·M^k,       e = B/2

    in integers, so that edges are decided where floating-point logarithms are not.

    >>> first_lags(32, 128)[15:20]
    [16, 19, 21, 24, 27]
    """
    exact = buckets // 2
    rest = buckets - exact
    found = list(range(1, exact + 1))
    for k in range(1, rest):
        wanted = exact ** (rest - k) * max_distance**k
        lag = found[-1]
        while lag**rest < wanted:
            lag += 1
        found.append(lag)
    return found


def _t5(settings: Settings) -> Outside:
    buckets, distance = settings.integer("buckets"), settings.integer("max_distance")
    both = settings.choice("direction") == "both"
    side = buckets // 2 if both else buckets
    if distance <= side // 2:
        raise SpecificationError(
            f"t5: max_distance: expected more than {side // 2}, the lags with a bucket of their "
            f"own, got {distance}"
        )
    first = first_lags(side, distance)
    table = tuple(
        tuple(fmpq((7 * b * b + 3 * b + h) % 101, 8) for b in range(buckets)) for h in range(2)
    )

    def closed_form(f: Arithmetic, given: Given, t: Any, s: Any, head: int) -> Any:
        lag = t - s
        bucket = f.where(lag < 0, side, 0) if both else 0
        for start in given["FIRST"]:
            reached = f.where(lag >= start, 1, 0)
            bucket = bucket + (reached + f.where(-lag >= start, 1, 0) if both else reached)
        return f.pick(given["table"][head], bucket)

    def claims() -> tuple[Claim, ...]:
        found = total(*(at_least(LAG, x) for x in first))
        score = choice(found, 1, *[0] * len(first))
        return invariant("table[bucket(t - s)]", score), _eventually_constant(score, first[-1])

    apart = "abs(lag)[..., None]" if both else "lag[..., None]"
    statements = [("distance", apart), ("bucket", "sum(distance >= FIRST)")]
    if both:
        statements.append(("bucket", f"bucket + {side} * integer(lag < 0)"))
    function = PositionFunction(
        "bias",
        "b(t, s) = table[bucket(t - s)]; FIRST is the first lag of buckets 1, 2, ...",
        tuple(statements),
        "table[:, bucket]",
        closed_form,
        len(table),
        {"FIRST": tuple(Scalar.rational(x) for x in first)},
        {"table": f"(heads, {buckets}): the learned biases"},
        {"table": table},
        both_directions=both,
    )
    return Outside("t5", Verdict.NOT_REALISABLE, settings.integer("dim"), claims, function)


def _eventually_constant(score: Score, last: int) -> Claim:
    return Evidenced(
        "realisation",
        Outcome.REFUTED,
        REALISATION,
        "q^T B^n k with invertible B satisfies a recurrence that also runs backwards, so a "
        "sequence that is constant from some lag on is constant",
        f"with table = (1, 0, 0, ...): 1 at lag 0 and 0 at every lag from {last} on",
        score,
        {"kind": "tail", "lag": 0, "start": last},
    )


def _last_bucket() -> Decision:
    """The last bucket, 31, begins where n^16 ≥ 16·128^15; the lag 128 is the end of the scale."""
    first = first_lags(32, 128)
    return equals(Scalar.rational(128), Scalar.rational(first[-1]), "first lag of bucket 31")


def _direction() -> Decision:
    """A key in the past has t − s > 0; T5 measures key − query, which is negative there."""
    past, future = Scalar.rational(3 - 1), Scalar.rational(1 - 3)
    return equals(future, past, "lag t - s of t = 3, s = 1")


_CAUSAL_EDGES = (16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113)
_EDGES_OF_A_SIDE = (8, 12, 16, 23, 32, 46, 64, 91)

T5 = Entry(
    "t5",
    "additive",
    Verdict.NOT_REALISABLE,
    "T5: learned biases of logarithmic buckets",
    "Raffel et al., arXiv:1910.10683; mesh_tensorflow and transformers",
    {
        "dim": dimension(64),
        "direction": Setting("causal", "causal lags, or both directions", "choice",
                             ("causal", "both")),
        "buckets": Setting("32", "rows of the learned table", minimum=4, maximum=256,
                           multiple_of=4),
        "max_distance": Setting("128", "lag from which all share the last bucket", minimum=2,
                                maximum=65536),
    },
    _t5,
    definition=(
        r"logit $= q^\top k + b_h[\mathrm{bucket}(t - s)]$, not divided by $\sqrt d$. Causal: lags "
        r"$0, \dots, 15$ have a bucket each, then "
        r"$16 + \lfloor 16 \ln(n/16)/\ln(128/16) \rfloor$, at most 31; keys in the future share "
        r"bucket 0. Both directions: half of the buckets for each side, those of the future after "
        "those of the past."
    ),
    generator=(
        "None: the bias is constant from some lag on and not constant, which no invertible "
        r"$A(1)$ gives, and it is not continuous in $\tau$."
    ),
    stability="Bounded: the table has finitely many entries.",
    values=(
        *(
            Published(f"first lag of bucket {16 + k}", str(lag), constant("FIRST", 15 + k))
            for k, lag in enumerate(_CAUSAL_EDGES)
        ),
        *(
            Published(
                f"both directions: first lag of bucket {8 + k}",
                str(lag),
                constant("FIRST", 7 + k),
                {"direction": "both"},
            )
            for k, lag in enumerate(_EDGES_OF_A_SIDE)
        ),
    ),
    mistakes=(
        Mistake(
            "last-bucket",
            "the last bucket begins at the largest distance, 128",
            "the name `max_distance`",
            "it begins at lag 113, where 16 ln(n/16)/ln 8 passes 15",
            _last_bucket,
        ),
        Mistake(
            "sign-of-the-lag",
            r"`relative_position` is $t - s$",
            "ports: T5 computes memory minus context position",
            r"it is $s - t$, negative for keys in the past",
            _direction,
        ),
    ),
)  # fmt: skip

ENTRIES = (KERPLE, SANDWICH, T5)
