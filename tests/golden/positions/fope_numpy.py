# Written by symbolic-pe: Fourier position embedding: mixtures of frequencies.
# reproduce:   symbolic-pe build 'fope:' --target numpy
# target:      numpy
# spec:        {"catalogue": "fope", "settings": {"angles": "float64", "base": "10000", "cos_mix": "", "dim": "8", "layout": "half", "length": "512", "sin_mix": ""}}
# certificate: sha256:a9936ad86b37f1a78320fcfc4a47d6e7c0f8b2ea05fdc463384385752adc1372
# body:        sha256:054047222b2c0e12caaf7b407a0da43b366a5e1a13bfb555c043838d96807e75
"""Fourier position embedding: mixtures of frequencies: not translation invariant.

C and S of every plane, C first: C = sum of cos_mix * cos(position * frequency), S = sum
of sin_mix * sin(position * frequency); y = C x + S J x in every plane
"""

import numpy as np

DIMENSION = 8
HEADS = 1
FREQUENCY = np.array([1.0, 0.1, 0.0, 0.0])


def table(position, cos_mix, sin_mix):
    """One row for each position, in float64: (positions, width).

    cos_mix: (planes, frequencies), the learned coefficients of the cosines

    sin_mix: (planes, frequencies), those of the sines
    """
    position = position.astype(np.float64)[:, None]
    angle = (position * FREQUENCY)[:, None, :]
    first = np.sum(cos_mix * np.cos(angle), -1)
    second = np.sum(sin_mix * np.sin(angle), -1)
    return np.concatenate([first, second], -1)
