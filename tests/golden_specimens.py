"""The golden kernels with their plans, as the mutation campaign wants them."""

from __future__ import annotations

from dataclasses import dataclass

from numeric_check.mutation.campaign import Specimen
from symbolic_pe.emit.axes import AxesPlan, plan_axes
from symbolic_pe.emit.plan import KernelPlan, plan_kernel
from symbolic_pe.encodings.outside import Outside
from tests.emit import test_golden_positions as positions
from tests.emit.test_golden import FILES, SOURCES, path_of


@dataclass(frozen=True)
class GoldenPlan:
    """The plan of a golden file, made anew in any process."""

    stem: str

    def __call__(self) -> KernelPlan:
        return plan_kernel(SOURCES[self.stem][0]())


@dataclass(frozen=True)
class GoldenPositions:
    """The same of several axes, biases and tables of positions."""

    stem: str

    def __call__(self) -> AxesPlan | Outside:
        found = positions.form_of(self.stem)
        return found if isinstance(found, Outside) else plan_axes(found)


def specimens() -> list[Specimen]:
    """Every golden file, in the order of their names."""
    found = [
        Specimen(path.name, path.read_text(encoding="utf-8"), GoldenPlan(stem))
        for stem, target in FILES
        for path in [path_of(stem, target)]
    ]
    found += [
        Specimen(f"positions/{path.name}", path.read_text(encoding="utf-8"), GoldenPositions(stem))
        for stem, target in positions.FILES
        for path in [positions.path_of(stem, target)]
    ]
    return sorted(found, key=lambda s: s.name)
