"""Encodings built by hand, one for every kind of plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from flint import fmpq

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.matrix import FunctionMatrix, ScalarMatrix, identity, multiply
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.encodings.encoding import (
    Augmentation,
    Domain,
    Encoding,
    Head,
    Schedule,
    Verdict,
)
from symbolic_pe.generators.block import Block, PlacedBlock
from symbolic_pe.generators.generator import Generator

F = ExponentialPolynomial
ANY_LAG = Domain(causal=False)


def number(text: str, **values: int) -> Scalar:
    return parse(text, values={k: Scalar.rational(v) for k, v in values.items()})


def place(blocks: Sequence[Block], channels: Sequence[Sequence[int]]) -> list[PlacedBlock]:
    return [PlacedBlock(b, tuple(c)) for b, c in zip(blocks, channels, strict=True)]


def in_order(blocks: Sequence[Block], start: int = 0) -> list[PlacedBlock]:
    placed = []
    for block in blocks:
        placed.append(PlacedBlock(block, tuple(range(start, start + block.dimension))))
        start += block.dimension
    return placed


def encoding(name: str, placed: Sequence[PlacedBlock], **settings: object) -> Encoding:
    settings.setdefault("specification", {"name": name})
    return Encoding(name, (Head(Generator.from_blocks(placed)),), **settings)  # type: ignore[arg-type]


def thetas(formula: str, count: int) -> list[Scalar]:
    return [number(formula, j=j) for j in range(count)]


def turning(values: Sequence[Scalar]) -> list[Block]:
    return [Block(ZERO, -theta) for theta in values]


# -- rotations ----------------------------------------------------------------------------------


def rope(dim: int = 8, layout: str = "interleaved") -> Encoding:
    formula = f"10000^(-2*j/{dim})"
    half = dim // 2
    planes = {
        "interleaved": [(2 * j, 2 * j + 1) for j in range(half)],
        "half": [(j, j + half) for j in range(half)],
    }[layout]
    return encoding(
        f"rope-{layout}",
        place(turning(thetas(formula, half)), planes),
        layout=layout,
        domain=ANY_LAG,
        schedules=(Schedule("frequency", f"-{formula}"),),
        title="Rotary position embedding",
        specification={"catalogue": "rope", "settings": {"dim": str(dim), "layout": layout}},
    )


def partial_rope() -> Encoding:
    planes = [(2 * j, 2 * j + 1) for j in range(2)]
    placed = place(turning(thetas("10000^(-2*j/4)", 2)), planes)
    return encoding(
        "partial-rope",
        placed + in_order([Block(ZERO)] * 4, 4),
        layout="interleaved",
        schedules=(
            Schedule(
                "frequency", "-base^(-2*j/dim)", {"base": number("10000"), "dim": number("4")}
            ),
        ),
    )


def proportional_rope() -> Encoding:
    """The unrotated channels sit at the end of each half."""
    placed = place(turning(thetas("10000^(-2*j/8)", 2)), [(0, 4), (1, 5)])
    rest = place([Block(ZERO)] * 4, [(2,), (3,), (6,), (7,)])
    return encoding("p-rope", placed + rest, layout="half")


def scattered_rope() -> Encoding:
    """Planes on channels in no order, frequencies without a formula, one of them growing."""
    planes = [(5, 0), (2, 7), (3, 1)]
    values = [number("1"), number("sqrt(2)/3"), number("-pi/7")]
    placed = place(turning(values), planes)
    return encoding("scattered rope", placed + place([Block(ZERO)] * 2, [(4,), (6,)]))


def forward_rope() -> Encoding:
    """Turns the other way: X = +ωJ."""
    return encoding(
        "forward-rope", in_order([Block(ZERO, number("1/2")), Block(ZERO, number("3"))])
    )


def nope() -> Encoding:
    return encoding("nope", in_order([Block(ZERO)] * 4), domain=ANY_LAG)


def temperature_rope() -> Encoding:
    return encoding(
        "warm-rope",
        in_order(turning([number("1"), number("1/10")])),
        temperature=number("log(8)/10 + 1"),
    )


# -- decay --------------------------------------------------------------------------------------


def decay() -> Encoding:
    return encoding("decay", in_order([Block(number("-1/32"))] * 4))


def damped() -> Encoding:
    rates = [number("log((2*j/8 + 2/5)/(7/5))/512", j=j) for j in range(4)]
    blocks = [Block(a, -th) for a, th in zip(rates, thetas("10000^(-2*j/8)", 4), strict=True)]
    return encoding("damped", place(blocks, [(j, j + 4) for j in range(4)]), layout="half")


def uniform_damped() -> Encoding:
    blocks = [Block(number("-1/20"), -th) for th in thetas("10000^(-2*j/4)", 2)]
    return encoding(
        "uniform-damped",
        in_order([*blocks, Block(number("-1/20")), Block(number("-1/20"))]),
        domain=Domain(time="real"),
        clock="learned",
    )


def retention() -> Encoding:
    heads = []
    for h in range(3):
        rate = number("log(1 - 2^(-5 - h))", h=h)
        blocks = [Block(rate, -th) for th in thetas("10000^(-j)", 2)]
        heads.append(Head(Generator.from_blocks(in_order(blocks))))
    return Encoding(
        "retention",
        tuple(heads),
        layout="interleaved",
        schedules=(Schedule("rate", "log(1 - 2^(-5 - h))"), Schedule("frequency", "-10000^(-j)")),
        specification={"name": "retention"},
    )


def different_heads() -> Encoding:
    """Rates and frequencies that differ over heads and blocks, one of them 0."""
    table = [("0", "1"), ("-1/3", "1/2"), ("-1/7", "-2")]
    heads = []
    for rate, theta in table:
        blocks = [
            Block(number(rate), number(theta)),
            Block(number(rate), number(theta) + ONE),
            Block(number(rate) - ONE),
        ]
        heads.append(Head(Generator.from_blocks(in_order(blocks))))
    return Encoding("different-heads", tuple(heads), specification={})


# -- chains -------------------------------------------------------------------------------------


def polynomial() -> Encoding:
    return encoding("polynomial", in_order([Block(ZERO, ZERO, 2), Block(ZERO, ZERO, 2)]))


def long_chain() -> Encoding:
    return encoding("long-chain", in_order([Block(number("-1/10"), ZERO, 6, number("1/3"))]))


def jordan_rope() -> Encoding:
    blocks = [Block(number("-1/100"), th, 2, number("1/50")) for th in thetas("100^(-j/2)", 2)]
    return encoding("jordan-rope", in_order(blocks))


def long_jordan_rope() -> Encoding:
    blocks = [Block(number("-1/100"), -th, 5, number("1/50")) for th in thetas("100^(-j/2)", 2)]
    return encoding("long-jordan-rope", in_order(blocks))


def menagerie() -> Encoding:
    """Every kind of block at once, on permuted channels, chains of two lengths."""
    blocks = [
        Block(number("-1/9"), number("2"), 2, number("1/4")),
        Block(ZERO),
        Block(ZERO, number("-1/3")),
        Block(number("-1/5")),
        Block(number("1/11")),
        Block(ZERO, ZERO, 3),
        Block(number("-1/6"), ZERO, 2, number("-2")),
        Block(number("-1/8"), number("-5/2")),
    ]
    width = sum(b.dimension for b in blocks)
    channels = [(7 * i + 3) % width for i in range(width)]
    placed, start = [], 0
    for block in blocks:
        placed.append(PlacedBlock(block, tuple(channels[start : start + block.dimension])))
        start += block.dimension
    return encoding("menagerie", placed)


# -- matrices -----------------------------------------------------------------------------------


def dense() -> Encoding:
    """P·J·P⁻¹ with a defective real block, a damped rotation and a growing rate."""
    jordan = [
        ["-1/2", "1", "0", "0", "0"],
        ["0", "-1/2", "0", "0", "0"],
        ["0", "0", "-1/4", "-2", "0"],
        ["0", "0", "2", "-1/4", "0"],
        ["0", "0", "0", "0", "1/3"],
    ]
    p = [[1, 2, 0, 1, 0], [0, 1, 1, 0, 0], [0, 0, 1, 0, 1], [1, 2, 0, 2, 0], [0, 0, 0, 1, 1]]
    return matrix_encoding("dense", [similar(p, jordan)])


def dense_heads() -> Encoding:
    first = similar([[1, 1], [0, 1]], [["0", "-1"], ["1", "0"]])
    second = similar([[2, 1], [1, 1]], [["0", "-3/2"], ["3/2", "0"]])
    return matrix_encoding("dense-heads", [first, second])


def rank_two() -> Encoding:
    """A dense skew matrix with a zero eigenvalue."""
    rows = [["0", "1", "2"], ["-1", "0", "3"], ["-2", "-3", "0"]]
    return matrix_encoding("rank-two", [rows])


def similar(p: list[list[int]], jordan: list[list[str]]) -> list[list[str]]:
    from flint import fmpq_mat

    basis = fmpq_mat([[fmpq(x) for x in row] for row in p])
    j = fmpq_mat([[number(x).rational_value() for x in row] for row in jordan])
    return [[str(x) for x in row] for row in (basis * j * basis.inv()).tolist()]


def matrix_encoding(name: str, matrices: list[list[list[str]]]) -> Encoding:
    heads = tuple(Head(Generator.from_matrix(rows)) for rows in matrices)
    return Encoding(name, heads, specification={"name": name})


# -- parameters ---------------------------------------------------------------------------------


def oscillator() -> Encoding:
    """The damped oscillator: two rates, critical damping, or a damped rotation."""
    generator = Generator.from_matrix(
        [["0", "1"], ["-w^2", "-2*z*w"]], {"w": "positive", "z": "real"}
    )
    return Encoding("critically-damped", (Head(generator),), specification={"name": "damped"})


def oscillators() -> Encoding:
    """Three 2×2 blocks, two of them alike up to a factor, and two single channels."""
    rows = [["0"] * 8 for _ in range(8)]
    for i, (a, b, c, d) in enumerate(
        [("0", "1", "-w^2", "-2*z*w"), ("0", "1", "-4*w^2", "-4*z*w"), ("z", "w", "-w", "w")]
    ):
        rows[2 * i][2 * i : 2 * i + 2] = [a, b]
        rows[2 * i + 1][2 * i : 2 * i + 2] = [c, d]
    rows[6][6] = "-w"
    generator = Generator.from_matrix(rows, {"w": "positive", "z": "real"})
    return Encoding("oscillators", (Head(generator),), specification={})


def skew_parameter() -> Encoding:
    generator = Generator.from_matrix([["0", "-w"], ["w", "0"]], {"w": "real"})
    return Encoding("skew", (Head(generator),), specification={})


def learned_rates() -> Encoding:
    """Blocks with parameters, one named like an argument of the emitted functions."""
    assumptions = Assumptions.declare({"x": "positive", "w": "positive", "lambda": "real"})
    g, w, shear = Scalar.symbol("x"), Scalar.symbol("w"), Scalar.symbol("lambda")
    blocks = [
        Block(-g, -w),
        Block(-g, -(w * number("1/3"))),
        Block(-(g * w), ZERO, 2, shear),
        Block(g * number("sqrt(2)") + w),
    ]
    generator = Generator.from_blocks(in_order(blocks), assumptions)
    return Encoding("learned-rates", (Head(generator),), specification={})


def learned_ladder() -> Encoding:
    """A ladder of frequencies with one learned scale, by a formula."""
    assumptions = Assumptions.declare({"w": "positive"})
    w = Scalar.symbol("w")
    blocks = [Block(ZERO, -(w * th)) for th in thetas("10000^(-2*j/8)", 4)]
    return Encoding(
        "learned-ladder",
        (Head(Generator.from_blocks(in_order(blocks), assumptions)),),
        schedules=(Schedule("frequency", "-w*10000^(-2*j/8)", {"w": w}),),
        specification={},
    )


def learned_heads() -> Encoding:
    """Per-head values that are no multiples of each other."""
    assumptions = Assumptions.declare({"a": "positive", "b": "positive"})
    a, b = Scalar.symbol("a"), Scalar.symbol("b")
    heads = [
        [Block(-a, -b), Block(-b, -a), Block(-a)],
        [Block(-b, -(a * b)), Block(-a, -b), Block(-ONE)],
    ]
    return Encoding(
        "learned-heads",
        tuple(Head(Generator.from_blocks(in_order(h), assumptions)) for h in heads),
        specification={},
    )


# -- additive biases ----------------------------------------------------------------------------


def nilpotent(y: ScalarMatrix) -> FunctionMatrix:
    n = len(y)
    result = [[F(("t",), {}) for _ in range(n)] for _ in range(n)]
    power, weight = identity(n), F.constant(ONE)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                result[i][j] = result[i][j] + weight.scale(power[i][j])
        power = multiply(power, y)
        weight = weight * F.variable("t").scale(Scalar.rational(fmpq(1, k + 1)))
    return tuple(tuple(row) for row in result)


def augmented(
    query: Sequence[Scalar], key: Sequence[Scalar], y: ScalarMatrix, exponential: FunctionMatrix
) -> Augmentation:
    bias = F(("t",), {})
    for i, q in enumerate(query):
        for j, k in enumerate(key):
            bias = bias + exponential[i][j].scale(q * k)
    return Augmentation(tuple(query), tuple(key), y, exponential, bias)


SHIFT: ScalarMatrix = ((ZERO, ONE), (ZERO, ZERO))


def linear(slope: Scalar) -> Augmentation:
    return augmented((-slope, ZERO), (ZERO, ONE), SHIFT, nilpotent(SHIFT))


def with_biases(name: str, augmentations: Sequence[Augmentation], **settings: object) -> Encoding:
    content = settings.pop("content", None) or [Block(ZERO)] * 4
    generator = Generator.from_blocks(in_order(content))  # type: ignore[arg-type]
    return Encoding(
        name,
        tuple(Head(generator, a) for a in augmentations),
        verdict=Verdict.AUGMENTED,
        specification={"name": name},
        **settings,  # type: ignore[arg-type]
    )


def alibi() -> Encoding:
    return with_biases(
        "alibi",
        [linear(number("2^(-8*(h + 1)/4)", h=h)) for h in range(4)],
        schedules=(Schedule("slope", "2^(-8*(h + 1)/4)"),),
    )


def uneven_alibi() -> Encoding:
    return with_biases("alibi-3", [linear(number(m)) for m in ("1/16", "1/256", "1/4")])


def rope_alibi() -> Encoding:
    """One head, one slope, content that turns."""
    return with_biases(
        "rope-alibi", [linear(number("2^(-1/2)"))], content=turning([number("1"), number("1/10")])
    )


def quadratic() -> Encoding:
    """−aτ² with three coordinates."""
    y: ScalarMatrix = ((ZERO, ONE, ZERO), (ZERO, ZERO, ONE), (ZERO, ZERO, ZERO))
    found = [
        augmented((-(number("2") * a), ZERO, ZERO), (ZERO, ZERO, ONE), y, nilpotent(y))
        for a in (number("1/3"), number("1/5"))
    ]
    return with_biases("quadratic", found)


def sandwich(heads: int) -> Encoding:
    """Σ_j c_h·cos(ω_j τ), a damped wave among them; planes acting on constant vectors."""
    blocks = [Block(ZERO, th) for th in thetas("100^(-j/3)", 3)] + [Block(number("-1/999"), ONE)]
    n = 2 * len(blocks)
    rows = [[ZERO] * n for _ in range(n)]
    wave = [[F(("t",), {}) for _ in range(n)] for _ in range(n)]
    for b, block in enumerate(blocks):
        for i in range(2):
            for j in range(2):
                rows[2 * b + i][2 * b + j] = block.generator[i][j]
                wave[2 * b + i][2 * b + j] = block.exponential()[i][j]
    y, exponential = (tuple(tuple(r) for r in m) for m in (rows, wave))
    ones = tuple([ONE, ZERO] * len(blocks))
    found = []
    for h in range(heads):
        c = number("1/(h + 2)", h=h)
        found.append(augmented(tuple(x * c for x in ones), ones, y, exponential))  # type: ignore[arg-type]
    return with_biases(f"sandwich-{heads}", found)


def two_slopes() -> Encoding:
    """Two nilpotent pairs of one shape: −m·τ as the sum of two biases."""
    rows = [[ZERO] * 4 for _ in range(4)]
    rows[0][1] = rows[2][3] = ONE
    y: ScalarMatrix = tuple(tuple(row) for row in rows)
    query = (number("-1/3"), ZERO, number("-1/7"), ZERO)
    return with_biases("two-slopes", [augmented(query, (ZERO, ONE, ZERO, ONE), y, nilpotent(y))])


def learned_slopes() -> Encoding:
    """Two heads with slopes m·w/3 and m·w/5, content that turns with the frequency w."""
    assumptions = Assumptions.declare({"m": "positive", "w": "positive"})
    m, w = Scalar.symbol("m"), Scalar.symbol("w")
    content = Generator.from_blocks(in_order([Block(ZERO, -w), Block(ZERO)]), assumptions)
    slopes = [m * w * number("1/3"), m * w * number("1/5")]
    return Encoding(
        "learned-slopes",
        tuple(Head(content, linear(x)) for x in slopes),
        verdict=Verdict.AUGMENTED,
        specification={},
    )


ENCODINGS: dict[str, Callable[[], Encoding]] = {
    "rope": rope,
    "rope-half": lambda: rope(8, "half"),
    "partial-rope": partial_rope,
    "p-rope": proportional_rope,
    "scattered-rope": scattered_rope,
    "forward-rope": forward_rope,
    "rope-turns": lambda: replace(rope(8, "interleaved"), angles="turns"),
    "partial-turns": lambda: replace(partial_rope(), angles="turns"),
    "menagerie-turns": lambda: replace(menagerie(), angles="turns"),
    "nope": nope,
    "warm-rope": temperature_rope,
    "decay": decay,
    "damped": damped,
    "uniform-damped": uniform_damped,
    "retention": retention,
    "different-heads": different_heads,
    "polynomial": polynomial,
    "long-chain": long_chain,
    "jordan-rope": jordan_rope,
    "long-jordan-rope": long_jordan_rope,
    "menagerie": menagerie,
    "dense": dense,
    "dense-heads": dense_heads,
    "rank-two": rank_two,
    "oscillator": oscillator,
    "oscillators": oscillators,
    "skew": skew_parameter,
    "learned-rates": learned_rates,
    "learned-ladder": learned_ladder,
    "learned-heads": learned_heads,
    "alibi": alibi,
    "alibi-3": uneven_alibi,
    "rope-alibi": rope_alibi,
    "quadratic": quadratic,
    "sandwich": lambda: sandwich(1),
    "sandwich-heads": lambda: sandwich(2),
    "two-slopes": two_slopes,
    "learned-slopes": learned_slopes,
}
