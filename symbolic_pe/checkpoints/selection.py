"""Which axis of which tensors holds the channels of queries and keys, or why that is unclear.

W of shape (heads·D, hidden), as torch stores linear layers, has the channels of head h in rows hD …
hD + D − 1; so has a bias of shape (heads·D,). Since q = Wx + b, the rows of W and b are permuted
head by head to get Pq. A norm over the channels of a head, g ⊙ x/rms(x), commutes with P when its
gain is permuted as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import prod

from symbolic_pe.checkpoints.names import KINDS, Kind, Recognised, output_of, recognise
from symbolic_pe.errors import SpecificationError

MAX_NAMED = 6


@dataclass(frozen=True)
class Tensor:
    """One stored tensor: `file` is the name of the file that holds it."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    file: str = ""


@dataclass(frozen=True)
class Change:
    """Heads start at `offsets` of axis `axis` of a tensor; each is permuted."""

    tensor: Tensor
    kind: Kind
    axis: int
    offsets: tuple[int, ...]


@dataclass(frozen=True)
class FusedOrder:
    """How queries, keys and values share the rows of one matrix.

    parts    q, k and v in the order of the rows
    grouped  per group of queries with one key and value, or all queries together
    """

    parts: tuple[str, ...]
    grouped: bool

    @classmethod
    def read(cls, text: str) -> FusedOrder:
        """From `q,k,v` (blocks) or `group:q,k,v`, in any order. Raises `SpecificationError`.

        >>> FusedOrder.read("group:q,k,v")
        FusedOrder(parts=('q', 'k', 'v'), grouped=True)
        """
        grouped = text.startswith("group:")
        parts = tuple(part.strip() for part in text.removeprefix("group:").split(","))
        if sorted(parts) != ["k", "q", "v"]:
            raise SpecificationError(
                "--fused: expected q, k and v in the order of the rows, such as q,k,v when all "
                "queries come first, or group:q,k,v when each key follows its queries, got "
                f"{text!r}"
            )
        return cls(parts, grouped)

    def offsets(self, heads: int, kv_heads: int, head_dim: int) -> tuple[int, ...]:
        """First rows of the query and key heads.

        >>> FusedOrder.read("q,k,v").offsets(2, 1, 10)
        (0, 10, 20)
        >>> FusedOrder.read("group:q,k,v").offsets(2, 2, 10)
        (0, 10, 30, 40)
        """
        groups = kv_heads if self.grouped else 1
        counts = {"q": heads // groups, "k": kv_heads // groups, "v": kv_heads // groups}
        found, row = [], 0
        for _ in range(groups):
            for part in self.parts:
                if part != "v":
                    found += [row + i * head_dim for i in range(counts[part])]
                row += counts[part] * head_dim
        return tuple(found)


@dataclass(frozen=True)
class Request:
    """What the user states of the model, and which tensors are meant.

    patterns  names or globs with an optional kind; without any, known names are taken
    keep      names or globs that stay as they are
    """

    head_dim: int
    heads: int | None = None
    kv_heads: int | None = None
    patterns: tuple[tuple[str, Kind | None], ...] = ()
    keep: tuple[str, ...] = ()
    fused: FusedOrder | None = None

    def __post_init__(self) -> None:
        if self.heads and self.kv_heads and self.heads % self.kv_heads:
            raise SpecificationError(
                f"--kv-heads: every key serves as many queries, so it divides --heads = "
                f"{self.heads}; got {self.kv_heads}"
            )


@dataclass(frozen=True)
class Selection:
    """What is permuted, and what looks like queries or keys but was left out on request."""

    changes: tuple[Change, ...]
    left: tuple[Tensor, ...]


def read_pattern(text: str) -> tuple[str, Kind | None]:
    """NAME, or NAME=KIND. Raises `SpecificationError` for an unknown kind.

    >>> read_pattern("*.attn.to_q.weight=q")
    ('*.attn.to_q.weight', 'q')
    """
    pattern, equals, kind = text.rpartition("=")
    if not equals:
        return text, None
    for known in KINDS:
        if kind == known:
            return pattern, known
    raise SpecificationError(
        f"--tensor {text}: expected one of {', '.join(KINDS)} after '=', got {kind!r}"
    )


def select(tensors: Sequence[Tensor], request: Request, *, together: bool = True) -> Selection:
    """The tensors that hold channels of queries and keys, with the rows of every head.

    >>> names = ("a.q_proj.weight", "a.k_proj.weight", "a.v_proj.weight")
    >>> shapes = ((8, 5), (4, 5), (4, 5))
    >>> tensors = [Tensor(n, s, "F32") for n, s in zip(names, shapes)]
    >>> [(c.kind, c.offsets) for c in select(tensors, Request(4)).changes]
    [('q', (0, 4)), ('k', (0,))]

    `together` says that the tensors are a whole model, where a query without its key is an error.
    Raises `SpecificationError` for whatever is ambiguous, with what to state.
    """
    kept = _kept(tensors, request.keep)
    candidates = [t for t in tensors if t.name not in kept]
    if request.patterns:
        chosen = _named(candidates, request.patterns)
    else:
        chosen = _known(candidates, request, together=together)
    if not chosen:
        raise SpecificationError(
            f"no tensor is known to hold queries or keys; it has {listed(tensors)}; say which with "
            "--tensor 'NAME=q', 'NAME=k', 'NAME=qkv', 'NAME=q_norm' or 'NAME=k_norm'"
        )
    changes = tuple(_change(tensor, kind, request) for tensor, kind in chosen)
    _check_heads(changes, request)
    taken = {c.tensor.name for c in changes}
    left = tuple(t for t in tensors if t.name not in taken and recognise(t.name) is not None)
    return Selection(changes, left)


def listed(tensors: Sequence[Tensor]) -> str:
    """The first few tensors, for a message."""
    names = [f"{t.name} {list(t.shape)}" for t in tensors[:MAX_NAMED]]
    more = f", ... ({len(tensors)} in all)" if len(tensors) > MAX_NAMED else ""
    return (", ".join(names) + more) or "no tensors"


# -- which ------------------------------------------------------------------------------------


def _kept(tensors: Sequence[Tensor], patterns: Sequence[str]) -> set[str]:
    kept: set[str] = set()
    for pattern in patterns:
        found = {t.name for t in tensors if pattern == t.name or fnmatchcase(t.name, pattern)}
        if not found:
            raise SpecificationError(f"--keep {pattern}: no tensor has such a name")
        kept |= found
    return kept


def _named(
    tensors: Sequence[Tensor], patterns: Sequence[tuple[str, Kind | None]]
) -> list[tuple[Tensor, Kind]]:
    """What the patterns name; kinds from the pattern, else from the name."""
    kinds: dict[str, Kind] = {}
    for pattern, stated in patterns:
        found = [t for t in tensors if t.name == pattern or fnmatchcase(t.name, pattern)]
        if not found:
            raise SpecificationError(
                f"--tensor {pattern}: no tensor has such a name; it has {listed(tensors)}"
            )
        for tensor in found:
            kind = stated or _kind_by_name(tensor.name)
            if kinds.setdefault(tensor.name, kind) != kind:
                raise SpecificationError(
                    f"{tensor.name}: named as {kinds[tensor.name]} and as {kind}; state one kind"
                )
    return [(t, kinds[t.name]) for t in tensors if t.name in kinds]


def _kind_by_name(name: str) -> Kind:
    known = recognise(name)
    if known is None or known.kind is None or known.unclear:
        why = known.unclear if known is not None else "its name does not say what it holds"
        raise SpecificationError(
            f"{name}: {why}; state the kind, one of {', '.join(KINDS)}: --tensor '{name}=q'"
        )
    return known.kind


def _known(
    tensors: Sequence[Tensor], request: Request, *, together: bool
) -> list[tuple[Tensor, Kind]]:
    """The tensors that published names announce, refused where one side of a layer is missing."""
    chosen: list[tuple[Tensor, Kind]] = []
    sides: dict[str, dict[str, Tensor]] = {}
    outputs = {output_of(t.name): t for t in tensors}
    for tensor in tensors:
        known = recognise(tensor.name)
        if known is None:
            continue
        if known.unclear or known.kind is None:
            raise SpecificationError(_unclear(tensor, known))
        chosen.append((tensor, known.kind))
        if known.part == "weight" and known.kind in ("q", "k"):
            sides.setdefault(known.prefix, {})[known.kind] = tensor
    if together:
        for prefix, found in sides.items():
            _check_sides(prefix, found)
            if request.heads is None and prefix in outputs:
                _check_output(found["q"], outputs[prefix])
    return chosen


def _unclear(tensor: Tensor, known: Recognised) -> str:
    return (
        f"{tensor.name} {list(tensor.shape)}: {known.unclear}; name what is to be permuted with "
        f"--tensor, or leave it as it is with --keep '{tensor.name}'"
    )


def _check_sides(prefix: str, found: dict[str, Tensor]) -> None:
    """Scores stay the same only when queries and keys of a layer are permuted together."""
    place = prefix or "the file"
    if len(found) == 1:
        ((side, tensor),) = found.items()
        missing = "key" if side == "q" else "query"
        raise SpecificationError(
            f"{place}: {tensor.name} has no {missing} projection beside it, and scores change "
            "when one side alone is permuted; name both with --tensor 'NAME=q' and 'NAME=k', or "
            f"leave it as it is with --keep '{tensor.name}'"
        )
    q, k = found["q"], found["k"]
    if len(q.shape) == len(k.shape) == 2 and q.shape[1] != k.shape[1]:
        raise SpecificationError(
            f"{place}: expected as many columns (input channels) in {q.name} {list(q.shape)} as in "
            f"{k.name} {list(k.shape)}; weights stored as (input, output) have to be transposed "
            "first"
        )


def _check_output(q: Tensor, output: Tensor) -> None:
    """A gate may share the rows of W_q; then there are more of them than the heads return."""
    if len(output.shape) == len(q.shape) == 2 and output.shape[1] != q.shape[0]:
        raise SpecificationError(
            f"{q.name} {list(q.shape)}: expected one row for each of the {output.shape[1]} columns "
            f"of {output.name}; state --heads if values have another dimension than queries; if "
            "its rows hold more than queries, such as a gate, name it with --tensor and give both "
            "together as the --head-dim of a run of its own"
        )


# -- where ------------------------------------------------------------------------------------


def _change(tensor: Tensor, kind: Kind, request: Request) -> Change:
    if kind == "qkv":
        return _fused_change(tensor, request)
    if kind in ("q_norm", "k_norm") and len(tensor.shape) > 1:
        return _per_head_norm(tensor, kind, request)
    rows, d = _rows(tensor), request.head_dim
    if rows % d:
        raise SpecificationError(
            f"{tensor.name}: expected a multiple of the head dimension {d} in the first axis, got "
            f"{list(tensor.shape)}; check --head-dim, or leave it as it is with --keep"
        )
    return Change(tensor, kind, 0, tuple(range(0, rows, d)))


def _rows(tensor: Tensor) -> int:
    if len(tensor.shape) not in (1, 2) or 0 in tensor.shape:
        raise SpecificationError(
            f"{tensor.name}: expected a matrix (heads * head dimension, hidden) or a vector "
            f"(heads * head dimension,), got the shape {list(tensor.shape)}"
        )
    return tensor.shape[0]


def _per_head_norm(tensor: Tensor, kind: Kind, request: Request) -> Change:
    """A gain of shape (heads, D), or one for all heads with axes of length 1 before it."""
    if tensor.shape[-1] != request.head_dim or 0 in tensor.shape:
        raise SpecificationError(
            f"{tensor.name}: expected the gains of a norm, with {request.head_dim} channels in the "
            f"last axis, got the shape {list(tensor.shape)}"
        )
    return Change(tensor, kind, len(tensor.shape) - 1, (0,))


def _fused_change(tensor: Tensor, request: Request) -> Change:
    rows, d, heads = _rows(tensor), request.head_dim, request.heads
    if request.fused is None or heads is None:
        missing = " and ".join(
            option
            for option, value in (("--fused", request.fused), ("--heads", heads))
            if value is None
        )
        raise SpecificationError(
            f"{tensor.name} {list(tensor.shape)}: queries, keys and values share its rows; state "
            f"{missing} (--fused q,k,v when all queries come first, then keys, then values; "
            "--fused group:q,k,v when each key and value follows its queries), or leave it as it "
            f"is with --keep '{tensor.name}'"
        )
    left = rows - heads * d
    kv_heads = request.kv_heads or max(left // (2 * d), 1)
    if left != 2 * kv_heads * d or heads % kv_heads:
        stated = f" and {request.kv_heads} key heads" if request.kv_heads else ""
        raise SpecificationError(
            f"{tensor.name} {list(tensor.shape)}: {rows} rows are not those of {heads} query "
            f"heads{stated} of dimension {d}, with as many keys as values; check --heads, "
            "--kv-heads and --head-dim"
        )
    return Change(tensor, "qkv", 0, request.fused.offsets(heads, kv_heads, d))


def _check_heads(changes: Sequence[Change], request: Request) -> None:
    """Every tensor of one side has the heads that were stated, or the same number as the others."""
    found: dict[str, tuple[int, str]] = {}
    stated = {"q": (request.heads, "--heads"), "k": (request.kv_heads, "--kv-heads")}
    for change in changes:
        if change.kind == "qkv":
            continue
        side, norm = change.kind[0], change.kind.endswith("norm")
        count = _head_count(change)
        if norm and count == 1:
            continue  # one gain for all heads
        expected, option = stated[side]
        if expected is not None and count != expected:
            raise SpecificationError(
                f"{change.tensor.name}: expected {expected} heads of dimension {request.head_dim} "
                f"({option}), got the shape {list(change.tensor.shape)}, which has {count}"
            )
        known, name = found.setdefault(side, (count, change.tensor.name))
        if count != known:
            raise SpecificationError(
                f"{name} has {known} heads of dimension {request.head_dim} and "
                f"{change.tensor.name} has {count}; they belong to different modules or the "
                f"dimension is wrong: state {option}, and leave others as they are with --keep"
            )
    heads, kv_heads = (
        stated[side][0] or (found[side][0] if side in found else None) for side in ("q", "k")
    )
    if heads and kv_heads and heads % kv_heads:
        raise SpecificationError(
            f"{heads} query heads of dimension {request.head_dim} are no multiple of {kv_heads} "
            "key heads; check --head-dim, --heads and --kv-heads"
        )


def _head_count(change: Change) -> int:
    if change.axis:
        return prod(change.tensor.shape[:-1])
    return len(change.offsets)
