"""The file of an encoding of one real generator: its kinds of block, its heads, their laws."""

from __future__ import annotations

from collections.abc import Collection

from symbolic_pe.encodings.encoding import Encoding, Head
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.form import JordanCase
from symbolic_pe.proof.claim import Outcome
from symbolic_pe.proof.prover import Proof
from symbolic_pe.proof.rocq.bias import AddedCoordinates, bias_theorem, joined_definitions
from symbolic_pe.proof.rocq.blocks import pattern_module
from symbolic_pe.proof.rocq.contraction import contracts
from symbolic_pe.proof.rocq.dense import dense_head
from symbolic_pe.proof.rocq.document import RocqFile, document, parameter_facts
from symbolic_pe.proof.rocq.laws import LAWS, NEED_SKEWNESS, Binder, law_theorems
from symbolic_pe.proof.rocq.placed import (
    contraction_definitions,
    head_definitions,
    patterns_of,
)
from symbolic_pe.proof.rocq.reals import variable

BASIC = ("initial-condition", "derivative", "homomorphism", "relativity", "closed-form")
BIAS, NOT_BIAS = "augmentation", "not-augmentation"
ONLY_THERE = {
    "bounded-causal": "the theory states it of skew generators, and of decays and damped planes "
    "whose rates are rational numbers or sums of logarithms"
}
REFUTED = "it is refuted"
REFUTED_HERE = f"{REFUTED}, also here: theorem not_the_bias"


def rocq_file(proof: Proof, command: str) -> RocqFile:
    """The file of an encoding whose claims were decided.

    Only claims that were proved are stated. Raises `NotYetCovered` where none of them can be.
    """
    encoding = proof.encoding
    stated, omitted = _selected(proof)
    if not set(stated) & set(BASIC):
        raise NotYetCovered(f"{encoding.name}: no law was proved, so there is nothing to export")
    try:
        refuted = dict(omitted).get(BIAS) == REFUTED
        modules = _modules(proof, [*stated, NOT_BIAS] if refuted else stated)
    except _BiasLeftOut as error:
        stated = [name for name in stated if name != BIAS]
        omitted = [*omitted, (BIAS, str(error))]
        modules = _modules(proof, stated)
    if any("Theorem not_the_bias" in module for module in modules):
        omitted = [(name, REFUTED_HERE if name == BIAS else why) for name, why in omitted]
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
        needed = set(NEED_SKEWNESS) - ({"bounded-causal"} if contracts(proof.encoding) else set())
        one_map = {"relativity"} if proof.encoding.pairing == "one-map" else set()
        for name in proved & (needed | one_map):
            omitted[name] = ONLY_THERE.get(name, "the theory states it of skew generators")
    stated = [name for name in (*LAWS, BIAS) if name in proved and name not in omitted]
    for name in proved - {*stated, *omitted}:
        omitted[name] = "the theory has no statement of it"
    return stated, sorted(omitted.items())


def _modules(proof: Proof, stated: Collection[str]) -> list[str]:
    """One module for each kind of block, then one for each head."""
    encoding = proof.encoding
    shared = dict.fromkeys(p for h in encoding.heads for p in patterns_of(h.generator))
    modules = [pattern_module(pattern) for pattern in shared]
    for index, head in enumerate(encoding.heads):
        # With constant coordinates the known form is that of content and coordinates together.
        known = [case for i, case in proof.cases if i == index and head.augmentation is None]
        modules.append(_module(f"Head_{index}", *_head(encoding, head, known, stated)))
    return modules


class _BiasLeftOut(Exception):
    """The laws can be stated, but not the bias."""


def _head(
    encoding: Encoding, head: Head, known: list[JordanCase], stated: Collection[str]
) -> list[str]:
    """Definitions and theorems of one head."""
    generator, added = head.generator, head.augmentation
    reals = tuple(variable(name) for name in sorted(encoding.parameters))
    if generator.placed is not None:
        binder = Binder(reals=reals)
        content = head_definitions(generator, binder)
        if "bounded-causal" in stated and "orthogonality" not in stated:
            content += "\n\n" + contraction_definitions(generator, binder)
    else:
        case = known[0] if known else None
        binder, content = dense_head(generator, reals, case, skew="orthogonality" in stated)
    one_map = encoding.pairing == "one-map"
    if added is None:
        return [content, *law_theorems(generator.dimension, binder, stated, one_map=one_map)]
    dimension = generator.dimension + added.coordinates
    coordinates = AddedCoordinates.of(added, binder)
    parts = [
        _module("Content", content),
        _module("Added", coordinates.flow(), *_bias(coordinates, generator, stated)),
        joined_definitions(generator.dimension, added, binder),
        *law_theorems(dimension, binder, stated, one_map=one_map),
    ]
    if BIAS in stated:
        parts.append(bias_theorem(generator.dimension, added, binder))
    return parts


def _bias(
    coordinates: AddedCoordinates, generator: Generator, stated: Collection[str]
) -> list[str]:
    """What a head says of its bias: that it is realised, that it is not, or nothing."""
    if BIAS in stated:
        try:
            return [coordinates.bias()]
        except NotYetCovered as error:
            raise _BiasLeftOut(str(error)) from None
    if NOT_BIAS not in stated:
        return []
    refutation = coordinates.refutation(generator.assumptions)
    return [] if refutation is None else [refutation]


def _module(name: str, *parts: str) -> str:
    return "\n\n".join([f"Module {name}.", *parts, f"End {name}."])
