"""Mutation proof of kernels: every small change is refuted, or decided to change nothing."""
