"""One Python line that repeats a measurement in the directory of the emitted file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

Number = int | float


class NamedCall(Protocol):
    """A function of the kernel with its reference position."""

    @property
    def name(self) -> str:
        """Name of the function."""
        ...

    @property
    def reference(self) -> float:
        """The position c."""
        ...


@dataclass(frozen=True)
class Script:
    """Spells calls of one kernel for its array library.

    target       the library: `numpy` or `torch`
    arrays_only  numbers are given as arrays

    >>> s = Script("numpy", "rope_numpy")
    >>> print(s.line([], s.item("k.operator(1)", (0, 0)), 0.5))
    python -c "import numpy as np, rope_numpy as k; print(k.operator(1)[0, 0], 'expected', 0.5)"
    """

    target: str
    module: str
    arrays_only: bool = False

    def line(self, statements: Sequence[str], expression: str, expected: object) -> str:
        """Print a number next to the expected one."""
        libraries = "torch" if self.target == "torch" else "numpy as np"
        body = "; ".join(
            [
                f"import {libraries}, {self.module} as k",
                *statements,
                f"print({expression}, 'expected', {expected!r})",
            ]
        )
        if "ml_dtypes" in body:
            body = body.replace("import ", "import ml_dtypes, ", 1)
        if self.target == "torch" and "np." in body:
            body = body.replace("import ", "import numpy as np, ", 1)
        return f'python -c "{body}"'

    def dtype(self, name: str) -> str:
        """A dtype as source."""
        if self.target == "torch":
            return f"torch.{name}"
        return "ml_dtypes.bfloat16" if name == "bfloat16" else f"np.{name}"

    def unit(self, name: str, shape: Sequence[int], channel: int, dtype: str) -> list[str]:
        """Statements that make x = e_channel at one position, for every head."""
        library = "torch" if self.target == "torch" else "np"
        zeros = f"{library}.zeros({tuple(shape)}, dtype={self.dtype(dtype)})"
        return [f"{name} = {zeros}", f"{name}[..., {channel}] = 1"]

    def normal(self, name: str, shape: Sequence[int], seed: int, dtype: str) -> list[str]:
        """Statements that make a random x, the same for every library."""
        return self._drawn(name, f"standard_normal({tuple(shape)})", seed, dtype)

    def chosen(
        self, name: str, values: Sequence[float], shape: Sequence[int], seed: int, dtype: str
    ) -> list[str]:
        """Statements that make an array of random ones of these values."""
        return self._drawn(name, f"choice({tuple(values)}, {tuple(shape)})", seed, dtype)

    def _drawn(self, name: str, draw: str, seed: int, dtype: str) -> list[str]:
        drawn = f"np.random.default_rng({seed}).{draw}"
        if self.target == "torch":
            return [f"{name} = torch.from_numpy({drawn}).to({self.dtype(dtype)})"]
        return [f"{name} = {drawn}.astype({self.dtype(dtype)})"]

    def positions(self, values: Sequence[Number]) -> str:
        """An array of positions: integers, or float64."""
        whole = all(isinstance(v, int) for v in values)
        text = ", ".join(repr(v) if whole else repr(float(v)) for v in values)
        if self.target == "torch":
            return (
                f"torch.tensor([{text}])"
                if whole
                else (f"torch.tensor([{text}], dtype=torch.float64)")
            )
        return f"np.array([{text}])"

    def number(self, value: float) -> str:
        """One number as an argument."""
        if not self.arrays_only:
            return repr(value)
        library = "torch.tensor" if self.target == "torch" else "np.asarray"
        dtype = "torch.float64" if self.target == "torch" else "np.float64"
        return f"{library}({value!r}, dtype={dtype})"

    def call(
        self, call: NamedCall, x: str, positions: Sequence[Number], parameters: Sequence[float] = ()
    ) -> str:
        """`k.transform_query(x, positions, …, reference=…)`."""
        arguments = [x, self.positions(positions), *(repr(p) for p in parameters)]
        if call.reference:
            arguments.append(f"reference={call.reference!r}")
        return f"k.{call.name}({', '.join(arguments)})"

    def item(self, expression: str, index: Sequence[int]) -> str:
        """One entry as a number."""
        entry = f"{expression}[{', '.join(map(str, index))}]"
        return f"{entry}.item()" if self.target == "torch" else entry

    def wide(self, expression: str) -> str:
        """An array in float64."""
        if self.target == "torch":
            return f"{expression}.double()"
        return f"{expression}.astype(float)"
