"""What `--json` prints: the published records, from which the JSON schemas are made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from symbolic_pe.checkpoints.names import Kind
from symbolic_pe.classification import Classification, ClassifiedCase
from symbolic_pe.cli.audit_records import AuditRecord, KnownTableRecord
from symbolic_pe.cli.axes import AxesRecord
from symbolic_pe.cli.claims import ClaimRecord, ProofRecord
from symbolic_pe.cli.comparison import ComparisonRecord
from symbolic_pe.cli.json_text import to_text
from symbolic_pe.cli.known_encodings import CatalogueRecord, OutsideRecord, ShownEntryRecord
from symbolic_pe.cli.proving.records import ProvedManyRecord
from symbolic_pe.cli.spectrum_records import SpectrumRecord
from symbolic_pe.cli.step import StepRecord


class BlockRecord(msgspec.Struct, frozen=True):
    """One kind of real Jordan block; `multiplicity` counts one per conjugate pair."""

    kind: Literal["real", "complex"]
    eigenvalue: str
    real_part: str
    imaginary_part: str
    chain_length: int
    multiplicity: int
    family: str
    growth_bound: str
    half_life: str | None
    period: str | None
    known_encodings: list[str]


class GrowthRecord(msgspec.Struct, frozen=True):
    """Growth of |A(tau)| on tau >= 0 and on all tau."""

    causal: str
    all: str


class CaseRecord(msgspec.Struct, frozen=True):
    """One cell of the parameters, or one head."""

    conditions: list[str]
    blocks: list[BlockRecord]
    growth: GrowthRecord
    possibly_empty: bool
    generic: bool
    undecided: str | None
    closed_form: str | None = None


class CircleRecord(msgspec.Struct, frozen=True):
    """The circle of a proof: centre x + iy and radius, exact."""

    real: str
    imaginary: str
    radius: str


class WitnessRecord(msgspec.Struct, frozen=True):
    """A matrix X' with X'·basis = basis·block, exactly, and a block that is not diagonalisable.

    `spectral` and `frobenius` are upper bounds of the norms of X' - X; `meeting` lists the
    eigenvalues of X that certainly become the multiple one.
    """

    eigenvalue: str
    meeting: list[str]
    spectral: str
    frobenius: str
    matrix: list[list[str]]
    basis: list[list[str]]
    block: list[list[str]]


class NearnessRecord(msgspec.Struct, frozen=True):
    """What is certain of one eigenvalue.

    `simple_within` is a lower bound: no perturbation of smaller spectral norm makes it multiple.
    """

    eigenvalue: str
    about: str
    verdict: Literal["simple", "multiple: semisimple", "multiple: defective"]
    simple_within: str | None
    circle: CircleRecord | None
    witness: WitnessRecord | None
    ratio: str | None


class HeadNearnessRecord(msgspec.Struct, frozen=True):
    """Nearness of one head; where it is undecided, the reason instead of eigenvalues."""

    head: int
    eigenvalues: list[NearnessRecord]
    undecided: str | None


class SnapRecord(msgspec.Struct, frozen=True):
    """What `--snap` changed in one head: norms of X' - X, exact where they are rational."""

    head: int
    structure: Literal["skew", "symmetric", "neutral", "defective"]
    frobenius: str
    frobenius_squared: str
    largest_entry: str
    met: list[list[str]]


class ClassificationRecord(msgspec.Struct, frozen=True):
    """Output of `classify --json`."""

    name: str
    dimension: int
    heads: int
    parameters: dict[str, str]
    cases: list[CaseRecord]
    snapped: list[SnapRecord] | None = None
    nearness: list[HeadNearnessRecord] | None = None
    closed_form: str | None = None


class ErrorRecord(msgspec.Struct, frozen=True):
    """Measured agreement of one kernel in one dtype."""

    verdict: Literal["consistent", "refuted"]
    map_error: float
    relative_error: float
    tolerance: float
    worst: str
    reproduce: str


class TextRecord(msgspec.Struct, frozen=True):
    """What exact execution decided of an emitted text."""

    verdict: Literal["proved", "refuted", "undecided"]
    reason: str


