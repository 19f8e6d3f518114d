"""Formulas in print and in copies that do not hold, each beside the one that does."""
