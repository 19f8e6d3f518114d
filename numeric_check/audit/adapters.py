"""Adapters: a Python file or a TOML mapping that says how a subject is called.

A Python adapter defines `query(x, positions)` (and `key`), or `score`, `bias` or `table`, and may
set `dimension`, `axes`, `library`, `form`, `paths` and `rival`. It is run: it is the user's code.
A TOML adapter names importable callables and the places of their arguments; its values are data.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from numeric_check.audit.call import BiasSignature, Place, Signature
from numeric_check.audit.libraries import LIBRARIES
from numeric_check.audit.loading import copies, load
from numeric_check.audit.raised import described
from numeric_check.audit.subject import PATTERNS, positions_axis
from symbolic_pe.errors import AuditError

KINDS = ("maps", "score", "bias", "table")
SETTINGS: Mapping[str, tuple[str, ...]] = {
    "key": ("maps",), "dimension": ("maps", "score"), "axes": ("maps",), "library": KINDS,
    "form": ("maps",), "causal": ("score", "bias"), "against": ("maps", "score", "bias"),
    "paths": ("maps",), "rival": ("maps",),
}  # fmt: skip
"""What an adapter may set beside its callable, and for which kinds."""
CALLABLES = {"query": ("maps",), "score": ("score",), "bias": ("bias",), "table": ("table",)}
CALL_KEYS: Mapping[str, tuple[str, ...]] = {
    "x": ("maps",), "positions": ("maps",), "offset": ("maps",), "also": ("maps",),
    "layout": ("maps",), "key_returns": ("maps",), "returns": ("maps", "bias"),
    "fixed": ("maps", "bias"), "query": ("bias",), "key": ("bias",), "lengths": ("bias",),
    "heads": ("bias",),
}  # fmt: skip
AXES = {
    "b h n d": "heads", "h n d": "rows", "b n d": "rows", "b n h d": "positions-heads",
    "n b h d": "sequence-first", "n h d": "sequence-rows", "n b d": "sequence-rows",
    "n d": "flat",
}  # fmt: skip
"""Axes of x: b batch, h heads, n positions, d channels."""


@dataclass(frozen=True)
class Adapted:
    """What an adapter says: the callables of one kind, and settings.

    fresh  makes the query callable anew, or None
    """

    kind: str
    calls: Mapping[str, Callable[..., Any]]
    name: str
    dimension: int | None = None
    axes: int = 1
    library: str | None = None
    form: str | None = None
    causal: bool = False
    against: str | None = None
    paths: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    fresh: Callable[[], Callable[..., Any]] | None = None
    rival: Callable[..., Any] | None = None
    path: str = ""
    beside: str | None = None


def read_adapter(path: Path, subject: str | None = None) -> Adapted:
    """Read a .py or .toml adapter; `subject` is the module:attribute given beside it.

    Raises `AuditError` naming the key, what was expected and what came.
    """
    if not path.is_file():
        raise AuditError(f"--adapter: {path}: no such file")
    if path.suffix == ".toml":
        return _from_toml(path, subject)
    if path.suffix == ".py":
        return _from_python(path)
    raise AuditError(f"--adapter: {path}: expected a file ending in .py or .toml")


# -- Python -----------------------------------------------------------------------------------


def _from_python(path: Path) -> Adapted:
    names = ("query", "score", "bias", "table")
    module = _executed(path)
    given = [n for n in names if module.get(n) is not None]
    if len(given) != 1:
        raise AuditError(
            f"{path}: expected exactly one of {', '.join(names)}, got {', '.join(given) or 'none'}"
        )
    kind = "maps" if given == ["query"] else given[0]
    settings = {k: v for k in SETTINGS if (v := module.get(k)) is not None}
    _of_kind(settings, SETTINGS, kind, f"{path}:")
    calls = {given[0]: _callable(module[given[0]], given[0], path)}
    if kind == "maps":
        key = settings.get("key")
        calls["key"] = calls["query"] if key is None else _callable(key, "key", path)
    paths = settings.get("paths", {})
    if not isinstance(paths, Mapping) or not all(map(callable, paths.values())):
        raise AuditError(f"{path}: paths: expected a dict of callables, got {paths!r}")

    def fresh() -> Callable[..., Any]:
        again: Callable[..., Any] = _executed(path)["query"]
        return again

    return Adapted(
        kind,
        calls,
        str(path),
        _count(settings, "dimension", str(path)),
        _count(settings, "axes", str(path)) or 1,
        _choice_or_none(settings, "library", LIBRARIES, str(path)),
        _choice_or_none(settings, "form", tuple(PATTERNS), str(path)),
        _flag(settings, "causal", str(path)),
        _text(settings, "against", str(path)),
        dict(paths),
        fresh if kind == "maps" and "key" not in settings else None,
        None if "rival" not in settings else _callable(settings["rival"], "rival", path),
        str(path),
    )


def _executed(path: Path) -> dict[str, Any]:
    """What the file defines, executed once more."""
    import runpy

    for folder in (str(Path.cwd()), str(path.resolve().parent)):
        if folder not in sys.path:
            sys.path.insert(0, folder)
    try:
        return runpy.run_path(str(path))
    except (Exception, SystemExit) as error:  # the file is not ours: anything may come
        raise AuditError(f"{path}: running it raised {described(error)}") from None


def _callable(value: Any, name: str, path: Path) -> Callable[..., Any]:
    if not callable(value):
        raise AuditError(f"{path}: {name}: expected a callable, got {type(value).__name__}")
    found: Callable[..., Any] = value
    return found


# -- TOML -------------------------------------------------------------------------------------


def _from_toml(path: Path, subject: str | None) -> Adapted:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise AuditError(f"{path}: not a TOML file: {error}") from None
    _known(document, {"subject", "call"}, str(path))
    head, call = (_table(document, name, path) for name in ("subject", "call"))
    _known(head, {"kind", *SETTINGS, *CALLABLES}, f"{path}, [subject]")
    _known(call, set(CALL_KEYS), f"{path}, [call]")
    kind = _choice(head.get("kind", "maps"), KINDS, f"{path}, [subject] kind")
    for table, keys, place in (
        (head, {**SETTINGS, **CALLABLES}, "[subject]"),
        (call, CALL_KEYS, "[call]"),
    ):
        _of_kind(table, keys, kind, f"{path}, {place}")
    first = "query" if kind == "maps" else kind
    if subject is not None and first in head:
        raise AuditError(
            f"{path}, [subject] {first}: it names {head[first]!r} already, and the command line "
            f"{subject!r}; give one"
        )
    text = head.get(first, subject)
    if not isinstance(text, str):
        raise AuditError(
            f"{path}, [subject] {first}: expected module:attribute, here or on the command line"
        )
    return _adapted(path, head, call, kind, text)


def _adapted(
    path: Path, head: Mapping[str, Any], call: Mapping[str, Any], kind: str, text: str
) -> Adapted:
    first = "query" if kind == "maps" else kind
    loaded = load(text)
    bind, bind_key, form = _binding(head, call, kind, path)
    calls = {first: bind(loaded.value)}
    if kind == "maps":
        other = head.get("key")
        if other is not None or bind_key is not bind:
            value = loaded.value if other is None else _loaded(other, f"{path}, [subject] key")
            calls["key"] = bind_key(value)
        else:
            calls["key"] = calls["query"]
    paths = {n: bind(_loaded(t, f"{path}, [subject.paths] {n}"))
             for n, t in _table(head, "paths", path).items()}  # fmt: skip
    place = f"{path}, [subject]"
    again = copies(loaded.value) if not hasattr(loaded.value, "__code__") else loaded.fresh
    return Adapted(
        kind,
        calls,
        text,
        _count(head, "dimension", place),
        _count(head, "axes", place) or 1,
        _choice_or_none(head, "library", LIBRARIES, place),
        form,
        _flag(head, "causal", place),
        _text(head, "against", place),
        paths,
        None if again is None or kind != "maps" else lambda: bind(again()),
        None if "rival" not in head else bind(_loaded(head["rival"], f"{place} rival")),
        str(path),
        None if first in head else text,
    )


def _loaded(text: Any, place: str) -> Callable[..., Any]:
    if not isinstance(text, str):
        raise AuditError(f"{place}: expected module:attribute, got {text!r}")
    found: Callable[..., Any] = load(text).value
    return found


Binding = Callable[[Callable[..., Any]], Callable[..., Any]]


def _binding(
    head: Mapping[str, Any], call: Mapping[str, Any], kind: str, path: Path
) -> tuple[Binding, Binding, str | None]:
    """What turns callables of the user's into ours, for the query and for the key, and the form."""
    form = head.get("form")
    if form is not None:
        _choice(form, tuple(PATTERNS), f"{path}, [subject] form")
    if "layout" in call:
        form = AXES[_choice(call["layout"], tuple(AXES), f"{path}, [call] layout")]
    if kind == "bias":
        bound = _bias_signature(call, path).bound
        return bound, bound, form
    if kind != "maps":
        return (lambda f: f), (lambda f: f), form
    signature = replace(_signature(call, path), axis=positions_axis(form or "rows"))
    key_returns = _index(call, "key_returns", path)
    key_returns = signature.returns if key_returns is None else key_returns
    if key_returns == signature.returns:
        bound = signature.bound
        return bound, bound, form
    return signature.bound, replace(signature, returns=key_returns).bound, form


