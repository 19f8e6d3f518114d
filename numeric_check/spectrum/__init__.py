"""Spectra, windows and heads in numbers: floating point finds, ball arithmetic certifies."""
