"""The spectral card for people."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from symbolic_pe.cli.spectrum_records import (
    CentredRecord,
    Enclosure,
    HeadSpectrumRecord,
    LensRecord,
    SpectralClaimRecord,
    SpectrumRecord,
    WindowRecord,
)

SHOWN_PARTS = 6


def spectrum_text(record: SpectrumRecord) -> str:
    """The record as lines."""
    return "\n".join(_lines(record)) + "\n"


def _lines(record: SpectrumRecord) -> Iterator[str]:
    heads = "" if record.head_count == 1 else f", {record.head_count} heads"
    yield f"{record.name}: dimension {record.dimension}{heads}, {record.length} positions"
    if not record.applies:
        yield f"  no positional kernel of one lag: {record.reason}"
    told: list[SpectralClaimRecord] = []
    for head in record.heads:
        yield from _head(head, record)
        yield from _claims(head.claims, told)
        told = head.claims
    for note in record.notes:
        yield f"  note: {note}"
    for lens in record.lens or ():
        yield from _lens(lens)
    if record.search is not None:
        yield "bases:"
        yield from _search(record)


def _head(head: HeadSpectrumRecord, record: SpectrumRecord) -> Iterator[str]:
    if len(head.heads) < record.head_count:
        yield f"  heads {', '.join(map(str, head.heads))}"
    if head.axes:
        yield from _wrapped(f"  {'axis' if len(head.axes) == 1 else 'axes'} ", head.axes)
    yield "  symbol"
    for part in head.symbol[:SHOWN_PARTS]:
        extra = f", derivatives up to order {part.derivatives}" if part.derivatives else ""
        yield f"    {part.kind:8} {shortened(part.formula)}{extra}"
    if len(head.symbol) > SHOWN_PARTS:
        yield f"    ... and {len(head.symbol) - SHOWN_PARTS} more parts"
    yield f"  spectrum of the {shortened(head.matrix)}"
    if head.lambda_max_over_n is not None:
        limit = head.lambda_max_over_n_limit
        tends = "" if limit is None else f"; tends to {limit}"
        yield f"    lambda_max/n     {_number(head.lambda_max_over_n)}{tends}"
    if head.effective_rank is not None:
        yield f"    effective rank   {_number(head.effective_rank)} of rank {head.rank}"
    if head.condition_number is not None:
        yield f"    condition        {_number(head.condition_number)}"
    elif head.no_condition_number:
        yield f"    condition        {head.no_condition_number}"
    if head.centred is not None:
        c = head.centred
        share = f"{100 * c.share_of_squared_norm.value:.4g} % of the squared norm"
        yield f"    row-centred      {share} is left"
        yield from _centred(c)
    if head.window is not None:
        yield f"  window             {_window(head.window)}"
    if head.relations is not None:
        r = head.relations
        period = "" if r.period is None else f"; theta_(k+{r.period}) = {r.ratio}*theta_k"
        yield (
            f"  relations          {r.frequencies} frequencies span dimension {r.dimension} over "
            f"the rationals{period}"
        )
    for missing in head.missing:
        yield f"  not given          {missing}"


def _centred(c: CentredRecord) -> Iterator[str]:
    found = []
    if c.largest_singular_value_over_n is not None:
        found.append(f"sigma_max/n {_number(c.largest_singular_value_over_n)}")
    if c.effective_rank is not None:
        found.append(f"effective rank {_number(c.effective_rank)}")
    if found:
        yield f"                     {', '.join(found)}"


def _claims(
    claims: Sequence[SpectralClaimRecord], told: Sequence[SpectralClaimRecord]
) -> Iterator[str]:
    yield "  claims"
    if told and claims == told:
        yield "    the same verdicts with the same reasons"
        return
    for claim in claims:
        yield f"    {claim.verdict:9} {claim.name} ({', '.join(claim.published)})"
        yield f"              {claim.witness or claim.reason}"


def shortened(formula: str) -> str:
    """The first terms of a long sum.

    >>> shortened("1 + 2 + 3 + 4 + 5 + 6 + 7 + 8")
    '1 + 2 + 3 + 4 + 5 + 6 + ... (2 more terms)'
    """
    terms = formula.split(" + ")
    if len(terms) <= SHOWN_PARTS + 1:
        return formula
    return f"{' + '.join(terms[:SHOWN_PARTS])} + ... ({len(terms) - SHOWN_PARTS} more terms)"


def _wrapped(prefix: str, words: Sequence[str]) -> list[str]:
    indent = " " * len(prefix)
    return textwrap.wrap(", ".join(words), 90, initial_indent=prefix, subsequent_indent=indent)


def _number(x: Enclosure) -> str:
    """Six digits, or the interval where it is wider than they show."""
    if x.high - x.low <= 1e-6 * abs(x.value):
        return f"{x.value:.6g}"
    return f"{x.low:.6g} to {x.high:.6g}"


def _window(w: WindowRecord) -> str:
    zero = "" if w.zero is None else f"; exactly 0 at lag {w.zero} (by algebra)"
    if w.never:
        return f"no negative lag: {w.never}{zero}"
    if w.lag is None or w.enclosure is None or w.before is None:
        return f"no negative lag up to {w.searched}{zero}"
    return (
        f"first negative lag {w.lag} ({w.enclosure.value:.6g}), one before {w.before.value:.6g}; "
        f"both signs certified{zero}"
    )


def _lens(lens: LensRecord) -> Iterator[str]:
    yield f"measured head {lens.head}"
    yield (
        f"  positional share   {lens.predicted_positional_share:.4g} from mean query and key; the "
        f"best function of the lag explains {lens.lag_share:.4g}"
    )
    if lens.contraction_ratio is not None:
        yield (
            f"  contraction        {lens.contraction_ratio:.4g} of row-centred logits; effective "
            f"rank {lens.effective_rank:.4g}, without position "
            f"{lens.effective_rank_without_position:.4g}"
        )
    homogeneity = "" if lens.homogeneity is None else f"homogeneity {lens.homogeneity:.4g}; "
    yield f"  theorem            {homogeneity}{lens.theorem}"
    if lens.energy is not None:
        top = sorted(range(len(lens.energy)), key=lambda k: -(lens.energy or [])[k])[:4]
        shown = ", ".join(f"plane {k}: {lens.energy[k]:.3g}" for k in top)
        yield f"  energy             {shown}"


def _search(record: SpectrumRecord) -> Iterator[str]:
    words = {"proved": "positive", "refuted": "negative", "undecided": "undecided"}
    for item in record.search or ():
        lag = f" at lag {item.lag}, for one" if item.lag is not None else ""
        yield f"  {_decimal(item.low):>14} to {_decimal(item.high):<14} {words[item.verdict]}{lag}"


def _decimal(fraction: str) -> str:
    from fractions import Fraction

    return f"{float(Fraction(fraction)):.8g}"
