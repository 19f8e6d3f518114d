"""From a proved encoding to certified kernels: plan, certificate, independent recheck, text."""

from __future__ import annotations

from collections.abc import Sequence

from symbolic_pe.emit.plan import KernelPlan, plan_kernel
from symbolic_pe.emit.source import EmittedKernel
from symbolic_pe.emit.source import emit as emit_plan
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.errors import SpecificationError
from symbolic_pe.proof.certificate import Json, certified
from symbolic_pe.proof.claim import Outcome
from symbolic_pe.proof.prover import Proof, prove


def emit(encoding: Encoding, target: str = "numpy") -> EmittedKernel:
    """Prove an encoding and print its kernel for one target: `numpy`, `torch` or `array-api`.

    The laws of A(τ) = exp(τX) are decided first, and the certificate that the header names is
    accepted by the independent checker. The text is not measured here: see `numeric_check`.

    >>> from symbolic_pe.encodings.catalogue import catalogue
    >>> kernel = emit(catalogue("rope", {"dim": 8}))
    >>> kernel.filename, "def transform_query(x, position, reference=0.0):" in kernel.text
    ('rope_numpy.py', True)

    Raises `SpecificationError` when a claim of the encoding is refuted or the target is unknown,
    `NotYetCovered` when this version has no kernel for the generator.
    """
    proof = prove(encoding)
    if proof.outcome is Outcome.REFUTED:
        refuted = next(c for c in proof.claims if c.verdict is Outcome.REFUTED)
        raise SpecificationError(f"{refuted.name} is refuted: {refuted.witness}")
    _, _, (kernel,) = make_kernels(encoding, proof, [target], "")
    return kernel


def make_kernels(
    encoding: Encoding, proof: Proof, targets: Sequence[str], command: str
) -> tuple[KernelPlan, Json, tuple[EmittedKernel, ...]]:
    """Plan, certify and emit; the certificate is decided again by the independent checker."""
    plan = plan_kernel(encoding)
    document = _certified(proof, plan)
    kernels = tuple(
        emit_plan(
            plan,
            target,
            command=f"{command} --target {target}",
            certificate_digest=document["digest"],
        )
        for target in targets
    )
    return plan, document, kernels


def _certified(proof: Proof, plan: KernelPlan) -> Json:
    """The certificate, decided again by the independent checker.

    It is about the generator of the kernel; where that is a nearby one, being skew is a property of
    X that X̂ has only up to the distance.
    """
    left_out = {"orthogonality"} if plan.distance and not plan.norm_preserving else set()
    return certified(proof, plan, left_out)
