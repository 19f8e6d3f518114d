"""The entry point: a callable, a name or a subject, to a report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numeric_check.audit.discovery import describe_maps
from numeric_check.audit.finding import AuditReport
from numeric_check.audit.libraries import single_thread
from numeric_check.audit.loading import deep_copies, load
from numeric_check.audit.maps_audit import Progress, audit_maps
from numeric_check.audit.subject import MapSubject, Subject
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.encodings.specification import read_specification
from symbolic_pe.errors import AuditError


def audit(
    subject: str | Subject | Callable[..., Any],
    *,
    key: str | Callable[..., Any] | None = None,
    against: str | Encoding | None = None,
    dimension: int | None = None,
    library: str | None = None,
    gain: float | None = None,
    strict: bool = False,
    deep: bool = False,
    progress: Progress = lambda _: None,
) -> AuditReport:
    """Audit a callable f(x, positions), its name `module:attribute`, or a `Subject`.

    key        the map of keys, where it is another one
    against    the encoding that it should be: a catalogue name with settings, or an `Encoding`
    dimension  channels d of x (…, n, d); found out when not given
    gain       the c² that F(t)ᵀG(t) = c²I should have, such as 2.0047
    strict     layouts and orientations must be the declared ones (the weights are given)

    >>> import numpy as np
    >>> def rope(x, positions):
    ...     angle = positions[:, None] * 100.0 ** (-np.arange(0, 4, 2) / 4)
    ...     c, s, (a, b) = np.cos(angle), np.sin(angle), np.split(x, 2, axis=-1)
    ...     return np.concatenate([a * c - b * s, a * s + b * c], axis=-1)
    >>> audit(rope, dimension=4, against="rope:dim=4,base=100,layout=half").verdict
    'consistent'

    Raises `AuditError` for a subject that cannot be found or called, `SpecificationError` for a
    wrong specification.
    """
    declared = read_specification(against) if isinstance(against, str) else against
    if not isinstance(subject, (str, MapSubject)) and not callable(subject):
        raise AuditError(f"expected a callable or module:attribute, got {type(subject).__name__}")
    if dimension is None and declared is not None:
        dimension = declared.dimension
    maps = subject if isinstance(subject, MapSubject) else _maps(subject, key, dimension, library)
    with single_thread(maps.library):
        return audit_maps(
            maps,
            declared,
            spec=against if isinstance(against, str) else "",
            gain=gain,
            strict=strict,
            deep=deep,
            progress=progress,
        )


def _maps(
    subject: Any, key: str | Callable[..., Any] | None, dimension: int | None, library: str | None
) -> MapSubject:
    if isinstance(subject, str):
        return _named_maps(subject, key if isinstance(key, str) else None, dimension, library)
    other = subject if key is None else key
    if isinstance(other, str):
        other = load(other).value
    name = getattr(subject, "__qualname__", type(subject).__name__)
    copies = deep_copies(subject) if other is subject else None
    found = describe_maps(name, subject, other, dimension=dimension, library=library)
    if copies is None:
        return found
    return _with_fresh(found, copies)


def _with_fresh(found: MapSubject, make: Callable[[], Any]) -> MapSubject:
    from dataclasses import replace

    def fresh() -> MapSubject:
        value = make()
        return replace(found, query=value, key=value, fresh=None)

    return replace(found, fresh=fresh)


def _named_maps(
    text: str, key: str | None, dimension: int | None, library: str | None
) -> MapSubject:
    from dataclasses import replace

    query = load(text)
    other = query if key is None else load(key)
    alias = [
        f"{x.origin}; {n} = {x.name.rpartition(':')[2]}" for x, n in ((query, "f"), (other, "g"))
    ]
    found = describe_maps(
        text,
        query.value,
        other.value,
        dimension=dimension,
        library=library,
        origin=(alias[0], alias[1] if key is not None else ""),
    )
    if query.fresh is None:
        return found
    make = query.fresh

    def fresh() -> MapSubject:
        value = make()
        return replace(found, query=value, key=value if key is None else found.key, fresh=None)

    return replace(found, fresh=fresh)


def subject_named(text: str) -> MapSubject:
    """The subject of `module:attribute` or of a known package, as reproductions ask for it."""
    return _named_maps(text, None, None, None)
