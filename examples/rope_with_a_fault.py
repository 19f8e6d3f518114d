"""RoPE as many models have it, with one fault: `symbolic-pe audit` says which."""

import numpy as np


def rotary(x, positions):
    """Turn channel j with channel j + d/2 by position * 10000^(-2j/d)."""
    d = x.shape[-1]
    frequency = 10000.0 ** (-np.arange(0, d, 2) / d)
    angle = positions.astype(x.dtype)[:, None] * frequency
    cos, sin = np.cos(angle).astype(x.dtype), np.sin(angle).astype(x.dtype)
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)


def repaired(x, positions):
    """The same with angles in float64."""
    d = x.shape[-1]
    frequency = 10000.0 ** (-np.arange(0, d, 2) / d)
    angle = positions.astype(np.float64)[:, None] * frequency
    cos, sin = np.cos(angle).astype(x.dtype), np.sin(angle).astype(x.dtype)
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)
