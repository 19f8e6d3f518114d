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
from numeric_check.audit.loading import deep_copies, load
from numeric_check.audit.subject import FORMS, positions_axis
from symbolic_pe.errors import AuditError

KINDS = ("maps", "score", "bias", "table")
SUBJECT_KEYS = {
    "kind", "query", "key", "score", "bias", "table", "dimension", "axes", "library", "form",
    "causal", "against", "paths", "rival",
}  # fmt: skip
CALL_KEYS = {
    "x", "positions", "offset", "also", "fixed", "returns", "key_returns", "layout",
    "query", "key", "lengths", "heads",
}  # fmt: skip
LAYOUTS = {
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
    origin: str = ""


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
    module: dict[str, Any] = {}
    for name in (*names, "key", "dimension", "axes", "library", "form", "causal", "paths", "rival"):
        module[name] = _optional(path, name)
    given = [n for n in names if module[n] is not None]
    if len(given) != 1:
        raise AuditError(
            f"{path}: expected exactly one of {', '.join(names)}, got {', '.join(given) or 'none'}"
        )
    kind = "maps" if given == ["query"] else given[0]
    calls = {given[0]: module[given[0]]}
    if kind == "maps":
        calls["key"] = module["key"] or module["query"]

    def fresh() -> Callable[..., Any]:
        again: Callable[..., Any] = _optional(path, "query")
        return again

    return Adapted(
        kind,
        calls,
        str(path),
        module["dimension"],
        module["axes"] or 1,
        module["library"],
        module["form"],
        bool(module["causal"]),
        None,
        module["paths"] or {},
        fresh if kind == "maps" and module["key"] is None else None,
        module["rival"],
        f"import runpy; f = runpy.run_path({str(path)!r})[{given[0]!r}]",
    )


def _optional(path: Path, name: str) -> Any:
    """An attribute of the file, executed anew for each call; None when it has none."""
    import runpy

    for folder in (str(Path.cwd()), str(path.resolve().parent)):
        if folder not in sys.path:
            sys.path.insert(0, folder)
    try:
        return runpy.run_path(str(path)).get(name)
    except (Exception, SystemExit) as error:  # the file is not ours: anything may come
        first = (str(error).strip() or "no message").splitlines()[0]
        raise AuditError(f"{path}: running it raised {type(error).__name__}: {first}") from None


# -- TOML -------------------------------------------------------------------------------------


def _from_toml(path: Path, subject: str | None) -> Adapted:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise AuditError(f"{path}: not a TOML file: {error}") from None
    _known(document, {"subject", "call"}, str(path))
    head, call = (_table(document, name, path) for name in ("subject", "call"))
    _known(head, SUBJECT_KEYS, f"{path}, [subject]")
    _known(call, CALL_KEYS, f"{path}, [call]")
    kind = _choice(head.get("kind", "maps"), KINDS, f"{path}, [subject] kind")
    first = "query" if kind == "maps" else kind
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
            calls["key"] = bind_key(loaded.value if other is None else load(str(other)).value)
        else:
            calls["key"] = calls["query"]
    paths = {n: bind(load(str(t)).value) for n, t in _table(head, "paths", path).items()}
    copies = deep_copies(loaded.value) or loaded.fresh
    fresh = None if copies is None or kind != "maps" else lambda: bind(copies())
    library = head.get("library")
    if library is not None:
        _choice(library, LIBRARIES, f"{path}, [subject] library")
    return Adapted(
        kind,
        calls,
        text,
        _count(head, "dimension", path),
        _count(head, "axes", path) or 1,
        library,
        form,
        head.get("causal") is True,
        head.get("against"),
        paths,
        fresh,
        None if "rival" not in head else bind(load(str(head["rival"])).value),
    )


Binding = Callable[[Callable[..., Any]], Callable[..., Any]]


def _binding(
    head: Mapping[str, Any], call: Mapping[str, Any], kind: str, path: Path
) -> tuple[Binding, Binding, str | None]:
    """What turns callables of the user's into ours, for the query and for the key, and the form."""
    form = head.get("form")
    if form is not None:
        _choice(form, tuple(FORMS), f"{path}, [subject] form")
    if "layout" in call:
        form = LAYOUTS[_choice(call["layout"], tuple(LAYOUTS), f"{path}, [call] layout")]
    if kind == "bias":
        bound = _bias_signature(call, path).bound
        return bound, bound, form
    if kind != "maps":
        return (lambda f: f), (lambda f: f), form
    signature = replace(_signature(call, path), axis=positions_axis(form or "rows"))
    key_returns = call.get("key_returns", signature.returns)
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
        place, count = _place(table, "place", path), _count(table, "count", path)
        if place is None or count is None:
            raise AuditError(f"{path}, [call.heads]: expected place and count")
        pair = (place, count)
    query, key = _place(call, "query", path), _place(call, "key", path)
    lengths = call.get("lengths") is True
    return BiasSignature(
        0 if query is None else query,
        1 if key is None and query is None and not lengths else key,
        lengths,
        pair,
        dict(_table(call, "fixed", path)),
        call.get("returns"),
    )


def _signature(call: Mapping[str, Any], path: Path) -> Signature:
    if "positions" in call and "offset" in call:
        raise AuditError(f"{path}, [call]: expected positions or offset, got both")
    offset = _place(call, "offset", path)
    positions = None if offset is not None else _place(call, "positions", path)
    if offset is None and positions is None:
        positions = 1
    returns = call.get("returns")
    if returns is not None and (isinstance(returns, bool) or not isinstance(returns, int)):
        raise AuditError(f"{path}, [call] returns: expected an index, got {returns!r}")
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


def _count(head: Mapping[str, Any], key: str, path: Path) -> int | None:
    value = head.get(key)
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value > 0):
        return value
    raise AuditError(f"{path}, [subject] {key}: expected a positive integer, got {value!r}")


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
