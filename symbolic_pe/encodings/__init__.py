"""Positional encodings: the value, its layout and pairing, the catalogue, reading specifications."""