class BoundRecord(msgspec.Struct, frozen=True):
    """The rounding bound of one kernel in one dtype, u = position - reference.

    For every block A(u): |y - A x| <= eps(|u|)·|A|·|x| + eta, for all real |u| <= reach.
    `coefficients` are those of eps, ascending; `safe_position` is the largest whole |u| with
    eps <= tolerance (null: none); `measured` is the worst measured error over its bound.
    """

    formula: str
    coefficients: list[float]
    eta: float
    reach: float
    limited_by: Literal["domain", "range"]
    tolerance: float
    safe_position: int | None
    safe_limited_by: Literal["tolerance", "range", "domain", "horizon"]
    measured: float
    worst: str


class BiasRecord(msgspec.Struct, frozen=True):
    """What the coordinates that realise a bias lose in one dtype, as an error of a logit.

    |q_a·k_a - bias(t - s)| <= error(|u|), |u| the larger of |t - c| and |s - c|, at most `reach`;
    `safe_position` is the largest |u| with error <= tolerance, from bounds of every reach.
    """

    formula: str
    coefficients: list[float]
    reach: float
    tolerance: float
    safe_position: int
    measured: float


class CausalRecord(msgspec.Struct, frozen=True):
    """The rounding bound of the n-th output of a causal sum in one dtype.

    |o - o_n| <= (coefficients[0] + coefficients[1]·n)·Σ |q|ᵀM(t - s)|k|·|v| for n <= `limit` and
    gaps <= `gap`, apart from what underflow loses; of `chunkwise` n is the number of runs before.
    With a basis P, |q| and |k| are |Pᵀ||q| and |P⁻¹||k|. `measured` is the worst measured error
    over it, 0 where none was measured.
    """

    formula: str
    coefficients: list[float]
    limit: int
    gap: float
    measured: float


class BoundsRecord(msgspec.Struct, frozen=True):
    """Rounding bounds of one kernel: `undecided` where its text is not covered.

    `dtypes` are of the query and key maps, `rotate` of the form without decay, `bias` of the
    coordinates that realise a bias, and `of_lag` of the functions `decay`, `bias` and `score_mod`
    of the lag u, where the kernel has them: |f - e^(au)| <= eps·e^(au) + eta of decay, and
    |f - s - b(u)| <= eps·(|s| + |b|_+) + eta of biases, |b|_+ the sum of the sizes of the terms of
    b, and s the score. `operator` stands there as well, with eps·||A|| + eta for every row of a
    block, or eps·||exp(uK)|| + eta for every row where there is a basis, and `cos_sin`, with
    eps + eta for every pair of a table; `causal` of `recurrent_step`, `chunkwise` of that form.
    They hold for all `parameters` between two numbers, wherever the maps stay in the range of the
    dtype.
    """

    verdict: Literal["holds", "refuted", "undecided"]
    reason: str
    dtypes: dict[str, BoundRecord]
    rotate: dict[str, BoundRecord]
    bias: dict[str, BiasRecord]
    of_lag: dict[str, dict[str, BoundRecord]] = {}
    parameters: dict[str, list[float]] = {}
    causal: dict[str, CausalRecord] = {}
    chunkwise: dict[str, CausalRecord] = {}


class BuildRecord(msgspec.Struct, frozen=True):
    """Output of `build --json` and content of report.json."""

    name: str
    verdict: str
    outcome: Literal["proved", "refuted", "undecided"]
    classification: ClassificationRecord
    claims: list[ClaimRecord]
    gauge: str | None
    kernels: dict[str, str]
    texts: dict[str, TextRecord]
    errors: dict[str, dict[str, ErrorRecord]]
    bounds: dict[str, BoundsRecord]
    failures: list[str]
    certificate: str | None
    refutation: str | None


class MeasuredRecord(msgspec.Struct, frozen=True):
    """An emitted text beside exact values: largest error, and where."""

    verdict: Literal["consistent", "refuted"]
    error: float
    tolerance: float
    where: str


class CheckRecord(msgspec.Struct, frozen=True):
    """Output of `check --json`."""

    file: str
    verdict: Literal["holds", "refuted", "undecided"]
    text: Literal["identical", "differs"]
    text_proof: TextRecord
    claims: list[ClaimRecord]
    errors: dict[str, ErrorRecord]
    bounds: BoundsRecord
    failures: list[str]
    undecided_edits: list[str]


