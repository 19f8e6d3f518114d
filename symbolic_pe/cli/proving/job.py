"""Decide one specification: claims, certificate, file for Rocq. This module imports the exact core.

What is decided is sent part by part, so that a certificate that takes too long costs no claim.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from symbolic_pe.budget import SHARE_OF_SEARCH, Budget
from symbolic_pe.cli.claims import claim_record
from symbolic_pe.cli.proving.keys import Options
from symbolic_pe.cli.proving.limit import OUT_OF_MEMORY, Allow, Ended, Send, in_child
from symbolic_pe.cli.proving.records import Judged
from symbolic_pe.cli.proving.sources import Source
from symbolic_pe.cli.reading import read_any_specification
from symbolic_pe.errors import NotYetCovered, SymbolicPEError, Undecided
from symbolic_pe.proof.any_form import proof as decide
from symbolic_pe.proof.certificate import canonical
from symbolic_pe.proof.certificate_of_positions import certificate_of
from symbolic_pe.proof.rocq.export import file_of

T = TypeVar("T")
TOO_LARGE = "the input is too large or too deeply nested"
DEFECT = "This is a defect of symbolic-pe. Set SYMBOLIC_PE_DEBUG=1 to see where."


@dataclass(frozen=True)
class Job:
    """One specification to decide; `limited` has it decided in a child that ends in time."""

    source: Source
    options: Options
    limited: bool = True


def run_job(job: Job) -> Judged:
    """What is decided of one specification; never raises for what is wrong with it."""
    if job.source.problem:
        return Judged(error=job.source.problem)
    if not job.limited:
        *_, last = _parts(job, lambda _: None)
        return last
    return _assembled(in_child(lambda send, allow: _send_parts(job, send, allow)), job.options)


def _send_parts(job: Job, send: Send, allow: Allow) -> None:
    for part in _parts(job, allow):
        send(msgspec.json.encode(part))


def _assembled(ended: Ended, options: Options) -> Judged:
    """The last part that came whole, and what is missing because the child was ended."""
    late = str(Budget.of(options.budget))
    if not ended.lines:
        if ended.late:
            hint = "give more with --budget SECONDS, or split the generator into smaller blocks"
            return Judged(undecided=f"{late}; {hint}", budget_ended=True)
        if ended.fault == OUT_OF_MEMORY:
            return Judged(undecided=ended.fault, budget_ended=True)
        return Judged(error=f"internal error ({ended.fault}). {DEFECT}", internal=True)
    last = msgspec.json.decode(ended.lines[-1], type=Judged)
    if not (ended.late or ended.fault):
        return last
    reason = late if ended.late else ended.fault
    missing = {"no_certificate": last.no_certificate or ("" if last.certificate else reason)}
    if options.rocq:
        missing["no_rocq"] = reason
    return msgspec.structs.replace(last, budget_ended=True, **missing)


# -- the parts ----------------------------------------------------------------------------------


def _parts(job: Job, allow: Allow) -> Iterator[Judged]:
    """The claims; the same with the certificate; and with the file for Rocq."""
    budget = Budget.of(job.options.budget, SHARE_OF_SEARCH)
    try:
        allow(budget.seconds)
        found = decide(read_any_specification(job.source.spec), budget)
    except (NotYetCovered, Undecided) as error:
        reason = clean(str(error))
        yield Judged(undecided=reason, budget_ended=str(budget) in reason)
        return
    except SymbolicPEError as error:
        yield Judged(error=clean(str(error)))
        return
    except (RecursionError, MemoryError):
        yield Judged(error=f"{job.source.label}: {TOO_LARGE}")
        return
    claims = [claim_record(claim) for claim in found.claims]
    late = any(str(budget) in claim.reason for claim in found.claims)
    judged = Judged(name=found.encoding.name, claims=claims, budget_ended=late)
    yield judged
    allow(budget.seconds)
    certificate, reason = _attempt(lambda: canonical(certificate_of(found)))
    judged = msgspec.structs.replace(judged, certificate=certificate or "", no_certificate=reason)
    yield judged
    if job.options.rocq:
        allow(budget.seconds)
        command = f"symbolic-pe prove {job.source.label} --rocq DIR"
        file, reason = _attempt(lambda: file_of(found, command))
        yield msgspec.structs.replace(judged, rocq=file, no_rocq=reason)


def _attempt(make: Callable[[], T]) -> tuple[T | None, str]:
    try:
        return make(), ""
    except SymbolicPEError as error:
        return None, clean(str(error))
    except (RecursionError, MemoryError):
        return None, TOO_LARGE


def clean(text: str) -> str:
    """Valid Unicode: names of files may hold bytes that are none."""
    return text.encode("utf-8", "backslashreplace").decode()


__all__ = ["Job", "run_job"]
