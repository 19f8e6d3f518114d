"""Emitted texts, read from disk: checked against an allow list, compiled, called with arrays."""
