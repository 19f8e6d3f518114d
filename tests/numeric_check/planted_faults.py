"""Faults planted in right kernels, with the laws that each breaks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from numeric_check import compile_kernel, cross_check
from numeric_check.laws.result import CrossCheck
from numeric_check.reference_values.tolerance import DTYPES
from tests.numeric_check import kernel_texts as texts
from tests.numeric_check.kernel_texts import Example


def checked(text: str, example: Example, **options: object) -> CrossCheck:
    return cross_check(compile_kernel(text), example.encoding, **options)  # type: ignore[arg-type]


BOTH = {"query-map", "key-map"}


@dataclass(frozen=True)
class Fault:
    """One replacement in a right kernel, the laws that it breaks, some that must survive it."""

    make: Callable[[], Example]
    old: str
    new: str
    laws: set[str]
    holds: set[str] = field(default_factory=set)
    dtypes: tuple[str, ...] = DTYPES

    def text(self) -> str:
        text = self.make().changed(self.old, self.new)
        return text.replace("HEADS = 1", "HEADS = 1\nTABLE = {}") if "TABLE" in text else text

    def check(self) -> CrossCheck:
        return checked(self.text(), self.make(), dtypes=self.dtypes)


TURN_KEY = "def transform_key(x, position, reference=0.0):\n    return _turn(x, "
FAULTS = {
    "sign of sin": Fault(
        texts.rope, "np.sin(angle)", "np.sin(-angle)", {*BOTH, "relativity"}, {"linearity"}
    ),
    "sign of sin, torch": Fault(
        texts.rope_torch, "torch.sin(angle)", "torch.sin(-angle)", {*BOTH, "relativity"}
    ),
    "swapped pair": Fault(
        texts.rope,
        "first, second = wide[..., 0::2], wide[..., 1::2]",
        "second, first = wide[..., 0::2], wide[..., 1::2]",
        {*BOTH},
        {"operator"},
    ),
    "half for interleaved": Fault(
        texts.rope,
        "first, second = wide[..., 0::2], wide[..., 1::2]",
        "first, second = wide[..., : DIMENSION // 2], wide[..., DIMENSION // 2 :]",
        {*BOTH, "relativity"},
        {"linearity", "operator", "history"},
    ),
    "tables half, rotation interleaved": Fault(
        texts.rope,
        "    compute = _compute",
        "    angle = np.concatenate([angle, angle], axis=-1)[..., 0::2]\n    compute = _compute",
        {*BOTH, "relativity"},
    ),
    "transposed operator": Fault(
        texts.rope, "= s, -s", "= -s, s", {"operator"}, {*BOTH, "relativity", "group-law"}
    ),
    "inverse map": Fault(
        texts.jordan, "in _cells(u)", "in _cells(-u)", {"query-map", "relativity"}, {"key-map"}
    ),
    "base 10001": Fault(
        texts.rope, "10000.0", "10001.0", {*BOTH, "relativity", "operator"}, {"linearity"}
    ),
    "one frequency off by 1/1000": Fault(
        texts.rope,
        "\n\n\ndef _compute",
        "\nFREQUENCY[2] *= 1.001\n\n\ndef _compute",
        {*BOTH, "relativity", "operator"},
        {"linearity"},
    ),
    "missing contragredient": Fault(
        texts.decay,
        "return _scale(x, position, reference, -1.0)",
        "return _scale(x, position, reference, 1.0)",
        {"key-map", "relativity"},
        {"query-map", "operator"},
    ),
    "decay on the wrong sides": Fault(
        texts.decay,
        "side * u",
        "-side * u",
        {*BOTH, "relativity"},
        {"operator", "linearity"},
    ),
    "missing contragredient, two heads": Fault(
        texts.damped,
        "return _map(x, position, reference, -1.0)",
        "return _map(x, position, reference, 1.0)",
        {"key-map", "relativity"},
        {"query-map", "decay-form"},
    ),
    "key with -sin": Fault(
        texts.rope,
        TURN_KEY,
        TURN_KEY + "-",
        {"key-map", "relativity"},
        {"query-map"},
    ),
    "angles in float32": Fault(
        texts.rope,
        "angle = u[..., None] * FREQUENCY",
        "angle = u[..., None].astype(np.float32) * FREQUENCY.astype(np.float32)",
        {*BOTH},
        {"linearity", "operator"},
        dtypes=("float32",),
    ),
    "angles in float32, seen in bfloat16": Fault(
        texts.rope,
        "angle = u[..., None] * FREQUENCY",
        "angle = u[..., None].astype(np.float32) * FREQUENCY.astype(np.float32)",
        {*BOTH},
        dtypes=("bfloat16",),
    ),
    "angles in float32, seen in float16, torch": Fault(
        texts.rope_torch,
        "angle = u[..., None] * frequency()",
        "angle = u[..., None].float() * frequency().float()",
        {*BOTH},
        dtypes=("float16",),
    ),
    "positions in the dtype of x": Fault(
        texts.rope,
        "u = np.asarray(position, dtype=np.float64) - reference",
        "u = np.asarray(position).astype(x.dtype).astype(np.float64) - reference",
        {*BOTH, "relativity"},
        {"operator", "linearity"},
        dtypes=("bfloat16",),
    ),
    "positions in the dtype of x, torch": Fault(
        texts.rope_torch,
        "torch.as_tensor(position).to(torch.float64)",
        "torch.as_tensor(position).to(x.dtype).to(torch.float64)",
        {*BOTH},
        dtypes=("bfloat16",),
    ),
    "frequencies in the dtype of x": Fault(
        texts.rope,
        "* FREQUENCY\n    compute",
        "* FREQUENCY.astype(x.dtype).astype(np.float64)\n    compute",
        {*BOTH},
        dtypes=("bfloat16",),
    ),
    "tables in the dtype of x": Fault(
        texts.rope,
        "compute = _compute(x.dtype)",
        "compute = x.dtype",
        {*BOTH},
        dtypes=("bfloat16",),
    ),
    "temperature multiplied in": Fault(
        texts.rope,
        "return turned.astype(x.dtype)",
        "return (1.0693147 * turned).astype(x.dtype)",
        {*BOTH, "relativity"},
        {"linearity", "operator"},
    ),
    "position off by one on one side": Fault(
        texts.rope,
        TURN_KEY + "position",
        TURN_KEY + "position + 1",
        {"key-map", "relativity"},
        {"query-map", "linearity"},
    ),
    "reference ignored on one side": Fault(
        texts.decay,
        "return _scale(x, position, reference, -1.0)",
        "return _scale(x, position, 0.0, -1.0)",
        {"key-map", "relativity"},
        {"query-map"},
    ),
    "positions of the head axis": Fault(
        texts.damped,
        "growth = np.exp(side * RATE[:, None] * u)[..., None]",
        "growth = np.exp(side * RATE[:1, None] * u)[..., None]",
        {*BOTH},
    ),
    "heads exchanged": Fault(
        texts.damped,
        "np.log1p(-(2.0 ** (-5.0 - np.arange(HEADS))))",
        "np.log1p(-(2.0 ** (-5.0 - np.arange(HEADS)[::-1])))",
        {*BOTH, "operator", "decay-form"},
    ),
    "shear dropped from one link": Fault(
        texts.jordan, "t + step * q", "t", {"query-map", "relativity"}, {"key-map"}
    ),
    "shear upside down": Fault(
        texts.jordan,
        "[p + step * r, q + step * t, r, t]",
        "[p, q, r + step * p, t + step * q]",
        {"key-map", "relativity"},
        {"query-map"},
    ),
    "bias sign": Fault(
        texts.alibi, "return -SLOPE[:", "return SLOPE[:", {"bias"}, {*BOTH, "relativity"}
    ),
    "bias sign in the coordinates": Fault(
        texts.alibi,
        "parts = [x.astype(_compute(x)), -v,",
        "parts = [x.astype(_compute(x)), v,",
        {"bias"},
        {*BOTH, "relativity"},
    ),
    "bias absolute": Fault(
        texts.alibi,
        "lag = np.asarray(query_position)[:, None] - np.asarray(key_position)[None, :]",
        "lag = np.asarray(query_position)[:, None] + 0 * np.asarray(key_position)[None, :]",
        {"bias"},
        {*BOTH},
    ),
    "slopes sorted": Fault(
        texts.alibi, "[0.0625, 0.00390625, 0.25]", "[0.25, 0.0625, 0.00390625]", {"bias"}, {*BOTH}
    ),
    "slopes from 2^0": Fault(
        texts.alibi, "[0.0625, 0.00390625, 0.25]", "[1.0, 0.0625, 4.0]", {"bias"}, {*BOTH}
    ),
    "constant coordinate depends on x": Fault(
        texts.alibi, "np.ones_like(v)]", "1.0 + x[..., :1].astype(np.float64)]", {"bias"}, {*BOTH}
    ),
    "dtype of the result": Fault(
        texts.rope,
        "return turned.astype(x.dtype)",
        "return turned",
        {"dtype"},
        {*BOTH},
        dtypes=("bfloat16",),
    ),
    "dtype of the operator": Fault(
        texts.rope,
        "    return result\n",
        "    return result.astype(np.float32)\n",
        {"dtype", "operator"},
        {*BOTH},
    ),
    "elapsed time remembered by length": Fault(
        texts.rope,
        "    angle = u[..., None] * FREQUENCY",
        "    if u.shape not in TABLE:\n        TABLE[u.shape] = u\n"
        "    angle = TABLE[u.shape][..., None] * FREQUENCY",
        {"history"},
        {"operator"},
    ),
    "table remembered by length": Fault(
        texts.rope,
        "    u = np.asarray(position, dtype=np.float64) - reference",
        "    shape = np.shape(position)\n    if shape not in TABLE:\n"
        "        TABLE[shape] = np.asarray(position, dtype=np.float64)\n"
        "    u = TABLE[shape] - reference",
        {*BOTH, "history"},
        {"operator"},
    ),
    "table remembered without its dtype": Fault(
        texts.rope,
        "    cosine, sine = np.cos(angle).astype(compute), np.sin(angle).astype(compute)",
        "    key = tuple(u.ravel().tolist())\n    if key not in TABLE:\n"
        "        TABLE[key] = np.cos(angle).astype(compute), np.sin(angle).astype(compute)\n"
        "    cosine, sine = (table.astype(compute) for table in TABLE[key])",
        {"history"},
    ),
    "counter of calls": Fault(
        texts.rope,
        "    angle = u[..., None] * FREQUENCY",
        "    TABLE[0] = TABLE.get(0, 0) + 1\n    angle = (u + TABLE[0] % 2)[..., None] * FREQUENCY",
        {"history"},
    ),
    "normalised input": Fault(
        texts.rope,
        "wide = x.astype(compute)",
        "wide = x.astype(compute)\n"
        "    wide = wide / np.sqrt((wide * wide).sum(axis=-1, keepdims=True) / 4)",
        {"linearity"},
    ),
    "first row of positions for the whole batch": Fault(
        texts.rope,
        "u = np.asarray(position, dtype=np.float64) - reference",
        "u = np.asarray(position, dtype=np.float64) - reference\n    u = u[0] if u.ndim > 1 else u",
        {"batch"},
        {*BOTH, "relativity"},
    ),
    "every head sees the first": Fault(
        texts.damped,
        "wide = x.astype(compute)",
        "wide = (x[..., :1, :, :] + 0 * x).astype(compute)",
        {"batch"},
        {"relativity"},
    ),
    "every position sees the first vector": Fault(
        texts.rope,
        "wide = x.astype(compute)",
        "wide = (x[..., :1, :] + 0 * x).astype(compute)",
        {"batch"},
        {*BOTH, "relativity"},
    ),
    "another reference by default": Fault(
        texts.rope,
        TURN_KEY.split("\n", maxsplit=1)[0],
        TURN_KEY.split("\n", maxsplit=1)[0].replace("0.0", "1.0"),
        {"key-map", "relativity"},
        {"query-map"},
    ),
    "half of the channels not turned": Fault(
        texts.rope,
        "    return turned.astype(x.dtype)",
        "    turned[..., 4:] = wide[..., 4:]\n    return turned.astype(x.dtype)",
        {*BOTH, "relativity"},
        {"linearity"},
    ),
    "generic case only": Fault(
        texts.oscillator,
        "near = np.abs(y) < 1e-6",
        "near = np.abs(y) < -1.0",
        {*BOTH, "operator"},
    ),
    "careless near the boundary": Fault(
        texts.oscillator,
        "near = np.abs(y) < 1e-6",
        "near = np.abs(y) < 1e-1",
        {*BOTH},
        dtypes=("float64",),
    ),
    "parameters exchanged": Fault(
        texts.oscillator,
        "def _matrix(u, w, z):",
        "def _matrix(u, z, w):",
        {*BOTH, "relativity", "operator"},
    ),
    "basis of the other side": Fault(
        texts.basis, "@ P.astype", "@ Q.T.astype", {"query-map", "relativity"}, {"key-map"}
    ),
    "decay function forgets a head": Fault(
        texts.damped,
        "np.exp(RATE[:, None, None] * lag)",
        "np.exp(RATE[:1, None, None] * lag)",
        {"runs"},
    ),
    "decay function with the wrong rate": Fault(
        texts.damped,
        "np.exp(RATE[:, None, None] * lag)",
        "np.exp(1.001 * RATE[:, None, None] * lag)",
        {"decay-form"},
        {*BOTH},
    ),
    "decay from absolute positions": Fault(
        texts.damped,
        "    factor = np.exp(RATE[:, None, None] * lag)",
        "    low = (RATE[:, None, None] * lag).astype(np.float32)\n"
        "    factor = np.exp(low + 4096).astype(np.float32) / np.exp(np.float32(4096))",
        {"decay-form"},
        {*BOTH},
    ),
    "decay 1 before t = s": Fault(
        texts.damped, "factor, 0.0)", "factor, 1.0)", {"decay-form"}, {*BOTH}
    ),
    "decay tiny before t = s": Fault(
        texts.damped, "factor, 0.0)", "factor, 1e-300)", {"decay-form"}, {*BOTH}
    ),
    "decay transposed": Fault(
        texts.damped,
        "lag = np.asarray(query_position)[:, None] - np.asarray(key_position)[None, :]",
        "lag = np.asarray(query_position)[None, :] - np.asarray(key_position)[:, None]",
        {"runs"},
        {*BOTH},
    ),
    "decay of whole lags": Fault(
        texts.damped,
        "RATE[:, None, None] * lag",
        "RATE[:, None, None] * np.floor(lag)",
        {"decay-form"},
        {*BOTH},
    ),
    "no decay function": Fault(texts.damped, "def decay(", "def falling(", {"decay-form"}, {*BOTH}),
    "no rotate function": Fault(texts.damped, "def rotate(", "def turn(", {"decay-form"}, {*BOTH}),
    "rotate the other way": Fault(
        texts.damped,
        "return _map(x, position, 0.0, 0.0)",
        "return _map(x, 0.0 - position, 0.0, 0.0)",
        {"decay-form"},
        {*BOTH, "relativity"},
    ),
    "rotate another plane": Fault(
        texts.damped,
        "return _map(x, position, 0.0, 0.0)",
        "return _map(x, position, 0.0, 0.0) + (0 * x + 1e-3 * x[..., ::-1]).astype(x.dtype)",
        {"decay-form"},
        {*BOTH, "relativity"},
    ),
    "rotate by whole positions": Fault(
        texts.damped,
        "return _map(x, position, 0.0, 0.0)",
        "return _map(x, np.floor(position), 0.0, 0.0)",
        {"decay-form"},
        {*BOTH, "relativity"},
    ),
    "rotate the first head only": Fault(
        texts.damped,
        "return _map(x, position, 0.0, 0.0)",
        "return _map(x[..., :1, :, :] + 0 * x, position, 0.0, 0.0)",
        {"decay-form"},
        {*BOTH, "relativity"},
    ),
    "rotate in another dtype": Fault(
        texts.damped,
        "return _map(x, position, 0.0, 0.0)",
        "return _map(x, position, 0.0, 0.0).astype(np.float64)",
        {"dtype"},
        {*BOTH},
        dtypes=("float32",),
    ),
    "rotate decays": Fault(
        texts.damped,
        "return _map(x, position, 0.0, 0.0)",
        "return _map(x, position, 0.0, 1.0)",
        {"decay-form"},
        {*BOTH},
    ),
    "raises beyond a table": Fault(
        texts.rope,
        "    angle = u[..., None] * FREQUENCY",
        "    if np.max(u) > 4096:\n        raise IndexError('position 5000 of 4096')\n"
        "    angle = u[..., None] * FREQUENCY",
        {"runs"},
    ),
    "NaN beyond a table": Fault(
        texts.rope,
        "    angle = u[..., None] * FREQUENCY",
        "    u = np.where(u > 100000, np.nan, u)\n    angle = u[..., None] * FREQUENCY",
        {*BOTH},
    ),
    "operator not the identity at 0": Fault(
        texts.rope,
        "result[a, a] = result[b, b] = c",
        "result[a, a] = result[b, b] = 1.0000001 * c",
        {"initial-condition", "operator", "group-law"},
        {*BOTH},
    ),
    "wrong dimension": Fault(
        texts.rope,
        "DIMENSION = 8",
        "DIMENSION = 16",
        {"runs"},
    ),
    "wrong shape": Fault(
        texts.rope,
        "return turned.astype(x.dtype)",
        "return turned[..., 0].astype(x.dtype)",
        {"runs"},
    ),
    "clamped at position 0": Fault(
        texts.rope,
        "    angle = u[..., None] * FREQUENCY",
        "    angle = np.maximum(u, 0.0)[..., None] * FREQUENCY",
        {*BOTH},
    ),
    "whole positions only": Fault(
        texts.rope,
        "    angle = u[..., None] * FREQUENCY",
        "    angle = np.floor(u)[..., None] * FREQUENCY",
        {*BOTH},
    ),
}
