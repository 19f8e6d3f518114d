"""One catalogue entry: identifier, settings, verdict, and the function that builds it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from symbolic_pe.encodings.encoding import Domain, Encoding, Verdict
from symbolic_pe.encodings.settings import Setting, Settings


@dataclass(frozen=True)
class Entry:
    """A known encoding.

    name       identifier, lower case with dashes
    family     `none`, `rotary`, `decay`, `damped rotary`, `additive`, `defective`
    settings   declared settings with published defaults
    build      from checked settings to an `Encoding` (name and specification are filled in)
    """

    name: str
    family: str
    verdict: Verdict
    title: str
    reference: str
    settings: Mapping[str, Setting]
    build: Callable[[Settings], Encoding]

    def encoding(self, given: Mapping[str, object], domain: Domain | None = None) -> Encoding:
        """Build with some settings given, the others at their defaults."""
        settings = Settings(self.name, self.settings, given)
        built = self.build(settings)
        specification: dict[str, object] = {
            "catalogue": self.name,
            "settings": dict(settings.texts),
        }
        if domain is not None:
            specification["domain"] = {
                "time": domain.time,
                "causal": domain.causal,
                "max_position": domain.max_position,
            }
        return replace(
            built,
            name=self.name,
            verdict=self.verdict,
            title=self.title,
            reference=self.reference,
            specification=specification,
            domain=domain or built.domain,
        )
