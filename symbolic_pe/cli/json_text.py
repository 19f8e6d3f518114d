"""Records as JSON text: two-space indentation, a final newline, deterministic."""

from __future__ import annotations

import msgspec


def to_text(record: object) -> str:
    """JSON with two-space indentation and a final newline, deterministic."""
    return (
        msgspec.json.format(
            msgspec.json.encode(record, order="deterministic")
            if isinstance(record, dict)
            else msgspec.json.encode(record),
            indent=2,
        ).decode()
        + "\n"
    )
