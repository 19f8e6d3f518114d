"""Strict decoding of documents: each function returns the value, or names the place and fault."""

from __future__ import annotations

import datetime
import difflib
import json
import tomllib
from collections.abc import Mapping
from typing import Any

from symbolic_pe.errors import SpecificationError

TOO_LONG = "an integer is too long; expected one of at most 400 digits"
BEYOND = 10**400
KINDS = {
    dict: "a table",
    list: "a list",
    bool: "a truth value",
    type(None): "nothing",
    datetime.datetime: "a date with a time",
    datetime.date: "a date",
    datetime.time: "a time of day",
}


def decode_toml(text: str) -> Any:
    """Decode TOML; decimals stay text, so that they are read exactly."""
    try:
        return tomllib.loads(text, parse_float=str)
    except tomllib.TOMLDecodeError as error:
        raise SpecificationError(f"not valid TOML: {error}") from None
    except RecursionError:
        raise SpecificationError("nested too deeply") from None
    except ValueError:
        raise SpecificationError(TOO_LONG) from None


def decode_json(text: str) -> Any:
    """Decode JSON; decimals stay text, NaN and repeated keys are refused."""

    def refuse(token: str) -> Any:
        raise SpecificationError(f"{token} is not a number that a generator can contain")

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, value in pairs:
            if key in result:
                raise SpecificationError(f"key {key!r} is given twice")
            result[key] = value
        return result

    try:
        document = json.loads(
            text, parse_float=str, parse_constant=refuse, object_pairs_hook=unique
        )
        if "\\u" in text:  # what else could be half of a pair has not passed UTF-8
            json.dumps(document, ensure_ascii=False).encode()
        return document
    except UnicodeEncodeError as error:
        raise SpecificationError(
            f"expected Unicode text, got half of a surrogate pair: {error.object[error.start]!r}"
        ) from None
    except json.JSONDecodeError as error:
        raise SpecificationError(
            f"not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        ) from None
    except RecursionError:
        raise SpecificationError("nested too deeply") from None
    except ValueError:
        raise SpecificationError(TOO_LONG) from None


def kind_of(value: Any) -> str:
    """What came, for a message."""
    if type(value) in KINDS:
        return KINDS[type(value)]
    if isinstance(value, int) and abs(value) >= BEYOND:
        return "an integer that is too long"
    return repr(value) if len(repr(value)) < 80 else "a long value"


def written(value: str | int, place: str) -> str:
    """A text, or an integer as text; Python does not write out integers of any length."""
    if isinstance(value, int) and abs(value) >= BEYOND:
        raise SpecificationError(f"{place}: {TOO_LONG}")
    return str(value)


def as_table(value: Any, place: str) -> dict[str, Any]:
    """A table, or a refusal."""
    if not isinstance(value, Mapping):
        raise SpecificationError(f"{place}: expected a table, got {kind_of(value)}")
    return dict(value)


def as_list(value: Any, place: str) -> list[Any]:
    """A list, or a refusal."""
    if not isinstance(value, list):
        raise SpecificationError(f"{place}: expected a list, got {kind_of(value)}")
    return value


def as_text(value: Any, place: str) -> str:
    """A text of bounded length, or a refusal."""
    if not isinstance(value, str):
        raise SpecificationError(f"{place}: expected a text, got {kind_of(value)}")
    if len(value) > 4096:
        raise SpecificationError(f"{place}: expected at most 4096 characters, got {len(value)}")
    return value


def as_integer(value: Any, place: str, low: int, high: int) -> int:
    """An integer within bounds, or a refusal."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise SpecificationError(
            f"{place}: expected an integer from {low} to {high}, got {kind_of(value)}"
        )
    return value


def as_choice(value: Any, choices: tuple[str, ...], place: str) -> str:
    """One of the choices, or a refusal."""
    text = as_text(value, place)
    if text not in choices:
        raise SpecificationError(f"{place}: expected one of {', '.join(choices)}, got {text!r}")
    return text


def known_keys(table: Mapping[str, Any], allowed: tuple[str, ...], place: str) -> None:
    """Refuse unknown keys, with the nearest known one."""
    for key in table:
        if key not in allowed:
            near = difflib.get_close_matches(str(key), allowed, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise SpecificationError(
                f"{place}: unknown key {key!r}{hint} (known: {', '.join(allowed[:12])})"
            )
