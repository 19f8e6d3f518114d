"""One catalogue entry: what it is exactly, what was decided of it, what was printed of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from flint import arb, fmpq

from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.decision import Claim, Decision, holds
from symbolic_pe.encodings.axes import SeveralAxes
from symbolic_pe.encodings.encoding import Domain, Encoding, Verdict
from symbolic_pe.encodings.outside import NotAGroup, Outside
from symbolic_pe.encodings.settings import Setting, Settings
from symbolic_pe.errors import NotYetCovered, SpecificationError

Form = Encoding | SeveralAxes | Outside
"""What an entry builds: one generator, several axes, or something that is no group."""

F = TypeVar("F", bound="Encoding | SeveralAxes | Outside")
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
FAMILIES = (
    "none", "rotary", "several axes", "decay", "damped rotary", "additive", "defective", "product",
    "absolute",
)  # fmt: skip
_DECIMAL = re.compile(r"-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?")


@dataclass(frozen=True)
class Published:
    """A known number, and how it is read off the encoding that is built.

    It is a published one where there is one; else worked out by hand from the definition.

    what      the quantity: "theta_1"
    printed   decimal digits as printed (all of them count), or an exact expression ("2/7")
    read      from the built form to the number: exact, or an enclosure
    settings  the settings under which it was printed
    """

    what: str
    printed: str
    read: Callable[[Form], Scalar | arb | int] = field(compare=False)
    settings: Mapping[str, object] = field(default_factory=dict)

    def check(self, entry: Entry) -> Decision:
        """Decide that the number, rounded to the printed digits, is what was printed."""
        form = entry.form(self.settings)
        with precision(256):
            return agrees(self.read(form), self.printed)


@dataclass(frozen=True)
class Mistake:
    """A mis-statement in print or in code, refuted by numbers anyone can evaluate.

    claim   what is stated, Markdown with $…$
    where   where it stands: paper and equation, or the code
    right   what holds instead
    refute  decides the claim; the outcome is a refutation with a witness
    """

    name: str
    claim: str
    where: str
    right: str
    refute: Callable[[], Decision] = field(compare=False)


@dataclass(frozen=True)
class Entry:
    """A known encoding.

    name        identifier, lower case with dashes
    family      one of `FAMILIES`
    verdict     what it is with the published defaults; `proof.verdicts` decides it
    title       a few words
    reference   paper and code that define it
    settings    declared settings with published defaults
    build       from checked settings to its form (name, title, reference and specification are
                filled in); other settings may change the verdict, so the form carries its own
    definition  the exact definition, Markdown with $…$
    generator   X with its spectrum, or the reason why there is none
    stability   what grows, what decays, what is bounded, and where it is used
    values      published test values
    mistakes    published mistakes
    witness     claims beyond those of the form, from checked settings: what shows that the verdict
                is no stronger one (a group per length, in learned time only)
    variant_of  the entry whose kernel it shares, up to numbers and a constant basis; empty for a
                kernel of its own kind
    """

    name: str
    family: str
    verdict: Verdict
    title: str
    reference: str
    settings: Mapping[str, Setting]
    build: Callable[[Settings], Form] = field(compare=False)
    definition: str
    generator: str
    stability: str
    values: tuple[Published, ...]
    mistakes: tuple[Mistake, ...] = ()
    witness: Callable[[Settings], tuple[Claim, ...]] | None = field(default=None, compare=False)
    variant_of: str = ""

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise ValueError(f"an entry's name is lower case with dashes, got {self.name!r}")
        if self.family not in FAMILIES:
            raise ValueError(f"{self.name}: family: expected one of {FAMILIES}, got {self.family}")
        for part in ("title", "reference", "definition", "generator", "stability", "values"):
            if not getattr(self, part):
                raise ValueError(f"{self.name}: the part {part!r} is missing")
        names = [m.name for m in self.mistakes]
        if len(set(names)) != len(names):
            raise ValueError(f"{self.name}: mistakes need different names, got {names}")

    @property
    def defaults(self) -> dict[str, str]:
        """Published defaults, as they are written in a specification."""
        return {name: setting.default for name, setting in self.settings.items()}

    def form(self, given: Mapping[str, object], domain: Domain | None = None) -> Form:
        """Build with some settings given, the others at their defaults.

        Raises `SpecificationError` naming the setting.
        """
        settings = Settings(self.name, self.settings, given)
        specification: dict[str, object] = {
            "catalogue": self.name,
            "settings": dict(settings.texts),
        }
        built = self.build(settings)
        if not isinstance(built, Encoding):
            if domain is not None:
                raise SpecificationError(
                    f"{self.name}: a domain belongs to an encoding of one generator"
                )
            return self._named(built, specification)
        if domain is not None:
            specification["domain"] = {
                "time": domain.time,
                "causal": domain.causal,
                "max_position": domain.max_position,
            }
        return replace(self._named(built, specification), domain=domain or built.domain)

    def _named(self, built: F, specification: Mapping[str, object]) -> F:
        return replace(
            built,
            name=self.name,
            title=self.title,
            reference=self.reference,
            specification=specification,
        )

    def encoding(self, given: Mapping[str, object], domain: Domain | None = None) -> Encoding:
        """The same, where the form is one generator.

        Raises `NotAGroup` where there is none, `NotYetCovered` for several axes.
        """
        found = self.form(given, domain)
        if isinstance(found, Outside):
            raise NotAGroup(found)
        if isinstance(found, SeveralAxes):
            raise NotYetCovered(
                f"{self.name} has {len(found.axes)} axes, A(p) = exp(sum p_i X_i), which is "
                "classified and proved; what was asked is for one generator: give that of one "
                "axis, or of one direction, as [generator]"
            )
        return found

    def further_claims(self, given: Mapping[str, object]) -> tuple[Claim, ...]:
        """What the entry itself decides, beyond the claims of the form."""
        if self.witness is None:
            return ()
        return self.witness(Settings(self.name, self.settings, given))


def agrees(value: Scalar | arb | int, printed: str) -> Decision:
    """Decide that a number is what was printed: exactly, or within half a unit of the last digit.

    >>> agrees(Scalar.rational(1) / Scalar.rational(3), "0.3333").outcome.value
    'proved'
    >>> agrees(Scalar.rational(1) / Scalar.rational(3), "0.3334").outcome.value
    'refuted'
    """
    exact = Scalar.rational(value) if isinstance(value, int) else value
    match = _DECIMAL.fullmatch(printed)
    if match is None or (match[2] is None and match[3] is None):
        if isinstance(exact, arb):
            raise ValueError(f"expected decimals for an enclosure, got {printed!r}")
        same = (exact - parse(printed)).vanishes()
        return holds(same, f"computed {exact}, printed {printed}", computed=exact, printed=printed)
    unit = fmpq(10) ** (int(match[3] or 0) - len(match[2] or ""))
    with precision(256):
        ball = exact if isinstance(exact, arb) else exact.ball({})
        distance = abs(ball - arb(parse(printed).rational_value()))
        shown = ball.str(len(match[1] + (match[2] or "")) + 2, radius=False)
        return holds(
            distance <= arb(unit / 2),
            f"computed {shown}, printed {printed}",
            computed=shown,
            printed=printed,
        )
