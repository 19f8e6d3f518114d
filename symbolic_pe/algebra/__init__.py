"""Exact numbers, exponential polynomials and their decided zero test."""
