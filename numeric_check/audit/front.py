"""The entry point: a callable, a name or a subject, to a report."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from numeric_check.audit.adapters import KINDS, Adapted, read_adapter
from numeric_check.audit.axes_audit import audit_axes
from numeric_check.audit.bias_audit import audit_bias
from numeric_check.audit.discovery import (
    describe_bias,
    describe_maps,
    describe_score,
    describe_table,
)
from numeric_check.audit.finding import AuditReport
from numeric_check.audit.libraries import LIBRARIES, single_thread
from numeric_check.audit.loading import Loaded, copies, executed_again, load
from numeric_check.audit.maps_audit import Progress, audit_maps
from numeric_check.audit.reproduce.writing import LOCAL
from numeric_check.audit.score_audit import audit_score
from numeric_check.audit.subject import (
    BiasSubject,
    MapSubject,
    ScoreSubject,
    Subject,
    TableSubject,
)
from numeric_check.audit.table_audit import audit_table
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.encodings.forms import SeveralAxes, Specification, read_any_specification
from symbolic_pe.encodings.outside import Outside
from symbolic_pe.errors import AuditError, SpecificationError


@dataclass(frozen=True)
class Options:
    """What may be stated about a subject; None means: find out.

    kind       maps, score, bias or table
    key        the map of keys, where it is another one
    dimension  channels d of x (…, n, d)
    axes       coordinates of a position
    gain       the c² that F(t)ᵀG(t) = c²I should have
    strict     layouts and orientations must be the declared ones (the weights are given)
    causal     a score or bias is judged for s ≤ t only
    deep       also compilers
    clock      positions are real numbers that may be learned: values between integers, gradients
    """

    kind: str = "maps"
    key: str | Callable[..., Any] | None = None
    dimension: int | None = None
    axes: int = 1
    library: str | None = None
    gain: float | None = None
    strict: bool = False
    causal: bool = False
    deep: bool = False
    clock: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise AuditError(f"kind: expected one of {', '.join(KINDS)}, got {self.kind!r}")
        if self.library is not None and self.library not in LIBRARIES:
            raise AuditError(
                f"library: expected one of {', '.join(LIBRARIES)}, got {self.library!r}"
            )
        if self.gain is not None and not (_is_number(self.gain) and self.gain > 0):
            raise AuditError(f"gain: expected a positive number, got {self.gain!r}")
        for name, least in (("dimension", None), ("axes", 1)):
            value = getattr(self, name)
            if value is not least and not (_is_integer(value) and value > 0):
                raise AuditError(f"{name}: expected a positive integer, got {value!r}")
        for name in ("strict", "causal", "deep", "clock"):
            if not isinstance(getattr(self, name), bool):
                raise AuditError(f"{name}: expected True or False, got {getattr(self, name)!r}")

    def check(self, subject: Subject, *, against: bool) -> None:
        """Raise `AuditError` for what is stated and says nothing about this kind of subject."""
        kind = _kind_of(subject)
        default = Options()
        for name, kinds in APPLIES.items():
            if getattr(self, name) != getattr(default, name) and kind not in kinds:
                raise AuditError(
                    f"{name}: it says nothing about {WORDS[kind]}; expected "
                    f"{' or '.join(WORDS[k] for k in kinds)}"
                )
        if self.strict and not against:
            raise AuditError("strict: expected a specification to be strict about (against)")


APPLIES: Mapping[str, tuple[str, ...]] = {
    "key": ("maps", "axes"),
    "dimension": ("maps", "axes", "score"),
    "axes": ("axes",),
    "gain": ("maps", "score"),
    "strict": ("maps", "axes", "score"),
    "causal": ("score", "bias"),
    "deep": ("maps", "axes"),
    "clock": ("maps",),
}
"""Which kinds of subjects an option says something about."""
WORDS = {
    "maps": "a pair of maps", "axes": "maps with several axes", "score": "a score",
    "bias": "a bias", "table": "a table",
}  # fmt: skip


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _kind_of(subject: Subject) -> str:
    if isinstance(subject, MapSubject):
        return "maps" if subject.axes == 1 else "axes"
    return {ScoreSubject: "score", BiasSubject: "bias", TableSubject: "table"}[type(subject)]


def audit(
    subject: str | Path | Subject | Callable[..., Any],
    *,
    against: str | Specification | None = None,
    beside: str | None = None,
    progress: Progress = lambda _: None,
    **stated: Any,
) -> AuditReport:
    """Audit a callable, its name `module:attribute`, an adapter file, or a `Subject`.

    subject  f(x, positions); with kind="score" f(q, k, query_positions, key_positions), with
             kind="bias" f(query_positions, key_positions), with kind="table" f(positions)
    against  the encoding that it should be: a specification, as text or as a value
    beside   module:attribute that an adapter file is about, where it names none itself
    stated   the fields of `Options`

    >>> import numpy as np
    >>> def rope(x, positions):
    ...     angle = positions[:, None] * 100.0 ** (-np.arange(0, 4, 2) / 4)
    ...     c, s, (a, b) = np.cos(angle), np.sin(angle), np.split(x, 2, axis=-1)
    ...     return np.concatenate([a * c - b * s, a * s + b * c], axis=-1)
    >>> audit(rope, dimension=4, against="rope:dim=4,base=100,layout=half").verdict
    'consistent'

    Raises `AuditError` for a subject that cannot be found or called, or an option that says nothing
    about it, `SpecificationError` for a wrong specification.
    """
    unknown = sorted(set(stated) - {f.name for f in fields(Options)})
    if unknown:
        expected = ", ".join(f.name for f in fields(Options))
        raise AuditError(f"{unknown[0]}: unknown option; expected {expected}")
    options = Options(**stated)
    adapted = read_adapter(subject, beside) if isinstance(subject, Path) else None
    if against is None and adapted is not None:
        against = adapted.against
    spec = against if isinstance(against, str) else ""
    declared = read_any_specification(against) if isinstance(against, str) else against
    if adapted is not None:
        if declared is not None and adapted.kind == "maps" and adapted.axes == 1:
            options = replace(options, axes=_axes_of(declared, options))
        found: Subject = adapted_subject(adapted, options)
        options = replace(options, kind=adapted.kind)
    elif isinstance(subject, (MapSubject, ScoreSubject, BiasSubject, TableSubject)):
        found = subject
    else:
        found = _described(subject, declared, options)
    options.check(found, against=declared is not None)
    with single_thread(found.library), np.errstate(all="ignore"):
        return _audited(found, declared, spec, options, progress)


def _audited(
    subject: Subject,
    declared: Specification | None,
    spec: str,
    options: Options,
    progress: Progress,
) -> AuditReport:
    if isinstance(subject, TableSubject):
        if declared is not None:
            raise SpecificationError("--against: an absolute table is compared with nothing")
        return audit_table(subject)
    if isinstance(subject, MapSubject) and subject.axes > 1:
        if declared is not None and not isinstance(declared, SeveralAxes):
            raise SpecificationError(
                f"--against: positions have {subject.axes} coordinates, so expected a "
                "specification with [[axes]]"
            )
        return audit_axes(subject, declared, spec=spec, strict=options.strict, deep=options.deep)
    if declared is not None and not isinstance(declared, Encoding):
        raise SpecificationError(
            f"--against: expected a specification of one generator, {_other_form(declared)}"
        )
    if isinstance(subject, BiasSubject):
        return audit_bias(subject, declared, spec)
    if declared is not None and declared.augmentation is not None:
        raise SpecificationError(
            f"--against: {declared.name} is an additive bias; audit the bias with --kind bias"
        )
    if isinstance(subject, ScoreSubject):
        return audit_score(subject, declared, spec=spec, gain=options.gain, strict=options.strict)
    return audit_maps(
        subject, declared, spec=spec, gain=options.gain, strict=options.strict, deep=options.deep,
        clock=options.clock, progress=progress,
    )  # fmt: skip


def _other_form(declared: Specification) -> str:
    if isinstance(declared, SeveralAxes):
        return f"but {declared.name} has {len(declared.axes)} axes, whose maps are audited"
    if isinstance(declared, Outside):
        return f"but {declared.name} has none; leave out --against, and read what is found"
    return f"but {declared.name} is a step on integer positions"


# -- from a callable to a subject ---------------------------------------------------------------


def _described(subject: Any, declared: Specification | None, options: Options) -> Subject:
    if not isinstance(subject, str) and not callable(subject):
        raise AuditError(f"expected a callable or module:attribute, got {type(subject).__name__}")
    if declared is not None and options.kind in ("maps", "score"):
        options = _as_declared(options, declared)
    if options.kind == "maps":
        return (
            _named_maps(subject, options) if isinstance(subject, str) else _maps(subject, options)
        )
    loaded = load(subject) if isinstance(subject, str) else None
    call = subject if loaded is None else loaded.value
    name = subject if isinstance(subject, str) else _name_of(subject)
    origin = _origin_of(subject) if loaded is None else _line_of(loaded, "f")
    return _other(call, name, origin, options)


def _as_declared(options: Options, declared: Specification) -> Options:
    """Channels and axes of the specification, where they are not stated."""
    dimension = options.dimension or declared.dimension
    return replace(options, dimension=dimension, axes=_axes_of(declared, options))


def _axes_of(declared: Specification, options: Options) -> int:
    if not isinstance(declared, SeveralAxes):
        return options.axes
    count = len(declared.axes)
    if options.axes not in (1, count):
        raise SpecificationError(
            f"--against: {declared.name} has {count} axes, --axes says {options.axes}"
        )
    return count


def _other(call: Any, name: str, origin: str, options: Options, named: str = "") -> Subject:
    found: ScoreSubject | BiasSubject | TableSubject
    if options.kind == "score":
        found = describe_score(
            name, call, options.dimension, options.library, origin, causal=options.causal
        )
    elif options.kind == "bias":
        found = describe_bias(name, call, options.library, origin, causal=options.causal)
    else:
        found = describe_table(name, call, options.library, origin)
    return replace(found, named=named)


def _name_of(subject: Any) -> str:
    return str(getattr(subject, "__qualname__", type(subject).__name__))


def _line_of(loaded: Loaded, letter: str) -> str:
    return f"{loaded.origin}; {letter} = {loaded.expression}"


def _maps(subject: Any, options: Options) -> MapSubject:
    other = subject if options.key is None else options.key
    if isinstance(other, str):
        other = load(other).value
    one = other is subject
    again = executed_again(subject) or copies(subject)
    found = describe_maps(
        _name_of(subject),
        subject,
        other,
        dimension=options.dimension,
        library=options.library,
        axes=options.axes,
        origin=(_origin_of(subject), "") if one else LOCAL,
    )
    return found if again is None else _with_fresh(found, again, both=one)


def _origin_of(subject: Any) -> str:
    """An import line for a function of a module, or what says that there is none."""
    name, module = getattr(subject, "__qualname__", "<"), getattr(subject, "__module__", "__main__")
    if "<" in name or "." in name or module == "__main__":
        return LOCAL[0]
    return f"from {module} import {name}; f = {name}"


def _with_fresh(found: MapSubject, make: Callable[[], Any], *, both: bool = True) -> MapSubject:
    def fresh() -> MapSubject:
        value = make()
        return replace(found, query=value, key=value if both else found.key, fresh=None)

    return replace(found, fresh=fresh)


def _named_maps(text: str, options: Options) -> MapSubject:
    query = load(text)
    key = options.key
    other = query.value if key is None else load(key).value if isinstance(key, str) else key
    origin = [_line_of(query, "f"), ""]
    if isinstance(key, str):
        origin[1] = _line_of(load(key), "g")
    found = describe_maps(
        text,
        query.value,
        other,
        dimension=options.dimension,
        library=options.library,
        axes=options.axes,
        origin=(origin[0], origin[1]),
    )
    again = query.fresh
    return found if again is None else _with_fresh(found, again, both=key is None)


def adapted_subject(adapted: Adapted, options: Options | None = None) -> Subject:
    """The subject that an adapter describes."""
    options = options or Options()
    if options.kind not in ("maps", adapted.kind):
        raise AuditError(f"kind: {adapted.name} describes a {adapted.kind}, got {options.kind!r}")
    if options.key is not None:
        raise AuditError("key: an adapter names the map of keys itself")
    if None not in (options.dimension, adapted.dimension) and (
        options.dimension != adapted.dimension
    ):
        raise AuditError(
            f"dimension: {adapted.name} states {adapted.dimension}, got {options.dimension}"
        )
    named = _named(adapted, options)
    if adapted.kind != "maps":
        options = replace(
            options,
            kind=adapted.kind,
            dimension=options.dimension or adapted.dimension,
            library=options.library or adapted.library,
            causal=options.causal or adapted.causal,
        )
        return _other(adapted.calls[adapted.kind], adapted.name, "", options, named)
    found = describe_maps(
        adapted.name,
        adapted.calls["query"],
        adapted.calls["key"],
        dimension=options.dimension or adapted.dimension,
        library=options.library or adapted.library,
        form=adapted.form,
        axes=max(options.axes, adapted.axes),
    )
    found = replace(found, paths=adapted.paths, rival=adapted.rival, named=named)
    one = adapted.calls["key"] is adapted.calls["query"]
    return found if adapted.fresh is None else _with_fresh(found, adapted.fresh, both=one)


def _named(adapted: Adapted, options: Options) -> str:
    """Code that makes the subject again."""
    settings = {"beside": adapted.beside, "dimension": options.dimension}
    settings |= {"library": options.library}
    more = "".join(f", {name}={value!r}" for name, value in settings.items() if value is not None)
    return f"subject_named({adapted.path!r}{more})"


def subject_named(text: str, beside: str | None = None, **stated: Any) -> Any:
    """The pair of maps of `module:attribute`, or the subject of an adapter file or a known package.

    This is what reproductions call; raises `AuditError`.
    """
    if text.endswith((".py", ".toml")):
        return adapted_subject(read_adapter(Path(text), beside), Options(**stated))
    if ":" not in text or ": " in text:
        from numeric_check.audit.known import known_named

        return known_named(text).make()
    return _named_maps(text, Options(**stated))
