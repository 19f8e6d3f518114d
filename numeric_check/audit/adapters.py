"""Adapters: a Python file or a TOML mapping that says how a subject is called.

A Python adapter defines `query(x, positions)` (and `key`), or `score`, `bias` or `table`, and may
set `dimension`, `axes`, `library`, `form`, `paths` and `rival`. It is run: it is the user's code.
A TOML adapter names importable callables and the places of their arguments; its values are data.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numeric_check.audit.call import Place, Signature
from numeric_check.audit.libraries import LIBRARIES
from numeric_check.audit.loading import deep_copies, load
from numeric_check.audit.subject import FORMS
from symbolic_pe.errors import AuditError

KINDS = ("maps", "score", "bias", "table")
SUBJECT_KEYS = {
    "kind", "query", "key", "score", "bias", "table", "dimension", "axes", "library", "form",
    "causal", "against", "paths", "rival",
}  # fmt: skip
CALL_KEYS = {"x", "positions", "offset", "fixed", "returns"}


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

    try:
        return runpy.run_path(str(path)).get(name)
    except Exception as error:  # the file is not ours: anything may come
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
    return _adapted(path, head, _signature(call, path), kind, text)


def _adapted(
    path: Path, head: Mapping[str, Any], signature: Signature, kind: str, text: str
) -> Adapted:
    first = "query" if kind == "maps" else kind
    loaded = load(text)
    bind = signature.bound if kind == "maps" else (lambda call: call)
    calls = {first: bind(loaded.value)}
    if kind == "maps":
        other = head.get("key")
        calls["key"] = calls["query"] if other is None else bind(load(str(other)).value)
    paths = {n: bind(load(str(t)).value) for n, t in _table(head, "paths", path).items()}
    copies = deep_copies(loaded.value) or loaded.fresh
    fresh = None if copies is None or kind != "maps" else lambda: bind(copies())
    library = head.get("library")
    if library is not None:
        _choice(library, LIBRARIES, f"{path}, [subject] library")
    form = head.get("form")
    if form is not None:
        _choice(form, tuple(FORMS), f"{path}, [subject] form")
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
    return Signature(
        0 if x is None else x, positions, offset, dict(_table(call, "fixed", path)), returns
    )


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