class MeasuredBuildRecord(msgspec.Struct, frozen=True):
    """Output of `build --json` for several axes and for what is no group; `checks` by target.

    `certificate` is the digest of `certificate.json`, or null. `distance` is an upper bound of how
    far commuting generators with a known basis, which the kernels have, are from the axes, entry by
    entry; null where it is 0.
    """

    name: str
    verdict: str
    outcome: Literal["proved", "refuted", "undecided"]
    claims: list[ClaimRecord]
    kernels: dict[str, str]
    texts: dict[str, TextRecord]
    checks: dict[str, MeasuredRecord]
    bounds: dict[str, BoundsRecord]
    failures: list[str]
    certificate: str | None
    distance: str | None


class LayoutRecord(msgspec.Struct, frozen=True):
    """A layout: plane j turns the channels planes[j] of every head."""

    name: str
    planes: list[list[int]]


class PermutedRecord(msgspec.Struct, frozen=True):
    """A tensor whose heads start at `offsets` of `axis`; each was permuted."""

    name: str
    file: str
    kind: Kind
    dtype: str
    shape: list[int]
    axis: int
    offsets: list[int]


class ConversionRecord(msgspec.Struct, frozen=True):
    """Output of `convert --json`.

    Channel i of a head of the output is channel permutation[i] of that head of the input; `digest`
    is the SHA-256 of the canonical JSON {"permutation": [...]}. `output` is null when nothing was
    written. `left` names tensors that look like queries or keys and were left as they are.
    """

    input: str
    output: str | None
    source: LayoutRecord = msgspec.field(name="from")
    target: LayoutRecord = msgspec.field(name="to")
    head_dim: int
    permutation: list[int]
    digest: str
    claims: list[ClaimRecord]
    tensors: list[PermutedRecord]
    left: list[str]


class RecheckItem(msgspec.Struct, frozen=True):
    """One certificate decided again."""

    file: str
    accepted: bool
    reason: str
    claims: dict[str, str]


class RecheckRecord(msgspec.Struct, frozen=True):
    """Output of `recheck --json`."""

    certificates: list[RecheckItem]


SCHEMAS: dict[str, type[msgspec.Struct]] = {
    "classify": ClassificationRecord,
    "classify-step": StepRecord,
    "classify-axes": AxesRecord,
    "classify-outside": OutsideRecord,
    "prove": ProofRecord,
    "prove-many": ProvedManyRecord,
    "build": BuildRecord,
    "build-measured": MeasuredBuildRecord,
    "catalogue": CatalogueRecord,
    "catalogue-show": ShownEntryRecord,
    "catalogue-compare": ComparisonRecord,
    "check": CheckRecord,
    "recheck": RecheckRecord,
    "convert": ConversionRecord,
    "audit": AuditRecord,
    "audit-known": KnownTableRecord,
    "spectrum": SpectrumRecord,
}


def schema_text(name: str) -> str:
    """The JSON schema of one output, as text."""
    schema = msgspec.json.schema(SCHEMAS[name])
    return to_text({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema})


def classification_record(
    found: Classification,
    snapped: list[SnapRecord] | None = None,
    nearness: list[HeadNearnessRecord] | None = None,
    closed_forms: Sequence[str] | None = None,
    uniform: str | None = None,
) -> ClassificationRecord:
    """From the value to the published record."""
    texts: Sequence[str | None] = closed_forms or [None] * len(found.cases)
    return ClassificationRecord(
        found.encoding.name,
        found.dimension,
        len(found.encoding.heads),
        dict(found.encoding.parameters),
        [_case_record(case, text) for case, text in zip(found.cases, texts, strict=True)],
        snapped,
        nearness,
        uniform,
    )


def _case_record(case: ClassifiedCase, closed_form: str | None) -> CaseRecord:
    blocks = [
        BlockRecord(
            kind="complex" if item.block.is_pair else "real",
            **item.block.texts(),
            chain_length=item.block.chain_length,
            multiplicity=item.block.multiplicity,
            family=item.block.family,
            growth_bound=item.bound,
            half_life=None if item.half_life is None else item.half_life.text,
            period=None if item.period is None else item.period.text,
            known_encodings=list(item.known),
        )
        for item in case.blocks
    ]
    growth = GrowthRecord(case.growth.causal, case.growth.all)
    return CaseRecord(
        list(case.conditions),
        blocks,
        growth,
        case.possibly_empty,
        case.generic,
        case.undecided or None,
        closed_form,
    )
