"""The recurrent and the chunkwise form: the causal sum over s ≤ t as a state carried along.

With the score qᵀA(t − s)k, the outputs o_t = Σ_{s ≤ t} (q_tᵀA(t − s)k_s) v_s are

    S_t = A(t − t′) S_{t′} + k_t v_tᵀ,    o_t = S_tᵀ q_t

where t′ is the position before t: by the group law, A(t − t′)A(t′ − s) = A(t − s). The texts keep
Sᵀ, so that its rows are vectors like keys, and `_transform(Sᵀ, −lag, 0, −1)` is SᵀA(lag)ᵀ. Only
lags ≥ 0 are ever formed. In the coordinates of a basis, A(τ) = P exp(τK) P⁻¹, the state is carried
by exp(τK), and Pᵀq and P⁻¹k enter.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from symbolic_pe.emit.layout import STEP, arguments, docstring
from symbolic_pe.emit.plan import MatrixGroup
from symbolic_pe.emit.targets.module import Module

CHUNK = 64
"""Positions of a chunk unless the caller says otherwise."""


@dataclass(frozen=True)
class Recurrence:
    """What the skeletons of both forms need to know of one module."""

    module: Module

    @property
    def whole(self) -> bool:
        """Inside a chunk the mask form, in one product."""
        return self.module.plan.takes_chunks_whole

    @property
    def uniform(self) -> bool:
        """One rate per head, so that the mask is e^{a·lag}."""
        return self.module.plan.uniform_decay is not None

    @property
    def turns(self) -> bool:
        """Something is left of A where its decay is taken away, that is, A is no number."""
        return any(
            isinstance(g, MatrixGroup) or g.kind not in ("constant", "scale")
            for g in self.module.plan.groups
        )

    @property
    def sided(self) -> bool:
        """The map in the coordinates of the basis differs between query and key."""
        return any(
            isinstance(g, MatrixGroup) or g.kind not in ("constant", "rotate")
            for g in self.module.plan.groups
        )

    @property
    def move_signature(self) -> str:
        """The `def` line of the map in the coordinates of the basis."""
        side = ["side"] if self.sided else []
        return self.module.signature("def _move(", "x", "position", "reference", *side)

    @property
    def move_call(self) -> str:
        """The last statement of the map with the basis: the result in the dtype of x."""
        side = ", side" if self.sided else ""
        cast = ".to(x.dtype)" if self.module.dialect.array == "torch" else ".astype(x.dtype)"
        return f"{STEP}return _move(wide, position, reference{side}){cast}"

    def moved(
        self, result: str, x: str, position: str, reference: str, side: int, *, depth: int = 1
    ) -> str:
        """The statement `result = exp(±uK)x` for the vectors x of one side."""
        name = "_move(" if self.module.bases else "_transform("
        sides = [str(side)] if self.sided or not self.module.bases else []
        items = [x, position, reference, *sides, *self.module.names.values()]
        return arguments(f"{result} = {name}", items, ")", STEP * depth)

    @property
    def chunkwise_signature(self) -> str:
        """The `def` line of the chunkwise form."""
        last = ["*", "state=None", "start=None", f"chunk={CHUNK}"]
        return self.module.signature(
            "def chunkwise(", "query", "key", "value", "position", last=last
        )

    @property
    def within_signature(self) -> str:
        """The `def` line of the part inside a chunk."""
        names = self.module.names.values()
        return arguments("def _within(", ["query", "key", "value", "position", *names], "):")

    @property
    def within_call(self) -> str:
        """The statement that appends the outputs of a chunk."""
        names = self.module.names.values()
        call = arguments("read + _within(", ["queries", "keys", "values", "times", *names], ")")
        return f"{STEP * 2}outputs.append({call})"

    @cached_property
    def rate_times_lag(self) -> str:
        """a·lag as text."""
        text = self.module.decay("lag")
        assert text is not None
        return text

    # -- docstrings ---------------------------------------------------------------------------

    def _shape(self, last: str, rows: str = "") -> str:
        heads = f"{self.module.plan.heads}, " if self.module.plan.heads > 1 else ""
        return f"(..., {heads}{rows}{last})"

    @property
    def step_docstring(self) -> str:
        """Docstring of the recurrent form."""
        d = self.module.plan.dimension
        image = " (in the coordinates of K: P⁻¹k and Pᵀq in place of k and q)"
        return docstring(
            "One position further: (output, state), output Σ_{s ≤ t} (qᵀA(t − s)k) v.",
            [
                f"query and key have shape {self._shape(str(d))}, value {self._shape('m')}, state "
                f"{self._shape(f'm, {d}')}: zeros before the first position. lag ≥ 0 is the time "
                "since the position before, one number or of a shape that broadcasts to the "
                "leading axes.",
                "state·A(lag)ᵀ + v kᵀ is the new state, float32 or wider, and its product with q "
                f"the output, in the dtype of value{image if self.module.bases else ''}. No "
                "exponent is positive where A decays: it serves every range.",
            ],
        )

    @property
    def chunk_docstring(self) -> str:
        """Docstring of the chunkwise form."""
        d = self.module.plan.dimension
        taken = "Runs of 2^p ≤ chunk positions, the longest first,"
        if self.whole:
            taken = "At most chunk positions"
        return docstring(
            "All outputs Σ_{s ≤ t} (qᵀA(t − s)k) v, and the state after the last position.",
            [
                f"query and key have shape {self._shape(str(d), 'n, ')}, value "
                f"{self._shape('m', 'n, ')}; position of shape (n,), or with leading axes as in "
                "transform_query, must not decrease. Row i reads rows j ≤ i.",
                "state is what was summed before, at position start (by default the first one); "
                f"the returned state is at the last position, as recurrent_step takes it. {taken} "
                "are taken at once; the sum does not depend on chunk.",
            ],
        )

    @property
    def within_docstring(self) -> str:
        """Docstring of the part inside a chunk."""
        if self.uniform:
            if not self.turns:
                return docstring("Σ_{j ≤ i} e^(a·lag) (q_i · k_j) v_j, A(τ) = e^(aτ).")
            return docstring("Σ_{j ≤ i} e^(a·lag) (B(t_i)q_i · B(t_j)k_j) v_j, A(τ) = e^(aτ)B(τ).")
        if self.whole:
            return docstring("Σ_{j ≤ i} (B(t_i)q_i · B(t_j)k_j) v_j, B(τ) = exp(τK)ᵀ.")
        return docstring(
            "Σ_{j ≤ i} (q_iᵀA(t_i − t_j)k_j) v_j for 2^p rows.",
            [
                "Blocks of 1, 2, 4, … rows: every second one reads the one before it across its "
                "own first position c, A(t − c)A(c − s) with t ≥ c ≥ s, so that no lag is negative."
            ],
        )

    @property
    def move_docstring(self) -> str:
        """Docstring of the map in the coordinates of the basis."""
        sides = "exp(uK)ᵀx for side 1, exp(−uK)x for side −1"
        if not self.sided:
            sides = "exp(uK)ᵀx = exp(−uK)x"
        return docstring(f"{sides}, x in the coordinates of K; u = position − reference.")


def recurrence_of(module: Module) -> Recurrence | None:
    """The forms of a module, when its plan offers them."""
    return Recurrence(module) if module.plan.offers_recurrence else None


__all__ = ["CHUNK", "Recurrence", "recurrence_of"]
