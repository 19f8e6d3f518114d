"""Audit of code that is already there: which encoding it is, and where it breaks.

Importing and calling the subject runs its code: that is what an audit does.
"""

from numeric_check.audit.assertions import assert_implements, assert_relative
from numeric_check.audit.finding import AuditReport, Finding, Verdict
from numeric_check.audit.front import audit, subject_named

__all__ = [
    "AuditReport",
    "Finding",
    "Verdict",
    "assert_implements",
    "assert_relative",
    "audit",
    "subject_named",
]
