"""The JSON Schema of certificates, made from the table by which the checker reads them.

It states forms and ranges. What a schema cannot state is left to the checker: that rationals are in
lowest terms, that names are declared, sizes, and of course what is claimed.
"""

from __future__ import annotations

from typing import Any

from symbolic_pe.proof.checker import form
from symbolic_pe.proof.checker.numbers import ASSUMPTIONS, MAX_EXPONENT

Json = dict[str, Any]
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def certificate_schema() -> Json:
    """One definition for every line of the table and every leaf, and the three kinds of document.

    >>> sorted(certificate_schema()["$defs"]["basis"]["properties"])
    ['J', 'P', 'Q']
    """
    lines = {word: _object(fields) for word, fields in form.TABLE.items()}
    for word in ("certificate", *form.CLAIMS):
        del lines[word]
    kinds = [_document(kind) for kind in form.CLAIMS]
    return {
        "$schema": DIALECT,
        "title": form.FORMAT,
        "oneOf": kinds,
        "$defs": dict(sorted({**_leaves(), **lines}.items())),
    }


def _document(kind: str) -> Json:
    """A certificate of one kind, with the claims and witnesses that it may have."""
    fields = _object({**form.TABLE["certificate"], **form.TABLE[kind]})
    properties = fields["properties"]
    properties["kind"] = {"const": kind}
    claims = {"type": "array", "items": {"enum": list(form.CLAIMS[kind])}, "uniqueItems": True}
    properties["claims"] = properties["uncertified"] = claims
    refutations = [
        {
            "allOf": [_reference("refutation")],
            "properties": {
                "claim": {"const": claim},
                "witness": {"anyOf": [_reference(word) for word in witnesses]},
            },
        }
        for claim, witnesses in form.CLAIMS[kind].items()
        if witnesses
    ]
    properties["refutations"] = {"type": "array", "items": {"oneOf": refutations}}
    return fields


def _object(fields: Any) -> Json:
    return {
        "type": "object",
        "properties": {name: _shape(word) for name, word in fields.items()},
        "required": list(fields),
        "additionalProperties": False,
    }


def _shape(word: str) -> Json:
    """The schema of a word of the table."""
    if word.endswith("?"):
        return {"anyOf": [{"type": "null"}, _shape(word[:-1])]}
    if word[0] == "=":
        return {"enum": word[1:].split("|")}
    if word[0] == "[":
        return {"type": "array", "items": _shape(word[1:-1])}
    if word[0] == "#":
        return {"type": "array", "items": _tuple("index", "index", word[1:])}
    if word[0] == "<":
        return _tuple(*word[1:-1].split(","))
    if word[0] == "{":
        names = _reference("name")
        return {
            "type": "object",
            "propertyNames": names,
            "additionalProperties": _shape(word[1:-1]),
        }
    return _reference(word)


def _tuple(*words: str) -> Json:
    return {
        "type": "array",
        "prefixItems": [_shape(word) for word in words],
        "minItems": len(words),
        "items": False,
    }


def _reference(word: str) -> Json:
    return {"$ref": f"#/$defs/{word}"}


def _text(pattern: str) -> Json:
    return {"type": "string", "pattern": f"^(?:{pattern})$"}


def _leaves() -> Json:
    power = {
        "type": "integer",
        "minimum": -MAX_EXPONENT,
        "maximum": MAX_EXPONENT,
        "not": {"const": 0},
    }
    number = {"type": "array", "items": _tuple("coefficient", "{exponent}")}
    return {
        **dict.fromkeys(form.NUMBERS, number),
        "assumption": {"enum": list(ASSUMPTIONS)},
        "bound": _text(form.BOUND.pattern),
        "claim": {"enum": sorted({claim for claims in form.CLAIMS.values() for claim in claims})},
        "coefficient": _text(form.COEFFICIENT.pattern),
        "exponent": power,
        "index": {"type": "integer", "minimum": 0, "maximum": form.MAX_INDEX},
        "name": _text(form.NAME.pattern),
        "text": _text(form.TEXT.pattern),
        "witness": {"oneOf": [_reference(word) for word in sorted(_witnesses())]},
    }


def _witnesses() -> set[str]:
    return {word for claims in form.CLAIMS.values() for kinds in claims.values() for word in kinds}
