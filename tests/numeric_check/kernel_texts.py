"""Kernels written by hand to docs/reference/kernel.md, with the encodings they realise."""

from __future__ import annotations

from dataclasses import dataclass

from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.encodings.augmentation import linear_bias
from symbolic_pe.encodings.encoding import Domain, Encoding, Head
from symbolic_pe.generators.block import Block, PlacedBlock
from symbolic_pe.generators.generator import Generator


@dataclass(frozen=True)
class Example:
    """A text with what it should be."""

    text: str
    encoding: Encoding
    target: str = "numpy"

    def changed(self, old: str, new: str, count: int = -1) -> str:
        """The text with one replacement; it must occur."""
        assert old in self.text, old
        return self.text.replace(old, new, count)


def _thetas(d: int) -> list[Scalar]:
    return [parse(f"10000^(-{2 * j}/{d})") for j in range(d // 2)]


def rope_encoding(d: int, layout: str = "interleaved") -> Encoding:
    def plane(j: int) -> tuple[int, int]:
        return (2 * j, 2 * j + 1) if layout == "interleaved" else (j, j + d // 2)

    placed = [PlacedBlock(Block(ZERO, -w), plane(j)) for j, w in enumerate(_thetas(d))]
    return Encoding("rope", (Head(Generator.from_blocks(placed)),), layout=layout)


ROPE = '''# Written by symbolic-pe: rotary encoding.
# target:      numpy
"""Rotation of planes."""

import numpy as np

DIMENSION = 8
HEADS = 1
FREQUENCY = 10000.0 ** (-2.0 * np.arange(DIMENSION // 2) / DIMENSION)


def _compute(dtype):
    return np.float64 if dtype == np.float64 else np.float32


def _turn(x, position, reference):
    u = np.asarray(position, dtype=np.float64) - reference
    angle = u[..., None] * FREQUENCY
    compute = _compute(x.dtype)
    cosine, sine = np.cos(angle).astype(compute), np.sin(angle).astype(compute)
    wide = x.astype(compute)
    first, second = wide[..., 0::2], wide[..., 1::2]
    turned = np.empty_like(wide)
    turned[..., 0::2] = cosine * first - sine * second
    turned[..., 1::2] = sine * first + cosine * second
    return turned.astype(x.dtype)


def transform_query(x, position, reference=0.0):
    return _turn(x, position, reference)


def transform_key(x, position, reference=0.0):
    return _turn(x, position, reference)


def operator(lag):
    result = np.zeros((DIMENSION, DIMENSION))
    for j in range(DIMENSION // 2):
        c, s = np.cos(lag * FREQUENCY[j]), np.sin(lag * FREQUENCY[j])
        a, b = 2 * j, 2 * j + 1
        result[a, a] = result[b, b] = c
        result[a, b], result[b, a] = s, -s
    return result
'''


def rope(d: int = 8) -> Example:
    return Example(ROPE.replace("DIMENSION = 8", f"DIMENSION = {d}"), rope_encoding(d))


def rope_half(d: int = 8) -> Example:
    text = (
        ROPE.replace("DIMENSION = 8", f"DIMENSION = {d}")
        .replace("0::2", ": DIMENSION // 2")
        .replace("1::2", "DIMENSION // 2 :")
        .replace("a, b = 2 * j, 2 * j + 1", "a, b = j, j + DIMENSION // 2")
    )
    return Example(text, rope_encoding(d, "half"))


ROPE_TORCH = """# target:      torch
import torch
from torch import nn

DIMENSION = 8
HEADS = 1


def frequency():
    j = torch.arange(DIMENSION // 2, dtype=torch.float64)
    return 10000.0 ** (-2.0 * j / DIMENSION)


def turn(x, position, reference):
    u = torch.as_tensor(position).to(torch.float64) - reference
    angle = u[..., None] * frequency()
    compute = torch.float64 if x.dtype == torch.float64 else torch.float32
    cosine, sine = torch.cos(angle).to(compute), torch.sin(angle).to(compute)
    wide = x.to(compute)
    first, second = wide[..., 0::2], wide[..., 1::2]
    parts = (cosine * first - sine * second, sine * first + cosine * second)
    return torch.stack(parts, dim=-1).flatten(-2).to(x.dtype)


def transform_query(x, position, reference=0.0):
    return turn(x, position, reference)


def transform_key(x, position, reference=0.0):
    return turn(x, position, reference)


def operator(lag):
    angle = lag * frequency()
    c, s = torch.cos(angle), torch.sin(angle)
    result = torch.zeros(DIMENSION, DIMENSION, dtype=torch.float64)
    even = torch.arange(0, DIMENSION, 2)
    result[even, even], result[even + 1, even + 1] = c, c
    result[even, even + 1], result[even + 1, even] = s, -s
    return result


class Rope(nn.Module):
    def __init__(self, scale=1.0):
        super().__init__()
        self.amount = scale
        self.register_buffer("ladder", frequency(), persistent=False)

    def forward(self, query, key, position, reference=0.0):
        return transform_query(query, position, reference), transform_key(key, position, reference)
"""


def rope_torch(d: int = 8) -> Example:
    return Example(
        ROPE_TORCH.replace("DIMENSION = 8", f"DIMENSION = {d}"), rope_encoding(d), "torch"
    )


DAMPED = '''# target:      numpy
"""Per head: decay at rate log(1 - 2^(-5 - h)) and rotation."""

import numpy as np

DIMENSION = 4
HEADS = 2
FREQUENCY = 10000.0 ** (-2.0 * np.arange(DIMENSION // 2) / DIMENSION)
RATE = np.log1p(-(2.0 ** (-5.0 - np.arange(HEADS))))


def _map(x, position, reference, side):
    u = np.asarray(position, dtype=np.float64) - reference
    angle = u[..., None] * FREQUENCY
    growth = np.exp(side * RATE[:, None] * u)[..., None]
    compute = np.float64 if x.dtype == np.float64 else np.float32
    cosine = (growth * np.cos(angle)).astype(compute)
    sine = (growth * np.sin(angle)).astype(compute)
    wide = x.astype(compute)
    first, second = wide[..., 0::2], wide[..., 1::2]
    turned = np.empty_like(wide)
    turned[..., 0::2] = cosine * first - sine * second
    turned[..., 1::2] = sine * first + cosine * second
    return turned.astype(x.dtype)


def transform_query(x, position, reference=0.0):
    return _map(x, position, reference, 1.0)


def transform_key(x, position, reference=0.0):
    return _map(x, position, reference, -1.0)


def rotate(x, position):
    return _map(x, position, 0.0, 0.0)


def decay(query_position, key_position):
    lag = np.asarray(query_position)[:, None] - np.asarray(key_position)[None, :]
    factor = np.exp(RATE[:, None, None] * lag)
    return np.where(lag >= 0, factor, 0.0)


def operator(lag):
    result = np.zeros((HEADS, DIMENSION, DIMENSION))
    for h in range(HEADS):
        for j in range(DIMENSION // 2):
            growth = np.exp(RATE[h] * lag)
            c, s = growth * np.cos(lag * FREQUENCY[j]), growth * np.sin(lag * FREQUENCY[j])
            a, b = 2 * j, 2 * j + 1
            result[h, a, a] = result[h, b, b] = c
            result[h, a, b], result[h, b, a] = s, -s
    return result
'''


def damped() -> Example:
    heads = []
    for h in range(2):
        rate = parse(f"log(1 - 2^(-5 - {h}))")
        blocks = [Block(rate, -w) for w in _thetas(4)]
        placed = [PlacedBlock(b, (2 * j, 2 * j + 1)) for j, b in enumerate(blocks)]
        heads.append(Head(Generator.from_blocks(placed)))
    return Example(DAMPED, Encoding("retnet", tuple(heads)))


DECAY = """# target:      numpy
import numpy as np

DIMENSION = 3
HEADS = 1
RATE = np.array([-0.125, -0.01, 0.0])


def _scale(x, position, reference, side):
    u = np.asarray(position, dtype=np.float64) - reference
    compute = np.float64 if x.dtype == np.float64 else np.float32
    table = np.exp(side * u[..., None] * RATE).astype(compute)
    return (x.astype(compute) * table).astype(x.dtype)


def transform_query(x, position, reference=0.0):
    return _scale(x, position, reference, 1.0)


def transform_key(x, position, reference=0.0):
    return _scale(x, position, reference, -1.0)


def operator(lag):
    return np.diag(np.exp(lag * RATE))
"""


def decay() -> Example:
    rates = ("-1/8", "-1/100", "0")
    placed = [PlacedBlock(Block(parse(r)), (i,)) for i, r in enumerate(rates)]
    return Example(DECAY, Encoding("decay", (Head(Generator.from_blocks(placed)),)))


JORDAN = '''# target:      numpy
"""One damped chain of two planes: rate -1/100, frequency 0.3, shear 0.05."""

import numpy as np

DIMENSION = 4
HEADS = 1
RATE, FREQUENCY, SHEAR = -0.01, 0.3, 0.05


def _cells(u):
    growth = np.exp(RATE * u)
    return growth * np.cos(FREQUENCY * u), growth * np.sin(FREQUENCY * u)


def transform_query(x, position, reference=0.0):
    u = np.asarray(position, dtype=np.float64) - reference
    compute = np.float64 if x.dtype == np.float64 else np.float32
    c, s = (t.astype(compute) for t in _cells(u))
    step = (SHEAR * u).astype(compute)
    y = x.astype(compute)
    p, q = c * y[..., 0] + s * y[..., 1], c * y[..., 1] - s * y[..., 0]
    r, t = c * y[..., 2] + s * y[..., 3], c * y[..., 3] - s * y[..., 2]
    return np.stack([p, q, r + step * p, t + step * q], axis=-1).astype(x.dtype)


def transform_key(x, position, reference=0.0):
    v = np.asarray(position, dtype=np.float64) - reference
    compute = np.float64 if x.dtype == np.float64 else np.float32
    c, s = (t.astype(compute) for t in _cells(-v))
    step = (-SHEAR * v).astype(compute)
    y = x.astype(compute)
    p, q = c * y[..., 0] - s * y[..., 1], c * y[..., 1] + s * y[..., 0]
    r, t = c * y[..., 2] - s * y[..., 3], c * y[..., 3] + s * y[..., 2]
    return np.stack([p + step * r, q + step * t, r, t], axis=-1).astype(x.dtype)


def operator(lag):
    c, s = _cells(np.float64(lag))
    cell = np.array([[c, -s], [s, c]])
    result = np.zeros((4, 4))
    result[:2, :2] = result[2:, 2:] = cell
    result[:2, 2:] = SHEAR * lag * cell
    return result
'''


def jordan() -> Example:
    block = Block(parse("-1/100"), parse("3/10"), 2, parse("1/20"))
    generator = Generator.from_blocks([PlacedBlock(block, (0, 1, 2, 3))])
    return Example(JORDAN, Encoding("jordan", (Head(generator),)))


ALIBI = """# target:      numpy
import numpy as np

DIMENSION = 2
HEADS = 3
SLOPE = np.array([0.0625, 0.00390625, 0.25])


def _compute(x):
    return np.float64 if x.dtype == np.float64 else np.float32


def transform_query(x, position, reference=0.0):
    u = np.asarray(position, dtype=np.float64) - reference
    u = np.broadcast_to(u[..., None], (*x.shape[:-1], 1))
    slope = np.broadcast_to(-SLOPE[:, None, None], u.shape)
    parts = [x.astype(_compute(x)), slope, slope * u]
    return np.concatenate(parts, axis=-1).astype(x.dtype)


def transform_key(x, position, reference=0.0):
    v = np.asarray(position, dtype=np.float64) - reference
    v = np.broadcast_to(v[..., None], (*x.shape[:-1], 1))
    parts = [x.astype(_compute(x)), -v, np.ones_like(v)]
    return np.concatenate(parts, axis=-1).astype(x.dtype)


def bias(query_position, key_position):
    lag = np.asarray(query_position)[:, None] - np.asarray(key_position)[None, :]
    return -SLOPE[:, None, None] * lag


def operator(lag):
    return np.broadcast_to(np.eye(DIMENSION), (HEADS, DIMENSION, DIMENSION)).copy()
"""


def alibi() -> Example:
    content = Generator.from_blocks([PlacedBlock(Block(ZERO), (i,)) for i in range(2)])
    heads = []
    for slope in ("1/16", "1/256", "1/4"):
        m = parse(slope)
        heads.append(Head(content, linear_bias(m, (-m, ZERO), (ZERO, ONE))))
    return Example(ALIBI, Encoding("alibi", tuple(heads)))


OSCILLATOR = '''# target:      numpy
"""X = [[0, 1], [-w^2, -2*z*w]]."""

import numpy as np

DIMENSION = 2
HEADS = 1


def _entire(u, d):
    """cosh(u*sqrt(d)) and sinh(u*sqrt(d))/sqrt(d), smooth at d = 0."""
    y = u * u * d
    root = np.sqrt(np.abs(y))
    near = np.abs(y) < 1e-6
    safe = np.where(near, 1.0, root)
    cosine = np.where(d < 0, np.cos(root), np.cosh(np.where(d < 0, 0.0, root)))
    sine = np.where(d < 0, np.sin(root), np.sinh(np.where(d < 0, 0.0, root)))
    ratio = np.where(near, 1.0 + y / 6.0 + y * y / 120.0, sine / safe)
    cosine = np.where(near, 1.0 + y / 2.0 + y * y / 24.0, cosine)
    return cosine, u * ratio


def _matrix(u, w, z):
    a, d = -z * w, w * w * (z * z - 1.0)
    c, s = _entire(u, d)
    growth = np.exp(a * u)
    return (
        growth * (c - s * a),
        growth * s,
        -growth * s * w * w,
        growth * (c + s * (-2.0 * z * w - a)),
    )


def _compute(x):
    return np.float64 if x.dtype == np.float64 else np.float32


def transform_query(x, position, w, z, reference=0.0):
    u = np.asarray(position, dtype=np.float64) - reference
    p, q, r, s = (m.astype(_compute(x)) for m in _matrix(u, w, z))
    y = x.astype(_compute(x))
    first, second = y[..., 0], y[..., 1]
    return np.stack([p * first + r * second, q * first + s * second], axis=-1).astype(x.dtype)


def transform_key(x, position, w, z, reference=0.0):
    v = np.asarray(position, dtype=np.float64) - reference
    p, q, r, s = (m.astype(_compute(x)) for m in _matrix(-v, w, z))
    y = x.astype(_compute(x))
    first, second = y[..., 0], y[..., 1]
    return np.stack([p * first + q * second, r * first + s * second], axis=-1).astype(x.dtype)


def operator(lag, w, z):
    return np.array(_matrix(np.float64(lag), w, z)).reshape(2, 2)
'''


def oscillator() -> Example:
    generator = Generator.from_matrix(
        [["0", "1"], ["-w^2", "-2*z*w"]], {"w": "positive", "z": "real"}
    )
    return Example(OSCILLATOR, Encoding("oscillator", (Head(generator),)))


BASIS = '''# target:      numpy
"""A dense 3 x 3 generator in its Jordan basis: X = P J Q."""

import numpy as np

DIMENSION = 3
HEADS = 1
P = np.array({p})
Q = np.array({q})
RATES = np.array({rates})


def transform_query(x, position, reference=0.0):
    u = np.asarray(position, dtype=np.float64) - reference
    compute = np.float64 if x.dtype == np.float64 else np.float32
    y = x.astype(compute) @ P.astype(compute)
    return (y * np.exp(u[..., None] * RATES).astype(compute)).astype(x.dtype)


def transform_key(x, position, reference=0.0):
    v = np.asarray(position, dtype=np.float64) - reference
    compute = np.float64 if x.dtype == np.float64 else np.float32
    y = x.astype(compute) @ Q.T.astype(compute)
    return (y * np.exp(-v[..., None] * RATES).astype(compute)).astype(x.dtype)


def operator(lag):
    return P @ np.diag(np.exp(lag * RATES)) @ Q
'''


def basis() -> Example:
    """Three real eigenvalues, a dense basis of small integers."""
    from symbolic_pe.emit.plan import BlockGroup, plan_kernel

    p = [["1", "2", "0"], ["0", "1", "1"], ["1", "0", "1"]]
    rates = ["-1/50", "-1/100", "1/200"]
    from flint import fmpq, fmpq_mat

    matrix = fmpq_mat([[fmpq(int(x)) for x in row] for row in p])
    diagonal = fmpq_mat(3, 3)
    for i, r in enumerate(rates):
        diagonal[i, i] = parse(r).rational_value()
    x = matrix * diagonal * matrix.inv()
    generator = Generator.from_matrix([[str(e) for e in row] for row in x.tolist()])
    encoding = Encoding("dense", (Head(generator),))
    plan = plan_kernel(encoding)
    assert plan.basis is not None
    ((left, right),) = plan.basis
    order: dict[int, float] = {}
    for g in plan.groups:
        assert isinstance(g, BlockGroup)
        for slot, rate in zip(g.slots[0], g.rate.rows[0], strict=True):
            order[slot] = rate.to_float()
    text = BASIS.format(
        p=[[e.to_float() for e in row] for row in left],
        q=[[e.to_float() for e in row] for row in right],
        rates=[order[i] for i in range(3)],
    )
    return Example(text, encoding)


def short_domain(example: Example, limit: int, time: str = "integer") -> Encoding:
    """The same encoding on a small domain."""
    from dataclasses import replace

    return replace(example.encoding, domain=Domain(time, True, limit))
