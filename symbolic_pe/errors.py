"""Errors: one class per cause. Each message says what was expected, what came, what to do."""

from __future__ import annotations


class SymbolicPEError(Exception):
    """Base of every error that this distribution raises on purpose.

    refutes  True when the input is right and what was asked of it is refuted
    """

    refutes = False


class SpecificationError(SymbolicPEError):
    """A specification (name, TOML, JSON, matrix) does not say a valid encoding."""


class ExpressionError(SpecificationError):
    """A number or formula is not in the input grammar; carries where it went wrong."""

    def __init__(self, message: str, *, text: str, position: int) -> None:
        line = text.count("\n", 0, position) + 1
        column = position - (text.rfind("\n", 0, position) + 1) + 1
        shown = text.splitlines()[line - 1] if text.splitlines() else ""
        if len(shown) > 120:
            start = max(0, column - 60)
            shown, pointer = shown[start : start + 120], column - start
        else:
            pointer = column
        super().__init__(
            f"{message} at line {line}, column {column}\n  {shown}\n  {' ' * (pointer - 1)}^"
        )
        self.line = line
        self.column = column


class OutsideTheRing(SymbolicPEError):
    """An operation left the field of numbers that this package computes with."""


class Undecided(SymbolicPEError):
    """A question whose answer is not known or not within the budget; the reason is the message."""


class NotYetCovered(SymbolicPEError):
    """A valid generator whose structure this version does not compute; says which and why."""


class OutputError(SymbolicPEError):
    """A result could not be written; nothing was half-written."""


class KernelError(SymbolicPEError):
    """An emitted file cannot be read or run as a kernel."""


class AuditError(SymbolicPEError):
    """A subject of an audit cannot be found, loaded or called as asked."""
