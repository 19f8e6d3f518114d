"""Time every form of RoPE in one process; results as lines of JSON.

`python -m numeric_check.bench.measure REQUEST`, where REQUEST is the JSON of a `Request`. One
process for each state of the allocator, as that is set by environment variables at its start.
"""

from __future__ import annotations

import copy
import json
import os
import random
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from numeric_check.bench.rotary_forms import BASE, Form, Missing, forms

FIRST = 1
"""The first position: 0 would turn nothing."""
SEED = 2026
LEAST_ROUNDS, MOST_ROUNDS = 7, 201
ALLOWED_ERROR = {"float32": 2e-2, "bfloat16": 6e-2}
"""Angles in float32 are off by 4096·2⁻²⁴·π and matrix_exp by 1e-2: worse is a mistake here."""
TIMED_SECONDS = 2e-3
"""One timing repeats a short call for about as long as this."""
Run = Callable[[], Any]


@dataclass(frozen=True)
class Request:
    """What one process measures.

    modes   `eager`, `compiled`
    budget  seconds of timings
    """

    shape: tuple[int, ...]
    dtype: str
    backward: bool
    budget: float
    modes: tuple[str, ...] = ("eager", "compiled")

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Request:
        """From JSON, which has no tuples."""
        tuples = {"shape": tuple(record["shape"]), "modes": tuple(record["modes"])}
        return cls(**{**record, **tuples})


@dataclass(frozen=True)
class Row:
    """One form: median over rounds of (its time / the time of a copy in the same round).

    least  the shortest time over the shortest time of a copy: what other work on the machine
           disturbs least
    """

    name: str
    layout: str
    mode: str
    memory: str
    ratio: float | None
    low: float
    high: float
    microseconds: float
    error: float
    note: str = ""
    least: float = 0.0


@dataclass(frozen=True)
class _Candidate:
    name: str
    layout: str
    mode: str
    base: str
    tensors: int
    run: Callable[[], float]
    error: float


def main(text: str) -> None:
    """Answer requests, one a line of the argument, with lines of JSON."""
    import torch

    warnings.simplefilter("ignore")
    core = _pin()
    torch.set_num_threads(1)
    _send({"about": {"torch": torch.__version__, "pinned": core}})
    with tempfile.TemporaryDirectory() as directory:
        for line in json.loads(text):
            request = Request.of(line)
            for row in rows(request, Path(directory)):
                _send({"request": asdict(request), "row": asdict(row)})


def _send(record: object) -> None:
    print(json.dumps(record), flush=True)


def _pin() -> int | None:
    """Stay on one core, the last that is allowed; None where the system cannot do it."""
    try:
        core = max(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {core})
    except (AttributeError, OSError):
        return None
    return core


