"""Export of what was proved to Rocq, whose kernel checks it again.

How to use it: docs/how-to/check-with-rocq.md. What the theory proves: docs/reference/theorems.md.
"""
