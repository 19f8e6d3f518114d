"""The questions, one module each: a function from a context to findings."""
