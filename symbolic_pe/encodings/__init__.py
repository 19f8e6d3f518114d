"""Positional encodings: the value, its layout, the catalogue, reading specifications."""