def _bias_signature(call: Mapping[str, Any], path: Path) -> BiasSignature:
    heads = call.get("heads")
    pair = None
    if heads is not None:
        table = _table(call, "heads", path)
        _known(table, {"place", "count"}, f"{path}, [call.heads]")
        where = f"{path}, [call.heads]"
        place, count = _place(table, "place", path), _count(table, "count", where)
        if place is None or count is None:
            raise AuditError(f"{path}, [call.heads]: expected place and count")
        pair = (place, count)
    query, key = _place(call, "query", path), _place(call, "key", path)
    lengths = _flag(call, "lengths", f"{path}, [call]")
    return BiasSignature(
        0 if query is None else query,
        1 if key is None and query is None and not lengths else key,
        lengths,
        pair,
        dict(_table(call, "fixed", path)),
        _index(call, "returns", path),
    )


def _signature(call: Mapping[str, Any], path: Path) -> Signature:
    if "positions" in call and "offset" in call:
        raise AuditError(f"{path}, [call]: expected positions or offset, got both")
    offset = _place(call, "offset", path)
    positions = None if offset is not None else _place(call, "positions", path)
    if offset is None and positions is None:
        positions = 1
    returns = _index(call, "returns", path)
    x = _place(call, "x", path)
    also = call.get("also", [])
    if not isinstance(also, list):
        raise AuditError(f"{path}, [call] also: expected a list of places, got {also!r}")
    places = [_place({"also": value}, "also", path) for value in also]
    others = tuple(place for place in places if place is not None)
    fixed = dict(_table(call, "fixed", path))
    return Signature(0 if x is None else x, positions, offset, others, fixed, returns)