def measured_rows(request: Request, directory: Path) -> list[Row]:
    """The rows of one request, measured in this process, on one thread, without reports."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return list(rows(request, directory, lambda _: None))
    finally:
        torch.set_num_threads(threads)


def rows(
    request: Request, directory: Path, report: Callable[[object], None] | None = None
) -> Iterator[Row]:
    """Every form that the request asks for, checked and timed."""
    import torch

    report = report or _send

    dtype = getattr(torch, request.dtype)
    x = torch.randn(request.shape, generator=torch.Generator().manual_seed(SEED)).to(dtype)
    candidates: list[_Candidate] = []
    notes: list[Row] = []
    for form in forms(directory, FIRST):
        if isinstance(form, Missing):
            notes.append(Row(form.name, "", "", "", None, 0.0, 0.0, 0.0, 0.0, form.reason))
            continue
        if request.dtype not in form.dtypes or (request.backward and not form.differentiable):
            continue
        for mode in (m for m in request.modes if m == "eager" or form.compiles):
            report({"progress": f"{request.dtype} {request.shape[-2]} {mode} {form.name}"})
            try:
                candidates.append(_candidate(request, form, mode, x))
            except Exception as error:
                reason = f"{type(error).__name__}: {str(error).strip().splitlines()[0][:120]}"
                notes.append(
                    Row(form.name, form.layout, mode, "", None, 0.0, 0.0, 0.0, 0.0, reason)
                )
    report({"progress": f"{request.dtype} {request.shape[-2]} timing {len(candidates)} forms"})
    yield from _timed(request, candidates, x)
    yield from notes


def _candidate(request: Request, form: Form, mode: str, x: Any) -> _Candidate:
    import torch

    own = form.to_own(x)
    if form.library == "numpy":
        own = _numpy(own)
    in_place = "in place" in form.name
    given = copy.deepcopy(own) if in_place else own
    function = form.make(given)
    if mode == "compiled":
        torch._dynamo.reset()
        function = torch.compile(function, fullgraph=True, dynamic=False)
    error = _error(form.from_own(function(given)), x, form.layout)
    if error > ALLOWED_ERROR[request.dtype]:
        raise ArithmeticError(f"differs from the rotation by {error:.1e}")
    base = f"{form.library} {'fresh' if form.fresh else 'given'}"
    if request.backward:
        run = _backward(function, own)
        if mode == "compiled":
            run()
    else:
        run = _forward(lambda: function(given))
    return _Candidate(form.name, form.layout, mode, base, form.tensors, run, error)


def _numpy(x: Any) -> Any:
    import ml_dtypes
    import torch

    if x.dtype == torch.bfloat16:
        return x.float().numpy().astype(ml_dtypes.bfloat16)
    return x.numpy()


def _forward(call: Run) -> Callable[[], float]:
    """Seconds of process CPU time of one call, the mean over enough repetitions."""
    started = time.process_time()
    call()
    repetitions = max(1, round(TIMED_SECONDS / max(time.process_time() - started, 1e-6)))

    def run() -> float:
        started = time.process_time()
        for _ in range(repetitions):
            call()
        return (time.process_time() - started) / repetitions

    return run


def _backward(function: Callable[[Any], Any], x: Any) -> Callable[[], float]:
    """Seconds of the backward pass alone, the gradient of the result being given."""
    import torch

    leaf = x.detach().clone().requires_grad_()
    result = function(leaf)
    result = result[0] if isinstance(result, tuple) else result
    gradient = torch.randn_like(result)

    def run() -> float:
        made = function(leaf)
        made = made[0] if isinstance(made, tuple) else made
        started = time.process_time()
        torch.autograd.grad(made, leaf, gradient)
        return time.process_time() - started

    return run


def _error(found: Any, x: Any, layout: str) -> float:
    """Largest distance from the rotation in float64, relative to the largest plane of x."""
    import torch

    result = found if isinstance(found, torch.Tensor) else torch.from_numpy(_wide(found))
    d = x.shape[-1]
    frequency = BASE ** (-2 * torch.arange(d // 2, dtype=torch.float64) / d)
    position = FIRST + torch.arange(x.shape[-2], dtype=torch.float64)
    unit = torch.polar(torch.ones(1, dtype=torch.float64), position[:, None] * frequency)
    worst, size = 0.0, 0.0
    for head in range(x.shape[1]):  # one head at a time: float64 needs much memory
        planes = _as_planes(x[:, head].double(), layout) * unit
        worst = max(
            worst, (_as_planes(result[:, head].double(), layout) - planes).abs().max().item()
        )
        size = max(size, planes.abs().max().item())
    return worst / size


def _wide(array: Any) -> Any:
    import numpy as np

    return np.asarray(array, dtype=np.float32)


def _as_planes(x: Any, layout: str) -> Any:
    import torch

    if layout == "interleaved":
        return torch.view_as_complex(x.contiguous().unflatten(-1, (-1, 2)))
    left, right = x.chunk(2, dim=-1)
    return torch.complex(left.contiguous(), right.contiguous())


def _copies(x: Any) -> dict[str, Run]:
    import numpy as np
    import torch

    array = _numpy(x)
    into, into_array = torch.empty_like(x), np.empty_like(array)
    return {
        "torch fresh": x.clone,
        "torch given": lambda: into.copy_(x),
        "numpy fresh": array.copy,
        "numpy given": lambda: np.copyto(into_array, array),
    }


def _timed(request: Request, candidates: list[_Candidate], x: Any) -> Iterator[Row]:
    """Rounds in random order until the budget is spent; a copy of each kind in every round."""
    runs: dict[Any, Callable[[], float]] = {
        name: _forward(call) for name, call in _copies(x).items()
    }
    runs.update((i, c.run) for i, c in enumerate(candidates))
    times: dict[Any, list[float]] = {key: [] for key in runs}
    order = random.Random(SEED)
    stop = time.monotonic() + request.budget
    for round_number in range(MOST_ROUNDS):
        if round_number >= LEAST_ROUNDS and time.monotonic() > stop:
            break
        keys = list(runs)
        order.shuffle(keys)
        for key in keys:
            times[key].append(runs[key]())
    for i, c in enumerate(candidates):
        base = times[c.base]
        tensors = 1 if request.backward else c.tensors
        ratios = sorted(t / b / tensors for t, b in zip(times[i], base, strict=True))
        quarter = len(ratios) // 4
        yield Row(
            c.name,
            c.layout,
            c.mode,
            c.base.split()[1],
            statistics.median(ratios),
            ratios[quarter],
            ratios[-1 - quarter],
            1e6 * statistics.median(times[i]) / tensors,
            c.error,
            least=min(times[i]) / min(base) / tensors,
        )


if __name__ == "__main__":
    main(sys.argv[1])
