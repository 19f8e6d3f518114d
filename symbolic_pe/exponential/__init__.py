"""Closed forms exp(tX) of generators, case by case."""
