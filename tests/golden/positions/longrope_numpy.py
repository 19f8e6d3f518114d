# Written by symbolic-pe: LongRoPE: one factor for each plane, found by search.
# reproduce:   symbolic-pe build 'longrope:dim=8,start=4' --target numpy
# target:      numpy
# spec:        {"catalogue": "longrope", "settings": {"angles": "float64", "attention_factor": "0", "base": "10000", "dim": "8", "factor": "32", "layout": "half", "length": "131072", "long_factor": "", "original_length": "4096", "rotary_dim": "0", "short_factor": "", "start": "4"}}
# certificate: sha256:9f14ba025f2e6ac087ee817d327e85191343740a3b72ae2fca3fba46615f3051
# body:        sha256:f41360c879adf698288c03f367524e030335f01fc4c91f22c9e9d23d2ec67581
"""LongRoPE: one factor for each plane, found by search: not translation invariant.

cos and sin of the phase of every plane, cos first; the phase is position * frequency
below position 4, and from there on position * frequency / lambda
"""

import numpy as np

DIMENSION = 8
HEADS = 1
FREQUENCY = np.array([1.0, 0.1, 0.01, 0.001])
SCALED = np.array([0.03125, 0.003125, 0.0003125, 3.125e-05])


def table(position):
    """One row for each position, in float64: (positions, width)."""
    position = position.astype(np.float64)[:, None]
    early = position * FREQUENCY
    angle = np.where(position < 4, early, position * SCALED)
    return np.concatenate([np.cos(angle), np.sin(angle)], -1)
