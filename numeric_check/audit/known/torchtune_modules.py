"""torchtune: `RotaryPositionalEmbeddings`, loaded from its own file, since the package itself needs
torchao."""

from __future__ import annotations

import copy
import importlib.util
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from numeric_check.audit.known.registry import Known
from numeric_check.audit.libraries import library_named
from numeric_check.audit.subject import MapSubject
from symbolic_pe.errors import AuditError

DIM = 64
REACH = 132096


def subject() -> MapSubject:
    """x is (batch, positions, heads, channels)."""

    made = _module().RotaryPositionalEmbeddings
    pristine, other = made(DIM, max_seq_len=REACH), made(DIM, max_seq_len=REACH, base=500000)

    def calling(module: Any) -> Callable[[Any, Any], Any]:
        return lambda x, positions: module(
            x, input_pos=positions[None] if positions.ndim == 1 else positions
        )

    rival = calling(other)

    def built() -> MapSubject:
        f = calling(copy.deepcopy(pristine))
        return MapSubject(
            "torchtune: rotary", f, f, library_named("torch"), DIM, "positions-heads", rival=rival
        )

    return replace(built(), fresh=built)


def _module() -> Any:
    found = importlib.util.find_spec("torchtune")
    if found is None or not found.submodule_search_locations:
        raise AuditError("torchtune: not found")
    path = Path(found.submodule_search_locations[0]) / "modules" / "position_embeddings.py"
    specification = importlib.util.spec_from_file_location("torchtune_position_embeddings", path)
    if specification is None or specification.loader is None:
        raise AuditError(f"torchtune: {path} cannot be loaded")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


ENTRIES = (Known("torchtune: rotary", "torchtune", subject, f"rope:dim={DIM},layout=interleaved"),)
