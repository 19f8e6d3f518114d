"""The file of an encoding of one real generator: its kinds of block, its heads, their laws."""

from __future__ import annotations

from collections.abc import Collection

from symbolic_pe.encodings.encoding import Encoding, Head
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.generators.generator import Generator
from symbolic_pe.proof.claim import Outcome
from symbolic_pe.proof.prover import Proof
from symbolic_pe.proof.rocq.bias import added_module, bias_theorem, joined_definitions
from symbolic_pe.proof.rocq.blocks import head_definitions, pattern_module, patterns_of
from symbolic_pe.proof.rocq.dense import dense_head
from symbolic_pe.proof.rocq.document import RocqFile, document, parameter_facts
from symbolic_pe.proof.rocq.laws import LAWS, NEED_SKEWNESS, Binder, law_theorems
from symbolic_pe.proof.rocq.reals import variable

BASIC = ("initial-condition", "derivative", "homomorphism", "relativity", "closed-form")
BIAS = "augmentation"


def rocq_file(proof: Proof, command: str) -> RocqFile:
    """The file of an encoding whose claims were decided.

    Only claims that were proved are stated. Raises `NotYetCovered` where none of them can be.
    """
    encoding = proof.encoding
    stated, omitted = _selected(proof)
    if not set(stated) & set(BASIC):
        raise NotYetCovered(f"{encoding.name}: no law was proved, so there is nothing to export")
    try:
        modules = _modules(encoding, stated)
    except _BiasLeftOut as error:
        stated = [name for name in stated if name != BIAS]
        omitted = [*omitted, (BIAS, str(error))]
        modules = _modules(encoding, stated)
    facts = {"dimension": f"{encoding.dimension}, heads {len(encoding.heads)}"}
    return document(
        (encoding.name, encoding.title),
        command,
        {**facts, **parameter_facts(encoding.parameters)},
        modules,
        (stated, omitted),
    )


def _selected(proof: Proof) -> tuple[list[str], list[tuple[str, str]]]:
    """The claims that are stated, in the order of the laws, and the others with the reason."""
    proved = {c.name for c in proof.claims if c.verdict is Outcome.PROVED}
    omitted = {c.name: f"it is {c.verdict.value}" for c in proof.claims if c.name not in proved}
    if "orthogonality" not in proved:
        one_map = {"relativity"} if proof.encoding.pairing == "one-map" else set()
        for name in proved & {*NEED_SKEWNESS, *one_map}:
            omitted[name] = "the theory states it of skew generators"
    stated = [name for name in (*LAWS, BIAS) if name in proved and name not in omitted]
    for name in proved - {*stated, *omitted}:
        omitted[name] = "the theory has no statement of it"
    return stated, sorted(omitted.items())


def _modules(encoding: Encoding, stated: Collection[str]) -> list[str]:
    """One module for each kind of block, then one for each head."""
    shared = dict.fromkeys(p for h in encoding.heads for p in patterns_of(h.generator))
    modules = [pattern_module(pattern) for pattern in shared]
    for index, head in enumerate(encoding.heads):
        parts = _head(encoding, head, stated)
        modules.append("\n\n".join([f"Module Head_{index}.", *parts, f"End Head_{index}."]))
    return modules


class _BiasLeftOut(Exception):
    """The laws can be stated, but not the bias."""


def _head(encoding: Encoding, head: Head, stated: Collection[str]) -> list[str]:
    """Definitions and theorems of one head."""
    generator, added = head.generator, head.augmentation
    reals = tuple(variable(name) for name in sorted(encoding.parameters))
    binder, content = _content(generator, reals, skew="orthogonality" in stated)
    one_map = encoding.pairing == "one-map"
    if added is None:
        return [content, *law_theorems(generator.dimension, binder, stated, one_map=one_map)]
    dimension = generator.dimension + added.coordinates
    with_bias = BIAS in stated
    try:
        coordinates = added_module(added, binder, with_bias=with_bias)
    except NotYetCovered as error:
        if with_bias:
            raise _BiasLeftOut(str(error)) from None
        raise
    parts = [
        f"Module Content.\n\n{content}\n\nEnd Content.",
        coordinates,
        joined_definitions(generator.dimension, added, binder),
        *law_theorems(dimension, binder, stated, one_map=one_map),
    ]
    return [*parts, bias_theorem(generator.dimension, added, binder)] if with_bias else parts


def _content(generator: Generator, reals: tuple[str, ...], *, skew: bool) -> tuple[Binder, str]:
    if generator.placed is not None:
        binder = Binder(reals=reals)
        return binder, head_definitions(generator, binder)
    return dense_head(generator, reals, skew=skew)
