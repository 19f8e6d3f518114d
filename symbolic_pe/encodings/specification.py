"""Read a specification: a catalogue name with settings, a TOML file, or a JSON matrix.

Nothing in a specification is ever evaluated as code. Reading is strict: unknown keys, wrong types
and impossible values are refused with the place, what was expected and what came.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.complex_scalar import C_ZERO, ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial, Term
from symbolic_pe.algebra.expression import NAME, RESERVED, parse
from symbolic_pe.algebra.matrix import ScalarMatrix, scalar_matrix
from symbolic_pe.algebra.scalar import ONE, Scalar
from symbolic_pe.encodings.augmentation import augmentation
from symbolic_pe.encodings.catalogue import catalogue, entries
from symbolic_pe.encodings.decoding import (
    as_choice,
    as_integer,
    as_list,
    as_table,
    as_text,
    decode_json,
    decode_toml,
    kind_of,
    known_keys,
    written,
)
from symbolic_pe.encodings.encoding import (
    ANGLES,
    MAX_HEADS,
    Augmentation,
    Domain,
    Encoding,
    Head,
    Verdict,
)
from symbolic_pe.encodings.layout import LAYOUTS, place_consecutively, place_planes
from symbolic_pe.encodings.model_config import is_config, resolve
from symbolic_pe.encodings.realisation import minimal_augmentation
from symbolic_pe.errors import SpecificationError
from symbolic_pe.generators.block import Block, PlacedBlock
from symbolic_pe.generators.generator import MAX_DIMENSION, Generator, check_square

MAX_FILE_BYTES = 4_000_000
ENCODING_NAME = re.compile(r"[a-z][a-z0-9-]{0,63}")
ASSERTABLE = ("orthogonality", "bounded-causal", "bounded-all")
GENERATOR_KEYS = ("matrix", "matrices", "blocks")
PAIRINGS = ("contragredient", "one-map")
T = TypeVar("T")

_SECTIONS = ("encoding", "parameters", "generator", "heads", "domain", "augmentation", "claims")


def read_specification(spec: str) -> Encoding:
    """Read SPEC as given on the command line, as the encoding of a generator.

    A text ending in .toml or .json is a file; anything else is a catalogue name, optionally with
    settings: `rope:dim=128,base=500000,layout=half`.

    Raises `SpecificationError` (or its subclass `ExpressionError`), and `NotYetCovered` for a
    [step] or [[axes]], which `encodings.forms` reads.
    """
    return read_with(spec, from_document, catalogue)


def read_with(
    spec: str,
    build: Callable[[Any, str], T],
    look_up: Callable[[str, Mapping[str, object]], T],
) -> T:
    """Read SPEC: a catalogue name by `look_up(name, settings)`, a file by `build(document, name)`.

    The name that `build` receives is that of the file, for documents without one.
    """
    if not spec.strip():
        raise SpecificationError("expected a specification, got an empty text")
    file, _, layers = spec.partition("#")
    if layers and file.lower().endswith(".json"):
        return _in_file(file, lambda text: look_up(*resolve(_config(decode_json(text)), layers)))
    lowered = spec.lower()
    if lowered.endswith(".toml"):
        return _in_file(spec, lambda text: build(decode_toml(text), _stem(spec)))
    if lowered.endswith(".json"):
        return _in_file(spec, lambda text: build(decode_json(text), _stem(spec)))
    if "/" in spec.split(":", maxsplit=1)[0] or Path(spec).is_file():
        raise SpecificationError(
            f"{spec}: expected a catalogue name, or a file ending in .toml or .json (arrays, in "
            ".npy, .npz and .safetensors, are read by read_array and by the command line)"
        )
    return look_up(*name_and_settings(spec))


def _config(document: Any) -> dict[str, Any]:
    table = as_table(document, "the document")
    if not is_config(table):
        raise SpecificationError("expected a model's config.json before the #")
    return table


def name_and_settings(spec: str) -> tuple[str, dict[str, object]]:
    """The parts of `name:setting=value,setting=value`.

    >>> name_and_settings("rope:dim=8")
    ('rope', {'dim': '8'})

    Raises `SpecificationError` for a setting without value or one given twice.
    """
    name, _, settings = spec.partition(":")
    return name.strip(), _settings(spec, settings)


def _settings(spec: str, text: str) -> dict[str, object]:
    settings: dict[str, object] = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        name, equals, value = part.partition("=")
        name = name.strip()
        if not equals:
            raise SpecificationError(
                f"{spec}: expected settings as name=value separated by commas, got {part!r}"
            )
        if name in settings:
            raise SpecificationError(f"{spec}: setting {name!r} is given twice")
        settings[name] = value.strip()
    return settings


def _in_file(spec: str, read: Callable[[str], T]) -> T:
    path = Path(spec)
    try:
        if path.exists() and not path.is_file():
            kind = "a directory" if path.is_dir() else "no regular file"
            raise SpecificationError(f"{spec}: expected a file, got {kind}")
        if path.stat().st_size > MAX_FILE_BYTES:
            raise SpecificationError(
                f"{spec}: expected a file of at most {MAX_FILE_BYTES} bytes, "
                f"got {path.stat().st_size}"
            )
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise SpecificationError(f"{spec}: no such file") from None
    except IsADirectoryError:
        raise SpecificationError(f"{spec}: expected a file, got a directory") from None
    except UnicodeDecodeError:
        raise SpecificationError(f"{spec}: expected UTF-8 text") from None
    except (OSError, ValueError) as error:
        raise SpecificationError(f"{spec}: cannot be read: {error}") from None
    try:
        return read(text)
    except SpecificationError as error:
        raise SpecificationError(f"{spec}: {error}") from None


def _stem(spec: str) -> str:
    return name_from_file(Path(spec).stem)


def name_from_file(stem: str) -> str:
    """A name of an encoding made from the name of a file."""
    name = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-")
    return name if ENCODING_NAME.fullmatch(name) else "encoding"


# -- documents --------------------------------------------------------------------------------


def from_document(document: Any, default_name: str = "encoding") -> Encoding:
    """Build an encoding from a decoded document.

    Three forms: the TOML sections; `{"matrix": …, "parameters": …}`; and the canonical
    `{"catalogue": name, "settings": …}` that emitted headers carry.
    """
    table = as_document(document)
    if "step" in table or "axes" in table:
        from symbolic_pe.encodings.forms import no_single_generator

        raise no_single_generator(table, default_name)
    if "catalogue" in table:
        return in_catalogue(table, catalogue)
    if is_config(table):
        return catalogue(*resolve(table))
    if any(key in table for key in GENERATOR_KEYS):
        return _from_sections(_as_sections(table), default_name)
    return _from_sections(table, default_name)


def as_document(document: Any) -> dict[str, Any]:
    """The table that a document is."""
    if isinstance(document, list):
        raise SpecificationError(
            'the document: expected a table such as {"matrix": [["0", "1"], ["-1", "0"]]}, got a '
            "list"
        )
    return as_table(document, "the document")


def in_catalogue(
    table: dict[str, Any], look_up: Callable[[str, Mapping[str, object], Domain | None], T]
) -> T:
    """The entry that `{"catalogue": name, "settings": …}` names, by `look_up`."""
    known_keys(table, ("catalogue", "settings", "domain"), "the document")
    domain = _domain(table["domain"]) if "domain" in table else None
    name = as_text(table["catalogue"], "catalogue")
    return look_up(name, as_table(table.get("settings", {}), "settings"), domain)


def _as_sections(table: dict[str, Any]) -> dict[str, Any]:
    known_keys(
        table,
        (
            "name",
            "title",
            "layout",
            "pairing",
            "angles",
            "matrix",
            "matrices",
            "blocks",
            "parameters",
            "heads",
            "domain",
            "augmentation",
            "claims",
        ),
        "the document",
    )
    encoding = {k: table[k] for k in ("name", "title", "layout", "pairing", "angles") if k in table}
    generator = {k: table[k] for k in GENERATOR_KEYS if k in table}
    rest: dict[str, Any] = {
        k: table[k]
        for k in ("parameters", "heads", "domain", "augmentation", "claims")
        if k in table
    }
    return {"encoding": encoding, "generator": generator, **rest}


def _from_sections(table: dict[str, Any], default_name: str) -> Encoding:
    known_keys(table, _SECTIONS, "the document")
    if "generator" not in table:
        raise SpecificationError(
            "expected a [generator] section (matrix, matrices, blocks, or a catalogue name), "
            f"a [step] or [[axes]], got {', '.join(table) or 'nothing'}"
        )
    head = as_table(table.get("encoding", {}), "[encoding]")
    known_keys(head, ("name", "title", "layout", "pairing", "angles"), "[encoding]")
    name = encoding_name(head, default_name)
    layout = as_choice(head.get("layout", "interleaved"), LAYOUTS, "[encoding] layout")
    pairing = as_choice(head.get("pairing", "contragredient"), PAIRINGS, "[encoding] pairing")
    angles = as_choice(head.get("angles", "float64"), ANGLES, "[encoding] angles")
    parameters = declared_parameters(table.get("parameters", {}))
    assumptions = Assumptions.declare(parameters)
    domain = _domain(table["domain"]) if "domain" in table else Domain()
    per_head = _heads(table.get("heads", {}), parameters)
    generator = as_table(table["generator"], "[generator]")
    built: list[Head] = []
    base: Encoding | None = None
    for values in per_head:
        context = Context(assumptions, values)
        if _catalogue_key(generator):
            base = _catalogue_generator(generator)
            content = [
                Generator(
                    h.generator.dimension, h.generator.placed, h.generator.entries, assumptions
                )
                for h in base.heads
            ]
        else:
            content = _generators(generator, context, layout, len(per_head))
        added = _augmentation(table["augmentation"], context) if "augmentation" in table else None
        own = [h.augmentation for h in base.heads] if base is not None else [None] * len(content)
        built.extend(
            Head(g, added if added is not None else o) for g, o in zip(content, own, strict=True)
        )
    if len(built) > MAX_HEADS:
        raise SpecificationError(f"expected at most {MAX_HEADS} heads, got {len(built)}")
    verdict = Verdict.AUGMENTED if built[0].augmentation is not None else Verdict.GROUP
    return Encoding(
        name,
        tuple(built),
        verdict=base.verdict if base is not None and verdict is Verdict.GROUP else verdict,
        layout=base.layout if base is not None else layout if "blocks" in generator else "as given",
        domain=domain if "domain" in table or base is None else base.domain,
        clock=base.clock if base is not None else "position",
        angles=angles if base is None or "angles" in head else base.angles,
        schedules=base.schedules if base is not None else (),
        pairing=pairing,
        asserted=_claims(table.get("claims", [])),
        specification=_canonical(table, name),
        title=as_text(head.get("title", ""), "[encoding] title"),
    )


def encoding_name(head: Mapping[str, Any], default_name: str) -> str:
    """The name in an [encoding] section."""
    name = as_text(head.get("name", default_name), "[encoding] name")
    if not ENCODING_NAME.fullmatch(name):
        raise SpecificationError(
            "[encoding] name: expected lower-case letters, digits and dashes, starting with a "
            f"letter, got {name!r}"
        )
    return name


class Context:
    """What names mean inside expressions of one head."""

    def __init__(self, assumptions: Assumptions, values: Mapping[str, Scalar]):
        self.assumptions = assumptions
        self.values = values

    def number(self, value: Any, place: str) -> Scalar:
        """One exact number."""
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            raise SpecificationError(
                f"{place}: expected a number or a text in the input grammar, got {kind_of(value)}"
            )
        text = written(value, place)
        try:
            return parse(text, self.assumptions.declared, self.assumptions, self.values)
        except SpecificationError as error:
            raise SpecificationError(f"{place}: {error}") from None

    def function(self, value: Any, place: str) -> ExponentialPolynomial:
        """A polynomial in tau."""
        text = as_text(value, place)
        values = {**self.values, "tau": Scalar.symbol("tau")}
        try:
            scalar = parse(text, self.assumptions.declared, self.assumptions, values)
        except SpecificationError as error:
            raise SpecificationError(f"{place}: {error}") from None
        return _polynomial_in_tau(scalar, place)

    def matrix(self, value: Any, place: str) -> ScalarMatrix:
        """A square matrix of exact numbers."""
        rows = as_list(value, place)
        check_square(
            [len(as_list(row, f"{place} row {i + 1}")) for i, row in enumerate(rows)], place
        )
        return scalar_matrix(
            [
                [self.number(x, f"{place} row {i + 1}, column {j + 1}") for j, x in enumerate(row)]
                for i, row in enumerate(rows)
            ]
        )


def _polynomial_in_tau(scalar: Scalar, place: str) -> ExponentialPolynomial:
    terms: dict[Term, ComplexScalar] = {}
    for radical, coefficient in scalar.terms.items():
        top, bottom = coefficient.split()
        if bottom.degree_in("tau") or any("tau" in a.value.used_names() for a, _ in radical):
            raise SpecificationError(f"{place}: expected a polynomial in tau, got {scalar}")
        for degree, part in enumerate(top.coefficients_in("tau")):
            key = Term((degree,), (C_ZERO,))
            value = ComplexScalar(Scalar({radical: part / bottom}))
            terms[key] = terms.get(key, C_ZERO) + value
    if "tau" in {n for c in terms.values() for n in c.re.parameters()}:
        raise SpecificationError(f"{place}: expected a polynomial in tau, got {scalar}")
    return ExponentialPolynomial(("t",), terms)


def _generators(
    table: dict[str, Any], context: Context, layout: str, heads: int
) -> list[Generator]:
    """One generator, or with `matrices` one per head."""
    if set(table) != {"matrices"}:
        return [_generator(table, context, layout)]
    if heads > 1:
        raise SpecificationError(
            "[generator] matrices: gives every head its own matrix, so [heads] is left out"
        )
    matrices = as_list(table["matrices"], "[generator] matrices")
    if not matrices:
        raise SpecificationError("[generator] matrices: expected at least one matrix")
    result = []
    for index, rows in enumerate(matrices):
        matrix = context.matrix(rows, f"[generator] matrices, item {index + 1}")
        result.append(Generator(len(matrix), None, matrix, context.assumptions))
    return result


def _generator(table: dict[str, Any], context: Context, layout: str) -> Generator:
    known_keys(table, (*GENERATOR_KEYS, *entries()), "[generator]")
    if len(table) != 1:
        raise SpecificationError(
            "[generator]: expected exactly one of matrix, matrices, blocks or a catalogue name, "
            f"got {', '.join(table) or 'nothing'}"
        )
    return generator_of(table, context, layout, "[generator]")


def generator_of(table: dict[str, Any], context: Context, layout: str, place: str) -> Generator:
    """The generator of a section that has `matrix` or `blocks`."""
    if "matrix" in table:
        matrix = context.matrix(table["matrix"], f"{place} matrix")
        return Generator(len(matrix), None, matrix, context.assumptions)
    blocks = [
        block_of(item, context, f"{place} blocks, item {i + 1}")
        for i, item in enumerate(as_list(table["blocks"], f"{place} blocks"))
    ]
    flat = [block for block, count in blocks for _ in range(count)]
    if not flat:
        raise SpecificationError(f"{place} blocks: expected at least one block")
    return Generator.from_blocks(_place(flat, layout), context.assumptions)


def _place(blocks: list[Block], layout: str) -> list[PlacedBlock]:
    if layout == "interleaved":
        return place_consecutively(blocks)
    planes = [b for b in blocks if b.is_pair]
    rest = [b for b in blocks if not b.is_pair]
    if any(b.chain_length > 1 for b in planes):
        raise SpecificationError(
            '[encoding] layout: "half" places single planes; chains of rotations are placed '
            'with layout = "interleaved"'
        )
    return place_planes(planes, layout) + place_consecutively(rest, start=2 * len(planes))


def block_of(item: Any, context: Context, place: str) -> tuple[Block, int]:
    """One item of `blocks`: the block, and how often it is repeated."""
    table = as_table(item, place)
    known_keys(table, ("rate", "frequency", "chain_length", "shear", "repeat"), place)
    chain = as_integer(table.get("chain_length", 1), f"{place}: chain_length", 1, 64)
    repeat = as_integer(table.get("repeat", 1), f"{place}: repeat", 1, MAX_DIMENSION)
    return (
        Block(
            context.number(table.get("rate", 0), f"{place}: rate"),
            context.number(table.get("frequency", 0), f"{place}: frequency"),
            chain,
            context.number(table["shear"], f"{place}: shear") if "shear" in table else ONE,
        ),
        repeat,
    )


def _catalogue_key(table: dict[str, Any]) -> bool:
    return len(table) == 1 and next(iter(table)) in entries()


def _catalogue_generator(table: dict[str, Any]) -> Encoding:
    ((name, settings),) = table.items()
    return catalogue(name, as_table(settings, f"[generator] {name}"))


def _augmentation(value: Any, context: Context) -> Augmentation:
    table = as_table(value, "[augmentation]")
    known_keys(table, ("query", "key", "generator", "bias"), "[augmentation]")
    if set(table) == {"bias"}:
        return minimal_augmentation(
            context.function(table["bias"], "[augmentation] bias")
        ).augmentation
    for field in ("query", "key", "generator"):
        if field not in table:
            raise SpecificationError(f"[augmentation]: expected the key {field!r}")

    def vector(field: str) -> list[Scalar]:
        place = f"[augmentation] {field}"
        return [context.number(x, place) for x in as_list(table[field], place)]

    bias = context.function(table["bias"], "[augmentation] bias") if "bias" in table else None
    return augmentation(
        vector("query"),
        vector("key"),
        context.matrix(table["generator"], "[augmentation] generator"),
        bias,
    )


def _heads(value: Any, parameters: Mapping[str, str]) -> list[dict[str, Scalar]]:
    """[heads]: for each named constant, its value in every head."""
    table = as_table(value, "[heads]")
    if not table:
        return [{}]
    columns: dict[str, list[Scalar]] = {}
    for name, items in table.items():
        _check_name(name, "[heads]")
        if name in parameters:
            raise SpecificationError(f"[heads]: {name!r} is declared in [parameters] too")
        values = as_list(items, f"[heads] {name}")
        context = Context(Assumptions(), {})
        columns[name] = [
            context.number(x, f"[heads] {name}, item {i + 1}") for i, x in enumerate(values)
        ]
    counts = {name: len(column) for name, column in columns.items()}
    if len(set(counts.values())) != 1 or 0 in counts.values():
        raise SpecificationError(
            f"[heads]: every list needs the same length, one value per head, got {counts}"
        )
    return [
        {name: column[h] for name, column in columns.items()}
        for h in range(next(iter(counts.values())))
    ]


def declared_parameters(value: Any) -> dict[str, str]:
    """[parameters]: names with what is assumed of them."""
    table = as_table(value, "[parameters]")
    for name, text in table.items():
        _check_name(name, "[parameters]")
        if not isinstance(text, str):
            raise SpecificationError(
                f'[parameters] {name}: expected a text such as "positive", got {kind_of(text)}'
            )
    return {str(k): str(v) for k, v in table.items()}


def _check_name(name: str, place: str) -> None:
    if not NAME.fullmatch(name) or name in RESERVED or name == "tau" or len(name) > 32:
        raise SpecificationError(
            f"{place}: {name!r} cannot name a parameter; use letters, digits and underscores, "
            f"starting with a letter, and none of {', '.join(sorted(RESERVED | {'tau'}))}"
        )


def _domain(value: Any) -> Domain:
    table = as_table(value, "[domain]")
    known_keys(table, ("time", "causal", "max_position"), "[domain]")
    causal = table.get("causal", True)
    if not isinstance(causal, bool):
        raise SpecificationError(f"[domain] causal: expected true or false, got {kind_of(causal)}")
    return Domain(
        as_text(table.get("time", "integer"), "[domain] time"),
        causal,
        as_integer(table.get("max_position", 1_048_576), "[domain] max_position", 1, 2**40),
    )


def _claims(value: Any) -> tuple[str, ...]:
    names = [as_choice(x, ASSERTABLE, "claims") for x in as_list(value, "claims")]
    return tuple(dict.fromkeys(names))


def _canonical(table: dict[str, Any], name: str) -> dict[str, object]:
    document = {key: table[key] for key in _SECTIONS if key in table}
    encoding = {**as_table(document.get("encoding", {}), "[encoding]"), "name": name}
    return {**document, "encoding": encoding}
