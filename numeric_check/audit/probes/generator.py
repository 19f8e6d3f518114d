"""Which generator, which planes, which orientation on q and on k; and is it the declared one?"""

from __future__ import annotations

import numpy as np

from numeric_check.audit.comparison import Comparison, compare, first_visible, sources_text
from numeric_check.audit.context import Context
from numeric_check.audit.finding import Finding, Verdict, skipped, undecided
from numeric_check.audit.planes import Spectrum
from numeric_check.audit.recognition import Recognised, rounded
from numeric_check.audit.reproduce import entry_of_image, entry_of_score

GENERATOR = "F(t)^T G(s) = exp((t - s) X) F(0)^T G(0) for one real X"
LAYOUT = "each plane of channels turns by its own angle, the same for q and k"


def generator(context: Context, spectrum: Spectrum, recognised: Recognised) -> Finding:
    """Whether one generator explains every position, and what it is."""
    recovered = context.recovered
    gone = recovered.first_departure
    if gone is not None:
        part, departure = gone
        return Finding(
            "generator",
            Verdict.REFUTED,
            GENERATOR,
            f"no X explains more than the positions below {departure.position}",
            f"channels {_some(part.channels)}: the X that fits positions 0 to "
            f"{departure.position - 1} is off by {departure.error:.2g} at position "
            f"{departure.position} ({departure.tolerance:.1e} allowed)",
            departure.error,
            departure.tolerance,
            entry_of_score(
                context.subject,
                [(departure.position, 0)],
                part.channels[0],
                part.channels[0],
                context.measured.dtype,
            ),
        )
    if recovered.unrecovered:
        reason = recovered.unrecovered[0]
        return undecided(
            "generator", GENERATOR, f"channels {_some(reason.channels)}: {reason.reason}"
        )
    worst = max(recovered.parts, key=lambda p: p.worst[1] / p.worst[2])
    return Finding(
        "generator",
        Verdict.CONSISTENT,
        GENERATOR,
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


def layout(context: Context, spectrum: Spectrum) -> Finding:
    """Planes in words, and by how much q and k turn at position 1."""
    if not spectrum.planes:
        return skipped("layout", LAYOUT, "no plane turns")
    directions = {side: _directions(context, spectrum, side) for side in ("query", "key")}
    words = f"{spectrum.layout}; q turns {directions['query']}, k turns {directions['key']}"
    return Finding(
        "layout",
        Verdict.CONSISTENT,
        LAYOUT,
        words,
        numbers={"layout": spectrum.layout, **directions},
    )


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
    statement = "the frequencies carry at least 24 bits"
    ladder = recognised.ladder
    if ladder is None:
        return skipped("frequencies", statement, "no ladder base^(-2j/D) was recognised")
    if not ladder.rounded_to:
        return Finding("frequencies", Verdict.CONSISTENT, statement, "not rounded to 16 bits")
    count = len(recognised.order)
    exact = ladder.factor * ladder.base ** (-2.0 * np.arange(count) / ladder.denominator)
    gaps = np.abs(rounded(exact, ladder.rounded_to) - exact)
    j = int(gaps.argmax())
    plane = recognised.order[j]
    position = first_visible(float(gaps[j]))
    return Finding(
        "frequencies",
        Verdict.REFUTED,
        statement,
        f"all {count} equal {ladder.base:.6g}^(-2j/{ladder.denominator}) rounded to "
        f"{ladder.rounded_to}: keep them in float32 when a module is cast",
        f"plane {plane.channels}: {abs(plane.frequency):.9g} instead of {exact[j]:.9g}; the angle "
        f"is off by {first_phase(gaps[j], position):.2g} rad at position {position}",
        float(gaps[j]),
        plane.radius,
        entry_of_image(
            context.subject, "query", 1, plane.channels[::-1], context.measured.dtype,
        ),
    )  # fmt: skip


def first_phase(gap: float, position: int) -> float:
    """Difference of angles at a position."""
    return float(gap) * position


def against(context: Context, spectrum: Spectrum, recognised: Recognised, text: str) -> Finding:
    """Equal to the declared generator, equivalent, or different with the worst plane."""
    assert context.declared is not None
    statement = f"X is that of {text}"
    if context.recovered.unrecovered:
        return undecided("against", statement, "no generator was recovered to compare")
    found = compare(context.recovered, spectrum, context.declared)
    if found.equal:
        return Finding("against", Verdict.CONSISTENT, statement, "it is, within what was measured")
    if found.conjugation is not None:
        return _equivalent(context, found, statement)
    return _different(context, found, recognised, statement)


def _equivalent(context: Context, found: Comparison, statement: str) -> Finding:
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
    return Finding(
        "against",
        verdict,
        statement,
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
    context: Context, found: Comparison, recognised: Recognised, statement: str
) -> Finding:
    d = found.difference
    assert d is not None
    i, j = d.channels
    position = first_visible(d.gap)
    return Finding(
        "against",
        Verdict.REFUTED,
        statement,
        f"it is {recognised.spec or recognised.text}" + (f"; {found.hint}" if found.hint else ""),
        f"entry ({i}, {j}) of X is {d.found:.9g}, declared is {d.declared:.9g}: from position "
        f"{position} on angles are off by 0.1 rad and more",
        d.gap,
        d.room,
        entry_of_score(context.subject, [(1, 0)], i, j, context.measured.dtype),
        {"entry": [i, j], "found": d.found, "declared": d.declared},
    )


def _some(channels: tuple[int, ...]) -> str:
    return str(channels) if len(channels) <= 4 else f"{channels[0]} to {channels[-1]}"
