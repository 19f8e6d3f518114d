"""The catalogue of known encodings: every name is a specification with published defaults."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from functools import cache

from symbolic_pe.encodings.encoding import Domain, Encoding
from symbolic_pe.encodings.entry import Entry, Form
from symbolic_pe.encodings.families import (
    absolute,
    additive,
    by_parts,
    decaying,
    defective,
    grape_additive,
    lag_biases,
    learned_time,
    longrope,
    position_biases,
    products,
    rescaled,
    rotary,
    rotary_variants,
    several_axes,
)
from symbolic_pe.errors import SpecificationError

MODULES = (
    rotary, rescaled, by_parts, longrope, rotary_variants, several_axes,
    decaying, learned_time,
    additive, grape_additive, lag_biases, position_biases,
    defective, products, absolute,
)  # fmt: skip
"""One module for each part of the catalogue; each has `ENTRIES`, in reading order."""


def entries() -> dict[str, Entry]:
    """Every entry by name, in reading order."""
    return {entry.name: entry for module in MODULES for entry in module.ENTRIES}


def own_kernels() -> dict[str, Entry]:
    """Entries of one generator whose kernel is of a kind of its own, no other one with new numbers.

    >>> "rope" in own_kernels(), "ntk" in own_kernels()
    (True, False)
    """
    return {name: e for name, e in entries().items() if not e.variant_of and has_generator(name)}


@cache
def has_generator(name: str) -> bool:
    """Whether an entry with its defaults is built as one generator.

    >>> has_generator("rope"), has_generator("axial"), has_generator("t5")
    (True, False, False)
    """
    return isinstance(entry_named(name).form({}), Encoding)


def entry_named(name: str) -> Entry:
    """The entry of this name. Raises `SpecificationError` with the nearest known one."""
    known = entries()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise SpecificationError(
            f"unknown encoding {name!r}{hint} (known: {', '.join(known)}; or give a .toml or "
            ".json file)"
        )
    return known[name]


def catalogue(
    name: str, settings: Mapping[str, object] | None = None, domain: Domain | None = None
) -> Encoding:
    """A known encoding of one generator, with settings given as numbers or texts.

    >>> catalogue("rope", {"dim": 8}).dimension
    8

    Raises `SpecificationError` for an unknown name or setting, with the nearest known one,
    `NotAGroup` for what has no generator, and `NotYetCovered` for several axes.
    """
    return entry_named(name).encoding(settings or {}, domain)


def catalogue_form(
    name: str, settings: Mapping[str, object] | None = None, domain: Domain | None = None
) -> Form:
    """A known encoding of whatever form: one generator, several axes, or no group.

    Raises `SpecificationError` for an unknown name or setting, with the nearest known one.
    """
    return entry_named(name).form(settings or {}, domain)
