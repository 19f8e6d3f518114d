"""Claims that others published, in our own words, for the table of what is decided of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PublishedClaim:
    """One claim.

    key    by which answers of derivations name it: `S1.9`, `8.1-3`
    text   what is claimed, Markdown with $…$
    where  where it stands, if not in the source of the whole table
    parts  keys of finer statements whose answers are answers to this claim
    """

    key: str
    text: str
    where: str = ""
    parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClaimTable:
    """The claims of one source."""

    title: str
    source: str
    claims: tuple[PublishedClaim, ...]
