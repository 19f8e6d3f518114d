"""torchscale: `XPOS`, whose centre depends on the length of the call.

Query and key of one call share a length, so both are asked for in sequences of one length; what a
cache of keys from shorter calls would meet is another question.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from numeric_check.audit.known.registry import Known
from numeric_check.audit.libraries import library_named
from numeric_check.audit.subject import MapSubject

DIM, LENGTH = 16, 4096


def subject() -> MapSubject:
    """Rows at the positions asked for, of a sequence of LENGTH."""
    from torchscale.component.xpos_relative_position import XPOS

    module = XPOS(DIM)

    def side(*, downscale: bool) -> Callable[[Any, Any], Any]:
        def one(x: Any, places: list[int]) -> Any:
            whole = x.new_zeros((x.shape[0], LENGTH, DIM))
            whole[:, places] = x
            return module(whole, downscale=downscale)[:, places]

        def f(x: Any, positions: Any) -> Any:
            import torch

            places = [int(p) for p in np.asarray(positions)]
            if max(places) >= LENGTH:
                raise ValueError(f"positions below {LENGTH} are asked for")
            if len(set(places)) == len(places):
                return one(x, places)
            return torch.cat([one(x[:, i : i + 1], [p]) for i, p in enumerate(places)], dim=1)

        return f

    query, key = side(downscale=False), side(downscale=True)
    return MapSubject("torchscale: xPos", query, key, library_named("torch"), DIM, "rows")


ENTRIES = (Known("torchscale: xPos", "torchscale", subject, f"xpos:dim={DIM}"),)
