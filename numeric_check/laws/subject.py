"""A kernel under test at one point of its parameters: calls that never raise, sizes, evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from flint import fmpq

from numeric_check.kernels.kernel import DTYPE_OF, AnyArray, Kernel, describe
from numeric_check.laws.comparison import Index
from numeric_check.laws.result import Evidence, Ledger, Where
from numeric_check.laws.script import Script
from numeric_check.reference_values.double_double import Array
from numeric_check.reference_values.exact_map import BlockArray, ExactMap
from numeric_check.reference_values.tolerance import FORMATS, Format, operations
from symbolic_pe.emit.plan import BlockGroup, KernelPlan

Number = int | float
ONE_STEP = fmpq(1)
SCALES = (1.0, -1.0, 0.5, -0.5)
MAPS = {"query": "transform_query", "key": "transform_key"}


@dataclass(frozen=True)
class MapCall:
    """One call of transform_query (side `query`) or transform_key (side `key`)."""

    side: str
    positions: tuple[Number, ...]
    reference: float
    dtype: str

    @property
    def name(self) -> str:
        """The function called."""
        return MAPS[self.side]

    @property
    def law(self) -> str:
        """The law that it is held to."""
        return f"{self.side}-map"


@dataclass(frozen=True)
class Subject:
    """Everything that the laws share."""

    kernel: Kernel
    plan: KernelPlan
    exact: ExactMap
    parameters: Mapping[str, float]
    dtypes: tuple[str, ...]
    ledger: Ledger
    seed: int

    @property
    def values(self) -> tuple[float, ...]:
        """Parameters in the order of the arguments."""
        return tuple(self.parameters[name] for name in self.plan.parameters)

    @property
    def heads(self) -> int:
        """Heads of the kernel."""
        return self.plan.heads

    @property
    def dimension(self) -> int:
        """Channels per head."""
        return self.plan.dimension

    @property
    def script(self) -> Script:
        """Spelling of reproductions."""
        return Script(self.kernel.library, self.kernel.module, self.kernel.target == "array-api")

    def shape(self, *leading: int) -> tuple[int, ...]:
        """(…, [HEADS,] 1, d): the shape of one x at one position."""
        inner = (1, self.dimension) if self.heads == 1 else (self.heads, 1, self.dimension)
        return (*leading, *inner)

    def where(
        self,
        positions: Sequence[Number] = (),
        reference: float | None = None,
        head: int | None = None,
        note: str = "",
    ) -> Where:
        """A place, with the parameters of this subject."""
        return Where(
            tuple(float(p) for p in positions),
            reference,
            head if self.heads > 1 else None,
            dict(self.parameters),
            note,
        )

    # -- calls --------------------------------------------------------------------------------

    def map(self, call: MapCall, x: Array, kernel: Kernel | None = None) -> Array | None:
        """F(t)x or G(s)x for vectors x (p, d) at n positions: (p, HEADS, n, d + k) in float64.

        None when the call failed; the failure is recorded as law `runs`.
        """
        n = len(call.positions)
        given = np.broadcast_to(
            x[:, None, None, :], (len(x), self.heads, n, self.dimension)
        ).astype(DTYPE_OF[call.dtype])
        if self.heads == 1:
            given = given[:, 0]
        wide = self.apply(call, given, position_array(call.positions), kernel)
        if wide is None:
            return None
        return wide[:, None] if self.heads == 1 else wide

    def apply(
        self, call: MapCall, x: AnyArray, positions: AnyArray, kernel: Kernel | None = None
    ) -> Array | None:
        """One call with arrays as given; the result in float64, or None when it failed."""
        function = getattr(kernel or self.kernel, call.name)
        result = self.guarded(
            lambda: function(x, positions, *self.values, reference=call.reference),
            call.dtype,
            lambda: self.repeated(call),
            x.shape[:-1],
        )
        if result is None:
            return None
        self._check_dtype(result, call)
        return result.astype(np.float64)

    def guarded(
        self,
        call: Callable[[], AnyArray],
        dtype: str,
        line: Callable[[], str],
        shape: tuple[int, ...],
        *,
        exact_shape: bool = False,
    ) -> AnyArray | None:
        """The result of a call; an exception or a wrong shape refutes `runs`."""
        reason = ""
        try:
            result = call()
        except Exception as error:
            reason = f"raised {describe(error)}"
        else:
            expected = shape if exact_shape else (*shape, self.dimension)
            same = (
                result.shape == shape
                if exact_shape
                else (result.shape[:-1] == shape and result.shape[-1] >= self.dimension)
            )
            if not same:
                reason = f"returned shape {result.shape}, expected {expected}"
            elif not _is_floating(result):
                reason = f"returned {result.dtype}, expected floating point"
        failed = bool(reason)
        self.ledger.record(
            "runs",
            dtype,
            float(failed),
            0.0,
            lambda: Evidence(self.where(note=reason), line()),
        )
        return None if failed else result

    def _check_dtype(self, result: AnyArray, call: MapCall) -> None:
        found = result.dtype

        def evidence() -> Evidence:
            x, repeated = self._unit_call(call)
            note = f"{call.name} of {call.dtype} returned {found}"
            line = self.script.line(x, f"{repeated}.dtype", call.dtype)
            return Evidence(self.where(note=note), line)

        same = found == DTYPE_OF[call.dtype]
        self.ledger.record("dtype", call.dtype, 0.0 if same else 1.0, 0.0, evidence)

    def random_vector(self, index: int, dtype: str) -> Array:
        """A normal vector, rounded to the dtype; the same for every library."""
        drawn = np.random.default_rng(self.seed + index).standard_normal(self.dimension)
        return drawn.astype(DTYPE_OF[dtype]).astype(np.float64)

    def scales(self, shape: tuple[int, ...]) -> Array:
        """Factors ±1 and ±1/2, which change no rounding: rows of x that differ from each other."""
        return np.random.default_rng(self.seed).choice(SCALES, shape)

    def random_evidence(
        self, call: MapCall, vector: int, index: Index, expected: float, note: str = ""
    ) -> Evidence:
        """One entry (head, position, channel) of the image of a random vector."""
        place = call.positions[index[1]]
        text = self.script.call(call, "x", [place], self.values)
        head, channel = index[0], index[2]
        entry = (0, channel) if self.heads == 1 else (head, 0, channel)
        line = self.script.line(
            self.random_statements(vector, call.dtype), self.script.item(text, entry), expected
        )
        about = f"{call.name} of a random vector{', ' if note else ''}{note}"
        return Evidence(self.where([place], call.reference, head, about), line)

    def random_statements(self, vector: int, dtype: str, step: int = 1) -> list[str]:
        """Statements that make x, at one position and for every head, from a random vector.

        With a step, only every step-th channel is kept.
        """
        script = self.script
        statements = script.normal("v", (self.dimension,), self.seed + vector, dtype)
        if step > 1:
            statements += ["w = 0 * v", f"w[::{step}] = v[::{step}]"]
        drawn = "w" if step > 1 else "v"
        library = "torch" if script.target == "torch" else "np"
        return [*statements, f"x = {library}.broadcast_to({drawn}, {self.shape()})"]

    def repeated(self, call: MapCall) -> str:
        """A line that makes this call with a unit vector."""
        x, repeated = self._unit_call(call)
        return self.script.line(x, repeated, "no exception")

    def _unit_call(self, call: MapCall) -> tuple[list[str], str]:
        x = self.script.unit("x", self.shape(), 0, call.dtype)
        return x, self.script.call(call, "x", call.positions[:1], self.values)

    # -- sizes --------------------------------------------------------------------------------

    @property
    def largest_rate(self) -> float:
        """The rate that limits the served window."""
        return max(map(abs, self._rates()), default=0.0)

    @property
    def largest_growth(self) -> float:
        """The largest rate above 0, at which A(τ) grows with τ; 0 where it does not."""
        return max([0.0, *self._rates()])

    def _rates(self) -> list[float]:
        rates = []
        for group, block in zip(self.plan.groups, self.exact.exponential([ONE_STEP]), strict=True):
            if isinstance(group, BlockGroup):
                rates += [self.exact.scalar(x) for row in group.rate.rows for x in row]
            else:
                rates.append(float(block.growth.max()))
        return rates

    def roundings(self, block: BlockArray) -> int:
        """m of `tolerance` for one group."""
        group, inputs = block.group, self.exact.roundings_inputs()
        if not isinstance(group, BlockGroup):
            return operations(
                pair=True, decays=True, chain_length=1, parametric=True, inputs=inputs
            )
        return operations(
            pair=group.pair,
            decays=not group.rate.is_zero,
            chain_length=group.chain_length,
            inputs=inputs,
        )

    def most_roundings(self, blocks: Sequence[BlockArray]) -> int:
        """The largest m over all groups."""
        return max(self.roundings(b) for b in blocks)


def _is_floating(array: AnyArray) -> bool:
    return array.dtype in DTYPE_OF.values()


def position_array(positions: Sequence[Number]) -> AnyArray:
    """int64 when all are integers, else float64."""
    whole = all(isinstance(p, int) for p in positions)
    return np.array(positions, dtype=np.int64 if whole else np.float64)


def format_of(dtype: str) -> Format:
    """The format of a dtype by name."""
    return FORMATS[dtype]
