"""The law `mask-mod`: the function for FlexAttention keeps the keys up to the query."""

from __future__ import annotations

import numpy as np

from numeric_check.kernels.kernel import describe
from numeric_check.laws.result import Evidence
from numeric_check.laws.subject import Subject, position_array

Number = int | float
LAW, DTYPE, NAME = "mask-mod", "bool", "make_mask_mod"
QUERIES: tuple[Number, ...] = (1 << 20, 0, 7, 86, 4095, 131071, 12.25)
KEYS: tuple[Number, ...] = (0, 3, (1 << 20) - 1, 1 << 20, 86, 4096, 12.5, 12.25)


def check_mask_mod(subject: Subject) -> None:
    """make_mask_mod(t, s)(b, h, i, j) = (sⱼ ≤ tᵢ), for 0-d tensors."""
    kernel, plan = subject.kernel, subject.plan
    if kernel.target != "torch" or not (kernel.has(NAME) or plan.augmentations):
        return
    if not kernel.has(NAME):
        if plan.encoding.domain.causal:
            _refute(subject, (0, 0), "the bias is causal, and the file defines no " + NAME)
        return
    batch, head, query, key = (
        x.ravel() for x in np.indices((2, 2, len(QUERIES), len(KEYS)), dtype=np.int32)
    )
    positions = position_array(QUERIES), position_array(KEYS)
    try:
        found = kernel.mask_mod(positions, (batch, head, query, key))
    except Exception as error:
        _refute(subject, (0, 0), f"raised {describe(error)}")
        return
    if found.dtype != np.bool_ or found.shape != query.shape:
        _refute(subject, (0, 0), f"returned {found.dtype} of shape {found.shape[1:]}")
        return
    expected = positions[1][key] <= positions[0][query]
    wrong = np.flatnonzero(found != expected)
    subject.ledger.record(LAW, DTYPE, 0.0, 0.0, lambda: _evidence(subject, (0, 0), ""))
    if wrong.size:
        at = int(query[wrong[0]]), int(key[wrong[0]])
        _refute(subject, at, f"gives {bool(found[wrong[0]])}")


def _refute(subject: Subject, at: tuple[int, int], reason: str) -> None:
    subject.ledger.record(LAW, DTYPE, np.inf, 0.0, lambda: _evidence(subject, at, reason))


def _evidence(subject: Subject, at: tuple[int, int], note: str) -> Evidence:
    i, j = at
    script = subject.script
    places = ", ".join(f"torch.tensor({n})" for n in (0, 0, i, j))
    call = f"k.{NAME}({script.positions(QUERIES)}, {script.positions(KEYS)})({places})"
    where = subject.where((QUERIES[i], KEYS[j]), None, None, f"{NAME} {note}".strip())
    return Evidence(where, script.line([], f"{call}.item()", KEYS[j] <= QUERIES[i]))


__all__ = ["check_mask_mod"]
