"""Which generator, which planes, which orientation on q and on k; and is it the declared one?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from numeric_check.audit import questions
from numeric_check.audit.comparison import (
    Comparison,
    compare,
    first_visible,
    shortened,
    sources_text,
)
from numeric_check.audit.context import Context
from numeric_check.audit.finding import Finding, Verdict
from numeric_check.audit.matrices import exponentials
from numeric_check.audit.planes import Spectrum
from numeric_check.audit.probes.showing import score_line
from numeric_check.audit.recognition import Recognised, rounded
from numeric_check.audit.recovery import Departure, Part
from numeric_check.audit.reproduce.images import entry_of_image, entry_of_score
from symbolic_pe.errors import AuditError


def generator(context: Context, spectrum: Spectrum, recognised: Recognised) -> Finding:
    """Whether one generator explains every position, and what it is."""
    recovered = context.recovered
    gone = recovered.first_departure
    if gone is not None:
        part, departure = gone
        where = departure.extent or f"at position {departure.position}"
        i, j, right = _entry_of_departure(context, part, departure)
        return questions.GENERATOR.refuted(
            (f"{context.explanation}; " if context.explanation else "")
            + f"no X explains every position: the one that fits those below {departure.position} "
            f"fails {where}",
            f"channels {_some(part.channels)}: that X is off by {departure.error:.2g} at position "
            f"{departure.position} ({departure.tolerance:.1e} allowed); it makes entry ({i}, {j}) "
            f"of F({departure.position})^T G(0) {right:.9g}",
            score_line(
                context,
                [(departure.position, 0)],
                (i, j),
                lambda values: not abs(values[0] - right) <= 0.5 * departure.tolerance,
            ),
            error=departure.error,
            tolerance=departure.tolerance,
        )
    if recovered.unrecovered:
        reason = recovered.unrecovered[0]
        words = f"; {context.explanation}" if context.explanation else ""
        return questions.GENERATOR.undecided(
            f"channels {_some(reason.channels)}: {reason.reason}{words}"
        )
    worst = max(recovered.parts, key=lambda p: p.worst[1] / p.worst[2])
    return questions.GENERATOR.consistent(
        recognised.text,
        error=worst.worst[1],
        tolerance=worst.worst[2],
        numbers={
            "nearest": recognised.spec,
            "frequencies": [p.frequency for p in spectrum.planes],
            "rates": [p.rate for p in spectrum.planes] + [a for _, a, _ in spectrum.singles],
            "planes": [list(p.channels) for p in spectrum.planes],
            "radius": max(p.radius for p in recovered.parts),
            "jordan": jordan_lines(context, spectrum),
            **({"matrix": recovered.matrix().tolist()} if spectrum.others else {}),
        },
    )


def _entry_of_departure(
    context: Context, part: Part, departure: Departure
) -> tuple[int, int, float]:
    """An entry of F(t)ᵀG(0) that shows it, and what exp(tX̂)F(0)ᵀG(0) has there."""
    place = np.ix_(part.channels, part.channels)
    start = context.measured.pair(0, 0)[place]
    right = exponentials(part.matrix, [float(departure.position)])[0] @ start
    try:
        forth = context.subject.matrices("query", [departure.position], context.measured.dtype)[0]
        gap = np.abs(forth[place].T @ context.measured.key[0][place] - right)
    except AuditError:
        gap = np.zeros(right.shape)
    gap = np.nan_to_num(gap, nan=np.inf)
    i, j = (int(v) for v in np.unravel_index(int(gap.argmax()), gap.shape))
    return part.channels[i], part.channels[j], float(right[i, j])


def layout(context: Context, spectrum: Spectrum) -> Finding:
    """Planes in words, and by how much q and k turn at position 1."""
    if not spectrum.planes:
        return questions.LAYOUT.skipped("no plane turns")
    directions = {side: _directions(context, spectrum, side) for side in ("query", "key")}
    words = f"{spectrum.layout}; q turns {directions['query']}, k turns {directions['key']}"
    if context.subject.outputs:
        words += (
            "; results come in another order than x, which scores do not see: channel i is at "
            f"{shortened(context.subject.outputs)}"
        )
    return questions.LAYOUT.consistent(words, numbers={"layout": spectrum.layout, **directions})


def _directions(context: Context, spectrum: Spectrum, side: str) -> str:
    """`by +theta` when the first channel of a plane moves to the second."""
    measured = context.measured
    matrices = measured.query if side == "query" else measured.key
    start, one = matrices[measured.index[0]], matrices[measured.index[1]]
    signs = set()
    for plane in spectrum.planes:
        place = np.ix_(plane.channels, plane.channels)
        step = one[place] @ np.linalg.pinv(start[place])
        signs.add(float(np.sign(step[1, 0] - step[0, 1])))
    if signs == {1.0}:
        return "by +theta*position"
    return "by -theta*position" if signs == {-1.0} else "in different directions"


def jordan_lines(context: Context, spectrum: Spectrum) -> list[str]:
    """The real Jordan form of X̂ as far as the radii tell, one line for each kind of block."""
    from numeric_check.audit.chains import chains

    lines = [
        f"[[{p.rate:.6g}, {-p.frequency:.9g}], [{p.frequency:.9g}, {p.rate:.6g}]] on {p.channels}"
        for p in spectrum.planes
    ]
    lines += [f"[{a:.6g}] on {c}" for c, a, _ in spectrum.singles]
    for part in context.recovered.parts:
        if part.channels in spectrum.others:
            lines += chains(part)
    return lines


def rounding_of_frequencies(context: Context, recognised: Recognised) -> Finding:
    """Whether the frequencies themselves were rounded to 16 bits."""
    asked, ladder = questions.FREQUENCIES, recognised.ladder
    if ladder is None:
        return asked.skipped("no ladder base^(-2j/D) was recognised")
    if not ladder.rounded_to:
        return asked.consistent("not rounded to 16 bits")
    count = len(recognised.order)
    exact = ladder.factor * ladder.base ** (-2.0 * np.arange(count) / ladder.denominator)
    gaps = np.abs(rounded(exact, ladder.rounded_to) - exact)
    j = int(gaps.argmax())
    plane = recognised.order[j]
    position = first_visible(float(gaps[j]))
    return asked.refuted(
        f"all {count} equal {ladder.base:.6g}^(-2j/{ladder.denominator}) rounded to "
        f"{ladder.rounded_to}: keep them in float32 when a module is cast",
        f"plane {plane.channels}: {abs(plane.frequency):.9g} instead of {exact[j]:.9g}; the angle "
        f"is off by {first_phase(gaps[j], position):.2g} rad at position {position}",
        entry_of_image(context.subject, "query", 1, plane.channels[::-1], context.measured.dtype),
        error=float(gaps[j]),
        tolerance=plane.radius,
    )


def first_phase(gap: float, position: int) -> float:
    """Difference of angles at a position."""
    return float(gap) * position


def against(context: Context, spectrum: Spectrum, recognised: Recognised, text: str) -> Finding:
    """Equal to the declared generator, equivalent, or different with the worst plane."""
    assert context.declared is not None
    asked = questions.AGAINST.of(text)
    if context.recovered.unrecovered:
        return asked.undecided("no generator was recovered to compare")
    found = compare(context.recovered, spectrum, context.declared)
    if found.equal:
        return asked.consistent("it is, within what was measured")
    if found.conjugation is not None:
        return _equivalent(context, found, asked)
    return _different(context, found, recognised, asked)


def against_if_it_fits(
    context: Context, planes: Spectrum, recognised: Recognised, spec: str
) -> Finding:
    """The same, or what keeps a generator from fitting."""
    assert context.declared is not None
    text = spec or context.declared.name
    if context.recovered.fits:
        return against(context, planes, recognised, text)
    asked = questions.AGAINST.of(text)
    return replace(
        generator(context, planes, recognised), question=asked.name, statement=asked.statement
    )


def _equivalent(context: Context, found: Comparison, asked: questions.Question) -> Finding:
    assert found.conjugation is not None
    source, target = found.conjugation.source, found.conjugation.target
    because = _because(found)
    permutation = sources_text(found.conjugation)
    detail = (
        f"because {because}: P X P^T = X' with P taking channel i from {permutation}, proved for "
        "all frequencies; scores agree when the rows of W_q and W_k are permuted by P"
    )
    if {source.name, target.name} == {"half", "interleaved"}:
        detail += f" (symbolic-pe convert --from {source.name} --to {target.name})"
    verdict = Verdict.REFUTED if context.strict else Verdict.EQUIVALENT
    witness, line = _with_given_weights(context, found) if context.strict else ("", "")
    return asked.found(
        verdict,
        detail,
        witness,
        reproduce=line,
        numbers={
            "permutation": list(found.conjugation.permutation.sources),
            "digest": found.conjugation.digest,
            "claims": {c.name: c.verdict.value for c in found.conjugation.claims},
        },
    )


def _with_given_weights(context: Context, found: Comparison) -> tuple[str, str]:
    """Where the scores are wrong when nothing is permuted, and a line that shows it."""
    d = found.difference
    assert d is not None
    i, j = d.channels
    return (
        f"entry ({i}, {j}) of X is {d.found:.9g}, declared is {d.declared:.9g}: with weights "
        "trained for the declared layout, scores are wrong",
        entry_of_score(context.subject, [(1, 0)], i, j, context.measured.dtype),
    )


def _because(found: Comparison) -> str:
    """What the permutation does, in words."""
    assert found.conjugation is not None
    source, target = found.conjugation.source, found.conjugation.target
    reasons = []
    if source.name != target.name:
        reasons.append(f"the declared layout is {source.name}, this is {target.name}")
    elif [set(p) for p in source.planes] != [set(p) for p in target.planes]:
        reasons.append("the planes are in another order")
    count, planes = found.transposed, len(source.planes)
    if count == planes:
        reasons.append("both sides turn the other way: the channels of every plane are exchanged")
    elif count:
        reasons.append(f"{count} of {planes} planes turn the other way")
    return ", and ".join(reasons) or "equal frequencies are exchanged"


def _different(
    context: Context, found: Comparison, recognised: Recognised, asked: questions.Question
) -> Finding:
    d = found.difference
    assert d is not None
    i, j = d.channels
    position = first_visible(d.gap)
    return asked.refuted(
        f"it is {recognised.spec or recognised.text}" + (f"; {found.hint}" if found.hint else ""),
        f"entry ({i}, {j}) of X is {d.found:.9g}, declared is {d.declared:.9g}: from position "
        f"{position} on angles are off by 0.1 rad and more",
        entry_of_score(context.subject, [(1, 0)], i, j, context.measured.dtype),
        error=d.gap,
        tolerance=d.room,
        numbers={"entry": [i, j], "found": d.found, "declared": d.declared},
    )


def _some(channels: tuple[int, ...]) -> str:
    return str(channels) if len(channels) <= 4 else f"{channels[0]} to {channels[-1]}"
