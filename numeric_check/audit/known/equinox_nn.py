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

        def in_whole(x: Any, places: list[int], library: Any) -> Any:
            """x (rows, n, d) at different places of a sequence, and the rows of its image there."""
            whole = library.zeros((x.shape[0], REACH + 1, DIM), x.dtype)
            if library is np:
                whole[:, places] = x
            else:
                whole = whole.at[:, jnp.array(places)].set(x)
            return library.asarray(jax.vmap(module)(jnp.asarray(whole)))[:, np.array(places)]

        def f(x: Any, positions: Any) -> Any:
            places = np.asarray(positions).astype(int).tolist()
            if max(places) > REACH:
                raise ValueError(f"positions up to {REACH} are asked for")
            # NumPy puts slots where they belong: JAX would compile that for every number of slots.
            library, given = (jnp, x) if isinstance(x, jax.core.Tracer) else (np, np.asarray(x))
            if len(set(places)) == len(places):
                return jnp.asarray(in_whole(given, places, library))
            each = [in_whole(given[:, [i]], [p], library) for i, p in enumerate(places)]
            return jnp.asarray(library.concatenate(each, axis=1))

        return f

    def built() -> MapSubject:
        f = made(10000.0)
        return MapSubject(
            "equinox: rotary", f, f, library_named("jax"), DIM, "rows", rival=made(100.0)
        )

    return replace(built(), fresh=built)


ENTRIES = (Known("equinox: rotary", "equinox", subject, f"rope:dim={DIM},layout=half", cost=5),)
