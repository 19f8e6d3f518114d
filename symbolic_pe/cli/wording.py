"""Sentences that several commands say."""

from __future__ import annotations

SPEC_HELP = (
    "SPEC is a catalogue name with settings (rope:dim=128,layout=half), a .toml file, a .json "
    "file with a matrix, a model's config.json, or an array (m.npy, w.npz:name, "
    "w.safetensors:name)."
)
