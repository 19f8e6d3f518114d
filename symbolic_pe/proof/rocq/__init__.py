"""Export of what was proved to Rocq, whose kernel checks it again (docs/how-to/check-with-rocq.md)."""