def _place(call: Mapping[str, Any], key: str, path: Path) -> Place | None:
    value = call.get(key)
    if value is None or (isinstance(value, (int, str)) and not isinstance(value, bool)):
        return value
    raise AuditError(
        f"{path}, [call] {key}: expected a place (0, 1, …) or a keyword, got {value!r}"
    )


def _index(call: Mapping[str, Any], key: str, path: Path) -> int | None:
    value = call.get(key)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise AuditError(f"{path}, [call] {key}: expected an index, got {value!r}")


def _count(head: Mapping[str, Any], key: str, place: str) -> int | None:
    value = head.get(key)
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value > 0):
        return value
    raise AuditError(f"{place} {key}: expected a positive integer, got {value!r}")


def _flag(head: Mapping[str, Any], key: str, place: str) -> bool:
    value = head.get(key, False)
    if isinstance(value, bool):
        return value
    raise AuditError(f"{place} {key}: expected true or false, got {value!r}")


def _text(head: Mapping[str, Any], key: str, place: str) -> str | None:
    value = head.get(key)
    if value is None or isinstance(value, str):
        return value
    raise AuditError(f"{place} {key}: expected a text, got {value!r}")


def _choice_or_none(
    head: Mapping[str, Any], key: str, allowed: tuple[str, ...], place: str
) -> str | None:
    value = head.get(key)
    return None if value is None else _choice(value, allowed, f"{place} {key}")


def _of_kind(
    table: Mapping[str, Any], keys: Mapping[str, tuple[str, ...]], kind: str, place: str
) -> None:
    for name in table:
        if name in keys and kind not in keys[name]:
            raise AuditError(
                f"{place} {name}: it says nothing about kind {kind!r}, only about "
                f"{' and '.join(keys[name])}"
            )


def _table(document: Mapping[str, Any], key: str, path: Path) -> Mapping[str, Any]:
    value = document.get(key, {})
    if not isinstance(value, dict):
        raise AuditError(f"{path}, [{key}]: expected a table, got {value!r}")
    return value


def _choice(value: Any, allowed: tuple[str, ...], place: str) -> str:
    if value not in allowed:
        raise AuditError(f"{place}: expected one of {', '.join(allowed)}, got {value!r}")
    return str(value)


def _known(table: Mapping[str, Any], keys: set[str], place: str) -> None:
    unknown = sorted(set(table) - keys)
    if unknown:
        raise AuditError(f"{place}: unknown key {unknown[0]!r}; expected {', '.join(sorted(keys))}")
