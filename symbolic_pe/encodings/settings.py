"""Typed settings of catalogue entries: one declaration serves reading, help and defaults."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass

from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.encodings.decoding import written
from symbolic_pe.encodings.encoding import ANGLES
from symbolic_pe.errors import SpecificationError

MAX_CATALOGUE_DIMENSION = 1024


@dataclass(frozen=True)
class Setting:
    """One setting: its default as text, what it means, and how it is read.

    kind is `integer`, `number` (positive, in the input grammar), `choice` or `vector` (numbers
    separated by spaces).
    """

    default: str
    meaning: str
    kind: str = "integer"
    choices: tuple[str, ...] = ()
    minimum: int = 1
    multiple_of: int = 1
    maximum: int = 1 << 40


class Settings:
    """Checked values of one entry."""

    def __init__(self, entry: str, declared: Mapping[str, Setting], given: Mapping[str, object]):
        self._entry = entry
        self._declared = declared
        for name in given:
            if name not in declared:
                near = difflib.get_close_matches(name, declared, n=1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise SpecificationError(
                    f"{entry}: unknown setting {name!r}{hint} "
                    f"(settings: {', '.join(declared) or 'none'})"
                )
        self.texts = {
            name: _as_text(entry, name, given.get(name, setting.default))
            for name, setting in declared.items()
        }
        for name in declared:
            self._check(name)

    def _check(self, name: str) -> None:
        kind = self._declared[name].kind
        if kind == "integer":
            self.integer(name)
        elif kind == "number":
            self.number(name)
        elif kind == "vector":
            self.vector(name)
        else:
            self.choice(name)

    def _refuse(self, name: str, expected: str) -> SpecificationError:
        return SpecificationError(
            f"{self._entry}: {name}: expected {expected}, got {self.texts[name]!r}"
        )

    def integer(self, name: str) -> int:
        """An integer within its bounds."""
        setting, text = self._declared[name], self.texts[name]
        expected = f"an integer from {setting.minimum} to {setting.maximum}"
        if setting.multiple_of > 1:
            expected += f", a multiple of {setting.multiple_of}"
        try:
            value = int(text) if len(text) <= 20 else None
        except ValueError:
            value = None
        if (
            value is None
            or not setting.minimum <= value <= setting.maximum
            or value % setting.multiple_of
        ):
            raise self._refuse(name, expected)
        return value

    def number(self, name: str) -> Scalar:
        """A non-negative number in the input grammar."""
        try:
            value = parse(self.texts[name])
        except SpecificationError as error:
            raise SpecificationError(f"{self._entry}: {name}: {error}") from None
        if value.sign() < 0 or (value.is_zero() and self._declared[name].minimum > 0):
            raise self._refuse(
                name, "a positive number" if self._declared[name].minimum else "a number >= 0"
            )
        return value

    def choice(self, name: str) -> str:
        """One of the choices."""
        if self.texts[name] not in self._declared[name].choices:
            raise self._refuse(name, f"one of {', '.join(self._declared[name].choices)}")
        return self.texts[name]

    def vector(self, name: str) -> list[Scalar]:
        """Numbers separated by spaces; possibly none."""
        try:
            return [parse(part) for part in self.texts[name].split()]
        except SpecificationError as error:
            raise SpecificationError(f"{self._entry}: {name}: {error}") from None


def _as_text(entry: str, name: str, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, str, list)):
        raise SpecificationError(f"{entry}: {name}: expected a number or a text, got {value!r}")
    if isinstance(value, list):
        return " ".join(_as_text(entry, name, item) for item in value)
    text = written(value, f"{entry}: {name}").strip()
    if len(text) > 4096:
        raise SpecificationError(f"{entry}: {name}: a text of more than 4096 characters")
    return text


def dimension(default: int, multiple_of: int = 1) -> Setting:
    """The setting `dim`."""
    return Setting(
        str(default),
        "channels per head",
        multiple_of=multiple_of,
        minimum=multiple_of,
        maximum=MAX_CATALOGUE_DIMENSION,
    )


def heads(default: int) -> Setting:
    """The setting `heads`."""
    return Setting(str(default), "number of attention heads", maximum=256)


def layout(default: str) -> Setting:
    """The setting `layout`."""
    return Setting(default, "which channels form a plane", "choice", ("interleaved", "half"))


def angles() -> Setting:
    """The setting `angles`."""
    return Setting(
        "float64",
        "how kernels carry angles: in float64, or as 64-bit fixed-point turns, which add exactly",
        "choice",
        ANGLES,
    )


def number(default: str, meaning: str, *, zero: bool = False) -> Setting:
    """A positive (or non-negative) exact number."""
    return Setting(default, meaning, "number", minimum=0 if zero else 1)
