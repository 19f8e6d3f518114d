"""Adapters for known packages, one module each; a package that is not installed is left out."""

from numeric_check.audit.known.registry import Known, known_entries, known_named

__all__ = ["Known", "known_entries", "known_named"]
