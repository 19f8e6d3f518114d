"""The main job as a function: from an encoding to proved and cross-checked artefacts."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from symbolic_pe.budget import Budget
from symbolic_pe.classification import Classification, classify
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.emit.source import EmittedKernel, with_header_lines
from symbolic_pe.emit.targets import TARGETS, target_named
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.errors import NotYetCovered, SpecificationError, Undecided
from symbolic_pe.production import make_kernels
from symbolic_pe.proof.certificate import Json, certified_encoding
from symbolic_pe.proof.claim import Outcome
from symbolic_pe.proof.prover import Proof, jordan_forms, prove

if TYPE_CHECKING:
    from numeric_check.laws.cross_check import CrossCheck
    from numeric_check.rounding import KernelBounds
    from numeric_check.text_proof.prove import TextProof

Report = Callable[[str], None]


@dataclass(frozen=True)
class Artefacts:
    """Everything that `build` found and made."""

    encoding: Encoding
    classification: Classification
    proof: Proof
    plan: KernelPlan | None
    certificate: Json | None
    kernels: tuple[EmittedKernel, ...]
    checks: dict[str, CrossCheck]
    texts: dict[str, TextProof]
    bounds: dict[str, KernelBounds]
    refutation: Json | None = None

    @property
    def failures(self) -> list[str]:
        """One line for every law that does not hold, with where and how to see it."""
        lines = [
            f"{claim.name} is refuted: {claim.witness or claim.reason}"
            for claim in self.proof.claims
            if claim.verdict is Outcome.REFUTED
        ]
        for target, text in self.texts.items():
            if text.verdict == "refuted":
                lines.append(f"{target}: the text is refuted: {text.reason}")
        for target, check in self.checks.items():
            lines.extend(f"{target}: {line}" for line in check.failure_lines())
        for target, bounds in self.bounds.items():
            lines.extend(f"{target}: {line}" for line in bounds.failures)
        return lines

    @property
    def outcome(self) -> Outcome:
        """Refuted when any law fails, else what the proofs say."""
        return Outcome.REFUTED if self.failures else self.proof.outcome


def is_installed(library: str) -> bool:
    """Whether a package can be imported."""
    return importlib.util.find_spec(library) is not None


def installed_targets() -> tuple[str, ...]:
    """The usual targets whose array library is installed."""
    return tuple(t.name for t in TARGETS.values() if t.usual and is_installed(t.library))


def choose_targets(asked: Sequence[str]) -> tuple[str, ...]:
    """The targets asked for, or all usual ones that are installed."""
    if not asked:
        return installed_targets()
    for name in asked:
        target = target_named(name)
        if not is_installed(target.library):
            raise SpecificationError(
                f"target {name!r} is asked for but {target.library} is not installed; "
                f"install it with: pip install 'symbolic-pe[{name}]'"
            )
    return tuple(dict.fromkeys(asked))


def _refuting(proof: Proof) -> Json | None:
    """The certificate that carries the witnesses; None where it has no form."""
    try:
        return certified_encoding(proof)
    except (NotYetCovered, Undecided):
        return None


def build(
    encoding: Encoding,
    targets: Sequence[str],
    command: str,
    progress: Report,
    *,
    budget: Budget,
    exact_done: Callable[[], None] = lambda: None,
) -> Artefacts:
    """Classify, prove, emit, compile, cross-check and bound one encoding.

    `exact_done` is called when the exact part is over and measuring begins.
    """
    from numeric_check import compile_kernel, cross_check, prove_text
    from numeric_check.rounding import judge

    progress("classifying")
    forms = jordan_forms(encoding, budget)
    classification = classify(encoding, forms=forms)
    progress("proving")
    proof = prove(encoding, budget, forms)
    if proof.outcome is Outcome.REFUTED:
        refuted = Artefacts(encoding, classification, proof, None, None, (), {}, {}, {})
        return replace(refuted, refutation=_refuting(proof))
    progress("emitting")
    plan, document, kernels = make_kernels(encoding, proof, targets, command)
    exact_done()
    checks, texts = {}, {}
    bounds: dict[str, KernelBounds] = {}
    written: list[EmittedKernel] = []
    for kernel in kernels:
        progress(f"proving and cross-checking the {kernel.target} text")
        compiled = compile_kernel(kernel, module=Path(kernel.filename).stem)
        texts[kernel.target] = prove_text(compiled, plan, operator=True)
        checks[kernel.target] = cross_check(compiled, plan, calls=True)
        progress(f"bounding the rounding errors of the {kernel.target} text")
        bounds[kernel.target] = judge(compiled, plan)
        written.append(with_header_lines(kernel, bounds[kernel.target].header_lines()))
        if kernel.target == "array-api" and is_installed("torch"):
            other = compile_kernel(kernel, module=compiled.module, library="torch")
            checks["array-api (torch)"] = cross_check(other, plan, calls=True)
    return Artefacts(
        encoding, classification, proof, plan, document, tuple(written), checks, texts, bounds
    )
