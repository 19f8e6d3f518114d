"""equinox: `nn.RotaryPositionalEmbedding`, which takes a whole sequence from position 0."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from numeric_check.audit.known.registry import Known
from numeric_check.audit.libraries import library_named
from numeric_check.audit.subject import MapSubject

DIM, REACH = 8, 128
"""Small: one call computes every position up to the largest."""


def subject() -> MapSubject:
    """Rows at the positions asked for, of a sequence that is long enough."""

    def made(theta: float) -> Callable[[Any, Any], Any]:
        import equinox
        import jax
        import jax.numpy as jnp

        module = equinox.nn.RotaryPositionalEmbedding(DIM, theta=theta)

        def one(x: Any, positions: Any) -> Any:
            length = int(np.asarray(positions).max()) + 1
            if length > REACH + 1:
                raise ValueError(f"positions up to {REACH} are asked for")
            places = np.asarray(positions).astype(int).tolist()
            if len(set(places)) < len(places):
                return jnp.stack(
                    [one(x[r : r + 1], np.array([p]))[0] for r, p in enumerate(places)]
                )
            whole = jnp.zeros((REACH + 1, DIM), x.dtype).at[jnp.array(places)].set(x)
            return module(whole)[jnp.array(places)]

        def f(x: Any, positions: Any) -> Any:
            return jax.vmap(lambda row: one(row, positions))(x)

        return f

    def built() -> MapSubject:
        f = made(10000.0)
        return MapSubject(
            "equinox: rotary", f, f, library_named("jax"), DIM, "rows", rival=made(100.0)
        )

    return replace(built(), fresh=built)


ENTRIES = (Known("equinox: rotary", "equinox", subject, f"rope:dim={DIM},layout=half"),)
