"""Every known encoding that can be asked for here, by name."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from numeric_check.audit.subject import Subject
from symbolic_pe.errors import AuditError

MODULES = (
    "hugging_face",
    "rotary_embedding",
    "x_transformer",
    "torchtune_modules",
    "torchscale_components",
    "torchscale_retnet",
    "equinox_nn",
    "torch_linalg",
)


@dataclass(frozen=True)
class Known:
    """One encoding of one package.

    name      `package: what`
    package   the distribution, for its version
    against   what it is said to be, as a specification, or ""
    gain      the c² that it is said to have, or None
    make      the subject; imports the package
    requires  the module that has to be importable
    cost      about how long an audit takes beside the others
    """

    name: str
    package: str
    make: Callable[[], Subject]
    against: str = ""
    gain: float | None = None
    requires: str = ""
    cost: int = 1

    @property
    def version(self) -> str:
        """The installed version, or "" when the package is not installed."""
        try:
            return importlib.metadata.version(self.package)
        except importlib.metadata.PackageNotFoundError:
            return ""

    @property
    def installed(self) -> bool:
        """Whether its module can be found; it is not imported."""
        return importlib.util.find_spec(self.requires or self.package.replace("-", "_")) is not None


def known_entries() -> Iterator[Known]:
    """Everything whose package is installed."""
    for module in MODULES:
        entries = importlib.import_module(f"numeric_check.audit.known.{module}").ENTRIES
        yield from (entry for entry in entries if entry.installed)


def known_named(name: str) -> Known:
    """The entry of this name. Raises `AuditError`, listing what is installed."""
    listed = {entry.name: entry for entry in known_entries()}
    if name not in listed:
        raise AuditError(
            f"{name!r}: no known encoding of this name is installed; there are "
            f"{', '.join(listed) or 'none'}"
        )
    return listed[name]
