"""`symbolic-pe spectrum`: the spectral card of a specification."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from symbolic_pe.errors import SpecificationError

if TYPE_CHECKING:
    from flint import fmpq

    from numeric_check.spectrum.lens import HeadLens
    from numeric_check.spectrum.search import BaseInterval
    from symbolic_pe.budget import Budget
    from symbolic_pe.encodings.forms import Specification

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Request:
    """What is asked of one specification.

    weights  numbers with commas, or a .npy file of one number for each block
    search   LOW:HIGH of bases, for kernels that are positive below `window`
    queries, keys  files of measured heads, before the encoding is applied
    full           every key is allowed, not those before the query alone
    """

    spec: str
    length: int
    lags: int
    weights: str | None
    search: str | None
    window: int | None
    figure: Path | None
    queries: str | None = None
    keys: str | None = None
    full: bool = False


def run_spectrum(request: Request, budget: Budget, progress: Progress, *, as_json: bool) -> str:
    """The card as text or JSON; the figure is written when it is asked for."""
    from numeric_check.spectrum.card import spectral_card
    from symbolic_pe.cli.json_text import to_text
    from symbolic_pe.cli.reading import read_any_specification
    from symbolic_pe.cli.spectrum_records import card_record
    from symbolic_pe.cli.spectrum_text import spectrum_text
    from symbolic_pe.whole_files import write_files

    found = read_any_specification(request.spec)
    weights = None if request.weights is None else read_weights(request.weights)
    card = spectral_card(
        found,
        request.length,
        weights=weights,
        limit=request.lags,
        budget=budget,
        progress=progress,
    )
    intervals = None
    if request.search is not None:
        intervals = _search(found, request, progress)
    elif request.window is not None:
        raise SpecificationError("--window belongs to --search LOW:HIGH")
    if request.figure is not None:
        from numeric_check.spectrum.figure import card_figure

        write_files(request.figure.parent, {request.figure.name: card_figure(card)})
    record = card_record(card, intervals, _lens(found, request))
    return to_text(record) if as_json else spectrum_text(record)


def _lens(found: Specification, request: Request) -> list[HeadLens] | None:
    from symbolic_pe.encodings.encoding import Encoding

    if request.queries is None and request.keys is None:
        return None
    if request.queries is None or request.keys is None:
        raise SpecificationError("give --queries and --keys together")
    if not isinstance(found, Encoding):
        raise SpecificationError("--queries: expected an encoding of one generator")
    from numeric_check.spectrum.lens import head_lens
    from numeric_check.spectrum.tensors import read_tensor

    queries, keys = read_tensor(request.queries), read_tensor(request.keys)
    return head_lens(found, queries, keys, causal=not request.full)


def _search(found: Specification, request: Request, progress: Progress) -> list[BaseInterval]:
    from numeric_check.spectrum.search import ladder_of, search_bases
    from symbolic_pe.encodings.encoding import Encoding

    if not isinstance(found, Encoding):
        raise SpecificationError("--search: expected an encoding of one generator")
    if request.window is None:
        raise SpecificationError("--search: give the window as well, such as --window 4096")
    low, high = _interval(request.search or "")
    return search_bases(ladder_of(found, low, high), low, high, request.window, progress=progress)


def _interval(text: str) -> tuple[fmpq, fmpq]:
    parts = text.split(":")
    if len(parts) != 2:
        raise SpecificationError(f"--search: expected LOW:HIGH such as 4000:8000, got {text!r}")
    low, high = (_rational(part, "--search") for part in parts)
    return low, high


def _rational(text: str, option: str) -> fmpq:
    """One rational number of an option."""
    from symbolic_pe.algebra.expression import parse

    try:
        number = parse(text)
    except SpecificationError as error:
        raise SpecificationError(f"{option}: expected rational numbers; {error}") from None
    if not number.is_rational():
        raise SpecificationError(f"{option}: expected rational numbers, got {text!r}")
    return number.rational_value()


def read_weights(text: str) -> list[fmpq]:
    """Weights from `0.5,0.25,1/4` or from a .npy file; floating-point numbers are exact dyadics.

    Raises `SpecificationError`.
    """
    if text.endswith(".npy"):
        return _weights_of_file(Path(text))
    return [_rational(part, "--weights") for part in text.split(",")]


def _weights_of_file(path: Path) -> list[fmpq]:
    import numpy as np

    from numeric_check.spectrum.window import weights_of
    from symbolic_pe.reading import readable

    with readable(path):
        array = np.load(path, allow_pickle=False)
    if array.ndim != 1 or array.dtype.kind not in "fiu" or not np.isfinite(array).all():
        raise SpecificationError(
            f"{path}: expected one dimension of finite numbers, got {array.dtype} of shape "
            f"{array.shape}"
        )
    return weights_of(array.tolist())
