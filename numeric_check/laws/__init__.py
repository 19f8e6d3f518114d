"""The cross-check: every law that a compiled kernel must obey, measured against exact values."""
