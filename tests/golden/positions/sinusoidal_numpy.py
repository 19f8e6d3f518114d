# Written by symbolic-pe: Sinusoidal absolute positions.
# reproduce:   symbolic-pe build 'sinusoidal:dim=8' --target numpy
# target:      numpy
# spec:        {"catalogue": "sinusoidal", "settings": {"base": "10000", "dim": "8", "form": "paper"}}
# certificate: sha256:e88c0f26a3e9443f8e8cf48439716fe7ff871b1a69b7831616eaa64a19f29e84
# body:        sha256:b91547303682013b607433d72ea2932b447490cd8389fb39bd88cd03bfe05505
"""Sinusoidal absolute positions: not translation invariant.

p_n = sin(n theta) and cos(n theta), added to the embedding at position n
"""

import numpy as np

DIMENSION = 8
HEADS = 1
FREQUENCY = np.array([1.0, 1.0, 0.1, 0.1, 0.01, 0.01, 0.001, 0.001])
IS_SINE = np.array([1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0])


def table(position):
    """One row for each position, in float64: (positions, width)."""
    position = position.astype(np.float64)[:, None]
    angle = position * FREQUENCY
    even = IS_SINE > 0
    return np.where(even, np.sin(angle), np.cos(angle))
