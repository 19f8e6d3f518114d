"""One emitted module, as the pieces that a target's skeleton puts together."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from jinja2 import Environment, PackageLoader, StrictUndefined

from symbolic_pe.algebra.scalar import ONE
from symbolic_pe.emit.bias import Bias
from symbolic_pe.emit.constants import Constants
from symbolic_pe.emit.describe import CONTINUES, EVERYWHERE, range_served
from symbolic_pe.emit.dialect import Dialect
from symbolic_pe.emit.layout import STEP, arguments, docstring
from symbolic_pe.emit.names import argument_names
from symbolic_pe.emit.plan import BlockGroup, KernelPlan, MatrixGroup, Vector
from symbolic_pe.emit.targets.groups import GroupCode, GroupWriter
from symbolic_pe.emit.targets.turning import Turning, turning_of
from symbolic_pe.emit.trees import product

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Module:
    """What is to be said about one plan in one dialect."""

    plan: KernelPlan
    dialect: Dialect

    @cached_property
    def names(self) -> dict[str, str]:
        """Parameters as arguments."""
        return argument_names(self.plan.parameters)

    @cached_property
    def constants(self) -> Constants:
        """Constants collected so far."""
        return Constants(self.dialect, self.plan.heads, self.names)

    # -- what there is to do ------------------------------------------------------------------

    @cached_property
    def two_sided(self) -> bool:
        """Query and key need different maps."""
        return self.plan.basis is not None or any(
            isinstance(g, MatrixGroup) or g.kind not in ("constant", "rotate")
            for g in self.plan.groups
        )

    @cached_property
    def transforms(self) -> bool:
        """False when every channel is returned as it is."""
        return self.plan.basis is not None or any(
            isinstance(g, MatrixGroup) or g.kind != "constant" for g in self.plan.groups
        )

    @cached_property
    def has_constant_channels(self) -> bool:
        """Some channels are returned as they are."""
        return any(isinstance(g, BlockGroup) and g.kind == "constant" for g in self.plan.groups)

    @cached_property
    def groups(self) -> list[GroupCode]:
        """Code of the groups; collects their constants."""
        waves = self.dialect.waves if self.rotary is not None else None
        return GroupWriter(self.plan, self.constants, waves).write()

    @cached_property
    def rotary(self) -> Turning | None:
        """The planes that turn, when nothing else happens."""
        return None if self.dialect.waves is None else turning_of(self.plan, self.constants)

    @property
    def turning(self) -> Turning | None:
        """The form in few passes, when every channel belongs to a plane that turns."""
        return self.rotary if self.rotary is not None and self.rotary.whole else None

    @cached_property
    def bases(self) -> tuple[str, str] | None:
        """Names of P and of its inverse."""
        if self.plan.basis is None:
            return None
        p, q = zip(*self.plan.basis, strict=True)
        return self.constants.matrices("BASIS", p), self.constants.matrices("INVERSE_BASIS", q)

    @cached_property
    def bias(self) -> Bias | None:
        """The additive bias."""
        return Bias(self.plan, self.constants) if self.plan.augmentations else None

    def decay(self, lag: str) -> str | None:
        """a·lag as text, when every block decays at the rate of its head."""
        rate = self.plan.uniform_decay
        if rate is None:
            return None
        operand = self.constants.vector("RATE", Vector(tuple((x,) for x in rate)))
        node = product([operand.node, ast.Name("LAG")])
        return self.constants.printer("lag", {"LAG": lag}).text(node)

    @cached_property
    def helpers(self) -> Mapping[str, bool]:
        """Which helper functions the file needs."""
        return {
            "shear": any(
                isinstance(g, BlockGroup) and g.chain_length > 1 for g in self.plan.groups
            ),
            "even_and_odd": any(isinstance(g, MatrixGroup) for g in self.plan.groups),
        }

    @cached_property
    def bias_arguments(self) -> list[str]:
        """All parameters when the bias depends on one, else none."""
        scalars = [
            x
            for a in self.plan.augmentations
            for x in (*a.query, *a.key, *(x for row in a.generator for x in row))
        ]
        return list(self.names.values()) if any(x.parameters() for x in scalars) else []

    # -- text ---------------------------------------------------------------------------------

    def signature(self, head: str, *first: str, last: Sequence[str] = ()) -> str:
        """A `def` line with the parameters between."""
        return arguments(head, [*first, *self.names.values(), *last], "):")

    def call(
        self, head: str, *first: str, last: Sequence[str] = (), prefix: str = "return "
    ) -> str:
        """A call with the parameters between."""
        items = [*first, *self.names.values(), *last]
        return arguments(f"{prefix}{head}", items, ")", STEP)

    def append_columns(self, side: str) -> str:
        """The statement that appends the coordinates of the bias."""
        assert self.bias is not None
        content = "content" if self.transforms else "x"
        return arguments("return _append(", [content, *self.bias.columns(side)], ")", STEP)

    def exact_parameters(self, like: str, *texts: str) -> list[str]:
        """Statements that take the parameters read in the texts as float64, where `like` lives."""
        exact = self.dialect.exact
        assert exact is not None
        read = {word for text in texts for word in _WORD.findall(text)}
        return [f"{STEP}{x} = {exact(x, like)}" for x in self.names.values() if x in read]

    @property
    def transform_signature(self) -> str:
        """The `def` line of the private map."""
        side = ["side"] if self.two_sided else []
        return self.signature("def _transform(", "x", "position", "reference", *side)

    def apply(self, side: str, prefix: str = "return ") -> str:
        """The statement that applies the private map to x."""
        if not self.transforms:
            return f"{STEP}{prefix}x"
        sides = [side] if self.two_sided else []
        return self.call("_transform(", "x", "position", "reference", *sides, prefix=prefix)

    def bias_signature(self, head: str, last: Sequence[str] = ()) -> str:
        """The `def` line of a function of two positions."""
        items = ["query_position", "key_position", *self.bias_arguments, *last]
        return arguments(f"def {head}(", items, "):")

    @property
    def constructor(self) -> str:
        """The `def __init__` line of a module with parameters."""
        return arguments("def __init__(", ["self", *self.names.values()], "):", STEP)

    def forward(self, function: str, x: str) -> str:
        """One side of the forward pass."""
        own = [f"self.{name}" for name in self.names.values()]
        return arguments(f"{function}(", [x, "position", *own, "reference"], ")", STEP * 3)

    # -- docstrings ---------------------------------------------------------------------------

    @property
    def shape(self) -> str:
        """Shape of x."""
        heads = f"{self.plan.heads}, " if self.plan.heads > 1 else ""
        return f"(..., {heads}n, {self.plan.dimension})"

    def map_docstring(self, side: str) -> str:
        """Docstring of the map of one side."""
        if not self.transforms:
            law = "x itself, A being the identity,"
        elif side == "query":
            law = "F(t)x = PᵀA(t − c)ᵀx" if self.bases else "F(t)x = A(t − c)ᵀx"
        else:
            law = "G(s)x = P⁻¹A(c − s)x" if self.bases else "G(s)x = A(c − s)x"
        what = "queries" if side == "query" else "keys"
        rest: list[str] = []
        if self.transforms or self.plan.augmentations:
            rest.append(
                f"position is {'t' if side == 'query' else 's'}, of shape (n,) or with leading "
                "axes that broadcast to those of x; reference is c, the same for query and key."
            )
            if self.plan.augmentations:
                count = self.plan.augmentations[0].coordinates
                rest.append(
                    f"Appends the {count} coordinates that realise the bias; see Range above."
                )
            served = range_served(self.plan)
            if not served.startswith(EVERYWHERE):
                rest.append(f"Range: {served}")
        return docstring(f"{law} for {what} x of shape {self.shape}.", rest)

    @property
    def transform_docstring(self) -> str:
        """Docstring of the private map."""
        if not self.two_sided:
            return docstring("A(u)ᵀx = A(−u)x for query and key, u = position − reference.")
        sides = "A(u)ᵀx for side 1, A(−u)x for side −1"
        if self.plan.uniform_decay is not None:
            sides = "A(u)ᵀx for side 1, A(−u)x for −1, no decay for 0"
        return docstring(f"{sides}; u = position − reference.")

    @property
    def table_docstring(self) -> str:
        """Docstring of the table of a kernel that turns every plane."""
        return docstring(
            "cos and sin of every angle, as turn takes them, in dtype.",
            [
                "Make it once for all layers, and for query and key alike: transform_query(x, p, "
                "c) and transform_key(x, p, c) are both turn(x, rotary_table(p, c))."
            ],
        )

    @property
    def cos_sin_docstring(self) -> str:
        """Docstring of the tables that rotary code of other packages takes."""
        assert self.rotary is not None
        where = "neighbours" if self.rotary.interleaved else "halves"
        return docstring(
            f"cos and sin of shape (..., n, {self.rotary.width}), as rotary code of other "
            "packages takes them.",
            [
                f"x·cos + rotate(x)·sin is transform_query(x, position, reference), with "
                f"rotate(a, b) = (−b, a) on {where} a, b"
                + ("." if self.rotary.whole else f" of the first {self.rotary.width} channels.")
            ],
        )

    @property
    def turn_docstring(self) -> str:
        """Docstring of the application of a table."""
        return docstring(
            f"x of shape {self.shape}, turned by the angles of a rotary_table; computed in the "
            "dtype of the table or of x, the wider."
        )

    @property
    def turn_into_docstring(self) -> str:
        """Docstring of the same into given memory."""
        return docstring(
            "turn(x, table) written into out, which may be x, and returned.",
            ["x, out and the table must have one dtype; gradients do not pass through."],
        )

    @property
    def operator_docstring(self) -> str:
        """Docstring of the matrix A."""
        d = self.plan.dimension
        shape = f"({self.plan.heads}, {d}, {d})" if self.plan.heads > 1 else f"({d}, {d})"
        law = "A(lag)" if self.bases else "A(lag) = F(lag)ᵀ"
        lag = "a 0-d array" if self.dialect.listed else "one number"
        return docstring(f"The matrix {law} of shape {shape}, float64; lag is {lag}.")

    def pair_docstring(self, text: str, rest: Sequence[str] = ()) -> str:
        """Docstring of a function of two positions."""
        heads = f"{self.plan.heads}, " if self.plan.heads > 1 else ""
        return docstring(f"{text}, of shape ({heads}queries, keys).", rest)

    @property
    def bias_docstring(self) -> str:
        """Docstring of the closed form of the bias."""
        rest = [CONTINUES] if self.plan.encoding.domain.causal else []
        return self.pair_docstring("bias(t − s), to be added to the logits", rest)

    @property
    def rotate_docstring(self) -> str:
        """Docstring of the map without decay."""
        causal = self.plan.encoding.domain.causal
        where, masked = (" for τ ≥ 0", ", 0 for t < s") if causal else ("", "")
        return docstring(
            f"The orthogonal part B of A(τ) = decay(τ)·B(τ){where}, the same on both sides.",
            [
                "logits(t, s) = decay(t, s) · (rotate(q, t) · rotate(k, s))"
                f"{masked}; stable at any range."
            ],
        )

    @property
    def class_docstring(self) -> str:
        """Docstring of a module."""
        text = f"transform_query and transform_key for x of shape {self.shape}."
        if not self.names:
            return docstring(text)
        return docstring(
            text, ["Its parameters are float64; casting the model to a shorter dtype rounds them."]
        )

    def comment(self, code: GroupCode) -> list[str]:
        """What the lines of a group work on, when there are several groups."""
        if len(self.groups) == 1 and not self.has_constant_channels:
            return []
        return [f"{STEP}# {code.comment}"]

    def definitions(self) -> str:
        """Every constant, in order; call after everything else is printed."""
        lines = [f"DIMENSION = {self.plan.dimension}", f"HEADS = {self.plan.heads}"]
        if self.plan.encoding.temperature != ONE:
            lines.append(f"TEMPERATURE = {self.plan.encoding.temperature.to_float()!r}")
        text = "\n".join([*lines, *self.constants.definitions])
        return text.replace("\n# fmt: on\n# fmt: off\n", "\n")


def render(template: str, values: Mapping[str, object]) -> str:
    """Fill a skeleton."""
    environment = Environment(
        loader=PackageLoader("symbolic_pe.emit"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    return environment.get_template(template).render(values)
