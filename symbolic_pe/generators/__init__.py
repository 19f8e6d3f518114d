"""Generators X of one-parameter groups A(t) = exp(tX), as blocks or as matrices."""
