"""Which specifications name an array: light, so that the question costs no import of arrays."""

from __future__ import annotations

import re

ARRAY_SPEC = re.compile(r"(?P<path>.+?\.(?P<kind>npy|npz|safetensors))(?::(?P<name>.+))?", re.I)


def is_array_spec(spec: str) -> bool:
    """True for `file.npy`, `file.npz[:name]` and `file.safetensors[:name]`.

    >>> is_array_spec("w.safetensors:layers.0.X"), is_array_spec("rope:dim=8")
    (True, False)
    """
    return ARRAY_SPEC.fullmatch(spec.strip()) is not None


__all__ = ["ARRAY_SPEC", "is_array_spec"]
